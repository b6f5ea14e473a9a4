"""Arrays of a recording for open sizes: elements for this call, and shapes that know what they follow from.

A function that is called with a second batch size is recorded anew, and this time for all sizes: those of
its arguments that differed are `Size` objects. The Python function runs as ever, with the elements of this
call. Each op runs on these, and its shape rule says in what way the sizes of its results follow from those of
its operands. The recording keeps the expressions, and the guards that decisions by sizes have left in the
`Opening`: `tapegrad.core.open_recordings` makes of it what is run for other sizes.

An array without an open size is one of NumPy's. Where no rule says what a shape follows from, the `Opening`
fails: it ends the call, and the caller records the function for the sizes that it has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from tapegrad.core.abstract import (
    KEEPS_SIZES,
    MOST_VALUES,
    Abstract,
    AbstractKind,
    AnyRank,
    NoShapeRule,
    Taken,
    abstract,
    decisions,
    infer,
)
from tapegrad.core.dispatch import Op
from tapegrad.core.kinds import (
    NeedsItems,
    count_open_sizes,
    handle_sizes,
    has_kind,
    hinted,
    register_kind,
    register_open_array,
    with_ints,
)
from tapegrad.core.observers import apart, current_opening, set_opening
from tapegrad.core.sizes import Guard, OpenSizes, Size, UnknownSize, are_same, hint_of
from tapegrad.core.tensor import EagerTensor
from tapegrad.dtypes import DType, from_numpy
from tapegrad.engines.numpy.reductions import sum_to_shape

Array = np.ndarray[Any, Any]

# What C code, tables and operators raise that get a size in place of an int, and rules of shapes and batches.
_OF_NO_INT = (TypeError, AttributeError, KeyError, NotImplementedError, UnknownSize, NeedsItems)

OF_VALUES = "size_"  # the names of sizes that values decide begin so


@register_open_array
class OpenArray(Abstract):
    """An array whose shape or elements follow from open sizes.

    ``value`` holds sizes where these are the elements, as those of a shape. ``fill`` is what all elements
    are, where that is known.
    """

    __slots__ = ()
    elements: Array
    opening: Opening

    def __init__(
        self,
        elements: Array,
        shape: tuple[Any, ...],
        opening: Opening,
        value: Array | None = None,
        fill: Any = None,
    ) -> None:
        self.shape, self.dtype, self.value = shape, from_numpy(elements.dtype), value
        self.elements = elements  # in this call
        self.opening = opening
        self.fill = fill

    @property
    def is_constant(self) -> bool:
        """Whether the sizes alone say what the elements are."""
        return self.value is not None or self.fill is not None

    def is_same(self, other: OpenArray) -> bool:
        """Whether the elements are the same for all sizes. Both are known."""
        texts = [(repr(array.shape), array.fill, repr(array.value)) for array in (self, other)]
        return self.dtype is other.dtype and texts[0] == texts[1]

    def at(self, sizes: Mapping[str, int]) -> Array:
        """The array where the open sizes are ``sizes``. Its elements are known."""
        shape = evaluated(self.shape, sizes)
        if self.value is None:
            return np.full(shape, self.fill, self.elements.dtype)
        elements = [evaluated(size, sizes) for size in self.value.ravel().tolist()]
        return np.array(elements, self.elements.dtype).reshape(shape)


class Opening(OpenSizes):
    """``with Opening(refuse) as opening:`` the scope in which a function is recorded for open sizes.

    ``refuse(text)`` is called where that cannot be done; ``is_traced(tensor)`` says whether the elements of a
    tensor follow from the arguments of the function.
    """

    # Whether the call may end and begin anew: it must not have lasting effects then.
    reruns = True

    def __init__(
        self, refuse: Callable[[str], None], is_traced: Callable[[EagerTensor], bool]
    ) -> None:
        super().__init__()
        self.refuse = refuse
        self.is_traced = is_traced
        self.failure: str | None = None
        self.works = True
        self.before: Opening | None = None  # of this thread, while another one is open

    def may_cause(self, error: BaseException | None) -> bool:
        """Whether a call with ints for the sizes might raise no such ``error``, or one with another text.

        A `Size` is no int, and a shape shows it as None or by its name.
        """
        text = str(error)
        if "None" in text or any(name in text for name in self.hints):
            return True
        while error is not None and not self.class_was_asked:
            if isinstance(error, _OF_NO_INT):
                return True
            error = error.__context__
        return error is not None

    def open(self, elements: Array, number: int, axes: list[int]) -> OpenArray:
        """The elements of the argument with this number, with open sizes for these axes."""
        shape: list[Any] = list(elements.shape)
        for axis in axes:
            shape[axis] = self.size(name_of(number, axis), shape[axis])
        return OpenArray(elements, tuple(shape), self)

    def fail(self, text: str) -> None:
        """Say why nothing is recorded for open sizes. That ends the function."""
        if self.failure is None:
            self.failure, self.works = text, False
            self.refuse(text)

    def new_size(self, length: int) -> Size:
        """A size that follows from nothing else, and is ``length`` in this call."""
        self.named = True
        return self.size(f"{OF_VALUES}{len(self.hints)}", length)

    def size_of_result(self, size: Any, length: int, named: dict[Any, Size]) -> Any:
        """What is kept of a ``size`` that a rule gives: where values decide it, its ``length`` or a name.

        ``named`` has the names that the same op has given.
        """
        if hint_of(size) is not None:
            return size
        if not 0 < self.least_named <= length:
            return length
        if size.terms not in named:
            named[size.terms] = self.new_size(length)
        return named[size.terms]

    def sizes_of_results(
        self, op: Op, tensors: list[EagerTensor], attributes: tuple[Any, ...], results: list[Array]
    ) -> list[Any] | None:
        """The ``results`` of an op on NumPy's arrays, with open sizes where values decide.

        None where no rule says which these are.
        """
        arrays = [abstract(_without_elements(tensor, self)._array) for tensor in tensors]
        try:
            with apart(tries=True):
                likes = infer(op, arrays, attributes)
        except Exception:
            return None  # the guard of the recording asks for the shapes of this call
        return self.with_shapes(op, results, likes)

    def with_shapes(self, op: Op, results: list[Array], likes: list[Abstract]) -> list[Any]:
        """The ``results`` of an op with the sizes that its rule says."""
        named: dict[Any, Size] = {}
        return [
            opened_array(np.asarray(result), like, self, op.type, named)
            for result, like in zip(results, likes, strict=True)
        ]

    def numbers_as_sizes(self, elements: Array) -> Array | None:
        """What Python code gets that reads these numbers as sizes; None where all are too small for names."""
        if (
            not self.works
            or elements.dtype.kind not in "iu"
            or elements.ndim > 2
            or elements.size > MOST_VALUES
            or not (elements >= self.least_named).any()
        ):
            return None
        numbers = [
            self.new_size(number) if number >= self.least_named else number
            for number in elements.ravel().tolist()
        ]
        self.named = False
        return np.fromiter(numbers, object).reshape(elements.shape)

    def array_with(self, array: Abstract) -> OpenArray:
        return OpenArray(elements_of(array), array.shape, self, array.value)

    def leave_guard(self, guard: Guard) -> None:
        """Keep ``guard``. A size that Python code has kept beyond the call is the int of that call."""
        if self.is_open:
            super().leave_guard(guard)

    def opened(self, op: Op, arrays: list[Any], attributes: tuple[Any, ...], results: Any) -> Any:
        """The ``results`` of an op on ``arrays``, with the sizes that its shape rule gives."""
        shape = common_shape(arrays) if op.elementwise else None
        if shape is not None:
            return OpenArray(results, shape, self)
        several = op.outputs is not None or op.list_output
        try:
            shapes = infer(op, [for_rule(array) for array in arrays], attributes)
        except (NoShapeRule, AnyRank) as error:
            self.fail(str(error))
            return results
        except Exception as error:
            self.fail(f"the shape rule of {op.type} failed: {type(error).__name__}: {error}")
            return results
        opened = self.with_shapes(op, results if several else [results], shapes)
        return opened if several else opened[0]

    def run(
        self, op: Op, arrays: list[Any], elements: list[Any], attributes: tuple[Any, ...]
    ) -> Any:
        """The results of an op on the ``elements`` that the arrays have in this call."""
        return op.run(elements, hinted(attributes))

    def read(self, tensor: EagerTensor, array: OpenArray, how: str) -> Array | None:
        """What Python code gets that reads a tensor with this array; None for the elements, with a guard."""
        if array.sizes is not None and how in KEEPS_SIZES:
            return array.sizes
        # Python gets the elements as they are in this call, and with them the shape.
        sizes = array.shape if array.value is None else (*array.shape, *array.value.flat)
        for size in sizes:
            int(size)
        return array.elements if array.is_constant else None

    def __enter__(self) -> Opening:
        self.before = set_opening(self)
        count_open_sizes(1)
        return self

    def __exit__(self, *error: object) -> None:
        super().__exit__(*error)
        self.works = False
        self.kept.clear()
        set_opening(self.before)
        self.before = None
        count_open_sizes(-1)


@contextmanager
def unknown_sizes(
    truth: bool | None = None, rank: int | None = None, size: int | None = None
) -> Iterator[None]:
    """A context in which attributes of ops may hold unknown sizes: an op with such a one runs its shape rule.

    The arguments say what is taken for granted there: see `tapegrad.core.abstract.Taken`.
    """
    opening, before = set_opening(None), decisions.taken
    decisions.taken = Taken(truth, rank, size)
    count_open_sizes(1)
    try:
        yield
    finally:
        count_open_sizes(-1)
        set_opening(opening)
        decisions.taken = before


def is_left_open(tensor: EagerTensor) -> bool:
    """Whether a function is saved that gets other values of ``tensor`` in another call."""
    opening = current_opening()
    if opening is None or not opening.saves:
        return False
    array: Any = tensor._array
    if type(array) is OpenArray and array.value is not None:
        return any(type(element) is Size for element in array.value.flat)
    return type(array) is OpenArray or bool(opening.is_traced(tensor))


def name_of(number: int, axis: int) -> str:
    """The name of the open size of an axis of an argument."""
    return f"argument_{number}_axis_{axis}"


def evaluated(value: Any, sizes: Mapping[str, int]) -> Any:
    """``value`` with ints for the sizes in it, in tuples, lists and slices too."""
    return with_ints(value, lambda size: size.evaluate(sizes))


def elements_of(array: Any) -> Any:
    """The elements of this call, as one of NumPy's arrays; None for an array without elements."""
    if type(array) is OpenArray:
        return array.elements
    if type(array) is not Abstract:
        return array if isinstance(array, np.ndarray) else None
    if array.value is None:
        return None
    elements = [hint_of(element) for element in array.value.ravel().tolist()]
    return np.array(elements, array.dtype.numpy_dtype).reshape(array.value.shape)


