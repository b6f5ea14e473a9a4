"""Types of the compiled module `tapegrad.engines.numpy.copies`."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapegrad.engines.numpy.lanes import Lane

Array = np.ndarray[Any, Any]

def copied(array: Array) -> Array: ...
def contiguous(array: Array) -> Array: ...
def zeros(shape: int | tuple[int, ...], dtype: Any = ...) -> Array: ...
def join(arrays: Sequence[Array], axis: int) -> Array | None: ...
def reshape(array: Array, shape: tuple[int, ...]) -> Array: ...

concat: Lane
pack: Lane
roll: Lane
pad: Lane
tile: Lane
mirror: Lane
