"""New tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.annex.array_api.data_types import default_dtype
from tapegrad.annex.numpy_like import creation, ops, promotion, shapes
from tapegrad.annex.numpy_like.arguments import DEVICE, DIAGONAL
from tapegrad.core import EagerTensor, Tensor, VariableBase
from tapegrad.framework.dlpack import imported
from tapegrad.framework.docstrings import describes
from tapegrad.ops.linalg.attributes import check_device

PUBLIC = {
    "array_api": (
        "arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like "
        "tril triu zeros zeros_like"
    ),
}

ON_DEVICE = describes(device=DEVICE)
NEW = describes(
    shape="the sizes: a tuple of integers, or one integer.",
    dtype="the dtype of the result; None for the default one of floats.",
    device=DEVICE,
)
LIKE = describes(
    x="a tensor.", dtype="the dtype of the result; None for that of ``x``.", device=DEVICE
)
TRIANGLE = describes(
    x="a tensor with two axes at least: matrices in its last two axes.", k=DIAGONAL
)


def asarray(
    obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None
) -> Tensor:
    """``obj`` as a tensor. Arrays are copied, for their owner may write to them.

    Args:
        obj: a tensor, Python's numbers, lists of them, or an array of another library.
        dtype: the dtype of the result; None for that of ``obj``, where Python's numbers are int64, float64
            and complex128.
        device: None, or a name of the one device, such as "cpu".
        copy: True for a new tensor, False to refuse what only becomes a tensor by a copy; None copies where
            it has to.
    """
    check_device(device)
    tensor = promotion.asarray(obj)
    if dtype is not None:
        tensor = ops.cast(tensor, dtypes.as_dtype(dtype))
    if copy is False and tensor is not obj:
        raise ValueError(
            f"a {type(obj).__name__} becomes this tensor only by a copy: leave copy=False out, or use "
            "from_dlpack()"
        )
    return ops.identity(tensor) if copy and tensor is obj else tensor


@ON_DEVICE
def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor over the memory of another library's array: see `tf.experimental.dlpack.from_dlpack`.

    Args:
        x: an array of another library that has ``__dlpack__``.
        copy: True to copy the elements, False to refuse arrays that have to be copied; None copies where it
            has to.
    """
    check_device(device)
    return EagerTensor(imported(x, copy))


@ON_DEVICE
def arange(
    start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """Numbers from ``start`` to ``stop``; from 0 to ``start`` if that is None.

    Args:
        start: the first number, or the end if ``stop`` is None.
        stop: the end, which is left out of the result.
        step: the distance from a number to the next; negative to count down, and not 0.
        dtype: the dtype of the result; None for the default one of integers or of floats.
    """
    check_device(device)
    first, last = (0, start) if stop is None else (start, stop)
    numbers = np.arange(first, last, step)
    if dtype is None:
        dtype = default_dtype(int if numbers.dtype.kind in "iu" else float)
    return ops.cast(promotion.asarray(numbers), dtypes.as_dtype(dtype))


@NEW
def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros."""
    return zeros(shape, dtype=dtype, device=device)


@LIKE
def empty_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros in the shape of ``x``."""
    return zeros_like(x, dtype=dtype, device=device)


def sizes(shape: Any) -> Any:
    """A shape as `tf.fill` takes it."""
    return [shape] if isinstance(shape, int) else shape


@NEW
def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros."""
    check_device(device)
    return ops.zeros(sizes(shape), default_dtype(float) if dtype is None else dtype)


@NEW
def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones."""
    check_device(device)
    return ops.ones(sizes(shape), default_dtype(float) if dtype is None else dtype)


@ON_DEVICE
def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor with ``fill_value`` everywhere.

    Args:
        shape: the sizes: a tuple of integers, or one integer.
        fill_value: a number.
        dtype: the dtype of the result; None for that of ``fill_value``.
    """
    check_device(device)
    return ops.fill(sizes(shape), asarray(fill_value, dtype=dtype))


@LIKE
def zeros_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros in the shape of ``x``."""
    check_device(device)
    return ops.zeros_like(x, None if dtype is None else dtypes.as_dtype(dtype))


@LIKE
def ones_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones in the shape of ``x``."""
    check_device(device)
    return ops.ones_like(x, None if dtype is None else dtypes.as_dtype(dtype))


@LIKE
def full_like(x: Any, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor in the shape of ``x`` with ``fill_value`` everywhere.

    Args:
        fill_value: a number.
    """
    check_device(device)
    return ops.fill(ops.shape(x), asarray(fill_value, dtype=x.dtype if dtype is None else dtype))


@ON_DEVICE
def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: Any = None,
    device: Any = None,
) -> Tensor:
    """A matrix with ones on the diagonal ``k``.

    Args:
        n_rows: the number of rows.
        n_cols: the number of columns; None for as many as rows.
        k: the diagonal that has the ones: 0 is the main one, positive numbers are above it, negative ones
            below.
        dtype: the dtype of the result; None for the default one of floats.
    """
    check_device(device)
    return creation.eye(n_rows, n_cols, k, default_dtype(float) if dtype is None else dtype)


@ON_DEVICE
def linspace(
    start: Any,
    stop: Any,
    /,
    num: int,
    *,
    dtype: Any = None,
    device: Any = None,
    endpoint: bool = True,
) -> Tensor:
    """``num`` numbers from ``start`` to ``stop``, evenly spread.

    Args:
        start: the first number.
        stop: the last number, or the one after it if ``endpoint`` is false.
        num: how many numbers.
        dtype: the dtype of the result; None for the default one of floats, or of complex numbers if an end is
            complex.
        endpoint: whether ``stop`` is the last of them.
    """
    check_device(device)
    is_complex = isinstance(start, complex) or isinstance(stop, complex)
    wanted = default_dtype(complex if is_complex else float) if dtype is None else dtype
    if any(isinstance(end, (Tensor, VariableBase)) for end in (start, stop)):
        spread: Tensor = creation.linspace(start, stop, num, endpoint, dtype=wanted)
        return spread
    return ops.cast(
        promotion.asarray(np.linspace(start, stop, num, endpoint)), dtypes.as_dtype(wanted)
    )


def meshgrid(*arrays: Any, indexing: str = "xy") -> tuple[Tensor, ...]:
    """The coordinates of a grid with these numbers along its axes.

    Args:
        arrays: vectors, or scalars.
        indexing: "xy" (the first vector along axis 1) or "ij" (along axis 0).
    """
    return tuple(shapes.meshgrid(*arrays, indexing=indexing))


@TRIANGLE
def tril(x: Any, /, *, k: int = 0) -> Tensor:
    """The elements at and below the diagonal ``k``, and zeros."""
    return shapes.tril(x, k)


@TRIANGLE
def triu(x: Any, /, *, k: int = 0) -> Tensor:
    """The elements at and above the diagonal ``k``, and zeros."""
    return shapes.triu(x, k)
