"""Types of the compiled module `tapegrad.engines.numpy.conversions`."""

from typing import Any

import numpy as np

from tapegrad.engines.numpy.lanes import Lane

cast: Lane
choice: Lane

def to_integers(array: np.ndarray[Any, Any], dtype: Any) -> np.ndarray[Any, Any]: ...
