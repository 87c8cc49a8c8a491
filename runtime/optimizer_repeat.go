package runtime

import "unsafe"

// What a phase of an update does with small tensors differs in addresses and numbers of elements alone, where these share attributes,
// the number of the step and the dtype. So it is asked once what it does, and that is repeated: kernels are called for each tensor, with
// the scalars of the first one.

// repeat is what a phase does.
type repeat struct {
	alike
	phase    int
	known    bool // launches are all that it does
	broken   bool // it does more, which has been done for the tensor that was asked
	sized    bool // scalars depend on the number of elements
	rows     bool // launches go through any number of tensors of one size side by side: see Rule.Rows
	launches []repeated
	temps    [maxTemps]uint64   // numbers that a launch leaves to later ones
	used     int                // of temps
	room     [maxRooms][]uint64 // for numbers of a row
	rooms    int                // of room that are used
	holds    int                // numbers that each of these has room for
}

// alike is what tensors share for which a phase does the same.
type alike struct {
	group, step int
	n           int // counts where scalars depend on it
	dtype       DType
}

const (
	maxRepeats = 8  // launches
	maxTemps   = 16 // numbers between them
	maxRooms   = 4  // rows of numbers in them
)

// repeated is a launch of one call of a kernel.
type repeated struct {
	kernel Kernel
	args   Args
	moves  [MaxOperands]move
	count  int                // of moves
	temps  [MaxOperands]uint8 // of operands: one more than the number of the temporary value, from maxTemps on of the room; 0: it is none
	whole  bool               // it runs over all elements; else over one
}

// move is an operand that differs from tensor to tensor.
type move struct {
	operand, param uint8
	number         bool // one element a tensor
}

// Repeat takes a launch in the place of the caller, and reports whether it did. Code of updates calls it where a launch depends on
// attributes, the step, dtypes, addresses and, if whole is set, the number of elements, which are all lanes of one row. Other operands are numbers from Scratch.
func (b *Bound) Repeat(k Kernel, a *Args, p *Plan, whole bool) bool {
	return b.again != nil && b.again.take(b, k, a, p, whole)
}

// Idle says that a phase does nothing with tensors, whatever they are.
func (b *Bound) Idle() {
	if b.again != nil {
		b.again.known = true
	}
}

// Sized says that scalars of launches depend on the number of elements.
func (b *Bound) Sized() {
	if b.again != nil {
		b.again.sized = true
	}
}

// begin forgets what was known, to ask for what a phase does.
func (r *repeat) begin(phase int, of alike, rows bool) {
	r.phase, r.alike, r.rows = phase, of, rows
	r.known, r.broken, r.sized = false, false, false
	r.launches, r.used, r.rooms, r.holds = r.launches[:0], 0, 0, 0
}

// temp is room for a number that lives as long as the repeat; nil where none is left.
func (r *repeat) temp() unsafe.Pointer {
	if r.used == maxTemps {
		return nil
	}
	r.used++
	return unsafe.Pointer(&r.temps[r.used-1])
}

// row is room for n numbers that lives as long as the repeat; nil where none is left.
func (r *repeat) row(n int) unsafe.Pointer {
	if r.rooms == maxRooms {
		return nil
	}
	r.rooms++
	r.hold(max(n, r.holds, 1))
	return unsafe.Pointer(&r.room[r.rooms-1][0])
}

// hold makes room for n numbers a row.
func (r *repeat) hold(n int) {
	r.holds = n
	for k := range r.room[:r.rooms] {
		if len(r.room[k]) < n {
			r.room[k] = make([]uint64, n)
		}
	}
	r.point()
}

// point puts the addresses of temporary values into the launches. Rows that follow each other have the same room.
func (r *repeat) point() {
	for i := range r.launches {
		l := &r.launches[i]
		for k, t := range l.temps {
			switch {
			case t > maxTemps:
				if room := r.room[t-maxTemps-1]; len(room) > 0 {
					l.args.Ptr[k], l.args.Row[k] = unsafe.Pointer(&room[0]), 0
				}
			case t > 0:
				l.args.Ptr[k] = unsafe.Pointer(&r.temps[t-1])
			}
		}
	}
}

// take keeps a launch. It reports false where it can't, after all that were taken before are done.
func (r *repeat) take(b *Bound, k Kernel, a *Args, p *Plan, whole bool) bool {
	if r.broken {
		return false
	}
	if len(r.launches) < maxRepeats && !p.Wide && Serial(a, p) {
		l := repeated{kernel: k, args: *a, whole: whole}
		if l.find(r, b, len(p.Operands)) {
			r.launches = append(r.launches, l)
			r.known = true
			r.rows = r.rows && r.used == 0 // which rows would share
			r.point()
			return true
		}
	}
	for i := range r.launches {
		call(r.launches[i].kernel, &r.launches[i].args)
	}
	r.known, r.broken = false, true
	return false
}

// find finds the parameters and temporary values whose addresses operands have. It reports whether all are known.
func (l *repeated) find(r *repeat, b *Bound, operands int) bool {
	for i := range operands {
		p, found := l.args.Ptr[i], 0
		for j := range b.sig.Params[:min(len(b.sig.Params), itemParams)] {
			if b.Ptr[j] == p && p != nil {
				l.moves[l.count] = move{uint8(i), uint8(j), len(b.sig.Params[j].Dims) == 0}
				found++
			}
		}
		for j := range r.temps[:r.used] {
			if p == unsafe.Pointer(&r.temps[j]) {
				l.temps[i] = uint8(j + 1)
				found++
			}
		}
		for j := range r.room[:r.rooms] {
			if p == unsafe.Pointer(&r.room[j][0]) {
				l.temps[i] = uint8(maxTemps + j + 1)
				found++
			}
		}
		if found != 1 {
			return false
		}
		if l.temps[i] == 0 {
			l.count++
		}
	}
	return true
}

// is reports whether a phase does this with a tensor.
func (r *repeat) is(phase int, of alike) bool {
	if !r.sized {
		of.n = r.n
	}
	return r.known && r.phase == phase && r.alike == of
}

// run does it for tensors of n elements, with the addresses of parameters: for one or, with rows, for several. Each has its numbers step numbers
// behind those of the one before, and its elements row elements.
func (r *repeat) run(ptr *[itemParams]unsafe.Pointer, n, tensors, step, row int) {
	if r.rooms > 0 && r.holds < n {
		r.hold(n)
	}
	for i := range r.launches {
		l := &r.launches[i]
		for _, m := range l.moves[:l.count&(2*MaxOperands-1)] {
			l.args.Ptr[m.operand&(MaxOperands-1)] = ptr[m.param&(itemParams-1)]
			if tensors > 1 {
				l.args.Row[m.operand&(MaxOperands-1)] = row
				if m.number {
					l.args.Row[m.operand&(MaxOperands-1)] = step
				}
			}
		}
		l.args.Rows = tensors
		if l.whole {
			l.args.N = n
		}
		call(l.kernel, &l.args)
	}
}

// share takes over what another task knows of the phase, with temporary values of its own.
func (r *repeat) share(from *repeat) {
	r.phase, r.alike, r.known, r.sized, r.rows = from.phase, from.alike, from.known, from.sized, from.rows
	r.launches = append(r.launches[:0], from.launches...)
	r.used, r.rooms, r.holds = from.used, from.rooms, 0
	r.point()
}

// forget drops addresses.
func (r *repeat) forget() {
	for i := range r.launches {
		r.launches[i].args.Ptr = [MaxOperands]unsafe.Pointer{}
	}
}
