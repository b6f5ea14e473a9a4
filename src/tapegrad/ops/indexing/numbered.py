"""Indices into the items of a batch as indices into all of them, for gathers and segments."""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.ops.batching import Items
from tapegrad.ops.op import op


@op("_IndicesOfAll", dtypes={dtypes.int16, dtypes.int32, dtypes.int64})
def indices_of_all(xp: Any, indices: Any, *, axis: int, size: int) -> Any:
    """Indices into items of ``size`` rows, as indices into the rows of all items end to end.

    ``axis`` counts the items. Negative indices, which some ops ignore, are left negative.
    """
    if indices.size and indices.max() >= size:
        raise ValueError(f"the index {indices.max()} is beyond the {size} rows of an item")
    count = indices.shape[axis]
    first = (
        np.arange(count, dtype=np.int64).reshape((count, *[1] * (indices.ndim - axis - 1))) * size
    )
    kind = np.int64 if count * size >= 2**31 or indices.dtype.itemsize > 4 else np.int32
    return np.where(indices < 0, indices, indices + first).astype(kind)


indices_of_all.no_gradient()
indices_of_all.batching(lambda items, indices, axis, size: items.run(indices, axis=axis + 1))


def numbered(items: Items, indices: Any, size: int) -> Any:
    """Indices into items of ``size`` rows, as indices into the rows of all items end to end."""
    return items.call(indices_of_all, indices, axis=0, size=size)
