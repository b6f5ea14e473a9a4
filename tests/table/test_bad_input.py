"""Every misuse raises the class that TensorFlow raises, says what is wrong, and changes nothing.

A row is an expression, the class, and words that its message must hold: the op by the name the user
or TensorFlow calls it, what came, what was expected. The classes are TensorFlow 2.21's.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf

Invalid = tf.errors.InvalidArgumentError

_ROWS: list[tuple[str, type[Exception] | tuple[type[Exception], ...], str]] = [
    # dtypes that do not mix
    ("tf.add(tf.constant(1), tf.constant(1.0))", Invalid, "AddV2 int32 float"),
    ("tf.constant(1) + 1.0", Invalid, "AddV2 int32 float"),
    ("tf.matmul(tf.ones((2, 2)), tf.ones((2, 2), tf.float64))", Invalid, "MatMul float double"),
    ("tf.stack([tf.ones([2]), tf.ones([2], tf.float64)])", Invalid, "Pack float double"),
    ("tf.concat([tf.ones([2]), tf.ones([2], tf.int32)], 0)", Invalid, "ConcatV2 float int32"),
    ("tf.where([True], tf.ones([1]), tf.ones([1], tf.int32))", Invalid, "Select float int32"),
    # arrays and the like where a list of tensors is expected: there is no tensor for each number
    *(
        (f"{call.format(given)}", kind, f"list of tensors {argument} {came}")
        for call, argument in (
            ("tf.raw_ops.AccumulateNV2(inputs={}, shape=[])", "'inputs'"),
            ("tf.raw_ops.AddN(inputs={})", "'inputs'"),
            ("tf.raw_ops.Pack(values={})", "'values'"),
            ("tf.raw_ops.ConcatV2(values={}, axis=0)", "'values'"),
            ("tf.shape_n({})", "'input'"),
            ("tf.dynamic_stitch({}, [1.0])", "'indices'"),
            ("tf.dynamic_stitch([0], {})", "'data'"),
        )
        for given, kind, came in (
            ("np.ones(3)", TypeError, "array [3]"),
            ("np.ones([3, 2])", ValueError, "array [3, 2]"),
            ("{1.0, 2.0}", TypeError, "set"),
            ("(x for x in [1.0])", TypeError, "generator"),
            ("'ab'", TypeError, "str"),
        )
    ),
    ("tf.linalg.global_norm(np.ones(3))", TypeError, "sequence ndarray"),
    ("tf.clip_by_global_norm(np.ones(3), 1.0)", TypeError, "sequence ndarray"),
    # dtypes that an op does not take
    ("tf.sin(1)", Invalid, "Sin int32 float"),
    ("tf.sin('a')", Invalid, "Sin string float"),
    ("tf.math.log(True)", Invalid, "Log bool float"),
    ("tf.reduce_sum(tf.constant([True]))", Invalid, "Sum bool float"),
    ("tf.logical_not(1.0)", TypeError, "1.0 bool"),
    ("tf.logical_and(1, 2)", TypeError, "1 bool"),
    ("tf.complex(tf.ones([2]), tf.ones([2], tf.float64))", TypeError, "float32 float64"),
    ("tf.gather(tf.ones([3]), [0.5])", Invalid, "GatherV2 float int32 int64"),
    ("tf.one_hot([0.5], 2)", Invalid, "OneHot float int32 int64"),
    ("tf.reshape(tf.ones([2, 3]), [2.0, 3.0])", Invalid, "Reshape float int32"),
    ("tf.random.normal([2], dtype=tf.int32)", TypeError, "int32"),
    ("tf.random.uniform([2], dtype=tf.int32)", ValueError, "maxval int32"),
    # shapes that do not broadcast
    ("tf.ones([2]) + tf.ones([3])", Invalid, "AddV2 [2] [3]"),
    ("tf.maximum(tf.ones([2, 3]), tf.ones([2]))", Invalid, "Maximum [2,3] [2]"),
    ("tf.less(tf.ones([2]), tf.ones([3]))", Invalid, "Less [2] [3]"),
    ("tf.equal(tf.ones([2]), tf.ones([3]))", Invalid, "Equal [2] [3]"),
    ("tf.where([True, False], tf.ones([2]), tf.ones([3]))", Invalid, "Select [2] [3]"),
    ("tf.broadcast_to(tf.ones([2]), [3])", Invalid, "BroadcastTo [2] [3]"),
    ("tf.clip_by_value(tf.ones([2]), tf.ones([3]), 1.0)", Invalid, "[2] [3]"),
    ("tf.add_n([tf.ones([2]), tf.ones([3])])", Invalid, "AddN [2] [3]"),
    # inputs without elements
    ("tf.nn.ctc_greedy_decoder(tf.ones([2, 1, 0]), [2])", Invalid, "inputs empty [2, 1, 0]"),
    ("tf.nn.ctc_beam_search_decoder(tf.ones([2, 1, 0]), [2])", Invalid, "inputs empty [2, 1, 0]"),
    ("tf.nn.ctc_beam_search_decoder(tf.ones([0, 1, 3]), [0])", Invalid, "inputs empty [0, 1, 3]"),
    # shapes of matrices
    ("tf.matmul(tf.ones([2, 3]), tf.ones([2, 3]))", Invalid, "MatMul [2,3]"),
    ("tf.ones([2, 3]) @ tf.ones([2, 3])", Invalid, "MatMul [2,3]"),
    ("tf.matmul(tf.ones([2]), tf.ones([2]))", Invalid, "MatMul [2]"),
    ("tf.matmul(tf.ones([2, 2, 2]), tf.ones([3, 2, 2]))", Invalid, "MatMul [2,2,2] [3,2,2]"),
    ("tf.linalg.cholesky(tf.ones([2]))", Invalid, "Cholesky [2]"),
    ("tf.linalg.cholesky(tf.ones([2, 3]))", Invalid, "Cholesky square [2,3]"),
    ("tf.linalg.solve(tf.ones([2, 2]), tf.ones([2]))", Invalid, "MatrixSolve [2,2] [2]"),
    ("tf.linalg.det(tf.ones([2, 3]))", Invalid, "MatrixDeterminant square [2,3]"),
    ("tf.linalg.solve(tf.ones([2, 2]), tf.ones([2, 1]))", Invalid, "MatrixSolve invertible"),
    ("tf.linalg.trace(tf.ones([2]))", Invalid, "[2]"),
    ("tf.linalg.diag_part(tf.ones([2]))", Invalid, "[2]"),
    ("tf.tensordot(tf.ones([2, 3]), tf.ones([2, 3]), 1)", Invalid, "[2,3]"),
    ("tf.einsum('ij,jk->il', tf.ones([2, 2]), tf.ones([2, 2]))", ValueError, "l"),
    ("tf.einsum('ij,jk->ik', tf.ones([2, 2]))", ValueError, "ij,jk->ik 1 2"),
    ("tf.einsum('ijk->i', tf.ones([2, 2]))", Invalid, "Einsum"),
    ("tf.einsum('ij,jk->ik', tf.ones([2, 2]), tf.ones([3, 2]))", Invalid, "Einsum [3,2]"),
    # ragged and mixed lists, what does not convert
    ("tf.constant([[1, 2], [3]])", ValueError, "rectangular"),
    ("tf.constant([[1, 2], 3])", ValueError, "rectangular"),
    ("tf.constant([1, 'a'])", (ValueError, TypeError), ""),
    ("tf.constant(['a', 1])", (ValueError, TypeError), ""),
    ("tf.constant(None)", ValueError, "None"),
    ("tf.constant([1, None])", ValueError, ""),
    ("tf.constant(object())", ValueError, "object"),
    ("tf.constant(2**70)", ValueError, ""),
    ("tf.constant(1.5, tf.int32)", TypeError, "1.5 int32"),
    ("tf.constant('a', tf.float32)", TypeError, "a float"),
    ("tf.constant(1.0, tf.string)", TypeError, "1.0 string"),
    ("tf.constant(1j, tf.float32)", TypeError, "1j float"),
    ("tf.constant([1, 2, 3], shape=[2])", TypeError, "3 2"),
    ("tf.reduce_sum(None)", ValueError, "None"),
    ("tf.convert_to_tensor(tf.ones([2]), dtype=tf.int32)", ValueError, "int32 float32"),
    # dtype names
    ("tf.constant(1, dtype='nonsense')", TypeError, "nonsense"),
    ("tf.zeros([2], 'nonsense')", TypeError, "nonsense"),
    ("tf.cast(1.0, 'nonsense')", TypeError, "nonsense"),
    ("tf.as_dtype('nonsense')", TypeError, "nonsense"),
    # axes
    ("tf.reduce_sum(tf.ones([2, 3]), axis=2)", Invalid, "Sum 2"),
    ("tf.reduce_sum(tf.ones([2, 3]), axis=-3)", Invalid, "Sum -3 2"),
    ("tf.reduce_sum(tf.ones([2, 3]), axis=[0, 0])", Invalid, "Sum 0"),
    ("tf.reduce_sum(tf.ones([2, 3]), axis=0.5)", TypeError, "0.5"),
    ("tf.reduce_max(tf.ones([2, 3]), axis=5)", Invalid, "Max 5"),
    ("tf.argmax(tf.ones([2, 3]), axis=2)", Invalid, "ArgMax 2"),
    ("tf.concat([tf.ones([2]), tf.ones([2])], 1)", Invalid, "Concat 1"),
    ("tf.stack([tf.ones([2]), tf.ones([2])], 5)", ValueError, "5 [-2, 2)"),
    ("tf.expand_dims(tf.ones([2]), 5)", Invalid, "ExpandDims 5"),
    ("tf.squeeze(tf.ones([2, 1]), 5)", Invalid, "Squeeze 5"),
    ("tf.squeeze(tf.ones([2, 1]), 0)", Invalid, "Squeeze 0 2"),
    ("tf.gather(tf.ones([2]), [0], axis=3)", Invalid, "GatherV2 3"),
    ("tf.nn.softmax(tf.ones([2]), axis=3)", Invalid, "3"),
    ("tf.cumsum(tf.ones([2]), axis=3)", Invalid, "Cumsum 3"),
    ("tf.unstack(tf.ones([2]), axis=3)", ValueError, "3 [-1, 1)"),
    # forms of lists
    ("tf.unstack(tf.ones([2]), num=3)", Invalid, "Unpack 3 2"),
    ("tf.concat([tf.ones([2, 3]), tf.ones([2, 2])], 0)", Invalid, "ConcatV2 [2,3] [2,2]"),
    ("tf.concat([tf.ones([2, 3]), tf.ones([2])], 0)", Invalid, "ConcatV2 [2,3] [2]"),
    ("tf.concat([], 0)", (Invalid, ValueError), ""),
    ("tf.stack([tf.ones([2]), tf.ones([3])])", Invalid, "Pack [2] [3]"),
    ("tf.add_n([])", ValueError, ""),
    ("tf.boolean_mask(tf.ones([3]), [True, False])", ValueError, "3 2"),
    # reshaping
    ("tf.reshape(tf.ones([2, 3]), [4])", Invalid, "Reshape 6 4"),
    ("tf.reshape(tf.ones([2, 3]), [-1, -1])", Invalid, "Reshape -1"),
    ("tf.reshape(tf.ones([2, 3]), [-2, 3])", Invalid, "Reshape -2"),
    ("tf.reshape(tf.ones([2, 3]), [-1, 4])", Invalid, "Reshape 6 4"),
    ("tf.reshape(tf.ones([0]), [2**40, 2**40])", Invalid, "Reshape"),
    ("tf.transpose(tf.ones([2, 3]), [0, 0])", Invalid, "Transpose 0"),
    ("tf.transpose(tf.ones([2, 3]), [0])", Invalid, "Transpose 2 1"),
    ("tf.transpose(tf.ones([2, 3]), [0, 2])", Invalid, "Transpose 2"),
    ("tf.tile(tf.ones([2]), [1, 1])", Invalid, "Tile 1 2"),
    ("tf.tile(tf.ones([2]), [-1])", Invalid, "Tile -1"),
    ("tf.pad(tf.ones([2]), [[1, 1], [1, 1]])", Invalid, "Pad [2,2] [2]"),
    ("tf.pad(tf.ones([2]), [[-1, 1]])", Invalid, "Pad -1"),
    ("tf.pad(tf.ones([2]), [[1, 1]], mode='nonsense')", ValueError, "CONSTANT REFLECT SYMMETRIC"),
    ("tf.pad(tf.ones([2]), [[2, 2]], mode='REFLECT')", Invalid, "MirrorPad 2"),
    ("tf.slice(tf.ones([3]), [2], [5])", Invalid, "Slice 5"),
    ("tf.slice(tf.ones([3]), [0, 0], [1, 1])", Invalid, "Slice [2] 1"),
    ("tf.split(tf.ones([5]), 2)", Invalid, "Split 5 2"),
    ("tf.split(tf.ones([5]), [2, 2])", Invalid, "Split 4 5"),
    ("tf.split(tf.ones([5]), 0)", Invalid, "Split 0"),
    ("tf.ensure_shape(tf.ones([2]), [3])", Invalid, "EnsureShape [2] [3]"),
    ("tf.squeeze(tf.ones([2, 1]), 'a')", (TypeError, ValueError, Invalid), ""),
    # indices
    ("tf.gather(tf.ones([3]), [5])", Invalid, "GatherV2 5 3"),
    ("tf.gather(tf.ones([3]), -1)", Invalid, "GatherV2 -1 3"),
    ("tf.gather_nd(tf.ones([3]), [[5]])", Invalid, "GatherNd 5 [3]"),
    ("tf.gather_nd(tf.ones([3]), [[0, 0]])", Invalid, "GatherNd 2 1"),
    ("tf.gather(tf.ones([3, 2]), [[0]], batch_dims=2)", (Invalid, ValueError), ""),
    ("tf.scatter_nd([[5]], [1.0], [3])", Invalid, "ScatterNd 5 [3]"),
    ("tf.scatter_nd([[0]], [1.0, 2.0], [3])", Invalid, "ScatterNd [1,1] [2]"),
    ("tf.scatter_nd([[-1]], [1.0], [3])", Invalid, "ScatterNd -1 [3]"),
    ("tf.tensor_scatter_nd_add(tf.ones([3]), [[5]], [1.0])", Invalid, "TensorScatterAdd 5 [3]"),
    ("tf.math.segment_sum(tf.ones([3]), [2, 1, 0])", Invalid, "SegmentSum"),
    ("tf.math.segment_sum(tf.ones([3]), [0, 1])", Invalid, "SegmentSum"),
    ("tf.ones([3])[7]", Invalid, "7 3"),
    ("tf.ones([3])['a']", TypeError, "a"),
    ("tf.ones([3])[1.5]", TypeError, "1.5"),
    ("tf.ones([3])[tf.constant([0, 1])]", TypeError, "integers slices"),
    ("tf.ones([3])[0, 0]", Invalid, ""),
    ("tf.ones([3])[::0]", Invalid, ""),
    ("tf.ones([3, 3])[..., ...]", Invalid, "ellips"),
    ("tf.ones([3])[[True, False, True]]", Invalid, "mask boolean_mask True"),
    ("tf.ones([3])[2**63]", ValueError, "9223372036854775808 int64"),
    ("tf.ones([3])[:2**63]", ValueError, "9223372036854775808 int64"),
    ("tf.ones([3, 3])[tf.constant(0), tf.constant(0, tf.int64)]", Invalid, "int32 int64 tf.cast"),
    ("tf.slice(tf.ones([3]), tf.constant([0]), tf.constant([1], tf.int64))", Invalid, "int32 int64"),
    ("tf.reduce_sum(tf.ones([3]), 2**40)", Invalid, "axis 1099511627776 rank 1"),
    ("tf.reduce_sum(tf.ones([3]), 2**63)", ValueError, "reduce_sum axis int64"),
    ("tf.argmax(tf.ones([3]), 2**63)", ValueError, "int64"),
    ("tf.concat([tf.ones([3])] * 2, 2**63)", ValueError, "int64"),
    ("tf.cumsum(tf.ones([3]), 2**63)", ValueError, "int64"),
    ("tf.split(tf.ones([0]), [-1])", Invalid, "[-1] size 0"),
    ("tf.truediv(0, tf.ones([2]))", TypeError, "int32 float32 tf.cast"),
    ("tf.nn.pool(tf.ones([1, 6, 1]), [2], 'MAX', strides=[3])", ValueError, "strides window [2] [3]"),
    ("tf.nn.pool(tf.ones([1, 6, 1]), [2, 2], 'MAX')", ValueError, "rank 4 [2, 2] [1, 6, 1]"),
    ("tf.nn.bias_add(tf.ones([2, 3]), tf.ones([3], tf.float64))", Invalid, "BiasAdd float double"),
    ("tf.linalg.lu_solve(tf.eye(2), [0, 1], tf.ones([3, 1]))", ValueError, "rhs [..., 2, columns] (3, 1)"),
    ("tf.linalg.lu_solve(tf.eye(2), [0., 1.], tf.ones([2, 1]))", Invalid, "perm integers [2] float32"),
    ("tf.constant([1, 2j], tf.float64)", ValueError, "mixed int 2j"),
    ("tf.py_function(lambda x: {}[0], [1.0], tf.float32)", tf.errors.UnknownError, "KeyError 0"),
    ("tf.py_function(3, [1.0], tf.float32)", ValueError, "callable 3"),
    ("tf.GradientTape().watch(1.5)", ValueError, "1.5 float convert_to_tensor"),
    ("tf.sparse.concat(0, [])", Invalid, "at least one"),
    ("tf.TensorArray(tf.float32, 2).read(-1)", tf.errors.OutOfRangeError, "-1 2"),
    # sizes
    ("tf.one_hot([0], -1)", Invalid, "OneHot -1"),
    ("tf.fill([-1], 1.0)", Invalid, "-1"),
    ("tf.zeros([-1])", Invalid, "-1"),
    ("tf.eye(-1)", Invalid, "-1"),
    ("tf.random.normal([-1])", Invalid, "-1"),
    ("tf.range(0, 5, 0)", Invalid, "Range 0"),
    ("tf.range(0, 5, -1)", Invalid, "Range 5"),
    ("tf.math.top_k([1.0], k=3)", Invalid, "TopK 3 1"),
    ("tf.repeat(tf.ones([3]), [1, 2])", (ValueError, Invalid), "3 2"),
    ("tf.roll(tf.ones([3]), 1, axis=2)", Invalid, "2"),
    ("tf.reverse(tf.ones([3]), [1])", Invalid, "1"),
    # losses
    ("tf.nn.softmax_cross_entropy_with_logits(labels=tf.ones([2, 3]), logits=tf.ones([2, 2]))",
     Invalid, "[2,2] [2,3]"),
    ("tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[[0]], logits=tf.ones([2, 2]))",
     ValueError, "rank"),
    ("tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[5], logits=tf.ones([1, 2]))", Invalid, "5"),
    ("tf.nn.sigmoid_cross_entropy_with_logits(labels=tf.ones([2, 3]), logits=tf.ones([2, 2]))",
     ValueError, "shape"),
    ("tf.nn.bias_add(tf.ones([2, 3]), tf.ones([2]))", Invalid, "BiasAdd [2] [2,3]"),
    # arguments
    ("tf.add(tf.ones([2]))", TypeError, "y"),
    ("tf.add(1.0, 1.0, None, 3)", TypeError, ""),
    ("tf.add(1.0, 1.0, nonsense=3)", TypeError, "nonsense"),
    ("tf.reduce_sum()", TypeError, ""),
    ("tf.reduce_sum([1.0], nonsense=3)", TypeError, "nonsense"),
    ("tf.where([True], [1.0])", ValueError, ""),
    ("tf.norm([1.0], ord='x')", ValueError, "x"),
    ("tf.sort([1.0], direction='x')", ValueError, "ASCENDING DESCENDING x"),
    # nests, functions, registries
    ("tf.nest.map_structure(3, [1])", TypeError, "3"),
    ("tf.nest.map_structure(lambda x, y: x, [1, 2], [1])", ValueError, ""),
    ("tf.nest.assert_same_structure([1], (1,))", TypeError, ""),
    ("tf.RegisterGradient(3)", TypeError, "string"),
    ("tf.TensorShape([2]).assert_is_compatible_with([3])", ValueError, "2 3"),
    ("tf.debugging.assert_equal(1, 2)", Invalid, ""),
    ("tf.debugging.check_numerics([float('nan')], 'here')", Invalid, "here NaN"),
    # variables
    ("tf.Variable(None)", ValueError, "initial_value"),
    ("tf.Variable()", ValueError, "initial_value"),
    ("tf.Variable([1.0], shape=[2])", ValueError, "(1,) 2"),
    ("tf.Variable('a', dtype=tf.float32)", TypeError, "a float"),
    # tapes
    ("tf.GradientTape().watch(1.0)", ValueError, "float"),
]  # fmt: skip

_IDS = [row[0] for row in _ROWS]


def _evaluate(expression: str) -> Any:
    return eval(expression, {"tf": tf, "np": np})


@pytest.mark.parametrize(("expression", "expected", "words"), _ROWS, ids=_IDS)
def test_class(expression: str, expected: Any, words: str) -> None:
    with pytest.raises(expected):
        _evaluate(expression)


@pytest.mark.parametrize(("expression", "expected", "words"), _ROWS, ids=_IDS)
def test_message_beyond_tensorflow(expression: str, expected: Any, words: str) -> None:
    """It says what is wrong, in no other language's terms."""
    with pytest.raises(expected) as caught:
        _evaluate(expression)
    message = str(caught.value)
    # A shape may be written [2, 3] or (2, 3).
    plain = (
        message.replace(", ", ",").replace("(", "[").replace(",)", "]").replace(")", "]").lower()
    )
    for word in words.replace(", ", ",").split():
        wanted = word.replace("(", "[").replace(",)", "]").replace(")", "]").lower()
        assert wanted in plain, f"{word!r} is not in: {message}"
    assert message.strip(), "an error without words"
    assert "operands could not be broadcast" not in message, "NumPy's words, not ours"


