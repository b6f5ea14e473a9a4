"""``IndexedSlices``: where they come from, that they stay sparse, and what they turn into."""

import copy
import pickle

import numpy as np
import pytest

import tapegrad as tf
from tapegrad import errors

TABLE = np.arange(12, dtype=np.float32).reshape(3, 4)


def made(dense_shape=True):
    return tf.IndexedSlices(
        tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]),
        tf.constant([0, 2, 0]),
        tf.constant([4, 2]) if dense_shape else None,
    )


def gradient_of(function, source):
    with tf.GradientTape() as tape:
        tape.watch(source)
        result = function(source)
    return tape.gradient(result, source)


SPARSE = {
    "gather": (lambda s: tf.gather(s, [0, 2, 0]), [0, 2, 0]),
    "gather one": (lambda s: tf.gather(s, 1), [1]),
    "gather by a matrix": (lambda s: tf.gather(s, [[0, 2], [1, 1]]), [0, 2, 1, 1]),
    "gather nothing": (lambda s: tf.gather(s, tf.zeros([0], tf.int32)), []),
    "gather_nd": (lambda s: tf.gather_nd(s, [[0], [2], [0]]), [0, 2, 0]),
    "embedding_lookup": (lambda s: tf.nn.embedding_lookup(s, [0, 2]), [0, 2]),
    "embedding_lookup clipped": (
        lambda s: tf.nn.embedding_lookup(s, [0, 2], max_norm=1.0),
        [0, 2],
    ),
    "gather, used": (lambda s: 2.0 * tf.gather(s, [0, 2]), [0, 2]),
    "two gathers": (
        lambda s: tf.reduce_sum(tf.gather(s, [0, 2])) + tf.reduce_sum(tf.gather(s, [1])),
        [0, 2, 1],
    ),
    "gather and gather_nd": (
        lambda s: tf.reduce_sum(tf.gather(s, [0, 2])) + tf.reduce_sum(tf.gather_nd(s, [[0], [1]])),
        [0, 2, 0, 1],
    ),
}

DENSE = {
    "gather along axis 1": lambda s: tf.gather(s, [0, 2, 0], axis=1),
    "gather along axis -2": lambda s: tf.gather(s, [0, 2, 0], axis=-2),
    "gather in batches": lambda s: tf.gather(s, [[0, 2], [1, 1], [0, 0]], batch_dims=1),
    "gather_nd of elements": lambda s: tf.gather_nd(s, [[0, 0], [2, 1]]),
    "gather and all": lambda s: tf.reduce_sum(tf.gather(s, [0, 2])) + tf.reduce_sum(s),
    "all and gather": lambda s: tf.reduce_sum(s) + tf.reduce_sum(tf.gather(s, [0, 2])),
    "gather of something computed": lambda s: tf.gather(2.0 * s, [0, 2, 0]),
    "an index": lambda s: s[0],
    "a mask": lambda s: tf.boolean_mask(s, [True, False, True]),
    "repeat": lambda s: tf.repeat(s, 2, axis=0),
}


@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
@pytest.mark.parametrize("name", SPARSE)
def test_gathers_of_slices_have_sparse_gradients(name, make):
    function, indices = SPARSE[name]
    gradient = gradient_of(function, make(TABLE))
    assert type(gradient) is tf.IndexedSlices
    assert gradient.indices.numpy().tolist() == indices
    assert gradient.values.shape == [len(indices), 4]
    assert gradient.shape == [3, 4]
    assert gradient.dense_shape.dtype == tf.int32


@pytest.mark.parametrize("make", [tf.constant, tf.Variable])
@pytest.mark.parametrize("name", DENSE)
def test_all_others_are_dense(name, make):
    gradient = gradient_of(DENSE[name], make(TABLE))
    assert isinstance(gradient, tf.Tensor)
    assert gradient.shape == [3, 4]


def test_values_of_aggregated_gradients():
    total = gradient_of(
        lambda s: (
            tf.reduce_sum(tf.gather(s, [0, 2]) ** 2)
            + tf.reduce_sum(s)
            + tf.reduce_sum(tf.gather(s, [0]))
        ),
        tf.Variable(TABLE),
    )
    expected = np.ones((3, 4), np.float32)
    expected[[0, 2]] += 2 * TABLE[[0, 2]]
    expected[0] += 1
    np.testing.assert_array_equal(total.numpy(), expected)


def test_indices_of_two_types_meet_in_int64():
    gradient = gradient_of(
        lambda s: (
            tf.reduce_sum(tf.gather(s, [0, 2]))
            + tf.reduce_sum(tf.gather(s, tf.constant([1], tf.int64)))
        ),
        tf.constant(TABLE),
    )
    assert gradient.indices.dtype == tf.int64
    assert gradient.indices.numpy().tolist() == [0, 2, 1]


def test_second_order():
    x = tf.constant(TABLE)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(tf.gather(x, [0, 2, 0]) ** 3)
        z = tf.reduce_sum(tf.convert_to_tensor(inner.gradient(y, x)) ** 2)
    # y = 2 x0**3 + x2**3, z = (6 x0**2)**2 + (3 x2**2)**2
    expected = np.stack([144 * TABLE[0] ** 3, 0 * TABLE[1], 36 * TABLE[2] ** 3])
    np.testing.assert_allclose(
        tf.convert_to_tensor(outer.gradient(z, x)).numpy(), expected, rtol=1e-6
    )


