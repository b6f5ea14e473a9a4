"""Matrix products against NumPy's: every BLAS there is, all layouts, batches, flags, thread counts."""

import ctypes
import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.engines.numpy import blas, buffers
from tapegrad.engines.numpy.levels import levels, set_level
from tapegrad.engines.numpy.products import matmul
from tapegrad.engines.numpy.threads import set_thread_count

TYPES = ["f4", "f8", "c8", "c16"]
# Above the sizes at which products are cut: by rows, columns, both, along the sum, and with tails; into
# pieces that BLAS reads without packing them, or that transpose their own part of an operand.
LARGE = [(300, 200, 150), (2100, 40, 64), (40, 2100, 64), (17, 33, 9001), (128, 784, 512), (131, 517, 32),
         (33, 515, 130), (31, 129, 517), (250, 240, 230)]  # fmt: skip


@pytest.fixture(autouse=True)
def restored(engine_as_before):
    yield
    blas.use(None)


def is_here(name):
    try:
        blas.use(name)
    except RuntimeError:
        return False
    return True


# MKL is an extra; NumPy's loops are everywhere, and its OpenBLAS is in all its wheels.
HERE = [name for name in ("openblas", "mkl", "numpy") if is_here(name)]
blas.use(None)


@pytest.fixture(params=HERE)
def provider(request):
    blas.use(request.param)
    return request.param


@pytest.fixture(params=[name for name in HERE if name != "numpy"])
def called_directly(request):
    """A BLAS that our threads call; NumPy's own loops take whole products, on whatever threads they have."""
    blas.use(request.param)
    return request.param


def values(rng, shape, dtype):
    array = rng.standard_normal(shape)
    if np.dtype(dtype).kind == "c":
        array = array + 1j * rng.standard_normal(shape)
    return array.astype(dtype)


def wide(array):
    return array.astype("c16" if array.dtype.kind == "c" else "f8")


def expected(a, b, transpose_a=False, transpose_b=False, adjoint_a=False, adjoint_b=False):
    """The product in double precision."""
    a, b = wide(a), wide(b)
    if transpose_a or adjoint_a:
        a = a.swapaxes(-1, -2)
    if transpose_b or adjoint_b:
        b = b.swapaxes(-1, -2)
    return np.matmul(a.conj() if adjoint_a else a, b.conj() if adjoint_b else b)


def check(a, b, *flags):
    found = matmul(a, b, *flags)
    wanted = expected(a, b, *flags)
    assert found.dtype == a.dtype
    assert found.shape == wanted.shape
    inner = a.shape[-2 if flags and (flags[0] or flags[2]) else -1]
    tolerance = np.finfo(a.dtype).eps * 4 * (inner + 4)
    np.testing.assert_allclose(found, wanted, rtol=tolerance, atol=tolerance)


def columns_skipped(array):
    return np.repeat(array, 2, -1)[..., ::2]


def in_wider_rows(array):
    return np.concatenate([array, array], -1)[..., : array.shape[-1]]


def rows_reversed(array):
    return array[..., ::-1, :].copy()[..., ::-1, :]


def by_columns(array):
    return array.swapaxes(-1, -2).copy().swapaxes(-1, -2)


def unaligned(array):
    memory = np.zeros(array.nbytes + 1, np.uint8)[1:]
    out = np.ndarray(array.shape, array.dtype, memory)
    out[...] = array
    assert not out.flags.aligned or not array.size
    return out


def read_only(array):
    array.flags.writeable = False
    return array


def other_byte_order(array):
    return array.astype(array.dtype.newbyteorder())


LAYOUTS = [
    np.array,
    columns_skipped,
    in_wider_rows,
    rows_reversed,
    by_columns,
    unaligned,
    read_only,
]
BATCHES = [((), ()), ((3,), (3,)), ((2, 3), (2, 3)), ((2, 1), (3,)), ((4,), ()), ((), (4,)), ((1, 3), (2, 1)),
           ((0,), (1,)), ((2, 3), (1, 1))]  # fmt: skip


