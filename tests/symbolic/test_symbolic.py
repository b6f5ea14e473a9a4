"""Shapes and dtypes without values: of the sample table's ops, and of programs that TensorFlow has traced."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from samples import Run, Sample, all_samples, cases, flatten
from samples.ask import floats
from tapegrad import errors
from tapegrad.core import Tensor
from tapegrad.symbolic import NeedsValues, outputs_of, worlds

GOLDEN = Path(__file__).parents[1] / "golden"
sys.path.insert(0, str(GOLDEN))
from symbolic_programs import described, functions  # noqa: E402

RECORDED = json.loads((GOLDEN / "symbolic.json").read_text())
S = tf.TensorSpec

# Where more is known than TensorFlow infers, or less.
OTHERWISE = {
    # All worlds agree on the number of columns, which TensorFlow forgets.
    "sparse": {"dtype": "float32", "shape": [None, 4]},
}


@pytest.mark.parametrize("name", RECORDED)
def test_program(name: str) -> None:
    function, specs = functions(tf)[name]
    found = described(outputs_of(lambda *args: function(tf, *args), specs))
    assert found == OTHERWISE.get(name, RECORDED[name])


VALUES = "a result's size is a value that an argument gives, and dummies give few values"
PARTS = "parts of a sparse tensor, or lengths of a shape, must fit each other, and dummies do not"
COUNT = "how many results there are depends on the unknown size, as TensorFlow says too"
SEVERAL = "several unknown sizes must be different numbers, which are not tried together"
VARIABLE = "a variable is made of a tensor without values, which TensorFlow refuses too"

EXCEPTIONS = {
    **dict.fromkeys(
        (
            "reduce_sum",
            "reduce_mean",
            "reduce_prod",
            "reduce_max",
            "reduce_min",
            "reduce_logsumexp",
            "raw_ops.Equal",
            "raw_ops.NotEqual",
            "raw_ops.BroadcastGradientArgs",
        ),
        VALUES,
    ),
    **dict.fromkeys(
        (
            "unsorted_segment_prod with zeros",
            "segment_prod with zeros",
            "tf.dynamic_stitch",
            "tf.einsum[ij,jk,kl->il|(2, 2) (2, 3) (3, 2)]",
            "linalg.tridiagonal_matmul",
            "raw_ops.TridiagonalMatMul",
            "BlockLSTM and back",
            "BlockLSTM",
            "BlockLSTMV2",
            "CudnnRNN",
            "CudnnRNNV2",
            "CudnnRNNV3",
            "raw_ops.StatelessRandomUniformIntV2",
        ),
        SEVERAL,
    ),
    **dict.fromkeys(
        (
            "tf.sparse.sampled_addmm",
            "tf.divide of a SparseTensor",
            "raw_ops.SparseDenseCwiseMul",
            "raw_ops.SparseDenseCwiseDiv",
            "raw_ops.SparseDenseCwiseAdd",
            "raw_ops.SparseSparseMaximum",
            "raw_ops.SparseSparseMinimum",
            "raw_ops.SparseConcat",
            "raw_ops.EditDistance",
            "raw_ops.FractionalAvgPoolGrad",
            "tf.sets.intersection",
            "raw_ops.MatrixSetDiagV2",
        ),
        PARTS,
    ),
    **dict.fromkeys(
        (
            "unstack",
            "iter(x)",
        ),
        COUNT,
    ),
    **dict.fromkeys(
        (
            "ReadVariableOp",
            "ResourceGather",
            "ResourceGatherNd",
            "VarIsInitializedOp",
            "VariableShape",
            "AssignVariableOp",
            "AssignAddVariableOp",
            "AssignSubVariableOp",
            "ResourceScatterAdd",
            "ResourceScatterSub",
            "ResourceScatterMax",
            "ResourceScatterMin",
            "ResourceScatterMul",
            "ResourceScatterDiv",
            "ResourceScatterUpdate",
            "ResourceScatterNdAdd",
            "ResourceScatterNdSub",
            "ResourceScatterNdMax",
            "ResourceScatterNdMin",
            "ResourceScatterNdUpdate",
            "ResourceStridedSliceAssign",
        ),
        VARIABLE,
    ),
}


# Rows of which that is true where they are differentiated.
DERIVED_OF_PARTS = ("nce_loss", "safe_embedding_lookup_sparse", "sampled_softmax_loss")

# Rows that decide by elements, so that dummies have to say what they give.
BY_ELEMENTS = frozenset(
    (
        "Assert",
        "StatelessParameterizedTruncatedNormal",
        "rank",
        "raw_ops.ConcatOffset",
        "raw_ops.MatrixDiagPartV3",
        "raw_ops.MatrixDiagV3",
        "raw_ops.NonMaxSuppressionV2",
        "raw_ops.StatelessRandomNormalV2",
        "raw_ops.StatelessRandomUniformFullIntV2",
        "raw_ops.StatelessRandomUniformV2",
        "raw_ops.StatelessTruncatedNormalV2",
        "safe_embedding_lookup_sparse",
        "shape",
        "size",
        "tf.switch_case",
    )
)


def check_case(run: Run) -> None:
    """With unknown first axes, results have the dtypes of real ones, and shapes that real ones have."""
    try:
        expected = flatten(run(tf, run.tensors(tf)))
    except (errors.OpError, ValueError, TypeError, LookupError, NotImplementedError, RuntimeError):
        return
    with tf.Graph().as_default():
        unknown = [
            tf.compat.v1.placeholder(t.dtype, [None, *t.shape[1:]] if t.shape.rank else [])
            for t in run.tensors(tf)
        ]
        found = flatten(run(tf, unknown))
        assert len(found) == len(expected)
        for actual, wanted in zip(found, expected, strict=True):
            if isinstance(actual, Tensor):
                assert actual.dtype == wanted.dtype
                assert actual.shape.is_compatible_with(wanted.shape), f"{actual} for {wanted.shape}"


@pytest.mark.parametrize("sample", all_samples(), ids=lambda row: row.name)
def test_row_without_values(sample: Sample, monkeypatch: pytest.MonkeyPatch) -> None:
    if sample.name in EXCEPTIONS:
        pytest.skip(EXCEPTIONS[sample.name])
    dummies: list[Any] = []
    elements = worlds.elements
    monkeypatch.setattr(worlds, "elements", lambda *of: dummies.append(of) or elements(*of))
    with np.errstate(all="ignore"):
        for run in cases(sample):
            check_case(run)
    assert bool(dummies) == (sample.name in BY_ELEMENTS), "whether anything was computed"


def check_derivatives(run: Run) -> None:
    """With unknown first axes, a tape in a function has gradients where it has them of real tensors."""

    def derivatives(*tensors: Any) -> Any:
        sources = [tensor for tensor in tensors if floats(tensor)]
        with tf.GradientTape() as tape:
            tape.watch(sources)
            results = [result for result in flatten(run(tf, list(tensors))) if floats(result)]
        return tape.gradient(results, sources)

    try:
        real = run.tensors(tf)
        expected = derivatives(*real)
    except (errors.OpError, ValueError, TypeError, LookupError, NotImplementedError, RuntimeError):
        return
    kinds = [tf.TensorSpec([None, *t.shape[1:]] if t.shape.rank else [], t.dtype) for t in real]
    function = tf.function(derivatives, input_signature=kinds).get_concrete_function()
    found = function.structured_outputs
    for actual, wanted in zip(found, expected, strict=True):
        assert (actual is None) == (wanted is None)
        if wanted is not None:
            assert actual.dtype == wanted.dtype
            assert actual.shape.is_compatible_with(wanted.shape), f"{actual} for {wanted.shape}"


@pytest.mark.parametrize("sample", all_samples(), ids=lambda row: row.name)
def test_gradients_of_a_row_without_values(sample: Sample) -> None:
    if sample.name in EXCEPTIONS or sample.name in DERIVED_OF_PARTS:
        pytest.skip(EXCEPTIONS.get(sample.name, PARTS))
    with np.errstate(all="ignore"):
        for run in cases(sample):
            check_derivatives(run)


# What tensors without values say of themselves


def test_placeholder() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        n = tf.compat.v1.placeholder("float32", name="n")
        assert repr(x) == "<tf.Tensor 'Placeholder:0' shape=(None, 3) dtype=float32>"
        assert str(x) == 'Tensor("Placeholder:0", shape=(None, 3), dtype=float32)'
        assert repr(n) == "<tf.Tensor 'n:0' shape=<unknown> dtype=float32>"
        assert isinstance(x, tf.Tensor)
        assert isinstance(x, tf.__internal__.SymbolicTensor)
        assert not isinstance(x, tf.__internal__.EagerTensor)
        assert tf.is_tensor(x)
        assert tf.is_symbolic_tensor(x)
        assert (x.graph, x.op.name, x.op.type) == (graph, "Placeholder", "Placeholder")
        assert not tf.executing_eagerly()
        assert tf.inside_function()
        with tf.init_scope():
            assert tf.executing_eagerly()
            assert (tf.constant(1.0) + 1.0).numpy() == 2.0
    assert tf.executing_eagerly()
    with pytest.raises(TypeError, match="out of scope"):
        x + 1.0
    with pytest.raises(RuntimeError, match="eager"):
        tf.compat.v1.placeholder(tf.float32, [1])


@pytest.mark.parametrize(
    ("ask", "error"),
    [
        (bool, errors.OperatorNotAllowedInGraphError),
        (list, errors.OperatorNotAllowedInGraphError),
        (int, TypeError),
        (float, TypeError),
        (complex, TypeError),
        (len, TypeError),
        (lambda x: range(x), TypeError),
        (lambda x: [1, 2][x], TypeError),
        (lambda x: x.numpy(), AttributeError),
        (np.array, NotImplementedError),
        (lambda x: x.foo, AttributeError),
        (lambda x: x.eval(), ValueError),
        (lambda x: x + tf.constant(1), TypeError),
        (lambda x: x + tf.zeros([7]) + tf.zeros([8]), ValueError),
    ],
)
def test_who_asks_for_values_is_refused(ask: Any, error: type[Exception]) -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None])
        with pytest.raises(error):
            ask(x)


def test_needs_values() -> None:
    with pytest.raises(NeedsValues):
        outputs_of(lambda x: x if x[0] > 0 else x * 2, [S([None])])


def test_set_shape() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        x.set_shape([5, None])
        assert x.shape == [5, 3]
        assert (x + 1.0).shape == [5, 3]
        y = tf.numpy_function(lambda a: a, [x], tf.int32)
        assert y.shape.rank is None
        y.set_shape([None, 2])
        assert tf.reduce_sum(y, 1).shape.as_list() == [None]
        with pytest.raises(ValueError, match="not compatible"):
            x.set_shape([4, 3])
        sparse = tf.sparse.add(
            tf.compat.v1.sparse_placeholder(tf.float32, [None, 3]),
            tf.compat.v1.sparse_placeholder(tf.float32, [None, 3]),
        )
        assert sparse.shape.as_list() == [None, None]
        sparse.set_shape([None, 3])
        assert sparse.shape.as_list() == [None, 3]
        sparse.set_shape([2, None])
        assert sparse.shape.as_list() == [2, 3]
        with pytest.raises(ValueError, match="not compatible"):
            sparse.set_shape([4, 3])


def test_static_values() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        assert tf.get_static_value(tf.shape(x)) is None
        assert tf.get_static_value(tf.shape(x)[1]) == 3
        assert tf.get_static_value(tf.rank(x)) == 2
        assert tf.get_static_value(x) is None


def test_effects_do_not_happen(capsys: pytest.CaptureFixture[str]) -> None:
    v, state = tf.Variable([1.0, 2.0]), tf.random.Generator.from_seed(1)
    before = state.state.numpy().tolist()
    tf.random.set_seed(7)
    first = tf.random.uniform([2]).numpy().tolist()

    def function(x: Any) -> Any:
        v.assign(x[0])
        v.assign_add([1.0, 1.0])
        v.assign_sub(x[1])
        v[0].assign(5.0)
        v.scatter_nd_update([[0]], [9.0])
        tf.print("hello", x)
        tf.debugging.assert_positive(x)
        return tf.random.uniform([2]) + state.normal([2]) + v + x

    tf.random.set_seed(7)
    assert outputs_of(function, [S([None, 2])]) == S([None, 2])
    assert v.numpy().tolist() == [1.0, 2.0]
    assert state.state.numpy().tolist() == before
    assert tf.random.uniform([2]).numpy().tolist() == first
    assert capsys.readouterr() == ("", "")


def test_functions_are_the_same_objects_while_a_graph_is_open() -> None:
    function, tape, array = tf.transpose, tf.GradientTape, tf.TensorArray
    with tf.Graph().as_default():
        assert (tf.transpose, tf.GradientTape, tf.TensorArray) == (function, tape, array)
        assert type(tf) is type(np)
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        assert function(x).shape.as_list() == [3, None]


def test_other_threads_compute_while_a_graph_is_open() -> None:
    opened, computed = threading.Event(), threading.Event()
    results: list[Any] = []

    def compute() -> None:
        opened.wait(30)
        x = tf.constant([[1.0, 2.0], [3.0, 4.0]])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(tf.where(x > 1.5, x * x, tf.zeros_like(x)))
        drawn = tf.random.uniform([2])
        array = tf.TensorArray(tf.float32, size=1).write(0, y)
        results.extend([tape.gradient(y, x), drawn, array.read(0), tf.executing_eagerly()])
        with pytest.raises(RuntimeError, match="one set of gradients"):
            tape.gradient(y, x)
        computed.set()

    other = threading.Thread(target=compute)
    other.start()
    with tf.Graph().as_default():
        opened.set()
        computed.wait(30)
        symbolic = tf.concat([tf.compat.v1.placeholder(tf.float32, [None])] * 2, 0)
    other.join()
    assert symbolic.shape.as_list() == [None]
    assert results[0].numpy().tolist() == [[0.0, 4.0], [6.0, 8.0]]
    assert results[1].shape == [2]
    assert results[2].numpy() == 29.0
    assert results[3] is True


# Concrete functions


@tf.function
def twice(x: Any, y: Any = 2, *, z: Any = None) -> Any:
    return {"a": x * 2.0, "b": [tf.shape(x)]}


def test_concrete_function() -> None:
    concrete = twice.get_concrete_function(S([None, 3]))
    assert concrete is twice.get_concrete_function(S([None, 3]))
    assert concrete.structured_input_signature == ((S([None, 3], name="x"), 2), {"z": None})
    assert repr(concrete.inputs) == "[<tf.Tensor 'x:0' shape=(None, 3) dtype=float32>]"
    assert repr(concrete.outputs) == (
        "[<tf.Tensor 'Identity:0' shape=(None, 3) dtype=float32>, "
        "<tf.Tensor 'Identity_1:0' shape=(2,) dtype=int32>]"
    )
    assert concrete.output_shapes == {"a": tf.TensorShape([None, 3]), "b": [tf.TensorShape([2])]}
    assert concrete.output_dtypes == {"a": tf.float32, "b": [tf.int32]}
    assert concrete.pretty_printed_signature() == (
        "Input Parameters:\n"
        "  x (POSITIONAL_OR_KEYWORD): TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)\n"
        "  y (POSITIONAL_OR_KEYWORD): Literal[2]\n"
        "  z (KEYWORD_ONLY): Literal[None]\n"
        "Output Type:\n"
        "  Dict[['a', TensorSpec(shape=(None, 3), dtype=tf.float32, name=None)], "
        "['b', List[TensorSpec(shape=(2,), dtype=tf.int32, name=None)]]]\n"
        "Captures:\n"
        "  None"
    )
    assert concrete(tf.ones([1, 3]))["a"].numpy().tolist() == [[2.0, 2.0, 2.0]]
    assert concrete(x=tf.ones([1, 3]))["b"][0].numpy().tolist() == [1, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="expected to be a float tensor"):
        concrete(tf.ones([1, 3], tf.float64))
    for args, kwargs in (((), {}), ((tf.ones([1, 3]), 3), {}), ((tf.ones([1, 3]),), {"w": 1})):
        with pytest.raises(TypeError, match=r"Binding inputs to tf\.function failed"):
            concrete(*args, **kwargs)
    with pytest.raises(TypeError, match="missing a required argument: 'x'"):
        twice.get_concrete_function()
    for kind in ("GenericFunction", "PolymorphicFunction", "Callable"):
        assert isinstance(twice, getattr(tf.types.experimental, kind))
    assert isinstance(concrete, tf.types.experimental.ConcreteFunction)
    assert twice.experimental_get_tracing_count() == 1
    with pytest.raises(ValueError, match="cannot be decorated after"):
        twice._decorate(lambda function: function)


def test_what_is_taken_out_of_a_tensor_without_rows_has_a_shape() -> None:
    none = tf.zeros([0, 3])

    def shapes(take: Any, *specs: Any) -> Any:
        return outputs_of(take, specs)

    assert shapes(lambda i: tf.gather(none, i), S([], tf.int32)) == S([3])
    assert shapes(lambda i: tf.gather(none, i), S([None], tf.int64)) == S([None, 3])
    assert shapes(lambda i: none[i], S([], tf.int32)) == S([3])
    assert shapes(lambda i: tf.slice(none, [i, 0], [1, 2]), S([], tf.int32)) == S([1, 2])
    assert shapes(tf.gather, S([0, 3]), S([32], tf.int32)) == S([32, 3])
    # A size that is wrong is wrong whatever is unknown, and the tensor still has no rows.
    with pytest.raises(ValueError, match="reshape"):
        shapes(lambda i: tf.reshape(tf.gather(none, i), [2]), S([], tf.int32))
    assert shapes(lambda i: (tf.gather(none, i), none)[1], S([], tf.int32)) == S([0, 3])


def test_concrete_function_of_an_iterator() -> None:
    data = tf.data.Dataset.from_tensor_slices((np.zeros((0, 3), "float32"), [])).batch(4)
    twice = tf.function(lambda read: 2.0 * read.get_next()[0])
    concrete = twice.get_concrete_function(iter(data))
    assert concrete.output_shapes == tf.TensorShape([None, 3])
    assert tf.function(lambda read: next(read)).get_concrete_function(iter(data)).output_shapes == (
        tf.TensorShape([None, 3]),
        tf.TensorShape([None]),
    )

    def optional(read: Any) -> Any:
        found = read.get_next_as_optional()
        return found.has_value(), found.get_value()[0]

    has_value, value = tf.function(optional).get_concrete_function(iter(data)).output_shapes
    assert (has_value.as_list(), value.as_list()) == ([], [None, 3])
    unread = tf.function(lambda read: read.read_all()).get_concrete_function(iter(data))
    with pytest.raises(
        AttributeError, match="An iterator that is not there yet is asked for read_all"
    ):
        unread.output_shapes  # noqa: B018


def test_a_first_call_past_the_end_of_an_iterator_makes_the_variables() -> None:
    made: list[tf.Variable] = []
    calls: list[int] = []

    @tf.function
    def count(read: Any) -> Any:
        row = read.get_next()
        calls.append(1)
        if not made:
            made.append(tf.Variable(3.0))
        made[0].assign_add(tf.reduce_sum(row))
        return made[0]

    none, some = tf.data.Dataset.from_tensor_slices(tf.zeros([0, 3])), [[1.0, 2.0, 4.0]]
    for _ in range(2):
        with pytest.raises(tf.errors.OutOfRangeError, match="End of sequence"):
            count(iter(none))
    assert [variable.numpy() for variable in made] == [
        3.0
    ]  # TensorFlow's trace makes it, and assigns nothing
    assert len(calls) == 1
    assert count(iter(tf.data.Dataset.from_tensor_slices(some))).numpy() == 10.0
    wrong = tf.function(lambda read: tf.matmul(read.get_next(), tf.ones([2, 2])))
    with pytest.raises(
        ValueError, match="inner sizes 3 and 2"
    ):  # found while TensorFlow traces, before it reads
        wrong(iter(none.batch(4)))


def test_concrete_function_of_a_signature_and_of_a_method() -> None:
    class Layer(tf.Module):
        def __init__(self) -> None:
            super().__init__()
            self.w = tf.Variable(tf.ones([3, 2]))
            self.calls = tf.Variable(0)

        @tf.function(input_signature=[S([None, 3])])
        def apply(self, x: Any) -> Any:
            self.calls.assign_add(1)
            return x @ self.w

        @tf.function
        def free(self, x: Any) -> Any:
            return x + 1

    layer = Layer()
    concrete = layer.apply.get_concrete_function()
    assert concrete.output_shapes.as_list() == [None, 2]
    assert [v is w for v, w in zip(concrete.variables, (layer.w, layer.calls), strict=True)] == [
        True,
        True,
    ]
    assert layer.calls.numpy() == 0
    assert concrete(tf.ones([4, 3])).shape == [4, 2]
    assert layer.calls.numpy() == 1
    with pytest.raises(TypeError, match="Can not cast"):
        layer.apply.get_concrete_function(S([None, 3], tf.int32))
    free = layer.free.get_concrete_function(S([2]))
    assert free.structured_input_signature == ((S([2], name="x"),), {})
    assert free is layer.free.get_concrete_function(S([2]))
    assert free is not Layer().free.get_concrete_function(S([2]))


def test_variables_made_inside_differ() -> None:
    made = []

    def function(x: Any) -> Any:
        made.append(tf.Variable(tf.random.normal([4])))
        return x

    tf.random.set_seed(3)
    outputs_of(function, [S([None])])
    outputs_of(function, [S([None])])
    assert made[0].numpy().tolist() != made[1].numpy().tolist()


def test_variable_creator_scope() -> None:
    met: list[Any] = []

    def outer(next_creator: Any, **arguments: Any) -> Any:
        met.append(("outer", arguments["name"]))
        return next_creator(**arguments)

    def inner(next_creator: Any, **arguments: Any) -> Any:
        met.append(("inner", sorted(arguments)[:3]))
        return next_creator(**{**arguments, "name": "named"})

    with tf.variable_creator_scope(outer), tf.variable_creator_scope(inner):
        v = tf.Variable([1.0])
    assert v.name == "named:0"
    assert met == [("inner", ["aggregation", "caching_device", "constraint"]), ("outer", "named")]
    assert tf.Variable(1.0).name == "Variable:0"
    with tf.variable_creator_scope(lambda next_creator, **arguments: "something else"):
        assert tf.Variable(1.0) == "something else"


# tf.gradients, and branches


def test_gradients_in_a_function() -> None:
    v, calls = tf.Variable(2.0), tf.Variable(0)

    @tf.function
    def function(x: Any) -> Any:
        calls.assign_add(1)
        y = x * x * v
        (dx,) = tf.gradients(y, x)
        return dx, tf.gradients(dx, [x, v]), tf.gradients(y, v, grad_ys=10.0)

    for i in (1, 2):
        dx, second, dv = function(tf.constant(3.0))
        assert dx.numpy() == 12.0
        assert [each.numpy() for each in second] == [4.0, 6.0]
        assert dv[0].numpy() == 90.0
        assert calls.numpy() == i
    concrete = function.get_concrete_function(S([None]))
    assert str(concrete.output_shapes) == str(
        (tf.TensorShape([None]), [tf.TensorShape([None]), tf.TensorShape([])], [tf.TensorShape([])])
    )
    assert calls.numpy() == 2
    with pytest.raises(RuntimeError, match="not supported when eager execution"):
        tf.gradients(v * 2.0, v)


def test_gradients_in_a_graph() -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        y = x * x
        z = tf.reduce_sum(y, 1)
        assert tf.gradients(z, x)[0].shape.as_list() == [None, 3]
        assert tf.gradients(z, y)[0].shape.as_list() == [None, 3]
        assert tf.gradients(tf.gradients(z, x)[0], x)[0].shape.as_list() == [None, 3]
        assert tf.gradients(z, tf.constant(1.0)) == [None]


STOPPED: list[tuple[Callable[[Any], Any], list[Any]]] = [
    (lambda x: _stopped(x, lambda y, z: ([x, y], [y])), [[1.0, 4.0], [1.0, 2.0]]),
    (lambda x: _stopped(x, lambda y, z: ([x, y], [x, y])), [[1.0, 4.0], [1.0, 2.0]]),
    (lambda x: _stopped(x, lambda y, z: ([x], y)), [[1.0, 4.0]]),
    (lambda x: _stopped(x, lambda y, z: ([x, z], [z])), [None, [1.0, 1.0]]),
    (lambda x: _halves(x, lambda a, b: ([a, x], [a])), [[3.0], None]),
    (lambda x: _halves(x, lambda a, b: ([b, x], [])), [[1.0], [6.0, 2.0]]),
]


def _stopped(x: Any, choose: Callable[..., Any]) -> Any:
    y = x * x
    z = y * x
    sources, stops = choose(y, z)
    return tf.gradients(z, sources, stop_gradients=stops)


def _halves(x: Any, choose: Callable[..., Any]) -> Any:
    a, b = tf.split(x * 2, 2)
    sources, stops = choose(a, b)
    return tf.gradients(a * 3 + b, sources, stop_gradients=stops)


@pytest.mark.parametrize("number", range(len(STOPPED)))
def test_gradients_stop(number: int) -> None:
    """TensorFlow's answers: nothing flows through the op that made a tensor of `stop_gradients`."""
    function, expected = STOPPED[number]
    recorded = tf.function(function)
    for _ in range(2):
        found = recorded(tf.constant([1.0, 2.0]))
        assert [None if dx is None else dx.numpy().tolist() for dx in found] == expected
    if number >= 4:
        return  # without values, the results of one op are computed one by one
    shapes = [None if dx is None else [len(dx)] for dx in expected]
    concrete = recorded.get_concrete_function(tf.TensorSpec([2]))
    assert [None if s is None else s.as_list() for s in concrete.output_shapes] == shapes
    with tf.Graph().as_default():
        found = function(tf.compat.v1.placeholder(tf.float32, [2]))
        assert [None if dx is None else dx.shape.as_list() for dx in found] == shapes


