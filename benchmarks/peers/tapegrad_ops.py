"""The ops of `op_data` as a program for TensorFlow calls them."""

from collections.abc import Callable
from typing import Any

import op_arrays
import op_data

import tapegrad as tf
from data import flat
from tapegrad import core

OPS: dict[str, Callable[..., Any]] = {
    "abs": tf.abs,
    "negative": tf.negative,
    "exp": tf.exp,
    "expm1": tf.math.expm1,
    "log": tf.math.log,
    "log1p": tf.math.log1p,
    "log2": tf.experimental.numpy.log2,
    "log10": tf.experimental.numpy.log10,
    "sqrt": tf.sqrt,
    "rsqrt": tf.math.rsqrt,
    "square": tf.square,
    "reciprocal": tf.math.reciprocal,
    "sin": tf.sin,
    "cos": tf.cos,
    "tan": tf.tan,
    "tanh": tf.tanh,
    "sinh": tf.sinh,
    "cosh": tf.cosh,
    "asin": tf.asin,
    "acos": tf.acos,
    "atan": tf.atan,
    "asinh": tf.asinh,
    "acosh": tf.acosh,
    "atanh": tf.atanh,
    "sigmoid": tf.sigmoid,
    "log_sigmoid": tf.math.log_sigmoid,
    "softplus": tf.nn.softplus,
    "softsign": tf.nn.softsign,
    "relu": tf.nn.relu,
    "relu6": tf.nn.relu6,
    "leaky_relu": lambda x: tf.nn.leaky_relu(x, alpha=0.2),
    "elu": tf.nn.elu,
    "selu": tf.nn.selu,
    "gelu": lambda x: tf.nn.gelu(x, approximate=False),
    "gelu_tanh": lambda x: tf.nn.gelu(x, approximate=True),
    "silu": tf.nn.silu,
    "hard_sigmoid": lambda x: tf.nn.relu6(x + 3.0) / 6.0,
    "erf": tf.math.erf,
    "erfc": tf.math.erfc,
    "erfinv": tf.math.erfinv,
    "lgamma": tf.math.lgamma,
    "digamma": tf.math.digamma,
    "floor": tf.floor,
    "round": tf.round,
    "sign": tf.sign,
    "is_nan": tf.math.is_nan,
    "clip": lambda x: tf.clip_by_value(x, -0.5, 0.5),
    "cast_to_float64": lambda x: tf.cast(x, tf.float64),
    "cast_to_bfloat16": lambda x: tf.cast(x, tf.bfloat16),
    "cast_to_int32": lambda x: tf.cast(x, tf.int32),
    "cast_from_int32": lambda x: tf.cast(x, tf.float32),
    "cast_from_uint8": lambda x: tf.cast(x, tf.float32),
    "add": tf.add,
    "subtract": tf.subtract,
    "multiply": tf.multiply,
    "multiply_by_number": lambda x: x * 2.5,
    "divide": tf.divide,
    "maximum": tf.maximum,
    "power": tf.pow,
    "power_3": lambda x: x**3,
    "squared_difference": tf.math.squared_difference,
    "floor_divide": tf.math.floordiv,
    "mod": tf.math.floormod,
    "atan2": tf.atan2,
    "xlogy": tf.math.xlogy,
    "equal": tf.equal,
    "less": tf.less,
    "logical_and": tf.logical_and,
    "where": lambda x, y, condition: tf.where(condition, x, y),
    "add_row": tf.add,
    "add_column": lambda x, column: x + column[:, None],
    "add_n": lambda *tensors: tf.add_n(tensors),
    "lerp": lambda x, y: x + 0.3 * (y - x),
    "sum": tf.reduce_sum,
    "sum_rows": lambda x: tf.reduce_sum(x, axis=-1),
    "sum_columns": lambda x: tf.reduce_sum(x, axis=0),
    "sum_short_rows": lambda x: tf.reduce_sum(x, axis=-1),
    "mean": tf.reduce_mean,
    "mean_rows": lambda x: tf.reduce_mean(x, axis=-1, keepdims=True),
    "max": tf.reduce_max,
    "max_rows": lambda x: tf.reduce_max(x, axis=-1),
    "max_short_rows": lambda x: tf.reduce_max(x, axis=-1),
    "min_columns": lambda x: tf.reduce_min(x, axis=0),
    "prod_rows": lambda x: tf.reduce_prod(x, axis=-1),
    "any": tf.reduce_any,
    "all_rows": lambda x: tf.reduce_all(x, axis=-1),
    "count_nonzero": tf.math.count_nonzero,
    "argmax": lambda x: tf.argmax(x, axis=-1),
    "argmax_short_rows": lambda x: tf.argmax(x, axis=-1),
    "argmin_columns": lambda x: tf.argmin(x, axis=0),
    "logsumexp": lambda x: tf.reduce_logsumexp(x, axis=-1),
    "std": tf.math.reduce_std,
    "variance_rows": lambda x: tf.math.reduce_variance(x, axis=-1),
    "norm": tf.norm,
    "norm_rows": lambda x: tf.norm(x, axis=-1),
    "l2_normalize": lambda x: tf.math.l2_normalize(x, axis=-1),
    "moments": lambda x: tf.nn.moments(x, axes=[-1]),
    "cumsum": lambda x: tf.cumsum(x, axis=-1),
    "cumprod": lambda x: tf.math.cumprod(x, axis=-1),
    "cumsum_columns": tf.cumsum,
    "softmax": tf.nn.softmax,
    "softmax_short_rows": tf.nn.softmax,
    "log_softmax": tf.nn.log_softmax,
    "sort": tf.sort,
    "argsort": tf.argsort,
    "top_k": lambda x: tf.math.top_k(x, k=2).values,
    "searchsorted": tf.searchsorted,
    "unique": lambda x: tf.size(tf.unique(x).y),
    "bincount": lambda x: tf.math.bincount(x, minlength=100),
    "segment_sum": lambda x, segments: tf.math.unsorted_segment_sum(x, segments, len(x) // 2),
    "reshape": lambda x: tf.reshape(x, [-1, 2]),
    "expand_dims": lambda x: tf.expand_dims(x, axis=1),
    "squeeze": lambda x: tf.squeeze(x),
    "transpose": tf.transpose,
    "add_transpose": lambda x: x + tf.transpose(x),
    "merge_heads": lambda x: tf.reshape(
        tf.transpose(x, [0, 2, 1, 3]), [x.shape[0], x.shape[2], x.shape[1] * x.shape[3]]
    ),
    "concat": lambda x, y: tf.concat([x, y], axis=-1),
    "stack": lambda x, y: tf.stack([x, y], axis=1),
    "unstack": lambda x: tf.unstack(x, axis=1),
    "split": lambda x: tf.split(x, 2, axis=1),
    "slice": lambda x: tf.slice(x, [1, 1], [-1, -1]),
    "getitem": lambda x: x[1:, :-1],
    "getitem_stride": lambda x: x[:, ::2],
    "tile": lambda x: tf.tile(x, [2, 2]),
    "repeat": lambda x: tf.repeat(x, 2, axis=0),
    "broadcast_to": lambda x: tf.broadcast_to(x, [len(x), len(x)]) + 0.0,
    "pad": lambda x: tf.pad(x, [[1, 1], [2, 2]]),
    "reverse": lambda x: tf.reverse(x, axis=[1]),
    "roll": lambda x: tf.roll(x, shift=1, axis=1),
    "gather": tf.gather,
    "gather_columns": lambda x, columns: tf.gather(x, columns, axis=1),
    "gather_nd": lambda x, rows: tf.gather_nd(x, rows[:, None]),
    "scatter_update": lambda x, rows, values: tf.tensor_scatter_nd_update(x, rows[:, None], values),
    "one_hot": lambda labels: tf.one_hot(labels, 10),
    "boolean_mask": tf.boolean_mask,
    "zeros_like": tf.zeros_like,
    "fill": lambda x: tf.fill(x.shape, 2.5),
    "range": lambda x: tf.range(x.shape[0] * x.shape[1]),
    "linspace": lambda x: tf.linspace(0.0, 1.0, x.shape[0] * x.shape[1]),
    "eye": lambda x: tf.eye(x.shape[0]),
    "diag_part": tf.linalg.diag_part,
    "band_part": lambda x: tf.linalg.band_part(x, -1, 0),
    "random_uniform": lambda x: tf.random.uniform(x.shape),
    "random_normal": lambda x: tf.random.normal(x.shape),
    "dropout": lambda x: tf.nn.dropout(x, rate=0.3),
    "matmul": tf.matmul,
    "matmul_transposed": lambda x, y: tf.matmul(x, y, transpose_b=True),
    "matmul_batch": tf.matmul,
    "matvec": tf.linalg.matvec,
    "tensordot": lambda x, y: tf.tensordot(x, y, axes=1),
    "einsum_heads": lambda x, y: tf.einsum("bij,bkj->bik", x, y),
    "outer": lambda x, y: x[:, None] * y[None, :],
    "dense": lambda x, weights, bias: tf.matmul(x, weights) + bias,
    "trace": tf.linalg.trace,
    "cholesky": tf.linalg.cholesky,
    "cholesky_solve": lambda x, y: tf.linalg.cholesky_solve(tf.linalg.cholesky(x), y),
    "solve": tf.linalg.solve,
    "triangular_solve": tf.linalg.triangular_solve,
    "inv": tf.linalg.inv,
    "det": tf.linalg.det,
    "slogdet": lambda x: tf.linalg.slogdet(x)[1],
    "qr": lambda x: tf.linalg.qr(x).r,
    "svd": lambda x: tf.linalg.svd(x)[0],
    "eigh": lambda x: tf.linalg.eigh(x)[0],
    "bias_add": tf.nn.bias_add,
    "conv1d": lambda x, filters: tf.nn.conv1d(x, filters, stride=1, padding="SAME"),
    "conv2d": lambda x, filters: tf.nn.conv2d(x, filters, strides=1, padding="SAME"),
    "depthwise_conv2d": lambda x, filters: tf.nn.depthwise_conv2d(
        x, filters, strides=[1, 1, 1, 1], padding="SAME"
    ),
    "conv2d_transpose": lambda x, filters: tf.nn.conv2d_transpose(
        x, filters, output_shape=x.shape, strides=1, padding="SAME"
    ),
    "max_pool": lambda x: tf.nn.max_pool2d(x, ksize=2, strides=2, padding="VALID"),
    "avg_pool": lambda x: tf.nn.avg_pool2d(x, ksize=2, strides=2, padding="VALID"),
    "global_avg_pool": lambda x: tf.reduce_mean(x, axis=[1, 2]),
    "batch_norm_training": lambda x, scale, offset: tf.compat.v1.nn.fused_batch_norm(
        x, scale, offset, epsilon=1e-3, is_training=True
    )[0],
    "layer_norm": lambda x, scale, offset: layer_norm(x, scale, offset),
    "resize_nearest": lambda x: tf.image.resize(x, [2 * x.shape[1], 2 * x.shape[2]], "nearest"),
    "resize_bilinear": lambda x: tf.image.resize(x, [2 * x.shape[1], 2 * x.shape[2]], "bilinear"),
    "embedding": tf.nn.embedding_lookup,
    "softmax_cross_entropy": lambda x, labels: tf.nn.softmax_cross_entropy_with_logits(
        labels=labels, logits=x
    ),
    "sparse_cross_entropy": lambda x, labels: tf.nn.sparse_softmax_cross_entropy_with_logits(
        labels=labels, logits=x
    ),
    "sigmoid_cross_entropy": lambda x, labels: tf.nn.sigmoid_cross_entropy_with_logits(
        labels=labels, logits=x
    ),
    "binary_cross_entropy": lambda x, labels: binary_cross_entropy(x, labels),
    "mean_squared_error": lambda x, y: tf.reduce_mean(tf.math.squared_difference(x, y)),
    "mean_absolute_error": lambda x, y: tf.reduce_mean(tf.abs(x - y)),
    "huber": lambda x, y: huber(x, y),
    "kl_divergence": lambda x, y: tf.reduce_sum(y * tf.math.log(y / x), axis=-1),
    "cosine_similarity": lambda x, y: tf.reduce_sum(
        tf.math.l2_normalize(x, axis=-1) * tf.math.l2_normalize(y, axis=-1), axis=-1
    ),
    "l2_loss": tf.nn.l2_loss,
    "attention": lambda queries, keys, values: attention(queries, keys, values),
    "sgd_step": lambda x, y: tf.subtract(x, 0.01 * y),
}


def layer_norm(x: Any, scale: Any, offset: Any) -> Any:
    mean, variance = tf.nn.moments(x, axes=[-1], keepdims=True)
    return tf.nn.batch_normalization(x, mean, variance, offset, scale, 1e-3)


def binary_cross_entropy(x: Any, labels: Any) -> Any:
    x = tf.clip_by_value(x, 1e-7, 1 - 1e-7)
    return -tf.reduce_mean(labels * tf.math.log(x) + (1 - labels) * tf.math.log(1 - x))


def huber(x: Any, y: Any) -> Any:
    error = tf.abs(x - y)
    return tf.reduce_mean(tf.where(error <= 1.0, 0.5 * tf.square(error), error - 0.5))


def attention(queries: Any, keys: Any, values: Any) -> Any:
    scores = tf.matmul(queries, keys, transpose_b=True) * queries.shape[-1] ** -0.5
    return tf.matmul(tf.nn.softmax(scores), values)


def op(name: str, size: str, dtype: str, way: str) -> Callable[[], Any] | None:
    """A call of the op, or a call with its gradient."""
    if name not in OPS:
        return None
    row = op_data.OPS[name]
    function = OPS[name]
    tensors = [tensor(array, dtype) for array in op_arrays.arrays(name, int(size))]
    if way == "forward":
        return answering(lambda: function(*tensors), row.compared)
    watched = tensors[: row.gradients]
    result = function(*tensors)
    dys = [tensor(op_arrays.direction(part.shape), part.dtype) for part in flat(result)]
    dy = dys if isinstance(result, (list, tuple)) else dys[0]

    def gradient() -> Any:
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(watched)
            y = function(*tensors)
        return tape.gradient(y, watched, output_gradients=dy)

    return answering(gradient, row.compared)


class Calls(core.Observer):  # type: ignore[misc]
    """Notes the ops that a call runs."""

    def __init__(self) -> None:
        self.made: list[tuple[Any, list[Any], tuple[Any, ...]]] = []

    def observe(
        self, op: Any, inputs: list[Any], outputs: list[Any], attributes: tuple[Any, ...]
    ) -> None:
        if hasattr(op, "run"):
            arrays = [core.static_value(tensor, "benchmark") for tensor in inputs]
            self.made.append((op, arrays, attributes))


def kernels(name: str, size: str, dtype: str) -> Callable[[], Any] | None:
    """The kernels of a call of the op, without anything around them."""
    if name not in OPS:
        return None
    tensors = [tensor(array, dtype) for array in op_arrays.arrays(name, int(size))]
    with Calls() as calls:
        OPS[name](*tensors)

    def run() -> Any:
        for op, arrays, attributes in calls.made:
            op.run(arrays, attributes)

    return answering(run, False)


def tensor(array: Any, dtype: Any) -> Any:
    made = tf.constant(array)
    return tf.cast(made, dtype) if made.dtype.is_floating else made


def answering(step: Any, compared: bool) -> Any:
    """``step``, with an attribute `answer`: a function that gives what the peers must agree on."""

    def answer() -> Any:
        result = step()
        parts = [] if result is None else [tf.convert_to_tensor(part) for part in flat(result)]
        if not compared:
            return [tf.constant(part.shape) for part in parts]
        return [tf.cast(part, tf.float64) for part in parts]

    step.answer = answer
    return step
