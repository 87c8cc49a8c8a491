#include "cell.h"

// Nanoseconds for one call of an op, compiled in one of the variants: serial256, serial512, openmp256, openmp512.
double bench(int variant, int op, const struct cell *c, long calls);
