"""The names of ``tensorflow.python`` that are public nowhere. The answers are TensorFlow's."""

from __future__ import annotations

import collections
import copy
import inspect
import logging
import pickle
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad import errors
from tapegrad.annex.tensorflow_shim import (
    batches,
    context,
    data_structures,
    deprecation,
    identity,
    internals,
    nested,
    slices,
    sparse_csr,
    specs,
    tools,
)

_TABLE = np.arange(12, dtype=np.float32).reshape(3, 4)


# --- Slices -----------------------------------------------------------------------------------------


def test_slices_of_what_acts_as_a_variable() -> None:
    class Wrapped:
        __getitem__ = slices.slice_of_variable

        def __init__(self, variable: Any) -> None:
            self.value = variable.read_value

    class Named(tf.Variable):
        __getitem__ = slices.slice_of_variable

    variable = Named([1.0, 2.0, 3.0])
    variable[:2].assign([5.0, 6.0])
    with tf.GradientTape() as tape:
        part = Wrapped(variable)[1:] * variable[0]
    assert part.numpy().tolist() == [30.0, 15.0]
    assert tf.convert_to_tensor(tape.gradient(part, variable)).numpy().tolist() == [9.0, 5.0, 5.0]


@pytest.mark.parametrize(
    ("start", "row", "column"),
    [([1, 1], 1, 1), ([2, 3], 1, 2), ([-5, 0], 0, 0), (tf.constant([0, 2], tf.int64), 0, 2)],
)
def test_a_slice_moves_to_where_it_fits(start: Any, row: int, column: int) -> None:
    wanted = _TABLE.copy()
    wanted[row : row + 2, column : column + 2] = -1
    update = -tf.ones([2, 2])
    np.testing.assert_array_equal(slices.dynamic_update_slice(_TABLE, update, start), wanted)
    got = slices.dynamic_slice(
        _TABLE, start, tf.constant([2, 2], tf.as_dtype(tf.constant(start).dtype))
    )
    np.testing.assert_array_equal(got, _TABLE[row : row + 2, column : column + 2])


def test_slices_of_nothing_and_of_scalars() -> None:
    np.testing.assert_array_equal(
        slices.dynamic_update_slice(_TABLE, tf.ones([0, 2]), [0, 0]), _TABLE
    )
    assert slices.dynamic_update_slice(5.0, 3.0, tf.zeros([0], tf.int32)).numpy() == 3.0
    inside = slices.dynamic_update_slice([np.nan, 1.0], [2.0], [0])
    np.testing.assert_array_equal(inside, [2.0, 1.0])


def test_the_tape_follows_slices() -> None:
    x, update = tf.Variable(_TABLE), tf.Variable(-tf.ones([2, 2]))
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(slices.dynamic_update_slice(x, update, [2, 1]) ** 2)
    by_x, by_update = tape.gradient(y, [x, update])
    wanted = 2 * _TABLE
    wanted[1:, 1:3] = 0
    np.testing.assert_array_equal(by_x, wanted)
    np.testing.assert_array_equal(by_update, [[-2, -2], [-2, -2]])


@pytest.mark.parametrize(
    ("update", "start", "said"),
    [
        (tf.ones([2, 2]), [1], "indices must have an int32 or int64 for each of the 2 axes"),
        (tf.ones([2, 2]), [1.0, 2.0], "indices must have an int32 or int64"),
        (tf.ones([4, 2]), [0, 0], r"a part of sizes \[4, 2\] is larger than input"),
        (tf.ones([2]), [0, 0], "must have the same rank"),
        (tf.ones([2, 2], tf.int32), [0, 0], "input is float32, update is int32"),
    ],
)
def test_slices_that_cannot_be(update: Any, start: Any, said: str) -> None:
    with pytest.raises(errors.InvalidArgumentError, match=f"dynamic_update_slice: .*{said}"):
        slices.dynamic_update_slice(_TABLE, update, start)


# --- Sparse matrices --------------------------------------------------------------------------------


