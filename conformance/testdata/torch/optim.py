"""Writes optim.json: steps of torch.optim and of torch.nn.utils.clip_grad_… in float64, and learning rates of torch.optim.lr_scheduler."""
import json
import torch

torch.set_default_dtype(torch.float64)  # that of mu_product of NAdam
START = [1.0, -2.0, 0.5, 0.0, 3.25]
GRADS = [[2.0, 0.5, -1.0, 0.25, 0.0], [-0.75, 1.5, 0.125, 0.0, -3.0], [0.3, -0.2, 0.1, 7.0, 1e-3], [-1.0, 0.25, 2.5, -0.5, 0.125],
         [0.5, 0.5, -0.25, 1.0, -1.0], [1.5, -0.75, 0.0, -2.0, 0.375], [-0.125, 3.0, 0.75, 0.5, -0.5], [0.25, -1.25, 1.0, 0.0625, 2.0]]
S, A = torch.optim.SGD, torch.optim.Adam
# op, class, attributes of the op, arguments of the class that have other names
RUNS = [
    ("sgd", S, dict(lr=0.1), {}),
    ("sgd", S, dict(lr=0.1, weight_decay=0.1), {}),
    ("sgd", S, dict(lr=0.1, momentum=0.9), {}),
    ("sgd", S, dict(lr=0.05, momentum=0.8, dampening=0.25, weight_decay=0.1), {}),
    ("sgd", S, dict(lr=0.05, momentum=0.8, nesterov=True), {}),
    ("sgd", S, dict(lr=0.05, momentum=0.8, weight_decay=0.01, nesterov=True, maximize=True), {}),
    ("adam", A, dict(lr=0.1), {}),
    ("adam", A, dict(lr=0.1, beta1=0.8, beta2=0.9, eps=1e-3, weight_decay=0.1), {}),
    ("adam", A, dict(lr=0.1, beta2=0.5, amsgrad=True), {}),
    ("adam", A, dict(lr=0.1, beta2=0.5, amsgrad=True, maximize=True, weight_decay=0.2), {}),
    ("adam", torch.optim.AdamW, dict(lr=0.1, decoupled=True, weight_decay=0.1), {}),
    ("adam", torch.optim.AdamW, dict(lr=0.1, decoupled=True, weight_decay=0.1, amsgrad=True, beta1=0.7, beta2=0.6), {}),
    ("adamax", torch.optim.Adamax, dict(), {}),
    ("adamax", torch.optim.Adamax, dict(lr=0.1, beta1=0.8, beta2=0.9, eps=1e-3, weight_decay=0.1), {}),
    ("nadam", torch.optim.NAdam, dict(), {}),
    ("nadam", torch.optim.NAdam, dict(lr=0.1, beta1=0.8, beta2=0.9, eps=1e-3, weight_decay=0.1, decay=0.5), {}),
    ("radam", torch.optim.RAdam, dict(lr=0.1), {}),
    ("radam", torch.optim.RAdam, dict(lr=0.1, beta1=0.8, beta2=0.9, eps=1e-3, weight_decay=0.1), {}),
    ("rmsprop", torch.optim.RMSprop, dict(), {}),
    ("rmsprop", torch.optim.RMSprop, dict(lr=0.1, alpha=0.9, eps=1e-3, weight_decay=0.1, momentum=0.5), {}),
    ("rmsprop", torch.optim.RMSprop, dict(lr=0.1, alpha=0.9, centered=True), {}),
    ("rmsprop", torch.optim.RMSprop, dict(lr=0.1, alpha=0.9, centered=True, momentum=0.5), {}),
    ("adagrad", torch.optim.Adagrad, dict(), {}),
    ("adagrad", torch.optim.Adagrad, dict(lr=0.1, lr_decay=0.1, weight_decay=0.1, initial=0.5, eps=1e-3), {}),
    ("adadelta", torch.optim.Adadelta, dict(), {}),
    ("adadelta", torch.optim.Adadelta, dict(lr=0.5, rho=0.8, eps=1e-3, weight_decay=0.1), {}),
]
RENAMED = dict(decay="momentum_decay", initial="initial_accumulator_value")
STATES = dict(buf="momentum_buffer", m="exp_avg", v="exp_avg_sq", top="max_exp_avg_sq", u="exp_inf", prod_mu="mu_product", h="sum", a="grad_avg")
OWN = dict(rmsprop=dict(v="square_avg"), adadelta=dict(v="square_avg", u="acc_delta"))

