package codegen

import (
	"slices"

	"github.com/opgen/opgen/codegen/nest"
	"github.com/opgen/opgen/dsl"
)

// Stage is one step from text to code.
type Stage struct {
	Name string
	Why  string // what it does, and why here
	Run  func(*Build)
}

// Pipeline is opgen. A stage runs if no earlier one found an error.
var Pipeline = []Stage{
	{"parse", "text to syntax trees; all files, so that all errors of a package show at once", (*Build).parse},
	{"check", "names, axes and types; one function for each static choice, since these may change types and axes", (*Build).check},
	{"lint", "warnings of formulas that lose digits or overflow; on the user's text, with the types that were found for it", (*Build).lint},
	{"derive", "the reverse rule, on definitions as they were written: before anything is simplified, so that messages speak of the user's formula", (*Build).derive},
	{"prove", "derivatives by hand against derived ones; before they are put in place, and only on request are they trusted", (*Build).prove},
	{"simplify", "exact rewrites, zero derivatives dropped, equal definitions shared; after the proof and before loops are made, which cost by the definition", (*Build).simplify},
	{"lower", "definitions to nests, for each choice of dtypes; forward and backward together, since one decides what the other saves", (*Build).lower},
	{"share", "equal kernels once, whatever op they came from; before they are printed for every target", (*Build).share},
	{"emit", "files for each target from the same nests", (*Build).emit},
}

// Run takes a package through the pipeline up to the stage named last ("": all of it). It tells whether there were no errors.
func (b *Build) Run(last string) bool {
	for _, s := range Pipeline {
		s.Run(b)
		if b.Diags.HasErrors() {
			break
		}
		if s.Name == last {
			break
		}
	}
	b.Diags.Sort()
	return !b.Diags.HasErrors()
}

// New prepares a package for the pipeline.
func New(s Source, targets ...Target) *Build {
	b := &Build{Source: s, Targets: map[Target]bool{Go: true}, Trees: map[string][]*dsl.File{}, Kernels: map[string][]*nest.Nest{}, uses: map[Target]map[*nest.Nest]bool{}, Report: Report{Lines: map[Target]int{}}}
	for _, t := range Targets {
		b.uses[t] = map[*nest.Nest]bool{}
		if len(targets) == 0 || slices.Contains(targets, t) {
			b.Targets[t] = true
		}
	}
	return b
}
