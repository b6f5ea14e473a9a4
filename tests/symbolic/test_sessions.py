"""`tf.compat.v1.Session`: values and errors are TensorFlow's, but where the page of differences says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

v1 = tf.compat.v1


class Nodes:
    """A graph with something of everything."""

    def __init__(self) -> None:
        self.graph = tf.Graph()
        with self.graph.as_default():
            self.x = x = v1.placeholder(tf.float32, [None, 2], name="x")
            self.n = n = v1.placeholder(tf.int32, [], name="n")
            self.y = y = tf.reduce_sum(x * x, axis=1)
            self.z = tf.tanh(y) + tf.cast(n, tf.float32)
            self.slope = tf.gradients(tf.reduce_sum(x * x * x), x)
            self.constant = tf.constant([1.0, 2.0])
            self.sparse = tf.sparse.from_dense(x)
            self.parts = tf.split(x, 2, axis=1)
            self.chosen = tf.cond(n > 0, lambda: y * 2, lambda: y - 1)
            self.looped = tf.while_loop(
                lambda i, total: i < n,
                lambda i, total: (i + 1, total * 2.0),
                [tf.constant(0), tf.reduce_sum(x)],
            )
            self.mapped = tf.map_fn(lambda row: row * 2, x)
            self.noise = tf.random.uniform(tf.shape(x), seed=3)
            self.words = v1.placeholder(tf.string, [2])
            self.upper = tf.strings.upper(self.words)
        self.session = v1.Session(graph=self.graph)
        self.fed = {x: [[1.0, 2.0], [3.0, 4.0]], n: 3}


@pytest.fixture
def nodes() -> Nodes:
    return Nodes()


VALUES: dict[str, tuple[Callable[[Nodes], Any], Any]] = {
    "a tensor": (lambda g: g.y, [5, 25]),
    "nests": (lambda g: {"a": [g.y], "b": (g.constant, g.n)}, {"a": [[5, 25]], "b": ([1, 2], 3)}),
    "gradients": (lambda g: g.slope, [[[3, 12], [27, 48]]]),
    "a list": (lambda g: g.parts, [[[1], [3]], [[2], [4]]]),
    "a branch": (lambda g: g.chosen, [10, 50]),
    "a loop": (lambda g: g.looped, [3, 80]),
    "a map": (lambda g: g.mapped, [[2, 4], [6, 8]]),
    "a sparse tensor": (
        lambda g: g.sparse,
        ([[0, 0], [0, 1], [1, 0], [1, 1]], [1, 2, 3, 4], [2, 2]),
    ),
    "a name": (lambda g: "x:0", [[1, 2], [3, 4]]),
    "an operation": (lambda g: g.y.op, None),
    "what initializers give": (lambda g: v1.global_variables_initializer(), None),
}


def plain(value: Any) -> Any:
    """A nest of arrays as lists."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return (
            type(value)([plain(part) for part in value])
            if type(value) in (list, tuple)
            else (tuple([plain(part) for part in value]))
        )
    return value if value is None else value.tolist()


@pytest.mark.parametrize("what", VALUES)
def test_values(nodes: Nodes, what: str) -> None:
    fetch, expected = VALUES[what]
    assert plain(nodes.session.run(fetch(nodes), nodes.fed)) == expected


ERRORS: dict[str, tuple[Callable[[Nodes], Any], Any, str]] = {
    "a placeholder that is not fed": (
        lambda g: g.session.run(g.y),
        tf.errors.InvalidArgumentError,
        "You must feed a value for placeholder tensor 'x' with dtype float32 and shape \\(None, 2\\)",
    ),
    "another rank": (
        lambda g: g.session.run(g.y, {g.x: [1.0, 2.0]}),
        ValueError,
        "Cannot feed value of shape \\(2,\\) for Tensor x:0, which has shape \\(None, 2\\)",
    ),
    "a number": (lambda g: g.session.run(5), TypeError, "Fetch argument 5 has invalid type"),
    "a key": (lambda g: g.session.run(g.y, {5: 3}), TypeError, "Cannot interpret feed_dict key"),
    "a tensor as a value": (
        lambda g: g.session.run(g.y, {g.x: g.constant}),
        TypeError,
        "The value of a feed cannot be a tf.Tensor object",
    ),
    "words for numbers": (lambda g: g.session.run(g.n, {g.n: "a"}), ValueError, "invalid literal"),
    "no session": (lambda g: g.y.eval(g.fed), ValueError, "No default session is registered"),
    "an empty graph": (lambda g: v1.Session(graph=tf.Graph()).run([]), RuntimeError, "is empty"),
    "an eager tensor": (lambda g: v1.Session().run(tf.constant(1)), RuntimeError, "is empty"),
    "another graph": (
        lambda g: v1.Session(graph=Nodes().graph).run(g.y, {}),
        ValueError,
        "not an element of this graph",
    ),
    "a server": (lambda g: v1.Session("grpc://there"), tf.errors.NotFoundError, "no.* here"),
    "no graph": (lambda g: v1.Session(graph=3), TypeError, "must be a tf.Graph"),
}


