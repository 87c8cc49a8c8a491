#include "cell.h"

// Nanoseconds for one call of an op, compiled in one of the variants.
double bench(int variant, int op, const struct cell *c, long calls);
