"""Behaviours of ops, tensors, variables, nests and modules that are easily got wrong.

All but the tests whose names say ``beyond_tensorflow`` hold of TensorFlow 2.21 as well.
"""

from __future__ import annotations

import collections
import copy
import hashlib
import pickle
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

inf, nan = float("inf"), float("nan")


def gradient(function: Any, *values: Any) -> list[Any]:
    tensors = [tf.constant(x) for x in values]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = function(*tensors)
    found = tape.gradient(y, tensors)
    return [g if g is None else tf.convert_to_tensor(g).numpy().tolist() for g in found]


# Gradients of ops


def test_ties() -> None:
    assert gradient(tf.reduce_max, [2.0, 1.0, 2.0, 2.0]) == [
        pytest.approx([1 / 3, 0, 1 / 3, 1 / 3])
    ]
    assert gradient(tf.reduce_min, [1.0, 1.0]) == [[0.5, 0.5]]
    assert gradient(tf.maximum, 2.0, 2.0) == [1.0, 0.0]
    assert gradient(tf.minimum, 2.0, 2.0) == [1.0, 0.0]


def test_products_with_zeros() -> None:
    assert gradient(tf.reduce_prod, [0.0, 2.0, 3.0]) == [[6.0, 0.0, 0.0]]
    assert gradient(tf.reduce_prod, [0.0, 0.0, 3.0]) == [[0.0, 0.0, 0.0]]
    assert gradient(lambda x: tf.reduce_prod(x, axis=1), [[0.0, 2.0], [3.0, 4.0]]) == [
        [[2.0, 0.0], [4.0, 3.0]]
    ]


def test_powers_at_zero() -> None:
    assert gradient(lambda x: tf.pow(x, 2.0), 0.0) == [0.0]
    assert gradient(lambda x: x**2, 0.0) == [0.0]
    assert gradient(lambda x: x**3, -2.0) == [12.0]


def test_no_nan_family() -> None:
    assert gradient(tf.math.divide_no_nan, 3.0, 0.0) == [0.0, 0.0]
    assert gradient(tf.math.multiply_no_nan, 3.0, 0.0) == [0.0, 3.0]
    assert tf.math.multiply_no_nan(inf, 0.0).numpy() == 0.0


def test_ops_that_always_give_none() -> None:
    for function in (tf.round, tf.floor, tf.math.ceil, tf.math.rint):
        assert gradient(function, 2.5) == [None]
    assert gradient(tf.math.floordiv, 5.0, 2.0) == [None, None]
    assert gradient(lambda x: tf.cast(tf.argmax(x), tf.float32), [1.0, 2.0]) == [None]
    assert gradient(tf.sign, 2.5) == [0.0]


def test_nextafter() -> None:
    x, y = tf.constant(1.0, tf.float64), tf.constant(2.0, tf.float64)
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = tf.math.nextafter(x, y)
    assert [g.numpy() for g in tape.gradient(z, [x, y])] == [1.0, 0.0]


def test_complex_gradients_are_conjugated() -> None:
    z = 1.0 + 2.0j
    assert gradient(lambda z: z * z, z) == [2.0 - 4.0j]
    assert gradient(tf.math.conj, z) == [1.0 + 0.0j]
    assert gradient(lambda z: tf.exp(z), z)[0] == pytest.approx(np.conj(np.exp(z)))
    assert gradient(tf.abs, 3.0 + 4.0j)[0] == pytest.approx(0.6 + 0.8j)
    assert gradient(tf.math.real, z) == [1.0 + 0.0j]
    assert gradient(tf.math.imag, z) == [1.0j]
    assert gradient(tf.reduce_prod, [1.0 + 1.0j, 2.0 - 1.0j])[0] == pytest.approx([2 + 1j, 1 - 1j])


