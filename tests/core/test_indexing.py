"""``tensor[...]`` and ``variable[...]``: NumPy says what is taken, TensorFlow how the rest is refused."""

import itertools

import numpy as np
import pytest

import tapegrad as tf
from tapegrad import errors
from tapegrad.ops.indexing import getitem
from tapegrad.ops.shape import strided_slices

ARRAY = np.arange(60, dtype=np.float32).reshape(3, 4, 5)

PARTS = [0, 2, -1, slice(None), slice(1, None), slice(None, -1), slice(None, None, -1), slice(2, 0, -2),
         slice(5, 9), slice(-9, 2), None, Ellipsis]  # fmt: skip


def test_everything_numpy_takes_for_a_basic_index():
    x = tf.constant(ARRAY)
    for count in (1, 2, 3):
        for index in itertools.product(PARTS, repeat=count):
            if index.count(Ellipsis) < 2:
                np.testing.assert_array_equal(x[index].numpy(), ARRAY[index], err_msg=str(index))
                if count == 1:
                    np.testing.assert_array_equal(x[index[0]].numpy(), ARRAY[index[0]])


@pytest.mark.parametrize(
    "one",
    [
        tf.constant(1),
        tf.constant(1, tf.int64),
        tf.constant(1, tf.int16),
        tf.Variable(1),
        np.int8(1),
        np.uint64(1),
        np.array(1),
    ],
    ids=repr,
)
def test_integers_of_every_kind(one):
    x = tf.constant(ARRAY)
    expected = ARRAY[1, 1:]
    np.testing.assert_array_equal(x[one, one:].numpy(), expected)
    np.testing.assert_array_equal(x[one][one:, ...].numpy(), expected)
    np.testing.assert_array_equal(x[one, one::one].numpy(), expected)


def test_lists_stand_for_tuples():
    x = tf.constant(ARRAY)
    assert x[[1, 2]].shape == [5]
    assert x[[slice(0, 1), 0]].shape == [1, 5]


def test_masks():
    x = tf.constant(ARRAY)
    np.testing.assert_array_equal(x[tf.constant(ARRAY > 10)].numpy(), ARRAY[ARRAY > 10])
    np.testing.assert_array_equal(x[np.array([True, False, True])].numpy(), ARRAY[[0, 2]])
    with pytest.raises(ValueError, match="scalar"):
        x[True]
    with pytest.raises(ValueError, match="incompatible"):
        x[tf.constant([True, False])]


def test_scalars_and_strings():
    assert tf.constant(5.0)[...].numpy() == 5.0
    assert tf.constant(5.0)[None].shape == [1]
    assert tf.constant(5.0)[()].shape == []
    assert tf.constant(["a", "b"])[1].numpy() == b"b"


def test_a_slice_is_a_tensor_of_its_own():
    x = tf.constant([1.0, 2.0])
    assert x[:] is not x
    assert x[0] is not x[0]


OUT_OF_RANGE = [
    lambda x: x[3],
    lambda x: x[-4],
    lambda x: x[0, 0, 0, 0],
    lambda x: x[:, 4],
    lambda x: x[..., ...],
    lambda x: x[::0],
    lambda x: x[2**40],
    lambda x: x[0, 0, 0][0],
]


@pytest.mark.parametrize("take", OUT_OF_RANGE)
def test_what_is_not_there_is_an_invalid_argument(take):
    for source in (tf.constant(ARRAY), tf.Variable(ARRAY)):
        with pytest.raises(errors.InvalidArgumentError):
            take(source)


@pytest.mark.parametrize(
    "index",
    [1.0, "a", 1j, {}, object(), np.array([0]), tf.constant([0]), tf.constant(1.0), tf.constant(1, tf.uint8),
     np.bool_(True), slice(1.0, None), slice(None, "a"), (0, 1.5), (0, tf.constant([True, False])), [[0, 1]]],
    ids=repr,
)  # fmt: skip
def test_what_is_no_index_is_a_type_error(index):
    with pytest.raises(TypeError, match="valid indices"):
        tf.constant(ARRAY)[index]


