"""What moves data, against NumPy: any shape, stride and dtype, the same bits on any number of threads."""

import math

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.core import registry
from tapegrad.engines.numpy import copies, gathers, slicing
from tapegrad.engines.numpy.threads import set_thread_count
from tapegrad.framework.casting import cast_array

pytestmark = pytest.mark.usefixtures("engine_as_before")

DTYPES = ["?", "i1", "u2", "f2", "i4", "f4", "i8", "f8", "c8", "c16"]
ADDED = ["i1", "u2", "i4", "f4", "u8", "f8", "c8", "c16"]
THREADS = (1, 2, 3, 7)


def on_threads(function):
    """The results of ``function`` on each number of threads."""
    for count in THREADS:
        set_thread_count(count)
        yield function()


def some_array(random, dtype, shape):
    """Numbers that additions of them in any order keep exact, so that only places can be wrong."""
    numbers = random.integers(0, 50, shape)
    return (numbers % 2 == 0) if dtype == "?" else numbers.astype(dtype)


def some_layout(random, array):
    """The same values in some other layout: axes swapped, reversed, with gaps, off their alignment."""
    kind = random.integers(5)
    if kind == 1 and array.ndim:
        order = random.permutation(array.ndim)
        return np.ascontiguousarray(array.transpose(order)).transpose(np.argsort(order))
    if kind == 2 and array.ndim:
        axis = int(random.integers(array.ndim))
        return np.flip(np.flip(array, axis).copy(), axis)
    if kind == 3 and array.ndim:
        wide = np.zeros([2 * size + 1 for size in array.shape], array.dtype)
        part = wide[tuple(slice(1, None, 2) for _ in array.shape)]
        part[...] = array
        return part
    if kind == 4:
        memory = np.zeros(array.nbytes + 1, np.uint8)
        odd = np.ndarray(array.shape, array.dtype, memory.data, 1)
        odd[...] = array
        return odd
    return array


def some_shape(random, axes, most):
    return tuple(int(size) for size in random.integers(0, most, axes))


def same(found, expected):
    assert found.shape == expected.shape
    assert found.dtype == expected.dtype
    assert found.tobytes() == expected.tobytes()


# Copies


@pytest.mark.parametrize("dtype", DTYPES)
def test_copies_of_any_layout(dtype):
    random = np.random.default_rng(1)
    for _ in range(60):
        array = some_array(random, dtype, some_shape(random, random.integers(0, 5), 9))
        array = some_layout(random, some_layout(random, array))
        found = copies.copied(array)
        assert found.flags.c_contiguous
        assert not np.may_share_memory(found, array)
        same(found, np.ascontiguousarray(array).reshape(array.shape))
        same(copies.contiguous(array), found)


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "f8", "c16"])
@pytest.mark.parametrize(
    ("shape", "order"),
    [
        ((700, 900), (1, 0)),
        ((513, 33), (1, 0)),
        ((8, 60, 8, 32), (0, 2, 1, 3)),
        ((30, 40, 50), (2, 0, 1)),
        ((30, 40, 50), (2, 1, 0)),
        ((30, 40, 50), (0, 2, 1)),
        ((5, 64, 3, 7, 11), (4, 2, 0, 3, 1)),
    ],
)
def test_transpositions(dtype, shape, order):
    array = some_array(np.random.default_rng(2), dtype, shape).transpose(order)
    for found in on_threads(lambda: copies.copied(array)):
        same(found, array.copy(order="C"))


@pytest.mark.parametrize("length", [1, 15, 16, 17, 63, 64, 65, 80, 127, 128, 500, 511, 512, 513])
def test_copies_of_short_rows(length):
    array = some_array(np.random.default_rng(5), "u1", (9, 40, 7, length + 3))
    for part in (
        array[:, ::3, :, 2:-1],
        array.transpose(2, 0, 1, 3)[..., 3:],
        array[::-1, 5, ::2, :-3],
    ):
        for found in on_threads(lambda part=part: copies.copied(part)):
            same(found, part.copy(order="C"))


