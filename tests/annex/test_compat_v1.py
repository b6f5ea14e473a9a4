"""``tf.compat.v1``: arguments of TensorFlow 1.x, variables, losses, loops, with TensorFlow's answers."""

from __future__ import annotations

import gzip
import inspect
import json
import logging
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import golden
import tapegrad as tf
from tapegrad.annex.v1 import functions
from tapegrad.framework.docstrings import documented_arguments
from tapegrad.lazy import read_table
from tapegrad.names import NAMES

v1: Any = tf.compat.v1
X = [[1.0, 2.0], [3.0, 4.0]]
IMAGE, FILTER = np.ones((1, 4, 4, 1), np.float32), np.ones((2, 2, 1, 3), np.float32)
SPARSE = ([[0, 1], [1, 2]], [1.5, -2.0], [2, 3])


def sparse() -> Any:
    return tf.SparseTensor(*SPARSE)


def value(result: Any) -> Any:
    if isinstance(result, (list, tuple)):
        return [value(part) for part in result]
    return result.numpy().tolist()


def test_every_row_is_public_and_every_public_function_has_a_row() -> None:
    words = [
        word.rpartition("=")[2]
        for entries in NAMES.values()
        for module, names in entries
        if module == "annex.v1.functions"
        for word in names.split()
    ]
    assert set(words) == set(functions.ROWS)


# Defaults that differ, and why.
_OTHER_DEFAULTS = {
    "gradients(unconnected_gradients)": "None is the one of today's function, UnconnectedGradients.NONE",
    "sparse_concat(expand_nonconcat_dim)": "False, beside the new word for it, would count as given",
    "sparse_split(keyword_required)": "an object of TensorFlow's that only marks what follows it",
}


def test_signatures_are_those_of_tensorflow() -> None:
    """Names, order and defaults of the arguments."""
    recorded = json.loads(gzip.decompress((golden.FOLDER / "v1.json.gz").read_bytes()))
    assert inspect.getfullargspec(v1.reduce_sum).annotations == {}
    different = set()
    for namespace, entries in NAMES.items():
        for public, (module, name) in read_table(entries).items():
            if module != "annex.v1.functions":
                continue
            signature = inspect.signature(getattr(functions, name))
            ours = {
                each.name: None if each.default is each.empty else repr(each.default)
                for each in signature.parameters.values()
            }
            theirs = recorded[f"{namespace}.{public}"]
            assert list(ours) == list(theirs), f"{namespace}.{public}"
            different |= {f"{name}({each})" for each in ours if ours[each] != theirs[each]}
    assert different == _OTHER_DEFAULTS.keys()


def test_help_has_the_descriptions_of_todays_function() -> None:
    assert v1.gfile.Copy.__doc__.startswith("``tf.io.gfile.copy``, by the arguments")
    described = documented_arguments(v1.gfile.Copy.__doc__)
    assert described["oldpath"] == documented_arguments(tf.io.gfile.copy.__doc__)["src"]
    # Words that stand for other arguments are replaced within descriptions too.
    assert described["overwrite"] == "whether ``newpath`` may exist, and loses its contents then."


def test_help_says_of_two_words_for_one_argument_which_is_older() -> None:
    described = documented_arguments(v1.reduce_sum.__doc__)
    assert described["axis"] == documented_arguments(tf.reduce_sum.__doc__)["axis"]
    assert described["keep_dims"] == "the older name of ``keepdims``: pass only one of the two."
    described = documented_arguments(v1.nn.softmax_cross_entropy_with_logits.__doc__)
    assert described["dim"] == (
        "the older name of ``axis``, -1 if left out. Whoever passes ``axis`` passes None here."
    )
    described = documented_arguments(v1.ones_like.__doc__)
    assert described["optimize"] == "accepted, and of no effect."


@pytest.mark.parametrize("name", ["dense", "conv2d_transpose", "separable_conv1d", "max_pooling2d"])
def test_help_on_a_layer_in_one_call_describes_its_arguments(name: str) -> None:
    function = getattr(v1.layers, name)
    described = documented_arguments(function.__doc__)
    assert [*described] == [*inspect.signature(function).parameters]


