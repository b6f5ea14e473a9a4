"""`tf.__internal__`, `tf.autograph` and `tf.types.experimental.distributed`, as TensorFlow 2.21 answers."""

from __future__ import annotations

import functools
import inspect
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

internal = tf.__internal__
smart_cond = internal.smart_cond.smart_cond
AutoTrackable = internal.tracking.AutoTrackable


class Foreign:
    """A base of another library, with a metaclass of Python's."""


class ForeignVariable(Foreign, internal.types.Tensor, internal.tracking.Trackable):
    """A variable of another library, as Keras has them."""

    _should_act_as_resource_variable = True

    def __init__(self, value: Any) -> None:
        self.value = tf.Variable(value)

    @property
    def handle(self) -> Any:
        return self.value.handle

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        return tf.convert_to_tensor(self.value, dtype)


def test_other_libraries_inherit_from_the_bases() -> None:
    assert type(ForeignVariable) is type
    variable = ForeignVariable([1.0, 2.0])
    assert tf.is_tensor(variable)
    np.testing.assert_array_equal(tf.add(variable, 1.0), [2, 3])
    np.testing.assert_array_equal(tf.constant(1.0) + variable, [2, 3])
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(variable))
    np.testing.assert_array_equal(tape.gradient(loss, variable), [2, 4])


def test_a_class_of_tensors_is_one_by_its_base_alone() -> None:
    class Plain(internal.types.Tensor):
        pass

    assert tf.is_tensor(Plain())
    assert Plain().dtype is None
    assert Plain().shape is None
    assert not tf.is_tensor(Foreign())


def test_which_classes_are_which() -> None:
    values = {
        "tensor": tf.constant([1.0]),
        "variable": tf.Variable([1.0]),
        "slices": tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])),
        "sparse": tf.sparse.from_dense([1.0]),
        "ragged": tf.ragged.constant([[1]]),
        "module": tf.Module(),
        "number": 1.0,
    }
    composite = internal.CompositeTensor
    trackable = internal.tracking.Trackable
    assert [name for name, value in values.items() if isinstance(value, composite)] == [
        "variable",
        "slices",
        "sparse",
        "ragged",
    ]
    assert [name for name, value in values.items() if isinstance(value, trackable)] == [
        "variable",
        "module",
    ]
    assert isinstance(values["variable"], internal.types.Tensor)


def test_parts_of_an_object() -> None:
    thing, variable = AutoTrackable(), tf.Variable(1.0)
    assert thing._trackable_children() == {}
    thing.variable = variable
    thing.things = [variable]
    thing.by_name = {"a": variable}
    thing.count = 1
    thing.aside = thing._no_dependency([variable])
    assert type(thing.aside) is list
    assert list(thing._trackable_children()) == ["variable", "things", "by_name"]
    assert [part.name for part in thing._unconditional_checkpoint_dependencies] == [
        "variable",
        "things",
        "by_name",
    ]
    assert thing._lookup_dependency("variable") is variable
    assert thing._lookup_dependency("none") is None
    thing.things = 3
    del thing.by_name
    assert list(thing._trackable_children()) == ["variable"]


def test_tracking_by_hand() -> None:
    thing, first, second = internal.tracking.Trackable(), tf.Variable(1.0), tf.Variable(2.0)
    assert thing._track_trackable(first, "part") is first
    thing._track_trackable(first, "part")
    with pytest.raises(ValueError, match="already declared"):
        thing._track_trackable(second, "part")
    thing._track_trackable(second, "part", overwrite=True)
    assert thing._lookup_dependency("part") is second
    with pytest.raises(TypeError, match=r"Got type <class 'int'>"):
        thing._track_trackable(3, "number")
    with pytest.raises(NotImplementedError):
        thing._serialize_to_tensors()


def test_methods_that_track_nothing() -> None:
    class Thing(AutoTrackable):
        @internal.tracking.no_automatic_dependency_tracking
        def prepare(self) -> int:
            """It has a docstring."""
            self.hidden = [1]
            return 3

    thing = Thing()
    assert thing.prepare() == 3
    assert thing._setattr_tracking
    thing.shown = [1]
    assert list(thing._trackable_children()) == ["shown"]
    assert Thing.prepare.__doc__ == "It has a docstring."


def test_modules_track_their_parts() -> None:
    module = tf.Module()
    module.weight = tf.Variable(1.0)
    module.inner = [tf.Module()]
    assert list(module._trackable_children()) == ["weight", "inner"]
    assert module.variables == (module.weight,)
    assert module.submodules == tuple(module.inner)


@pytest.mark.parametrize(
    ("pred", "expected"),
    [(True, "A"), (False, "B"), (1, "A"), (0, "B"), (tf.constant(True), "A")],
)
def test_smart_cond(pred: Any, expected: str) -> None:
    assert smart_cond(pred, lambda: "A", lambda: "B") == expected


