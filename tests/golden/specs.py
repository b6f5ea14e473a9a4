"""What `inspect.getfullargspec` says of a function, as JSON can hold it."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any


def plain(value: Any) -> Any:
    """A default: itself if it is plain, a function by its name, others as they print."""
    if value is None or isinstance(value, (bool, int, float, str)):
        return value
    if inspect.isfunction(value):
        return f"<{value.__name__}>"
    if isinstance(value, (list, tuple)):
        return [plain(item) for item in value]
    text = repr(value)
    return f"<{type(value).__name__}>" if " at 0x" in text else text


def spec_of(function: Callable[..., Any]) -> dict[str, Any] | None:
    """The spec; None where there is none."""
    try:
        spec = inspect.getfullargspec(function)
    except TypeError:
        return None
    return {
        "args": spec.args,
        "defaults": plain(spec.defaults or ()),
        "varargs": spec.varargs,
        "varkw": spec.varkw,
        "kwonlyargs": spec.kwonlyargs,
        "kwonlydefaults": {key: plain(each) for key, each in (spec.kwonlydefaults or {}).items()},
        "annotations": sorted(spec.annotations),
    }
