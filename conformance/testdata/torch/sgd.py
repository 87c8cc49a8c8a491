"""Writes optim.SGD.json: three steps of torch.optim.SGD in float64 for several settings."""
import json
import torch

SETTINGS = [
    dict(lr=0.1, momentum=0.9, dampening=0.0, weight_decay=0.0),
    dict(lr=0.1, momentum=0.9, dampening=0.5, weight_decay=0.0),
    dict(lr=0.05, momentum=0.8, dampening=0.25, weight_decay=0.1),
    dict(lr=0.5, momentum=0.99, dampening=1.0, weight_decay=0.01),
    dict(lr=0.25, momentum=0.9, dampening=-0.5, weight_decay=0.5),
]
START = [1.0, -2.0, 0.5, 0.0, 3.25]
GRADS = [[2.0, 0.5, -1.0, 0.25, 0.0], [-0.75, 1.5, 0.125, 0.0, -3.0], [0.3, -0.2, 0.1, 7.0, 1e-3]]

runs = []
for s in SETTINGS:
    p = torch.tensor(START, dtype=torch.float64, requires_grad=True)
    opt = torch.optim.SGD([p], **s)
    steps = []
    for g in GRADS:
        p.grad = torch.tensor(g, dtype=torch.float64)
        opt.step()
        steps.append(dict(p=p.detach().tolist(), buf=opt.state[p]["momentum_buffer"].tolist()))
    runs.append(dict(settings=s, start=START, grads=GRADS, steps=steps))
with open("optim.SGD.json", "w") as f:
    f.write("[\n" + ",\n".join(json.dumps(r) for r in runs) + "\n]\n")
