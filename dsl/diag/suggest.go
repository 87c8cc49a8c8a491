package diag

import "strings"

// Suggest gives the candidate that name was most likely meant to be, or "" if none is near. A third of the letters
// may be wrong, one letter in short names; of equally near candidates the first wins.
func Suggest(name string, candidates []string) string {
	best, bestCost := "", allowed(name)+1
	for _, c := range candidates {
		if c == "" || c == name {
			continue
		}
		cost := distance(name, c)
		if strings.EqualFold(name, c) {
			cost = 0
		}
		if cost < bestCost && cost < max(len(name), len(c)) {
			best, bestCost = c, cost
		}
	}
	return best
}

// allowed is how many edits still count as a slip.
func allowed(name string) int { return max(1, (len(name)+1)/3) }

// distance is the number of letters inserted, deleted, replaced or swapped with their neighbour that turns a into b
// (optimal string alignment).
func distance(a, b string) int {
	before, row := make([]int, len(b)+1), make([]int, len(b)+1)
	next := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := 1; i <= len(a); i++ {
		next[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			next[j] = min(row[j]+1, next[j-1]+1, row[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				next[j] = min(next[j], before[j-2]+1)
			}
		}
		before, row, next = row, next, before
	}
	return row[len(b)]
}
