"""Array ops: gradients of every form against finite differences, to second order, and what only values show.

The sample table asks the ops their common questions; here are the arguments it does not vary.
"""

import math

import numpy as np
import pytest

import tapegrad as tf
from tapegrad import errors
from tapegrad.ops.elementwise import conditions
from tapegrad.ops.indexing import gathered_segments, getitem
from tapegrad.ops.shape import array, rearrange, strided_slices
from tapegrad.ops.sparse import arithmetic, functions
from tapegrad.testing import check_gradient

INF = float("inf")

RNG = np.random.default_rng(7)


def reals(*shape):
    return RNG.normal(size=shape)


def sparse_of(values):
    return functions.SparseTensor([[0, 1], [1, 0], [1, 2]], values, [2, 3])


GRADIENTS = {
    "identity": (array.identity, reals(2, 3)),
    "reshape": (lambda x: tf.reshape(x, [3, -1]), reals(2, 3)),
    "reshape to a scalar": (lambda x: tf.reshape(x, []), reals(1, 1)),
    "transpose": (lambda x: tf.transpose(x, [2, 0, 1]), reals(2, 3, 4)),
    "transpose from the back": (lambda x: tf.transpose(x, [-1, 0, 1]), reals(2, 3, 4)),
    "transpose conjugate": (
        lambda x: tf.transpose(x, conjugate=True),
        reals(2, 3) + 1j * reals(2, 3),
    ),
    "squeeze": (tf.squeeze, reals(1, 3, 1)),
    "squeeze axis": (lambda x: tf.squeeze(x, [-1]), reals(1, 3, 1)),
    "expand_dims": (lambda x: tf.expand_dims(x, -2), reals(2, 3)),
    "broadcast_to": (lambda x: tf.broadcast_to(x, [4, 2, 3]), reals(2, 1)),
    "broadcast_to nothing": (lambda x: tf.broadcast_to(x, [0, 2, 3]), reals(2, 1)),
    "tile": (lambda x: tf.tile(x, [2, 3]), reals(2, 2)),
    "tile none": (lambda x: tf.tile(x, [2, 0]), reals(2, 2)),
    "repeat": (lambda x: tf.repeat(x, [1, 0, 2], axis=1), reals(2, 3)),
    "repeat first axis": (lambda x: tf.repeat(x, 2, axis=0), reals(2, 3)),
    "concat": (lambda x, y: tf.concat([x, y, x], -1), reals(2, 3), reals(2, 1)),
    "concat one": (lambda x: tf.concat([x], 0), reals(2, 3)),
    "stack": (lambda x, y: tf.stack([x, y], axis=-2), reals(2, 3), reals(2, 3)),
    "unstack": (lambda x: tf.unstack(x, axis=1), reals(2, 3)),
    "one of unstack": (lambda x: tf.unstack(x, axis=1)[1], reals(2, 3)),
    "split": (lambda x: tf.split(x, 3, axis=-1), reals(2, 6)),
    "one of split": (lambda x: tf.split(x, [1, -1, 2])[1], reals(6)),
    "pad": (lambda x: tf.pad(x, [[1, 2], [0, 1]]), reals(2, 3)),
    "pad with a value": (lambda x: tf.pad(x, [[1, 2], [0, 1]], constant_values=3), reals(2, 3)),
    "pad reflect": (lambda x: tf.pad(x, [[1, 1], [2, 1]], "REFLECT"), reals(2, 3)),
    "pad symmetric": (lambda x: tf.pad(x, [[2, 1], [3, 3]], "SYMMETRIC"), reals(2, 3)),
    "slice": (lambda x: strided_slices.slice_(x, [0, 1], [-1, 2]), reals(2, 4)),
    "strided_slice": (lambda x: tf.strided_slice(x, [2, 0], [0, 3], [-1, 2]), reals(3, 4)),
    "x[i]": (lambda x: x[1], reals(3, 2)),
    "x[::-2]": (lambda x: x[::-2, None], reals(3, 2)),
    "x[..., i]": (lambda x: x[..., -1], reals(3, 2)),
    "x[mask]": (lambda x: x[tf.constant([True, False, True])], reals(3, 2)),
    "update_slice": (
        lambda x, y: getitem.update_slice(x, y, index=(slice(1, 3),)),
        reals(4, 2),
        reals(2, 2),
    ),
    "roll": (lambda x: tf.roll(x, [1, -2], [0, 1]), reals(2, 3)),
    "reverse": (lambda x: tf.reverse(x, [-1, 0]), reals(2, 3)),
    "reverse_sequence": (lambda x: tf.reverse_sequence(x, [2, 3, 0], 0, 1), reals(4, 3, 2)),
    "space_to_batch": (
        lambda x: tf.space_to_batch(x, [2, 3], [[1, 0], [1, 1]]),
        reals(2, 3, 4, 2),
    ),
    "batch_to_space": (lambda x: tf.batch_to_space(x, [2, 2], [[0, 1], [1, 0]]), reals(8, 2, 3)),
    "space_to_depth": (lambda x: rearrange.space_to_depth(x, 2), reals(1, 2, 4, 2)),
    "depth_to_space NCHW": (lambda x: rearrange.depth_to_space(x, 2, "NCHW"), reals(1, 8, 2, 1)),
    "where": (lambda x, y: tf.where([[True, False]], x, y), reals(3, 2), reals(2)),
    "where, rows": (
        lambda x, y: conditions.where_v1([True, False], x, y),
        reals(2, 3),
        reals(2, 3),
    ),
    "boolean_mask": (lambda x: tf.boolean_mask(x, [True, False], axis=1), reals(3, 2, 2)),
    "meshgrid": (lambda x, y: tf.meshgrid(x, y), reals(2), reals(3)),
    "dynamic_partition": (lambda x: tf.dynamic_partition(x, [[0, 2, 0]], 3), reals(1, 3, 2)),
    "dynamic_stitch": (lambda x, y: tf.dynamic_stitch([[0, 3], 1], [x, y]), reals(2, 2), reals(2)),
    "dynamic_stitch over": (
        lambda x, y: tf.dynamic_stitch([[0, 1], [1]], [x, y]),
        reals(2),
        reals(1),
    ),
    # Times one where the gradient of x itself would be IndexedSlices, which has no second order of its own.
    "gather": (lambda x: tf.gather(1.0 * x, [2, 0, 2]), reals(3, 2)),
    "gather one": (lambda x: tf.gather(1.0 * x, 1), reals(3, 2)),
    "gather axis": (lambda x: tf.gather(x, [[2, 0], [1, 1]], axis=1), reals(2, 3, 2)),
    "gather in batches": (
        lambda x: tf.gather(x, [[2, 0, 2], [1, 1, 0]], axis=2, batch_dims=1),
        reals(2, 2, 3, 2),
    ),
    "gather complex": (lambda x: tf.gather(1.0 * x, [1, 1]), reals(2) + 1j * reals(2)),
    "gather_nd": (lambda x: tf.gather_nd(x, [[0, 1], [2, 0], [0, 1]]), reals(3, 2)),
    "gather_nd rows": (lambda x: tf.gather_nd(1.0 * x, [[0], [2], [0]]), reals(3, 2)),
    "gather_nd in batches": (lambda x: tf.gather_nd(x, [[1], [0]], batch_dims=1), reals(2, 3)),
    "gather_nd ignoring": (
        lambda x: tf.gather_nd(x, [[1], [7]], bad_indices_policy="IGNORE"),
        reals(3),
    ),
    "scatter_nd": (lambda x: tf.scatter_nd([[1], [0], [1]], x, [4, 2]), reals(3, 2)),
    "scatter_nd ignoring": (
        lambda x: tf.scatter_nd([[1], [9]], x, [4], bad_indices_policy="IGNORE"),
        reals(2),
    ),
    "tensor_scatter_nd_add": (
        lambda x, y: tf.tensor_scatter_nd_add(x, [[1, 0], [0, 1], [1, 0]], y),
        reals(2, 2),
        reals(3),
    ),
    "tensor_scatter_nd_sub": (
        lambda x, y: tf.tensor_scatter_nd_sub(x, [[1], [1]], y),
        reals(2, 2),
        reals(2, 2),
    ),
    "tensor_scatter_nd_update": (
        lambda x, y: tf.tensor_scatter_nd_update(x, [[1], [0]], y),
        reals(3, 2),
        reals(2, 2),
    ),
    "tensor_scatter_nd_update twice": (
        lambda x, y: tf.tensor_scatter_nd_update(x, [[1], [0], [1]], y),
        reals(3, 2),
        reals(3, 2),
    ),
    "tensor_scatter_nd_max": (
        lambda x, y: tf.tensor_scatter_nd_max(x, [[1], [0], [1]], y),
        reals(3),
        reals(3),
    ),
    "tensor_scatter_nd_min": (
        lambda x, y: tf.tensor_scatter_nd_min(x, [[1], [0], [1]], y),
        reals(3, 2),
        reals(3, 2),
    ),
    "segment_sum": (lambda x: tf.math.segment_sum(x, [0, 0, 2]), reals(3, 2)),
    "segment_mean": (lambda x: tf.math.segment_mean(x, [0, 0, 2]), reals(3, 2)),
    "segment_max": (lambda x: tf.math.segment_max(x, [0, 0, 2]), reals(3, 2)),
    "segment_min": (lambda x: tf.math.segment_min(x, [0, 0, 2]), reals(3, 2)),
    "segment_prod": (lambda x: tf.math.segment_prod(x, [0, 0, 0, 2]), reals(4, 2)),
    "segment_prod of zeros": (
        lambda x: tf.math.segment_prod(x, [0, 0, 0, 2, 2, 3]),
        np.array([0.0, 2.0, 3.0, 0.0, 0.0, 4.0]),
    ),
    "unsorted_segment_sum": (lambda x: tf.math.unsorted_segment_sum(x, [2, -1, 2], 3), reals(3, 2)),
    "unsorted_segment_sum of a matrix": (
        lambda x: tf.math.unsorted_segment_sum(x, [[2, 0], [0, 0]], 3),
        reals(2, 2, 2),
    ),
    "unsorted_segment_mean": (
        lambda x: tf.math.unsorted_segment_mean(x, [2, 0, 2], 4),
        reals(3, 2),
    ),
    "unsorted_segment_sqrt_n": (
        lambda x: tf.math.unsorted_segment_sqrt_n(x, [2, 0, 2], 4),
        reals(3, 2),
    ),
    "unsorted_segment_max": (lambda x: tf.math.unsorted_segment_max(x, [0, -1, 0], 1), reals(3, 2)),
    "unsorted_segment_min": (lambda x: tf.math.unsorted_segment_min(x, [1, 0, 1], 2), reals(3)),
    "unsorted_segment_prod": (
        lambda x: tf.math.unsorted_segment_prod(x, [1, -1, 1], 3),
        reals(3, 2),
    ),
    "unsorted_segment_prod of zeros": (
        lambda x: tf.math.unsorted_segment_prod(x, [1, 1, -1, 1, 0], 3),
        np.array([0.0, 2.0, 0.0, 3.0, 0.0]),
    ),
    "sparse.segment_sum": (
        lambda x: gathered_segments.sparse_segment_sum(x, [0, 2, 0], [0, 0, 1], num_segments=3),
        reals(3, 2),
    ),
    "sparse.segment_sqrt_n": (
        lambda x: gathered_segments.sparse_segment_sqrt_n(x, [0, 2], [0, 0]),
        reals(3, 2),
    ),
    "sort": (tf.sort, reals(2, 4)),
    "sort down": (lambda x: tf.sort(x, axis=0, direction="DESCENDING"), reals(3, 2)),
    "top_k": (lambda x: tf.math.top_k(x, 2).values, reals(2, 4)),
    "sparse.to_dense": (lambda x, y: functions.to_dense(sparse_of(x), y), reals(3), reals()),
    "sparse.add": (lambda x, y: arithmetic.sparse_add(sparse_of(x), y), reals(3), reals(2, 3)),
    "sparse.add of sparse": (
        lambda x, y: (
            arithmetic.sparse_add(
                sparse_of(x), functions.sparse_transpose(functions.sparse_transpose(sparse_of(y)))
            ).values
        ),
        reals(3),
        reals(3),
    ),
    "sparse.sparse_dense_matmul": (
        lambda x, y: arithmetic.sparse_dense_matmul(sparse_of(x), y),
        reals(3),
        reals(3, 2),
    ),
    "sparse.sparse_dense_matmul adjoint": (
        lambda x, y: arithmetic.sparse_dense_matmul(
            sparse_of(x), y, adjoint_a=True, adjoint_b=True
        ),
        reals(3) + 1j * reals(3),
        reals(4, 2) + 1j * reals(4, 2),
    ),
    "sparse.reduce_sum": (lambda x: arithmetic.sparse_reduce_sum(sparse_of(x), axis=0), reals(3)),
    "sparse.reduce_max": (lambda x: arithmetic.sparse_reduce_max(sparse_of(x), axis=1), reals(3)),
    "sparse times dense": (lambda x, y: (sparse_of(x) * y).values, reals(3), reals(3)),
    "sparse.from_dense": (lambda x: functions.from_dense(x).values, reals(2, 3)),
    "sparse.reorder": (
        lambda x: functions.reorder(functions.SparseTensor([[2], [0]], x, [3])).values,
        reals(2),
    ),
}


