"""The table of ops of daily use that `bench_ops` times, and the arrays they get.

`tapegrad_ops.py` and `pytorch_ops.py` have a function of each name. It takes what ``inputs`` names, in that order.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

FOUR, THOUSAND, HUNDRED_THOUSAND, FOUR_MILLION = 4, 1000, 100_000, 4_000_000
SIZES = (FOUR, THOUSAND, HUNDRED_THOUSAND, FOUR_MILLION)
FLOATS = ("float32", "float64", "bfloat16")

# What an input looks like at each of the sizes.
SHAPES: dict[str, tuple[tuple[int, ...], ...]] = {
    "vector": ((4,), (1000,), (100_000,), (4_000_000,)),
    "rows": ((2, 2), (10, 100), (100, 1000), (2000, 2000)),
    "short": ((2, 2), (100, 10), (10_000, 10), (400_000, 10)),
    "heads": ((1, 2, 1, 2), (2, 8, 4, 16), (4, 50, 8, 64), (32, 256, 8, 64)),
    "square": ((2, 2), (32, 32), (316, 316), (2000, 2000)),
    # Decompositions of one large matrix take seconds, so that there are many smaller ones instead.
    "matrix": ((2, 2), (32, 32), (316, 316), (400, 100, 100)),
    "batch": ((1, 2, 2), (4, 16, 16), (16, 79, 79), (64, 250, 250)),
    "pictures": ((1, 2, 2, 1), (1, 8, 8, 16), (8, 28, 28, 16), (32, 56, 56, 40)),
    "signals": ((1, 2, 2), (1, 60, 16), (8, 780, 16), (32, 3125, 40)),
}


@dataclass(frozen=True)
class Op:
    """One op of the table.

    ``inputs`` names the arrays: a shape of SHAPES, or a kind of numbers and a shape (see `array`). ``gradients`` says
    of how many inputs the gradient is taken, counted from the first.
    """

    inputs: str
    gradients: int = 1
    dtypes: tuple[str, ...] = ("float32",)
    # Whether the result has pictures, whose channels PyTorch holds as the second of the axes.
    channels: bool = False
    compared: bool = True  # False for random numbers


ELEMENTWISE = {
    "abs": Op("vector"),
    "negative": Op("vector"),
    "exp": Op("vector", dtypes=FLOATS),
    "expm1": Op("vector"),
    "log": Op("positive vector", dtypes=FLOATS),
    "log1p": Op("positive vector"),
    "sqrt": Op("positive vector", dtypes=FLOATS),
    "rsqrt": Op("positive vector"),
    "square": Op("vector", dtypes=FLOATS),
    "reciprocal": Op("positive vector"),
    "sin": Op("vector", dtypes=FLOATS),
    "cos": Op("vector"),
    "tan": Op("inner vector"),
    "tanh": Op("vector", dtypes=FLOATS),
    "sinh": Op("vector"),
    "cosh": Op("vector"),
    "asin": Op("inner vector"),
    "atan": Op("vector"),
    "asinh": Op("vector"),
    "sigmoid": Op("vector", dtypes=FLOATS),
    "log_sigmoid": Op("vector"),
    "softplus": Op("vector"),
    "softsign": Op("vector"),
    "relu": Op("vector", dtypes=FLOATS),
    "relu6": Op("vector"),
    "leaky_relu": Op("vector"),
    "elu": Op("vector"),
    "selu": Op("vector"),
    "gelu": Op("vector", dtypes=FLOATS),
    "gelu_tanh": Op("vector"),
    "silu": Op("vector", dtypes=FLOATS),
    "hard_sigmoid": Op("vector"),
    "erf": Op("vector", dtypes=FLOATS),
    "lgamma": Op("positive vector", dtypes=("float32", "float64")),
    "digamma": Op("positive vector"),
    "floor": Op("vector", 0),
    "round": Op("vector", 0),
    "sign": Op("vector", 0),
    "is_nan": Op("vector", 0),
    "clip": Op("vector", dtypes=FLOATS),
    "cast_to_float64": Op("vector"),
    "cast_to_bfloat16": Op("vector"),
    "cast_to_int32": Op("vector", 0),
    "cast_from_int32": Op("integer vector", 0),
    "cast_from_uint8": Op("byte vector", 0),
    "add": Op("vector, vector", 2, FLOATS),
    "subtract": Op("vector, vector", 2),
    "multiply": Op("vector, vector", 2, FLOATS),
    "multiply_by_number": Op("vector", dtypes=FLOATS),
    "divide": Op("vector, positive vector", 2, FLOATS),
    "maximum": Op("vector, vector", 2),
    "power": Op("positive vector, vector", 2, ("float32", "float64")),
    "power_3": Op("vector"),
    "squared_difference": Op("vector, vector", 2),
    "floor_divide": Op("vector, positive vector", 0),
    "mod": Op("vector, positive vector", 0),
    "atan2": Op("vector, positive vector", 2),
    "xlogy": Op("vector, positive vector", 2),
    "equal": Op("vector, vector", 0),
    "less": Op("vector, vector", 0),
    "logical_and": Op("truth vector, truth vector", 0),
    "where": Op("vector, vector, truth vector", 2, FLOATS),
    "add_row": Op("rows, last rows", 2, FLOATS),
    "add_column": Op("rows, first rows", 2),
    "add_n": Op("vector, vector, vector", 3),
    "lerp": Op("vector, vector", 2),
}
REDUCTIONS = {
    "sum": Op("rows", dtypes=FLOATS),
    "sum_rows": Op("rows", dtypes=FLOATS),
    "sum_columns": Op("rows", dtypes=FLOATS),
    "sum_short_rows": Op("short"),
    "mean": Op("rows", dtypes=FLOATS),
    "mean_rows": Op("rows"),
    "max": Op("rows"),
    "max_rows": Op("rows", dtypes=FLOATS),
    "max_short_rows": Op("short"),
    "min_columns": Op("rows"),
    "prod_rows": Op("inner rows"),
    "any": Op("truth rows", 0),
    "all_rows": Op("truth rows", 0),
    "count_nonzero": Op("rows", 0),
    "argmax": Op("rows", 0, FLOATS),
    "argmax_short_rows": Op("short", 0),
    "argmin_columns": Op("rows", 0),
    "logsumexp": Op("rows", dtypes=FLOATS),
    "std": Op("rows"),
    "variance_rows": Op("rows"),
    "norm": Op("rows"),
    "norm_rows": Op("rows", dtypes=FLOATS),
    "l2_normalize": Op("rows"),
    "moments": Op("rows"),
    "cumsum": Op("rows", dtypes=FLOATS),
    "cumprod": Op("near_one rows", dtypes=("float32", "float64")),
    "cumsum_columns": Op("rows"),
    "softmax": Op("rows", dtypes=FLOATS),
    "softmax_short_rows": Op("short"),
    "log_softmax": Op("rows"),
    "sort": Op("rows", dtypes=("float32", "float64")),
    "argsort": Op("rows", 0),
    "top_k": Op("rows"),
    "searchsorted": Op("sorted vector, vector", 0),
    "unique": Op("integer vector", 0),
    "bincount": Op("integer vector", 0),
    "segment_sum": Op("rows, ascending rows"),
}
MOVES = {
    "reshape": Op("rows"),
    "expand_dims": Op("rows"),
    "squeeze": Op("rows"),
    "transpose": Op("square"),
    "add_transpose": Op("square", dtypes=FLOATS),
    "merge_heads": Op("heads", dtypes=FLOATS),
    "concat": Op("rows, rows", 2, FLOATS),
    "stack": Op("rows, rows", 2),
    "unstack": Op("short"),
    "split": Op("rows"),
    "slice": Op("rows", dtypes=FLOATS),
    "getitem": Op("rows"),
    "getitem_stride": Op("rows"),
    "tile": Op("rows", dtypes=FLOATS),
    "repeat": Op("rows"),
    "broadcast_to": Op("last rows"),
    "pad": Op("rows", dtypes=FLOATS),
    "reverse": Op("rows"),
    "roll": Op("rows"),
    "gather": Op("rows, index rows", dtypes=FLOATS),
    "gather_columns": Op("rows, column rows"),
    "gather_nd": Op("rows, index rows"),
    "scatter_update": Op("rows, single index rows, single rows"),
    "one_hot": Op("label short", 0),
    "boolean_mask": Op("vector, truth vector"),
    "zeros_like": Op("rows", 0),
    "fill": Op("rows", 0),
    "range": Op("rows", 0),
    "linspace": Op("rows", 0),
    "eye": Op("square", 0),
    "diag_part": Op("square"),
    "band_part": Op("square"),
    "random_uniform": Op("rows", 0, compared=False),
    "random_normal": Op("rows", 0, compared=False),
    "dropout": Op("rows", compared=False),
}
LINALG = {
    "matmul": Op("square, square", 2, FLOATS),
    "matmul_transposed": Op("square, square", 2),
    "matmul_batch": Op("batch, batch", 2, FLOATS),
    "matvec": Op("rows, last rows", 2),
    "tensordot": Op("square, square", 2),
    "einsum_heads": Op("batch, batch", 2),
    "outer": Op("first rows, last rows", 2),
    "dense": Op("square, square, last square", 3, FLOATS),
    "trace": Op("square"),
    "cholesky": Op("definite matrix", dtypes=("float32", "float64")),
    "cholesky_solve": Op("definite matrix, matrix", 2),
    "solve": Op("definite matrix, matrix", 2, ("float32", "float64")),
    "triangular_solve": Op("triangular matrix, matrix", 2, ("float32", "float64")),
    "inv": Op("definite matrix", dtypes=("float32", "float64")),
    "det": Op("near_identity matrix", dtypes=("float32", "float64")),
    "slogdet": Op("near_identity matrix"),
    "qr": Op("matrix", dtypes=("float32", "float64")),
    "svd": Op("matrix"),
    "eigh": Op("definite matrix", dtypes=("float32", "float64")),
}
NETWORKS = {
    "bias_add": Op("pictures, last pictures", 2, channels=True),
    "conv1d": Op("signals, filter1 signals", 2),
    "conv2d": Op("pictures, filter2 pictures", 2, channels=True),
    "depthwise_conv2d": Op("pictures, depthwise pictures", 2, channels=True),
    "conv2d_transpose": Op("pictures, filter2 pictures", 2, channels=True),
    "max_pool": Op("pictures", channels=True),
    "avg_pool": Op("pictures", channels=True),
    "global_avg_pool": Op("pictures"),
    "batch_norm_training": Op("pictures, last pictures, last pictures", 3, channels=True),
    "layer_norm": Op("rows, last rows, last rows", 3),
    "resize_nearest": Op("pictures", channels=True),
    "resize_bilinear": Op("pictures", channels=True),
    "embedding": Op("rows, index rows"),
    "softmax_cross_entropy": Op("rows, chance rows", dtypes=FLOATS),
    "sparse_cross_entropy": Op("rows, label rows", dtypes=FLOATS),
    "sigmoid_cross_entropy": Op("rows, chance rows"),
    "binary_cross_entropy": Op("chance rows, chance rows"),
    "mean_squared_error": Op("rows, rows", 2, FLOATS),
    "mean_absolute_error": Op("rows, rows", 2),
    "huber": Op("rows, rows", 2),
    "kl_divergence": Op("chance rows, chance rows"),
    "cosine_similarity": Op("rows, rows", 2),
    "l2_loss": Op("rows"),
    "attention": Op("batch, batch, batch", 3),
    "sgd_step": Op("rows, rows", 0),
}
FAMILIES = {
    "elementwise": ELEMENTWISE,
    "reductions": REDUCTIONS,
    "moves": MOVES,
    "linalg": LINALG,
    "networks": NETWORKS,
}
OPS = {name: op for family in FAMILIES.values() for name, op in family.items()}


def arrays(name: str, size: int) -> list[Any]:
    """The inputs of the op, in float32 where they are floats."""
    place = SIZES.index(size)
    return [
        array(kind.strip(), place, np.random.RandomState(seed))
        for seed, kind in enumerate(OPS[name].inputs.split(","))
    ]


def array(kind: str, place: int, random: Any) -> Any:
    """An array of one of SHAPES, holding normal numbers if ``kind`` says no more."""
    *adjectives, name = kind.split()
    shape = SHAPES[name][place]
    normal = random.randn(*shape)
    for adjective in adjectives:
        normal = ADJECTIVES[adjective](normal, random)
    return normal.astype(np.float32) if normal.dtype == np.float64 else normal


def indices(below: int) -> Any:
    return lambda x, random: random.randint(0, below(x), x.shape[0])


def definite(x: Any, random: Any) -> Any:
    n = x.shape[-1]
    return x @ np.swapaxes(x, -1, -2) / n + np.eye(n)


def filters(*window: int) -> Any:
    def make(x: Any, random: Any) -> Any:
        depth = x.shape[-1]
        return random.randn(*window, depth, depth) / math.sqrt(math.prod(window) * depth)

    return make


ADJECTIVES: dict[str, Any] = {
    "positive": lambda x, random: np.abs(x) + 0.1,
    "inner": lambda x, random: np.tanh(x) * 0.9,
    "near_one": lambda x, random: 1 + 0.01 * x,
    "chance": lambda x, random: np.exp(x) / np.exp(x).sum(-1, keepdims=True),
    "truth": lambda x, random: x > 0,
    "integer": lambda x, random: random.randint(0, 100, x.shape, np.int32),
    "byte": lambda x, random: random.randint(0, 256, x.shape, np.uint8),
    "sorted": lambda x, random: np.sort(x),
    "last": lambda x, random: random.randn(x.shape[-1]),
    "first": lambda x, random: random.randn(x.shape[0]),
    "single": lambda x, random: x[: (len(x) + 1) // 2],
    "label": indices(lambda x: x.shape[-1]),
    "index": lambda x, random: random.permutation(x.shape[0]),
    "column": lambda x, random: random.permutation(x.shape[1]),
    "ascending": lambda x, random: np.arange(x.shape[0]) // 2,
    "definite": definite,
    "near_identity": lambda x, random: np.eye(x.shape[-1]) + 0.3 * x / x.shape[-1],
    "triangular": lambda x, random: np.tril(x) / x.shape[-1] + 2 * np.eye(x.shape[-1]),
    "filter1": filters(3),
    "filter2": filters(3, 3),
    "depthwise": lambda x, random: random.randn(3, 3, x.shape[-1], 1) / 3,
}


def direction(shape: tuple[int, ...]) -> Any:
    """The gradient that arrives at a result of that shape."""
    return np.asarray(np.random.RandomState(7).randn(*shape), np.float32)