def test_clip_by_value_sends_gradients_to_its_bounds() -> None:
    assert gradient(tf.clip_by_value, [-1.0, 0.0, 1.0], -1.0, 1.0) == [[1.0, 1.0, 1.0], 0.0, 0.0]
    found = gradient(tf.clip_by_value, [-5.0, 0.0, 5.0, 6.0], -1.0, 1.0)
    assert found == [[0.0, 1.0, 0.0, 0.0], 1.0, 2.0]


def test_clip_by_norm_keeps_slices() -> None:
    slices = tf.IndexedSlices(tf.constant([[3.0, 4.0]]), tf.constant([1]), tf.constant([3, 2]))
    clipped = tf.clip_by_norm(slices, 1.0)
    assert isinstance(clipped, tf.IndexedSlices)
    np.testing.assert_allclose(clipped.values.numpy(), [[0.6, 0.8]], rtol=1e-6)


@pytest.mark.parametrize(
    ("equation", "shapes"),
    [
        ("ii->i", [(3, 3)]), ("iij,jk->ik", [(2, 2, 3), (3, 2)]), ("...i,i...->...", [(2, 3), (3, 2)]),
        ("...ij,...jk->...ik", [(2, 1, 2, 3), (3, 3, 2)]), ("ij,jk->ik", [(0, 3), (3, 2)]),
        ("ij,jk->ik", [(2, 0), (0, 2)]), ("i->", [(0,)]), ("abc,cd->bd", [(2, 3, 2), (2, 2)]),
    ],
)  # fmt: skip
def test_einsum(equation: str, shapes: list[tuple[int, ...]]) -> None:
    generator = np.random.default_rng(0)
    arrays = [generator.standard_normal(shape) for shape in shapes]
    tensors = [tf.constant(array) for array in arrays]
    with tf.GradientTape() as tape:
        tape.watch(tensors)
        y = tf.einsum(equation, *tensors)
    np.testing.assert_allclose(y.numpy(), np.einsum(equation, *arrays))
    for array, found in zip(arrays, tape.gradient(y, tensors), strict=True):
        assert found.shape == array.shape


def test_missing_rule() -> None:
    image = tf.Variable([[[0.5, 0.0, 0.0]]])
    delta = tf.Variable(0.1)
    with tf.GradientTape() as tape:
        y = tf.image.adjust_contrast(image, delta)
    with pytest.raises(LookupError, match="gradient registry has no entry for:") as caught:
        tape.gradient(y, [image, delta])
    assert str(caught.value) == "gradient registry has no entry for: AdjustContrastv2"


# Tensors


def test_no_promotion() -> None:
    with pytest.raises(
        tf.errors.InvalidArgumentError, match="cannot compute AddV2 as input"
    ) as caught:
        tf.constant(1) + tf.constant(1.0)
    assert str(caught.value).startswith(
        "cannot compute AddV2 as input #1(zero-based) was expected to be a int32 tensor "
        "but is a float tensor [Op:AddV2]"
    )
    for left, right in (
        (tf.constant(1.0), tf.constant(1.0, tf.float64)),
        (tf.constant(1), tf.constant(1, tf.int64)),
        (tf.Variable(1.0), tf.constant(1)),
    ):
        with pytest.raises(tf.errors.InvalidArgumentError):
            left * right


def test_integer_tensor_and_python_float() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot compute AddV2 as input"):
        tf.constant(1) + 1.0
    assert (tf.constant(1.0) + 1).dtype == tf.float32
    assert (tf.constant(1, tf.int64) + 1).dtype == tf.int64
    assert (2**40 * tf.constant(1, tf.int64)).numpy() == 2**40


class Reflecting:
    """Has its own opinion of being added to a tensor."""

    def __radd__(self, other: Any) -> str:
        return "reflected"


def test_operand_that_does_not_convert_is_asked() -> None:
    assert tf.constant(1.0) + Reflecting() == "reflected"
    assert tf.Variable(1.0) + Reflecting() == "reflected"
    with pytest.raises((TypeError, ValueError)):
        tf.constant(1.0) + object()