@pytest.mark.parametrize("name", GRADIENTS)
def test_gradients_agree_with_differences(name):
    function, *inputs = GRADIENTS[name]
    check_gradient(function, *inputs, order=2, name=name)


def gradients_of(function, *values):
    tensors = [tf.constant(value) for value in values]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        result = function(*tensors)
    return [
        None if g is None else tf.convert_to_tensor(g).numpy().tolist()
        for g in tape.gradient(result, tensors)
    ]


def test_ties_share_a_gradient():
    tied = gradients_of(lambda x: tf.math.unsorted_segment_max(x, [0, 0, -1], 2), [1.0, 1.0, 3.0])
    assert tied == [[0.5, 0.5, 0.0]]
    tied = gradients_of(
        lambda x, y: tf.tensor_scatter_nd_max(x, [[0], [1], [1]], y),
        [1.0, 2.0, 3.0],
        [1.0, 5.0, 5.0],
    )
    assert tied == [[0.5, 0.0, 1.0], [0.5, 0.5, 0.5]]


def test_of_equal_numbers_sort_and_top_k_take_the_first():
    assert gradients_of(lambda x: tf.sort(x) * [1.0, 2.0, 3.0, 4.0], [3.0, 1.0, 3.0, 2.0]) == [
        [3.0, 1.0, 4.0, 2.0]
    ]
    top = gradients_of(lambda x: tf.math.top_k(x, 2).values * [1.0, 2.0], [1.0, 3.0, 3.0])
    assert top == [[0.0, 1.0, 2.0]]