@pytest.mark.parametrize("what", ERRORS)
def test_errors(nodes: Nodes, what: str) -> None:
    call, error, said = ERRORS[what]
    with pytest.raises(error, match=said):
        call(nodes)


def test_any_tensor_may_be_fed_and_values_are_cast(nodes: Nodes) -> None:
    assert nodes.session.run(nodes.chosen, {nodes.y: [5.0], nodes.n: 2.7}).tolist() == [10.0]
    assert nodes.session.run(nodes.x, {"x:0": np.ones((1, 2))}).dtype == np.float32
    assert nodes.session.run(nodes.upper, {nodes.words: ["a", "bc"]}).tolist() == [b"A", b"BC"]


def test_sessions_that_are_the_default_one(nodes: Nodes) -> None:
    with nodes.session.as_default():
        assert v1.get_default_session() is nodes.session
        assert nodes.y.eval(nodes.fed).tolist() == [5, 25]
        nodes.y.op.run(nodes.fed)
    assert v1.get_default_session() is None
    with nodes.graph.as_default():
        interactive = v1.InteractiveSession()
    assert nodes.y.eval(nodes.fed).tolist() == [5, 25]
    interactive.close()
    assert v1.get_default_session() is None
    with v1.Session(graph=nodes.graph, config=v1.ConfigProto(device_count={"GPU": 0})) as session:
        assert v1.get_default_graph() is nodes.graph
        assert session.run(nodes.n, {nodes.n: 2}) == 2
    with pytest.raises(RuntimeError, match="closed Session"):
        session.run(nodes.n, {nodes.n: 2})
    assert tf.executing_eagerly()


def test_callables(nodes: Nodes) -> None:
    call = nodes.session.make_callable([nodes.y, nodes.n], [nodes.x, nodes.n])
    assert plain(call([[1.0, 1.0]], 4)) == [[2], 4]
    with pytest.raises(ValueError, match="takes 2 values, and 1 came"):
        call([[1.0, 1.0]])


def test_random_numbers_are_new_in_each_run_and_the_same_in_one(nodes: Nodes) -> None:
    """A gradient makes the calls before it once more: with the numbers that they had drawn."""
    run = nodes.session.run
    assert not np.array_equal(run(nodes.noise, nodes.fed), run(nodes.noise, nodes.fed))
    with nodes.graph.as_default():
        kept = tf.nn.dropout(nodes.x, 0.5)
        (slope,) = tf.gradients(tf.reduce_sum(kept * kept), nodes.x)
    for _ in range(3):
        dropped, gradient = run([kept, slope], {nodes.x: np.arange(1.0, 41.0).reshape(20, 2)})
        np.testing.assert_allclose(gradient, 4.0 * dropped)
        assert 0 < np.count_nonzero(dropped) < 40


def test_variables_have_the_values_of_now() -> None:
    variable = tf.Variable([1.0, 2.0])
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [2])
        left, right, inside = variable * x, x * variable, tf.reduce_sum(tf.stack([x, variable]))
        slope = tf.gradients(tf.reduce_sum(variable * x * x), x)
        alone = variable * 2.0
    session = v1.Session(graph=graph)
    for value in ([1.0, 2.0], [3.0, 5.0]):
        variable.assign(value)
        first, second = value
        found = session.run([left, right, inside, slope, variable], {x: [10.0, 20.0]})
        products = [10 * first, 20 * second]
        assert plain(found) == [
            products,
            products,
            30 + first + second,
            [[20 * first, 40 * second]],
            value,
        ]
    with pytest.raises(
        tf.errors.UnimplementedError, match="what Mul gave while the graph was built"
    ):
        session.run(alone)
    with graph.as_default():
        used = alone + x
    with pytest.raises(tf.errors.UnimplementedError, match="of variables alone"):
        session.run(used, {x: [1.0, 2.0]})


