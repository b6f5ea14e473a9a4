"""Gradients that users write: `custom_gradient`. `test_other_gradients.py` has what else there is.

Expected values are TensorFlow's unless a comment says otherwise.
"""

import collections
import functools
import inspect

import numpy as np
import pytest

import tapegrad as tf

Point = collections.namedtuple("Point", "u v")


def gradient_of(f, *arguments, sources=None, **kwargs):
    """The gradient of f at ``arguments``, floats made tensors, by ``sources`` or by the arguments."""
    arguments = [tf.constant(a) if isinstance(a, float) else a for a in arguments]
    with tf.GradientTape() as tape:
        for argument in arguments:
            if isinstance(argument, tf.Tensor) and argument.dtype.is_floating:
                tape.watch(argument)
        y = f(*arguments, **kwargs)
    found = tape.gradient(y, arguments if sources is None else sources)
    return [None if dy is None else dy.numpy() for dy in found]


def with_gradient(gradient, result=lambda *arguments: arguments[0] * 1):
    return tf.custom_gradient(lambda *arguments: (result(*arguments), gradient))


@tf.custom_gradient
def square(x):
    """Squares."""
    return x * x, lambda dy: dy * 10.0


def test_it_is_the_function():
    assert (square.__name__, square.__doc__) == ("square", "Squares.")
    assert square.__wrapped__(2.0)[0] == 4.0
    assert tf.custom_gradient()(lambda x: (x, lambda dy: dy))(2.0).numpy() == 2.0
    assert (
        tf.custom_gradient(functools.partial(lambda a, x: (a * x, None or abs), 3.0))(2.0).numpy()
        == 6.0
    )


def test_the_gradient_is_the_one_returned():
    assert gradient_of(square, 3.0) == [10.0]
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x + square(x)
    assert tape.gradient(y, x).numpy() == 16.0


def test_without_a_tape_it_is_the_function():
    assert square(3.0).numpy() == 9.0
    assert square(3).dtype == tf.int32
    np.testing.assert_array_equal(square(np.array([1.0, 2.0])), [1.0, 4.0])


def test_arguments_come_as_they_are_given():
    seen = []

    @tf.custom_gradient
    def look(x):
        seen.append(type(x))
        return tf.convert_to_tensor(x), lambda dy: dy

    for value in (2.0, [1.0], np.float32(2), np.ones(2), tf.constant(1.0)):
        look(value)
    assert [kind.__name__ for kind in seen] == [
        "float",
        "list",
        "float32",
        "ndarray",
        "EagerTensor",
    ]


def test_results_are_new_tensors():
    x = tf.constant(3.0)
    twice = tf.custom_gradient(lambda x: ((x, x), lambda a, b: a * 3 + b * 5))
    first, second = twice(x)
    assert first is not x
    assert first is not second
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        first, second = twice(x)
    assert tape.gradient(first, x).numpy() == 3.0
    assert tape.gradient(second, x).numpy() == 5.0
    assert tape.gradient([first, second], x).numpy() == 8.0


def test_numbers_are_results_and_gradients():
    assert gradient_of(with_gradient(lambda dy: dy * 7, lambda x: 3.0), 2.0) == [7.0]
    assert gradient_of(with_gradient(lambda dy: 7.0), 2.0) == [7.0]
    (dy,) = gradient_of(with_gradient(lambda dy: np.float64(7)), 2.0)
    assert dy.dtype == np.float32  # a gradient has its source's dtype; TensorFlow gives the float64
    assert gradient_of(with_gradient(lambda dy: None), 2.0) == [None]


@pytest.mark.parametrize("pack", [list, tuple])
def test_gradients_in_a_list_or_tuple(pack):
    assert gradient_of(with_gradient(lambda dy: pack([dy * 2])), 2.0) == [2.0]
    assert gradient_of(with_gradient(lambda dy: pack([dy, None])), 2.0, 3.0) == [1.0, None]


@pytest.mark.parametrize(
    ("pack", "seen"),
    [
        (lambda x: (x, x * 2), 2),
        (lambda x: [x, x * 2], 2),
        (lambda x: {"b": x, "a": x * 2}, 2),
        (lambda x: (x, {"b": x, "a": x * 2}), 3),
        (lambda x: Point(x, x * 2), 2),
    ],
)
def test_nests_of_results(pack, seen):
    counts = []

    def gradient(*dys):
        counts.append(len(dys))
        return dys[0] + 10 * dys[1]

    f = with_gradient(gradient, pack)
    assert type(f(tf.constant(1.0))) is type(pack(1.0))
    assert gradient_of(f, 2.0) == [11.0]
    assert counts == [seen]