_ASSIGNMENTS: list[tuple[str, Any]] = [
    ("v.assign([1.0])", ValueError),
    ("v.assign([[1.0, 2.0]])", ValueError),
    ("v.assign(tf.constant([1, 2]))", ValueError),
    ("v.assign(tf.constant([1.0, 2.0], tf.float64))", ValueError),
    ("v.assign('a')", TypeError),
    ("v.assign(None)", ValueError),
    ("v.assign_add([1.0, 2.0, 3.0])", (Invalid, ValueError)),
    ("v.assign_add([1.0])", (Invalid, ValueError)),
    ("v.assign_add(tf.constant([1, 2]))", ValueError),
    ("v.assign_sub([[1.0, 2.0]])", (Invalid, ValueError)),
    ("v.scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.constant([7])))", Invalid),
    ("v.scatter_add(3.0)", TypeError),
    ("v.scatter_nd_update([[0], [7]], [1.0, 1.0])", Invalid),
    ("v[0:1].assign([1.0, 2.0, 3.0])", Invalid),
    ("v[7].assign(1.0)", Invalid),
    ("v[0].assign('a')", (TypeError, ValueError)),
]


@pytest.mark.parametrize(("expression", "expected"), _ASSIGNMENTS, ids=[r[0] for r in _ASSIGNMENTS])
def test_failed_assignment_changes_nothing(expression: str, expected: Any) -> None:
    v = tf.Variable([1.0, 2.0])
    before = v.read_value()
    with pytest.raises(expected):
        eval(expression, {"tf": tf, "v": v})
    assert v.numpy().tolist() == before.numpy().tolist() == [1.0, 2.0]
    v.assign_add([1.0, 1.0])
    assert v.numpy().tolist() == [2.0, 3.0]


