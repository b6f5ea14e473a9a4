"""Stand-ins for the arguments of a function that is saved."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tapegrad.functions.components import Part

LARGEST = 1 << 22  # elements of a stand-in
LARGE = 1 << 19  # elements from which on a few items are enough

_SIZES = (
    # For both runs the first size, and what each further unknown axis adds.
    ((3, 2), (7, 3)),
    ((32, 64), (96, 32)),
    ((1200, 0), (1700, 0)),  # of the last unknown axis of a spec, as of sound
    ((5, 1), (7, 4)),  # with an axis that is a multiple of a size
    ((3, 1), (2, 3)),  # with axes that are large, as of pictures
)
_LONG, _MULTIPLE, _FEW = 2, 3, 4
_OFTEN = (2, 3, 4)  # sizes that functions ask for: of points, of colours, of boxes
_FILLS = ("numbers", "zeros", "ones")


class Choice(NamedTuple):
    """Stand-ins by their shapes: one for each spec in each of two runs."""

    specs: list[Any]
    shapes: list[list[tuple[int, ...]]]
    fill: str
    is_large: bool = False

    def arrays(self) -> list[list[np.ndarray[Any, Any]]]:
        """An array for each spec in each run. Large ones take time, and most choices are never tried."""
        return [
            [
                stand_in(spec, shape, self.fill, run, number)
                for number, (spec, shape) in enumerate(zip(self.specs, run_shapes, strict=True))
            ]
            for run, run_shapes in enumerate(self.shapes)
        ]


def stand_ins(specs: list[Any]) -> Iterator[Choice]:
    """Choices of stand-ins, the best first."""
    unknown = any(not spec.shape.is_fully_defined() for spec in specs)
    any_rank = any(spec.shape.rank is None for spec in specs)
    ranks = ((1, 2), (2, 2), (3, 3), (4, 4), (1, 1)) if any_rank else ((0, 0),)
    spreads = ("each", "axis", "one") if unknown else ("each",)
    scales = (0, 1, _LONG) if unknown else (0,)
    for fill, rank, spread, scale in itertools.product(_FILLS, ranks, spreads, scales):
        if scale and sum(spec.shape.rank or 0 for spec in specs) > 40:
            continue
        shapes = _shapes(specs, spread, _SIZES[scale], rank, scale == _LONG)
        largest = max(
            (math.prod(shape) for run_shapes in shapes for shape in run_shapes), default=0
        )
        if scale and largest > LARGEST:
            continue
        if not scale and largest > LARGE:
            shapes = _shapes(specs, spread, _SIZES[_FEW], rank, False)
        yield Choice(specs, shapes, fill, scale > 0)


def _shapes(
    specs: list[Any], spread: str, sizes: Any, rank: tuple[int, int], long: bool
) -> list[list[tuple[int, ...]]]:
    """The shape of each stand-in in each run."""
    return [
        [_shape(specs, number, spread, sizes[run], rank[run], long) for number in range(len(specs))]
        for run in range(2)
    ]


def multiples(specs: list[Any], needed: Iterable[int]) -> Iterator[Choice]:
    """Stand-ins in which one unknown axis is a size, or a multiple of it, as a reshape may need it."""
    unknown = [
        (number, axis)
        for number, spec in enumerate(specs)
        if not isinstance(spec, Part) and spec.shape.rank is not None
        for axis, size in enumerate(spec.shape.as_list())
        if size is None
    ]
    needed_sizes = sorted({*needed, *_OFTEN} - {0, 1})
    choices: list[Any] = [
        functools.partial(_with_multiple, specs, size, axis_place, grows)
        for grows, size, axis_place in itertools.product((1, 0), needed_sizes, unknown[:8])
    ]
    if any(not isinstance(spec, Part) and spec.shape.rank is None for spec in specs):
        choices += [functools.partial(_ending, specs, size) for size in needed_sizes]
    for sizes in choices:
        shapes = [sizes(_SIZES[_MULTIPLE][run], run) for run in range(2)]
        if all(math.prod(shape) <= LARGEST for run_shapes in shapes for shape in run_shapes):
            yield Choice(specs, shapes, "numbers")


def _with_multiple(
    specs: list[Any],
    size: int,
    place: tuple[int, int],
    grows: int,
    start_and_step: tuple[int, int],
    run: int,
) -> list[tuple[int, ...]]:
    """Shapes with a multiple of a size along an axis of one spec, larger in each run if it ``grows``."""
    shapes = [_shape(specs, number, "each", start_and_step, 0) for number in range(len(specs))]
    number, axis = place
    shape = list(shapes[number])
    shape[axis] = size * (1 + grows * run)
    shapes[number] = tuple(shape)
    return shapes


def _ending(
    specs: list[Any], size: int, start_and_step: tuple[int, int], run: int
) -> list[tuple[int, ...]]:
    """Shapes; those of unknown rank end with ``size``."""
    shapes = []
    for number, spec in enumerate(specs):
        shape = _shape(specs, number, "each", start_and_step, (1, 2)[run])
        known = isinstance(spec, Part) or spec.shape.rank is not None
        shapes.append(shape if known else (*shape[:-1], size))
    return shapes


def _shape(
    specs: list[Any],
    number: int,
    spread: str,
    start_and_step: tuple[int, int],
    rank: int,
    long: bool = False,
) -> tuple[int, ...]:
    """A shape for a spec: an unknown size is ``start``, and ``step`` more for each unknown one before it.

    Args:
        spread: which unknown ones are before it: ``each`` of all specs, those of its own with a lower
        ``axis``,
            or none, so that all are ``one`` size.
        long: whether only the last unknown axis is so large.
    """
    spec = specs[number]
    if isinstance(spec, Part):
        return ()
    start, step = start_and_step
    if spec.shape.rank is None:
        return tuple([start] * rank)
    sizes = []
    for axis, size in enumerate(spec.shape.as_list()):
        if size is not None:
            sizes.append(size)
            continue
        if long and None in spec.shape.as_list()[axis + 1 :]:
            sizes.append(start % 7 + 3 + axis)
            continue
        if spread == "each":
            before = sum(
                part is None
                for other in specs[:number]
                for part in (other.shape.as_list() if other.shape.rank is not None else ())
            ) + sum(part is None for part in spec.shape.as_list()[:axis])
            sizes.append(start + step * before)
        elif spread == "axis":
            sizes.append(start + step * axis)
        else:
            sizes.append(start)
    return tuple(sizes)


def stand_in(
    spec: Any, shape: tuple[int, ...], fill: str, run: int, number: int
) -> np.ndarray[Any, Any]:
    """A stand-in of a dtype and shape."""
    if isinstance(spec, Part):
        return np.asarray(spec.stand_in(run))
    dtype = spec.dtype
    count = int(np.prod(shape, dtype=np.int64))
    kind = dtype.numpy_dtype
    if kind.names is not None:
        return np.zeros(shape, kind)
    # The numbers repeat after 11 and after 2 places, so that these are computed once, whatever the size.
    places = np.arange(count if kind.kind == "O" else min(count, 22))
    if fill == "zeros":
        numbers: Any = np.zeros(len(places))
    elif fill == "ones":
        if dtype.is_floating and len(shape) > 1 and shape[-1] == shape[-2]:
            return np.ascontiguousarray(np.broadcast_to(np.eye(shape[-1]), shape).astype(kind))
        numbers = np.ones(len(places))
    elif dtype.is_floating or dtype.is_complex:
        # Some below zero, and not the same part of them in each run.
        numbers = ((places * (5 + 2 * run) + number + 3 * run) % 11) / 8.0 - 0.4
    elif not shape:
        numbers = np.array([run + 1 + number % 3])
    else:
        numbers = (places + run + number) % 2
    if kind.kind == "O":
        texts = [b"%d" % int(position) for position in np.asarray(numbers).ravel()]
        if fill == "numbers":  # of other numbers of words in each run
            texts = [b" ".join([text] * (run + 1 + i % 2)) for i, text in enumerate(texts)]
        strings = np.empty(count, object)
        strings[:] = texts
        return strings.reshape(shape)
    values: np.ndarray[Any, Any] = np.asarray(numbers).astype(kind)
    if count > len(places):
        values = np.tile(values, -(-count // len(places)))[:count]
    return values.reshape(shape)