# --- Other names and another order of arguments -----------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (lambda: v1.reduce_sum(X, 1, True), [[3.0], [7.0]]),
        (lambda: v1.reduce_mean(X, reduction_indices=1, keep_dims=True), [[1.5], [3.5]]),
        (lambda: v1.math.reduce_all([True, False]), False),
        (lambda: v1.argmax(X, dimension=1), [1, 1]),
        (lambda: v1.argmax([[3, 1]], 1, "name", None, tf.int32), [0]),
        (lambda: v1.boolean_mask(X, [True, False], "name", 1), [[1.0], [3.0]]),
        (lambda: v1.gather(X, [1], axis=1), [[2.0], [4.0]]),
        (lambda: v1.gather_nd(X, [[1, 0]]), [3.0]),
        (lambda: v1.pad(X, [[0, 1], [0, 0]], "CONSTANT", None, 7), [*X, [7.0, 7.0]]),
        (lambda: v1.shape(X, out_type=tf.int64), [2, 2]),
        (lambda: v1.size(X, None, tf.int64), 4),
        (lambda: v1.squeeze([[1]], squeeze_dims=[0]), [1]),
        (lambda: v1.transpose(X, None, "name"), [[1.0, 3.0], [2.0, 4.0]]),
        (lambda: v1.zeros_like(tensor=X, dtype=tf.int32), [[0, 0], [0, 0]]),
        (lambda: v1.norm([[3.0, 4.0]], axis=1, keep_dims=True), [[5.0]]),
        (lambda: v1.count_nonzero(X, keep_dims=True, reduction_indices=0), [[2, 2]]),
        (lambda: v1.count_nonzero(input=X), 4),
        (lambda: v1.math.in_top_k(X, [0, 1], 1), [False, True]),
        (lambda: v1.nn.in_top_k(predictions=X, targets=[0, 1], k=1), [False, True]),
        (lambda: v1.convert_to_tensor(1, preferred_dtype=tf.float32), 1.0),
        (lambda: v1.confusion_matrix([0, 1], [1, 1]), [[0, 1], [0, 1]]),
        (lambda: v1.bincount([0, 1, 1]), [1, 2]),
        (
            lambda: v1.reverse_sequence(X, [1, 2], seq_dim=1, batch_dim=0),
            [[1.0, 2.0], [4.0, 3.0]],
        ),
        (lambda: v1.sparse_reduce_sum(sparse(), reduction_axes=1), [1.5, -2.0]),
        (lambda: v1.sparse_add(sparse(), sparse(), thresh=3.5).values, [-4.0]),
        (lambda: v1.sparse_concat(None, [sparse()] * 2, concat_dim=1).dense_shape, [2, 6]),
        (
            lambda: [
                part.dense_shape for part in v1.sparse_split(sp_input=sparse(), num_split=2, axis=0)
            ],
            [[1, 3], [1, 3]],
        ),
        (lambda: v1.tuple([X[0]]), [X[0]]),
        (lambda: v1.nn.max_pool(IMAGE, [1, 2, 2, 1], [1, 2, 2, 1], "SAME")[0, :, :, 0], [[1.0] * 2] * 2),
        (lambda: v1.nn.avg_pool(None, 4, 4, "VALID", input=IMAGE), [[[[1.0]]]]),
        (lambda: v1.nn.softmax([[0.0, 0.0]], dim=0), [[1.0, 1.0]]),
        (lambda: v1.nn.moments(X, [0], keep_dims=True), [[[2.0, 3.0]], [[1.0, 1.0]]]),
        (lambda: v1.to_int32([1.7]), [1]),
        (lambda: v1.lin_space(0.0, 1.0, 3), [0.0, 0.5, 1.0]),
        (lambda: v1.floor_div(7, 2), 3),
        (lambda: v1.log([1.0]), [0.0]),
    ],
)  # fmt: skip
def test_values(call: Callable[[], Any], expected: Any) -> None:
    assert value(call()) == expected


