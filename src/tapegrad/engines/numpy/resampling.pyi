"""Types of the compiled module `tapegrad.engines.numpy.resampling`."""

from typing import Any

import numpy as np

from tapegrad.engines.numpy.lanes import Lane

Array = np.ndarray[Any, Any]

def weighted_rows(x: Array, axis: int, indices: Array, weights: Array) -> Array | None: ...

moments: Lane
bias_add: Lane