def test_nan_is_the_largest_number():
    values = [1.0, float("nan"), 3.0, float("inf")]
    assert tf.argsort(values).numpy().tolist() == [0, 2, 3, 1]
    assert tf.argsort(values, direction="DESCENDING").numpy().tolist() == [1, 3, 2, 0]
    assert tf.math.top_k(values, 2).indices.numpy().tolist() == [1, 3]
    assert tf.sort(tf.constant(values, tf.bfloat16)).numpy().astype(float).tolist()[:3] == [
        1.0,
        3.0,
        float("inf"),
    ]


def test_only_what_remains_of_an_update_has_a_gradient():
    update = gradients_of(
        lambda x, y: tf.tensor_scatter_nd_update(x, [[0], [0]], y), [1.0, 2.0], [3.0, 4.0]
    )
    assert update == [[0.0, 1.0], [0.0, 1.0]]
    stitch = gradients_of(lambda x, y: tf.dynamic_stitch([[0, 1], [1]], [x, y]), [1.0, 2.0], [3.0])
    assert stitch == [[1.0, 0.0], [1.0]]


def test_where_sends_zero_into_the_branch_not_taken():
    gradient = gradients_of(lambda x: tf.where(x > 0, 1 / x, 0.0), [0.0, 2.0])
    assert gradient == [[0.0, -0.25]]


