"""The ops behind variables: reading, assigning, and writing at indices, with the checks that come first.

Each op has its variable as the attribute ``resource``, and its effect says whether it reads or writes it.
Users call the methods of `tf.Variable`. These are in ``framework.variable``, which gets this module as the
core's hook ``variables``. Reading, assigning and adding are hot, so the core does them itself, and only
reports the op to observers.

Indices are checked before anything is written, so a refused call leaves the value unchanged. Repeated
indices are applied one after the other, in their order.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import EagerTensor, Op, Tensor
from tapegrad.engines.numpy import copies, gathers
from tapegrad.errors import refuse
from tapegrad.framework.handle import variable_of
from tapegrad.ops.indexing.gather import gather as gather
from tapegrad.ops.indexing.gather import gather_nd as gather_nd
from tapegrad.ops.indexing.getitem import assigned_index
from tapegrad.ops.indexing.masks import meshgrid
from tapegrad.ops.op import op
from tapegrad.ops.shape.joining import stack
from tapegrad.ops.shape.sequences import range as range_of
from tapegrad.ops.shape.strided_slices import wrong_index
from tapegrad.ops.shape_rules import Abstract

Array = np.ndarray[Any, Any]


def _divide(array: Array, updates: Array) -> Array:
    """Division as in C: for integers, towards zero."""
    if array.dtype.kind in "iu":
        result: Array = np.sign(array) * np.sign(updates) * (np.abs(array) // np.abs(updates))
        return result.astype(array.dtype)
    quotient: Array = np.divide(array, updates)
    return quotient


# For up to this many indices, building a set is faster than sorting.
_FEW = 1000

# How the methods combine an element and its update. None replaces the element by the update.
FUNCTIONS: dict[str, Callable[[Any, Any], Any] | None] = {
    "Update": None,
    "Add": np.add,
    "Sub": np.subtract,
    "Mul": np.multiply,
    "Div": _divide,
    "Max": np.maximum,
    "Min": np.minimum,
}

# The names of these methods in the kernel that does them.
KINDS: dict[str, Literal["add", "subtract", "update"]] = {
    "Update": "update",
    "Add": "add",
    "Sub": "subtract",
}


def check_dtype(op: str, name: str, dtype: Any) -> None:
    """Raise InvalidArgumentError unless ``op`` can combine elements of ``dtype``."""
    kind = name.removeprefix("Nd")
    if kind == "Update" or (dtype.is_numeric and not (dtype.is_complex and kind in ("Max", "Min"))):
        return
    refuse(f"A variable of {dtype.name} cannot be changed by {op}: numbers are expected.")


def check_indices(op: str, dtype: Any) -> None:
    """Raise InvalidArgumentError unless ``dtype`` can be that of indices."""
    if dtype.name not in ("int32", "int64"):
        refuse(f"{op} expects indices of int32 or int64, not of {dtype.name}.")


def check_value(op: str, resource: Any, value: Array) -> None:
    """Raise InvalidArgumentError unless ``value`` has the dtype of the variable."""
    if value.dtype != resource.dtype.numpy_dtype:
        refuse(
            f"{op} expects values of the variable's dtype, {resource.dtype.name}, "
            f"not {dtypes.from_numpy(value.dtype).name}."
        )


def rows(op: str, shape: tuple[int, ...], indices: Array, updates: Array) -> tuple[Array, Array]:
    """The places and the updates of a scatter along the first axis, in the form that ``apply`` takes.

    Raises:
        InvalidArgumentError: if the shapes do not fit together or an index is out of range.
    """
    wanted = indices.shape + shape[1:]
    fits = updates.shape in (wanted, ()) or (
        updates.ndim == len(wanted)
        and updates.shape[: indices.ndim] == indices.shape
        and all(ours in (1, theirs) for ours, theirs in zip(updates.shape, wanted, strict=True))
    )
    if not shape or not fits:
        refuse(
            f"{op} expects updates of shape indices.shape + variable.shape[1:], or a scalar; "
            f"got updates.shape {list(updates.shape)}, indices.shape {list(indices.shape)}, "
            f"variable.shape {list(shape)}."
        )
    _check_range(op, indices, shape[0])
    if updates.shape != wanted:
        updates = np.broadcast_to(updates, wanted)
    return indices.reshape(-1), updates.reshape(indices.size, *shape[1:])


def _check_range(op: str, indices: Array, length: int) -> None:
    flat = gathers.first_outside(indices, length)
    if flat >= 0:
        place = tuple([int(index) for index in np.unravel_index(flat, indices.shape)])
        refuse(
            f"{op}: indices[{', '.join(map(str, place))}] = {indices[place]} is not in [0, "
            f"{length})."
        )


def points(op: str, shape: tuple[int, ...], indices: Array, updates: Array) -> tuple[Array, Array]:
    """The places and the updates of a scatter at index vectors, which are the last axis of ``indices``.

    The vectors index the first axes, as many as they are long. A position counts along those axes as along
    one.

    Raises:
        InvalidArgumentError: if the shapes do not fit together or an index is out of range.
    """
    if not indices.ndim or not 0 < indices.shape[-1] <= len(shape):
        refuse(
            f"{op} expects indices whose last axis holds 1 to {len(shape)} numbers, "
            f"for a variable of shape {list(shape)}; their shape is {list(indices.shape)}."
        )
    depth = indices.shape[-1]
    wanted = indices.shape[:-1] + shape[depth:]
    # Updates for a single index vector may have an axis for it.
    if updates.shape != wanted and not (indices.ndim == 1 and updates.shape == (1, *wanted)):
        refuse(
            f"{op} expects updates of shape {list(wanted)}, "
            f"for indices of shape {list(indices.shape)} into a variable of shape {list(shape)}; "
            f"got {list(updates.shape)}."
        )
    vectors = indices.reshape(indices.size // depth, depth)
    numbers, wrong = gathers.flatten(vectors, shape[:depth])
    if wrong >= 0:
        refuse(
            f"{op}: indices[{wrong}] = {vectors[wrong].tolist()} does "
            f"not index into shape {list(shape)}."
        )
    return numbers, updates.reshape(len(vectors), *shape[depth:])


def batch_points(indices: Tensor, shape: tuple[int, ...]) -> Tensor:
    """Index vectors for indices that pick within their own batch each: batch indices, then the index."""
    check_indices("batch_scatter_update", indices.dtype)
    sizes = indices._shape_tuple()
    if not 0 < len(sizes) <= len(shape):
        refuse(
            f"batch_scatter_update expects indices of rank 1 to {len(shape)}, "
            f"for a variable of shape {list(shape)}; their shape is {list(sizes)}."
        )
    places = meshgrid(*[range_of(size, dtype=indices.dtype) for size in sizes], indexing="ij")
    return stack([*places[:-1], indices], axis=-1)


def check_divisor(op: str, updates: Array) -> None:
    """Raise InvalidArgumentError if ``updates`` contain a zero, by which ``op`` would divide."""
    if not updates.all():
        refuse(f"{op}: updates must not contain 0.")


def apply(array: Array, name: str, places: Array, updates: Array) -> None:
    """Change ``array`` at ``places``, as ``name`` says. It is seen as slices in the shape of the updates."""
    kind = name.removeprefix("Nd")
    slices = array
    if array.ndim != updates.ndim or not array.flags.c_contiguous:
        depth = array.ndim - updates.ndim + 1
        slices = copies.contiguous(array).reshape(
            math.prod(array.shape[:depth]), *array.shape[depth:]
        )
    _apply_to_slices(slices, kind, places, updates)
    if slices is not array and not np.may_share_memory(slices, array):
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
    """Whether any place occurs more than once."""
    if places.size <= _FEW:
        return bool(len(set(places.tolist())) != places.size)
    return bool(np.unique(places).size != places.size)


# Ops


def _writing(type_name: str, **options: Any) -> Callable[..., Op]:
    """A decorator that makes the kernel below it an op that writes ``resource`` and has no result."""
    resource = {"resource": lambda value: variable_of(type_name, value)}
    return op(type_name, convert=resource, outputs=(), effect="writes resource", **options)


@op(
    "ReadVariableOp",
    convert={"resource": lambda value: variable_of("ReadVariableOp", value)},
    effect="reads resource",
)
def read(xp, *, resource):
    return resource._snapshot._array


read.shape(lambda resource: Abstract(resource._snapshot._shape_tuple(), resource.dtype))


@_writing("AssignVariableOp")
def assign(xp, value, *, resource):
    check_value("AssignVariableOp", resource, value)
    if not resource.shape.is_compatible_with(value.shape):
        refuse(
            f"Cannot assign a value of shape {list(value.shape)} to a variable "
            f"of shape {resource.shape}."
        )
    resource._assign_array(value)
    return ()


@_writing("AssignAddVariableOp")
def assign_add(xp, value, *, resource):
    return _added("AssignAddVariableOp", resource, value, subtract=False)


@_writing("AssignSubVariableOp")
def assign_sub(xp, value, *, resource):
    return _added("AssignSubVariableOp", resource, value, subtract=True)


def _added(op: str, resource: Any, value: Array, subtract: bool) -> tuple[()]:
    shape = resource._snapshot._shape_tuple()
    if shape != value.shape:
        refuse(
            f"Cannot update variable with shape {list(shape)} using a Tensor "
            f"with shape {list(value.shape)}, shapes must be equal.",
            op=op,
        )
    check_value(op, resource, value)
    check_dtype(op, "Add", resource.dtype)
    resource._add_inplace(value, subtract)
    return ()


def _scatter(type_name: str) -> Op:
    """The op that updates slices along the first axis or, for "ResourceScatterNd...", at index vectors."""
    name = type_name.removeprefix("ResourceScatter")
    find = points if name.startswith("Nd") else rows

    def kernel(xp, indices, updates, *, resource):
        check_indices(type_name, dtypes.from_numpy(indices.dtype))
        check_value(type_name, resource, updates)
        check_dtype(type_name, name, resource.dtype)
        if name == "Div":
            check_divisor(type_name, updates)
        places, slices = find(type_name, resource._snapshot._shape_tuple(), indices, updates)
        resource._write(lambda array: apply(array, name, places, slices))
        return ()

    kernel.__name__ = f"scatter_{name.lower()}"
    return _writing(type_name, dtypes={"indices": None, "updates": None})(kernel).no_gradient()


SCATTERS = {
    operation.type.removeprefix("ResourceScatter"): operation
    for operation in (
        _scatter("ResourceScatterUpdate"),
        _scatter("ResourceScatterAdd"),
        _scatter("ResourceScatterSub"),
        _scatter("ResourceScatterMul"),
        _scatter("ResourceScatterDiv"),
        _scatter("ResourceScatterMax"),
        _scatter("ResourceScatterMin"),
        _scatter("ResourceScatterNdUpdate"),
        _scatter("ResourceScatterNdAdd"),
        _scatter("ResourceScatterNdSub"),
        _scatter("ResourceScatterNdMax"),
        _scatter("ResourceScatterNdMin"),
    )
}
"""The ops behind the methods ``scatter_...`` of variables."""


@_writing("ResourceStridedSliceAssign")
def assign_slice_op(xp, value, *, resource, index):
    """``index`` is a NumPy index in which nothing depends on the variable's shape."""
    check_value("ResourceStridedSliceAssign", resource, value)

    def write(array: Array) -> None:
        try:
            part = array[index]
        except (IndexError, OverflowError, ValueError) as error:
            raise wrong_index(index, array.shape, error) from None
        try:
            part[...] = value
        except ValueError:
            refuse(
                f"Cannot broadcast input shape {list(value.shape)} into final shape "
                f"{list(part.shape)}"
            )

    resource._write(write)
    return ()


def assign_slice(variable: Any, slice_spec: Any, value: EagerTensor) -> None:
    """Write ``value``, broadcast to the slice's shape, into the slice of the variable."""
    index = assigned_index(slice_spec)
    assign_slice_op.apply([value], (variable, index))


@op(
    "ResourceCountUpTo",
    convert={"resource": lambda value: variable_of("ResourceCountUpTo", value)},
    effect="writes resource",
)
def count_up_to(xp, *, resource, limit, T=None):
    """The value before one is added to it. ``T`` is accepted and ignored."""
    if resource.dtype.name not in ("int32", "int64") or resource._snapshot._shape_tuple():
        refuse(f"count_up_to expects a scalar variable of int32 or int64, not {resource!r}.")
    before = resource._snapshot._array
    if before >= limit:
        refuse(f"Reached limit of {limit}", error=errors.OutOfRangeError)
    resource._assign_array(np.asarray(before + np.ones((), before.dtype)))
    return before


count_up_to.shape(lambda resource: Abstract((), resource.dtype))


for _op in (read, assign, assign_add, assign_sub, assign_slice_op, count_up_to):
    _op.no_gradient()
