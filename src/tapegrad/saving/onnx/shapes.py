"""Dtypes, shapes and known sizes of the results of ONNX's ops: `result_of` and `known_elements`.

A shape has a number, a name or None for each axis, or is None where not even the rank is known. The elements
of a small tensor of integers, as of a shape, are known in part in the same way.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad import dtypes

Shape = tuple[Any, ...] | None
LARGEST_KNOWN = 64  # elements that are followed


def broadcast(*shapes: Shape) -> Shape:
    """The shape of an elementwise result."""
    if any(shape is None for shape in shapes):
        return None
    known = [shape for shape in shapes if shape is not None]
    rank = max(map(len, known), default=0)
    result: list[Any] = []
    for axis in range(-rank, 0):
        sizes = {shape[axis] for shape in known if len(shape) >= -axis} - {1}
        numbers = [size for size in sizes if isinstance(size, int)]
        if numbers:
            result.append(numbers[0])
        elif len(sizes) > 1:
            result.append(None)
        else:
            result.append(sizes.pop() if sizes else 1)
    return tuple(result)


def _elementwise(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    return broadcast(*[value.shape for value in inputs])


def _first(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    shape: Shape = inputs[0].shape
    return shape


def _any_sizes(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    """The rank of the first input."""
    return None if inputs[0].shape is None else (None,) * len(inputs[0].shape)


def _numbers(value: Any) -> list[int] | None:
    """The elements of a constant."""
    return None if value is None or value.array is None else np.ravel(value.array).tolist()


def _reduced(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    shape = inputs[0].shape
    if shape is None:
        return None
    keep = attributes.get("keepdims", 1)
    axes: Any = [*range(len(shape))]
    if len(inputs) > 1 and inputs[1] is not None:
        axes = _numbers(inputs[1])
        if axes is None:
            return (None,) * len(shape) if keep else None
        axes = [axis % len(shape) for axis in axes] if shape else []
        if not axes and not attributes.get("noop_with_empty_axes"):
            axes = [*range(len(shape))]
    if keep:
        return tuple([1 if axis in axes else size for axis, size in enumerate(shape)])
    return tuple([size for axis, size in enumerate(shape) if axis not in axes])


def _arg(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    shape = inputs[0].shape
    if shape is None:
        return None
    axis = attributes["axis"] % len(shape)
    return (*shape[:axis], *shape[axis + 1 :])


def _matmul(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    x, y = inputs[0].shape, inputs[1].shape
    if x is None or y is None or len(x) < 2 or len(y) < 2:
        return None
    outer = broadcast(x[:-2], y[:-2])
    return None if outer is None else (*outer, x[-2], y[-1])


def _conv(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    x, w = inputs[0].shape, inputs[1].shape
    if x is None or w is None:
        return None
    return (x[0], w[0], *_windows(x[2:], w[2:], attributes))


def _pool(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    x = inputs[0].shape
    if x is None:
        return None
    return (*x[:2], *_windows(x[2:], attributes["kernel_shape"], attributes))


def _windows(sizes: Any, kernel: Any, attributes: dict[str, Any]) -> list[Any]:
    """How many windows there are along each axis."""
    count = len(sizes)
    strides = attributes.get("strides", [1] * count)
    dilations = attributes.get("dilations", [1] * count)
    pads = attributes.get("pads", [0] * 2 * count)
    result: list[Any] = []
    for axis, size in enumerate(sizes):
        width, step = kernel[axis], strides[axis]
        if not isinstance(size, int) or not isinstance(width, int):
            result.append(None)
        elif attributes.get("auto_pad", "NOTSET").startswith("SAME"):
            result.append(-(-size // step))
        else:
            reach = (width - 1) * dilations[axis] + 1
            result.append((size + pads[axis] + pads[axis + count] - reach) // step + 1)
    return result


def _conv_transposed(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    x, w = inputs[0].shape, inputs[1].shape
    return None if x is None or w is None else (x[0], w[1], *[None] * (len(x) - 2))


def _resized(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    return _of_elements(inputs[3])


def _transposed(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    shape = inputs[0].shape
    return None if shape is None else tuple([shape[axis] for axis in attributes["perm"]])


def _concat(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    known = [value.shape for value in inputs]
    if any(shape is None for shape in known):
        return None
    axis = attributes["axis"] % len(known[0])
    joined = [shape[axis] for shape in known]
    total = sum(joined) if all(isinstance(size, int) for size in joined) else None
    result = [_one_of([shape[place] for shape in known]) for place in range(len(known[0]))]
    result[axis] = joined[0] if len(joined) == 1 else total
    return tuple(result)


def _one_of(sizes: list[Any]) -> Any:
    """The size that several have to be: a number where one is known."""
    numbers = [size for size in sizes if isinstance(size, int)]
    return numbers[0] if numbers else sizes[0]


def _gather(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    x, places = inputs[0].shape, inputs[1].shape
    if x is None or places is None:
        return None
    axis = attributes.get("axis", 0) % len(x)
    return (*x[:axis], *places, *x[axis + 1 :])


def _gather_nd(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    x, places = inputs[0].shape, inputs[1].shape
    if x is None or places is None or not isinstance(places[-1], int):
        return None
    return (*places[:-1], *x[attributes.get("batch_dims", 0) + places[-1] :])


def _second(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    shape: Shape = inputs[1].shape
    return shape


def _of_elements(value: Any) -> Shape:
    """The shape that a vector of sizes says."""
    elements = known_elements_of(value)
    if elements is not None:
        return tuple(elements.tolist())
    if value.shape is not None and isinstance(value.shape[0], int):
        return (None,) * value.shape[0]
    return None


def _reshaped(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    shape = _of_elements(inputs[1])
    if shape is None or -1 not in shape:
        return shape
    before = inputs[0].shape
    rest = [size for size in shape if size != -1]
    size: Any = None
    if before is not None and all(isinstance(part, int) for part in (*before, *rest)):
        size = math.prod(before) // max(math.prod(rest), 1)
    elif before is not None:
        # Equal sizes cancel: (batch, 4, 5) as [-1, 20] has the first size of before.
        left = [part for part in before if not isinstance(part, int)]
        right = [part for part in rest if not isinstance(part, int)]
        numbers = [math.prod([p for p in part if isinstance(p, int)]) for part in (before, rest)]
        for part in right:
            if part in left:
                left.remove(part)
        if len(left) == 1 and numbers[0] == numbers[1] and None not in right:
            size = left[0]
    return tuple([size if part == -1 else part for part in shape])


def _expanded(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    return broadcast(inputs[0].shape, _of_elements(inputs[1]))


def _unsqueezed(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    shape, axes = inputs[0].shape, _numbers(inputs[1])
    if shape is None or axes is None:
        return None
    rank = len(shape) + len(axes)
    places = {axis % rank for axis in axes}
    rest = iter(shape)
    return tuple([1 if axis in places else next(rest) for axis in range(rank)])


def _squeezed(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    shape, axes = inputs[0].shape, _numbers(inputs[1])
    if shape is None or axes is None:
        return None
    places = {axis % len(shape) for axis in axes}
    return tuple([size for axis, size in enumerate(shape) if axis not in places])


def _sliced(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    shape = inputs[0].shape
    if shape is None:
        return None
    starts, ends, axes, steps = [_numbers(value) for value in inputs[1:]]
    if axes is None:
        return (None,) * len(shape)
    result = list(shape)
    for number, axis in enumerate(axes):
        size = shape[axis]
        result[axis] = None
        if starts is not None and ends is not None and steps is not None:
            start, end, step = starts[number], ends[number], steps[number]
            if start == 0 and end >= np.iinfo(np.int32).max and step == 1:
                result[axis] = size
            elif isinstance(size, int):
                result[axis] = len(range(*slice(start, end, step).indices(size)))
    return tuple(result)


def _shape_of_shape(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    return (None if inputs[0].shape is None else len(inputs[0].shape),)


def _scalar(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    return ()


def _vector(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    return (None,)


def _one_hot(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    shape, depth = inputs[0].shape, _numbers(inputs[1])
    if shape is None:
        return None
    axis = attributes["axis"] % (len(shape) + 1)
    return (*shape[:axis], None if depth is None else depth[0], *shape[axis:])


def _where_true(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    return (None if inputs[0].shape is None else len(inputs[0].shape), None)


def _einsum(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    terms, _, result = attributes["equation"].partition("->")
    if "..." in result:
        return None
    sizes: dict[str, Any] = {}
    for term, value in zip(terms.split(","), inputs, strict=True):
        if value.shape is not None and "..." not in term:
            sizes.update(zip(term, value.shape, strict=True))
    return tuple([sizes.get(letter) for letter in result])


def _tiled(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    shape, times = inputs[0].shape, _numbers(inputs[1])
    if shape is None or times is None:
        return _any_sizes(inputs, attributes)
    return tuple([
        size if count == 1 else size * count if isinstance(size, int) else None
        for size, count in zip(shape, times, strict=True)
    ])  # fmt: skip


def _padded(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    shape, pads = inputs[0].shape, _numbers(inputs[1])
    if shape is None or pads is None:
        return _any_sizes(inputs, attributes)
    rank = len(shape)
    more = [pads[axis] + pads[axis + rank] for axis in range(rank)]
    return tuple([
        size if not added else size + added if isinstance(size, int) else None
        for size, added in zip(shape, more, strict=True)
    ])  # fmt: skip


def _without_last(inputs: list[Any], attributes: dict[str, Any]) -> Shape:
    return None if inputs[0].shape is None else inputs[0].shape[:-2]


def _named(names: str, rule: Callable[..., Shape]) -> dict[str, Callable[..., Shape]]:
    return dict.fromkeys(names.split(), rule)


SHAPES: dict[str, Callable[[list[Any], dict[str, Any]], Shape]] = {
    **_named(
        "Add Sub Mul Div Pow Mod Max Min And Or Xor Equal Less LessOrEqual Greater GreaterOrEqual "
        "Where BitShift BitwiseAnd BitwiseOr BitwiseXor",
        _elementwise,
    ),
    **_named(
        "ReduceSum ReduceMean ReduceMax ReduceMin ReduceProd",
        _reduced,
    ),
    **_named("ArgMax ArgMin", _arg),
    **_named("GatherElements", _second),
    **_named("Range NonZero Unique", _vector),
    **_named("Size", _scalar),
    **_named("DepthToSpace SpaceToDepth TopK", _any_sizes),
    **_named("AveragePool MaxPool", _pool),
    "Concat": _concat,
    "Conv": _conv,
    "ConvTranspose": _conv_transposed,
    "Det": _without_last,
    "Einsum": _einsum,
    "Expand": _expanded,
    "Gather": _gather,
    "GatherND": _gather_nd,
    "MatMul": _matmul,
    "NonZero": _where_true,
    "OneHot": _one_hot,
    "Pad": _padded,
    "Reshape": _reshaped,
    "Resize": _resized,
    "Shape": _shape_of_shape,
    "Slice": _sliced,
    "Squeeze": _squeezed,
    "Tile": _tiled,
    "Transpose": _transposed,
    "Unsqueeze": _unsqueezed,
}
"""Op -> its rule. Results of other ops have the shape of the first input."""

BOOLEANS = frozenset("Equal Less LessOrEqual Greater GreaterOrEqual Not And Or IsNaN IsInf".split())
PLACES = frozenset("Shape Size ArgMax ArgMin NonZero".split())


def result_of(op: str, inputs: list[Any], attributes: dict[str, Any]) -> tuple[Any, Shape]:
    """The dtype and the shape of the first result of an op of ONNX's."""
    shape = SHAPES.get(op, _first)(inputs, attributes)
    if op in BOOLEANS:
        return dtypes.bool, shape
    if op in PLACES:
        return dtypes.int64, shape
    if op == "OneHot":
        return inputs[2].dtype, shape
    return inputs[1 if op == "Where" else 0].dtype, shape


