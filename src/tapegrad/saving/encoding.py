"""Python values as JSON, and back: attributes of ops, nests of arguments and results, and specs.

Values that JSON has (None, bools, numbers, strings, lists) are written unchanged. All others are objects with
one key, which says what they are: ``{"tuple": [1, 2]}``, ``{"dtype": "float32"}``, ``{"size": ["size", 0,
1]}``.
"""

from __future__ import annotations

import base64
import math
from collections import OrderedDict, namedtuple
from collections.abc import Callable
from importlib import import_module
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import EagerTensor
from tapegrad.framework import spec_names
from tapegrad.framework.shape import TensorShape
from tapegrad.framework.spec import TensorSpec
from tapegrad.saving.files import Damaged
from tapegrad.saving.nests import Leaf
from tapegrad.saving.options import Asset

MOST_DEPTH = 40


# Classes of attributes that say what is read from records, and the modules that have them.
RECORDS = {"Dense": "parsing", "Form": "csv", "Listed": "parsing", "Steps": "sequences"}


def _record(name: str) -> Any:
    return getattr(import_module(f"tapegrad.io.{RECORDS[name]}"), name)


def shape_from(encoded: Any) -> TensorShape:
    """The shape in JSON: null, or a list with null for each unknown size."""
    if encoded is None:
        return TensorShape(None)
    if not isinstance(encoded, list) or len(encoded) > 254:
        raise Damaged(f"{encoded!r} is no shape")
    for size in encoded:
        if size is not None and (type(size) is not int or not 0 <= size < 1 << 62):
            raise Damaged(f"{encoded!r} is no shape")
    return TensorShape(encoded)


def dtype_from(name: Any) -> dtypes.DType:
    """The dtype of that name."""
    try:
        if not isinstance(name, str):
            raise TypeError
        return dtypes.as_dtype(name)
    except TypeError:
        raise Damaged(f"{name!r} is no dtype") from None


