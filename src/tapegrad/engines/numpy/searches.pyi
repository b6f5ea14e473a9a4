"""Types of the compiled module `tapegrad.engines.numpy.searches`."""

from typing import Any

import numpy as np

from tapegrad.engines.numpy.lanes import Lane

def within(indices: np.ndarray[Any, Any], limit: int) -> bool | None: ...

argmax: Lane
argmin: Lane
any_true: Lane
all_true: Lane
count_nonzero: Lane
lower_bound: Lane
upper_bound: Lane
places: Lane
unique: Lane
