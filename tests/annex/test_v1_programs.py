"""What ``tf.compat.v1`` keeps for old programs: printing, branches, placeholders, CTC."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf

old = tf.compat.v1


def printed(capsys: pytest.CaptureFixture[str], *data: Any, **options: Any) -> str:
    old.Print(0, list(data), **options)
    return capsys.readouterr().err.removesuffix("\n")


CUBE = np.arange(1, 13).reshape(2, 2, 3)


@pytest.mark.parametrize(
    ("value", "summarize", "text"),
    [
        ([1, 2, 3, 4, 5], None, "[1 2 3...]"),
        (5, 0, "[...]"),
        ([1, 2], 0, "[...]"),
        (CUBE, 0, "[...]"),
        (CUBE, 2, "[[[1 2...]]...]"),
        (CUBE, 3, "[[[1 2 3]]...]"),
        (CUBE, 4, "[[[1 2 3][4...]]...]"),
        (CUBE, 7, "[[[1 2 3][4 5 6]][[7...]]...]"),
        (CUBE, 12, "[[[1 2 3][4 5 6]][[7 8 9][10 11 12]]]"),
        (CUBE[0], -1, "[[1 2 3][4 5 6]]"),
        (np.zeros((2, 0)), None, "[]"),
        ([True, False], None, "[1 0]"),
        (["a b", ""], None, "[a b ]"),
        ([1j], None, "[?]"),
        (np.float32([0.1, 1 / 3, 1e20]), None, "[0.1 0.333333343 1e+20]"),
        (np.float16([0.1, np.inf, -0.0]), None, "[0.0999755859 inf -0]"),
        (np.float64([0.1, 1 / 3]), None, "[0.1 0.33333333333333331]"),
    ],
)
def test_print_shows_the_first_elements(
    capsys: pytest.CaptureFixture[str], value: Any, summarize: Any, text: str
) -> None:
    assert printed(capsys, tf.constant(value), summarize=summarize) == text


def test_print_passes_values_and_gradients(capsys: pytest.CaptureFixture[str]) -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = old.Print(x * x, [x, "text", 3.0], message="x: ")
    assert y.numpy().tolist() == [1.0, 4.0]
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]
    assert capsys.readouterr().err == "x: [1 2][text][3]\n"


def test_print_counts_calls_that_look_alike(capsys: pytest.CaptureFixture[str]) -> None:
    def times(count: int, data: Any, **options: Any) -> str:
        return "".join(printed(capsys, data, message="counted ", **options) for _ in range(count))

    assert times(4, tf.constant(1), first_n=2) == "counted [1]" * 2
    assert times(2, tf.constant(1), first_n=2, name="another") == ""
    assert times(2, tf.constant(1.0), first_n=1) == "counted [1]"
    assert times(2, tf.constant(1), first_n=0) == ""


def test_raw_print(capsys: pytest.CaptureFixture[str]) -> None:
    found = tf.raw_ops.Print(input=[1.0], data=[[1, 2, 3]], message="raw ", summarize=2)
    assert found.numpy().tolist() == [1.0]
    assert capsys.readouterr().err == "raw [1 2...]\n"


def test_raw_print_takes_whatever_is_iterable(capsys: pytest.CaptureFixture[str]) -> None:
    """TensorFlow's ops do where each element of a list has a dtype of its own."""
    for data, shown in (
        (np.array([1, 2]), "[1][2]"),
        (np.ones([2, 3], np.int32), "[1 1 1][1 1 1]"),
        ("ab", "[a][b]"),
        ({1}, "[1]"),
        ((x for x in [1]), "[1]"),
        (tf.constant([1, 2]), "[1][2]"),
    ):
        tf.raw_ops.Print(input=[1.0], data=data)
        assert capsys.readouterr().err == f"{shown}\n"
    for data in (np.array(1), 1, None):
        with pytest.raises(TypeError, match="expects a list of tensors for 'data'"):
            tf.raw_ops.Print(input=[1.0], data=data)


def test_cond_takes_single_results_apart() -> None:
    yes = tf.constant(True)
    assert old.cond(yes, lambda: [1.0], lambda: 2.0) == 1.0
    assert old.cond(yes, lambda: (1.0,), lambda: 2.0) == 1.0
    assert old.cond(yes, lambda: [[1.0]], lambda: 2.0) == [1.0]
    assert old.cond(yes, lambda: [1.0], lambda: 2.0, strict=True) == [1.0]
    assert old.cond(False, fn1=lambda: 1.0, fn2=lambda: [2.0, (3,)]) == [2.0, (3,)]


