"""Programs that Hypothesis draws, recorded and run eagerly: results and variables agree to the bit.

A program is a list of statements over a few tensors and variables: arithmetic, branches and loops that
depend on values, assignments, draws, calls of other recorded functions, and tapes.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tapegrad as tf

NAMES = st.integers(0, 3)
NUMBERS = st.sampled_from([-2.0, -0.5, 0.0, 0.5, 1.0, 1.5, 3.0])
BINARY = {
    "add": lambda a, b: a + b,
    "multiply": lambda a, b: a * b,
    "subtract": lambda a, b: a - b,
    "maximum": tf.maximum,
    "where": lambda a, b: tf.where(a > b, a, b * 0.5),
}
UNARY = {
    "tanh": tf.tanh,
    "softmax": tf.nn.softmax,
    "mean": lambda a: tf.reduce_mean(a) + tf.zeros_like(a),
    "reverse": lambda a: a[::-1],
    "sort": tf.sort,
    "matmul": lambda a: tf.squeeze(tf.reshape(a, [1, -1]) @ tf.reshape(a, [-1, 1])) * 0.1 + a,
    "power": lambda a: (tf.abs(a[0]) + 0.5) ** 2.0 * a**2.0,
    "scalars": lambda a: tf.sigmoid(tf.reduce_max(a)) ** tf.constant(3.0) + tf.exp(-tf.abs(a)),
    "logarithm": lambda a: tf.math.log(tf.abs(a) + 0.1) / 3.0,
    "rows": lambda a: tf.reshape(tf.reshape(a, [-1, 1]) * tf.ones([1, 2]), [-1])[::2] + a[:1],
    "masked": lambda a: tf.reduce_sum(tf.boolean_mask(a, a > 0)) + a * 0.5,
    "gathered": lambda a: tf.gather(a, tf.argmax(a)) + a,
    "shape": lambda a: a * tf.cast(tf.shape(a)[0], a.dtype),
    "copied": lambda a: tf.identity(a),
}

SIMPLE = st.one_of(
    st.tuples(st.just("binary"), NAMES, st.sampled_from(sorted(BINARY)), NAMES, NAMES),
    st.tuples(st.just("unary"), NAMES, st.sampled_from(sorted(UNARY)), NAMES),
    st.tuples(st.just("number"), NAMES, NAMES, NUMBERS),
    st.tuples(st.just("assign"), st.integers(0, 1), st.sampled_from(["", "_add", "_sub"]), NAMES),
    st.tuples(st.just("scatter"), st.integers(0, 1), NAMES),
    st.tuples(st.just("read"), NAMES, st.integers(0, 1)),
    st.tuples(st.just("draw"), NAMES, st.sampled_from([None, 3, 7])),
    st.tuples(st.just("python"), NAMES, NAMES),
    st.tuples(st.just("return"), NAMES, NUMBERS),
    st.tuples(st.just("raise"), NAMES, NUMBERS),
)
STATEMENTS = st.recursive(
    SIMPLE,
    lambda inner: st.one_of(
        st.tuples(
            st.just("if"), NAMES, NUMBERS, st.lists(inner, max_size=3), st.lists(inner, max_size=3)
        ),
        st.tuples(st.just("while"), NAMES, NUMBERS, st.lists(inner, max_size=2)),
        st.tuples(st.just("for"), st.integers(0, 3), st.lists(inner, max_size=2)),
        st.tuples(st.just("call"), NAMES, NAMES, st.lists(inner, max_size=3)),
        st.tuples(st.just("tape"), NAMES, NAMES, st.booleans(), st.lists(inner, max_size=3)),
        st.tuples(st.just("custom"), NAMES, NAMES),
        st.tuples(st.just("map"), NAMES, NAMES, st.lists(inner, max_size=3)),
        st.tuples(st.just("jacobian"), NAMES, NAMES, st.booleans(), st.lists(inner, max_size=3)),
        st.tuples(st.just("forward"), NAMES, NAMES, st.lists(inner, max_size=3)),
        st.tuples(st.just("try"), NAMES, st.booleans(), st.lists(inner, max_size=2)),
        st.tuples(st.just("array"), NAMES, NAMES, st.booleans(), st.lists(inner, max_size=2)),
        st.tuples(st.just("recursion"), NAMES, NAMES, st.lists(inner, max_size=2)),
        st.tuples(st.just("gradients"), NAMES, NAMES, st.lists(inner, max_size=2)),
        st.tuples(st.just("cond"), NAMES, NUMBERS, st.lists(inner, max_size=2)),
        st.tuples(st.just("method"), NAMES, NAMES, st.lists(inner, max_size=2)),
    ),
    max_leaves=12,
)


def unrecorded(python_function: Any) -> Any:
    """The function as Python at every call. Its random ops are numbered as those of a function."""
    function = tf.function(python_function)
    return lambda *args: function._run(args, {})


ROWS = 20  # that are mapped over, at most


def scaled(inside: Any, variables: Any, functions: Any) -> Any:
    """A function with an argument of Python, of which there is a recording for each value."""

    def call(x: Any, scale: float) -> Any:
        own = [x * scale, x, x - scale, -x]
        with suppress(Returned):
            execute(inside, own, variables, functions)
        return tf.stack(own[:2])[0]

    return call


class Returned(Exception):
    """A statement ``return``, on its way out of the program."""


class Raised(Exception):
    """An error of the user's, which leaves the function."""