@pytest.mark.parametrize("dtype", TYPES)
def test_random_shapes_layouts_batches_and_flags(provider, dtype):
    rng = np.random.default_rng([TYPES.index(dtype), len(provider)])
    for _ in range(200):
        m, n, k = rng.integers(0, rng.choice([3, 12, 40]), 3)
        batch_a, batch_b = BATCHES[rng.integers(len(BATCHES))]
        # 0: as it is, 1: transposed, 2: adjoint.
        turn_a, turn_b = rng.integers(0, 3, 2)
        a = values(rng, (*batch_a, k, m) if turn_a else (*batch_a, m, k), dtype)
        b = values(rng, (*batch_b, n, k) if turn_b else (*batch_b, k, n), dtype)
        a = LAYOUTS[rng.integers(len(LAYOUTS))](a)
        b = LAYOUTS[rng.integers(len(LAYOUTS))](b)
        check(a, b, turn_a == 1, turn_b == 1, turn_a == 2, turn_b == 2)


@pytest.mark.parametrize("dtype", ["f4", "c16"])
@pytest.mark.parametrize("turns", [(0, 0), (1, 0), (0, 1), (1, 1)])
@pytest.mark.parametrize("shape", LARGE, ids=str)
def test_products_that_are_cut(called_directly, shape, turns, dtype):
    rng = np.random.default_rng(1)
    m, n, k = shape
    a = values(rng, (k, m) if turns[0] else (m, k), dtype)
    b = values(rng, (n, k) if turns[1] else (k, n), dtype)
    check(a, b, *map(bool, turns), False, False)


@pytest.mark.parametrize("dtype", TYPES)
def test_batches_that_are_shared(provider, dtype):
    rng = np.random.default_rng(2)
    heads = values(rng, (4, 96, 5, 32), dtype).transpose(0, 2, 1, 3)
    others = values(rng, (4, 80, 5, 32), dtype).transpose(0, 2, 1, 3)
    check(heads, others, False, True, False, False)
    check(heads, others, False, False, False, True)
    check(values(rng, (6, 64, 70), dtype), values(rng, (70, 90), dtype))
    check(values(rng, (64, 70), dtype), values(rng, (6, 70, 90), dtype))


@pytest.mark.parametrize("dtype", ["f4", "c16"])
def test_the_other_byte_order(provider, dtype):
    rng = np.random.default_rng(3)
    a, b = values(rng, (5, 6), dtype), values(rng, (6, 7), dtype)
    np.testing.assert_array_equal(wide(matmul(other_byte_order(a), b)), wide(matmul(a, b)))
    np.testing.assert_array_equal(wide(matmul(a, other_byte_order(b))), wide(matmul(a, b)))


@pytest.mark.parametrize("dtype", TYPES)
def test_rows_that_lie_apart(called_directly, dtype):
    """OpenBLAS 0.3.31 takes them for rows side by side where their distance is the number of rows.

    It does so for float32 on 64-bit ARM with SME, which qemu has. NumPy's own loops call it, and are wrong.
    """
    rng = np.random.default_rng(5)
    for k in range(1, 18):
        b = values(rng, (k, k), dtype)
        for m in range(k + 1, 40):
            a = values(rng, (m, m), dtype)[:, :k]
            np.testing.assert_allclose(
                wide(matmul(a, b)), np.einsum("ij,jk->ik", wide(a), wide(b)), rtol=1e-4, atol=1e-4
            )


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize(
    "shape", [(1, 1, 1), (1, 9, 9), (9, 1, 9), (9, 9, 1), (200, 300, 2), (300, 99, 98)]
)
def test_what_the_memory_held_before_does_not_show(provider, shape, dtype):
    m, n, k = shape
    a, b = np.ones((m, k), dtype), np.ones((k, n), dtype)
    for _ in range(3):
        stale = buffers.empty((m, n), dtype)
        stale[...] = np.nan
        del stale
        assert (matmul(a, b) == k).all()


def test_a_sum_of_nothing_is_zero(provider):
    for dtype in TYPES:
        stale = buffers.empty((300, 200), dtype)
        stale[...] = np.nan
        del stale
        assert not matmul(np.ones((300, 0), dtype), np.ones((0, 200), dtype)).any()
        assert not matmul(np.ones((2, 0, 3), dtype), np.ones((2, 4, 0), dtype), True, True).any()


@pytest.mark.parametrize("shape", [(3, 4, 5), (120, 130, 140), (20, 30, 4000)])
def test_nan_and_infinity_pass_through(provider, shape):
    m, n, k = shape
    a, b = np.ones((m, k), "f4"), np.zeros((k, n), "f4")
    a[1, 2] = np.inf
    a[2, 1] = np.nan
    found = matmul(a, b)
    assert np.isnan(found[1:3]).all()
    assert not found[0].any()
    found = matmul(a, b + 1)
    assert np.isinf(found[1]).all()
    assert np.isnan(found[2]).all()