def test_messages():
    x = tf.zeros([2, 3])
    with pytest.raises(errors.InvalidArgumentError, match="3 indices are too many for a") as caught:
        x[0, 1, 2]
    assert str(caught.value) == (
        "3 indices are too many for a tensor of shape [2, 3], which has rank 2. tf.gather picks several "
        "places along one axis. [Op:StridedSlice]"
    )
    with pytest.raises(
        errors.InvalidArgumentError, match="slice index out of bounds for"
    ) as caught:
        x[5]
    assert str(caught.value) == (
        "slice index out of bounds for a tensor of shape [2, 3]: index 5 is out of bounds for axis 0 with "
        "size 2. [Op:StridedSlice]"
    )
    with pytest.raises(errors.InvalidArgumentError, match="A scalar tensor cannot be") as caught:
        tf.constant(1.0)[0]
    assert (
        str(caught.value) == "A scalar tensor cannot be sliced: it has no axes. [Op:StridedSlice]"
    )


def test_gradients_of_variables_and_overlapping_slices():
    v = tf.Variable([1.0, 2.0, 3.0])
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v[1:] * v[:-1]) + v[0]
    assert tape.gradient(y, v).numpy().tolist() == [3.0, 4.0, 2.0]


def test_a_slice_keeps_its_value_when_the_variable_changes():
    v = tf.Variable([1.0, 2.0])
    part = v[:1]
    v.assign([5.0, 6.0])
    assert part.numpy().tolist() == [1.0]


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        ({"begin": [0, 1], "end": [2, 3]}, np.s_[0:2, 1:3]),
        ({"begin": [0, 1], "end": [2, 3], "strides": [2, -1]}, np.s_[0:2:2, 1:3:-1]),
        ({"begin": [1, 1], "end": [2, 2], "begin_mask": 3, "end_mask": 1}, np.s_[:, :2]),
        ({"begin": [0, 0], "end": [0, 1], "ellipsis_mask": 1}, np.s_[..., 0:1]),
        ({"begin": [0, 0], "end": [0, 1], "new_axis_mask": 1}, np.s_[None, 0:1]),
        ({"begin": [-1, 1], "end": [0, 4], "shrink_axis_mask": 1}, np.s_[-1, 1:4]),
        ({"begin": [9], "end": [10]}, np.s_[9:10]),
    ],
)
def test_strided_slice_masks(arguments, expected):
    x = tf.constant(ARRAY)
    np.testing.assert_array_equal(tf.strided_slice(x, **arguments).numpy(), ARRAY[expected])


def test_strided_slice_refuses():
    x = tf.constant(ARRAY)
    for arguments in (
        {"begin": [0], "end": [1, 2]},
        {"begin": 0, "end": 1},
        {"begin": [0], "end": [1], "strides": [0]},
        {"begin": [0], "end": [1], "strides": [-1], "shrink_axis_mask": 1},
        {"begin": [9], "end": [1], "shrink_axis_mask": 1},
        {"begin": [0] * 4, "end": [1] * 4},
        {"begin": [0, 0], "end": [1, 1], "ellipsis_mask": 3},
        {"begin": ["a"], "end": ["b"]},
    ):
        with pytest.raises(errors.InvalidArgumentError):
            tf.strided_slice(x, **arguments)


def test_slice_refuses():
    x = tf.constant(ARRAY)
    for begin, size in (
        ([0], [1]),
        ([0, 0, 4], [1, 1, 2]),
        ([-1, 0, 0], [1, 1, 1]),
        ([0, 0, 0], [-2, 1, 1]),
        (0, 1),
    ):
        with pytest.raises(errors.InvalidArgumentError):
            strided_slices.slice_(x, begin, size)


def test_an_index_for_assignment():
    assert getitem.assigned_index(1) == (1, ...)
    assert getitem.assigned_index((slice(0, tf.constant(1)), ...)) == (slice(0, 1, None), ...)
    with pytest.raises(errors.InvalidArgumentError, match="slice index out of bounds for a"):
        tf.Variable(tf.zeros([3, 2]))[5].assign([1.0, 1.0])
    with pytest.raises(TypeError, match="mask"):
        getitem.assigned_index(np.array([True, False, True]))


def test_a_small_part_does_not_keep_a_large_array():
    v = tf.Variable(tf.zeros([1000, 100]))
    whole = v.value()
    for part in (v[0], v[0, 0], v[:, 1], tf.gather(v, 3)):
        assert not np.shares_memory(part._array, whole._array)
    assert np.shares_memory(v[1:]._array, whole._array)
