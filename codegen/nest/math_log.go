package nest

import "math"

// decomposed is a positive x = 2^k (1 + f) with sqrt(1/2) ≤ 1+f < sqrt(2).
type decomposed struct {
	biased *Value // Bits: k + bias, shifted to where an exponent stands, over other bits
	k, f   *Value // Floats
}

// decompose takes a positive x apart, as FreeBSD e_log.c does: adding 1 - sqrt(1/2) to its bits carries into the
// exponent where the fraction is beyond sqrt(2). bias is what k has too much: logBias, and more for scaled x.
func (m *mathBuilder) decompose(x, bias *Value) decomposed {
	shifted := m.Op(BitAdd, m.Op(AsBits, x), m.BitsConst(m.one-m.sqrtHalf))
	k := m.Op(BitOr, m.Shr(shifted, m.mant), m.BitsConst(m.bitsOf(math.Ldexp(1, int(m.mant)))))
	fraction := m.Op(BitAnd, shifted, m.BitsConst(1<<m.mant-1))
	f := m.Op(AsFloat, m.Op(BitAdd, fraction, m.BitsConst(m.sqrtHalf)))
	return decomposed{
		biased: shifted,
		k:      m.sub(m.Op(AsFloat, k), bias),
		f:      m.sub(f, m.c(1)),
	}
}

// logBias is what decompose subtracts: the bias of the exponent, and 2^mant, in whose low bits it stands.
func (m *mathBuilder) logBias() float64 { return math.Ldexp(1, int(m.mant)) + m.bias }

