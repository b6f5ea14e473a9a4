"""The workloads in plain GradientTape code, or each step as one `tf.function` where MODE says compiled."""

import functools
from collections.abc import Callable
from typing import Any

import common_workloads
import numpy as np
from tapegrad_ops import kernels as kernels
from tapegrad_ops import op as op

import data
import tapegrad as tf
from tapegrad.engines.numpy import levels

VERSION = tf.version.GIT_VERSION.removeprefix("tapegrad ")
MODE = "eager"

Step = Callable[[], Any]


def vectors() -> dict[str, str]:
    return {"level": levels.NAMES[levels.levels()[1]]}


def arrays(answer: Any) -> list[Any]:
    return [np.array(array) for array in data.flat(answer)]


def _mode(step: Callable[..., Any], *arguments: Any) -> Step:
    """The step for these arguments, given at each call, so that no recording holds them as constants."""
    whole = _decorate(step)
    return functools.partial(whole, *arguments) if arguments else whole


def _decorate(function: Callable[..., Any]) -> Callable[..., Any]:
    return tf.function(function) if MODE == "compiled" else function


def _training(step: Step, variables: Any) -> Step:
    """A step that answers with the variables too, which are no result of the recorded function."""
    whole = _mode(step)
    return lambda: (whole(), variables)


def _derivative(function: Callable[[Any], Any]) -> Step:
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return _mode(step, tf.constant(data.SCALAR))


def _power(x: Any, factor: Any, count: int) -> Any:
    y = x
    for _ in range(count):
        y = y * factor
    return y


def multiply_20() -> Step:
    return _derivative(lambda x: _power(x, x, 20))


def multiply_20_forward() -> Step:
    return _mode(lambda x: _power(x, x, 20), tf.constant(data.SCALAR))


def multiply_20_recorded() -> Step:
    x = tf.constant(data.SCALAR)

    def step() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            return _power(x, x, 20)

    return step


def multiply_20_constant() -> Step:
    factor = tf.constant(2.0)
    return _derivative(lambda x: _power(x, factor, 20))


def multiply_20_number() -> Step:
    return _derivative(lambda x: _power(x, 2.0, 20))


def multiply_20_number_forward() -> Step:
    return _mode(lambda x: _power(x, 2.0, 20), tf.constant(data.SCALAR))


def multiply_20_second_order() -> Step:
    return _derivative_of_derivative(lambda x: _power(x, x, 20))


def _derivative_of_derivative(function: Callable[[Any], Any]) -> Step:
    def step(x: Any) -> Any:
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = function(x)
            first = inner.gradient(y, x)
        return outer.gradient(first, x)

    return _mode(step, tf.constant(data.SCALAR))


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
    x = tf.constant(data.SCALAR)

    def record() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            return tape, _power(x, x, data.KEPT_OPS)

    return record


def _variables(layers: Any) -> list[Any]:
    return [tf.Variable(array) for layer in layers for array in layer]


def _descend(variables: list[Any], gradients: list[Any]) -> None:
    for variable, gradient in zip(variables, gradients, strict=True):
        variable.assign_sub(data.LEARNING_RATE * gradient)


def small_mlp() -> Step:
    layers, x, y = data.small_mlp()
    x, y = tf.constant(x), tf.constant(y)
    variables = _variables(layers)
    w1, b1, w2, b2, w3, b3 = variables

    def step() -> Any:
        with tf.GradientTape() as tape:
            h = tf.tanh(x @ w1 + b1)
            h = tf.tanh(h @ w2 + b2)
            loss = tf.reduce_mean((h @ w3 + b3 - y) ** 2)
        _descend(variables, tape.gradient(loss, variables))
        return loss

    return _training(step, variables)


def wide_mlp() -> Step:
    layers, x, labels = data.wide_mlp()
    x, labels = tf.constant(x), tf.constant(labels)
    variables = _variables(layers)
    w1, b1, w2, b2, w3, b3 = variables

    def step() -> Any:
        with tf.GradientTape() as tape:
            h = tf.nn.relu(x @ w1 + b1)
            h = tf.nn.relu(h @ w2 + b2)
            logits = h @ w3 + b3
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            )
        _descend(variables, tape.gradient(loss, variables))
        return loss

    return _training(step, variables)


