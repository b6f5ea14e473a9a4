"""Slices of variables, and at computed places, which are moved so that they fit: inside TensorFlow.

Differs from TensorFlow: the tape follows these functions.
"""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.core import Tensor, public
from tapegrad.errors import refuse
from tapegrad.framework.names import name_scope
from tapegrad.framework.variable import Variable
from tapegrad.ops.elementwise.conditions import where
from tapegrad.ops.elementwise.math import maximum, minimum
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import constant, convert_to_tensor, ones
from tapegrad.ops.shape.joining import stack
from tapegrad.ops.shape.padding import pad
from tapegrad.ops.shape.strided_slices import slice_


@public
def dynamic_slice(
    input: Any, start_indices: Any, size_indices: Any, name: str | None = None
) -> Tensor:
    """The part of ``input`` of sizes ``size_indices`` at ``start_indices``, or as near to it as it fits.

    >>> from tapegrad.annex.tensorflow_shim.slices import dynamic_slice
    >>> dynamic_slice(tf.range(5), [4], [2]).numpy()
    array([3, 4], dtype=int32)
    """
    with name_scope(name or "XlaDynamicSlice"):
        tensor = convert_to_tensor(input)
        sizes = convert_to_tensor(size_indices, dtype_hint=dtypes.int32)
        check_places("dynamic_slice", "size_indices", sizes, tensor)
        start = fitting_start("dynamic_slice", start_indices, sizes, tensor)
        return slice_(tensor, start, sizes)


@public
def dynamic_update_slice(input: Any, update: Any, indices: Any, name: str | None = None) -> Tensor:
    """``input`` with ``update`` in place of the part that starts at ``indices``, or as near as it fits.

    >>> from tapegrad.annex.tensorflow_shim.slices import dynamic_update_slice
    >>> dynamic_update_slice(tf.zeros([4]), tf.ones([2]), [9]).numpy()
    array([0., 0., 1., 1.], dtype=float32)
    """
    with name_scope(name or "XlaDynamicUpdateSlice"):
        tensor = convert_to_tensor(input)
        new = convert_to_tensor(update, dtype_hint=tensor.dtype)
        if new.dtype != tensor.dtype:
            refuse(
                f"dynamic_update_slice: input is {tensor.dtype.name}, update is {new.dtype.name}"
            )
        if new.shape.rank != tensor.shape.rank:
            refuse(
                "dynamic_update_slice: input and update must have the same rank; "
                f"their shapes are {tensor.shape} and {new.shape}"
            )
        sizes = constant(new.shape.as_list(), dtypes.int32)
        start = fitting_start("dynamic_update_slice", indices, sizes, tensor)
        around = constant(tensor.shape.as_list(), start.dtype) - start - cast(sizes, start.dtype)
        paddings = stack([start, around], axis=1)
        inside = pad(ones(new.shape, dtypes.bool), paddings)
        return where(inside, pad(new, paddings), tensor)


def check_places(function: str, argument: str, places: Tensor, tensor: Tensor) -> None:
    """Refuse ``places`` unless there is an integer for each axis of ``tensor``."""
    if places.shape != [tensor.shape.rank] or places.dtype not in (dtypes.int32, dtypes.int64):
        refuse(
            f"{function}: {argument} must have an int32 or int64 for each of the "
            f"{tensor.shape.rank} axes of input; it is {places.dtype.name} of shape {places.shape}"
        )


def fitting_start(function: str, indices: Any, sizes: Tensor, tensor: Tensor) -> Tensor:
    """Where a part of these ``sizes`` starts: at ``indices``, moved so that all of it is in ``tensor``."""
    start = convert_to_tensor(indices, dtype_hint=dtypes.int32)
    check_places(function, "indices", start, tensor)
    last = constant(tensor.shape.as_list(), start.dtype) - cast(sizes, start.dtype)
    if min(last.numpy().tolist(), default=0) < 0:
        refuse(
            f"{function}: a part of sizes {sizes.numpy().tolist()} is larger than input, "
            f"whose shape is {tensor.shape}"
        )
    fitting: Tensor = maximum(minimum(start, last), 0)
    return fitting


def slice_of_variable(var: Any, slice_spec: Any) -> Any:
    """``var[slice_spec]``, for classes that act as variables and take this as their ``__getitem__``.

    >>> from tapegrad.annex.tensorflow_shim.slices import slice_of_variable
    >>> slice_of_variable(tf.Variable([1.0, 2.0]), 1).numpy()
    np.float32(2.0)

    Args:
        var: a variable, or any object whose ``value()`` is a tensor.
        slice_spec: what stands between the brackets.
    """
    if isinstance(var, Variable):
        return Variable.__getitem__(var, slice_spec)
    return var.value()[slice_spec]