def test_failed_scatter_does_half_of_nothing_beyond_tensorflow() -> None:
    """All indices are checked before any element is written."""
    v = tf.Variable(tf.zeros([4]))
    for indices in ([0, 1, 9], [0, -1, 2]):
        for method in (v.scatter_add, v.scatter_sub, v.scatter_update, v.scatter_max):
            with pytest.raises(Invalid):
                method(tf.IndexedSlices(tf.ones([3]), tf.constant(indices)))
    assert v.numpy().tolist() == [0.0] * 4


def test_spent_tape() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="persistent"):
        tape.gradient(y, x)


def test_spent_tape_says_why_and_what_to_do_beyond_tensorflow() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    tape.gradient(y, x)
    with pytest.raises(RuntimeError, match="A non-persistent GradientTape can only") as caught:
        tape.gradient(y, x)
    assert "persistent=True" in str(caught.value)
    assert "gradient" in str(caught.value)


def test_failed_gradient_call_does_not_spend_the_tape() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = x * x
    with pytest.raises(ValueError, match="nonsense"):
        tape.gradient(y, x, unconnected_gradients="nonsense")


def test_wrong_number_of_output_gradients_beyond_tensorflow() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    with pytest.raises(ValueError, match="output_gradients"):
        tape.gradient([y, y], x, output_gradients=[1.0])
    assert tape.gradient(y, x).numpy() == 6.0


