"""`OPS`: ops of ours that move, pick, order or transform elements, as nodes that do the same.

The entries are functions as in ``compositions``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from string import ascii_letters
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.saving.open_sizes import Expression
from tapegrad.saving.steps import CannotEncode
from tapegrad.saving.writing.nodes import SIZES, Nodes, Tensor, holds_sizes

# Places


def sequence_mask(to: Nodes, step: Any, lengths: Any, width: Any, dtype: Any) -> Tensor:
    """True for as many elements as the lengths say."""
    numbers = to.one("Range", to.operand(0, SIZES), to.operand(width, SIZES), to.operand(1, SIZES))
    columns = to.one("ExpandDims", to.cast(lengths, SIZES), -1)
    return to.cast(to.one("Less", numbers, columns), dtype)


def numbers_of_true(to: Nodes, step: Any, input: Any) -> Tensor:
    """Where the flat tensor is true."""
    return to.one("Reshape", to.one("Where", to.one("Reshape", input, [-1])), [-1])


def shift(to: Nodes, step: Any, x: Any, axis: int, by: int) -> Tensor:
    """The elements moved by one place; a 0 moves in."""
    axis = axis % x.rank
    one = np.zeros((x.rank, 2), np.int32)
    one[axis, 0 if by == 1 else 1] = 1
    padded = to.one("Pad", x, one)
    begin = [0] * x.rank
    begin[axis] = 0 if by == 1 else 1
    return to.one("Slice", padded, to.operand(begin, SIZES), to.one("Shape", x, out_type=SIZES))


def places_in_batches(to: Nodes, step: Any, indices: Any, batch_dims: int, size: Any) -> Tensor:
    """Indices into items, as indices into all items end to end."""
    batch = [to.size(indices, axis) for axis in range(batch_dims)]
    count = to.operand(1, SIZES)
    for part in batch:
        count = to.one("Mul", count, part)
    numbers = to.one("Range", to.operand(0, SIZES), count, to.operand(1, SIZES))
    first = to.one("Mul", numbers, to.operand(size, SIZES))
    ones = [to.operand(1, SIZES)] * (indices.rank - batch_dims)
    shaped = to.one(
        "Reshape", first, to.one("Pack", [*batch, *ones], axis=0) if batch or ones else []
    )
    return to.one("AddV2", to.cast(indices, SIZES), shaped)


def repeated_places(to: Nodes, step: Any, counts: Any, size: Any) -> Tensor:
    """The numbers below ``size``, each as often as its count says, or as the one count says."""
    length = to.one("Reshape", to.operand(size, SIZES), [1])
    every = to.one("BroadcastTo", to.cast(to.one("Reshape", counts, [-1]), SIZES), length)
    ends = to.one("Cumsum", every, 0)
    total = to.one("Sum", every, 0)
    numbers = to.one("Range", to.operand(0, SIZES), total, to.operand(1, SIZES))
    # The number of a place is how many numbers end before it.
    rows = [to.one("ExpandDims", vector, 0) for vector in (ends, numbers)]
    return to.one("Reshape", to.one("UpperBound", *rows, out_type=SIZES), [-1])


def add_along(to: Nodes, step: Any, values: Any, indices: Any, axis: int, size: Any) -> Tensor:
    """Zeros, to which each slice is added at its index."""
    rank, inner = values.rank, indices.rank
    axis = axis % (rank - inner + 1)
    places = [*range(axis, axis + inner)]
    order = [*places, *[place for place in range(rank) if place not in places]]
    moved = values if order == [*range(rank)] else to.one("Transpose", values, order)
    total = to.one("UnsortedSegmentSum", moved, indices, to.operand(size, dtypes.int32))
    back = [*range(1, axis + 1), 0, *range(axis + 1, rank - inner + 1)]
    return total if axis == 0 else to.one("Transpose", total, back)


def take_segments(to: Nodes, step: Any, params: Any, segment_ids: Any) -> Tensor:
    """The slice of each number, or zeros if it is negative."""
    taken = to.one("GatherV2", params, to.one("Maximum", segment_ids, 0), 0)
    there = to.one("GreaterEqual", segment_ids, 0)
    for _ in range((params.rank or 1) - 1):
        there = to.one("ExpandDims", there, -1)
    return to.one("SelectV2", there, taken, to.operand(0, params.dtype))


def segment_sizes(
    to: Nodes, step: Any, segment_ids: Any, count: Any, rank: int, dtype: Any
) -> Tensor:
    """How many elements each segment has, at least 1."""
    ids = to.one("Reshape", segment_ids, [-1])
    ones = to.one("OnesLike", to.cast(ids, dtypes.int32))
    sizes = to.one("UnsortedSegmentSum", ones, ids, to.operand(count, dtypes.int32))
    sizes = to.one("Maximum", sizes, 1)
    shape = [to.operand(count, SIZES), *[to.operand(1, SIZES)] * (rank - 1)]
    return to.cast(to.one("Reshape", sizes, to.one("Pack", shape, axis=0)), dtype)


def sort(to: Nodes, step: Any, values: Any, descending: bool) -> Tensor:
    """The values in order along the last axis."""
    return _ranked(to, values, descending)[0]


def _ranked(to: Nodes, values: Tensor, descending: bool) -> list[Tensor]:
    """The values of the last axis in order, and where they come from. Equal ones keep their order."""
    if values.dtype.is_unsigned and not descending:
        raise CannotEncode(f"an ascending order of {values.dtype.name}")
    keys = values
    if not descending:
        # ~x turns the order of integers round without overflow, as -x does for other numbers.
        keys = to.one("Invert" if values.dtype.is_integer else "Neg", values)
    ordered, places = to.all("TopKV2", keys, to.cast(to.size(values, -1), dtypes.int32))
    if not descending:
        ordered = to.one("Invert" if values.dtype.is_integer else "Neg", ordered)
    return [ordered, places]


def sorted_places(to: Nodes, step: Any, values: Any, descending: bool) -> Tensor:
    """The place in the order at which each element stands."""
    places = _ranked(to, values, descending)[1]
    again = to.one("Neg", places)
    return to.cast(to.all("TopKV2", again, to.cast(to.size(values, -1), dtypes.int32))[1], SIZES)


def argsort(to: Nodes, step: Any, values: Any, axis: int, descending: bool) -> Tensor:
    """Where the elements in order come from."""
    rank = values.rank
    order = [*range(rank)]
    order[axis], order[-1] = order[-1], order[axis]
    last = axis in (-1, rank - 1)
    moved = values if last else to.one("Transpose", values, order)
    places = _ranked(to, moved, descending)[1]
    return places if last else to.one("Transpose", places, order)


def places(
    to: Nodes, step: Any, sorted_inputs: Any, values: Any, out_type: Any, right: bool
) -> Tensor:
    """Where values belong in an order."""
    op = "UpperBound" if right else "LowerBound"
    if sorted_inputs.rank != 1:
        return to.one(op, sorted_inputs, values, out_type=out_type)
    rows = to.one("Reshape", values, [1, -1])
    result = to.one(op, to.one("ExpandDims", sorted_inputs, 0), rows, out_type=out_type)
    return to.one("Reshape", result, to.one("Shape", values, out_type=SIZES))


# Slices


class Index:
    """A basic index, as three vectors and five masks."""

    def __init__(self, index: Any) -> None:
        parts = list(index) if isinstance(index, (tuple, list)) else [index]
        self.vectors: tuple[list[Any], list[Any], list[Any]] = ([], [], [])
        self.masks = dict.fromkeys(
            ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"], 0
        )
        for place, part in enumerate(parts):
            self._add(1 << place, part)

    def _add(self, bit: int, part: Any) -> None:
        begin: Any = 0
        end: Any = 0
        step: Any = 1
        if part is Ellipsis:
            self.masks["ellipsis_mask"] |= bit
        elif part is None:
            self.masks["new_axis_mask"] |= bit
        elif isinstance(part, slice):
            step = 1 if part.step is None else part.step
            if part.start is None:
                self.masks["begin_mask"] |= bit
            if part.stop is None:
                self.masks["end_mask"] |= bit
            begin = 0 if part.start is None else part.start
            end = 0 if part.stop is None else part.stop
        elif isinstance(part, (int, np.integer, Expression)):
            self.masks["shrink_axis_mask"] |= bit
            begin = part
            end = part + 1 if not isinstance(part, Expression) else part
        else:
            raise CannotEncode(f"an index of {type(part).__name__}")
        for vector, number in zip(self.vectors, (begin, end, step), strict=True):
            vector.append(number)

    def operands(self, to: Nodes) -> list[Tensor]:
        """The three vectors."""
        dtype = SIZES if holds_sizes([*self.vectors]) else dtypes.int32
        return [to.operand(vector, dtype) for vector in self.vectors]


def strided_slice(to: Nodes, step: Any, input: Any, index: Any) -> Tensor:
    """A part of a tensor."""
    own = Index(index)
    return to.one("StridedSlice", input, *own.operands(to), **own.masks)


def strided_slice_gradient(to: Nodes, step: Any, dy: Any, shape: Any, index: Any) -> Tensor:
    """Zeros with a part that is another tensor."""
    own = Index(index)
    vectors = own.operands(to)
    sizes = to.operand(list(shape), vectors[0].dtype)
    return to.one("StridedSliceGrad", sizes, *vectors, dy, **own.masks)


def slice_at(to: Nodes, step: Any, input: Any, begin: Any, size: Any) -> Tensor:
    """A block that begins where a vector says; axes before those of ``size`` are whole."""
    whole = input.rank - len(size)
    if whole:
        begin = to.one("Pad", begin, [[whole, 0]])
    return to.one("Slice", input, begin, to.operand([*[-1] * whole, *size], begin.dtype))


def put_at(to: Nodes, step: Any, dy: Any, begin: Any, shape: Any) -> Tensor:
    """Zeros with a block that is another tensor."""
    sizes = to.operand(list(shape), begin.dtype)
    whole = to.one("Sub", len(shape), to.one("Size", begin, out_type=dtypes.int32))
    begin = to.one("Pad", begin, to.one("Reshape", to.one("Pack", [whole, 0], axis=0), [1, 2]))
    end = to.one("AddV2", begin, to.one("Shape", dy, out_type=begin.dtype))
    return to.one("Pad", dy, to.one("Pack", [begin, to.one("Sub", sizes, end)], axis=1))


def strided_slice_update(to: Nodes, step: Any, input: Any, value: Any, index: Any) -> Tensor:
    """A tensor of which a part is another one."""
    own = Index(index)
    return to.one("TensorStridedSliceUpdate", input, *own.operands(to), value, **own.masks)


def concatenated(to: Nodes, step: Any, values: Any, axis: Any) -> Tensor:
    """Tensors end to end."""
    return to.one("ConcatV2", values, axis) if len(values) > 1 else to.one("Identity", values[0])


def transposed(to: Nodes, step: Any, x: Any, perm: Any) -> Tensor:
    """The axes in another order, the opposite one by default."""
    if perm is None:
        perm = to.one("Range", to.one("Sub", to.one("Rank", x), 1), -1, -1)
    return to.one("Transpose", x, perm)


def einsum(to: Nodes, step: Any, inputs: Any, equation: str) -> Tensor:
    """A sum of products, two tensors at a time as TensorFlow's op takes them."""
    # Rules name the axes of an ellipsis by letters that no program uses, and TensorFlow does not know.
    free = iter([letter for letter in ascii_letters if letter not in equation])
    own = {letter: next(free) for letter in dict.fromkeys(equation) if not letter.isascii()}
    equation = "".join([own.get(letter, letter) for letter in equation])
    before, _, result = equation.partition("->")
    terms, tensors = before.split(","), list(inputs)
    while len(terms) > 2:
        rest = set("".join([*terms[2:], result]))
        letters = dict.fromkeys((terms[0] + terms[1]).replace("...", ""))
        kept = "".join([letter for letter in letters if letter in rest])
        kept = f"...{kept}" if "..." in terms[0] + terms[1] else kept
        product = to.one("Einsum", tensors[:2], equation=f"{terms[0]},{terms[1]}->{kept}")
        terms, tensors = [kept, *terms[2:]], [product, *tensors[2:]]
    return to.one("Einsum", tensors, equation=f"{','.join(terms)}->{result}")


