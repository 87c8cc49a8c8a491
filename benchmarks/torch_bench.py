"""Runs PyTorch on the ops of the benchmark, for the program beside it. Requests are lines, each answered by one line:

    check OP N THREADS FILE   runs OP once and writes its outputs to FILE, as float32 one after the other
    time OP N THREADS SECONDS runs OP for about so long; the answer is nanoseconds a call

Outputs are reused where PyTorch has a way to say it. Backward calls are those that autograd makes.
"""
import sys
import time

import numpy as np
import torch

WIDTH = 1024
BETA, LR, MOMENTUM, WEIGHT_DECAY, EPS = 1.0, 1e-3, 0.9, 1e-4, 1e-5
REDUCTION = {"none": 0, "mean": 1}


def values(k, *shape):
    """Input k: numbers between -3 and 3 that are a hash of the index."""
    n = int(np.prod(shape))
    h = (np.arange(n, dtype=np.uint32) + np.uint32(k * 0x9E3779B9 & 0xFFFFFFFF)) * np.uint32(2654435761)
    h ^= h >> np.uint32(15)
    h *= np.uint32(2246822519)
    h ^= h >> np.uint32(13)
    return torch.from_numpy(((h >> np.uint32(8)).astype(np.float64) * (6 / 2**24) - 3).astype(np.float32)).reshape(shape)


def case(op, n):
    """The call that is measured, and the tensors that hold what it computes if it returns nothing."""
    name, _, kind = op.partition("_backward")[0].rpartition("_")
    backward = op.endswith("_backward")
    if name == "smooth_l1":
        x, t = values(0, n), values(1, n)
        if not backward:
            y = torch.empty(n if kind == "none" else ())
            return lambda: (torch._C._nn.smooth_l1_loss(x, t, REDUCTION[kind], BETA, out=y),)
        x.requires_grad_()
        t.requires_grad_()
        y = torch.nn.functional.smooth_l1_loss(x, t, reduction=kind, beta=BETA)
        gy = values(2, n) if kind == "none" else values(2, 1).reshape(())
        return lambda: torch.autograd.grad(y, (x, t), gy, retain_graph=True)
    if op == "momentum_sgd":
        p = torch.nn.Parameter(values(0, n))
        p.grad = values(1, n)
        buf = values(2, n)
        optimizer = torch.optim.SGD([p], lr=LR, momentum=MOMENTUM, weight_decay=WEIGHT_DECAY)
        optimizer.state[p]["momentum_buffer"] = buf

        def step():
            optimizer.step()
            return p, buf

        return step
    rows = n // WIDTH
    x = values(0, rows, WIDTH)
    if op == "softmax":
        y = torch.empty_like(x)
        return lambda: (torch.softmax(x, -1, out=y),)
    if op == "softmax_backward":
        x.requires_grad_()
        y = torch.softmax(x, -1)
        gy = values(2, rows, WIDTH)
        return lambda: torch.autograd.grad(y, (x,), gy, retain_graph=True)
    w, b = values(1, WIDTH), values(2, WIDTH)
    if op == "layer_norm":
        return lambda: (torch.nn.functional.layer_norm(x, (WIDTH,), w, b, EPS),)
    if op == "layer_norm_backward":
        for v in (x, w, b):
            v.requires_grad_()
        y = torch.nn.functional.layer_norm(x, (WIDTH,), w, b, EPS)
        gy = values(3, rows, WIDTH)
        return lambda: torch.autograd.grad(y, (x, w, b), gy, retain_graph=True)
    raise ValueError("unknown op " + op)


def clock(f, calls):
    start = time.perf_counter_ns()
    for _ in range(calls):
        f()
    return (time.perf_counter_ns() - start) / calls


def answer(command, op, n, threads, argument, current):
    torch.set_num_threads(int(threads))
    if command == "check":
        with open(argument, "wb") as out:
            for t in case(op, int(n))():
                out.write(t.detach().numpy().tobytes())
        return "ok"
    if current.get("key") != (op, n):
        current.clear()  # one case alive at a time
        current["key"] = op, n
        current["run"] = case(op, int(n))
        current["run"]()
    key, run = ("once", threads), current["run"]
    if key not in current:
        current[key] = min(clock(run, 1) for _ in range(3))
    run()  # what others left in the caches goes
    return "%.1f" % clock(run, max(2, int(float(argument) * 1e9 / current[key])))


def main():
    capability = [s.split(":")[1].strip() for s in torch.__config__.show().splitlines() if "CPU capability" in s]
    print(torch.__version__, *capability, flush=True)
    current = {}
    for line in sys.stdin:
        print(answer(*line.split(), current), flush=True)


if __name__ == "__main__":
    main()
