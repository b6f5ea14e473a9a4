"""Ops that TensorFlow keeps for old programs: they are in ``tf.raw_ops`` and ``tf.compat.v1`` alone."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, public
from tapegrad.ops.args import static_int
from tapegrad.ops.elementwise.math import (
    floordiv,
    is_integral,
    quotient_rules,
    real_divide,
    reciprocal_grad_rules,
    reciprocal_rules,
    reciprocal_slope,
    truncated_remainder,
    whole_quotient,
)
from tapegrad.ops.op import ANY, FLOATING, INDEX, NUMERIC, REAL_FLOATING, STRING, elementwise, op
from tapegrad.ops.program import control, host
from tapegrad.ops.shape_rules import same_shape

if TYPE_CHECKING:
    from tapegrad.framework.types import Result

PUBLIC = {
    "compat.v1": "Print cond=cond_v1 div",
}


add_v1 = elementwise(
    "Add",
    "add",
    dtypes=NUMERIC - {dtypes.uint16, dtypes.uint32, dtypes.uint64} | STRING,
    name="add",
    linear="x y",
)
add_v1.gradient(x=lambda dy: dy, y=lambda dy: dy)

divide_v1 = elementwise(
    "Div",
    lambda xp, x, y: whole_quotient(xp, x, y) if is_integral(x) else xp.divide(x, y),
    dtypes=NUMERIC,
    name="divide",
    linear="x",
    values="integer errors",
)
divide_v1.gradient(**quotient_rules)
divide_v1.divides = True

mod_v1 = elementwise(
    "Mod",
    truncated_remainder,
    dtypes=REAL_FLOATING | INDEX,
    name="mod",
    values="integer errors",
)

inverse_v1 = elementwise(
    "Inv",
    "reciprocal",
    dtypes=FLOATING,
    holomorphic=False,
    name="inverse",
)
inverse_v1.gradient(**reciprocal_rules)

inverse_grad_v1 = elementwise(
    "InvGrad",
    reciprocal_slope,
    accumulate="float32",
    inputs=("y", "grad"),
    holomorphic=False,
    dtypes=FLOATING,
    raw=("y", "dy"),
    name="inverse_grad",
    linear="grad",
)
inverse_grad_v1.gradient(**reciprocal_grad_rules)


@public
def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """``x / y`` as Python 2 divided: of integers the whole part below. It is in ``tf.compat.v1``.

    >>> tf.compat.v1.div(7, 2).numpy(), tf.compat.v1.div(7.0, 2.0).numpy()
    (np.int32(3), np.float32(3.5))

    Args:
        x: a tensor of numbers.
        y: a tensor of the dtype of ``x``; the two are broadcast.
    """
    x = convert(x)
    return floordiv(x, y) if x.dtype.is_integer else real_divide(x, y)


@public
def cond_v1(
    pred: Any,
    true_fn: Callable[[], Result] | None = None,
    false_fn: Callable[[], Result] | None = None,
    strict: bool = False,
    name: str | None = None,
    fn1: Callable[[], Result] | None = None,
    fn2: Callable[[], Result] | None = None,
) -> Result:
    """``tf.cond``, which takes a list or tuple of one result apart unless ``strict``.

    >>> tf.compat.v1.cond(tf.constant(True), lambda: [1.0], lambda: [2.0])
    1.0

    Args:
        pred: a boolean without axes: a tensor, or a Python value.
        true_fn, false_fn: functions without arguments, which return the same structure.
        strict: whether a list or tuple of one result stays one.
        fn1, fn2: older names of ``true_fn`` and ``false_fn``.
    """
    for new, old, names in ((true_fn, fn1, "true_fn fn1"), (false_fn, fn2, "false_fn fn2")):
        if new is not None and old is not None:
            one, other = names.split()
            raise TypeError(f"cond(): '{one}' and '{other}' may not be set simultaneously.")
    result = control.cond(
        pred, fn1 if true_fn is None else true_fn, fn2 if false_fn is None else false_fn
    )
    if not strict and isinstance(result, (list, tuple)) and len(result) == 1:
        return result[0]
    return result


# --- What fed graphs ---------------------------------------------------------------------------------


@op("PlaceholderWithDefault", raw=("input", "shape"), linear="input", moves="input")
def placeholder_with_default(xp, input, *, shape):
    """``input`` itself: nothing is fed in its place where there are no graphs. ``shape`` is not looked at."""
    return input


placeholder_with_default.shape(same_shape)
placeholder_with_default.gradient(input=lambda dy: dy)


@placeholder_with_default.batching
def placeholder_rule(items, input, shape):
    items.run(
        np.broadcast_to(np.zeros((), input.dtype), input.shape[1:])
    )  # raises for a wrong shape
    return input


# --- Printing in passing -----------------------------------------------------------------------------

_printed: dict[tuple[Any, ...], int] = {}
"""How often each print with a ``first_n`` has printed: calls count as one print if they look alike."""


@op(
    "Print",
    dtypes={"input": ANY, "data": ANY},
    convert={"first_n": static_int, "summarize": static_int},
    raw=("input", "data", "message", "first_n", "summarize"),
    values="elements",
    moves="input",
)
def print_in_passing(xp, input, *data, message="", first_n=-1, summarize=3):
    """``input`` itself, after writing ``data`` to ``sys.stderr``."""
    text = message.decode() if isinstance(message, bytes) else message
    if first_n >= 0:
        kind = (text, first_n, summarize, input.dtype, *[tensor.dtype for tensor in data])
        count = _printed[kind] = _printed.get(kind, 0) + 1
        if count > first_n:
            return input
    sys.stderr.write(text + "".join([_summary(tensor, summarize) for tensor in data]) + "\n")
    return input


print_in_passing.shape(same_shape)
print_in_passing.gradient(input=lambda dy: dy, data=lambda dy, data: [None] * len(data))


def _summary(array: Any, limit: int) -> str:
    """The first ``limit`` elements in the brackets of their axes, and "..." where more follow."""
    if limit < 0 or limit > array.size:
        limit = array.size
    left = limit

    def inner(part: Any) -> str:
        nonlocal left
        if part.ndim > 1:
            texts = []
            for element in part:
                if not left:
                    break
                texts.append(f"[{inner(element)}]")
            return "".join(texts)
        shown = part[:left]
        left -= len(shown)
        elements = [
            "?" if part.dtype.kind == "c" else host.shown_element(element, quoted=False)
            for element in shown
        ]
        return " ".join(elements) + "..." * (len(shown) < len(part))

    text = inner(array.reshape(-1) if array.ndim == 0 else array)
    return f"[{text}{'...' * (array.ndim > 1 and limit < array.size)}]"


@public
def Print(
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """``input_`` itself, after writing ``data`` to ``sys.stderr``; ``tf.print`` is newer.

    >>> x = tf.compat.v1.Print(tf.constant([1.0, 2.0]), [tf.range(5)], message="five: ")

    writes ``five: [0 1 2...]``.

    Args:
        input_: a tensor, which is returned.
        data: a list of tensors.
        message: what to write first.
        first_n: write only the first so many times; always if None.
        summarize: how many elements of each tensor to write; 3 if None, all if negative.
    """
    return print_in_passing(
        input_,
        list(data),
        "" if message is None else message,
        -1 if first_n is None else first_n,
        3 if summarize is None else summarize,
    )
