"""`tf.__internal__.dispatch`: functions of tf, and operators, take objects of other libraries."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad import core
from tapegrad.annex.internal import fallbacks

dispatch = tf.__internal__.dispatch


class Symbol:
    """An expression of another library: it has a dtype, and no value."""

    dtype = tf.float32

    def __init__(self, text: str) -> None:
        self.text = text

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        raise TypeError(f"{self.text} has no value")


for _name in tf.Tensor.OVERLOADABLE_OPERATORS:
    setattr(Symbol, _name, getattr(tf.Tensor, _name))


class Number(Symbol):
    """One of which dispatchers know nothing: it has a value."""

    def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
        return tf.constant(int(self.text), dtype or self.dtype)


def _shown(value: Any) -> str:
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_shown, value))}]"
    if isinstance(value, Symbol):
        return value.text
    return str(value.numpy() if isinstance(value, tf.Tensor) else value)


class Everywhere(dispatch.GlobalOpDispatcher):
    """Answers calls with symbols, and notes the functions."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def handle(self, op: Any, args: Any, kwargs: Any) -> Any:
        self.asked.append(op)
        if any(type(leaf) is Symbol for leaf in tf.nest.flatten([args, kwargs])):
            return Symbol(f"{op.__name__}({', '.join(map(_shown, [*args, *kwargs.values()]))})")
        return self.NOT_SUPPORTED


@pytest.fixture
def everywhere() -> Iterator[Everywhere]:
    dispatcher = Everywhere()
    dispatcher.register()
    yield dispatcher
    fallbacks._everywhere.remove(dispatcher)


x = Symbol("x")

CALLS: dict[str, tuple[Callable[[], Any], str]] = {
    "an op": (lambda: tf.exp(x), "exp(x)"),
    "the right operand of an op": (lambda: tf.multiply(tf.constant(2.0), x), "multiply(2.0, x)"),
    "a function of several ops": (lambda: tf.reduce_logsumexp(x, axis=0), "reduce_logsumexp(x, 0)"),
    "an argument by name": (lambda: tf.reshape(tensor=x, shape=[1]), "reshape(x, [1])"),
    "an attribute": (lambda: tf.zeros([2, x]), "zeros([2, x])"),
    "in a list": (lambda: tf.concat([tf.constant([1.0]), x], 0), "concat([[1.], x], 0)"),
    "a raw op": (lambda: tf.raw_ops.Exp(x=x), "exp(x)"),
    "the left operand": (lambda: x * 2.0, "multiply(x, 2.0)"),
    "the right operand": (lambda: 2.0 - x, "subtract(2.0, x)"),
    "a tensor on the left": (lambda: tf.constant(2.0) / x, "truediv(2.0, x)"),
    "a variable on the left": (lambda: tf.Variable(2.0) ** x, "pow(2.0, x)"),
    "an array on the left": (lambda: np.ones(1, "float32") + tf.constant(1.0) + x, "add([2.], x)"),
    "two of them": (lambda: x @ x, "matmul(x, x)"),
    "one operand": (lambda: -abs(x), "negative(abs(x))"),
    "a comparison": (lambda: x <= 1.0, "less_equal(x, 1.0)"),
    "equality": (lambda: (x == 1.0).text + (x != x).text, "eq(x, 1.0)ne(x, x)"),
    "a slice": (lambda: x[1:, 0], "getitem(x, [slice(1, None, None), 0])"),
    "division of Python 2": (lambda: x.__div__(3.0), "truediv(x, 3.0)"),  # type: ignore[attr-defined]
    "numbers that have no bits": (lambda: x & x, "bitwise_and(x, x)"),
}


@pytest.mark.parametrize("name", CALLS)
def test_a_call_with_a_symbol_is_answered_by_the_dispatcher(
    everywhere: Everywhere, name: str
) -> None:
    call, expected = CALLS[name]
    result = call()
    assert _shown(result) == expected


@pytest.mark.parametrize("name", sorted(tf.Tensor.OVERLOADABLE_OPERATORS))
def test_each_operator_takes_what_becomes_a_tensor(name: str) -> None:
    integers = name.strip("_").removeprefix("r") in ("and", "or", "xor", "invert")
    two = Number("2")
    two.dtype = tf.int32 if integers else tf.float32
    tensor = tf.constant(2, two.dtype)
    if name == "__getitem__":
        assert two[()].numpy() == 2.0
        return
    if "matmul" in name:
        with pytest.raises(tf.errors.InvalidArgumentError):
            getattr(two, name)(3.0)
        return
    operands = () if name in ("__abs__", "__invert__", "__neg__") else (3,)
    ours = getattr(tensor, name)(*operands)
    assert getattr(two, name)(*operands).numpy() == ours.numpy()
    assert getattr(two, name)(*operands).dtype is ours.dtype


