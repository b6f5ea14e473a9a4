"""``tf.TensorArray``: a list of tensors of one dtype, which loops write to and read from.

In eager code a write changes the array, and reading an element frees it. In a function a write gives another
array, and the old one keeps its elements, which can be read again, as in TensorFlow's graphs.

In a function that is saved for any size, an array whose length is open has its elements in one tensor.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import Tensor, callbacks, convert, public
from tapegrad.core.sizes import Size
from tapegrad.errors import refuse
from tapegrad.framework import calls
from tapegrad.framework.names import current_graph
from tapegrad.framework.printed import Printed
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TypeSpec
from tapegrad.ops.args import check_memory, static_int, static_ints, static_shape
from tapegrad.ops.constants import constant
from tapegrad.ops.elementwise.math import maximum
from tapegrad.ops.indexing.gather import gather, tensor_scatter_nd_update
from tapegrad.ops.program import scopes
from tapegrad.ops.shape import array, creation, joining, shapes

PUBLIC = {
    ". compat.v1": "TensorArray TensorArraySpec",
}


class TensorArray(Printed):
    """Tensors of one dtype, written and read by index. Gradients flow through.

    >>> squares = tf.TensorArray(tf.float32, size=3)
    >>> for i in range(3):
    ...     squares = squares.write(i, float(i) ** 2)
    >>> squares.stack().numpy()
    array([0., 1., 4.], dtype=float32)

    Args:
        dtype: the dtype of every element.
        size: the number of elements.
        dynamic_size: whether ``write`` may add elements beyond the end.
        clear_after_read: whether to free an element once it is read, so that it can be read only once. This
            is for eager code: in a function nothing is freed.
        infer_shape: whether the first element written decides the shape of all.
        element_shape: the shape of every element, as far as it is known.
    """

    _changes = True  # so that no function is recorded for one by its identity

    @staticmethod
    @public(computes=False)
    def __new__(cls: Any, *args: Any, **kwargs: Any) -> Any:
        graph = current_graph()
        kind = cls
        if cls is TensorArray and (graph is not None or calls.current() is not None):
            is_open = scopes.current.loops is not None and _is_open(*args, **kwargs)
            kind = RowsArray if is_open else ValueArray
        if graph is not None and graph.world is None:
            answer = callbacks().trace_symbolically(kind, args, kwargs)
            if answer is not NotImplemented:
                return answer
        return object.__new__(kind)

    def __init__(
        self,
        dtype: Any,
        size: Any = None,
        dynamic_size: bool | None = None,
        clear_after_read: bool | None = None,
        tensor_array_name: str | None = None,
        handle: Any = None,
        flow: Any = None,
        infer_shape: bool = True,
        element_shape: Any = None,
        colocate_with_first_write_call: bool = True,
        name: str | None = None,
    ) -> None:
        if handle is not None or flow is not None:
            raise ValueError(
                "Cannot provide a handle or a flow to a TensorArray: it holds its tensors itself."
            )
        if size is None:
            raise ValueError(
                "Size must be declared for TensorArrays: TensorArray(dtype, size=...)."
            )
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic_size = bool(dynamic_size)
        self._clear_after_read = clear_after_read is None or bool(clear_after_read)
        self._infer_shape = bool(infer_shape)
        self._element_shape = TensorShape(element_shape)
        count = max(0, static_int(size))
        check_memory((count,), np.dtype(object))
        self._tensors: list[Tensor | None] = [None] * count
        self._cleared: set[int] = set()

    # So that `inspect.getfullargspec` of the class shows these.
    __new__.__func__.body.__wrapped__ = __init__  # type: ignore[attr-defined]

    def _printed_state(self) -> str:
        return f"{len(self._tensors)} elements of {self._dtype.name} {self._element_shape}"

    @property
    def dtype(self) -> dtypes.DType:
        """The dtype of every element."""
        return self._dtype

    @property
    def dynamic_size(self) -> bool:
        """Whether writing beyond the end adds elements."""
        return self._dynamic_size

    @property
    def element_shape(self) -> TensorShape:
        """The shape of every element, as far as it is known."""
        return self._element_shape

    @property
    def handle(self) -> None:
        """None: there is no resource behind the array."""
        return None

    @property
    def flow(self) -> Tensor:
        """A scalar without meaning, by which TensorFlow's graphs order operations."""
        return convert(0)

    def identity(self) -> TensorArray:
        """This same array."""
        return self

    def _all_rows(self) -> Tensor | None:
        """All elements along a new first axis; None if nothing says of which shape these are."""
        is_empty = all(tensor is None for tensor in self._tensors)
        if is_empty and self._element_shape.rank is None:
            return None
        if is_empty or len({tensor is None for tensor in self._tensors}) > 1:
            if not self._element_shape.is_fully_defined():
                return None
            if is_empty:
                return creation.zeros((len(self._tensors), *self._known_shape()), self._dtype)
        return self.stack()

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements."""
        return convert(len(self._tensors), dtypes.int32)

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The element at ``index``, or zeros if it was never written."""
        place = self._place(index, "read from")
        if place < 0:
            refuse(
                f"Reading from negative indices (index {place}) is not allowed: the array has "
                f"{len(self._tensors)} elements.",
                error=errors.OutOfRangeError,
            )
        if place in self._cleared and self._tensors[place] is None:
            refuse(
                f"Could not read index {place} twice because it was cleared after a previous "
                "read (perhaps try setting clear_after_read = false?)"
            )
        tensor = self._element(place)
        if self._clear_after_read:
            self._tensors[place] = None
            self._cleared.add(place)
        return tensor

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """This array, now with ``value`` at ``index``; in a function another one."""
        return self._written([(index, value)])

    def stack(self, name: str | None = None) -> Tensor:
        """All elements, one after the other along a new first axis."""
        return self.gather(range(len(self._tensors)))

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements at ``indices``, along a new first axis."""
        tensors = [self._element(place) for place in static_ints(indices)]
        if not tensors:
            return self._stack_of_none()
        return joining.stack(tensors)

    def _stack_of_none(self) -> Tensor:
        shape = self._element_shape
        if shape.is_fully_defined():
            return creation.zeros((0, *self._known_shape()), self._dtype)
        if shape.rank is not None and current_graph() is not None:
            # A graph that tries no element among other numbers of them: all have these axes.
            return creation.zeros((0, *[size or 0 for size in shape.as_list()]), self._dtype)
        # If not all is known of the elements, an empty array gives an empty vector.
        return creation.zeros((0,), self._dtype)

    def concat(self, name: str | None = None) -> Tensor:
        """All elements, joined along their first axis."""
        tensors = [self._element(place) for place in range(len(self._tensors))]
        for place, tensor in enumerate(tensors):
            if not tensor.ndim:
                refuse(f"Concat saw a scalar shape at index {place} but requires at least vectors.")
        return joining.concat(tensors, 0) if tensors else self._concat_of_none()

    def _concat_of_none(self) -> Tensor:
        if self._element_shape.rank == 0:
            refuse("Concat saw an element_shape of a scalar but requires at least vectors.")
        # Elements may be of different lengths: only their other axes have to be known.
        rest = self._element_shape[1:]
        if rest.rank is None or not (rest.is_fully_defined() or current_graph() is not None):
            self._known_shape()  # says what is missing
        return creation.zeros((0, *[size or 0 for size in rest.as_list()]), self._dtype)

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """This array, now with the elements of ``value`` along its first axis; in a function another one."""
        value = convert(value, self._dtype)
        if not value.ndim:
            raise ValueError("A scalar cannot be unstacked: `value` needs a first axis.")
        tensors = joining.unstack(value)
        if len(tensors) > len(self._tensors) and not self._dynamic_size:
            raise ValueError(
                f"Cannot unstack {len(tensors)} tensors into a TensorArray "
                f"of static size {len(self._tensors)}"
            )
        return self._filled(tensors)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """This array, now with the elements of ``value`` at ``indices``; in a function another one."""
        value = convert(value, self._dtype)
        places = static_ints(indices)
        if not value.ndim:
            raise ValueError("A scalar cannot be scattered: `value` needs a first axis.")
        tensors = joining.unstack(value)
        return self._written(list(zip(places, tensors, strict=False)))

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """This array, now with parts of ``value`` of these ``lengths``; in a function another one."""
        value = convert(value, self._dtype)
        sizes = static_ints(lengths)
        if not value.ndim or sum(sizes) != value._shape_tuple()[0]:
            refuse(
                "Expected sum of lengths to be equal to the first size of value, "
                f"of shape {value.shape}, but the sum of {list(sizes)} is {sum(sizes)}."
            )
        if not self._takes_parts(len(sizes)):
            refuse(
                "TensorArray's size is not equal to the size of lengths "
                f"({len(self._tensors)} vs. {len(sizes)}), "
                "and the TensorArray is not marked as dynamically resizeable."
            )
        # The parts may differ in length, so the shape of the elements is not inferred from them.
        return self._filled(joining.split(value, list(sizes)) if sizes else [])

    def close(self, name: str | None = None) -> None:
        """Free all elements; in a function it does nothing."""
        self._tensors.clear()

    def grad(self, source: Any, flow: Any = None, name: str | None = None) -> TensorArray:
        """Not available: a tape differentiates what TensorArrays are used for."""
        raise NotImplementedError(
            "TensorArray.grad is for TensorFlow's graphs. Use tf.GradientTape: "
            "gradients flow through TensorArrays."
        )

    def _to_change(self) -> TensorArray:
        """The array that a method changes, and gives."""
        return self

    def _written(self, items: Sequence[tuple[Any, Any]]) -> TensorArray:
        """This array, now with values at their indices; in a function another one."""
        changed = self._to_change()
        for index, value in items:
            place = changed._place_to_write(index)
            tensor = changed._checked(value)
            changed._tensors.extend([None] * (place + 1 - len(changed._tensors)))
            changed._tensors[place] = tensor
        return changed

    def _place_to_write(self, index: Any) -> int:
        place = self._place(index, "write to")
        if place < 0:
            refuse(
                f"Writing to negative indices (index {place}) is not allowed.",
                error=errors.OutOfRangeError,
            )
        if place >= len(self._tensors):
            if not self._dynamic_size:
                refuse(
                    f"Tried to write to index {place} but array is not resizeable and size is: "
                    f"{len(self._tensors)}. Give it dynamic_size=True to let it grow.",
                    error=errors.OutOfRangeError,
                )
            check_memory((place + 1,), np.dtype(object))
        return place

    def _takes_parts(self, count: int) -> bool:
        """Whether `split` may put so many parts into the array."""
        return self._dynamic_size or count == len(self._tensors)

    def _filled(self, tensors: Sequence[Tensor]) -> TensorArray:
        """This array, now with these elements alone."""
        changed = self._to_change()
        changed._tensors = list(tensors)
        changed._cleared.clear()
        return changed

    def __len__(self) -> int:
        return len(self._tensors)

    def _describe(self) -> TensorArraySpec:
        return TensorArraySpec.from_value(self)

    def _place(self, index: Any, what: str) -> int:
        if isinstance(index, (list, tuple, float, str)) or index is None:
            raise TypeError(f"A TensorArray is {what} by an integer index, not {index!r}.")
        return static_int(index)

    def _known_shape(self) -> tuple[int, ...]:
        if not self._element_shape.is_fully_defined():
            raise ValueError(
                f"The shape of elements is not known ({self._element_shape}), so there are no zeros for "
                "an element that was never written, or was read and cleared. Give the TensorArray an "
                "element_shape, or clear_after_read=False."
            )
        return static_shape(self._element_shape)

    def _zeros(self) -> Tensor:
        """What stands where nothing was written."""
        return creation.zeros(self._known_shape(), self._dtype)

    def _element(self, place: int) -> Tensor:
        if not 0 <= place < len(self._tensors):
            refuse(
                f"Tried to read from index {place} but array size is: {len(self._tensors)}",
                error=errors.OutOfRangeError,
            )
        tensor = self._tensors[place]
        return self._zeros() if tensor is None else tensor

    def _of_dtype(self, value: Any) -> Tensor:
        """``value`` as an element, which must have the dtype of the others."""
        tensor = convert(value) if hasattr(value, "dtype") else convert(value, self._dtype)
        if isinstance(value, (np.ndarray, np.generic)):
            tensor = convert(value, self._dtype)
        if tensor.dtype != self._dtype:
            refuse(
                f"TensorArray dtype is {self._dtype.name} but Op is trying "
                f"to write dtype {tensor.dtype.name}"
            )
        return tensor

    def _checked(self, value: Any) -> Tensor:
        """``value`` as an element, which must have the dtype and the shape of the others."""
        tensor = self._of_dtype(value)
        if not self._element_shape.is_compatible_with(tensor.shape):
            raise ValueError(
                f"Incompatible shape for value ({tensor.shape}), expected ({self._element_shape})"
            )
        if self._infer_shape:
            self._element_shape = self._element_shape.merge_with(tensor.shape)
        return tensor


def _is_open(dtype: Any = None, size: Any = None, *_: Any, **__: Any) -> bool:
    """Whether a `TensorArray` of these arguments has a length that an argument of a function decides."""
    return size is not None and isinstance(static_int(size), Size)


class ValueArray(TensorArray):
    """A `tf.TensorArray` in a function or a graph: a value, as tensors are, which nothing changes."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._clear_after_read = False

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """Another array, with the elements of ``value`` along its first axis."""
        changed = super().unstack(value)
        if changed._tensors:
            changed._checked(changed._tensors[0])
        return changed

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """Another array, with the elements of ``value`` at ``indices``."""
        value, places = convert(value, self._dtype), static_ints(indices)
        if value.ndim and len(places) != (count := value._shape_tuple()[0]):
            refuse(f"Expected len(indices) == tensor.shape[0], but saw: {len(places)} vs. {count}")
        return super().scatter(places, value)

    def close(self, name: str | None = None) -> None:
        """Do nothing: what nobody reads any more is freed."""

    def _to_change(self) -> TensorArray:
        copy = object.__new__(type(self))
        vars(copy).update(vars(self), _tensors=[*self._tensors])
        return copy

    def _takes_parts(self, count: int) -> bool:
        return True

    def _zeros(self) -> Tensor:
        for tensor in self._tensors:
            if tensor is not None:
                return creation.zeros(tensor._shape_tuple(), self._dtype)
        return super()._zeros()


