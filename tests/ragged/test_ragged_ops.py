"""Public functions on ragged tensors, compared with TensorFlow's values in golden/ragged.json.gz."""

from typing import Any

import numpy as np
import pytest
from test_ragged import complaints

import tapegrad as tf
from tapegrad.ragged import overrides


def test_ops_are_tensorflows() -> None:
    assert not complaints("OPS")


def test_operators_beside_arrays_variables_and_tensors() -> None:
    x = tf.ragged.constant([[1.0, 2.0], [3.0]])
    column = np.array([[1.0], [2.0]], np.float32)
    for result in (column + x, x + column, tf.constant(column) + x, tf.Variable(column) + x):
        assert result.to_list() == [[2.0, 3.0], [5.0]]
    assert (2.0**x).to_list() == [[2.0, 4.0], [8.0]]
    assert (tf.constant(2.0) / x).to_list()[1] == [pytest.approx(2 / 3)]
    assert (tf.constant(1.0) == x).to_list() == [[True, False], [False]]
    assert sum([x, x]).to_list() == [[2.0, 4.0], [6.0]]


def test_counts_in_rows_without_numbers_are_tensorflows() -> None:
    rows = tf.ragged.constant([[1, 2], [0], []], dtype=tf.int64)
    assert tf.math.bincount(rows, axis=-1, maxlength=0).shape == (3, 0)
    none = tf.ragged.constant([[], []], dtype=tf.int32)
    for minlength, dtype, width in ((None, tf.int32, 0), (4, tf.float32, 4)):
        found = tf.math.bincount(none, minlength=minlength, dtype=dtype, axis=-1)
        assert (found.shape.as_list(), found.dtype) == ([2, width], dtype)
    below = tf.ragged.constant([[5, 5, 1]], dtype=tf.int32)
    weights = below.with_flat_values(tf.constant([1.0, 2.0, 3.0]))
    found = tf.math.bincount(below, weights, axis=-1, maxlength=2)
    assert (found.numpy().tolist(), found.dtype) == ([[0.0, 3.0]], tf.float32)
    assert tf.math.bincount(below, axis=-1, minlength=-1).shape == (1, 6)
    with pytest.raises(ValueError, match="rank 3"):
        tf.math.bincount(tf.ragged.constant([[[1], [2, 3]], [[0]]]), axis=-1)


def test_gradients_reach_what_is_broadcast() -> None:
    x = tf.ragged.constant([[1.0, 2.0], [3.0]])
    column, scalar = tf.Variable([[1.0], [10.0]]), tf.Variable(2.0)
    with tf.GradientTape(persistent=True) as tape:
        by_column, by_scalar = x * column, scalar * x
        softmax = tf.nn.softmax(x)[:, :1]
        mapped = tf.map_fn(lambda row: row * scalar, x)
    assert tf.convert_to_tensor(tape.gradient(by_column, column)).numpy().tolist() == [[3.0], [3.0]]
    assert tape.gradient(by_scalar, scalar).numpy() == 6.0
    assert tape.gradient(mapped, scalar).numpy() == 6.0
    assert tape.gradient(softmax, scalar) is None


def test_loops_functions_and_branches_pass_ragged_tensors_on() -> None:
    x = tf.ragged.constant([[1, 2], [3]])
    _, looped = tf.while_loop(lambda i, r: i < 2, lambda i, r: (i + 1, r + 1), (0, x))
    assert looped.to_list() == [[3, 4], [5]]
    assert tf.cond(tf.constant(True), lambda: x, lambda: x + 1).to_list() == x.to_list()
    double = tf.function(
        lambda r: r * 2, input_signature=[tf.RaggedTensorSpec([None, None], tf.int32)]
    )
    assert double(x).to_list() == [[2, 4], [6]]
    with pytest.raises(TypeError, match="RaggedTensorSpec"):
        double(tf.cast(x, tf.float32))


