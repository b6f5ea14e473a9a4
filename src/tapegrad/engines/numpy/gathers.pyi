"""Types of the compiled module `tapegrad.engines.numpy.gathers`."""

from typing import Any, Literal

import numpy as np

from tapegrad.engines.numpy.lanes import Lane

Array = np.ndarray[Any, Any]

def first_outside(indices: Array, limit: int) -> int: ...
def flatten(vectors: Array, sizes: tuple[int, ...]) -> tuple[Array, int]: ...
def gather(params: Array, indices: Array, axis: int) -> Array | None: ...
def scatter(
    target: Array,
    indices: Array,
    updates: Array,
    kind: Literal["add", "subtract", "multiply", "maximum", "minimum", "update"] = ...,
    axis: int = ...,
) -> bool: ...

rows: Lane
gather_nd: Lane
scatter_nd: Lane
scatter_add: Lane
scatter_subtract: Lane
scatter_update: Lane