class RowsArray(ValueArray):
    """A `tf.TensorArray` in a function that is saved for any size: its elements are rows of one tensor.

    Its length, and the places that are read and written, may follow from the arguments of the function.
    """

    def __init__(self, dtype: Any, size: Any = None, *args: Any, **kwargs: Any) -> None:
        super().__init__(dtype, 0, *args, **kwargs)
        self._length = static_int(size)
        self._rows: Tensor | None = None

    @classmethod
    def like(cls, other: TensorArray, rows: Any) -> RowsArray:
        """An array like another one, with these rows."""
        new = cls(
            other.dtype,
            rows._shape_tuple()[0],
            other.dynamic_size,
            element_shape=other.element_shape,
        )
        new._rows = rows
        return new

    def _printed_state(self) -> str:
        return f"rows of {self._dtype.name} {self._element_shape}"

    def __len__(self) -> int:
        return self._length

    def _all_rows(self) -> Tensor | None:
        """All elements along a new first axis; None if nothing says of which shape these are."""
        return self._known_rows() if self._element_shape.is_fully_defined() else self._rows

    def _fill(self, shape: tuple[int, ...]) -> Tensor:
        """The rows, which are zeros of this shape where nothing was written yet."""
        if self._rows is None:
            self._rows = creation.zeros((self._length, *shape), self._dtype)
        return self._rows

    def _with_rows(self, rows: Tensor) -> RowsArray:
        """An array like this one, with these rows."""
        new = object.__new__(RowsArray)
        vars(new).update(vars(self), _rows=rows, _length=rows._shape_tuple()[0])
        return new

    def _known_rows(self) -> Tensor:
        return self._fill(self._known_shape()) if self._rows is None else self._rows

    def size(self, name: str | None = None) -> Tensor:
        """The number of elements."""
        return constant(self._length, dtypes.int32)

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The element at ``index``, or zeros if it was never written."""
        return gather(self._known_rows(), _place_of(index))

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """This array, now with ``value`` at ``index``."""
        tensor = self._of_dtype(value)  # ops compare its shape
        rows, place = self._fill(tensor._shape_tuple()), _place_of(index)
        if self._dynamic_size:
            length = constant(self._length, place.dtype)
            more = array.expand_dims(maximum(place + 1 - length, 0), 0)
            free = creation.zeros(
                joining.concat([more, shapes.shape(tensor, place.dtype)], 0), self._dtype
            )
            rows = joining.concat([rows, free], 0)
        return self._with_rows(
            tensor_scatter_nd_update(
                rows, array.reshape(place, (1, 1)), array.expand_dims(tensor, 0)
            )
        )

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements at ``indices``, along a new first axis."""
        return gather(self._known_rows(), convert(indices))

    def stack(self, name: str | None = None) -> Tensor:
        """All elements, one after the other along a new first axis."""
        return self._known_rows()

    def concat(self, name: str | None = None) -> Tensor:
        """All elements, joined along their first axis."""
        rows = self._known_rows()
        length, size, *inner = rows._shape_tuple()
        return array.reshape(rows, (length * size, *inner))

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """This array, now with the elements of ``value`` along its first axis."""
        return self._with_rows(convert(value, self._dtype))

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """This array, now with the elements of ``value`` at ``indices``."""
        value = convert(value, self._dtype)
        rows = self._fill(value._shape_tuple()[1:])
        places = array.expand_dims(convert(indices), -1)
        return self._with_rows(tensor_scatter_nd_update(rows, places, value))

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """Not available: the parts may have other lengths."""
        refuse(
            "TensorArray.split puts parts of other lengths into an array whose own length follows from an "
            "argument: a function that does so cannot be saved for any size.",
            error=errors.UnimplementedError,
        )