@pytest.mark.parametrize(
    ("call", "shape"),
    [
        (lambda: v1.nn.conv2d(IMAGE, FILTER, [1, 1, 1, 1], "SAME"), [1, 4, 4, 3]),
        (lambda: v1.nn.conv2d(IMAGE, filters=FILTER, strides=1, padding="VALID"), [1, 3, 3, 3]),
        (lambda: v1.nn.convolution(IMAGE, FILTER, "SAME", dilation_rate=[2, 2]), [1, 4, 4, 3]),
        (lambda: v1.nn.depthwise_conv2d(IMAGE, FILTER, [1] * 4, "SAME", rate=[1, 1]), [1, 4, 4, 3]),
        (
            lambda: v1.nn.depthwise_conv2d_native(
                IMAGE, FILTER, [1] * 4, "VALID", dilations=[1, 2, 3, 1]
            ),
            [1, 2, 1, 3],
        ),
        (lambda: v1.nn.pool(IMAGE, [2, 2], "MAX", "SAME"), [1, 4, 4, 1]),
        (
            lambda: v1.nn.conv2d_transpose(
                IMAGE, FILTER.transpose(0, 1, 3, 2), [1, 8, 8, 3], [1, 2, 2, 1]
            ),
            [1, 8, 8, 3],
        ),
        (
            lambda: v1.nn.conv1d(IMAGE[0].reshape(1, 16, 1), FILTER.reshape(4, 1, 3), 1, "SAME"),
            [1, 16, 3],
        ),
        (lambda: v1.depth_to_space(np.ones((1, 1, 1, 4)), 2), [1, 2, 2, 1]),
        (lambda: v1.batch_to_space(np.ones((4, 1, 1, 1)), [[0, 0], [0, 0]], 2), [1, 2, 2, 1]),
        (lambda: v1.space_to_batch(IMAGE, [[0, 0], [0, 0]], 2), [4, 2, 2, 1]),
        (lambda: v1.random_poisson([1.0, 2.0], [3]), [3, 2]),
        (lambda: v1.multinomial([[0.0, 1.0]], 3), [1, 3]),
        (lambda: v1.random_normal([2], 1.0), [2]),
        (lambda: v1.expand_dims(X, dim=0), [1, 2, 2]),
    ],
)
def test_shapes(call: Callable[[], Any], shape: list[int]) -> None:
    assert call().shape == shape


@pytest.mark.parametrize(
    "call",
    [
        lambda: v1.reduce_sum(X, axis=0, reduction_indices=1),
        lambda: v1.reduce_sum(X, keepdims=True, keep_dims=True),
        lambda: v1.argmax(X, axis=1, dimension=1),
        lambda: v1.convert_to_tensor(1, dtype_hint=tf.float32, preferred_dtype=tf.float64),
        lambda: v1.expand_dims(X, 0, dim=0),
        lambda: v1.nn.max_pool(IMAGE, 2, 2, "VALID", input=IMAGE),
        lambda: v1.nn.dropout(X, 0.5, rate=0.5),
    ],
)
def test_two_words_for_one_argument(call: Callable[[], Any]) -> None:
    with pytest.raises(ValueError, match="Cannot specify both '"):
        call()


def test_arguments_that_are_not_there() -> None:
    with pytest.raises(TypeError, match=r"argmax\(\) got an unexpected keyword argument 'axes'"):
        v1.argmax(X, axes=1)
    with pytest.raises(TypeError, match=r"argmax\(\) missing a required argument: 'input'"):
        v1.argmax()
    with pytest.raises(ValueError, match="Must specify an axis argument"):
        v1.expand_dims(X)


# --- What does something else -------------------------------------------------------------------------


def test_constants() -> None:
    assert value(v1.constant(1, shape=[2])) == [1, 1]
    with pytest.raises(TypeError, match=r"shape \(2,\), but got shape \(1,\)"):
        v1.constant([1], shape=[2], verify_shape=True)
    assert value(v1.sparse_to_dense([[0, 1]], [2, 2], 5)) == [[0, 5], [0, 0]]


def test_dropout_keeps() -> None:
    assert value(v1.nn.dropout(X, 1.0)) == value(v1.nn.dropout(X, rate=0.0)) == X
    for call in (lambda: v1.nn.dropout(X), lambda: v1.nn.dropout(X, keep_prob=0.0)):
        with pytest.raises(ValueError, match="rate"):
            call()


