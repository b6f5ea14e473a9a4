"""No object of a public class prints an address: it says what it is."""

from __future__ import annotations

import inspect
import tempfile
from collections.abc import Callable
from typing import Any

import pytest

import tapegrad as tf
from tapegrad.names import NAMES

# Classes of constants, of which nobody makes objects.
CONSTANTS = {
    "AggregationMethod",
    "GraphKeys",
    "Reduction",
    "ResizeMethod",
    "ResizeMethodV1",
    "TFRecordCompressionType",
}
# Classes of which nobody makes objects here: `isinstance` asks for them, or they make those of another class.
ABSTRACT = {"TensorBase", "Variable", "inexact", "object_"}


def public_classes() -> dict[type, str]:
    """The classes among the public names that do not inherit an exception, with a name of each."""
    classes: dict[type, str] = {}
    for space, entries in NAMES.items():
        home: Any = tf
        for part in filter(None, space.split(".")):
            home = getattr(home, part)
        for _, names in entries:
            for entry in names.split():
                name = entry.partition("=")[0]
                value = getattr(home, name, None)
                if inspect.isclass(value) and not issubclass(value, BaseException):
                    classes.setdefault(value, f"{space}.{name}".lstrip("."))
    return classes


def test_every_public_class_says_what_its_objects_are() -> None:
    classes = public_classes()
    assert len(classes) > 300
    silent = {cls.__name__ for cls in classes if cls.__repr__ is object.__repr__}
    assert silent == CONSTANTS | ABSTRACT, (
        "these print an address, or need no exception any more: inherit framework.printed.Printed: "
        f"{sorted(silent ^ (CONSTANTS | ABSTRACT))}"
    )


@tf.custom_gradient
def cubed(x: Any) -> Any:
    return x**3, lambda dy: 3 * x**2 * dy


@tf.recompute_grad
def squared(x: Any) -> Any:
    return x**2


def table() -> Any:
    return tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], [1, 2]), default_value=-1
    )


def options() -> Any:
    options = tf.data.Options()
    options.deterministic = True
    return options


def manager() -> Any:
    return tf.train.CheckpointManager(tf.train.Checkpoint(), tempfile.mkdtemp(), max_to_keep=1)


OBJECTS: dict[str, tuple[Callable[[], Any], str]] = {
    "accumulator": (
        lambda: tf.autodiff.ForwardAccumulator(tf.constant(1.0), tf.constant(1.0)),
        "<ForwardAccumulator: not recording>",
    ),
    "array": (
        lambda: tf.TensorArray(tf.float32, size=3),
        "<TensorArray: 3 elements of float32 <unknown>>",
    ),
    "custom gradient": (lambda: cubed, "<tf.custom_gradient of cubed>"),
    "recomputed": (lambda: squared, "<tf.recompute_grad of squared>"),
    "table": (table, "<StaticHashTable: string to int32>"),
    "keys": (
        lambda: tf.lookup.KeyValueTensorInitializer(["a"], [1]),
        "<KeyValueTensorInitializer: 1 keys>",
    ),
    "mutable table": (
        lambda: tf.lookup.experimental.MutableHashTable(tf.int64, tf.float32, 0.0),
        "<MutableHashTable: int64 to float32>",
    ),
    "queue": (
        lambda: tf.queue.FIFOQueue(10, [tf.float32]),
        "<FIFOQueue: elements of float32, room for 10>",
    ),
    "checkpoint": (
        lambda: tf.train.Checkpoint(weight=tf.Variable(1.0)),
        "<Checkpoint: weight>",
    ),
    "options": (options, "<Options: deterministic=True>"),
    "scope": (lambda: tf.name_scope("layer"), "<name_scope: 'layer'>"),
    "device": (lambda: tf.device("/cpu:0"), "<device: '/cpu:0'>"),
    "strategy": (
        lambda: tf.distribute.OneDeviceStrategy("/cpu:0"),
        "<OneDeviceStrategy: 1 replicas>",
    ),
    "graph": (tf.Graph, "<Graph: 0 operations>"),
    "average": (
        lambda: tf.train.ExponentialMovingAverage(0.9),
        "<ExponentialMovingAverage: 'ExponentialMovingAverage', decay 0.9, of 0 variables>",
    ),
    "coordinator": (tf.train.Coordinator, "<Coordinator: running>"),
    "section": (lambda: tf.CriticalSection(name="one"), "<CriticalSection: 'one'>"),
    "initializer": (tf.ones_initializer, "<ones_initializer>"),
    "trace": (lambda: tf.profiler.experimental.Trace("step"), "<Trace: 'step'>"),
    "resolver": (
        tf.distribute.cluster_resolver.TFConfigClusterResolver,
        "<TFConfigClusterResolver>",
    ),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_the_form_of_an_object(name: str) -> None:
    make, text = OBJECTS[name]
    assert repr(make()) == text


OTHERS: dict[str, Callable[[], Any]] = {
    "accumulator of a batch": lambda: tf.autodiff.ForwardAccumulator._batch_accumulator(
        tf.constant(1.0), tf.constant([1.0])
    ),
    "dataset": lambda: tf.data.Dataset.range(3).map(abs).batch(2),
    "distributed dataset": lambda: tf.distribute.OneDeviceStrategy(
        "/cpu:0"
    ).experimental_distribute_dataset(tf.data.Dataset.range(3)),
    "function": lambda: tf.function(lambda x: x),
    "generator": lambda: tf.random.Generator.from_seed(1),
    "graph under construction": tf.Graph,
    "iterator": lambda: iter(tf.data.Dataset.range(3)),
    "manager": manager,
    "module": tf.Module,
    "optional": lambda: tf.experimental.Optional.from_value(1),
    "replica context": tf.distribute.get_replica_context,
    "save options": tf.saved_model.SaveOptions,
    "slices": lambda: tf.IndexedSlices(tf.ones([1, 2]), tf.constant([0])),
    "sparse": lambda: tf.sparse.from_dense([1.0, 0.0]),
    "strategy's extension": lambda: tf.distribute.OneDeviceStrategy("/cpu:0").extended,
    "tape": tf.GradientTape,
    "text initializer": lambda: tf.lookup.TextFileInitializer(
        __file__,
        tf.string,
        tf.lookup.TextFileIndex.WHOLE_LINE,
        tf.int64,
        tf.lookup.TextFileIndex.LINE_NUMBER,
    ),
    "vocabulary": lambda: tf.lookup.StaticVocabularyTable(
        tf.lookup.KeyValueTensorInitializer(["a"], tf.constant([0], tf.int64)), 1
    ),
    "writer": lambda: tf.summary.create_file_writer(tempfile.mkdtemp()),
}


@pytest.mark.parametrize("name", OTHERS)
def test_no_address(name: str) -> None:
    text = repr(OTHERS[name]())
    # What prints a Python function prints the function's own address, as Python does.
    assert "object at 0x" not in text
    assert " at 0x" not in text or "function" in text


def test_an_object_that_is_not_initialized_prints_too() -> None:
    section = tf.CriticalSection.__new__(tf.CriticalSection)
    assert repr(section) == "<CriticalSection: not initialized yet>"


def test_a_class_of_a_user_has_its_own_name() -> None:
    class Mine(tf.train.experimental.PythonState):
        def serialize(self) -> str:
            return ""

        def deserialize(self, string_value: str) -> None:
            pass

    assert repr(Mine()).endswith("Mine>")
