"""The namespace of the array API standard: what ``x.__array_namespace__()`` of a tensor gives.

Libraries such as SciPy and scikit-learn compute with the functions of this namespace where they are given
tensors, so that gradients flow through them. It promotes dtypes as the standard says. The operators of
tensors stay TensorFlow's: they refuse two dtypes.

``data_types``    promotion, limits of dtypes, what the namespace has
``creation``      new tensors
``elementwise``   functions of elements
``manipulation``  functions that move, join or pick elements
``searching``     search, order, sets
``statistics``    sums and extremes
``linalg``        the extension for matrices
``fft``           the extension for Fourier transforms
``attributes``    what the standard asks of a tensor itself

Most of it is `tapegrad.annex.numpy_like`, under the standard's names.
"""

from tapegrad.annex.numpy_like.promotion import e, inf, newaxis, pi
from tapegrad.array_api import fft as fft
from tapegrad.array_api import linalg as linalg
from tapegrad.array_api.creation import (
    arange,
    asarray,
    empty,
    empty_like,
    eye,
    from_dlpack,
    full,
    full_like,
    linspace,
    meshgrid,
    ones,
    ones_like,
    tril,
    triu,
    zeros,
    zeros_like,
)  # fmt: skip
from tapegrad.array_api.data_types import (
    __array_namespace_info__,
    astype,
    can_cast,
    finfo,
    iinfo,
    isdtype,
    result_type,
)  # fmt: skip
from tapegrad.array_api.elementwise import (
    abs,
    acos,
    acosh,
    add,
    asin,
    asinh,
    atan,
    atan2,
    atanh,
    bitwise_and,
    bitwise_invert,
    bitwise_left_shift,
    bitwise_or,
    bitwise_right_shift,
    bitwise_xor,
    ceil,
    clip,
    conj,
    copysign,
    cos,
    cosh,
    divide,
    equal,
    exp,
    expm1,
    floor,
    floor_divide,
    greater,
    greater_equal,
    hypot,
    imag,
    isfinite,
    isinf,
    isnan,
    less,
    less_equal,
    log,
    log1p,
    log2,
    log10,
    logaddexp,
    logical_and,
    logical_not,
    logical_or,
    logical_xor,
    maximum,
    minimum,
    multiply,
    negative,
    nextafter,
    not_equal,
    positive,
    pow,
    real,
    reciprocal,
    remainder,
    round,
    sign,
    signbit,
    sin,
    sinh,
    sqrt,
    square,
    subtract,
    tan,
    tanh,
    trunc,
)  # fmt: skip
from tapegrad.array_api.linalg import matmul, tensordot, vecdot
from tapegrad.array_api.manipulation import (
    broadcast_arrays,
    broadcast_shapes,
    broadcast_to,
    concat,
    diff,
    expand_dims,
    flip,
    matrix_transpose,
    moveaxis,
    permute_dims,
    repeat,
    reshape,
    roll,
    squeeze,
    stack,
    take,
    take_along_axis,
    tile,
    unstack,
    where,
)  # fmt: skip
from tapegrad.array_api.searching import (
    argmax,
    argmin,
    argsort,
    count_nonzero,
    isin,
    nonzero,
    searchsorted,
    sort,
    unique_all,
    unique_counts,
    unique_inverse,
    unique_values,
)  # fmt: skip
from tapegrad.array_api.statistics import (
    all,
    any,
    cumulative_prod,
    cumulative_sum,
    max,
    mean,
    min,
    prod,
    std,
    sum,
    var,
)  # fmt: skip
from tapegrad.dtypes import (
    bfloat16,
    bool,
    complex64,
    complex128,
    float16,
    float32,
    float64,
    int8,
    int16,
    int32,
    int64,
    uint8,
    uint16,
    uint32,
    uint64,
)  # fmt: skip

nan = float("nan")
__array_api_version__ = "2025.12"
