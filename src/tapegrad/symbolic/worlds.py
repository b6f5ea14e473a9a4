"""Worlds: what each unknown size, rank and value is taken to be while a shape is worked out.

In the world `ABSTRACT` sizes are unknown and there are no elements: its tensors are abstract arrays, and an
op says by its shape rule what it gives. What it cannot tell is asked in two worlds and compared: where Python
decides by a truth value, this is false in the one and true in the other; where it decides by a size, there
are other sizes, still without elements. Where it decides by other elements there are dummies.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tapegrad.core import EagerTensor
from tapegrad.core.abstract import Abstract
from tapegrad.dtypes import DType
from tapegrad.framework.shape import TensorShape

# What the elements are in a world: none; all 0; numbers from 1 on, in rising order, others in each unknown
# tensor; such numbers plus 1; 0 in the first half of a tensor and 1 in the second one; all 1, but square
# matrices of floats are identities, so that they can be inverted.
NO_ELEMENTS, ZEROS, RISING, LARGER, HALVES, ONES = range(6)
# Pairs of these, the best first.
Fills = tuple[tuple[int, int], ...]
WITHOUT_ELEMENTS: Fills = ((NO_ELEMENTS, NO_ELEMENTS),)
WITH_ELEMENTS: Fills = (
    (ZEROS, RISING),
    (RISING, LARGER),
    (ZEROS, HALVES),
    (ONES, RISING),
    (ZEROS, ZEROS),
    (ONES, ONES),
)
# A dummy with more elements is not made: a world where it is needed cannot be computed.
LARGEST = 1 << 26
# Rows with more elements than this are dear, so there are few of them.
_LIGHT = 4096
# What strings are instead of 0, 1, 2, ...: of different lengths and numbers of words.
_STRINGS = (b"0", b"1 1", b"2 2 2 2", b"3 3 3", b"4 4", b"5 5 5 5 5")
# Where the rank is unknown: the ranks in the two worlds, and the size of every axis (0: as of other axes).
# The last ones are for what takes one rank, a vector or a matrix: the rank is that.
_RANKS = (
    *((1, 5, 1), (2, 5, 1), (3, 5, 1), (4, 5, 1), (1, 2, 0), (2, 3, 0), (3, 4, 0), (0, 1, 0)),
    *((1, 1, 0), (2, 2, 0)),
)


class World(NamedTuple):
    """One choice for everything that is unknown."""

    batch: int | None  # of unknown first axes; None: unknown
    other: int | None  # of other unknown axes
    rank: int | None  # where even that is unknown
    length: int  # of the axes of such a tensor
    fill: int  # NO_ELEMENTS, ZEROS, RISING, LARGER, HALVES or ONES
    # (number of an unknown size, what it is) where it must be that.
    fixed: tuple[tuple[int, int], ...] = ()
    tapes: tuple[int, ...] = ()  # the calls of `tf.gradients` that work the tensors out anew
    truth: bool | None = None  # of what has no elements, where Python decides by it
    # Whether whole numbers of unknown rank are a vector, which decides the rank of something else.
    vectors: bool = False

    def with_tape(self, number: int) -> World:
        """The world in which the call ``number`` of `tf.gradients` works the tensors out anew."""
        return self._replace(tapes=(*self.tapes, number))

    def fix(self, tensor: Any, value: Any) -> None:
        """Let ``tensor``, which has no value, be ``value``."""
        tensor.fixed[self] = value


Worlds = tuple[World, ...]

ABSTRACT = World(None, None, None, 0, NO_ELEMENTS)
BY_TRUTH = (ABSTRACT._replace(truth=False), ABSTRACT._replace(truth=True))
# Where values decide the rank of a tensor. Of what works in one rank only, the rank is that.
BY_RANK, BY_ONE_RANK = [
    [tuple([ABSTRACT._replace(rank=rank) for rank in ranks]) for ranks in choices]
    for choices in (((1, 5), (2, 5), (3, 5), (4, 5)), [(rank, rank) for rank in range(7)])
]
BY_VECTORS = [
    tuple([world._replace(vectors=True) for world in worlds]) for worlds in (*BY_RANK, *BY_ONE_RANK)
]


class UnknownRank(ValueError):
    """A tensor of unknown rank is no abstract array."""


class Unknown:
    """A tensor of which the shape is known in part, and no value: where worlds come into a computation."""

    def __init__(self, shape: TensorShape, dtype: DType, first_number: int) -> None:
        self.shape = shape
        self.dtype = dtype
        self.numbers = range(first_number, first_number + (shape.rank or 0))
        self.found: dict[World, EagerTensor] = {}
        self.default: EagerTensor | None = None  # its value in runs of a graph that feed none
        # The call that gives it in a run, and as which result.
        self.maker: tuple[Any, int] | None = None

    def sizes(self, world: World) -> tuple[int | None, ...]:
        """The shape in a world."""
        if self.shape.rank is None:
            if world.vectors and self.dtype.is_integer:
                return (None,)
            if world.rank is None:
                raise UnknownRank("The rank of a tensor is unknown.")
            return (world.length or world.other,) * world.rank
        fixed = dict(world.fixed)
        return tuple(
            [
                fixed.get(number, world.other if axis else world.batch) if size is None else size
                for axis, (number, size) in enumerate(
                    zip(self.numbers, self.shape.as_list(), strict=True)
                )
            ]
        )

    def leaves(self, world: World) -> list[Any]:
        """The dummy, as the one result."""
        if world not in self.found:
            self.found[world] = dummy(
                self.sizes(world), self.dtype, world, self.numbers.start // 100
            )
        if self.maker is not None and world.tapes:
            return [self.maker[0].connected(self.found[world], world)]
        return [self.found[world]]

    def unknown_axes(self) -> int:
        """How many sizes are unknown, if the rank is known."""
        return 0 if self.shape.rank is None else self.shape.as_list().count(None)

    def row(self) -> int:
        """How many elements a row has where unknown sizes are large."""
        sizes = (
            [] if self.shape.rank is None else [40 if size is None else size for size in self.shape]
        )
        return math.prod(sizes[1:])


def dummy(
    shape: tuple[int | None, ...], dtype: DType, world: World, serial: int = 0
) -> EagerTensor:
    """A tensor of the elements that the unknown tensor with that number has in a world."""
    if world.fill == NO_ELEMENTS:
        return EagerTensor(Abstract(shape, dtype))
    sizes = [size for size in shape if size is not None]
    return EagerTensor(elements(tuple(sizes), dtype, world.fill, serial))


def elements(shape: tuple[int, ...], dtype: DType, fill: int, serial: int) -> np.ndarray[Any, Any]:
    """The elements of a dummy."""
    numpy_dtype = dtype.numpy_dtype
    if numpy_dtype.names is not None:
        return np.zeros(shape, numpy_dtype)
    size = math.prod(shape)
    if size > LARGEST:
        raise ValueError(f"a dummy of shape {shape} would be too large")
    second_half = np.arange(size) >= size // 2
    if fill in (RISING, LARGER) and not dtype.is_bool:
        numbers = second_half + (fill - ZEROS + serial % 3)
    elif fill in (HALVES, RISING, LARGER):
        numbers = second_half.astype(int)
    elif fill == ONES and dtype.is_floating and shape[-1:] == shape[-2:-1]:
        return np.broadcast_to(np.eye(shape[-1], dtype=numpy_dtype), shape).copy()
    else:
        numbers = np.full(size, int(fill == ONES))
    filled: np.ndarray[Any, Any] = (
        np.array(_STRINGS, object)[numbers]
        if numpy_dtype.kind == "O"
        else numbers.astype(numpy_dtype)
    )
    return filled.reshape(shape)


def pairs(unknowns: list[Unknown], fills: Fills, any_rank: bool) -> Iterator[Worlds]:
    """Pairs of worlds to compare, the best first: a later one is for what an earlier one cannot compute.

    In the first pair, unknown sizes are 1 and 41: whatever depends on them differs, however it is divided,
    rounded or cut. Some ops cannot take such sizes (a window larger than the image, a reshape that does not
    divide them), so others follow. If a tensor may have ``any_rank``, that differs too.
    """
    shapes = _shapes(unknowns)
    ranks: Any = _RANKS if any_rank else ((None, None, 0),)
    for fill in fills:
        for rank in ranks:
            for shape in shapes:
                yield _pair(shape, rank, fill)


def beside(world: World, unknowns: list[Unknown]) -> list[World]:
    """More worlds to compare with the second one of a pair.

    Where tensors of unknown rank have axes of size 1, worlds with other ranks. Where whole numbers are
    unknown, which may be sizes, a world with the next numbers: a remainder may be the same for 0 and 3, but
    not also for 4.
    """
    ranks = (1, 2) if world.rank and world.length == 1 else ()
    more = [world._replace(rank=rank, length=0) for rank in ranks]
    if world.fill == RISING and any(
        unknown.dtype.is_integer and unknown.shape.rank in (0, 1) for unknown in unknowns
    ):
        more.append(world._replace(fill=LARGER))
    return more


def fixed_worlds(
    unknowns: list[Unknown], fills: Fills, sizes: Iterable[int], solutions: Iterable[int]
) -> Iterator[list[Worlds]]:
    """Groups of pairs of worlds in which some unknown sizes are one of ``sizes``, as other operands may need.

    ``solutions`` are sizes with which operands that were computed before get the size of another one.

    All pairs of a group that can be computed are to be compared: if only one size will do, it is the size.
    """
    numbers = [
        number
        for unknown in unknowns
        if unknown.shape.rank is not None
        for number, size in zip(unknown.numbers, unknown.shape, strict=True)
        if size is None
    ]
    rest = [number for number in numbers if number not in unknowns[0].numbers] if unknowns else []
    groups: list[tuple[int, ...]] = [(number,) for number in numbers[:8]]
    vectors = [
        number
        for unknown in unknowns
        if unknown.shape.rank == 1 and unknown.shape[0] is None
        for number in unknown.numbers
    ]
    groups += [tuple(group) for group in (vectors, rest, numbers) if len(group) > 1]
    asked = sorted({1, *sorted(sizes)[:6], *sorted(solutions)[:3]})
    tried = [*asked, *[size for size in (0, 2, 3) if size not in asked]]
    for fill in fills:
        for group in groups:
            for shape in _shapes(unknowns)[:2]:
                yield [
                    _pair(shape, (1, 5, 1), fill, tuple([(number, size) for number in group]))
                    for size in tried
                ]


def _pair(
    shape: tuple[tuple[int, int], tuple[int, int]],
    rank: tuple[int | None, int | None, int],
    fill: tuple[int, int],
    fixed: tuple[tuple[int, int], ...] = (),
) -> Worlds:
    return tuple(
        [World(*shape[i], rank[i], rank[2], fill[i], fixed, truth=bool(i)) for i in range(2)]
    )


def _shapes(unknowns: list[Unknown]) -> list[tuple[tuple[int, int], tuple[int, int]]]:
    """Pairs of sizes for unknown first axes and for other unknown axes."""
    if all(unknown.row() <= _LIGHT for unknown in unknowns):
        return [
            ((1, 1), (41, 41)),
            ((3, 3), (41, 41)),
            ((16, 16), (41, 41)),
            ((24, 24), (120, 120)),
        ]
    if any(unknown.unknown_axes() > 3 for unknown in unknowns):
        return [((1, 1), (5, 11)), ((2, 3), (5, 11)), ((2, 16), (5, 24)), ((4, 64), (12, 160))]
    return [((1, 1), (9, 41)), ((2, 3), (9, 41)), ((2, 16), (9, 41)), ((4, 64), (12, 160))]