def number_of_bins(to: Nodes, step: Any, numbers: Any) -> Tensor:
    """One more than the largest number, and 0 if there is none."""
    largest = to.one("Max", numbers, to.axes(numbers))
    # The largest of no numbers is the least of all, to which 1 may be added.
    more = to.one("AddV2", to.cast(largest, dtypes.int64), 1)
    return to.one("Maximum", more, 0)


def checked_segments(
    to: Nodes, step: Any, indices: Any, segment_ids: Any, rows: Any, count: Any
) -> list[Tensor]:
    """Both as they are: the op that reads them checks them."""
    return [indices, segment_ids]


def indicator(to: Nodes, step: Any, indices: Any, values: Any, shape: Any) -> Tensor:
    """True at each index, with its last entry replaced by the value there."""
    rank = len(shape)
    outer = to.one("Slice", indices, to.operand([0, 0], SIZES), to.operand([-1, rank - 1], SIZES))
    last = to.one("ExpandDims", to.cast(values, SIZES), -1)
    places = to.one("ConcatV2", [outer, last], 1)
    ones = to.one("OnesLike", values)
    zeros = to.one("Fill", to.operand(list(shape), SIZES), to.operand(0, values.dtype))
    marked = to.one("TensorScatterUpdate", zeros, places, ones)
    return to.cast(marked, dtypes.bool)


