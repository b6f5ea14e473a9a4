"""`tf.debugging`: what passes, what is refused with which class (TensorFlow's), and in which words (ours)."""

import numpy as np
import pytest

import tapegrad as tf

debugging = tf.debugging
INF, NAN = float("inf"), float("nan")
InvalidArgumentError = tf.errors.InvalidArgumentError


def message_of(error, function, *arguments, **keywords):
    with pytest.raises(error) as caught:
        function(*arguments, **keywords)
    return str(caught.value)


@pytest.mark.parametrize(
    ("function", "x", "y"),
    [
        (debugging.assert_equal, [1, 2], [1, 2]),
        (debugging.assert_equal, [], []),
        (debugging.assert_equal, [2, 2], 2),
        (debugging.assert_equal, "a", b"a"),
        (debugging.assert_equal, ["a", "b"], ["a", "b"]),
        (debugging.assert_equal, True, True),
        (debugging.assert_equal, 1j, 1j),
        (debugging.assert_equal, None, None),
        (debugging.assert_equal, np.array([1, 2]), np.array([1, 2])),
        (debugging.assert_none_equal, [1, 2], [2, 1]),
        (debugging.assert_less, [1, 2], [2, 3]),
        (debugging.assert_less_equal, [1, 2], [1, 3]),
        (debugging.assert_greater, [3, 4], 2),
        (debugging.assert_greater_equal, [2, 4], 2),
        (debugging.assert_near, 1.0, 1.0 + 1e-6),
        (debugging.assert_near, [], []),
        (debugging.assert_near, [1.0, 1.0], 1.0),
        (debugging.assert_near, 1 + 1j, 1 + 1j),
    ],
)
def test_comparisons_that_hold(function, x, y):
    assert function(x, y) is None


@pytest.mark.parametrize(
    ("function", "x", "y"),
    [
        (debugging.assert_equal, [1, 2], [1, 3]),
        (debugging.assert_equal, ["a", "b"], ["a", "c"]),
        (debugging.assert_equal, [[1], [2]], [1, 2]),
        (debugging.assert_equal, NAN, NAN),
        (debugging.assert_none_equal, [1, 2], [3, 2]),
        (debugging.assert_less, [1, 2], [2, 2]),
        (debugging.assert_less, [1.0, NAN], [2.0, 2.0]),
        (debugging.assert_less_equal, [1, 4], [2, 2]),
        (debugging.assert_greater, [1, 4], [2, 2]),
        (debugging.assert_greater_equal, [1, 4], [2, 2]),
        (debugging.assert_near, [1.0, 2.0], [1.0, 2.1]),
        (debugging.assert_near, NAN, NAN),
        (debugging.assert_near, INF, INF),
        # Dtypes and shapes that do not fit together.
        (debugging.assert_equal, [1, 2, 3], [1, 2]),
        (debugging.assert_equal, tf.constant([1, 2]), tf.constant([1.0, 2.0])),
        (debugging.assert_less, True, False),
        (debugging.assert_less, "a", "b"),
        (debugging.assert_near, [1.0, 2.0], [1.0, 2.0, 3.0]),
    ],
)
def test_comparisons_that_do_not_hold(function, x, y):
    with pytest.raises(InvalidArgumentError):
        function(x, y)


def test_none_equals_none_only():
    with pytest.raises(ValueError, match="None"):
        debugging.assert_equal(1, None)


def test_what_a_comparison_says():
    assert message_of(
        InvalidArgumentError, debugging.assert_equal, [1, 2], [1, 3], message="labels"
    ) == (
        "labels\nCondition x == y did not hold element-wise in 1 of 2 places:\n  at [1]: x = 2, y = 3"
    )
    assert message_of(InvalidArgumentError, debugging.assert_less, 2.5, 1.0) == (
        "Condition x < y did not hold element-wise in 1 of 1 places:\n  x = 2.5, y = 1.0"
    )
    assert message_of(InvalidArgumentError, debugging.assert_equal, tf.range(20), 0) == (
        "Condition x == y did not hold element-wise in 19 of 20 places:\n"
        "  at [1]: x = 1, y = 0\n  at [2]: x = 2, y = 0\n  at [3]: x = 3, y = 0\n  ..."
    )
    one = message_of(InvalidArgumentError, debugging.assert_equal, tf.range(20), 0, summarize=1)
    assert one.endswith("places:\n  at [1]: x = 1, y = 0\n  ...")
    every = message_of(InvalidArgumentError, debugging.assert_equal, tf.range(20), 0, summarize=-1)
    assert every.count("\n") == 19
    matrix = message_of(InvalidArgumentError, debugging.assert_equal, [[1, 2]], [[1], [2]])
    assert matrix.splitlines()[1:] == ["  at [0, 1]: x = 2, y = 1", "  at [1, 0]: x = 1, y = 2"]


