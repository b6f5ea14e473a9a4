"""`tapegrad.stand_in()`: the package under the name ``tensorflow``."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path


def run_alone(program: str, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=folder,
    )


def test_tensors_live_in_tensorflow(tmp_path: Path) -> None:
    program = """
    import tapegrad
    before = type(tapegrad.constant(1.0)).__module__
    tapegrad.stand_in()
    tapegrad.stand_in()
    import tensorflow as tf
    import tensorflow.math
    from tensorflow.nn import relu
    import copy, pickle
    x = tf.constant([1.0, -2.0])
    v = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = relu(v) * tensorflow.math.sin(v)
    print(before.split(".")[0], type(x).__module__.split(".")[0], type(x).__name__, isinstance(x, tf.Tensor))
    print(tape.gradient(y, v).shape, pickle.loads(pickle.dumps(x)).numpy(), copy.deepcopy(x).numpy())
    print(tf is tapegrad, repr(type(x)))
    """
    done = run_alone(program, tmp_path)
    assert done.stdout.splitlines() == [
        "tapegrad tensorflow EagerTensor True",
        "(2,) [ 1. -2.] [ 1. -2.]",
        "True <class 'tensorflow.python.framework.ops.EagerTensor'>",
    ], done.stderr


def test_it_refuses_where_tensorflow_is(tmp_path: Path) -> None:
    (tmp_path / "tensorflow.py").write_text("real = True\n")
    program = """
    import tapegrad
    {first}
    try:
        tapegrad.stand_in()
    except RuntimeError as error:
        print(error)
    import tensorflow
    print(tensorflow.real, type(tapegrad.constant(1.0)).__module__)
    """
    for first, words in (
        ("", "TensorFlow is installed"),
        ("import tensorflow", "imported already"),
    ):
        done = run_alone(program.replace("{first}", first), tmp_path)
        assert words in done.stdout, done.stderr
        assert done.stdout.endswith("True tapegrad.core.tensor\n")
