"""New tensors, by NumPy's functions for arrays."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.annex.numpy_like import ops
from tapegrad.annex.numpy_like.arguments import VALUE
from tapegrad.annex.numpy_like.lattice import dtype_of, mark, mark_like
from tapegrad.annex.numpy_like.promotion import as_dtype, asarray, numpy_dtype, result_dtype
from tapegrad.annex.numpy_like.shapes import moveaxis
from tapegrad.annex.numpy_like.weak import Mode, promote
from tapegrad.core import Tensor
from tapegrad.framework.docstrings import describes

PUBLIC = {
    "experimental.numpy": (
        "arange array copy diag_indices empty=zeros empty_like=zeros_like eye full full_like geomspace "
        "identity linspace logspace ones ones_like vander zeros zeros_like"
    ),
}

NEW = describes(
    shape="the sizes: a list of integers, or one integer.", dtype="the dtype of the result."
)
LIKE = describes(a=VALUE, dtype="the dtype of the result; None for that of ``a``.")


def array(val: Any, dtype: Any = None, copy: bool = True, ndmin: int = 0) -> Tensor:
    """``val`` as a tensor with ``ndmin`` axes at least.

    Args:
        val: a tensor, or numbers, lists of them or arrays that become one.
        dtype: the dtype of the result; None for that of ``val``, where Python's numbers are int64, float64
            and complex128.
        copy: of no effect: tensors do not change, so a copy is never told from the original.
        ndmin: the least number of axes. Missing ones are put in front, with size 1.
    """
    tensor = asarray(val, dtype)
    missing = ndmin - tensor.ndim
    return (
        ops.reshape(tensor, [1] * missing + list(tensor._shape_tuple())) if missing > 0 else tensor
    )


def copy(a: Any) -> Tensor:
    """``a`` as a tensor.

    Args:
        a: a tensor, or a value that becomes one.
    """
    return asarray(a)


@NEW
def zeros(shape: Any, dtype: Any = float) -> Tensor:
    """Zeros, of float64 by default."""
    return ops.zeros(shape, numpy_dtype(dtype))


@NEW
def ones(shape: Any, dtype: Any = float) -> Tensor:
    """Ones, of float64 by default.

    >>> tf.experimental.numpy.ones([2])
    <tf.Tensor: shape=(2,), dtype=float64, numpy=array([1., 1.])>
    """
    return ops.ones(shape, numpy_dtype(dtype))


def full(shape: Any, fill_value: Any, dtype: Any = None) -> Tensor:
    """A tensor of ``shape`` with ``fill_value`` everywhere.

    >>> tf.experimental.numpy.full((2, 2), 7).numpy()
    array([[7, 7],
           [7, 7]])

    Args:
        shape: the sizes: a list of integers, or one integer.
        fill_value: a number, or a tensor whose shape broadcasts to ``shape``.
        dtype: the dtype of the result; None for that of ``fill_value``.
    """
    return ops.broadcast_to(asarray(fill_value, dtype), ops.reshape(asarray(shape, np.int32), [-1]))


def full_like(
    a: Any,
    fill_value: Any,
    dtype: Any = None,
    order: str = "K",
    subok: bool = True,
    shape: Any = None,
) -> Tensor:
    """A tensor of the shape of ``a`` with ``fill_value`` everywhere.

    Args:
        a: a tensor, or a value that becomes one.
        fill_value: a number, or a tensor whose shape broadcasts to that of ``a``.
        dtype: the dtype of the result; None for that of ``a``.
        order, subok, shape: their defaults: no other values are taken.
    """
    if order != "K" or not subok or shape is not None:
        raise ValueError(
            f"full_like() takes no other order, class or shape than those of `a`; order={order!r}, "
            f"subok={subok} and shape={shape} came. For another shape use full()."
        )
    tensor = asarray(a)
    sizes = list(tensor._shape_tuple())
    if dtype is not None:
        return full(sizes, fill_value, dtype)
    filled = full(sizes, fill_value, tensor.dtype)
    return mark_like(filled, tensor)


@LIKE
def zeros_like(a: Any, dtype: Any = None) -> Tensor:
    """Zeros in the shape of ``a``."""
    return full_like(a, 0, dtype)


@LIKE
def ones_like(a: Any, dtype: Any = None) -> Tensor:
    """Ones in the shape of ``a``."""
    return full_like(a, 1, dtype)


def eye(N: int, M: int | None = None, k: int = 0, dtype: Any = float) -> Tensor:
    """A matrix with ones on the diagonal ``k``.

    >>> tf.experimental.numpy.eye(2, dtype=int).numpy()
    array([[1, 0],
           [0, 1]])

    Args:
        N: the number of rows.
        M: the number of columns; None for as many as rows.
        k: the diagonal that has the ones: 0 is the main one, positive numbers are above it, negative ones
            below.
        dtype: the dtype of the result.
    """
    return asarray(np.eye(N, M, k, numpy_dtype(dtype)))


def identity(n: int, dtype: Any = float) -> Tensor:
    """The identity matrix.

    Args:
        n: the number of rows, and of columns.
        dtype: the dtype of the result.
    """
    return eye(n, dtype=dtype)


def arange(start: Any, stop: Any = None, step: Any = 1, dtype: Any = None) -> Tensor:
    """Numbers from ``start`` to ``stop``; from 0 to ``start`` if that is None.

    >>> tf.experimental.numpy.arange(3)
    <tf.Tensor: shape=(3,), dtype=int64, numpy=array([0, 1, 2])>

    Args:
        start: the first number, or the end if ``stop`` is None.
        stop: the end, which is left out of the result.
        step: the distance from a number to the next; negative to count down, and not 0.
        dtype: the dtype of the result; None for that of the numbers together.
    """
    if not step:
        raise ValueError("Argument `step` must be non-zero.")
    first, last = (0, start) if stop is None else (start, stop)
    kind = promote(first, last, step) if Mode.by_lattice() and dtype is None else None
    if kind is not None:
        # TensorFlow's functions for ranges know no float32 that gives way.
        dtype = dtypes.float64 if kind == "float32*" else dtype_of(kind)
    computed = numpy_dtype(result_dtype(first, last, step))
    wanted = computed if dtype is None else numpy_dtype(dtype)
    if wanted.kind == "f":
        computed = wanted
    # Numbers of other dtypes are cast after they are counted: integers from steps of 0.5, say.
    first, last, step = (as_dtype(value, computed) for value in (first, last, step))
    values = as_dtype(ops.range(first, last, step), wanted)
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
    """``num`` numbers from ``start`` to ``stop``, evenly spread.

    >>> tf.experimental.numpy.linspace(0, 1, 3).numpy()
    array([0. , 0.5, 1. ])

    Args:
        start: the first number, or a tensor of several.
        stop: the last number, or the one after it if ``endpoint`` is false; or a tensor of several.
        num: how many numbers.
        endpoint: whether ``stop`` is the last of them.
        retstep: whether the result is a pair: the numbers, and the distance between neighbours.
        dtype: the dtype of the numbers; ``float`` and None for the one that ``start``, ``stop`` and Python's
            floats promote to. Integers are rounded down.
        axis: the axis of the result along which the numbers run; ``start`` and ``stop`` have the others.
    """
    exact = result_dtype(start, stop, 1.0)
    wanted = exact if dtype is None or dtype is float else numpy_dtype(dtype)
    computed = np.result_type(exact, np.float32)
    first, last = (as_dtype(value, computed) for value in (start, stop))
    step = (last - first) / max(num - endpoint, 1)
    values = ops.linspace(first, last if endpoint else first + step * (num - 1), num, axis=axis)
    if wanted.kind in "iu":
        values = ops.floor(values)
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

    Args:
        start, stop: the exponents of the first and the last number, or tensors of several.
        num: how many numbers.
        endpoint: whether the last exponent is ``stop``; else ``stop`` would come after it.
        base: the number whose powers these are.
        dtype: the dtype of the result; None for float64.
        axis: the axis of the result along which the numbers run.
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

    Args:
        start, stop: the first and the last number, or tensors of several. None of them is 0.
        num: how many numbers.
        endpoint: whether ``stop`` is the last of them; else it would come after them.
        dtype: the dtype of the result; None for floats of that of ``start`` and ``stop``.
        axis: the axis of the result along which the numbers run.
    """
    wanted = result_dtype(start, stop, numpy_dtype(float))
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
    """The powers of each element in a row, the highest first: ``N`` of them, or as many as elements.

    Args:
        x: a vector of numbers.
        N: how many powers, from the power 0 on; None for as many as ``x`` has elements.
        increasing: whether the power 0 comes first; else it comes last.
    """
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
    """The positions of the diagonal of a tensor with ``ndim`` axes of size ``n``, for each axis.

    Args:
        n: the size of all axes.
        ndim: the number of axes.
    """
    return (ops.range(n),) * ndim
