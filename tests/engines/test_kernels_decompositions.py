"""More compiled ways beside NumPy: decompositions, Einstein sums, searches, even numbers, clipping, norms.

As in `test_kernels_lanes`, on every shape, layout and alignment, and at every level of vectors.
"""

import itertools

import numpy as np
import pytest
from test_kernels_lanes import DTYPES, SHAPES, layouts, level, numbers

import tapegrad as tf
from tapegrad.engines.numpy import searches

assert level  # a fixture: every test runs at every level


def agree(found, expected, dtype, **more):
    assert found.dtype == dtype
    np.testing.assert_allclose(found, expected, **{"rtol": 1e-5, "atol": 1e-5} | more)


# Decompositions


def same_numbers(found, expected):
    """NumPy's bits in double precision. It computes float32 in double precision too, and we do not."""
    if found.dtype == np.float64:
        np.testing.assert_array_equal(found, expected, strict=True)
    else:
        assert found.shape == expected.shape
        agree(found, expected, "float32", rtol=1e-4, atol=1e-5)


def same_vectors(found, expected):
    """Columns may point the other way where they are not of double precision.

    The OpenBLAS of NumPy 2.0 rounds by where in memory a matrix begins.
    """
    if found.dtype == np.float64 or not found.size:
        scale = np.abs(expected).max(initial=1.0)
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-14 * scale, strict=True)
    else:
        assert found.shape == expected.shape
        agree(np.abs(found), np.abs(expected), "float32", rtol=1e-2, atol=1e-3)


