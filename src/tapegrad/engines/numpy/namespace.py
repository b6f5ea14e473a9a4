"""The array namespace of the NumPy engine: our own functions, and NumPy's."""

from __future__ import annotations

from types import ModuleType
from typing import Any

import numpy as np

from tapegrad.engines.numpy import (
    buffers,
    kernels,
    lapack,
    norms,
    products,
    reductions,
    softmax,
)


def _lazily_loaded(name: str) -> Any:
    """A function of the modules that are loaded late, or None."""
    from tapegrad.engines.numpy import convolution, special, windows

    for module in (convolution, windows, special):
        function = getattr(module, name, None)
        if function is not None:
            return function
    return None


class Namespace(ModuleType):
    """``xp.name``: ours, else NumPy's."""

    def __getattr__(self, name: str) -> Any:
        for module in (kernels, products, lapack, reductions, softmax, norms, buffers, np):
            function = getattr(module, name, None)
            if function is not None:
                break
        else:
            function = _lazily_loaded(name)
            if function is None:
                raise AttributeError(f"neither NumPy nor tapegrad has a function {name!r}")
        setattr(self, name, function)
        return function


xp = Namespace("tapegrad.engines.numpy.xp")
