"""Data sets of values in memory: tensors, slices of tensors, ranges, lists, generators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from tapegrad import dtypes
from tapegrad.core import EagerTensor, note_departure, static_value
from tapegrad.data import leaves, structure
from tapegrad.data.arguments import whole_number
from tapegrad.data.dataset import (
    INFINITE,
    UNKNOWN,
    DatasetSource,
    DatasetV2,
    SpecDataset,
    has_no_value,
)
from tapegrad.data.indexed import Indexed, RandomAccess, RangeAccess, SliceAccess, length_of
from tapegrad.data.iterators import Elements, IterationContext, close
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TensorSpec, TypeSpec

DATA_SET = "data set"  # what a tape notes where a tensor that it watches becomes elements


class TensorDataset(DatasetSource):
    """One element."""

    def __init__(self, element: Any, name: str | None = None) -> None:
        super().__init__(name)
        self._element = structure.to_element(element)
        note_departure(DATA_SET, structure.flatten(self._element))
        if all(leaf is None for leaf in structure.flatten(self._element)):
            refuse(
                f"An element must hold at least one value, but got {element!r}.", op="TensorDataset"
            )
        self._spec = structure.spec_of(self._element)

    @property
    def element_spec(self) -> Any:
        return self._spec

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return iter([self._element])

    def _cardinality(self) -> int:
        return 1


class TensorSliceDataset(DatasetSource):
    """The slices of tensors along their first axis."""

    def __init__(self, element: Any, name: str | None = None) -> None:
        super().__init__(name)
        self._tensors = structure.to_element(element)
        flat = structure.flatten(self._tensors)
        note_departure(DATA_SET, flat)
        if all(leaf is None for leaf in flat):
            raise ValueError(
                f"from_tensor_slices(): `tensors` must hold at least one tensor, but got {element!r}."
            )
        specs = structure.map_leaves(structure.spec_of_leaf, self._tensors)
        for leaf in flat:
            if isinstance(leaf, DatasetV2):
                raise ValueError(f"from_tensor_slices() cannot slice a data set: {leaf!r}.")
            if getattr(leaf, "shape", TensorShape(None)).rank == 0:
                raise ValueError(
                    "Unbatching a tensor is only supported for rank >= 1: "
                    "from_tensor_slices() cannot slice a scalar."
                )
        shapes = [shape for leaf in flat for shape in leaves.shapes_in(leaf)]
        sizes = [shape[0] for shape in shapes if shape.rank and shape[0] is not None]
        for size in sizes[1:]:
            if size != sizes[0]:
                raise ValueError(f"Dimensions {sizes[0]} and {size} are not compatible")
        # The size is not known where a function is called without values.
        self._size = int(sizes[0]) if sizes else UNKNOWN
        self._spec = structure.map_leaves(leaves.unbatched_spec, specs)
        self._source = SliceAccess(self._tensors, self._size)

    @property
    def element_spec(self) -> Any:
        return self._spec

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return self._source.elements()

    def _cardinality(self) -> int:
        return self._size

    def _indexed(self, context: IterationContext) -> Indexed | None:
        return Indexed.whole(self._source) if self._source.can_gather else None


def ranged(*args: Any, output_type: Any = dtypes.int64, name: str | None = None) -> DatasetV2:
    """``Dataset.range``."""
    if has_no_value(*args):
        return SpecDataset(TensorSpec([], dtypes.as_dtype(output_type)))
    return RangeDataset(*args, output_type=output_type, name=name)


class RangeDataset(DatasetSource):
    """Whole numbers from a start, in steps."""

    def __init__(
        self, *args: Any, output_type: Any = dtypes.int64, name: str | None = None
    ) -> None:
        super().__init__(name)
        if not 1 <= len(args) <= 3:
            raise ValueError(
                f"Invalid `args`. The length of `args` should be between 1 and 3, but got {len(args)}."
            )
        numbers = [whole_number(value, "range") for value in args]
        if len(numbers) == 1:
            numbers = [0, *numbers]
        if len(numbers) == 3 and numbers[2] == 0:
            refuse("step must be a non-zero integer.", op="RangeDataset")
        self._range = range(*numbers)
        self._dtype = dtypes.as_dtype(output_type)
        self._source: RandomAccess = RangeAccess(self._range, self._dtype)

    @property
    def element_spec(self) -> Any:
        return TensorSpec([], self._dtype)

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return self._source.elements()

    def _cardinality(self) -> int:
        # `enumerate` counts to the last number of 64 bits, which stands for no end, as in TensorFlow.
        return INFINITE if self._range.stop == 2**63 - 1 else length_of(self._range)

    def _indexed(self, context: IterationContext) -> Indexed | None:
        return Indexed.whole(self._source)


class ListDataset(DatasetSource):
    """The elements of a list."""

    def __init__(self, elements: Any, name: str | None = None) -> None:
        super().__init__(name)
        if not elements:
            raise ValueError("Invalid `elements`. `elements` should not be empty.")
        if not isinstance(elements, list):
            raise ValueError("Invalid `elements`. `elements` must be a list.")
        converted = [structure.to_element(element) for element in elements]
        spec = structure.spec_of(converted[0])
        for element in converted[1:]:
            structure.assert_same_structure(converted[0], element, "The elements")
            spec = leaves.covering(spec, structure.spec_of(element))
        self._list = converted
        self._spec = spec

    @property
    def element_spec(self) -> Any:
        return self._spec

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return iter(self._list)

    def _cardinality(self) -> int:
        return len(self._list)


def counter(start: Any, step: Any, dtype: Any, name: str | None) -> DatasetV2:
    """``Dataset.counter``."""
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    first, step = convert_to_tensor(start, dtype), convert_to_tensor(step, dtype)
    ever = TensorDataset(0).repeat()
    return ever.scan(first, lambda number, _: (number + step, number), name)


def from_generator(
    generator: Callable[..., Any],
    output_types: Any,
    output_shapes: Any,
    args: Any,
    output_signature: Any,
    name: str | None,
) -> DatasetV2:
    """``Dataset.from_generator``."""
    if not callable(generator):
        raise TypeError("`generator` must be a Python callable.")
    if output_signature is not None and (output_types is not None or output_shapes is not None):
        raise TypeError(
            "The `output_types` and `output_shapes` arguments can not be used together with the "
            "`output_signature` argument."
        )
    if output_signature is None and output_types is None:
        raise TypeError(
            "To specify the output signature you need to provide either the `output_signature` "
            "argument or the `output_types` argument."
        )
    spec = output_signature
    if output_signature is None:
        spec = structure.map_leaves(dtypes.as_dtype, _tuples(output_types))
        if output_shapes is None:
            spec = structure.map_leaves(lambda dtype: TensorSpec(None, dtype), spec)
        else:
            shapes = _shapes_like(spec, output_shapes)
            spec = structure.pack(spec, map(TensorSpec, shapes, structure.flatten(spec)))
    else:
        for leaf in structure.flatten(output_signature):
            if not isinstance(leaf, TypeSpec):
                raise TypeError(
                    "`output_signature` must contain objects that are subclass of `tf.TypeSpec` but "
                    f"found {type(leaf)} which is not."
                )
    if args is not None and not isinstance(args, (tuple, list)):
        raise TypeError(f"from_generator(): `args` must be a tuple of tensors, but got {args!r}.")
    arguments = tuple(convert_to_tensor(value).numpy() for value in args or ())
    return GeneratorDataset(generator, arguments, spec, name)


def _tuples(value: Any) -> Any:
    """Lists of dtypes or shapes as tuples: they are nests here."""
    return tuple(map(_tuples, value)) if isinstance(value, (list, tuple)) else value


def _shapes_like(spec: Any, shapes: Any) -> list[Any]:
    """The shapes for the leaves of ``spec``, of which lists and tuples of sizes are leaves too."""
    if not structure.is_nested(spec):
        return [TensorShape(shapes)]
    kept = structure.children(_tuples(shapes) if isinstance(shapes, list) else shapes)
    return [
        shape
        for part, kept_part in zip(structure.children(spec), kept, strict=True)
        for shape in _shapes_like(part, kept_part)
    ]


class GeneratorDataset(DatasetSource):
    """What a Python generator yields."""

    _printed = "FlatMapDataset"

    def __init__(
        self,
        generator: Callable[..., Any],
        args: tuple[Any, ...],
        spec: Any,
        name: str | None = None,
    ) -> None:
        super().__init__(name)
        self._generator = generator
        self._args = args
        self._spec = spec

    @property
    def element_spec(self) -> Any:
        return self._spec

    def _elements(self, context: IterationContext) -> Iterator[Any]:
        return Generated(self._generator, self._args, self._spec)


class Generated(Elements):
    """A pass over what a generator yields. The generator starts when the first element is read."""

    __slots__ = ("_args", "_flat", "_generator", "_iterator", "_spec")

    def __init__(self, generator: Callable[..., Any], args: tuple[Any, ...], spec: Any) -> None:
        super().__init__()
        self._generator: Callable[..., Any] | None = generator
        self._args = args
        self._spec = spec
        self._flat = structure.flatten(spec)
        self._iterator: Iterator[Any] | None = None

    def __next__(self) -> Any:
        from tapegrad.ops.program.host import error_of

        try:
            if self._iterator is None:
                if self._generator is None:
                    raise StopIteration
                generator, self._generator = self._generator, None
                self._iterator = iter(generator(*self._args))
            value = next(self._iterator)
        except StopIteration:
            self._iterator = None
            raise
        except Exception as error:
            # As TensorFlow, which runs generators in its py_function.
            self._iterator = None
            raise error_of(error, "GeneratorDataset").with_traceback(error.__traceback__) from None
        try:
            return self._converted(value)
        except TypeError as error:
            raise error_of(error, "GeneratorDataset").with_traceback(error.__traceback__) from None

    def _converted(self, value: Any) -> Any:
        """What was yielded, in the nest of the spec and with its dtypes."""
        spec = self._spec
        if type(value) is list and type(spec) is tuple:
            value = tuple(value)
        try:
            values = structure.flatten_up_to(spec, value, "The element and `output_signature`")
        except (TypeError, ValueError) as error:
            raise TypeError(
                "`generator` yielded an element that did not match the expected structure. "
                f"The expected structure was {spec!r}, but the yielded element was {value!r}."
            ) from error
        leaves_ = [
            self._leaf(leaf, leaf_spec) for leaf, leaf_spec in zip(values, self._flat, strict=True)
        ]
        return leaves_[0] if not structure.is_nested(spec) else structure.pack(spec, leaves_)

    def _leaf(self, value: Any, spec: Any) -> Any:
        if isinstance(spec, TensorSpec):
            try:
                tensor = (
                    value
                    if isinstance(value, EagerTensor) and value.dtype is spec.dtype
                    else convert_to_tensor(_as_numpy(value, spec.dtype), spec.dtype)
                )
            except (TypeError, ValueError) as error:
                raise TypeError(
                    "`generator` yielded an element that could not be converted to the expected type. "
                    f"The expected type was {spec.dtype.name}, but the yielded element was {value!r}."
                ) from error
            if not spec.shape.is_compatible_with(tensor.shape):
                raise TypeError(
                    f"`generator` yielded an element of shape {tensor.shape} where an element of shape "
                    f"{spec.shape} was expected."
                )
            return tensor
        leaf = structure.to_leaf(value)
        if not spec.is_compatible_with(leaf):
            raise TypeError(
                f"`generator` yielded an element of {structure.spec_of_leaf(leaf)} where an element of "
                f"{spec} was expected."
            )
        return leaf

    def close(self) -> None:
        iterator, self._iterator, self._generator = self._iterator, None, None
        close(iterator)


def _as_numpy(value: Any, dtype: dtypes.DType) -> Any:
    """An array or tensor of another dtype as one of ``dtype``, if no number is lost by it."""
    array = getattr(value, "dtype", None)
    if array is None or dtype is dtypes.string:
        return value
    return static_value(convert_to_tensor(value), "array").astype(
        dtype.numpy_dtype, casting="same_kind"
    )