@pytest.mark.parametrize("pred", ["a", None, 2, [True], np.array([True, False])])
def test_smart_cond_takes_no_other_predicates(pred: Any) -> None:
    with pytest.raises(TypeError, match="`pred` must be a Tensor"):
        smart_cond(pred, lambda: "A", lambda: "B")


def test_smart_cond_takes_functions() -> None:
    with pytest.raises(TypeError, match=r"Argument `true_fn` must be callable. Received None"):
        smart_cond(True, None, lambda: "B")
    with pytest.raises(TypeError, match="Argument `false_fn` must be callable"):
        smart_cond(True, lambda: "A", 3)


def test_how_a_program_runs() -> None:
    assert internal.tf2.enabled() is True
    with internal.eager_context.eager_mode():
        assert tf.executing_eagerly()


def test_merging() -> None:
    strategy = tf.distribute.get_strategy()
    merge = internal.distribute.interim.maybe_merge_call
    assert internal.distribute.strategy_supports_no_merge_call() is True
    assert merge(lambda given, x, y: (given is strategy, x, y), strategy, 1, y=2) == (True, 1, 2)


def test_autograph(capsys: pytest.CaptureFixture[str]) -> None:
    experimental = tf.autograph.experimental

    def function(x: int) -> int:
        return x + 1

    assert experimental.do_not_convert(function) is function
    assert experimental.do_not_convert()(function) is function
    assert experimental.set_loop_options(maximum_iterations=3) is None
    tf.autograph.set_verbosity(3, True)
    tf.autograph.trace("a", 1)
    assert capsys.readouterr().out == "a 1\n"
    assert experimental.Feature.ALL.value == "ALL"
    assert tf.autograph.to_code(function).startswith("def function(x: int) -> int:\n")


def test_a_function_converted_by_autograph_does_what_the_function_does() -> None:
    class Scaled(tf.Module):
        factor = 3

        @tf.Module.with_name_scope
        def __call__(self, x: Any, /, *, more: int = 0) -> Any:
            """Three times."""
            return x * self.factor + more

    def clipped(x, least=0.0):  # type: ignore[no-untyped-def]
        return x if x > least else tf.zeros_like(x)

    converted = tf.autograph.to_graph(clipped, recursive=False)
    assert (converted.__name__, converted.__module__) == ("tf__clipped", __name__)
    assert str(inspect.signature(converted)) == "(x, least=0.0)"
    for function in (converted, tf.function(converted)):
        assert [float(function(tf.constant(x))) for x in (-1.0, 2.0)] == [0.0, 2.0]
    method = tf.autograph.to_graph(Scaled.__call__)
    assert (method(Scaled(), 2, more=1), method.__doc__) == (7, "Three times.")
    assert tf.autograph.to_graph(Scaled().__call__)(Scaled(), 2) == 6
    assert tf.autograph.to_graph(tf.abs)(-2).numpy() == 2
    for wrong in (Scaled, Scaled(), len, 3, tf.function(clipped), functools.partial(clipped)):
        with pytest.raises(ValueError, match="takes a function that is written in Python"):
            tf.autograph.to_graph(wrong)


def test_what_xla_compiles_runs_as_it_stands() -> None:
    compile = tf.xla.experimental.compile
    assert [part.numpy() for part in compile(lambda x: x + 1, [2])] == [3]
    assert [part.numpy() for part in compile(lambda: (tf.constant(1), 2))] == [1, 2]
    whole = tf.function(lambda x: compile(lambda x: (x + 1, [x]), (x,)))
    for _ in range(2):
        first, (second,) = whole(tf.constant(1.0))
        assert (float(first), float(second)) == (2.0, 1.0)
    with pytest.raises(TypeError, match="inputs must be a list or a tuple"):
        compile(lambda x: x, 3)

    def scoped() -> Any:
        with tf.xla.experimental.jit_scope():
            return tf.constant(1) + 1

    assert tf.function(scoped)().numpy() == 2
    with pytest.raises(RuntimeError, match="not supported when eager execution is enabled"):
        scoped()


def test_moving_averages_are_assigned() -> None:
    """TensorFlow Model Optimization's quantized layers keep ranges so."""
    assign = internal.train.assign_moving_average
    variable = tf.Variable([1.0, 2.0])
    assert assign(variable, [3.0, 4.0], 0.75, zero_debias=False).numpy().tolist() == [1.5, 2.5]
    with pytest.raises(NotImplementedError, match="zero_debias=False"):
        assign(variable, [3.0, 4.0], 0.75)
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        average = tf.Variable(2.0, aggregation=tf.VariableAggregation.MEAN)
    strategy.run(lambda: assign(average, tf.constant(4.0), 0.5, zero_debias=False))
    assert float(average) == 3.0
