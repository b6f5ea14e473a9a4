"""Programs of derivatives, maps, loops and functions in each other, drawn from tables: recorded equals eager.

    python tests/nested_programs.py --count 20000      # 20,000 programs; the exit status is 1 if one differs
    python tests/nested_programs.py --only 4711        # one of them again, then the smallest like it

A program takes a vector to a vector. It is a list of nodes, each of which is

    ("step", name, capture)            a line of arithmetic on the vector and on a captured tensor
    (form, capture, [node, ...])       a Jacobian, a map, a loop ... of the function that the inner nodes are

The tables are `STEPS`, `FORMS` and `CAPTURES`: a new entry is drawn from then on. `difference` runs a program
eagerly and recorded, on inputs and variables that change from call to call, and says where they differ.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

import tapegrad as tf

LENGTH = 3
DEPTH = 4
CALLS = 4  # the first is recorded, three others are replayed
NUDGE = 1e-14
OUTSIDE = ("gradient", "gradient", "jacobian", "forward")
"""What is taken of a call from outside of the recorded function."""

Node = tuple[Any, ...]
Function = Callable[[Any], Any]

CONSTANT = tf.constant([0.7, -0.4, 1.1], tf.float64)

# --- Steps: of the vector x and a captured vector c ------------------------------------------------------

STEPS: dict[str, Callable[[Any, Any], Any]] = {
    "times": lambda x, c: x * c,
    "times sum": lambda x, c: x * tf.reduce_sum(c),
    "sin": lambda x, c: tf.sin(x + c),
    "cubed": lambda x, c: x**3 + c,
    "tanh": lambda x, c: tf.tanh(x) * c,
    "exp": lambda x, c: tf.exp(-x * x) + c,
    "divided": lambda x, c: x / (2.0 + c * c),
    "product": lambda x, c: tf.reduce_prod(x) * c,
    "product of captured": lambda x, c: tf.reduce_prod(c) * x,
    "determinant": lambda x, c: tf.linalg.det(tf.linalg.diag(x) + c[:, None] * c) * x,
    # The diagonal grows with x. Otherwise the matrix is singular in float64 where x is larger than about 1e9.
    "solved": lambda x, c: tf.linalg.solve(
        tf.linalg.diag(c * c + 2.0 + tf.reduce_sum(x * x)) + x[:, None] * x, c[:, None])[:, 0],
    "matvec": lambda x, c: tf.linalg.matvec(x[:, None] * c, x),
    "einsum": lambda x, c: tf.einsum("i,j,j->i", x, x, c),
    "softmax": lambda x, c: tf.nn.softmax(x * c),
    "gathered": lambda x, c: tf.gather(x, [2, 0, 0]) * c,
    "cumulated": lambda x, c: tf.cumsum(x) * c,
    "reversed": lambda x, c: x[::-1] - c,
    "chosen": lambda x, c: tf.where(x > c, x * c, tf.sin(x)),
    "largest": lambda x, c: tf.maximum(x, c) * tf.reduce_max(x),
    "sorted": lambda x, c: tf.sort(x) * c,
    "stacked": lambda x, c: tf.reduce_sum(tf.stack([x, c, x * c]) ** 2, axis=1) * x,
    "joined": lambda x, c: tf.concat([c[:1], x[1:]], 0) * x,
    "stopped": lambda x, c: x * tf.stop_gradient(x * c),
    "variance": lambda x, c: x * tf.math.reduce_variance(x * c),
}  # fmt: skip

# --- Captures: which tensor of the levels outside --------------------------------------------------------

CAPTURES: dict[str, Callable[[Any, list[Any]], Any]] = {
    "level": lambda world, levels: levels[-1],
    "level outside": lambda world, levels: levels[-2],
    "first level": lambda world, levels: levels[2],
    "argument": lambda world, levels: levels[0],
    "variable": lambda world, levels: world.variables[0],
    "other variable": lambda world, levels: world.variables[1],
    "square of variable": lambda world, levels: levels[1],
    "constant": lambda world, levels: CONSTANT,
}

# --- Forms: what is made of the function f of a vector, the vector x and a captured vector c ---------------


def gradient(f: Function, x: Any, c: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(f(x) * c)
    return zeros_for_none(tape.gradient(y, x), x)


def persistent(f: Function, x: Any, c: Any) -> Any:
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
        z = tf.reduce_sum(y * c)
    return zeros_for_none(tape.gradient(y, x), x) + zeros_for_none(tape.gradient(z, x), x)


def jacobian(f: Function, x: Any, c: Any, pfor: bool = True) -> Any:
    with tf.GradientTape(persistent=not pfor) as tape:
        tape.watch(x)
        y = f(x)
    found = tape.jacobian(y, x, experimental_use_pfor=pfor)
    return x if found is None else tf.linalg.matvec(found, c)


def batch_jacobian(f: Function, x: Any, c: Any) -> Any:
    rows = tf.stack([x, x * c])
    with tf.GradientTape() as tape:
        tape.watch(rows)
        y = tf.stack([f(row) for row in tf.unstack(rows)]) * rows
    return tf.reduce_sum(tape.batch_jacobian(y, rows), [0, 1])


def hessian(f: Function, x: Any, c: Any) -> Any:
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(f(x) ** 2)
        slope = inner.gradient(y, x)
        slope = None if slope is None else tf.convert_to_tensor(slope)
    found = None if slope is None else outer.jacobian(slope, x)
    return x if found is None else tf.linalg.matvec(found, c)


def jacobian_by_variable(f: Function, x: Any, c: Any) -> Any:
    with tf.GradientTape() as tape:
        y = f(x)
    found = [each for each in tape.jacobian(y, tape.watched_variables()) if each is not None]
    return x if not found else tf.linalg.matvec(tf.add_n(found), c)


def batch_jacobian_of_map(f: Function, x: Any, c: Any) -> Any:
    rows = tf.stack([x, x * c])
    with tf.GradientTape() as tape:
        tape.watch(rows)
        y = tf.vectorized_map(lambda row: f(row) * c, rows, warn=False)
    return tf.reduce_sum(tape.batch_jacobian(y, rows), [0, 1])


def gradient_by_variable(f: Function, x: Any, c: Any) -> Any:
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(f(x) * c)
    found = tape.gradient(y, tape.watched_variables())
    return tf.add_n([x, *[tf.convert_to_tensor(each) for each in found if each is not None]])


def both_of_one_tape(f: Function, x: Any, c: Any) -> Any:
    """A tape that records its own gradient, and a Jacobian of both."""
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = f(x)
        slope = zeros_for_none(tape.gradient(y, x), x)
        z = slope * c + y
    found = tape.jacobian(z, x)
    return x if found is None else tf.linalg.matvec(found, c)


def mapped_elements(f: Function, x: Any, c: Any) -> Any:
    return tf.vectorized_map(lambda e: tf.reduce_sum(f(x * e) * c), x, warn=False)


def mapped_rows(f: Function, x: Any, c: Any) -> Any:
    return tf.reduce_mean(tf.vectorized_map(f, x[:, None] * c, warn=False), 0)


def mapped_pairs(f: Function, x: Any, c: Any) -> Any:
    rows = tf.stack([x, c])
    mapped = tf.vectorized_map(lambda pair: f(pair[0]) * pair[1] * x, (rows, rows), warn=False)
    return tf.reduce_sum(mapped, 0)


def map_fn(f: Function, x: Any, c: Any) -> Any:
    return tf.map_fn(lambda e: tf.reduce_sum(f(x * e)) * c[0], x)


def scan(f: Function, x: Any, c: Any) -> Any:
    return tf.scan(lambda state, e: f(state) * e + c, x[:2], initializer=x)[-1]


def fold(f: Function, x: Any, c: Any) -> Any:
    return tf.foldr(lambda state, e: f(state * e) + c, c[:2], initializer=x)


def python_loop(f: Function, x: Any, c: Any) -> Any:
    array = tf.TensorArray(tf.float64, 2)
    for i in range(2):
        array = array.write(i, f(x * float(i + 1)) + c)
    return tf.reduce_prod(array.stack(), 0)


def while_loop(f: Function, x: Any, c: Any) -> Any:
    limit = 1 + tf.cast(tf.reduce_sum(x) > 0, tf.int32)
    return tf.while_loop(lambda i, _: i < limit, lambda i, z: (i + 1, f(z) + c), (0, x))[1]


def cond(f: Function, x: Any, c: Any) -> Any:
    return tf.cond(tf.reduce_sum(x) > 0, lambda: f(x), lambda: tf.sin(x) * c)


def decided(f: Function, x: Any, c: Any) -> Any:
    return f(x) if tf.reduce_sum(c) > 0 else f(c) * x


def custom_gradient(f: Function, x: Any, c: Any) -> Any:
    @tf.custom_gradient
    def odd(z: Any) -> Any:
        y = f(z)

        def grad(dy: Any, variables: Any = None) -> Any:
            mine = dy * y * c
            if variables is None:
                return mine
            return mine, [tf.reduce_sum(dy) * variable for variable in variables]

        return y, grad

    return odd(x)


def custom_by_tape(f: Function, x: Any, c: Any) -> Any:
    @tf.custom_gradient
    def odd(z: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(z)
            y = f(z)
        slope = zeros_for_none(tape.gradient(y, z), z)

        def grad(dy: Any, variables: Any = None) -> Any:
            mine = dy * slope + c
            return mine if variables is None else (mine, [dy * 0.5 for _ in variables])

        return y, grad

    return odd(x)


def recompute(f: Function, x: Any, c: Any) -> Any:
    return tf.recompute_grad(f)(x) * c


def forward(f: Function, x: Any, c: Any) -> Any:
    with tf.autodiff.ForwardAccumulator(x, tf.convert_to_tensor(c)) as accumulator:
        y = f(x)
    return accumulator.jvp(y, unconnected_gradients="zero")


def forward_of_gradient(f: Function, x: Any, c: Any) -> Any:
    with tf.autodiff.ForwardAccumulator(x, tf.convert_to_tensor(c)) as accumulator:
        y = gradient(f, x, c)
    return accumulator.jvp(y, unconnected_gradients="zero")


def forward_of_jacobian(f: Function, x: Any, c: Any) -> Any:
    with tf.autodiff.ForwardAccumulator(x, tf.convert_to_tensor(c)) as accumulator:
        y = jacobian(lambda z: f(z) * z, x, c)
    return accumulator.jvp(y, unconnected_gradients="zero")


def twice(f: Function, x: Any, c: Any) -> Any:
    return f(f(x)) * c


def stopped(f: Function, x: Any, c: Any) -> Any:
    return f(x) * tf.stop_gradient(f(x * c))


def zeros_for_none(value: Any, x: Any) -> Any:
    return tf.zeros_like(x) if value is None else tf.convert_to_tensor(value)


FORMS: dict[str, Callable[[Function, Any, Any], Any]] = {
    "gradient": gradient,
    "persistent": persistent,
    "jacobian": jacobian,
    "jacobian row by row": lambda f, x, c: jacobian(f, x, c, pfor=False),
    "jacobian by variable": jacobian_by_variable,
    "batch_jacobian": batch_jacobian,
    "batch_jacobian of vectorized_map": batch_jacobian_of_map,
    "gradient by variable": gradient_by_variable,
    "gradient and jacobian of one tape": both_of_one_tape,
    "hessian": hessian,
    "vectorized_map of elements": mapped_elements,
    "vectorized_map of rows": mapped_rows,
    "vectorized_map of pairs": mapped_pairs,
    "map_fn": map_fn,
    "scan": scan,
    "fold": fold,
    "TensorArray": python_loop,
    "while_loop": while_loop,
    "cond": cond,
    "if": decided,
    "custom_gradient": custom_gradient,
    "custom_gradient by a tape": custom_by_tape,
    "recompute_grad": recompute,
    "forward": forward,
    "forward of a gradient": forward_of_gradient,
    "forward of a jacobian": forward_of_jacobian,
    "twice": twice,
    "stopped": stopped,
}
OURS: dict[str, Callable[[Function, Any, Any], Any]] = {
    "vmap": lambda f, x, c: tf.autodiff.vmap(lambda e, row: f(row) * e, (0, None))(x, c)[0] + x,
    "vmap of columns": lambda f, x, c: tf.autodiff.vmap(f, 1, 1)(x[:, None] * c)[:, 0],
    "grad": lambda f, x, c: tf.autodiff.grad(lambda z: tf.reduce_sum(f(z) * c * z))(x),
    "jacfwd": lambda f, x, c: tf.linalg.matvec(tf.autodiff.jacfwd(lambda z: f(z) * z)(x), c),
    "hessian of autodiff": lambda f, x, c: tf.linalg.matvec(
        tf.autodiff.hessian(lambda z: tf.reduce_sum(f(z) * z))(x), c
    ),
    "jvp": lambda f, x, c: tf.autodiff.jvp(f, (x,), (tf.convert_to_tensor(c),))[1],
}
"""Forms that TensorFlow does not have."""
FUNCTIONS = ("function", "function of the module")
"""Forms that `World.called` handles: a tf.function made in each call, and one made once."""

# --- Programs ------------------------------------------------------------------------------------------


def drawn(number: int) -> list[Node]:
    """The program with that number: forms in each other, with steps before, after and innermost."""
    source = random.Random(number)
    depth = source.choice((1, 2, 2, 3, 3, 4, 4, 4))

    def step() -> Node:
        return ("step", source.choice([*STEPS]), source.choice([*CAPTURES]))

    nodes = [step() for _ in range(source.choice((1, 2, 2)))]
    for _ in range(depth):
        form = source.choice([*FORMS, *OURS, *FUNCTIONS])
        nodes = [(form, source.choice([*CAPTURES]), nodes)]
        if source.random() < 0.5:
            nodes.insert(0, step())
        if source.random() < 0.25:
            nodes.append(step())
    return nodes


class World:
    """What programs refer to: a module with variables, and the functions that were made for it.

    ``make`` is `tf.function`, or leaves functions as they are.
    """

    def __init__(self, make: Callable[[Function], Any], assigns: bool) -> None:
        self.make, self.assigns = make, assigns
        self.variables = [tf.Variable(tf.zeros([LENGTH], tf.float64)) for _ in range(2)]
        self.functions: dict[int, Any] = {}

    def run(self, nodes: list[Node], x: Any, levels: list[Any]) -> Any:
        """What the nodes make of ``x``. ``levels`` has the vectors of the levels outside."""
        for node in nodes:
            if node[0] == "step":
                x = STEPS[node[1]](x, CAPTURES[node[2]](self, levels))
                continue
            form, capture, body = node
            c = CAPTURES[capture](self, levels)
            inside = [*levels, x]

            def f(z: Any, body: Any = body, inside: Any = inside) -> Any:
                return self.run(body, z, inside)

            y = (
                self.called(node, x, inside)
                if form in FUNCTIONS
                else {**FORMS, **OURS}[form](f, x, c)
            )
            # Values stay small, however deep the program is.
            x = y / tf.sqrt(2.0 + tf.reduce_sum(y * y))
        return x

    def called(self, node: Node, x: Any, levels: list[Any]) -> Any:
        form, _, body = node
        if form == "function":
            function = self.make(lambda z: self.run(body, z, levels))
            return function(x) + function(x * 0.5)
        if id(node) not in self.functions:
            self.functions[id(node)] = self.make(lambda z, levels: self.run(body, z, levels))
        function = self.functions[id(node)]
        return function(x, levels) * function(x + 0.25, levels)

    def whole(self, program: list[Node]) -> Callable[[Any, Any], Any]:
        def whole(x: Any, y: Any) -> Any:
            if self.assigns:
                self.variables[1].assign_add(x * 0.1)
            result = self.run(program, x, [y, self.variables[0] ** 2, x * y])
            if self.assigns:
                self.variables[0].assign(result)
            return result

        return whole


def derivatives(function: Any, x: Any, y: Any, world: World, how: str) -> list[Any]:
    """The result of ``function`` and its derivatives by everything."""
    sources = [x, y, CONSTANT, *world.variables]
    if how == "forward":
        tangents = [y, x, x - y, x * 0.5, y * 0.5]
        with tf.autodiff.ForwardAccumulator(sources, tangents) as accumulator:
            result = function(x, y)
        return [result, accumulator.jvp(result)]
    with tf.GradientTape() as tape:
        tape.watch([x, y, CONSTANT])
        result = function(x, y)
    return [result, *getattr(tape, how)(result, sources)]


# --- Eager against recorded -------------------------------------------------------------------------------


def inputs(nudge: float, calls: int) -> Iterator[tuple[Any, Any, list[Any]]]:
    """For each call the two arguments, and the values of the variables."""
    source = np.random.RandomState(0)
    for _ in range(calls):
        x, y, *values = source.uniform(-1.5, 1.5, (4, LENGTH))
        yield tf.constant(x * (1.0 + nudge)), tf.constant(y), values


def answers(
    program: list[Node],
    make: Any,
    way: str,
    assigns: bool,
    nudge: float = 0.0,
    calls: int = CALLS,
) -> list[list[Any]]:
    """What all calls give: values, derivatives, and the variables afterwards.

    ``way`` is "inside", where the recorded function takes the gradients itself, or what to take from outside.
    """
    world = World(make, assigns)
    whole = world.whole(program)
    if way == "inside":
        function = world.make(lambda x, y: derivatives(whole, x, y, world, "gradient"))
    else:
        recorded = world.make(whole)

        def function(x: Any, y: Any) -> Any:
            return derivatives(recorded, x, y, world, way)

    found = []
    for x, y, values in inputs(nudge, calls):
        for variable, value in zip(world.variables, values, strict=True):
            variable.assign(value)
        try:
            results = [
                None if each is None else tf.convert_to_tensor(each).numpy()
                for each in function(x, y)
            ]
        except Exception as error:
            return [[f"{type(error).__name__}: {error}"]]
        found.append([*results, *[variable.numpy() for variable in world.variables]])
    return found


def with_own_arguments(function: Any) -> Any:
    """The function as it is, but that its argument is another tensor to it than the same one captured.

    A variable is the same to it as outside.
    """

    def renamed(leaf: Any) -> Any:
        return leaf if isinstance(leaf, tf.Variable) else tf.identity(leaf)

    return lambda *args: function(*tf.nest.map_structure(renamed, args))


def difference(program: list[Node], way: str, assigns: bool, calls: int = CALLS) -> str | None:
    """How the recorded program differs from the eager one; None where it does not."""
    wanted = answers(program, with_own_arguments, way, assigns, calls=calls)
    found = answers(program, tf.function, way, assigns, calls=calls)
    if isinstance(wanted[0][0], str) or isinstance(found[0][0], str):
        return f"eagerly {wanted[0][0]}, recorded {found[0][0]}"
    for call, (one, other) in enumerate(zip(wanted, found, strict=True)):
        for place, (right, came) in enumerate(zip(one, other, strict=True)):
            if not close(right, came):
                changed = answers(program, with_own_arguments, way, assigns, NUDGE, calls)
                nudged = changed[call][place]
                if right is not None and came is not None and rounding(right, came, nudged):
                    continue
                return f"call {call}, result {place}: eagerly {right}, recorded {came}"
    return None


def close(right: Any, came: Any) -> bool:
    """Equal but for the order in which numbers were added up. None of a gradient stands for zeros."""
    if right is None or came is None:
        return right is came or not np.any(came if right is None else right)
    with np.errstate(all="ignore"):
        scale = np.max(np.abs(right[np.isfinite(right)]), initial=1e-3)
        return np.allclose(came, right, 1e-6, 1e-7 * scale, equal_nan=True)


def rounding(right: Any, came: Any, nudged: Any) -> bool:
    """Whether a difference is no larger than what a change of an argument in its last digits makes."""
    return bool(np.max(np.abs(came - right)) <= 100.0 * np.max(np.abs(nudged - right)) < np.inf)


def way_of(number: int) -> tuple[str, bool]:
    """How the program with that number is differentiated, and whether it assigns variables."""
    source = random.Random(-1 - number)
    return source.choice(("inside", *OUTSIDE)), source.random() < 0.2


def smaller(program: list[Node]) -> Iterator[list[Node]]:
    """The programs with one node less, or with simpler ones."""
    for place, node in enumerate(program):
        before, after = program[:place], program[place + 1 :]
        if len(program) > 1:
            yield before + after
        if node[0] == "step":
            if node[1] != "times":
                yield [*before, ("step", "times", node[2]), *after]
            continue
        form, capture, body = node
        yield before + body + after
        for less in smaller(body):
            yield [*before, (form, capture, less), *after]


def smallest(program: list[Node], way: str, assigns: bool) -> list[Node]:
    """The smallest program below ``program`` that still differs."""
    for less in smaller(program):
        if difference(less, way, assigns) is not None:
            return smallest(less, way, assigns)
    return program


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("--count", type=int, default=500, help="how many programs")
    parser.add_argument("--first", type=int, default=0, help="the number of the first one")
    parser.add_argument("--only", type=int, help="this program alone, made as small as can be")
    options = parser.parse_args()
    tf.get_logger().setLevel("ERROR")  # no word of Jacobians that are computed row by row
    if options.only is not None:
        program, (way, assigns) = drawn(options.only), way_of(options.only)
        print(
            program, way, "assigns" if assigns else "", difference(program, way, assigns), sep="\n"
        )
        if difference(program, way, assigns) is not None:
            least = smallest(program, way, assigns)
            print("smallest:", least, difference(least, way, assigns), sep="\n")
            return 1
        return 0
    wrong = 0
    for number in range(options.first, options.first + options.count):
        found = difference(drawn(number), *way_of(number))
        if found is not None:
            wrong += 1
            print(f"program {number}: {found}", flush=True)
        if number % 1000 == 999:
            print(f"up to number {number}: {wrong} differ", flush=True)
    print(f"{options.count} programs from number {options.first}: {wrong} differ")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(main())
