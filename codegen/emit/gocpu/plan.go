package gocpu

import "github.com/opgen/opgen/codegen/nest"

// scope says which loops are open where code is written.
type scope struct {
	grid, vector, serial bool
	lane                 bool // within the loop over the lanes of a block
}

// list is a straight line of code and loops with one place in the output.
//
// A vector loop runs in blocks of lanes. Within a block the code is cut where a serial loop stands: each part is a
// uniform list, then a loop over the lanes, so that serial loops run outside of the loops over lanes and walk memory
// in order.
type list struct {
	scope scope
	items []item
}

// item is one of the three.
type item struct {
	value *nest.Value
	loop  *loop
	part  *part
}

// loop is a loop with a list as its body.
type loop struct {
	depth nest.Depth
	stmt  *nest.For
	body  *list
	slots []int // reductions that start before the loop
	pass  bool  // of depth Vector: a pass over the elements, described in a comment
	outs  []int // operands it stores
}

// part is a stretch of a vector loop without serial loops.
type part struct {
	uniform *list
	lanes   *list
}

// plan arranges the statements of a nest into lists, and notes where each live value is computed and used.
func (k *kernel) plan(body []nest.Stmt) *list {
	live := map[*nest.Value]bool{}
	k.nest.Walk(func(s nest.Stmt, _ []*nest.For) {
		if v, ok := s.(*nest.Value); ok && v.Op.Info().Effect {
			mark(v, live)
		}
	})
	return k.arrange(body, scope{}, live)
}

func mark(v *nest.Value, live map[*nest.Value]bool) {
	if live[v] {
		return
	}
	live[v] = true
	for _, a := range v.Args {
		mark(a, live)
	}
}

// arrange makes the list of a body outside of vector loops.
func (k *kernel) arrange(body []nest.Stmt, sc scope, live map[*nest.Value]bool) *list {
	l := &list{scope: sc}
	for _, s := range body {
		switch s := s.(type) {
		case *nest.Value:
			k.put(l, s, live)
		case *nest.For:
			in := sc
			switch s.Depth {
			case nest.Grid:
				in.grid = true
				l.items = append(l.items, item{loop: &loop{depth: nest.Grid, body: k.arrange(s.Body, in, live)}})
			case nest.Serial:
				in.serial = true
				l.items = append(l.items, item{loop: k.loop(s, k.arrange(s.Body, in, live))})
			case nest.Vector:
				in.vector = true
				l.items = append(l.items, item{loop: k.loop(s, k.block(s.Body, in, live))})
			}
		}
	}
	return l
}

// block makes the list of the body of a vector loop, or of a serial loop in one.
func (k *kernel) block(body []nest.Stmt, sc scope, live map[*nest.Value]bool) *list {
	l := &list{scope: sc}
	var p *part
	for _, s := range body {
		switch s := s.(type) {
		case *nest.Value:
			if p == nil {
				in := sc
				in.lane = true
				p = &part{uniform: &list{scope: sc}, lanes: &list{scope: in}}
				l.items = append(l.items, item{part: p})
			}
			if k.perLane(s) {
				k.put(p.lanes, s, live)
			} else {
				k.put(p.uniform, s, live)
			}
		case *nest.For:
			p = nil
			in := sc
			in.serial = true
			l.items = append(l.items, item{loop: k.loop(s, k.block(s.Body, in, live))})
		}
	}
	return l
}

// perLane says whether a statement of a vector loop is run for each lane.
func (k *kernel) perLane(v *nest.Value) bool {
	switch v.Op {
	case nest.Store:
		return k.nest.Operands[v.Operand].Vector
	case nest.Reduce:
		s := k.nest.Slots[v.Slot]
		if s.Over != nest.Serial {
			return true
		}
		for _, a := range v.Args {
			if a.Lane {
				return true
			}
		}
		return false
	}
	return v.Lane
}

// loop notes what the loop s does.
func (k *kernel) loop(s *nest.For, body *list) *loop {
	lp := &loop{depth: s.Depth, stmt: s, body: body, pass: s.Depth == nest.Vector}
	stored := map[int]bool{}
	var visit func([]nest.Stmt)
	visit = func(stmts []nest.Stmt) {
		for _, st := range stmts {
			switch st := st.(type) {
			case *nest.For:
				visit(st.Body)
			case *nest.Value:
				switch {
				case st.Op == nest.Store && !stored[st.Operand]:
					stored[st.Operand] = true
					lp.outs = append(lp.outs, st.Operand)
				case st.Op == nest.Reduce && k.nest.Slots[st.Slot].Over == s.Depth:
					lp.slots = append(lp.slots, st.Slot)
				}
			}
		}
	}
	visit(s.Body)
	return lp
}

// put adds a live statement to a list.
func (k *kernel) put(l *list, v *nest.Value, live map[*nest.Value]bool) {
	if !live[v] {
		return
	}
	l.items = append(l.items, item{value: v})
	k.homes[v] = l
	for _, a := range v.Args {
		k.users[a] = append(k.users[a], l)
	}
	if v.Op == nest.Reduce {
		k.slots[v.Slot].used = true
		s := k.nest.Slots[v.Slot]
		k.slots[v.Slot].lanes = l.scope.lane && !s.Wide
	}
}
