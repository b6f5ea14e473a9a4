"""Types of the compiled module `tapegrad.engines.numpy.softmax`."""

from typing import Any

import numpy as np

from tapegrad.engines.numpy.lanes import Lane

Array = np.ndarray[Any, Any]

def softmax(x: Array, axis: int) -> Array: ...
def log_softmax(x: Array, axis: int) -> Array: ...
def softmax_grad(dy: Array, y: Array, axis: int) -> Array: ...
def log_softmax_grad(dy: Array, y: Array, axis: int) -> Array: ...
def softmax_cross_entropy(logits: Array, labels: Array) -> tuple[Array, Array]: ...
def sparse_softmax_cross_entropy(logits: Array, labels: Array) -> tuple[Array, Array]: ...

logsumexp_lane: Lane
sparse_cross_entropy_lane: Lane
cross_entropy_lane: Lane