@pytest.mark.parametrize("dtype", ["f4", "c16"])
@pytest.mark.parametrize("shape", LARGE, ids=str)
def test_any_number_of_threads_gives_the_same_bits(called_directly, shape, dtype):
    rng = np.random.default_rng(4)
    m, n, k = shape
    a, b, turned = (values(rng, shape, dtype) for shape in [(m, k), (k, n), (n, k)])
    batch_a, batch_b = values(rng, (7, 30, 40), dtype), values(rng, (7, 40, 50), dtype)
    found = []
    for count in (1, 2, 3, 7):
        set_thread_count(count)
        results = [matmul(a, b), matmul(a, turned, False, True), matmul(batch_a, batch_b)]
        found.append([result.tobytes() for result in results])
    assert all(other == found[0] for other in found)


@pytest.mark.parametrize("count", [1, 3, 64])
def test_any_number_of_processors_cuts_products_that_cover_them(count):
    program = f"""
import os; os.cpu_count = lambda: {count}
import numpy as np
from tapegrad.engines.numpy.products import matmul
for m, n, k in {LARGE}:
    a, b = np.arange(m * k).reshape(m, k) % 7, np.arange(k * n).reshape(k, n) % 5
    for dtype in "fd":
        for layouts in range(4):
            x = a.astype(dtype) if layouts % 2 == 0 else a.T.astype(dtype, "C")
            y = b.astype(dtype) if layouts < 2 else b.T.astype(dtype, "C")
            assert (matmul(x, y, layouts % 2 == 1, layouts >= 2) == a.astype("d") @ b).all()
"""
    subprocess.run([sys.executable, "-c", program], check=True)


def test_shapes_that_do_not_suit(provider):
    a = np.ones((2, 3), "f4")
    with pytest.raises(ValueError, match=r"\(2, 3\) and \(2, 3\) cannot be multiplied"):
        matmul(a, a)
    with pytest.raises(ValueError, match="do not broadcast"):
        matmul(np.ones((2, 2, 2), "f4"), np.ones((3, 2, 2), "f4"))
    with pytest.raises(ValueError, match=r"\(3,\)"):
        matmul(a, a[0])
    with pytest.raises(TypeError):
        matmul(a, [[1.0]])


@pytest.mark.parametrize("dtype", ["i4", "i8", "u1", "O"])
def test_other_dtypes(dtype):
    a, b = np.arange(6).reshape(2, 3).astype(dtype), np.arange(12).reshape(4, 3).astype(dtype)
    np.testing.assert_array_equal(matmul(a, b, False, True), a @ b.T)
    np.testing.assert_array_equal(matmul(a.T, b, True, True), a @ b.T)


def test_several_callers_at_once(provider):
    set_thread_count(3)
    rng = np.random.default_rng(5)
    a, b = values(rng, (300, 200), "f4"), values(rng, (200, 400), "f4")
    first = matmul(a, b).tobytes()
    wrong = []

    def work():
        wrong.extend(1 for _ in range(20) if matmul(a, b).tobytes() != first)

    callers = [threading.Thread(target=work) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_the_child_of_a_fork_computes(provider):
    set_thread_count(3)
    a = np.ones((300, 300), "f4")
    first = matmul(a, a).tobytes()
    child = os.fork()
    if child == 0:
        os._exit(0 if matmul(a, a).tobytes() == first else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert matmul(a, a).tobytes() == first


def test_numpy_keeps_its_own_threads():
    library = ctypes.CDLL(sys.modules["numpy._core._multiarray_umath"].__file__)
    try:
        get, change = (
            library.scipy_openblas_get_num_threads64_,
            library.scipy_openblas_set_num_threads64_,
        )
    except AttributeError:
        pytest.skip("NumPy's BLAS is not the one of its wheels")
    blas.use("openblas")
    before = get()
    try:
        change(2)
        a = np.ones((400, 400), "f4")
        matmul(a, a)
        matmul(a[:3], a)
        assert get() == 2
    finally:
        change(before)


def test_the_one_in_use_has_a_name(provider):
    name = tf.config.experimental.get_blas()
    assert name.split()[0] == {"openblas": "OpenBLAS", "mkl": "MKL", "numpy": "NumPy"}[provider]


@pytest.mark.parametrize(("named", "found"), [("numpy", "NumPy"), ("nonsense", "'nonsense' came")])
def test_chosen_by_the_environment(named, found):
    program = "import tapegrad as tf; tf.matmul([[1.0]], [[1.0]]); print(tf.config.experimental.get_blas())"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"TAPEGRAD_BLAS": named},
        capture_output=True,
        text=True,
    )
    assert found in ran.stdout + ran.stderr


