"""The arguments of a call as a nest, ``(args, kwargs)``, and how `fuzz.py` and `drawn_calls.py` change it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import ml_dtypes
import numpy as np

Array = np.ndarray[Any, Any]
Path = tuple[Any, ...]


def pick(generator: np.random.Generator, values: Sequence[Any]) -> Any:
    return values[generator.integers(len(values))]


def cast(array: Array, dtype: str) -> Array:
    """The array in a dtype of this name: a real part where it is not complex, numbered words for strings."""
    if dtype == "string":
        words = [b"%s%n" if place % 2 else b"1" for place in range(array.size)]
        return np.array(words, object).reshape(array.shape)
    if array.dtype.kind not in "fiucb" and not hasattr(ml_dtypes, array.dtype.name):
        array = np.ones(array.shape)
    if array.dtype.kind == "c" and "complex" not in dtype:
        array = array.real
    return array.astype(getattr(ml_dtypes, dtype, dtype))


def places_in(nest: Any, path: Path = ()) -> Iterator[Path]:
    """Paths of everything in a nest that can be replaced."""
    if isinstance(nest, dict):
        for key, value in nest.items():
            yield from places_in(value, (*path, key))
        return
    if path and not (path == (0,) or path == (1,)):
        yield path
    if isinstance(nest, (list, tuple)):
        for place, value in enumerate(nest):
            yield from places_in(value, (*path, place))


def at(nest: Any, path: Path) -> Any:
    for key in path:
        nest = nest[key]
    return nest


def replaced(nest: Any, path: Path, value: Any) -> Any:
    if not path:
        return value
    key, *rest = path
    if isinstance(nest, dict):
        return {k: replaced(v, tuple(rest), value) if k == key else v for k, v in nest.items()}
    items = [replaced(v, tuple(rest), value) if k == key else v for k, v in enumerate(nest)]
    return items if isinstance(nest, list) else tuple(items)


def described(name: str, nest: Any) -> str:
    """The call as one would type it, nearly."""
    args, kwargs = nest

    def short(value: Any) -> str:
        if type(value) is np.ndarray:
            numbers = (
                np.array2string(value.ravel()[:8], separator=" ") if value.dtype != object else ""
            )
            strides = "" if value.flags.c_contiguous else f" strides {list(value.strides)}"
            return f"{value.dtype}{list(value.shape)}{strides} {numbers}".replace("\n", "")
        if isinstance(value, (list, tuple)) and len(value) < 10:
            return f"[{', '.join(map(short, value))}]"
        return repr(value)[:120]

    inside = [short(value) for value in args]
    inside += [f"{key}={short(value)}" for key, value in kwargs.items()]
    return f"{name}({', '.join(inside)})"
