// The formulas of the benchmark in plain C, for gcc -O3 -march=native -ffast-math: what a person writes by hand.
// All arrays are float32. Compiled with -fopenmp, the loops over elements or rows are split over threads; without, they
// have no trace of it. VARIANT names the table of what one set of flags made.
#include "cell.h"

#include <math.h>
#include <string.h>

#define R restrict
#define PAR _Pragma("omp parallel for schedule(static) num_threads(threads)")

static void smooth_l1(float *R y, const float *R x, const float *R t, size_t n, float beta, int threads) {
    PAR for (size_t i = 0; i < n; i++) {
        float e = fabsf(x[i] - t[i]);
        y[i] = e < beta ? e * e / 2 / beta : e - beta / 2;
    }
}
static void smooth_l1_mean(float *R y, const float *R x, const float *R t, size_t n, float beta, int threads) {
    float s = 0;
    _Pragma("omp parallel for schedule(static) num_threads(threads) reduction(+ : s)")
    for (size_t i = 0; i < n; i++) {
        float e = fabsf(x[i] - t[i]);
        s += e < beta ? e * e / 2 / beta : e - beta / 2;
    }
    *y = s / n;
}
// Both gradients, as autograd gives them; gy is a tensor (none) or one number (mean).
static void smooth_l1_backward(float *R gx, float *R gt, const float *R x, const float *R t, const float *R gy, size_t n, float beta, int threads) {
    PAR for (size_t i = 0; i < n; i++) {
        float d = x[i] - t[i], e = fabsf(d);
        float g = e < beta ? d / beta : d > 0 ? 1.0f : d < 0 ? -1.0f : 0.0f;
        gx[i] = g * gy[i];
        gt[i] = -g * gy[i];
    }
}
static void smooth_l1_mean_backward(float *R gx, float *R gt, const float *R x, const float *R t, const float *R gy, size_t n, float beta, int threads) {
    const float s = gy[0] / n;
    PAR for (size_t i = 0; i < n; i++) {
        float d = x[i] - t[i], e = fabsf(d);
        float g = e < beta ? d / beta : d > 0 ? 1.0f : d < 0 ? -1.0f : 0.0f;
        gx[i] = g * s;
        gt[i] = -g * s;
    }
}
static void momentum_sgd(float *R p, const float *R g, float *R buf, size_t n, float lr, float momentum, float weight_decay, int threads) {
    PAR for (size_t i = 0; i < n; i++) {
        float b = momentum * buf[i] + (g[i] + weight_decay * p[i]);
        buf[i] = b;
        p[i] -= lr * b;
    }
}
static void softmax(float *R y, const float *R x, size_t rows, size_t n, int threads) {
    PAR for (size_t r = 0; r < rows; r++) {
        const float *R xr = x + r * n;
        float *R yr = y + r * n;
        float m = xr[0], s = 0;
        for (size_t i = 1; i < n; i++) m = xr[i] > m ? xr[i] : m;
        for (size_t i = 0; i < n; i++) {
            float e = expf(xr[i] - m);
            yr[i] = e;
            s += e;
        }
        for (size_t i = 0; i < n; i++) yr[i] /= s;
    }
}
static void softmax_backward(float *R gx, const float *R y, const float *R gy, size_t rows, size_t n, int threads) {
    PAR for (size_t r = 0; r < rows; r++) {
        const float *R yr = y + r * n, *R gr = gy + r * n;
        float *R xr = gx + r * n;
        float s = 0;
        for (size_t i = 0; i < n; i++) s += yr[i] * gr[i];
        for (size_t i = 0; i < n; i++) xr[i] = yr[i] * (gr[i] - s);
    }
}
static void layer_norm(float *R y, float *R mean, float *R rstd, const float *R x, const float *R w, const float *R b, size_t rows, size_t n, float eps, int threads) {
    PAR for (size_t r = 0; r < rows; r++) {
        const float *R xr = x + r * n;
        float *R yr = y + r * n;
        float s = 0, v = 0;
        for (size_t i = 0; i < n; i++) s += xr[i];
        s /= n;
        for (size_t i = 0; i < n; i++) v += (xr[i] - s) * (xr[i] - s);
        v = 1 / sqrtf(v / n + eps);
        mean[r] = s;
        rstd[r] = v;
        for (size_t i = 0; i < n; i++) yr[i] = (xr[i] - s) * v * w[i] + b[i];
    }
}
// gw and gb are summed over rows; with threads each has rows of its own in part (2*n*threads floats).
static void layer_norm_backward(float *R gx, float *R gw, float *R gb, const float *R x, const float *R w, const float *R mean, const float *R rstd,
                         const float *R gy, size_t rows, size_t n, float *R part, int threads) {
    memset(part, 0, 2 * n * threads * sizeof *part);
    PAR for (int t = 0; t < threads; t++) {
        float *R pw = part + 2 * n * t, *R pb = pw + n;
        for (size_t r = rows * t / threads; r < rows * (t + 1) / threads; r++) {
            const float *R xr = x + r * n, *R gr = gy + r * n;
            float *R o = gx + r * n;
            const float m = mean[r], k = rstd[r];
            float a = 0, c = 0;
            for (size_t i = 0; i < n; i++) {
                float h = (xr[i] - m) * k, q = gr[i] * w[i];
                a += q;
                c += q * h;
                pw[i] += gr[i] * h;
                pb[i] += gr[i];
            }
            a /= n;
            c /= n;
            for (size_t i = 0; i < n; i++) {
                float h = (xr[i] - m) * k;
                o[i] = k * (gr[i] * w[i] - a - h * c);
            }
        }
    }
    for (size_t i = 0; i < n; i++) {
        float a = 0, c = 0;
        for (int t = 0; t < threads; t++) {
            a += part[2 * n * t + i];
            c += part[2 * n * t + n + i];
        }
        gw[i] = a;
        gb[i] = c;
    }
}

