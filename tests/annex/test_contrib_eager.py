"""`tapegrad.contrib.eager`. Values and error classes are those of TensorFlow's own functions."""

import functools

import numpy as np
import pytest

import tapegrad as tf
import tapegrad.contrib.eager as tfe


@pytest.fixture
def weights():
    return tfe.Variable(2.0, name="w1"), tfe.Variable(3.0, name="w2")


def numbers(gradients):
    return [None if dy is None else dy.numpy().tolist() for dy in gradients]


def weighted(a, b):
    return a * 2.0 + b * 3.0


def test_it_is_reached_in_both_ways():
    assert tf.contrib.eager is tfe
    assert tfe.Variable is tf.Variable
    assert tfe.GradientTape is tf.GradientTape
    assert tfe.executing_eagerly() is True
    assert tfe.list_devices() == ["/job:localhost/replica:0/task:0/device:CPU:0"]
    assert tfe.num_gpus() == 0


@pytest.mark.parametrize(
    ("params", "expected"),
    [
        (None, [2.0, 3.0]),
        (["a"], [2.0]),
        ("a", [2.0]),
        ([1], [3.0]),
        (1, [3.0]),
        ([1, 0], [3.0, 2.0]),
        (["b", "a"], [3.0, 2.0]),
        (["a", "a"], [2.0, 2.0]),
        ([], []),
    ],
)
def test_params(params, expected):
    assert numbers(tfe.gradients_function(weighted, params)(5.0, 7.0)) == expected
    assert numbers(tfe.gradients_function(weighted, params=params)(5.0, 7.0)) == expected


@pytest.mark.parametrize("params", [["zz"], [0, "a"], [1.5], [-1]])
def test_params_that_are_no_arguments(params):
    with pytest.raises(ValueError, match=r"has no positional argument named|must hold names"):
        tfe.gradients_function(weighted, params)


def test_params_beyond_what_a_call_gives():
    with pytest.raises(ValueError, match="argument number 1 of weighted"):
        tfe.gradients_function(weighted, params=["b"])(5.0)
    with pytest.raises(TypeError):
        tfe.gradients_function(weighted)(5.0, 7.0, 8.0)


def test_keyword_arguments_are_refused():
    with pytest.raises(
        ValueError, match="takes positional arguments only, and dy; b came by keyword"
    ):
        tfe.gradients_function(weighted)(5.0, b=7.0)


def test_dy():
    gradient = tfe.gradients_function(weighted)
    assert numbers(gradient(5.0, 7.0, dy=2.0)) == [4.0, 6.0]
    assert numbers(gradient(5.0, 7.0, dy=None)) == [2.0, 3.0]
    several = tfe.gradients_function(lambda x, y: (x * y, x))
    assert numbers(several(5.0, 7.0)) == [8.0, 5.0]
    assert numbers(several(5.0, 7.0, dy=(1.0, 10.0))) == [17.0, 5.0]
    value, gradients = tfe.value_and_gradients_function(weighted)(5.0, 7.0, dy=10.0)
    assert value.numpy() == 31.0
    assert numbers(gradients) == [20.0, 30.0]


def test_values():
    (first, second), gradients = tfe.value_and_gradients_function(lambda x, y: (x * y, x))(5.0, 7.0)
    assert (first.numpy(), second.numpy()) == (35.0, 5.0)
    assert numbers(gradients) == [8.0, 5.0]
    nest, _ = tfe.value_and_gradients_function(lambda x: {"a": x, "b": 3.0})(5.0)
    assert nest["b"].numpy() == 3.0


def test_arguments():
    square = tfe.gradients_function(lambda x: x * x)
    assert numbers(square([1.0, 2.0])) == [[2.0, 4.0]]
    assert square(np.array([1.0, 2.0]))[0].dtype == tf.float64
    assert numbers(square(tfe.Variable(2.0))) == [4.0]
    assert numbers(square(4)) == [None]
    assert numbers(tfe.gradients_function(lambda x: 3.0)(4.0)) == [None]
    assert numbers(tfe.gradients_function(lambda *a: a[0] * a[1])(4.0, 5.0)) == [5.0, 4.0]
    assert numbers(tfe.gradients_function(lambda x, y=3.0: x * y)(4.0)) == [3.0]
    assert numbers(tfe.gradients_function(lambda: 3.0)()) == []
    with pytest.raises(
        (ValueError, TypeError), match=r"Attempt to convert a value \(\{'a': 1\.0\}\)"
    ):
        square({"a": 1.0})


def test_one_tensor_for_several_arguments():
    x = tf.constant(3.0)
    assert numbers(tfe.gradients_function(lambda a, b: a * a * b)(x, x)) == [18.0, 9.0]


