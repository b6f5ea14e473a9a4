"""Types of the compiled module `tapegrad.engines.numpy.slicing`."""

from collections.abc import Iterable
from typing import Any

import numpy as np

from tapegrad.engines.numpy.lanes import Lane

Array = np.ndarray[Any, Any]

def plain_index(slice_spec: Any) -> Any: ...
def part_of(array: Any, index: Any) -> Any: ...
def put(shape: tuple[int, ...], part: Array, index: Any) -> Array | None: ...
def add_part(whole: Array, part: Any, shape: tuple[int, ...], index: Any) -> bool: ...
def cut(array: Array, sizes: Iterable[int], axis: int) -> list[Array]: ...
def slices(array: Array, axis: int) -> list[Array]: ...

take: Lane
put_back: Lane
split: Lane
unpack: Lane
