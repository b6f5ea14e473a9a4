"""Writing into an array at indices, for the ``scatter`` methods of variables: checks first, then the writing.

Functions of NumPy arrays. Indices are checked before anything is written, so a refused call leaves the array
as it was; indices that come twice are applied one after the other, in the order they come in.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from tapegrad import errors
from tapegrad.engines.numpy import copies, gathers

Array = np.ndarray[Any, Any]


def _divide(array: Array, updates: Array) -> Array:
    """Division as C has it for integers: towards zero."""
    if array.dtype.kind in "iu":
        result: Array = np.sign(array) * np.sign(updates) * (np.abs(array) // np.abs(updates))
        return result.astype(array.dtype)
    quotient: Array = np.divide(array, updates)
    return quotient


# Up to so many indices a set of them is made faster than they are sorted.
_FEW = 1000

# What the methods do with an element and its update; None puts the update in its place.
FUNCTIONS: dict[str, Callable[[Any, Any], Any] | None] = {
    "Update": None,
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": _divide,
    "Max": np.maximum,
    "Min": np.minimum,
}

# What the kernel that does these calls them.
KINDS: dict[str, Literal["add", "subtract", "update"]] = {
    "Update": "update",
    "Add": "add",
    "Sub": "subtract",
}


def check_dtype(op: str, name: str, dtype: Any) -> None:
    """Raise InvalidArgumentError unless elements of ``dtype`` can be combined so."""
    kind = name.removeprefix("Nd")
    if kind == "Update" or (dtype.is_numeric and not (dtype.is_complex and kind in ("Max", "Min"))):
        return
    raise errors.InvalidArgumentError(
        None, None, f"A variable of {dtype.name} cannot be changed by {op}: numbers are expected."
    )


def check_indices(op: str, indices: Any) -> Array:
    """The array of a tensor of indices, if it is one of int32 or int64."""
    if indices.dtype.name not in ("int32", "int64"):
        raise errors.InvalidArgumentError(
            None, None, f"{op} expects indices of int32 or int64, not of {indices.dtype.name}."
        )
    array: Array = indices._array
    return array


def rows(op: str, shape: tuple[int, ...], indices: Array, updates: Array) -> tuple[Array, Array]:
    """The places and the updates of a scatter along the first axis, ready for ``apply``.

    Raises:
        InvalidArgumentError: where the shapes do not go together or an index is out of range.
    """
    wanted = indices.shape + shape[1:]
    fits = updates.ndim == 0 or (
        updates.ndim == len(wanted)
        and updates.shape[: indices.ndim] == indices.shape
        and all(ours in (1, theirs) for ours, theirs in zip(updates.shape, wanted, strict=True))
    )
    if not shape or not fits:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"{op} expects updates of shape indices.shape + variable.shape[1:], or a scalar; "
            f"got updates.shape {list(updates.shape)}, indices.shape {list(indices.shape)}, "
            f"variable.shape {list(shape)}.",
        )
    _check_range(op, indices, shape[0])
    if updates.shape != wanted:
        updates = np.broadcast_to(updates, wanted)
    return indices.reshape(-1), updates.reshape(indices.size, *shape[1:])


def _check_range(op: str, indices: Array, length: int) -> None:
    flat = gathers.first_outside(indices, length)
    if flat >= 0:
        place = tuple([int(index) for index in np.unravel_index(flat, indices.shape)])
        raise errors.InvalidArgumentError(
            None,
            None,
            f"{op}: indices[{', '.join(map(str, place))}] = {indices[place]} is not in [0, {length}).",
        )


def points(op: str, shape: tuple[int, ...], indices: Array, updates: Array) -> tuple[Array, Array]:
    """The places and the updates of a scatter at index vectors, the last axis of ``indices``.

    The places count along the first axes, as many as the vectors are long, as along one.

    Raises:
        InvalidArgumentError: where the shapes do not go together or an index is out of range.
    """
    if not indices.ndim or not 0 < indices.shape[-1] <= len(shape):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"{op} expects indices whose last axis holds 1 to {len(shape)} numbers, for a variable of shape "
            f"{list(shape)}; their shape is {list(indices.shape)}.",
        )
    depth = indices.shape[-1]
    wanted = indices.shape[:-1] + shape[depth:]
    # One index vector alone may come with updates that have an axis for it.
    if updates.shape != wanted and not (indices.ndim == 1 and updates.shape == (1, *wanted)):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"{op} expects updates of shape {list(wanted)}, for indices of shape {list(indices.shape)} into "
            f"a variable of shape {list(shape)}; got {list(updates.shape)}.",
        )
    vectors = indices.reshape(indices.size // depth, depth)
    numbers, wrong = gathers.flatten(vectors, shape[:depth])
    if wrong >= 0:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"{op}: indices[{wrong}] = {vectors[wrong].tolist()} does not index into shape {list(shape)}.",
        )
    return numbers, updates.reshape(len(vectors), *shape[depth:])


def batch_points(shape: tuple[int, ...], indices: Array) -> Array:
    """Index vectors for indices that each pick within their own batch: batch axes first, then the index."""
    if not 0 < indices.ndim <= len(shape):
        raise errors.InvalidArgumentError(
            None,
            None,
            f"batch_scatter_update expects indices of rank 1 to {len(shape)}, for a variable of shape "
            f"{list(shape)}; their shape is {list(indices.shape)}.",
        )
    batches = np.indices(indices.shape, dtype=indices.dtype)[:-1]
    return np.stack([*batches, indices], axis=-1)


def check_divisor(op: str, updates: Array) -> None:
    """Raise InvalidArgumentError for a zero to divide by."""
    if not updates.all():
        raise errors.InvalidArgumentError(None, None, f"{op}: updates must not contain 0.")


def apply(array: Array, name: str, places: Array, updates: Array) -> None:
    """Write into ``array``, seen as slices of the shape of those in ``updates``, as ``name`` says."""
    kind = name.removeprefix("Nd")
    slices = array
    if array.ndim != updates.ndim or not array.flags.c_contiguous:
        depth = array.ndim - updates.ndim + 1
        slices = copies.contiguous(array).reshape(
            math.prod(array.shape[:depth]), *array.shape[depth:]
        )
    _apply_to_slices(slices, kind, places, updates)
    if not np.may_share_memory(slices, array):
        array[...] = slices.reshape(array.shape)


def _apply_to_slices(slices: Array, kind: str, places: Array, updates: Array) -> None:
    if kind in KINDS and gathers.scatter(slices, places, updates, KINDS[kind]):
        return
    function = FUNCTIONS[kind]
    with np.errstate(all="ignore"):
        if function is None:
            slices[places] = updates
        elif not _repeats(places):
            slices[places] = function(slices[places], updates)
        elif isinstance(function, np.ufunc):
            function.at(slices, places, updates)
        else:
            for place, update in zip(places, updates, strict=True):
                slices[place] = function(slices[place], update)


def _repeats(places: Array) -> bool:
    """Whether some place comes more than once."""
    if places.size <= _FEW:
        return bool(len(set(places.tolist())) != places.size)
    return bool(np.unique(places).size != places.size)
