"""Lists of tensors, which loops write to and read from: the ops that TensorFlow calls ``TensorList...``.

A list is a Python object that never changes: an op gives a new one. Tapes see the tensors in it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, static_value
from tapegrad.errors import refuse
from tapegrad.framework.shape import TensorShape
from tapegrad.ops.args import check_memory
from tapegrad.ops.shape import creation
from tapegrad.ops.shape.joining import concat, split, stack, unstack
from tapegrad.ops.shape.shapes import shape as shape_of
from tapegrad.saving.files import Damaged
from tapegrad.saving.graphs.structures import shape_said_by


class TensorList:
    """Tensors of one dtype. None stands for one that was never written."""

    __slots__ = ("dtype", "element_shape", "tensors")

    def __init__(self, dtype: Any, element_shape: TensorShape, tensors: Sequence[Any]) -> None:
        self.dtype = dtype
        self.element_shape = element_shape
        self.tensors = tuple(tensors)

    def like(self, tensors: Sequence[Any]) -> TensorList:
        """A list of the same kind with other tensors."""
        return TensorList(self.dtype, self.element_shape, tensors)

    def element(self, place: int, element_shape: Any = None) -> Any:
        """The tensor at a place: zeros, if it was never written."""
        tensor = self.tensors[place]
        if tensor is not None:
            return tensor
        shape = self.element_shape
        if element_shape is not None:
            shape = shape.merge_with(element_shape)
        if not shape.is_fully_defined():
            for other in self.tensors:
                if other is not None:
                    shape = shape.merge_with(other.shape)
                    break
        if not shape.is_fully_defined():
            refuse(
                f"The element {place} of a list of tensors was never written, and its shape {shape} is "
                "not known."
            )
        return creation.zeros(shape.as_list(), self.dtype)

    def __repr__(self) -> str:
        return f"<list of {len(self.tensors)} tensors of {self.dtype.name}>"


def _list(node: Any, value: Any) -> TensorList:
    if not isinstance(value, TensorList):
        refuse(f"{node.where} takes a list of tensors; {value!r} came.")
    return value


def _dtype(node: Any) -> Any:
    dtype = node.attributes.get("element_dtype")
    if not isinstance(dtype, dtypes.DType):
        raise Damaged(f"{node.where} has no dtype of elements")
    return dtype


def _number(value: Any) -> int:
    return int(static_value(value, "number"))


def _shape(value: Any) -> TensorShape:
    return shape_said_by(value) if isinstance(value, Tensor) else TensorShape(value)


def _place(node: Any, tensors: TensorList, index: Any) -> int:
    place = _number(index)
    if not 0 <= place < len(tensors.tensors):
        refuse(
            f"{node.where} reads or writes the element {place} of a list with {len(tensors.tensors)} "
            "elements."
        )
    return place


def reserve(frame: Any, node: Any, element_shape: Any, count: Any) -> TensorList:
    """A list of so many elements that are not written yet."""
    number = _number(count)
    if number < 0:
        refuse(f"{node.where} makes a list of {number} tensors: there are at least 0.")
    check_memory((number,), np.dtype(object))
    return TensorList(_dtype(node), _shape(element_shape), [None] * number)


def empty(frame: Any, node: Any, element_shape: Any, most: Any) -> TensorList:
    """A list without elements."""
    return TensorList(_dtype(node), _shape(element_shape), [])


def from_tensor(frame: Any, node: Any, tensor: Any, element_shape: Any) -> TensorList:
    """The elements of a tensor along its first axis."""
    return TensorList(tensor.dtype, _shape(element_shape), unstack(tensor))


def to_tensor(frame: Any, node: Any, handle: Any, element_shape: Any) -> Any:
    """All elements along a new first axis."""
    tensors = _list(node, handle)
    count = node.attributes.get("num_elements", -1)
    if count not in (-1, len(tensors.tensors)):
        refuse(f"{node.where} takes a list of {count} tensors; one of {len(tensors.tensors)} came.")
    shape = _shape(element_shape)
    if not tensors.tensors:
        return _none_of(tensors, shape)
    return stack([tensors.element(place, shape) for place in range(len(tensors.tensors))])


def _none_of(tensors: TensorList, shape: TensorShape) -> Any:
    shape = tensors.element_shape.merge_with(shape)
    if not shape.is_fully_defined():
        refuse(f"An empty list of tensors of shape {shape} came: what to stack has no shape.")
    return creation.zeros([0, *shape.as_list()], tensors.dtype)


def get(frame: Any, node: Any, handle: Any, index: Any, element_shape: Any) -> Any:
    """One element."""
    tensors = _list(node, handle)
    return tensors.element(_place(node, tensors, index), _shape(element_shape))


def put(frame: Any, node: Any, handle: Any, index: Any, item: Any) -> TensorList:
    """The list with another element at a place. An attribute may allow it to grow."""
    tensors = _list(node, handle)
    place = _number(index)
    elements = [*tensors.tensors]
    if node.attributes.get("resize_if_index_out_of_bounds") and place >= len(elements):
        check_memory((place + 1,), np.dtype(object))
        elements += [None] * (place + 1 - len(elements))
    else:
        _place(node, tensors, index)
    elements[place] = _checked(tensors, item)
    return tensors.like(elements)


def _checked(tensors: TensorList, item: Any) -> Any:
    if isinstance(item, Tensor) and not tensors.element_shape.is_compatible_with(item.shape):
        refuse(
            f"A tensor of shape {item.shape} came for a list of tensors of shape "
            f"{tensors.element_shape}."
        )
    return item


def push(frame: Any, node: Any, handle: Any, item: Any) -> TensorList:
    """The list with one more element."""
    tensors = _list(node, handle)
    return tensors.like([*tensors.tensors, _checked(tensors, item)])


def pop(frame: Any, node: Any, handle: Any, element_shape: Any) -> tuple[TensorList, Any]:
    """The list without its last element, and this element."""
    tensors = _list(node, handle)
    if not tensors.tensors:
        refuse(f"{node.where} takes the last element of an empty list.")
    last = tensors.element(len(tensors.tensors) - 1, _shape(element_shape))
    return tensors.like(tensors.tensors[:-1]), last


def length(frame: Any, node: Any, handle: Any) -> Any:
    """The number of elements."""
    return convert(len(_list(node, handle).tensors), dtypes.int32)


def resize(frame: Any, node: Any, handle: Any, size: Any) -> TensorList:
    """The list with so many elements."""
    tensors, count = _list(node, handle), _number(size)
    if count < 0:
        refuse(f"{node.where} makes a list of {count} tensors: there are at least 0.")
    check_memory((count,), np.dtype(object))
    kept = tensors.tensors[:count]
    return tensors.like([*kept, *[None] * (count - len(kept))])


def element_shape_of(frame: Any, node: Any, handle: Any) -> Any:
    """The shape of the elements, with -1 for what is unknown."""
    shape = _list(node, handle).element_shape
    dtype = node.attributes.get("shape_type", dtypes.int32)
    if shape.rank is None:
        return convert(-1, dtype)
    sizes = [-1 if size is None else size for size in shape.as_list()]
    return convert(np.array(sizes, dtype.numpy_dtype))


def take(frame: Any, node: Any, handle: Any, indices: Any, element_shape: Any) -> Any:
    """Some elements along a new first axis."""
    tensors, shape = _list(node, handle), _shape(element_shape)
    places = [_place(node, tensors, place) for place in unstack(indices)]
    if not places:
        return _none_of(tensors, shape)
    return stack([tensors.element(place, shape) for place in places])


def scatter(
    frame: Any, node: Any, tensor: Any, indices: Any, element_shape: Any, count: Any = None
) -> TensorList:
    """A list with the elements of a tensor at some places."""
    places = [int(place) for place in static_value(indices, "indices")]
    if any(place < 0 for place in places):
        refuse(f"{node.where} writes to the places {places}: none may be negative.")
    size = -1 if count is None else _number(count)
    size = max([place + 1 for place in places], default=0) if size < 0 else size
    if any(place >= size for place in places):
        refuse(f"{node.where} writes to the place {max(places)} of a list with {size} elements.")
    check_memory((size,), np.dtype(object))
    elements: list[Any] = [None] * size
    for place, item in zip(places, unstack(tensor), strict=True):
        elements[place] = item
    return TensorList(tensor.dtype, _shape(element_shape), elements)


def scatter_into(frame: Any, node: Any, handle: Any, tensor: Any, indices: Any) -> TensorList:
    """The list with the elements of a tensor at some places."""
    tensors = _list(node, handle)
    elements = [*tensors.tensors]
    for place, item in zip(static_value(indices, "indices"), unstack(tensor), strict=True):
        if place < 0:
            refuse(f"{node.where} writes to the place {place}: none may be negative.")
        check_memory((int(place) + 1,), np.dtype(object))
        elements += [None] * (int(place) + 1 - len(elements))
        elements[int(place)] = item
    return tensors.like(elements)


def join(
    frame: Any, node: Any, handle: Any, element_shape: Any = None, leading: Any = None
) -> tuple[Any, Any]:
    """All elements, one after the other along their first axis, and their lengths."""
    tensors = _list(node, handle)
    if element_shape is None:
        element_shape = node.attributes.get("element_shape")
    shape = _shape(element_shape)
    elements = [tensors.element(place, shape) for place in range(len(tensors.tensors))]
    if any(not element.shape.rank for element in elements):
        refuse(f"{node.where} joins scalars: each element needs a first axis.")
    if not elements:
        merged = tensors.element_shape.merge_with(shape)
        if merged.rank is None or not merged[1:].is_fully_defined():
            refuse(
                f"{node.where} joins an empty list of tensors of shape {merged}, whose sizes are unknown."
            )
        nothing = creation.zeros([0, *merged[1:].as_list()], tensors.dtype)
        return nothing, creation.zeros([0], dtypes.int64)
    lengths = stack([shape_of(element, dtypes.int64)[0] for element in elements])
    return concat(elements, 0), lengths


def separate(frame: Any, node: Any, tensor: Any, element_shape: Any, lengths: Any) -> TensorList:
    """The parts of a tensor of these lengths along its first axis."""
    return TensorList(tensor.dtype, _shape(element_shape), split(tensor, lengths))


def join_lists(frame: Any, node: Any, first: Any, second: Any) -> TensorList:
    """Two lists, one after the other."""
    one, other = _list(node, first), _list(node, second)
    return one.like([*one.tensors, *other.tensors])


# Those of TensorFlow 1, whose state goes from node to node as their ``flow``: it is the list here.


def array(frame: Any, node: Any, size: Any) -> tuple[TensorList, TensorList]:
    """A list of elements that are not written yet, and once more as its flow."""
    dtype, number = node.attributes.get("dtype"), _number(size)
    if not isinstance(dtype, dtypes.DType) or number < 0:
        raise Damaged(f"{node.where} is no list of tensors")
    check_memory((number,), np.dtype(object))
    shape = _shape(node.attributes.get("element_shape"))
    result = TensorList(dtype, shape, [None] * number)
    return result, result


def array_write(frame: Any, node: Any, handle: Any, index: Any, value: Any, flow: Any) -> Any:
    """The list with another element at a place."""
    tensors, place = _list(node, flow), _number(index)
    if place < 0:
        refuse(f"{node.where} writes to the place {place}: none may be negative.")
    check_memory((place + 1,), np.dtype(object))
    elements = [*tensors.tensors, *[None] * (place + 1 - len(tensors.tensors))]
    elements[place] = value
    return tensors.like(elements)


def array_read(frame: Any, node: Any, handle: Any, index: Any, flow: Any) -> Any:
    """One element."""
    tensors = _list(node, flow)
    return tensors.element(_place(node, tensors, index))


def array_gather(frame: Any, node: Any, handle: Any, indices: Any, flow: Any) -> Any:
    """Some elements along a new first axis."""
    return take(frame, node, flow, indices, node.attributes.get("element_shape"))


def array_scatter(frame: Any, node: Any, handle: Any, indices: Any, value: Any, flow: Any) -> Any:
    """The list with the elements of a tensor at some places."""
    return scatter_into(frame, node, flow, value, indices)


def array_size(frame: Any, node: Any, handle: Any, flow: Any) -> Any:
    """The number of elements."""
    return length(frame, node, flow)


def array_concat(frame: Any, node: Any, handle: Any, flow: Any) -> tuple[Any, Any]:
    """All elements, one after the other along their first axis, and their lengths."""
    return join(frame, node, flow, TensorShape(None))


def array_split(frame: Any, node: Any, handle: Any, value: Any, lengths: Any, flow: Any) -> Any:
    """The parts of a tensor of these lengths along its first axis."""
    return _list(node, flow).like(split(value, lengths))


OPS: dict[str, Callable[..., Any]] = {
    "EmptyTensorList": empty,
    "TensorArrayConcatV3": array_concat,
    "TensorArrayGatherV3": array_gather,
    "TensorArrayReadV3": array_read,
    "TensorArrayScatterV3": array_scatter,
    "TensorArraySizeV3": array_size,
    "TensorArraySplitV3": array_split,
    "TensorArrayV3": array,
    "TensorArrayWriteV3": array_write,
    "TensorListConcat": join,
    "TensorListConcatLists": join_lists,
    "TensorListConcatV2": join,
    "TensorListElementShape": element_shape_of,
    "TensorListFromTensor": from_tensor,
    "TensorListGather": take,
    "TensorListGetItem": get,
    "TensorListLength": length,
    "TensorListPopBack": pop,
    "TensorListPushBack": push,
    "TensorListReserve": reserve,
    "TensorListResize": resize,
    "TensorListScatter": scatter,
    "TensorListScatterIntoExistingList": scatter_into,
    "TensorListScatterV2": scatter,
    "TensorListSetItem": put,
    "TensorListSplit": separate,
    "TensorListStack": to_tensor,
}
