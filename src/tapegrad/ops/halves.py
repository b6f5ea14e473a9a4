"""float16 and bfloat16 in kernels: no library computes in them, so kernels go through float32."""

from __future__ import annotations

from typing import Any

import numpy as np


def is_half(dtype: np.dtype[Any]) -> bool:
    """Whether ``dtype`` is float16 or bfloat16."""
    return dtype.itemsize == 2 and dtype.kind in "fV"


def widened(values: Any) -> Any:
    """``values`` in float32 if they are halves, else as they are. The caller rounds the result back, once."""
    return values.astype(np.float32) if is_half(values.dtype) else values