@pytest.mark.parametrize(
    "dtype", ["float16", "bfloat16", "int8", "uint64", "complex64", "bool", "string"]
)
def test_every_dtype_can_be_moved_about(dtype):
    values = [["a", "b"], ["c", "d"]] if dtype == "string" else [[1, 0], [0, 1]]
    x = tf.cast(tf.constant(values), dtype) if dtype != "string" else tf.constant(values)
    for result in (
        tf.reshape(x, [4]),
        tf.transpose(x),
        tf.concat([x, x], 0),
        tf.stack([x, x]),
        tf.tile(x, [1, 2]),
        tf.pad(x, [[1, 1], [0, 0]]),
        tf.reverse(x, [0]),
        tf.roll(x, 1, 1),
        tf.gather(x, [1, 1]),
        tf.gather_nd(x, [[0, 1]]),
        tf.scatter_nd([[2]], x[:1], [3, 2]),
        tf.where([True, False], x, x),
        tf.repeat(x, 2, axis=0),
        x[::-1, 1],
        tf.tensor_scatter_nd_update(x, [[0, 0]], x[1, :1]),
        tf.dynamic_stitch([[1, 0]], [x]),
        *tf.dynamic_partition(x, [1, 0], 2),
        *tf.split(x, 2),
        *tf.unstack(x),
    ):
        assert result.dtype == x.dtype
        assert result.shape.rank is not None


