"""`tf.tpu`: descriptions are data, and what needs TPUs says that there are none. Values are TensorFlow's."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf

_e: Any = tf.tpu.experimental.embedding


def test_optimizers_are_data() -> None:
    adagrad = _e.Adagrad(0.1, clipvalue=2.0)
    assert (adagrad.learning_rate, adagrad.initial_accumulator_value) == (0.1, 0.1)
    assert (adagrad.clip_gradient_min, adagrad.clip_gradient_max) == (-2.0, 2.0)
    assert adagrad == _e.Adagrad(0.1, clipvalue=(-2.0, 2.0))
    assert hash(adagrad) == hash(_e.Adagrad(0.1, clipvalue=2.0))
    assert adagrad != _e.Adagrad(0.2)
    assert adagrad != _e.SGD(0.1)
    slots = {
        _e.SGD(): [],
        _e.Adagrad(): ["accumulators"],
        _e.AdagradMomentum(): ["accumulators", "momenta"],
        _e.Adam(): ["momenta", "velocities"],
        _e.FTRL(): ["accumulators", "linears"],
        _e.CustomOptimizer(abs, slot_names=["x"]): ["x"],
    }
    assert all(optimizer._slot_names() == names for optimizer, names in slots.items())


def test_tables_and_features_are_data() -> None:
    table = _e.TableConfig(10, 4, optimizer=_e.SGD(), name="t")
    assert (table.vocabulary_size, table.dim, table.combiner, table.dtype) == (
        10,
        4,
        "mean",
        tf.float32,
    )
    values = table.initializer([1000, 4]).numpy()
    assert abs(values).max() <= 1.0  # two standard deviations of 1 / sqrt(4)
    assert 0.3 < values.std() < 0.5
    feature = _e.FeatureConfig(table=table, output_shape=[2, 3])
    assert (feature.table, feature.output_shape, feature.max_sequence_length) == (table, [2, 3], 0)
    assert "vocabulary_size=10, dim=4" in repr(feature)
    quantized = _e.QuantizationConfig(8, 0.0, 1.0)
    assert repr(quantized) == "QuantizationConfig(num_buckets=8, lower=0.0, upper=1.0)"
    rows = _e.RowIdInitializer(3)([4, 2], tf.float32)
    np.testing.assert_array_equal(rows, [[3.0, 3.0], [4.0, 4.0], [5.0, 5.0], [6.0, 6.0]])
    assert _e.SparseCoreEmbeddingConfig().max_ids_per_chip_per_sample == 64
    assert _e.CustomCombiner(abs, 3).max_valency == 3
    assert tf.tpu.XLAOptions() == (True, True, False)
    assert tf.tpu.XLAOptions is tf.compat.v1.tpu.XLAOptions
    assert [*tf.tpu.experimental.DeviceOrderMode] == [0, 1, 2]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: _e.TableConfig(0, 4), "`vocabulary_size` must be an int and must be >= 1"),
        (lambda: _e.TableConfig(10, -1), "`dim` .* must be an int and must be >= 1"),
        (lambda: _e.TableConfig(10, 4, combiner="x"), "`combiner` must be in"),
        (lambda: _e.TableConfig(10, 4, initializer=3), "`initializer` must be a callable"),
        (lambda: _e.Adagrad(initial_accumulator_value=-1.0), "must be a positive float"),
        (lambda: _e.FTRL(initial_accumulator_value=-1.0), "must be a positive float"),
        (lambda: _e.AdagradMomentum(exponent=0.0), "`exponent` must be positive"),
        (lambda: _e.Adam(beta_1=2.0), "`beta_1` must be >= 0 and < 1"),
        (lambda: _e.Adam(epsilon=-1), "epsilon` must be positive"),
        (lambda: _e.Adam(lazy_adam=False, use_gradient_accumulation=False), "disabling lazy Adam"),
        (lambda: _e.Adagrad(use_gradient_accumulation=False, clipvalue=1.0), "cannot be used"),
        (lambda: _e.Adagrad(slot_variable_creation_fn=3), "either None or a callable"),
        (lambda: _e.QuantizationConfig(1, 0.0, 1.0), "must be at least 2"),
    ],
)
def test_descriptions_that_cannot_be(make: Any, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        make()


def test_what_needs_tpus_says_so() -> None:
    experimental: Any = tf.tpu.experimental
    for call in (
        lambda: _e.TPUEmbedding(None, None),
        lambda: _e.TPUEmbeddingForServing(None, None),
        lambda: _e.TPUEmbeddingV0(None, None),
        lambda: _e.TPUEmbeddingV2(None, None),
        lambda: _e.serving_embedding_lookup(None, None, None, None),
        lambda: experimental.HardwareFeature(None),
        lambda: experimental.Topology(),
        lambda: experimental.DeviceAssignment(None, None),
        lambda: experimental.DeviceAssignment.build(None),
        lambda: experimental.initialize_tpu_system(),
        lambda: experimental.shutdown_tpu_system(),
    ):
        with pytest.raises(
            NotImplementedError, match=r"tf\.tpu\..* needs TPUs, and there are none"
        ):
            call()


def test_a_resolver_knows_an_address_and_no_tpus() -> None:
    resolvers = tf.distribute.cluster_resolver
    for name, address, spec in (
        ("local", "", {}),
        ("grpc://1.2.3.4:8470", "grpc://1.2.3.4:8470", {"worker": ["1.2.3.4:8470"]}),
    ):
        resolver = resolvers.TPUClusterResolver(name)
        assert resolver.master() == resolver.get_master() == address
        assert resolver.cluster_spec().as_dict() == spec
        assert resolver.num_accelerators() == {"TPU": 0}
        assert (resolver.task_type, resolver.task_id, resolver.get_job_name()) == (
            "worker",
            0,
            "worker",
        )
        assert resolver.get_coordination_service_leader() == "/job:worker/task:0"
        with pytest.raises(NotImplementedError, match="TPU"):
            tf.distribute.TPUStrategy(resolver)


def test_a_resolver_wants_a_name(monkeypatch: pytest.MonkeyPatch) -> None:
    kind = tf.distribute.cluster_resolver.TPUClusterResolver
    monkeypatch.delenv("TPU_NAME", raising=False)
    for name in (None, ""):
        with pytest.raises(ValueError, match="Please provide a TPU Name"):
            kind(name)
    monkeypatch.setenv("TPU_NAME", "grpc://1.2.3.4:8470")
    assert kind().master() == "grpc://1.2.3.4:8470"
    with pytest.raises(tf.errors.NotFoundError, match="Google's cloud"):
        kind("mine")
    with pytest.raises(tf.errors.NotFoundError, match="TPUs not found"):
        kind.connect("local")


def test_resolvers_that_ask_services_can_be_named() -> None:
    resolvers = tf.distribute.cluster_resolver
    for make in (resolvers.GCEClusterResolver, resolvers.KubernetesClusterResolver):
        assert issubclass(make, resolvers.ClusterResolver)
        with pytest.raises(NotImplementedError, match="asks a service"):
            make()
    assert (
        tf.compat.v1.distribute.cluster_resolver.TPUClusterResolver is resolvers.TPUClusterResolver
    )
    assert [*resolvers.KubernetesExecutableLocation.__members__] == [
        "WITHIN_CLUSTER",
        "OFF_CLUSTER",
    ]