# Transforms


def overlap_and_add(to: Nodes, step: Any, signal: Any, frame_step: int) -> Tensor:
    """Frames, each added where it begins."""
    rank = signal.rank
    count, length = to.size(signal, rank - 2), to.size(signal, rank - 1)
    zero, one = to.operand(0, SIZES), to.operand(1, SIZES)
    starts = to.one("Mul", to.one("Range", zero, count, one), frame_step)
    places = to.one("AddV2", to.one("ExpandDims", starts, -1), to.one("Range", zero, length, one))
    last = to.one("Mul", to.one("Sub", count, 1), frame_step)
    size = to.one("Maximum", to.one("AddV2", last, length), 0)
    moved = to.one("Transpose", signal, [rank - 2, rank - 1, *range(rank - 2)])
    total = to.one("UnsortedSegmentSum", moved, places, size)
    return to.one("Transpose", total, [*range(1, rank - 1), 0])


def real_transform(op: str, count: int, back: bool = False) -> Callable[..., Tensor]:
    """A transform between real numbers and frequencies, whose length is that of the axes by default."""

    def write(to: Nodes, step: Any, input: Any, fft_length: Any, **dtype: Any) -> Tensor:
        if fft_length is None:
            shape = to.one("Shape", input)
            fft_length = to.one("StridedSlice", shape, [-count], [0], [1], end_mask=1)
            if back:
                ends = np.array([0] * (count - 1) + [1], np.int32)
                more = to.one("Sub", fft_length, np.array([0] * (count - 1) + [2], np.int32))
                fft_length = to.one("AddV2", to.one("Mul", fft_length, ends), more)
        options = {"Treal": step.kinds[0]} if back else {"Tcomplex": step.kinds[0]}
        return to.one(op, input, fft_length, **options)

    return write


