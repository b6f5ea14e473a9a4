"""Types of the compiled module `tapegrad.engines.numpy.convolution`."""

from typing import Any

import numpy as np

from tapegrad.engines.numpy.epilogues import Epilogue

Array = np.ndarray[Any, Any]
Places = tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[int, ...]]

def convolution(
    x: Array, filters: Array, places: Places, epilogue: Epilogue | None = None
) -> Array: ...
def convolution_by_input(
    shape: tuple[int, ...], filters: Array, dy: Array, places: Places
) -> Array: ...
def convolution_by_filter(x: Array, shape: tuple[int, ...], dy: Array, places: Places) -> Array: ...
