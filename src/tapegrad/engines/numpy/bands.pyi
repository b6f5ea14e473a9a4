"""Types of the compiled module `tapegrad.engines.numpy.bands`."""

from typing import Any

import numpy as np

from tapegrad.engines.numpy.lanes import Lane

def full(shape: tuple[int, ...], value: Any, dtype: Any) -> np.ndarray[Any, Any]: ...
def largest(numbers: np.ndarray[Any, Any]) -> int: ...

band_part: Lane
set_diagonal: Lane
matrix_diagonal: Lane
fill: Lane
numbers_between: Lane
even_numbers: Lane
eye: Lane
one_hot: Lane
count_integers: Lane
