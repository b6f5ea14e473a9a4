"""Tensors and variables print as TensorFlow's: against golden/printing.json."""

import json
import logging
import pathlib
import sys
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from golden.programs import as_this_numpy_writes
from tapegrad import dtypes
from tapegrad.framework import printing
from tapegrad.framework.shape import TensorShape

RECORDS = json.loads((pathlib.Path(__file__).parents[1] / "golden" / "printing.json").read_text())


def values_of(record):
    dtype = dtypes.as_dtype(record["dtype"])
    return eval(record["values"], {"np": np}).astype(dtype.numpy_dtype), dtype


def name_of(record):
    return f"{record['values']} {record['dtype']}"


@pytest.mark.parametrize("record", RECORDS, ids=name_of)
def test_recorded(record):
    values, dtype = values_of(record)
    assert printing.tensor_repr(values, dtype) == as_this_numpy_writes(record["repr"])
    assert printing.tensor_str(values, dtype) == record["str"]
    assert printing.variable_repr("v:0", values.shape, values, dtype) == as_this_numpy_writes(
        record["variable"]
    )


@pytest.mark.parametrize("record", RECORDS, ids=name_of)
def test_format(record):
    values, dtype = values_of(record)
    for specification, expected in record["format"].items():
        if isinstance(expected, str):
            assert printing.tensor_format(values, dtype, specification) == expected
        else:
            error_type = {"TypeError": TypeError, "ValueError": ValueError}[expected["error"]]
            with pytest.raises(error_type, match=r"[Uu]n"):
                printing.tensor_format(values, dtype, specification)


def test_shapes_of_variables():
    values = np.array([[1.0, 2.0]], np.float32)
    for shape, text in ((TensorShape(None), "<unknown>"), (TensorShape([None, 2]), "(None, 2)")):
        assert printing.variable_repr("UnreadVariable", shape, values, dtypes.float32) == (
            f"<tf.Variable 'UnreadVariable' shape={text} dtype=float32, "
            "numpy=array([[1., 2.]], dtype=float32)>"
        )


SPARSE = tf.sparse.from_dense([[0, 1], [2, 0]])


@pytest.mark.parametrize(
    ("given", "text"),
    [
        ([tf.constant('a"\n\\')], 'a"\n\\'),  # alone, a string is printed as it is
        ([tf.Variable("a")], "a"),
        ([tf.constant("a"), "b"], '"a" b'),
        ([tf.constant("'\"\n\t\\é\x01"), 1], r'"\'\"\n\t\\é\001" 1'),
        ([["x", tf.constant("y")], {"k": tf.constant("v")}], """['x', "y"] {'k': "v"}"""),
        ([tf.constant(["q'", "é"])], r'["q\'" "é"]'),
        ([SPARSE], "'SparseTensor(indices=[[0 1]\n [1 0]], values=[1 2], shape=[2 2])'"),
        (
            [{"s": SPARSE}],
            "{'s': 'SparseTensor(indices=[[0 1]\n [1 0]], values=[1 2], shape=[2 2])'}",
        ),
    ],
)
def test_print_shows_strings_and_sparse_tensors_as_tensorflow_does(
    given: list[Any], text: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def show() -> None:
        tf.print(*given, output_stream=sys.stdout)

    for function in (show, tf.function(show)):
        function()
        assert capsys.readouterr().out == text + "\n"


def test_format_puts_strings_in_quotes() -> None:
    assert tf.strings.format("{}, {}", (tf.constant("a"), 1.5)).numpy() == b'"a", 1.5'


def test_print_options_count():
    values = np.array([1 / 3, 2 / 3, 1 / 7, 1 / 9], np.float32)
    with np.printoptions(precision=3, linewidth=40):
        assert printing.tensor_str(values, dtypes.float32) == (
            "tf.Tensor([0.333 0.667 0.143 0.111], shape=(4,), dtype=float32)"
        )
        assert printing.tensor_repr(values, dtypes.float32) == (
            "<tf.Tensor: shape=(4,), dtype=float32, numpy=\n"
            "array([0.333, 0.667, 0.143, 0.111],\n      dtype=float32)>"
        )
        third = np.array(1 / 3, np.float32)
        assert printing.tensor_repr(third, dtypes.float32) == (
            "<tf.Tensor: shape=(), dtype=float32, numpy=0.3333333432674408>"
        )


@pytest.mark.parametrize(
    ("stream", "level"),
    [
        (logging.INFO, "INFO"),
        (logging.WARNING, "WARNING"),
        (logging.error, "ERROR"),
        (-2, "ERROR"),  # of absl
        (tf.compat.v1.logging.INFO, "INFO"),
        (tf.compat.v1.logging.warn, "WARNING"),
    ],
)
def test_print_gives_a_message_to_the_logger(
    caplog: pytest.LogCaptureFixture, stream: Any, level: str
) -> None:
    function = tf.function(lambda x: tf.print("x:", x, output_stream=stream))
    with caplog.at_level("INFO", logger="tensorflow"):
        for number in range(3):  # recorded, and replayed
            function(tf.constant(number))
    assert [(record.levelname, record.getMessage()) for record in caplog.records] == [
        (level, f"x: {number}") for number in range(3)
    ]


@pytest.mark.parametrize("stream", [7, logging.DEBUG, None, "nosuch", print, object()], ids=repr)
def test_print_refuses_what_is_no_stream(stream: Any) -> None:
    with pytest.raises(ValueError, match="Unsupported output stream"):
        tf.print("x", output_stream=stream)


@pytest.mark.parametrize(
    ("inputs", "expected"),
    [
        ([tf.constant("a'b")], b"a'b"),
        (["x", tf.constant("a'b")], b'x "a\\\'b"'),
        ([[tf.constant("a")], {"k": tf.constant('"')}], rb"""["a"] {'k': "\""}"""),
        ([tf.constant(["\n\t\r\\", "\0\x7f"])], rb"""["\n\t\r\\" "\000\177"]"""),
        ([tf.constant(["\u00e9", b"\xff"])], b'["\xc3\xa9" "\xff"]'),
        (
            [tf.sparse.from_dense([["a", ""]])],
            b"""'SparseTensor(indices=[[0 0]], values=["a"], shape=[1 2])'""",
        ),
    ],
)
def test_printed_strings(tmp_path: pathlib.Path, inputs: list[Any], expected: bytes) -> None:
    """One string alone is printed as it is, and all others as C writes them: TensorFlow's texts."""
    tf.print(*inputs, output_stream=f"file://{tmp_path / 'printed'}")
    assert (tmp_path / "printed").read_bytes() == expected + b"\n"


def test_formatted_strings() -> None:
    text = tf.strings.format("{} {}", (tf.constant("a'"), tf.constant([["b\n"]])))
    assert text.numpy() == rb""""a\'" [["b\n"]]"""
