"""Types of `tf.types.experimental` that `isinstance` takes as well as annotations do."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from tapegrad.core import Operand

PUBLIC = {"types.experimental": "TensorLike"}

TensorLike: TypeAlias = (
    Operand | int | float | bool | str | bytes | complex | tuple | list | np.ndarray | np.generic  # type: ignore[type-arg]
)