@pytest.mark.parametrize(
    ("function", "passes", "fails", "sign"),
    [
        (debugging.assert_positive, [1, 2], [1, 0], ">"),
        (debugging.assert_positive, [1.0], [NAN], ">"),
        (debugging.assert_negative, [-1, -2], [-1, 0], "<"),
        (debugging.assert_non_negative, [1, 0], [-1, 0], ">="),
        (debugging.assert_non_positive, [-1, 0], [1, 0], "<="),
    ],
)
def test_signs(function, passes, fails, sign):
    assert function(passes) is None
    assert function([]) is None
    message = message_of(InvalidArgumentError, function, fails, message="m")
    assert message.startswith(
        f"m\nCondition x {sign} 0 did not hold element-wise in 1 of {len(fails)} places:\n  at ["
    )


def test_signs_of_all_numbers():
    debugging.assert_positive(tf.constant([1, 2], tf.uint8))
    debugging.assert_non_negative(tf.constant([0, 2], tf.uint8))
    debugging.assert_positive(tf.Variable([1.0]))
    debugging.assert_positive(np.array([1.0], np.float16))
    for values in ("a", [True]):
        with pytest.raises(TypeError):
            debugging.assert_non_positive(values)


def test_near():
    near = debugging.assert_near
    near([1.0, 2.0], [1.0, 2.1], rtol=0.1)
    near([1.0, 2.0], [1.0, 2.1], atol=0.2)
    near(1.0, 2.0, rtol=0.45, atol=0.11)
    near(2.0, 1.0, rtol=0.9, atol=0.11)
    near(tf.constant(1.0, tf.float16), tf.constant(1.005, tf.float16))
    near(tf.constant(1.0, tf.float64), 1.0 + 1e-15)
    near([1.0, 2.0], [1.0, 2.1], rtol=tf.constant(0.1))
    # Strictly less, so that equal numbers are not near with no tolerance.
    for x, y, rtol, atol in [(1.0, 1.0, 0.0, 0.0), (1.0, 1.5, 0.0, 0.5), (2.0, 1.0, 0.9, 0.05)]:
        with pytest.raises(InvalidArgumentError):
            near(x, y, rtol=rtol, atol=atol)
    with pytest.raises(InvalidArgumentError, match="x and y differ by more than rtol ="):
        near(tf.constant(1.0, tf.float64), tf.constant(1.0 + 1e-14, tf.float64))
    with pytest.raises(
        ValueError, match="compares floating-point or complex numbers; x is of int32"
    ):
        near(1, 1)
    with pytest.raises((ValueError, TypeError), match="Tensor conversion requested dtype"):
        near(tf.constant(1.0, tf.float64), tf.constant(1.0))
    near(
        tf.constant(1.0, tf.bfloat16), tf.constant(1.0, tf.bfloat16)
    )  # TensorFlow refuses bfloat16
    assert message_of(InvalidArgumentError, near, [1.0, 2.0], [1.0, 2.5], message="z") == (
        "z\nx and y differ by more than rtol = 1.19e-06, atol = 1.19e-06 allow in 1 of 2 places:\n"
        "  at [1]: x = 2.0, y = 2.5"
    )


def test_ranks():
    debugging.assert_rank([1, 2], 1)
    debugging.assert_rank(tf.Variable([1.0]), tf.constant(1))
    debugging.assert_rank(np.ones([2, 2]), 2)
    debugging.assert_rank("a", 0)
    debugging.assert_rank_at_least([1, 2], 1)
    debugging.assert_rank_at_least(3, -1)
    debugging.assert_rank_in([1, 2], (0, 1))
    debugging.assert_rank_in([1, 2], (tf.constant(0), 1))
    debugging.assert_scalar(1)
    debugging.assert_scalar("a")
    assert message_of(ValueError, debugging.assert_rank, [1, 2], 2) == (
        "A tensor of rank 2 was expected; one of shape (2,) came."
    )
    assert message_of(ValueError, debugging.assert_rank_at_least, [1, 2], 2, message="m") == (
        "m: A tensor of rank 2 or more was expected; one of shape (2,) came."
    )
    assert message_of(ValueError, debugging.assert_rank_in, [1, 2], (0, 2)) == (
        "A tensor with a rank among (0, 2) was expected; one of shape (2,) came."
    )
    assert message_of(ValueError, debugging.assert_scalar, [1]) == (
        "A scalar was expected; one of shape (1,) came."
    )
    for rank in (2.0, "a"):
        with pytest.raises(TypeError, match="A rank must be an integer"):
            debugging.assert_rank([1, 2], rank)
    with pytest.raises(ValueError, match="A rank must be one number"):
        debugging.assert_rank([1, 2], [1])
    with pytest.raises(TypeError):
        debugging.assert_rank_in([1, 2], 1)
    with pytest.raises(ValueError, match="None"):
        debugging.assert_rank(None, 1)