// bitsOf is the pattern of a float.
func (m *mathBuilder) bitsOf(x float64) uint64 {
	if m.Float() == F32 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

// logOf is k ln 2 + log(1 + f).
func (m *mathBuilder) logOf(k, f *Value) *Value {
	square := m.mul(f, f)
	if m.Float() == F32 {
		// log(1 + f) = f - f²/2 + f³ P(f)
		cubic := m.mul(m.mul(square, f), m.poly(f, m.logq...))
		low := m.fma(square, m.c(-0.5), m.fma(k, m.c(m.ln2lo), cubic))
		return m.fma(k, m.c(m.ln2hi), m.add(f, low))
	}
	// With s = f/(2+f): log(1 + f) = f - (f²/2 - s (f²/2 + s² P(s²))).
	s := m.div(f, m.add(f, m.c(2)))
	z := m.mul(s, s)
	half := m.mul(m.c(0.5), square)
	low := m.fma(s, m.fma(z, m.poly(z, m.logq...), half), m.mul(k, m.c(m.ln2lo)))
	return m.fma(k, m.c(m.ln2hi), m.sub(f, m.sub(half, low)))
}

// log is the natural logarithm.
func (m *mathBuilder) log(x *Value) *Value {
	d := m.decomposed(x)
	return m.logSpecial(x, 0, m.logOf(d.k, d.f))
}

// log2 is k + log(1 + f)/ln 2, exact for powers of two.
func (m *mathBuilder) log2(x *Value) *Value {
	d := m.decomposed(x)
	l := m.logOf(m.c(0), d.f)
	return m.logSpecial(x, 0, m.fma(l, m.c(m.log2eHi), m.fma(l, m.c(m.log2eLo), d.k)))
}

// log10 is k log10 2 + log(1 + f)/ln 10.
func (m *mathBuilder) log10(x *Value) *Value {
	d := m.decomposed(x)
	l := m.logOf(m.c(0), d.f)
	low := m.fma(l, m.c(m.log10eLo), m.mul(d.k, m.c(m.log102lo)))
	return m.logSpecial(x, 0, m.fma(d.k, m.c(m.log102hi), m.fma(l, m.c(m.log10e), low)))
}

// xlogy is x log(y), 0 where x is 0 and y isn't NaN.
func (m *mathBuilder) xlogy(x, y *Value) *Value {
	zero := m.sel(m.Op(Eq, y, y), m.c(0), y)
	return m.sel(m.Op(Eq, x, m.c(0)), zero, m.mul(x, m.log(y)))
}

// asinh is log(a + sqrt(1 + a²)) = log1p(a + a²/(1 + sqrt(1 + a²))), odd. Where a² is all of 1 + a² it is log(a) + ln 2.
func (m *mathBuilder) asinh(x *Value) *Value {
	a := m.Op(Abs, x)
	square := m.mul(a, a)
	near := m.add(a, m.div(square, m.add(m.c(1), m.Op(Sqrt, m.fma(a, a, m.c(1))))))
	return m.copySign(m.doubledLog1p(a, near), x)
}

// acosh is log1p(t + sqrt(t (t+2))) with t = x - 1, NaN below 1.
func (m *mathBuilder) acosh(x *Value) *Value {
	t := m.sub(m.sel(m.Op(Lt, x, m.c(1)), m.c(math.NaN()), x), m.c(1))
	return m.doubledLog1p(x, m.add(t, m.Op(Sqrt, m.mul(t, m.add(t, m.c(2))))))
}

// doubledLog1p is log1p(near), and log(2x) where x is big.
func (m *mathBuilder) doubledLog1p(x, near *Value) *Value {
	large := m.Op(Lt, m.c(m.big), x)
	y := m.log1p(m.sel(large, m.sub(x, m.c(1)), near))
	return m.add(y, m.sel(large, m.c(m.ln2), m.c(0)))
}

// atanh is log((1+a)/(1-a))/2 = log1p(2a/(1-a))/2, odd.
func (m *mathBuilder) atanh(x *Value) *Value {
	a := m.Op(Abs, x)
	y := m.mul(m.c(0.5), m.log1p(m.div(m.mul(m.c(2), a), m.sub(m.c(1), a))))
	return m.copySign(m.Op(Abs, y), x)
}

// decomposed takes a positive x apart. Subnormals are scaled first.
func (m *mathBuilder) decomposed(x *Value) decomposed {
	up := float64(m.mant + 1)
	small := m.Op(Lt, x, m.c(m.minNormal))
	return m.decompose(
		m.sel(small, m.mul(x, m.c(math.Ldexp(1, int(up)))), x),
		m.sel(small, m.c(m.logBias()+up), m.c(m.logBias())))
}

// logSpecial is y where x is finite and above pole, -inf at the pole and NaN below; +inf and NaN are kept.
func (m *mathBuilder) logSpecial(x *Value, pole float64, y *Value) *Value {
	p := m.c(pole)
	below := m.sel(m.Op(Eq, x, p), m.c(math.Inf(-1)), m.c(math.NaN()))
	y = m.sel(m.Op(Lt, x, m.c(math.Inf(1))), y, x)
	return m.sel(m.Op(Le, x, p), below, y)
}

// log1p is log(1 + x). u = 1 + x is rounded by e, exactly known, and e 2^-k is added to the f of u.
// Half of e is scaled, by 2^(1-k), since 2^-k is no float for the largest k.
func (m *mathBuilder) log1p(x *Value) *Value {
	hi, lo := m.atLeast(1, x), m.atMost(1, x)
	u := m.add(hi, lo)
	e := m.sub(lo, m.sub(u, hi))
	d := m.decompose(u, m.c(m.logBias()))
	exponent := m.Op(BitAnd, d.biased, m.BitsConst(m.bitsOf(math.Inf(1))))
	scale := m.Op(AsFloat, m.Op(BitSub, m.BitsConst((2*uint64(m.bias)+1)<<m.mant), exponent))
	y := m.logOf(d.k, m.fma(m.mul(e, m.c(0.5)), scale, d.f))
	y = m.sel(m.Op(Lt, m.Op(Abs, x), m.c(m.tiny)), x, y)
	return m.logSpecial(x, -1, y)
}