def execute(
    statements: Any, values: list[Any], variables: list[Any], functions: dict[int, Any]
) -> None:
    for statement in statements:
        kind, *parts = statement
        if kind == "binary":
            values[parts[0]] = BINARY[parts[1]](values[parts[2]], values[parts[3]])
        elif kind == "unary":
            values[parts[0]] = UNARY[parts[1]](values[parts[2]])
        elif kind == "number":
            values[parts[0]] = values[parts[1]] * parts[2]
        elif kind == "assign":
            getattr(variables[parts[0]], "assign" + parts[1])(values[parts[2]])
        elif kind == "scatter":
            rows = tf.IndexedSlices(values[parts[1]][:2], tf.constant([2, 0]))
            variables[parts[0]].scatter_add(rows)
        elif kind == "read":
            values[parts[0]] = variables[parts[1]] * 1.0
        elif kind == "draw":
            values[parts[0]] = tf.random.normal(values[0].shape, seed=parts[1])
        elif kind == "python":
            values[parts[0]] = tf.constant(np.round(values[parts[1]].numpy(), 0))
        elif kind == "return":
            if values[parts[0]][1] > parts[1]:
                raise Returned
        elif kind == "raise":
            if values[parts[0]][0] > parts[1]:
                raise Raised(parts[1])
        elif kind == "if":
            taken = 2 if tf.reduce_sum(values[parts[0]]) > parts[1] else 3
            execute(parts[taken], values, variables, functions)
        elif kind == "while":
            turns = tf.constant(0)
            while values[parts[0]][0] > parts[1] and turns < 3:
                execute(parts[2], values, variables, functions)
                turns += 1
        elif kind == "for":
            for i in tf.range(parts[0]):
                values[0] = values[0] + tf.cast(i, tf.float32)
                execute(parts[1], values, variables, functions)
        elif kind == "call":
            function = functions.get(id(statement))
            inside = parts[2]
            if function is None:

                def body(x: Any, inside: Any = inside) -> Any:
                    own = [x, x * 0.5, x + 1.0, -x]
                    with suppress(Returned):
                        execute(inside, own, variables, functions)
                    return own[0]

                function = functions[id(statement)] = functions["make"](body)
            values[parts[0]] = function(values[parts[1]])
        elif kind == "tape":
            with tf.GradientTape(persistent=parts[2]) as tape:
                tape.watch(values[parts[0]])
                source = values[parts[0]]
                execute(parts[3], values, variables, functions)
                target = tf.reduce_sum(values[parts[1]] ** 2)
            gradients = tape.gradient(target, [source, *variables])
            for gradient in gradients:
                if gradient is not None:
                    values[parts[1]] = values[parts[1]] + tf.convert_to_tensor(gradient)
        elif kind == "map":

            def row(pair: Any, inside: Any = parts[2]) -> Any:
                x, y = pair
                own = [x, y, x * y, x - y]
                with suppress(Returned):
                    execute(inside, own, variables, functions)
                return own[0]

            # Rows of three, so that statements find what they expect in each.
            rows = tf.reshape(values[parts[0]][: 3 * ROWS], [-1, 3])
            mapped = tf.vectorized_map(row, (rows, rows * 0.5 + values[parts[1]][:3]), warn=False)
            values[parts[1]] = values[parts[1]] + tf.reduce_sum(mapped)
        elif kind == "jacobian":
            source = values[parts[0]][:3]
            own = [source, source * 0.5, source + 1.0, -source]
            with tf.GradientTape(persistent=not parts[2]) as tape:
                tape.watch(source)
                own[0] = own[0] * source
                execute(parts[3], own, variables, functions)
                target = own[0]
            jacobian = tape.jacobian(target, source, experimental_use_pfor=parts[2])
            if jacobian is not None:
                values[parts[1]] = values[parts[1]] + tf.reduce_mean(jacobian)
        elif kind == "forward":
            primal = values[parts[0]]
            tangent = tf.reverse(values[parts[1]], [0])
            with tf.autodiff.ForwardAccumulator(primal, tangent) as accumulator:
                values[parts[0]] = tf.sin(primal)
                execute(parts[2], values, variables, functions)
            moved = accumulator.jvp(values[parts[1]])
            if moved is not None:
                values[parts[1]] = values[parts[1]] - moved
        elif kind == "try":
            try:
                execute(parts[2], values, variables, functions)
                if parts[1]:
                    values[parts[0]] = tf.debugging.check_numerics(
                        tf.math.log(values[parts[0]]), "program"
                    )
                elif tf.reduce_max(values[parts[0]]) > 1.5:
                    raise KeyError(parts[0])
            except (tf.errors.InvalidArgumentError, KeyError) as error:
                values[parts[0]] = values[parts[0]] * (2.0 if isinstance(error, KeyError) else 0.25)
        elif kind == "array":
            array = tf.TensorArray(tf.float32, 0, dynamic_size=True, clear_after_read=False)
            for turn in range(2):
                execute(parts[3], values, variables, functions)
                array = array.write(turn, values[parts[1]] + float(turn))
            if parts[2]:
                array = array.unstack(array.stack()[::-1] * 2.0)
            values[parts[0]] = array.read(0) + tf.reduce_sum(array.stack())
        elif kind == "recursion":

            def down(x: Any, depth: Any, inside: Any = parts[2], key: int = id(statement)) -> Any:
                own = [x, x * 0.5, x + 1.0, -x]
                with suppress(Returned):
                    execute(inside, own, variables, functions)
                if depth > 2 or x[0] > 1.0:
                    return own[0]
                return functions[key](own[0] + 0.5, depth + 1.0)

            again = functions.get(id(statement))
            if again is None:
                again = functions[id(statement)] = functions["make"](down)
            values[parts[0]] = again(values[parts[1]], tf.constant(0.0))
        elif kind == "gradients":

            def slope(x: Any, inside: Any = parts[2]) -> Any:
                own = [x, x * 0.5, x + 1.0, -x]
                with suppress(Returned):
                    execute(inside, own, variables, functions)
                (found,) = tf.gradients(own[0] * own[1], x)
                return x if found is None else found

            taken = functions.get(id(statement))
            if taken is None:
                taken = functions[id(statement)] = functions["make"](slope)
            values[parts[0]] = taken(values[parts[1]])
        elif kind == "cond":

            def inside_of(scale: float, inside: Any = parts[2]) -> Any:
                own = [each * scale for each in values]
                with suppress(Returned):
                    execute(inside, own, variables, functions)
                return own[0]

            values[parts[0]] = tf.cond(
                tf.reduce_max(values[parts[0]]) > parts[1],
                lambda f=inside_of: f(0.5),
                lambda v=values: tf.sin(v[1]),
            )
        elif kind == "method":
            call = functions.get(id(statement))
            if call is None:
                call = functions[id(statement)] = functions["make"](
                    scaled(parts[2], variables, functions)
                )
            values[parts[0]] = call(values[parts[1]], 0.5) + call(values[parts[1]], 1.5)
        else:
            assert kind == "custom"

            @tf.custom_gradient
            def odd(x: Any) -> Any:
                y = tf.sin(x)
                return y, lambda dy: dy * y * 3.0

            values[parts[0]] = odd(values[parts[1]])