def test_printed_as_tensorflow_does(capsys: pytest.CaptureFixture[str]) -> None:
    tf.print(tf.ragged.constant([["a'b"], []]), [tf.ragged.constant([list(range(9)), [1.5]])])
    assert capsys.readouterr().err == (
        "[['a\\'b'], []] [[[0.000000, 1.000000, 2.000000, ..., 6.000000, 7.000000, 8.000000], [1.500000]]]\n"
    )


def test_messages_name_what_came() -> None:
    x = tf.ragged.constant([[1, 2], [3]])
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot be broadcast"):
        x + [1, 2]
    with pytest.raises(ValueError, match="inner ragged dimension"):
        x[:, 0]
    with pytest.raises(TypeError, match="value must be a RaggedTensor"):
        tf.split(tf.constant([1, 2]), x)
    with pytest.raises(ValueError, match="Cannot split a ragged dimension"):
        tf.split(x, 2, axis=1)


def test_gather_by_ragged_indices_along_an_inner_axis():
    indices = tf.ragged.constant([[2], [], [0, 1]])
    dense = tf.reshape(tf.range(8.0), [2, 4])
    rows = [[[2], [], [0, 1]], [[6], [], [4, 5]]]
    assert tf.gather(dense, indices, axis=1).to_list() == rows
    assert tf.gather(tf.stack([dense, dense + 8]), indices, axis=-1).to_list()[0] == rows
    uneven = tf.ragged.constant([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0]])
    assert tf.gather(uneven, indices, axis=1).to_list() == [[[3], [], [1, 2]], [[6], [], [4, 5]]]
    nested = tf.ragged.constant([[[2], [0, 1]], [[2, 0]]])
    assert tf.gather(uneven, nested, axis=1).to_list()[1] == [[[6], [4, 5]], [[6, 4]]]
    with tf.GradientTape() as tape:
        tape.watch(dense)
        loss = tf.reduce_sum(tf.gather(dense, indices, axis=1).flat_values ** 2)
    assert tape.gradient(loss, dense).numpy().tolist() == [[0, 2, 4, 0], [8, 10, 12, 0]]
    # TensorFlow goes on into the next row here.
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of range of their row"):
        tf.gather(uneven, tf.ragged.constant([[3]]), axis=1)


_RAGGED = {
    **{
        dtype: tf.cast(tf.ragged.constant([[1, 2], [3]]), dtype)
        for dtype in ("float32", "int32", "uint8", "complex64", "bool")
    },
    "string": tf.ragged.constant([["1", "2"], ["3"]]),
}
# What may come after the ragged tensor, whichever the function takes.
_MORE: list[Any] = [
    (), (_RAGGED,), (_RAGGED, _RAGGED), (0.5,), (0.5, (1, 2)), (1, 2), (tf.int32,), ("a", "b"), ("x",),
    (4, [1, 2]),
]  # fmt: skip
_IN_LISTS = {
    "math.add_n": lambda x: tf.math.add_n([x, x]),
    "math.scalar_mul": lambda x: tf.math.scalar_mul(2.0, x),
    "strings.join": lambda x: tf.strings.join([x, x]),
    "strings.unicode_transcode": lambda x: tf.strings.unicode_transcode(x, "UTF-8", "UTF-16-BE"),
}


@pytest.mark.parametrize("name", [*overrides.ELEMENTWISE.split(), *overrides.OF_TWO.split()])
def test_every_function_of_the_table_takes_ragged_tensors(name: str) -> None:
    """A form that is added to what only stands for the function would never be asked."""
    function = overrides.find(name)
    for dtype, x in _RAGGED.items():
        for more in _MORE:
            try:
                if name in _IN_LISTS:
                    result = _IN_LISTS[name](x)
                else:
                    result = function(x, *[x if each is _RAGGED else each for each in more])
            except (tf.errors.OpError, TypeError, ValueError):
                continue
            assert isinstance(result, tf.RaggedTensor), (dtype, more)
            assert result.row_lengths().numpy().tolist() == [2, 1]
            return
    raise AssertionError("no ragged tensor is taken")


