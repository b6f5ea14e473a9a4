"""Convolutions tap by tap, without the padding: for filters and gradients with NaN or infinity.

The compiled kernels multiply the padding's zeros too. That is right only if the other factor is finite.
A tap is one position in the window of the filter.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]
Slices = tuple[slice, ...]


def _overlaps(
    sizes: tuple[int, ...], kernel: tuple[int, ...], places: tuple[Any, ...]
) -> Iterator[tuple[tuple[int, ...], Slices, Slices]]:
    """For each tap: the windows in which it lies inside the input, and the elements that it reads there."""
    strides, dilations, before, output = places
    for tap in np.ndindex(*kernel):
        positions, met = [slice(None)], [slice(None)]
        for axis, t in enumerate(tap):
            stride, shift = strides[axis], t * dilations[axis] - before[axis]
            first = max(-(shift // stride), 0)
            count = max(min((sizes[axis] - 1 - shift) // stride + 1, output[axis]) - first, 0)
            start = first * stride + shift
            positions.append(slice(first, first + count))
            met.append(slice(start, start + count * stride, stride) if count else slice(0))
        yield tap, tuple(positions), tuple(met)


def _in_groups(array: Array, groups: int) -> Array:
    """(batch, *sizes, channels) as (groups, batch times sizes, channels of a group)."""
    rows = array.reshape(-1, groups, array.shape[-1] // groups)
    return rows.transpose(1, 0, 2)


def _out_of_groups(array: Array, shape: tuple[int, ...]) -> Array:
    return array.transpose(1, 0, 2).reshape(shape)


def _weights(filters: Array, tap: tuple[int, ...], groups: int) -> Array:
    """One tap's matrices: (groups, depth, results of a group)."""
    return _in_groups(filters[tap], groups)


def convolution(x: Array, filters: Array, places: tuple[Any, ...]) -> Array:
    """What the compiled kernel of this name computes."""
    groups = x.shape[-1] // filters.shape[-2]
    out = np.zeros((x.shape[0], *places[3], filters.shape[-1]), x.dtype)
    for tap, positions, met in _overlaps(x.shape[1:-1], filters.shape[:-2], places):
        part = out[positions]
        product = _in_groups(x[met], groups) @ _weights(filters, tap, groups)
        part += _out_of_groups(product, part.shape)
    return out


def convolution_by_input(
    shape: tuple[int, ...], filters: Array, dy: Array, places: tuple[Any, ...]
) -> Array:
    """What the compiled kernel of this name computes."""
    groups = shape[-1] // filters.shape[-2]
    out = np.zeros(shape, dy.dtype)
    for tap, positions, met in _overlaps(shape[1:-1], filters.shape[:-2], places):
        part = out[met]
        weights = _weights(filters, tap, groups).transpose(0, 2, 1)
        part += _out_of_groups(_in_groups(dy[positions], groups) @ weights, part.shape)
    return out


def convolution_by_filter(
    x: Array, shape: tuple[int, ...], dy: Array, places: tuple[Any, ...]
) -> Array:
    """What the compiled kernel of this name computes."""
    groups = x.shape[-1] // shape[-2]
    out = np.zeros(shape, dy.dtype)
    for tap, positions, met in _overlaps(x.shape[1:-1], shape[:-2], places):
        windows = _in_groups(x[met], groups).transpose(0, 2, 1)
        out[tap] = _out_of_groups(windows @ _in_groups(dy[positions], groups), shape[-2:])
    return out