MATRIX = np.ones([2, 3], np.float32)


@pytest.mark.parametrize(
    "shapes",
    [
        [],
        [(MATRIX, ("N", "M")), (np.ones(3), ("M",))],
        [(MATRIX, ("N", 3))],
        [(MATRIX, (2, None))],
        [(MATRIX, (".", "3"))],
        [(MATRIX, "NM")],
        [(MATRIX, (np.int64(2), "N"))],
        [(MATRIX, ("*", "M"))],
        [(MATRIX, ("...", 2, 3))],
        [(MATRIX, [..., 2, 3])],
        [(np.ones([5, 1, 1, 1]), [..., "N"]), (np.ones([2, 1]), (..., "M", "N"))],
        [(3.0, [...]), (3.0, [..., 1])],
        [(MATRIX, None)],
        [(MATRIX, ("*", "3")), (np.ones(2), ("N",))],
        [(np.ones([2, 2]), ("N", "N"))],
        [(3.0, ())],
        [(3.0, (1,))],
        [(3.0, ("*",))],
        [(3.0, ("*", "N"))],
        [(3.0, ("N",)), (np.ones(1), ("N",))],
        [(np.ones(2), [2])],
        [(np.ones(2), tf.TensorShape([2]))],
        {"a": ("N",)},
    ],
    ids=repr,
)
def test_shapes_that_fit(shapes):
    assert debugging.assert_shapes(shapes) is None


@pytest.mark.parametrize(
    "shapes",
    [
        [(MATRIX, ("N", "M")), (np.ones(4), ("M",))],
        [(MATRIX, ("N",))],
        [(MATRIX, "N")],
        [(MATRIX, ("N", 4))],
        [(MATRIX, ("...", "M")), (np.ones([1, 5, 4]), ("...", "M"))],
        [(MATRIX, ("*", "K", 7))],
        [(MATRIX, [..., "K", 7])],
        [(MATRIX, [2, ...])],
        [(MATRIX, (7, "K", "*"))],
        [(MATRIX, ("*", "*", "K"))],
        [(MATRIX, ("*", "A", "B", "C"))],
        [(MATRIX, ("N", "N"))],
        [(MATRIX, (3.0, "N"))],
        [(MATRIX, (True, "N"))],
        [(3.0, 1)],
        [(np.ones(2), 2)],
        [(3.0, ("N",)), (np.ones(2), ("N",))],
        [(np.ones(2), tf.TensorShape([3]))],
        [([1, 2], ("N",)), ([1, 2, 3], ("N",))],
    ],
    ids=repr,
)
def test_shapes_that_do_not_fit(shapes):
    with pytest.raises(ValueError):  # noqa: PT011
        debugging.assert_shapes(shapes)


def test_what_a_shape_says():
    shapes = [(MATRIX, ("N", "M")), (np.ones(4), ("M",))]
    assert message_of(ValueError, debugging.assert_shapes, shapes, message="mm") == (
        "mm: A tensor of shape (M) was expected, where M = 3 in the shape (2, 3); one of shape (4,) came."
    )
    assert message_of(ValueError, debugging.assert_shapes, [(MATRIX, [..., 1])]) == (
        "A tensor of shape (..., 1) was expected; one of shape (2, 3) came."
    )
    with pytest.raises(TypeError):
        debugging.assert_shapes(3)


def test_types():
    debugging.assert_type(tf.constant(1.0), tf.float32)
    debugging.assert_type([1.0], "float32")
    debugging.assert_type(tf.Variable(1.0), tf.float32)
    debugging.assert_integer(1)
    debugging.assert_integer(tf.constant(1, tf.uint8))
    assert message_of(TypeError, debugging.assert_type, 1.0, tf.int32, message="m") == (
        "m: A tensor of int32 was expected; one of float32 came."
    )
    assert message_of(TypeError, debugging.assert_integer, True) == (
        "A tensor of integers was expected; one of bool came."
    )
    with pytest.raises(TypeError, match=r"'foo' does not name a dtype\. Expected a tf\.DType, a"):
        debugging.assert_type(1, "foo")
    for value in (1.0, "a", []):
        with pytest.raises(TypeError):
            debugging.assert_integer(value)


