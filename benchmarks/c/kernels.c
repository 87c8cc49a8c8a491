// The formulas of the benchmark in plain C, for gcc -O3 -march=native -ffast-math -fopenmp: what a person writes by hand.
// All arrays are float32; the loops over elements or rows are split over threads by OpenMP where asked.
#include <math.h>
#include <stddef.h>
#include <string.h>

#define R restrict
#define PAR _Pragma("omp parallel for schedule(static) if (threads > 1) num_threads(threads)")

void smooth_l1(float *R y, const float *R x, const float *R t, size_t n, float beta, int threads) {
    PAR for (size_t i = 0; i < n; i++) {
        float e = fabsf(x[i] - t[i]);
        y[i] = e < beta ? e * e / 2 / beta : e - beta / 2;
    }
}
void smooth_l1_mean(float *R y, const float *R x, const float *R t, size_t n, float beta, int threads) {
    float s = 0;
    _Pragma("omp parallel for schedule(static) if (threads > 1) num_threads(threads) reduction(+ : s)")
    for (size_t i = 0; i < n; i++) {
        float e = fabsf(x[i] - t[i]);
        s += e < beta ? e * e / 2 / beta : e - beta / 2;
    }
    *y = s / n;
}
// Both gradients, as autograd gives them; gy is a tensor (none) or one number (mean).
void smooth_l1_backward(float *R gx, float *R gt, const float *R x, const float *R t, const float *R gy, size_t n, float beta, int threads) {
    PAR for (size_t i = 0; i < n; i++) {
        float d = x[i] - t[i], e = fabsf(d);
        float g = e < beta ? d / beta : d > 0 ? 1.0f : d < 0 ? -1.0f : 0.0f;
        gx[i] = g * gy[i];
        gt[i] = -g * gy[i];
    }
}
void smooth_l1_mean_backward(float *R gx, float *R gt, const float *R x, const float *R t, const float *R gy, size_t n, float beta, int threads) {
    const float s = gy[0] / n;
    PAR for (size_t i = 0; i < n; i++) {
        float d = x[i] - t[i], e = fabsf(d);
        float g = e < beta ? d / beta : d > 0 ? 1.0f : d < 0 ? -1.0f : 0.0f;
        gx[i] = g * s;
        gt[i] = -g * s;
    }
}
void momentum_sgd(float *R p, const float *R g, float *R buf, size_t n, float lr, float momentum, float weight_decay, int threads) {
    PAR for (size_t i = 0; i < n; i++) {
        float b = momentum * buf[i] + (g[i] + weight_decay * p[i]);
        buf[i] = b;
        p[i] -= lr * b;
    }
}
void softmax(float *R y, const float *R x, size_t rows, size_t n, int threads) {
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
void softmax_backward(float *R gx, const float *R y, const float *R gy, size_t rows, size_t n, int threads) {
    PAR for (size_t r = 0; r < rows; r++) {
        const float *R yr = y + r * n, *R gr = gy + r * n;
        float *R xr = gx + r * n;
        float s = 0;
        for (size_t i = 0; i < n; i++) s += yr[i] * gr[i];
        for (size_t i = 0; i < n; i++) xr[i] = yr[i] * (gr[i] - s);
    }
}
void layer_norm(float *R y, float *R mean, float *R rstd, const float *R x, const float *R w, const float *R b, size_t rows, size_t n, float eps, int threads) {
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
void layer_norm_backward(float *R gx, float *R gw, float *R gb, const float *R x, const float *R w, const float *R mean, const float *R rstd,
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

// The memory limit: reads `in` arrays and writes `out` arrays of n floats, with the widest loads and stores there are.
#include <immintrin.h>
void traffic(float *const *in, int ins, float *const *out, int outs, size_t n, int stream, int threads) {
    const size_t blocks = n / 64;
    PAR for (size_t b = 0; b < blocks; b++) {
        __m512 a0 = _mm512_setzero_ps(), a1 = a0, a2 = a0, a3 = a0;
        for (int k = 0; k < ins; k++) {
            const float *p = in[k] + b * 64;
            a0 += _mm512_loadu_ps(p);
            a1 += _mm512_loadu_ps(p + 16);
            a2 += _mm512_loadu_ps(p + 32);
            a3 += _mm512_loadu_ps(p + 48);
        }
        if (outs == 0) __asm__ volatile("" ::"v"(a0), "v"(a1), "v"(a2), "v"(a3));
        for (int k = 0; k < outs; k++) {
            float *p = out[k] + b * 64;
            if (stream) {
                _mm512_stream_ps(p, a0);
                _mm512_stream_ps(p + 16, a1);
                _mm512_stream_ps(p + 32, a2);
                _mm512_stream_ps(p + 48, a3);
            } else {
                _mm512_storeu_ps(p, a0);
                _mm512_storeu_ps(p + 16, a1);
                _mm512_storeu_ps(p + 32, a2);
                _mm512_storeu_ps(p + 48, a3);
            }
        }
    }
    if (stream) _mm_sfence();
}
