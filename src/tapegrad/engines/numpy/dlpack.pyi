"""Types of the compiled module `tapegrad.engines.numpy.dlpack`."""

from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

VERSION: tuple[int, int]
READ_ONLY: int
COPIED: int
CODES: dict[str, tuple[int, int]]

def to_capsule(array: Array, version: tuple[int, int] | None = None, flags: int = 0) -> Any: ...
def from_capsule(capsule: Any) -> tuple[Array, int]: ...