// The memory limit: reads `ins` arrays and writes `outs` arrays, with the widest loads and stores there are.
#include <immintrin.h>
#ifdef __AVX512F__
#define WIDTH 16
typedef __m512 wide;
#define ZERO _mm512_setzero_ps()
#define LOAD _mm512_loadu_ps
#define STORE _mm512_storeu_ps
#define STREAM _mm512_stream_ps
#else
#define WIDTH 8
typedef __m256 wide;
#define ZERO _mm256_setzero_ps()
#define LOAD _mm256_loadu_ps
#define STORE _mm256_storeu_ps
#define STREAM _mm256_stream_ps
#endif
// It walks in blocks of some vectors.
static inline __attribute__((always_inline)) void traffic(float *const *in, int ins, int outs, size_t n, int stream, int block, int threads) {
    // Copies: wide stores could change the array of addresses, as far as the compiler knows.
    float *const a[5] = {in[0], in[1], in[2], in[3], in[4]};
    _Pragma("omp parallel for schedule(static) num_threads(threads) firstprivate(a)")
    for (size_t i = 0; i < n; i += block * WIDTH) {
        wide v[4] = {ZERO, ZERO, ZERO, ZERO};
#pragma GCC unroll 4
        for (int k = 0; k < ins; k++)
#pragma GCC unroll 4
            for (int j = 0; j < block; j++) v[j] += LOAD(a[k] + i + j * WIDTH);
        if (outs == 0) __asm__ volatile("" ::"v"(v[0]), "v"(v[1]), "v"(v[2]), "v"(v[3]));
#pragma GCC unroll 4
        for (int k = 0; k < outs; k++)
#pragma GCC unroll 4
            for (int j = 0; j < block; j++) {
                float *p = a[ins + k] + i + j * WIDTH;
                if (stream)
                    STREAM(p, v[j]);
                else
                    STORE(p, v[j]);
            }
    }
    if (stream) _mm_sfence();
}

// Wrappers that take a cell. Their operands: inputs in the order of the formula, outputs, intermediate results.
#define WRAP(name, call) \
    static void run_##name(const struct cell *c) { \
        float *const *p = c->p; \
        call; \
    }
WRAP(smooth_l1, smooth_l1(p[2], p[0], p[1], c->n, c->f[0], c->threads))
WRAP(smooth_l1_mean, smooth_l1_mean(p[2], p[0], p[1], c->n, c->f[0], c->threads))
WRAP(smooth_l1_backward, smooth_l1_backward(p[3], p[4], p[0], p[1], p[2], c->n, c->f[0], c->threads))
WRAP(smooth_l1_mean_backward, smooth_l1_mean_backward(p[3], p[4], p[0], p[1], p[2], c->n, c->f[0], c->threads))
WRAP(momentum_sgd, momentum_sgd(p[3], p[1], p[4], c->n, c->f[0], c->f[1], c->f[2], c->threads))
WRAP(softmax, softmax(p[1], p[0], c->rows, c->n, c->threads))
WRAP(softmax_backward, softmax_backward(p[3], p[1], p[2], c->rows, c->n, c->threads))
WRAP(layer_norm, layer_norm(p[3], p[4], p[5], p[0], p[1], p[2], c->rows, c->n, c->f[0], c->threads))
WRAP(layer_norm_backward, layer_norm_backward(p[4], p[5], p[6], p[0], p[1], p[7], p[8], p[3], c->rows, c->n, p[9], c->threads))

static void run_traffic(const struct cell *c) {
    const size_t n = c->rows * c->n;
#define CALL(ins, outs, stream, block) traffic(c->p, ins, outs, n, stream, block, c->threads)
#define CASE(ins, outs) \
    case 10 * ins + outs: \
        if (c->stream) \
            CALL(ins, outs, 1, 4); \
        else if (c->block == 1) \
            CALL(ins, outs, 0, 1); \
        else \
            CALL(ins, outs, 0, 4); \
        break;
    switch (10 * c->reads + c->writes) {
        CASE(1, 1)
        CASE(2, 0)
        CASE(2, 1)
        CASE(2, 2)
        CASE(3, 2)
    }
}

#define CAT2(a, b) a##b
#define CAT(a, b) CAT2(a, b)
kernel *const CAT(kernels_, VARIANT)[KERNELS] = {
    [SMOOTH_L1_NONE] = run_smooth_l1,
    [SMOOTH_L1_MEAN] = run_smooth_l1_mean,
    [SMOOTH_L1_NONE_BACKWARD] = run_smooth_l1_backward,
    [SMOOTH_L1_MEAN_BACKWARD] = run_smooth_l1_mean_backward,
    [MOMENTUM_SGD] = run_momentum_sgd,
    [SOFTMAX] = run_softmax,
    [SOFTMAX_BACKWARD] = run_softmax_backward,
    [LAYER_NORM] = run_layer_norm,
    [LAYER_NORM_BACKWARD] = run_layer_norm_backward,
    [TRAFFIC] = run_traffic,
};
