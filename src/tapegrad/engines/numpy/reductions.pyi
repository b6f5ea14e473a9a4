"""Types of the compiled module `tapegrad.engines.numpy.reductions`."""

from typing import Any

import numpy as np

from tapegrad.engines.numpy.lanes import Lane

Array = np.ndarray[Any, Any]
Axis = int | tuple[int, ...] | None

def sum_axes(x: Array, axis: Axis, keepdims: bool) -> Array | None: ...
def mean_axes(x: Array, axis: Axis, keepdims: bool) -> Array | None: ...
def max_axes(x: Array, axis: Axis, keepdims: bool) -> Array | None: ...
def min_axes(x: Array, axis: Axis, keepdims: bool) -> Array | None: ...
def sum_to_shape(x: Array, shape: tuple[int, ...]) -> Array | None: ...

sum_lane: Lane
mean_lane: Lane
max_lane: Lane
product_lane: Lane
norm_lane: Lane
squares_lane: Lane
trace_lane: Lane
total_lane: Lane
min_lane: Lane