def test_division_of_integers() -> None:
    found = tf.constant(7) / tf.constant(2)
    assert found.dtype == tf.float64
    assert found.numpy() == 3.5
    assert (tf.constant(7, tf.int8) / tf.constant(2, tf.int8)).dtype == tf.float32
    assert (tf.constant(7) // tf.constant(2)).dtype == tf.int32
    assert (tf.constant(-7) // 2).numpy() == -4
    assert (tf.constant(-7) % 2).numpy() == 1


def test_numpy_arrays_take_the_tensors_dtype() -> None:
    x = tf.constant([1.0, 2.0])
    assert (x + np.array([1.0, 2.0])).dtype == tf.float32
    assert (x + np.array([1, 2])).dtype == tf.float32
    assert (np.array([1.0, 2.0]) + x).dtype == tf.float32
    assert isinstance(np.array([1.0, 2.0]) * x, tf.Tensor)
    assert (x * np.float64(2.0)).dtype == tf.float32


def test_equality_of_shapes_that_do_not_match() -> None:
    x, y = tf.constant([1.0, 2.0]), tf.constant([1.0, 2.0, 3.0])
    assert np.asarray(x == y).tolist() is False
    assert np.asarray(x != y).tolist() is True
    assert (x == x).numpy().tolist() == [True, True]
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"Incompatible shapes: \[2\] vs\."):
        tf.equal(x, y)


def test_equality_with_what_is_no_tensor() -> None:
    x = tf.constant([1.0, 2.0])
    assert x != None  # noqa: E711
    assert x is not None
    assert (x == [1.0, 3.0]).numpy().tolist() == [True, False]


@pytest.mark.parametrize(
    ("make", "text", "representation"),
    [
        (lambda: tf.constant(3.0), "tf.Tensor(3.0, shape=(), dtype=float32)",
         "<tf.Tensor: shape=(), dtype=float32, numpy=3.0>"),
        (lambda: tf.constant([1, 2]), "tf.Tensor([1 2], shape=(2,), dtype=int32)",
         "<tf.Tensor: shape=(2,), dtype=int32, numpy=array([1, 2], dtype=int32)>"),
        (lambda: tf.constant([[1.0, 2.0], [3.0, 4.0]]),
         "tf.Tensor(\n[[1. 2.]\n [3. 4.]], shape=(2, 2), dtype=float32)",
         "<tf.Tensor: shape=(2, 2), dtype=float32, numpy=\n"
         "array([[1., 2.],\n       [3., 4.]], dtype=float32)>"),
        (lambda: tf.constant("a"), "tf.Tensor(b'a', shape=(), dtype=string)",
         "<tf.Tensor: shape=(), dtype=string, numpy=b'a'>"),
        (lambda: tf.constant([True]), "tf.Tensor([ True], shape=(1,), dtype=bool)",
         "<tf.Tensor: shape=(1,), dtype=bool, numpy=array([ True])>"),
        (lambda: tf.constant(1j), "tf.Tensor(1j, shape=(), dtype=complex128)",
         "<tf.Tensor: shape=(), dtype=complex128, numpy=1j>"),
        (lambda: tf.zeros([0, 2]), "tf.Tensor([], shape=(0, 2), dtype=float32)",
         "<tf.Tensor: shape=(0, 2), dtype=float32, numpy=array([], shape=(0, 2), dtype=float32)>"),
        (lambda: tf.constant(1.5, tf.bfloat16), "tf.Tensor(1.5, shape=(), dtype=bfloat16)",
         "<tf.Tensor: shape=(), dtype=bfloat16, numpy=1.5>"),
        (lambda: tf.constant(2.0, tf.float64), "tf.Tensor(2.0, shape=(), dtype=float64)",
         "<tf.Tensor: shape=(), dtype=float64, numpy=2.0>"),
        (lambda: tf.Variable(3.0, name="x0"), "<tf.Variable 'x0:0' shape=() dtype=float32, numpy=3.0>",
         "<tf.Variable 'x0:0' shape=() dtype=float32, numpy=3.0>"),
        (lambda: tf.Variable([1.0, 2.0]),
         "<tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>",
         "<tf.Variable 'Variable:0' shape=(2,) dtype=float32, numpy=array([1., 2.], dtype=float32)>"),
        (lambda: tf.float32, "<dtype: 'float32'>", "tf.float32"),
        (lambda: tf.TensorShape([2, None]), "(2, None)", "TensorShape([2, None])"),
    ],
)  # fmt: skip
def test_printed_forms(make: Any, text: str, representation: str) -> None:
    assert str(make()) == text
    assert repr(make()) == representation


def test_format() -> None:
    assert f"{tf.constant(3.14159):.2f}" == "3.14"
    assert f"{tf.constant([1.0, 2.0])}" == "[1. 2.]"
    assert f"{tf.constant(7):5d}" == "    7"


def test_assign_returns_what_prints_as_unread() -> None:
    v = tf.Variable(1.0)
    shown = repr(v.assign_add(1.0))
    assert shown == "<tf.Variable 'UnreadVariable' shape=() dtype=float32, numpy=2.0>"


def test_default_dtypes() -> None:
    assert tf.constant(1).dtype == tf.int32
    assert tf.constant(2**40).dtype == tf.int64
    assert tf.constant(1.0).dtype == tf.float32
    assert tf.constant(1j).dtype == tf.complex128
    assert tf.constant(True).dtype == tf.bool
    assert tf.constant("a").dtype == tf.string
    assert tf.constant(np.float64(1.0)).dtype == tf.float64
    assert tf.constant(np.array([1, 2])).dtype == tf.int64
    assert tf.constant([1, 2.0]).dtype == tf.float32
    assert tf.constant([]).dtype == tf.float32


def test_numpy_of_a_scalar() -> None:
    value = tf.constant(3.0).numpy()
    assert type(value) is np.float32
    assert type(tf.constant("a").numpy()) is bytes
    assert type(tf.constant(True).numpy()) is np.bool_


def test_numpy_view_is_read_only_and_shares() -> None:
    x = tf.constant([1.0, 2.0])
    view = np.asarray(x)
    assert not view.flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        view[0] = 5.0


def test_constant_copies_its_array() -> None:
    array = np.ones(3, np.float32)
    x = tf.constant(array)
    array[0] = 99.0
    assert x.numpy().tolist() == [1.0, 1.0, 1.0]
    y = tf.convert_to_tensor(array)
    array[1] = 99.0
    assert y.numpy().tolist() == [99.0, 1.0, 1.0]


def test_scalars_refuse_len_and_iteration() -> None:
    with pytest.raises(TypeError, match=r"[Ss]calar"):
        len(tf.constant(1.0))
    with pytest.raises(TypeError, match=r"scalar"):
        iter(tf.constant(1.0))
    assert len(tf.zeros([3, 2])) == 3
    assert [x.numpy() for x in tf.constant([1, 2])] == [1, 2]


def test_truth_and_python_numbers() -> None:
    assert tf.constant(True)
    assert not tf.constant(0.0)
    assert int(tf.constant(3)) == 3
    assert float(tf.constant(1.5)) == 1.5
    assert complex(tf.constant(1j)) == 1j
    assert [10, 20, 30][tf.constant(1)] == 20
    assert list(range(tf.constant(3))) == [0, 1, 2]
    with pytest.raises(ValueError, match=r"ambiguous|truth"):
        bool(tf.constant([1.0, 2.0]))
    with pytest.raises((TypeError, AttributeError), match="only integer scalar tensors can be"):
        [1, 2][tf.constant(1.0)]


def test_tensors_are_unhashable() -> None:
    with pytest.raises(TypeError, match="unhashable"):
        hash(tf.constant(1.0))
    with pytest.raises(TypeError, match="unhashable"):
        hash(tf.Variable(1.0))
    x = tf.constant(1.0)
    assert x.ref() == x.ref()
    assert x.ref().deref() is x
    assert {x.ref(): 1}[x.ref()] == 1
    assert x.ref() != tf.constant(1.0).ref()


# T and size are there: the array API standard asks for them, and TensorFlow has no such namespace.
@pytest.mark.parametrize("name", ["mean", "sum", "astype", "tolist", "reshape"])
def test_numpy_methods_are_not_there(name: str) -> None:
    with pytest.raises(AttributeError):
        getattr(tf.constant([1.0]), name)


@pytest.mark.parametrize("name", ["op", "name", "graph"])
def test_graph_attributes_are_not_there(name: str) -> None:
    with pytest.raises(AttributeError):
        getattr(tf.constant([1.0]), name)


def test_tensor_round_trips() -> None:
    for x in (tf.constant([1.0, nan, -0.0]), tf.constant("a"), tf.constant([1, 2], tf.int8)):
        for y in (copy.copy(x), copy.deepcopy(x), pickle.loads(pickle.dumps(x))):
            assert y.dtype == x.dtype
            np.testing.assert_array_equal(y.numpy(), x.numpy())


@pytest.mark.parametrize(
    "of",
    [
        tf.transpose,
        lambda x: x[:, 1],
        lambda x: x[::-1],
        lambda x: tf.broadcast_to(x[0], [4, 3]),
        lambda x: tf.math.imag(tf.complex(x, x)),
        lambda x: tf.linalg.diag_part(x[:, :2]),
        lambda x: tf.transpose(tf.strings.as_string(x)),
    ],
)
def test_memory_that_other_libraries_read_is_in_C_order(of: Any) -> None:
    """Hashes, files and C functions take the memory of an array as it lies."""
    tensor = of(tf.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]))
    for array in (tensor.numpy(), np.asarray(tensor), np.array(tensor, dtype=object)):
        assert array.flags.c_contiguous
        assert array.tolist() == tensor.numpy().tolist()
    assert not np.asarray(tensor).flags.writeable
    if tensor.dtype != tf.string:
        assert hashlib.md5(tensor).digest() == hashlib.md5(tensor.numpy().tobytes()).digest()


