// Times kernels in a loop inside C, so that no call from Go is measured.
#include "harness.h"

#include <time.h>

extern kernel *const kernels_serial256[], *const kernels_serial512[], *const kernels_openmp256[], *const kernels_openmp512[];

static kernel *const *const variants[] = {kernels_serial256, kernels_serial512, kernels_openmp256, kernels_openmp512};

double bench(int variant, int op, const struct cell *c, long calls) {
    kernel *k = variants[variant][op];
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (long i = 0; i < calls; i++) k(c);
    clock_gettime(CLOCK_MONOTONIC, &to);
    return ((to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec)) / calls;
}