def test_parts():
    slices = made()
    assert slices.shape == tf.TensorShape([4, 2])
    assert made(dense_shape=False).shape == tf.TensorShape(None)
    assert slices.dtype == tf.float32
    assert slices.device == slices.values.device
    assert slices.consumers() == []
    assert made(dense_shape=False).dense_shape is None
    for name in ("name", "op", "graph"):
        with pytest.raises(AttributeError, match=f"Tensor.{name} is undefined"):
            getattr(slices, name)
    with pytest.raises(AttributeError):
        slices.numpy()


def test_printed():
    assert str(made()) == (
        "IndexedSlices(indices=tf.Tensor([0 2 0], shape=(3,), dtype=int32), values=tf.Tensor(\n[[1. 2.]\n"
        " [3. 4.]\n [5. 6.]], shape=(3, 2), dtype=float32), "
        "dense_shape=tf.Tensor([4 2], shape=(2,), dtype=int32))"
    )
    assert "dense_shape" not in str(made(dense_shape=False))
    assert repr(made()) == str(made())
    assert repr(tf.IndexedSlicesSpec([4, 2])) == (
        "IndexedSlicesSpec(TensorShape([4, 2]), tf.float32, tf.int64, None, TensorShape([None]))"
    )


def test_conversion_adds_up():
    dense = tf.convert_to_tensor(made())
    assert dense.numpy().tolist() == [[6.0, 8.0], [0.0, 0.0], [3.0, 4.0], [0.0, 0.0]]
    with pytest.raises(ValueError, match="dense_shape"):
        tf.convert_to_tensor(made(dense_shape=False))
    with pytest.raises(ValueError, match="float64"):
        tf.convert_to_tensor(made(), dtype=tf.float64)
    with pytest.raises(errors.InvalidArgumentError, match=r"segment_ids\[0\] = 5 is out of range"):
        tf.convert_to_tensor(
            tf.IndexedSlices(tf.constant([1.0]), tf.constant([5]), tf.constant([3]))
        )
    with pytest.raises(errors.InvalidArgumentError, match=r"data\.shape = \[2\] must start with"):
        tf.convert_to_tensor(
            tf.IndexedSlices(tf.constant([1.0, 2.0]), tf.constant([0]), tf.constant([3]))
        )


def test_ops_take_them_as_tensors():
    ones = tf.ones([4, 2])
    dense = tf.convert_to_tensor(made()).numpy()
    np.testing.assert_array_equal((ones + made()).numpy(), 1 + dense)
    np.testing.assert_array_equal((made() + ones).numpy(), 1 + dense)
    np.testing.assert_array_equal((ones * made()).numpy(), dense)
    np.testing.assert_array_equal(tf.multiply(made(), 2.0).numpy(), 2 * dense)
    np.testing.assert_array_equal(tf.square(made()).numpy(), dense**2)
    np.testing.assert_array_equal(tf.add_n([made(), made()]).numpy(), 2 * dense)
    np.testing.assert_array_equal(tf.gather(made(), [0]).numpy(), dense[:1])
    assert tf.reduce_sum(made()).numpy() == 21.0
    assert tf.shape(made()).numpy().tolist() == [4, 2]
    assert tf.size(made()).numpy() == 8
    for operation in (
        lambda s: s * 2.0,
        lambda s: 2.0 * s,
        lambda s: s + s,
        lambda s: s[0],
        len,
        list,
    ):
        with pytest.raises(TypeError):
            operation(made())


@pytest.mark.parametrize(
    ("operation", "factor"),
    [
        (lambda s: -s, -1),
        (tf.identity, 1),
        (tf.stop_gradient, 1),
        (lambda s: tf.scalar_mul(2.0, s), 2),
        (lambda s: tf.clip_by_norm(s, 1.0), 1 / np.sqrt(91)),
    ],
)
def test_what_keeps_them_sparse(operation, factor):
    result = operation(made())
    assert type(result) is tf.IndexedSlices
    np.testing.assert_allclose(result.values.numpy(), factor * made().values.numpy(), rtol=1e-6)
    assert result.shape == [4, 2]


def test_variables_take_them():
    v = tf.Variable(tf.ones([4, 2]))
    v.assign_add(made())
    assert v.numpy().tolist() == [[7.0, 9.0], [1.0, 1.0], [4.0, 5.0], [1.0, 1.0]]
    v.scatter_sub(made())
    assert v.numpy().tolist() == [[1.0, 1.0]] * 4


def test_nests_and_copies():
    slices = made()
    assert tf.nest.flatten(slices) == [slices]
    assert len(tf.nest.flatten(slices, expand_composites=True)) == 3
    again = tf.nest.map_structure(lambda t: t, slices, expand_composites=True)
    assert type(again) is tf.IndexedSlices
    for other in (copy.copy(slices), copy.deepcopy(slices), pickle.loads(pickle.dumps(slices))):
        assert other.values.numpy().tolist() == slices.values.numpy().tolist()
        assert other.dense_shape.numpy().tolist() == [4, 2]
    assert tf.is_tensor(slices)
    assert not isinstance(slices, tf.Tensor)


