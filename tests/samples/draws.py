"""Inputs for samples: described once, drawn the same everywhere.

A ``Draw`` says what numbers an op is to be tried on ("reals away from zero, 3 by 4") and makes the
array for a dtype when asked. Every number is a small multiple of 1/64, so it is the same on every
machine and exact in most dtypes, and sums of a few of them are exact too. The generator is seeded
by the sample's name and the input's place, so a new row leaves all others as they were.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np

GRID = 64
"""Every drawn number is a multiple of 1/GRID."""

REAL_FLOATS = ("float16", "bfloat16", "float32", "float64")
COMPLEX = ("complex64", "complex128")
SIGNED = ("int8", "int16", "int32", "int64")
UNSIGNED = ("uint8", "uint16", "uint32", "uint64")
ALL_DTYPES = REAL_FLOATS + COMPLEX + SIGNED + UNSIGNED + ("bool",)

_EXTENSION_DTYPES = {"bfloat16": np.dtype(ml_dtypes.bfloat16)}


def numpy_dtype(name: str) -> np.dtype[Any]:
    """The NumPy dtype of a TensorFlow dtype's name."""
    return _EXTENSION_DTYPES.get(name) or np.dtype(name)


class Draw:
    """One input to be drawn: a label for messages and a function of (generator, dtype name).

    ``dtype`` is None for an input that follows the dtype under test, else its own.
    """

    def __init__(
        self,
        label: str,
        make: Callable[[np.random.Generator, str], Any],
        dtype: str | None = None,
    ) -> None:
        self.label = label
        self.dtype = dtype
        self._make = make

    def __repr__(self) -> str:
        return self.label

    def array(self, generator: np.random.Generator, dtype: str) -> np.ndarray[Any, Any]:
        """The array itself, in this input's own dtype or else in ``dtype``."""
        wanted = self.dtype or dtype
        made = np.asarray(self._make(generator, wanted))
        if wanted == "string":
            return made
        target = numpy_dtype(wanted)
        if target.kind == "u" and made.dtype.kind == "f" and np.any(made < 0):
            # C leaves open what a negative number becomes: on x86-64 it wraps, on 64-bit ARM it is 0.
            made = made.astype(np.int64)
        return made.astype(target)


def _label(name: str, shape: tuple[int, ...], *more: object) -> str:
    return f"{name}({', '.join(str(part) for part in (*more, *shape))})"


def _grid(generator: np.random.Generator, low: float, high: float, shape: tuple[int, ...]) -> Any:
    """Multiples of 1/GRID strictly inside (low, high)."""
    first, last = int(np.floor(low * GRID)) + 1, int(np.ceil(high * GRID))
    return generator.integers(first, last, size=shape) / GRID


def between(low: float, high: float, *shape: int, dtype: str | None = None) -> Draw:
    """Numbers strictly inside (low, high); both parts of complex ones; integers from low to high."""

    def make(generator: np.random.Generator, wanted: str) -> Any:
        if wanted in COMPLEX:
            real = _grid(generator, low, high, shape)
            return real + 1j * _grid(generator, low, high, shape)
        if wanted == "bool":
            return generator.integers(0, 2, size=shape)
        if wanted in REAL_FLOATS:
            return _grid(generator, low, high, shape)
        first, last = int(np.ceil(low)), int(np.floor(high))
        if wanted in UNSIGNED:
            first, last = max(first, 0), max(last, 1)
        return generator.integers(first, max(first, last) + 1, size=shape)

    return Draw(_label("between", shape, low, high), make, dtype)


def _away_from_zero(name: str, low: float, high: float, shape: tuple[int, ...]) -> Draw:
    def make(generator: np.random.Generator, wanted: str) -> Any:
        if wanted == "bool":
            return generator.integers(0, 2, size=shape)
        if wanted in REAL_FLOATS:
            sign = 1 - 2 * generator.integers(0, 2, size=shape)
            return sign * _grid(generator, low, high, shape)
        if wanted in COMPLEX:
            sign = 1 - 2 * generator.integers(0, 2, size=(2, *shape))
            real, imaginary = sign * _grid(generator, low, high, (2, *shape))
            return real + 1j * imaginary
        size = generator.integers(1, max(int(high), 2) + 1, size=shape)
        return size if wanted in UNSIGNED else size * (1 - 2 * generator.integers(0, 2, size=shape))

    return Draw(_label(name, shape), make)