def deep_mlp() -> Step:
    layers, x = data.deep_mlp()
    x = tf.constant(x)
    variables = _variables(layers)

    def step() -> Any:
        with tf.GradientTape() as tape:
            h = x
            for weights, bias in zip(variables[::2], variables[1::2], strict=True):
                h = tf.nn.relu(h @ weights + bias)
            loss = tf.reduce_mean(h * h)
        gradients = tape.gradient(loss, variables)
        return tf.reduce_sum(gradients[0])

    return _mode(step)


def wide_mlp_adam() -> Step:
    layers, x, labels = data.wide_mlp()
    x, labels = tf.constant(x), tf.constant(labels)
    variables = _variables(layers)
    w1, b1, w2, b2, w3, b3 = variables
    firsts = [tf.Variable(tf.zeros_like(variable)) for variable in variables]
    seconds = [tf.Variable(tf.zeros_like(variable)) for variable in variables]
    count = tf.Variable(0.0)
    rate, beta1, beta2, epsilon = data.ADAM.values()

    def adam(gradients: list[Any]) -> None:
        count.assign_add(1.0)
        root = tf.sqrt(1.0 - beta2**count)
        corrected = rate * root / (1.0 - beta1**count)
        offset = epsilon * root
        for variable, m, v, gradient in zip(variables, firsts, seconds, gradients, strict=True):
            m.assign(beta1 * m + (1.0 - beta1) * gradient)
            v.assign(beta2 * v + (1.0 - beta2) * tf.square(gradient))
            variable.assign_sub(corrected * m / (tf.sqrt(v) + offset))

    def step() -> Any:
        with tf.GradientTape() as tape:
            h = tf.nn.relu(x @ w1 + b1)
            h = tf.nn.relu(h @ w2 + b2)
            logits = h @ w3 + b3
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            )
        adam(tape.gradient(loss, variables))
        return loss

    return _training(step, variables)


def rosenbrock() -> Step:
    x = tf.Variable(data.rosenbrock())

    def step() -> Any:
        with tf.GradientTape() as tape:
            head, tail = x[:-1], x[1:]
            loss = tf.reduce_sum(100.0 * (tail - head**2) ** 2 + (1.0 - head) ** 2)
        return loss, tape.gradient(loss, x)

    return _mode(step)


def elementwise_1e6() -> Step:
    return _elementwise(1_000_000)


def elementwise_1e4() -> Step:
    return _elementwise(10_000)


def _elementwise(size: int) -> Step:
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.tanh(2.0 * x + 1.0) * tf.exp(-(x**2)))
        return y, tape.gradient(y, x)

    return _mode(step, tf.constant(data.elementwise(size)))


def cnn() -> Step:
    pictures, *filters = data.cnn()
    pictures = tf.constant(pictures)
    filters = [tf.Variable(each) for each in filters]

    def step() -> Any:
        with tf.GradientTape() as tape:
            h = tf.nn.relu(tf.nn.conv2d(pictures, filters[0], strides=1, padding="SAME"))
            h = tf.nn.max_pool2d(h, ksize=2, strides=2, padding="VALID")
            h = tf.nn.relu(tf.nn.conv2d(h, filters[1], strides=1, padding="SAME"))
            loss = tf.reduce_mean(h**2)
        return loss, tape.gradient(loss, filters)

    return _mode(step)


def _layer_norm(x: Any, scale: Any, offset: Any) -> Any:
    mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, data.NORM_EPSILON)