def test_a_copy_of_a_tensor_is_the_tensor_so_that_tapes_follow_it() -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
        copies = [copy.copy(y), copy.deepcopy(y), copy.deepcopy({"a": [y]})["a"][0]]
        slices = copy.deepcopy(tf.IndexedSlices(y, [0, 1])).values
        total = tf.add_n([*copies, slices, y.cpu()])
    assert all(again is y for again in copies)
    np.testing.assert_array_equal(tape.gradient(total, x), [10.0, 20.0])
    function = tf.function(lambda x: copy.deepcopy(x * x) * 3.0)
    for _ in range(3):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        np.testing.assert_array_equal(tape.gradient(y, x), [6.0, 12.0])


def test_is_tensor() -> None:
    assert tf.is_tensor(tf.constant(1.0))
    assert tf.is_tensor(tf.Variable(1.0))
    assert not tf.is_tensor(1.0)
    assert not tf.is_tensor(np.ones(2))
    assert isinstance(tf.constant(1.0), tf.Tensor)
    assert not isinstance(tf.Variable(1.0), tf.Tensor)
    assert type(tf.constant(1.0)).__name__ == "EagerTensor"
    assert type(tf.Variable(1.0)).__name__ == "ResourceVariable"


def test_objects_with_tf_tensor_convert() -> None:
    class Offers:
        def __tf_tensor__(self, dtype: Any = None, name: Any = None) -> Any:
            return tf.constant(5.0)

    assert tf.convert_to_tensor(Offers()).numpy() == 5.0
    assert (tf.constant(1.0) + Offers()).numpy() == 6.0


