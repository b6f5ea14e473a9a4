"""Types of the compiled module `tapegrad.engines.numpy.buffers`."""

from typing import Any

import numpy as np

class Buffer: ...

def empty(shape: int | tuple[int, ...], dtype: Any = ...) -> np.ndarray[Any, Any]: ...
def statistics() -> dict[str, int]: ...
