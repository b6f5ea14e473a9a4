"""Types of the compiled module `tapegrad.engines.numpy.programs`."""

from typing import Any

import numpy as np

from tapegrad.engines.numpy.loops import Loops

Array = np.ndarray[Any, Any]

FIRST_STEP: int

def loops_for(ufunc: np.ufunc) -> Loops: ...
def result_type(loops: Loops, dtype: np.dtype[Any]) -> np.dtype[Any] | None: ...

class Program:
    inputs: int
    constants: list[Array]
    length: int
    def __init__(
        self,
        types: list[np.dtype[Any]],
        constants: list[Array],
        steps: list[tuple[Loops | str, np.dtype[Any], np.dtype[Any], tuple[int, ...]]],
        result: int,
        out_dtype: np.dtype[Any],
    ) -> None: ...
    def __call__(self, *arrays: Array) -> Array: ...
