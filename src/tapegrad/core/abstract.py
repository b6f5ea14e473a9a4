"""Abstract arrays: a kind of array with a dtype, a shape and no elements. An op on them runs its shape rule.

A *shape rule* says which shapes and dtypes the results of an op have. It stands beside the gradient rule:

    @reshape.shape
    def reshaped(tensor, shape):
        return Abstract(..., tensor.dtype)

Its parameters are names of the op's inputs, which it gets as `Abstract` arrays, and of attributes, in any
order and as far as it needs them. ``*inputs`` stands for all inputs, ``**arguments`` for all by name. The
rule gives an `Abstract`, or a tuple of sizes where the dtype is that of the first input, or a list of these
where the op has several results. None among the sizes is a size that depends on values. What the kernel
would refuse for its shapes, the rule refuses with the same error. A kernel that only moves elements, by the
methods that `Abstract` has too, is its own rule: ``squeeze.shape(squeeze.kernel)``.

An elementwise op needs no rule, for its result has the shape that its inputs are broadcast to, nor does an op
without results.

What `tf.shape` gives of an abstract array carries sizes as its value, in an array of objects. So do whole
numbers that are computed of it: ops that only move elements run their kernel on these arrays, and rules of
arithmetic say what becomes of a `Size`. Rules that take a shape read it by `static_value`.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes
from tapegrad.core.dispatch import Op
from tapegrad.core.kinds import Kind, NeedsValues, Shaped, holds_size, register_kind
from tapegrad.core.observers import static_value
from tapegrad.core.sizes import (
    Size,
    UnknownSize,
    broadcast_shape,
    is_unknown,
    maximum,
    minimum,
    unknown_size,
)
from tapegrad.core.tensor import EagerTensor
from tapegrad.dtypes import DType
from tapegrad.errors import OpError

# Values with more elements are not worked out: shapes and axes have few.
MOST_VALUES = 64
# For what values are read where a size may take the place of an int: see `observers.static_value`.
KEEPS_SIZES = ("integers", "integer", "sizes", "axis")

# How values are read to refuse wrong ones: nothing else follows from them.
CHECK = "check of "


class NoShapeRule(NotImplementedError):
    """An op does not say which shapes its results have."""


class AnyRank(NotImplementedError):
    """The values of its arguments decide how many axes a result of an op has."""


class Taken(NamedTuple):
    """What is taken for granted where elements would decide; None: nothing, so that it is an error."""

    truth: bool | None = None  # what Python is told that decides by one truth value
    rank: int | None = None  # of results that may have any
    size: int | None = None  # of results whose sizes the values decide


class Decisions(threading.local):
    """What is taken for granted in this thread."""

    taken = Taken()


decisions = Decisions()


def _size_of_values() -> Any:
    return unknown_size() if decisions.taken.size is None else decisions.taken.size


class Abstract(Shaped):
    """An array without elements. Its sizes are ints or `Size` objects.

    ``value`` is NumPy's array where the elements are known all the same, as those of a constant. It is an
    array of objects where sizes are among them.
    """

    __slots__ = ()

    def __init__(
        self,
        shape: Sequence[Any],
        dtype: DType | np.dtype[Any],
        value: np.ndarray[Any, Any] | None = None,
    ) -> None:
        self.shape = tuple([_size_of_values() if size is None else size for size in shape])
        self.dtype = dtype if isinstance(dtype, DType) else dtypes.from_numpy(dtype)
        self.value = value

    @property
    def sizes(self) -> np.ndarray[Any, Any] | None:
        """The value, if it is an array of objects: ints and sizes."""
        value = self.value
        has_sizes = value is not None and value.dtype.kind == "O" and self.dtype.is_numeric
        return value if has_sizes else None

    @property
    def ndim(self) -> int:
        """How many axes the array has."""
        return len(self.shape)

    @property
    def size(self) -> Any:
        """How many elements the array would have."""
        return math.prod(self.shape)

    def reshape(self, *shape: Any) -> Abstract:
        """The elements in another shape, which has to suit them."""
        return Abstract(shape[0] if isinstance(shape[0], tuple | list) else shape, self.dtype)

    def transpose(self, *axes: Any) -> Abstract:
        """The axes in another order, or reversed."""
        order = axes[0] if axes and (axes[0] is None or isinstance(axes[0], tuple | list)) else axes
        return Abstract([self.shape[axis] for axis in order or range(self.ndim)[::-1]], self.dtype)

    def __getitem__(self, index: Any) -> Abstract:
        """The part that an index of ints, slices, None and one Ellipsis picks."""
        parts = index if isinstance(index, tuple) else (index,)
        missing = self.ndim - sum([part is not None and part is not Ellipsis for part in parts])
        if missing < 0 or parts.count(Ellipsis) > 1:
            raise IndexError(f"{index} does not suit an array of {self.ndim} axes")
        if Ellipsis not in parts:
            parts = (*parts, Ellipsis)
        sizes = iter(self.shape)
        shape: list[Any] = []
        for part in parts:
            if part is None:
                shape.append(1)
            elif part is Ellipsis:
                shape += [next(sizes) for _ in range(missing)]
            elif isinstance(part, slice):
                try:
                    shape.append(length_of_slice(part, next(sizes)))
                except UnknownSize:
                    shape.append(unknown_size())
            elif isinstance(part, int | Size):
                size = next(sizes)
                if not (is_unknown(size) or is_unknown(part) or -size <= part < size):
                    raise IndexError(f"the index {part} is out of the range of {size}")
            else:
                raise NoShapeRule(f"an index of type {type(part).__name__} picks by values")
        return Abstract(shape, self.dtype)

    def __len__(self) -> int:
        return int(self.shape[0])

    def __repr__(self) -> str:
        return f"Abstract({self.shape}, {self.dtype.name})"


def length_of_slice(part: slice, size: Any) -> Any:
    """How many of ``size`` elements a slice picks."""
    start, stop, step = part.start, part.stop, 1 if part.step is None else part.step
    if type(size) is int and not any(type(end) is Size for end in (start, stop)):
        return len(range(*part.indices(size)))
    if step == 0:
        raise ValueError("the step of a slice is 0")
    lowest, highest = (0, size) if step > 0 else (-1, size - 1)

    def within(end: Any, default: Any) -> Any:
        if end is None:
            return default
        return minimum(end, highest) if end >= 0 else maximum(end + size, lowest)

    first = within(start, 0 if step > 0 else highest)
    beyond = within(stop, size if step > 0 else lowest)
    count = beyond - first if step > 0 else first - beyond
    return maximum(-(-count // abs(step)), 0)


def infer(op: Op, arrays: Sequence[Abstract], attributes: tuple[Any, ...]) -> list[Abstract]:
    """The results of ``op`` for abstract arrays, with ``attributes`` in the op's order.

    Raises:
        NoShapeRule: nobody has said which shapes the results have.
    """
    inputs: list[Any] = list(arrays)
    if op.list_input:
        last = len(op.inputs) - 1
        inputs[last:] = [inputs[last:]]
    if op.shape_rule is not None:
        rule, names, takes_inputs, takes_all = op.shape_rule
        arguments: dict[str, Any] = dict(zip(op.inputs, inputs, strict=True), xp=None)
        arguments.update(zip(op.attributes, attributes, strict=True))
        named = {name: arguments[name] for name in (arguments if takes_all else names)}
        results = rule(*inputs, **named) if takes_inputs else rule(**named)
    elif op.outputs == ():
        return []
    elif op.elementwise:
        results = elementwise_result(op, inputs, attributes)
    else:
        raise NoShapeRule(f"{op.type} has no shape rule: what its results are like is not known.")

    def alone(result: Any) -> Abstract:
        """The result by itself. A rule that answers with an operand does not say what elements it has."""
        if type(result) is not Abstract:
            return Abstract(result, arrays[0].dtype)
        return Abstract(result.shape, result.dtype) if result in arrays else result

    several = op.outputs is not None or op.list_output
    listed = [alone(result) for result in (results if several else [results])]
    give_values(op, arrays, attributes, listed)
    return listed


def give_values(
    op: Op, arrays: Sequence[Abstract], attributes: tuple[Any, ...], results: list[Abstract]
) -> None:
    """Let the results know their values, where they are few whole numbers, and follow from known ones.

    Where an op moves elements, some may be known and others not: ``tf.stack([n, 3])`` has 3 at its end.
    """
    values: list[Any] = [array.value for array in arrays]
    known = [value is not None for value in values]
    if not any(known) or not (op.moves or all(known)):
        return
    if op.effect is not None or holds_size(attributes):
        return
    if not all(is_small(array) for array in arrays):
        return
    if not all(is_small(result) for result in results):
        return
    if not all(result.dtype.is_numeric and not result.dtype.is_quantized for result in results):
        return
    if not all(known) or any(array.sizes is not None for array in arrays):
        last = len(op.inputs) - 1
        for place, array in enumerate(arrays):
            if op.inputs[min(place, last)] not in op.moves:
                if not known[place] or array.sizes is not None:
                    return  # only the op's rule knows what becomes of sizes
            elif known[place]:
                values[place] = values[place].astype(object)
            elif array.dtype.is_integer:
                values[place] = unknown_numbers(array)
            else:
                return
    elif any(result.dtype.is_floating or result.dtype.is_complex for result in results):
        return
    try:
        kernel_results = op.run(values, attributes)
    except (OpError, ValueError, LookupError, ArithmeticError):
        return  # the op says when it runs why it refuses the values
    several = op.outputs is not None or op.list_output
    for result, value in zip(results, kernel_results if several else [kernel_results], strict=True):
        if result.value is None:
            result.value = value


def is_small(array: Abstract) -> bool:
    """Whether the array has few elements, and their number is known."""
    return all(type(size) is int for size in array.shape) and array.size <= MOST_VALUES


def unknown_numbers(array: Abstract) -> np.ndarray[Any, Any]:
    """The value of a small array of integers whose elements are not known: an unknown size for each."""
    sizes = [unknown_size() for _ in range(array.size)]
    return whole_numbers(sizes, array.shape, array.dtype)


def whole_numbers(
    numbers: Iterable[Any], shape: tuple[Any, ...], dtype: DType
) -> np.ndarray[Any, Any]:
    """The value of an abstract array with these elements: one of objects if a `Size` is among them."""
    listed = list(numbers)
    has_size = any(type(number) is Size for number in listed)
    # NumPy's other functions ask each size for its number.
    return np.fromiter(listed, object if has_size else dtype.numpy_dtype).reshape(shape)


def array_of_size(size: Size, dtype: DType) -> Abstract:
    """A scalar array that carries a size as its value."""
    array = Abstract((), dtype, whole_numbers([size], (), dtype))
    return array if size.scope is None else size.scope.array_with(array)


def with_sizes(
    function: Callable[..., Any], arrays: Sequence[Abstract], result: Abstract
) -> Abstract:
    """``result`` of an elementwise op, which knows its value if all ``arrays`` do and sizes are among theirs.

    ``function`` gives for whole numbers what the op gives.
    """
    values = [array.value for array in arrays if array.value is not None and is_small(array)]
    if (
        result.dtype.is_integer
        and len(values) == len(arrays)
        and any(array.sizes is not None for array in arrays)
    ):
        columns = np.broadcast_arrays(*values)
        rows = zip(*[column.reshape(-1).tolist() for column in columns], strict=True)
        try:
            numbers = [function(*row) for row in rows]
        except UnknownSize:
            return result  # it decides by a size
        result.value = whole_numbers(numbers, result.shape, result.dtype)
    return result


def elementwise_result(op: Op, inputs: list[Abstract], attributes: tuple[Any, ...]) -> Abstract:
    """What an elementwise op gives. Its kernel says once which dtype it gives for these dtypes."""
    shape = broadcast_shape(*[array.shape for array in inputs])
    types = tuple([array.dtype for array in inputs])
    try:
        dtype = dtype_of_kernel(op, types, attributes)
    except TypeError:  # an attribute that is no key
        dtype = dtype_of_kernel.__wrapped__(op, types, attributes)
    return Abstract(shape, dtype)


@functools.lru_cache(4096)
def dtype_of_kernel(op: Op, types: tuple[DType, ...], attributes: tuple[Any, ...]) -> DType:
    """The dtype of what the kernel of an elementwise op makes of no elements."""
    result = op.run([np.empty(0, dtype.numpy_dtype) for dtype in types], attributes)
    return dtypes.from_numpy(result.dtype)


def of_any_rank(dtype: DType, origin: str) -> Abstract:
    """The result of an op, called ``origin``, of which nothing but the dtype is known.

    Raises:
        AnyRank: nobody has said which rank to go on with.
    """
    if decisions.taken.rank is None:
        raise AnyRank(f"{origin} gives a tensor whose rank its values decide.")
    return Abstract([None] * decisions.taken.rank, dtype)


def value_to_check(tensor: Any, what: str) -> np.ndarray[Any, Any] | None:
    """The elements of a tensor, for a check of ``what``; None where there are none yet, so that it passes."""
    array: Any = tensor._array if type(tensor) is EagerTensor else None
    if type(array) is Abstract and array.value is None:
        return None
    return static_value(tensor, f"{CHECK}{what}")


def is_true(condition: Any, what: str) -> bool:
    """Whether a check of ``what`` fails; False where there are no numbers yet.

    A function that is recorded asks for this answer alone, and replays for other numbers that are right.
    """
    answer = value_to_check(condition, what)
    return answer is not None and bool(answer)


class AbstractKind(Kind):
    """Runs the shape rule of each op."""

    def apply(self, op: Op, arrays: list[Any], attributes: tuple[Any, ...]) -> Any:
        results = infer(op, [abstract(array) for array in arrays], attributes)
        return results if op.outputs is not None or op.list_output else results[0]

    def shape(self, array: Abstract) -> tuple[Any, ...]:
        return array.shape

    def dtype(self, array: Abstract) -> DType:
        return array.dtype

    def full(self, shape: tuple[int, ...], dtype: DType, value: Any) -> Abstract:
        return Abstract(shape, dtype)

    def read(self, tensor: Any, how: str) -> np.ndarray[Any, Any] | None:
        array: Abstract = tensor._array
        counts = how in KEEPS_SIZES and array.dtype.is_integer
        if array.value is None and counts and array.ndim == 1 and is_unknown(array.shape[0]):
            if decisions.taken.rank is None:
                raise AnyRank(f"{array!r} has no elements, and how many there would be is unknown.")
            array = Abstract([decisions.taken.rank], array.dtype)
        if array.value is None and is_small(array):
            if counts:
                return unknown_numbers(array)
            if decisions.taken.truth is not None and array.dtype.is_bool:
                return np.full(array.shape, decisions.taken.truth)
        return array.sizes if how in KEEPS_SIZES else None

    def numpy(self, array: Abstract) -> np.ndarray[Any, Any]:
        if array.value is None:
            raise NeedsValues(f"{array!r} has no elements.")
        if array.sizes is not None:
            return array.value.astype(array.dtype.numpy_dtype)  # decides the sizes
        return array.value


def abstract(array: Any) -> Abstract:
    """An array as an abstract one, which knows the elements of one of NumPy's."""
    return array if type(array) is Abstract else Abstract(array.shape, array.dtype, array)


register_kind(Abstract, AbstractKind())