def test_cond_refuses() -> None:
    with pytest.raises(TypeError, match="simultaneously"):
        old.cond(True, lambda: 1, lambda: 2, fn1=lambda: 3)
    with pytest.raises(TypeError, match="false_fn"):
        old.cond(True, lambda: 1)
    with pytest.raises(TypeError, match="callable"):
        old.cond(True, 1, 2)
    with pytest.raises(ValueError, match="None"):
        old.cond(None, lambda: 1, lambda: 2)


def test_placeholders() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = (
            old.placeholder_with_default(x, [3]) * 2.0
        )  # the shape is not looked at, as in TensorFlow
    assert y.numpy().tolist() == [2.0, 4.0]
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 2.0]
    for absent in (old.placeholder, old.sparse_placeholder):
        with pytest.raises(RuntimeError):
            absent(tf.float32)


# CTC: the values are TensorFlow's.

LOGITS = np.random.RandomState(0).randn(6, 2, 5).astype(np.float32)


def labels(rows: list[list[int]], values: list[int]) -> Any:
    return tf.SparseTensor(rows, tf.constant(values), [2, 2])


PAIR = labels([[0, 0], [0, 1], [1, 0]], [1, 1, 3])


@pytest.mark.parametrize(
    ("options", "losses"),
    [
        ({}, [5.893568, 6.457055]),
        ({"preprocess_collapse_repeated": True}, [6.678928, 6.457055]),
        ({"ctc_merge_repeated": False}, [6.457448, 7.709740]),
    ],
)
def test_ctc_loss(options: dict[str, bool], losses: list[float]) -> None:
    for found in (
        old.nn.ctc_loss(PAIR, LOGITS, [6, 5], **options),
        old.nn.ctc_loss(labels=PAIR, logits=LOGITS, sequence_length=[6, 5], **options),
        old.nn.ctc_loss(PAIR, LOGITS.swapaxes(0, 1), [6, 5], time_major=False, **options),
    ):
        np.testing.assert_allclose(found.numpy(), losses, rtol=1e-6)


def test_ctc_loss_of_halves() -> None:
    found = old.nn.ctc_loss(PAIR, tf.constant(LOGITS, tf.float16), [6, 5])
    assert found.dtype is tf.float16
    np.testing.assert_allclose(found.numpy(), [5.895, 6.457], rtol=1e-3)


def test_ctc_loss_without_steps_for_the_blanks() -> None:
    """[1, 1] is spelt 1, blank, 1; no two steps spell it."""
    logits = tf.constant(LOGITS)
    with tf.GradientTape() as tape:
        tape.watch(logits)
        loss = old.nn.ctc_loss(PAIR, logits, [2, 5])
    assert loss.numpy()[0] == np.inf
    gradient = tape.gradient(loss, logits).numpy()
    assert not gradient[:, 0].any()
    assert np.isfinite(gradient).all()


def test_ctc_loss_with_fewer_steps_than_labels() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        old.nn.ctc_loss(PAIR, LOGITS, [1, 5])
    ignoring = old.nn.ctc_loss(PAIR, LOGITS, [1, 5], ignore_longer_outputs_than_inputs=True)
    assert ignoring.numpy()[0] == 0.0


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (([[1, 1], [3, 0]], LOGITS, [6, 5]), TypeError),
        ((PAIR, LOGITS, None), ValueError),
        ((PAIR, LOGITS, [6, 5], False, True, False, True, LOGITS), ValueError),
        ((PAIR, LOGITS, [7, 5]), tf.errors.InvalidArgumentError),
        ((PAIR, LOGITS, [6]), tf.errors.InvalidArgumentError),
        ((labels([[0, 0], [1, 0]], [-1, 1]), LOGITS, [6, 5]), tf.errors.InvalidArgumentError),
        ((labels([[1, 0]], [1]), LOGITS, [6, 5]), tf.errors.InvalidArgumentError),
    ],
)
def test_ctc_loss_refuses(arguments: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        old.nn.ctc_loss(*arguments)