def test_copies_of_broadcast_arrays():
    row = np.arange(300, dtype="f4")
    for array in (
        np.broadcast_to(row, (400, 300)),
        np.broadcast_to(row[:, None], (300, 500)),
        np.broadcast_to(np.float64(3), (7, 1, 20_000)),
    ):
        for found in on_threads(lambda array=array: copies.copied(array)):
            same(found, array.copy(order="C"))


@pytest.mark.parametrize("dtype", "uint8 float16 float32 float64 complex128 S3 S16 V40".split())
@pytest.mark.parametrize("count", [1, 100, 4097, 5000, 300_001])
def test_one_number_again_and_again(dtype, count):
    one = np.frombuffer(bytes(range(1, 1 + np.dtype(dtype).itemsize)), dtype)
    array = np.broadcast_to(one, (count,))
    for found in on_threads(lambda: copies.copied(array)):
        assert found.tobytes() == one.tobytes() * count


def test_objects_are_copied_as_objects():
    array = np.array([[b"one", b"two"], [b"three", b"four"]], object).T
    assert copies.copied(array).tolist() == array.tolist()


def test_zeros():
    for shape in ((), (0,), (3,), (0, 5), (400, 500)):
        for dtype in ("f4", "?", "c16"):
            copies.zeros(shape, dtype)[...] = 1  # leaves a block behind that is not zero
            same(copies.zeros(shape, dtype), np.zeros(shape, dtype))
    with pytest.raises(ValueError, match="negative"):
        copies.zeros((-1,))


@pytest.mark.parametrize("dtype", DTYPES)
def test_joining(dtype):
    random = np.random.default_rng(3)
    for _ in range(40):
        axes = int(random.integers(1, 5))
        shape = some_shape(random, axes, 7)
        axis = int(random.integers(axes))
        parts = [
            some_layout(
                random,
                some_array(
                    random, dtype, (*shape[:axis], random.integers(0, 6), *shape[axis + 1 :])
                ),
            )
            for _ in range(random.integers(1, 5))
        ]
        same(copies.join(parts, axis), np.concatenate(parts, axis))


@pytest.mark.parametrize("dtype", ["u1", "f2", "f4", "c16"])
def test_joining_large_arrays(dtype):
    random = np.random.default_rng(3)
    for lengths in ((300, 300), (1, 700, 13), (40,) * 16, (9,) * 17):
        parts = [some_array(random, dtype, (3, 100, length)) for length in lengths]
        for given in (parts, [part[:, ::-1] for part in parts]):
            for found in on_threads(lambda given=given: copies.join(given, 2)):
                same(found, np.concatenate(given, 2))


def test_nothing_cannot_be_joined():
    with pytest.raises(ValueError, match="at least one"):
        copies.join([], 0)
    for op in (tf.raw_ops.ConcatV2, tf.raw_ops.Pack):
        with pytest.raises(tf.errors.InvalidArgumentError, match="at least one"):
            op(values=[], axis=0)


# Gathers


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("index", ["i2", "i4", "i8"])
def test_gathers(dtype, index):
    random = np.random.default_rng(4)
    for _ in range(60):
        axes = int(random.integers(1, 5))
        axis = int(random.integers(axes))
        shape = list(some_shape(random, axes, 8))
        shape[axis] += 1
        params = some_layout(random, some_array(random, dtype, shape))
        picks = random.integers(0, shape[axis], some_shape(random, random.integers(1, 4), 6))
        picks = some_layout(random, picks.astype(index))
        same(gathers.gather(params, picks, axis), params.take(picks, axis))