def test_nests_of_arguments():
    x, y, z = tf.constant(1.0), tf.constant(2.0), tf.constant(3.0)
    nest = {"a": x, "b": [y]}

    def result(nest, z):
        return nest["a"] * nest["b"][0] * z

    for gradient in (
        lambda dy: ({"a": dy * 7, "b": [dy * 8]}, dy * 9),
        lambda dy: (dy * 7, dy * 8, dy * 9),
    ):
        with tf.GradientTape() as tape:
            tape.watch((nest, z))
            out = with_gradient(gradient, result)(nest, z)
        (by_nest, by_z) = tape.gradient(out, (nest, z))
        assert (by_nest["a"].numpy(), by_nest["b"][0].numpy(), by_z.numpy()) == (7.0, 8.0, 9.0)


def test_keyword_arguments_have_no_gradient():
    @tf.custom_gradient
    def scale(x, factor=2.0):
        return x * factor, lambda dy: dy * factor * 100

    y = tf.constant(5.0)
    assert gradient_of(scale, 2.0) == [200.0]
    assert gradient_of(scale, 2.0, factor=5.0) == [500.0]
    assert gradient_of(scale, 2.0, factor=y) == [500.0]
    assert gradient_of(scale, factor=y, x=tf.constant(1.0), sources=[y]) == [None]


def test_one_tensor_for_two_arguments():
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = with_gradient(lambda dy: (dy * 3, dy * 5), lambda a, b: a * b)(x, x)
    assert tape.gradient(y, x).numpy() == 8.0


def test_arguments_that_are_no_floats():
    f = with_gradient(lambda dy: (dy * 5, None), lambda x, other: x * 2)
    for other in (tf.constant(3), tf.constant("a"), 3, "a", True):
        assert gradient_of(f, 2.0, other, sources=[]) == []
        x = tf.constant(2.0)
        assert gradient_of(f, x, other, sources=[x]) == [5.0]
    # TensorFlow refuses what is no tensor; here such arguments have no gradient.
    x = tf.constant(2.0)
    assert gradient_of(f, x, None, sources=[x]) == [5.0]


