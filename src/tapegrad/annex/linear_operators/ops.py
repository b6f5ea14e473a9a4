"""The functions that linear operators compute with.

The modules here call them by way of this one.
"""

from tapegrad.ops.elementwise.complex import conj, imag, real
from tapegrad.ops.elementwise.conditions import where
from tapegrad.ops.elementwise.exponential import exp, log
from tapegrad.ops.elementwise.math import floormod, minimum, sqrt, square
from tapegrad.ops.elementwise.signs import abs
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.indexing.sort import argsort, sort
from tapegrad.ops.linalg.decompositions import cholesky, cholesky_solve, eigvalsh, svd
from tapegrad.ops.linalg.diagonals import band_part, diag, diag_part, set_diag
from tapegrad.ops.linalg.norms import norm
from tapegrad.ops.linalg.products import adjoint, matmul, matrix_transpose
from tapegrad.ops.linalg.solvers import det, slogdet, solve, triangular_solve
from tapegrad.ops.linalg.tridiagonal import tridiagonal_solve
from tapegrad.ops.program.debugging import (
    assert_equal,
    assert_greater,
    assert_less,
    assert_less_equal,
    assert_positive,
)
from tapegrad.ops.reduce.clip import add_n
from tapegrad.ops.reduce.reduce import reduce_max, reduce_mean, reduce_min, reduce_prod, reduce_sum
from tapegrad.ops.shape.array import broadcast_to, expand_dims, reshape, squeeze
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import (
    constant,
    convert_to_tensor,
    eye,
    is_tensor,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from tapegrad.ops.shape.joining import concat, split, stack, unstack
from tapegrad.ops.shape.padding import pad
from tapegrad.ops.shape.rearrange import reverse, roll
from tapegrad.ops.shape.sequences import range
from tapegrad.ops.shape.shapes import (
    broadcast_dynamic_shape,
    broadcast_static_shape,
    get_static_value,
    shape,
    size,
)
from tapegrad.ops.signal.fft import fft, fft2d, fft3d, ifft, ifft2d, ifft3d

__all__ = [
    "abs", "add_n", "adjoint", "argsort", "assert_equal", "assert_greater", "assert_less",
    "assert_less_equal", "assert_positive", "band_part", "broadcast_dynamic_shape",
    "broadcast_static_shape", "broadcast_to", "cast", "cholesky", "cholesky_solve", "concat", "conj",
    "constant", "convert_to_tensor", "det", "diag", "diag_part", "eigvalsh", "exp", "expand_dims", "eye",
    "fft", "fft2d", "fft3d", "floormod", "gather", "get_static_value", "ifft", "ifft2d", "ifft3d", "imag",
    "is_tensor", "log", "matmul", "matrix_transpose", "minimum", "norm", "ones", "ones_like", "pad",
    "range", "real", "reduce_max", "reduce_mean", "reduce_min", "reduce_prod", "reduce_sum", "reshape",
    "reverse", "roll", "set_diag", "shape", "size", "slogdet", "solve", "sort", "split", "sqrt", "square",
    "squeeze", "stack", "svd", "triangular_solve", "tridiagonal_solve", "unstack", "where", "zeros",
    "zeros_like",
]  # fmt: skip