def waiting(variable: Any, make: Callable[[], Any]) -> Any:
    with tf.control_dependencies([variable.assign_add(5.0)]):
        return make()


# In TensorFlow all of these assign. Without an error a run would have given what was there before.
ASSIGNING: dict[str, Callable[[Any], Any]] = {
    "assign": lambda v: v.assign(2.0),
    "assign_add": lambda v: v.assign_add(1.0),
    "what nobody reads": lambda v: v.assign_sub(1.0, read_value=False),
    "its operation": lambda v: v.assign(2.0).op,
    "v1": lambda v: v1.assign_add(v, 1.0),
    "what is computed of it": lambda v: tf.range(v.assign_add(5.0)) + 1.0,
    "a group": lambda v: tf.group(tf.constant(1.0), v.assign_add(5.0)),
    "a group of a group": lambda v: tf.group(tf.group(v.assign_add(5.0))),
    "a tuple": lambda v: tf.tuple([v.assign_add(5.0)]),
    "a tensor after it": lambda v: waiting(v, lambda: tf.identity(tf.constant(3.0))),
    "a tensor without a value after it": lambda v: waiting(
        v, lambda: v1.placeholder_with_default(1.0, []) * 2.0
    ),
    "the variable after it": lambda v: waiting(v, v.read_value),
    "nothing after it": lambda v: waiting(v, tf.no_op),
    "after what is after it": lambda v: waiting(v, lambda: tf.group(tf.constant(1.0))),
}


@pytest.mark.parametrize("what", ASSIGNING)
def test_a_run_that_is_to_assign_is_refused(what: str) -> None:
    variable = tf.Variable(1.0)
    with tf.Graph().as_default() as graph:
        fetch = ASSIGNING[what](variable)
        other = variable * v1.placeholder_with_default(2.0, [])
    session = v1.Session(graph=graph)
    with pytest.raises(tf.errors.UnimplementedError, match="assign no variables"):
        session.run(fetch)
    assert session.run(other) == 2.0
    assert float(variable) == 1.0


def test_a_function_that_assigns_is_refused_in_a_graph() -> None:
    variable = tf.Variable(1.0)

    @tf.function
    def counted(x: Any) -> Any:
        variable.assign_add(x)
        return variable + x

    with tf.Graph().as_default():
        elements = tf.data.Dataset.range(4).map(lambda x: variable.assign_add(1.0))
        for call in (lambda: counted(2.0), lambda: elements.reduce(0.0, tf.add)):
            with pytest.raises(tf.errors.UnimplementedError, match="assign no variables"):
                call()
    assert float(counted(2.0)) == 5.0


def test_random_numbers_that_depend_on_nothing_are_refused() -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, [2])
        fixed = tf.random.normal([2]) * 2.0
        total = x + fixed
        variable = tf.Variable(tf.random.normal([2]))
        fine = x * variable
    session = v1.Session(graph=graph)
    for fetch in (fixed, total):
        with pytest.raises(tf.errors.UnimplementedError, match="random numbers"):
            session.run(fetch, {x: [1.0, 2.0]})
    assert session.run(fine, {x: [1.0, 1.0]}).tolist() == variable.numpy().tolist()


def test_a_graph_of_constants_runs() -> None:
    """It has no operations: its tensors had their values when they were computed."""
    with tf.Graph().as_default():
        total = tf.reduce_sum(tf.ones([10]) * tf.ones([10]))
        assert v1.Session().run(total) == 10.0
    with v1.Session(graph=tf.Graph()) as session:
        assert session.run(tf.constant(2)) == 2


@pytest.mark.parametrize(
    ("function", "value", "wanted"),
    [
        (lambda x: v1.setdiff1d(tf.range(4), x).out, [1, 2], [0, 3]),
        (lambda x: tf.unique(x).y, [7, 7, 3], [7, 3]),
        (lambda x: tf.linalg.tensor_diag_part(x), [[1, 2], [3, 4]], [1, 4]),
    ],
)
def test_ops_that_take_one_rank_take_an_unknown_one(
    function: Callable[[Any], Any], value: Any, wanted: list[int]
) -> None:
    with tf.Graph().as_default():
        x = v1.placeholder(tf.int32)
        assert v1.Session().run(function(x), {x: value}).tolist() == wanted


def test_deep_graphs() -> None:
    with tf.Graph().as_default() as graph:
        x = y = v1.placeholder(tf.float32, [])
        for _ in range(3000):
            y = y + 1.0
    assert v1.Session(graph=graph).run(y, {x: 0.5}) == 3000.5


