"""What a pickle holds is not trusted: a part that was changed is refused, or makes a sound object.

Each object is taken apart as pickle does it. Then each part, at every depth, is replaced with each of
`WRONG`, and the object is put together again.
"""

from __future__ import annotations

import copyreg
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

REFUSALS = (TypeError, ValueError, LookupError, OverflowError, AssertionError, tf.errors.OpError)


def nothing() -> None:
    raise AssertionError("a function from a pickle was called")


WRONG = [
    None, True, 0, -1, 3, 2**31, 2**63, 10**30, 1.5, float("nan"), 2j, "", "a", "float32", "string", "bool",
    "complex128", "qint8", "resource", "half", b"", b"abc", bytearray(8), (), (2,), (-1,), (2**62, 2**62),
    (0, 2**63), (None,), ("a",), (1.5,), (1,) * 65, [], [b"a"], ["a"], [None], [1], [[b"a"]], [object()],
    [[1, 2], [3]], {}, {"a": 1}, {1}, object(), object, int, ValueError, nothing, Ellipsis, range(3),
    np.array([None]), np.array([object()]), np.zeros([2]), np.float32(1), np.dtype("O"), memoryview(b"abc"),
]  # fmt: skip


def objects() -> dict[str, Any]:
    """One of every kind of thing that pickles."""
    return {
        "float32": tf.constant([[1.0, 2.0], [3.0, 4.0]]),
        "scalar": tf.constant(1.0),
        "empty": tf.zeros([0, 3]),
        "int8": tf.constant([1, 2, 3], tf.int8),
        "bool": tf.constant([True, False]),
        "bfloat16": tf.constant([1.0], tf.bfloat16),
        "complex": tf.constant([1j]),
        "string": tf.constant(["a", "b"]),
        "variable": tf.Variable([1.0, 2.0], name="v", shape=[None]),
        "shape": tf.TensorShape([2, None]),
        "dimension": tf.TensorShape([2]).dims[0],
        "dtype": tf.float32,
        "op": tf.tanh,
        "spec": tf.TensorSpec([2], tf.int32, "name"),
        "slices": tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 1]), tf.constant([4, 3])),
        "slices spec": tf.IndexedSlicesSpec([4, 3]),
        "sparse": tf.SparseTensor([[0, 1]], [2.0], [2, 3]),
        "sparse spec": tf.SparseTensorSpec([2, 3]),
        "generator": tf.random.Generator.from_seed(1),
        "error": tf.errors.InvalidArgumentError(None, None, "message"),
        "function": tf.function(np.sum),
    }


def taken_apart(value: Any) -> tuple[Any, tuple[Any, ...]]:
    reduced = copyreg.dispatch_table.get(type(value), type(value).__reduce__)(value)
    assert isinstance(reduced, tuple), f"{value!r} is pickled by name"
    return reduced[:2]


def changed(parts: Any) -> Iterator[Any]:
    """``parts`` with one thing in it replaced, at every depth, by each of `WRONG`; or left out, or twice."""
    if not isinstance(parts, (tuple, list)):
        return
    for place, part in enumerate(parts):
        for other in (*WRONG, *changed(part)):
            yield type(parts)([*parts[:place], other, *parts[place + 1 :]])
        if isinstance(part, bytes):
            for other in (part[:-1], part + b"a", part + bytes(1 << 16), b"\xff" * len(part)):
                yield type(parts)([*parts[:place], other, *parts[place + 1 :]])
        yield type(parts)([*parts[:place], *parts[place + 1 :]])
        yield type(parts)([*parts[:place], part, *parts[place:]])


def tensors_of(value: Any) -> Iterator[Any]:
    for part in (
        value,
        *(getattr(value, name, None) for name in ("values", "indices", "dense_shape", "state")),
    ):
        if isinstance(part, (tf.Tensor, tf.Variable)):
            yield part


def use(value: Any) -> None:
    """Look at all of an object, as a program would."""
    for look in (
        repr, str, hash, lambda x: x == x, lambda x: x.numpy(), lambda x: x.shape, lambda x: x.dtype,
        lambda x: x[0], lambda x: x + x, tf.reduce_sum, tf.convert_to_tensor, tf.sparse.to_dense,
        lambda x: x.assign(x), lambda x: x.normal([2]), lambda x: x.name, pickle.dumps,
    ):  # fmt: skip
        try:
            look(value)
        except (*REFUSALS, AttributeError, pickle.PicklingError):
            continue


@pytest.mark.parametrize("kind", objects())
def test_each_changed_part_is_refused_or_harmless(kind: str) -> None:
    function, parts = taken_apart(objects()[kind])
    use(function(*parts))
    for doctored in changed(parts):
        try:
            loaded = function(*doctored)
        except REFUSALS:
            continue
        for tensor in tensors_of(loaded):
            array = np.asarray(tensor)
            if tensor.dtype == tf.string:
                assert all(type(string) is bytes for string in array.ravel()), doctored
            elif tensor.dtype == tf.bool:
                assert (array.view(np.uint8) <= 1).all(), doctored
            else:
                assert array.dtype == tensor.dtype.as_numpy_dtype, doctored
        use(loaded)


@pytest.mark.parametrize(
    ("parts", "words"),
    [
        (("string", (1,), [object()]), "string expected object"),
        (("string", (1,), [["a"]]), "string expected list"),
        (("string", (2,), [b"a"]), "2 strings (2,)"),
        (("string", (1,), b"a"), "1 strings list"),
        (("float32", (1,), [1.0]), "4 bytes float32"),
        (("float32", (1,), [object()]), "4 bytes float32"),
        (("float32", (2,), bytes(4)), "8 bytes (2,) float32"),
        (("float32", (1,), bytes(8)), "4 bytes (1,) float32"),
        (("float32", (2**40,), bytes(4)), "bytes (1099511627776,)"),
        (("float32", (-1,), bytes(4)), "sizes (-1,)"),
        (("float32", [1], bytes(4)), "tuple of sizes [1]"),
        (("float32", (True,), bytes(4)), "sizes (True,)"),
        (("float32", (0, 2**63), b""), "shape (0, 9223372036854775808)"),
        (("float32", (1,) * 65, bytes(4)), "64 axes 65"),
        (("bool", (1,), b"\x02"), "0 or 1"),
        (("object", (1,), bytes(8)), "dtype 'object'"),
        ((1, (1,), bytes(4)), "dtype 1"),
        (("float32", (1,)), "dtype, shape and content"),
    ],
)
def test_a_damaged_tensor_is_refused_and_says_why(parts: Any, words: str) -> None:
    function, _ = tf.constant(1.0).__reduce__()
    with pytest.raises(ValueError, match="A pickled tensor is damaged") as caught:
        function(parts)
    for word in words.split():
        assert word in str(caught.value)


def test_a_damaged_variable_does_not_call_what_it_holds() -> None:
    function, parts = tf.Variable(1.0).__reduce__()
    with pytest.raises(TypeError, match=r"damaged.*Tensor was expected"):
        function(nothing, *parts[1:])