# Known sizes


def known_elements_of(value: Any) -> Any:
    """The elements of a small tensor of integers, each a number, a name or None; None if none is known."""
    if value.sizes is not None:
        return value.sizes
    array = value.array
    if array is not None and array.dtype.kind in "iu" and array.ndim < 2:
        return array.astype(object) if array.size <= LARGEST_KNOWN else None
    return None


def _elements(value: Any) -> Any:
    """The known elements of a small tensor of integers; if nothing is known of it, None for each."""
    known = known_elements_of(value)
    if known is not None or value.array is not None or not value.dtype.is_integer:
        return known
    sizes = (None,) if value.shape is None else value.shape
    small = len(sizes) < 2 and all(
        isinstance(size, int) and size <= LARGEST_KNOWN for size in sizes
    )
    return np.full(sizes, None, object) if small else None


def _of_numbers(function: Callable[[int, int], int]) -> Callable[..., Any]:
    def combine(x: Any, y: Any) -> Any:
        both = isinstance(x, int) and isinstance(y, int)
        return function(x, y) if both else None

    return lambda inputs, attributes: np.frompyfunc(combine, 2, 1)(*inputs)


def _times(x: Any, y: Any) -> Any:
    if isinstance(x, int) and isinstance(y, int):
        return x * y
    return y if x == 1 else x if y == 1 else None


