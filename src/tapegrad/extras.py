"""Packages that only some functions need: extras of ours, imported when such a function is called."""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Extra -> the name that its package has in words, and when it is imported.
PACKAGES = {
    "images": ("Pillow", "PIL"),
    "lite": ("ai-edge-litert", "ai_edge_litert"),
    "saving": ("safetensors", "safetensors"),
    "scipy": ("SciPy", "scipy"),
}


class MissingPackage(ImportError):
    """An optional package is not installed."""


def imported(extra: str, module: str, user: str) -> Any:
    """The module ``module`` of the package that ``extra`` brings, for ``user``, such as ``tf.linalg.lu()``.

    Raises:
        MissingPackage: the package is not installed. An error of a package that is installed passes.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        words, package = PACKAGES[extra]
        if error.name is None or error.name.partition(".")[0] != package:
            raise
        raise MissingPackage(
            f"{user} needs the package {words}, which is not installed: "
            f'pip install "tapegrad[{extra}]".',
            name=package,
        ) from None
