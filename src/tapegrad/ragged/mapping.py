"""`tf.map_fn` over ragged tensors, or to ragged results."""

from __future__ import annotations

from typing import Any

from tapegrad.core import convert
from tapegrad.errors import refuse
from tapegrad.framework import nest
from tapegrad.ops.program.loop_variables import stops_gradients, without_gradients
from tapegrad.ops.shape.joining import stack
from tapegrad.ragged.convert import ragged_of_lists
from tapegrad.ragged.ragged_tensor import RaggedTensor, nrows_of, values_of
from tapegrad.ragged.rows import concat_rows, even, rank_of, wrapped
from tapegrad.ragged.spec import RaggedTensorSpec


def map_fn(
    function: Any,
    fn: Any,
    elems: Any,
    dtype: Any = None,
    parallel_iterations: Any = None,
    back_prop: bool = True,
    swap_memory: bool = False,
    infer_shape: bool = True,
    name: Any = None,
    fn_output_signature: Any = None,
) -> Any:
    """The ragged override of `tf.map_fn`: ``fn`` gets the rows of ragged tensors, tensors or ragged."""
    leaves = [values_of(leaf) for leaf in nest.flatten(elems)]
    counts = {nrows_of(leaf) for leaf in leaves}
    if len(counts) != 1:
        raise ValueError(f"All elems must have as many rows; they have {sorted(counts)}.")
    signature = dtype if fn_output_signature is None else fn_output_signature
    if stops_gradients(back_prop):
        return without_gradients(map_fn(function, fn, elems, fn_output_signature=signature))
    structure = elems if signature is None else signature
    kinds = leaves if signature is None else nest.flatten(signature)
    results = []
    for place in range(counts.pop()):
        rows = nest.pack_sequence_as(elems, [leaf[place] for leaf in leaves])
        result = fn(rows if nest.is_nested(elems) else nest.flatten(rows)[0])
        nest.assert_same_structure(structure, result)
        results.append([values_of(leaf) for leaf in nest.flatten(result)])
    stacked = [
        together(kind, [result[place] for result in results]) for place, kind in enumerate(kinds)
    ]
    return nest.pack_sequence_as(structure, stacked) if nest.is_nested(structure) else stacked[0]


def together(kind: Any, rows: list[Any]) -> Any:
    """The results of one leaf, stacked: ragged if the leaf of the signature is."""
    if not isinstance(kind, (RaggedTensorSpec, RaggedTensor)):
        if not rows:
            refuse("tf.map_fn() of no rows needs a fn_output_signature of a ragged tensor here.")
        return stack([convert(row) for row in rows])
    if not rows:
        shape = kind.shape.as_list() if kind.shape.rank else [None]
        return ragged_of_lists(
            [], 1, tuple(size or 0 for size in shape[1:]), kind.dtype, kind_splits_dtype(kind)
        )
    inner = kind.ragged_rank - (1 if isinstance(kind, RaggedTensor) else 0)
    for row in rows:
        if rank_of(row) == 0:
            refuse(
                "tf.map_fn() expected rows for a ragged result, and fn returned a scalar: say so with "
                "fn_output_signature."
            )
        if (row.ragged_rank if isinstance(row, RaggedTensor) else 0) != inner:
            raise ValueError(
                f"Error in map_fn: fn was expected to return rows of ragged_rank {inner}, and it returned "
                f"a {type(row).__name__} of shape {row.shape}: say so with fn_output_signature."
            )
        if isinstance(kind, RaggedTensorSpec) and not (
            row.dtype is kind.dtype and kind.shape.is_compatible_with(row.shape)
        ):
            raise ValueError(
                f"Error in map_fn: fn was expected to return {kind!r}, and it returned "
                f"{row.dtype.name} of shape {row.shape}: say so with fn_output_signature."
            )
        if row.dtype is not kind.dtype:
            refuse(
                f"tf.map_fn() expected fn to return {kind.dtype.name}, and it returned "
                f"{row.dtype.name}: say so with fn_output_signature."
            )
    batch = concat_rows([wrapped(row, kind_splits_dtype(kind)) for row in rows])
    known = isinstance(kind, RaggedTensorSpec) and kind.shape.rank is not None
    return even(batch, kind.shape.as_list()) if known else batch


def kind_splits_dtype(kind: Any) -> Any:
    splits = kind.row_splits_dtype if isinstance(kind, RaggedTensorSpec) else kind.row_splits.dtype
    return splits