def test_the_ops_of_a_graph_are_operations() -> None:
    with tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, name="x")
        y = x + 1.0
    assert isinstance(y.op, tf.Operation)
    assert v1.Operation is tf.Operation
    assert all(isinstance(operation, tf.Operation) for operation in graph.get_operations())
    assert not isinstance(x, tf.Operation)


def test_placeholders_with_a_default() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = v1.placeholder_with_default([[1.0, 2.0]], [None, 2])
        assert x.op.type == "PlaceholderWithDefault"
        y = x * 2.0
        assert y.shape == tf.TensorShape([None, 2])
        (slope,) = tf.gradients(y * y, x)
        for fed, wanted in ({}, [[2, 4]]), ({x: [[1.0, 1.0], [3.0, 3.0]]}, [[2, 2], [6, 6]]):
            np.testing.assert_array_equal(session.run(y, fed), wanted)
            np.testing.assert_array_equal(session.run(slope, fed), np.multiply(wanted, 4))
        z = v1.placeholder_with_default(y, [None, None])
        assert session.run(z).tolist() == [[2, 4]]
        assert session.run(z + 1.0, {z: [[0.0, 0.0]]}).tolist() == [[1, 1]]
        assert session.run(tf.gradients(z * z, x))[0].tolist() == [[8, 16]]
        assert session.run(v1.placeholder_with_default(3, None)) == 3
        with pytest.raises(ValueError, match="incompatible"):
            v1.placeholder_with_default([1.0, 2.0], [3])
    assert v1.placeholder_with_default([1.0, 2.0], [3]).numpy().tolist() == [1, 2]


# How a tensor is moved, the shapes of its two arguments, TensorFlow's shape of the result, and values.
BY_VALUES: list[tuple[Callable[..., Any], Any, Any, Any, Any, Any]] = [
    (tf.transpose, [None, None], [2], [None, None], np.ones([2, 3]), [1, 0]),
    (tf.transpose, [None, None], [None], [None, None], np.ones([2, 3]), [1, 0]),
    (tf.transpose, [2, 3], None, [None, None], np.ones([2, 3]), [1, 0]),
    (tf.transpose, None, [3], [None] * 3, np.ones([2, 3, 4]), [2, 0, 1]),
    (tf.transpose, None, [None], None, np.ones([2, 3, 4, 5]), [2, 0, 3, 1]),
    (v1.transpose, [None, None], [2], [None, None], np.ones([2, 3]), [1, 0]),
    (tf.reshape, None, None, None, np.ones([2, 3]), [3, 1, 2]),
    (tf.reshape, [2, 3], [None], None, np.ones([2, 3]), [6]),
    (tf.broadcast_to, [None, 3], [None], None, np.ones([2, 3]), [4, 2, 3]),
    (tf.broadcast_to, [2, 1], [2], [None, None], np.ones([2, 1]), [2, 5]),
    (lambda x, i: tf.reshape(x, [i[1], i[0] + 1]), None, [2], [None] * 2, np.ones([2, 3]), [0, 6]),
    (lambda x, i: tf.transpose(perm=i, a=x), [2, 3], [2], [None, None], np.ones([2, 3]), [1, 0]),
    (
        lambda x, i: tf.raw_ops.Transpose(x=x, perm=i),
        [2, 3],
        None,
        [None] * 2,
        np.ones([2, 3]),
        [1, 0],
    ),
    (lambda x, i: tf.raw_ops.Reshape(shape=i, tensor=x), [2, 3], None, None, np.ones([2, 3]), [6]),
]


@pytest.mark.parametrize(("move", "of", "by", "shape", "value", "numbers"), BY_VALUES)
def test_values_that_decide_how_a_tensor_is_moved(
    move: Any, of: Any, by: Any, shape: Any, value: Any, numbers: Any
) -> None:
    value = np.arange(value.size, dtype=np.float32).reshape(value.shape)
    expected = move(value, numbers).numpy()
    with tf.Graph().as_default(), v1.Session() as session:
        x, i = v1.placeholder(tf.float32, of), v1.placeholder(tf.int32, by)
        y = move(x, i)
        assert y.dtype == tf.float32
        assert y.shape == tf.TensorShape(shape)
        (slope,) = tf.gradients(tf.reduce_sum(y * y), x)
        found = session.run([y, y * 2.0, slope], {x: value, i: numbers})
        with pytest.raises(tf.errors.InvalidArgumentError):
            session.run(y, {x: value, i: [7] * len(numbers)})
    repeated = expected.size // value.size
    for one, other in zip(found, [expected, 2 * expected, 2 * repeated * value], strict=True):
        np.testing.assert_array_equal(one, other)
    specs = tf.TensorSpec(of, tf.float32), tf.TensorSpec(by, tf.int32)
    concrete = tf.function(move).get_concrete_function(*specs)
    assert concrete.output_shapes == tf.TensorShape(shape)
    np.testing.assert_array_equal(concrete(tf.constant(value), tf.constant(numbers)), expected)
    data = tf.data.Dataset.from_tensors((value, np.int32(numbers))).map(move)
    np.testing.assert_array_equal(next(iter(data)), expected)