# From TensorFlow: tensors of several axes are ragged before they are stacked, and may differ in the second.
@pytest.mark.parametrize(
    ("shapes", "axis", "shape", "rows"),
    [
        ([(2, 3), (3, 1)], 0, [2, None, None], [[[0, 1, 2], [3, 4, 5]], [[0], [1], [2]]]),
        ([(2, 3), (2, 3)], 0, [2, None, None], [[[0, 1, 2], [3, 4, 5]]] * 2),
        ([(2, 2, 1), (2, 1, 1)], 1, [2, None, None, 1], [[[[0], [1]], [[0]]], [[[2], [3]], [[1]]]]),
        ([(0, 3), (1, 2)], 0, [2, None, None], [[], [[0, 1]]]),
    ],
)
def test_stacked_tensors_become_ragged(shapes: Any, axis: int, shape: Any, rows: Any) -> None:
    parts = [tf.reshape(tf.range(np.prod(sizes)), sizes) for sizes in shapes]
    stacked = tf.ragged.stack(parts, axis=axis)
    assert stacked.shape.as_list() == shape
    assert stacked.ragged_rank == 2
    assert stacked.row_splits.dtype == tf.int64
    assert stacked.to_list() == rows


JOINED = [
    (None, b"-a-b"),
    (0, [[b"b", b"a"], []]),
    (1, [[b"", b"a"], [b"b"], []]),
    (2, [[b"a", b""], [b"b"], []]),
    ([0, 1], [b"b", b"a"]),
    ([2, 0], [b"a-b", b""]),
    ([1, 2], [b"a-", b"b", b""]),
]


@pytest.mark.parametrize(("axis", "expected"), JOINED)
def test_rows_of_strings_are_joined_as_tensorflow_joins_them(axis, expected):
    rows = tf.ragged.constant([[["", "a"], []], [["b"]], []])
    joined = tf.strings.reduce_join(rows, axis=axis, separator="-")
    found = joined.to_list() if isinstance(joined, tf.RaggedTensor) else joined.numpy()
    assert (found.tolist() if isinstance(found, np.ndarray) else found) == expected


def test_several_axes_are_reduced_one_after_the_other():
    empty = tf.ragged.constant([[]], tf.float32)
    least = np.finfo(np.float32).min
    assert tf.reduce_max(empty).numpy() == -np.inf
    assert tf.reduce_max(empty, axis=[0, 1]).numpy() == least
    assert tf.reduce_max(empty, axis=[-1, 0], keepdims=True).numpy().tolist() == [[least]]
    assert tf.reduce_min(empty, axis=[1, 0]).numpy() == -least


def test_places_in_ragged_tensors():
    rows = tf.ragged.constant([[[1, 2], [3]], [[4]]])
    assert tf.gather_nd(rows, [0]).to_list() == [[[1, 2], [3]]]
    assert tf.gather_nd(rows, [[0]]).to_list() == [[[1, 2], [3]]]
    assert tf.gather_nd(rows, [0, 1]).numpy().tolist() == [3]
    assert tf.gather_nd(rows, [0, 0, 1]).numpy() == 2


def test_partitions_have_a_number_for_each_row():
    rows = tf.ragged.constant([[1], [2], [3]])
    for numbers in ([0, 1], [0, 1, 0, 1]):
        for function in (tf.dynamic_partition, tf.ragged.stack_dynamic_partitions):
            with pytest.raises(ValueError, match="a number for each of the 3 rows"):
                function(rows, numbers, 2)
    with pytest.raises(ValueError, match="a number for each"):
        tf.ragged.stack_dynamic_partitions([1, 2, 3], [0, 1], 2)
    assert tf.ragged.stack_dynamic_partitions([1, 2], 1, 3).to_list() == [[], [[1, 2]], []]


