// Serves the kernels of a .cu file on standard input and output, in the protocol of the kernel tests. The text before
// this file defines opgen_kernels, a table of Kernel. A path is an order of threads (forward, reverse, shuffled) and a launch
// shape: path = order + 3 * shape. The partial results of accumulators are added up in the order of the blocks.
#include <unistd.h>

namespace {

using Bytes = std::vector<char>;

struct LaunchShape {
    unsigned blocks, threads;
};
const LaunchShape launch_shapes[] = {{1, 128}, {2, 64}, {5, 32}};

bool read_all(void *p, size_t n) { return std::fread(p, 1, n, stdin) == n; }
template <class T> T read_one() {
    T v{};
    if (!read_all(&v, sizeof v)) std::exit(4);
    return v;
}

template <class T> T meet(char monoid, T a, T b) {
    switch (monoid) {
    case 'm': return opgen_max(a, b);
    case 'n': return opgen_min(a, b);
    case 'p': return a * b;
    default: return a + b;
    }
}

// A wide result meets what is there, a narrow one replaces it.
template <class T> void combine(const Accumulator &acc, const Bytes &parts, unsigned blocks, size_t n, T *out, long long step) {
    for (size_t j = 0; j < n; j++) {
        T *o = out + (acc.wide ? static_cast<long long>(j) * step : 0);
        T s{};
        for (unsigned b = 0; b < blocks; b++) {
            T v;
            std::memcpy(&v, parts.data() + (b * n + j) * sizeof v, sizeof v);
            s = b == 0 ? v : meet(acc.monoid, s, v);
        }
        *o = acc.wide ? meet(acc.monoid, *o, s) : s;
    }
}

bool serve() {
    unsigned id;
    if (!read_all(&id, sizeof id)) return false;
    const Kernel &k = opgen_kernels[id];
    const auto path = read_one<unsigned>();
    OpgenArgs a{};
    a.Rows = read_one<long long>();
    a.N = read_one<long long>();
    a.K = read_one<long long>();
    std::vector<Bytes> buffers(read_one<unsigned>());
    for (Bytes &b : buffers) {
        b.resize(static_cast<size_t>(read_one<long long>()));
        if (!read_all(b.data(), b.size())) std::exit(4);
    }
    const unsigned operands = read_one<unsigned>();
    for (unsigned i = 0; i < operands; i++) {
        const auto buffer = read_one<unsigned>();
        const auto offset = read_one<long long>();
        a.Ptr[i] = buffers[buffer].data() + offset;
        a.Row[i] = read_one<long long>();
        a.Step[i] = read_one<long long>();
        a.KStep[i] = read_one<long long>();
    }
    const unsigned floats = read_one<unsigned>();
    for (unsigned i = 0; i < floats; i++) a.F[i] = read_one<double>();
    const unsigned ints = read_one<unsigned>();
    for (unsigned i = 0; i < ints; i++) a.I[i] = read_one<long long>();

    const LaunchShape shape = launch_shapes[path / 3];
    const unsigned blocks = k.one_block ? 1 : shape.blocks;
    OpgenArgs run = a;
    std::vector<Bytes> parts(k.accumulators.size());
    for (size_t i = 0; i < parts.size(); i++) {
        const Accumulator &acc = k.accumulators[i];
        const size_t n = acc.wide ? static_cast<size_t>(a.N) : 1;
        parts[i].assign(blocks * n * acc.size, '\x7f');  // a kernel that forgets to initialise its partial results shows
        run.Ptr[acc.operand] = parts[i].data();
        run.Part[acc.operand] = static_cast<long long>(n);
        run.Step[acc.operand] = 1;
    }
    opgen_shim::launch<const OpgenArgs>(k.run, run, blocks, shape.threads, static_cast<opgen_shim::Order>(path % 3), id + static_cast<unsigned>(a.N));
    for (size_t i = 0; i < parts.size(); i++) {
        const Accumulator &acc = k.accumulators[i];
        const size_t n = acc.wide ? static_cast<size_t>(a.N) : 1;
        if (acc.size == 4) {
            combine(acc, parts[i], blocks, n, static_cast<float *>(a.Ptr[acc.operand]), a.Step[acc.operand]);
        } else {
            combine(acc, parts[i], blocks, n, static_cast<double *>(a.Ptr[acc.operand]), a.Step[acc.operand]);
        }
    }
    const unsigned ok = 0;
    std::fwrite(&ok, sizeof ok, 1, stdout);
    for (const Bytes &b : buffers) std::fwrite(b.data(), 1, b.size(), stdout);
    std::fflush(stdout);
    return true;
}

}  // namespace

int main() {
    while (serve()) {
    }
}
