package amd64

import "github.com/opgen/opgen/codegen/nest"

// point is what an instruction is selected for: a row of a tile and, in a vector loop, a vector of a block. Code that is
// the same for several points is selected once: where a value is kept depends on whether it differs from lane to lane,
// and from row to row.
type point struct {
	row, at int          // numbers in the tile and the block
	mask    *reg         // nil: all elements of the vector; else those that there are
	scopes  [2][2]*scope // by lane, by row
	accs    map[int]*reg // slots with their accumulators in registers
}

// scope holds the registers of values.
type scope struct {
	values map[*nest.Value]*reg
	sums   map[int]*serialSum // slots over Serial
}

func newScope() *scope {
	return &scope{values: map[*nest.Value]*reg{}, sums: map[int]*serialSum{}}
}

// scope is where a value, or the slot of a Reduce or Result, is kept.
func (g *gen) scope(v *nest.Value, p *point) *scope {
	return p.scopes[number(g.plan.perLane[v])][number(g.varies[v])]
}

// points makes the points of a number of rows and vectors. mask is that of the vectors, or nil.
func (g *gen) points(rows, vectors int, mask *reg) []*point {
	uniform, columns := make([]*scope, rows), make([]*scope, vectors)
	for i := range uniform {
		uniform[i] = newScope()
	}
	for i := range columns {
		columns[i] = newScope()
	}
	var points []*point
	for row := range rows {
		for at := range vectors {
			points = append(points, &point{
				row: row, at: at, mask: mask, accs: map[int]*reg{},
				scopes: [2][2]*scope{{g.uniform, uniform[row]}, {columns[at], newScope()}},
			})
		}
	}
	return points
}

// straight selects instructions without loops: what is the same for all points once, what differs only from vector to
// vector once for each of these, then the rest row by row.
func (g *gen) straight(stmts []nest.Stmt, points []*point) {
	each := func(p *point, lane, row bool) {
		for _, s := range stmts {
			if v := s.(*nest.Value); g.plan.perLane[v] == lane && g.varies[v] == row {
				g.value(v, p)
			}
		}
	}
	each(points[0], false, false)
	for _, p := range points {
		if p.row == 0 {
			each(p, true, false)
		}
	}
	for _, p := range points {
		if p.at == 0 {
			each(p, false, true)
		}
		each(p, true, true)
	}
}
