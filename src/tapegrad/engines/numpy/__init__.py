"""The default engine: NumPy's arrays and kernels, and many of our own.

Arrays, threads and libraries:

``namespace``    `xp`, the functions that kernels are written against
``buffers``      memory of arrays, kept for the next ones
``threads``      the threads that share large loops
``levels``       which of the versions of the kernels runs
``loops``        NumPy's inner loops, called directly
``lanes``        compiled ways through ops that are not elementwise
``quiet``        floating-point warnings switched off around kernels
``blas``         which BLAS multiplies matrices
``lapack``       linear algebra on the calling thread alone
``lapack_calls`` functions of LAPACK, called directly
``fourier``      Fourier transforms
``dlpack``       arrays as DLPack capsules and back
``checksums``    CRC-32C

Elementwise functions:

``kernels``     functions that NumPy and SciPy lack or compute slowly
``special``     special functions
``slopes``      kernels that take plain numbers beside arrays
``conversions`` casts, and choices between two arrays
``tracing``     writes programs
``programs``    compositions of elementwise functions, in one pass
``blocks``      steps of recordings, in one pass with several results
``passes``      the passes over memory of blocks

Elements moved, ordered and drawn:

``copies``    any layout into a contiguous one; joins and paddings
``views``     views of whole axes
``slicing``   parts of arrays by basic indices
``gathers``   rows gathered, added and written by their indices
``bands``     bands and diagonals of matrices, filled arrays and sequences
``searches``  where extremes and elements stand
``ranks``     the largest elements of each row
``orders``    rows of numbers in order
``random``    random bits from a key and a counter
``draws``     numbers made of them
``rejection`` numbers that are drawn until a candidate is accepted

Reductions, windows and matrices:

``finite``      whether an array holds NaN or infinity
``reductions``  sums, means, extremes
``norms``       moments and normalisation
``softmax``     softmax, cross entropies, logsumexp
``scans``       running sums and products
``windows``     pooling and depthwise convolutions
``convolution`` convolutions and their gradients
``conv_lanes``  lanes of these, for shapes that were seen
``epilogues``   what follows a convolution, done while its result is in the cache
``taps``        convolutions tap by tap, for NaN and infinity
``resampling``  pictures resampled along an axis
``products``    products of matrices
``triangular``  triangular solutions
``factors``     factors, solutions, inverses and determinants
``orthogonal``  orthogonal factors, eigenvalues, singular values
"""

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
