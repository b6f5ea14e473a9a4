"""Programs on matrices whose sizes change from call to call, drawn from tables: recorded equals eager.

    python tests/sized_programs.py --count 5000       # 5,000 programs; the exit status is 1 if one differs
    python tests/sized_programs.py --only 4711        # one of them again, then the smallest like it
    python tests/sized_programs.py --of-values        # sizes are cut from a larger matrix, as values say

A program is a list of steps, each of which is ``(name, operand)``: a line of arithmetic on the matrix, and
what it is combined with. The tables are `STEPS` and `OPERANDS`: a new entry is drawn from then on. The first
call of a program is recorded for its sizes, the second for open ones, and the others are replays, unless
Python decides by sizes.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import tapegrad as tf
from nested_programs import close

CALLS = 8
MOST = 400
"""How many elements a matrix has at most: a larger one is cut."""

Step = tuple[str, str]

# --- Operands: what is made of the matrix x, to be combined with it ---------------------------------


def rows_of(x: Any) -> Any:
    return tf.cast(tf.shape(x)[0], tf.float64)


OPERANDS: dict[str, Callable[[Any, Any], Any]] = {
    "itself": lambda x, v: x,
    "sine": lambda x, v: tf.sin(x),
    "sum of rows": lambda x, v: tf.reduce_sum(x, 0),
    "mean of columns": lambda x, v: tf.reduce_mean(x, 1, keepdims=True),
    "largest": lambda x, v: tf.reduce_max(x),
    "mean": lambda x, v: tf.reduce_mean(x),
    "number of rows": lambda x, v: rows_of(x),
    "number of rows in Python": lambda x, v: tf.constant(1.0, tf.float64) / x.shape[0],
    "number of elements": lambda x, v: 1.0 / tf.cast(tf.size(x), tf.float64),
    "zeros like it": lambda x, v: tf.zeros_like(x),
    "ones of its shape": lambda x, v: tf.ones(tf.shape(x), tf.float64),
    "zeros of its shape": lambda x, v: tf.zeros(x.shape, tf.float64),
    "numbers of rows": lambda x, v: tf.range(rows_of(x))[:, None] * 0.1,
    "numbers of columns": lambda x, v: tf.cast(tf.range(tf.shape(x)[1]), tf.float64),
    "filled": lambda x, v: tf.fill([x.shape[0], 1], tf.reduce_min(x)),
    "identity matrix": lambda x, v: tf.eye(tf.shape(x)[0], x.shape[1], dtype=tf.float64),
    "variable": lambda x, v: v,
    "square of variable": lambda x, v: v * v,
    "variable assigned": lambda x, v: v.assign(v * 0.9),
    "variable assigned by size": lambda x, v: v.assign_add(0.1) if x.shape[0] > 4 else v,
}

# --- Steps: of the matrix x and an operand c that is broadcast to it ----------------------------------------


def halved(x: Any, c: Any) -> Any:
    half = (x.shape[0] + 1) // 2
    return tf.concat([x[half:], x[:half] * 0.5], 0) + c


def tail(x: Any, c: Any) -> Any:
    return (x + c)[1:] if x.shape[0] > 2 else x * c


def rows_by_python(x: Any, c: Any) -> Any:
    total = tf.zeros_like(x[0])
    for row in range(min(x.shape[0], 3)):
        total += x[row] * float(row + 1)
    return x * c + total


def rows_by_loop(x: Any, c: Any) -> Any:
    def body(i: Any, total: Any) -> Any:
        return i + 1, total + x[i] ** 2

    return x * c + tf.while_loop(lambda i, _: i < tf.shape(x)[0], body, (0, tf.zeros_like(x[0])))[1]


def slope(x: Any, c: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_mean(tf.tanh(x * c) ** 2)
    return tape.gradient(y, x)


def slope_of_slope(x: Any, c: Any) -> Any:
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.sin(x) * c)
        z = tf.reduce_sum(inner.gradient(y, x) ** 2)
    return outer.gradient(z, x)


def jacobian(x: Any, c: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.tanh(x * c)[:3]
    return tf.reduce_sum(tape.jacobian(y, x), [0, 1])


def jacobian_by_columns(x: Any, c: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(c)
        y = tf.sin(x * c)
    matrix = tape.jacobian(y, c)
    return x if matrix is None else x * tf.reduce_mean(matrix)


def batch_jacobian(x: Any, c: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.exp(-x * x) * c + tf.cumsum(x, 1)
    return tf.reduce_sum(tape.batch_jacobian(y, x), 2)


def batch_hessian(x: Any, c: Any) -> Any:
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.sin(x * c) * x[:, :1], 1)
        z = inner.gradient(y, x)
    return tf.reduce_mean(outer.batch_jacobian(z, x), 1)


def hessian(x: Any, c: Any) -> Any:
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.tanh(x) ** 2 * c)
        z = inner.gradient(y, x)
    return tf.einsum("ijij->ij", outer.jacobian(z, x)) + x


def slopes_of_rows(x: Any, c: Any) -> Any:
    def of_row(row: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(row)
            y = tf.reduce_sum(tf.sin(row) * tf.roll(row, 1, 0))
        return tape.gradient(y, row)

    return tf.vectorized_map(of_row, x) * c


def mapped_pairs(x: Any, c: Any) -> Any:
    return tf.vectorized_map(
        lambda pair: tf.nn.softmax(pair[0]) * pair[1] + tf.reduce_max(pair[0]) + tf.reduce_sum(c),
        (x, x + 1.0),
    )


def mapped_maps(x: Any, c: Any) -> Any:
    def of_row(row: Any) -> Any:
        return tf.vectorized_map(lambda element: tf.sin(element) * tf.reduce_sum(row), row)

    return tf.vectorized_map(of_row, x) + c


def mapped_products(x: Any, c: Any) -> Any:
    def of_row(row: Any) -> Any:
        rows = tf.matmul(row[None, :], x, transpose_b=True)
        return tf.concat([tf.matmul(rows, x)[0], tf.zeros_like(row), row[::-1]], 0)

    return tf.vectorized_map(of_row, x)[:, : x.shape[1]] * c


def along_ways(x: Any, c: Any) -> Any:
    return tf.autodiff.vmap(lambda row, other: tf.tensordot(row, other, 1) * row)(x, x * c)


def masked(x: Any, c: Any) -> Any:
    some = tf.boolean_mask(x, tf.reduce_sum(x, 1) > 0.0)
    return x * c + tf.reduce_sum(some)


def segments(x: Any, c: Any) -> Any:
    numbers = tf.range(tf.shape(x)[0]) // 2
    sums = tf.math.unsorted_segment_sum(x, numbers, tf.shape(x)[0])
    return sums + c


def normalized(x: Any, c: Any) -> Any:
    mean, variance = tf.nn.moments(x, [0])
    return tf.nn.batch_normalization(x, mean, variance, None, None, 0.1) + c


def layer_normalized(x: Any, c: Any) -> Any:
    mean, variance = tf.nn.moments(x, [-1], keepdims=True)
    return (x - mean) * tf.math.rsqrt(variance + 0.1) * c


def forward(x: Any, c: Any) -> Any:
    with tf.autodiff.ForwardAccumulator(x, tf.cos(x)) as accumulator:
        y = tf.tanh(x * c) * tf.reduce_mean(x)
    return accumulator.jvp(y)


def tensor_array(x: Any, c: Any) -> Any:
    rows = tf.TensorArray(tf.float64, size=tf.shape(x)[0]).unstack(x)
    return rows.write(0, x[0] * 2.0).stack() + c


def ragged(x: Any, c: Any) -> Any:
    lengths = tf.fill([tf.shape(x)[0]], tf.shape(x)[1])
    return tf.RaggedTensor.from_row_lengths(tf.reshape(x, [-1]), lengths).to_tensor() * c


def custom_gradient(x: Any, c: Any) -> Any:
    @tf.custom_gradient
    def odd(z: Any) -> Any:
        return tf.sin(z), lambda dy: dy * 2.0

    return odd(x) * c


def lengths_of_texts(x: Any, c: Any) -> Any:
    texts = tf.as_string(tf.cast(x * 3.0, tf.int32))
    return tf.cast(tf.strings.length(texts), tf.float64) * x + c


def places(x: Any, c: Any) -> Any:
    columns, rows = tf.meshgrid(tf.range(tf.shape(x)[1]), tf.range(tf.shape(x)[0]))
    return x + tf.cast(columns * rows, tf.float64) * c


def growing(x: Any, c: Any) -> Any:
    def body(i: Any, z: Any) -> Any:
        return i + 1, tf.concat([z, z[:1]], 0)

    return tf.while_loop(lambda i, _: i < 2, body, (0, x * c))[1]


def checked(x: Any, c: Any) -> Any:
    tf.debugging.assert_equal(tf.shape(x)[0], x.shape[0])
    return tf.ensure_shape(x * c, [None, x.shape[1]])


STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "times": lambda x, c: x * c,
    "plus": lambda x, c: x + c,
    "tanh": lambda x, c: tf.tanh(x + c),
    "exp": lambda x, c: tf.exp(-x * x) * c,
    "divided": lambda x, c: x / (2.0 + c * c),
    "maximum": lambda x, c: tf.maximum(x, c),
    "chosen": lambda x, c: tf.where(x > c, x * c, tf.sin(x)),
    "transposed": lambda x, c: tf.transpose(x * c),
    "reversed": lambda x, c: (x + c)[::-1],
    "joined rows": lambda x, c: tf.concat([x, x * c], 0),
    "joined columns": lambda x, c: tf.concat([x * c, x], 1),
    "halved": halved,
    "tail": tail,
    "differences": lambda x, c: tf.pad((x + c)[1:] - x[:-1], [[1, 0], [0, 0]]),
    "flat": lambda x, c: tf.reshape(x * c, [-1, 1]),
    "other way round": lambda x, c: tf.reshape(x * c, [x.shape[1], x.shape[0]]),
    "by shape": lambda x, c: tf.reshape(x * c, tf.reverse(tf.shape(x), [0])),
    "one axis more": lambda x, c: tf.squeeze((x * c)[:, None, :] + 1.0, 1),
    "padded": lambda x, c: tf.pad(x * c, [[1, 0], [0, 1]]),
    "tiled": lambda x, c: tf.tile(x * c, [1, 2]),
    "repeated": lambda x, c: tf.repeat(x * c, 2, 0),
    "broadcast": lambda x, c: tf.broadcast_to(c, tf.shape(x)) * x,
    "by first column": lambda x, c: tf.gather(x + c, tf.argsort(x[:, 0])),
    "sorted": lambda x, c: tf.sort(x * c, 0),
    "cumulated": lambda x, c: tf.cumsum(x * c, 1),
    "softmax": lambda x, c: tf.nn.softmax(x + c),
    "product": lambda x, c: tf.matmul(x + c, x, transpose_b=True),
    "gram": lambda x, c: tf.matmul(x, x * c, transpose_a=True),
    "einsum": lambda x, c: tf.einsum("ij,kj->ik", x * c, x),
    "centred": lambda x, c: x - tf.reduce_mean(x, 0) + c,
    "normalized": normalized,
    "layer normalized": layer_normalized,
    "largest first": lambda x, c: tf.math.top_k(x * c, x.shape[1]).values,
    "one hot": lambda x, c: tf.one_hot(tf.argmax(x, 1), tf.shape(x)[1], dtype=tf.float64) * x + c,
    "masked": masked,
    "segments": segments,
    "columns": lambda x, c: tf.add_n([x * c, *[x * part[:, None] for part in tf.unstack(x[:, :1], axis=1)]]),
    "stacked": lambda x, c: tf.reduce_sum(tf.stack([x, x * c]), 0),
    "rows by Python": rows_by_python,
    "rows by a loop": rows_by_loop,
    "decided by elements": lambda x, c: x * c if tf.reduce_sum(x) > 0.0 else x + c,
    "decided by size": lambda x, c: x * c if x.shape[0] > 4 else x + c,
    "cond": lambda x, c: tf.cond(tf.reduce_sum(x) > 0.0, lambda: x + c, lambda: tf.sin(x)),
    "slope": slope,
    "slope of slope": slope_of_slope,
    "stopped": lambda x, c: x * tf.stop_gradient(c),
    "map_fn": lambda x, c: tf.map_fn(lambda row: row * tf.reduce_sum(row), x) + c,
    "vectorized_map": lambda x, c: tf.vectorized_map(lambda row: row * tf.reduce_sum(row), x) + c,
    "jacobian": jacobian,
    "jacobian by columns": jacobian_by_columns,
    "batch jacobian": batch_jacobian,
    "batch hessian": batch_hessian,
    "hessian": hessian,
    "slopes of rows": slopes_of_rows,
    "mapped pairs": mapped_pairs,
    "mapped maps": mapped_maps,
    "mapped products": mapped_products,
    "vmap": along_ways,
    "forward": forward,
    "TensorArray": tensor_array,
    "ragged": ragged,
    "sparse": lambda x, c: tf.sparse.to_dense(tf.sparse.from_dense(x)) * c,
    "custom_gradient": custom_gradient,
    "recompute_grad": lambda x, c: tf.recompute_grad(lambda z: tf.sin(z) * 2.0)(x) + c,
    "texts": lengths_of_texts,
    "places": places,
    "growing": growing,
    "checked": checked,
    "windows": lambda x, c: tf.nn.conv1d((x * c)[None], tf.ones([2, x.shape[1], 2], c.dtype), 1, "SAME")[0],
    "pooled": lambda x, c: tf.nn.max_pool1d(x[None], 2, 1, "SAME")[0] * c,
    "twice as high": lambda x, c: tf.cast(
        tf.image.resize((x + c)[:, :, None], [tf.shape(x)[0] * 2, x.shape[1]])[:, :, 0], tf.float64
    ),
    "scattered": lambda x, c: tf.tensor_scatter_nd_update(x, [[0]], [x[0] * 2.0]) + c,
    "rolled": lambda x, c: tf.roll(x * c, 1, 0),
    "drawn without state": lambda x, c: x + tf.random.stateless_normal(tf.shape(x), [1, 2], dtype=tf.float64),
    "parts": lambda x, c: tf.concat(tf.dynamic_partition(x * c, tf.cast(x[:, 0] > 0, tf.int32), 2), 0),
    "some rows": lambda x, c: tf.gather(x + c, tf.math.top_k(x[:, 0], k=tf.shape(x)[0] // 2 + 1).indices),
    "every other": lambda x, c: (x + c)[::2, ::-1],
    "last row": lambda x, c: x[-1:] * c if x.shape[0] > 1 else x,
    "distinct": lambda x, c: x * c + rows_of(tf.unique(tf.cast(x[:, 0] * 2.0, tf.int32)).y),
    "norms": lambda x, c: tf.linalg.normalize(x + c, axis=1)[0],
    "function": lambda x, c: tf.function(lambda z: tf.sin(z) * 2.0)(x) + c,
}  # fmt: skip

WAYS = ("values", "values", "gradient inside", "gradient inside", "gradient outside")
"""What is taken of a call."""


def drawn(number: int) -> tuple[list[Step], str, bool, bool]:
    """The program with that number, what is taken of it, whether it assigns, whether columns change too."""
    source = random.Random(number)
    steps = [
        (source.choice([*STEPS]), source.choice([*OPERANDS]))
        for _ in range(source.choice((1, 2, 3, 3, 4)))
    ]
    return steps, source.choice(WAYS), source.random() < 0.2, source.random() < 0.4


def whole(steps: list[Step], variable: Any, assigns: bool) -> Callable[[Any], Any]:
    def whole(x: Any) -> Any:
        for name, operand in steps:
            x = STEPS[name](x, OPERANDS[operand](x, variable))
            if x.shape[0] * x.shape[1] > MOST:
                x = x[:5, :5]
            x = x / tf.sqrt(2.0 + tf.reduce_sum(x * x))  # values stay small
        if assigns:
            variable.assign_add(tf.reduce_sum(x))
        return x

    return whole


def gradients(function: Any, x: Any, variable: Any) -> list[Any]:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return [y, *tape.gradient(y, [x, variable])]


def inputs(number: int, columns_change: bool) -> Iterator[Any]:
    source = np.random.RandomState(number % 1000)
    for _ in range(CALLS):
        rows, columns = source.randint(1, 8), source.randint(1, 6) if columns_change else 3
        yield tf.constant(source.uniform(-1.5, 1.5, (rows, columns)))


def answers(
    number: int, steps: list[Step], way: str, assigns: bool, columns_change: bool, make: Any
) -> list[list[Any]]:
    """What all calls give: values, derivatives, and the variable afterwards."""
    variable = tf.Variable(0.5, dtype=tf.float64)
    program = whole(steps, variable, assigns)
    if way == "gradient inside":
        called = make(lambda x: gradients(program, x, variable))
    elif way == "gradient outside":
        recorded = make(program)

        def called(x: Any) -> Any:
            return gradients(recorded, x, variable)
    else:
        recorded = make(program)

        def called(x: Any) -> Any:
            return [recorded(x)]

    found: list[list[Any]] = []
    for x in inputs(number, columns_change):
        try:
            results = [
                None if result is None else tf.convert_to_tensor(result).numpy()
                for result in called(x)
            ]
        except Exception as error:
            results = [f"{type(error).__name__}: {error}"]
        found.append([*results, variable.numpy()])
    return found


def cut_by_values(number: int, record: Callable[..., Any]) -> Callable[..., Any]:
    """What makes of a function one that gets a larger matrix, and cuts the argument from it as values say."""

    def make(function: Callable[..., Any]) -> Callable[[Any], Any]:
        def cut(x: Any, rows: Any, columns: Any, flags: Any, column_flags: Any) -> Any:
            if number % 2:
                return function(x[:rows, :columns])
            return function(tf.boolean_mask(tf.boolean_mask(x, flags), column_flags, axis=1))

        recorded = record(cut)

        def called(x: Any) -> Any:
            rows, columns = x.shape
            larger = tf.pad(x, [[0, 8 - rows], [0, 6 - columns]])
            counts = tf.constant(rows), tf.constant(columns)
            return recorded(larger, *counts, tf.range(8) < rows, tf.range(6) < columns)

        return called

    return make


def difference(
    number: int,
    steps: list[Step],
    way: str,
    assigns: bool,
    columns_change: bool,
    of_values: bool = False,
) -> str | None:
    """How the recorded program differs from the eager one; None where it does not."""
    arguments = (number, steps, way, assigns, columns_change)
    if of_values:
        wanted = answers(*arguments, cut_by_values(number, lambda function: function))
        found = answers(*arguments, cut_by_values(number, tf.function))
    else:
        wanted = answers(*arguments, lambda function: lambda x: function(tf.identity(x)))
        found = answers(*arguments, with_signature if number % 3 == 0 else tf.function)
    for call, (one, other) in enumerate(zip(wanted, found, strict=True)):
        for place, (right, came) in enumerate(zip(one, other, strict=False)):
            if isinstance(right, str) or isinstance(came, str):
                if isinstance(right, str) != isinstance(came, str):
                    return f"call {call}: eagerly {right}, recorded {came}"
                break
            # Gradients from outside are added up in another order; all else is the same to the bit.
            same = close if way == "gradient outside" else identical
            if not same(right, came):
                return f"call {call}, result {place}: eagerly {right}, recorded {came}"
    return None


def with_signature(function: Callable[..., Any]) -> Any:
    """``function`` recorded, with sizes that are open from the first call."""
    return tf.function(function, input_signature=[tf.TensorSpec([None, None], tf.float64)])


def identical(right: Any, came: Any) -> bool:
    if right is None or came is None:
        return right is came
    return bool(right.shape == came.shape and np.array_equal(right, came, equal_nan=True))


def smallest(number: int, steps: list[Step], *rest: Any) -> list[Step]:
    """The smallest program below ``steps`` that still differs."""
    for place, (name, operand) in enumerate(steps):
        before, after = steps[:place], steps[place + 1 :]
        simpler = [[*before, ("times", operand), *after], [*before, (name, "itself"), *after]]
        for less in ([before + after] if len(steps) > 1 else []) + simpler:
            if less != steps and difference(number, less, *rest) is not None:
                return smallest(number, less, *rest)
    return steps


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--count", type=int, default=500, help="how many programs")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
    parser.add_argument("--only", type=int, help="this program alone, made as small as can be")
    parser.add_argument("--of-values", action="store_true", help="sizes that values decide")
    options = parser.parse_args()
    tf.get_logger().setLevel("ERROR")
    if options.only is not None:
        program = (*drawn(options.only), options.of_values)
        text = difference(options.only, *program)
        print(program, text, sep="\n")
        if text is None:
            return 0
        least = smallest(options.only, *program)
        print("smallest:", least, difference(options.only, least, *program[1:]), sep="\n")
        return 1
    wrong = 0
    for number in range(options.first, options.first + options.count):
        text = difference(number, *drawn(number), options.of_values)
        if text is not None:
            wrong += 1
            print(f"program {number}: {text}", flush=True)
    print(f"{options.count} programs from number {options.first}: {wrong} differ")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