runs = []
for op, cls, attrs, _ in RUNS:
    args = {RENAMED.get(k, k): v for k, v in attrs.items() if k not in ("beta1", "beta2", "decoupled")}
    if op in ("adam", "adamax", "nadam", "radam"):
        args["betas"] = (attrs.get("beta1", 0.9), attrs.get("beta2", 0.999))
    if op == "adam" and cls is torch.optim.AdamW:
        args["weight_decay"] = attrs["weight_decay"]
    p = torch.tensor(START, dtype=torch.float64, requires_grad=True)
    opt = cls([p], foreach=False, **args)
    steps = []
    for g in GRADS:
        p.grad = torch.tensor(g, dtype=torch.float64)
        opt.step()
        state = {}
        for k, name in {**STATES, **OWN.get(op, {})}.items():
            x = opt.state[p].get(name)
            if torch.is_tensor(x):
                state[k] = x.tolist()
        steps.append(dict(p=p.detach().tolist(), state=state))
    runs.append(dict(op=op, attrs=attrs, start=START, grads=GRADS, steps=steps))

clips = []
for op, attr, values in [("clip_grad_norm", "max_norm", [1.0, 5.0, 100.0, 0.0]), ("clip_grad_value", "limit", [0.5, 2.0])]:
    for value in values:
        ps = [torch.zeros(len(g), dtype=torch.float64, requires_grad=True) for g in (GRADS[0], GRADS[1][:2], GRADS[2])]
        before = []
        for p, g in zip(ps, (GRADS[0], GRADS[1][:2], GRADS[2])):
            p.grad = torch.tensor(g, dtype=torch.float64)
            before.append(list(g))
        if op == "clip_grad_norm":
            torch.nn.utils.clip_grad_norm_(ps, value)
        else:
            torch.nn.utils.clip_grad_value_(ps, value)
        clips.append(dict(op=op, attr=attr, value=value, before=before, after=[p.grad.tolist() for p in ps]))

L = torch.optim.lr_scheduler
def rates(base, make, n):
    opt = S([torch.zeros(1, requires_grad=True)], lr=base)
    sched, r = make(opt), []
    for _ in range(n):
        r.append(opt.param_groups[0]["lr"])
        opt.step()
        sched.step()
    return r
def warm(opt):
    return L.SequentialLR(opt, [L.LinearLR(opt, start_factor=1 / 5, total_iters=4), L.CosineAnnealingLR(opt, T_max=12, eta_min=0.01)], milestones=[4])
schedules = dict(
    constant=rates(0.3, lambda o: L.ConstantLR(o, factor=1.0, total_iters=0), 5),
    step_decay=rates(0.5, lambda o: L.StepLR(o, step_size=3, gamma=0.1), 10),
    linear=rates(0.8, lambda o: L.LinearLR(o, start_factor=0.25, end_factor=0.75, total_iters=5), 9),
    cosine=rates(0.5, lambda o: L.CosineAnnealingLR(o, T_max=10, eta_min=0.01), 11),
    cosine_warm=rates(0.5, warm, 16),
)
with open("optim.json", "w") as f:
    f.write('{"runs": [\n' + ",\n".join(json.dumps(r) for r in runs) + '\n],\n"clips": [\n' + ",\n".join(json.dumps(c) for c in clips) + '\n],\n"schedules": ' + json.dumps(schedules, indent=1) + "}\n")
