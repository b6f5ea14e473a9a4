"""First calls of recorded functions make variables. One that would make one at each call is an error."""

from __future__ import annotations

import functools
import gc
import os
import random
import subprocess
import sys
import weakref
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

import tapegrad as tf

ONE = tf.constant(1.0)


class Runs:
    """Counts how often Python runs, and knows whether it runs for the first time."""

    def __init__(self) -> None:
        self.number = 0

    def __call__(self) -> bool:
        self.number += 1
        return self.number == 1


class Ring:
    """An object that only the garbage collector finds."""

    def __init__(self) -> None:
        self.itself = self
        self.variable = tf.Variable(2.0)


def returned(x: Any) -> Any:
    return tf.Variable(1.0)


def local(x: Any) -> Any:
    v = tf.Variable(1.0)
    return v.assign_add(x)


def number(x: Any) -> Any:
    tf.Variable(1.0)
    return 3


def in_a_ring(x: Any) -> Any:
    return x * Ring().variable


def in_init_scope(x: Any) -> Any:
    with tf.init_scope():
        v = tf.Variable(2.0)
    return x * v


inner = tf.function(local)


def in_one_function_inside(x: Any) -> Any:
    return inner(x)


LOST = [returned, local, number, in_a_ring, in_init_scope, in_one_function_inside]


@pytest.mark.parametrize("watched", [False, True])
@pytest.mark.parametrize("body", LOST)
def test_a_variable_made_at_each_call_is_an_error_at_once(
    body: Callable[[Any], Any], watched: bool
) -> None:
    runs = Runs()

    @tf.function
    def f(x: Any) -> Any:
        runs()
        return body(x)

    for count in (2, 4):
        with (
            tf.GradientTape() if watched else nullcontext(),
            pytest.raises(ValueError, match="only supports singleton"),
        ):
            f(ONE)
        assert runs.number <= count


def test_the_error_leaves_everything_as_it_was() -> None:
    tf.random.set_seed(5)
    generator = tf.random.Generator.from_seed(1)
    expected = generator.normal([]), tf.random.Generator.from_seed(1)
    w, steps = tf.Variable(10.0), tf.Variable(0)

    @tf.function
    def draws() -> Any:
        return tf.random.uniform([])

    @tf.function
    def f(x: Any) -> Any:
        w.assign(expected[1].normal([]) + tf.random.uniform([]) + draws())
        steps.assign_add(1)
        return w * tf.Variable(3.0)

    with pytest.raises(ValueError, match="singleton"):
        f(ONE)
    assert w == 10.0
    assert steps == 0
    assert expected[1].normal([]) == expected[0]
    eager = tf.random.uniform([])
    tf.random.set_seed(5)
    assert eager == tf.random.uniform([])


def test_what_the_second_run_does_is_done_once() -> None:
    """TensorFlow's values (2.21): a first call gives what its second run gives."""
    tf.random.set_seed(1)
    runs, w = Runs(), tf.Variable(10.0)

    @tf.function
    def f(x: Any) -> Any:
        if runs():
            tf.Variable(2.0)
        return w.assign_add(x * runs.number), tf.random.uniform([])

    found = [[round(float(part), 6) for part in f(ONE)] for _ in range(3)]
    assert found == [[12.0, 0.812696], [14.0, 0.527289], [16.0, 0.848943]]
    assert runs.number == f.experimental_get_tracing_count() == 2
    assert f._recordings.recorded == 1


def test_a_seed_that_the_first_run_sets_is_none_of_the_second() -> None:
    """TensorFlow's numbers (2.21)."""
    tf.random.set_seed(1)
    runs = Runs()

    @tf.function
    def f() -> Any:
        first = tf.random.uniform([])
        tf.random.set_seed(7)
        if runs():
            tf.Variable(1.0)
        return first, tf.random.uniform([])

    found = [[round(float(part), 5) for part in f()] for _ in range(3)]
    assert found == [[0.8127, 0.46037], [0.52729, 0.51897], [0.84894, 0.74075]]


def test_an_error_of_the_second_run_is_the_callers() -> None:
    runs, w = Runs(), tf.Variable(10.0)

    @tf.function
    def f(x: Any) -> Any:
        w.assign_add(1.0)
        if runs():
            tf.Variable(2.0)
            return x
        raise KeyError("again")

    with pytest.raises(KeyError, match="again"):
        f(ONE)
    assert w == 10.0


