"""The default engine: NumPy's arrays and kernels, SciPy's special functions, and a few of our own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapegrad.engines.numpy.kernels import replacements
from tapegrad.engines.numpy.namespace import xp as xp


def elementwise(function: str, arrays: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """``xp.function(*arrays)``, by the same loops as `Loops`: all ways to an op give the same bits."""
    ufunc = getattr(xp, function)
    if all(array.dtype.char in "fd" for array in arrays):
        ufunc = replacements.get(ufunc, ufunc)
    out = ufunc(*arrays)
    if isinstance(out, np.ndarray):
        return out
    # For arrays without axes NumPy returns scalars. A string must not become NumPy's own kind of string.
    if not isinstance(out, (str, bytes)):
        return np.asarray(out)
    boxed = np.empty((), object)
    boxed[()] = out
    return boxed
