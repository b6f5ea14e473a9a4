"""The workloads in JAX: op by op, or each step as one `jax.jit` where MODE says compiled."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

import data

VERSION = jax.__version__
MODE = "eager"

Step = Callable[[], Any]


def arrays(answer: Any) -> list[Any]:
    return [np.array(array) for array in data.flat(answer)]


def _mode(function: Callable[..., Any], **options: Any) -> Callable[..., Any]:
    return jax.jit(function, **options) if MODE == "compiled" else function


def _power(x: Any, factor: Any, count: int) -> Any:
    y = x
    for _ in range(count):
        y = y * factor
    return y


def _on_scalar(function: Callable[[Any], Any]) -> Step:
    x = jnp.asarray(data.SCALAR)
    whole = _mode(function)
    return lambda: whole(x).block_until_ready()


def multiply_20() -> Step:
    return _on_scalar(jax.grad(lambda x: _power(x, x, 20)))


def multiply_20_forward() -> Step:
    return _on_scalar(lambda x: _power(x, x, 20))


def multiply_20_constant() -> Step:
    factor = jnp.float32(2.0)
    return _on_scalar(jax.grad(lambda x: _power(x, factor, 20)))


def multiply_20_number() -> Step:
    return _on_scalar(jax.grad(lambda x: _power(x, 2.0, 20)))


def multiply_20_number_forward() -> Step:
    return _on_scalar(lambda x: _power(x, 2.0, 20))


def multiply_20_second_order() -> Step:
    return _on_scalar(jax.grad(jax.grad(lambda x: _power(x, x, 20))))


def multiply_200() -> Step:
    return _on_scalar(jax.grad(lambda x: _power(x, x, 200)))


def fan_100() -> Step:
    def fan(x: Any) -> Any:
        total = x
        for _ in range(100):
            total = total + x
        return total

    return _on_scalar(jax.grad(fan))


def _training(loss: Callable[..., Any], layers: Any, *batch: Any) -> Step:
    parameters = [jnp.asarray(array) for layer in layers for array in layer]
    arrays = [jnp.asarray(array) for array in batch]

    def update(parameters: Any, arrays: Any) -> Any:
        value, gradients = jax.value_and_grad(loss)(parameters, *arrays)
        pairs = zip(parameters, gradients, strict=True)
        return value, [p - data.LEARNING_RATE * g for p, g in pairs]

    whole = _mode(update)

    def step() -> Any:
        nonlocal parameters
        value, parameters = whole(parameters, arrays)
        return jax.block_until_ready((value, parameters))

    return step


def small_mlp() -> Step:
    def loss(parameters: Any, x: Any, y: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = parameters
        h = jnp.tanh(x @ w1 + b1)
        h = jnp.tanh(h @ w2 + b2)
        return jnp.mean((h @ w3 + b3 - y) ** 2)

    return _training(loss, *data.small_mlp())


def _wide_mlp_loss(parameters: Any, x: Any, labels: Any) -> Any:
    w1, b1, w2, b2, w3, b3 = parameters
    h = jax.nn.relu(x @ w1 + b1)
    h = jax.nn.relu(h @ w2 + b2)
    probabilities = jax.nn.log_softmax(h @ w3 + b3)
    return -jnp.mean(jnp.take_along_axis(probabilities, labels[:, None], axis=1))


def wide_mlp() -> Step:
    return _training(_wide_mlp_loss, *data.wide_mlp())


def deep_mlp() -> Step:
    layers, x = data.deep_mlp()
    parameters = [jnp.asarray(array) for layer in layers for array in layer]
    x = jnp.asarray(x)

    def loss(parameters: Any, x: Any) -> Any:
        h = x
        for weights, bias in zip(parameters[::2], parameters[1::2], strict=True):
            h = jax.nn.relu(h @ weights + bias)
        return jnp.mean(h * h)

    whole = _mode(jax.grad(loss))
    return lambda: jnp.sum(jax.block_until_ready(whole(parameters, x))[0])


def wide_mlp_adam() -> Step:
    layers, x, labels = data.wide_mlp()
    parameters = [jnp.asarray(array) for layer in layers for array in layer]
    batch = [jnp.asarray(x), jnp.asarray(labels)]
    rate, beta1, beta2, epsilon = data.ADAM.values()

    def update(count: Any, parameters: Any, firsts: Any, seconds: Any, batch: Any) -> Any:
        value, gradients = jax.value_and_grad(_wide_mlp_loss)(parameters, *batch)
        count = count + 1
        root = jnp.sqrt(1 - beta2**count)
        corrected = rate * root / (1 - beta1**count)
        firsts = [beta1 * m + (1 - beta1) * g for m, g in zip(firsts, gradients, strict=True)]
        seconds = [beta2 * v + (1 - beta2) * g * g for v, g in zip(seconds, gradients, strict=True)]
        parameters = [
            p - corrected * m / (jnp.sqrt(v) + epsilon * root)
            for p, m, v in zip(parameters, firsts, seconds, strict=True)
        ]
        return value, count, parameters, firsts, seconds

    whole = _mode(update)
    state = (
        jnp.float32(0),
        parameters,
        [jnp.zeros_like(p) for p in parameters],
        [jnp.zeros_like(p) for p in parameters],
    )

    def step() -> Any:
        nonlocal state
        value, *state = jax.block_until_ready(whole(*state, batch))
        return value, state[1]

    return step


def _gradients(loss: Callable[..., Any], parameters: Any, *rest: Any) -> Step:
    """The loss and its gradients with respect to the first argument."""
    whole = _mode(jax.value_and_grad(loss))
    parameters, rest = jax.tree.map(jnp.asarray, (parameters, rest))
    return lambda: jax.block_until_ready(whole(parameters, *rest))


def rosenbrock() -> Step:
    def loss(x: Any) -> Any:
        head, tail = x[:-1], x[1:]
        return jnp.sum(100.0 * (tail - head**2) ** 2 + (1.0 - head) ** 2)

    return _gradients(loss, data.rosenbrock())


def elementwise_1e6() -> Step:
    return _elementwise(1_000_000)


def elementwise_1e4() -> Step:
    return _elementwise(10_000)


def _elementwise(size: int) -> Step:
    return _gradients(
        lambda x: jnp.sum(jnp.tanh(2.0 * x + 1.0) * jnp.exp(-(x**2))), data.elementwise(size)
    )


def cnn() -> Step:
    pictures, *filters = data.cnn()

    def convolve(x: Any, filters: Any) -> Any:
        return jax.lax.conv_general_dilated(
            x, filters, (1, 1), "SAME", dimension_numbers=("NHWC", "HWIO", "NHWC")
        )

    def loss(filters: Any, pictures: Any) -> Any:
        h = jax.nn.relu(convolve(pictures, filters[0]))
        window = (1, 2, 2, 1)
        h = jax.lax.reduce_window(h, -jnp.inf, jax.lax.max, window, window, "VALID")
        h = jax.nn.relu(convolve(h, filters[1]))
        return jnp.mean(h**2)

    return _gradients(loss, filters, pictures)


def _layer_norm(x: Any, scale: Any, offset: Any) -> Any:
    mean = jnp.mean(x, axis=-1, keepdims=True)
    variance = jnp.mean((x - mean) ** 2, axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(variance + data.NORM_EPSILON) * scale + offset


def attention() -> Step:
    x, parameters = data.attention()
    batch, length, width = x.shape
    depth = width // data.HEADS

    def heads(y: Any) -> Any:
        return y.reshape(batch, length, data.HEADS, depth).transpose(0, 2, 1, 3)

    def loss(parameters: Any, x: Any) -> Any:
        g1, b1, w_qkv, b_qkv, w_out, b_out, g2, b2, w_up, b_up, w_down, b_down = parameters
        h = _layer_norm(x, g1, b1)
        q, k, v = (heads(y) for y in jnp.split(h @ w_qkv + b_qkv, 3, axis=-1))
        weights = jax.nn.softmax(q @ k.swapaxes(-1, -2) * depth**-0.5)
        mixed = (weights @ v).transpose(0, 2, 1, 3).reshape(batch, length, width)
        x = x + (mixed @ w_out + b_out)
        h = _layer_norm(x, g2, b2)
        x = x + (jax.nn.gelu(h @ w_up + b_up, approximate=False) @ w_down + b_down)
        return jnp.mean(x**2)

    return _gradients(loss, parameters, x)


def lstm() -> Step:
    inputs, parameters = data.lstm()

    def cell(carry: Any, x: Any, parameters: Any) -> Any:
        w, u, bias = parameters
        h, c = carry
        i, f, g, o = jnp.split(x @ w + h @ u + bias, 4, axis=1)
        c = jax.nn.sigmoid(f) * c + jax.nn.sigmoid(i) * jnp.tanh(g)
        return jax.nn.sigmoid(o) * jnp.tanh(c), c

    def loss(parameters: Any, inputs: Any) -> Any:
        carry = (jnp.zeros((32, 128)), jnp.zeros((32, 128)))
        if MODE == "compiled":
            carry, _ = jax.lax.scan(lambda c, x: (cell(c, x, parameters), None), carry, inputs)
        else:
            for x in inputs:
                carry = cell(carry, x, parameters)
        return jnp.mean(carry[0] ** 2)

    return _gradients(loss, parameters, inputs)


def embedding() -> Step:
    table, ids = map(jnp.asarray, data.embedding())

    def update(table: Any, ids: Any) -> Any:
        rows = table[ids]
        value, gradient = jax.value_and_grad(lambda rows: jnp.sum(rows**2))(rows)
        return value, table.at[ids].add(-data.EMBEDDING_RATE * gradient)

    # The compiled form may write into the table it is given, as everyone else does.
    whole = jax.jit(update, donate_argnums=0) if MODE == "compiled" else update

    def step() -> Any:
        nonlocal table
        value, table = jax.block_until_ready(whole(table, ids))
        return value, table

    return step


def pinn() -> Step:
    parameters, x, t = data.pinn()

    def field(parameters: Any, x: Any, t: Any) -> Any:
        w1, b1, w2, b2, w3, b3 = parameters
        h = jnp.tanh(jnp.concatenate([x, t], axis=1) @ w1 + b1)
        return jnp.tanh(h @ w2 + b2) @ w3 + b3

    def loss(parameters: Any, x: Any, t: Any) -> Any:
        def first(x: Any) -> Any:
            u, back = jax.vjp(lambda x, t: field(parameters, x, t), x, t)
            u_x, u_t = back(jnp.ones_like(u))
            return jnp.sum(u_x), (u, u_x, u_t)

        u_xx, (u, u_x, u_t) = jax.grad(first, has_aux=True)(x)
        return jnp.mean((u_t + u * u_x - data.VISCOSITY * u_xx) ** 2)

    return _gradients(loss, parameters, x, t)


def cross_entropy() -> Step:
    def loss(logits: Any, labels: Any) -> Any:
        probabilities = jax.nn.log_softmax(logits)
        return -jnp.mean(jnp.take_along_axis(probabilities, labels[:, None], axis=1))

    return _gradients(loss, *data.cross_entropy())


def layer_norm() -> Step:
    return _norm(_layer_norm)


def batch_norm() -> Step:
    def batch_norm(x: Any, scale: Any, offset: Any) -> Any:
        mean = jnp.mean(x, axis=0)
        variance = jnp.mean((x - mean) ** 2, axis=0)
        return (x - mean) * jax.lax.rsqrt(variance + data.NORM_EPSILON) * scale + offset

    return _norm(batch_norm)


def _norm(function: Callable[[Any, Any, Any], Any]) -> Step:
    x, scale, offset, arriving = map(jnp.asarray, data.norm())

    def gradients(x: Any, scale: Any, offset: Any, arriving: Any) -> Any:
        _, back = jax.vjp(function, x, scale, offset)
        return back(arriving)

    whole = _mode(gradients)
    return lambda: jax.block_until_ready(whole(x, scale, offset, arriving))


# Beyond the first gradient.


def _ready(function: Callable[..., Any], *arguments: Any) -> Step:
    whole = _mode(function)
    arguments = jax.tree.map(jnp.asarray, arguments)
    return lambda: jax.block_until_ready(whole(*arguments))


def jacobian() -> Step:
    return _ready(jax.jacrev(lambda x, w: jnp.tanh(w @ x)), *reversed(data.jacobian()))


def jacobian_whole() -> Step:
    return _ready(jax.jacfwd(lambda x, w: jnp.tanh(w @ x)), *reversed(data.long_jacobian()))


def jacobian_square() -> Step:
    return _ready(jax.jacrev(lambda x, w: jnp.tanh(w @ x)), *reversed(data.square_jacobian()))


def _tanh_mlp(layers: Any, x: Any) -> Any:
    *hidden, (w, b) = layers
    for inner, bias in hidden:
        x = jnp.tanh(x @ inner + bias)
    return x @ w + b


def tall_jacobian() -> Step:
    return _ready(jax.jacfwd(_tanh_mlp, 1), *data.tall_jacobian())


def batch_jacobian() -> Step:
    return _ready(jax.vmap(jax.jacrev(_tanh_mlp, 1), (None, 0)), *data.batch_jacobian())


def per_example() -> Step:
    def loss(layers: Any, x: Any, label: Any) -> Any:
        return -jax.nn.log_softmax(_tanh_mlp(layers, x))[label]

    return _ready(jax.vmap(jax.grad(loss), (None, 0, 0)), *data.per_example())


def _valley(x: Any) -> Any:
    return (100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2).sum()


def hessian() -> Step:
    return _ready(jax.hessian(_valley), data.valley(20)[0])


def hvp() -> Step:
    return _ready(lambda x, v: jax.jvp(jax.grad(_valley), (x,), (v,))[1], *data.valley(1000))


def tanh_sixth() -> Step:
    derivative = jnp.tanh
    for _ in range(6):
        derivative = jax.grad(derivative)
    return _ready(jax.vmap(derivative), data.points())


def laplacian() -> Step:
    layers, xy, wanted = data.laplacian()

    def loss(layers: Any, xy: Any, wanted: Any) -> Any:
        field = lambda p: _tanh_mlp(layers, p)[0]
        curvature = jax.vmap(lambda p: jnp.trace(jax.hessian(field)(p)))(xy)
        return ((curvature[:, None] - wanted) ** 2).mean()

    return _ready(jax.value_and_grad(loss), layers, xy, wanted)


def _relu_mlp(layers: Any, x: Any) -> Any:
    *hidden, (w, b) = layers
    for inner, bias in hidden:
        x = jax.nn.relu(x @ inner + bias)
    return x @ w + b


def mlp_forward() -> Step:
    layers, x, _ = data.wide_mlp()
    return _ready(_relu_mlp, layers, x)


def mlp_tangent() -> Step:
    layers, x, _ = data.wide_mlp()
    push = lambda layers, x, way: jax.jvp(lambda x: _relu_mlp(layers, x), (x,), (way,))
    return _ready(push, layers, x, np.ones_like(x))
