"""Writes layers.json and train.json: values and gradients of layers by PyTorch 1.13, in float64. Run it in this folder."""
import json

import torch
from torch import nn

torch.set_default_dtype(torch.float64)
torch.manual_seed(1)


def array(t):
    t = t.detach()
    return {"dtype": "i64" if t.dtype == torch.int64 else "f64", "shape": list(t.shape), "data": t.reshape(-1).tolist()}


def parameters(m):
    return {name: array(p) for name, p in m.named_parameters()}


def case(name, layer, x):
    if x.dtype != torch.int64:
        x.requires_grad_()
    for p in layer.parameters():
        if p.dim() == 1:
            torch.nn.init.normal_(p)
    y = layer(x)
    cotangent = torch.randn(y.shape)
    start = parameters(layer)
    y.backward(cotangent)
    return {
        "name": name, "x": array(x), "y": array(y), "cotangent": array(cotangent), "parameters": start,
        "gradients": {n: array(p.grad) for n, p in layer.named_parameters()},
        "dx": None if x.dtype == torch.int64 else array(x.grad),
    }


layers = [
    case("linear", nn.Linear(3, 4), torch.randn(2, 5, 3)),
    case("linear without bias", nn.Linear(3, 2, bias=False), torch.randn(3)),
    case("embedding", nn.Embedding(6, 3), torch.tensor([[1, 5, 1], [0, 2, 2]])),
    case("embedding with padding", nn.Embedding(6, 3, padding_idx=2), torch.tensor([[1, 5, 1], [0, 2, 2]])),
    case("layer norm", nn.LayerNorm(4), torch.randn(2, 3, 4)),
    case("layer norm of two axes", nn.LayerNorm([3, 4], eps=1e-3), torch.randn(2, 3, 4)),
    case("conv", nn.Conv2d(2, 3, (3, 2)), torch.randn(2, 2, 5, 4)),
    case("conv with all attributes", nn.Conv2d(4, 6, 3, stride=(2, 1), padding=(1, 2), dilation=(1, 2), groups=2), torch.randn(1, 4, 5, 6)),
    case("network", nn.Sequential(nn.Linear(3, 5), nn.Tanh(), nn.LayerNorm(5), nn.Linear(5, 2), nn.GELU(approximate="tanh")), torch.randn(4, 3)),
    case("images", nn.Sequential(nn.Conv2d(1, 2, 3), nn.LeakyReLU(0.1), nn.MaxPool2d(2), nn.Flatten(), nn.Linear(8, 3)), torch.randn(2, 1, 6, 6)),
    case("means", nn.Sequential(nn.Conv2d(1, 2, 2), nn.AvgPool2d((2, 1))), torch.randn(3, 1, 5, 4)),
]
with open("layers.json", "w") as f:
    json.dump(layers, f, separators=(",", ":"))

# A small network under Adam: the loss of each step, and the parameters after the last one.
net = nn.Sequential(nn.Linear(4, 6), nn.ReLU(), nn.Linear(6, 3))
x, t = torch.randn(8, 4), torch.randint(0, 3, (8,))
start = parameters(net)
opt = torch.optim.Adam(net.parameters(), lr=0.05, weight_decay=0.01)
losses = []
for step in range(12):
    opt.param_groups[0]["lr"] = 0.05 * 0.5 ** (step // 5)
    opt.zero_grad()
    loss = nn.functional.cross_entropy(net(x), t)
    loss.backward()
    opt.step()
    losses.append(loss.item())
with open("train.json", "w") as f:
    json.dump({"x": array(x), "t": array(t), "start": start, "losses": losses, "end": parameters(net)}, f, separators=(",", ":"))
