"""Every form of index that ``tensor[...]`` takes."""

from __future__ import annotations

from typing import Any

from . import ALL_DTYPES, Sample, call
from .draws import given, reals

_KEYS: list[Any] = [
    0,
    -1,
    slice(None),
    slice(1, None),
    slice(None, None, 2),
    slice(None, None, -1),
    slice(-2, None),
    slice(5, 1, -2),
    slice(2, 1),
    Ellipsis,
    None,
    (0, 1),
    (slice(1, 3), 2),
    (slice(None), slice(0, 2)),
    (Ellipsis, 0),
    (Ellipsis, slice(None, None, -2)),
    (0, Ellipsis),
    (None, slice(None), None, 1),
    (Ellipsis, None),
    (slice(None), None, slice(1, 2)),
    (1, slice(None), None),
]


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""

    def get(_: Any, x: Any, *keys: Any) -> Any:
        return x[keys[0] if len(keys) == 1 else keys]

    def between(_: Any, x: Any, start: Any, stop: Any) -> Any:
        return x[start:stop]

    def masked(_: Any, x: Any, mask: Any) -> Any:
        return x[mask]

    rows = [
        Sample(
            lambda tf, x, key=key: x[key],
            [reals(4, 3)],
            name=f"x[{_written(key)}]",
            dtypes=ALL_DTYPES if number < 2 else ("float32",),
        )
        for number, key in enumerate(_KEYS)
    ]
    rows += [
        Sample(
            get,
            [call(reals(4, 3), given(2, "int32")), call(reals(4, 3), given(1, "int64"), given(-1, "int64"))],
            name="x[tensor]",
        ),
        Sample(between, [call(reals(4, 3), given(1, "int32"), given(3, "int32"))], name="x[a:b]"),
        Sample(masked, [call(reals(3, 2), given([True, False, True], "bool"))], name="x[mask]"),
        Sample(get, [call(reals(2, 3, 2, 1, 2), 1, Ellipsis, 0, slice(None))], name="x[5d]"),
        Sample(get, [call(reals(), Ellipsis), call(reals(), None)], name="x[0d]"),
        Sample(get, [call(reals(0, 3), slice(None), 1)], name="x[empty]"),
        Sample(
            lambda tf, x: list(x), [reals(3, 2), reals(0, 2)], name="iter(x)"
        ),
    ]  # fmt: skip
    return rows


def _written(key: Any) -> str:
    """A key as it is written between brackets."""
    if isinstance(key, tuple):
        return ", ".join(_written(part) for part in key)
    if isinstance(key, slice):
        parts = ["" if part is None else str(part) for part in (key.start, key.stop)]
        return ":".join(parts if key.step is None else [*parts, str(key.step)])
    return "..." if key is Ellipsis else str(key)
