"""The default engine: NumPy's arrays and kernels, SciPy's special functions, and a few of our own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tapegrad.engines.numpy import quiet
from tapegrad.engines.numpy.namespace import xp as xp


def elementwise(function: str, arrays: Sequence[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any]:
    """``xp.function(*arrays)`` for dtypes for which the ufunc has no plain loop.

    Half types are computed in float32 and the result is rounded once. bfloat16 never uses loops of its own:
    they are no more exact, and some are missing.
    """
    ufunc = getattr(xp, function)
    dtype = arrays[0].dtype
    token = quiet.variable.set(quiet.ignored)
    try:
        if dtype.itemsize == 2 and dtype.kind in "fV":
            out = np.asarray(ufunc(*(array.astype(np.float32) for array in arrays)))
            return out.astype(dtype) if out.dtype == np.float32 else out
        out = ufunc(*arrays)
    finally:
        quiet.variable.reset(token)
    if isinstance(out, np.ndarray):
        return out
    # For arrays without axes NumPy returns scalars. A string must not become NumPy's own kind of string.
    if not isinstance(out, (str, bytes)):
        return np.asarray(out)
    boxed = np.empty((), object)
    boxed[()] = out
    return boxed