MATRICES = [
    (1, 1),
    (2, 2),
    (5, 3),
    (3, 5),
    (40, 40),
    (6, 3, 4),
    (2, 3, 7, 7),
    (30, 20, 20),
    (0, 3, 3),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", MATRICES)
def test_qr(shape, dtype):
    x = numbers(shape, dtype)
    for given in layouts(x):
        for full in (False, True):
            q, r = tf.linalg.qr(tf.constant(given), full_matrices=full)
            expected = np.linalg.qr(x, mode="complete" if full else "reduced")
            same_vectors(q.numpy(), expected.Q)
            same_vectors(r.numpy(), expected.R)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", MATRICES)
def test_singular_values(shape, dtype):
    x = numbers(shape, dtype)
    for given in layouts(x):
        for full in (False, True):
            s, u, v = tf.linalg.svd(tf.constant(given), full_matrices=full)
            expected = np.linalg.svd(x, full_matrices=full)
            same_numbers(s.numpy(), expected.S)
            same_vectors(u.numpy(), expected.U)
            same_vectors(v.numpy(), np.swapaxes(expected.Vh, -1, -2))
        values = tf.linalg.svd(tf.constant(given), compute_uv=False).numpy()
        same_numbers(values, np.linalg.svd(x, compute_uv=False))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("shape", [shape for shape in MATRICES if shape[-1] == shape[-2]])
def test_eigenvalues(shape, dtype):
    # The upper triangle is not read.
    x = numbers(shape, dtype)
    for given in layouts(x):
        e, v = tf.linalg.eigh(tf.constant(given))
        expected = np.linalg.eigh(x)
        same_numbers(e.numpy(), expected.eigenvalues)
        same_vectors(v.numpy(), expected.eigenvectors)
        same_numbers(tf.linalg.eigvalsh(tf.constant(given)).numpy(), np.linalg.eigvalsh(x))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
@pytest.mark.parametrize("dtype", DTYPES)
def test_decompositions_of_what_is_not_finite(dtype, bad):
    x = numbers((3, 4, 4), dtype)
    x[1, 2, 0] = bad
    s, u, v = (part.numpy() for part in tf.linalg.svd(tf.constant(x)))
    for part in (s, u, v):
        assert np.isnan(part[1]).all()
        assert np.isfinite(part[[0, 2]]).all()
    with pytest.raises(tf.errors.InvalidArgumentError, match="not successful"):
        tf.linalg.eigh(tf.constant(x))


def test_batches_do_not_depend_on_threads():
    x = numbers((64, 30, 30), "float32")
    before = tf.config.threading.get_intra_op_parallelism_threads()
    found = []
    try:
        for threads in (1, 2, 3):
            tf.config.threading.set_intra_op_parallelism_threads(threads)
            parts = [*tf.linalg.qr(x), *tf.linalg.svd(x), *tf.linalg.eigh(x)]
            found.append([part.numpy() for part in parts])
    finally:
        tf.config.threading.set_intra_op_parallelism_threads(before)
    for others in found[1:]:
        for one, other in zip(found[0], others, strict=True):
            np.testing.assert_array_equal(one, other)


# Einstein sums


PRODUCTS = [
    ("ij,jk->ik", (3, 4), (4, 5)),
    ("ij,kj->ik", (3, 4), (5, 4)),
    ("ji,jk->ki", (4, 3), (4, 5)),
    ("bij,bjk->bik", (2, 3, 4), (2, 4, 5)),
    ("bij,bkj->bki", (2, 3, 4), (2, 5, 4)),
    ("abcd,de->abce", (2, 3, 4, 5), (5, 6)),
    ("abcd,cde->abe", (2, 3, 4, 5), (4, 5, 6)),
    ("aecd,abcd->acbe", (2, 3, 4, 5), (2, 6, 4, 5)),
    ("acbe,aecd->abcd", (2, 4, 3, 5), (2, 5, 4, 6)),
    ("i,i->", (7,), (7,)),
    ("ij,j->i", (3, 7), (7,)),
    ("i,ij->j", (3,), (3, 7)),
    ("ba,bc->ac", (1, 3), (1, 4)),
    ("i,j->ij", (3,), (4,)),
    ("ij,ij->ij", (3, 4), (3, 4)),
    ("ijk,ij->i", (3, 4, 5), (3, 4)),
    ("ii,ij->ij", (3, 3), (3, 4)),
    ("...ij,jk->...ik", (2, 3, 4), (4, 5)),
    ("bij,bjk->bik", (1, 3, 4), (1, 4, 5)),
    ("ij,jk->ik", (0, 4), (4, 5)),
    ("ij,jk->ik", (3, 0), (0, 5)),
]


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize(("equation", "first", "second"), PRODUCTS)
def test_einsum(equation, first, second, dtype):
    x, y = numbers(first, dtype), numbers(second, dtype, 1)
    expected = np.einsum(equation, x, y)
    for left, right in itertools.product(layouts(x), layouts(y)):
        found = tf.einsum(equation, tf.constant(left), tf.constant(right)).numpy()
        assert found.shape == expected.shape
        agree(found, expected, dtype)


def test_einsum_of_views():
    x, y = numbers((4, 2, 3, 5), "float32"), numbers((5, 3, 6), "float32", 1)
    turned = tf.transpose(tf.constant(x), [1, 0, 2, 3])
    expected = np.einsum("abcd,dce->abe", x.transpose(1, 0, 2, 3), y)
    agree(tf.einsum("abcd,dce->abe", turned, y).numpy(), expected, "float32")


@pytest.mark.parametrize("shapes", [((2, 3), (4, 5)), ((2, 3, 4), (3, 4, 5)), ((3, 1), (3, 2))])
def test_einsum_of_shapes_that_disagree(shapes):
    equation = "bij,bjk->bik" if len(shapes[0]) == 3 else "ij,jk->ik"
    with pytest.raises(tf.errors.InvalidArgumentError, match="Expected dimension"):
        tf.einsum(equation, *map(tf.ones, shapes))


# Searches


@pytest.mark.parametrize("dtype", [*DTYPES, "int32", "int64"])
@pytest.mark.parametrize("length", [0, 1, 2, 7, 1000])
def test_places_among_sorted_numbers(length, dtype):
    ordered = np.sort((numbers((3, length), "float64") * 9).astype(dtype), axis=-1)
    values = np.concatenate([(numbers((3, 50), "float64", 1) * 9).astype(dtype), ordered], axis=-1)
    if length > 1 and dtype in DTYPES:
        ordered[:, -1] = np.nan
        ordered[:, 0] = -np.inf
        values[:, :3] = [np.nan, np.inf, -np.inf]
    for given, wanted in zip(layouts(ordered), layouts(values), strict=True):
        for side, out in itertools.product(("left", "right"), (np.int32, np.int64)):
            found = tf.searchsorted(tf.constant(given), tf.constant(wanted), side, out).numpy()
            expected = [np.searchsorted(*rows, side) for rows in zip(ordered, values, strict=True)]
            np.testing.assert_array_equal(found, np.array(expected, out), strict=True)


@pytest.mark.parametrize("dtype", ["int32", "int64", "uint8", "float32"])
@pytest.mark.parametrize(("n", "most"), [(0, 1), (1, 1), (9, 3), (1000, 50), (5000, 2**31 - 1)])
def test_distinct_elements(n, most, dtype):
    random = np.random.default_rng(n)
    most = min(most, 255) if dtype == "uint8" else most
    x = random.integers(0 if dtype == "uint8" else -most, most, n).astype(dtype)
    if dtype == "int64":
        x *= 2**31
    seen = {}
    which = [seen.setdefault(value, len(seen)) for value in x.tolist()]
    for given in layouts(x):
        for out in (tf.int32, tf.int64):
            distinct, places = tf.unique(tf.constant(given), out)
            np.testing.assert_array_equal(distinct.numpy(), np.array([*seen], dtype), strict=True)
            np.testing.assert_array_equal(
                places.numpy(), np.array(which, out.as_numpy_dtype), strict=True
            )


def test_indices_within():
    for dtype in (np.int32, np.int64):
        indices = np.arange(7, dtype=dtype)
        assert searches.within(indices, 7) is True
        assert searches.within(indices, 6) is False
        assert searches.within(indices - 1, 7) is False
        assert searches.within(indices[:0], 0) is True
        assert searches.within(indices[::2], 7) is None
    assert searches.within(np.arange(7.0), 7) is None


# Elementwise


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("count", [3, 4, 33, 20_000])
def test_even_numbers_have_the_bits_of_numpy(count, dtype):
    for first, last in ((0.0, 1.0), (-3.7, 11.3), (5.0, 5.0), (2.0, -1e30), (np.nan, 1.0)):
        start, stop = np.array(first, dtype), np.array(last, dtype)
        expected = np.arange(count).astype(dtype) * ((stop - start) / start.dtype.type(count - 1))
        expected = expected + start
        expected[0], expected[-1] = start, stop
        found = tf.linspace(tf.constant(start), tf.constant(stop), count).numpy()
        np.testing.assert_array_equal(found, expected, strict=True)


@pytest.mark.parametrize("dtype", [*DTYPES, "bfloat16", "float16"])
@pytest.mark.parametrize("shape", SHAPES)
def test_clip(shape, dtype):
    kind = tf.as_dtype(dtype).as_numpy_dtype
    x, dy = (numbers(shape, "float32", seed).astype(kind) for seed in (0, 1))
    if x.size:
        x.flat[0] = np.nan
    for low, high in ((-0.5, 0.5), (-1, 0), (1.0, -1.0), (-np.inf, 0.25)):
        lowest, highest = np.array(low, kind), np.array(high, kind)
        with np.errstate(invalid="ignore"):
            expected = np.maximum(np.minimum(x, highest), lowest)
            slope = np.where((x < lowest) | (x > highest), np.zeros((), kind), dy)
        for given in layouts(x):
            tensor = tf.constant(given)
            with tf.GradientTape() as tape:
                tape.watch(tensor)
                y = tf.clip_by_value(tensor, low, high)
            np.testing.assert_array_equal(
                y.numpy().astype("float64"), expected.astype("float64"), strict=True
            )
            found = tape.gradient(y, tensor, output_gradients=tf.constant(dy)).numpy()
            np.testing.assert_array_equal(
                found.astype("float64"), slope.astype("float64"), strict=True
            )


def test_clip_by_nan():
    assert np.isnan(tf.clip_by_value([1.0, 2.0], np.nan, 1.0).numpy()).all()


@pytest.mark.parametrize("dtype", ["float32", "float64", "bfloat16"])
@pytest.mark.parametrize("axis", [None, 0, 1, -1, (0, 2), (1, 2), ()])
def test_sums_of_squares(axis, dtype):
    for shape in ((5, 37, 3), (2, 1, 4099), (1, 300, 70), (3, 0, 2)):
        numbers = np.random.default_rng(5).standard_normal(shape)
        x = tf.cast(tf.constant(numbers), dtype)
        for each in (x, tf.transpose(x, (2, 0, 1)), x[:, ::2]):
            wide = tf.cast(each, "float64").numpy()
            expected = np.square(wide).sum(axis=axis, keepdims=True)
            with np.errstate(all="ignore"):
                agree(
                    tf.math.l2_normalize(each, axis=axis, epsilon=1e-3).numpy().astype("float64"),
                    wide / np.sqrt(np.maximum(expected, 1e-3)),
                    "float64",
                    rtol={"float32": 1e-6, "float64": 1e-14, "bfloat16": 2e-2}[dtype],
                    atol=0,
                )


@pytest.mark.parametrize("axis", [None, 0, 1])
def test_norms_of_double_precision(axis):
    x = numbers((7, 5), "float64")
    for given in layouts(x):
        found = tf.norm(tf.constant(given), axis=axis).numpy()
        agree(found, np.linalg.norm(x, axis=axis), "float64", rtol=1e-14)
    for scale in (0.0, 1e-200, 1e200):
        found = tf.norm(tf.constant(x * scale), axis=axis).numpy()
        agree(found / (scale or 1), np.linalg.norm(x, axis=axis) * bool(scale), "float64")
    assert np.isnan(tf.norm(tf.constant([np.nan, 1.0], tf.float64)))


@pytest.mark.parametrize("dtype", ["bfloat16", "float16"])
def test_numbers_beside_halves_are_rounded_as_arrays_are(dtype):
    kind = tf.as_dtype(dtype).as_numpy_dtype
    x = tf.ones([3], dtype)
    for number in (0.0, -0.0, 0.1, 1 / 3, 1e-7, 2, -59999, 1e5, 3e38, float("inf"), float("nan")):
        with np.errstate(all="ignore"):
            expected = np.array(number, np.float32).astype(kind)
            product = np.ones(3, kind) * expected
        np.testing.assert_array_equal(
            (x * number).numpy().astype("float64"), product.astype("float64")
        )