class TestOps:
    """What reaches the products from above."""

    def test_tensordot_of_transposed_operands(self):
        rng = np.random.default_rng(6)
        a, b = values(rng, (4, 5, 6, 7), "f8"), values(rng, (4, 5, 3, 2), "f8")
        np.testing.assert_allclose(
            tf.tensordot(a, b, [[0, 1], [0, 1]]), np.tensordot(a, b, [[0, 1], [0, 1]])
        )
        b = values(rng, (2, 3, 6, 7), "f8")
        np.testing.assert_allclose(
            tf.tensordot(a, b, [[2, 3], [2, 3]]), np.tensordot(a, b, [[2, 3], [2, 3]])
        )
        np.testing.assert_allclose(tf.tensordot(a, b, 0), np.tensordot(a, b, 0))
        np.testing.assert_allclose(tf.tensordot(a, a, 4), np.tensordot(a, a, 4))

    @pytest.mark.parametrize(
        "equation", ["bqhd,bkhd->bhqk", "bhqk,bkhd->bqhd", "ij,kj->ki", "ab,cd->adbc"]
    )
    def test_einsum(self, equation):
        rng = np.random.default_rng(7)
        sizes = dict(zip("bqhdkijac", (2, 3, 4, 5, 6, 7, 8, 9, 10), strict=True))
        shapes = [
            [sizes[letter] for letter in part] for part in equation.partition("->")[0].split(",")
        ]
        operands = [values(rng, shape, "f8") for shape in shapes]
        np.testing.assert_allclose(tf.einsum(equation, *operands), np.einsum(equation, *operands))

    @pytest.mark.parametrize("dtype", [tf.bfloat16, tf.float16])
    def test_halves_are_multiplied_in_single_precision(self, dtype):
        a = tf.cast(tf.random.stateless_normal([3, 40, 50], [1, 2]), dtype)
        b = tf.cast(tf.random.stateless_normal([3, 60, 50], [3, 4]), dtype)
        wanted = tf.cast(
            tf.matmul(tf.cast(a, tf.float32), tf.cast(b, tf.float32), transpose_b=True), dtype
        )
        assert (tf.matmul(a, b, transpose_b=True).numpy() == wanted.numpy()).all()

    def test_messages_name_the_shapes_that_are_multiplied(self):
        with pytest.raises(
            tf.errors.InvalidArgumentError, match=r"\[3, 2\], In\[1\]: \[5, 4\].*\[Op:MatMul\]"
        ):
            tf.matmul(tf.ones([2, 3]), tf.ones([4, 5]), transpose_a=True, transpose_b=True)
        with pytest.raises(tf.errors.InvalidArgumentError, match="compatible batch dimensions"):
            tf.matmul(tf.ones([2, 3, 3]), tf.ones([4, 3, 3]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("shape", [(600, 700), (1027, 259), (3, 90_001), (515, 512)])
def test_large_matrices_times_vectors(shape, dtype):
    """Both layouts, rows apart in memory, at every level and on any number of threads: the same bits."""
    rng = np.random.default_rng(11)
    matrix = values(rng, (shape[0], shape[1] + 5), dtype)[:, :-5]
    whole = matrix.copy()
    for a, transpose in ((matrix, False), (whole, False), (whole, True), (whole.T.copy().T, False)):
        k = a.shape[0] if transpose else a.shape[1]
        b = values(rng, (k, 1), dtype)
        exact = (a.T if transpose else a).astype(np.longdouble) @ b
        size = np.abs(a.T if transpose else a).astype(np.longdouble) @ np.abs(b)
        found = []
        for threads in (1, 2, 3):
            set_thread_count(threads)
            for level in range(levels()[1] + 1):
                set_level(level)
                found.append(matmul(a, b, transpose_a=transpose))
        for product in found:
            np.testing.assert_array_equal(product, found[0], strict=True)
        off = np.abs(found[0] - exact) / (size * np.finfo(dtype).eps)
        assert off.max() < 8 + k**0.5
        apart = np.repeat(b, 2, 1)[:, :1]
        by_blas = matmul(a, apart, transpose_a=transpose)
        assert (np.abs(by_blas - exact) / (size * np.finfo(dtype).eps)).max() < 8 + k**0.5