def any_transform(op: str, back: bool = False) -> Callable[..., Tensor]:
    """A transform along any axes, by default along all of them."""

    def write(to: Nodes, step: Any, input: Any, fft_length: Any, axes: Any, **dtype: Any) -> Tensor:
        axes = [*range(input.rank)] if axes is None else list(axes)
        if fft_length is None:
            sizes = [to.size(input, axis) for axis in axes]
            if back:
                sizes[-1] = to.one("Mul", to.one("Sub", sizes[-1], 1), 2)
            fft_length = to.one("Pack", sizes, axis=0)
        if isinstance(fft_length, Tensor):
            fft_length = to.cast(fft_length, dtypes.int32)
        options = {}
        if back or step.kinds[0] is not input.dtype:  # one side is of real numbers
            options = {"Treal" if back else "Tcomplex": step.kinds[0]}
        return to.one(op, input, fft_length, axes, **options)

    return write


def cosine_transform(to: Nodes, step: Any, input: Any, type: int, ortho: bool) -> Tensor:
    """The cosine transform over the last axis, as a product with the matrix of the cosines."""
    size = to.size(input, -1)
    zero, one = to.operand(0, SIZES), to.operand(1, SIZES)
    numbers = to.cast(to.one("Range", zero, size, one), dtypes.float64)
    count = to.cast(size, dtypes.float64)
    rows, columns = to.one("ExpandDims", numbers, 1), to.one("ExpandDims", numbers, 0)
    weights: Any = 2.0
    if type == 1:
        period = to.one("Sub", count, 1.0)
        # The first and the last element count once.
        inner = to.one("Mul", to.one("Sub", rows, period), rows)
        weights = to.one(
            "SelectV2", to.one("Equal", inner, 0.0), to.operand(1.0, dtypes.float64), 2.0
        )
    elif type == 2:
        rows, period = to.one("AddV2", rows, 0.5), count
    elif type == 3:
        columns, period = to.one("AddV2", columns, 0.5), count
        weights = to.one(
            "SelectV2", to.one("Equal", rows, 0.0), to.operand(1.0, dtypes.float64), 2.0
        )
    else:
        rows, columns, period = to.one("AddV2", rows, 0.5), to.one("AddV2", columns, 0.5), count
    angles = to.one("RealDiv", to.one("Mul", to.one("Mul", rows, columns), math.pi), period)
    cosines = to.one("Mul", to.one("Cos", angles), weights)
    if ortho:
        if type == 1:
            raise CannotEncode("an orthonormal transform of type 1")
        scale = to.one("Rsqrt", to.one("Mul", count, 2.0))
        cosines = to.one("Mul", cosines, scale)
        first = {2: columns, 3: rows}.get(type)
        if first is not None:
            # Of the first frequency the cosines are 1; one weight of 1 above is 2 here.
            factor = math.sqrt(0.5) if type == 2 else math.sqrt(2.0)
            own = to.one("Equal", first, 0.0)
            cosines = to.one(
                "Mul", cosines, to.one("SelectV2", own, to.operand(factor, dtypes.float64), 1.0)
            )
    matrix = to.cast(cosines, input.dtype)
    flat = to.one("Reshape", input, to.one("Pack", [to.operand(-1, SIZES), size], axis=0))
    product = to.one("MatMul", flat, matrix)
    return to.one("Reshape", product, to.one("Shape", input, out_type=SIZES))