def test_objects_with_array_convert() -> None:
    class Offers:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            return np.array([1, 2], np.int16)

    assert tf.constant(Offers()).dtype == tf.int16


def test_indexing_out_of_range() -> None:
    x = tf.constant([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice index out of bounds for a"):
        x[2]
    with pytest.raises(tf.errors.InvalidArgumentError, match="slice index out of bounds for a"):
        x[-3]
    assert x[5:].shape == [0]
    with pytest.raises(
        (tf.errors.InvalidArgumentError, IndexError), match="2 indices are too many for a"
    ):
        x[0, 0]
    with pytest.raises(TypeError, match=r"Only integers, slices \(`:`\), ellipsis \(`\.\.\.`\),"):
        x["a"]
    with pytest.raises(TypeError, match=r"Only integers, slices \(`:`\), ellipsis \(`\.\.\.`\),"):
        x[1.5]


# Variables


def test_variable_names_are_not_made_unique() -> None:
    assert [tf.Variable(1.0, name="w").name for _ in range(2)] == ["w:0", "w:0"]
    assert tf.Variable(1.0).name == "Variable:0"


def test_variables_pickle_and_copy() -> None:
    v = tf.Variable([1.0, 2.0], name="v", trainable=False)
    other = copy.deepcopy(v)
    other.assign([5.0, 6.0])
    assert v.numpy().tolist() == [1.0, 2.0]
    assert other.numpy().tolist() == [5.0, 6.0]
    assert other.trainable is False


def test_variable_from_a_callable() -> None:
    v = tf.Variable(lambda: tf.ones([2]))
    assert v.numpy().tolist() == [1.0, 1.0]


def test_assign_checks_the_shape() -> None:
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(ValueError, match="shape"):
        v.assign([1.0, 2.0, 3.0])
    with pytest.raises(
        (ValueError, tf.errors.InvalidArgumentError), match="Cannot update variable with"
    ):
        v.assign_add([1.0, 2.0, 3.0])
    assert v.numpy().tolist() == [1.0, 2.0]


def test_assign_returns_the_variable() -> None:
    v = tf.Variable(1.0)
    assert v.assign(2.0).numpy() == 2.0
    assert v.assign_sub(0.5).numpy() == 1.5
    assert v.assign(3.0, read_value=False) is None


def test_slice_assignment() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])
    v[0].assign(10.0)
    v[1:].assign([20.0, 30.0])
    assert v.numpy().tolist() == [10.0, 20.0, 30.0]
    with pytest.raises(TypeError):
        v[0] = 5.0