def test_strings():
    assert tf.scatter_nd([[0], [0]], ["a", "b"], [2]).numpy().tolist() == [b"ab", b""]
    assert tf.pad(["a"], [[1, 1]]).numpy().tolist() == [b"", b"a", b""]
    assert tf.unique(["a", "b", "a"]).idx.numpy().tolist() == [0, 1, 0]
    assert tf.constant(["a", "b"])[1].numpy() == b"b"


def test_half_precision_segments():
    x = tf.cast([[1, 2], [3, 4], [5, 6]], tf.bfloat16)
    assert tf.math.unsorted_segment_sum(x, [1, 1, 0], 2).numpy().astype(float).tolist() == [
        [5, 6],
        [4, 6],
    ]
    assert tf.math.unsorted_segment_max(x, [1, 1, 0], 2).numpy().astype(float).tolist() == [
        [5, 6],
        [3, 4],
    ]
    x = tf.cast([1, 2, 3], tf.bfloat16)
    assert tf.math.unsorted_segment_sum(x, [1, 1, 0], 2).numpy().astype(float).tolist() == [3, 3]


# A function, the sign of the infinities, and TensorFlow's result for a segment of them and for one of
# nothing, where 1 stands for the greatest finite number.
EXTREMES = [
    (tf.math.unsorted_segment_max, -1.0, (-1, -1)),
    (tf.math.unsorted_segment_min, 1.0, (1, 1)),
    (tf.math.segment_max, -1.0, (-INF, 0)),
    (tf.math.segment_min, 1.0, (INF, 0)),
]


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize(("function", "sign", "filled"), EXTREMES)
def test_extremes_of_segments_of_infinities(function, sign, filled, dtype):
    """TensorFlow's unsorted functions begin with the least finite number, so their logsumexp is never NaN."""
    x = tf.constant([sign * INF, sign * INF, 1.0], dtype)
    more = [] if filled[1] == 0 else [4]
    found = function(x, [0, 0, 2], *more)
    largest = float(tf.as_dtype(dtype).max)
    wanted = [part * largest if abs(part) == 1 else part for part in filled]
    assert [float(value) for value in found[:3]] == [*wanted, 1.0]