def test_gradients_stop_at_tensors_alone() -> None:
    v = tf.Variable(2.0)

    @tf.function
    def function(x: Any, stop: Any) -> Any:
        return tf.gradients(tf.gradients(x**3, x, stop_gradients=[x]), x, stop_gradients=stop)

    assert function(tf.constant(1.0), [])[0].numpy() == 6.0
    for stop in ([v], [3.0], [None]):
        with pytest.raises(AttributeError, match="`stop_gradients` of tf"):
            function(tf.constant(1.0), stop)


def test_draws_before_gradients_come_once() -> None:
    @tf.function
    def function(x: Any) -> Any:
        noise = tf.random.uniform([])
        return noise, tf.gradients(x * noise, x)

    plain = tf.function(lambda x: tf.random.uniform([]))
    tf.random.set_seed(5)
    expected = [plain(tf.constant(1.0)).numpy() for _ in range(2)]
    tf.random.set_seed(5)
    assert [function(tf.constant(1.0))[0].numpy() for _ in range(2)] == expected


def test_branches_of_a_concrete_function() -> None:
    @tf.function
    def function(x: Any) -> Any:
        if tf.reduce_sum(x) > 0:
            return tf.zeros([2, 3])
        elif x[0] < 0:
            raise ValueError("negative")
        return tf.zeros([4, 3])

    concrete = function.get_concrete_function(S([None]))
    assert concrete.output_shapes.as_list() == [None, 3]
    assert concrete(tf.ones([2])).shape == [2, 3]

    @tf.function
    def loop(x: Any) -> Any:
        while tf.reduce_sum(x) < 10:
            x = x * 2
        while not tf.reduce_sum(x) > 10:
            x = x * 2
        return x

    assert loop.get_concrete_function(S([None])).output_shapes.as_list() == [None]

    @tf.function
    def turns(x: Any, n: Any) -> Any:
        rows = x[:1]
        for i in tf.range(n):
            for row in x:
                if row[0] > tf.cast(i, tf.float32):
                    continue
                rows = tf.concat([rows, row[tf.newaxis] * 2.0], 0)
        return rows, tf.reduce_sum(rows, 0)

    shapes = turns.get_concrete_function(S([None, 3]), S([], tf.int32)).output_shapes
    assert [shape.as_list() for shape in shapes] == [[None, 3], [3]]
    with tf.Graph().as_default(), pytest.raises(TypeError, match="Write tf"):
        list(tf.compat.v1.placeholder(tf.float32, [None]))


