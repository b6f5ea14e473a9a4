"""The ops that the functions of NumPy's names, and those of the array API standard, compute with."""

from tapegrad.ops.elementwise.complex import complex, conj, imag, real
from tapegrad.ops.elementwise.conditions import where
from tapegrad.ops.elementwise.exponential import exp, expm1, log, log1p
from tapegrad.ops.elementwise.logic import (
    bitwise_and,
    bitwise_or,
    bitwise_xor,
    equal,
    greater,
    greater_equal,
    invert,
    is_finite,
    is_inf,
    is_nan,
    left_shift,
    less,
    less_equal,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    not_equal,
    right_shift,
)
from tapegrad.ops.elementwise.math import (
    add,
    divide,
    floordiv,
    floormod,
    maximum,
    minimum,
    multiply,
    negative,
    nextafter,
    pow,
    reciprocal,
    sqrt,
    square,
    subtract,
)
from tapegrad.ops.elementwise.rounding import ceil, floor, round
from tapegrad.ops.elementwise.signs import abs, angle, sign
from tapegrad.ops.elementwise.trigonometry import (
    acos,
    acosh,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    cos,
    cosh,
    sin,
    sinh,
    tan,
    tanh,
)
from tapegrad.ops.indexing.gather import gather, scatter_nd
from tapegrad.ops.indexing.masks import boolean_mask, meshgrid
from tapegrad.ops.indexing.repeats import repeat
from tapegrad.ops.indexing.sort import argsort, searchsorted, sort
from tapegrad.ops.linalg.decompositions import cholesky, eig, eigh, eigvals, eigvalsh, qr, svd
from tapegrad.ops.linalg.diagonals import diag, diag_part
from tapegrad.ops.linalg.einsum import einsum
from tapegrad.ops.linalg.products import adjoint, cross, matmul, matrix_transpose, matvec, tensordot
from tapegrad.ops.linalg.solvers import det, inv, slogdet, solve
from tapegrad.ops.program.control import while_loop
from tapegrad.ops.random.distributions import poisson
from tapegrad.ops.random.draws import normal, uniform
from tapegrad.ops.reduce.clip import clip_by_value
from tapegrad.ops.reduce.moments import reduce_std, reduce_variance
from tapegrad.ops.reduce.reduce import (
    argmax,
    argmin,
    count_nonzero,
    reduce_all,
    reduce_any,
    reduce_euclidean_norm,
    reduce_logsumexp,
    reduce_max,
    reduce_mean,
    reduce_min,
    reduce_prod,
    reduce_sum,
)
from tapegrad.ops.reduce.scan import cumprod, cumsum
from tapegrad.ops.shape.array import (
    broadcast_to,
    expand_dims,
    identity,
    reshape,
    squeeze,
    tile,
    transpose,
)
from tapegrad.ops.shape.casts import bitcast, cast
from tapegrad.ops.shape.creation import (
    constant,
    convert_to_tensor,
    eye,
    fill,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from tapegrad.ops.shape.joining import concat, split, stack, unstack
from tapegrad.ops.shape.padding import pad
from tapegrad.ops.shape.rearrange import reverse, roll
from tapegrad.ops.shape.sequences import linspace, range
from tapegrad.ops.shape.shapes import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    rank,
    shape,
    size,
)
from tapegrad.ops.signal.fft import fft, ifft, irfft, rfft

__all__ = [
    "abs", "acos", "acosh", "add", "adjoint", "angle", "argmax", "argmin", "argsort", "asin", "asinh",
    "atan", "atan2", "atanh", "bitcast", "bitwise_and", "bitwise_or", "bitwise_xor", "boolean_mask",
    "broadcast_dynamic_shape", "broadcast_static_shape", "broadcast_to", "cast", "ceil", "cholesky",
    "clip_by_value", "complex", "concat", "conj", "constant", "convert_to_tensor", "cos", "cosh",
    "count_nonzero", "cross", "cumprod", "cumsum", "det", "diag", "diag_part", "divide", "eig", "eigh",
    "eigvals", "eigvalsh", "einsum", "equal", "exp", "expand_dims", "expm1", "eye", "fft", "fill",
    "floor", "floordiv", "floormod", "gather", "greater", "greater_equal", "identity", "ifft", "imag",
    "inv", "invert", "irfft", "is_finite", "is_inf", "is_nan", "left_shift", "less", "less_equal",
    "linspace", "log", "log1p", "logical_and", "logical_not", "logical_or", "logical_xor", "matmul",
    "matrix_transpose", "matvec", "maximum", "meshgrid", "minimum", "multiply", "negative", "nextafter",
    "normal", "not_equal", "ones", "ones_like", "pad", "poisson", "pow", "qr", "range", "rank", "real",
    "reciprocal", "reduce_all", "reduce_any", "reduce_euclidean_norm", "reduce_logsumexp", "reduce_max",
    "reduce_mean", "reduce_min", "reduce_prod", "reduce_std", "reduce_sum", "reduce_variance", "repeat",
    "reshape", "reverse", "rfft", "right_shift", "roll", "round", "scatter_nd", "searchsorted", "shape",
    "sign", "sin", "sinh", "size", "slogdet", "solve", "sort", "split", "sqrt", "square", "squeeze",
    "stack", "subtract", "svd", "tan", "tanh", "tensordot", "tile", "transpose", "uniform", "unstack",
    "where", "while_loop", "zeros", "zeros_like",
]  # fmt: skip
