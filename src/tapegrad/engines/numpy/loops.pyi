"""Types of the compiled module `tapegrad.engines.numpy.loops`."""

import numpy as np

class Loops:
    ufunc: np.ufunc
    nin: int
    def __init__(self, ufunc: np.ufunc) -> None: ...