def test_results_that_are_no_floats():
    seen = []

    def gradient(*dys):
        seen.append([None if dy is None else dy.numpy() for dy in dys])
        return dys[0] * 5

    f = with_gradient(gradient, lambda x: (x * 2, tf.constant([3, 4]), tf.constant("q")))
    x = tf.constant(2.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f(x)[0]
    assert tape.gradient(y, x).numpy() == 5.0
    assert seen[0][0] == 1.0
    np.testing.assert_array_equal(seen[0][1], [0, 0])
    assert seen[0][2] is None


def test_methods():
    def calling(f):
        @functools.wraps(f)
        def call(*args):
            return f(*args)

        return call

    class Owner:
        factor = 5.0

        @tf.custom_gradient
        def method(self, x):
            return x * 2, lambda dy: dy * self.factor

        @tf.recompute_grad
        def recomputed(self, x):
            return x * self.factor

        @tf.grad_pass_through
        def passed(self, x):
            return x * self.factor

        @classmethod
        @tf.custom_gradient
        def of_class(cls, x):
            return x * 2, lambda dy: dy * (cls.factor + 1)

        @classmethod
        @calling
        @tf.custom_gradient
        def wrapped(cls, x):
            return x * 2, lambda dy: dy * (cls.factor + 4)

        @classmethod
        @tf.recompute_grad
        def recomputed_of_class(cls, x):
            return x * cls.factor

        @classmethod
        @tf.grad_pass_through
        def passed_of_class(cls, x):
            return x * cls.factor

        @staticmethod
        @tf.custom_gradient
        def static(x):
            return x * 2, lambda dy: dy * 7.0

        def bound(self, x):
            return x * 2, lambda dy: dy * 8.0

    owner = Owner()
    assert gradient_of(owner.method, 2.0) == [5.0]
    assert gradient_of(owner.recomputed, 2.0) == [5.0]
    assert gradient_of(owner.passed, 2.0) == [1.0]
    assert gradient_of(Owner.of_class, 2.0) == [6.0]
    assert gradient_of(owner.of_class, 2.0) == [6.0]
    assert gradient_of(Owner.wrapped, 2.0) == [9.0]
    assert gradient_of(Owner.recomputed_of_class, 2.0) == [5.0]
    assert gradient_of(Owner.passed_of_class, 2.0) == [1.0]
    assert gradient_of(owner.static, 2.0) == [7.0]

    class Heir(Owner):
        factor = 6.0

        @classmethod
        def of_class(cls, x):
            return super().of_class(x)

    assert gradient_of(Heir.of_class, 2.0) == [7.0]
    assert gradient_of(tf.custom_gradient(owner.bound), 2.0) == [8.0]
    assert owner.method.__name__ == "method"


# Variables


def variables():
    return tf.Variable(2.0, name="v"), tf.Variable(5.0, name="w")


def test_variables_read_inside_must_be_taken():
    _, w = variables()
    f = with_gradient(lambda dy: dy, lambda x: x * w)
    for x in (2.0, tf.constant(2.0)):
        with pytest.raises(
            TypeError, match=r"must take them: gradient\(dy, variables=None\)\. It reads w:0"
        ):
            f(x)
        with tf.GradientTape(), pytest.raises(TypeError, match="reads variables"):
            f(x)


@pytest.mark.parametrize(
    "write",
    [
        lambda w: w.assign(5.0),
        lambda w: w.assign_add(0.0),
        lambda w: w.assign_sub(0.0),
    ],
)
def test_variables_assigned_inside_count_as_read(write):
    # TensorFlow reads what an assignment returns; with read_value=False there is nothing to read.
    _, w = variables()

    def assign(x):
        write(w)
        return x * 1.0

    with pytest.raises(TypeError, match=r"It reads w:0"):
        with_gradient(lambda dy: dy, assign)(1.0)

    def assign_unread(x):
        w.assign(5.0, read_value=False)
        return x * 1.0

    assert with_gradient(lambda dy: dy, assign_unread)(1.0).numpy() == 1


class VariableLike:
    """What Keras's variables are to TensorFlow."""

    _should_act_as_resource_variable = True
    dtype = "float32"
    shape = ()

    def __init__(self, variable):
        self.value = variable

    @property
    def handle(self):
        return self.value.handle

    def __tf_tensor__(self, dtype=None, name=None):
        return tf.convert_to_tensor(self.value)


@pytest.mark.parametrize("in_function", [False, True])
def test_an_argument_that_acts_as_a_variable_is_an_argument_only(in_function):
    scale, history = VariableLike(tf.Variable(1.5)), VariableLike(tf.Variable(0.0))
    other = tf.Variable(3.0, name="other")
    seen = []

    @tf.custom_gradient
    def quantize(x, scale, history):
        result = x * scale + history

        def gradient(dy, variables=None):
            seen.append(variables)
            return dy * 2, dy * 10, dy * 100

        return result, gradient

    @tf.custom_gradient
    def read_another(x, scale):
        def gradient(dy, variables):
            return (dy * 2, dy * 10), [dy * 1000]

        return x * scale * other, gradient

    def call(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = quantize(x, scale, history)
        first = tape.gradient(y, [x, scale, history])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = read_another(x, scale)
        return first + tape.gradient(y, [x, scale, other])

    found = (tf.function(call) if in_function else call)(tf.constant(1.0))
    assert [float(gradient) for gradient in found] == [2, 10, 100, 2, 10, 1000]
    assert seen == [None]


def test_inspect_sees_the_signature_of_the_function():
    class Called:
        def __call__(self, x, training=None):
            return x

    def function(x, y=1, *, z=2):
        return x

    for decorate in (tf.custom_gradient, tf.recompute_grad, tf.grad_pass_through, tf.function):
        for f, args in ((function, ["x", "y"]), (Called(), ["x", "training"])):
            decorated = decorate(f)
            assert inspect.signature(decorated) == inspect.signature(f)
            assert inspect.getfullargspec(decorated).args == args
        assert "f" in inspect.signature(type(decorated)).parameters or decorate is tf.function


def test_the_forms_of_the_variables_argument():
    v, w = variables()
    seen = []

    def plain(dy, variables):
        seen.append(variables)
        return dy * w, [dy * 100, dy * 200]

    def default(dy, variables=None):
        return plain(dy, variables)

    def keyword_only(dy, *, variables=None):
        return plain(dy, variables)

    def keywords(*dys, **kwargs):
        return plain(*dys, kwargs["variables"])

    for gradient in (plain, default, keyword_only, keywords, functools.partial(default)):
        x = tf.constant(3.0)
        f = with_gradient(gradient, lambda x: x * w * v)
        assert gradient_of(f, x, sources=[x, w, v]) == [5.0, 200.0, 100.0]
        # In the order the variables were made, not in that of reading.
        assert [variable.name for variable in seen[-1]] == ["v:0", "w:0"]
        assert seen[-1][0] is v


def test_variables_may_have_gradients_in_a_tuple_or_none_or_slices():
    table = tf.Variable([1.0, 2.0])

    def gradient(dy, variables=None):
        return None, (tf.IndexedSlices(dy * 3, tf.constant([1]), tf.constant([2])),)

    f = with_gradient(gradient, lambda i: tf.gather(table, i))
    with tf.GradientTape() as tape:
        y = f(tf.constant([1]))
    dy = tape.gradient(y, table)
    assert isinstance(dy, tf.IndexedSlices)
    np.testing.assert_array_equal(tf.convert_to_tensor(dy), [0.0, 3.0])
    _, w = variables()
    f = with_gradient(lambda dy, variables=None: (dy, [None]), lambda x: x * w)
    assert gradient_of(f, 2.0, sources=[w]) == [None]


def test_variables_not_trainable_do_not_count():
    fixed = tf.Variable(5.0, trainable=False)
    assert gradient_of(with_gradient(lambda dy: dy * 77, lambda x: x * fixed), 2.0) == [77.0]


def test_a_variable_as_argument():
    _, w = variables()
    seen = []

    def result(x):
        seen.append(x)
        return x * 3

    assert gradient_of(with_gradient(lambda dy: dy * 77, result), w) == [77.0]
    assert seen[0] is w
    assert gradient_of(with_gradient(lambda dy: dy * 77, lambda x: x), w) == [77.0]


def test_a_variable_as_argument_beside_one_that_is_read():
    v, w = variables()
    f = with_gradient(
        lambda dy, variables=None: ((dy * 77, dy * 78), [dy * 79 for _ in variables]),
        lambda x, z: x * v + z,
    )
    assert gradient_of(f, 2.0, w, sources=[v, w]) == [79.0, 78.0]


def test_a_variable_as_result():
    _, w = variables()
    x = tf.constant(2.0)
    f = with_gradient(lambda dy: dy * 77, lambda x: w)
    assert gradient_of(f, x, sources=[x, w]) == [77.0, None]
    y = f(x)
    w.assign(7.0)
    assert y.numpy() == 5.0


def test_no_arguments():
    _, w = variables()
    f = with_gradient(lambda dy, variables=None: ([], [dy * 6.0]), lambda: w * 3.0)
    assert gradient_of(f, sources=[w]) == [6.0]


def test_variables_read_inside_are_watched_by_tapes_outside():
    v, w = variables()
    f = with_gradient(lambda dy, variables=None: (dy, [dy]), lambda x: x * w)
    with tf.GradientTape() as tape:
        f(v)
    assert [variable.name for variable in tape.watched_variables()] == ["v:0", "w:0"]
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(w)
        y = f(v)
    assert tape.gradient(y, w).numpy() == 1.0
    assert [variable.name for variable in tape.watched_variables()] == ["w:0"]


# What is refused


@pytest.mark.parametrize(
    ("returned", "error", "message"),
    [
        (lambda x: x, TypeError, "it returned a EagerTensor"),
        (lambda x: None, TypeError, "it returned a NoneType"),
        (lambda x: (x,), ValueError, "it returned 1 values"),
        (lambda x: (x, x, lambda dy: dy), ValueError, "Several results go in a tuple of their own"),
        (lambda x: (x, x), TypeError, "the second value it returned is a EagerTensor"),
        (lambda x: (None, lambda dy: dy), ValueError, None),
        (lambda x: ((x, None), lambda dy: dy), ValueError, None),
    ],
)
def test_what_the_function_must_return(returned, error, message):
    with pytest.raises(error, match=message):
        tf.custom_gradient(returned)(tf.constant([1.0, 2.0]))


@pytest.mark.parametrize("decorator", [tf.custom_gradient, tf.recompute_grad, tf.grad_pass_through])
def test_functions_only(decorator):
    with pytest.raises(TypeError, match="takes a function; 3 came"):
        decorator(3)


def product(x, y):
    return x * y


@pytest.mark.parametrize("count", [0, 1, 3])
def test_the_wrong_number_of_gradients(count):
    f = tf.custom_gradient(lambda x, y: (x * y, lambda dy: [dy] * count))
    with pytest.raises(ValueError, match=r"each of its 2 arguments \(x, y\), .* it returned "):
        gradient_of(f, 2.0, 3.0)


def test_a_single_gradient_for_two_arguments_names_them():
    @tf.custom_gradient
    def f(first, *rest):
        return first["a"] * rest[0], lambda dy: dy

    x = tf.constant(1.0)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = f({"a": x}, x)
    with pytest.raises(ValueError) as caught:  # noqa: PT011
        tape.gradient(y, x)
    assert str(caught.value) == (
        "The gradient function of f() must return one gradient for each of its 2 arguments "
        "(first['a'], number 1), None where there is none; it returned 1."
    )


def test_a_gradient_of_the_wrong_shape_says_which():
    @tf.custom_gradient
    def f(x, y):
        return x * y, lambda dy: (dy, tf.ones([2]))

    with pytest.raises(tf.errors.InvalidArgumentError) as caught:
        gradient_of(lambda x, y: f(x, y) + y, 2.0, 3.0)
    assert caught.value.message == (
        "The gradient that the gradient function of f() returned for its argument y has shape (2,) and "
        "dtype float32. What it belongs to has shape () and dtype float32. It cannot be added to another "
        "gradient of the same tensor: their shapes are () and (2,), their dtypes float32 and float32."
    )
    _, w = variables()
    scaled = with_gradient(lambda dy, variables=None: (dy, [tf.ones([3])]), lambda x: x * w)
    with pytest.raises(tf.errors.InvalidArgumentError, match="for the variable 'w:0'"):
        gradient_of(lambda x: scaled(x) + w, 2.0, sources=[w])


@pytest.mark.parametrize(
    ("gradient", "error", "message"),
    [
        (lambda dy, variables=None: dy, TypeError, "must return a pair"),
        (lambda dy, variables=None: (dy, dy), TypeError, "the second value was a EagerTensor"),
        (lambda dy, variables=None: (dy, []), ValueError, "it returned 0 for the variables"),
        (lambda dy, variables=None: (dy, [dy, dy]), ValueError, "it returned 2 for the variables"),
        (lambda dy, variables=None: (dy, [dy], dy), ValueError, "it returned 3 values"),
    ],
)
def test_what_a_gradient_of_variables_must_return(gradient, error, message):
    _, w = variables()
    with pytest.raises(error, match=message):
        gradient_of(with_gradient(gradient, lambda x: x * w), 2.0)


def test_errors_in_gradients_pass_unchanged():
    class MyError(Exception):
        pass

    error = MyError("mine")

    def gradient(dy):
        raise error

    with pytest.raises(MyError, match="mine") as caught:
        gradient_of(with_gradient(gradient), 2.0)
    assert caught.value is error
    with pytest.raises(TypeError, match="positional argument"):
        gradient_of(tf.custom_gradient(lambda x: ((x, x * 2), lambda dy: dy)), 2.0)


# Higher orders


def test_second_order_of_ops_in_the_gradient():
    x, u = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape() as outer:
        outer.watch([x, u])
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.custom_gradient(lambda x: (x * x * x, lambda dy: dy * 3 * x * x))(x)
        dy = inner.gradient(y, x, output_gradients=u)
    assert dy.numpy() == 60.0
    assert [g.numpy() for g in outer.gradient(dy, [x, u])] == [60.0, 12.0]


def test_third_order():
    cube = tf.custom_gradient(lambda x: (x * x * x, lambda dy: dy * 3 * x * x))
    x = tf.constant(2.0)
    with tf.GradientTape() as first:
        first.watch(x)
        with tf.GradientTape() as second:
            second.watch(x)
            with tf.GradientTape() as third:
                third.watch(x)
                y = cube(x)
            dy = third.gradient(y, x)
        ddy = second.gradient(dy, x)
    assert (ddy.numpy(), first.gradient(ddy, x).numpy()) == (12.0, 6.0)


def test_second_order_through_what_the_function_computed():
    @tf.custom_gradient
    def exponential(x):
        y = tf.exp(x)
        return y, lambda dy: dy * y

    x = tf.constant(2.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = exponential(x)
        dy = inner.gradient(y, x)
    np.testing.assert_allclose(outer.gradient(dy, x), np.exp(2.0), rtol=1e-6)


def test_a_custom_gradient_of_the_gradient():
    @tf.custom_gradient
    def square_with_own_second_order(x):
        def gradient(dy):
            @tf.custom_gradient
            def inner(dy, x):
                return dy * x * 3, lambda ddy: (ddy * 100.0, ddy * 1000.0)

            return inner(dy, x)

        return x * x, gradient

    x, u = tf.constant(2.0), tf.constant(5.0)
    with tf.GradientTape() as outer:
        outer.watch([x, u])
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = square_with_own_second_order(x)
        dy = inner.gradient(y, x, output_gradients=u)
    assert dy.numpy() == 30.0
    assert [g.numpy() for g in outer.gradient(dy, [x, u])] == [1000.0, 100.0]
