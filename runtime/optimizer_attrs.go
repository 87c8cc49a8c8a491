package runtime

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"
)

// AttrValue is an attribute that is no number and no bool: it is set and told as a text.
type AttrValue interface {
	String() string
	Set(text string) bool // whether it is one
}

// EnumAttr points to an attribute that is one of words, counted from 1.
func EnumAttr[T ~uint8](p *T, words ...string) AttrValue { return &enumAttr[T]{p, words} }

type enumAttr[T ~uint8] struct {
	p     *T
	words []string
}

func (e *enumAttr[T]) String() string {
	if i := int(*e.p) - 1; i >= 0 && i < len(e.words) {
		return e.words[i]
	}
	return ""
}

func (e *enumAttr[T]) Set(text string) bool {
	i := slices.Index(e.words, text)
	if i >= 0 {
		*e.p = T(i + 1)
	}
	return i >= 0
}

// OptionalAttr points to a number that may be absent, and to whether it is there. Its text is empty where it is absent.
func OptionalAttr[T float64 | int](p *T, there *bool) AttrValue { return &optionalAttr[T]{p, there} }

type optionalAttr[T float64 | int] struct {
	p     *T
	there *bool
}

func (a *optionalAttr[T]) String() string {
	if !*a.there {
		return ""
	}
	return attrText(a.p)
}

func (a *optionalAttr[T]) Set(text string) bool {
	if text == "" {
		*a.there = false
		return true
	}
	*a.there = setAttrText(any(a.p), text)
	return *a.there
}

// SeedAttr points to a seed. Its text is key and offset, "42:3"; the offset may be left out.
func SeedAttr(p *Seed) AttrValue { return (*seedAttr)(p) }

type seedAttr Seed

func (s *seedAttr) String() string { return fmt.Sprintf("%d:%d", s.Key, s.Offset) }

func (s *seedAttr) Set(text string) bool {
	first, second, there := strings.Cut(text, ":")
	key, err := strconv.ParseUint(first, 10, 64)
	offset := uint64(0)
	if there && err == nil {
		offset, err = strconv.ParseUint(second, 10, 32)
	}
	if err == nil {
		*s = seedAttr{key, uint32(offset)}
	}
	return err == nil
}

// attrText is an attribute as a text from which it can be set again, to the bit.
func attrText(p any) string {
	switch x := p.(type) {
	case *float64:
		return strconv.FormatFloat(*x, 'g', -1, 64)
	case *int:
		return strconv.Itoa(*x)
	case *bool:
		return strconv.FormatBool(*x)
	}
	return p.(AttrValue).String()
}

// setAttrText sets an attribute to what attrText gave. It reports whether the text is one.
func setAttrText(p any, text string) bool {
	switch x := p.(type) {
	case *float64:
		v, err := strconv.ParseFloat(text, 64)
		*x = v
		return err == nil
	case *int:
		v, err := strconv.Atoi(text)
		*x = v
		return err == nil
	case *bool:
		v, err := strconv.ParseBool(text)
		*x = v
		return err == nil
	}
	return p.(AttrValue).Set(text)
}

// SetAttributes changes all attributes of a group; groups count from 0.
func (o *Optimizer) SetAttributes(group int, v Attributes) error {
	if err := o.checkGroup(group); err != nil {
		return err
	}
	o.groups[group] = v
	for _, s := range o.slots {
		if s.Group == group {
			s.Values = v
		}
	}
	return nil
}

// Attr is an attribute of a group as a text, by its name in the spec.
func (o *Optimizer) Attr(group int, name string) (string, error) {
	p, err := o.attr(group, name)
	if err != nil {
		return "", err
	}
	return attrText(p), nil
}