def test_loops_of_one_variable() -> None:
    assert value(v1.while_loop(lambda i: i < 3, lambda i: i + 1, [0])) == 3
    assert value(v1.while_loop(lambda i, j: i < 3, lambda i, j: (i + 1, j), [0, 1])) == [3, 1]
    assert value(v1.while_loop(lambda i: i < 3, lambda i: i + 1, [0], maximum_iterations=2)) == 2


def test_beam_search_leaves_repetitions_out() -> None:
    odds = [[[0.6, 0.3, 0.1]], [[0.1, 0.1, 0.8]], [[0.6, 0.3, 0.1]], [[0.3, 0.6, 0.1]]]
    logits = tf.math.log(tf.constant(odds))

    def parts(path: Any) -> Any:
        return value([path.indices, path.values, path.dense_shape])

    paths, _ = v1.nn.ctc_beam_search_decoder(logits, [4], top_paths=2)
    assert [parts(path) for path in paths] == [[[[0, 0], [0, 1]], [0, 1], [1, 2]]] * 2
    paths, _ = v1.nn.ctc_beam_search_decoder(logits, [4], top_paths=2, merge_repeated=False)
    assert parts(paths[1]) == [[[0, 0], [0, 1], [0, 2]], [0, 0, 1], [1, 3]]


def test_programs_run_eagerly() -> None:
    assert v1.executing_eagerly()
    assert v1.executing_eagerly_outside_functions()
    assert (
        v1.enable_eager_execution() is v1.enable_v2_behavior() is v1.reset_default_graph() is None
    )
    with v1.device(None), v1.device("/cpu:0"):
        assert v1.control_flow_v2_enabled()
    with pytest.raises(RuntimeError, match="the only one here"):
        v1.disable_v2_behavior()


def test_name_scopes() -> None:
    with v1.name_scope("a") as outer, v1.name_scope(None, "b") as inner:
        assert (outer, inner) == ("a/", "a/b/")
    with pytest.raises(TypeError, match="`name` must be a string"):
        v1.name_scope(3)


# --- Variables ------------------------------------------------------------------------------------------


def test_variables() -> None:
    made = v1.Variable([1.0, 2.0], trainable=False, name="w", collections=["c"], use_resource=True)
    assert isinstance(made, tf.Variable)
    assert (made.name, made.trainable) == ("w:0", False)


def test_assignments() -> None:
    v = tf.Variable([1.0, 2.0])
    v1.assign_add(v, [1.0, 1.0])
    v1.assign_sub(v, [0.5, 0.5])
    assert value(v) == [1.5, 2.5]
    assert value(v1.scatter_add(v, [0], [1.0])) == [2.5, 2.5]
    assert value(v1.scatter_update(v, [0], [9.0])) == [9.0, 2.5]
    assert value(v1.scatter_nd_update(v, [[1]], [7.0])) == [9.0, 7.0]
    assert value(v1.assign(v, [0.0, 1.0])) == [0.0, 1.0]


def test_get_variable() -> None:
    assert v1.get_variable("a", [2, 3]).shape == [2, 3]
    assert v1.get_variable("a", initializer=tf.constant([1, 2])).dtype == tf.int32
    assert value(v1.get_variable("a", [2], tf.int32)) == [0, 0]
    assert value(v1.get_variable("a", [2], tf.string)) == [b"", b""]
    with pytest.raises(ValueError, match="`shape` argument must be specified"):
        v1.get_variable("a")
    with pytest.raises(ValueError, match="If initializer is a constant, do not specify shape"):
        v1.get_variable("a", [2], initializer=1.0)
    with pytest.raises(
        ValueError, match=r"initializer of variable a is of int32.*is to be float32"
    ):
        v1.get_variable("a", dtype=tf.float32, initializer=1)
    with v1.variable_scope("doubles", dtype=tf.float64):
        assert v1.get_variable("a", initializer=1).dtype == tf.int32


