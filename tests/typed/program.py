"""A program as its author would annotate it, for test_types.py to show to type checkers.

``reveal_type(x)  # T`` says what they must see; they must complain about the lines that end in ``# wrong``,
and about no other. It is never run.
"""

from collections.abc import Callable
from typing import Final, reveal_type

import numpy as np

import tapegrad as tf

# Tensors

x = tf.constant([1.0, 2.0])
y = tf.zeros([2, 2])
reveal_type(x)  # Tensor
reveal_type(x + 1.0)  # Tensor
reveal_type(1.0 + x)  # Tensor
reveal_type(x - [1.0, 2.0])  # Tensor
reveal_type(2**x)  # Tensor
reveal_type(-x)  # Tensor
reveal_type(abs(x))  # Tensor
reveal_type(x @ y)  # Tensor
reveal_type(x == y)  # Tensor
reveal_type(x < 1)  # Tensor
reveal_type(x[0])  # Tensor
reveal_type(y[..., tf.newaxis, :1])  # Tensor
reveal_type(list(y))  # list[Tensor]
reveal_type(x.shape)  # TensorShape
reveal_type(x.dtype)  # DType
reveal_type(float(x[0]))  # float
reveal_type(len(x))  # int
x.transpose()  # wrong
x + None  # wrong
x + {"a": 1.0}  # wrong

# Variables

v = tf.Variable(1.0, name="v", dtype=tf.float32)
reveal_type(v)  # Variable
reveal_type(v + 1)  # Tensor
reveal_type(x * v)  # Tensor
reveal_type(v.assign(2.0))  # Variable
reveal_type(v.assign_add(np.ones(3)))  # Variable
reveal_type(v.assign_sub(x, read_value=False))  # Variable | None
reveal_type(v.scatter_add(tf.IndexedSlices(x, x)))  # Variable
reveal_type(v.value())  # EagerTensor
reveal_type(tf.IndexedSlices(x, x).values)  # Tensor
reveal_type(tf.SparseTensor([[0]], [1.0], [3]).values)  # EagerTensor
reveal_type(tf.random.Generator.from_seed(1).normal([2]))  # Tensor
reveal_type(v[0].assign(5.0))  # Variable
reveal_type(v[0] + 1.0)  # Tensor
v.assign()  # wrong
v.assign(None)  # wrong
v.asign(2.0)  # wrong
tf.Variable(1.0, trainabel=False)  # wrong

# Ops

reveal_type(tf.tanh(x))  # Tensor
reveal_type(tf.tanh(0.5))  # Tensor
reveal_type(tf.math.log([[1, 2], [3, 4]]))  # Tensor
reveal_type(tf.reduce_mean(x, axis=[0, -1], keepdims=True))  # Tensor
reveal_type(tf.reshape(x, [2, -1]))  # Tensor
reveal_type(tf.reshape(x, tf.shape(y)))  # Tensor
reveal_type(tf.nn.softmax(x, axis=-1, name="probabilities"))  # Tensor
reveal_type(tf.nn.conv2d(x, y, strides=[1, 1], padding="SAME"))  # Tensor
reveal_type(tf.concat([x, y, [1.0]], 0))  # Tensor
reveal_type(tf.split(x, 2))  # list[Tensor]
reveal_type(tf.unique(x).idx)  # Tensor
reveal_type(tf.math.top_k(x, k=2).values)  # Tensor
reveal_type(tf.linalg.svd(y))  # tuple[Tensor, Tensor, Tensor]
reveal_type(tf.linalg.svd(y, compute_uv=False))  # Tensor
reveal_type(tf.cast(x, tf.int32))  # Tensor
reveal_type(tf.cast([1, 2], "float64"))  # Tensor
reveal_type(tf.cast(tf.IndexedSlices(x, x), tf.float64))  # IndexedSlices
reveal_type(tf.identity(tf.SparseTensor([[0]], [1.0], [3])))  # SparseTensor
reveal_type(tf.zeros([2, 3], tf.float64))  # Tensor
reveal_type(tf.random.normal((2, 3), stddev=0.1))  # Tensor
reveal_type(tf.cond(x[0] > 1.0, lambda: x, lambda: y))  # Tensor
reveal_type(tf.map_fn(tf.tanh, x))  # Tensor
reveal_type(tf.executing_eagerly())  # bool
reveal_type(tf.raw_ops.Tanh(x=x))  # Tensor
tf.tanh()  # wrong
tf.tanh({})  # wrong
tf.tanh(None)  # wrong
tf.tanh(x, "name", 3)  # wrong
tf.reduce_sum(x, axes=0)  # wrong
tf.reduce_sum(x, axis="rows")  # wrong
tf.reshape(x)  # wrong
tf.cast(x, 3.5)  # wrong
tf.tahn(x)  # wrong
tf.linalg.svd(y, compute_uv=False)[0].item()  # wrong

