"""`VariableSpec`: the specs of variables, and what they are not the specs of."""

from __future__ import annotations

import copy
import pickle
from typing import Any

import pytest

import tapegrad as tf
from tapegrad.framework.variable_spec import VariableSpec


def test_a_variable_has_a_spec_of_its_own() -> None:
    v: Any = tf.Variable([1.0, 2.0])
    spec = tf.type_spec_from_value(v)
    assert repr(spec) == "VariableSpec(shape=(2,), dtype=tf.float32, trainable=True, alias_id=None)"
    assert spec == v._type_spec == VariableSpec.from_value(v)
    assert spec.value_type is type(v)
    assert not isinstance(spec, tf.TensorSpec)
    assert pickle.loads(pickle.dumps(spec)) == copy.deepcopy(spec) == spec
    assert {spec: 1}[VariableSpec([2])] == 1
    assert spec._from_components(spec._to_components(v)) is v
    assert tf.nest.flatten([v, spec], expand_composites=True) == [v, spec]
    loose: Any = tf.Variable([1], trainable=False, shape=[None])
    assert repr(loose._type_spec) == (
        "VariableSpec(shape=(None,), dtype=tf.int32, trainable=False, alias_id=None)"
    )


def test_what_a_spec_of_a_variable_covers() -> None:
    spec, wider = VariableSpec([2]), VariableSpec([None])
    assert spec.is_subtype_of(wider)
    assert not wider.is_subtype_of(spec)
    assert wider.is_compatible_with(tf.Variable([1.0, 2.0]))
    assert spec.most_specific_common_supertype([VariableSpec([3])]) == wider
    for value in (
        tf.constant([1.0, 2.0]),
        tf.Variable([1.0, 2.0], trainable=False),
        tf.Variable([1, 2]),
        tf.Variable(1.0),
    ):
        assert not spec.is_compatible_with(value)
    for another in (
        VariableSpec([2], trainable=False),
        VariableSpec([2], tf.int32),
        tf.TensorSpec([2]),
    ):
        assert not spec.is_subtype_of(another)
        assert spec.most_specific_common_supertype([another]) is None
    assert not tf.TensorSpec([2]).is_compatible_with(tf.Variable([1.0, 2.0]))
    first, second = VariableSpec([2], alias_id=0), VariableSpec([2], alias_id=1)
    assert first.is_subtype_of(VariableSpec([None], alias_id=0))
    assert not first.is_subtype_of(second)
    for question in (
        first.is_subtype_of,
        lambda other: first.most_specific_common_supertype([other]),
    ):
        with pytest.raises(NotImplementedError, match="specs that all have an alias_id, or none"):
            question(spec)


def test_functions_give_tensors_for_variables() -> None:
    v: Any = tf.Variable([1.0, 2.0])
    function = tf.function(lambda: {"a": v, "b": (v, v + 1.0)})
    for result in tf.nest.flatten(function()):
        assert type(result) is type(tf.constant(0.0))
    assert function.get_concrete_function().output_shapes == {"a": [2], "b": ([2], [2])}
    assert tf.data.Dataset.range(2).map(lambda i: v).element_spec == tf.TensorSpec([2])
    with pytest.raises(TypeError, match="describes tensors and composites, not variables"):
        tf.function(lambda x: x, input_signature=[v._type_spec])(v)


def test_the_field_of_an_extension_type_that_is_a_tensor_is_none_of_a_variable() -> None:
    class Point(tf.experimental.ExtensionType):
        x: tf.Tensor

    v = tf.Variable([1.0])
    with tf.GradientTape() as tape:
        point = Point(v)
        v.assign([5.0])
        y = point.x * 3.0
    assert point.x.numpy() == 1.0
    assert tape.gradient(y, v).numpy() == 3.0
    assert tf.type_spec_from_value(point) == Point.Spec(tf.TensorSpec([1]))
    with pytest.raises(TypeError, match="expected a TensorSpec"):
        Point.Spec(v)


def test_an_operator_of_a_variable_is_made_again_from_its_parts() -> None:
    v: Any = tf.Variable([1.0, 2.0])
    operator = tf.linalg.LinearOperatorDiag(v)
    spec = operator._type_spec
    assert spec._param_specs == {"diag": VariableSpec([2])}
    parts = tf.nest.flatten(operator, expand_composites=True)
    assert parts[0] is v
    again = tf.nest.pack_sequence_as(operator, parts, expand_composites=True)
    assert again.diag is v
    product = tf.function(lambda o: o.matvec([1.0, 1.0]))
    assert product(operator).numpy().tolist() == [1.0, 2.0]
    v.assign([3.0, 4.0])
    assert product(operator).numpy().tolist() == [3.0, 4.0]
