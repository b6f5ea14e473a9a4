"""The ops of `op_data` in PyTorch's best eager idiom. Pictures are held channels last."""

from collections.abc import Callable
from typing import Any

import op_arrays
import op_data
import torch
import torch.nn.functional as F

from data import flat

OPS: dict[str, Callable[..., Any]] = {
    "abs": torch.abs,
    "negative": torch.neg,
    "exp": torch.exp,
    "expm1": torch.expm1,
    "log": torch.log,
    "log1p": torch.log1p,
    "log2": torch.log2,
    "log10": torch.log10,
    "sqrt": torch.sqrt,
    "rsqrt": torch.rsqrt,
    "square": torch.square,
    "reciprocal": torch.reciprocal,
    "sin": torch.sin,
    "cos": torch.cos,
    "tan": torch.tan,
    "tanh": torch.tanh,
    "sinh": torch.sinh,
    "cosh": torch.cosh,
    "asin": torch.asin,
    "acos": torch.acos,
    "atan": torch.atan,
    "asinh": torch.asinh,
    "acosh": torch.acosh,
    "atanh": torch.atanh,
    "sigmoid": torch.sigmoid,
    "log_sigmoid": F.logsigmoid,
    "softplus": F.softplus,
    "softsign": F.softsign,
    "relu": torch.relu,
    "relu6": F.relu6,
    "leaky_relu": lambda x: F.leaky_relu(x, 0.2),
    "elu": F.elu,
    "selu": F.selu,
    "gelu": F.gelu,
    "gelu_tanh": lambda x: F.gelu(x, approximate="tanh"),
    "silu": F.silu,
    "hard_sigmoid": F.hardsigmoid,
    "erf": torch.erf,
    "erfc": torch.erfc,
    "erfinv": torch.erfinv,
    "lgamma": torch.lgamma,
    "digamma": torch.digamma,
    "floor": torch.floor,
    "round": torch.round,
    "sign": torch.sign,
    "is_nan": torch.isnan,
    "clip": lambda x: torch.clamp(x, -0.5, 0.5),
    "cast_to_float64": lambda x: x.to(torch.float64),
    "cast_to_bfloat16": lambda x: x.to(torch.bfloat16),
    "cast_to_int32": lambda x: x.to(torch.int32),
    "cast_from_int32": lambda x: x.to(torch.float32),
    "cast_from_uint8": lambda x: x.to(torch.float32),
    "add": torch.add,
    "subtract": torch.sub,
    "multiply": torch.mul,
    "multiply_by_number": lambda x: x * 2.5,
    "divide": torch.div,
    "maximum": torch.maximum,
    "power": torch.pow,
    "power_3": lambda x: x**3,
    "squared_difference": lambda x, y: torch.square(x - y),
    "floor_divide": torch.floor_divide,
    "mod": torch.remainder,
    "atan2": torch.atan2,
    "xlogy": torch.xlogy,
    "equal": torch.eq,
    "less": torch.lt,
    "logical_and": torch.logical_and,
    "where": lambda x, y, condition: torch.where(condition, x, y),
    "add_row": torch.add,
    "add_column": lambda x, column: x + column[:, None],
    "add_n": lambda x, y, z: x + y + z,
    "lerp": lambda x, y: torch.lerp(x, y, 0.3),
    "sum": torch.sum,
    "sum_rows": lambda x: torch.sum(x, -1),
    "sum_columns": lambda x: torch.sum(x, 0),
    "sum_short_rows": lambda x: torch.sum(x, -1),
    "mean": torch.mean,
    "mean_rows": lambda x: torch.mean(x, -1, keepdim=True),
    "max": torch.amax,
    "max_rows": lambda x: torch.amax(x, -1),
    "max_short_rows": lambda x: torch.amax(x, -1),
    "min_columns": lambda x: torch.amin(x, 0),
    "prod_rows": lambda x: torch.prod(x, -1),
    "any": torch.any,
    "all_rows": lambda x: torch.all(x, -1),
    "count_nonzero": torch.count_nonzero,
    "argmax": lambda x: torch.argmax(x, -1),
    "argmax_short_rows": lambda x: torch.argmax(x, -1),
    "argmin_columns": lambda x: torch.argmin(x, 0),
    "logsumexp": lambda x: torch.logsumexp(x, -1),
    "std": lambda x: torch.std(x, correction=0),
    "variance_rows": lambda x: torch.var(x, -1, correction=0),
    "norm": torch.linalg.vector_norm,
    "norm_rows": lambda x: torch.linalg.vector_norm(x, dim=-1),
    "l2_normalize": lambda x: F.normalize(x, dim=-1),
    "moments": lambda x: torch.var_mean(x, -1, correction=0)[::-1],
    "cumsum": lambda x: torch.cumsum(x, -1),
    "cumprod": lambda x: torch.cumprod(x, -1),
    "cumsum_columns": lambda x: torch.cumsum(x, 0),
    "softmax": lambda x: torch.softmax(x, -1),
    "softmax_short_rows": lambda x: torch.softmax(x, -1),
    "log_softmax": lambda x: torch.log_softmax(x, -1),
    "sort": lambda x: torch.sort(x).values,
    "argsort": lambda x: torch.argsort(x, stable=True),
    "top_k": lambda x: torch.topk(x, 2).values,
    "searchsorted": torch.searchsorted,
    "unique": lambda x: torch.tensor(len(torch.unique(x, sorted=False, return_inverse=True)[0])),
    "bincount": lambda x: torch.bincount(x, minlength=100),
    "segment_sum": lambda x, segments: x.new_zeros(len(x) // 2, x.shape[1]).index_add(
        0, segments, x
    ),
    "reshape": lambda x: torch.reshape(x, (-1, 2)),
    "expand_dims": lambda x: torch.unsqueeze(x, 1),
    "squeeze": torch.squeeze,
    "transpose": torch.t,
    "add_transpose": lambda x: x + x.t(),
    "merge_heads": lambda x: x.permute(0, 2, 1, 3).reshape(
        x.shape[0], x.shape[2], x.shape[1] * x.shape[3]
    ),
    "concat": lambda x, y: torch.cat([x, y], -1),
    "stack": lambda x, y: torch.stack([x, y], 1),
    "unstack": lambda x: torch.unbind(x, 1),
    "split": lambda x: torch.chunk(x, 2, 1),
    "slice": lambda x: x[1:, 1:],
    "getitem": lambda x: x[1:, :-1],
    "getitem_stride": lambda x: x[:, ::2],
    "tile": lambda x: torch.tile(x, (2, 2)),
    "repeat": lambda x: torch.repeat_interleave(x, 2, 0),
    "broadcast_to": lambda x: x.expand(len(x), len(x)) + 0.0,
    "pad": lambda x: F.pad(x, (2, 2, 1, 1)),
    "reverse": lambda x: torch.flip(x, (1,)),
    "roll": lambda x: torch.roll(x, 1, 1),
    "gather": lambda x, rows: torch.index_select(x, 0, rows),
    "gather_columns": lambda x, columns: torch.index_select(x, 1, columns),
    "gather_nd": lambda x, rows: x[rows],
    "scatter_update": lambda x, rows, values: torch.index_copy(x, 0, rows, values),
    "one_hot": lambda labels: F.one_hot(labels, 10).to(torch.float32),
    "boolean_mask": lambda x, mask: x[mask],
    "zeros_like": torch.zeros_like,
    "fill": lambda x: torch.full(x.shape, 2.5),
    "range": lambda x: torch.arange(x.shape[0] * x.shape[1], dtype=torch.int32),
    "linspace": lambda x: torch.linspace(0.0, 1.0, x.shape[0] * x.shape[1]),
    "eye": lambda x: torch.eye(x.shape[0]),
    "diag_part": torch.diagonal,
    "band_part": torch.tril,
    "random_uniform": lambda x: torch.rand(x.shape),
    "random_normal": lambda x: torch.randn(x.shape),
    "dropout": lambda x: F.dropout(x, 0.3),
    "matmul": torch.matmul,
    "matmul_transposed": lambda x, y: torch.matmul(x, y.mT),
    "matmul_batch": torch.bmm,
    "matvec": torch.mv,
    "tensordot": lambda x, y: torch.tensordot(x, y, 1),
    "einsum_heads": lambda x, y: torch.bmm(x, y.mT),
    "outer": torch.outer,
    "dense": lambda x, weights, bias: torch.addmm(bias, x, weights),
    "trace": torch.trace,
    "cholesky": torch.linalg.cholesky,
    "cholesky_solve": lambda x, y: torch.cholesky_solve(y, torch.linalg.cholesky(x)),
    "solve": torch.linalg.solve,
    "triangular_solve": lambda x, y: torch.linalg.solve_triangular(x, y, upper=False),
    "inv": torch.linalg.inv,
    "det": torch.linalg.det,
    "slogdet": lambda x: torch.linalg.slogdet(x)[1],
    "qr": lambda x: torch.linalg.qr(x).R,
    "svd": lambda x: torch.linalg.svd(x, full_matrices=False).S,
    "eigh": lambda x: torch.linalg.eigh(x).eigenvalues,
    "bias_add": lambda x, bias: x + bias[:, None, None],
    "conv1d": lambda x, filters: F.conv1d(x, filters, padding=1),
    "conv2d": lambda x, filters: F.conv2d(x, filters, padding=1),
    "depthwise_conv2d": lambda x, filters: F.conv2d(x, filters, padding=1, groups=x.shape[1]),
    "conv2d_transpose": lambda x, filters: F.conv_transpose2d(x, filters, padding=1),
    "max_pool": lambda x: F.max_pool2d(x, 2),
    "avg_pool": lambda x: F.avg_pool2d(x, 2),
    "global_avg_pool": lambda x: torch.mean(x, (2, 3)),
    "batch_norm_training": lambda x, scale, offset: F.batch_norm(
        x, None, None, scale, offset, training=True, eps=1e-3
    ),
    "layer_norm": lambda x, scale, offset: F.layer_norm(x, scale.shape, scale, offset, 1e-3),
    "resize_nearest": lambda x: F.interpolate(x, scale_factor=2, mode="nearest"),
    "resize_bilinear": lambda x: F.interpolate(x, scale_factor=2, mode="bilinear"),
    "embedding": lambda x, rows: F.embedding(rows, x),
    "softmax_cross_entropy": lambda x, labels: F.cross_entropy(x, labels, reduction="none"),
    "sparse_cross_entropy": lambda x, labels: F.cross_entropy(x, labels, reduction="none"),
    "sigmoid_cross_entropy": lambda x, labels: F.binary_cross_entropy_with_logits(
        x, labels, reduction="none"
    ),
    "binary_cross_entropy": F.binary_cross_entropy,
    "mean_squared_error": F.mse_loss,
    "mean_absolute_error": F.l1_loss,
    "huber": F.huber_loss,
    "kl_divergence": lambda x, y: F.kl_div(torch.log(x), y, reduction="none").sum(-1),
    "cosine_similarity": lambda x, y: F.cosine_similarity(x, y, -1),
    "l2_loss": lambda x: torch.sum(torch.square(x)) * 0.5,
    "attention": F.scaled_dot_product_attention,
    "sgd_step": lambda x, y: torch.sub(x, y, alpha=0.01),
}