def test_scopes_of_variables() -> None:
    with (
        v1.variable_scope("s") as outer,
        v1.variable_scope("u", reuse=v1.AUTO_REUSE, initializer=v1.ones_initializer()) as inner,
    ):
        x = v1.get_variable("x", [1])
        assert v1.get_variable_scope() is inner
        assert x is not v1.get_variable("x", [1])
    assert (outer.name, inner.name, inner.original_name_scope) == ("s", "s/u", "s/u/")
    assert (x.name, value(x)) == ("s/u/x:0", [1.0])
    with v1.variable_scope(inner, dtype=tf.float64):
        assert v1.get_variable("k", [1]).dtype == tf.float64
    with v1.variable_scope(None, default_name="d") as first:
        pass
    with v1.variable_scope(None, default_name="d") as second:
        pass
    assert second.name != first.name
    assert (v1.get_variable_scope().name, v1.get_variable_scope().dtype) == ("", tf.float32)
    with pytest.raises(TypeError, match="must be a string or VariableScope"):
        v1.variable_scope(3)


def test_scopes_take_new_defaults() -> None:
    with v1.variable_scope("s") as scope:
        scope.set_partitioner(len)
        assert scope.partitioner is len
        scope.set_custom_getter(lambda getter, name, **kwargs: f"{name} {kwargs['dtype'].name}")
        assert v1.get_variable("w", [2]) == "s/w float32"
        scope.set_use_resource(True)
        with pytest.raises(ValueError, match="takes True"):
            scope.set_use_resource(False)
        with pytest.raises(NotImplementedError, match=r"works in a tf\.function alone"):
            scope.set_caching_device("/cpu:0")
        tf.function(lambda: scope.set_caching_device("/cpu:0"))()
        assert scope.caching_device == "/cpu:0"


def test_a_getter_of_the_scope_makes_variables() -> None:
    def doubled(getter: Any, name: str, **options: Any) -> Any:
        return getter(name, **options) * 2.0

    with v1.variable_scope("s", custom_getter=doubled):
        made = v1.get_variable("x", [2], initializer=v1.ones_initializer())
    assert value(made) == [2.0, 2.0]


def test_initializers() -> None:
    assert value(v1.constant_initializer([1, 2], tf.int32)([2])) == [1, 2]
    assert value(v1.random_normal_initializer(stddev=0.0, mean=2.0)([2])) == [2.0, 2.0]
    assert value(v1.random_uniform_initializer(0.0, 0.0)([2])) == [0.0, 0.0]
    assert v1.random_normal_initializer()([2], dtype=tf.float64).dtype == tf.float64
    assert value(v1.zeros_initializer()([2], tf.int32, None)) == [0, 0]
    assert v1.random_normal_initializer().get_config() == {
        "mean": 0.0,
        "stddev": 1.0,
        "seed": None,
        "dtype": "float32",
    }
    matrix = v1.orthogonal_initializer(gain=2.0)([3, 5])
    np.testing.assert_allclose(
        tf.matmul(matrix, matrix, transpose_b=True), 4 * np.eye(3), atol=1e-5
    )
    bound = np.sqrt(6 / 300)
    drawn = v1.glorot_uniform_initializer()([100, 200]).numpy()
    assert bound * 0.99 < np.abs(drawn).max() <= bound
    normal = v1.variance_scaling_initializer(2.0)([400, 100]).numpy()
    assert abs(normal.std() - np.sqrt(2 / 400)) < 0.002
    with pytest.raises(ValueError, match="at least two-dimensional"):
        v1.orthogonal_initializer()([3])


# --- Losses and optimizers ------------------------------------------------------------------------------

REDUCED = {
    "weighted_sum": 24.0,
    "weighted_mean": 3.0,
    "weighted_sum_over_batch_size": 6.0,
    "weighted_sum_by_nonzero_weights": 6.0,
    "none": [[1.0, 2.0], [9.0, 12.0]],
}


@pytest.mark.parametrize("reduction", REDUCED)
def test_reductions(reduction: str) -> None:
    loss = v1.losses.compute_weighted_loss(X, weights=[[1.0], [3.0]], reduction=reduction)
    assert value(loss) == REDUCED[reduction]
    assert reduction in v1.losses.Reduction.all()


