"""Fourier transforms over some axes of an array: SciPy's where it is installed, and NumPy's elsewhere.

SciPy's go through several rows at once, and share them among threads. On one thread they take a fifth to
two thirds of the time of NumPy's.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from tapegrad import extras

Array = np.ndarray[Any, Any]


@functools.cache
def _scipys() -> Any:
    """The module ``scipy.fft``, or None."""
    try:
        return extras.imported("scipy", "scipy.fft", "A transform on several threads")
    except extras.MissingPackage:
        return None


@functools.cache
def rows_have_bits_of_their_own() -> bool:
    """Whether a row has the same bits alone and beside others, so that threads may share the rows.

    SciPy transforms as many rows at once as a vector holds, and those that are left one by one. Which rows
    are left depends on the number of threads. Where a compiler joined products and sums, as it does for
    64-bit ARM, it joins others in vectors, and the last bits differ.
    """
    scipys = _scipys()
    if scipys is None:
        return True
    row = np.sin(np.arange(64.0)).astype("complex64")
    # One more than any vector holds.
    among_others = scipys.fft(np.tile(row, (17, 1)))
    return bool(among_others[0].tobytes() == among_others[-1].tobytes())


def transform(
    name: str, array: Array, lengths: Sequence[int], axes: Sequence[int], workers: int
) -> Array:
    """The transform ``name`` of ``numpy.fft``, on so many threads if SciPy does it."""
    scipys = _scipys()
    result: Array
    if scipys is None:
        result = getattr(np.fft, name)(array, lengths, axes)
    else:
        result = getattr(scipys, name)(array, lengths, axes, workers=workers)
    return result