def _csr(indices: Any, values: Any, shape: Any) -> sparse_csr.CSRSparseMatrix:
    indices = tf.constant(indices, tf.int64)
    return sparse_csr.sparse_tensor_to_csr_sparse_matrix(
        indices, values, tf.constant(shape, tf.int64)
    )


def _product(a: Any, b: Any, **options: bool) -> sparse_csr.CSRSparseMatrixToSparseTensor:
    dtype = a.sparse.dtype
    result = sparse_csr.sparse_matrix_sparse_mat_mul(a, b, dtype, **options)
    return sparse_csr.csr_sparse_matrix_to_sparse_tensor(result, dtype)


def test_products_of_sparse_matrices() -> None:
    a = _csr([[0, 1], [1, 0], [2, 2]], [1.0, 2.0, 3.0], [3, 3])
    indices, values, shape = _product(a, a)
    assert indices.numpy().tolist() == [[0, 0], [1, 1], [2, 2]]
    assert values.numpy().tolist() == [2.0, 2.0, 9.0]
    assert shape.numpy().tolist() == [3, 3]
    assert _product(a, a, transpose_b=True).values.numpy().tolist() == [1.0, 4.0, 9.0]


def test_batches_keep_entries_whose_terms_cancel() -> None:
    a = _csr([[0, 0, 0], [0, 0, 1], [1, 1, 1]], [1.0, 2.0, 3.0], [2, 2, 2])
    b = _csr([[0, 0, 0], [0, 1, 0], [1, 1, 1]], [2.0, -1.0, 3.0], [2, 2, 2])
    indices, values, shape = _product(a, b)
    assert indices.numpy().tolist() == [[0, 0, 0], [1, 1, 1]]
    assert values.numpy().tolist() == [0.0, 9.0]
    assert shape.numpy().tolist() == [2, 2, 2]


@pytest.mark.parametrize("options", [{}, {"transpose_a": True}, {"adjoint_b": True}], ids=repr)
@pytest.mark.parametrize("batch", [(), (3,)])
def test_products_are_those_of_dense_matrices(
    batch: tuple[int, ...], options: dict[str, bool]
) -> None:
    random = np.random.default_rng(0)
    parts = [random.standard_normal((2, *batch, 5, 5)) for _ in range(2)]
    dense = [(real + 1j * imaginary) * (abs(real) < 0.5) for real, imaginary in parts]
    a, b = (tf.sparse.from_dense(each) for each in dense)
    got = _product(
        *(_csr(each.indices, each.values, each.dense_shape) for each in (a, b)), **options
    )
    first = np.swapaxes(dense[0], -1, -2) if options.get("transpose_a") else dense[0]
    second = np.swapaxes(dense[1], -1, -2).conj() if options.get("adjoint_b") else dense[1]
    np.testing.assert_allclose(tf.sparse.to_dense(tf.SparseTensor(*got)), first @ second)


def test_products_of_empty_matrices() -> None:
    nothing = _csr(np.zeros([0, 2]), tf.zeros([0]), [2, 3])
    got = _product(nothing, _csr([[1, 1]], [1.0], [3, 4]))
    assert got.indices.shape == [0, 2]
    assert got.dense_shape.numpy().tolist() == [2, 4]


def test_the_tape_follows_sparse_products() -> None:
    values = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        a = _csr([[0, 1], [1, 0], [2, 2]], tf.identity(values), [3, 3])
        y = _product(a, a).values
    assert tape.gradient(y, values).numpy().tolist() == [4.0, 2.0, 6.0]