class Decoder:
    """Reads values. ``tensor`` gives a stored array by its name; ``thing`` an object by its number."""

    def __init__(
        self, tensor: Callable[[Any], np.ndarray[Any, Any]], find_object: Callable[[Any], Any]
    ) -> None:
        self._tensor = tensor
        self._thing = find_object

    def value(
        self,
        encoded: Any,
        number: Callable[[Any], Any] | None = None,
        depth: int = 0,
        results: int = 0,
    ) -> Any:
        """The decoded value.

        Args:
            encoded: the result of an `Encoder`.
            number: computes the value of a formula.
            depth: how deep in a value it is.
            results: how many tensors there are for the leaves of a nest of results.

        Raises:
            Damaged: it cannot be decoded.
        """
        if encoded is None or type(encoded) in (bool, int, str):
            return encoded
        if type(encoded) is float:
            return encoded
        if depth > MOST_DEPTH:
            raise Damaged("a value is nested too deeply")

        def inner(part: Any) -> Any:
            return self.value(part, number, depth + 1, results)

        if isinstance(encoded, list):
            return [inner(part) for part in encoded]
        if not isinstance(encoded, dict) or len(encoded) != 1:
            raise Damaged(f"{str(encoded)[:80]} is no value")
        [(word, body)] = encoded.items()
        try:
            if word == "float":
                return float({"nan": "nan", "inf": "inf", "-inf": "-inf"}[body])
            if word == "complex":
                real, imaginary = [inner(part) for part in body]
                return complex(real, imaginary)
            if word == "bytes":
                return base64.b64decode(body, validate=True)
            if word == "result":
                index, spec = body
                leaf = Leaf(index, self.spec(spec))
                if type(index) is not int or not 0 <= index <= results - leaf.count:
                    raise Damaged(f"there is no result {index!r}")
                return leaf
            if word == "size":
                if number is None:
                    raise Damaged("a size stands where none may stand")
                return number(body)
            if word == "made":
                return self.built(body, number)
            if word == "tuple":
                return tuple([inner(part) for part in body])
            if word == "namedtuple":
                name, fields, parts = body
                values = [inner(part) for part in parts]
                return named(name, fields)(*values)
            if word == "record":
                name, parts = body
                return _record(name)(*[inner(part) for part in parts])
            if word == "dict":
                return {inner(key): inner(part) for key, part in body}
            if word == "ordered":
                return OrderedDict([(inner(key), inner(part)) for key, part in body])
            if word == "dtype":
                return dtype_from(body)
            if word == "shape":
                return shape_from(body)
            if word == "slice":
                start, stop, step = [inner(part) for part in body]
                return slice(start, stop, step)
            if word == "ellipsis":
                return Ellipsis
            if word in ("object", "asset"):
                saved_object = self._thing(body)
                if isinstance(saved_object, Asset) != (word == "asset"):
                    raise Damaged(f"the object {body} is not what it is used as")
                return saved_object if word == "object" else saved_object.asset_path._array
            if word == "tensor":
                return EagerTensor(self._tensor(body))
            if word == "array":
                return self._tensor(body)
            if word == "number":
                return self._tensor(body)[()]
            if word in ("spec", "ragged", "sparse", "registered"):
                return self.spec(encoded)
        except Damaged:
            raise
        except (TypeError, ValueError, KeyError, AttributeError) as error:
            raise Damaged(f"{str(encoded)[:80]} is no value: {error}") from None
        raise Damaged(f"{word!r} is no kind of value")

    def check_built(self, encoded: Any) -> None:
        """Raise Damaged unless ``encoded`` says how to build a tensor."""
        if not isinstance(encoded, list) or len(encoded) != 4 or encoded[0] not in BUILDERS:
            raise Damaged("a tensor is made in no known way")
        dtype_from(encoded[3])

    def built(self, encoded: Any, number: Callable[[Any], Any] | None) -> np.ndarray[Any, Any]:
        """An array that follows from sizes."""
        self.check_built(encoded)
        content, shape = self.value(encoded[1:3], number)
        array = BUILDERS[encoded[0]](content, shape)
        return np.array(array, dtype_from(encoded[3]).numpy_dtype)

    def spec(self, encoded: Any) -> Any:
        """The decoded spec."""
        try:
            [(word, body)] = encoded.items()
            if word == "spec":
                shape, dtype, name = body
                if name is not None and not isinstance(name, str):
                    raise Damaged(f"{name!r} is no name")
                return TensorSpec(shape_from(shape), dtype_from(dtype), name)
            if word == "ragged":
                from tapegrad.ragged.spec import RaggedTensorSpec

                shape, dtype, rank, splits = body
                return RaggedTensorSpec(
                    shape_from(shape), dtype_from(dtype), rank, dtype_from(splits)
                )
            if word == "registered":
                name, parts = body
                spec_type: Any = spec_names.lookup(name)
                return spec_type._deserialize(self.value(parts))
            if word == "sparse":
                from tapegrad.ops.sparse.sparse_tensor import SparseTensorSpec

                shape, dtype = body
                return SparseTensorSpec(shape_from(shape), dtype_from(dtype))
        except Damaged:
            raise
        except (TypeError, ValueError, AttributeError) as error:
            raise Damaged(f"{str(encoded)[:80]} is no spec: {error}") from None
        raise Damaged(f"{str(encoded)[:80]} is no spec")


def named(name: Any, fields: Any) -> Any:
    """A class of tuples with named fields."""
    if not isinstance(fields, list) or len(fields) > 1000:
        raise Damaged("a named tuple has no fields")
    return namedtuple(name, fields)


def _made_numbers(content: Any, shape: Any) -> Any:
    array = np.array(content)
    if not isinstance(content, list) or array.size != math.prod(shape):
        raise Damaged("a tensor has another shape than it says")
    return array.reshape(shape)


def _made_filled(content: Any, shape: Any) -> Any:
    if not isinstance(shape, list) or not all(
        type(size) is int and 0 <= size < 1 << 31 for size in shape
    ):
        raise Damaged(f"a tensor has no such shape: {shape}")
    return np.broadcast_to(np.array(content), shape)


def _made_range(content: Any, shape: Any) -> Any:
    if (
        not isinstance(shape, list)
        or len(shape) != 1
        or type(shape[0]) is not int
        or not 0 <= shape[0] < 1 << 31
    ):
        raise Damaged(f"a range has no such length: {shape}")
    return np.arange(shape[0])


def _made_values(content: Any, shape: Any) -> Any:
    if not isinstance(content, np.ndarray):
        raise Damaged("a tensor is made of values that are none")
    return content


BUILDERS = {
    "values": _made_values,
    "numbers": _made_numbers,
    "filled": _made_filled,
    "range": _made_range,
}
