package nest

// access checks a load, gather or store by itself and notes it.
func (v *verifier) access(x *Value, at *site, fail func(string, ...any)) {
	o := &v.n.Operands[x.Operand]
	sites := &v.operands[x.Operand]
	if o.Mode == Acc {
		fail("operand %d is an accumulator", x.Operand)
	}
	if o.DType.IsFloat() != (x.Op != LoadInt) {
		fail("operand %d is %s", x.Operand, o.DType)
	}
	for d := Grid; d <= Serial; d++ {
		open := at.at(d) != nil
		if x.Op == Gather && d == Vector {
			open = true
			if !o.Vector {
				fail("operand %d doesn't move along vector", x.Operand)
			}
		}
		if o.Moves(d) && !open {
			fail("operand %d moves along %s, but there is no such loop here", x.Operand, d)
		}
		if x.Op == Store && open && !o.Moves(d) {
			fail("operand %d doesn't move along %s: stored more than once", x.Operand, d)
		}
	}
	if x.Op == Gather && x.Args[0].Lane {
		fail("the index differs from lane to lane")
	}
	if x.Op != Store {
		sites.uses = append(sites.uses, use{v: x, at: at, order: v.count})
		return
	}
	if o.Mode == In {
		fail("operand %d is an input", x.Operand)
	}
	if sites.store != nil {
		fail("operand %d is stored a second time", x.Operand)
	}
	sites.store, sites.order = at, v.count
}

// reduce checks where a Reduce stands.
func (v *verifier) reduce(x *Value, at *site, fail func(string, ...any)) {
	slot := v.n.Slots[x.Slot]
	if v.slots[x.Slot].reduce != nil {
		fail("slot %d has another reduce", x.Slot)
	}
	inner, ok := at.inner()
	switch {
	case !ok:
		fail("outside of all loops")
	case slot.Over == Grid && slot.Wide:
		if inner != Vector || at.at(Grid) == nil {
			fail("slot %d is wide over grid, but the loop is %s", x.Slot, inner)
		}
	case slot.Over == Grid:
		if inner == Serial || at.at(Grid) == nil {
			fail("slot %d is over grid, but the loop is %s", x.Slot, inner)
		}
	case inner != slot.Over:
		fail("slot %d is over %s, but the loop is %s", x.Slot, slot.Over, inner)
	}
	if len(x.Args) == 2 && (slot.Over != Serial || slot.Monoid != SumOf) {
		fail("a product into slot %d, which is no sum over serial", x.Slot)
	}
	lane := false
	for _, a := range x.Args {
		lane = lane || a.Lane
	}
	v.slots[x.Slot] = slotSites{reduce: at, lane: lane}
}

// result checks where a Result stands and says whether it is a lane value.
func (v *verifier) result(x *Value, at *site, fail func(string, ...any)) bool {
	slot, sites := v.n.Slots[x.Slot], v.slots[x.Slot]
	switch {
	case slot.Over == Grid:
		fail("slot %d is over grid: its result is operand %d", x.Slot, slot.Acc)
		return false
	case sites.reduce == nil:
		fail("nothing was reduced into slot %d before", x.Slot)
		return false
	case !sites.reduce.closed || sites.reduce.parent != at:
		fail("not in the body that holds the loop of slot %d, after it", x.Slot)
	}
	return slot.Over == Serial && sites.lane
}

// afterBody checks what needs all uses of slots and operands.
func (v *verifier) afterBody() {
	for i, s := range v.slots {
		if s.reduce == nil {
			v.failf("slot %d: nothing is reduced into it", i)
		}
	}
	for i := range v.n.Operands {
		o, s := &v.n.Operands[i], &v.operands[i]
		if (o.Mode == Out || o.Mode == InOut) && s.store == nil {
			v.failf("operand %d (%s) is never stored", i, o.Mode)
			continue
		}
		switch o.Mode {
		case Out:
			for _, u := range s.uses {
				if u.order < s.order || sameVector(u.at, s.store) {
					v.failf("v%d = %s: operand %d is loaded before a later stage than its store", u.v.ID, u.v.Op, i)
				}
			}
			for _, p := range o.InPlace {
				v.beforeStore(p, i)
			}
		case InOut:
			v.beforeStore(i, i)
		}
	}
}

// beforeStore checks that the loads of an operand can share memory with a store: each comes before it, and
// gathers, which see other points, before its whole loop.
func (v *verifier) beforeStore(loads, stores int) {
	s := &v.operands[stores]
	for _, u := range v.operands[loads].uses {
		if u.order > s.order || u.v.Op == Gather && sameVector(u.at, s.store) {
			v.failf("v%d = %s: operand %d is loaded after the store to its memory, operand %d", u.v.ID, u.v.Op, loads, stores)
		}
	}
}

// sameVector says whether two places are in one vector loop.
func sameVector(a, b *site) bool {
	l := a.at(Vector)
	return l != nil && l == b.at(Vector)
}
