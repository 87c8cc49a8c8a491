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
//
// Those of math_trig.go and erfcx are Chebyshev expansions, 4 bits and more beyond the format:
//
//	atanq   (atan s - s)/s³ in s², for |s| ≤ tan(π/8)
//	asinq   (asin s - s)/s³ in s², for |s| ≤ 1/2
//	sinq    (sin s - s)/s³ in s², cosq (cos s - 1 + s²/2)/s⁴ in s², for |s| ≤ π/4
//	twoOverPi   2/π = Σ twoOverPi[i]·2^(-limb·i), in whole digits of either sign
//	powq    (2 atanh s - 2s - 2s³/3)/s⁵ in s², for |s| as in logq
//	erfcxq  (1+2x) exp(x²) erfc x in (x-erfcxMid)/(x+erfcxMid), for 1/2 ≤ x while erfc x isn't 0 (Shepherd and Laframboise 1981)
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
	log2eLo: 0x1.4ae0cp-26, log10e: 0x1.bcb7b2p-2, log10eLo: -0x1.5b235ep-27, log102hi: 0x1.344p-2, log102lo: 0x1.3509f8p-18, ln2: 0x1.62e43p-1,
	log2eHi: 0x1.715476p0, exp2Max: 129, exp2Min: -151, halfPi: 0x1.921fb6p0, halfPiLo: -0x1.777a5cp-25, tanPi8: 0x1.a8279ap-2,
	huge: 0x1p60, big: 0x1p13, erfcxMid: 2, erfcMax: 10.6,
	atanq: []float64{
		-0x1.555556p-2, 0x1.99997cp-3, -0x1.248a16p-3, 0x1.c57b8p-4, -0x1.6142fep-4, 0x1.9d8478p-5,
	},
	asinq: []float64{
		0x1.555556p-3, 0x1.33331ep-4, 0x1.6dc0fp-5, 0x1.efedf8p-6, 0x1.82db24p-6, 0x1.5a80ap-7, 0x1.fb7ca4p-6,
	},
	sinq: []float64{
		-0x1.555556p-3, 0x1.11110ep-7, -0x1.a013a4p-13, 0x1.6dbcfcp-19,
	},
	cosq: []float64{
		0x1.555554p-5, -0x1.6c12dp-10, 0x1.9bd786p-16,
	},
	erfcxq: []float64{
		0x1.46e80ep0, -0x1.7bf5eap-4, -0x1.5407b6p-3, 0x1.4ff9d8p-3, -0x1.bc2edep-5, -0x1.07029ep-7, 0x1.1e3742p-7,
		0x1.4102aep-10, -0x1.87698ap-10, -0x1.52519ap-12, 0x1.fc33dep-13,
	},
	limb: 11, least: 1, limbs: 8,
	twoOverPi: []float64{
		1, -744, -415, -291, -796, 523, -856, -123, -168, -368, -691, 444, -1010, -591, 598, 808, -956, -894, 128, -861,
	},
	powq:      []float64{0x1.99999ap-2, 0x1.24928ep-2, 0x1.c6c0d8p-3, 0x1.8797f2p-3},
	twoThirds: 0x1.555556p-1, twoThirdsLo: -0x1.555556p-26,
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
	log2eLo: 0x1.777d0ffda0d24p-56, log10e: 0x1.bcb7b1526e50ep-2, log10eLo: 0x1.95355baaafad3p-57, log102hi: 0x1.34413509f8p-2,
	log102lo: -0x1.80433b83b532ap-44, ln2: 0x1.62e42fefa39efp-1, log2eHi: 0x1.71547652b82fep0, exp2Max: 1025, exp2Min: -1076,
	halfPi: 0x1.921fb54442d18p0, halfPiLo: 0x1.1a62633145c07p-54, tanPi8: 0x1.a827999fcef32p-2,
	huge: 0x1p500, big: 0x1p28, erfcxMid: 4, erfcMax: 27.5,
	atanq: []float64{
		-0x1.5555555555555p-2, 0x1.9999999999953p-3, -0x1.249249248d7d1p-3, 0x1.c71c71c3035c8p-4, -0x1.745d165db0b8dp-4,
		0x1.3b1392d24f335p-4, -0x1.110e878213482p-4, 0x1.e19a07798598ep-5, -0x1.ac7a3950dffbap-5, 0x1.74dc387c1a6f4p-5,
		-0x1.1b2f96cc7eca8p-5, 0x1.0aca40aeebcep-6,
	},
	asinq: []float64{
		0x1.5555555555555p-3, 0x1.333333333332dp-4, 0x1.6db6db6db7c7fp-5, 0x1.f1c71c70ee54ap-6, 0x1.6e8ba31c9dc09p-6,
		0x1.1c4ebd7735bf2p-6, 0x1.c99afe79266f3p-7, 0x1.7a70c2a695fep-7, 0x1.40e38d543d8d2p-7, 0x1.0a9849ba5937fp-7,
		0x1.2031dbbbbad45p-7, 0x1.8f5a75293b096p-12, 0x1.7184808eff5eep-6, -0x1.898d77b6dddb2p-6, 0x1.f74bdb0d4b5bep-6,
	},
	sinq: []float64{
		-0x1.5555555555555p-3, 0x1.111111111111p-7, -0x1.a01a01a01992fp-13, 0x1.71de3a545f836p-19, -0x1.ae645410e937bp-26,
		0x1.61217d9252c03p-33, -0x1.ab16f5caa198ap-41,
	},
	cosq: []float64{
		0x1.5555555555555p-5, -0x1.6c16c16c16c16p-10, 0x1.a01a01a019d06p-16, -0x1.27e4fb77125c5p-22, 0x1.1eed8deac3dfep-29,
		-0x1.9394b8bd50ae1p-37, 0x1.ab779550c8d9bp-45,
	},
	erfcxq: []float64{
		0x1.3ba5916e9fd7fp0, -0x1.1df1ad154a28fp-3, 0x1.f7f5df66fd5afp-7, 0x1.16ecefcfa5491p-4, -0x1.9ddb23c3e7ec3p-4,
		0x1.7fee004e10359p-4, -0x1.0fb06dfe6860cp-4, 0x1.3079edf6c224dp-5, -0x1.0962387e35fcap-6, 0x1.49c6727792682p-8,
		-0x1.8d4aa0f67d615p-11, -0x1.a1df1f72dd703p-13, 0x1.3be0cde973d2dp-13, -0x1.995930b07b27ep-16, -0x1.78a25bbf98ed4p-17,
		0x1.7f1d62b12fa4fp-18, 0x1.41606d0c44479p-22, -0x1.b9c98b0937702p-21, 0x1.20d34f3e95121p-24, 0x1.c723e77fd6127p-24,
		-0x1.a6e1625c75169p-27, -0x1.6baca058bd04ep-27,
	},
	limb: 26, least: 0, limbs: 7,
	twoOverPi: []float64{
		1, -24386034, -18553791, 21659402, -11021835, 13858563, 28715354, -28372764, 4324945, 26128251, -4434405, 29957007,
		-29209133, -8382171, -17915747, 6588224, -31593699, -20666723, -1144797, 24988591, -12286742, -26099557, -12191772,
		5137526, -29785261, 15192690, 4585660, -8500721, -14681960, -34794, 25231091, -3906857, -32871137, 28629499,
		15891633, -26356782, -29399394, 25143478, -11371604, 33225084, 24853767, 15195689, 19476135, -16853012, 18845021,
		2185229, -16486456,
	},
	powq: []float64{
		0x1.999999999999ap-2, 0x1.2492492492491p-2, 0x1.c71c71c71cfdep-3, 0x1.745d174512f5ep-3, 0x1.3b13b1bcae4fap-3,
		0x1.1110df9bb9145p-3, 0x1.e1f80050fe02dp-4, 0x1.ac4a0689e4f11p-4, 0x1.b8d8d83f51283p-4,
	},
	twoThirds: 0x1.5555555555555p-1, twoThirdsLo: 0x1.5555555555555p-55,
}
