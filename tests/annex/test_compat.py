"""``tf.compat`` and ``tf.version``: text, sizes of shapes, releases. The answers are TensorFlow's."""

from __future__ import annotations

import numbers
import pathlib
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

UNTEXT: list[Any] = [3, None, pathlib.PurePosixPath("/a")]


def test_bytes() -> None:
    assert tf.compat.as_bytes("abé") == b"ab\xc3\xa9"
    assert tf.compat.as_bytes("é", "latin1") == b"\xe9"
    assert type(tf.compat.as_bytes(bytearray(b"x"))) is bytes
    with pytest.raises(UnicodeEncodeError):
        tf.compat.as_bytes("é", "ascii")


def test_text() -> None:
    for function in (tf.compat.as_text, tf.compat.as_str):
        assert function(b"ab\xc3\xa9") == function("abé") == "abé"
        assert function(b"\xe9", "latin-1") == "é"
        with pytest.raises(TypeError, match="Expected binary or unicode string, got bytearray"):
            function(bytearray(b"x"))
    with pytest.raises(UnicodeDecodeError):
        tf.compat.as_text(b"\xff")


@pytest.mark.parametrize("value", UNTEXT)
def test_what_is_no_text(value: Any) -> None:
    for function in (tf.compat.as_bytes, tf.compat.as_text, tf.compat.as_str):
        with pytest.raises(TypeError, match="Expected binary or unicode string, got"):
            function(value)
        with pytest.raises(LookupError, match="unknown encoding: nonsense"):
            function("a", "nonsense")
    assert tf.compat.as_str_any(value) == str(value)


def test_text_of_anything() -> None:
    assert tf.compat.as_str_any(b"ab") == tf.compat.as_str_any("ab") == "ab"
    assert tf.compat.as_str_any(bytearray(b"x")) == "bytearray(b'x')"
    assert tf.compat.as_str_any(b"\xe9", "latin1") == "é"


def test_paths() -> None:
    class OfBytes:
        def __fspath__(self) -> bytes:
            return b"x"

    assert tf.compat.path_to_str(pathlib.PurePosixPath("/a")) == "/a"
    assert tf.compat.path_to_str(OfBytes()) == "x"
    for value in ("a", b"a", 3, None):
        assert tf.compat.path_to_str(value) == value


def test_classes_of_numbers() -> None:
    assert tf.compat.bytes_or_text_types == (bytes, str)
    assert tf.compat.integral_types == (numbers.Integral, np.integer)
    assert tf.compat.real_types == (numbers.Real, np.integer, np.floating)
    assert tf.compat.complex_types == (numbers.Complex, np.number)


def test_sizes_of_shapes() -> None:
    shape = tf.TensorShape([2, None])
    assert repr(tf.compat.dimension_at_index(shape, 0)) == "Dimension(2)"
    for unknown in (tf.compat.dimension_at_index(shape, 1), tf.compat.v1.Dimension(None)):
        assert repr(unknown) == "Dimension(None)"
        assert tf.compat.dimension_value(unknown) is None
    assert repr(tf.compat.v1.dimension_at_index(tf.TensorShape(None), 1)) == "Dimension(None)"
    assert tf.compat.v1.dimension_value(tf.compat.v1.Dimension(3)) == 3
    assert tf.compat.dimension_value("a") == "a"
    with pytest.raises(IndexError):
        tf.compat.dimension_at_index(shape, 5)


def test_releases() -> None:
    assert tf.compat.v2 is tf
    assert tf.version.VERSION == tf.compat.v1.version.VERSION == tf.compat.v1.VERSION == "2.21.0"
    own = tf.version.GIT_VERSION.removeprefix("tapegrad ")
    assert tf.__version__ == f"{tf.version.VERSION}+tapegrad.{own}"
    assert tf.__version__ >= "2"
    assert int(tf.__version__.split(".")[0]) == 2
    assert isinstance(tf.version.COMPILER_VERSION, str)