// SetAttr changes an attribute of a group by its name in the spec: to a number, a bool, a word, or a [Seed]. What the op requires of
// attributes is checked, and on an error nothing was changed.
func (o *Optimizer) SetAttr(group int, name string, value any) error {
	if _, err := o.attr(group, name); err != nil {
		return err
	}
	next := o.groups[group].Clone()
	p := next.Attr(name)
	var text string
	switch x := value.(type) {
	case Seed:
		text = SeedAttr(&x).String()
	case float64, float32, int, int64, uint64, bool, string:
		text = fmt.Sprint(x)
		if f, ok := x.(float64); ok {
			text = strconv.FormatFloat(f, 'g', -1, 64)
		}
	default:
		return AttrError(o.rule.Op, name, "a number, a bool, a word or a Seed", fmt.Sprintf("%T", value))
	}
	if !setAttrText(p, text) {
		return AttrError(o.rule.Op, name, "a value of its type", text)
	}
	if err := next.Check(); err != nil {
		return err
	}
	return o.SetAttributes(group, next)
}

func (o *Optimizer) checkGroup(group int) error {
	if group < 0 || group >= len(o.groups) {
		return AttrError(o.rule.Op, "group", "a group that was added", group)
	}
	return nil
}

// attr points to an attribute of a group.
func (o *Optimizer) attr(group int, name string) (any, error) {
	if err := o.checkGroup(group); err != nil {
		return nil, err
	}
	if v := o.groups[group]; v != nil {
		if p := v.Attr(name); p != nil {
			return p, nil
		}
	}
	return nil, AttrError(o.rule.Op, name, "one of "+strings.Join(o.rule.Attrs, ", "), name)
}

// schedule is an attribute that follows the number of the step.
type schedule struct {
	group int // -1: of all groups
	attr  string
	at    func(step int64) float64
}

// SetSchedule makes an attribute of all groups follow a function of the number of the Step, which is 1 at the first one. Nil
// ends a schedule; the attribute stays what it is. Schedules of single groups, by SetGroupSchedule, come after those of all.
func (o *Optimizer) SetSchedule(attr string, at func(step int64) float64) error {
	return o.setSchedule(-1, attr, at)
}

// SetGroupSchedule is SetSchedule for one group.
func (o *Optimizer) SetGroupSchedule(group int, attr string, at func(step int64) float64) error {
	if err := o.checkGroup(group); err != nil {
		return err
	}
	return o.setSchedule(group, attr, at)
}

func (o *Optimizer) setSchedule(group int, attr string, at func(step int64) float64) error {
	p, err := o.attr(max(group, 0), attr)
	if err != nil {
		return err
	}
	if _, ok := p.(*float64); !ok {
		return AttrError(o.rule.Op, attr, "a float", fmt.Sprintf("%T", p))
	}
	o.schedules = slices.DeleteFunc(o.schedules, func(s schedule) bool { return s.group == group && s.attr == attr })
	if at != nil {
		o.schedules = append(o.schedules, schedule{group, attr, at})
		slices.SortStableFunc(o.schedules, func(a, b schedule) int { return a.group - b.group })
	}
	return nil
}

// applySchedules sets the attributes of the next step. On an error they are what they were.
func (o *Optimizer) applySchedules() error {
	o.undo = o.undo[:0]
	if len(o.schedules) == 0 {
		return nil
	}
	for _, s := range o.schedules {
		x := s.at(o.steps + 1)
		if math.IsNaN(x) {
			o.undoSchedules()
			return AttrError(o.rule.Op, s.attr, "a number", "NaN of its schedule")
		}
		for i, v := range o.groups {
			if p, ok := v.Attr(s.attr).(*float64); ok && (s.group < 0 || s.group == i) {
				o.undo = append(o.undo, scheduled{p, *p})
				*p = x
			}
		}
	}
	for _, v := range o.groups {
		if err := v.Check(); err != nil {
			o.undoSchedules()
			return err
		}
	}
	return nil
}

// scheduled is an attribute that a schedule has changed, and what it was before.
type scheduled struct {
	p   *float64
	was float64
}

// undoSchedules takes the attributes back to what they were, the last change first.
func (o *Optimizer) undoSchedules() {
	for _, u := range slices.Backward(o.undo) {
		*u.p = u.was
	}
}