def test_a_function_may_handle_the_error() -> None:
    """TensorFlow gives 5 (2.21)."""

    @tf.function
    def f(x: Any) -> Any:
        try:
            v: Any = tf.Variable(2.0)
        except ValueError:
            v = 5.0
        return x * v

    assert [float(f(ONE)) for _ in range(3)] == [5.0] * 3


@pytest.mark.parametrize("ring", [False, True])
def test_references_that_do_not_count_find_the_variable(ring: bool) -> None:
    """TensorFlow's graphs keep the variable (2.21)."""
    runs = Runs()
    known: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        runs()
        v = known[0]() if known else None
        if v is None:
            v = Ring().variable if ring else tf.Variable(2.0)
            known.append(weakref.ref(v))
        return x * v.assign_add(1.0)

    assert [float(f(ONE)) for _ in range(3)] == [3.0, 4.0, 5.0]
    gc.collect()
    assert f(ONE) == 6.0
    assert runs.number == 2


class Layer(tf.Module):
    weight: Any = None
    runs = 0

    @tf.function
    def __call__(self, x: Any) -> Any:
        self.runs += 1
        if self.weight is None:
            self.weight = tf.Variable(3.0)
        return self.weight.assign_add(x)


def test_a_variable_that_is_kept_lets_the_first_call_be() -> None:
    """The Python code runs once in each of the first two calls, as before."""
    layers = [Layer(), Layer()]
    for layer in layers:
        assert [float(layer(ONE)) for _ in range(3)] == [4.0, 5.0, 6.0]
        assert layer.runs == 2


@pytest.mark.parametrize(
    "effect", [lambda: tf.print("here"), lambda: tf.py_function(lambda: 1, [], tf.int32)]
)
def test_what_cannot_be_undone_is_not_done_twice(
    effect: Callable[[], Any], capfd: pytest.CaptureFixture[str]
) -> None:
    """There the error comes with the second call."""
    runs = Runs()

    @tf.function
    def f(x: Any) -> Any:
        runs()
        effect()
        return x * tf.Variable(2.0)

    assert f(ONE) == 2.0
    assert runs.number == 1
    assert capfd.readouterr().err.count("here") in (0, 1)
    with pytest.raises(ValueError, match="singleton"):
        f(ONE)


def test_a_table_that_is_written_lets_the_first_call_be() -> None:
    table = tf.lookup.experimental.MutableHashTable(tf.int64, tf.int64, -1)

    @tf.function
    def f(x: Any) -> Any:
        table.insert(table.size(), 1)
        return x * tf.Variable(2.0)

    assert f(ONE) == 2.0
    assert table.size() == 1


def test_a_function_inside_that_fails_has_its_first_call_yet() -> None:
    layer = Layer()

    @tf.function
    def outer(x: Any) -> Any:
        return layer(x)

    with pytest.raises((ValueError, tf.errors.InvalidArgumentError)):
        outer(tf.constant("text"))
    layer.weight = None
    assert layer(ONE) == 4.0


# Variables that are kept


class Kept(list):  # type: ignore[type-arg]
    """The variables that a function keeps."""

    def make(self) -> Any:
        self.append(tf.Variable(1.0))
        return self[-1]

    def make_once(self) -> Any:
        if not self:
            self.make()
        return self[0]

    @functools.cached_property
    def made(self) -> Any:
        return self.make()


def keeps(x: Any, kept: Kept) -> Any:
    return x * kept.make()


def keeps_at_once(x: Any, kept: Kept) -> Any:
    kept.append(tf.Variable(1.0))
    return x


def keeps_in_a_loop(x: Any, kept: Kept) -> Any:
    for _ in range(2):
        x = x * kept.make()
    return x


def keeps_in_a_list(x: Any, kept: Kept) -> Any:
    return tf.add_n([x * kept.make() for _ in range(2)])


def keeps_in_a_block(x: Any, kept: Kept) -> Any:
    with tf.name_scope("a"):
        return x * kept.make()


def keeps_and_ends(x: Any, kept: Kept) -> Any:
    try:
        return x * kept.make()
    finally:
        x = 2.0 * x


def keeps_after_a_check(x: Any, kept: Kept) -> Any:
    assert x is not None
    if len(x.shape) > 7:
        raise KeyError
    if x.dtype == tf.int32:
        x = 2 * x
    return x * kept.make()


