// Runs CUDA C kernels on the CPU, for tests: include it before the .cu text and compile as C++17.
//
// The threads of a block are fibers on one OS thread. A fiber runs until it meets a barrier, a warp exchange or its
// end; the order in which ready fibers run is chosen by the test, so that a result that depends on it shows.
// Found and reported (the process exits with status 3): a barrier that not all threads of a block reach, threads at
// different barriers, a shuffle whose mask names a thread that has ended or never arrives.
// Not modelled: memory order between blocks, atomics, speed.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <vector>

#if !defined(__x86_64__)
#include <ucontext.h>
#endif

#define __global__
#define __device__
#define __forceinline__ inline
#define __shared__ static

namespace opgen_shim {

struct dim {
    unsigned x = 1, y = 1, z = 1;
};

enum class State { ready, barrier, warp, done };

struct Fiber {
    void *sp = nullptr;
    char *stack = nullptr;
    State state = State::ready;
    dim thread;
    unsigned lane = 0, warp = 0, exchanges = 0;
    const void *site = nullptr;
    uint32_t mask = 0;
#if !defined(__x86_64__)
    ucontext_t context;
#endif
};

struct Warp {
    uint64_t slot[2][32];
};

enum class Order { forward, reverse, shuffled };

// The block that runs now.
inline std::vector<Fiber> fibers;
inline std::vector<Warp> warps;
inline Fiber *current = nullptr;
inline dim block_index, block_dim, grid_dim;
inline void *scheduler_sp = nullptr;
inline void (*body)(const void *) = nullptr;
inline const void *argument = nullptr;
constexpr size_t stack_size = 64 * 1024;

[[noreturn]] inline void fault(const char *what) {
    std::fprintf(stderr, "cuda shim: %s (block %u, thread %u)\n", what, block_index.x, current ? current->thread.x : 0);
    std::exit(3);
}

#if defined(__x86_64__)
// Saves the callee-saved registers on this stack, stores its pointer, and goes on from another one.
__attribute__((naked, noinline)) inline void switch_stack(void ** /*save*/, void * /*to*/) {
    __asm__ volatile("pushq %rbp\n pushq %rbx\n pushq %r12\n pushq %r13\n pushq %r14\n pushq %r15\n"
                     "movq %rsp, (%rdi)\n movq %rsi, %rsp\n"
                     "popq %r15\n popq %r14\n popq %r13\n popq %r12\n popq %rbx\n popq %rbp\n ret\n");
}
inline void leave() { switch_stack(&current->sp, scheduler_sp); }
inline void enter(Fiber &f) { switch_stack(&scheduler_sp, f.sp); }
inline void fiber_main() {
    body(argument);
    current->state = State::done;
    leave();
    std::abort();
}
inline void prepare(Fiber &f) {
    // A frame as switch_stack leaves it: six registers, the address of fiber_main, and a return address that is never used.
    uintptr_t top = (reinterpret_cast<uintptr_t>(f.stack) + stack_size) & ~uintptr_t(15);
    void **sp = reinterpret_cast<void **>(top) - 8;
    std::fill(sp, sp + 8, nullptr);
    sp[6] = reinterpret_cast<void *>(&fiber_main);
    f.sp = sp;
}
#else
inline ucontext_t scheduler_context;
inline void leave() { swapcontext(&current->context, &scheduler_context); }
inline void enter(Fiber &f) { swapcontext(&scheduler_context, &f.context); }
inline void fiber_main() {
    body(argument);
    current->state = State::done;
    leave();
}
inline void prepare(Fiber &f) {
    getcontext(&f.context);
    f.context.uc_stack.ss_sp = f.stack;
    f.context.uc_stack.ss_size = stack_size;
    f.context.uc_link = nullptr;
    makecontext(&f.context, fiber_main, 0);
}
#endif

inline void wait(State s, const void *site, uint32_t mask) {
    current->state = s;
    current->site = site;
    current->mask = mask;
    leave();
}

// Lets the warps go on whose exchange is complete.
inline bool release_warps() {
    bool any = false;
    for (unsigned w = 0; w < warps.size(); w++) {
        Fiber *lanes = &fibers[w * 32];
        for (unsigned l = 0; l < 32; l++) {
            if (lanes[l].state != State::warp) continue;
            const uint32_t mask = lanes[l].mask;
            bool complete = true;
            for (unsigned m = 0; m < 32; m++) {
                if (!(mask >> m & 1)) continue;
                if (lanes[m].state == State::done) {
                    current = &lanes[m];
                    fault("a shuffle waits for a thread that has ended");
                }
                complete = complete && lanes[m].state == State::warp && lanes[m].mask == mask && lanes[m].exchanges == lanes[l].exchanges;
            }
            if (!complete) continue;
            for (unsigned m = 0; m < 32; m++) {
                if (mask >> m & 1) lanes[m].state = State::ready;
            }
            any = true;
        }
    }
    return any;
}

inline bool release_barrier() {
    const void *site = nullptr;
    for (Fiber &f : fibers) {
        if (f.state != State::barrier && f.state != State::done) return false;
    }
    for (Fiber &f : fibers) {
        current = &f;
        if (f.state == State::done) fault("a barrier waits for a thread that has ended");
        if (site && f.site != site) fault("threads of one block wait at different barriers");
        site = f.site;
    }
    for (Fiber &f : fibers) f.state = State::ready;
    return true;
}

inline void run_block(Order order, std::mt19937 &random) {
    std::vector<unsigned> turn(fibers.size());
    for (unsigned i = 0; i < turn.size(); i++) turn[i] = order == Order::reverse ? unsigned(turn.size()) - 1 - i : i;
    for (;;) {
        if (order == Order::shuffled) std::shuffle(turn.begin(), turn.end(), random);
        for (unsigned i : turn) {
            if (fibers[i].state != State::ready) continue;
            current = &fibers[i];
            enter(fibers[i]);
        }
        if (std::all_of(fibers.begin(), fibers.end(), [](const Fiber &f) { return f.state == State::done; })) return;
        if (release_warps()) continue;
        if (release_barrier()) continue;
        for (Fiber &f : fibers) {
            if (f.state != State::ready && f.state != State::done) current = &f;
        }
        fault("some threads wait at a barrier or shuffle that the others do not reach");
    }
}

// Runs a kernel with one argument over a one-dimensional grid; threads is a multiple of 32.
template <class Args> void launch(void (*kernel)(Args), const Args &args, unsigned blocks, unsigned threads, Order order, unsigned seed) {
    struct Call {
        void (*kernel)(Args);
        const Args *args;
    } call{kernel, &args};
    body = [](const void *c) { static_cast<const Call *>(c)->kernel(*static_cast<const Call *>(c)->args); };
    argument = &call;
    std::mt19937 random(seed);
    grid_dim = dim{blocks, 1, 1};
    block_dim = dim{threads, 1, 1};
    while (fibers.size() < threads) {
        fibers.emplace_back();
        fibers.back().stack = static_cast<char *>(std::malloc(stack_size));
    }
    while (fibers.size() > threads) {
        std::free(fibers.back().stack);
        fibers.pop_back();
    }
    warps.resize(threads / 32);
    for (unsigned b = 0; b < blocks; b++) {
        block_index = dim{b, 0, 0};
        for (unsigned t = 0; t < threads; t++) {
            Fiber &f = fibers[t];
            f.state = State::ready;
            f.thread = dim{t, 0, 0};
            f.lane = t % 32;
            f.warp = t / 32;
            f.exchanges = 0;
            prepare(f);
        }
        run_block(order, random);
    }
    current = nullptr;
}

template <class T> T shuffle_down(uint32_t mask, T v, unsigned delta, const void *site) {
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    Fiber *f = current;
    Warp &w = warps[f->warp];
    const unsigned turn = f->exchanges++ % 2;
    std::memcpy(&w.slot[turn][f->lane], &v, sizeof v);
    wait(State::warp, site, mask);
    const unsigned from = f->lane + delta;
    T r = v;
    if (from < 32) std::memcpy(&r, &w.slot[turn][from], sizeof r);
    return r;
}

}  // namespace opgen_shim

#define threadIdx (opgen_shim::current->thread)
#define blockIdx (opgen_shim::block_index)
#define blockDim (opgen_shim::block_dim)
#define gridDim (opgen_shim::grid_dim)

// Two barriers in the text have two addresses; a label's address tells them apart after inlining too.
__attribute__((noinline)) inline void __syncthreads() { opgen_shim::wait(opgen_shim::State::barrier, __builtin_return_address(0), 0); }
template <class T> __attribute__((noinline)) T __shfl_down_sync(uint32_t mask, T v, unsigned delta) {
    return opgen_shim::shuffle_down(mask, v, delta, __builtin_return_address(0));
}