def test_multiples_and_pieces_of_ragged_tensors():
    rows = tf.ragged.constant([[1], [2, 3]])
    with pytest.raises(IndexError, match="for each axis"):
        tf.tile(rows, [1])
    for multiples in ([1, 1, 1], [-1, 1], [1, -1]):
        with pytest.raises(tf.errors.InvalidArgumentError, match="0 or more"):
            tf.tile(rows, multiples)
    assert tf.split(rows, 1, axis=1)[0].to_list() == rows.to_list()
    with pytest.raises(ValueError, match="Cannot split a ragged dimension"):
        tf.split(rows, 2, axis=1)
    with pytest.raises(ValueError, match="the same batch"):
        tf.gather(rows, [[0], [0], [0]], batch_dims=1)


GATHERED = [
    (0, {"axis": 1}, [[1], [4, 5, 6]]),
    (1, {"axis": -2}, [[2, 3], [7]]),
    (0, {"axis": 2}, [[1, 2], [4, 7]]),
    ([1, 0], {"batch_dims": 1}, [[2, 3], [4, 5, 6]]),
    ([0, 0], {"axis": 2, "batch_dims": 1}, [[1, 2], [4, 7]]),
    ([[0], [0]], {"axis": 2, "batch_dims": 1}, [[[1], [2]], [[4], [7]]]),
]


@pytest.mark.parametrize(("indices", "where", "expected"), GATHERED)
def test_one_row_of_each_is_gathered(indices, where, expected):
    rows = tf.ragged.constant([[[1], [2, 3]], [[4, 5, 6], [7]]])
    assert tf.gather(rows, indices, **where).to_list() == expected


def test_one_element_of_each_row_is_gathered():
    rows = tf.ragged.constant([[1], [2, 3]])
    assert tf.gather(rows, 0, axis=1).numpy().tolist() == [1, 2]
    assert tf.gather(rows, [0, 1], batch_dims=1).numpy().tolist() == [1, 3]
    with pytest.raises(tf.errors.InvalidArgumentError, match="out of range of their row"):
        tf.gather(rows, 1, axis=1)


@pytest.mark.parametrize("wrap", [lambda f: f, tf.function])
def test_maps_of_structures_with_ragged_tensors(wrap: Any) -> None:
    boxes = tf.ragged.constant([[[1.0, 2]], [[3.0, 4], [5, 6]]], ragged_rank=1, inner_shape=(2,))
    images = tf.ones([2, 3])
    rows = tf.RaggedTensorSpec([None, 2], tf.float32, ragged_rank=0)
    pictures = {"images": images, "more": {"boxes": boxes}}

    def doubled(each: Any) -> Any:
        return {"images": each["images"] + 1, "more": {"boxes": each["more"]["boxes"] * 2}}

    for signature in (None, {"images": tf.float32, "more": {"boxes": rows}}):
        mapped = wrap(lambda s=signature: tf.map_fn(doubled, pictures, fn_output_signature=s))()
        assert mapped["images"].numpy().tolist() == [[2.0] * 3] * 2
        assert mapped["more"]["boxes"].to_list() == [[[2.0, 4]], [[6.0, 8], [10, 12]]]
        assert mapped["more"]["boxes"].shape.as_list() == [2, None, 2]
    dense = {"images": images, "boxes": tf.ones([2, 3, 2])}
    mapped = wrap(
        lambda: tf.map_fn(
            lambda x: x, dense, fn_output_signature={"images": tf.float32, "boxes": rows}
        )
    )()
    assert mapped["boxes"].ragged_rank == 1
    inner = tf.RaggedTensorSpec([None, 2], tf.float32, ragged_rank=1)
    ragged_rows = wrap(
        lambda: tf.map_fn(tf.RaggedTensor.from_tensor, boxes, fn_output_signature=inner)
    )()
    assert ragged_rows.shape.as_list() == [2, None, 2]
    with pytest.raises(ValueError, match="ragged_rank 1"):
        tf.map_fn(lambda x: x, dense, fn_output_signature={"images": tf.float32, "boxes": inner})