class OpenKind(AbstractKind):
    """Runs each op on the elements of this call, and its shape rule on the shapes."""

    def apply(self, op: Op, arrays: list[Any], attributes: tuple[Any, ...]) -> Any:
        opening = current_opening()
        if opening is None and not any(type(array) is OpenArray for array in arrays):
            return super().apply(op, arrays, attributes)
        elements = [elements_of(array) for array in arrays]
        if opening is None:
            # What a recording has left behind. Its scope is closed, so it is an array like others.
            return op.run(elements, attributes)
        if any(array is None for array in elements):
            return super().apply(op, arrays, attributes)
        results = opening.run(op, arrays, elements, attributes)
        if not opening.works or has_kind(results):
            return results
        return opening.opened(op, arrays, attributes, results)

    def recorded_arrays(self, tensors: list[EagerTensor], arrays: list[Any]) -> list[Any]:
        opening = current_opening()
        if opening is None or not opening.works or all(type(a) is OpenArray for a in arrays):
            return arrays
        # A rule must not decide by elements that are others in the next call.
        return [
            OpenArray(array, array.shape, opening)
            if isinstance(array, np.ndarray) and opening.is_traced(tensor)
            else array
            for tensor, array in zip(tensors, arrays, strict=True)
        ]

    def full(self, shape: tuple[Any, ...], dtype: DType, value: Any) -> Any:
        opening = current_opening()
        if opening is None:
            return super().full(shape, dtype, value)
        return filled(shape, dtype, value, opening)

    def full_like(self, array: Any, value: Any) -> Any:
        if type(array) is not OpenArray:
            return super().full_like(array, value)
        return filled(array.shape, array.dtype, value, array.opening)

    def read(self, tensor: EagerTensor, how: str) -> Array | None:
        array: Any = tensor._array
        if type(array) is OpenArray and array.opening.works:
            return array.opening.read(tensor, array, how)
        return super().read(tensor, how)

    def numpy(self, array: Any) -> Array:
        return array.elements if type(array) is OpenArray else super().numpy(array)


