// What the generated kernels need of CUDA C, for clang without an SDK:
//
//   clang -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib -Xclang -target-feature -Xclang +ptx70
//
// Only IEEE operations stand here; functions such as exp are part of the kernels.
#pragma once

#define __global__ __attribute__((global))
#define __device__ __attribute__((device))
#define __shared__ __attribute__((shared))
#define __forceinline__ inline __attribute__((always_inline))

#define OPGEN_SREG(type, reg)                                                                        \
    struct type {                                                                                    \
        struct X { __device__ operator unsigned() const { return __nvvm_read_ptx_sreg_##reg##_x(); } } x; \
    }
OPGEN_SREG(OpgenTid, tid);
OPGEN_SREG(OpgenCtaid, ctaid);
OPGEN_SREG(OpgenNtid, ntid);
OPGEN_SREG(OpgenNctaid, nctaid);
extern const __device__ __attribute__((weak)) OpgenTid threadIdx;
extern const __device__ __attribute__((weak)) OpgenCtaid blockIdx;
extern const __device__ __attribute__((weak)) OpgenNtid blockDim;
extern const __device__ __attribute__((weak)) OpgenNctaid gridDim;

#define OPGEN_FN static __device__ __forceinline__
OPGEN_FN float __shfl_down_sync(unsigned mask, float v, int delta) { return __nvvm_shfl_sync_down_f32(mask, v, delta, 0x1f); }
OPGEN_FN double __shfl_down_sync(unsigned mask, double v, int delta) {
    union { double d; int i[2]; } a;
    a.d = v;
    a.i[0] = __nvvm_shfl_sync_down_i32(mask, a.i[0], delta, 0x1f);
    a.i[1] = __nvvm_shfl_sync_down_i32(mask, a.i[1], delta, 0x1f);
    return a.d;
}
OPGEN_FN float fmaf(float a, float b, float c) { return __nvvm_fma_rn_f(a, b, c); }
OPGEN_FN double fma(double a, double b, double c) { return __nvvm_fma_rn_d(a, b, c); }
OPGEN_FN float sqrtf(float a) { return __nvvm_sqrt_rn_f(a); }
OPGEN_FN double sqrt(double a) { return __nvvm_sqrt_rn_d(a); }
OPGEN_FN float fabsf(float a) { return __builtin_fabsf(a); }
OPGEN_FN double fabs(double a) { return __builtin_fabs(a); }
OPGEN_FN float floorf(float a) { return __builtin_floorf(a); }
OPGEN_FN double floor(double a) { return __builtin_floor(a); }
OPGEN_FN float ceilf(float a) { return __builtin_ceilf(a); }
OPGEN_FN double ceil(double a) { return __builtin_ceil(a); }
OPGEN_FN float truncf(float a) { return __builtin_truncf(a); }
OPGEN_FN double trunc(double a) { return __builtin_trunc(a); }
OPGEN_FN float rintf(float a) { return __builtin_rintf(a); }
OPGEN_FN double rint(double a) { return __builtin_rint(a); }
#undef OPGEN_FN
