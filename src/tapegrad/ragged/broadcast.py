"""Operands brought to one shape, ragged or dense, and functions of the values of ragged tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad.core import Tensor, VariableBase, convert, public, static_value
from tapegrad.errors import refuse
from tapegrad.ops.shape.array import reshape
from tapegrad.ragged.ragged_tensor import RaggedTensor, nrows_of, rebuilt, same_rows
from tapegrad.ragged.row_partition import RowPartition, common_dtype, same_partition
from tapegrad.ragged.rows import as_ragged, of_dtype, rank_of, take, take_numbers, wrapped

PUBLIC = {"ragged compat.v1.ragged": "map_flat_values"}


@public
def map_flat_values(op: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """``op`` of the innermost values of the ragged tensors among the arguments, in the same rows.

    >>> tf.ragged.map_flat_values(tf.square, tf.ragged.constant([[3, 1], [], [4]]))
    <tf.RaggedTensor [[9, 1], [], [16]]>

    Args:
        op: a function that returns as many values as it gets.
        args, kwargs: its arguments. All ragged tensors among them, also in lists, must have the same rows.
    """
    ragged_tensors: list[RaggedTensor] = []
    args, kwargs = flattened((args, kwargs), ragged_tensors)
    if not ragged_tensors:
        return op(*args, **kwargs)
    ragged_tensors = of_one_dtype(ragged_tensors)
    # Compared, and not put into a set: the hash of a size that is open would fix it.
    sizes = [nrows_of(ragged.flat_values) for ragged in ragged_tensors]
    if any(size != sizes[0] for size in sizes[1:]):
        raise ValueError(
            "Input RaggedTensors' flat_values must all have the same outer-dimension size.  "
            f"Got sizes: {set(sizes)}"
        )
    for other in ragged_tensors[1:]:
        if not same_rows(ragged_tensors[0], other):
            refuse("Inputs must have identical ragged splits.")
    values = op(*args, **kwargs)
    if not isinstance(values, RaggedTensor):
        values = convert(values)
    if rank_of(values) == 0 or nrows_of(values) != sizes[0]:
        raise ValueError(
            "tf.ragged.map_flat_values requires that the output of `op` have the same outer-dimension "
            f"size as flat_values of any ragged inputs. (output shape: {values.shape}; expected outer "
            f"dimension size: {sizes[0]})"
        )
    return rebuilt(values, ragged_tensors[0]._nested_row_partitions)


def flattened(value: Any, ragged_tensors: list[RaggedTensor]) -> Any:
    """``value`` with its ragged tensors replaced by their innermost values; ``ragged_tensors`` gets them."""
    if isinstance(value, RaggedTensor):
        ragged_tensors.append(value)
        return value.flat_values
    if type(value) in (list, tuple):
        return type(value)([flattened(part, ragged_tensors) for part in value])
    if type(value) is dict:
        return {key: flattened(part, ragged_tensors) for key, part in value.items()}
    return value


def of_one_dtype(tensors: list[RaggedTensor]) -> list[RaggedTensor]:
    dtype = common_dtype([tensor._row_partition for tensor in tensors])
    return [tensor.with_row_splits_dtype(dtype) for tensor in tensors]


# --- Overrides of elementwise functions


def elementwise(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A ragged override: ``function`` of the values of the ragged tensors, which must have the same rows."""
    return map_flat_values(function, *args, **kwargs)


def of_two(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """A ragged override: ``function`` of two operands that are broadcast against each other."""
    names = operand_names(function)
    operands = [*args[:2], *[kwargs.pop(name) for name in names[len(args) :] if name in kwargs]]
    values, partitions = aligned(operands)
    return rebuilt(function(*values, *args[2:], **kwargs), partitions)


def operand_names(function: Any) -> tuple[str, ...]:
    code = getattr(function, "__code__", None)
    names: tuple[str, ...] = function.inputs if code is None else code.co_varnames
    return names[:2]


def aligned(operands: list[Any]) -> tuple[list[Any], list[RowPartition]]:
    """The innermost values of operands broadcast to one shape, and their row partitions.

    The values still broadcast against each other along the axes inside the rows.
    """
    ragged = of_one_dtype([operand for operand in operands if isinstance(operand, RaggedTensor)])
    dtype, splits_dtype = ragged[0].dtype, ragged[0]._row_partition.dtype
    operands = [
        of_dtype(operand, splits_dtype)
        if isinstance(operand, RaggedTensor)
        else convert(operand)
        if isinstance(operand, (Tensor, VariableBase))
        else convert(operand, dtype)
        for operand in operands
    ]
    if all(
        rank_of(operand) == 0 or isinstance(operand, RaggedTensor) for operand in operands
    ) and all(same_rows(ragged[0], other) for other in ragged[1:]):
        return [
            operand.flat_values if isinstance(operand, RaggedTensor) else operand
            for operand in operands
        ], list(ragged[0]._nested_row_partitions)
    rank = max(rank_of(operand) for operand in operands)
    levels = max(rank - rank_of(tensor) + tensor.ragged_rank for tensor in ragged)
    inner = rank - levels - 1
    ready: dict[int, Any] = {}
    rows: dict[int, Any] = {}
    for place, operand in enumerate(operands):
        shape = () if isinstance(operand, RaggedTensor) else operand._shape_tuple()
        outer = len(shape) - inner
        if not isinstance(operand, RaggedTensor) and (outer <= 0 or set(shape[:outer]) == {1}):
            ready[place] = reshape(operand, shape[max(outer, 0) :])
            continue
        while rank_of(operand) < rank:
            operand = (
                wrapped(operand)
                if isinstance(operand, RaggedTensor)
                else reshape(operand, (1,) * (rank - len(shape)) + shape)
            )
        rows[place] = as_ragged(operand, splits_dtype, levels)
    align_outermost(rows)
    partitions = [align_level(rows) for _ in range(levels)]
    values = ready | rows
    return [values[place] for place in range(len(operands))], partitions


def align_outermost(rows: dict[int, Any]) -> None:
    """Repeat the only row of an operand as often as others have rows."""
    counts = {nrows_of(operand) for operand in rows.values()}
    if len(counts - {1}) > 1:
        refuse(f"Ragged operands of {sorted(counts)} rows cannot be broadcast to one shape.")
    count = next(iter(counts - {1}), 1)
    for place, operand in rows.items():
        if nrows_of(operand) != count:
            rows[place] = take_numbers(operand, np.zeros(count, np.int64))


def align_level(rows: dict[int, Any]) -> RowPartition:
    """Bring the rows of all operands to the same lengths, and descend to their values. Returns the rows.

    An axis of size 1 is repeated. Rows that merely happen to have length 1 are not, as in TensorFlow.
    """
    partitions = {place: operand._row_partition for place, operand in rows.items()}
    longer = [partition for partition in partitions.values() if not is_single(partition)]
    known = [partition for partition in longer or partitions.values() if partition.is_uniform()]
    chosen: RowPartition = (known or longer or list(partitions.values()))[0]
    for place, partition in partitions.items():
        values = rows[place].values
        if not same_partition(chosen, partition):
            if not is_single(partition):
                first, second = (
                    static_value(operand.row_splits(), "rows").tolist()
                    for operand in (chosen, partition)
                )
                refuse(
                    "Ragged operands cannot be broadcast to one shape, because their rows have "
                    f"different lengths: row_splits are {first[:10]} and {second[:10]}."
                )
            values = take(values, chosen.value_rowids())
        rows[place] = values
    return chosen


def is_single(partition: RowPartition) -> bool:
    """Whether the rows are known to have one element each: an axis that is broadcast."""
    return partition.static_uniform_row_length == 1
