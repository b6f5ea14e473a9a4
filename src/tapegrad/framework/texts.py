"""``tf.compat``: text as str or bytes, paths as str, and the classes that numbers belong to."""

from __future__ import annotations

import codecs
import numbers
import os
from typing import Any, TypeVar, overload

import numpy as np

Other = TypeVar("Other")

PUBLIC = {
    "compat compat.v1.compat": (
        "as_bytes as_str as_str_any as_text bytes_or_text_types complex_types integral_types "
        "path_to_str real_types"
    ),
}

bytes_or_text_types = (bytes, str)
integral_types: tuple[type, ...] = (numbers.Integral, np.integer)
real_types: tuple[type, ...] = (numbers.Real, np.integer, np.floating)
complex_types: tuple[type, ...] = (numbers.Complex, np.number)


def as_bytes(bytes_or_text: Any, encoding: str = "utf-8") -> bytes:
    """Text as bytes; bytes unchanged.

    >>> tf.compat.as_bytes("né"), tf.compat.as_bytes(b"ab")
    (b'n\\xc3\\xa9', b'ab')

    Args:
        bytes_or_text: a str, bytes or bytearray.
        encoding: how characters become bytes: a name that Python knows.

    Raises:
        TypeError: it is neither text nor bytes.
    """
    codecs.lookup(encoding)
    if isinstance(bytes_or_text, bytes | bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    raise not_text(bytes_or_text)


def as_text(bytes_or_text: Any, encoding: str = "utf-8") -> str:
    """Bytes as text; text as it is.

    >>> tf.compat.as_text(b"n\\xc3\\xa9"), tf.compat.as_text("ab")
    ('né', 'ab')

    Args:
        bytes_or_text: a str or bytes.
        encoding: how bytes become characters: a name that Python knows.

    Raises:
        TypeError: it is neither text nor bytes.
    """
    codecs.lookup(encoding)
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise not_text(bytes_or_text)


as_str = as_text


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Bytes as text, and ``str(value)`` for everything else.

    >>> tf.compat.as_str_any(b"ab"), tf.compat.as_str_any(3)
    ('ab', '3')

    Args:
        value: any object.
        encoding: how bytes become characters: a name that Python knows.
    """
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


@overload
def path_to_str(path: os.PathLike[str]) -> str: ...
@overload
def path_to_str(path: Other) -> Other: ...
def path_to_str(path: Any) -> Any:
    """The text of a path object; anything else unchanged.

    >>> import pathlib
    >>> tf.compat.path_to_str(pathlib.PurePosixPath("a/b")), tf.compat.path_to_str("c")
    ('a/b', 'c')

    Args:
        path: an object with the method ``__fspath__``, or any other.
    """
    return as_str_any(os.fspath(path)) if hasattr(path, "__fspath__") else path


def not_text(value: Any) -> TypeError:
    return TypeError(f"Expected binary or unicode string, got {value!r}")