def test_scatters() -> None:
    v = tf.Variable([1.0, 2.0, 3.0])
    v.scatter_add(tf.IndexedSlices(tf.constant([10.0, 20.0]), tf.constant([0, 2])))
    assert v.numpy().tolist() == [11.0, 2.0, 23.0]
    v.scatter_sub(tf.IndexedSlices(tf.constant([1.0, 1.0]), tf.constant([0, 0])))
    assert v.numpy().tolist() == [9.0, 2.0, 23.0]
    v.scatter_update(tf.IndexedSlices(tf.constant([5.0]), tf.constant([1])))
    assert v.numpy().tolist() == [9.0, 5.0, 23.0]
    v.scatter_max(tf.IndexedSlices(tf.constant([7.0]), tf.constant([1])))
    v.scatter_mul(tf.IndexedSlices(tf.constant([2.0]), tf.constant([0])))
    assert v.numpy().tolist() == [18.0, 7.0, 23.0]
    v.scatter_nd_add([[1], [1]], [1.0, 1.0])
    assert v.numpy().tolist() == [18.0, 9.0, 23.0]


def test_values_read_before_an_assignment_do_not_change() -> None:
    v = tf.Variable([1.0, 2.0])
    before, view, value = v.read_value(), v.numpy(), v.value()
    array = np.asarray(before)
    v.assign_add([1.0, 1.0])
    v.assign([7.0, 7.0])
    v.scatter_add(tf.IndexedSlices(tf.constant([1.0]), tf.constant([0])))
    v[1].assign(9.0)
    for kept in (before.numpy(), view, value.numpy(), array):
        assert kept.tolist() == [1.0, 2.0]
    assert v.numpy().tolist() == [8.0, 9.0]