def run(program: Any, make: Any, inputs: list[Any], outside: str, size: int) -> tuple[Any, Any]:
    """The values of all calls, and their derivatives by what is ``outside``."""
    variables = [
        tf.Variable(np.resize(np.float32(first), size))
        for first in ([0.5, -1.0, 2.0], [1.0, 0.25, -0.5])
    ]
    functions: dict[Any, Any] = {"make": make}

    def whole(x: Any, y: Any) -> Any:
        values = [x, y, x * y, x - y]
        try:
            execute(program, values, variables, functions)
        except Returned:
            values[0] = values[0] * 2.0
        return values

    function = make(whole)
    found: list[bytes] = []
    differentiated: list[Any] = []
    tf.random.set_seed(7)
    for x, y in inputs:
        try:
            results, derivatives = derived(function, x, y, variables, outside)
        except (Raised, ValueError, tf.errors.InvalidArgumentError) as error:
            # A variable gets a row of a batch, and the like: so it does in eager code.
            found.append(repr(error).encode())
        else:
            found.extend([each.numpy().tobytes() for each in results])
            differentiated.extend([
                None if each is None else tf.convert_to_tensor(each).numpy() for each in derivatives
            ])  # fmt: skip
        found.extend([each.numpy().tobytes() for each in variables])
    return found, differentiated