def common_shape(arrays: list[Any]) -> tuple[Any, ...] | None:
    """The shape of all arrays but scalars, where it is the same by its very sizes; None where rules decide.

    Most operands of elementwise ops are so, and no rule need be asked.
    """
    shape: tuple[Any, ...] | None = None
    for array in arrays:
        if type(array) is OpenArray and array.value is None:
            if shape is None:
                shape = array.shape
            elif not are_same(array.shape, shape):
                return None
        elif array.shape != () or type(array) is OpenArray:
            return None
    return shape


def for_rule(array: Any) -> Abstract:
    """An array as a shape rule sees it: with its elements if these are the same for all sizes, or sizes."""
    value = array.value if isinstance(array, Abstract) else array
    return Abstract(array.shape, array.dtype, value)


def opened_array(
    result: Array,
    like: Abstract,
    opening: Opening,
    origin: str,
    named: dict[Any, Size] | None = None,
) -> Any:
    """A result of this call with the sizes that a rule says; the result itself where none of them is open."""
    named = {} if named is None else named
    sizes = [
        opening.size_of_result(size, length, named)
        for size, length in zip(like.shape, result.shape, strict=False)
    ]
    if like.ndim != result.ndim or tuple(map(hint_of, sizes)) != result.shape:
        opening.fail(f"the shape rule of {origin} gives {like.shape}, and the op {result.shape}")
        return result
    value = like.sizes
    if value is not None and any(hint_of(element) is None for element in value.flat):
        value = None
    if value is None and not any(type(size) is Size for size in sizes):
        return result
    return OpenArray(result, tuple(sizes), opening, value)