def test_initial_value_is_not_shared() -> None:
    initial = tf.constant([1.0, 2.0])
    array = np.ones(2, np.float32)
    a, b, c = tf.Variable(initial), tf.Variable(initial), tf.Variable(array)
    a.assign_add([1.0, 1.0])
    c.assign_add([1.0, 1.0])
    assert initial.numpy().tolist() == b.numpy().tolist() == [1.0, 2.0]
    assert array.tolist() == [1.0, 1.0]
    d = tf.Variable(a)
    a.assign_add([1.0, 1.0])
    assert d.numpy().tolist() == [2.0, 3.0]


def test_assigned_tensor_is_not_shared() -> None:
    value = tf.constant([1.0, 2.0])
    v = tf.Variable([0.0, 0.0])
    v.assign(value)
    v.assign_add([1.0, 1.0])
    assert value.numpy().tolist() == [1.0, 2.0]
    array = np.ones(2, np.float32)
    v.assign(array)
    v.assign_add([1.0, 1.0])
    assert array.tolist() == [1.0, 1.0]
    array[0] = 50.0
    assert v.numpy().tolist() == [2.0, 2.0]


def test_partly_known_shape() -> None:
    v = tf.Variable([[1.0]], shape=tf.TensorShape([None, 1]))
    v.assign([[1.0], [2.0]])
    assert v.shape.as_list() == [None, 1]
    with pytest.raises(ValueError, match="shape"):
        v.assign([1.0])


def test_operators_of_variables() -> None:
    v = tf.Variable([1.0, 2.0])
    assert (v + 1).numpy().tolist() == [2.0, 3.0]
    assert (1 - v).numpy().tolist() == [0.0, -1.0]
    assert (v * v).numpy().tolist() == [1.0, 4.0]
    assert (np.array([2.0, 2.0], np.float32) * v).numpy().tolist() == [2.0, 4.0]
    assert (v[0] > 0.5).numpy()
    assert (-v).numpy().tolist() == [-1.0, -2.0]
    assert [x.numpy() for x in v] == [1.0, 2.0]
    assert v[1].numpy() == 2.0


# Nests and modules


def test_nest_sorts_dicts_when_flattening_and_keeps_their_order_when_packing() -> None:
    structure = {"b": 1, "a": [2, (3,)]}
    assert tf.nest.flatten(structure) == [2, 3, 1]
    packed = tf.nest.pack_sequence_as(structure, [20, 30, 10])
    assert list(packed) == ["b", "a"]
    assert packed == {"b": 10, "a": [20, (30,)]}


def test_nest_of_named_tuples() -> None:
    Pair = collections.namedtuple("Pair", ["left", "right"])
    mapped = tf.nest.map_structure(lambda x: x + 1, Pair(1, [2, {"k": 3}]))
    assert mapped == Pair(2, [3, {"k": 4}])
    ordered = tf.nest.map_structure(lambda x: x, collections.OrderedDict([("b", 1), ("a", 2)]))
    assert isinstance(ordered, collections.OrderedDict)
    assert list(ordered) == ["b", "a"]


def test_nest_mismatch() -> None:
    for function in (
        lambda: tf.nest.assert_same_structure([1, 2], [1, [2]]),
        lambda: tf.nest.pack_sequence_as([1, 2], [1]),
        lambda: tf.nest.map_structure(lambda x, y: x, [1, 2], [1]),
    ):
        with pytest.raises(ValueError, match=r"\w"):
            function()
    with pytest.raises(TypeError, match="The two nests differ at the top: the first has a list"):
        tf.nest.assert_same_structure([1], (1,))