def test_the_gradient_of_a_segment_of_infinities_is_zero():
    x = [-INF, -INF, 3.0, 3.0]
    found = gradients_of(lambda x: tf.math.unsorted_segment_max(x, [0, 0, 1, 1], 3), x)
    assert found == [[0.0, 0.0, 0.5, 0.5]]
    found = gradients_of(lambda x: tf.math.segment_max(x, [0, 0, 1, 1]), x)
    assert found == [[0.5, 0.5, 0.5, 0.5]]


@pytest.mark.parametrize("batch_dims", [1, 2, -1, tf.constant(1)])
@pytest.mark.parametrize("axis", [0, tf.constant(0), tf.constant(0, tf.int64)])
def test_a_gather_along_the_first_axis_has_no_batch(axis, batch_dims):
    """TensorFlow does not look at ``batch_dims`` there, and refuses the batch along the same axis as -1."""
    weights, labels = tf.constant([1.0, 2.0, 3.0]), tf.constant([0, 2, 1, 2])
    for params in (weights, tf.Variable(weights)):
        found = tf.gather(params, labels, axis=axis, batch_dims=batch_dims)
        assert found.numpy().tolist() == [1.0, 3.0, 2.0, 3.0]
    if int(batch_dims) > 0:
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.gather(weights, labels, axis=-1, batch_dims=batch_dims)
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.raw_ops.GatherV2(params=weights, indices=labels, axis=0, batch_dims=int(batch_dims))


INVALID = {
    "two sizes open": lambda: tf.reshape(tf.zeros([4]), [-1, -1]),
    "a negative size": lambda: tf.reshape(tf.zeros([4]), [-2, 2]),
    "too many elements": lambda: tf.broadcast_to(1.0, [2**40, 2**40]),
    "an overflowing tile": lambda: tf.tile(tf.zeros([2, 2]), [2**40, 2**40]),
    "an overflowing pad": lambda: tf.pad(tf.zeros([2, 2]), [[2**62, 2**62], [1, 1]]),
    "an overflowing scatter": lambda: tf.scatter_nd([[0]], [1.0], [2**62, 4]),
    "an overflowing segment count": lambda: tf.math.unsorted_segment_sum([[1.0] * 8], [0], 2**62),
    "not a permutation": lambda: tf.transpose(tf.zeros([2, 2]), [0, 0]),
    "an axis out of range": lambda: tf.concat([tf.zeros([2]), tf.zeros([2])], 1),
    "an index out of range": lambda: tf.gather([1.0, 2.0], [2]),
    "a negative index": lambda: tf.gather([1.0, 2.0], [-1]),
    "a huge index": lambda: tf.gather([1.0, 2.0], [2**62]),
    "a scattered index out of range": lambda: tf.tensor_scatter_nd_add([1.0], [[1]], [1.0]),
    "updates of another size": lambda: tf.scatter_nd([[0], [1]], [1.0], [2]),
    "a segment out of range": lambda: tf.math.unsorted_segment_sum([1.0], [3], 3),
    "segments not sorted": lambda: tf.math.segment_sum([1.0, 2.0], [1, 0]),
    "a negative segment": lambda: tf.math.segment_sum([1.0], [-1]),
    "segments of another size": lambda: tf.math.segment_max([1.0, 2.0], [0]),
    "too large a k": lambda: tf.math.top_k([1.0], 2),
    "a negative k": lambda: tf.math.top_k([1.0], -1),
    "a partition out of range": lambda: tf.dynamic_partition([1.0], [1], 1),
    "a stitch below zero": lambda: tf.dynamic_stitch([[-1]], [[1.0]]),
    "an absurd stitch": lambda: tf.dynamic_stitch([[2**31 - 1]], [[1.0]]),
    "split sizes that do not add up": lambda: tf.split([1, 2, 3], [1, 1]),
    "a negative split": lambda: tf.split([1, 2, 3], [-2, 5]),
    "mirrored too far": lambda: tf.pad([1, 2], [[2, 0]], "REFLECT"),
    "a length beyond the sequence": lambda: tf.reverse_sequence([[1, 2]], [3], 1),
    "a block of size 0": lambda: tf.space_to_batch([[1, 2]], [0], [[0, 0]]),
    "crops beyond the edge": lambda: tf.batch_to_space(tf.zeros([4, 1]), [2], [[2, 1]]),
    "strings as a shape": lambda: tf.reshape([1, 2], ["a"]),
    "floats as a shape": lambda: tf.reshape([1, 2], [2.0]),
    "a sparse index out of range": lambda: functions.to_dense(functions.SparseTensor([[3]], [1.0], [3])),
    "a negative sparse index": lambda: functions.to_dense(functions.SparseTensor([[-1]], [1.0], [3])),
}  # fmt: skip


