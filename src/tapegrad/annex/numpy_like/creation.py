"""New tensors, by NumPy's functions for arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.annex.numpy_like import ops
from tapegrad.annex.numpy_like.lattice import dtype_of, mark, mark_like
from tapegrad.annex.numpy_like.promotion import as_dtype, asarray, numpy_dtype, result_type
from tapegrad.annex.numpy_like.shapes import moveaxis
from tapegrad.annex.numpy_like.weak import Mode, promote
from tapegrad.core import Tensor

PUBLIC = {
    "experimental.numpy": (
        "arange array copy diag_indices empty=zeros empty_like=zeros_like eye full full_like geomspace "
        "identity linspace logspace ones ones_like vander zeros zeros_like"
    ),
}


def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """``val`` as a tensor with ``ndmin`` axes at least."""
    tensor = asarray(val, dtype)
    missing = ndmin - tensor.ndim
    return (
        ops.reshape(tensor, [1] * missing + list(tensor._shape_tuple())) if missing > 0 else tensor
    )


def copy(a: Any) -> Tensor:
    """``a`` as a tensor."""
    return asarray(a)


def zeros(shape: Any, dtype: Any = float) -> Tensor:
    """Zeros, of float64 by default."""
    return ops.zeros(shape, numpy_dtype(dtype))


def ones(shape: Any, dtype: Any = float) -> Tensor:
    """Ones, of float64 by default.

    >>> tf.experimental.numpy.ones([2])
    <tf.Tensor: shape=(2,), dtype=float64, numpy=array([1., 1.])>
    """
    return ops.ones(shape, numpy_dtype(dtype))


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    """A tensor of ``shape`` with ``fill_value`` everywhere."""
    return ops.broadcast_to(asarray(fill_value, dtype), ops.reshape(asarray(shape, np.int32), [-1]))


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
) -> Tensor:
    """A tensor of the shape of ``a`` with ``fill_value`` everywhere."""
    tensor = asarray(a)
    sizes = list(tensor._shape_tuple())
    if dtype is not None:
        return full(sizes, fill_value, dtype)
    filled = full(sizes, fill_value, tensor.dtype)
    return mark_like(filled, tensor)


def zeros_like(a: Any, dtype: Any = None) -> Tensor:
    """Zeros in the shape of ``a``."""
    return full_like(a, 0, dtype)


def ones_like(a: Any, dtype: Any = None) -> Tensor:
    """Ones in the shape of ``a``."""
    return full_like(a, 1, dtype)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = float) -> Tensor:
    """A matrix with ones on the diagonal ``k``."""
    return asarray(np.eye(N, M, k, numpy_dtype(dtype)))


def identity(n: int, dtype: Any = float) -> Tensor:
    """The identity matrix."""
    return eye(n, dtype=dtype)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Tensor:
    """Numbers from ``start`` to ``stop``; from 0 to ``start`` if that is None.

    >>> tf.experimental.numpy.arange(3)
    <tf.Tensor: shape=(3,), dtype=int64, numpy=array([0, 1, 2])>
    """
    if not step:
        raise ValueError("Argument `step` must be non-zero.")
    first, last = (0, start) if stop is None else (start, stop)
    kind = promote(first, last, step) if Mode.by_lattice() and dtype is None else None
    if kind is not None:
        # TensorFlow's functions for ranges know no float32 that gives way.
        dtype = dtypes.float64 if kind == "float32*" else dtype_of(kind)
    wanted = numpy_dtype(dtype or result_type(*map(asarray, (first, last, step))))
    values = ops.range(as_dtype(first, wanted), as_dtype(last, wanted), as_dtype(step, wanted))
    return mark(values) if kind is not None and kind.endswith("*") else values


def linspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    retstep: bool = False,
    dtype: Any = float,
    axis: int = 0,
) -> Any:
    """``num`` numbers from ``start`` to ``stop``, evenly spread."""
    wanted = numpy_dtype(dtype)
    first, last = (as_dtype(value, np.result_type(wanted, np.float32)) for value in (start, stop))
    step = (last - first) / max(num - endpoint, 1)
    values = ops.linspace(first, last if endpoint else first + step * (num - 1), num, axis=axis)
    values = ops.cast(values, wanted)
    return (values, step) if retstep else values


def logspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    base: Any = 10.0,
    dtype: Any = None,
    axis: int = 0,
) -> Tensor:
    """``num`` powers of ``base``, whose exponents are evenly spread from ``start`` to ``stop``.

    Differs from TensorFlow: the result has the requested dtype.

    >>> tf.experimental.numpy.logspace(0, 2, 3)
    <tf.Tensor: shape=(3,), dtype=float64, numpy=array([  1.,  10., 100.])>
    """
    exponents = linspace(start, stop, num, endpoint, axis=axis)
    powers = ops.pow(as_dtype(base, exponents.dtype), exponents)
    return powers if dtype is None else as_dtype(powers, dtype)


def geomspace(
    start: Any,
    stop: Any,
    num: int = 50,
    endpoint: bool = True,
    dtype: Any = None,
    axis: int = 0,
) -> Tensor:
    """``num`` numbers from ``start`` to ``stop``, each the same multiple of the one before it.

    Differs from TensorFlow: the last number is ``stop`` for integers too, and 0 is refused.

    >>> tf.experimental.numpy.geomspace(1, 1000, 4)
    <tf.Tensor: shape=(4,), dtype=float64, numpy=array([   1.,   10.,  100., 1000.])>
    """
    wanted = result_type(start, stop, numpy_dtype(float))
    first, last = as_dtype(start, wanted), as_dtype(stop, wanted)
    if ops.reduce_any(ops.equal(first * last, 0)):
        raise ValueError("geomspace() takes no 0, from which no multiple leads to another number.")
    # In the second half, the numbers are counted back from the last one, which is thereby exact.
    places = ops.reshape(
        ops.range(num, dtype=dtypes.float64) / max(num - endpoint, 1),
        [-1] + [1] * (first + last).ndim,
    )
    exponents = ops.cast(ops.where(places <= 0.5, places, places - 1), first.dtype)
    numbers = ops.where(places <= 0.5, first, last) * ops.pow(last / first, exponents)
    numbers = moveaxis(numbers, 0, axis)
    if dtype is None:
        return numbers
    if np.issubdtype(numpy_dtype(dtype), np.integer):
        # A number that is whole but for rounding is not cut to the one below it.
        numbers = numbers * (1 + 8 * np.finfo(wanted).eps)
    return as_dtype(numbers, dtype)


def vander(x: Any, N: int | None = None, increasing: bool = False) -> Tensor:
    """The powers of each element in a row, the highest first: ``N`` of them, or as many as elements."""
    tensor = asarray(x)
    if tensor.ndim != 1:
        raise ValueError(f"x must be a one-dimensional array; it has {tensor.ndim} axes.")
    if N is not None and N < 0:
        raise ValueError(f"N must be nonnegative; {N} came.")
    count = tensor._shape_tuple()[0] if N is None else N
    # Products, not powers: the derivative of x ** 0 at 0 is one of a logarithm.
    powers = [ops.ones_like(tensor)]
    while len(powers) < count:
        powers.append(powers[-1] * tensor)
    powers = powers[:count] if increasing else powers[:count][::-1]
    return (
        ops.stack(powers, 1) if powers else ops.zeros([tensor._shape_tuple()[0], 0], tensor.dtype)
    )


def diag_indices(n: int, ndim: int = 2) -> tuple[Tensor, ...]:
    """The positions of the diagonal of a tensor with ``ndim`` axes of size ``n``, for each axis."""
    return (ops.range(n),) * ndim