def attention() -> Step:
    x, parameters = data.attention()
    x = tf.constant(x)
    variables = [tf.Variable(array) for array in parameters]
    g1, b1, w_qkv, b_qkv, w_out, b_out, g2, b2, w_up, b_up, w_down, b_down = variables
    batch, length, width = x.shape
    depth = width // data.HEADS

    def heads(y: Any) -> Any:
        return tf.transpose(tf.reshape(y, (batch, length, data.HEADS, depth)), (0, 2, 1, 3))

    def block(x: Any) -> Any:
        h = _layer_norm(x, g1, b1)
        q, k, v = (heads(y) for y in tf.split(h @ w_qkv + b_qkv, 3, axis=-1))
        weights = tf.nn.softmax(tf.matmul(q, k, transpose_b=True) * depth**-0.5)
        mixed = tf.reshape(tf.transpose(weights @ v, (0, 2, 1, 3)), (batch, length, width))
        x = x + (mixed @ w_out + b_out)
        h = _layer_norm(x, g2, b2)
        return x + (tf.nn.gelu(h @ w_up + b_up) @ w_down + b_down)

    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(block(x) ** 2)
        return loss, tape.gradient(loss, variables)

    return _mode(step)


def lstm() -> Step:
    inputs, parameters = data.lstm()
    inputs = [tf.constant(each) for each in inputs]
    variables = [tf.Variable(array) for array in parameters]
    w, u, bias = variables

    def step() -> Any:
        with tf.GradientTape() as tape:
            h = c = tf.zeros((32, 128))
            for x in inputs:
                i, f, g, o = tf.split(x @ w + h @ u + bias, 4, axis=1)
                c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
                h = tf.sigmoid(o) * tf.tanh(c)
            loss = tf.reduce_mean(h**2)
        return loss, tape.gradient(loss, variables)

    return _mode(step)


lstm_fused = lstm


def embedding() -> Step:
    table, ids = data.embedding()
    table, ids = tf.Variable(table), tf.constant(ids)

    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, ids) ** 2)
        gradient = tape.gradient(loss, table)
        change = tf.IndexedSlices(data.EMBEDDING_RATE * gradient.values, gradient.indices)
        table.scatter_sub(change)
        return loss

    return _training(step, table)


def pinn() -> Step:
    parameters, x, t = data.pinn()
    x, t = tf.constant(x), tf.constant(t)
    variables = [tf.Variable(array) for array in parameters]
    w1, b1, w2, b2, w3, b3 = variables

    def field(x: Any, t: Any) -> Any:
        h = tf.tanh(tf.concat([x, t], axis=1) @ w1 + b1)
        return tf.tanh(h @ w2 + b2) @ w3 + b3

    def step() -> Any:
        with tf.GradientTape() as tape:
            with tf.GradientTape() as second:
                second.watch(x)
                with tf.GradientTape() as first:
                    first.watch([x, t])
                    u = field(x, t)
                u_x, u_t = first.gradient(u, [x, t])
            u_xx = second.gradient(u_x, x)
            loss = tf.reduce_mean((u_t + u * u_x - data.VISCOSITY * u_xx) ** 2)
        return loss, tape.gradient(loss, variables)

    return _mode(step)


def gp() -> Step:
    x, y, parameters = data.gp()
    x, y = tf.constant(x), tf.constant(y)
    variables = [tf.Variable(value) for value in parameters]
    log_length, log_scale, log_noise = variables
    identity = tf.eye(len(data.gp()[0]), dtype=tf.float64)

    def step() -> Any:
        with tf.GradientTape() as tape:
            scaled = x * tf.exp(-log_length)
            squares = tf.reduce_sum(scaled * scaled, axis=1)
            distances = (
                squares[:, None] + squares - 2.0 * tf.matmul(scaled, scaled, transpose_b=True)
            )
            kernel = tf.exp(2.0 * log_scale - 0.5 * distances) + tf.exp(2.0 * log_noise) * identity
            factor = tf.linalg.cholesky(kernel)
            weights = tf.linalg.cholesky_solve(factor, y)
            log_determinant = tf.reduce_sum(tf.math.log(tf.linalg.diag_part(factor)))
            loss = 0.5 * tf.reduce_sum(y * weights) + log_determinant
        return loss, tape.gradient(loss, variables)

    return _mode(step)