def reals(*shape: int) -> Draw:
    """Numbers of both signs, away from zero and not large."""
    return _away_from_zero("reals", 0.15, 3.0, shape)


def nonzero(*shape: int) -> Draw:
    """Numbers of both signs that are good to divide by."""
    return _away_from_zero("nonzero", 0.5, 3.0, shape)


def positive(*shape: int) -> Draw:
    """Numbers above zero; complex ones in the right half plane."""
    return between(0.3, 3.0, *shape)


def unit(*shape: int) -> Draw:
    """Numbers inside (-1, 1), away from both ends."""
    return between(-0.9, 0.9, *shape)


def distinct(*shape: int) -> Draw:
    """Numbers 1/4 apart (1/8 in size), in no order: for what compares or sorts."""

    def make(generator: np.random.Generator, wanted: str) -> Any:
        size = int(np.prod(shape))
        order = generator.permutation(size)
        if wanted == "bool":
            return (order % 2).reshape(shape)
        if wanted in REAL_FLOATS or wanted in COMPLEX:
            return ((order - size // 2) / 4 + 1 / 16).reshape(shape)
        return (order if wanted in UNSIGNED else order - size // 2).reshape(shape)

    return Draw(_label("distinct", shape), make)


def integers(low: int, high: int, *shape: int, dtype: str = "int32") -> Draw:
    """Integers from low up to, not including, high, of a dtype of their own."""
    return Draw(
        _label("integers", shape, low, high),
        lambda generator, _: generator.integers(low, high, size=shape),
        dtype,
    )


def whole(low: int, high: int, *shape: int) -> Draw:
    """Whole numbers from low up to, not including, high, of the dtype under test."""
    return Draw(
        _label("whole", shape, low, high),
        lambda generator, _: generator.integers(low, high, size=shape),
    )


def booleans(*shape: int) -> Draw:
    """True and False, whatever dtype is under test."""
    return Draw(
        _label("booleans", shape),
        lambda generator, _: generator.integers(0, 2, size=shape),
        "bool",
    )


def given(value: Any, dtype: str | None = None) -> Draw:
    """Just these numbers, in the dtype under test unless one is named."""
    return Draw(f"given({value!r})", lambda _generator, _dtype: value, dtype)


def definite(*shape: int) -> Draw:
    """Symmetric (Hermitian) positive definite matrices, exactly so, with eigenvalues well apart."""

    def make(generator: np.random.Generator, wanted: str) -> Any:
        size = shape[-1]
        half = _grid(generator, -0.5, 0.5, shape)
        matrix = (half + np.swapaxes(half, -1, -2)) / 2
        if wanted in COMPLEX:
            other = _grid(generator, -0.5, 0.5, shape)
            matrix = matrix + 0.5j * (other - np.swapaxes(other, -1, -2))
        return matrix + np.diag(1.5 + size / 2 + np.arange(size))

    return Draw(_label("definite", shape), make)


def invertible(*shape: int) -> Draw:
    """Matrices with a heavy diagonal, so that a solve loses few digits."""

    def make(generator: np.random.Generator, wanted: str) -> Any:
        matrix = _grid(generator, -1, 1, shape)
        if wanted in COMPLEX:
            matrix = matrix + 1j * _grid(generator, -1, 1, shape)
        size = shape[-1]
        return matrix + np.diag((1.0 + size / 2) * (1 - 2 * (np.arange(size) % 2)))

    return Draw(_label("invertible", shape), make)


def triangular(*shape: int) -> Draw:
    """Lower triangular matrices with a heavy diagonal."""
    whole = invertible(*shape)
    return Draw(
        _label("triangular", shape),
        lambda generator, wanted: np.tril(whole._make(generator, wanted)),
    )


def symmetric(*shape: int) -> Draw:
    """Symmetric (Hermitian) matrices whose eigenvalues are well apart."""
    return Draw(
        _label("symmetric", shape),
        lambda generator, wanted: (
            definite(*shape)._make(generator, wanted) - (1.0 + shape[-1] / 2) * np.eye(shape[-1])
        ),
    )


def strings(*values: bytes) -> Draw:
    """A vector of byte strings."""
    return Draw(f"strings({len(values)})", lambda _generator, _: np.array(values, object), "string")