def test_specs():
    spec = made()._type_spec
    assert spec == tf.IndexedSlicesSpec([4, 2], tf.float32, tf.int32, tf.int32, [3])
    assert spec.is_compatible_with(made())
    assert not tf.IndexedSlicesSpec([5, 2]).is_compatible_with(made())
    assert spec.value_type is tf.IndexedSlices
    assert pickle.loads(pickle.dumps(spec)) == spec


def test_type_spec_knows_the_size_of_a_row() -> None:
    values, indices = tf.ones([2, 3]), tf.constant([0, 1])
    unknown = tf.IndexedSlices(values, indices)._type_spec
    assert unknown._shape.as_list() == [None, 3]
    assert unknown._indices_shape.as_list() == [2]
    known = tf.IndexedSlices(values, indices, tf.constant([5, 3]))._type_spec
    assert known._shape.as_list() == [5, 3]


INDICES = {
    "gather": lambda s, i: tf.gather(s, i),
    "embedding_lookup": lambda s, i: tf.nn.embedding_lookup(s, i),
    "gather_nd": lambda s, i: tf.gather_nd(s, i[:, None]),
    "sparse_read": lambda s, i: s.sparse_read(i),
    "Variable.gather_nd": lambda s, i: s.gather_nd(i[:, None]),
}


@pytest.mark.parametrize("dtype", [tf.int32, tf.int64])
@pytest.mark.parametrize("name", INDICES)
def test_dtypes_of_indices_and_shape(name, dtype):
    gradient = gradient_of(
        lambda s: INDICES[name](s, tf.constant([0, 2], dtype)), tf.Variable(TABLE)
    )
    assert gradient.indices.dtype == dtype
    whole = dtype if "gather_nd" in name else tf.int32
    assert gradient.dense_shape.dtype == whole


def test_retained_values_have_slices_for_a_gradient():
    def kept(values):
        return tf.sparse.retain(tf.SparseTensor([[0], [1], [2]], values, [3]), [True, False, True])

    gradient = gradient_of(lambda values: kept(values).values, tf.constant([1.0, 2.0, 3.0]))
    assert gradient.indices.dtype == tf.int64
    assert gradient.indices.numpy().tolist() == [0, 2]
    assert gradient.values.numpy().tolist() == [1.0, 1.0]
    assert gradient.dense_shape.dtype == tf.int32


def test_sparse_values_of_a_vector_have_slices_for_a_gradient():
    gradient = gradient_of(lambda v: tf.sparse.from_dense(v).values, tf.constant([1.0, 0.0, 3.0]))
    assert gradient.indices.numpy().tolist() == [0, 2]
    assert gradient.indices.dtype == gradient.dense_shape.dtype == tf.int64


KEEP_SLICES = [
    lambda v: -v,
    lambda v: tf.identity(v),
    lambda v: tf.cast(v, tf.float64),
    lambda v: v + 1.0,
    lambda v: v - 1.0,
    lambda v: tf.add_n([v, tf.ones([4, 2])]),
    lambda v: tf.ensure_shape(v, [4, 2]),
    lambda v: tf.identity_n([v])[0],
    lambda v: v.read_value(),
    lambda v: tf.grad_pass_through(tf.round)(v),
    lambda v: tf.cast(-tf.identity(v), tf.float64) + 1.0,
]
GIVE_TENSORS = [
    lambda v: v + tf.ones([4, 2]),
    lambda v: 1.0 + v,
    lambda v: 1.0 - v,
    lambda v: tf.ones([1, 1]) - v,
    lambda v: v + tf.ones([2]),
    lambda v: v * 2.0,
    lambda v: v / 2.0,
    lambda v: v + v,
    lambda v: tf.reshape(v, [4, 2]),
]


@pytest.mark.parametrize("number", range(len(KEEP_SLICES) + len(GIVE_TENSORS)))
def test_slices_stay_slices_where_tensorflows_do(number: int) -> None:
    function = [*KEEP_SLICES, *GIVE_TENSORS][number]
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0], [7.0, 8.0]])
    scalar = tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        y = function(v)
        z = tf.gather(y, [0, 2, 0])
        beside = tf.gather(v + scalar, [0, 2, 0])
    gradient = tape.gradient(z, v)
    assert isinstance(gradient, tf.IndexedSlices) == (number < len(KEEP_SLICES))
    # The same by way of a tensor that is never sparse.
    with tf.GradientTape() as tape_of_dense:
        y = function(v)
        z = tf.constant([[2.0], [0.0], [1.0], [0.0]], y.dtype) * y
    np.testing.assert_array_equal(
        tf.convert_to_tensor(gradient).numpy(),
        tf.convert_to_tensor(tape_of_dense.gradient(z, v)).numpy(),
    )
    assert tape.gradient(beside, scalar).numpy() == 6.0