def test_what_is_no_sparse_matrix() -> None:
    a = _csr([[0, 1]], [1.0], [3, 3])
    multiply = sparse_csr.sparse_matrix_sparse_mat_mul
    for call, said in (
        (lambda: _csr([[0]], [1.0], [3]), "of rank 2 or 3"),
        (lambda: _csr([[0, 0]], [1], [3, 3]), "they are int32"),
        (lambda: _product(a, _csr([[0, 1]], [1.0], [4, 4])), "do not fit a product"),
        (lambda: multiply(a, a, tf.float64), "a is float32, and type is float64"),
        (lambda: multiply(a, 3, tf.float32), "b must be a matrix that"),
        (
            lambda: multiply(a, a, tf.float32, True, False, True),
            "only one of transpose and adjoint",
        ),
    ):
        with pytest.raises(errors.InvalidArgumentError, match=said):
            call()


# --- Lists and dicts --------------------------------------------------------------------------------


def test_lists_and_dicts_show_what_they_are() -> None:
    wrapped = data_structures.wrap_or_unwrap([1, {"a": 3}])
    assert repr(wrapped) == "ListWrapper([1, DictWrapper({'a': 3})])"
    assert wrapped == [1, {"a": 3}]
    assert type(wrapped[1]) is data_structures._DictWrapper
    assert (type(wrapped + [2]), type(wrapped * 2), type(wrapped[:1])) == (list, list, list)
    for change in (wrapped.append, lambda value: wrapped.insert(0, value)):
        change([2])
    wrapped.extend([[3]])
    wrapped += [[4]]
    wrapped[1] = [5]
    wrapped[2:3] = [[6]]
    assert all(type(value) is not list for value in wrapped)
    table = data_structures.wrap_or_unwrap({"a": 1})
    table["b"] = [2]
    table.update(c=[3])
    assert type(table.setdefault("d", [])) is data_structures.ListWrapper
    assert (str(table), table["b"]) == (
        "{'a': 1, 'b': ListWrapper([2]), 'c': ListWrapper([3]), 'd': ListWrapper([])}",
        [2],
    )
    for copied in (copy.deepcopy(wrapped), pickle.loads(pickle.dumps(wrapped))):
        assert type(copied) is data_structures.ListWrapper
        assert copied == wrapped


def test_wrapping_leaves_the_rest() -> None:
    wrap = data_structures.wrap_or_unwrap
    assert type(wrap(data_structures.NoDependency([1]))) is list
    wrapped = wrap([1])
    assert wrap(wrapped) is wrapped
    assert wrap((1, 2)) == (1, 2)
    assert wrap(3) == 3
    assert tf.nest.flatten(wrap([1, {"a": 2}])) == [1, 2]


# --- Specs and the context --------------------------------------------------------------------------


def test_the_registry_of_specs() -> None:
    assert specs.get_name(tf.TensorSpec) == "tf.TensorSpec"
    assert specs.lookup("tf.TensorSpec") is tf.TensorSpec

    class Own(tf.TypeSpec):
        pass

    for call, error in (
        (lambda: specs.lookup("nope"), ValueError),
        (lambda: specs.lookup(3), TypeError),
        (lambda: specs.get_name(int), TypeError),
        (lambda: specs.get_name(Own), ValueError),
        (lambda: specs.register("x"), ValueError),
        (lambda: specs.register(3), TypeError),
        (lambda: specs.register("a.b")(int), TypeError),
        (lambda: specs.register("tf.TensorSpec")(Own), ValueError),
        (lambda: specs.register("tf.Other")(tf.TensorSpec), ValueError),
    ):
        with pytest.raises(error):
            call()
    assert specs.register("tests.Own")(Own) is Own
    assert specs.lookup("tests.Own") is Own


def test_the_context() -> None:
    context.async_wait()
    context.context().clear_kernel_cache()
    assert context.context().executing_eagerly()
    assert context.context().scope_name == ""
    with tf.name_scope("a"), tf.name_scope("b/c"):
        assert context.context().scope_name == "a/b/c/"
    assert context.is_op_determinism_enabled()
    with context.eager_mode():
        assert tf.executing_eagerly()


# --- Nests ------------------------------------------------------------------------------------------

Pair = collections.namedtuple("Pair", "b a")
_NEST = {"b": [1, {"x": 2}], "a": (3, Pair(4, 5))}
_OUTLINE = {"b": None, "a": (0, 0)}