def cross_entropy() -> Step:
    logits, labels = data.cross_entropy()
    logits, labels = tf.constant(logits), tf.constant(labels)

    def step(logits: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(logits)
            loss = tf.reduce_mean(
                tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
            )
        return loss, tape.gradient(loss, logits)

    return _mode(step, logits)


def layer_norm() -> Step:
    return _norm(_layer_norm)


def batch_norm() -> Step:
    def batch_norm(x: Any, scale: Any, offset: Any) -> Any:
        y, _, _ = tf.compat.v1.nn.fused_batch_norm(
            x, scale, offset, epsilon=data.NORM_EPSILON, is_training=True
        )
        return y

    return _norm(batch_norm, shape=(8192, 1, 1, 512))  # the op wants pictures


def _norm(function: Callable[[Any, Any, Any], Any], shape: Any = (8192, 512)) -> Step:
    x, scale, offset, arriving = (tf.constant(array) for array in data.norm())
    x, arriving = tf.reshape(x, shape), tf.reshape(arriving, shape)

    def step(x: Any, scale: Any, offset: Any, arriving: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, scale, offset])
            y = function(x, scale, offset)
        return tape.gradient(y, [x, scale, offset], output_gradients=arriving)

    return _mode(step, x, scale, offset, arriving)


def _keras() -> Any:
    tf.stand_in()
    import keras_workloads

    return keras_workloads


def keras_mlp() -> Step:
    return _keras().mlp(eager=False)


def keras_cnn() -> Step:
    return _keras().cnn(eager=False)


def keras_lstm() -> Step:
    return _keras().lstm(eager=False)


def keras_predict(model: str) -> Step:
    return _keras().predict(model)


def keras_answer(model: str, items: str) -> Step:
    return _keras().answer(model, items)


def keras_learn(model: str, items: str) -> Step:
    return _keras().learn(model, items)


def keras_first_calls(model: str, items: str) -> Any:
    return _keras().first_calls(model, items)


def _epoch(dataset: Any) -> Step:
    """A step that reads all batches, and answers with the number of rows and the sum of their labels."""

    def step() -> Any:
        rows = total = 0
        for x, y in dataset:
            rows += x.shape[0]
            total += int(y.numpy().sum())
        return tf.constant([rows, total], tf.float64)

    return step


def shuffled_batches() -> Step:
    dataset = tf.data.Dataset.from_tensor_slices(data.pictures())
    return _epoch(dataset.shuffle(60000).batch(data.BATCH))


def plain_batches() -> Step:
    return _epoch(tf.data.Dataset.from_tensor_slices(data.pictures()).batch(data.BATCH))


def mapped_batches() -> Step:
    dataset = tf.data.Dataset.from_tensor_slices(data.pictures()).take(data.MAPPED_ROWS)
    return _epoch(dataset.map(lambda x, y: (x * 2.0, y)).batch(data.BATCH))


def called_batches() -> Step:
    dataset = tf.data.Dataset.from_tensor_slices(data.pictures()).take(data.MAPPED_ROWS)

    def twice(x: Any, y: Any) -> Any:
        return tf.py_function(lambda x: x * 2.0, [x], tf.float32), y

    return _epoch(dataset.map(twice).batch(data.BATCH))


# Beyond the first gradient.


def jacobian() -> Step:
    w, x = map(tf.constant, data.jacobian())
    whole = tf.autodiff.jacrev(lambda x: tf.tanh(tf.linalg.matvec(w, x)))
    return _mode(whole, x)


def jacobian_whole() -> Step:
    w, x = map(tf.constant, data.long_jacobian())
    whole = tf.autodiff.jacrev(lambda x: tf.tanh(tf.linalg.matvec(w, x)))
    return lambda: whole(x)


def jacobian_chunked() -> Step:
    w, x = map(tf.constant, data.long_jacobian())
    whole = tf.autodiff.jacrev(lambda x: tf.tanh(tf.linalg.matvec(w, x)), chunk_size=100)
    return lambda: whole(x)


def jacobian_square() -> Step:
    w, x = map(tf.constant, data.square_jacobian())
    whole = tf.autodiff.jacrev(lambda x: tf.tanh(tf.linalg.matvec(w, x)))
    return lambda: whole(x)