def test_a_large_gather_on_any_number_of_threads():
    random = np.random.default_rng(5)
    table = random.normal(size=(5000, 60)).astype("f4")
    for params, axis in (
        (table, 0),
        (table[:, ::-1], 0),
        (table[::2], 0),
        (table.T, 1),
        (table, 1),
    ):
        picks = random.integers(0, params.shape[axis], 3000)
        for found in on_threads(lambda p=params, i=picks, a=axis: gathers.gather(p, i, a)):
            same(found, params.take(picks, axis))


@pytest.mark.parametrize("index", ["i4", "i8"])
@pytest.mark.parametrize("limit", [0, 1, 5, 2**31 - 1, 2**31, 2**40])
def test_indices_out_of_range_are_found(index, limit):
    largest = np.iinfo(index).max
    for wrong in (-1, limit, limit + 1, largest, -largest - 1):
        if wrong > largest or 0 <= wrong < limit:
            continue
        numbers = np.full(300, min(limit - 1, largest) if limit else 0, index)
        expected = -1 if limit else 0
        assert gathers.first_outside(numbers, limit) == expected
        numbers[211] = wrong
        assert gathers.first_outside(numbers, limit) == (211 if limit else 0)
    assert gathers.first_outside(np.zeros(0, index), limit) == -1


def test_index_vectors_become_row_numbers():
    random = np.random.default_rng(6)
    for index in ("i4", "i8"):
        for depth in (1, 2, 3):
            sizes = tuple(int(size) for size in random.integers(1, 9, depth))
            vectors = random.integers(0, sizes, (50, depth)).astype(index)
            numbers, wrong = gathers.flatten(vectors, sizes)
            assert wrong == -1
            assert numbers.tolist() == np.ravel_multi_index(tuple(vectors.T), sizes).tolist()
            for bad in (-1, sizes[-1]):
                vectors[17, -1] = bad
                assert gathers.flatten(vectors, sizes)[1] == 17


# Scatters


@pytest.mark.parametrize("dtype", ADDED)
@pytest.mark.parametrize("kind", ["add", "subtract", "update"])
def test_scatters(dtype, kind):
    random = np.random.default_rng(7)
    for _ in range(50):
        axes = int(random.integers(1, 4))
        axis = int(random.integers(axes))
        shape = list(some_shape(random, axes, 9))
        shape[axis] += 1
        n = int(random.integers(0, 30))
        target = some_array(random, dtype, shape)
        updates = some_array(random, dtype, [*shape[:axis], n, *shape[axis + 1 :]])
        indices = random.integers(0, shape[axis], n)
        expected = target.copy()
        moved, rows = np.moveaxis(expected, axis, 0), np.moveaxis(updates, axis, 0)
        if kind == "update":
            for index, row in zip(indices, rows, strict=True):
                moved[index] = row
        else:
            getattr(np, kind).at(moved, indices, rows)
        assert gathers.scatter(target, indices, some_layout(random, updates), kind, axis)
        same(target, expected)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
@pytest.mark.parametrize("kind", ["multiply", "maximum", "minimum"])
def test_scatters_of_products_and_extremes(dtype, kind):
    random = np.random.default_rng(9)
    for shape in ((7,), (7, 1), (7, 33), (5, 4, 9)):
        for n in (0, 1, 40):
            target = some_array(random, dtype, shape)
            updates = some_array(random, dtype, [n, *shape[1:]])
            if dtype in ("f4", "f8"):
                for array in (target, updates):
                    for special in (np.nan, np.inf, -np.inf):
                        array[random.random(array.shape) < 0.05] = special
            indices = random.integers(0, shape[0], n).astype(random.choice(["i4", "i8"]))
            expected = target.copy()
            with np.errstate(invalid="ignore"):
                getattr(np, kind).at(expected, indices, updates)
            assert gathers.scatter(target, indices, some_layout(random, updates), kind)
            # Of two NaN a compiler may take either for their product, and the signs differ.
            if dtype in ("f4", "f8"):
                target[np.isnan(target)] = expected[np.isnan(expected)] = np.nan
            same(target, expected)
    assert not gathers.scatter(np.ones(3, "u4"), np.array([0]), np.ones(1, "u4"), kind)
    assert not gathers.scatter(np.ones(3, "c8"), np.array([0]), np.ones(1, "c8"), kind)