def _plus(x: Any, y: Any) -> Any:
    if isinstance(x, int) and isinstance(y, int):
        return x + y
    return y if x == 0 else x if y == 0 else None


def _slice_of(inputs: list[Any], attributes: dict[str, Any]) -> Any:
    x, starts, ends, _, steps = [np.asarray(part) for part in inputs]
    return x[slice(int(starts[0]), int(ends[0]), int(steps[0]))]


KNOWN: dict[str, Callable[[list[Any], dict[str, Any]], Any]] = {
    "Add": lambda inputs, attributes: np.frompyfunc(_plus, 2, 1)(*inputs),
    "Concat": lambda inputs, attributes: np.concatenate(inputs),
    "Gather": lambda inputs, attributes: inputs[0][inputs[1].astype(int)],
    "Identity": lambda inputs, attributes: inputs[0],
    "Max": _of_numbers(max),
    "Min": _of_numbers(min),
    "Mul": lambda inputs, attributes: np.frompyfunc(_times, 2, 1)(*inputs),
    "Reshape": lambda inputs, attributes: inputs[0].reshape(inputs[1].astype(int)),
    "Slice": _slice_of,
    "Squeeze": lambda inputs, attributes: inputs[0].reshape(()),
    "Sub": _of_numbers(lambda x, y: x - y),
    "Unsqueeze": lambda inputs, attributes: inputs[0].reshape([1]),
}
"""Op -> the elements of its result, of those of its inputs: scalars and vectors."""


def known_elements(op: str, inputs: list[Any], attributes: dict[str, Any]) -> Any:
    """The elements of the result of an op on sizes, as far as they are known; None if nothing is."""
    if op == "Shape":
        shape = inputs[0].shape
        return None if shape is None else np.array([*shape, None], object)[:-1]
    if op == "Cast" and attributes["to"] in _WHOLE:
        return known_elements_of(inputs[0])
    if op not in KNOWN or any(value is None for value in inputs):
        return None
    elements = [_elements(value) for value in inputs]
    if any(part is None for part in elements):
        return None
    try:
        result = np.asarray(KNOWN[op](elements, attributes), object)
    except (IndexError, TypeError, ValueError):
        return None
    return result if result.ndim < 2 and result.size <= LARGEST_KNOWN else None


_WHOLE = frozenset([6, 7])  # int32, int64
