"""`tf.distribute.MirroredStrategy` with several replicas, as TensorFlow 2.21 answers for two logical CPUs."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

distribute = tf.distribute
NONE, SUM, MEAN, FIRST = (
    tf.VariableAggregation.NONE,
    tf.VariableAggregation.SUM,
    tf.VariableAggregation.MEAN,
    tf.VariableAggregation.ONLY_FIRST_REPLICA,
)
ON_READ = tf.VariableSynchronization.ON_READ


@pytest.fixture
def strategy() -> Any:
    return distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def number() -> tf.Tensor:
    """The number of the replica that runs, as a float."""
    return tf.cast(replica().replica_id_in_sync_group, tf.float32)


def replica() -> Any:
    return distribute.get_replica_context()


def variable(strategy: Any, **arguments: Any) -> Any:
    with strategy.scope():
        return tf.Variable(arguments.pop("value", 1.0), **arguments)


def both(value: Any) -> list[Any]:
    """What the replicas have, as Python numbers."""
    return [np.asarray(part).tolist() for part in value.values]


# Running


def test_what_replicas_give(strategy: Any) -> None:
    result = strategy.run(lambda: {"a": number(), "b": [number() * 2, 3], "c": None, "d": "x"})
    assert (result["b"][1], result["c"], result["d"]) == (3, None, "x")
    assert both(result["a"]) == [0, 1]
    assert both(result["b"][0]) == [0, 2]
    assert type(result["a"]) is tf.types.experimental.distributed.PerReplica
    assert strategy.experimental_local_results(result["a"]) == result["a"].values
    assert repr(result["a"]) == (
        "PerReplica:{\n  0: <tf.Tensor: shape=(), dtype=float32, numpy=0.0>,\n"
        "  1: <tf.Tensor: shape=(), dtype=float32, numpy=1.0>\n}"
    )


def test_what_replicas_get(strategy: Any) -> None:
    given = strategy.run(number)
    assert both(strategy.run(lambda x, y: x * y["z"], args=(given, {"z": 10.0}))) == [0, 10]
    assert both(strategy.run(tf.function(lambda x: x + 1), args=(given,))) == [1, 2]
    assert both(tf.function(lambda x: strategy.run(lambda y: y + 1, args=(x,)))(given)) == [1, 2]
    values = strategy.experimental_distribute_values_from_function(
        lambda context: context.replica_id_in_sync_group + 5
    )
    assert values.values == (5, 6)


def test_where_replicas_run(strategy: Any) -> None:
    def where() -> tuple[Any, ...]:
        return (
            distribute.get_strategy() is strategy,
            distribute.in_cross_replica_context(),
            replica().num_replicas_in_sync,
            threading.current_thread() is threading.main_thread(),
            tf.get_current_name_scope(),
        )

    with tf.name_scope("outer"):
        assert strategy.run(where) == (True, False, 2, False, "outer")
    devices = strategy.run(lambda: replica().devices[0])
    assert [name[-5:] for name in devices.values] == ["CPU:0", "CPU:1"]
    assert strategy.extended.worker_devices == devices.values


def test_replicas_run_in_their_order(strategy: Any) -> None:
    seen: list[Any] = []

    def step() -> None:
        seen.append((int(replica().replica_id_in_sync_group), "before"))
        replica().merge_call(lambda strategy: seen.append("merge"))
        seen.append((int(replica().replica_id_in_sync_group), "after"))

    strategy.run(step)
    assert seen == [(0, "before"), (1, "before"), "merge", (0, "after"), (1, "after")]


def test_merge_call(strategy: Any) -> None:
    def merge(strategy: Any, x: Any, scale: float) -> Any:
        assert distribute.in_cross_replica_context()
        return strategy.reduce("sum", x, axis=None) * scale, x

    total, same = strategy.run(
        lambda: replica().merge_call(merge, args=(number() + 1,), kwargs={"scale": 10.0})
    )
    assert float(total) == 30
    assert both(same) == [1, 2]


@pytest.mark.parametrize("fails", [0, 1])
def test_an_error_in_a_replica_ends_all(strategy: Any, fails: int) -> None:
    before = threading.active_count()

    def step() -> Any:
        if int(replica().replica_id_in_sync_group) == fails:
            raise ValueError(f"replica {fails}")
        return replica().all_reduce("sum", number())

    with pytest.raises(ValueError, match=f"replica {fails}"):
        strategy.run(step)
    with pytest.raises(ZeroDivisionError):
        strategy.run(lambda: replica().merge_call(lambda strategy: 1 / 0))
    with pytest.raises(RuntimeError, match="a different number of replica_context"):
        strategy.run(lambda: replica().all_reduce("sum", number()) if not int(number()) else 2.0)
    for thread in threading.enumerate():
        if thread.daemon:
            thread.join(5)
    assert threading.active_count() <= before
    assert both(strategy.run(number)) == [0, 1]


# Reducing


def test_all_reduce(strategy: Any) -> None:
    outside = tf.constant(3.0)
    assert both(strategy.run(lambda: replica().all_reduce("sum", number()))) == [1, 1]
    first, second = strategy.run(lambda: replica().all_reduce("mean", [number(), number() * 2]))
    assert both(first) == [0.5, 0.5]
    assert both(second) == [1, 1]
    # One object in all replicas is one value.
    assert both(strategy.run(lambda: replica().all_reduce("sum", outside))) == [3, 3]
    slices = strategy.run(
        lambda: tf.convert_to_tensor(
            replica().all_reduce("sum", tf.IndexedSlices([number()], [0], tf.constant([3])))
        )
    )
    assert both(slices) == [[1, 0, 0]] * 2
    with pytest.raises(ValueError, match="MAX"):
        strategy.run(lambda: replica().all_reduce("max", number()))


def test_all_gather(strategy: Any) -> None:
    def gathered() -> Any:
        i = int(replica().replica_id_in_sync_group)
        return replica().all_gather(tf.ones([i + 1, 2]) * i, 0)

    assert both(strategy.run(gathered)) == [[[0, 0], [1, 1], [1, 1]]] * 2


def test_gradients_flow_through_reductions(strategy: Any) -> None:
    def reduced() -> Any:
        x = number() + 1
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = replica().all_reduce("sum", x * x) * x
        return tape.gradient(y, x)

    def gathered() -> Any:
        x = tf.reshape(number() + 1, [1])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(replica().all_gather(x * x, 0) * [1.0, 10.0])
        return tape.gradient(y, x)

    assert both(strategy.run(reduced)) == [5 + 2 * 3, 5 + 4 * 3]
    assert both(strategy.run(gathered)) == [[4], [80]]


def test_reduce_and_gather(strategy: Any) -> None:
    value = strategy.run(lambda: tf.ones([int(replica().replica_id_in_sync_group) + 1]) * number())
    np.testing.assert_allclose(strategy.reduce("mean", value, axis=0), 2 / 3)
    np.testing.assert_allclose(strategy.reduce("sum", value, axis=0), 2)
    np.testing.assert_allclose(strategy.gather(value, 0), [0, 1, 1])
    assert float(strategy.reduce("sum", {"a": strategy.run(number)}, axis=None)["a"]) == 1
    assert strategy.reduce("mean", 2.0, axis=None) == 2.0
    assert float(strategy.reduce("sum", tf.constant([1.0, 2.0]), axis=0)) == 6
    with pytest.raises(ValueError, match=r"A non-DistributedValues value 2\.0 cannot be reduced"):
        strategy.reduce("sum", 2.0, axis=None)


# Variables


def test_a_mirrored_variable(strategy: Any) -> None:
    v = variable(strategy, value=[1.0, 2.0], name="w")
    assert isinstance(v, tf.Variable)
    assert isinstance(v, distribute.DistributedValues)
    assert type(v).__name__ == "MirroredVariable"
    assert (v.name, [copy.name for copy in v.values]) == ("w:0", ["w:0", "w/replica_1:0"])
    assert [copy.device[-5:] for copy in v.values] == ["CPU:0", "CPU:1"]
    assert repr(v) == (
        "MirroredVariable:{\n"
        "  0: <tf.Variable 'w:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>,\n"
        "  1: <tf.Variable 'w/replica_1:0' shape=(2,) dtype=float32, "
        "numpy=array([1., 2.], dtype=float32)>\n}"
    )
    assert strategy.run(lambda: v) is v
    assert (v * 2).numpy().tolist() == [2, 4]
    assert v.shape == [2]
    assert v.trainable
    assert both(v.assign([5.0, 6.0])) == [[5, 6]] * 2
    assert both(v) == [[5, 6]] * 2
    assert both(v.assign_add([5.0, 6.0])) == [[10, 12]] * 2
    assert v.assign_add([1.0, 1.0], read_value=False) is None
    assert v.numpy().tolist() == [11, 13]
    assert v[1].numpy() == 13
    assert strategy.extended.value_container(v.values[1]) is v


@pytest.mark.parametrize(
    ("aggregation", "expected"),
    [(NONE, [3, 4]), (SUM, [4, 4]), (MEAN, [3.5, 3.5]), (FIRST, [3, 3])],
)
def test_assignments_in_replicas(strategy: Any, aggregation: Any, expected: list[float]) -> None:
    v = variable(strategy, value=3.0, aggregation=aggregation)
    assert v.aggregation == aggregation
    assert strategy.run(lambda: v.assign_add(number(), read_value=False)) is None
    assert both(v) == expected
    # A replica sees its own copy.
    assert both(strategy.run(lambda: v * 10)) == [10 * each for each in expected]
    if aggregation is SUM:
        with pytest.raises(ValueError, match=r"A non-DistributedValues value 1\.0"):
            strategy.run(lambda: v.assign_add(1.0))
    else:
        assert both(strategy.run(lambda: v.assign(7.0))) == [7, 7]


@pytest.mark.parametrize(
    ("aggregation", "read"), [(SUM, 3.0), (MEAN, 1.5), (FIRST, 1.0), (NONE, None)]
)
def test_variables_that_are_synchronised_when_read(
    strategy: Any, aggregation: Any, read: float | None
) -> None:
    v = variable(strategy, value=0.0, synchronization=ON_READ, aggregation=aggregation)
    assert type(v).__name__ == "SyncOnReadVariable"
    assert not v.trainable
    strategy.run(lambda: v.assign_add(number() + 1))
    assert both(v) == [1, 2] == both(strategy.run(lambda: v.read_value()))
    if read is None:
        with pytest.raises(ValueError, match=r"Could not convert from `tf.VariableAggregation`"):
            v.read_value()
        return
    assert float(v.read_value()) == float(v * 1.0) == float(v.numpy()) == read
    assert float(v.assign(8.0)) == 8
    assert both(v) == ([4, 4] if aggregation is SUM else [8, 8])
    if aggregation is SUM:
        with pytest.raises(ValueError, match="does not support `assign_add`"):
            v.assign_add(8.0)
    else:
        assert float(v.assign_add(8.0)) == 16
    with pytest.raises(NotImplementedError, match="scatter_add"):
        v.scatter_add(tf.IndexedSlices([1.0], [0]))


def test_update_calls_once_for_each_copy(strategy: Any) -> None:
    v, w = variable(strategy, value=1.0), variable(strategy, value=2.0)

    def change(copy: Any, x: Any) -> Any:
        assert replica() is None
        w.assign_add(x)  # the copy of the same replica
        return copy.assign_add(x)

    result = strategy.extended.update(v, change, args=(strategy.run(number),))
    assert both(result) == [1, 2] == both(v)
    assert both(w) == [2, 3]
    results = strategy.extended.update(v, change, args=(1.0,), group=False)
    assert [float(each) for each in results] == [2, 3]


def test_variables_made_in_replicas(strategy: Any) -> None:
    made: list[Any] = []

    def make() -> Any:
        made.append(tf.Variable(number(), name="made"))
        return made[-1]

    v = strategy.run(make)
    assert made[0] is made[1] is v
    assert both(v) == [0, 0]
    with pytest.raises(RuntimeError, match="A replica makes a variable 'late'"):
        strategy.run(lambda: tf.Variable(1.0, name="late") if int(number()) else None)
    with pytest.raises(ValueError, match="`NONE` variable synchronization"):
        variable(strategy, synchronization=tf.VariableSynchronization.NONE)


def test_gradients_by_variables(strategy: Any) -> None:
    v = variable(strategy, value=[1.0, 2.0], name="v")

    def step(x: float) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * v * x * (number() + 1))
        return replica().all_reduce("sum", tape.gradient(loss, v))

    for function in (step, tf.function(step)):
        assert both(strategy.run(function, args=(2.0,))) == [[12, 24]] * 2
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(v * v)
    assert tape.gradient(loss, v).numpy().tolist() == [2, 4]
    assert [watched.name for watched in tape.watched_variables()] == ["v:0"]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(v)
        loss = tf.reduce_sum(v * v)
    assert tape.gradient(loss, v).numpy().tolist() == [2, 4]


def test_observers_of_the_caller_see_one_call(strategy: Any) -> None:
    class Calls(tf.core.Observer):  # type: ignore[name-defined, misc]
        def __init__(self) -> None:
            self.seen: list[Any] = []

        def observe(self, op: Any, inputs: Any, outputs: Any, attributes: Any) -> None:
            self.seen.append((op, inputs, outputs, attributes))

    given = strategy.run(number)
    with Calls() as calls:
        strategy.run(lambda x: x + number() + 1, args=(given,))
    ((op, inputs, outputs, attributes),) = calls.seen
    assert op.type == "EagerPyFunc"
    assert [float(x) for x in inputs] == [0, 1]
    assert [float(x) for x in outputs] == [1, 3]
    # Who replays it calls the function again, with other values.
    again = op.apply([tf.constant(10.0), tf.constant(20.0)], attributes)
    assert [float(x) for x in again] == [11, 22]


# Data sets


@pytest.mark.parametrize(
    ("dataset", "expected"),
    [
        (
            lambda: tf.data.Dataset.range(10).batch(4),
            [[[0, 1], [2, 3]], [[4, 5], [6, 7]], [[8], [9]]],
        ),
        (lambda: tf.data.Dataset.range(4).batch(3), [[[0, 1], [2]], [[3], []]]),
        (lambda: tf.data.Dataset.range(4).batch(2, drop_remainder=True), [[[0], [1]], [[2], [3]]]),
    ],
)
def test_batches_are_divided(
    strategy: Any, dataset: Callable[[], Any], expected: list[Any]
) -> None:
    distributed = strategy.experimental_distribute_dataset(dataset())
    assert [both(batch) for batch in distributed] == expected
    assert distributed.cardinality == len(expected)
    iterator = iter(distributed)
    for batch in expected:
        optional = iterator.get_next_as_optional()
        assert bool(optional.has_value())
        assert both(optional.get_value()) == batch
    assert not bool(iterator.get_next_as_optional().has_value())
    with pytest.raises(tf.errors.OutOfRangeError):
        iterator.get_next()


def test_specs_of_divided_batches(strategy: Any) -> None:
    whole = tf.data.Dataset.range(8).batch(4, drop_remainder=True)
    spec = "TensorSpec(shape=(2,), dtype=tf.int64, name=None)"
    distributed = strategy.experimental_distribute_dataset(whole.map(lambda x: {"a": (x, x)}))
    assert repr(distributed.element_spec["a"][0]) == f"PerReplicaSpec({spec}, {spec})"
    (first, *_) = distributed
    assert both(first["a"][1]) == [[0, 1], [2, 3]]
    with pytest.raises(ValueError, match=r"Call batch\(\) first"):
        strategy.experimental_distribute_dataset(tf.data.Dataset.range(8))


def test_data_sets_from_a_function(strategy: Any) -> None:
    def make(context: Any) -> Any:
        assert (context.num_replicas_in_sync, context.num_input_pipelines) == (2, 1)
        return tf.data.Dataset.range(5).batch(context.get_per_replica_batch_size(4))

    distributed = strategy.distribute_datasets_from_function(make)
    assert [both(batch) for batch in distributed] == [[[0, 1], [2, 3]], [[4], []]]


def test_logical_devices_are_replicas() -> None:
    (cpu,) = tf.config.list_physical_devices("CPU")
    one = tf.config.LogicalDeviceConfiguration()
    tf.config.set_logical_device_configuration(cpu, [one] * 3)
    try:
        assert distribute.MirroredStrategy().num_replicas_in_sync == 3
    finally:
        tf.config.set_logical_device_configuration(cpu, [one])
    assert distribute.MirroredStrategy().num_replicas_in_sync == 1


def test_replicas_draw_numbers_of_their_own_from_one_generator(strategy: Any) -> None:
    """The numbers are TensorFlow's: each replica has a key of its own, made of the generator's."""
    with strategy.scope():
        generator = tf.random.Generator.from_seed(1)
    drawn = [both(strategy.run(lambda: generator.normal([]))) for _ in range(2)]
    expected = [[-0.87930447, 0.020661574], [-1.5822568, 0.77539235]]
    np.testing.assert_allclose(drawn, expected, 1e-6)
    recorded = tf.function(lambda: strategy.run(lambda: generator.normal([])))
    recorded()
    with strategy.scope():
        again = tf.random.Generator.from_seed(1)
        outside = [float(again.normal([])) for _ in range(5)]
    alone = tf.random.Generator.from_seed(1)
    assert outside == [float(alone.normal([])) for _ in range(5)]
    assert [copy.numpy().tolist() for copy in generator.state.values] == [[769, 0, 0]] * 2