@pytest.mark.parametrize("name", INVALID)
def test_what_cannot_be_is_an_invalid_argument(name):
    with pytest.raises(errors.InvalidArgumentError) as caught:
        INVALID[name]()
    assert len(str(caught.value)) > 20


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda: tf.reshape([1, 2], None), ValueError),
        (lambda: tf.reshape([1, 2], [[1, 2], [3]]), ValueError),
        (lambda: tf.reshape([1, 2], 2.0), TypeError),
        (lambda: tf.reshape([1, 2], [2, "a"]), ValueError),
        (lambda: tf.fill(["a", 2], 1.0), ValueError),
        (lambda: tf.tile([1, 2], [2.0, "a"]), ValueError),
        (lambda: tf.reduce_sum([[1]], [0, b"a"]), ValueError),
        (lambda: tf.stack([[1], [2]], axis=3), ValueError),
        (lambda: tf.unstack(5.0), ValueError),
        (lambda: tf.boolean_mask([1, 2], True), ValueError),
        (lambda: tf.boolean_mask([1, 2], [True]), ValueError),
        (lambda: tf.where([True], 1), ValueError),
        (lambda: tf.repeat([1, 2], [1, 2, 3]), ValueError),
        (lambda: tf.split([1, 2], tf.constant(2)), ValueError),
        (lambda: tf.sort([1, 2], direction="UP"), ValueError),
        (lambda: tf.pad([1], [[0, 0]], "AROUND"), ValueError),
        (lambda: tf.concat([[1], [2.5]], 0), TypeError),
        (lambda: tf.squeeze([[1]], axis="a"), TypeError),
        (lambda: tf.reverse_sequence([[1]], [1]), TypeError),
        (lambda: tf.unique([[1]]), errors.InvalidArgumentError),
    ],
)
def test_other_errors_have_tensorflows_classes(call, error):
    with pytest.raises(error):
        call()


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        ([5], r"with 6 values, but the requested shape has 5: \[2, 3\] cannot become \[5\]\."),
        ([], r"but the requested shape has 1: .* cannot become \[\]\."),
        ([0, -1], r"but the requested shape has 0: .* cannot become \[0, -1\]\."),
        (
            [4, -1],
            r"but the requested shape requires a multiple of 4: .* cannot become \[4, -1\]\.",
        ),
        ([-2, 3], r"Size 0 must be non-negative, not -2, in a reshape to \[-2, 3\]"),
        ([3, -7], r"Size 1 must be non-negative, not -7"),
        ([-1, -1], r"Only one input size may be -1 in a reshape; 2 are in \[-1, -1\]\."),
    ],
)
def test_reshape_says_what_does_not_fit(shape, words):
    """Sonnet's tests match TensorFlow's words."""
    x = tf.ones([2, 3])
    for call in (tf.reshape, lambda x, shape: tf.sparse.reshape(tf.sparse.from_dense(x), shape)):
        with pytest.raises(errors.InvalidArgumentError, match=words):
            call(x, shape)