@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8", "f2", "i2"])
@pytest.mark.parametrize(
    ("name", "function"), [("max", np.maximum), ("min", np.minimum), ("prod", np.multiply)]
)
def test_segments_of_products_and_extremes(name, function, dtype):
    random = np.random.default_rng(10)
    data = random.integers(-5, 6, (60, 7)).astype(dtype)
    if dtype.startswith("f"):
        data[3, 2], data[50, 1] = np.nan, -np.inf
        data[58:] = -np.inf
    ids = np.sort(random.integers(0, 9, 60)) * 2
    ids[58:] = 19  # a segment that has nothing but infinities
    empty = {"max": tf.as_dtype(data.dtype).min, "min": tf.as_dtype(data.dtype).max, "prod": 1}[
        name
    ]
    for sorted_ids, missing in ((True, 1 if name == "prod" else 0), (False, empty)):
        order = np.arange(60) if sorted_ids else random.permutation(60)
        expected = np.full((20, 7), missing, dtype)
        for row in range(20):
            parts = data[order][ids[order] == row]
            if len(parts):
                with np.errstate(all="ignore"):
                    expected[row] = function.reduce(parts, axis=0, dtype=dtype)
                    if not sorted_ids:  # what an empty segment has counts as one of the numbers
                        expected[row] = function(expected[row], missing)
        kind = "segment_" if sorted_ids else "unsorted_segment_"
        more = () if sorted_ids else (20,)
        found = getattr(tf.math, kind + name)(data[order], ids[order], *more).numpy()
        np.testing.assert_allclose(found.astype("f8"), expected.astype("f8"), rtol=1e-2)