def test_losses() -> None:
    losses, x = v1.losses, tf.constant(X)
    onehot = [[0.0, 1.0], [1.0, 0.0]]
    for loss, expected in (
        (losses.sparse_softmax_cross_entropy([0, 1], x), 0.81326163),
        (losses.sparse_softmax_cross_entropy([[0], [1]], x, reduction="weighted_sum"), 1.6265233),
        (losses.sparse_softmax_cross_entropy([0, 1], x, weights=[1.0, 0.0]), 1.3132616),
        (losses.softmax_cross_entropy(onehot, x), 0.81326163),
        (losses.sigmoid_cross_entropy(x, x), -4.873268),
        (losses.mean_squared_error(x, x + 1), 1.0),
        (losses.absolute_difference(x, x + 2.0, weights=tf.constant([[1.0], [0.0]])), 2.0),
        (losses.huber_loss(x, x + 2.0), 1.5),
        (losses.log_loss(x, x / 5), -0.32616276),
        (losses.hinge_loss(x, x), 0.0),
        (losses.compute_weighted_loss(x, weights=0.0), 0.0),
    ):
        np.testing.assert_allclose(loss, expected, rtol=1e-6)


def test_losses_that_cannot_be() -> None:
    with pytest.raises(ValueError, match="Invalid Reduction Key x"):
        v1.losses.compute_weighted_loss(X, reduction="x")
    with pytest.raises(ValueError, match="weights can not be broadcast to values"):
        v1.losses.compute_weighted_loss(X, weights=[1.0, 2.0, 3.0])
    with pytest.raises(ValueError, match="must not be None"):
        v1.losses.mean_squared_error(None, X)


def test_each_graph_has_its_own_collections() -> None:
    v1.add_to_collection("a", 1)
    with tf.Graph().as_default() as graph:
        assert v1.get_collection("a") == []
        v1.add_to_collections(["a", "a", "b"], 2)
        assert (v1.get_collection("a"), graph.get_collection("a", "x")) == ([2], [])
        graph.get_collection_ref("c").append(3)
    assert (v1.get_collection("a"), v1.get_collection("c")) == ([1], [])
    assert graph.collections == graph.get_all_collection_keys() == ["a", "b", "c"]
    graph.clear_collection("a")
    graph.clear_collection("never there")
    assert graph.get_all_collection_keys() == ["b", "c"]

    @tf.function
    def of_the_program() -> None:
        assert v1.get_collection("a") == [1]

    of_the_program()
    v1.reset_default_graph()
    assert v1.get_collection("a") == []


def test_variables_enter_the_collections_of_their_graph() -> None:
    """As in TensorFlow, where the same program gives the same names."""
    with tf.Graph().as_default() as graph:
        tf.Variable(1.0, name="a")
        v1.Variable(2.0, trainable=False, name="b")
        v1.get_variable("c", shape=[2])
        v1.get_local_variable("d", shape=[2])
        v1.Variable(3.0, name="e", collections=["mine"])
        v1.train.get_or_create_global_step()
        v1.get_variable(
            "f", shape=[], trainable=False, collections=["x", v1.GraphKeys.GLOBAL_VARIABLES]
        )
        with tf.variable_creator_scope(lambda make, **options: make(**options)):
            tf.Variable(1.0, name="g")
        v1.get_local_variable("h", shape=[], collections=["x"])
        with tf.init_scope():
            tf.Variable(1.0, name="outside")
        names = {
            key: [variable.name for variable in graph.get_collection(key)]
            for key in graph.collections
        }
        assert [v.name for v in v1.trainable_variables("e")] == ["e:0"]
    assert names == {
        "variables": ["a:0", "b:0", "c:0", "global_step:0", "f:0", "g:0"],
        "trainable_variables": ["a:0", "c:0", "e:0", "g:0"],
        "local_variables": ["d:0", "h:0"],
        "mine": ["e:0"],
        "global_step": ["global_step:0"],
        "x": ["f:0", "h:0"],
    }
    tf.Variable(1.0)
    assert v1.global_variables() == v1.trainable_variables() == []


def test_each_graph_has_its_own_counter_of_steps() -> None:
    assert v1.train.get_global_step() is None
    counter = v1.train.create_global_step()
    assert v1.train.get_or_create_global_step() is v1.train.get_global_step() is counter
    with pytest.raises(ValueError, match='"global_step" already exists'):
        v1.train.create_global_step()
    graph = tf.Graph()
    with tf.Graph().as_default():
        assert v1.train.get_global_step() is None
        other = v1.train.get_or_create_global_step(graph)
        assert v1.train.get_global_step() is None
    assert v1.train.get_global_step(graph) is other is not counter
    with pytest.raises(ValueError, match='"global_step" already exists'):
        v1.train.create_global_step(graph)


