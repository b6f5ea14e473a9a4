"""Worlds: what each unknown size, rank and value is taken to be while a shape is worked out."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from tapegrad.core import EagerTensor
from tapegrad.dtypes import DType
from tapegrad.framework.shape import TensorShape

# What strings are instead of 0 and 1: numbers, of different lengths and numbers of words.
_STRINGS = (b"0", b"1 1")
# The elements in a world are all 0; 1 and 0 in turn, so that ops which count values find two; or all 1.
ZEROS, BOTH, ONES = range(3)
# Rows with more elements than this are dear, so there are few of them.
_LIGHT = 4096
# Where the rank is unknown: the ranks in the two worlds, and the size of every axis (0: as of other axes).
_RANKS = ((1, 5, 1), (2, 5, 1), (3, 5, 1), (4, 5, 1), (1, 2, 0), (2, 3, 0), (3, 4, 0), (0, 1, 0))


class World(NamedTuple):
    """One choice for everything that is unknown."""

    batch: int  # of unknown first axes
    other: int  # of other unknown axes
    rank: int  # where even that is unknown
    length: int  # of the axes of such a tensor
    fill: int  # ZEROS, BOTH or ONES
    fixed: tuple[tuple[int, int], ...] = ()  # (number of an unknown size, what it is) where it must be that


Pair = tuple[World, World]


class Unknown:
    """A tensor of which the shape is known in part, and no value: where worlds come into a computation."""

    def __init__(self, shape: TensorShape, dtype: DType, first_number: int) -> None:
        self.shape = shape
        self.dtype = dtype
        self.numbers = range(first_number, first_number + (shape.rank or 0))
        self.found: dict[World, EagerTensor] = {}

    def sizes(self, world: World) -> tuple[int, ...]:
        """The shape in a world."""
        if self.shape.rank is None:
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
            self.found[world] = dummy(self.sizes(world), self.dtype, world)
        return [self.found[world]]

    def row(self) -> int:
        """How many elements a row has where unknown sizes are large."""
        sizes = (
            [] if self.shape.rank is None else [40 if size is None else size for size in self.shape]
        )
        return math.prod(sizes[1:])


def dummy(shape: tuple[int, ...], dtype: DType, world: World) -> EagerTensor:
    """A tensor of the elements that tensors have in a world."""
    numpy_dtype = dtype.numpy_dtype
    if numpy_dtype.names is not None:
        return EagerTensor(np.zeros(shape, numpy_dtype))
    size = math.prod(shape)
    ones = (np.arange(size) + 1) % 2 if world.fill == BOTH else np.full(size, world.fill == ONES)
    elements = (
        np.array(_STRINGS, object)[ones.astype(int)]
        if numpy_dtype == object
        else ones.astype(numpy_dtype)
    )
    return EagerTensor(elements.reshape(shape))


def pairs(unknowns: list[Unknown], sizes: Iterable[int]) -> Iterator[Pair]:
    """Pairs of worlds to compare, the best first: the next one is for what cannot be computed in those before.

    In the first pair, unknown sizes are 1 and 41: whatever depends on them differs, however it is divided,
    rounded or cut. Some ops cannot take such sizes (a window larger than the image, a reshape that does not
    divide them), so others follow. Last, each unknown size is tried with each of ``sizes``, which operands
    beside it have.
    """
    light = all(unknown.row() <= _LIGHT for unknown in unknowns)
    shapes = (
        [((1, 1), (41, 41)), ((16, 16), (41, 41)), ((24, 24), (120, 120))]
        if light
        else [((1, 1), (9, 41)), ((2, 16), (9, 41)), ((4, 64), (12, 160)), ((16, 16), (41, 41))]
    )
    ranks = (
        _RANKS if any(unknown.shape.rank is None for unknown in unknowns) else ((0, 0, 0),)
    )
    for fills in ((ZEROS, BOTH), (ZEROS, ZEROS), (ONES, ONES)):
        for rank in ranks:
            for shape in shapes:
                yield tuple(
                    World(*shape[i], rank[i], rank[2], fills[i]) for i in range(2)
                )  # type: ignore[misc]
    numbers = [
        number
        for unknown in unknowns
        if unknown.shape.rank is not None
        for number, size in zip(unknown.numbers, unknown.shape, strict=True)
        if size is None
    ]
    for shape in shapes[:2]:
        for number in numbers[:8]:
            for size in sorted({1, *sizes})[:6]:
                yield tuple(
                    World(*shape[i], (1, 5)[i], 1, (ZEROS, BOTH)[i], ((number, size),)) for i in range(2)
                )  # type: ignore[misc]
