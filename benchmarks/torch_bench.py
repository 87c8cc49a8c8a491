"""Times PyTorch on the cells of the benchmark: reads lines `op n threads` and answers each with the median ns a call.

Outputs are reused where PyTorch allows it. Backward calls are the ops that autograd itself runs.
"""
import statistics
import sys
import time

import torch
import torch.nn.functional as F

ROW = 1024


def case(op, n):
    x, t, gy = torch.randn(n), torch.randn(n), torch.randn(n)
    if op == "smooth_l1_none":
        return lambda: F.smooth_l1_loss(x, t, reduction="none", beta=1.0)
    if op == "smooth_l1_mean":
        return lambda: F.smooth_l1_loss(x, t, reduction="mean", beta=1.0)
    if op in ("smooth_l1_none_backward", "smooth_l1_mean_backward"):
        x.requires_grad_()
        t.requires_grad_()
        red = "none" if "none" in op else "mean"
        y = F.smooth_l1_loss(x, t, reduction=red, beta=1.0)
        g = gy if red == "none" else torch.ones(())
        return lambda: torch.autograd.grad(y, (x, t), g, retain_graph=True)
    if op == "momentum_sgd":
        p = torch.nn.Parameter(x)
        p.grad = gy
        opt = torch.optim.SGD([p], lr=1e-3, momentum=0.9, weight_decay=1e-4)
        opt.step()
        return opt.step
    rows = x.view(-1, ROW)
    if op == "softmax":
        return lambda: torch.softmax(rows, -1)
    if op == "softmax_backward":
        rows = rows.clone().requires_grad_()
        y = torch.softmax(rows, -1)
        g = gy.view(-1, ROW)
        return lambda: torch.autograd.grad(y, rows, g, retain_graph=True)
    w, b = torch.randn(ROW), torch.randn(ROW)
    if op == "layer_norm":
        return lambda: F.layer_norm(rows, (ROW,), w, b)
    if op == "layer_norm_backward":
        rows = rows.clone().requires_grad_()
        w.requires_grad_()
        b.requires_grad_()
        y = F.layer_norm(rows, (ROW,), w, b)
        g = gy.view(-1, ROW)
        return lambda: torch.autograd.grad(y, (rows, w, b), g, retain_graph=True)
    raise SystemExit("unknown op " + op)


def median(f, budget):
    f()
    t = time.perf_counter_ns()
    f()
    once = max(time.perf_counter_ns() - t, 1)
    reps = max(1, min(2000, int(budget * 1e9 / 7 / once)))
    times = []
    for _ in range(7):
        t = time.perf_counter_ns()
        for _ in range(reps):
            f()
        times.append((time.perf_counter_ns() - t) / reps)
    return statistics.median(times)


def main():
    print("torch", torch.__version__, flush=True)
    made = {}
    for line in sys.stdin:
        op, n, threads = line.split()
        torch.manual_seed(1)
        torch.set_num_threads(int(threads))
        if (op, n) not in made:
            made = {(op, n): case(op, int(n))}  # one case alive at a time
        print(f"{median(made[op, n], 0.25):.1f}", flush=True)


main()