def keeps_in_a_function(x: Any, kept: Kept) -> Any:
    return tf.function(lambda: kept.make() * x)()


def keeps_and_differentiates(x: Any, kept: Kept) -> Any:
    return tf.gradients(x * kept.make(), x)[0]


def keeps_one(x: Any, kept: Kept) -> Any:
    return x * kept.make_once()


def keeps_one_and_leaves(x: Any, kept: Kept) -> Any:
    if kept:
        return x * kept[0]
    return x * kept.make()


def keeps_one_or_the_other(x: Any, kept: Kept) -> Any:
    return x * (kept[0] if kept else kept.make())


def keeps_one_after_an_error(x: Any, kept: Kept) -> Any:
    try:
        return x * kept[0]
    except IndexError:
        return x * kept.make()


def keeps_one_in_a_loop(x: Any, kept: Kept) -> Any:
    while len(kept) < 2:
        kept.make()
    for place in range(2):
        x = x * (kept[place] if len(kept) > place else kept.make())
    return x


def keeps_what_is_cached(x: Any, kept: Kept) -> Any:
    return x * kept.made


EACH_TIME = [
    keeps,
    keeps_at_once,
    keeps_in_a_loop,
    keeps_in_a_list,
    keeps_in_a_block,
    keeps_and_ends,
    keeps_after_a_check,
    keeps_in_a_function,
    keeps_and_differentiates,
]
ONCE = [
    keeps_one,
    keeps_one_and_leaves,
    keeps_one_or_the_other,
    keeps_one_after_an_error,
    keeps_one_in_a_loop,
    keeps_what_is_cached,
]


@pytest.mark.parametrize("body", EACH_TIME)
def test_a_variable_that_each_call_keeps_is_an_error_at_once(body: Callable[..., Any]) -> None:
    """As in TensorFlow (2.21)."""
    kept, total = Kept(), tf.Variable(0.0)

    @tf.function
    def f(x: Any) -> Any:
        total.assign_add(1.0)
        return body(x, kept)

    for _ in range(2):
        with pytest.raises(ValueError, match="only supports singleton"):
            f(ONE)
    assert total == 0.0


@pytest.mark.parametrize("body", ONCE)
def test_a_variable_that_the_first_call_keeps_is_none(body: Callable[..., Any]) -> None:
    kept, total = Kept(), tf.Variable(0.0)

    @tf.function
    def f(x: Any) -> Any:
        total.assign_add(1.0)
        return body(x, kept)

    assert [float(f(ONE)) for _ in range(3)] == [1.0] * 3
    assert total == 3.0


def drawn_statements(chooser: random.Random, depth: int = 0) -> list[str]:
    """Lines of a program that makes variables, under conditions that may be otherwise in the second run."""
    lines = []
    for _ in range(chooser.randint(1, 3)):
        kind = chooser.choice(["make", "pass", "if", "else", "for", "while", "try", "return"])
        inside = (
            [f"    {line}" for line in drawn_statements(chooser, depth + 1)] if depth < 2 else []
        )
        condition = chooser.choice(["runs == 1", "runs > 1", "runs", "not runs"])
        if kind == "make" or kind == "pass" or not inside:
            lines.append("make()" if kind == "make" else "pass")
        elif kind == "if":
            lines += [f"if {condition}:", *inside]
        elif kind == "else":
            lines += [f"if {condition}:", "    pass", "else:", *inside]
        elif kind == "for":
            lines += [f"for _ in range({chooser.choice(['1', 'runs', '0'])}):", *inside]
        elif kind == "while":
            lines += ["while True:", *inside, f"    if {condition} or True:", "        break"]
        elif kind == "try":
            lines += ["try:", *inside, f"    if {condition}:", "        raise KeyError"]
            lines += ["except KeyError:", "    pass"]
        else:
            lines += [f"if {condition}:", "    return"]
    return lines