def test_gradient_descent() -> None:
    optimizer, v = v1.train.GradientDescentOptimizer(0.1), tf.Variable(3.0)
    step = tf.Variable(5, dtype=tf.int64)
    optimizer.minimize(lambda: v * v, global_step=step, var_list=[v])
    assert (v.numpy(), step.numpy()) == (np.float32(2.4), 6)
    optimizer.minimize(lambda: v * v)
    np.testing.assert_allclose(v, 1.92, rtol=1e-6)
    ((gradient, variable),) = optimizer.compute_gradients(lambda: v * v, [v])
    assert variable is v
    np.testing.assert_allclose(gradient, 3.84, rtol=1e-6)
    rows = tf.Variable([1.0, 2.0])
    slices = tf.IndexedSlices(tf.constant([1.0]), tf.constant([1]), tf.constant([2]))
    optimizer.apply_gradients([(slices, rows)])
    np.testing.assert_allclose(rows, [1.0, 1.9])
    v1.train.GradientDescentOptimizer(lambda: 0.5).apply_gradients([(tf.ones(2), rows)])
    np.testing.assert_allclose(rows, [0.5, 1.4])
    assert optimizer.get_name() == "GradientDescent"


def test_steps_that_cannot_be() -> None:
    optimizer, v = v1.train.GradientDescentOptimizer(0.1), tf.Variable(3.0)
    with pytest.raises(RuntimeError, match="should be a function when eager execution is enabled"):
        optimizer.compute_gradients(v * v, [v])
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        optimizer.apply_gradients([(None, v)])
    with pytest.raises(ValueError, match="No variables provided"):
        optimizer.apply_gradients([])


def test_logging(caplog: pytest.LogCaptureFixture) -> None:
    logs = v1.logging
    assert (logs.DEBUG, logs.INFO, logs.WARN, logs.ERROR, logs.FATAL) == (10, 20, 30, 40, 50)
    before = logs.get_verbosity()
    logs.set_verbosity(logs.INFO)
    assert logs.get_verbosity() == logging.INFO
    with caplog.at_level(logging.INFO, logger="tensorflow"):
        for i in range(4):
            logs.log_first_n(logs.INFO, "first %d", 2, i)
            logs.log_every_n(logs.WARN, "every %d", 3, i)
        logs.debug("not shown")
        logs.log_if(logs.ERROR, "if", False)
    assert [record.getMessage() for record in caplog.records] == [
        "first 0", "every 0", "first 1", "every 3",
    ]  # fmt: skip
    logs.set_verbosity(before)


@pytest.mark.parametrize(
    ("loss", "expected"),
    [
        (v1.nn.nce_loss, tf.nn.nce_loss),
        (v1.nn.sampled_softmax_loss, tf.nn.sampled_softmax_loss),
    ],
)
def test_sampled_losses_spread_classes_over_tables(loss: Any, expected: Any) -> None:
    """Dealt out in turn by default, as in other look-ups of TensorFlow 1.x; today in runs."""
    rng = np.random.default_rng(0)
    whole, inputs = rng.normal(size=[7, 3]), rng.normal(size=[4, 3])
    biases, labels = rng.normal(size=7), tf.constant([[1], [2], [6], [0]], tf.int64)
    sampled = (tf.constant([0, 3, 6, 1], tf.int64), np.full([4, 1], 0.5), np.full(4, 0.4))

    def of(function: Any, weights: Any, **options: Any) -> Any:
        return function(
            weights, biases, labels, inputs, 4, 7, sampled_values=sampled, **options
        ).numpy()

    one_table = of(expected, whole)
    assert np.allclose(of(loss, [whole[::2], whole[1::2]]), one_table)
    assert np.allclose(of(loss, [whole[:4], whole[4:]], partition_strategy="div"), one_table)
    assert np.allclose(of(expected, [whole[:4], whole[4:]]), one_table)
    assert np.allclose(of(loss, whole), one_table)
    with pytest.raises(ValueError, match="must be 'mod' or 'div', not 'x'"):
        of(loss, [whole[:4], whole[4:]], partition_strategy="x")