def frame(
    to: Nodes, step: Any, signal: Any, frame_length: int, frame_step: int, count: Any
) -> Tensor:
    """Frames along the last axis."""
    if count is None:
        length = to.size(signal, -1)
        whole = to.one("FloorDiv", to.one("Sub", length, frame_length), frame_step)
        count = to.one("Maximum", to.one("AddV2", whole, 1), 0)
    count = to.operand(count, SIZES)
    starts = to.one("Range", to.operand(0, SIZES), count, to.operand(1, SIZES))
    starts = to.one("ExpandDims", to.one("Mul", starts, frame_step), -1)
    inner = to.one(
        "Range", to.operand(0, SIZES), to.operand(frame_length, SIZES), to.operand(1, SIZES)
    )
    return to.one("GatherV2", signal, to.one("AddV2", starts, inner), -1)


# Rows, shapes, labels of sequences


def filled_rows(
    to: Nodes, step: Any, indices: Any, ids: Any, keep: Any, lead: Any, filler: Any
) -> list[Tensor]:
    """The ids to keep and one for each row without any; which were kept, their order, which rows had any."""
    kept = numbers_of_true(to, step, keep)
    rows = to.one("Mul", to.cast(kept, SIZES), 0)
    chosen = to.one("GatherV2", indices, kept, 0)

    def column(axis: int) -> Tensor:
        return to.one("GatherV2", chosen, axis, 1)

    count = to.operand(1, SIZES)
    for axis, size in enumerate(lead):
        size = to.operand(size, SIZES)
        rows = to.one("AddV2", to.one("Mul", rows, size), column(axis))
        count = to.one("Mul", count, size)
    ones = to.one("OnesLike", rows)
    full = to.one("Greater", to.one("UnsortedSegmentSum", ones, rows, count), 0)
    empty = numbers_of_true(to, step, to.one("LogicalNot", full))
    every = to.one("ConcatV2", [rows, empty], 0)
    order = to.cast(_ranked(to, every, False)[1], SIZES)
    nothing = to.one("ZerosLike", empty)
    columns = to.one("ConcatV2", [column(len(lead)), nothing], 0)
    places = to.one("Pack", [every, columns], axis=1)
    added = to.one("Fill", to.one("Shape", empty, out_type=SIZES), to.operand(filler, ids.dtype))
    filled = to.one("ConcatV2", [to.one("GatherV2", ids, kept, 0), added], 0)
    return [
        to.one("GatherV2", places, order, 0),
        to.one("GatherV2", filled, order, 0),
        kept,
        order,
        full,
    ]