def test_is_numeric_tensor():
    numeric = debugging.is_numeric_tensor
    for value in (1, 1.0, 1j):
        assert numeric(tf.constant(value))
    assert numeric(tf.constant(1, tf.uint8))
    for value in (tf.constant("a"), tf.constant(True), 3, np.ones(2), tf.Variable(1.0)):
        assert not numeric(value)


def test_same_float_dtype():
    same = debugging.assert_same_float_dtype
    one, double = tf.constant(1.0), tf.constant(2.0, tf.float64)
    assert same([one, tf.Variable(2.0), None]) is tf.float32
    assert same([double], "float64") is tf.float64
    assert same() is same([]) is same([None]) is tf.float32
    assert same(None, tf.float64) is tf.float64
    with pytest.raises(
        ValueError, match="Tensors of float32 were expected; number 1 is of float64"
    ):
        same([one, double])
    with pytest.raises(ValueError, match="number 0 is of float32"):
        same([one], tf.float64)
    with pytest.raises(ValueError, match="floating-point numbers were expected, not of int32"):
        same([tf.constant(1)])


def test_proper_iterables():
    # A variable is one in TensorFlow, a tensor is not.
    for values in ([1], (1,), {1}, {}, range(2), iter([1]), tf.Variable([1.0])):
        debugging.assert_proper_iterable(values)
    for values in (tf.constant([1]), "ab", b"a", np.ones(2), 3, None):
        with pytest.raises(TypeError, match="other collection was expected"):
            debugging.assert_proper_iterable(values)


def test_assert():
    for condition in (True, tf.constant(True), tf.constant(1), np.bool_(True), "a"):
        assert tf.Assert(condition, [1]) is None
    assert message_of(
        InvalidArgumentError, tf.Assert, False, [1, "a", tf.constant([1.0, 2.0])]
    ) == ("The asserted condition is False, not true. Data:\n  1\n  b'a'\n  1.0, 2.0")
    assert message_of(InvalidArgumentError, tf.Assert, tf.constant(False), [tf.range(10)]) == (
        "The asserted condition is False, not true. Data:\n  0, 1, 2, ..."
    )
    two = message_of(InvalidArgumentError, tf.Assert, False, [tf.range(10)], summarize=2)
    assert two.endswith("\n  0, 1, ...")
    every = message_of(InvalidArgumentError, tf.Assert, False, [tf.range(10)], summarize=-1)
    assert every.endswith("\n  0, 1, 2, 3, 4, 5, 6, 7, 8, 9")
    for condition in (None, [], np.bool_(False), tf.Variable(False), 0):
        with pytest.raises(InvalidArgumentError):
            tf.Assert(condition, [])
    for data in (3, tf.constant([1])):
        with pytest.raises(TypeError, match="must be a list of tensors"):
            tf.Assert(True, data)
    with pytest.raises(ValueError, match="truth value"):
        tf.Assert(tf.constant([True, False]), [1])


@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float32, tf.float64])
def test_check_numerics(dtype):
    fine = tf.constant([1.0, 2.0], dtype)
    checked = debugging.check_numerics(fine, "msg")
    np.testing.assert_array_equal(checked, fine)
    assert checked is not fine
    for values, found in [
        ([1.0, NAN], "msg : Tensor had NaN values (1 of 2, shape (2,))"),
        ([-INF, INF], "msg : Tensor had Inf values (2 of 2, shape (2,))"),
        ([[INF, NAN, 1.0]], "msg : Tensor had Inf and NaN values (2 of 3, shape (1, 3))"),
    ]:
        for function in (debugging.check_numerics, debugging.assert_all_finite):
            error = message_of(InvalidArgumentError, function, tf.constant(values, dtype), "msg")
            assert error.startswith(found)


def test_check_numerics_takes_real_floating_point():
    assert debugging.check_numerics(3.0, "msg").numpy() == 3.0
    assert debugging.check_numerics(tf.zeros([0]), "msg").shape == [0]
    for value in (3, tf.constant(3), tf.constant(1 + 1j), tf.constant("a")):
        with pytest.raises(InvalidArgumentError):
            debugging.check_numerics(value, "msg")
    with pytest.raises(TypeError, match="must be a string; 3 came, a int"):
        debugging.check_numerics(1.0, 3)


def test_check_numerics_checks_its_gradient():
    x = tf.Variable([0.0, 1.0])
    with tf.GradientTape() as tape:
        y = debugging.check_numerics(x, "hey") * 2.0
    np.testing.assert_array_equal(tape.gradient(y, x), [2.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.sqrt(debugging.check_numerics(x, "hey"))
    with pytest.raises(
        InvalidArgumentError, match=r"hey \(a gradient that arrives here\) : Tensor had Inf"
    ):
        tape.gradient(y, x)
