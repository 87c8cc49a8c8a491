//go:build race

package sample

// The race detector makes pools forget: calls allocate.
const raceEnabled = true