@pytest.mark.parametrize("shape", [(3000,), (3000, 3), (700, 64), (40, 1000), (1, 30_000)])
@pytest.mark.parametrize("n", [500, 20_000])
def test_many_rows_are_added_in_order_on_any_number_of_threads(shape, n):
    random = np.random.default_rng(8)
    indices = random.integers(0, shape[0], min(n, 2_000_000 // shape[-1]))
    updates = random.normal(size=(len(indices), *shape[1:])).astype("f4")
    start = random.normal(size=shape).astype("f4")

    def run():
        target = start.copy()
        assert gathers.scatter(target, indices, updates, "subtract")
        return target

    expected = start.copy()
    np.subtract.at(expected, indices, updates)
    for found in on_threads(run):
        same(found, expected)


def test_rows_that_repeat_one_row():
    target = np.zeros((4, 3), "f4")
    updates = np.broadcast_to(np.array([1, 2, 3], "f4"), (5, 3))
    assert gathers.scatter(target, np.array([0, 1, 1, 3, 0]), updates)
    assert target.tolist() == [[2, 4, 6], [2, 4, 6], [0, 0, 0], [1, 2, 3]]


def test_nothing_is_written_when_an_index_is_wrong():
    target = np.zeros((4, 3), "f4")
    for wrong in (-1, 4):
        with pytest.raises(IndexError):
            gathers.scatter(target, np.array([0, wrong]), np.ones((2, 3), "f4"))
    with pytest.raises(ValueError, match="shape"):
        gathers.scatter(target, np.array([0, 1]), np.ones((2, 4), "f4"))
    with pytest.raises(ValueError, match="dtype"):
        gathers.scatter(target, np.array([0, 1]), np.ones((2, 3), "f8"))
    assert not target.any()
    assert not gathers.scatter(np.zeros((3, 4), "f4").T, np.array([0]), np.ones((1, 3), "f4"))
    assert not gathers.scatter(np.zeros((4, 3), "f2"), np.array([0]), np.ones((1, 3), "f2"))


# Through the ops


def test_a_sparse_step_writes_into_the_table():
    random = np.random.default_rng(9)
    start = random.normal(size=(2000, 16)).astype("f4")
    picks = random.integers(0, 2000, 500)
    table = tf.Variable(start)
    memory = table._snapshot._array.ctypes.data
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.square(tf.nn.embedding_lookup(table, picks)))
    gradient = tape.gradient(loss, table)
    table.scatter_sub(tf.IndexedSlices(0.25 * gradient.values, gradient.indices))
    expected = start.copy()
    np.subtract.at(expected, picks, np.float32(0.5) * start[picks])
    np.testing.assert_allclose(table.numpy(), expected, rtol=1e-5)
    assert table._snapshot._array.ctypes.data == memory
    kept = table.value()
    table.scatter_add(tf.IndexedSlices(gradient.values, gradient.indices))
    np.testing.assert_allclose(kept.numpy(), expected, rtol=1e-5)


@pytest.mark.parametrize("name", ["add", "sub", "mul", "div", "max", "min", "update"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "int32"])
def test_scatters_into_a_variable_whose_array_is_a_view(name, dtype):
    random = np.random.default_rng(10)
    start = random.integers(1, 9, (6, 4)).astype(dtype)
    vectors = random.integers(0, (6, 4), (5, 2))
    updates = random.integers(1, 5, 5).astype(dtype)
    rows = random.integers(1, 5, (3, 4)).astype(dtype)
    found = []
    for value in (tf.constant(start), tf.transpose(tf.constant(start.T.copy()))):
        variable = tf.Variable(value)
        getattr(variable, "scatter_" + name)(tf.IndexedSlices(rows, [1, 5, 1]))
        if name not in ("mul", "div"):
            getattr(variable, "scatter_nd_" + name)(vectors, updates)
        found.append(variable.numpy())
    same(*found)
    assert not np.array_equal(found[0], start)


@pytest.mark.parametrize("axis", [1, 2])
@pytest.mark.parametrize("dtype", ["float32", "float16", "complex64"])
def test_the_gradient_of_a_gather_along_a_later_axis(axis, dtype):
    random = np.random.default_rng(11)
    x = tf.constant(random.integers(0, 9, (3, 5, 4)).astype(dtype))
    picks = random.integers(0, x.shape[axis], (2, 7))
    weights = random.integers(0, 5, (*x.shape[:axis], 2, 7, *x.shape[axis + 1 :])).astype(dtype)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.gather(x, picks, axis=axis) * weights
    expected = np.zeros(x.shape, dtype)
    moved = np.moveaxis(expected, axis, 0)
    flat = weights.reshape(*x.shape[:axis], 14, *x.shape[axis + 1 :])
    np.add.at(moved, picks.reshape(-1), np.moveaxis(flat, axis, 0))
    same(tape.gradient(y, x).numpy(), expected)


# Slices

PARTS = [
    0, -1, 2, None, Ellipsis, slice(None), slice(1, None), slice(None, -1), slice(None, None, 2),
    slice(3, 0, -1), slice(None, None, -1), slice(2, 2), slice(-100, 100), slice(100, None),
    slice(None, None, -3), slice(-1, -2),
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["?", "f2", "f4", "c16", "O"])
def test_parts_and_gradients_of_parts(dtype):
    random = np.random.default_rng(12)
    taken = 0
    for _ in range(400):
        shape = tuple(int(size) for size in random.integers(3, 6, random.integers(1, 4)))
        array = some_array(random, "i4" if dtype == "O" else dtype, shape)
        array = array.astype(object) if dtype == "O" else some_layout(random, array)
        picked = tuple(PARTS[i] for i in random.integers(0, len(PARTS), random.integers(1, 5)))
        index = slicing.plain_index(picked)
        if picked.count(Ellipsis) > 1:
            assert index is None
            continue
        try:
            expected = array[index]
        except IndexError:
            with pytest.raises(IndexError):
                slicing.part_of(array, index)
            continue
        taken += 1
        part = slicing.part_of(array, index)
        assert part.shape == expected.shape
        assert part.tolist() == expected.tolist()
        assert not part.size or np.shares_memory(part, array)
        assert part.flags.c_contiguous == expected.flags.c_contiguous
        if dtype == "O":
            continue
        whole = np.zeros(shape, array.dtype)
        whole[index] = expected
        same(slicing.put(shape, part, index), whole)
        assert slicing.put(shape, part[None], index) is None
        assert not slicing.add_part(whole, part[None], shape, index)
        assert not slicing.add_part(whole, part, (*shape, 1), index)
        if dtype not in "?O":
            before = some_array(random, dtype, shape)
            whole = before.copy()
            assert slicing.add_part(whole, part, shape, index)
            before[index] += expected
            same(whole, before)
    assert taken > 100


def gradient_by_slices(x, indices, weights):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = [x[index] * weight for index, weight in zip(indices, weights, strict=True)]
    return tape.gradient([*y, x], x)


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64", "complex64"])
def test_slices_of_a_large_tensor_add_to_one_gradient(dtype):
    random = np.random.default_rng(15)
    shape = (40, 30, 20)
    for _ in range(20):
        x = tf.cast(random.standard_normal(shape), dtype)
        indices = [(random.integers(40).item(), Ellipsis) for _ in range(3)]
        indices += [tuple(PARTS[i] for i in random.integers(5, len(PARTS), 3)) for _ in range(5)]
        weights = [tf.cast(weight, dtype) for weight in (0.0, -1.0, 2.0, np.inf, 3.0, -0.0, 1, -1)]
        found = gradient_by_slices(x, indices, weights)
        with tf.GradientTape():  # it records, for which the rule is called as it is written
            expected = gradient_by_slices(x, indices, weights)
        assert found.dtype == expected.dtype
        same(found.numpy(), expected.numpy())
        if found.dtype.is_floating:
            signs = [np.signbit(tf.cast(each, "float64").numpy()) for each in (found, expected)]
            nan = np.isnan(tf.cast(found, "float64").numpy())
            np.testing.assert_array_equal(signs[0] & ~nan, signs[1] & ~nan)


def test_a_gradient_that_somebody_holds_is_not_added_to():
    x = tf.ones((100, 100))
    seed = tf.ones((100, 100))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = tf.identity(x)
        z = y[0] * 2.0 + y[1] * 3.0
    for _ in range(2):
        by_x, by_y = tape.gradient([y, z], [x, y], output_gradients=[seed, None])
        assert by_x.numpy()[:3, 0].tolist() == by_y.numpy()[:3, 0].tolist() == [3.0, 4.0, 1.0]
    np.testing.assert_array_equal(seed.numpy(), 1)


@pytest.mark.parametrize(
    "index", [True, np.int32(1), [0, 1], slice(np.int64(0), 2), (0, 1.5), "0", (slice(1, "2"),)]
)
def test_what_is_no_plain_index(index):
    assert slicing.plain_index(index) is None


def test_a_small_part_of_a_large_array_is_a_copy():
    array = np.arange(100_000, dtype="f4")
    assert not np.may_share_memory(slicing.part_of(array, slice(5, 9)), array)
    assert np.may_share_memory(slicing.part_of(array, slice(5, 90_000)), array)
    assert np.may_share_memory(slicing.part_of(array[:1000], slice(5, 9)), array)


def test_strings_are_put_between_empty_ones():
    part = np.array([b"a", b"b"], object)
    assert slicing.put((4,), part, slice(1, 3)).tolist() == [b"", b"a", b"b", b""]


@pytest.mark.parametrize("axis", [0, 1, 2])
def test_cuts(axis):
    array = some_layout(np.random.default_rng(13), np.arange(60.0).reshape(3, 4, 5))
    size = array.shape[axis]
    for part, expected in zip(
        slicing.slices(array, axis), np.moveaxis(array, axis, 0), strict=True
    ):
        assert part.tolist() == expected.tolist()
        assert np.shares_memory(part, array)
    found = slicing.cut(array, (1, 0, size - 1), axis)
    for part, expected in zip(found, np.split(array, (1, 1), axis), strict=True):
        assert part.tolist() == expected.tolist()
    for sizes in ((1, size), (-1, 2)):
        with pytest.raises(ValueError, match="sizes"):
            slicing.cut(array, sizes, axis)


def test_a_view_keeps_its_array_alive():
    parts = slicing.cut(np.full((4, 4), 7.0), (2, 2), 0)
    np.full((400, 4), 1.0)
    assert all((part == 7).all() for part in parts)


# Reshapes


def test_reshapes_are_views_where_numpy_makes_views():
    random = np.random.default_rng(14)
    views = 0
    for _ in range(200):
        sizes = [int(size) for size in random.choice([1, 2, 3, 4, 6, 12], 4)]
        array = np.zeros((*sizes, 300), "f4")
        array[...] = random.integers(0, 99, array.shape)
        array = array.transpose(random.permutation(5))[..., :: int(random.integers(1, 3))]
        flat = [int(size) for size in array.shape]
        while len(flat) > 1 and random.random() < 0.8:
            place = int(random.integers(len(flat) - 1))
            flat[place : place + 2] = [flat[place] * flat[place + 1]]
        if random.random() < 0.5 and flat[-1] % 2 == 0:
            flat[-1:] = [2, flat[-1] // 2]
        expected = array.reshape(flat)
        found = copies.reshape(array, tuple(flat))
        same(found, expected)
        is_view = np.shares_memory(expected, array)
        assert np.shares_memory(found, array) == is_view
        views += is_view
    assert 20 < views < 180
    with pytest.raises(ValueError, match="reshape"):
        copies.reshape(np.zeros((200, 300)).T, (7, 7))


# Casts and choices


CAST = ["float32", "float64", "int32", "int64", "uint8", "bool"]


@pytest.mark.parametrize("source", CAST)
@pytest.mark.parametrize("target", CAST)
def test_casts_agree_with_the_rule_for_all_dtypes(source, target):
    limits = [
        2.0**31,
        2.0**31 - 1,
        2.0**63,
        2.0**24 + 1,
        255.0,
        256.0,
        0.0,
        0.5,
        1.99,
        np.inf,
        np.nan,
    ]
    limits += [2.0**31 - 129, 2.0**31 + 0.5, 2.0**63 - 1025, 1e30]
    values = np.array(limits + [-number for number in limits])
    with np.errstate(all="ignore"):
        if source.startswith(("int", "uint")):
            values = np.concatenate(
                [values[:7].astype(np.int64), [-(2**63), 2**63 - 1, -(2**31), 300, -1]]
            )
        array = np.tile(values.astype(source), 1500)
        for part in (
            array,
            array[:1],
            array[:0],
            array.reshape(-1, 2)[:, ::-1],
            array.reshape(3, -1),
        ):
            tensor = tf.constant(part)
            expected = cast_array(part, tf.as_dtype(target), halves_by_float32=True)
            for found in on_threads(lambda tensor=tensor: tf.cast(tensor, target).numpy()):
                same(found, expected)


@pytest.mark.parametrize("dtype", [*DTYPES, "O"])
def test_choices(dtype):
    random = np.random.default_rng(15)
    for shape in ((), (0,), (5,), (3, 1, 4), (210, 200)):
        condition = random.random(shape) < 0.5
        x, y = (some_array(random, "i4" if dtype == "O" else dtype, shape) for _ in range(2))
        if dtype == "O":
            x, y = (part.astype("S").astype(object) for part in (x, y))
        for first in (x, x.reshape(-1)[:1].reshape(()) if x.size else x, some_layout(random, x)):
            for second in (
                y,
                y.reshape(-1)[-1:].reshape(()) if y.size else y,
                y[..., :1] if shape else y,
            ):
                expected = np.where(condition, first, second)
                tensors = tf.constant(condition), tf.constant(first), tf.constant(second)
                for found in on_threads(lambda tensors=tensors: tf.where(*tensors)):
                    assert found.shape == expected.shape
                    assert np.asarray(found).tobytes() == expected.tobytes() or dtype == "O"
                    assert np.asarray(found).tolist() == expected.tolist()


@pytest.mark.parametrize("shape", [(3,), (0, 4), (70, 90)])
def test_pads_and_tiles(shape):
    array = np.random.default_rng(16).normal(size=shape).astype("f4")
    pads = [(i + 1, 2 * i) for i in range(len(shape))]
    for layout in (array, np.asfortranarray(array)):
        padded = tf.pad(layout, np.array(pads, int).reshape(-1, 2))
        same(padded.numpy(), np.pad(array, pads))
        multiples = [i + 2 for i in range(len(shape))]
        same(np.asarray(tf.tile(layout, np.array(multiples, int))), np.tile(array, multiples))


def test_operands_in_another_order():
    random = np.random.default_rng(17)
    x, y = random.normal(size=(90, 120)).astype("f4"), random.normal(size=(120, 90)).astype("f4")
    for array, order in (
        (x, (1, 0)),
        (x.reshape(90, 12, 10), (2, 0, 1)),
        (x.reshape(90, 12, 10), (0, 2, 1)),
    ):
        turned = tf.transpose(array, order)
        assert not turned._array.flags.c_contiguous
        for found in on_threads(lambda turned=turned: tf.square(turned).numpy()):
            same(found, np.square(array.transpose(order)).copy(order="C"))
    same((tf.transpose(x) + y).numpy(), x.T + y)
    same((tf.transpose(x) * y[:, :1]).numpy(), x.T * y[:, :1])


@pytest.mark.parametrize("dtype", ["float32", "int64", "complex64", "bool", "object"])
@pytest.mark.parametrize("shape", [(4,), (2, 6), (6, 0, 2), (0, 3), (2, 3, 4)])
def test_split_and_unstack(shape, dtype):
    """Against the kernels, of views turned and stepped too, by every axis from both ends."""
    whole = np.arange(math.prod(shape)).reshape(shape).astype(dtype)
    split, unpack = (registry[name].kernel for name in ("Split", "Unpack"))
    for array in (whole, whole.T, whole[::-1], whole[..., ::2]):
        for axis in range(-array.ndim, array.ndim):
            length = array.shape[axis]
            for parts in range(1, length + 1):
                if length % parts == 0:
                    found = registry["Split"].run([array], (axis, parts))
                    check_views(array, found, split(np, array, axis=axis, num_split=parts))
            for num in (None, length):
                found = registry["Unpack"].run([array], (num, axis))
                check_views(array, found, unpack(np, array, num=num, axis=axis))


def check_views(array, found, expected):
    assert len(found) == len(expected)
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(one, other, strict=True)
        assert one.strides == other.strides
        assert not one.size or np.shares_memory(one, array)
        flags = np.lib.stride_tricks.as_strided(one, one.shape, one.strides).flags
        assert one.flags.c_contiguous == flags.c_contiguous
        assert one.flags.f_contiguous == flags.f_contiguous
        assert one.flags.aligned == flags.aligned


@pytest.mark.parametrize("attributes", [(2, 1), (0, 5), (0, 3), (0, 0)])
def test_splits_that_the_kernel_refuses(attributes):
    with pytest.raises(tf.errors.InvalidArgumentError):
        registry["Split"].run([np.zeros((4, 3), "float32")], attributes)
    with pytest.raises(tf.errors.InvalidArgumentError):
        registry["Unpack"].run([np.zeros((4, 3), "float32")], (attributes[1], 0))