def test_tensors_of_unknown_shape_can_be_used_on() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x, i = v1.placeholder(tf.float32, [None, None]), v1.placeholder(tf.int32, [2])
        turned = tf.transpose(x, i)
        product = tf.matmul(turned, tf.ones([2, 4]))
        assert product.shape == tf.TensorShape([None, 4])
        columns = tf.reshape(product, 24 // (12 - 11 * i))
        assert columns.shape == tf.TensorShape([None, None])
        total = tf.reduce_sum(columns, axis=0)
        assert total.shape == tf.TensorShape([None])
        found = session.run([product, total], {x: np.ones([2, 12]), i: [1, 0]})
    np.testing.assert_array_equal(found[0], np.full([12, 4], 2.0))
    np.testing.assert_array_equal(found[1], np.full([2], 48.0))


def test_the_graph_of_a_running_function_may_be_opened() -> None:
    count = tf.Variable(0)

    @tf.function
    def step() -> None:
        graph = v1.get_default_graph()
        assert graph.building_function
        with graph.as_default():
            count.assign_add(1)

    for _ in range(3):
        step()
    assert count.numpy() == 3


def test_calls_of_python_are_made_in_each_run() -> None:
    calls = []

    def count() -> np.float32:
        calls.append(1)
        return np.float32(len(calls))

    with tf.Graph().as_default(), v1.Session() as session:
        x, constant = v1.placeholder(tf.float32, [2]), tf.constant(2.0)
        doubled = tf.numpy_function(lambda a: a * 2, [x], tf.float32)
        several = tf.py_function(lambda a: (a + 1, a * a), [doubled], [tf.float32, tf.float32])
        plain = v1.py_func(lambda a: a * 3, [constant], tf.float32) + 1.0
        values = session.run([doubled, *several, plain], {x: [1.0, 2.0]})
        assert [value.tolist() for value in values] == [[2.0, 4.0], [3.0, 5.0], [4.0, 16.0], 7.0]
        assert session.run(several[0], {doubled: [1.0, 1.0]}).tolist() == [2.0, 2.0]
        counted = tf.numpy_function(count, [], tf.float32)
        assert not calls
        assert session.run([counted, counted + 1.0]) == [1.0, 2.0]
        assert (session.run(counted), len(calls)) == (2.0, 2)
        (slope,) = tf.gradients(tf.py_function(lambda a: a * a, [x], tf.float32), x)
        assert session.run(slope, {x: [3.0, 4.0]}).tolist() == [6.0, 8.0]


def test_tapes_in_graphs() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x, z = v1.placeholder(tf.float32, [2]), v1.placeholder(tf.float32, [2])
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape(persistent=True) as tape:
                tape.watch(x)
                y = x * x * z
                w = y * x
            first = tape.gradient(w, x)
        second = outer.gradient(first, x)
        feed = {x: [1.0, 2.0], z: [3.0, 4.0]}

        def value(fetch: Any) -> Any:
            return tf.nest.map_structure(lambda array: array.tolist(), session.run(fetch, feed))

        assert value([first, second]) == [[9.0, 48.0], [18.0, 48.0]]
        # y comes of x: the gradient by x goes through it all the same.
        assert value(tape.gradient(w, [y, x])) == [[1.0, 2.0], [9.0, 48.0]]
        assert value(tf.gradients(w, [x, y])) == [[9.0, 48.0], [1.0, 2.0]]
        assert value(tape.gradient({"w": w, "y": y}, {"x": x})) == {"x": [15.0, 64.0]}
        assert value(tape.gradient(w, x, output_gradients=z)) == [27.0, 192.0]
        assert tape.gradient(w, z) is None
        assert value(tape.gradient(w, [z], unconnected_gradients="zero")) == [[0.0, 0.0]]
        jacobian = tape.jacobian(y, x)
        assert (jacobian.shape, value(jacobian)) == ([2, 2], [[6.0, 0.0], [0.0, 16.0]])
        assert value(tf.hessians(w, x)) == [[[18.0, 0.0], [0.0, 48.0]]]
        rows = v1.placeholder(tf.float32, [2, 2])
        with tf.GradientTape() as tape:
            tape.watch(rows)
            squares = rows * rows
        batch = tape.batch_jacobian(squares, rows)
        assert session.run(batch, {rows: [[1, 2], [3, 4]]}).sum(axis=(0, 1)).tolist() == [8.0, 12.0]
        with tf.GradientTape() as tape:
            tape.watch(x)
            picked = tf.gather(x, [0, 0])
        slices = session.run(tape.gradient(picked, x), feed)
        assert (slices.values.tolist(), slices.indices.tolist()) == ([1.0, 1.0], [0, 0])


def test_names_in_a_graph_come_once() -> None:
    """As in TensorFlow, where the same program gives the same names."""
    with tf.name_scope("outside"), tf.Graph().as_default() as graph:
        x = v1.placeholder(tf.float32, name="x")
        with tf.name_scope("scope") as scope:
            names = [scope, tf.identity(x, name="id").name]
        with tf.name_scope("scope") as second:
            names += [second, tf.Variable(1.0, name="v").name, v1.get_variable("w", [1]).name]
            with tf.name_scope("in") as inner:
                names.append(inner)
        with tf.name_scope(scope), v1.Session() as session:
            names.append(tf.identity(x, name="id").name)
            with session.graph.as_default(), v1.name_scope(None, "scope") as third:
                names.append(third)
        names += [tf.Variable(1.0, name="v").name, tf.Variable(1.0, name="v").name]
        names += [tf.identity(x, name="scope").name, tf.identity(x, name="x").name]
        assert names == [
            *("scope/", "scope/id:0", "scope_1/", "scope_1/v:0", "w:0", "scope_1/in/"),
            *("scope/id_1:0", "scope/scope/", "v:0", "v_1:0", "scope_2:0", "x_1:0"),
        ]
        assert graph.get_tensor_by_name("scope/id_1:0").op.name == "scope/id_1"
    with tf.name_scope("scope") as scope, tf.name_scope("scope"):
        assert tf.Variable(1.0, name="v").name == "scope/scope/v:0"


# What TensorFlow names the results of functions, and the types of their ops.
NAMED: list[tuple[Any, str, str]] = [
    (lambda a: tf.matmul(a, a), "MatMul", "MatMul"),
    (lambda a: a @ a, "matmul", "MatMul"),
    (lambda a: tf.add(a, a), "Add", "AddV2"),
    (lambda a: a + a, "add", "AddV2"),
    (abs, "Abs", "Abs"),
    (lambda a: ~(a > 0), "LogicalNot", "LogicalNot"),
    (lambda a: (a > 0) & (a > 1), "and", "LogicalAnd"),
    (lambda a: a > 0, "Greater", "Greater"),
    (lambda a: a[0], "strided_slice", "StridedSlice"),
    (lambda a: tf.cast(a, tf.int32), "Cast", "Cast"),
    (tf.nn.softmax, "Softmax", "Softmax"),
    (tf.identity, "Identity", "Identity"),
    (lambda a: tf.concat([a, a], 0), "concat", "ConcatV2"),
    (lambda a: tf.stack([a, a]), "stack", "Pack"),
    (lambda a: tf.split(a, 2)[0], "split", "Split"),
    (lambda a: tf.gather(a, [0]), "GatherV2", "GatherV2"),
    (lambda a: tf.nn.bias_add(a, [1.0, 2.0]), "BiasAdd", "BiasAdd"),
    (lambda a: tf.clip_by_value(a, 0.0, 1.0), "clip_by_value", "Maximum"),
    (lambda a: tf.truediv(a, a), "truediv", "RealDiv"),
    (lambda a: a / a, "truediv", "RealDiv"),
    (tf.reduce_sum, "Sum", "Sum"),
    (tf.reduce_logsumexp, "ReduceLogSumExp", "AddV2"),
]


@pytest.mark.parametrize(("function", "name", "kind"), NAMED)
def test_operations_have_tensorflows_names(function: Any, name: str, kind: str) -> None:
    with tf.Graph().as_default() as graph:
        result = function(v1.placeholder(tf.float32, [2, 2], "x"))
        assert (result.op.name, result.op.type) == (name, kind)
        assert graph.get_operation_by_name(name) is result.op


@pytest.mark.parametrize(
    ("name", "of_tensor", "of_operation"),
    [
        ("y", ValueError, None),
        ("y:0", None, ValueError),
        ("y:1", KeyError, ValueError),
        ("y:a", ValueError, ValueError),
        ("nope:0", KeyError, ValueError),
        ("nope", ValueError, KeyError),
        ("a:b:c", ValueError, ValueError),
        (None, TypeError, TypeError),
        (3, TypeError, TypeError),
    ],
)
def test_names_that_a_graph_has_not(name: Any, of_tensor: Any, of_operation: Any) -> None:
    """The classes are TensorFlow's. A session raises ValueError for all names, and TypeError for feeds."""
    with tf.Graph().as_default() as graph, v1.Session() as session:
        x = v1.placeholder(tf.float32, [2], "x")
        y = tf.identity(x, name="y")
        for find, error in (
            (graph.get_tensor_by_name, of_tensor),
            (graph.get_operation_by_name, of_operation),
        ):
            if error is None:
                find(name)
                continue
            with pytest.raises(error):
                find(name)
        if of_tensor and of_operation and isinstance(name, str):
            with pytest.raises(ValueError, match=r"cannot be fetched|names no Tensor"):
                session.run(name, {x: [1.0, 2.0]})
        if of_tensor:
            with pytest.raises(TypeError, match="Cannot interpret feed_dict key as Tensor"):
                session.run(y, {name: [1.0, 2.0]})


def test_variables_of_a_graph_have_operations() -> None:
    with tf.Graph().as_default() as graph:
        variables = (
            v1.get_variable("w", [2]),
            tf.Variable(1.0, name="v"),
            tf.Variable(1.0, name="v"),
        )
        found = [(variable.op.name, variable.op.type) for variable in variables]
        assert found == [(name, "VarHandleOp") for name in ("w", "v", "v_1")]
        assert all(variable.graph is graph for variable in variables)
    for attribute in ("op", "graph"):
        with pytest.raises(AttributeError, match="when eager execution is enabled"):
            getattr(tf.Variable(1.0), attribute)


def test_names_differ_in_more_than_their_case() -> None:
    with tf.Graph().as_default() as graph:
        names = ["A", "a", "a", "a_1", "A_1", "A", "b", "b_1", "b", "B", "s/x", "S/x"]
        assert " ".join(map(graph.unique_name, names)) == (
            "A a_1 a_2 a_1_1 A_1_2 A_3 b b_1 b_2 B_3 s/x S/x_1"
        )
        assert [graph.unique_name("b", mark_as_used=False) for _ in range(2)] == ["b_4", "b_4"]


class Weight:
    """A variable as Keras has it in mixed precision: in the layer's block it reads as another dtype."""

    _dtype = "float32"
    block: str | None = None

    def __init__(self, value: float) -> None:
        self.variable = tf.Variable(value)

    @property
    def dtype(self) -> str:
        return self.block or self._dtype

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return tf.cast(self.variable.read_value(), self.dtype)


def test_a_call_is_repeated_as_its_variables_read_at_first() -> None:
    weight = Weight(2.0)
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float16, [None])
        weight.block = "float16"
        y = tf.multiply(x, weight)
        weight.block = None
        z = tf.reshape(tf.cast(y, tf.float32) * tf.multiply(tf.cast(x, tf.float32), weight), [-1])
    weight.variable.assign(3.0)  # a run reads the variable anew
    with tf.compat.v1.Session(graph=graph) as session:
        half, single = session.run([y, z], {x: [1.0, 2.0]})
    assert (half.dtype, half.tolist()) == (np.float16, [3.0, 6.0])
    assert (single.dtype, single.tolist()) == (np.float32, [9.0, 36.0])


