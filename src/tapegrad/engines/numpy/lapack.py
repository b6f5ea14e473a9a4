"""NumPy's and SciPy's linear algebra on the calling thread alone. Kernels call LAPACK only through it.

OpenBLAS's own threads wait for each other by spinning. Beside other programs a decomposition of a few hundred
rows then takes many times longer than on one thread (`docs/decisions/linear-algebra.md`).
"""

from __future__ import annotations

import importlib

import numpy as np

from tapegrad.engines.numpy.blas import OnOneThread


class Library:
    """The functions of a module, each made `OnOneThread`. The module is imported with the first of them."""

    def __init__(self, module: str) -> None:
        self.__name__ = module

    def __getattr__(self, name: str) -> OnOneThread:
        if name.startswith("__"):
            raise AttributeError(name)
        function = OnOneThread(
            getattr(importlib.import_module(self.__name__), name), self.__name__ == "numpy.linalg"
        )
        setattr(self, name, function)
        return function


linalg = Library("numpy.linalg")
scipy_linalg = Library("scipy.linalg")
scipy_blas = Library("scipy.linalg.blas")
scipy_lapack = Library("scipy.linalg.lapack")
# OpenBLAS shares dot products of more than 10,000 elements among its threads, too.
dot = OnOneThread(np.dot, of_numpy=True)
