"""New tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.annex.array_api.data_types import default_dtype
from tapegrad.annex.numpy_like import creation, ops, promotion, shapes
from tapegrad.core import EagerTensor, Tensor, VariableBase
from tapegrad.framework.dlpack import imported
from tapegrad.ops.linalg.attributes import check_device

PUBLIC = {
    "array_api": (
        "arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like "
        "tril triu zeros zeros_like"
    ),
}


def asarray(
    obj: Any, /, *, dtype: Any = None, device: Any = None, copy: bool | None = None
) -> Tensor:
    """``obj`` as a tensor. Arrays are copied, for their owner may write to them."""
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


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Tensor:
    """A tensor over the memory of another library's array: see `tf.experimental.dlpack.from_dlpack`."""
    check_device(device)
    return EagerTensor(imported(x, copy))


def arange(
    start: Any, /, stop: Any = None, step: Any = 1, *, dtype: Any = None, device: Any = None
) -> Tensor:
    """Numbers from ``start`` to ``stop``; from 0 to ``start`` if that is None."""
    check_device(device)
    first, last = (0, start) if stop is None else (start, stop)
    numbers = np.arange(first, last, step)
    if dtype is None:
        dtype = default_dtype(int if numbers.dtype.kind in "iu" else float)
    return ops.cast(promotion.asarray(numbers), dtypes.as_dtype(dtype))


def empty(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros."""
    return zeros(shape, dtype=dtype, device=device)


def empty_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros in the shape of ``x``."""
    return zeros_like(x, dtype=dtype, device=device)


def sizes(shape: Any) -> Any:
    """A shape as `tf.fill` takes it."""
    return [shape] if isinstance(shape, int) else shape


def zeros(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros."""
    check_device(device)
    return ops.zeros(sizes(shape), default_dtype(float) if dtype is None else dtype)


def ones(shape: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones."""
    check_device(device)
    return ops.ones(sizes(shape), default_dtype(float) if dtype is None else dtype)


def full(shape: Any, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor with ``fill_value`` everywhere."""
    check_device(device)
    return ops.fill(sizes(shape), asarray(fill_value, dtype=dtype))


def zeros_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Zeros in the shape of ``x``."""
    check_device(device)
    return ops.zeros_like(x, None if dtype is None else dtypes.as_dtype(dtype))


def ones_like(x: Any, /, *, dtype: Any = None, device: Any = None) -> Tensor:
    """Ones in the shape of ``x``."""
    check_device(device)
    return ops.ones_like(x, None if dtype is None else dtypes.as_dtype(dtype))


def full_like(x: Any, /, fill_value: Any, *, dtype: Any = None, device: Any = None) -> Tensor:
    """A tensor in the shape of ``x`` with ``fill_value`` everywhere."""
    check_device(device)
    return ops.fill(ops.shape(x), asarray(fill_value, dtype=x.dtype if dtype is None else dtype))


def eye(
    n_rows: int,
    n_cols: int | None = None,
    /,
    *,
    k: int = 0,
    dtype: Any = None,
    device: Any = None,
) -> Tensor:
    """A matrix with ones on the diagonal ``k``."""
    check_device(device)
    return creation.eye(n_rows, n_cols, k, default_dtype(float) if dtype is None else dtype)


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
    """``num`` numbers from ``start`` to ``stop``, evenly spread."""
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
    """The coordinates of a grid with these numbers along its axes."""
    return tuple(shapes.meshgrid(*arrays, indexing=indexing))


def tril(x: Any, /, *, k: int = 0) -> Tensor:
    """The elements at and below the diagonal ``k``, and zeros."""
    return shapes.tril(x, k)


def triu(x: Any, /, *, k: int = 0) -> Tensor:
    """The elements at and above the diagonal ``k``, and zeros."""
    return shapes.triu(x, k)
