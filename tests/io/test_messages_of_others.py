"""Messages of other packages' classes are taken where ours are: TensorBoard has its own `TensorProto`."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.io.messages import Field, Message


def _twin(kind: Any, made: dict[Any, Any] | None = None) -> Any:
    """A class with the fields of ``kind``, and with such classes in the fields, in another package."""
    made = {} if made is None else made
    if kind not in made:
        fields: dict[str, Field] = {}
        made[kind] = type(
            "Twin",
            (Message,),
            {"FIELDS": fields, "FULL_NAME": f"other.{kind.DESCRIPTOR.name}", "__slots__": ()},
        )
        for name, field in kind.FIELDS.items():
            inner = field.kind if isinstance(field.kind, str) else _twin(field.kind, made)
            fields[name] = field._replace(kind=inner)
    return made[kind]


def _theirs(message: Any) -> Any:
    """The message as another package has it."""
    return _twin(type(message)).FromString(message.SerializeToString())


_ARRAY = np.array([[1.5, 2.0], [3.0, 4.0]], np.float32)
_v1: Any = tf.compat.v1


def _value() -> Any:
    return _v1.Summary.Value(tag="a", tensor=tf.make_tensor_proto(_ARRAY))


def _after(kind: Any, change: Callable[[Any], Any]) -> Any:
    message = kind()
    change(message)
    return message


def test_arrays_in_tensors_of_others() -> None:
    for values in (_ARRAY, 3, ["a", "b"], np.ones(2, np.complex64), tf.zeros([2], tf.bfloat16)):
        ours = tf.make_tensor_proto(values)
        theirs = _theirs(ours)
        assert type(theirs) is not type(ours)
        np.testing.assert_array_equal(tf.make_ndarray(theirs), tf.make_ndarray(ours))
        again = tf.make_tensor_proto(theirs)
        assert type(again) is type(ours)
        assert again == ours


@pytest.mark.parametrize(
    ("ours", "take"),
    [
        (_value(), lambda other: _v1.Summary(value=[other]).value[0]),
        (_value(), lambda other: _after(_v1.Summary, lambda s: s.value.append(other)).value[0]),
        (_value(), lambda other: _after(_v1.Summary, lambda s: s.value.extend([other])).value[0]),
        (_value(), lambda other: _after(_v1.Summary.Value, lambda v: v.CopyFrom(other))),
        (_value(), lambda other: _after(_v1.Summary.Value, lambda v: v.MergeFrom(other))),
        (_v1.Summary(value=[_value()]), lambda other: _v1.Event(summary=other).summary),
        (
            tf.make_tensor_proto(_ARRAY),
            lambda other: _after(_v1.Summary.Value, lambda v: v.tensor.CopyFrom(other)).tensor,
        ),
        (
            tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2])),
            lambda other: tf.train.Features(feature={"x": other}).feature["x"],
        ),
        (
            tf.train.Features(feature={"x": tf.train.Feature()}),
            lambda other: tf.train.Example(features=other).features,
        ),
        (
            _v1.NodeDef(name="a", op="Add", input=["x"]),
            lambda other: _v1.GraphDef(node=[other]).node[0],
        ),
    ],
)
def test_messages_take_those_of_others(ours: Any, take: Callable[[Any], Any]) -> None:
    got = take(_theirs(ours))
    assert type(got) is type(ours)
    assert got == ours


def test_shapes_of_others() -> None:
    theirs = _theirs(tf.make_tensor_proto(_ARRAY).tensor_shape)
    assert tf.TensorShape(theirs) == [2, 2]


def test_messages_with_other_fields_are_refused() -> None:
    summary = _theirs(_v1.Summary())
    other_number = type(
        "Twin", (Message,), {"FULL_NAME": "x.Summary", "FIELDS": {"value": Field(2, "string")}}
    )()
    unlike = SimpleNamespace(DESCRIPTOR=None, SerializeToString=bytes)
    for wrong in (summary, other_number, unlike, 3, None):
        with pytest.raises(TypeError, match=r"fields dtype, tensor_shape .* it got a [\w.]+"):
            tf.make_ndarray(wrong)
        with pytest.raises(TypeError, match=r"Parameter to CopyFrom\(\) must be instance of same"):
            _v1.Event().CopyFrom(wrong)
    for wrong in (other_number, unlike, 3):
        with pytest.raises(TypeError, match="must be dict or instance of same class"):
            _v1.Event(summary=wrong)
