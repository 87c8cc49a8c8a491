// Package robust is made from robust.op: one formula, and all that follows from it.
package robust

//go:generate go tool opgen generate