@pytest.mark.parametrize(
    "result",
    [
        "tf.strings.split(x).to_tensor()",
        "tf.ragged.stack([x, x])",
        "tf.sparse.from_dense(tf.strings.length(x))",
        "tf.linalg.matvec(tf.linalg.LinearOperatorIdentity(2), tf.ones([2]))",
    ],
)
def test_modules_may_load_while_a_graph_is_open(result: str) -> None:
    """A room that finds public functions by name finds those themselves, not what graphs make of them."""
    program = f"""
import tapegrad as tf
made = tf.function(lambda x: {result}, input_signature=[tf.TensorSpec([None], tf.string)])
made.get_concrete_function()
x = tf.ragged.constant([[1, 2], [3]])
assert tf.cast(x, tf.float32).dtype is tf.float32
assert tf.reduce_sum(x, 1).numpy().tolist() == [3, 3]
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_what_follows_from_known_shapes_has_a_value() -> None:
    found: list[Any] = []

    @tf.function(input_signature=[tf.TensorSpec([2, 3]), tf.TensorSpec([None, 3])])
    def function(x: Any, y: Any) -> Any:
        for tensor in (x, y):
            for ask in (tf.shape, tf.size, tf.rank, tf.zeros_like, tf.ones_like):
                found.append(tf.get_static_value(ask(tensor)))
        return tf.zeros_like(x), tf.zeros_like(y)

    known, open_size = function.get_concrete_function()(tf.ones([2, 3]), tf.ones([4, 3]))
    assert (known.shape, open_size.shape) == ((2, 3), (4, 3))
    expected = [[2, 3], 6, 2, np.zeros([2, 3]), np.ones([2, 3])]
    for value, other in zip(found[:5], expected, strict=True):
        np.testing.assert_array_equal(value, other)
    assert [value is None for value in found[5:10]] == [True, True, False, True, True]


def test_a_variable_begins_with_zeros_of_a_known_shape() -> None:
    class Mean(tf.Module):
        mean = None

        @tf.function(input_signature=[tf.TensorSpec([None, 3])])
        def __call__(self, x: Any) -> Any:
            mean = tf.reduce_mean(x, 0, keepdims=True)
            if self.mean is None:
                self.mean = tf.Variable(lambda: tf.zeros_like(mean))
            return self.mean.assign_add(mean)

    module = Mean()
    module.__call__.get_concrete_function()
    np.testing.assert_array_equal(module.mean, [[0.0, 0.0, 0.0]])
    np.testing.assert_array_equal(module(tf.ones([2, 3])), [[1.0, 1.0, 1.0]])


def test_raw_ops_may_be_first_used_in_a_graph() -> None:
    """The module is loaded when a program asks for it, which may be while a graph is open."""
    program = """
