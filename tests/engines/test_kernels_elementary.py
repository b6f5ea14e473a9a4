"""Exponentials, logarithms, circular and hyperbolic functions and erfinv at each level: errors, edges, order.

`test_kernels_elementwise.py` asks them about layouts, cuts and levels.
"""

import numpy as np
import pytest
import scipy.special

import tapegrad as tf
from golden import elementary_edges
from tapegrad.engines.numpy import kernels
from tapegrad.engines.numpy.levels import levels

LEVELS, BEST = levels()
FUNCTIONS = [kernels.functions(level) for level in range(BEST + 1)]

# The largest error in units of the last place that any float32 has, and any float64 that was drawn.
LARGEST = {
    "exp": (0.99, 1.1),
    "expm1": (0.52, 1.3),
    "log": (0.86, 1.0),
    "log1p": (0.9, 1.2),
    "sin": (0.51, 0.95),
    "cos": (0.51, 0.95),
    "tan": (0.51, 1.95),
    "arcsin": (0.52, 1.75),
    "arccos": (0.52, 1.25),
    "arctan": (0.51, 1.9),
    "sinh": (0.51, 1.4),
    "cosh": (0.51, 1.65),
    "tanh": (1.0, 1.6),
    "arcsinh": (0.51, 3.0),  # of doubles NumPy's
    "arccosh": (0.51, 3.0),
    "arctanh": (0.51, 1.85),
}
RISING = (
    "exp",
    "expm1",
    "log",
    "log1p",
    "arcsin",
    "arctan",
    "sinh",
    "tanh",
    "arcsinh",
    "arctanh",
    "erfinv",
)

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.fixture(params=range(LEVELS))
def functions(request):
    if request.param > BEST:
        pytest.skip("the processor has no vectors so wide")
    return FUNCTIONS[request.param]


def largest_error(results, exact):
    """In units of the last place; what is no ordinary number has to be the same."""
    rounded = exact.astype(results.dtype)
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(results[~finite], rounded[~finite])
    zero = exact == 0
    np.testing.assert_array_equal(np.signbit(results[zero]), np.signbit(exact[zero]))
    spacing = np.spacing(np.abs(rounded[finite])).astype(exact.dtype)
    return np.max(np.abs(results[finite] - exact[finite]) / spacing, initial=0)


def drawn(dtype):
    """Numbers of every exponent, subnormal ones and infinities too, and many where the functions turn."""
    random = np.random.default_rng(11)
    bits = random.integers(0, 2**63, 50_000).astype(f"uint{8 * np.dtype(dtype).itemsize}")
    x = np.concatenate(
        [
            bits.view(dtype),
            random.standard_normal(50_000).astype(dtype),
            random.uniform(0, 30, 50_000).astype(dtype),
            random.uniform(0, 750, 20_000).astype(dtype),
            random.uniform(0, 1, 100_000).astype(dtype),
            (1 + random.standard_normal(20_000) * 1e-3).astype(dtype),
            (np.arange(20_000) * (np.pi / 4)).astype(dtype),
        ]
    )
    return np.concatenate([x, -x])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", LARGEST)
def test_errors(functions, name, dtype):
    x = drawn(dtype)
    exact = getattr(np, name)(x.astype(np.longdouble))
    assert largest_error(functions[name](x), exact) <= LARGEST[name][dtype == "float64"]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_errors_of_angles(functions, dtype):
    y, x = np.random.default_rng(12).permutation(drawn(dtype)), drawn(dtype)
    near = drawn(dtype)[:1000]
    y = np.concatenate([y, near, near * np.dtype(dtype).type(0.41421356)])
    x = np.concatenate([x, near, near])
    exact = np.arctan2(y.astype(np.longdouble), x.astype(np.longdouble))
    assert largest_error(functions["arctan2"](y, x), exact) <= (0.51 if dtype == "float32" else 1.9)


def test_errors_of_erfinv(functions):
    """One unit of the last place, and more without an instruction that multiplies and adds.

    Those of doubles are asked for in `test_special_values.py`; here, what the levels make of them.
    """
    x = drawn("float32")
    exact = np.copysign(scipy.special.erfinv(x.astype(np.float64)), x)  # SciPy has 0 at -0
    assert largest_error(functions["erfinv"](x), exact) <= (
        1.4 if functions is FUNCTIONS[0] else 1.0
    )
    wide = drawn("float64")
    np.testing.assert_array_max_ulp(functions["erfinv"](wide), FUNCTIONS[BEST]["erfinv"](wide), 1)


@pytest.mark.slow
@pytest.mark.timeout(3600)  # four minutes on a processor of its own
@pytest.mark.parametrize("name", LARGEST)
def test_errors_of_all_floats(name):
    """The wider levels give the same bits, and the plainest is off by no more."""
    worst = 0.0
    for begin in range(0, 2**32, 2**22):
        x = np.arange(begin, begin + 2**22, dtype=np.uint32).view(np.float32)
        exact = getattr(np, name)(x.astype(np.float64))
        plain, *others = (functions[name](x) for functions in FUNCTIONS)
        for result in (plain, *others[:1]):
            worst = max(worst, largest_error(result, exact))
        for result in others[1:]:
            np.testing.assert_array_equal(result.view(np.uint32), others[0].view(np.uint32))
    assert worst <= LARGEST[name][0]


@pytest.mark.parametrize("case", elementary_edges.recorded())
def test_edges(case):
    """TensorFlow's results at zeros, infinities, NaN, the ends of ranges and far from zero."""
    dtype = np.dtype(case.split()[1])
    ours = np.array(elementary_edges.results(tf)[case], dtype)
    theirs = np.array(elementary_edges.recorded()[case], dtype)
    # TensorFlow has zeros for subnormal results.
    ours[np.abs(ours) < np.finfo(dtype).tiny] *= 0
    np.testing.assert_array_max_ulp(ours, theirs, 4)
    zero = theirs == 0
    np.testing.assert_array_equal(np.signbit(ours[zero]), np.signbit(theirs[zero]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ["exp", "log", "sin", "cos", "tan"])
def test_ordinary_numbers_beside_others(functions, name, dtype):
    """Blocks take a longer way for a number that needs it; all others in them have the same bits."""
    x = np.random.default_rng(13).uniform(0.1, 80, 3_000).astype(dtype)
    alone = functions[name](x)
    for far in (np.nan, np.inf, -np.inf, 0.0, np.finfo(dtype).smallest_subnormal, 1e30, -1e3):
        x[100::256] = far
        beside = functions[name](x)
        kept = np.arange(len(x)) % 256 != 100
        np.testing.assert_array_equal(beside[kept], alone[kept])
        exact = getattr(np, name)(x[100:101].astype(np.longdouble)).astype(dtype)
        np.testing.assert_array_max_ulp(beside[100:101], exact, 1)


@pytest.mark.parametrize("name", RISING)
def test_order_of_neighbours(functions, name):
    """A larger float has no smaller result."""
    starts = np.random.default_rng(14).uniform(-0.99, 0.99, 500).astype(np.float32)
    if name in ("exp", "expm1", "sinh", "tanh", "arctan"):
        starts = np.concatenate([starts, starts * 20])
    elif name == "log":
        starts = np.abs(starts) * 4
    steps = np.arange(1_000, dtype=np.int32)
    neighbours = (starts.view(np.int32)[:, None] + steps).view(np.float32)
    rises = np.diff(functions[name](neighbours), axis=1)
    assert (rises * np.sign(starts)[:, None] >= 0).all()
