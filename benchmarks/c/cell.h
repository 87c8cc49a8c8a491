// What one measurement in C runs on.
#include <stddef.h>

struct cell {
    float *p[10];    // inputs, outputs, then memory for intermediate results: the order is that of the kernel's wrapper
    float f[3];      // attributes, in the order of the kernel's wrapper
    size_t rows, n;  // n elements in each row; one row where rows don't matter
    int reads, writes, stream, block;  // of the memory limit
    int threads;
};

typedef void kernel(const struct cell *c);

// The order is that of ops in cells.go.
enum {
    SMOOTH_L1_NONE,
    SMOOTH_L1_MEAN,
    SMOOTH_L1_NONE_BACKWARD,
    SMOOTH_L1_MEAN_BACKWARD,
    MOMENTUM_SGD,
    SOFTMAX,
    SOFTMAX_BACKWARD,
    LAYER_NORM,
    LAYER_NORM_BACKWARD,
    TRAFFIC,
    KERNELS
};