def derived(function: Any, x: Any, y: Any, variables: Any, outside: str) -> tuple[Any, list[Any]]:
    """What the function gives, and its derivatives by what is ``outside``."""
    if outside == "tape":
        with tf.GradientTape() as tape:
            tape.watch(x)
            results = function(x, y)
            total = tf.add_n(results)
        return results, tape.gradient(total, [x, *variables])
    if outside == "jacobian":
        with tf.GradientTape() as tape:
            tape.watch(x)
            results = function(x, y)
            total = tf.stack([tf.reduce_sum(part) for part in results])
        return results, tape.jacobian(total, [x, *variables])
    if outside == "data":
        # A function that cannot be recorded calls it.
        return over(function, tf.data.Dataset.range(1), x, y), []
    if outside == "forward":
        with tf.autodiff.ForwardAccumulator([x, variables[0]], [y, x]) as accumulator:
            results = function(x, y)
        return results, accumulator.jvp(results)
    return function(x, y), []


@tf.function
def over(function: Any, elements: Any, x: Any, y: Any) -> Any:
    for _ in elements:
        results = function(x, y)
    return results


def same(one: bytes, other: bytes) -> bool:
    """Whether two results are equal but for the order in which gradients were added up."""
    if one == other:
        return True
    arrays = np.frombuffer(one, np.float32), np.frombuffer(other, np.float32)
    return arrays[0].shape == arrays[1].shape and np.allclose(*arrays, 1e-4, 1e-4, equal_nan=True)


INPUTS = st.lists(
    st.tuples(st.lists(NUMBERS, min_size=3, max_size=3), st.lists(NUMBERS, min_size=3, max_size=3)),
    min_size=3,
    max_size=6,
)


@pytest.mark.long
@settings(max_examples=300, deadline=None)
@given(
    st.lists(STATEMENTS, min_size=1, max_size=6),
    INPUTS,
    st.sampled_from(["", "", "tape", "tape", "jacobian", "forward", "data"]),
    st.sampled_from([3, 67, 2501]),
)
def test_recorded_programs_agree_with_eager_ones(
    program: Any, inputs: Any, outside: str, size: int
) -> None:
    tensors = [
        [tf.constant(np.resize(np.float32(part), size) + np.linspace(0, 0.1, size, dtype=np.float32))
         for part in pair]
        for pair in inputs
    ]  # fmt: skip
    with np.errstate(all="ignore"):
        wanted, by_eager = run(program, unrecorded, tensors, outside, size)
        found, by_recorded = run(program, tf.function, tensors, outside, size)
        if outside and ("'gradients'" in repr(program) or "'tape'" in repr(program)):
            # Where only inner functions are recorded, a gradient that is taken around one of them adds up in
            # another order, and the function computes with it.
            assert all(same(*pair) for pair in zip(found, wanted, strict=True))
        else:
            assert found == wanted
        for one, other in zip(by_recorded, by_eager, strict=True):
            # A call that is recorded adds up the parts of a gradient in another order.
            assert (one is None) == (other is None)
            if one is not None:
                np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)
