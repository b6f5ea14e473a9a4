"""Types of the compiled module `tapegrad.engines.numpy.dlpack`."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

VERSION: tuple[int, int]
READ_ONLY: int
COPIED: int
CODES: dict[str, tuple[int, int]]

def lend(array: Array, version: tuple[int, int] | None = None, flags: int = 0) -> Any: ...
def borrow(capsule: Any) -> tuple[Array, int]: ...
