"""Joining tensors along an axis, old or new, and splitting them: concat, stack, unstack and split.

Parts are views of the whole. What else reshapes a tensor is in `array`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor, Op, Tensor, VariableBase, are_tensors, convert, public
from tapegrad.core.sizes import (
    UnknownSize,
    equal_size,
    is_unknown,
    unknown_size,
)
from tapegrad.engines.numpy import copies, slicing
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.names import executing_eagerly
from tapegrad.ops.args import (
    check_memory,
    matching_tensors,
    normalize_axis,
    optional,
    static_array,
    static_int,
    static_ints,
)
from tapegrad.ops.batching import with_axes
from tapegrad.ops.op import op, refuse_mismatch
from tapegrad.ops.shape_rules import Abstract

if TYPE_CHECKING:
    pass

PUBLIC = {
    ".": "parallel_stack",
    ". compat.v1": "concat split stack unstack",
}


@op(
    "ConcatV2",
    check_numerics=False,
    moves="values",
    convert={"axis": static_int},
    raw=("values", "axis"),
    lane=copies.concat,
    linear="values",
)
def concat_op(xp, *values, axis):
    if not values:
        refuse("concat() needs at least one tensor.")
    if len(values) == 1:
        return values[0]
    result = copies.join(values, axis)
    if result is None:
        refuse_to_join(concat_op, values)
        normalize_axis(axis, values[0].ndim)
        refuse_to_concat(values, axis)
    return result


@concat_op.shape
def joined_shape(values, axis):
    if not values:
        refuse("concat() needs at least one tensor.")
    first = values[0]
    if len(values) == 1:
        return first
    refuse_to_join(concat_op, values)
    axis = normalize_axis(axis, first.ndim)
    sizes = list(first.shape)
    for value in values[1:]:
        for place, size in enumerate(value.shape):
            try:
                joined = sizes[place] + size if place == axis else equal_size(sizes[place], size)
            except UnknownSize:
                raise
            except ValueError:
                refuse_to_concat(values, axis)
            sizes[place] = joined
    return Abstract(sizes, first.dtype)


def refuse_to_concat(values: Any, axis: int) -> NoReturn:
    refuse(
        f"concat() along axis {axis} joins tensors that agree in all other sizes; "
        f"these have the shapes {', '.join(str(list(value.shape)) for value in values)}."
    )


def refuse_to_join(operation: Op, values: Any) -> None:
    """Raise for arrays of several dtypes or ranks, and for scalars; otherwise return."""
    first = values[0]
    for number, value in enumerate(values):
        if value.dtype != first.dtype:
            refuse_mismatch(
                operation, number, dtypes.as_dtype(first.dtype), dtypes.as_dtype(value.dtype)
            )
        if value.ndim != first.ndim:
            refuse(
                "concat() joins tensors of one rank; these have the shapes "
                f"{', '.join(str(list(value.shape)) for value in values)}."
            )
    if not first.ndim:
        refuse("concat() cannot join scalars: tf.stack() makes a vector of them.")


def refuse_to_stack(values: Any) -> NoReturn:
    refuse(
        "stack() joins tensors of one shape; these have the shapes "
        f"{', '.join(str(list(value.shape)) for value in values)}."
    )


def concat_gradient(dy, values_shape, axis):
    if len(values_shape) == 1:
        return [dy]
    sizes = tuple([shape[axis] for shape in values_shape])
    return split_sizes.apply([dy], (sizes, axis, None))


concat_op.gradient(values=concat_gradient)
concat_op.batching(with_axes("axis"))


@public
def concat(values: Any, axis: Any, name: str | None = "concat") -> Tensor:
    """The tensors in the list ``values``, one after the other along ``axis``.

    >>> tf.concat([[[1, 2]], [[3, 4], [5, 6]]], 0).numpy().tolist()
    [[1, 2], [3, 4], [5, 6]]

    Args:
        values: tensors of one dtype, whose sizes differ along ``axis`` at most.
        axis: the axis along which they follow each other; a negative one counts from the end.
    """
    if not isinstance(values, (list, tuple)):
        values = [values]
    if type(axis) is int and are_tensors(tensors := list(values)):
        return concat_op.apply(tensors, (axis,))
    if not values:
        refuse("concat() needs at least one tensor.")
    return concat_op(matching_tensors(values), axis)


@op(
    "Pack",
    moves="values",
    convert={"axis": static_int},
    raw=("values", "axis"),
    lane=copies.pack,
    linear="values",
)
def stack_op(xp, *values, axis=0):
    if not values:
        refuse("stack() needs at least one tensor.")
    first = values[0].shape
    rank = len(first)
    axis = normalize_axis(axis, rank + 1)
    shape = (*first[:axis], 1, *first[axis:])
    for value in values:
        if value.shape != first:
            refuse_to_stack(values)
    result = copies.join([value.reshape(shape) for value in values], axis)
    if result is None:
        refuse_to_join(stack_op, values)
    return result


@stack_op.shape
def stacked_shape(values, axis):
    if not values:
        refuse("stack() needs at least one tensor.")
    first = values[0]
    axis = normalize_axis(axis, first.ndim + 1)
    sizes = first.shape
    for value in values:
        try:
            sizes = [equal_size(*pair) for pair in zip(sizes, value.shape, strict=True)]
        except UnknownSize:
            raise
        except ValueError:
            refuse_to_stack(values)
    for number, value in enumerate(values):
        if value.dtype != first.dtype:
            refuse_mismatch(stack_op, number, first.dtype, value.dtype)
    return Abstract((*sizes[:axis], len(values), *sizes[axis:]), first.dtype)


def stack_gradient(dy, axis):
    return unstack_op(dy, axis=axis)


stack_op.gradient(values=stack_gradient)
stack_op.batching(with_axes("axis", new=1))


@public
def stack(values: Any, axis: Any = 0, name: str | None = "stack") -> Tensor:
    """The tensors in the list ``values``, stacked along a new axis at position ``axis``.

    >>> tf.stack([[1, 2], [3, 4]], axis=1).numpy().tolist()
    [[1, 3], [2, 4]]

    Args:
        values: tensors of one shape and dtype.
        axis: the position of the new axis; a negative one counts from the end.
    """
    plain = type(axis) is int and type(values) is list and are_tensors(values)
    if plain and (axis == 0 or 0 < axis <= values[0].ndim):
        return stack_op.apply(list(values), (axis,))
    if axis is None or isinstance(axis, str):
        raise TypeError(f"stack() expects an int for axis, not {axis!r}.")
    axis = static_int(int(axis) if isinstance(axis, float) else axis)
    if isinstance(values, (Tensor, VariableBase, np.ndarray)) or not isinstance(
        values, (list, tuple)
    ):
        if axis == 0:
            return convert_to_tensor(values)
        values = list(convert(values))
    if axis == 0 and not any(isinstance(value, (Tensor, VariableBase)) for value in values):
        try:
            return convert(values)
        except (TypeError, ValueError):
            # Rows differ in length or type: the op below raises an error that names the row.
            pass
    if not values:
        refuse("stack() needs at least one tensor.")
    rank = len(convert(values[0])._shape_tuple()) + 1
    if not -rank <= axis < rank:
        raise ValueError(f"stack() got axis = {axis}, not in [{-rank}, {rank}).")
    return stack_op(matching_tensors(values), axis)


@public
def parallel_stack(values: Any, name: str | None = "parallel_stack") -> Tensor:
    """`tf.stack` in a `tf.function`. Elsewhere it is an error, as in TensorFlow.

    Differs from TensorFlow: it has a gradient.

    Args:
        values: a list of tensors of one shape and dtype.

    Raises:
        RuntimeError: outside of functions.
    """
    if executing_eagerly():
        raise RuntimeError(
            "tf.parallel_stack() is not compatible with eager execution: use tf.stack, or a tf.function."
        )
    return stack(values)


MANY_SLICES = 1 << 20
SLICE_BYTES = 200


@op(
    "Unpack",
    check_numerics=False,
    moves="value",
    raw=("value", "num", "axis"),
    convert={"num": optional(static_int), "axis": static_int},
    outputs=...,
    linear="value",
    lane=slicing.unpack,
)
def unstack_op(xp, value, *, num=None, axis=0):
    axis = normalize_axis(axis, value.ndim)
    length = value.shape[axis]
    if num is not None and num != length:
        refuse(f"unstack() into {num} does not suit axis {axis} of the shape {list(value.shape)}.")
    # Even slices without elements need memory, because each is a tensor and an array.
    if length > MANY_SLICES:
        check_memory((length, SLICE_BYTES), np.dtype(np.uint8))
    return slicing.slices(value, axis)


@unstack_op.shape
def unstacked_shapes(value, num, axis):
    axis = normalize_axis(axis, value.ndim)
    length = value.shape[axis]
    if num is not None and is_unknown(length):
        length = num
    if num is not None and num != length:
        refuse(f"unstack() into {num} does not suit axis {axis} of the shape {list(value.shape)}.")
    return [(*value.shape[:axis], *value.shape[axis + 1 :])] * int(length)


unstack_op.gradient(value=lambda dy, value_shape, axis: stack_op(list(dy), axis) if dy else None)
unstack_op.batching(with_axes("axis"))


@public
def unstack(
    value: Any, num: Any = None, axis: Any = 0, name: str | None = "unstack"
) -> list[Tensor]:
    """The slices of ``value`` along ``axis``, as a list.

    >>> [t.numpy().tolist() for t in tf.unstack([[1, 2], [3, 4]], axis=1)]
    [[1, 3], [2, 4]]

    Args:
        value: a tensor.
        num: the number of slices, where the shape does not say it.
        axis: the axis that is taken apart.
    """
    tensor = convert(value)
    rank = tensor.ndim
    if type(axis) is not int:
        if isinstance(axis, float):
            raise TypeError(f"unstack() expects an int for axis, not {axis!r}.")
        axis = static_int(axis)
    if not -rank <= axis < rank:
        raise ValueError(f"unstack() got axis = {axis}, not in [{-rank}, {rank}).")
    return unstack_op.apply([tensor], (int(num) if num is not None else None, axis))


@op(
    "Split",
    moves="value",
    raw=("value", "axis", "num_split"),
    outputs=...,
    linear="value",
    lane=slicing.split,
)
def split_evenly(xp, value, *, axis, num_split):
    axis = normalize_axis(static_int(axis), value.ndim)
    num_split = static_int(num_split)
    size = size_of_parts(value.shape, axis, num_split)
    return slicing.cut(value, (size,) * num_split, axis)


@split_evenly.shape
def split_shapes(value, axis, num_split):
    axis, num_split = normalize_axis(static_int(axis), value.ndim), static_int(num_split)
    size = size_of_parts(value.shape, axis, num_split)
    return [(*value.shape[:axis], size, *value.shape[axis + 1 :])] * num_split


def size_of_parts(shape: tuple[int, ...], axis: int, num_split: int) -> int:
    if num_split < 1:
        refuse(f"split() makes at least 1 part, not {num_split}.")
    size, rest = divmod(shape[axis], num_split)
    if not is_unknown(size) and rest:
        refuse(
            f"split() cannot cut axis {axis} of the shape {list(shape)} into {num_split} "
            "equal parts."
        )
    return size


@op(
    "SplitV",
    moves="value",
    convert={"sizes": static_ints, "axis": static_int},
    raw=("value", "size_splits", "axis", "num_split"),
    outputs=...,
    linear="value",
)
def split_sizes(xp, value, *, sizes, axis, num_split=None):
    axis = normalize_axis(axis, value.ndim)
    if num_split is not None and num_split != len(sizes):
        refuse(f"split() into {list(sizes)} makes {len(sizes)} parts, not {num_split}.")
    return slicing.cut(value, known_sizes(sizes, value.shape[axis]), axis)


@split_sizes.shape
def shapes_of_sizes(value, sizes, axis, num_split):
    axis = normalize_axis(axis, value.ndim)
    if num_split is not None and num_split != len(sizes):
        refuse(f"split() into {list(sizes)} makes {len(sizes)} parts, not {num_split}.")
    if any(map(is_unknown, sizes)):  # so is what is left
        sizes = [unknown_size() if type(size) is int and size < 0 else size for size in sizes]
    else:
        sizes = known_sizes(sizes, value.shape[axis])
    return [(*value.shape[:axis], size, *value.shape[axis + 1 :]) for size in sizes]


def known_sizes(sizes: tuple[int, ...], total: int) -> list[int]:
    """``sizes`` with -1 replaced by the size that is left. The sizes must add up to ``total``."""
    known = sum([size for size in sizes if size >= 0])
    if min(sizes, default=0) < -1 or sizes.count(-1) > 1:
        refuse(f"split() into {list(sizes)}: sizes are at least 0, but for one of -1.")
    if not total and sizes == (-1,):
        # TensorFlow refuses this too: it takes a single -1 only for a part that is not empty.
        refuse("split() into [-1] of an axis of size 0: there is nothing to work it out from.")
    if known > total or (known < total and -1 not in sizes):
        refuse(f"split() into {list(sizes)} takes {known} slices in all; the input has {total}.")
    return [size if size >= 0 else total - known for size in sizes]


split_evenly.gradient(value=lambda dy, axis: concat_op.apply(list(dy), (axis,)))
split_evenly.batching(with_axes("axis"))
split_sizes.gradient(value=lambda dy, axis: concat_op.apply(list(dy), (axis,)))
split_sizes.batching(with_axes("axis"))


@public
def split(
    value: Any,
    num_or_size_splits: Any,
    axis: Any = 0,
    num: int | None = None,
    name: str | None = "split",
) -> list[Tensor]:
    """``value`` cut along ``axis`` into a number of equal parts, or into parts of the sizes in a list.

    >>> [t.numpy().tolist() for t in tf.split([1, 2, 3, 4], 2)]
    [[1, 2], [3, 4]]
    >>> [t.numpy().tolist() for t in tf.split([1, 2, 3, 4], [1, -1])]
    [[1], [2, 3, 4]]

    Args:
        value: the tensor to cut.
        num_or_size_splits: the number of parts, or a list of their sizes, of which one may be -1.
        axis: the axis that is cut.
        num: the number of parts, where a tensor of sizes does not say it.
    """
    axis = static_int(axis)
    if isinstance(num_or_size_splits, (int, np.integer)):
        if type(value) is EagerTensor:
            return split_evenly.apply([value], (axis, int(num_or_size_splits)))
        return split_evenly(value, axis, int(num_or_size_splits))
    sizes: Any = None if isinstance(num_or_size_splits, float) else static_array(num_or_size_splits)
    if sizes is None or sizes.ndim == 0:
        raise ValueError(
            "split() expects an int or a vector of sizes for num_or_size_splits, "
            f"not the scalar {num_or_size_splits}."
        )
    if sizes.ndim > 1 or not sizes.size or (num is not None and num != sizes.size):
        refuse(
            f"split() expects a vector of sizes{'' if num is None else f', {num} of them'}; "
            f"an array of shape {sizes.shape} came."
        )
    return split_sizes(value, tuple(sizes.tolist()), axis)
