"""`tape.explain`: for each reason programs as people write them, the answer, and the program mended by it."""

from __future__ import annotations

import linecache
import textwrap
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

# Each program computes `y` from `x` under `tape`; the line marked `# here` is the answer's. The mended
# program holds the answer's remedy.
PROGRAMS = {
    "constant": (
        "not watched",
        """
        x = tf.constant(3.0)  # here
        with tf.GradientTape() as tape:
            y = x * x
        """,
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        """,
    ),
    "constant beside a variable": (
        "not watched",
        """
        w = tf.Variable([[1.0], [2.0]])
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])  # here
        with tf.GradientTape() as tape:
            y = tf.reduce_mean((x @ w - 1.0) ** 2)
        """,
        """
        w = tf.Variable([[1.0], [2.0]])
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_mean((x @ w - 1.0) ** 2)
        """,
    ),
    "array as a tensor, for a saliency map": (
        "not watched",
        """
        image = np.ones([1, 4, 4, 1], np.float32)
        kernel = tf.Variable(tf.ones([2, 2, 1, 1]))
        x = tf.convert_to_tensor(image)  # here
        with tf.GradientTape() as tape:
            y = tf.reduce_max(tf.nn.conv2d(x, kernel, 1, "SAME"))
        """,
        """
        image = np.ones([1, 4, 4, 1], np.float32)
        kernel = tf.Variable(tf.ones([2, 2, 1, 1]))
        x = tf.convert_to_tensor(image)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_max(tf.nn.conv2d(x, kernel, 1, "SAME"))
        """,
    ),
    "frozen variable": (
        "not trainable",
        """
        x = tf.Variable(2.0, trainable=False)  # here
        with tf.GradientTape() as tape:
            y = x ** 3
        """,
        """
        x = tf.Variable(2.0, trainable=False)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x ** 3
        """,
    ),
    "frozen variable beside a trained one": (
        "not trainable",
        """
        w = tf.Variable(2.0)
        x = tf.Variable(3.0, trainable=False)  # here
        with tf.GradientTape() as tape:
            y = tf.square(w * x - 1.0)
        """,
        """
        w = tf.Variable(2.0)
        x = tf.Variable(3.0, trainable=False)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.square(w * x - 1.0)
        """,
    ),
    "variables are not watched": (
        "variables not watched",
        """
        x = tf.Variable(2.0)
        with tf.GradientTape(watch_accessed_variables=False) as tape:  # here
            y = x * x
        """,
        """
        x = tf.Variable(2.0)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(x)
            y = x * x
        """,
    ),
    "only one variable is watched": (
        "variables not watched",
        """
        w, x = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape(watch_accessed_variables=False) as tape:  # here
            tape.watch(w)
            y = w * x
        """,
        """
        w, x = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(w)
            tape.watch(x)
            y = w * x
        """,
    ),
    "watched after the use": (
        "watched too late",
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            y = x * x
            tape.watch(x)  # here
        """,
        """
        x = tf.constant(3.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        """,
    ),
    "watched after the layer": (
        "watched too late",
        """
        w = tf.Variable([[1.0], [2.0]])
        x = tf.constant([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            hidden = tf.tanh(x)
            tape.watch(x)  # here
            y = tf.reduce_sum(hidden @ w)
        """,
        """
        w = tf.Variable([[1.0], [2.0]])
        x = tf.constant([[1.0, 2.0]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            hidden = tf.tanh(x)
            y = tf.reduce_sum(hidden @ w)
        """,
    ),
    "variable replaced by x = x + 1": (
        "name rebound",
        """
        x = tf.Variable(2.0)
        for epoch in range(2):
            with tf.GradientTape() as tape:
                y = x + 1
            if epoch == 0:
                x = x + 1  # here
        """,
        """
        x = tf.Variable(2.0)
        for epoch in range(2):
            with tf.GradientTape() as tape:
                y = x + 1
            if epoch == 0:
                x.assign(x + 1)
        """,
    ),
    "gradient descent that replaces the variable": (
        "name rebound",
        """
        x = tf.Variable([1.0, 2.0])
        rate = 0.1
        for step in range(3):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(x ** 2)
            if step < 2:
                x = x - rate * 2.0  # here
        """,
        """
        x = tf.Variable([1.0, 2.0])
        rate = 0.1
        for step in range(3):
            with tf.GradientTape() as tape:
                y = tf.reduce_sum(x ** 2)
            if step < 2:
                x.assign(x - rate * 2.0)
        """,
    ),
    "np.sum of a tensor": (
        "left through NumPy",
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            total = np.sum(x * x)  # here
            y = tf.constant(total) * 2.0
        """,
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            total = tf.reduce_sum(x * x)
            y = tf.constant(total) * 2.0
        """,
    ),
    ".numpy() in the loss": (
        "left through NumPy",
        """
        x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            predicted = tf.nn.softmax(x)
            picked = predicted.numpy()[:, 0]  # here
            y = tf.reduce_mean(tf.math.log(picked))
        """,
        """
        x = tf.Variable([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            predicted = tf.nn.softmax(x)
            picked = predicted[:, 0]
            y = tf.reduce_mean(tf.math.log(picked))
        """,
    ),
    ".numpy() of the variable itself": (
        "left through NumPy",
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.constant(x.numpy()) ** 2  # here
        """,
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.constant(x) ** 2
        """,
    ),
    "float() on the way": (
        "left through NumPy",
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            scale = float(x)  # here
            y = tf.exp(tf.constant(1.0) * scale)
        """,
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            scale = x
            y = tf.exp(tf.constant(1.0) * scale)
        """,
    ),
    "an array as the target": (
        "left through NumPy",
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = np.mean(x * x)  # here
        """,
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_mean(x * x)
        """,
    ),
    "a number as the target, beside an array that was read later": (
        "left through NumPy",
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = float(tf.reduce_sum(x))  # here
            shown = x.numpy()
        """,
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x)
            shown = x.numpy()
        """,
    ),
    "integer variable": (
        "not floating",
        """
        x = tf.Variable(3)  # here
        with tf.GradientTape() as tape:
            y = x * x
        """,
        """
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = x * x
        """,
    ),
    "integer constant": (
        "not floating",
        """
        x = tf.constant([1, 2, 3])  # here
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x)
        """,
        """
        x = tf.constant([1.0, 2.0, 3.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x * x)
        """,
    ),
    "cast to integers and back": (
        "not floating",
        """
        x = tf.Variable([1.5, 2.5])
        with tf.GradientTape() as tape:
            whole = tf.cast(x, tf.int32)  # here
            y = tf.reduce_sum(tf.cast(whole, tf.float32) ** 2)
        """,
        """
        x = tf.Variable([1.5, 2.5])
        with tf.GradientTape() as tape:
            whole = x
            y = tf.reduce_sum(tf.cast(whole, tf.float32) ** 2)
        """,
    ),
    "pixels as bytes": (
        "not floating",
        """
        x = tf.Variable([[0.2, 0.4]])
        with tf.GradientTape() as tape:
            pixels = tf.cast(x * 255.0, dtype=tf.uint8)  # here
            y = tf.reduce_mean(tf.cast(pixels, tf.float32) / 255.0)
        """,
        """
        x = tf.Variable([[0.2, 0.4]])
        with tf.GradientTape() as tape:
            pixels = x * 255.0
            y = tf.reduce_mean(tf.cast(pixels, tf.float32) / 255.0)
        """,
    ),
    "argmax": (
        "op without gradient",
        """
        x = tf.Variable([0.1, 0.7, 0.2])
        with tf.GradientTape() as tape:
            best = tf.argmax(x)  # here
            y = tf.square(tf.cast(best, tf.float32) - 2.0)
        """,
        """
        x = tf.Variable([0.1, 0.7, 0.2])
        with tf.GradientTape() as tape:
            best = tf.tensordot(tf.range(float(x.shape[0])), tf.nn.softmax(x, 0), [[0], [0]])
            y = tf.square(tf.cast(best, tf.float32) - 2.0)
        """,
    ),
    "round": (
        "op without gradient",
        """
        x = tf.Variable([1.2, 2.7])
        with tf.GradientTape() as tape:
            coded = tf.round(x * 4.0)  # here
            y = tf.reduce_sum(coded / 4.0)
        """,
        """
        x = tf.Variable([1.2, 2.7])
        with tf.GradientTape() as tape:
            coded = x * 4.0 + tf.stop_gradient(tf.round(x * 4.0) - x * 4.0)
            y = tf.reduce_sum(coded / 4.0)
        """,
    ),
    "a step as a comparison": (
        "op without gradient",
        """
        x = tf.Variable([1.2, 2.7])
        with tf.GradientTape() as tape:
            fires = tf.cast(x > 1.5, tf.float32)  # here
            y = tf.reduce_sum(fires)
        """,
        """
        x = tf.Variable([1.2, 2.7])
        with tf.GradientTape() as tape:
            fires = tf.cast(tf.sigmoid(10.0 * (x - 1.5)), tf.float32)
            y = tf.reduce_sum(fires)
        """,
    ),
    "floor": (
        "op without gradient",
        """
        x = tf.Variable(2.7)
        with tf.GradientTape() as tape:
            y = tf.floor(x) * 3.0  # here
        """,
        """
        x = tf.Variable(2.7)
        with tf.GradientTape() as tape:
            y = (x + tf.stop_gradient(tf.floor(x) - x)) * 3.0
        """,
    ),
    "stop_gradient": (
        "stop_gradient",
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.square(tf.stop_gradient(x * 3.0))  # here
        """,
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = tf.square(x * 3.0)
        """,
    ),
    "stop_gradient of a target network": (
        "stop_gradient",
        """
        w, x = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape() as tape:
            goal = 1.0 + 0.9 * tf.stop_gradient(x * x)  # here
            y = tf.square(w - goal)
        """,
        """
        w, x = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape() as tape:
            goal = 1.0 + 0.9 * (x * x)
            y = tf.square(w - goal)
        """,
    ),
    "stop_recording": (
        "stop_recording",
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            z = x * x
            with tape.stop_recording():  # here
                y = z * z
        """,
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            z = x * x
            y = z * z
        """,
    ),
    "a part under stop_recording": (
        "stop_recording",
        """
        w, x = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape() as tape:
            with tape.stop_recording():  # here
                z = x * x
            y = w * z
        """,
        """
        w, x = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape() as tape:
            z = x * x
            y = w * z
        """,
    ),
    "all of it under stop_recording": (
        "stop_recording",
        """
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            with tape.stop_recording():  # here
                z = x * x
            y = 2.0 * z
        """,
        """
        x = tf.Variable(3.0)
        with tf.GradientTape() as tape:
            z = x * x
            y = 2.0 * z
        """,
    ),
    "assigned to another variable": (
        "assigned",
        """
        x, state = tf.Variable(2.0), tf.Variable(0.0)
        with tf.GradientTape() as tape:
            state.assign(x * 2.0)  # here
            y = state * state
        """,
        """
        x, state = tf.Variable(2.0), tf.Variable(0.0)
        with tf.GradientTape() as tape:
            state = x * 2.0
            y = state * state
        """,
    ),
    "added to a running sum": (
        "assigned",
        """
        x, total = tf.Variable(2.0), tf.Variable(1.0)
        with tf.GradientTape() as tape:
            total.assign_add(x * x)  # here
            y = 3.0 * total
        """,
        """
        x, total = tf.Variable(2.0), tf.Variable(1.0)
        with tf.GradientTape() as tape:
            total = total + x * x
            y = 3.0 * total
        """,
    ),
    "numpy_function": (
        "numpy_function",
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = 2.0 * tf.numpy_function(np.sin, [x], tf.float32)  # here
        """,
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = 2.0 * tf.sin(x)
        """,
    ),
    "numpy_function of several": (
        "numpy_function",
        """
        x, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 1.0])
        with tf.GradientTape() as tape:
            largest = tf.numpy_function(np.maximum, [x * 2.0, w], tf.float32)  # here
            y = tf.reduce_sum(largest)
        """,
        """
        x, w = tf.Variable([1.0, 2.0]), tf.Variable([3.0, 1.0])
        with tf.GradientTape() as tape:
            largest = tf.maximum(x * 2.0, w)
            y = tf.reduce_sum(largest)
        """,
    ),
    "the whole computed before": (
        "before the tape",
        """
        x = tf.Variable(2.0)
        y = x * x  # here
        with tf.GradientTape() as tape:
            pass
        """,
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x
        """,
    ),
    "a part computed before": (
        "before the tape",
        """
        x, w = tf.Variable(2.0), tf.Variable(3.0)
        hidden = tf.tanh(x)  # here
        with tf.GradientTape() as tape:
            y = w * hidden
        """,
        """
        x, w = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape() as tape:
            hidden = tf.tanh(x)
            y = w * hidden
        """,
    ),
    "the loss after the block": (
        "after the tape",
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            squares = x * x
        y = tf.reduce_mean(squares)  # here
        """,
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            squares = x * x
            y = tf.reduce_mean(squares)
        """,
    ),
    "all of it after the block": (
        "after the tape",
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            pass
        y = tf.reduce_sum(x * x)  # here
        """,
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * x)
        """,
    ),
    "not used": (
        "not used",
        """
        x, w = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape() as tape:
            y = w * w
        """,
        None,
    ),
    "used for something else": (
        "not used",
        """
        x, w = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape() as tape:
            penalty = x * x
            y = w * w
        """,
        None,
    ),
}


def run(program: str, folder: Path, name: str = "program.py") -> tuple[dict[str, Any], str]:
    """Run a program as a file. Returns its names and its text."""
    text = textwrap.dedent(program).lstrip("\n")
    path = folder / name
    path.write_text(text)
    linecache.checkcache(str(path))
    names: dict[str, Any] = {"tf": tf, "np": np, "__name__": "program"}
    exec(compile(text, str(path), "exec"), names)
    return names, text


def marked(text: str) -> int | None:
    """The number of the line that says `# here`."""
    numbers = [n for n, line in enumerate(text.splitlines(), 1) if line.endswith("# here")]
    return numbers[0] if numbers else None


ASK = "gradient = tape.gradient(y, x)\nexplanation = tape.explain(y, x)\n"
ASK_ONLY = "explanation = tape.explain(y, x)\n"


@pytest.mark.parametrize("after_gradient", [True, False], ids=["after", "before"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_reason_its_line_and_its_remedy(name: str, after_gradient: bool, tmp_path: Path) -> None:
    reason, program, mended = PROGRAMS[name]
    # `gradient` refuses what is no tensor.
    ask = ASK if after_gradient and " as the target" not in name else ASK_ONLY
    names, text = run(textwrap.dedent(program) + ask, tmp_path)
    explanation = names["explanation"]
    assert names.get("gradient") is None
    assert explanation.reason == reason, explanation
    line = marked(text)
    if line is not None:
        file, number, function = explanation.where
        assert (file, number, function) == (str(tmp_path / "program.py"), line, "<module>")
    if mended is None:
        assert explanation.remedy is None
        return
    if reason != "stop_recording" or name == "stop_recording":
        assert explanation.remedy in [one.strip() for one in mended.splitlines()], explanation
    names, _ = run(textwrap.dedent(mended) + ASK, tmp_path, "mended.py")
    assert names["gradient"] is not None
    assert names["explanation"].connected


# Programs that ask in ways of their own: reason, program, mended program. The answer is `explanation`.
ASKING = {
    "element as the source": (
        "another view",
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * x)
        explanation = tape.explain(y, x[0])  # here
        """,
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * x)
        gradient = \\
            tape.gradient(y, x)[0]
        """,
    ),
    "read_value as the source": (
        "another view",
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * x)
        explanation = tape.explain(y, x.read_value())  # here
        """,
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(x * x)
        gradient = \\
            tape.gradient(y, x)
        """,
    ),
    "a slice that the target does not use": (
        "another view",
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            first = x[0]  # here
            y = tf.reduce_sum(x * x)
        explanation = tape.explain(y, first)
        """,
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            first = x[0]
            y = tf.reduce_sum(x * x)
        gradient = \\
            tape.gradient(y, x)[0]
        """,
    ),
    "inner tape asked for what the outer one saw": (
        "another tape",
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as outer:
            z = x * x
            with tf.GradientTape() as inner:  # here
                y = 3.0 * z
        explanation = inner.explain(y, x)
        """,
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as outer:
            z = x * x
            with tf.GradientTape() as inner:
                y = 3.0 * z
        gradient = \\
            outer.gradient(y, x)
        """,
    ),
    "the wrong one of two tapes": (
        "another tape",
        """
        x = tf.constant(2.0)
        with tf.GradientTape() as one:
            one.watch(x)
            y = x * x
        with tf.GradientTape() as other:  # here
            z = x * x
        explanation = other.explain(y, x)
        """,
        """
        x = tf.constant(2.0)
        with tf.GradientTape() as one:
            one.watch(x)
            y = x * x
        gradient = \\
            one.gradient(y, x)
        """,
    ),
    "name of the loss": (
        "target is no tensor",
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            loss = x * x
        explanation = tape.explain("loss", x)  # here
        """,
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            loss = x * x
        gradient = \\
            tape.gradient(loss, x)
        """,
    ),
    "numbers as the target": (
        "target is no tensor",
        """
        x = tf.Variable(2.0)
        y = 4.0  # here
        with tf.GradientTape() as tape:
            loss = x * x
        explanation = tape.explain(y, x)
        """,
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            y = x * x
        gradient = tape.gradient(y, x)
        """,
    ),
    "model as the source": (
        "source is no tensor",
        """
        class Line(tf.Module):
            def __init__(self):
                self.slope = tf.Variable(2.0)
        line = Line()
        with tf.GradientTape() as tape:
            loss = tf.square(line.slope * 3.0)
        explanation = tape.explain(loss, line)  # here
        """,
        """
        class Line(tf.Module):
            def __init__(self):
                self.slope = tf.Variable(2.0)
        line = Line()
        with tf.GradientTape() as tape:
            loss = tf.square(line.slope * 3.0)
        gradient = \\
            tape.gradient(loss, line.trainable_variables)
        """,
    ),
    "Python number as the source": (
        "source is no tensor",
        """
        x = 2.0  # here
        with tf.GradientTape() as tape:
            y = tf.square(x)
        explanation = tape.explain(y, x)
        """,
        """
        x = 2.0
        x = tf.Variable(x)
        with tf.GradientTape() as tape:
            y = tf.square(x)
        gradient = tape.gradient(y, x)
        """,
    ),
    "arguments swapped": (
        "swapped",
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            loss = x * x
        explanation = tape.explain(x, loss)  # here
        """,
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            loss = x * x
        gradient = \\
            tape.gradient(loss, x)
        """,
    ),
    "arguments swapped, by name": (
        "swapped",
        """
        def ask(w):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.sin(w))
            return tape.explain(sources=loss, target=w)  # here
        explanation = ask(tf.Variable([2.0]))
        """,
        """
        def ask(w):
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(tf.sin(w))
            return \\
                tape.gradient(loss, w)
        gradient = ask(tf.Variable([2.0]))
        """,
    ),
    "elements of a data set": (
        "data set",
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            total = tf.constant(0.0)
            rows = tf.data.Dataset.from_tensor_slices(x * 2.0)  # here
            for row in rows:
                total += row * row
        explanation = tape.explain(total, x)
        """,
        """
        x = tf.Variable([1.0, 2.0])
        with tf.GradientTape() as tape:
            total = tf.constant(0.0)
            for row in x * 2.0:
                total += row * row
        gradient = tape.gradient(total, x)
        """,
    ),
    "through a queue": (
        "data set",
        """
        x = tf.Variable(2.0)
        queue = tf.queue.FIFOQueue(2, [tf.float32])
        with tf.GradientTape() as tape:
            queue.enqueue(x * 2.0)
            taken = queue.dequeue()  # here
            y = taken * taken
        explanation = tape.explain(y, x)
        """,
        """
        x = tf.Variable(2.0)
        with tf.GradientTape() as tape:
            taken = x * 2.0
            y = taken * taken
        gradient = tape.gradient(y, x)
        """,
    ),
    "computed on another thread": (
        "another thread",
        """
        import threading
        x = tf.Variable(2.0)
        results = []
        def work():
            results.append(x * x)
        with tf.GradientTape() as tape:  # here
            thread = threading.Thread(target=work)
            thread.start()
            thread.join()
        explanation = tape.explain(results[0], x)
        """,
        """
        import threading
        x = tf.Variable(2.0)
        results = []
        def work():
            with tf.GradientTape() as tape:
                y = x * x
            results.append(tape.gradient(y, x))
        thread = threading.Thread(target=work)
        thread.start()
        thread.join()
        gradient = results[0]
        """,
    ),
    "computed in a pool": (
        "another thread",
        """
        from concurrent.futures import ThreadPoolExecutor
        x = tf.constant([1.0, 2.0])
        with ThreadPoolExecutor(1) as pool, tf.GradientTape() as tape:  # here
            tape.watch(x)
            y = pool.submit(lambda: tf.reduce_sum(x * x)).result()
        explanation = tape.explain(y, x)
        """,
        """
        from concurrent.futures import ThreadPoolExecutor
        x = tf.constant([1.0, 2.0])
        def slope():
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = tf.reduce_sum(x * x)
            return tape.gradient(y, x)
        with ThreadPoolExecutor(1) as pool:
            gradient = pool.submit(slope).result()
        """,
    ),
    "gradient function that gives None": (
        "gradient function",
        """
        @tf.custom_gradient
        def scaled(a, b):
            return a * b, lambda dy: (dy * b, None)
        x, w = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = scaled(w, x)
        assert tape.gradient(y, x) is None
        explanation = tape.explain(y, x)
        """,
        """
        @tf.custom_gradient
        def scaled(a, b):
            return a * b, lambda dy: (dy * b, dy * a)
        x, w = tf.Variable(2.0), tf.Variable(3.0)
        with tf.GradientTape(persistent=True) as tape:
            y = scaled(w, x)
        gradient = tape.gradient(y, x)
        """,
    ),
    "gradient function with several arguments": (
        "gradient function",
        """
        @tf.custom_gradient
        def clipped(a, low):
            result = tf.maximum(a, low)
            return result, lambda dy: [tf.where(a > low, dy, 0.0), None]
        a, x = tf.Variable([2.0, 1.0]), tf.Variable([1.5, 1.5])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(clipped(a, x) ** 2)
        assert tape.gradient(y, x) is None
        explanation = tape.explain(y, x)
        """,
        """
        @tf.custom_gradient
        def clipped(a, low):
            result = tf.maximum(a, low)
            return result, lambda dy: [tf.where(a > low, dy, 0.0), tf.where(a > low, 0.0, dy)]
        a, x = tf.Variable([2.0, 1.0]), tf.Variable([1.5, 1.5])
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(clipped(a, x) ** 2)
        gradient = tape.gradient(y, x)
        """,
    ),
    "recorded function with a cast inside": (
        "recorded function",
        """
        @tf.function
        def energy(a, b):
            return a * a * tf.cast(tf.cast(b, tf.int32), tf.float32)
        w, x = tf.Variable(2.0), tf.Variable(3.0)
        for _ in range(4):
            with tf.GradientTape(persistent=True) as tape:
                y = energy(w, x)
            assert tape.gradient(y, x) is None
        explanation = tape.explain(y, x)
        """,
        None,
    ),
    "recorded function with a step inside": (
        "recorded function",
        """
        @tf.function
        def loss(a, b):
            return tf.reduce_sum(a * tf.cast(b > 1.5, tf.float32))
        w, x = tf.Variable([2.0]), tf.Variable([3.0])
        for _ in range(4):
            with tf.GradientTape() as tape:
                y = loss(w, x)
            assert tape.gradient(y, x) is None
        explanation = tape.explain(y, x)
        """,
        None,
    ),
}


@pytest.mark.parametrize("name", ASKING)
def test_a_program_that_asks(name: str, tmp_path: Path) -> None:
    reason, program, mended = ASKING[name]
    names, text = run(program, tmp_path)
    explanation = names["explanation"]
    assert explanation.reason == reason, explanation
    line = marked(text)
    if line is None:
        assert explanation.where is None
    else:
        assert explanation.where[:2] == (str(tmp_path / "program.py"), line)
    if mended is None:
        return
    if explanation.remedy is not None:
        assert explanation.remedy in [one.strip() for one in mended.splitlines()], explanation
    names, _ = run(mended, tmp_path, "mended.py")
    assert names["gradient"] is not None


def test_the_op_in_a_recorded_function_shows_in_eager_code(tmp_path: Path) -> None:
    _, program, _ = ASKING["recorded function with a step inside"]
    names, _ = run(program, tmp_path)
    assert names["explanation"].remedy == "tf.config.run_functions_eagerly(True)"
    try:
        names, text = run(
            textwrap.dedent("tf.config.run_functions_eagerly(True)\n") + textwrap.dedent(program),
            tmp_path,
        )
    finally:
        tf.config.run_functions_eagerly(False)
    assert names["explanation"].reason == "op without gradient"
    number = names["explanation"].where[1]
    assert "b > 1.5" in text.splitlines()[number - 1]


def test_the_first_call_of_a_recorded_function_knows_its_ops() -> None:
    @tf.function
    def half(a: Any, b: Any) -> Any:
        return a * tf.stop_gradient(b)

    w, x = tf.Variable(2.0), tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = half(w, x)
    assert tape.explain(y, x).reason == "stop_gradient"


def test_a_tape_inside_of_a_recorded_function() -> None:
    reasons: list[str] = []

    @tf.function
    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.round(x)
        reasons.append(tape.explain(y, x).reason)
        return y

    for value in (1.2, 2.2, 3.2):
        slope(tf.constant(value))
    assert set(reasons) == {"op without gradient"}
    assert len(reasons) == 1  # a replay runs no Python


@pytest.mark.parametrize("persistent", [False, True])
def test_a_connected_source(persistent: bool) -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape(persistent=persistent) as tape:
        y = tf.sin(x * x) + x
    before = tape.explain(y, x)
    assert before.connected
    assert (before[0].ops, before[0].paths) == (["AddV2"], 3)
    assert "3 paths" in str(before)
    assert tape.gradient(y, x) is not None
    after = tape.explain(y, x)
    assert after.connected
    assert after[0].ops == (["AddV2"] if persistent else None)


def test_the_target_itself() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * 2.0
    assert tape.explain(y, y)[0].ops == []
    assert tape.explain(x, x).connected


def test_a_number_of_paths_that_no_walk_could_count() -> None:
    x = tf.Variable(1.0)
    with tf.GradientTape() as tape:
        y = x * 1.0
        for _ in range(200):
            y = y + y
    assert tape.explain(y, x)[0].paths == 2**200


def test_a_nest_of_sources_and_of_targets() -> None:
    x, w, frozen = tf.Variable(2.0), tf.Variable(3.0), tf.Variable(1.0, trainable=False)
    with tf.GradientTape() as tape:
        y, z = x * x, tf.round(w)
    explanation = tape.explain([y, {"z": z}], {"b": [w, frozen], "a": x})
    assert [source.reason for source in explanation] == [
        "connected",
        "op without gradient",
        "not trainable",
    ]
    assert explanation.reason == "op without gradient"
    assert not explanation.connected
    assert len(explanation) == 3


def test_what_a_spent_tape_still_knows() -> None:
    x, w, other = tf.Variable(2.0), tf.Variable(3.0), tf.Variable(4.0)
    with tf.GradientTape() as tape:
        y = x * x + tf.round(w)
    assert tape.gradient(y, [x, w])[1] is None
    assert [source.reason for source in tape.explain(y, [x, w, other])] == [
        "connected",
        "op without gradient",
        "not used",
    ]
    with tf.GradientTape() as tape:
        y = x * x
    assert tape.gradient(y, x) is not None
    gone = tape.explain(y, other)
    assert gone.reason == "records gone"
    assert gone.remedy == "with tf.GradientTape(persistent=True) as tape:"


def test_jacobians_leave_what_explain_needs() -> None:
    x, w = tf.Variable([2.0, 1.0]), tf.Variable([1.5, 2.5])
    with tf.GradientTape() as tape:
        y = x * tf.round(w)
    assert tape.jacobian(y, w) is None
    assert tape.explain(y, w).reason == "op without gradient"


def test_nested_tapes_both_explain() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = 3.0 * x
        first = inner.gradient(y, x)
    assert outer.gradient(first, x) is None
    assert outer.explain(first, x).reason == "not used"
    assert inner.explain(y, x).connected


@pytest.mark.parametrize(
    "value", [None, 3, 2.5, "y", b"y", object(), [], {}, tf, np.ones(2), print]
)
def test_odd_input_raises_nothing(value: Any) -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
    for explanation in (
        tape.explain(value, x),
        tape.explain(y, value),
        tape.explain(value, value),
        tape.explain([y, value], {"a": x, "b": value}),
        tf.GradientTape().explain(y, value),
    ):
        assert str(explanation)
        assert explanation._repr_html_()
    assert float(tape.gradient(y, x)) == 4.0


def test_explaining_changes_nothing() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        y = x * x
        assert tape.explain(y, x).connected
        z = y * x
    assert float(tape.gradient(z, x)) == 12.0


def test_the_printed_text(tmp_path: Path) -> None:
    names, _ = run(textwrap.dedent(PROGRAMS["stop_gradient"][1]) + ASK, tmp_path)
    assert str(names["explanation"]) == repr(names["explanation"])
    assert str(names["explanation"]) == (
        "The gradient of y by\n"
        "  x: tf.stop_gradient ends the gradient on the way, in <module> (program.py:3): "
        "y = tf.square(tf.stop_gradient(x * 3.0))  # here\n"
        "    write: y = tf.square(x * 3.0)"
    )


def test_a_notebook_shows_a_table_and_no_markup_of_the_program(tmp_path: Path) -> None:
    names, _ = run(textwrap.dedent(PROGRAMS["a step as a comparison"][1]) + ASK, tmp_path)
    page = names["explanation"]._repr_html_()
    assert page.startswith("<p>The gradient of <code>y</code>")
    assert "x &gt; 1.5" in page
    assert "x > 1.5" not in page


def test_a_program_without_a_text() -> None:
    names: dict[str, Any] = {"tf": tf}
    program = textwrap.dedent(PROGRAMS["round"][1]).lstrip() + ASK
    exec(compile(program, "<typed>", "exec"), names)
    assert names["explanation"].reason == "op without gradient"
    assert names["explanation"].where == ("<typed>", 3, "<module>")
    assert names["explanation"].remedy is None


@pytest.mark.parametrize("method", ["gradient", "jacobian"])
def test_unconnected_gradients_as_an_error(method: str) -> None:
    x, w, c = tf.Variable([2.0]), tf.Variable([3.0]), tf.constant([1.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x + tf.round(w) * c
    take = getattr(tape, method)
    assert take(y, x, unconnected_gradients="error") is not None
    with pytest.raises(ValueError, match="w: the op Round gives no gradient") as error:
        take(y, [x, w, c], unconnected_gradients="error")
    assert "c: the tape does not watch this tensor" in str(error.value)
    assert take(y, w, unconnected_gradients="none") is None
    assert take(y, w, unconnected_gradients="zero") is not None


def test_an_unconnected_batch_jacobian_as_an_error() -> None:
    x, w = tf.Variable([[2.0]]), tf.Variable([[3.0]])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    assert tape.batch_jacobian(y, x, unconnected_gradients="error") is not None
    with pytest.raises(ValueError, match="w: the target does not depend on it"):
        tape.batch_jacobian(y, w, unconnected_gradients="error")


def test_the_page_names_every_reason() -> None:
    page = (Path(__file__).resolve().parents[2] / "docs" / "why-none.md").read_text()
    assert [reason for reason in tf.autodiff.UnconnectedReason if f"`{reason}`" not in page] == []


def test_every_reason_has_two_programs() -> None:
    counts = Counter([entry[0] for entry in [*PROGRAMS.values(), *ASKING.values()]])
    others = {"connected", "records gone"}  # of these, the tests below have several
    few = [reason for reason in tf.autodiff.UnconnectedReason if counts[reason] < 2]
    assert set(few) == others


def test_the_members_are_tensorflows() -> None:
    assert [member.value for member in tf.UnconnectedGradients] == ["none", "zero"]


def test_lines_of_every_op(tmp_path: Path) -> None:
    program = """
    @tf.custom_gradient
    def silent(a):
        return a * 1.0, lambda dy: None
    x = tf.Variable(2.0)
    with tf.GradientTape(lines={lines}) as tape:
        z = x * x
        y = silent(z)  # here
    gradient = tape.gradient(y, x)
    explanation = tape.explain(y, x)
    """
    names, _ = run(program.format(lines=False), tmp_path)
    assert names["explanation"].where is None
    assert "GradientTape(lines=True)" in str(names["explanation"])
    names, text = run(program.format(lines=True), tmp_path)
    assert names["explanation"].where[1] == marked(text)
    assert "lines=True" not in str(names["explanation"])


def test_a_tape_keeps_the_last_notes() -> None:
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        tf.floor(x)
        for _ in range(1200):
            last = tf.round(x)
    entries, dropped = tape._tape.entries()
    assert len(entries) + dropped == 1201
    assert len(entries) <= 1000
    assert tape.explain(last, x).reason == "op without gradient"
