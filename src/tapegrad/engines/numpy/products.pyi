"""Types of the compiled module `tapegrad.engines.numpy.products`."""

from typing import Any

import numpy as np

from tapegrad.engines.numpy.lanes import Lane

Array = np.ndarray[Any, Any]

def matmul(
    a: Array,
    b: Array,
    transpose_a: bool = False,
    transpose_b: bool = False,
    adjoint_a: bool = False,
    adjoint_b: bool = False,
) -> Array: ...

matrix_lane: Lane
batch_lane: Lane
sum_of_products: Lane