def test_a_graph_may_be_deep() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 4])
        y = x
        for _ in range(400):
            y = tf.nn.relu(y) + 1.0
        images = tf.image.resize(
            tf.reshape(y, [1, -1, 2, 2]), [3, 3]
        )  # asks what came before for sizes
        assert images.shape == [1, 3, 3, 2]
        with tf.compat.v1.Session() as session:
            assert session.run(images[0, 0], {x: [[0.0, 1.0, 2.0, 3.0]]}).tolist()[0] == [
                400.0,
                401.0,
            ]


def test_the_length_of_a_tensor_is_a_size_that_is_known() -> None:
    @tf.function
    def lengths(x: tf.Tensor) -> Any:
        return len(x) * len(tf.shape(x))

    traced = lengths.get_concrete_function(tf.TensorSpec([3, None]))
    assert int(traced(tf.ones([3, 5]))) == 6
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        with pytest.raises(TypeError, match="len is not well defined for a symbolic Tensor"):
            len(x)


def test_the_graph_of_a_function_has_an_outer_graph() -> None:
    inner = tf.__internal__.FuncGraph("inner")
    assert inner.outer_graph is tf.compat.v1.get_default_graph()
    with tf.Graph().as_default() as outer:
        inner = tf.__internal__.FuncGraph("inner")
    assert inner.outer_graph is outer
    assert not hasattr(outer, "outer_graph")  # by which Keras 2 finds the end


