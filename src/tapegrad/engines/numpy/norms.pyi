"""Types of the compiled module `tapegrad.engines.numpy.norms`."""

from typing import Any

import numpy as np

from tapegrad.engines.numpy.lanes import Lane

Array = np.ndarray[Any, Any]
Ints = tuple[int, ...]

def has_layout(shape: Ints, axes: Ints) -> bool: ...
def moments(x: Array, axes: Ints) -> tuple[Array, Array]: ...
def weighted_sums(dy: Array, x: Array, mean: Array, axes: Ints) -> tuple[Array, Array]: ...
def normalize(x: Array, mean: Array, factor: Array, offset: Array, axes: Ints) -> Array: ...
def add_normalized(
    whole: Array, x: Array, mean: Array, factor: Array, offset: Array, axes: Ints
) -> bool: ...
def scale_gradient(dy: Array, factor: Array, axes: Ints) -> Array: ...
def project_gradient(
    dy: Array, x: Array, factor: Array, mean: Array, slope: Array, offset: Array, axes: Ints
) -> Array: ...
def normalize_rows(x: Array, mean: Array, factor: Array, scale: Array, offset: Array) -> Array: ...
def normalize_rows_grad(
    dy: Array, x: Array, mean: Array, factor: Array, scale: Array
) -> tuple[Array, Array, Array, Array, Array]: ...

mean_and_variance: Lane
deviation: Lane
normalization: Lane
batch_normalization: Lane