def test_output_gradient_of_a_wrong_shape_beyond_tensorflow() -> None:
    """TensorFlow broadcasts it silently in some ops and fails in others."""
    x = tf.Variable([1.0, 2.0])
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    with pytest.raises((ValueError, Invalid), match=r"A tensor of shape \[3\] cannot be") as caught:
        tape.gradient(y, x, output_gradients=tf.ones([3]))
    assert "3" in str(caught.value)
    assert "2" in str(caught.value)


def test_target_that_is_no_tensor() -> None:
    x = tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = x * x
    for target in (3.0, "a", object()):
        with pytest.raises((TypeError, ValueError, AttributeError)):
            tape.gradient(target, x)
    for source in (3.0, np.ones(2), object()):
        with pytest.raises((TypeError, ValueError, AttributeError)):
            tape.gradient(y, source)
    assert tape.gradient(y, x).numpy() == 6.0


def test_registering_twice() -> None:
    tf.RegisterGradient("TestBadInputOnly")(lambda op, dy: dy)
    with pytest.raises(KeyError, match="TestBadInputOnly"):
        tf.RegisterGradient("TestBadInputOnly")(lambda op, dy: dy)


def test_deep_nests_are_an_error_and_no_crash_beyond_tensorflow() -> None:
    deep: Any = 1.0
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises((RecursionError, ValueError), match="The list is nested deeper than the"):
        tf.constant(deep)
    with pytest.raises((RecursionError, ValueError), match="The nest is deeper than Python's"):
        tf.nest.flatten(deep)
    # Let go of it level by level: Python's own deallocation of it is safe, a comparison is not.
    while isinstance(deep, list):
        deep = deep[0]