def test_a_graph_has_the_global_seed() -> None:
    try:
        tf.random.set_seed(7)
        assert tf.function(lambda: tf.compat.v1.get_default_graph().seed)() == 7
    finally:
        tf.random.set_seed(None)
    assert tf.Graph().seed is None


class Held:
    """An object that converts to the tensor that it holds, by its method."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor

    def __tf_tensor__(self, dtype: Any = None, name: str | None = None) -> Any:
        return self.tensor


class Registered:
    """An object that converts to the tensor that it holds, by a function that is registered."""

    def __init__(self, tensor: Any) -> None:
        self.tensor = tensor


tf.register_tensor_conversion_function(
    Registered, lambda value, dtype=None, name=None, as_ref=False: value.tensor
)


@pytest.mark.parametrize("kind", [Held, Registered])
def test_objects_that_convert_to_tensors_without_values_are_such_tensors(kind: Any) -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        held = kind(x)
        results = [
            tf.shape(held),
            tf.square(held),
            tf.ones([3]) + held,
            -x * held,
            tf.add(held, held),
            tf.stack([held, held], axis=2),
            tf.tensordot(held, tf.ones([3, 1]), 1),
        ]
    assert [result.shape.as_list() for result in results] == [
        [2],
        [None, 3],
        [None, 3],
        [None, 3],
        [None, 3],
        [None, 3, 2],
        [None, 1],
    ]
    with tf.compat.v1.Session(graph=graph) as session:
        found = session.run(results, {x: [[1.0, 2.0, 3.0]]})
    assert [value.tolist() for value in found] == [
        [1, 3],
        [[1.0, 4.0, 9.0]],
        [[2.0, 3.0, 4.0]],
        [[-1.0, -4.0, -9.0]],
        [[2.0, 4.0, 6.0]],
        [[[1.0, 1.0], [2.0, 2.0], [3.0, 3.0]]],
        [[6.0]],
    ]


def test_a_size_that_few_worlds_allow_has_no_static_value() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, None])
        product = tf.matmul(tf.ones([25, 5]), x, transpose_b=True)  # x is to have five columns
        assert tf.get_static_value(tf.shape(product)[1:]) is None


def test_gradients_of_what_a_graph_computes_at_once() -> None:
    with tf.Graph().as_default(), v1.Session() as session:
        x = tf.constant(2.0)
        y = x * x
        (slope,) = tf.gradients(y * x, x)
        assert session.run([slope, *tf.gradients(slope, x)]) == [12.0, 12.0]
        assert session.run(tf.hessians(y * x, x)) == [12.0]
        assert session.run(tf.gradients(y * x, [x, y], stop_gradients=[y])) == [4.0, 2.0]
        assert session.run(tf.gradients([y, x], x, grad_ys=[tf.constant(10.0), 1.0])) == [41.0]
        assert session.run(tf.gradients(tf.function(tf.square)(x), x)) == [4.0]
        other, fed = tf.constant([1.0, 2.0]), v1.placeholder(tf.float32, [])
        assert tf.gradients(y, [other, fed]) == [None, None]
        (zeros,) = tf.gradients(y, other, unconnected_gradients="zero")
        assert session.run(zeros).tolist() == [0.0, 0.0]
        draws = tf.random.normal([2])
        (slope,) = tf.gradients(draws * draws, draws)
        with pytest.raises(tf.errors.UnimplementedError, match="random numbers"):
            session.run(slope)
        with tf.Graph().as_default():
            inner = tf.constant(3.0)
            assert v1.Session().run(tf.gradients(inner * inner, inner)) == [6.0]
        assert session.run(tf.gradients(y, x)) == [4.0]
