"""``smart_cond``, and functions that say how a program runs: as in TensorFlow 2, and eagerly."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from tapegrad.core import public
from tapegrad.ops.op import says
from tapegrad.ops.program.control import cond
from tapegrad.ops.shape.creation import is_tensor

PUBLIC = {
    "__internal__.smart_cond": "smart_cond",
    "__internal__.tf2": "enabled",
    "__internal__.eager_context": "eager_mode",
}


@public
@says(calls_functions=True)
def smart_cond(
    pred: Any,
    true_fn: Callable[[], Any] | None = None,
    false_fn: Callable[[], Any] | None = None,
    name: str | None = None,
) -> Any:
    """``true_fn()`` if ``pred`` is true, else ``false_fn()``.

    >>> tf.__internal__.smart_cond.smart_cond(1, lambda: "yes", lambda: "no")
    'yes'

    Args:
        pred: True, False, 1, 0 or a tensor.
        true_fn, false_fn: functions without arguments; one of them is called.
        name: not used.

    Raises:
        TypeError: ``pred`` is anything else, or a function cannot be called.
    """
    for argument, function in (("true_fn", true_fn), ("false_fn", false_fn)):
        if not callable(function):
            raise TypeError(f"Argument `{argument}` must be callable. Received {function}")
    if is_tensor(pred):
        return cond(pred, true_fn, false_fn)
    check_predicate(pred)
    function = true_fn if pred else false_fn
    return function()  # type: ignore[misc]  # checked above


def check_predicate(pred: Any) -> None:
    """Raise TypeError unless ``pred`` is True, False, 1 or 0."""
    if not isinstance(pred, (bool, int, float, np.generic)) or pred not in (0, 1):
        raise TypeError(
            "Argument `pred` must be a Tensor, or a Python bool, or 1 or 0. "
            f"Received: pred={pred} of type {type(pred).__name__}"
        )


@public
def enabled() -> bool:
    """True: names and behaviour are those of TensorFlow 2."""
    return True


@public
def eager_mode() -> AbstractContextManager[None]:
    """A context that changes nothing: ops run eagerly inside and outside it."""
    return nullcontext()
