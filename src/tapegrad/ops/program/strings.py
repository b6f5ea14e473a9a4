"""``tf.strings.as_string`` and ``format``, which write numbers and tensors as text."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, convert, public
from tapegrad.errors import refuse
from tapegrad.ops.args import static_bool, static_int
from tapegrad.ops.op import BOOL, COMPLEX, INTEGERS, NUMERIC, REAL_FLOATING, STRING, UNSIGNED, op
from tapegrad.ops.program.host import string_format
from tapegrad.ops.shape_rules import like

PUBLIC = {
    ". strings compat.v1 compat.v1.strings": "as_string",
    "strings compat.v1.strings": "format",
    "compat.v1.dtypes": "as_string",
}


LONGEST = 2**16
FILLS = ("", " ", "+", "-", "0", "#")


@op(
    "AsString",
    dtypes=NUMERIC | BOOL | STRING,
    convert={
        "precision": static_int,
        "scientific": static_bool,
        "shortest": static_bool,
        "width": static_int,
    },
    values="elements",
    dispatched="unary",
)
def as_string(xp, input, *, precision=-1, scientific=False, shortest=False, width=-1, fill=""):
    """Each element as text.

    >>> tf.strings.as_string([1.5, 2.0]).numpy().tolist()
    [b'1.500000', b'2.000000']
    >>> tf.strings.as_string(3.14159, precision=2).numpy(), tf.strings.as_string(7, width=3, fill="0").numpy()
    (b'3.14', b'007')

    Args:
        input: numbers, truth values (``true`` and ``false``) or text, which stays as it is.
        precision: the digits after the point of floating-point numbers; six if negative.
        scientific: whether to write them with an exponent.
        shortest: whether to write them in the shorter of the two ways.
        width: the least length. Longer text is not cut, and truth values are not padded.
        fill: how to pad: spaces on the left by default, ``"0"`` for zeros, ``"-"`` for spaces on the right.
            ``"+"`` or ``" "`` is written before numbers that are not negative.
    """
    dtype = dtypes.from_numpy(input.dtype)
    if len(fill) > 1 or fill not in FILLS:
        refuse(f"fill must be empty or one of '0', '-', '+' and ' ', not {fill!r}.")
    if scientific and shortest:
        refuse("scientific and shortest exclude each other; give one of them.")
    if max(width, precision) > LONGEST:
        refuse(f"width and precision can be {LONGEST} at most, not {width} and {precision}.")
    floating = dtype in REAL_FLOATING or dtype in COMPLEX
    if not floating and dtype is not dtypes.string and (scientific or shortest or precision >= 0):
        refuse(
            f"precision, scientific and shortest are for floating-point numbers, not {dtype.name}."
        )
    write = writer(dtype, precision, "e" if scientific else "g" if shortest else "f", width, fill)
    wide = input.astype(np.float32) if dtype.size == 2 and floating else input
    result = np.empty(input.size, object)
    result[:] = [write(value) for value in wide.ravel().tolist()]
    return result.reshape(input.shape)


as_string.shape(like("input", dtypes.string))
as_string.no_gradient()


def writer(dtype: Any, precision: int, notation: str, width: int, fill: str) -> Any:
    """A function that writes one element as bytes."""
    length = str(width) if width > 0 else ""
    if dtype is dtypes.bool:
        return lambda value: b"true" if value else b"false"
    if dtype is dtypes.string:
        return lambda value: value.ljust(width) if fill == "-" else value.rjust(max(width, 0))
    if dtype in INTEGERS:
        # An unsigned number has no sign to show.
        flag = "" if fill == "#" or (dtype in UNSIGNED and fill in "+ ") else fill
        integer = f"%{flag}{length}d"
        return lambda value: (integer % value).encode()
    digits = f".{precision}" if precision >= 0 else ""
    number = f"%{fill}{length}{digits}{notation}"
    # C does not pad NaN and infinity with zeros.
    odd = f"%{'' if fill == '0' else fill}{length}{digits}{notation}"

    def write(value: float) -> str:
        return (number if math.isfinite(value) else odd) % value

    if dtype in COMPLEX:
        return lambda value: f"({write(value.real)},{write(value.imag)})".encode()
    return lambda value: write(value).encode()


@public
def format(
    template: str,
    inputs: Any,
    placeholder: str = "{}",
    summarize: Any = 3,
    name: str | None = None,
) -> Tensor:
    """``template`` with the elements of tensors in place of its placeholders, as `tf.print` shows them.

    >>> tf.strings.format("x = {}, y = {}", (tf.constant(1), tf.constant([1.5, 2.0]))).numpy()
    b'x = 1, y = [1.5 2]'

    Args:
        template: the text around the tensors.
        inputs: a tensor, or a list of them.
        placeholder: the text that is replaced by a tensor in the template.
        summarize: how many elements to show at each end of an axis; -1 for all.
    """
    if not isinstance(template, str) or not isinstance(placeholder, str):
        raise TypeError(
            f"template and placeholder must be strings, not {template!r}, {placeholder!r}."
        )
    tensors = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    expected = template.count(placeholder)
    if expected != len(tensors):
        raise ValueError(
            f"The template has {expected} places for tensors, {placeholder!r}, but {len(tensors)} tensors "
            "came."
        )
    count = static_int(summarize)
    texts = [
        value._printed(count) if hasattr(type(value), "_printed") else None for value in tensors
    ]
    pieces = template.split(placeholder)
    mark = "{}"
    while any(mark in part for part in [*pieces, *texts] if part is not None):
        mark = f"<{mark}>"
    whole = pieces[0] + "".join(
        [
            (mark if text is None else text) + piece
            for text, piece in zip(texts, pieces[1:], strict=True)
        ]
    )
    dense = [convert(value) for value, text in zip(tensors, texts, strict=True) if text is None]
    return string_format.apply(dense, (whole, mark, count))