def rows_and_ids(to: Nodes, step: Any, indices: Any, ids: Any) -> list[Tensor]:
    """The row of each id, the distinct ids in any order, and the number of each id among these."""
    return [
        to.one("GatherV2", indices, 0, 1),
        *to.all("Unique", ids, out_idx=dtypes.int64),
    ]


def ensured_shape(to: Nodes, step: Any, x: Any, shape: Any) -> Tensor:
    """The tensor, after a check of its shape. Sizes that follow from others are compared when it runs."""
    if shape is None or not holds_sizes(shape):
        return to.one("EnsureShape", x, shape=shape)
    numbers = [None if holds_sizes(size) else size for size in shape]
    checked = to.one("EnsureShape", x, shape=numbers)
    checks = []
    for axis, size in enumerate(shape):
        if holds_sizes(size):
            same = to.one("Equal", to.size(x, axis), to.operand(size, SIZES))
            text = f"A tensor came whose axis {axis} has another size than was expected."
            checks.append(to.node("Assert", [same, [to.operand(text, None)]], {})[0])
    return to.node("Identity", [checked], {}, checks)[1][0]


def beam_search(
    to: Nodes, step: Any, inputs: Any, sequence_length: Any, **options: Any
) -> list[Tensor]:
    """The likeliest labels: indices, values and shapes of each path, and the scores."""
    return to.all("CTCBeamSearchDecoder", inputs, sequence_length, **options)


OPS: dict[str, Callable[..., Any]] = {
    "ConcatV2": concatenated,
    "Einsum": einsum,
    "EnsureShape": ensured_shape,
    "FFTND": any_transform("FFTND"),
    "IFFTND": any_transform("IFFTND"),
    "IRFFT": real_transform("IRFFT", 1, back=True),
    "IRFFT2D": real_transform("IRFFT2D", 2, back=True),
    "IRFFT3D": real_transform("IRFFT3D", 3, back=True),
    "IRFFTND": any_transform("IRFFTND", back=True),
    "RFFT": real_transform("RFFT", 1),
    "RFFT2D": real_transform("RFFT2D", 2),
    "RFFT3D": real_transform("RFFT3D", 3),
    "RFFTND": any_transform("RFFTND"),
    "StridedSlice": strided_slice,
    "StridedSliceGrad": strided_slice_gradient,
    "TensorStridedSliceUpdate": strided_slice_update,
    "Transpose": transposed,
    "_AddAlong": add_along,
    "_ArgsortAlong": argsort,
    "_CTCBeamSearchDecoder": beam_search,
    "_CheckedSegments": checked_segments,
    "_DCT": cosine_transform,
    "_FillRows": filled_rows,
    "_Frame": frame,
    "_Indicator": indicator,
    "_NumberOfBins": number_of_bins,
    "_NumbersOfTrue": numbers_of_true,
    "_OverlapAndAdd": overlap_and_add,
    "_Places": places,
    "_PlacesInBatches": places_in_batches,
    "_PutAt": put_at,
    "_RepeatedPlaces": repeated_places,
    "_RowsAndIds": rows_and_ids,
    "_SegmentSizes": segment_sizes,
    "_SequenceMask": sequence_mask,
    "_Shift": shift,
    "_SliceAt": slice_at,
    "_Sort": sort,
    "_SortedPlaces": sorted_places,
    "_TakeSegments": take_segments,
}
"""The type of an op -> what writes a step of it."""