# Tapes

ZERO: Final = tf.UnconnectedGradients.ZERO
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    loss = tf.reduce_sum(x * x) * v
reveal_type(tape)  # GradientTape
reveal_type(loss)  # Tensor
reveal_type(tape.gradient(loss, x))  # Tensor | Any
reveal_type(tape.gradient(loss, [v]))  # list[Tensor | Any]
reveal_type(tape.gradient(loss, [x, v]))  # list[Tensor | Any]
reveal_type(tape.gradient(loss, (x, v)))  # tuple[Tensor | Any, ...]
reveal_type(tape.gradient(loss, {"x": x}))  # dict[str, Tensor | Any]
reveal_type(tape.jacobian(loss, x))  # Tensor | Any
reveal_type(tape.gradient(loss, x, unconnected_gradients="zero"))  # Tensor | IndexedSlices
reveal_type(tape.gradient(loss, [v], unconnected_gradients=ZERO))  # list[Tensor | IndexedSlices]
reveal_type(tape.gradient(loss, x, unconnected_gradients="none"))  # Tensor | IndexedSlices | None
reveal_type(tape.gradient(loss, {"x": x}, None, "zero"))  # dict[str, Tensor | Any]
reveal_type(tape.jacobian(loss, x, unconnected_gradients="zero"))  # Tensor
reveal_type(tape.jacobian(loss, (x, v), unconnected_gradients="none"))  # tuple[Tensor | None, ...]
reveal_type(tape.batch_jacobian(y, y))  # Tensor
reveal_type(tape.watched_variables())  # tuple[Variable, ...]
tape.gradient(loss, 3.0)  # wrong
tape.gradient(loss)  # wrong
tape.gradient(loss, x).item()  # wrong
tape.gradient(loss, x, unconnected_gradients="none") * 2  # wrong
tape.gradient(loss, x, unconnected_gradients=3)  # wrong
gradients = tape.gradient(loss, [v])
for variable, gradient in zip([v], gradients):
    variable.assign_sub(0.1 * gradient)


# Decorators


@tf.function
def scaled(tensor: tf.Tensor, by: float = 1.0) -> tf.Tensor:
    return tensor * by


@tf.function(jit_compile=True)
def shifted(tensor: tf.Tensor) -> tf.Tensor:
    return tensor + 1.0


@tf.custom_gradient
def clipped(tensor: tf.Tensor) -> tuple[tf.Tensor, Callable[[tf.Tensor], tf.Tensor]]:
    def gradient(dy: tf.Tensor) -> tf.Tensor:
        return tf.clip_by_value(dy, -1.0, 1.0)

    return tensor, gradient


@tf.recompute_grad
def block(tensor: tf.Tensor, times: int = 2) -> tf.Tensor:
    return tensor * times


class Dense(tf.Module):
    def __init__(self, units: int) -> None:
        super().__init__(name="dense")
        self.weight = tf.Variable(tf.random.normal([units, units]))

    @tf.Module.with_name_scope
    def __call__(self, tensor: tf.Tensor) -> tf.Tensor:
        return tensor @ self.weight

    @tf.function
    def step(self, tensor: tf.Tensor, rate: float) -> tf.Tensor:
        return self(tensor) * rate

    @tf.recompute_grad
    def again(self, tensor: tf.Tensor, times: int) -> tf.Tensor:
        return tensor * times


reveal_type(scaled(x, by=2.0))  # Tensor
reveal_type(scaled.python_function(x))  # Tensor
reveal_type(shifted(x))  # Tensor
reveal_type(clipped(x))  # Tensor
reveal_type(block(x, times=3))  # Tensor
reveal_type(block.__wrapped__(x))  # Tensor
reveal_type(tf.grad_pass_through(tf.round)(x))  # Tensor
dense = Dense(3)
reveal_type(dense(x))  # Tensor
reveal_type(dense.step(x, 0.1))  # Tensor
reveal_type(dense.again(x, 2))  # Tensor
reveal_type(dense.trainable_variables)  # tuple[Variable, ...]
scaled("x")  # wrong
scaled(x, 1.0, 2.0)  # wrong
shifted(x, 1.0)  # wrong
clipped()  # wrong
block(x, times="twice")  # wrong
dense(x, x)  # wrong
dense.step(x)  # wrong
dense.again(x, "twice")  # wrong
