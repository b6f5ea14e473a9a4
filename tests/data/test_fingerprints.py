"""`Dataset.fingerprint` and `snapshot`: the same in every process, and other for other data sets."""

from __future__ import annotations

import functools
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

Dataset = tf.data.Dataset

HELPERS = """
FACTOR = 3
def scaled(x):
    return x * FACTOR
def unused(x):
    return x
"""

PROGRAM = """
import functools, os, re, sys, tempfile, time
import numpy as np
import tapegrad as tf
import helpers

Dataset = tf.data.Dataset
FACTOR = 2
calls, counter = [], 0
v = tf.Variable(2.0)
recorded = tf.function(lambda x: tf.sin(x) * v)
generator = tf.random.Generator.from_seed(1)
table = tf.lookup.StaticHashTable(
    tf.lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([1, 2])), -1
)

@functools.lru_cache
def cached(number):
    return number + 1

class Scale:
    kinds = {"first", "second", "third"}
    def __init__(self, factor):
        self.factor = factor
    def __call__(self, x):
        return x * self.factor

def step(framework, numbers):
    def function(x):
        global counter
        counter += 1
        calls.append(counter)
        return helpers.scaled(framework.cast(x, framework.float32)) * numbers.float32(FACTOR)
    return function

class Recursive:
    def __init__(self):
        self.itself = self
    def __call__(self, x):
        return x

words = Dataset.from_tensor_slices(["a", "b", "c"])
made = {
    "modules": Dataset.range(4).map(step(tf, np)),
    "modules of the program": Dataset.range(4).map(lambda x, m=helpers: m.scaled(x)),
    "objects": Dataset.range(4).map(Scale(3)).map(Recursive()),
    "sets": Dataset.range(4).map(lambda x: x + len({"a", "b", ("c", frozenset("defg"))})),
    "caches": Dataset.range(4).map(lambda x: x * cached(3)).cache(),
    "shuffled": Dataset.range(4).shuffle(4),
    "recorded functions": Dataset.range(4).map(lambda x: recorded(tf.cast(x, tf.float32))),
    "tables": words.map(table.lookup),
    "generators": Dataset.range(4).map(lambda x: generator.normal([2])),
    "patterns": words.map(lambda x, p=re.compile("a|b"): tf.strings.regex_replace(x, p.pattern, "c")),
    "python": Dataset.range(4).map(lambda x: tf.py_function(lambda y: y + len(os.sep), [x], tf.int64)),
    "partial": Dataset.range(4).map(functools.partial(lambda a, x: a * x, 2)),
    "inner": Dataset.range(3).interleave(lambda x: Dataset.range(x).map(lambda y: y + FACTOR)),
    "files": Dataset.range(3).map(lambda x, file=sys.stderr, lock=tempfile.tempdir: x),
}
began = time.process_time()
first = {name: int(dataset.fingerprint()) for name, dataset in made.items()}
assert time.process_time() - began < 2.0  # 30 ms; 1.5 to 15 s each when modules were followed
for name, dataset in made.items():
    list(dataset), list(dataset)
    assert int(dataset.fingerprint()) == first[name], name
assert len(set(first.values())) == len(first)
assert first["shuffled"] == int(Dataset.range(4).shuffle(4).fingerprint())
assert first["shuffled"] != int(Dataset.range(4).shuffle(4, 1).fingerprint())
read = []
def noted(x):
    read.append(int(x))
    return x
kept = Dataset.range(4).map(lambda x: tf.py_function(noted, [x], tf.int64)).map(step(tf, np))
kept = kept.snapshot(sys.argv[1])
for _ in range(2):
    list(kept)
print(first)
print(read)
"""


def outputs(folder: Path, hash_seed: int, **changes: str) -> list[str]:
    program, helpers = PROGRAM, HELPERS
    for old, new in changes.items():
        program = program.replace(f"{old} = 2", f"{old} = {new}")
    (folder / "program.py").write_text(program)
    (folder / "helpers.py").write_text(helpers)
    found = subprocess.run(
        [sys.executable, "program.py", str(folder / "kept")],
        capture_output=True,
        text=True,
        cwd=folder,
        env={**os.environ, "PYTHONHASHSEED": str(hash_seed), "PYTHONPATH": paths()},
    )
    assert found.returncode == 0, found.stderr
    return found.stdout.splitlines()


def paths() -> str:
    return os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))


def test_every_process_and_every_pass_finds_the_same(tmp_path: Path) -> None:
    first, second = outputs(tmp_path, 1), outputs(tmp_path, 77)
    assert first[0] == second[0]
    assert first[1] == "[0, 1, 2, 3]", "the second pass reads what the first has written"
    assert second[1] == "[]", "and so does the next process"
    changed = outputs(tmp_path, 1, FACTOR="5")
    assert changed[1] == "[0, 1, 2, 3]", "a variable that the function reads has another value"


def mapped(function: Any) -> int:
    return int(Dataset.range(3).map(function).fingerprint())


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (lambda x: x + 1, lambda x: x + 2),
        (lambda x: x + 1, lambda x: x - 1),
        (lambda x, a=1: x + a, lambda x, a=2: x + a),
    ],
)
def test_other_functions_have_other_fingerprints(one: Any, other: Any) -> None:
    assert mapped(one) == mapped(one) != mapped(other)


def enclosed(value: Any) -> int:
    def function(x: Any) -> Any:
        assert value is not None
        return x

    return mapped(function)


class Added:
    def __init__(self, number: int) -> None:
        self.number = number

    @tf.function
    def to(self, x: Any) -> Any:
        return x + self.number


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Added(1).to, Added(2).to),
        (np.arange(3), np.arange(3) + 1),
        (np.sin, np.cos),
        (tf.sin, tf.cos),
        (tf, np),
        (len, max),
        (tf.int32, tf.int64),
        (tf.TensorSpec([1]), tf.TensorSpec([2])),
        (Path("a"), Path("b")),
        ({"a": {1, 2}}, {"a": {1, 3}}),
        (Dataset.range, Dataset.zip),
        (functools.partial(max, 1), functools.partial(max, 2)),
    ],
)
def test_other_values_that_a_function_holds_make_other_fingerprints(one: Any, other: Any) -> None:
    assert enclosed(one) == enclosed(one) != enclosed(other)


def test_tensors_count_by_their_values_and_variables_by_their_types() -> None:
    assert enclosed(tf.constant(1)) == enclosed(tf.constant(1)) != enclosed(tf.constant(2))
    ragged = [tf.ragged.constant([[each]]) for each in (1, 1, 2)]
    assert enclosed(ragged[0]) == enclosed(ragged[1]) != enclosed(ragged[2])
    v = tf.Variable(1)
    before = enclosed(v)
    v.assign(2)
    assert enclosed(v) == before != enclosed(tf.Variable(1.0))


def test_what_a_pass_has_kept_does_not_count() -> None:
    cached = Dataset.range(3).cache()
    list(cached)
    assert int(cached.fingerprint()) == int(Dataset.range(3).cache().fingerprint())


def test_lists_that_are_deep_or_contain_themselves_have_fingerprints() -> None:
    deep: list[Any] = []
    for _ in range(5000):
        deep = [deep]
    own: list[Any] = [1]
    own.append(own)
    assert enclosed(deep) == enclosed(deep)
    assert enclosed(own) == enclosed(own)
