"""The workloads in PyTorch's best eager idiom: `autograd.grad`, fused `addmm`, `_foreach` updates."""

from collections.abc import Callable
from typing import Any

import data
import torch
import torch.nn.functional as F

VERSION = torch.__version__
MODE = "eager"

Step = Callable[[], Any]


def numbers(answer: Any) -> list[float]:
    return answer.detach().numpy().ravel().tolist()


def _power(x: Any, factor: Any, count: int) -> Any:
    y = x
    for _ in range(count):
        y = y * factor
    return y


def _derivative(function: Callable[[Any], Any]) -> Step:
    x = torch.tensor(float(data.SCALAR), requires_grad=True)
    return lambda: torch.autograd.grad(function(x), x)[0]


def multiply_20() -> Step:
    return _derivative(lambda x: _power(x, x, 20))


def multiply_20_forward() -> Step:
    x = torch.tensor(float(data.SCALAR))
    return lambda: _power(x, x, 20)


def multiply_20_recorded() -> Step:
    x = torch.tensor(float(data.SCALAR), requires_grad=True)
    return lambda: _power(x, x, 20)


def multiply_20_constant() -> Step:
    factor = torch.tensor(2.0)
    return _derivative(lambda x: _power(x, factor, 20))


def multiply_20_number() -> Step:
    return _derivative(lambda x: _power(x, 2.0, 20))


def multiply_20_number_forward() -> Step:
    x = torch.tensor(float(data.SCALAR))
    return lambda: _power(x, 2.0, 20)


def multiply_20_second_order() -> Step:
    x = torch.tensor(float(data.SCALAR), requires_grad=True)

    def step() -> Any:
        (first,) = torch.autograd.grad(_power(x, x, 20), x, create_graph=True)
        return torch.autograd.grad(first, x)[0]

    return step


def multiply_200() -> Step:
    return _derivative(lambda x: _power(x, x, 200))


def chain_20000() -> Step:
    return _derivative(lambda x: _power(x, x, 20_000))


def fan_100() -> Step:
    def fan(x: Any) -> Any:
        total = x
        for _ in range(100):
            total = total + x
        return total

    return _derivative(fan)


def kept_chain() -> Step:
    x = torch.tensor(float(data.SCALAR), requires_grad=True)
    return lambda: _power(x, x, data.KEPT_OPS)


def _parameters(layers: Any) -> list[Any]:
    return [torch.tensor(array, requires_grad=True) for layer in layers for array in layer]


def _descend(parameters: list[Any], gradients: Any) -> None:
    with torch.no_grad():
        torch._foreach_add_(parameters, gradients, alpha=-data.LEARNING_RATE)


def small_mlp() -> Step:
    layers, x, y = data.small_mlp()
    x, y = torch.tensor(x), torch.tensor(y)
    parameters = _parameters(layers)
    w1, b1, w2, b2, w3, b3 = parameters

    def step() -> Any:
        h = torch.tanh(torch.addmm(b1, x, w1))
        h = torch.tanh(torch.addmm(b2, h, w2))
        loss = F.mse_loss(torch.addmm(b3, h, w3), y)
        _descend(parameters, torch.autograd.grad(loss, parameters))
        return loss

    return step


def wide_mlp() -> Step:
    layers, x, labels = data.wide_mlp()
    x, labels = torch.tensor(x), torch.tensor(labels)
    parameters = _parameters(layers)
    w1, b1, w2, b2, w3, b3 = parameters

    def step() -> Any:
        h = torch.relu(torch.addmm(b1, x, w1))
        h = torch.relu(torch.addmm(b2, h, w2))
        loss = F.cross_entropy(torch.addmm(b3, h, w3), labels)
        _descend(parameters, torch.autograd.grad(loss, parameters))
        return loss

    return step


def deep_mlp() -> Step:
    layers, x = data.deep_mlp()
    x = torch.tensor(x)
    parameters = _parameters(layers)

    def step() -> Any:
        h = x
        for weights, bias in zip(parameters[::2], parameters[1::2], strict=True):
            h = torch.relu(torch.addmm(bias, h, weights))
        gradients = torch.autograd.grad((h * h).mean(), parameters)
        return gradients[0].sum()

    return step
