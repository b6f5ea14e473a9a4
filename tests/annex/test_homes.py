"""Where public classes say that they live while tapegrad stands in for TensorFlow, and their pickles."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

OBJECTS = Path(__file__).parents[1] / "pickled_objects.py"
LOOK = """
import json, sys, types
from importlib import import_module
import tensorflow as tf
tf.load()
spaces, seen, classes = [tf], set(), {}
while spaces:
    space = spaces.pop()
    if space.__name__ in seen:
        continue
    seen.add(space.__name__)
    for name in dir(space):
        value = None if name.startswith("_") and name != "__internal__" else getattr(space, name, None)
        if isinstance(value, types.ModuleType) and value.__name__.startswith("tapegrad"):
            spaces.append(value)
        elif isinstance(value, type) and not value.__module__.startswith("numpy"):
            classes[f"{space.__name__}.{name}"] = value
f = tf.function(lambda: tf.constant(0))
classes |= {"dtype": type(tf.float32), "function": type(f), "concrete": type(f.get_concrete_function())}
classes |= {"variable": type(tf.Variable(1.0)), "tensor": type(tf.constant(1))}
classes |= {"iterator": type(iter(tf.data.Dataset.range(1)))}
lost = []
for path, cls in classes.items():
    if getattr(import_module(cls.__module__), cls.__name__, None) is not cls:
        lost.append(path)
json.dump([{path: cls.__module__ for path, cls in classes.items()}, lost], sys.stdout)
"""


def run(*arguments: object) -> str:
    finished = subprocess.run(
        [sys.executable, *map(str, arguments)], capture_output=True, text=True, timeout=100
    )
    assert finished.returncode == 0, finished.stderr
    return finished.stdout


@pytest.fixture(scope="module")
def looked(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, str], list[str]]:
    """What each public class names as its module, and those that are not found there."""
    program = tmp_path_factory.mktemp("look") / "look.py"
    program.write_text(LOOK)
    homes, lost = json.loads(run("-m", "tapegrad", program))
    return homes, lost


@pytest.mark.long
def test_every_public_class_lives_below_tensorflow(
    looked: tuple[dict[str, str], list[str]],
) -> None:
    homes, _ = looked
    assert len(homes) > 250
    elsewhere = {path: home for path, home in homes.items() if not home.startswith("tensorflow")}
    assert not elsewhere, "give them a home in annex/tensorflow_shim/class_homes.txt"


@pytest.mark.parametrize(
    ("path", "home"),
    [
        ("dtype", "python.framework.dtypes"),
        ("tapegrad.GradientTape", "python.eager.backprop"),
        ("function", "python.eager.polymorphic_function.polymorphic_function"),
        ("concrete", "python.eager.polymorphic_function.concrete_function"),
        ("tensor", "python.framework.ops"),
        ("variable", "python.ops.resource_variable_ops"),
        ("iterator", "python.data.ops.iterator_ops"),
        ("tapegrad.Tensor", "python.framework.tensor"),
        ("tapegrad.errors.InvalidArgumentError", "python.framework.errors_impl"),
        ("tapegrad.train.Checkpoint", "python.checkpoint.checkpoint"),
    ],
)
def test_homes_are_tensorflows(
    looked: tuple[dict[str, str], list[str]], path: str, home: str
) -> None:
    assert looked[0][path] == f"tensorflow.{home}"


def test_classes_are_found_where_they_live(looked: tuple[dict[str, str], list[str]]) -> None:
    """So `pickle` can write them. Two of one name live in one module.

    ``name_scope`` of ``tensorflow.python.framework.ops`` is that of `tf.compat.v1`, as in TensorFlow.
    """
    elsewhere = [path for path in looked[1] if not path.startswith("tapegrad.compat.v1")]
    assert elsewhere == ["tapegrad.name_scope"]


def test_annotations_are_forgotten_all_the_same() -> None:
    program = "import tapegrad; tapegrad.stand_in(); import tensorflow as tf; " + (
        "print(tf.GradientTape.__init__.__annotations__)"
    )
    assert run("-c", program) == "{}\n"


def test_nobody_is_moved_without_standing_in() -> None:
    assert run("-c", "import tapegrad as tf; print(tf.GradientTape.__module__)") == (
        "tapegrad.autodiff.tape\n"
    )


def test_pickles_are_read_on_both_sides(tmp_path: Path) -> None:
    sides = {"plain": (OBJECTS,), "standing": ("-m", "tapegrad", OBJECTS)}
    for name, program in sides.items():
        (tmp_path / name).mkdir()
        run(*program, "write", tmp_path / name)
    for name in sides:
        count = len(list((tmp_path / name).iterdir()))
        assert count > 200
        for program in sides.values():
            assert run(*program, "read", tmp_path / name) == f"{count} read\n"