# Where PyTorch holds the axes of an input in another order.
ORDERS: dict[str, tuple[int, ...]] = {
    "conv1d": (2, 1, 0),
    "conv2d": (3, 2, 0, 1),
    "depthwise_conv2d": (2, 3, 0, 1),
    # The gradient of a convolution by its pictures turns both roles around.
    "conv2d_transpose": (3, 2, 0, 1),
}
PICTURES_FIRST = (0, 3, 1, 2)
PICTURES_LAST = (0, 2, 3, 1)


def op(name: str, size: str, dtype: str, way: str) -> Callable[[], Any] | None:
    """A call of the op, or a call with its gradient."""
    if name not in OPS:
        return None
    row = op_data.OPS[name]
    function = OPS[name]
    kinds = row.inputs.split(",")
    orders: list[tuple[int, ...] | None] = [None] * len(kinds)
    tensors = []
    for i, array in enumerate(op_arrays.arrays(name, int(size))):
        if array.ndim == 4 and kinds[i].strip() == "pictures":
            orders[i] = PICTURES_FIRST
        elif i == 0 and name == "conv1d":
            orders[i] = (0, 2, 1)
        elif i == 1 and name in ORDERS:
            orders[i] = ORDERS[name]
        made = tensor(array, dtype)
        order = orders[i]
        if order is not None:
            made = made.permute(order)
            if i == 1:
                made = made.contiguous(
                    memory_format=torch.channels_last
                    if made.dim() == 4
                    else torch.contiguous_format
                )
            elif name == "conv1d":
                made = made.contiguous()
        tensors.append(made)
    if name == "searchsorted" or way == "forward":
        back = PICTURES_LAST if row.channels else (0, 2, 1) if name == "conv1d" else None
        return answering(lambda: function(*tensors), row.compared, [back])
    watched = [part.requires_grad_() for part in tensors[: row.gradients]]
    result = function(*tensors)
    dys = []
    for part in flat(result):
        shape = tuple(part.shape)
        if row.channels:
            shape = tuple(shape[axis] for axis in PICTURES_LAST)
        elif name == "conv1d":
            shape = tuple(shape[axis] for axis in (0, 2, 1))
        dy = torch.from_numpy(op_arrays.direction(shape)).to(part.dtype)
        if row.channels:
            dy = dy.permute(PICTURES_FIRST)
        elif name == "conv1d":
            dy = dy.permute(0, 2, 1).contiguous()
        dys.append(dy)

    def gradient() -> Any:
        return torch.autograd.grad(flat(function(*tensors)), watched, dys)

    backs = [
        None if order is None else tuple(sorted(range(len(order)), key=order.__getitem__))
        for order in orders[: row.gradients]
    ]
    return answering(gradient, row.compared, backs)


def tensor(array: Any, dtype: str) -> Any:
    made = torch.from_numpy(array)
    return made.to(getattr(torch, dtype)) if made.is_floating_point() else made


def answering(step: Any, compared: bool, backs: list[Any]) -> Any:
    """``step``, with an attribute `answer`: a function that gives what the peers must agree on."""

    def answer() -> Any:
        parts = flat(step())
        if not compared:
            return [torch.tensor(part.shape) for part in parts]
        orders = backs + [None] * (len(parts) - len(backs))
        return [
            (part if order is None else part.permute(order)).to(torch.float64)
            for part, order in zip(parts, orders, strict=False)
        ]

    step.answer = answer
    return step
