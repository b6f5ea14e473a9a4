"""Types of the compiled module `tapegrad.engines.numpy.resampling`."""

from typing import Any

import numpy as np

from tapegrad.engines.numpy.lanes import Lane

Array = np.ndarray[Any, Any]

def weighted_rows(x: Array, axis: int, indices: Array, weights: Array) -> Array | None: ...
def sum_of_neighbours(x: Array, radius: int) -> Array | None: ...
def remember_taps(
    method: str,
    height: int,
    width: int,
    attributes: tuple[Any, ...],
    rows: tuple[Array, Array],
    columns: tuple[Array, Array],
) -> None: ...

nearest: Lane
bilinear: Lane
bicubic: Lane
area: Lane
bias_add: Lane
response: Lane
