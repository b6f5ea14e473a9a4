"""The default engine: NumPy's arrays and kernels, SciPy's special functions, and a few of our own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapegrad.engines.numpy.namespace import xp as xp


def elementwise(function: str, arrays: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """``xp.function(*arrays)`` for dtypes that the ufunc has no plain loop for."""
    out = getattr(xp, function)(*arrays)
    if isinstance(out, np.ndarray):
        return out
    # For arrays without axes NumPy returns scalars. A string must not become NumPy's own kind of string.
    if not isinstance(out, (str, bytes)):
        return np.asarray(out)
    boxed = np.empty((), object)
    boxed[()] = out
    return boxed