def test_sizes_that_overflow() -> None:
    for make in (
        lambda: tf.zeros([2**40, 2**40]),
        lambda: tf.ones([2**62, 4]),
        lambda: tf.tile(tf.ones([2]), [2**62]),
        lambda: tf.broadcast_to(tf.ones([1]), [2**40, 2**40]),
        lambda: tf.eye(2**40),
    ):
        with pytest.raises((Invalid, tf.errors.ResourceExhaustedError, MemoryError, ValueError)):
            make()


def test_index_that_does_not_fit_32_bits() -> None:
    x = tf.ones([3])
    with pytest.raises(
        (Invalid, ValueError, OverflowError, IndexError), match="indices = 4294967297 is not"
    ):
        tf.gather(x, tf.constant(2**32 + 1, tf.int64))
    with pytest.raises(
        (Invalid, ValueError, OverflowError, IndexError), match="slice index out of bounds for"
    ):
        x[2**32 + 1]
    with pytest.raises(
        (Invalid, ValueError, OverflowError, IndexError), match=r"indices\[0\] = \[4294967296\]"
    ):
        tf.scatter_nd(tf.constant([[2**32]], tf.int64), [1.0], tf.constant([3], tf.int64))


def test_one_number_is_not_an_array_of_one():
    # Some versions of NumPy convert such arrays to a number, with or without a warning, and some refuse.
    boxes, one = tf.ones([2, 4]), np.array([0.5])
    for call in (
        lambda: tf.raw_ops.NonMaxSuppression(
            boxes=boxes, scores=[1.0, 0.5], max_output_size=1, iou_threshold=one
        ),
        lambda: tf.raw_ops.StatelessRandomNormalV2(shape=[2], key=[1], counter=[1, 2], alg=[1]),
        lambda: tf.nn.fractional_max_pool(tf.ones([1, 4, 4, 1]), [1.0, one, 2.0, 1.0]),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError, match=r"single number|shape \[\]"):
            call()