def filled(shape: tuple[Any, ...], dtype: DType, value: Any, opening: Opening) -> Any:
    """An array with ``value`` everywhere."""
    elements = np.full(hinted(shape), value, dtype.numpy_dtype)
    if not opening.works or not any(type(size) is Size for size in shape):
        return elements
    return OpenArray(elements, shape, opening, fill=value)


def summed(gradient: Any, shape: tuple[Any, ...]) -> Any:
    """The array of a gradient summed to a shape that holds a size; None for an array of another kind."""
    opening = current_opening()
    if opening is None or not isinstance(gradient, OpenArray | np.ndarray):
        return None
    total = sum_to_shape(elements_of(gradient), hinted(shape))
    return (
        total
        if total is None
        else opened_array(total, Abstract(shape, total.dtype), opening, "a sum")
    )


def opened_results(
    rule: Callable[..., Any],
    arguments: list[Any],
    plain: list[Any],
    results: Any,
    summed_shapes: tuple[Any, ...] | None,
) -> Any:
    """The ``results`` of a rule for plain arguments, with the sizes that the rule gives for the open ones.

    The rule runs on arrays without elements for that. What a fast form has summed already has one of the
    ``summed_shapes``. None where the rule cannot run so.
    """
    opening = current_opening()
    try:
        with apart(tries=True):
            shapes = rule(*[_without_elements(argument, opening) for argument in arguments])
    except (NeedsItems, NotImplementedError, ValueError, TypeError):
        return None  # the caller runs the rule as ops, and these say what is wrong

    def opened(result: Any, like: Any, number: int) -> Any:
        if result is None:
            return None
        for argument, plain_argument in zip(arguments, plain, strict=True):
            if result is plain_argument:
                return argument
        likeness, array = abstract(like._array), result._array
        if summed_shapes is not None and tuple(map(hint_of, likeness.shape)) != array.shape:
            likeness = Abstract(summed_shapes[number], array.dtype)
        return EagerTensor(opened_array(array, likeness, opening, "a gradient"))

    if type(results) is not tuple:
        return opened(results, shapes, 0)
    return tuple(
        [opened(*pair, number) for number, pair in enumerate(zip(results, shapes, strict=True))]
    )


def _without_elements(argument: Any, opening: Opening) -> Any:
    if type(argument) is tuple or type(argument) is list:
        return type(argument)([_without_elements(part, opening) for part in argument])
    if type(argument) is not EagerTensor:
        return argument
    array: Any = argument._array
    if type(array) is OpenArray:
        return EagerTensor(Abstract(array.shape, array.dtype, array.value))
    if isinstance(array, np.ndarray) and opening.is_traced(argument):
        return EagerTensor(Abstract(array.shape, array.dtype))
    return argument


_KIND = OpenKind()
register_kind(Abstract, _KIND)
register_kind(OpenArray, _KIND)
handle_sizes(_KIND)
