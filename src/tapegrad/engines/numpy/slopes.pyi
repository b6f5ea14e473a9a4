"""Types of the compiled module `tapegrad.engines.numpy.slopes`."""

from typing import Any

import numpy as np

from tapegrad.engines.numpy.lanes import Lane

Array = np.ndarray[Any, Any]

def clip_gradient(dy: Array, x: Array, low: Array, high: Array) -> Array | None: ...
def quotient_slope(xp: Any, dy: Array, y: Array, out: Array) -> Array | None: ...
def quotient_slope_no_nan(xp: Any, dy: Array, y: Array, out: Array) -> Array | None: ...

leaky_relu: Lane
leaky_relu_grad: Lane
clip: Lane
squared_difference: Lane
