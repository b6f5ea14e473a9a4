"""Stand-ins for the arguments of a function that is saved, also for its validation."""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from tapegrad.functions.components import Part
from tapegrad.io.trials import NAMES

RUNS = 4
LARGEST = 1 << 22  # elements of a stand-in
LARGE = 1 << 19  # elements from which on a few items are enough

_SIZES = (
    # For each run the first sizes, and what each further unknown axis adds.
    ((3, 2), (7, 3), (4, 5), (11, 1)),
    ((32, 64), (96, 32), (64, 96), (160, 32)),
    ((2, 1), (1, 1), (3, 2), (4, 1)),  # with an axis that is a multiple of a size
    ((6, 3), (200, 70), (5, 4), (1100, 300)),  # for validation
    ((1200, 0), (1700, 0), (900, 0), (2300, 0)),  # of the last unknown axis of a spec, as of sound
    ((3, 1), (2, 3), (5, 2), (4, 4)),  # with axes that are large, as of pictures
)
_LONG = 4
_FEW = 5
FILLS = ("numbers", "zeros", "ones", "names")
VALIDATION_FILLS = (  # (fill, run)
    ("rich", 0),
    ("numbers", 1),
    ("rich", 2),
    ("numbers", 3),
)
RANDOM_SIZES = (1, 2, 9, 6, 13, 5, 31, 24)  # upper limits of sizes that are drawn


class Choice(NamedTuple):
    """Stand-ins: what fills them, an array for each spec in each run, and how their sizes are chosen."""

    fill: str
    runs: list[list[np.ndarray[Any, Any]]]
    sizes: Callable[[tuple[int, int], int], list[tuple[int, ...]]]

    def validation_shapes(self, specs: list[Any], vary: bool) -> Iterator[tuple[str, int, Any]]:
        """Further stand-ins, with the same relations between sizes: their fill, a run, and their shapes."""
        seen = [[array.shape for array in arrays] for arrays in self.runs]
        for fill, run in VALIDATION_FILLS if vary else VALIDATION_FILLS[:1]:
            shapes = self.sizes(_SIZES[3][run], run)
            if all(math.prod(shape) <= LARGEST for shape in shapes):
                yield fill, run, shapes
        yield from [("random", run, shapes) for run, shapes in enumerate(seen[: 4 if vary else 2])]
        if not vary:
            return
        for run, near in enumerate(RANDOM_SIZES):
            step = int(np.random.default_rng(run).integers(0, near + 1))
            ranks = [array.ndim for array in self.runs[run % RUNS]]
            for shapes in (
                self.sizes((near, step), run % RUNS),
                [
                    _drawn(spec, rank, near, (run, number))
                    for number, (spec, rank) in enumerate(zip(specs, ranks, strict=True))
                ],
            ):
                if all(math.prod(shape) <= LARGEST for shape in shapes):
                    yield "random", run + RUNS, shapes


def _drawn(spec: Any, rank: int, near: int, seed: tuple[int, int]) -> tuple[int, ...]:
    """A shape with drawn sizes for the unknown axes."""
    if isinstance(spec, Part):
        return ()
    drawn = np.random.default_rng(seed)
    known = [None] * rank if spec.shape.rank is None else spec.shape.as_list()
    return tuple([int(drawn.integers(1, near + 1)) if size is None else size for size in known])


def stand_ins(
    specs: list[Any], fills: tuple[str, ...], words: Sequence[bytes] = ()
) -> Iterator[Choice]:
    """Choices of stand-ins, the best first."""
    unknown = any(not spec.shape.is_fully_defined() for spec in specs)
    ranks = (((1, 2, 3, 0), (2, 2, 2, 2), (3, 3, 3, 3), (4, 4, 4, 4), (1, 1, 1, 1)) if any(
        spec.shape.rank is None for spec in specs
    ) else ((0, 0, 0, 0),))  # fmt: skip
    rich = "rich" in fills
    spreads = ("each", "axis", "one") if unknown else ("each",)
    for fill, rank, spread, scale in itertools.product(
        fills, ranks, spreads, ((0, 1, 4) if rich else (0, 1)) if unknown else (0,)
    ):
        if scale and sum(spec.shape.rank or 0 for spec in specs) > 40:
            continue

        def sizes(
            start_and_step: tuple[int, int],
            run: int,
            rank: tuple[int, ...] = rank,
            spread: str = spread,
            long: bool = scale == _LONG,
        ) -> list[tuple[int, ...]]:
            return [
                _shape(specs, number, spread, start_and_step, rank[run], long)
                for number in range(len(specs))
            ]

        shapes = [sizes(_SIZES[scale][run], run) for run in range(RUNS)]
        largest = max(
            (math.prod(shape) for run_shapes in shapes for shape in run_shapes), default=0
        )
        if scale and largest > LARGEST:
            continue
        if not scale and largest > LARGE:
            shapes = [sizes(_SIZES[_FEW][run], run) for run in range(RUNS)]
        yield Choice(fill, _filled(specs, shapes, fill, words), sizes)