def test_paths_in_nests() -> None:
    paths = [("a", 0), ("a", 1, "b"), ("a", 1, "a"), ("b", 0), ("b", 1, "x")]
    assert list(nested.yield_flat_paths(_NEST)) == paths
    assert nested.flatten_with_tuple_paths(_NEST) == list(zip(paths, [3, 4, 5, 1, 2], strict=True))
    joined = [("a/0", 3), ("a/1/b", 4), ("a/1/a", 5), ("b/0", 1), ("b/1/x", 2)]
    assert nested.flatten_with_joined_string_paths(_NEST) == joined
    assert nested.map_structure_with_tuple_paths(lambda path, leaf: (path, leaf), _NEST) == {
        "b": [(("b", 0), 1), {"x": (("b", 1, "x"), 2)}],
        "a": ((("a", 0), 3), Pair((("a", 1, "b"), 4), (("a", 1, "a"), 5))),
    }
    assert nested.map_structure_with_paths(lambda path, leaf: path, _NEST)["a"][1].b == "a/1/b"


def test_nests_up_to_the_leaves_of_another() -> None:
    assert nested.flatten_up_to(_OUTLINE, _NEST) == [3, Pair(4, 5), [1, {"x": 2}]]
    pairs = nested.map_structure_up_to(_OUTLINE, lambda x, y: (x, y), _NEST, _NEST)
    assert pairs == {"b": (_NEST["b"], _NEST["b"]), "a": ((3, 3), (Pair(4, 5), Pair(4, 5)))}
    assert nested.map_structure_up_to(0, lambda x: x, [3]) == [3]
    assert nested.map_structure_up_to([0, 0], lambda x: x, (1, 2), check_types=False) == [1, 2]
    got = nested.map_structure_with_tuple_paths_up_to([0, 0], lambda path, x: (path, x), [[1], 2])
    assert got == [((0,), [1]), ((1,), 2)]


