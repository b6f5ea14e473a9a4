"""NumPy's and SciPy's linear algebra on the calling thread alone. Kernels call LAPACK only through it.

OpenBLAS's own threads wait for each other by spinning. Beside other programs a decomposition of a few hundred
rows then takes many times longer than on one thread (`docs/decisions/linear-algebra.md`).
"""

from __future__ import annotations

import functools

import numpy as np

from tapegrad import extras
from tapegrad.engines.numpy.blas import OnOneThread


class Library:
    """The functions of ``numpy.linalg``, each made `OnOneThread`."""

    def __getattr__(self, name: str) -> OnOneThread:
        if name.startswith("__"):
            raise AttributeError(name)
        function = OnOneThread(getattr(np.linalg, name), of_numpy=True)
        setattr(self, name, function)
        return function


linalg = Library()
# OpenBLAS shares dot products of more than 10,000 elements among its threads, too.
dot = OnOneThread(np.dot, of_numpy=True)


@functools.cache
def scipys(module: str, name: str, user: str) -> OnOneThread:
    """The function ``name`` of a module of SciPy, for the public function ``user``."""
    return OnOneThread(getattr(extras.imported("scipy", module, user), name))
