// Times kernels in a loop inside C, so that no call from Go is measured.
#include "harness.h"

#include <time.h>

extern kernel *const kernels_serial_narrow[], *const kernels_serial_wide[], *const kernels_serial_unrolled[];
extern kernel *const kernels_openmp_narrow[], *const kernels_openmp_wide[], *const kernels_openmp_unrolled[];

// The order is that of variants in c.go.
static kernel *const *const variants[] = {
    kernels_serial_narrow, kernels_serial_wide, kernels_serial_unrolled,
    kernels_openmp_narrow, kernels_openmp_wide, kernels_openmp_unrolled,
};

double bench(int variant, int op, const struct cell *c, long calls) {
    kernel *k = variants[variant][op];
    struct timespec from, to;
    clock_gettime(CLOCK_MONOTONIC, &from);
    for (long i = 0; i < calls; i++) k(c);
    clock_gettime(CLOCK_MONOTONIC, &to);
    return ((to.tv_sec - from.tv_sec) * 1e9 + (to.tv_nsec - from.tv_nsec)) / calls;
}