def _filled(
    specs: list[Any], shapes: list[list[tuple[int, ...]]], fill: str, words: Sequence[bytes] = ()
) -> list[list[np.ndarray[Any, Any]]]:
    """An array for each spec in each run."""
    return [
        [
            stand_in(spec, shape, fill, run, number, words)
            for number, (spec, shape) in enumerate(pairs)
        ]
        for run, pairs in enumerate(zip(specs, run_shapes, strict=True) for run_shapes in shapes)
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
    needed_sizes = sorted(set(needed) - {0, 1})
    choices: list[Any] = [
        functools.partial(_with_multiple, specs, size, axis_place, grows)
        for grows, size, axis_place in itertools.product((1, 0), needed_sizes, unknown[:8])
    ]
    if any(not isinstance(spec, Part) and spec.shape.rank is None for spec in specs):
        choices += [functools.partial(_ending, specs, size) for size in needed_sizes]
    for sizes in choices:
        shapes = [sizes(_SIZES[2][run], run) for run in range(RUNS)]
        if all(math.prod(shape) <= LARGEST for run_shapes in shapes for shape in run_shapes):
            yield Choice("numbers", _filled(specs, shapes, "numbers"), sizes)


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
        shape = _shape(specs, number, "each", start_and_step, (1, 2, 3, 2)[run])
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
    spec: Any, shape: tuple[int, ...], fill: str, run: int, number: int, words: Sequence[bytes] = ()
) -> np.ndarray[Any, Any]:
    """A stand-in of a dtype and shape."""
    if isinstance(spec, Part):
        return np.asarray(spec.stand_in(run))
    dtype = spec.dtype
    count = int(np.prod(shape, dtype=np.int64))
    kind = dtype.numpy_dtype
    if kind.names is not None:
        return np.zeros(shape, kind)
    places = np.arange(count)
    if fill == "zeros":
        numbers: Any = np.zeros(count)
    elif fill == "ones":
        if dtype.is_floating and len(shape) > 1 and shape[-1] == shape[-2]:
            return np.ascontiguousarray(np.broadcast_to(np.eye(shape[-1]), shape).astype(kind))
        numbers = np.ones(count)
    elif fill in ("random", "rich") and (dtype.is_floating or dtype.is_complex):
        # Some of them twice, and zeros.
        drawn = np.random.default_rng([run, number])
        numbers = (drawn.integers(0, drawn.integers(2, 40), count) - drawn.integers(0, 10)) / 8.0
    elif dtype.is_floating or dtype.is_complex:
        # Some below zero, and not the same part of them in each run.
        numbers = ((places * (5 + 2 * run) + number + 3 * run) % 11) / 8.0 - 0.4
    elif fill == "random":
        drawn = np.random.default_rng([run, number])
        numbers = drawn.integers(0, drawn.integers(2, 9 if shape else 17), count)
    elif fill == "rich":  # the largest is another one in each run
        numbers = (places * 3 + number) % (run + 3) if shape else np.array([2 * run + 3 + number])
    elif not shape:
        numbers = np.array([run + 1 + number % 3])
    else:
        numbers = (places + run + number) % 2
    if kind.kind == "O":
        texts = [b"%d" % int(position) for position in np.asarray(numbers).ravel()]
        if fill == "names":  # those for which readers of files have blanks
            texts = [NAMES[(int(position) + run) % len(NAMES)] for position in places]
        elif fill == "numbers":  # of other numbers of words in each run
            texts = [b" ".join([text] * (run + 1 + i % 2)) for i, text in enumerate(texts)]
        elif fill == "random":
            known = [b"", *words, *[b"w%d" % i for i in range(8)]]
            drawn = np.random.default_rng([run, number])
            texts = [
                b" ".join([
                    known[j] for j in drawn.integers(0, len(known), drawn.integers(0, 5))
                ])
                for _ in range(count)
            ]  # fmt: skip
        elif fill == "rich":  # known words and others, some of them twice
            known = [b"of", *words, b"on"]
            texts = [
                b" ".join(
                    [
                        known[(i * i + j % 3 * (run + 1)) % len(known)]
                        for j in range(1 + (i + run) % 5)
                    ]
                )
                for i in range(count)
            ]
        strings = np.empty(count, object)
        strings[:] = texts
        return strings.reshape(shape)
    return np.asarray(numbers).astype(kind).reshape(shape)