@pytest.mark.parametrize(
    ("outline", "inputs", "error", "said"),
    [
        (
            [0, 0],
            [[1]],
            ValueError,
            "Input structure has length 1, while shallow structure has length 2",
        ),
        ([0, 0], [(1, 2)], TypeError, "don't have the same sequence type"),
        ([0, 0], [3], TypeError, "input must also be a sequence"),
        ({"a": 0}, [{"b": 0}], ValueError, r"keys that are not in the input_tree: \['a'\]"),
        ([0, 0], [], ValueError, "Cannot map over no sequences"),
    ],
)
def test_nests_that_differ(
    outline: Any, inputs: list[Any], error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        nested.map_structure_up_to(outline, lambda *x: x, *inputs)


def test_outlines_of_nests() -> None:
    outline = nested.get_traverse_shallow_structure
    assert outline(lambda x: not isinstance(x, tuple), _NEST) == {
        "b": [True, {"x": True}],
        "a": False,
    }
    assert outline(lambda x: False, [[1], [2]]) is False
    with pytest.raises(TypeError, match="non-bool scalar: 3"):
        outline(lambda x: 3, [[1], [2]])


def test_parts_of_nests() -> None:
    assert nested.sequence_like({"b": 0, "a": 0}, [1, 2]) == {"b": 2, "a": 1}
    assert list(nested.yield_value({"b": 0, "a": 1})) == [1, 0]
    assert list(nested.yield_sorted_items({"b": 0, "a": 1})) == [("a", 1), ("b", 0)]
    assert list(nested.yield_sorted_items(Pair(1, 2))) == [("b", 1), ("a", 2)]
    assert list(nested.yield_sorted_items([5, 6])) == [(0, 5), (1, 6)]
    assert nested.list_to_tuple([1, {"a": [2]}]) == (1, {"a": (2,)})
    assert nested.is_namedtuple(Pair(1, 2))
    assert nested.is_nested_or_composite(tf.sparse.from_dense([1.0]))


# --- Deprecation, identity, shapes ------------------------------------------------------------------


def test_deprecated_things_warn_once(caplog: pytest.LogCaptureFixture) -> None:
    @deprecation.deprecated("2030-01-01", "Use g.")
    def f(a: int) -> int:
        """Says."""
        return a

    @deprecation.deprecated_args(None, "Use b.", "a", ("c", 3))
    @deprecation.deprecated_arg_values(None, "Use 1.", b=0)
    def h(a: int = 0, b: int = 1, c: int = 3) -> int:
        return a + b + c

    @deprecation.deprecated(None, "Use Other.")
    class Old:
        pass

    alias = deprecation.deprecated_alias("old_len", "len", len)
    with caplog.at_level(logging.WARNING, logger="tensorflow"):
        with deprecation.silence():
            assert f(0) == 0
        assert [f(1), f(2), h(a=1), h(b=0), h(c=3), h(c=4), alias([1])] == [1, 2, 5, 3, 4, 5, 1]
        assert isinstance(Old(), Old)
    said = [record.getMessage().splitlines()[0] for record in caplog.records]
    assert [line.rpartition(".<locals>.")[2] for line in said] == [
        "f is deprecated and will be removed after 2030-01-01.",
        "h with a is deprecated and will be removed in a future version.",
        "h with b=0 is deprecated and will be removed in a future version.",
        "h with c is deprecated and will be removed in a future version.",
        "old_len is deprecated. Use len instead.",
        "Old is deprecated and will be removed in a future version.",
    ]
    assert (f.__name__, inspect.signature(f).parameters.keys()) == ("f", {"a": 0}.keys())
    assert deprecation.deprecated_argument_lookup("new", None, "old", 3) == 3
    with pytest.raises(ValueError, match="both 'old' and 'new'"):
        deprecation.deprecated_argument_lookup("new", 1, "old", 3)
    with pytest.raises(ValueError, match="YYYY-MM-DD"):
        deprecation.deprecated("2030", "Use g.")(f)(0)


@pytest.mark.parametrize("kind", [identity.ObjectIdentitySet, identity.ObjectIdentityWeakSet])
def test_sets_by_identity(kind: Callable[..., Any]) -> None:
    class Thing:
        def __eq__(self, other: object) -> bool:
            return True

        __hash__ = None  # type: ignore[assignment]

    first, second = Thing(), Thing()
    things = kind([first, first, second])
    assert len(things) == 2
    assert first in things
    things.discard(first)
    assert (len(things), first in things) == (1, False)
    del second
    assert len(things) == (kind is identity.ObjectIdentitySet)


def test_references_and_dicts_by_identity() -> None:
    one = [1]
    assert identity.Reference(one) == identity.Reference(one) != identity.Reference([1])
    assert repr(identity.Reference(one)) == "<Reference wrapping [1]>"
    table = identity.ObjectIdentityDictionary()
    table[one] = 1
    table[[1]] = 2
    assert (table[one], len(table), list(table)) == (1, 2, [[1], [1]])
    del table[one]
    assert one not in table


def test_shapes_and_loops() -> None:
    assert tools.constant_value_as_shape(tf.constant([1, -1, 3])).as_list() == [1, None, 3]
    assert tools.constant_value_as_shape(tf.constant(-1)).rank is None
    with pytest.raises(ValueError, match="a scalar must be -1"):
        tools.constant_value_as_shape(3)
    assert tools.as_shape([1, None]).as_list() == [1, None]
    assert tools.unknown_shape(2).as_list() == [None, None]
    assert tools.unknown_shape().rank is None
    rows = tools.pfor(lambda i: tf.cast(i, tf.float32) * tf.constant([1.0, 2.0]), 3)
    assert rows.numpy().tolist() == [[0, 0], [1, 2], [2, 4]]
    got = tools.pfor(lambda i: {"a": i, "b": None}, tf.constant(2))
    assert (got["a"].numpy().tolist(), got["b"]) == ([0, 1], None)
    assert tools.pfor(lambda i: i, 0).shape == [0]
    assert tools.for_loop(lambda i: i * 2, tf.int32, 3).numpy().tolist() == [0, 2, 4]


@pytest.mark.parametrize("persistent", [True, False])
def test_a_loop_asks_a_tape_once(persistent: bool) -> None:
    x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    with tf.GradientTape(persistent=persistent) as tape:
        tape.watch(x)
        losses = tf.reduce_sum(x * x, axis=1)

    def gradient(i: Any) -> Any:
        with tape._ensure_recording():
            loss = tf.gather(losses, i)
        return tape.gradient(loss, [x, tf.constant(1.0)])

    gradients, unconnected = tools.pfor(gradient, 2)
    assert unconnected is None
    assert gradients.numpy().tolist() == [[[2, 4], [0, 0]], [[0, 0], [6, 8]]]


def test_names_devices_and_variables() -> None:
    assert tools.get_canonical_name_for_symbol(tf.math.sin) in ("math.sin", "sin")
    assert tools.get_canonical_name_for_symbol(len) is None
    assert [device.device_type for device in tools.list_local_devices()] == ["CPU"]
    value, two = tools.convert_variables_to_tensors([tf.Variable(1.0), 2])
    assert (type(value), two) == (type(tf.constant(1.0)), 2)
    assert tools.tf_export("some.name")(len) is len


def test_names_that_keras_exports() -> None:
    """Keras 2 finds its own classes and functions by them. They are not names of tf."""

    @tools.keras_export("keras.layers.Thing", "keras.Thing", v1=["keras.layers.OldThing"])
    class Thing:
        pass

    @tools.keras_export(v1=["keras.only_old"])
    @tf.__internal__.dispatch.add_dispatch_support
    def only_old() -> None:
        pass

    name_of, symbol_of = tools.get_canonical_name_for_symbol, tools.get_symbol_from_name
    assert name_of(Thing, api_name="keras") == "keras.layers.Thing"
    assert name_of(only_old, "keras") == "keras.only_old"
    assert name_of(only_old, "keras", True) == "compat.v1.keras.only_old"
    assert name_of(tf.nn.leaky_relu, api_name="keras") is None
    assert name_of(Thing) is None
    assert symbol_of("keras.Thing") is symbol_of("keras.layers.Thing") is Thing
    assert symbol_of("compat.v1.keras.layers.OldThing") is Thing
    assert symbol_of("keras.only_old") is symbol_of("keras.layers.Nothing") is None
    assert symbol_of("nn.leaky_relu") is tf.nn.leaky_relu


def test_sizes_of_batches() -> None:
    numbers = tf.data.Dataset.range(10)
    fours = numbers.batch(4)
    for dataset, size in (
        (fours, 4),
        (numbers.batch(4, drop_remainder=True), 4),
        (fours.shuffle(3).repeat(2).take(1).cache().prefetch(2).filter(lambda x: True), 4),
        (fours.map(lambda x: x + 1), -1),
        (fours.batch(2), 2),
        (numbers.padded_batch(3), 3),
        (tf.data.Dataset.zip((fours, fours)), 4),
        (tf.data.Dataset.zip((fours, numbers.batch(3))), -1),
        (fours.concatenate(fours), 4),
        (fours.concatenate(numbers.batch(3)), -1),
        (tf.data.Dataset.from_tensors(tf.ones([3, 2])), 3),
        (numbers.map(lambda x: tf.ones([3])), 3),
    ):
        got = batches.compute_batch_size(dataset)
        assert (got.numpy(), got.dtype) == (size, tf.int64)
    with pytest.raises(ValueError, match="the elements must be batches"):
        batches.compute_batch_size(numbers)


@pytest.mark.parametrize(
    "spec",
    [
        tf.TensorSpec([1, None], tf.float32),
        tf.RaggedTensorSpec([2, None], tf.int32),
        tf.SparseTensorSpec([2, None], tf.float64),
        tf.IndexedSlicesSpec([2, None], tf.float32),
    ],
)
def test_specs_are_found_by_their_names(spec):
    from tapegrad.annex.tensorflow_shim import specs

    name = specs.get_name(type(spec))
    assert name == f"tf.{type(spec).__name__}"
    assert specs.lookup(name)._deserialize(spec._serialize()) == spec
    with pytest.raises(ValueError, match="No TypeSpec has been registered with name 'x'"):
        specs.lookup("x")


def test_a_case_of_predicates_of_python() -> None:
    """TensorFlow Probability's `prefer_static.case` calls it so."""
    pairs = [(np.bool_(False), lambda: 1), (tf.constant(False), lambda: 2), (True, lambda: 3)]
    for exclusive in (False, True):
        found = tools._case_helper(tf.cond, pairs, None, exclusive, "a", allow_python_preds=True)
        assert found == 3
    with pytest.raises(TypeError, match="must be a Tensor"):
        tools._case_helper(tf.cond, pairs, None, False, "a")


# --- Arguments of calls -----------------------------------------------------------------------------


def test_the_arguments_of_a_call_by_name() -> None:
    class Layer:
        def call(self, x: Any, y: int = 2, *, z: int = 3, **more: Any) -> None: ...

    layer = Layer()
    assert tools.getcallargs(layer.call, 1, training=True) == {
        "self": layer, "x": 1, "y": 2, "z": 3, "training": True,
    }  # fmt: skip
    assert tools.getcallargs(Layer.call, layer, y=5, x=4) == {"self": layer, "x": 4, "y": 5, "z": 3}
    decorated = tf.function(lambda x, y: x)
    assert tools.getcallargs(decorated, 1) == {"x": 1}  # nothing is refused


# What TensorFlow Probability relies on


def test_a_constant_in_a_function_says_which_graph_it_is_in() -> None:
    found = []

    @tf.function
    def function(x: Any) -> Any:
        constant = tf.constant(1.0)
        found.append(
            (constant.graph is tf.compat.v1.get_default_graph(), x.graph is constant.graph)
        )
        return x + constant

    function(tf.ones([2]))
    function.get_concrete_function(tf.TensorSpec([3]))
    assert found
    assert all(pair == (True, True) for pair in found)
    with tf.Graph().as_default() as graph:
        assert tf.constant(1.0).graph is graph
    assert not hasattr(tf.constant(1.0), "graph")


@pytest.mark.parametrize("draw", [tf.random.normal, tf.random.uniform, tf.random.truncated_normal])
def test_a_seed_of_two_integers_is_refused_in_tensorflows_words(draw: Any) -> None:
    with pytest.raises(TypeError, match="Expected int for argument 'seed2' not"):
        draw([2], seed=tf.constant([1, 2]))
    assert draw([2], seed=tf.constant(3)).shape == [2]


def test_specs_of_libraries_are_equal_by_keys() -> None:
    class Spec(tf.TypeSpec):
        value_type = property(lambda self: object)
        _component_specs: Any = property(lambda self: ())

        def _serialize(self) -> tuple[Any, ...]:
            return ()

        def _to_components(self, value: Any) -> Any:
            return ()

        def _from_components(self, components: Any) -> Any:
            return object()

        def key(self, value: Any) -> Any:
            return self._TypeSpec__make_cmp_key(value)

    values = [
        [1, 2],
        (1, 2),
        {"b": [1], "a": 2},
        {"b": [1], "a": 3},
        np.zeros([2]),
        np.zeros([1, 2]),
        np.zeros([2], np.int64),
        tf.TensorShape([2]),
        tf.TensorShape([3]),
        tf.float32,
        tf.TensorSpec([2]),
    ]
    keys = [Spec().key(value) for value in values]
    assert len(set(keys)) == len(values)
    assert keys == [Spec().key(value) for value in values]


def test_hints_say_whether_an_operator_is_square() -> None:
    triangle = tf.linalg.LinearOperatorLowerTriangular([[1.0, 9.0], [2.0, 4.0]])
    assert triangle._get_diag().numpy().tolist() == [1.0, 4.0]
    full = tf.linalg.LinearOperatorFullMatrix
    assert tf.linalg.LinearOperatorLowerTriangular(tf.ones([2, 3])).is_square
    assert full(tf.ones([2, 3]), is_square=True).is_square
    assert not full(tf.ones([2, 3])).is_square
    with pytest.raises(ValueError, match="said not to be square"):
        assert full(tf.ones([2, 2]), is_square=False).is_square


def test_variables_within_composites_of_libraries_become_tensors() -> None:
    class Holder:
        def __init__(self, value: Any) -> None:
            self.value = value

        def _convert_variables_to_tensors(self) -> Holder:
            return Holder(tools.convert_variables_to_tensors(self.value))

    found, plain = tools.convert_variables_to_tensors([Holder((tf.Variable(1.0), "a")), 2])
    assert tf.is_tensor(found.value[0])
    assert not isinstance(found.value[0], tf.Variable)
    assert (found.value[1], plain) == ("a", 2)


def test_none_has_a_spec() -> None:
    assert repr(tf.type_spec_from_value(None)) == "NoneTensorSpec()"


# --- Initializers -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("GlorotNormal", [0.8327432, 0.1377676, -0.09331173, 0.652028, 0.9178149, -0.7560331]),
        ("glorot_uniform", [-0.9599314, 0.7266506, 1.037555, -0.340134, 0.02279973, -0.3130291]),
        ("he_normal", [1.316683, 0.2178297, -0.1475388, 1.030947, 1.451193, -1.195393]),
        ("he_uniform", [-1.517785, 1.148935, 1.640519, -0.5377991, 0.0360496, -0.4949424]),
        ("lecun_normal", [0.9310352, 0.1540289, -0.1043257, 0.7289894, 1.026148, -0.8452708]),
        ("lecun_uniform", [-1.073236, 0.81242, 1.160022, -0.3802814, 0.02549088, -0.3499772]),
        (
            "truncated_normal",
            [0.05790939, 0.009580432, -0.006488945, 0.04534236, 0.06382532, -0.05257493],
        ),
        ("VarianceScaling", [0.9310352, 0.1540289, -0.1043257, 0.7289894, 1.026148, -0.8452708]),
        (
            "orthogonal_initializer",
            [-0.9115978, 0.08498193, 0.4022033, -0.4083264, -0.07406681, -0.9098262],
        ),
    ],
)
def test_initializers_of_init_ops_v2_draw_by_their_seed(name: str, wanted: list[float]) -> None:
    made = internals.value_of("python.ops.init_ops_v2", name)(seed=5)
    for _ in range(2):
        np.testing.assert_allclose(made([2, 3]).numpy().ravel(), wanted, rtol=1e-5)
    assert made([2, 3], tf.float64).dtype == tf.float64
    again = type(made).from_config(made.get_config())
    np.testing.assert_array_equal(again([2, 3]), made([2, 3]))
    assert isinstance(made, internals.value_of("python.ops.init_ops_v2", "Initializer"))
    with pytest.raises(ValueError, match="Expected floating point type"):
        made([2, 3], tf.int32)


def test_initializers_of_init_ops_v2_without_a_seed_go_on() -> None:
    glorot, identity = (
        internals.value_of("python.ops.init_ops_v2", name) for name in ("glorot_normal", "Identity")
    )
    tf.random.set_seed(3)
    made = glorot()
    first = made([4, 2]).numpy()
    np.testing.assert_allclose(first[0], [-0.5445399, -1.198923], rtol=1e-5)
    assert not np.allclose(made([4, 2]), first)
    np.testing.assert_array_equal(identity(2.0)([2, 3]), [[2.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    assert glorot is internals.value_of("python.ops.init_ops_v2", "GlorotNormal")