def test_nobody_is_asked_for_what_tf_knows(everywhere: Everywhere) -> None:
    tensor, variable = tf.constant([1.0, 2.0]), tf.Variable([1.0, 2.0])
    ragged, sparse = tf.ragged.constant([[1.0], []]), tf.sparse.from_dense([[0.0, 1.0]])
    for value in (tensor, variable, ragged, np.ones(2), 1.0, [1.0, 2], ["a"], tf.float32.max):
        tf.add(value, value)
    tf.sparse.add(sparse, sparse), tf.logical_not(True), tf.cast(tensor, tf.float64)
    tf.reshape(tensor, tf.TensorShape([2, 1])), tensor[0:1], tf.zeros([2], name=None)
    tf.map_fn(lambda part: part + 1.0, tensor)
    assert not everywhere.asked


def test_what_no_dispatcher_supports_runs(everywhere: Everywhere) -> None:
    assert tf.exp(Number("0")).numpy() == 1.0
    assert (tf.constant(2.0) * Number("4")).numpy() == 8.0
    assert everywhere.asked

    class Nothing:
        pass

    with pytest.raises((TypeError, ValueError), match="Nothing"):
        tf.exp(Nothing())


def test_a_function_has_dispatchers_of_its_own(everywhere: Everywhere) -> None:
    class OfExp(dispatch.OpDispatcher):
        def handle(self, args: Any, kwargs: Any) -> Any:
            return f"exp of {args[0].text}" if type(args[0]) is Symbol else self.NOT_SUPPORTED

    OfExp().register(tf.exp)
    try:
        assert tf.exp(x) == "exp of x"
        assert tf.exp(Number("0")).numpy() == 1.0
        assert tf.sin(x).text == "sin(x)"
    finally:
        del fallbacks._of_ours[tf.exp]  # type: ignore[arg-type]


def test_long_and_nested_lists_are_looked_at_no_further_than_they_must_be(
    everywhere: Everywhere,
) -> None:
    assert tf.constant([0.0] * 100_000).shape == (100_000,)
    loop: list[Any] = []
    loop.append(loop)
    with pytest.raises((ValueError, RecursionError)):
        tf.exp(loop)
    assert not everywhere.asked


def test_recordings_and_tapes_are_as_without_dispatchers(everywhere: Everywhere) -> None:
    variable = tf.Variable([1.0, 2.0])

    @tf.function
    def step(factor: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.exp(variable) * factor)
        return tape.gradient(loss, variable)

    for factor in (1.0, 2.0):
        expected = np.exp([1.0, 2.0]) * factor
        np.testing.assert_allclose(step(tf.constant(factor)), expected, rtol=1e-6)
    assert not everywhere.asked


def test_operators_keep_no_object_alive() -> None:
    class Alive(Number):
        pass

    for _ in range(3):
        assert (Alive("2") * 2.0).numpy() == 4.0
    gc.collect()
    assert not [thing for thing in gc.get_objects() if type(thing) is Alive]


def test_expressions_of_tensors_do_not_go_through_the_attribute() -> None:
    # `tf.Tensor.__mul__` is a function for other classes; an expression finds the slot of the type.
    assert repr(tf.Tensor.__mul__) == "<operator tf.Tensor.__mul__>"
    assert tf.constant(2.0).__mul__(3.0).numpy() == 6.0
    assert tf.constant(2.0).__rsub__(3.0).numpy() == 1.0
    assert core.Operand.__mul__(tf.constant(2.0), 3.0).numpy() == 6.0  # type: ignore[operator]

    class Own(tf.Tensor):  # type: ignore[misc]
        pass

    assert Own.__mul__ is tf.Tensor.__mul__


def test_no_dispatcher_says_what_the_value_of_a_tensor_is(everywhere: Everywhere) -> None:
    class Foreign(Symbol, tf.__internal__.types.Tensor):
        """A symbolic tensor, as Keras 2 has them."""

    symbol = Symbol("a")
    assert tf.get_static_value(Foreign("b")) is None
    assert tf.get_static_value(symbol) is symbol
    assert everywhere.asked == []
