"""The workloads in PyTorch's best eager idiom: `autograd.grad`, fused `addmm`, `_foreach` updates."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from pytorch_ops import op as op

import data

VERSION = torch.__version__
MODE = "eager"

Step = Callable[[], Any]


def vectors() -> dict[str, str]:
    return {"ATen": torch.backends.cpu.get_cpu_capability()}


def arrays(answer: Any) -> list[Any]:
    return [tensor.detach().numpy().copy() for tensor in data.flat(answer)]


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
        return loss, parameters

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
        return loss, parameters

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


def wide_mlp_adam() -> Step:
    layers, x, labels = data.wide_mlp()
    x, labels = torch.tensor(x), torch.tensor(labels)
    parameters = _parameters(layers)
    w1, b1, w2, b2, w3, b3 = parameters
    rate, beta1, beta2, epsilon = data.ADAM.values()
    adam = torch.optim.Adam(parameters, lr=rate, betas=(beta1, beta2), eps=epsilon, fused=True)

    def step() -> Any:
        h = torch.relu(torch.addmm(b1, x, w1))
        h = torch.relu(torch.addmm(b2, h, w2))
        loss = F.cross_entropy(torch.addmm(b3, h, w3), labels)
        adam.zero_grad()
        loss.backward()
        adam.step()
        return loss, parameters

    return step


def rosenbrock() -> Step:
    x = torch.tensor(data.rosenbrock(), requires_grad=True)

    def step() -> Any:
        head, tail = x[:-1], x[1:]
        loss = (100.0 * (tail - head**2) ** 2 + (1.0 - head) ** 2).sum()
        return loss, torch.autograd.grad(loss, x)

    return step


def elementwise_1e6() -> Step:
    return _elementwise(1_000_000)


def elementwise_1e4() -> Step:
    return _elementwise(10_000)


def _elementwise(size: int) -> Step:
    x = torch.tensor(data.elementwise(size), requires_grad=True)

    def step() -> Any:
        y = (torch.tanh(2.0 * x + 1.0) * torch.exp(-(x**2))).sum()
        return y, torch.autograd.grad(y, x)

    return step


def cnn() -> Step:
    def channels_last(array: Any, *order: int) -> Any:
        tensor = torch.tensor(array).permute(order)
        return tensor.contiguous(memory_format=torch.channels_last)

    pictures, *filters = data.cnn()
    pictures = channels_last(pictures, 0, 3, 1, 2)
    filters = [channels_last(each, 3, 2, 0, 1).requires_grad_() for each in filters]

    def step() -> Any:
        h = F.relu(F.conv2d(pictures, filters[0], padding=1))
        h = F.max_pool2d(h, 2)
        h = F.relu(F.conv2d(h, filters[1], padding=1))
        loss = (h**2).mean()
        gradients = torch.autograd.grad(loss, filters)
        return loss, [gradient.permute(2, 3, 1, 0) for gradient in gradients]

    return step


def attention() -> Step:
    x, parameters = data.attention()
    x = torch.tensor(x)
    parameters = [torch.tensor(array, requires_grad=True) for array in parameters]
    g1, b1, w_qkv, b_qkv, w_out, b_out, g2, b2, w_up, b_up, w_down, b_down = parameters
    batch, length, width = x.shape
    depth = width // data.HEADS

    def block(x: Any) -> Any:
        h = F.layer_norm(x, (width,), g1, b1, data.NORM_EPSILON)
        qkv = F.linear(h, w_qkv.t(), b_qkv).view(batch, length, 3, data.HEADS, depth)
        q, k, v = qkv.permute(2, 0, 3, 1, 4)
        mixed = _mix(q, k, v).transpose(1, 2).reshape(batch, length, width)
        x = x + F.linear(mixed, w_out.t(), b_out)
        h = F.layer_norm(x, (width,), g2, b2, data.NORM_EPSILON)
        return x + F.linear(F.gelu(F.linear(h, w_up.t(), b_up)), w_down.t(), b_down)

    def step() -> Any:
        loss = (block(x) ** 2).mean()
        return loss, torch.autograd.grad(loss, parameters)

    return step


def _mix(q: Any, k: Any, v: Any) -> Any:
    return F.scaled_dot_product_attention(q, k, v)


def lstm() -> Step:
    inputs, parameters = data.lstm()
    inputs = [torch.tensor(each) for each in inputs]
    w, u, bias = parameters = [torch.tensor(array, requires_grad=True) for array in parameters]

    def step() -> Any:
        h = c = torch.zeros(32, 128)
        for x in inputs:
            gates = torch.addmm(torch.addmm(bias, x, w), h, u)
            i, f, g, o = gates.chunk(4, 1)
            c = torch.sigmoid(f) * c + torch.sigmoid(i) * torch.tanh(g)
            h = torch.sigmoid(o) * torch.tanh(c)
        loss = (h**2).mean()
        return loss, torch.autograd.grad(loss, parameters)

    return step


def lstm_fused() -> Step:
    inputs, (w, u, bias) = data.lstm()
    inputs = torch.tensor(inputs)
    module = torch.nn.LSTM(128, 128)
    # It holds the weights of all gates one below the other, and a second bias, which stays 0 here.
    for name, array in (("weight_ih_l0", w.T), ("weight_hh_l0", u.T), ("bias_ih_l0", bias)):
        getattr(module, name).data = torch.tensor(array).contiguous()
    torch.nn.init.zeros_(module.bias_hh_l0)
    parameters = [module.weight_ih_l0, module.weight_hh_l0, module.bias_ih_l0]

    def step() -> Any:
        _, (h, _) = module(inputs)
        loss = (h**2).mean()
        of_w, of_u, of_bias = torch.autograd.grad(loss, parameters)
        return loss, (of_w.T, of_u.T, of_bias)

    return step


def embedding() -> Step:
    table, ids = data.embedding()
    table, ids = torch.tensor(table, requires_grad=True), torch.tensor(ids)

    def step() -> Any:
        loss = (F.embedding(ids, table, sparse=True) ** 2).sum()
        (gradient,) = torch.autograd.grad(loss, table)
        with torch.no_grad():
            table.add_(gradient, alpha=-data.EMBEDDING_RATE)
        return loss, table

    return step


def pinn() -> Step:
    parameters, x, t = data.pinn()
    x, t = torch.tensor(x, requires_grad=True), torch.tensor(t, requires_grad=True)
    parameters = [torch.tensor(array, requires_grad=True) for array in parameters]
    w1, b1, w2, b2, w3, b3 = parameters
    ones = torch.ones_like(x)

    def field(x: Any, t: Any) -> Any:
        h = torch.tanh(torch.addmm(b1, torch.cat([x, t], 1), w1))
        return torch.addmm(b3, torch.tanh(torch.addmm(b2, h, w2)), w3)

    def step() -> Any:
        u = field(x, t)
        u_x, u_t = torch.autograd.grad(u, (x, t), ones, create_graph=True)
        (u_xx,) = torch.autograd.grad(u_x, x, ones, create_graph=True)
        loss = ((u_t + u * u_x - data.VISCOSITY * u_xx) ** 2).mean()
        return loss, torch.autograd.grad(loss, parameters)

    return step


def cross_entropy() -> Step:
    logits, labels = data.cross_entropy()
    logits, labels = torch.tensor(logits, requires_grad=True), torch.tensor(labels)

    def step() -> Any:
        loss = F.cross_entropy(logits, labels)
        return loss, torch.autograd.grad(loss, logits)

    return step


def layer_norm() -> Step:
    return _norm(lambda x, *affine: F.layer_norm(x, (512,), *affine, data.NORM_EPSILON))


def batch_norm() -> Step:
    return _norm(
        lambda x, *affine: F.batch_norm(
            x, None, None, *affine, training=True, eps=data.NORM_EPSILON
        )
    )


def _norm(function: Callable[..., Any]) -> Step:
    *inputs, arriving = (torch.tensor(array) for array in data.norm())
    for tensor in inputs:
        tensor.requires_grad_()
    return lambda: torch.autograd.grad(function(*inputs), inputs, arriving)


def _epoch(loader: Any) -> Step:
    """A step that reads all batches, and answers with the number of rows and the sum of their labels."""

    def step() -> Any:
        rows = total = 0
        for x, y in loader:
            rows += x.shape[0]
            total += int(y.sum())
        return torch.tensor([rows, total], dtype=torch.float64)

    return step


def _loader(shuffle: bool) -> Any:
    x, y = data.pictures()
    pairs = torch.utils.data.TensorDataset(torch.tensor(x), torch.tensor(y))
    return torch.utils.data.DataLoader(pairs, data.BATCH, shuffle)


def shuffled_batches() -> Step:
    return _epoch(_loader(True))


def plain_batches() -> Step:
    return _epoch(_loader(False))


class _Twice(torch.utils.data.Dataset):  # type: ignore[misc]
    def __init__(self, x: Any, y: Any) -> None:
        self.x, self.y = x, y

    def __len__(self) -> int:
        return len(self.x)

    def __getitem__(self, index: int) -> Any:
        return self.x[index] * 2.0, self.y[index]


def mapped_batches() -> Step:
    x, y = (torch.tensor(array[: data.MAPPED_ROWS]) for array in data.pictures())
    return _epoch(torch.utils.data.DataLoader(_Twice(x, y), data.BATCH))


# Beyond the first gradient: the fastest of torch.func, torch.autograd.functional and plain autograd.


def jacobian() -> Step:
    w, x = map(torch.tensor, data.jacobian())
    whole = torch.func.jacrev(lambda x: torch.tanh(w @ x))
    return lambda: whole(x)


def jacobian_whole() -> Step:
    w, x = map(torch.tensor, data.long_jacobian())
    whole = torch.func.jacfwd(lambda x: torch.tanh(w @ x))
    return lambda: whole(x)


def jacobian_chunked() -> Step:
    w, x = map(torch.tensor, data.long_jacobian())
    whole = torch.func.jacrev(lambda x: torch.tanh(w @ x), chunk_size=100)
    return lambda: whole(x)


def jacobian_square() -> Step:
    w, x = map(torch.tensor, data.square_jacobian())
    whole = torch.func.jacrev(lambda x: torch.tanh(w @ x))
    return lambda: whole(x)


def jacobian_square_chunked() -> Step:
    w, x = map(torch.tensor, data.square_jacobian())
    whole = torch.func.jacrev(lambda x: torch.tanh(w @ x), chunk_size=100)
    return lambda: whole(x)


def _tensors(nested: Any, **options: Any) -> Any:
    if isinstance(nested, (list, tuple)):
        return [_tensors(part, **options) for part in nested]
    return torch.tensor(nested, **options)


def _tanh_mlp(layers: Any, x: Any) -> Any:
    *hidden, (w, b) = layers
    for inner, bias in hidden:
        x = torch.tanh(x @ inner + bias)
    return x @ w + b


def tall_jacobian() -> Step:
    layers, x = data.tall_jacobian()
    layers, x = _tensors(layers), torch.tensor(x)
    whole = torch.func.jacfwd(lambda x: _tanh_mlp(layers, x))
    return lambda: whole(x)


def batch_jacobian() -> Step:
    layers, x = data.batch_jacobian()
    layers, x = _tensors(layers), torch.tensor(x)
    whole = torch.func.vmap(torch.func.jacrev(lambda x: _tanh_mlp(layers, x)))
    return lambda: whole(x)


def per_example() -> Step:
    layers, x, labels = map(_tensors, data.per_example())

    def loss(layers: Any, x: Any, label: Any) -> Any:
        return F.cross_entropy(_tanh_mlp(layers, x), label)

    whole = torch.func.vmap(torch.func.grad(loss), in_dims=(None, 0, 0))
    return lambda: whole(layers, x, labels)


def _valley(x: Any) -> Any:
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def hessian() -> Step:
    x = torch.tensor(data.valley(20)[0], requires_grad=True)

    def step() -> Any:
        (slope,) = torch.autograd.grad(_valley(x), x, create_graph=True)
        rows = [torch.autograd.grad(part, x, retain_graph=True)[0] for part in slope.unbind()]
        return torch.stack(rows)

    return step


def hvp() -> Step:
    x, v = map(torch.tensor, data.valley(1000))
    return lambda: torch.autograd.functional.vhp(_valley, x, v)[1]


def tanh_sixth() -> Step:
    x = torch.tensor(data.points(), requires_grad=True)
    ones = torch.ones_like(x)

    def step() -> Any:
        y = torch.tanh(x)
        for _ in range(5):
            (y,) = torch.autograd.grad(y, x, ones, create_graph=True)
        return torch.autograd.grad(y, x, ones)[0]

    return step


def laplacian() -> Step:
    layers, xy, wanted = data.laplacian()
    layers = _tensors(layers, requires_grad=True)
    parameters = [tensor for layer in layers for tensor in layer]
    x, y = (torch.tensor(xy[:, i : i + 1], requires_grad=True) for i in range(2))
    wanted, ones = torch.tensor(wanted), torch.ones(500, 1)

    def step() -> Any:
        u = _tanh_mlp(layers, torch.cat([x, y], 1))
        u_x, u_y = torch.autograd.grad(u, (x, y), ones, create_graph=True)
        (u_xx,) = torch.autograd.grad(u_x, x, ones, create_graph=True)
        (u_yy,) = torch.autograd.grad(u_y, y, ones, create_graph=True)
        loss = ((u_xx + u_yy - wanted) ** 2).mean()
        return loss, torch.autograd.grad(
            loss, parameters, allow_unused=True, materialize_grads=True
        )

    return step


def _relu_mlp(layers: Any, x: Any) -> Any:
    *hidden, (w, b) = layers
    for inner, bias in hidden:
        x = torch.relu(torch.addmm(bias, x, inner))
    return torch.addmm(b, x, w)


def mlp_forward() -> Step:
    layers, x, _ = map(_tensors, data.wide_mlp())
    return lambda: _relu_mlp(layers, x)


def mlp_tangent() -> Step:
    layers, x, _ = map(_tensors, data.wide_mlp())
    way = torch.ones_like(x)
    return lambda: torch.func.jvp(lambda x: _relu_mlp(layers, x), (x,), (way,))
