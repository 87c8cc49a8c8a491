// What a kernel gets. A host fills it as for the CPU kernels; the addresses are those of the device.
// Partial results of accumulators: operand i has Part[i] elements a block, block b writes at Ptr[i] + b*Part[i].
struct OpgenArgs {
    long long Rows, N, K, First;
    void *Ptr[16];
    long long Row[16], Step[16], KStep[16];
    double F[16];
    long long I[16];
    long long Part[16];
};

template <class T> struct OpgenBits;
template <> struct OpgenBits<float> {
    typedef unsigned int U;
    static __device__ __forceinline__ U of(float x) { union { float f; U u; } v; v.f = x; return v.u; }
    static __device__ __forceinline__ float to(U x) { union { float f; U u; } v; v.u = x; return v.f; }
};
template <> struct OpgenBits<double> {
    typedef unsigned long long U;
    static __device__ __forceinline__ U of(double x) { union { double f; U u; } v; v.f = x; return v.u; }
    static __device__ __forceinline__ double to(U x) { union { double f; U u; } v; v.u = x; return v.f; }
};

static __device__ __forceinline__ float opgen_fma(float a, float b, float c) { return fmaf(a, b, c); }
static __device__ __forceinline__ double opgen_fma(double a, double b, double c) { return fma(a, b, c); }
static __device__ __forceinline__ float opgen_sqrt(float a) { return sqrtf(a); }
static __device__ __forceinline__ double opgen_sqrt(double a) { return sqrt(a); }
static __device__ __forceinline__ float opgen_abs(float a) { return fabsf(a); }
static __device__ __forceinline__ double opgen_abs(double a) { return fabs(a); }
static __device__ __forceinline__ float opgen_floor(float a) { return floorf(a); }
static __device__ __forceinline__ double opgen_floor(double a) { return floor(a); }
static __device__ __forceinline__ float opgen_ceil(float a) { return ceilf(a); }
static __device__ __forceinline__ double opgen_ceil(double a) { return ceil(a); }
static __device__ __forceinline__ float opgen_trunc(float a) { return truncf(a); }
static __device__ __forceinline__ double opgen_trunc(double a) { return trunc(a); }
static __device__ __forceinline__ float opgen_round(float a) { return rintf(a); }
static __device__ __forceinline__ double opgen_round(double a) { return rint(a); }

// A product that is rounded, whatever is done with it. Unless told otherwise, nvcc and NVRTC make one operation of a product and
// a sum; the intrinsics keep them apart.
#if defined(__NVCC__) || defined(__CUDACC_RTC__)
static __device__ __forceinline__ float opgen_mul(float a, float b) { return __fmul_rn(a, b); }
static __device__ __forceinline__ double opgen_mul(double a, double b) { return __dmul_rn(a, b); }
#else
static __device__ __forceinline__ float opgen_mul(float a, float b) { return a * b; }
static __device__ __forceinline__ double opgen_mul(double a, double b) { return a * b; }
#endif

// NaN wins.
template <class T> static __device__ __forceinline__ T opgen_max(T a, T b) { return a > b || a != a ? a : b; }
template <class T> static __device__ __forceinline__ T opgen_min(T a, T b) { return a < b || a != a ? a : b; }

template <class T> struct OpgenSum { static __device__ __forceinline__ T of(T a, T b) { return a + b; } };
template <class T> struct OpgenProd { static __device__ __forceinline__ T of(T a, T b) { return opgen_mul(a, b); } };
template <class T> struct OpgenMax { static __device__ __forceinline__ T of(T a, T b) { return opgen_max(a, b); } };
template <class T> struct OpgenMin { static __device__ __forceinline__ T of(T a, T b) { return opgen_min(a, b); } };

// Reduces v over the threads of a block (a multiple of 32); every thread gets the result.
template <class T, class Op> static __device__ T opgen_block(T v, T identity) {
    __shared__ T part[33];
    const unsigned lane = threadIdx.x & 31u, warp = threadIdx.x >> 5, warps = blockDim.x >> 5;
    for (int d = 16; d > 0; d >>= 1) v = Op::of(v, __shfl_down_sync(0xffffffffu, v, d));
    if (lane == 0) part[warp] = v;
    __syncthreads();
    if (warp == 0) {
        v = lane < warps ? part[lane] : identity;
        for (int d = 16; d > 0; d >>= 1) v = Op::of(v, __shfl_down_sync(0xffffffffu, v, d));
        if (lane == 0) part[32] = v;
    }
    __syncthreads();
    v = part[32];
    __syncthreads();
    return v;
}

// Adds up the partial results of an accumulator: out[j] = part[0][j] ⊕ part[1][j] ⊕ …, in the order of the blocks.
template <class T, class Op> static __device__ void opgen_combine(const OpgenArgs &a, T identity) {
    T *out = (T *)a.Ptr[0];
    const T *part = (const T *)a.Ptr[1];
    for (long long j = (long long)blockIdx.x * blockDim.x + threadIdx.x; j < a.N; j += (long long)gridDim.x * blockDim.x) {
        T s = identity;
        for (long long b = 0; b < a.Rows; b++) s = Op::of(s, part[b * a.N + j]);
        out[j] = s;
    }
}
extern "C" __global__ void opgen_combine_sum_f32(const OpgenArgs a) { opgen_combine<float, OpgenSum<float> >(a, 0.0f); }
extern "C" __global__ void opgen_combine_sum_f64(const OpgenArgs a) { opgen_combine<double, OpgenSum<double> >(a, 0.0); }