class Dense(tf.Module):
    """A layer, as the guides write them."""

    def __init__(self, inputs: int, outputs: int, name: str | None = None) -> None:
        super().__init__(name=name)
        with self.name_scope:
            self.w = tf.Variable(tf.ones([inputs, outputs]), name="w")
            self.b = tf.Variable(tf.zeros([outputs]), name="b")
            self.steps = tf.Variable(0, trainable=False, name="steps")

    @tf.Module.with_name_scope
    def __call__(self, x: Any) -> Any:
        return x @ self.w + self.b


class Stack(tf.Module):
    """Modules in a list and a dict."""

    def __init__(self) -> None:
        super().__init__(name="stack")
        self.layers = [Dense(2, 3, name="first"), {"k": Dense(3, 1, name="second")}]


def test_module_collects_variables() -> None:
    stack = Stack()
    names = [v.name for v in stack.variables]
    assert len(names) == 6
    assert len(stack.trainable_variables) == 4
    assert [m.name for m in stack.submodules] == ["first", "second"]
    assert stack.layers[0].w.name == "first/w:0"
    assert [v.name for v in stack.layers[0].variables] == [
        "first/b:0",
        "first/steps:0",
        "first/w:0",
    ]


def test_module_gradients() -> None:
    layer = Dense(2, 3)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(layer(tf.ones([4, 2])))
    found = tape.gradient(y, layer.trainable_variables)
    assert [tuple(g.shape) for g in found] == [tuple(v.shape) for v in layer.trainable_variables]


def test_module_names() -> None:
    assert tf.Module().name == "module"
    assert Dense(1, 1).name == "dense"
    with pytest.raises(ValueError, match="name"):
        tf.Module(name="not a name")


def test_module_scope_closes_after_a_failing_constructor() -> None:
    class Fails(tf.Module):
        def __init__(self) -> None:
            super().__init__(name="fails")
            with self.name_scope:
                raise KeyError

    with pytest.raises(KeyError):
        Fails()
    assert tf.Variable(1.0, name="v").name == "v:0"


# Shapes and dtypes as objects


def test_dtypes() -> None:
    assert tf.as_dtype("float32") is tf.float32
    assert tf.as_dtype(np.float32) is tf.float32
    assert tf.float32 == "float32"
    assert tf.float32.is_floating
    assert not tf.int32.is_floating
    assert tf.int32.max == 2**31 - 1
    assert {tf.float32: 1}[tf.as_dtype(np.dtype("float32"))] == 1
    with pytest.raises(TypeError, match="nonsense"):
        tf.as_dtype("nonsense")


def test_shapes() -> None:
    x = tf.zeros([2, 3])
    assert x.shape == (2, 3)
    assert x.shape == [2, 3]
    assert x.shape[0] == 2
    assert x.shape[1:].as_list() == [3]
    assert len(x.shape) == 2
    assert tuple(x.shape) == (2, 3)
    assert x.shape.num_elements() == 6
    assert x.shape.rank == x.ndim == 2
    rows, columns = x.shape
    assert (rows, columns) == (2, 3)


def test_indexed_slices() -> None:
    slices = tf.IndexedSlices(tf.constant([[1.0], [2.0]]), tf.constant([0, 2]), tf.constant([3, 1]))
    assert slices.shape == [3, 1]
    assert slices.dtype == tf.float32
    assert tf.convert_to_tensor(slices).numpy().tolist() == [[1.0], [0.0], [2.0]]
    doubled = -slices
    assert isinstance(doubled, tf.IndexedSlices)
    assert doubled.values.numpy().tolist() == [[-1.0], [-2.0]]