def _place_of(index: Any) -> Tensor:
    """An index as a tensor."""
    place = convert(index)
    return place if place.dtype.is_integer else convert(index, dtypes.int32)


class TensorArraySpec(TypeSpec):
    """The spec of a `tf.TensorArray`: the dtype and the shape of its elements.

    >>> tf.TensorArraySpec([2, None], tf.int32)
    TensorArraySpec(TensorShape([2, None]), tf.int32, False, True)

    Args:
        element_shape: the shape of every element, as far as it is known.
        dtype: the dtype of every element.
        dynamic_size: whether elements may be added beyond the end.
        infer_shape: whether the first element written decides the shape of all.
    """

    __slots__ = ("_dtype", "_dynamic_size", "_element_shape", "_infer_shape")

    _nest_is_spec = False  # the elements are no components: their number may change

    def __init__(
        self,
        element_shape: Any = None,
        dtype: Any = dtypes.float32,
        dynamic_size: bool = False,
        infer_shape: bool = True,
    ) -> None:
        self._element_shape = TensorShape(element_shape)
        self._dtype = dtypes.as_dtype(dtype)
        self._dynamic_size = dynamic_size
        self._infer_shape = infer_shape

    @property
    def value_type(self) -> type[TensorArray]:
        """The class of the values described."""
        return TensorArray

    def _serialize(self) -> tuple[Any, ...]:
        return self._element_shape, self._dtype, self._dynamic_size, self._infer_shape

    def is_compatible_with(self, other: Any) -> bool:
        """Whether ``other`` could be, or describes, what this spec describes."""
        return super().is_compatible_with(other)

    @staticmethod
    def from_value(value: TensorArray) -> TensorArraySpec:
        """The spec that describes ``value``."""
        if not isinstance(value, TensorArray):
            raise TypeError(
                f"Expected value to be a TensorArray, but got: `{type(value).__name__}`"
            )
        return TensorArraySpec(
            value.element_shape, value.dtype, value.dynamic_size, value._infer_shape
        )
