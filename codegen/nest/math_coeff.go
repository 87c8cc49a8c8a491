package nest

// The polynomials are minimax fits (Remez exchange in 200-bit arithmetic, weighted for relative error), with the
// coefficients then rounded:
//
//	expq    (e^r - 1 - r)/r² for |r| ≤ ln 2 / 2
//	logq    f32: (log(1+f) - f + f²/2)/f³ for sqrt(1/2) ≤ 1+f ≤ sqrt(2); f64: (2 atanh(s) - 2s)/s³ in s²,
//	        for |s| ≤ (sqrt(2)-1)/(sqrt(2)+1)
//	atanhq  (2 atanh(s/2) - s)/s³ in s², for 0 ≤ s ≤ 2/3
//	erfq    (erf x - x)/x in x², for |x| ≤ erfSplit
//	erfcq   log erfc x for erfSplit ≤ x ≤ erfMax, weighted for the error of erf
var format32 = format{
	mant: 23, bias: 127, magic: 0x1.8p23,
	one: 0x3f800000, sqrtHalf: 0x3f3504f3, sign: 1 << 31,
	minNormal: 0x1p-126, tiny: 0x1p-25,
	log2e: 1.4426950216293335, ln2hi: 0x1.62e43p-1, ln2lo: -0x1.05c61p-29,
	expMax: 89, expMin: -104, expm1Min: -17.5,
	expq: []float64{0x1.fffffep-2, 0x1.5554bp-3, 0x1.555674p-5, 0x1.1227aep-7, 0x1.6bebeap-10},
	logq: []float64{
		0x1.555554p-2, -0x1.000228p-2, 0x1.99a01p-3, -0x1.5471f6p-3,
		0x1.22d912p-3, -0x1.0d875ap-3, 0x1.05646p-3, -0x1.38c118p-4,
	},
	atanhq: []float64{0x1.555502p-4, 0x1.99d208p-7, 0x1.1ebd0ap-9, 0x1.1ed7ccp-11},
	erfMax: 4, erfSplit: 0.925,
	erfq: []float64{
		0x1.06eba8p-3, -0x1.812742p-2, 0x1.ce2e0ap-4, -0x1.b80e9p-6, 0x1.54c7f6p-8, -0x1.aa3f38p-11, 0x1.5cd4c8p-14,
	},
	erfcq: []float64{
		0x1.6e555cp-13, -0x1.2127e4p+0, -0x1.44460cp-1, -0x1.bb83dep-4,
		0x1.9b8e6ep-6, -0x1.115ab2p-8, 0x1.c790c4p-12, -0x1.61ea02p-16,
	},
}

var format64 = format{
	mant: 52, bias: 1023, magic: 0x1.8p52,
	one: 0x3ff0000000000000, sqrtHalf: 0x3fe6a09e667f3bcd, sign: 1 << 63,
	minNormal: 0x1p-1022, tiny: 0x1p-54,
	log2e: 1.4426950408889634, ln2hi: 0x1.62e42fefa39efp-1, ln2lo: 0x1.abc9e3b39803fp-56,
	expMax: 710, expMin: -746, expm1Min: -37.5,
	expq: []float64{
		0.5, 0x1.5555555555559p-3, 0x1.555555555553ep-5, 0x1.111111110f6c5p-7, 0x1.6c16c16c1f0dcp-10,
		0x1.a01a01afdd7d0p-13, 0x1.a01a017bb2d71p-16, 0x1.71ddf863ebfa0p-19, 0x1.27e5363ed28fap-22,
		0x1.af5ea7eefa3cdp-26, 0x1.1ee88e9c83a2ep-29,
	},
	logq: []float64{
		0x1.5555555555592p-1, 0x1.999999997fdebp-2, 0x1.24924941eff43p-2, 0x1.c71c5209133c9p-3,
		0x1.74663f35c4016p-3, 0x1.39a1acfcae39ap-3, 0x1.2f0626b04516ap-3,
	},
	atanhq: []float64{
		0x1.5555555555535p-4, 0x1.99999999a06c4p-7, 0x1.2492492091012p-9, 0x1.c71c741a0cd88p-12,
		0x1.745cb45907922p-14, 0x1.3b1dd3b7e7337p-16, 0x1.10682e6359900p-18, 0x1.efd193320aa75p-21,
		0x1.55cf42b4364cbp-23, 0x1.5c5c340a0e630p-24,
	},
	erfMax: 5.95, erfSplit: 1,
	erfq: []float64{
		0x1.06eba8214db69p-3, -0x1.812746b0379e6p-2, 0x1.ce2f21a042b20p-4, -0x1.b82ce3128499dp-6, 0x1.565bcd0db02f4p-8,
		-0x1.c02db3d8ed480p-11, 0x1.f9a321a1213dep-14, -0x1.f4d1df3984daap-17, 0x1.b9def1a086477p-20,
		-0x1.5f1d36d602097p-23, 0x1.f7a412ef6ae38p-27, -0x1.386ac2e4626c3p-30, 0x1.0579afecab47fp-34,
	},
	erfcq: []float64{
		-0x1.81c73fc7593c8p-23, -0x1.20dd562dc3ad9p+0, -0x1.45f42b60a2d6cp-1, -0x1.a4da4c97197c1p-4, 0x1.38938d79914cbp-6,
		0x1.26204a4d872a1p-12, -0x1.cfbc9104ed5fdp-10, 0x1.502a7694a4f35p-11, -0x1.7813579131788p-15,
		-0x1.271de460a2480p-14, 0x1.79c7c664ee2bfp-15, -0x1.150afe801b285p-16, 0x1.225da59da0a74p-18,
		-0x1.c89e6136d1dcap-21, 0x1.0dedfa77b1e56p-23, -0x1.d42c033a13b83p-27, 0x1.19eac81cd84ebp-30,
		-0x1.a5d26b8ff50e4p-35, 0x1.2768e2daaf351p-40,
	},
}