def test_functions_of_all_kinds():
    class Cube:
        def method(self, x):
            return x * x

        def __call__(self, x):
            return x * x * x

    assert numbers(tfe.gradients_function(Cube().method)(3.0)) == [6.0]
    assert numbers(tfe.gradients_function(Cube())(3.0)) == [27.0]
    assert numbers(tfe.gradients_function(functools.partial(weighted, 2.0))(3.0)) == [3.0]
    assert numbers(tfe.gradients_function(tf.function(weighted))(3.0, 4.0)) == [2.0, 3.0]
    assert numbers(tfe.gradients_function(tf.square)(3.0)) == [6.0]
    assert numbers(tfe.gradients_function(tf.multiply, params=["y"])(3.0, 4.0)) == [3.0]


def test_higher_orders():
    first = tfe.gradients_function(lambda x: x * x * x)
    assert numbers(tfe.gradients_function(lambda x: first(x)[0])(2.0)) == [12.0]
    assert numbers(tfe.gradients_function(first)(2.0)) == [12.0]
    assert numbers(tfe.gradients_function(tfe.gradients_function(first))(2.0)) == [6.0]


def test_inside_a_tape():
    x = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        (dy,) = tfe.gradients_function(lambda x: x * x * x)(x)
    assert tape.gradient(dy, x).numpy() == 12.0


def test_make_vjp():
    value, vjp = tfe.make_vjp(lambda x, y: x * y)(3.0, 4.0)
    assert value.numpy() == 12.0
    assert numbers(vjp()) == [4.0, 3.0]
    assert numbers(vjp(2.0)) == [8.0, 6.0]
    _, vjp = tfe.make_vjp(lambda x, y: x * y, persistent=False)(3.0, 4.0)
    assert numbers(vjp()) == [4.0, 3.0]
    with pytest.raises(RuntimeError, match="A non-persistent GradientTape can only be used to"):
        vjp()


def test_implicit(weights):
    w1, w2 = weights

    def f(a, b):
        return w2 * b + w1 * a

    value, [(by_w1, first), (by_w2, second)] = tfe.implicit_value_and_gradients(f)(5.0, b=7.0)
    assert (value.numpy(), by_w1.numpy(), by_w2.numpy()) == (31.0, 5.0, 7.0)
    assert first is w1
    assert second is w2
    pairs = tfe.implicit_gradients(f)(5.0, 7.0)
    assert [(dy.numpy(), variable.name) for dy, variable in pairs] == [(5.0, "w1:0"), (7.0, "w2:0")]


def test_implicit_results(weights):
    w1, w2 = weights
    nest, pairs = tfe.implicit_value_and_gradients(lambda: {"a": w1 * 2, "b": (w2 * 3,)})()
    assert nest["b"][0].numpy() == 9.0
    assert [dy.numpy() for dy, _ in pairs] == [2.0, 3.0]
    value, pairs = tfe.implicit_value_and_gradients(lambda x: w2 * x)(np.float32([1, 2]))
    np.testing.assert_array_equal(value, [3.0, 6.0])
    assert pairs[0][0].numpy() == 3.0
    read_but_unused = tfe.implicit_gradients(lambda: (w1 + 0.0, w2)[1])()
    assert [dy if dy is None else dy.numpy() for dy, _ in read_but_unused] == [None, 1.0]


def test_implicit_takes_trainable_variables_only(weights):
    _, w2 = weights
    fixed = tfe.Variable(1.0, trainable=False)
    assert [dy.numpy() for dy, _ in tfe.implicit_gradients(lambda: fixed * w2)()] == [1.0]
    for f in (lambda: fixed * 2, lambda: tf.constant(3.0)):
        for transform in (tfe.implicit_gradients, tfe.implicit_value_and_gradients):
            with pytest.raises(ValueError, match="read no trainable variables"):
                transform(f)()
    with pytest.raises(
        TypeError, match=r"test_implicit_takes_trainable_variables_only\.<locals>\."
    ):
        tfe.implicit_gradients(lambda: w2 * 2)(dy=2.0)


TRANSFORMATIONS = [
    tfe.gradients_function,
    tfe.value_and_gradients_function,
    tfe.make_vjp,
    tfe.implicit_gradients,
    tfe.implicit_value_and_gradients,
]


@pytest.mark.parametrize("transform", TRANSFORMATIONS)
def test_transformations_take_functions(transform):
    with pytest.raises(TypeError, match="takes a function to differentiate; 3 came"):
        transform(3)


@pytest.mark.parametrize("transform", TRANSFORMATIONS)
def test_functions_that_return_none(transform):
    w = tfe.Variable(1.0)

    def forgetful(*arguments):
        w * 2

    with pytest.raises(
        ValueError, match=r"Cannot differentiate forgetful\(\), which returned None"
    ):
        transform(forgetful)()


@pytest.mark.parametrize("transform", TRANSFORMATIONS)
def test_names_are_kept(transform):
    assert transform(weighted).__name__ == "weighted"


def test_defun_and_custom_gradient():
    assert tfe.defun(lambda x: x * 2)(3.0).numpy() == 6.0
    f = tfe.custom_gradient(lambda x: (x * 2, lambda dy: dy * 7))
    assert numbers(tfe.gradients_function(f)(3.0)) == [7.0]
