"""`tf.io.decode_json_example`: `tf.train.Example` messages that were written as JSON."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.errors import refuse
from tapegrad.io.examples import BytesList, Example, Feature, Features, FloatList, Int64List
from tapegrad.ops.op import op
from tapegrad.ops.shape_rules import same_shape

PUBLIC = {"io compat.v1.io": "decode_json_example", "compat.v1": "decode_json_example"}


@op("DecodeJSONExample", dtypes={"json_examples": {dtypes.string}})
def decode_json_example(xp, json_examples):  # type: ignore[no-untyped-def]
    """Texts of JSON as serialized `tf.train.Example` messages, of the same shape.

    >>> text = '{"features": {"feature": {"a": {"int64List": {"value": ["5"]}}}}}'
    >>> serialized = tf.io.decode_json_example(text)
    >>> tf.io.parse_single_example(serialized, {"a": tf.io.FixedLenFeature([], tf.int64)})["a"].numpy()
    np.int64(5)

    Raises:
        InvalidArgumentError: a text is no JSON, or none of an `Example`.
    """
    result = np.empty(json_examples.shape, object)
    flat = result.reshape(-1)
    for place, text in enumerate(json_examples.reshape(-1).tolist()):
        flat[place] = _example(text).SerializeToString()
    return result


decode_json_example.shape(same_shape)
decode_json_example.no_gradient()


def _example(text: bytes) -> Example:
    try:
        form = json.loads(text)
    except (ValueError, RecursionError) as error:
        refuse(f"Error while parsing JSON: {error}")
    example = Example()
    features = _only(form, "an Example", "features")
    if features is not None:
        example.features.CopyFrom(_features(features))
    return example


def _features(form: Any) -> Features:
    named = _only(form, "Features", "feature") or {}
    _check(isinstance(named, dict), "feature is an object of features by their names", named)
    return Features(feature={name: _feature(feature) for name, feature in named.items()})


def _feature(form: Any) -> Feature:
    _check(isinstance(form, dict) and len(form) <= 1, "a Feature has one list", form)
    for name, values in form.items():
        key = _snake(name)
        if key not in _LISTS:
            refuse(f"Error while parsing JSON: a Feature has no field {name!r}.")
        kind, convert = _LISTS[key]
        numbers = _only(values, name, "value") or []
        _check(isinstance(numbers, list), "value is a list", numbers)
        try:
            return Feature(**{key: kind(value=[convert(number) for number in numbers])})
        except (TypeError, ValueError) as error:
            refuse(f"Error while parsing JSON: {name}: {error}")
    return Feature()


def _only(form: Any, what: str, field: str) -> Any:
    """The one field that an object may have; None if it is not there."""
    _check(isinstance(form, dict), f"{what} is an object", form)
    for name in form:
        if name != field:
            refuse(f"Error while parsing JSON: {what} has no field {name!r}.")
    return form.get(field)


def _check(right: bool, expected: str, value: Any) -> None:
    if not right:
        refuse(f"Error while parsing JSON: {expected}; got {json.dumps(value)[:40]}.")


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def _octets(value: Any) -> bytes:
    if not isinstance(value, str):
        raise TypeError("bytes are written as a text in base64")
    text = value.replace("-", "+").replace("_", "/")
    return base64.b64decode(text + "=" * (-len(text) % 4), validate=True)


def _real(value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise TypeError(f"a number was expected, not {value!r}")
    return float(value)


def _whole(value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        raise TypeError(f"an integer was expected, not {value!r}")
    number = int(value)
    if number != float(value):
        raise ValueError(f"an integer was expected, not {value!r}")
    return number


_LISTS: dict[str, tuple[Any, Callable[[Any], Any]]] = {
    "bytes_list": (BytesList, _octets),
    "float_list": (FloatList, _real),
    "int64_list": (Int64List, _whole),
}
