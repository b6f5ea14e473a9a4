"""`OPS`: TensorFlow's ops that make, move, join and cut tensors, as nodes of ONNX's; see ``elements``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.saving.onnx.elements import Attributes, Row, axes_of
from tapegrad.saving.onnx.graph import Graph, NoWay, Value

END = int(np.iinfo(np.int64).max)

# Sizes and tensors of a size


def shape(to: Graph, attributes: Attributes, x: Any) -> Value:
    """The sizes."""
    return to.cast(to.shape(x), attributes.get("out_type", dtypes.int32))


def shapes(to: Graph, attributes: Attributes, inputs: list[Any]) -> list[Value]:
    """The sizes of several tensors."""
    return [shape(to, attributes, x) for x in inputs]


def count(to: Graph, attributes: Attributes, x: Any) -> Value:
    """The number of elements."""
    return to.cast(to.op("Size", x), attributes.get("out_type", dtypes.int32))


def rank(to: Graph, attributes: Attributes, x: Any) -> Value:
    """The number of axes."""
    if x.shape is not None:
        return to.constant(np.array(x.rank, np.int32))
    return to.cast(to.op("Size", to.shape(x)), dtypes.int32)


def fill(to: Graph, attributes: Attributes, dims: Any, value: Any) -> Value:
    """A tensor with one value for all elements."""
    return to.op("Expand", value, to.vector(dims))


def filled_like(number: int) -> Row:
    """A tensor of the same shape with one number for all elements."""

    def write(to: Graph, attributes: Attributes, x: Any) -> Value:
        return to.op("Expand", to.like(number, x), to.shape(x))

    return write


def broadcast_to(to: Graph, attributes: Attributes, x: Any, sizes: Any) -> Value:
    """A tensor repeated to another shape."""
    return to.op("Expand", x, to.vector(sizes))


def numbers(to: Graph, attributes: Attributes, start: Any, limit: Any, delta: Any) -> Value:
    """Numbers from one to another."""
    return to.op("Range", start, limit, delta)


def even_numbers(to: Graph, attributes: Attributes, start: Any, stop: Any, num: Any) -> Value:
    """Numbers at the same distance from each other. The last one is ``stop`` itself."""
    num = to.whole(num)
    places = to.op("Range", to.like(0, num), num, to.like(1, num))
    last = to.op("Sub", num, 1)
    delta = to.op("Div", to.op("Sub", stop, start), to.cast(to.op("Max", last, 1), start.dtype))
    values = to.op("Add", to.op("Mul", to.cast(places, start.dtype), delta), start)
    is_last = to.op("And", to.op("Equal", places, last), to.op("Greater", last, 0))
    return to.where(is_last, stop, values)


# Shapes changed


def reshape(to: Graph, attributes: Attributes, x: Any, sizes: Any) -> Value:
    """The elements in another shape."""
    return to.reshape(x, to.vector(sizes))


def transpose(to: Graph, attributes: Attributes, x: Any, perm: Any) -> Value:
    """The axes in another order."""
    return to.turn(x, perm.constant("an order of axes").tolist())


def expand_dims(to: Graph, attributes: Attributes, x: Any, axis: Any) -> Value:
    """One axis more."""
    return to.unsqueeze(x, np.ravel(axis.constant("an axis")).tolist())


def squeeze(to: Graph, attributes: Attributes, x: Any) -> Value:
    """Without axes of size 1."""
    axes = attributes.get("squeeze_dims") or attributes.get("axis")
    if not axes:
        if x.shape is None or not all(isinstance(size, int) for size in x.shape):
            raise NoWay("axes that are left out if their open sizes are 1")
        axes = [axis for axis, size in enumerate(x.shape) if size == 1]
    return to.squeeze(x, axes)


def pack(to: Graph, attributes: Attributes, values: list[Any]) -> Value:
    """Tensors along a new axis."""
    axis = attributes.get("axis", 0)
    return to.op("Concat", *[to.unsqueeze(value, [axis]) for value in values], axis=axis)


def unpack(to: Graph, attributes: Attributes, value: Any) -> list[Value]:
    """The parts along an axis."""
    axis = attributes.get("axis", 0)
    places = [to.constant(np.array(place, np.int64)) for place in range(attributes["num"])]
    return [to.op("Gather", value, place, axis=axis) for place in places]


def concat(to: Graph, attributes: Attributes, values: list[Any], axis: Any) -> Value:
    """Tensors end to end."""
    return to.op("Concat", *values, axis=int(axis.constant("an axis")))


def split(to: Graph, attributes: Attributes, axis: Any, value: Any) -> list[Value]:
    """Parts of one size."""
    return _split(to, value, int(axis.constant("an axis")), None, attributes["num_split"])


def split_by(to: Graph, attributes: Attributes, value: Any, sizes: Any, axis: Any) -> list[Value]:
    """Parts of these sizes."""
    axis = int(axis.constant("an axis"))
    own = to.vector(sizes)
    if sizes.array is not None and -1 in sizes.array:
        rest = to.op("Sub", to.size(value, axis), int(sizes.array.sum()) + 1)
        own = to.joined(*[rest if size == -1 else size for size in sizes.array.tolist()])
    return _split(to, value, axis, own, attributes["num_split"])


def _split(to: Graph, value: Value, axis: int, sizes: Any, parts: int) -> list[Value]:
    if parts == 1:
        return [value]
    axis = axis % value.rank
    size = value.shape[axis]
    own: Any = None
    if sizes is None and isinstance(size, int):
        own = size // parts
        sizes = [own] * parts
    own_shape = [*value.shape[:axis], own, *value.shape[axis + 1 :]]
    number = parts if sizes is None else None
    results: list[Any] = [(value.dtype, tuple(own_shape))] * parts
    return to.node("Split", [value, sizes], results, axis=axis, num_outputs=number)


def tile(to: Graph, attributes: Attributes, x: Any, multiples: Any) -> Value:
    """The tensor repeated along its axes."""
    return to.op("Tile", x, to.vector(multiples))


def pad(mode: str) -> Row:
    """More elements before and after."""

    def write(to: Graph, attributes: Attributes, x: Any, paddings: Any, value: Any = None) -> Value:
        if mode == "reflect" and attributes["mode"] != "REFLECT":
            raise NoWay(f"the mode {attributes['mode']}")
        source = to.before_transpose(x)
        if paddings.array is None:
            own = to.reshape(to.turn(to.whole(paddings), [1, 0]), -1)
            return to.op("Pad", x, own, value, mode=mode)
        pairs = paddings.array
        if source is None:
            return to.op("Pad", x, pairs.T.ravel().tolist(), value, mode=mode)
        inner, perm = source
        own = pairs[[perm.index(axis) for axis in range(len(perm))]]
        return to.turn(to.op("Pad", inner, own.T.ravel().tolist(), value, mode=mode), perm)

    return write


def reverse(to: Graph, attributes: Attributes, x: Any, axis: Any) -> Value:
    """The elements in the opposite order along axes."""
    axes = axes_of(axis, x.rank)
    if axes is None:
        raise NoWay("axes that are computed")
    size = len(axes)
    return to.op("Slice", x, [-1] * size, [-END] * size, axes, [-1] * size) if axes else x


def reverse_sequence(to: Graph, attributes: Attributes, x: Any, lengths: Any) -> Value:
    """The first elements of each row in the opposite order."""
    time, batch = attributes["seq_dim"], attributes.get("batch_dim", 0)
    others = [axis for axis in range(x.rank) if axis not in (time, batch)]
    order = [time, batch, *others]
    turned = to.turn(x, order)
    result = to.op("ReverseSequence", turned, to.whole(lengths), time_axis=0, batch_axis=1)
    return to.turn(result, [order.index(axis) for axis in range(x.rank)])


def roll(to: Graph, attributes: Attributes, x: Any, shift: Any, axis: Any) -> Value:
    """The elements moved along axes; those that leave come in at the other end."""
    shifts = to.vector(shift)
    for place, number in enumerate(np.ravel(axis.constant("an axis")).tolist()):
        by = to.op("Slice", shifts, [place], [place + 1], [0], [1])
        size = to.size(x, number)
        start = to.op("Sub", size, to.op("Mod", by, to.op("Max", size, 1)))
        first = to.op("Slice", x, start, [END], [number], [1])
        last = to.op("Slice", x, [0], start, [number], [1])
        x = to.op("Concat", first, last, axis=number)
    result: Value = x
    return result


# Slices


class _Index:
    """What a strided slice takes of each axis."""

    def __init__(self, to: Graph, attributes: Attributes, x: Value, vectors: list[Value]) -> None:
        self.to = to
        begin, end, strides = vectors
        steps = strides.constant("a step").tolist()
        if begin.shape is None or not isinstance(begin.shape[0], int):
            raise NoWay("an index of unknown length")
        self.slices: list[tuple[Any, Any, int, int]] = []  # start, end, axis, step
        self.places: list[tuple[Any, int]] = []  # index, axis
        self.new_axes: list[int] = []
        masks = {
            name: attributes.get(f"{name}_mask", 0)
            for name in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
        }
        axis, result = 0, 0
        for place in range(begin.shape[0]):
            bit = 1 << place
            if masks["ellipsis"] & bit:
                after = [1 << other for other in range(place + 1, begin.shape[0])]
                used = sum(not masks["new_axis"] & other for other in after)
                skipped = x.rank - axis - used
                axis, result = axis + skipped, result + skipped
            elif masks["new_axis"] & bit:
                self.new_axes.append(result)
                result += 1
            elif masks["shrink_axis"] & bit:
                self.places.append((self._element(begin, place), axis))
                axis += 1
            else:
                step = steps[place]
                low, high = (0, END) if step > 0 else (END, -END)
                start = low if masks["begin"] & bit else self._element(begin, place)
                stop = high if masks["end"] & bit else self._element(end, place)
                if (start, stop, step) != (0, END, 1):
                    self.slices.append((start, stop, axis, step))
                axis, result = axis + 1, result + 1

    def _element(self, vector: Value, place: int) -> Any:
        """An element as a number, or as a vector of one element."""
        known = vector.array if vector.sizes is None else vector.sizes
        if known is not None and isinstance(number := known.tolist()[place], int):
            return number
        return self.to.op("Slice", self.to.whole(vector), [place], [place + 1], [0], [1])

    def of(self, x: Value) -> Value:
        """What the index takes of a tensor."""
        to = self.to
        if self.slices:
            starts, ends, axes, steps = zip(*self.slices, strict=True)
            x = to.op("Slice", x, to.joined(*starts), to.joined(*ends), [*axes], [*steps])
        for place, axis in reversed(self.places):
            if isinstance(place, Value):
                scalar = to.squeeze(place, [0])
            else:
                scalar = to.constant(np.array(place, np.int64))
            x = to.op("Gather", x, scalar, axis=axis)
        return to.unsqueeze(x, self.new_axes)


def strided_slice(
    to: Graph, attributes: Attributes, x: Any, begin: Any, end: Any, strides: Any
) -> Value:
    """A part of a tensor."""
    return _Index(to, attributes, x, [begin, end, strides]).of(x)


def _places_of_slice(to: Graph, attributes: Attributes, sizes: Value, vectors: Any) -> Value:
    """The numbers, in the flat tensor, of the elements of a part."""
    total = to.op("ReduceProd", sizes, [0], keepdims=0)
    every = to.op("Range", to.like(0, total), total, to.like(1, total))
    every = to.op("Reshape", every, sizes)
    part = _Index(to, attributes, every, [*vectors]).of(every)
    return to.op("Reshape", part, [-1])


def strided_slice_gradient(
    to: Graph, attributes: Attributes, sizes: Any, begin: Any, end: Any, strides: Any, dy: Any
) -> Value:
    """Zeros with a part that is another tensor."""
    sizes = to.vector(sizes)
    places = _places_of_slice(to, attributes, sizes, [begin, end, strides])
    zeros = to.op("Expand", to.like(0, dy), to.op("ReduceProd", sizes, [0], keepdims=1))
    filled = to.op("ScatterElements", zeros, places, to.op("Reshape", dy, [-1]), axis=0)
    return to.op("Reshape", filled, sizes)


def strided_slice_update(
    to: Graph, attributes: Attributes, x: Any, begin: Any, end: Any, strides: Any, value: Any
) -> Value:
    """A tensor of which a part is another one."""
    sizes = to.shape(x)
    places = _places_of_slice(to, attributes, sizes, [begin, end, strides])
    own = _Index(to, attributes, x, [begin, end, strides]).of(x)
    values = to.op("Reshape", to.op("Expand", value, to.shape(own)), [-1])
    flat = to.op("ScatterElements", to.op("Reshape", x, [-1]), places, values, axis=0)
    return to.op("Reshape", flat, sizes)


def part_of_size(to: Graph, attributes: Attributes, x: Any, begin: Any, size: Any) -> Value:
    """A part from a place on, of these sizes; -1 is all that is left."""
    begin, size = to.vector(begin), to.vector(size)
    ends = to.op("Add", begin, size)
    ends = to.where(to.op("Equal", size, -1), END, ends)
    axes = [*range(x.rank)]
    result = to.op("Slice", x, begin, ends, axes, [1] * len(axes)) if axes else x
    if size.sizes is not None or size.array is not None:
        known = size.array if size.sizes is None else size.sizes
        result.shape = tuple([None if part == -1 else part for part in known.tolist()])
    return result


# Picked elements


def gather(to: Graph, attributes: Attributes, x: Any, indices: Any, axis: Any = None) -> Value:
    """Slices by their numbers."""
    place = 0 if axis is None else int(axis.constant("an axis")) % x.rank
    batch = attributes.get("batch_dims", 0)
    if not batch:
        return to.op("Gather", x, indices, axis=place)
    batch = batch % indices.rank
    order = [*range(batch), place, *[other for other in range(batch, x.rank) if other != place]]
    column = to.unsqueeze(to.whole(indices), [-1])
    picked = to.op("GatherND", to.turn(x, order), column, batch_dims=batch)
    # Then: batch axes, axes of the indices, axes between batch and place, axes after place.
    inner, between = indices.rank - batch, place - batch
    total = x.rank + indices.rank - batch - 1
    back = [
        *range(batch), *range(batch + inner, batch + inner + between),
        *range(batch, batch + inner), *range(batch + inner + between, total),
    ]  # fmt: skip
    if picked.shape is None:
        picked.shape = (None,) * total
    return to.turn(picked, back)


def gather_nd(to: Graph, attributes: Attributes, x: Any, indices: Any) -> Value:
    """Slices by vectors of indices."""
    return to.op("GatherND", x, to.whole(indices), batch_dims=attributes.get("batch_dims", 0))


def scatter_nd(to: Graph, attributes: Attributes, indices: Any, updates: Any, sizes: Any) -> Value:
    """Zeros, to which slices are added."""
    zeros = to.op("Expand", to.like(0, updates), to.vector(sizes))
    return to.op("ScatterND", zeros, to.whole(indices), updates, reduction="add")


def scattered(reduction: str, negative: bool = False) -> Row:
    """A tensor with slices that are put in, or combined with it."""

    def write(to: Graph, attributes: Attributes, x: Any, indices: Any, updates: Any) -> Value:
        updates = to.op("Neg", updates) if negative else updates
        kind = None if reduction == "none" else reduction
        if updates.rank < x.rank:
            tail = to.op("Slice", to.shape(x), to.size(indices, -1), [END], [0], [1])
            head = to.op("Slice", to.shape(indices), [0], [-1], [0], [1])
            updates = to.op("Expand", updates, to.joined(head, tail))
        return to.op("ScatterND", x, to.whole(indices), updates, reduction=kind)

    return write


def one_hot(
    to: Graph, attributes: Attributes, indices: Any, depth: Any, on: Any, off: Any
) -> Value:
    """One value at the index along a new axis, another value elsewhere."""
    own = to.whole(indices)
    axis = attributes.get("axis", -1) % (own.rank + 1)
    depth = to.whole(depth)
    every = to.op("Range", to.like(0, depth), depth, to.like(1, depth))
    every = to.unsqueeze(every, [*range(1, own.rank + 1 - axis)])
    return to.where(to.op("Equal", to.unsqueeze(own, [axis]), every), on, off)


def where_true(to: Graph, attributes: Attributes, x: Any) -> Value:
    """The indices of elements that are not zero."""
    return to.turn(to.op("NonZero", x), [1, 0])


def unique(to: Graph, attributes: Attributes, x: Any, axis: Any = None) -> list[Value]:
    """The different elements in the order of the first ones, where each one is, and how many there are."""
    along: Any = None
    if axis is not None and axis.constant("an axis").size:
        along = int(axis.array.ravel()[0])
    inner = None if x.shape is None else (None,) * x.rank
    results: list[Any] = [(x.dtype, (None,) if along is None else inner)]
    results += [(dtypes.int64, (None,))] * 3
    own, _, places, counts = to.node("Unique", [x], results, axis=along, sorted=0)
    kind = attributes.get("out_idx", dtypes.int32)
    return [own, to.cast(places, kind), to.cast(counts, kind)]


def partition(to: Graph, attributes: Attributes, data: Any, partitions: Any) -> list[Value]:
    """The rows of each number, in parts."""
    flat = to.op("Reshape", data, to.joined(
        -1, to.op("Slice", to.shape(data), [partitions.rank], [END], [0], [1])
    ))  # fmt: skip
    numbers = to.op("Reshape", partitions, [-1])
    return [
        to.op(
            "Gather", flat, to.squeeze(to.op("NonZero", to.op("Equal", numbers, part)), [0]), axis=0
        )
        for part in range(attributes["num_partitions"])
    ]


def stitch(to: Graph, attributes: Attributes, indices: list[Any], data: list[Any]) -> Value:
    """Rows of several tensors, each at its index."""
    places = to.op("Concat", *[to.op("Reshape", to.whole(own), [-1]) for own in indices], axis=0)
    rest = to.op("Slice", to.shape(data[0]), [indices[0].rank], [END], [0], [1])
    rows = [to.op("Reshape", own, to.joined(-1, rest)) for own in data]
    last = to.op("ReduceMax", places, [0], keepdims=1)
    zeros = to.op("Expand", to.like(0, data[0]), to.joined(to.op("Add", last, 1), rest))
    return to.op("ScatterND", zeros, to.unsqueeze(places, [-1]), to.op("Concat", *rows, axis=0))


def inverse_order(to: Graph, attributes: Attributes, x: Any) -> Value:
    """The order that undoes an order."""
    size = to.squeeze(to.shape(x), [0])
    every = to.op("Range", to.like(0, size), size, to.like(1, size))
    every = to.cast(every, x.dtype)
    return to.op("ScatterElements", every, to.whole(x), every, axis=0)


def bounds(relation: str) -> Row:
    """How many elements of an order come before each value."""

    def write(to: Graph, attributes: Attributes, ordered: Any, values: Any) -> Value:
        before = to.op(relation, to.unsqueeze(ordered, [-2]), to.unsqueeze(values, [-1]))
        kind = attributes.get("out_type", dtypes.int32)
        return to.op("ReduceSum", to.cast(before, kind), [-1], keepdims=0)

    return write


def bucketize(to: Graph, attributes: Attributes, x: Any) -> Value:
    """How many boundaries each number has reached."""
    limits = to.constant(np.array(attributes["boundaries"], np.float32))
    own = to.unsqueeze(to.cast(x, dtypes.float32), [-1])
    reached = to.cast(to.op("GreaterOrEqual", own, limits), dtypes.int32)
    return to.op("ReduceSum", reached, [-1], keepdims=0)


def bins(to: Graph, attributes: Attributes, values: Any, size: Any, weights: Any) -> Value:
    """How often each number occurs in a vector, or in each row of a matrix; or the sum of its weights."""
    size = to.op("Reshape", to.whole(size), to.constant(np.zeros([0], np.int64)))
    every = to.op("Range", to.like(0, size), size, to.like(1, size))
    hits = to.op("Equal", to.unsqueeze(to.whole(values), [-1]), every)
    counts = to.cast(hits, weights.dtype)
    if attributes.get("binary_output", False):
        return to.op("ReduceMax", counts, [-2], keepdims=0)
    if weights.shape != (0,):
        if weights.shape is None or 0 in weights.shape or None in weights.shape[:1]:
            raise NoWay("weights that may be missing")
        counts = to.op("Mul", counts, to.unsqueeze(weights, [-1]))
    return to.op("ReduceSum", counts, [-2], keepdims=0)


# Segments


def _least(dtype: Any) -> Any:
    return -np.inf if dtype.is_floating else dtype.min


def _most(dtype: Any) -> Any:
    return np.inf if dtype.is_floating else dtype.max


def unsorted_segments(reduction: str, start: Callable[[Any], Any]) -> Row:
    """The rows of each number combined. A negative number drops its row: it goes to one row more."""

    def write(to: Graph, attributes: Attributes, data: Any, ids: Any, number: Any) -> Value:
        number = to.vector(number)
        own = to.whole(ids)
        own = to.where(to.op("Less", own, 0), to.squeeze(number, [0]), own)
        rest = to.op("Slice", to.shape(data), [ids.rank], [END], [0], [1])
        sizes = to.joined(to.op("Add", number, 1), rest)
        first = to.op("Expand", to.like(start(data.dtype), data), sizes)
        column = to.unsqueeze(own, [-1])
        rows = to.op("ScatterND", first, column, data, reduction=reduction)
        return to.op("Slice", rows, [0], number, [0], [1])

    return write


def segments(reduction: str, start: Callable[[Any], Any], mean: int = 0) -> Row:
    """The rows of each segment combined; 0 for one that has none, if it has no start of its own."""

    def write(to: Graph, attributes: Attributes, data: Any, ids: Any) -> Value:
        last = to.op("ReduceMax", to.whole(ids), keepdims=0)
        number = to.op("Add", last, 1)
        combined: Value = unsorted_segments(reduction, start)(to, {}, data, ids, number)
        if not mean and start(data.dtype) in (0, 1):
            return combined
        ones = to.op("Expand", to.constant(np.array(1, np.int64)), to.shape(ids))
        counts = unsorted_segments("add", lambda dtype: 0)(to, {}, ones, ids, number)
        counts = to.unsqueeze(counts, [*range(1, data.rank)])
        if mean:
            divisor = to.cast(to.op("Max", counts, 1), data.dtype)
            divisor = to.op("Sqrt", divisor) if mean == 2 else divisor
            return to.op("Div", combined, divisor)
        return to.where(to.op("Equal", counts, 0), to.like(0, data), combined)

    return write


def sparse_segments(row: Row) -> Row:
    """The same of rows that are picked by their numbers."""

    def write(to: Graph, attributes: Attributes, data: Any, indices: Any, ids: Any) -> Any:
        return row(to, attributes, to.op("Gather", data, indices, axis=0), ids)

    return write


# Diagonals


def _offset(k: Value) -> int:
    numbers = np.ravel(k.constant("a diagonal")).tolist()
    if len(set(numbers)) != 1:
        raise NoWay("several diagonals")
    return int(numbers[0])


def _places(to: Graph, size: Value, axes: list[int]) -> Value:
    """The numbers below a size, with more axes."""
    scalar = to.squeeze(size, [0])
    every = to.op("Range", to.like(0, scalar), scalar, to.like(1, scalar))
    return to.unsqueeze(every, axes)


def _on_diagonal(to: Graph, rows: Value, columns: Value, k: int) -> Value:
    """Whether a place is on the diagonal."""
    difference = to.op("Sub", _places(to, columns, [0]), _places(to, rows, [1]))
    return to.op("Equal", difference, k)


def diagonal_matrix(
    to: Graph, attributes: Attributes, diagonal: Any, k: Any, rows: Any, columns: Any, rest: Any
) -> Value:
    """Matrices with these diagonals."""
    if rows.constant("a size") != -1 or columns.constant("a size") != -1:
        raise NoWay("a number of rows or columns")
    return _with_diagonal(to, diagonal, _offset(k), rest)


def _with_diagonal(to: Graph, diagonal: Value, offset: int, rest: Any) -> Value:
    size = to.op("Add", to.size(diagonal, -1), abs(offset))
    padded = _padded_last(to, diagonal, max(-offset, 0), to.constant(np.array([max(offset, 0)])))
    return to.where(_on_diagonal(to, size, size, offset), to.unsqueeze(padded, [-1]), rest)


def _padded_last(to: Graph, value: Value, before: int, after: Value) -> Value:
    """The last axis with more elements before and after."""
    outer = [0] * (value.rank - 1)
    pads = to.joined(*outer, before, *outer, after)
    if value.dtype is dtypes.bool:
        return to.cast(to.op("Pad", to.cast(value, dtypes.int32), pads), dtypes.bool)
    return to.op("Pad", value, pads)


def square_with_diagonal(to: Graph, attributes: Attributes, diagonal: Any) -> Value:
    """A matrix with this diagonal."""
    if diagonal.rank != 1:
        raise NoWay("a diagonal of several axes")
    return _with_diagonal(to, diagonal, 0, to.like(0, diagonal))


def diagonal_of(
    to: Graph, attributes: Attributes, x: Any, k: Any = None, padding: Any = None
) -> Value:
    """The diagonals of matrices."""
    if k is None and x.rank != 2:
        raise NoWay("a diagonal of several axes")
    offset = 0 if k is None else _offset(k)
    rows, columns = to.size(x, -2), to.size(x, -1)
    below, right = max(-offset, 0), max(offset, 0)
    length = to.op("Min", to.op("Sub", rows, below), to.op("Sub", columns, right))
    places = _places(to, length, [])
    flat_places = to.op("Mul", to.op("Add", places, below), columns)
    flat_places = to.op("Add", flat_places, to.op("Add", places, right))
    outer = to.op("Slice", to.shape(x), [0], [-2], [0], [1])
    flat = to.reshape(x, outer, -1) if x.rank > 2 else to.op("Reshape", x, [-1])
    return to.op("Gather", flat, flat_places, axis=x.rank - 2)


def set_diagonal(to: Graph, attributes: Attributes, x: Any, diagonal: Any, k: Any) -> Value:
    """Matrices with other diagonals."""
    offset = _offset(k)
    rows, columns = to.size(x, -2), to.size(x, -1)
    before = max(-offset, 0)
    after = to.op("Sub", rows, to.op("Add", to.size(diagonal, -1), before))
    padded = to.unsqueeze(_padded_last(to, diagonal, before, after), [-1])
    return to.where(_on_diagonal(to, rows, columns, offset), padded, x)


def band(to: Graph, attributes: Attributes, x: Any, lower: Any, upper: Any) -> Value:
    """Matrices with zeros outside of a band around the diagonal."""
    rows, columns = to.size(x, -2), to.size(x, -1)
    below = to.op("Sub", _places(to, rows, [1]), _places(to, columns, [0]))
    inside: Any = None
    for limit, distance in ((lower, below), (upper, to.op("Neg", below))):
        number = to.whole(limit)
        fits = to.op("LessOrEqual", distance, number)
        fits = to.op("Or", fits, to.op("Less", number, 0))
        inside = fits if inside is None else to.op("And", inside, fits)
    return to.where(inside, x, to.like(0, x))


# Blocks


def depth_to_space(to: Graph, attributes: Attributes, x: Any) -> Value:
    """Channels as blocks of places."""
    return _blocks(to, "DepthToSpace", attributes, x)


def space_to_depth(to: Graph, attributes: Attributes, x: Any) -> Value:
    """Blocks of places as channels."""
    return _blocks(to, "SpaceToDepth", attributes, x)


def _blocks(to: Graph, op: str, attributes: Attributes, x: Value) -> Value:
    block = attributes["block_size"]
    if attributes.get("data_format", "NHWC") == "NCHW":
        return to.op(op, x, blocksize=block)
    result = to.op(op, to.turn(x, [0, 3, 1, 2]), blocksize=block)
    return to.turn(result, [0, 2, 3, 1])


def space_to_batch(to: Graph, attributes: Attributes, x: Any, block: Any, pads: Any) -> Value:
    """Places of blocks as items of the batch."""
    sizes = block.constant("a block").tolist()
    pairs = pads.constant("a padding")
    count, rank = len(sizes), x.rank
    whole = np.zeros((rank, 2), np.int64)
    whole[1 : count + 1] = pairs
    x = to.op("Pad", x, whole.T.ravel().tolist())
    parts: list[Any] = [to.size(x, 0)]
    for axis, size in enumerate(sizes):
        parts += [_divided(to, to.size(x, axis + 1), size), size]
    rest = [to.size(x, axis) for axis in range(count + 1, rank)]
    cut = to.reshape(x, *parts, *rest)
    inner, outer = (
        [2 * place + 2 for place in range(count)],
        [2 * place + 1 for place in range(count)],
    )
    tail = [*range(2 * count + 1, rank + count)]
    turned = to.turn(cut, [*inner, 0, *outer, *tail])
    first = to.op("Mul", parts[0], int(np.prod(sizes)))
    return to.reshape(turned, first, *parts[1::2], *rest)


def batch_to_space(to: Graph, attributes: Attributes, x: Any, block: Any, crops: Any) -> Value:
    """Items of the batch as places of blocks."""
    sizes = block.constant("a block").tolist()
    pairs = crops.constant("a crop").tolist()
    count, rank = len(sizes), x.rank
    batch = _divided(to, to.size(x, 0), int(np.prod(sizes)))
    own = [to.size(x, axis) for axis in range(1, rank)]
    cut = to.reshape(x, *sizes, batch, *own)
    order = [count]
    for place in range(count):
        order += [count + 1 + place, place]
    turned = to.turn(cut, [*order, *range(2 * count + 1, rank + count)])
    joined = [to.op("Mul", own[place], sizes[place]) for place in range(count)]
    result = to.reshape(turned, batch, *joined, *own[count:])
    starts = [pair[0] for pair in pairs]
    ends = [-pair[1] if pair[1] else END for pair in pairs]
    if not any(starts) and all(end == END for end in ends):
        return result
    return to.op("Slice", result, starts, ends, [*range(1, count + 1)], [1] * count)


def _divided(to: Graph, size: Value, by: int) -> Value:
    if size.array is not None:
        return to.constant(size.array // by)
    return to.op("Div", size, by)


ZERO: Callable[[Any], Any] = lambda dtype: 0
ONE: Callable[[Any], Any] = lambda dtype: 1

OPS: dict[str, Row] = {
    "BatchToSpaceND": batch_to_space,
    "Bincount": bins,
    "BroadcastTo": broadcast_to,
    "Bucketize": bucketize,
    "ConcatV2": concat,
    "DenseBincount": bins,
    "DepthToSpace": depth_to_space,
    "Diag": square_with_diagonal,
    "DiagPart": diagonal_of,
    "DynamicPartition": partition,
    "DynamicStitch": stitch,
    "ExpandDims": expand_dims,
    "Fill": fill,
    "Gather": gather,
    "GatherNd": gather_nd,
    "GatherV2": gather,
    "InvertPermutation": inverse_order,
    "LinSpace": even_numbers,
    "LowerBound": bounds("Less"),
    "MatrixBandPart": band,
    "MatrixDiagPartV3": diagonal_of,
    "MatrixDiagV3": diagonal_matrix,
    "MatrixSetDiagV3": set_diagonal,
    "MirrorPad": pad("reflect"),
    "OneHot": one_hot,
    "OnesLike": filled_like(1),
    "Pack": pack,
    "Pad": pad("constant"),
    "PadV2": pad("constant"),
    "Range": numbers,
    "Rank": rank,
    "Reshape": reshape,
    "ReverseSequence": reverse_sequence,
    "ReverseV2": reverse,
    "Roll": roll,
    "ScatterNd": scatter_nd,
    "SegmentMax": segments("max", _least),
    "SegmentMean": segments("add", ZERO, mean=1),
    "SegmentMin": segments("min", _most),
    "SegmentProd": segments("mul", ONE),
    "SegmentSum": segments("add", ZERO),
    "Shape": shape,
    "ShapeN": shapes,
    "Size": count,
    "Slice": part_of_size,
    "SpaceToBatchND": space_to_batch,
    "SpaceToDepth": space_to_depth,
    "SparseSegmentMean": sparse_segments(segments("add", ZERO, mean=1)),
    "SparseSegmentSqrtN": sparse_segments(segments("add", ZERO, mean=2)),
    "SparseSegmentSum": sparse_segments(segments("add", ZERO)),
    "Split": split,
    "SplitV": split_by,
    "Squeeze": squeeze,
    "StridedSlice": strided_slice,
    "StridedSliceGrad": strided_slice_gradient,
    "TensorScatterAdd": scattered("add"),
    "TensorScatterMax": scattered("max"),
    "TensorScatterMin": scattered("min"),
    "TensorScatterSub": scattered("add", negative=True),
    "TensorScatterUpdate": scattered("none"),
    "TensorStridedSliceUpdate": strided_slice_update,
    "Tile": tile,
    "Transpose": transpose,
    "Unique": unique,
    "UniqueV2": unique,
    "UniqueWithCounts": unique,
    "UniqueWithCountsV2": unique,
    "Unpack": unpack,
    "UnsortedSegmentMax": unsorted_segments("max", lambda dtype: dtype.min),
    "UnsortedSegmentMin": unsorted_segments("min", lambda dtype: dtype.max),
    "UnsortedSegmentProd": unsorted_segments("mul", ONE),
    "UnsortedSegmentSum": unsorted_segments("add", ZERO),
    "UpperBound": bounds("LessOrEqual"),
    "Where": where_true,
    "ZerosLike": filled_like(0),
}
"""Op of TensorFlow's -> what writes a node of it."""
