"""Programs with `vectorized_map` and Jacobians, written against a namespace. TensorFlow's answers are kept.

For an error the names of its classes are recorded.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

Program = Callable[[Any], Any]


def mapped(fn: Any, *elems: Any, **options: Any) -> Program:
    """A program that maps ``fn(tf, item)`` over constants."""

    def program(tf: Any) -> Any:
        tensors = [tf.constant(value) for value in elems]
        whole = tensors[0] if len(tensors) == 1 else tuple(tensors)
        return tf.vectorized_map(lambda item: fn(tf, item), whole, **options)

    return program


def own_gradient(tf: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.sin(x) * x)
    return tape.gradient(y, x)


def own_jacobian(tf: Any, x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.tanh(x) * x[0]
    return tape.jacobian(y, x)


def of_captured(tf: Any) -> Any:
    w = tf.Variable([1.0, 2.0, 3.0])

    def fn(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.exp(x * w))
        return tape.gradient(y, w)

    return tf.vectorized_map(fn, tf.constant([0.1, 0.2]))


def around(tf: Any) -> Any:
    w, x = tf.Variable([1.0, 2.0, 3.0]), tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.vectorized_map(lambda row: tf.sin(row * w) + w, x)
    return tape.gradient(y, [w, x])


def twice_around(tf: Any) -> Any:
    w = tf.Variable([1.0, 2.0])
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            y = tf.vectorized_map(lambda x: tf.reduce_sum(w**3 * x), tf.constant([1.0, 2.0, 3.0]))
        first = inner.gradient(y, w)
    return [first, outer.gradient(first, w)]


def within_and_around(tf: Any) -> Any:
    w, x = tf.Variable([1.0, 2.0]), tf.constant([[1.0, 2.0], [3.0, 4.0]])

    def fn(row: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(row)
            y = tf.reduce_sum(tf.sin(row) * w * row)
        return tape.gradient(y, row)

    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.vectorized_map(fn, x)
    return tape.gradient(y, [w, x])


def jacobian_of(function: Any, *values: Any, **options: Any) -> Program:
    def program(tf: Any) -> Any:
        tensors = [tf.constant(value) for value in values]
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(tensors)
            y = function(tf, *tensors)
        return tape.jacobian(y, tensors, **options)

    return program


def batch_jacobian_of(function: Any, value: Any, **options: Any) -> Program:
    def program(tf: Any) -> Any:
        x = tf.constant(value)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = function(tf, x)
        return tape.batch_jacobian(y, x, **options)

    return program


def chosen(function: Any, *values: Any) -> Program:
    """Results and gradients of a map whose items go different ways, without a loop."""

    def program(tf: Any) -> Any:
        x = tf.constant(values[0] if values else [0.5, -1.5, 2.0, 0.25])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.vectorized_map(lambda item: function(tf, item), x, fallback_to_while_loop=False)
        return y, tape.gradient(y, x)

    return program


def doubled(tf: Any, x: Any, **options: Any) -> Any:
    """Doubled until it is above 10: the items need different numbers of steps."""
    return tf.while_loop(
        lambda i, y: y < 10.0, lambda i, y: (i + 1, tf.abs(y) * 2.0), [0, x], **options
    )[1]


MATRIX = [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]
VECTOR = [0.5, -1.5, 2.0]

PROGRAMS: dict[str, Program] = {
    "square": mapped(lambda tf, x: x * x, VECTOR),
    "rows": mapped(lambda tf, x: tf.reduce_sum(x), MATRIX),
    "several results": mapped(lambda tf, x: {"a": x, "b": [x + 1.0, (x[0],)]}, MATRIX),
    "a nest": mapped(lambda tf, x: x[0] * x[1], VECTOR, MATRIX),
    "the same for all": mapped(lambda tf, x: tf.constant([1.0, 2.0]), VECTOR),
    "Python numbers": mapped(lambda tf, x: (3.0, 2), VECTOR),
    "None": mapped(lambda tf, x: None, VECTOR),
    "length 1": mapped(lambda tf, x: x[0] + x[1], VECTOR, [10.0]),
    "lengths differ": mapped(lambda tf, x: x[0] + x[1], VECTOR, [10.0, 20.0]),
    "length 0 and 1": mapped(lambda tf, x: x[0] + x[1], [], [10.0]),
    "no items": mapped(lambda tf, x: x * 2.0, [[], []]),
    "a scalar": mapped(lambda tf, x: x, 1.0),
    "a scalar beside a vector": mapped(lambda tf, x: x[0], VECTOR, 1.0),
    "no tensors": lambda tf: tf.vectorized_map(lambda x: x, ()),
    "no function": lambda tf: tf.vectorized_map(3, tf.constant(VECTOR)),
    "elems None": lambda tf: tf.vectorized_map(lambda x: 1.0, None),
    "a list of scalars": lambda tf: tf.vectorized_map(lambda x: x, [1.0, 2.0]),
    "a variable": lambda tf: tf.vectorized_map(lambda x: x * 2.0, tf.Variable(VECTOR)),
    "strings": mapped(lambda tf, x: tf.strings.join([x, "!"]), ["a", "b"]),
    "gather": mapped(lambda tf, x: tf.gather([10, 20, 30], x), [2, 0]),
    "comparison": mapped(lambda tf, x: x > 0, VECTOR),
    "half precision": lambda tf: tf.vectorized_map(tf.reduce_sum, tf.ones([2, 3], tf.float16)),
    "nested maps": mapped(lambda tf, x: tf.vectorized_map(lambda y: y * x[0], x), MATRIX),
    "unique": mapped(lambda tf, x: tf.unique(x)[0], [[2, 3], [0, 1]]),
    "TensorArray": mapped(
        lambda tf, x: tf.TensorArray(tf.float32, 2).write(0, x).write(1, x * 2.0).stack(), VECTOR
    ),
    "matmul": mapped(lambda tf, x: tf.matmul(x, x, transpose_b=True), [MATRIX, MATRIX]),
    "shapes that do not fit": mapped(lambda tf, x: tf.reshape(x, [4]), MATRIX),
    "conv": lambda tf: tf.vectorized_map(
        lambda x: tf.nn.conv2d(x, tf.ones([2, 2, 1, 1]), 1, "VALID"),
        tf.reshape(tf.range(32.0), [2, 1, 4, 4, 1]),
    ),
    "tape within": lambda tf: tf.vectorized_map(lambda x: own_gradient(tf, x), tf.constant(MATRIX)),
    "jacobian within": lambda tf: tf.vectorized_map(
        lambda x: own_jacobian(tf, x), tf.constant(MATRIX)
    ),
    "gradient by what is captured": of_captured,
    "tape around": around,
    "two tapes around": twice_around,
    "tapes within and around": within_and_around,
    "custom gradient": lambda tf: tf.vectorized_map(
        lambda x: tf.custom_gradient(lambda y: (y * 2.0, lambda dy: dy * 5.0))(x),
        tf.constant(VECTOR),
    ),
    "stateless draws": mapped(lambda tf, x: x + tf.random.stateless_normal([2], [1, 2]), VECTOR),
    "py_function": mapped(lambda tf, x: tf.py_function(lambda y: y * 2.0, [x], tf.float32), VECTOR),
    "sparse elems": lambda tf: tf.vectorized_map(
        lambda x: x, tf.sparse.from_dense([[1.0, 2.0], [0.0, 4.0]])
    ),
    "IndexedSlices": lambda tf: tf.vectorized_map(
        lambda x: x, tf.IndexedSlices(tf.constant(MATRIX), tf.constant([0, 1, 2]))
    ),
    "if, without fallback": mapped(
        lambda tf, x: x if x > 0.0 else -x, VECTOR, fallback_to_while_loop=False
    ),
    "float, without fallback": mapped(lambda tf, x: float(x), VECTOR, fallback_to_while_loop=False),
    "no rule, without fallback": mapped(
        lambda tf, x: tf.reduce_sum(tf.where(x > 0)), MATRIX, fallback_to_while_loop=False
    ),
    "py_function, without fallback": mapped(
        lambda tf, x: tf.py_function(lambda y: y * 2.0, [x], tf.float32),
        VECTOR,
        fallback_to_while_loop=False,
    ),
    "cond": chosen(lambda tf, x: tf.cond(x > 0.0, lambda: x * x, lambda: -3.0 * x)),
    "cond of nests": chosen(
        lambda tf, x: tf.cond(x > 0.0, lambda: (x * x, {"a": x}), lambda: (-x, {"a": x * 2.0}))
    ),
    "cond of what is not finite elsewhere": chosen(
        lambda tf, x: tf.cond(x > 0.0, lambda: tf.sqrt(x), lambda: tf.zeros([]))
    ),
    "cond of constants": chosen(lambda tf, x: tf.cond(x > 0.0, lambda: 1.0, lambda: 2.0) * x),
    "cond that all items answer alike": chosen(
        lambda tf, x: tf.cond(x > -9.0, lambda: x * x, lambda: x)
    ),
    "while_loop": chosen(doubled),
    "while_loop with a limit": chosen(lambda tf, x: doubled(tf, x, maximum_iterations=2)),
    "while_loop that all items leave at once": chosen(
        lambda tf, x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * x), [0, 1.0])[1]
    ),
    "case": chosen(
        lambda tf, x: tf.case(
            [(x > 1.0, lambda: x * 10.0), (x < 0.0, lambda: x * 100.0)], default=lambda: x
        )
    ),
    "map_fn": chosen(lambda tf, x: tf.map_fn(lambda y: y * y, x), MATRIX),
    "map_fn of a cond": chosen(
        lambda tf, x: tf.map_fn(lambda y: tf.cond(y > 2.0, lambda: y * y, lambda: -y), x), MATRIX
    ),
    "scan": chosen(lambda tf, x: tf.scan(lambda a, y: a * 2.0 + y * y, x), MATRIX),
    "foldl": chosen(lambda tf, x: tf.foldl(lambda a, y: a * 2.0 + y * y, x), MATRIX),
    "jacobian": jacobian_of(lambda tf, x, y: tf.sin(x) * tf.reduce_sum(y), VECTOR, MATRIX),
    "jacobian, unconnected": jacobian_of(lambda tf, x, y: tf.sin(x), VECTOR, MATRIX),
    "jacobian, unconnected zero": jacobian_of(
        lambda tf, x, y: tf.sin(x), VECTOR, MATRIX, unconnected_gradients="zero"
    ),
    "jacobian in chunks": jacobian_of(
        lambda tf, x: tf.sin(x) * x[0], VECTOR, parallel_iterations=2
    ),
    "jacobian without pfor": jacobian_of(
        lambda tf, x: tf.sin(x) * x[0], VECTOR, experimental_use_pfor=False
    ),
    "jacobian of a scalar": jacobian_of(lambda tf, x: tf.reduce_sum(x * x), VECTOR),
    "jacobian by a scalar": jacobian_of(lambda tf, x: x * [1.0, 2.0], 2.0),
    "jacobian of nothing": jacobian_of(lambda tf, x: x[:0] * 2.0, VECTOR),
    "jacobian of a gather": jacobian_of(lambda tf, x: tf.gather(x, [2, 0, 2]), VECTOR),
    "jacobian of complex": jacobian_of(lambda tf, x: tf.complex(x, x * x) * (1.0 + 2.0j), VECTOR),
    "jacobian of matrices": jacobian_of(lambda tf, x: tf.matmul(x, x, transpose_b=True), MATRIX),
    "jacobian of a sort": jacobian_of(lambda tf, x: tf.sort(x) * x, VECTOR),
    "jacobian of a sum over branches": jacobian_of(
        lambda tf, x: tf.where(x > 0.0, x * x, tf.exp(x)), VECTOR
    ),
    "batch jacobian": batch_jacobian_of(
        lambda tf, x: x * tf.reduce_sum(x, 1, keepdims=True), MATRIX
    ),
    "batch jacobian in chunks": batch_jacobian_of(
        lambda tf, x: x * tf.reduce_sum(x, 1, keepdims=True), MATRIX, parallel_iterations=2
    ),
    "one iteration with pfor": jacobian_of(lambda tf, x: x * x, VECTOR, parallel_iterations=1),
    "no iteration": jacobian_of(lambda tf, x: x * x, VECTOR, parallel_iterations=0),
    "one iteration without pfor": jacobian_of(
        lambda tf, x: x * x, VECTOR, parallel_iterations=1, experimental_use_pfor=False
    ),
    "batch jacobian, unconnected": batch_jacobian_of(
        lambda tf, x: tf.constant(MATRIX) * 2.0, MATRIX, unconnected_gradients="zero"
    ),
    "batch jacobian of vectors": batch_jacobian_of(lambda tf, x: x, VECTOR),
    "batch jacobian, lengths differ": batch_jacobian_of(lambda tf, x: x[:2], MATRIX),
}