@pytest.mark.parametrize("number", range(80))
def test_what_makes_none_in_a_second_run_is_no_error(number: int) -> None:
    """TensorFlow runs the Python code twice if a variable is made; to make one again is the error.

    That is so here wherever there is an error in the first call. In the second one there is, if not before.
    """
    lines = drawn_statements(random.Random(number))
    names: dict[str, Any] = {}
    exec("\n    ".join(["def body(runs, make):", *lines]), names)
    made: list[int] = []
    for run in (1, 2):
        names["body"](run, lambda run=run: made.append(run))
    kept, runs = Kept(), Runs()

    @tf.function
    def f(x: Any) -> Any:
        runs()
        names["body"](runs.number, kept.make)
        return x

    failed = []
    for _ in range(2):
        try:
            f(ONE)
        except ValueError:
            failed.append(True)
    assert bool(failed) == (made.count(1) > 0 and made.count(2) > 0)
    assert runs.number <= 2 or failed


class Dense(tf.Module):
    """A layer that makes its variables when it is called first."""

    def __init__(self) -> None:
        super().__init__()
        self.w: Any = None

    def __call__(self, x: Any) -> Any:
        if self.w is None:
            self.w = tf.Variable(tf.ones([2, 3]), name="w")
            self.calls = tf.Variable(0.0, trainable=False)
        self.calls.assign_add(1.0)
        return x @ self.w


def test_a_module_made_in_a_function() -> None:
    """Python runs twice in the first call, and assigns once: as in TensorFlow."""
    made: list[Any] = []
    watched = []

    @tf.function
    def f(x: Any) -> Any:
        with tf.GradientTape() as tape:
            if not made:
                made.append(Dense())
            y = made[0](x)
        watched.append([(id(v), v.name) for v in tape.watched_variables()])
        return y, tape.gradient(y, made[0].w)

    x = tf.ones([1, 2])
    for times in (1, 2, 3):
        y, gradient = f(x)
        assert y.numpy().tolist() == [[2.0, 2.0, 2.0]]
        assert gradient.shape == [2, 3]
        assert len(watched) == 2
        assert made[0].calls.numpy() == times
    assert watched[0] == watched[1] == [(id(made[0].w), "w:0")]
    assert [v.name for v in made[0].variables] == ["Variable:0", "w:0"]


def test_random_numbers_of_a_call_that_runs_twice() -> None:
    """The first run draws nothing that counts."""
    tf.random.set_seed(3)
    kept: list[Any] = []

    @tf.function
    def f() -> Any:
        if not kept:
            kept.append(tf.Variable(1.0))
        return tf.random.uniform([2]) * kept[0]

    @tf.function
    def plain() -> Any:
        return tf.random.uniform([2])

    found = [f().numpy().tolist() for _ in range(3)]
    tf.random.set_seed(3)
    assert found == [plain().numpy().tolist() for _ in range(3)]


def test_a_call_that_prints_runs_once(capfd: pytest.CaptureFixture[str]) -> None:
    kept: list[Any] = []
    runs = Runs()

    @tf.function
    def f() -> Any:
        runs()
        if not kept:
            kept.append(tf.Variable(1.0))
        tf.print("once")
        return kept[0] + 1.0

    f()
    assert runs.number == 1
    assert capfd.readouterr().err == "once\n"
    f()
    assert runs.number == 2


def test_what_init_scope_assigns_is_not_undone() -> None:
    """Checkpoints give their values so to variables that are made in the call."""
    kept: list[Any] = []

    @tf.function
    def f(x: Any) -> Any:
        if not kept:
            kept.append(tf.Variable(1.0))
            with tf.init_scope():
                kept[0].assign(5.0)
        return kept[0].assign_add(x)

    assert [float(f(ONE)) for _ in range(3)] == [6.0, 7.0, 8.0]


def test_a_checkpoint_waits_for_variables_of_a_first_call(tmp_path: Any) -> None:
    saved = Dense()
    saved(tf.ones([1, 2]))
    saved.w.assign(tf.fill([2, 3], 4.0))
    path = tf.train.Checkpoint(saved).save(str(tmp_path / "saved"))
    layer = Dense()
    tf.train.Checkpoint(layer).restore(path)
    f = tf.function(layer.__call__)
    for times in (2, 3):
        assert f(tf.ones([1, 2])).numpy().tolist() == [[8.0, 8.0, 8.0]]
        assert layer.calls.numpy() == times


def test_who_uses_an_op_first_in_a_process_is_recorded() -> None:
    """Rules are read as programs then. What fails at that is no error that the function catches."""
    script = Path(__file__).parent.parent / "first_recordings.py"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([*sys.path, str(script.parent)])}
    found = subprocess.run(
        [sys.executable, str(script)], env=environment, capture_output=True, text=True, check=True
    )
    assert found.stdout == ""