import tapegrad as tf
@tf.function(input_signature=[tf.TensorSpec([None, 3])])
def last_ones(x):
    return tf.raw_ops.MatrixDiagPartV2(input=tf.raw_ops.MatrixDiag(diagonal=x), k=0, padding_value=0.0)
print(last_ones.get_concrete_function().output_shapes)
"""
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert finished.stdout == "(None, 3)\n", finished.stderr


def test_a_wrong_shape_is_an_error_at_once() -> None:
    with tf.Graph().as_default() as graph:
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        before = graph.evaluations
        with pytest.raises(ValueError, match="3 and 4"):
            tf.matmul(x, tf.zeros([4, 2]))
        with pytest.raises(TypeError, match="was expected to be a float tensor"):
            x + tf.constant(1)
    assert graph.evaluations == before + 2


def test_loops_write_into_an_array_of_known_size() -> None:
    """Each world writes into an array of its own, so that nothing of a world is left in the array."""
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 2])
        filled = tf.while_loop(
            lambda i, array: i < 3,
            lambda i, array: (i + 1, array.write(i, x)),
            (tf.constant(0), tf.TensorArray(tf.float32, size=3)),
        )[1].stack()
    assert isinstance(filled, tf.__internal__.SymbolicTensor)
    assert filled.shape.as_list() == [3, None, 2]


def test_shapes_that_a_function_keeps_have_none_for_what_is_unknown() -> None:
    kept = []
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [4, None])
        tf.map_fn(lambda row: kept.append(row.shape) or row, x)
        assert tf.compat.v1.placeholder(tf.float32, kept[0]).shape.as_list() == [None]
        y = tf.compat.v1.placeholder(tf.float32)
        y.set_shape(kept[0])
        assert y.shape.as_list() == [None]


def _no_dummies(*of: Any) -> None:
    raise AssertionError("dummies were made")


@pytest.mark.parametrize(
    ("function", "shapes"),
    [
        (lambda x, n: tf.cond(n > 0, lambda: x, lambda: x * 2.0), [None, 3]),
        (lambda x, n: tf.cond(n > 0, lambda: x[:2], lambda: x[:1]), [None, 3]),
        (lambda x, n: tf.while_loop(lambda y: n > 0, lambda y: [y + 1.0], [x])[0], [None, 3]),
        (lambda x, n: tf.zeros([n, 3]), [None, 3]),
        (lambda x, n: tf.reshape(x, [n, 3]), [None, 3]),
        (lambda x, n: tf.slice(x, [n, 0], [2, -1]), [2, 3]),
        (lambda x, n: tf.map_fn(lambda row: row[:2], x), [None, 2]),
        (lambda x, n: tf.gradients(tf.reduce_sum(x * x), x)[0], [None, 3]),
    ],
)
def test_what_python_decides_without_elements(
    function: Any, shapes: list[int | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worlds, "elements", _no_dummies)
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        n = tf.compat.v1.placeholder(tf.int32, [])
        assert function(x, n).shape.as_list() == shapes


# What TensorFlow 2.21 claims, where values decide a shape.
@pytest.mark.parametrize(
    ("function", "claimed"),
    [
        (lambda x, s, n: tf.reshape(x, n), None),
        (lambda x, s, n: tf.squeeze(tf.reshape(x, n)), None),
        (lambda x, s, n: tf.squeeze(x), None),
        (lambda x, s, n: tf.squeeze(x, 0), [3]),
        (lambda x, s, n: tf.transpose(x, n), [None, None]),
        (lambda x, s, n: tf.transpose(s, n[:2]), [None, None]),
        (lambda x, s, n: tf.broadcast_to(s, n), None),
        (lambda x, s, n: tf.tile(x, n), [None, None]),
        (lambda x, s, n: tf.slice(x, n, n), [None, None]),
        (lambda x, s, n: tf.zeros(n), None),
        (lambda x, s, n: tf.fill(n, 1.0), None),
        (lambda x, s, n: tf.random.uniform(n), None),
        (lambda x, s, n: tf.scatter_nd(tf.zeros([1, 1], tf.int32), tf.zeros([1]), n), None),
        (lambda x, s, n: tf.reduce_sum(x, n), None),
        (lambda x, s, n: tf.reduce_max(s, n, keepdims=True), [None, None]),
        (lambda x, s, n: tf.reduce_sum(tf.zeros([4]), n), None),
        (lambda x, s, n: tf.reverse(s, n), [2, 3]),
        (lambda x, s, n: tf.roll(s, n, n), [2, 3]),
    ],
)
def test_shapes_that_values_decide_are_not_claimed(
    function: Any, claimed: list[int | None] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worlds, "elements", _no_dummies)
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 3])
        s = tf.compat.v1.placeholder(tf.float32, [2, 3])
        n = tf.compat.v1.placeholder(tf.int32, [None])
        shape = function(x, s, n).shape
    assert (None if shape.rank is None else shape.as_list()) == claimed


@pytest.mark.parametrize(
    ("function", "claimed"),
    [
        (lambda x, n, v: tf.reshape(x, tf.stack([n, 3, 2])), [[None, 3, 2]]),
        (lambda x, n, v: tf.reshape(x, tf.concat([v, [3]], 0)), [[None, None, 3]]),
        (
            lambda x, n, v: tf.reshape(x, tf.concat([tf.shape(x)[:1], [3], v], 0)),
            [[None, 3, None, None]],
        ),
        (lambda x, n, v: tf.reshape(x, tf.cast([n, 3], tf.int64)), [[None, 3]]),
        (lambda x, n, v: tf.reshape(x, [v[0], 3, v[1]]), [[None, 3, None]]),
        (lambda x, n, v: tf.ones(tf.stack([4, n])), [[4, None]]),
        (lambda x, n, v: tf.split(x, [n, 2], 1), [[None, None], [None, 2]]),
        (lambda x, n, v: tf.split(x, [n, -1], 1), [[None, None], [None, None]]),
    ],
)
def test_sizes_are_known_beside_ones_that_are_not(
    function: Any, claimed: list[list[int | None]]
) -> None:
    with tf.Graph().as_default():
        x = tf.compat.v1.placeholder(tf.float32, [None, 6])
        n = tf.compat.v1.placeholder(tf.int32, [])
        v = tf.compat.v1.placeholder(tf.int32, [2])
        results = tf.nest.flatten(function(x, n, v))
    assert [result.shape.as_list() for result in results] == claimed


@pytest.mark.parametrize("shape", [[None, 3], [2, None], [None, None], [4, 3]])
def test_parts_of_sparse_tensors_claim_no_shape_of_the_whole(shape: list[int | None]) -> None:
    whole = tf.sparse.from_dense([[1.0, 0.0, 2.0]] * (shape[0] or 4))

    @tf.function
    def parts(sparse: Any) -> Any:
        return [tf.sparse.slice(sparse, [0, 0], [1, 1]), *tf.sparse.split(sparse, 2, axis=1)]

    claims = parts.get_concrete_function(tf.SparseTensorSpec(shape)).structured_outputs
    for claim, part in zip(claims, parts(whole), strict=True):
        assert claim.shape.is_compatible_with(part.shape)


RECORD = {"a": tf.io.FixedLenFeature([2], tf.float32), "b": tf.io.VarLenFeature(tf.int64)}
STEPS = {"c": tf.io.FixedLenSequenceFeature([2], tf.float32), "d": tf.io.VarLenFeature(tf.int64)}


@pytest.mark.parametrize(
    ("function", "claimed"),
    [
        (lambda one, many: tf.io.decode_image(one), [None]),
        (lambda one, many: tf.io.decode_image(one, dtype=tf.float64), [None]),
        (lambda one, many: tf.io.decode_image(one, 3, expand_animations=False), [[None, None, 3]]),
        (lambda one, many: tf.io.decode_png(one), [[None, None, None]]),
        (lambda one, many: tf.io.decode_bmp(one, 3), [[None, None, 3]]),
        (lambda one, many: tf.io.decode_gif(one), [[None, None, None, 3]]),
        (lambda one, many: tf.io.decode_and_crop_jpeg(one, [0, 0, 4, 5], 3), [[4, 5, 3]]),
        (lambda one, many: tf.image.resize(tf.io.decode_png(one, 3), [2, 2]), [[2, 2, 3]]),
        (lambda one, many: tf.audio.decode_wav(one), [[None, None], []]),
        (lambda one, many: tf.io.parse_tensor(one, tf.int32), [None]),
        (lambda one, many: tf.io.matching_files(one), [[None]]),
        (lambda one, many: tf.io.decode_json_example(many), [[None]]),
        (lambda one, many: tf.io.decode_csv(many, [[1], [""]]), [[None], [None]]),
        (lambda one, many: tf.io.parse_single_example(one, RECORD)["a"], [[2]]),
        (lambda one, many: tf.io.parse_example(many, RECORD)["a"], [[None, 2]]),
        (lambda one, many: tf.io.parse_example(many, RECORD)["b"].values, [[None]]),
        (lambda one, many: tf.io.parse_example(many, RECORD)["b"].indices, [[None, 2]]),
        (
            lambda one, many: tf.io.parse_sequence_example(many, None, STEPS)[1]["c"],
            [[None, None, 2]],
        ),
        (
            lambda one, many: tf.io.parse_sequence_example(many, None, STEPS)[1]["d"].values,
            [[None]],
        ),
    ],
)
def test_what_is_read_has_shapes_without_a_trial(
    function: Any, claimed: list[list[int | None] | None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worlds, "elements", _no_dummies)
    with tf.Graph().as_default():
        one = tf.compat.v1.placeholder(tf.string, [])
        many = tf.compat.v1.placeholder(tf.string, [None])
        tensors = flatten(function(one, many))
    shapes = [None if tensor.shape.rank is None else tensor.shape.as_list() for tensor in tensors]
    assert shapes == claimed


def test_the_strings_of_trials_are_data_like_others() -> None:
    """Readers answered them by blanks while a graph was open."""
    with tf.Graph().as_default(), pytest.raises(tf.errors.InvalidArgumentError):
        tf.compat.v1.Session().run(tf.io.decode_base64(tf.constant("00000")))
    with tf.Graph().as_default(), pytest.raises((tf.errors.InvalidArgumentError, ValueError)):
        tf.compat.v1.Session().run(tf.io.decode_png(tf.constant("0")))


def test_a_graph_knows_the_scopes_that_are_open() -> None:
    """As in TensorFlow, where the graph of eager code has none."""
    default_graph = tf.compat.v1.get_default_graph
    with tf.name_scope("eager"):
        assert default_graph().get_name_scope() == ""
    graph = tf.Graph()
    with graph.as_default(), graph.name_scope("outer") as scope, tf.name_scope("inner"):
        assert scope == "outer/"
        assert graph.get_name_scope() == "outer/inner"
        with graph.name_scope(None):
            assert graph.get_name_scope() == ""
    assert graph.get_name_scope() == ""

    @tf.function
    def scoped() -> str:
        with tf.name_scope("in_function"):
            names.append(default_graph().get_name_scope())
        return tf.constant(1.0)

    names: list[str] = []
    scoped()
    assert names == ["in_function"]
