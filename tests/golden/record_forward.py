"""What TensorFlow answers to small programs with a ForwardAccumulator: a class of error, or what comes back.

python tests/golden/record_forward.py    writes forward.json (needs TensorFlow)
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np

PATH = Path(__file__).with_name("forward.json")

BEGIN = """
A = tf.autodiff.ForwardAccumulator
x, t = tf.constant([1.0, 2.0]), tf.constant([1.0, 0.5])
v, i = tf.Variable([1.0, 2.0]), tf.constant([1, 2])
acc = A(x, t)
with acc: y = x * x
"""

PROGRAMS = [
    # primals and tangents
    "A()",
    "A(x)",
    "A(x, t)",
    "A(x, t, 1)",
    "A(primals=x, tangents=t)",
    "A([x, x], [t, t])",
    "A([v, v], [t, t])",
    "A([x, [x]], [t, [t]])",
    "A({'a': x, 'b': x}, {'a': t, 'b': t})",
    "A(x, [1.0, 0.5])",
    "A(x, np.array([1.0, 0.5])).jvp(x)",
    "A(x, np.float32([1.0, 0.5])).jvp(x)",
    "A(x, tf.constant([1.0, 0.5], tf.float64))",
    "A(x, i)",
    "A(x, tf.constant(['a', 'b']))",
    "A(x, 1.0)",
    "A(x, tf.constant([1.0, 2.0, 3.0]))",
    "A(x, tf.constant([[1.0, 2.0]]))",
    "A([x], t)",
    "A(x, [t])",
    "A([x, v], [t])",
    "A({'a': x}, {'b': t})",
    "A([], [])",
    "A({}, {})",
    "A((), [])",
    "A(None, None)",
    "A(x, None)",
    "A(None, t)",
    "A(1.0, 1.0)",
    "A('a', 'b')",
    "A(np.ones(2), t)",
    "A(object(), t)",
    "A(v, t).jvp(v)",
    "A([x, v], [t, t]).jvp([x, v])",
    "A((x, {'a': v}), (t, {'a': t})).jvp((x, {'a': v}))",
    "A(x, v).jvp(x)",
    "A(x, x).jvp(x)",
    "A(x, tf.IndexedSlices(t[:1], [0], [2])).jvp(x)",
    "A(tf.ragged.constant([[1.0], [2.0]]), tf.ragged.constant([[1.0], [2.0]]))",
    "A(tf.sparse.from_dense([1.0]), tf.sparse.from_dense([1.0]))",
    "A(tf.ones([0, 2]), tf.ones([0, 2])).jvp(tf.ones([2]))",
    "A._batch_accumulator(x, tf.constant([[1.0, 0.5], [2.0, 3.0]])).jvp(x)",
    "A._batch_accumulator(x, t)",
    "A._batch_accumulator(x, tf.ones([2, 3]))",
    "A._batch_accumulator([x, x], [tf.ones([3, 2]), tf.ones([3, 2])])",
    "A._batch_accumulator([x], tf.ones([3, 2]))",
    "b = A._batch_accumulator(x, tf.constant([[1.0, 0.5], [2.0, 3.0]]))\nwith b: z = x * x\nb.jvp([z, t])",
    # jvp
    "acc.jvp()",
    "acc.jvp(y)",
    "acc.jvp(x)",
    "acc.jvp(v)",
    "acc.jvp(v, 'zero')",
    "acc.jvp(t)",
    "acc.jvp(i, 'zero')",
    "acc.jvp([y, [x, {'a': t}]])",
    "acc.jvp([])",
    "acc.jvp({})",
    "acc.jvp([y, t], 'zero')",
    "acc.jvp(y, unconnected_gradients='none')",
    "acc.jvp(t, tf.UnconnectedGradients.ZERO)",
    "acc.jvp(t, 'other')",
    "acc.jvp(t, None)",
    "acc.jvp(primals=y)",
    "acc.jvp(y, 'zero', 1)",
    "acc.jvp(1.0)",
    "acc.jvp(1.0, 'zero')",
    "acc.jvp(None)",
    "acc.jvp('a')",
    "acc.jvp(np.ones(2))",
    # blocks
    "acc.__enter__() is acc",
    "(acc.__enter__(), acc.__enter__())",
    "acc.__exit__(None, None, None)",
    "acc._pop_accumulator()",
    "acc._push_accumulator()",
    "acc._watch(x, t); acc.jvp(x)",
    "acc._watch([x, v], [t, t]); acc.jvp([x, v])",
    "acc._watch(x)",
    "acc._watch(1.0, t)",
    # what is followed
    "b = A(i, i)\nwith b: z = i * 2\nb.jvp([i, z])",
    "with acc: z = tf.cast(x, tf.int32)\nacc.jvp(z)",
    "with acc: z = [tf.argmax(x), tf.floor(x), tf.stop_gradient(x), tf.zeros_like(x)]\nacc.jvp(z)",
    "with acc: z = tf.image.adjust_contrast(tf.ones([2, 2, 3]) * x[0], 1.5)",
    "u = tf.Variable([0.0, 0.0])\nwith acc: u.assign(x); z = u * 2.0\nacc.jvp([u, z])",
    "b = A(v, t)\nwith b: v.assign(v * 3.0); z = v * v\nb.jvp([v, z])",
    "with A(x, t) as o:\n    with A(x, t) as n: z = x * x * x\n"
    "j = n.jvp(z)\n[o.jvp(j), o.jvp(z), n.jvp(o.jvp(z))]",
    "with A(x, t) as o:\n    with tf.GradientTape() as g: g.watch(x); z = x * x * x\n"
    "    d = g.gradient(z, x)\no.jvp([z, d])",
    "with tf.GradientTape() as g:\n    g.watch(x)\n    with A(x, t) as o: z = x * x * x\n"
    "    j = o.jvp(z)\ng.gradient(j, x)",
    "f = tf.grad_pass_through(tf.round)\nwith acc: z = f(x)\nacc.jvp(z)",
    "f = tf.custom_gradient(lambda x: (x * x, lambda dy: dy * 100.0))"
    "\nwith acc: z = f(x)\nacc.jvp(z)",
    "f = tf.custom_gradient(lambda x: (tf.identity(x), lambda dy: tf.clip_by_norm(dy, 0.1)))"
    "\nwith acc: z = f(x)\nacc.jvp(z)",
    "f = tf.recompute_grad(lambda x: x * x)\nwith acc: z = f(x)\nacc.jvp(z)",
    "with acc:\n    with tf.GradientTape() as g: g.watch(x); z = tf.gather(x, [0, 0]) ** 2.0\n"
    "    d = g.gradient(z, x)\nacc.jvp(d)",
    "f = tf.function(lambda x: x * x)\nwith acc: z = f(x)\nacc.jvp(z)",
]

# Programs to which we answer otherwise, with our answer and the reason.
LATE = "TensorFlow notices the wrong shape when the primal is used, or never"
DIFFERENT: dict[str, tuple[str, str]] = {
    "A(x, 1.0)": ("ValueError", LATE),
    "A(x, tf.constant([1.0, 2.0, 3.0]))": ("ValueError", LATE),
    "A(x, tf.constant([[1.0, 2.0]]))": ("ValueError", LATE),
    PROGRAMS[-5]: (
        "float32 [100.0, 50.0]",
        "the gradient function decides; TensorFlow takes the ops of the function",
    ),
    PROGRAMS[-3]: ("float32 [2.0, 2.0]", "TensorFlow refuses recompute_grad in forward mode"),
    PROGRAMS[-2]: ("slices float32 [2.0, 2.0]", "TensorFlow has no tangents of IndexedSlices"),
}


def answer(tf: Any, program: str) -> str:
    """The class of the error, or what the last expression of a program gives."""
    *lines, last = program.replace("; acc.jvp", "\nacc.jvp").split("\n")
    names: dict[str, Any] = {"tf": tf, "np": np}
    try:
        exec(BEGIN, names)
        if last.startswith(" ") or last.startswith("with"):
            lines, last = [*lines, last], "None"
        exec("\n".join(lines), names)
        return plain(tf, eval(last, names))
    except Exception as error:
        return type(error).__name__
    finally:
        while getattr(names.get("acc"), "_recording", False):
            names["acc"].__exit__(None, None, None)


def plain(tf: Any, value: Any) -> str:
    """What came back, so that it can be compared: numbers of tensors, and nests of them."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key}: {plain(tf, value[key])}" for key in value) + "}"
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(plain(tf, each) for each in value) + "]"
    if isinstance(value, tf.autodiff.ForwardAccumulator):
        return "an accumulator"
    if isinstance(value, tf.IndexedSlices):
        return f"slices {plain(tf, value.values)}"
    if hasattr(value, "numpy"):
        return f"{value.dtype.name} {np.asarray(value.numpy()).tolist()}"
    return repr(value)


def read() -> dict[str, str]:
    recorded: dict[str, str] = json.loads(PATH.read_text())
    return recorded


if __name__ == "__main__":
    import tensorflow

    answers = {program: answer(tensorflow, program) for program in PROGRAMS}
    PATH.write_text(json.dumps(answers, indent=1) + "\n")