def test_empty_tensors():
    empty = tf.zeros([0, 3])
    assert tf.reshape(empty, [-1, 0]).shape == [3, 0]
    assert tf.gather(empty, tf.zeros([0], tf.int32)).shape == [0, 3]
    assert tf.concat([empty, empty], 0).shape == [0, 3]
    assert tf.unstack(empty) == []
    assert tf.sort(empty).shape == [0, 3]
    assert tf.math.top_k(tf.zeros([2, 0]), 0).indices.shape == [2, 0]
    assert tf.math.segment_max(empty, tf.zeros([0], tf.int32)).shape == [0, 3]
    assert (
        tf.math.unsorted_segment_max(empty, tf.zeros([0], tf.int32), 1).numpy()[0, 0]
        == np.finfo("f").min
    )
    assert tf.unique(tf.zeros([0])).y.shape == [0]
    assert gradients_of(lambda x: tf.gather(x, tf.zeros([0], tf.int32)), [[1.0, 2.0]]) == [
        [[0.0, 0.0]]
    ]


def test_views_do_not_copy():
    x = tf.zeros([1000, 10])
    for view in (
        tf.reshape(x, [-1]),
        tf.transpose(x),
        x[1:],
        x[..., None],
        tf.squeeze(x[:, :1]),
        tf.split(x, 2)[1],
    ):
        assert np.shares_memory(view._array, x._array)


def test_static_values():
    assert tf.get_static_value(tf.Variable(1.0)) is None
    assert tf.get_static_value(3) == 3
    assert tf.get_static_value(tf.constant([1, 2])).tolist() == [1, 2]


def test_a_gather_by_strided_indices_and_from_a_strided_table():
    table = tf.transpose(tf.reshape(tf.range(12), [3, 4]))
    indices = tf.range(4)[::-2]
    assert tf.gather(table, indices).numpy().tolist() == [[3, 7, 11], [1, 5, 9]]
    assert tf.gather_nd(table, indices[:, None]).numpy().tolist() == [[3, 7, 11], [1, 5, 9]]


@pytest.mark.parametrize("count", [None, 4])
@pytest.mark.parametrize("name", ["segment_sum", "segment_mean", "segment_sqrt_n"])
def test_sparse_gradients_of_segments(name: str, count: int | None) -> None:
    """Each row that was gathered is there once, in ascending order."""
    data = tf.reshape(tf.range(8.0), [4, 2])
    found = {}
    for sparse in (False, True):
        with tf.GradientTape() as tape:
            tape.watch(data)
            y = getattr(tf.sparse, name)(
                data, [2, 0, 2], [0, 0, 2], num_segments=count, sparse_gradient=sparse
            )
        found[sparse] = (y, tape.gradient(y, data))
    np.testing.assert_array_equal(found[True][0], found[False][0])
    slices = found[True][1]
    assert slices.indices.numpy().tolist() == [0, 2]
    assert slices.dense_shape.numpy().tolist() == [4, 2]
    np.testing.assert_array_equal(tf.convert_to_tensor(slices), found[False][1])


@pytest.mark.parametrize("ends", [(math.inf, 1.0), (1.0, -math.inf), (1e38, -3e38)])
def test_a_row_of_numbers_has_its_ends(ends: tuple[float, float]) -> None:
    for count in (2, 3, 5):
        row = tf.raw_ops.LinSpace(start=ends[0], stop=ends[1], num=count).numpy()
        np.testing.assert_array_equal(row[[0, -1]], np.array(ends, np.float32))


def test_booleans_after_an_integer_are_sizes():
    assert tf.zeros([2, True]).shape == [2, 1]
    assert tf.fill([3, False], 1.0).shape == [3, 0]
    assert tf.tile(tf.ones([2, 1]), [2, True]).shape == [4, 1]
    assert tf.random.uniform((80, True)).shape == [80, 1]
    assert tf.zeros([True, 2]).shape == tf.ones((True, 2)).shape == [1, 2]
    with pytest.raises(ValueError, match=r"a sequence of booleans and numbers to a tensor: \[True"):
        tf.fill([True, 2], 1.0)