def jacobian_square_chunked() -> Step:
    w, x = map(tf.constant, data.square_jacobian())
    whole = tf.autodiff.jacrev(lambda x: tf.tanh(tf.linalg.matvec(w, x)), chunk_size=100)
    return lambda: whole(x)


def _tanh_mlp(layers: Any, x: Any) -> Any:
    *hidden, (w, b) = layers
    for inner, bias in hidden:
        x = tf.tanh(x @ inner + bias)
    return x @ w + b


def _constants(layers: Any) -> Any:
    return tf.nest.map_structure(tf.constant, layers)


def tall_jacobian() -> Step:
    layers, x = map(_constants, data.tall_jacobian())

    def step() -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = _tanh_mlp(layers, x[None])[0]
        return tape.jacobian(y, x)

    return step


def batch_jacobian() -> Step:
    layers, x = map(_constants, data.batch_jacobian())

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = _tanh_mlp(layers, x)
        return tape.batch_jacobian(y, x)

    return _mode(step, x)


def per_example() -> Step:
    layers, x, labels = map(_constants, data.per_example())

    def loss(layers: Any, x: Any, label: Any) -> Any:
        return tf.nn.sparse_softmax_cross_entropy_with_logits(label, _tanh_mlp(layers, x[None])[0])

    whole = tf.autodiff.per_example_gradients(loss)
    return _mode(whole, layers, x, labels)


def _valley(x: Any) -> Any:
    return tf.reduce_sum(100 * (x[1:] - x[:-1] ** 2) ** 2 + (1 - x[:-1]) ** 2)


def hessian() -> Step:
    x, _ = map(tf.constant, data.valley(20))
    return _mode(tf.autodiff.hessian(_valley), x)


def hvp() -> Step:
    x, v = map(tf.constant, data.valley(1000))
    return _mode(lambda x, v: tf.autodiff.hvp(_valley, (x,), (v,)), x, v)


def tanh_sixth() -> Step:
    x = tf.constant(data.points())
    return _mode(lambda x: 720.0 * tf.autodiff.taylor(tf.tanh, x, 6)[6], x)


def laplacian() -> Step:
    layers, xy, wanted = data.laplacian()
    layers = tf.nest.map_structure(tf.Variable, layers)
    xy, wanted = tf.constant(xy), tf.constant(wanted)
    ways = [tf.constant([[1.0, 0.0]] * 500), tf.constant([[0.0, 1.0]] * 500)]

    def step() -> Any:
        curvature = 0.0
        with tf.GradientTape() as tape:
            for axis, way in enumerate(ways):
                with tf.autodiff.ForwardAccumulator(xy, way) as accumulator:
                    with tf.GradientTape() as inner:
                        inner.watch(xy)
                        u = _tanh_mlp(layers, xy)
                    slope = inner.gradient(u, xy)
                curvature += accumulator.jvp(slope)[:, axis : axis + 1]
            loss = tf.reduce_mean((curvature - wanted) ** 2)
        return loss, tape.gradient(loss, layers, unconnected_gradients="zero")

    return _mode(step)


def _relu_mlp(layers: Any, x: Any) -> Any:
    *hidden, (w, b) = layers
    for inner, bias in hidden:
        x = tf.nn.relu(x @ inner + bias)
    return x @ w + b


def mlp_forward() -> Step:
    layers, x, _ = map(_constants, data.wide_mlp())
    return _mode(lambda x: _relu_mlp(layers, x), x)


def mlp_tangent() -> Step:
    layers, x, _ = map(_constants, data.wide_mlp())
    way = tf.ones_like(x)
    return lambda: tf.autodiff.jvp(lambda x: _relu_mlp(layers, x), (x,), (way,))


# Many small ops.


def neural_ode() -> Step:
    return common_workloads.neural_ode(tf, _decorate)


def neural_ode_outside() -> Step:
    return common_workloads.neural_ode_outside(tf, _decorate)


def neural_ode_adjoint() -> Step:
    return common_workloads.neural_ode_adjoint(tf, _decorate)


def maml() -> Step:
    return common_workloads.maml(tf, _decorate)


def module_mlp() -> Step:
    return common_workloads.module_mlp(tf, _decorate)
