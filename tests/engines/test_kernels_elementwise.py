"""The compiled elementwise functions at every width of vectors: accuracy, layouts, any cut."""

import itertools
import math

import numpy as np
import pytest
import scipy.special

import tapegrad as tf
from tapegrad.engines.numpy import kernels
from tapegrad.engines.numpy.levels import levels
from tapegrad.engines.numpy.threads import set_thread_count, thread_count

LEVELS, BEST = levels()
FUNCTIONS = [kernels.functions(level) for level in range(BEST + 1)]
NAMES = sorted(FUNCTIONS[0])
UNARY = [name for name in NAMES if FUNCTIONS[0][name].nin == 1]
BINARY = [name for name in NAMES if FUNCTIONS[0][name].nin == 2]
# Not for double precision: functions of SciPy's and NumPy's are used there.
OF_FLOATS = {
    *("lgamma_of_floats", "digamma_of_floats", "floormod_of_floats", "arcsinh", "arccosh"),
}
WITH_DTYPES = [
    (name, dtype)
    for name in NAMES
    for dtype in ("float32", "float64")
    if dtype == "float32" or name not in OF_FLOATS
]
# Their errors and edges are asked for in `test_kernels_elementary.py`.
ELEMENTARY = {
    *("exp", "expm1", "log", "log1p", "sin", "cos", "tan", "sinh", "cosh", "tanh"),
    *("arcsin", "arccos", "arctan", "arctan2", "arcsinh", "arccosh", "arctanh", "erfinv"),
}
# Compared with their formulas in `test_activations`, since the exponential in them is rounded otherwise.
SLOPES = {"gelu_grad", "silu_grad"}
POWERS = (0.0, 1.0, 2.0, 3.0, 4.0, -1.0, -2.0, 0.5, -0.5, 1.7)
SPECIAL = [0.0, -0.0, np.inf, -np.inf, np.nan, 1.0, -1.0, 2.0, 0.5, 1e-300, 1e-42, 5e-324, 1e300]

# The largest error in units of the last place: with an instruction that multiplies and adds, and without.
LARGEST = {
    "float32": {
        "sigmoid": (2.4, 2.4),
        "softplus": (2.2, 2.6),
        "erf": (1.3, 1.5),
        "erfc": (1.8, 5.0),
        "rsqrt": (1.5, 1.5),
        "gelu": (8.5, 9.5),
    },
    # What the references themselves are off by comes on top.
    "float64": {
        "sigmoid": (2.5, 2.5),
        "softplus": (2.5, 2.5),
        "erf": (2.5, 2.5),
        "erfc": (5.0, 8.0),
        "rsqrt": (1.5, 1.5),
    },
}

pytestmark = pytest.mark.filterwarnings("ignore::RuntimeWarning")


@pytest.fixture(params=range(LEVELS))
def level(request):
    if request.param > BEST:
        pytest.skip("the processor has no vectors so wide")
    return request.param


@pytest.fixture
def functions(level):
    return FUNCTIONS[level]


def ulps(found, expected):
    """How far off ``found`` is, in units of the last place of its dtype."""
    rounded = expected.astype(found.dtype)
    finite = np.isfinite(rounded)
    np.testing.assert_array_equal(found[~finite], rounded[~finite])
    spacing = np.spacing(np.abs(rounded[finite])).astype(expected.dtype)
    return np.abs(found[finite].astype(expected.dtype) - expected[finite]) / spacing


def each(function):
    return lambda x: np.array([function(value) for value in x.tolist()])


def log_of_one_and_exp(x):
    return np.maximum(x, 0) + np.log1p(np.exp(-np.abs(x)))


def sigmoid(x):
    power = np.exp(-np.abs(x))
    return np.where(x >= 0, 1, power) / (1 + power)


def rsqrt(x):
    return 1 / np.sqrt(x)


@pytest.mark.parametrize("name", LARGEST["float32"])
def test_accuracy_in_single_precision(functions, level, name):
    # Numbers of every exponent and both signs, subnormal ones and infinities too.
    bits = np.arange(0, 2**32, 9973, dtype=np.uint64).astype(np.uint32)
    dense = np.linspace(-12, 12, 200_003, dtype=np.float32)
    x = np.concatenate([bits.view(np.float32), dense])
    reference = {
        "sigmoid": sigmoid,
        "softplus": log_of_one_and_exp,
        "erf": scipy.special.erf,
        "erfc": scipy.special.erfc,
        "rsqrt": rsqrt,
        "gelu": lambda x: x * scipy.special.ndtr(x),
    }[name]
    off = ulps(functions[name](x), reference(x.astype(np.float64)))
    assert off.max() <= LARGEST["float32"][name][level == 0]


@pytest.mark.parametrize("name", LARGEST["float64"])
def test_accuracy_in_double_precision(functions, level, name):
    random = np.random.default_rng(3)
    sizes = 2.0 ** random.integers(-1074, 11, 20_000)
    x = np.concatenate([sizes * random.uniform(-2, 2, sizes.size), np.linspace(-30, 30, 20_011)])
    x = np.concatenate([x, np.linspace(-760, 760, 5_001)])
    reference = {
        "sigmoid": lambda x: sigmoid(x.astype(np.longdouble)),
        "softplus": lambda x: log_of_one_and_exp(x.astype(np.longdouble)),
        "erf": each(math.erf),
        "erfc": each(math.erfc),
        "rsqrt": lambda x: rsqrt(x.astype(np.longdouble)),
    }[name]
    off = ulps(functions[name](x), reference(x))
    assert off.max() <= LARGEST["float64"][name][level == 0]


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_special_values(functions, dtype):
    inf, nan = np.inf, np.nan
    x = np.array([0.0, -0.0, inf, -inf, nan, 1000.0, -1000.0], dtype)
    for name, expected in {
        "sigmoid": [0.5, 0.5, 1, 0, nan, 1, 0],
        "softplus": [math.log(2), math.log(2), inf, 0, nan, 1000, 0],
        "relu": [0, 0, inf, 0, nan, 1000, 0],
        "relu6": [0, 0, 6, 0, nan, 6, 0],
        "erf": [0, -0.0, 1, -1, nan, 1, -1],
        "erfc": [1, 1, 0, 2, nan, 0, 2],
        "rsqrt": [inf, -inf, 0, nan, nan, 1000**-0.5, nan],
    }.items():
        found = functions[name](x)
        np.testing.assert_allclose(found, np.array(expected, dtype), rtol=1e-6, err_msg=name)
        zero = np.array(expected) == 0
        if name in ("erf", "rsqrt"):
            assert (np.signbit(found[zero]) == np.signbit(np.array(expected)[zero])).all(), name
    # The smallest numbers there are come out as they are, or as half of them or the like.
    tiny = np.array([np.finfo(dtype).smallest_subnormal], dtype)
    assert functions["erf"](tiny) == tiny
    assert functions["softplus"](tiny) == functions["softplus"](tiny * 0)
    last = np.array([-103.0 if dtype == "float32" else -745.0], dtype)
    assert functions["sigmoid"](last) == functions["softplus"](last) == tiny


def floored(rest, y):
    return np.where((rest != 0) & ((rest < 0) != (y < 0)), rest + y, rest)


def binary_reference(name, x, y):
    return {
        "relu_grad": lambda: np.where(y > 0, x, 0),
        "relu6_grad": lambda: np.where((y > 0) & (y < 6), x, 0),
        "tanh_grad": lambda: y * (1 - x * x),
        "sigmoid_grad": lambda: y * x * (1 - x),
        "xdivy": lambda: np.where(x == 0, 0, x / y),
        "multiply_no_nan": lambda: np.where(y == 0, 0, x * y),
        "divide_no_nan": lambda: np.where(y == 0, 0, x / y),
        "power": lambda: np.power(x.astype(np.longdouble), y),
        "leaky_relu": lambda: np.where(x > 0, x, x * y),
        "maximum": lambda: np.maximum(x, y),
        "minimum": lambda: np.minimum(x, y),
        "fmod": lambda: np.fmod(x, y),
        "floormod_of_floats": lambda: floored(np.fmod(x, y), y),
        "hypot": lambda: np.hypot(x, y),
    }[name]().astype(x.dtype)


@pytest.mark.parametrize(
    ("name", "dtype"),
    [case for case in WITH_DTYPES if case[0] in set(BINARY) - SLOPES - ELEMENTARY],
)
def test_every_pair_of_special_values(functions, name, dtype):
    values = np.array(SPECIAL, dtype)
    x, y = (part.ravel() for part in np.meshgrid(values, values))
    expected = binary_reference(name, x, y)
    np.testing.assert_array_max_ulp(functions[name](x, y), expected, 1 if name == "power" else 0)
    for i, number in enumerate(values):
        each_x, each_y = functions[name](values, number), functions[name](number, values)
        # Some powers with one exponent are products.
        rtol = 1e-6 if name == "power" else 0
        wanted = expected.reshape(len(values), -1)
        np.testing.assert_allclose(each_x, wanted[i], rtol=rtol)
        np.testing.assert_allclose(each_y, wanted[:, i], rtol=rtol)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("exponent", POWERS)
def test_powers(functions, dtype, exponent):
    bits = np.random.default_rng(4).integers(0, 2**64, 100_000, dtype=np.uint64)
    x = bits.astype(f"uint{8 * np.dtype(dtype).itemsize}").view(dtype)
    x = np.concatenate([x, np.linspace(-5, 5, 10_001, dtype=dtype), np.array(SPECIAL, dtype)])
    found = functions["power"](x, np.array(exponent, dtype))
    expected = np.power(x.astype(np.longdouble), np.array(exponent, dtype).astype(np.longdouble))
    assert ulps(found, expected).max() <= 1.6
    zero = expected == 0
    np.testing.assert_array_equal(np.signbit(found[zero]), np.signbit(expected[zero]))


def test_lengths_in_single_precision(functions):
    """Rounded once, and the same bits at every level."""
    bits = np.random.default_rng(6).integers(0, 2**32, (2, 100_000), dtype=np.uint64)
    x, y = bits.astype(np.uint32).view(np.float32)
    near = np.random.default_rng(7).standard_normal((2, 100_000)).astype(np.float32)
    x, y = np.concatenate([x, near[0]]), np.concatenate([y, near[1]])
    found = functions["hypot"](x, y)
    np.testing.assert_array_equal(found, FUNCTIONS[0]["hypot"](x, y))
    assert ulps(found, np.hypot(x.astype(np.longdouble), y.astype(np.longdouble))).max() <= 0.5001


def test_cubes_in_single_precision(functions):
    """Rounded once, but for those that are almost subnormal."""
    bits = np.arange(0, 2**32, 99_991, dtype=np.uint64).astype(np.uint32)
    edges = [2.0**64, -(2.0**63), 2.0**43, -(2.0**42.6)]
    x = np.concatenate([bits.view(np.float32), np.float32(SPECIAL), np.float32(edges)])
    cubes = functions["power"](x, np.float32(3))
    exact = np.power(x.astype(np.longdouble), 3)
    assert ulps(cubes, exact).max() <= 0.9
    normal = ~(np.abs(cubes) < 1e-30)
    assert ulps(cubes[normal], exact[normal]).max() <= 0.5001
    np.testing.assert_array_equal(np.signbit(cubes[exact == 0]), np.signbit(exact[exact == 0]))


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64", "uint8", "uint32", "uint64"])
def test_relu6_of_integers(functions, dtype):
    x = np.arange(-20, 20).astype(dtype)
    np.testing.assert_array_equal(functions["relu6"](x), np.clip(x, 0, 6), strict=True)
    slopes = np.where((x > 0) & (x < 6), x[::-1], np.zeros((), dtype))
    np.testing.assert_array_equal(functions["relu6_grad"](x[::-1], x), slopes, strict=True)


# What has an exponential or a fitted polynomial in it: the level without an instruction that multiplies and
# adds rounds twice where the others round once (decision 0076).
ROUNDED_TWICE = {
    *("sigmoid", "softplus", "erf", "erfc", "silu", "gelu", "silu_grad", "gelu_grad", "power"),
    *OF_FLOATS,
    *ELEMENTARY,
}


@pytest.mark.parametrize(("name", "dtype"), WITH_DTYPES)
def test_levels_give_the_same_bits(name, dtype):
    """All levels do, but for ROUNDED_TWICE; of those, the levels that have the instruction do."""
    random = np.random.default_rng(9)
    item = np.dtype(dtype).itemsize
    bits = random.integers(0, 2**63, (2, 50_000)).astype(f"uint{8 * item}")
    x, y = np.concatenate([bits.view(dtype), random.standard_normal((2, 50_000)).astype(dtype)], 1)
    exponents = POWERS if name == "power" else (None,)
    for exponent in exponents:
        arguments = (
            (x, y)[: FUNCTIONS[0][name].nin] if exponent is None else (x, np.array(exponent, dtype))
        )
        plain, *others = (functions[name](*arguments) for functions in FUNCTIONS)
        for found in others:
            expected = others[0] if name in ROUNDED_TWICE else plain
            np.testing.assert_array_equal(found, expected)
            np.testing.assert_array_equal(np.signbit(found), np.signbit(expected))


def test_exponentials_in_single_precision(functions):
    """Less than one unit of the last place off, in subnormal numbers too. Beside what is far, as alone."""
    x = np.arange(0, 2**32, 10_007).astype(np.uint32).view(np.float32)
    near = np.random.default_rng(9).uniform(-87, 87, 100_000).astype(np.float32)
    edges = [88.722839, 88.722847, -87.0, 87.0, -103.97, -103.98, -104.1, -87.4, 0.0, -0.0]
    x = np.concatenate([x, near, np.array(edges + SPECIAL, np.float32)])
    wide = np.exp(x.astype(np.longdouble))
    found = functions["exp"](x)
    expected = wide.astype(np.float32)
    far = np.isnan(x) | np.isinf(expected) | (expected == 0)
    np.testing.assert_array_equal(found[far], expected[far])
    assert ulps(found[~far], wide[~far]).max() <= 1.0
    alone = functions["exp"](near)
    near[::256] = np.tile(np.float32([np.inf, -100.0, np.nan, 88.0]), len(near))[: len(near[::256])]
    beside = np.arange(len(near)) % 256 != 0
    np.testing.assert_array_equal(functions["exp"](near)[beside], alone[beside])


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_sines_in_double_precision(functions, name):
    random = np.random.default_rng(8)
    turns = np.arange(-60_000, 60_000)
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, 2.0**20, -(2.0**20), 1e22, 5e-324, 1e-300]
    x = np.concatenate(
        [
            random.standard_normal(100_000) * 3,
            random.uniform(-1.1e6, 1.1e6, 100_000),
            2.0 ** random.integers(-1074, 24, 50_000) * random.uniform(-2, 2, 50_000),
            # As near to a multiple of a quarter turn as numbers come, and to one of an eighth.
            turns * (np.pi / 2),
            turns * (np.pi / 4),
            special,
        ]
    )
    found = functions[name](x)
    expected = getattr(np, name)(x.astype(np.longdouble))
    assert ulps(found, expected).max() <= 0.95
    zeros = functions["sin"](np.array([0.0, -0.0]))
    assert np.signbit(zeros).tolist() == [False, True]
    # Numbers beside one that the C library computes have the same bits as alone.
    x[::64] = 2.0**21
    np.testing.assert_array_equal(functions[name](x)[1:64], found[1:64])


def test_powers_of_all_dtypes(functions):
    power = functions["power"]
    assert power.types == np.power.types
    for dtype in "bhilqBHILQefdgFDG":
        x, y = np.arange(1, 9, dtype=dtype), np.arange(8, dtype=dtype)[::-1]
        np.testing.assert_array_equal(power(x, y), np.power(x, y))
        assert power(x, y).dtype == x.dtype
    with pytest.raises(ValueError, match="negative"):
        power(np.array([2]), np.array(-1))


def arguments(name, dtype, count, seed=5):
    random = np.random.default_rng(seed)
    given = [(random.standard_normal(count) * 3).astype(dtype) for _ in range(1 + (name in BINARY))]
    if name == "power":
        given[0] = np.abs(given[0])
    return given


@pytest.mark.parametrize(("name", "dtype"), WITH_DTYPES)
def test_any_cut_gives_the_same_bits(functions, name, dtype):
    function = functions[name]
    given = arguments(name, dtype, 2300)
    choices = [given]
    if name in BINARY:
        number = np.array(1.5, dtype)
        choices += [[given[0], number], [number, given[1]]]
    if name == "power":
        choices += [[given[0], np.array(exponent, dtype)] for exponent in POWERS]
    for chosen in choices:
        whole = function(*chosen)
        for length in range(71):
            for start in (0, 1, 64, 2100):
                part = slice(start, start + length)
                cut = [array[part] if array.ndim else array for array in chosen]
                np.testing.assert_array_equal(function(*cut), whole[part])


@pytest.mark.parametrize(("name", "dtype"), WITH_DTYPES)
def test_strides_and_results_over_arguments(functions, name, dtype):
    function = functions[name]
    given = arguments(name, dtype, 1801)
    if name == "power":
        given[1] = np.array(1.5, dtype)
    whole = function(*given)
    for step in (2, 3, -1, -2):
        spaced = []
        for array in given:
            room = np.zeros(1801 * abs(step), dtype)
            spaced.append(room[::step] if array.ndim else array)
            if array.ndim:
                spaced[-1][:] = array
        np.testing.assert_array_equal(function(*spaced), whole)
        out = np.zeros(1801 * 5, dtype)
        function(*spaced, out=out[::-5])
        np.testing.assert_array_equal(out[::-5], whole)
        assert np.count_nonzero(out) <= 1801
        function(*spaced, out=spaced[0])
        np.testing.assert_array_equal(spaced[0], whole)
    for place, array in enumerate(given):
        if array.ndim:
            own = [each_.copy() for each_ in given]
            function(*own, out=own[place])
            np.testing.assert_array_equal(own[place], whole)


@pytest.mark.parametrize(("name", "dtype"), WITH_DTYPES)
def test_one_number_in_place_of_an_array(functions, name, dtype):
    """Also in place of both: a block of it is copied, and a block has an end."""
    function = functions[name]
    array = np.linspace(0.5, 2.0, 20_000).astype(dtype)
    numbers = [np.broadcast_to(array[place], array.shape) for place in (70, 9_000)]
    for chosen in itertools.product((False, True), repeat=function.nin):
        inputs = [number if one else array for one, number in zip(chosen, numbers, strict=False)]
        result = function(*inputs)
        expected = function(*[np.array(each) for each in inputs])
        np.testing.assert_array_max_ulp(result, expected, 0 if name not in SLOPES else 2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_results_that_are_arguments_of_later_elements(functions, dtype):
    # NumPy hands these to a loop with its result one element behind its argument, or always in one place.
    x = np.linspace(0.9, 1.1, 700, dtype=dtype)
    expected = [x[0]]
    for value in x[1:]:
        expected.append(expected[-1] * value)
    np.testing.assert_array_equal(functions["multiply_no_nan"].accumulate(x), expected)
    assert functions["multiply_no_nan"].reduce(x) == expected[-1]
    short = x[:3]
    np.testing.assert_allclose(
        functions["power"].reduce(short), (short[0] ** short[1]) ** short[2], rtol=3e-7
    )


def test_arguments_at_odd_addresses(functions):
    x = np.linspace(-4, 4, 1000, dtype=np.float32)
    packed = np.zeros(4001, np.uint8)[1:].view(np.float32)
    packed[...] = x
    for name in UNARY:
        np.testing.assert_array_equal(functions[name](packed), functions[name](x))


def trigamma(x):
    """By reflection where x is negative: SciPy's polygamma needs a millisecond for each such number."""
    right = scipy.special.zeta(2, np.where(x > 0, x, 1 - x))
    left = (np.pi / np.sin(np.pi * (x - np.round(x)))) ** 2 - right
    return np.where(x > 0, right, np.where(x == -np.inf, np.inf, left))


GAMMAS = {
    "lgamma_of_floats": lambda x: np.where(x == -np.inf, np.inf, scipy.special.gammaln(x)),
    "digamma_of_floats": scipy.special.digamma,
    "trigamma": trigamma,
}


@pytest.mark.parametrize("name", GAMMAS)
def test_functions_of_gamma(functions, name):
    """Within 0.51 units of the last place everywhere, and the same bits at every level."""
    bits = np.arange(0, 2**32, 99_991, dtype=np.uint64).astype(np.uint32)
    dense = [np.linspace(*ends, 40_001) for ends in ((-12, 12), (0.9, 2.2), (-2.8, -2.2))]
    special = [0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, -2.0, 0.5, -8388608.0, -8388609.0, 3e38]
    x = np.concatenate([bits.view(np.float32), *dense, special]).astype(np.float32)
    found = functions[name](x)
    np.testing.assert_array_equal(found, FUNCTIONS[0][name](x))
    expected = GAMMAS[name](x.astype(np.float64))
    # SciPy's own error near the zeros of the functions comes on top.
    near_zero = np.abs(expected) < 1e-5
    assert ulps(found[~near_zero], expected[~near_zero]).max() <= 0.51
    np.testing.assert_allclose(found[near_zero], expected[near_zero], rtol=1e-6, atol=1e-13)
    if name == "lgamma_of_floats":
        assert (functions[name](np.float32([1, 2])) == 0).all()


def test_trigamma_in_double_precision(functions):
    x = np.concatenate(
        [
            np.linspace(-30, 30, 40_001),
            2.0 ** np.random.default_rng(15).integers(-400, 60, 20_000),
            [0.0, -0.0, np.inf, -np.inf, np.nan, -1.0, -2.0, -(2.0**51), -(2.0**53), 5e-324],
        ]
    )
    found = functions["trigamma"](x)
    np.testing.assert_array_equal(found, FUNCTIONS[0]["trigamma"](x))
    np.testing.assert_allclose(found, trigamma(x), rtol=2e-15)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_powers_of_arrays(functions, dtype):
    """Within 0.7 units of the last place, unless the power is very far from 1; exact powers are exact."""
    random = np.random.default_rng(16)
    largest = np.log(float(np.finfo(dtype).max)) * 1.06
    size = np.exp(np.concatenate([random.normal(0, 1, 50_000), random.normal(0, 20, 50_000)]))
    size = np.concatenate([size, 1 + random.normal(0, 1e-3, 50_000)]).astype(dtype)
    product = np.where(random.random(size.size) < 0.5, 3, largest) * random.uniform(
        -1, 1, size.size
    )
    y = (product / np.log(size.astype(np.longdouble))).astype(dtype)
    exact = np.power(size.astype(np.longdouble), y)
    near = np.abs(product) < 50
    found = functions["power"](size, y)
    assert ulps(found[near], exact[near]).max() <= 0.7
    assert ulps(found, exact).max() <= 1.2
    x, y = (part.ravel() for part in np.meshgrid(np.arange(-12, 13), np.arange(16)))
    exact = np.array([int(a) ** int(b) for a, b in zip(x, y, strict=True)], object)
    known = np.array([int(number) for number in exact.astype(dtype)], object) == exact
    found = functions["power"](x.astype(dtype), y.astype(dtype))
    np.testing.assert_array_equal(found[known], exact[known].astype(dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_activations(functions, dtype):
    x = np.concatenate([np.linspace(-30, 30, 60_001), [0.0, -0.0, 1e-30, -700, 700]]).astype(dtype)
    y = np.random.default_rng(7).standard_normal(x.shape).astype(dtype)
    wide = x.astype(np.longdouble)
    share = sigmoid(wide)
    below = each(lambda value: math.erfc(-value * 0.5**0.5) / 2)(x.astype(np.float64))
    density = np.exp(-wide * wide / 2) * 0.3989422804014327
    eps = float(np.finfo(dtype).eps)
    for found, expected in (
        (functions["silu"](x), wide * share),
        (functions["silu_grad"](x, y), y * (share + wide * share * (1 - share))),
        (functions["gelu"](x), wide * below),
        (functions["gelu_grad"](x, y), y * (below + wide * density)),
        (functions["softsign"](x), wide / (1 + np.abs(wide))),
    ):
        # exp and erfc of a rounded argument are off in proportion to its square; slopes cross zero.
        off = np.abs(found - expected.astype(dtype)) / (np.abs(y) + 1)
        bound = (np.minimum(np.abs(expected), 1) * (8 + x.astype(float) ** 2) + 1) * 4 * eps
        assert (off <= bound).all()
        near = np.abs(x) < 1
        np.testing.assert_allclose(found[near], expected[near], rtol=12 * eps, atol=4 * eps)
    ends = functions["softsign"](np.array([np.inf, -np.inf, np.nan], dtype))
    np.testing.assert_array_equal(ends, np.array([1, -1, np.nan], dtype))


def test_bfloat16():
    """Conversions to and from bfloat16 are those of ml_dtypes, and functions compute in float32."""
    half = tf.bfloat16.as_numpy_dtype
    every = np.arange(2**16, dtype=np.uint16).view(half)
    found = tf.cast(tf.constant(every), tf.float32).numpy()
    np.testing.assert_array_equal(found.view(np.uint32) >> 16, np.arange(2**16))
    bits = np.random.default_rng(8).integers(0, 2**32, 200_000, dtype=np.uint64).astype(np.uint32)
    x = np.concatenate(
        [bits.view(np.float32), np.float32([np.nan, np.inf, -np.inf, 3.4e38, 1e-40])]
    )
    rounded = tf.cast(tf.constant(x), tf.bfloat16).numpy()
    np.testing.assert_array_equal(rounded.astype(np.float32), x.astype(half).astype(np.float32))
    some = every[np.isfinite(every.astype(np.float32))][::7]
    for shaped in (some, some[::2], some[:9000].reshape(90, 100).T, some[:1].reshape(())):
        wide = shaped.astype(np.float32)
        one = tf.constant(np.asarray(1.5, half))
        for found, expected in (
            (tf.exp(tf.constant(shaped)), np.exp(wide)),
            (tf.add(tf.constant(shaped), one), wide + 1.5),
            (tf.multiply(one, tf.constant(shaped)), 1.5 * wide),
            (tf.maximum(tf.constant(shaped), tf.constant(shaped)), wide),
        ):
            np.testing.assert_array_equal(
                found.numpy().astype(np.float32), expected.astype(half).astype(np.float32)
            )
        np.testing.assert_array_equal(tf.less(tf.constant(shaped), one).numpy(), wide < 1.5)


def test_empty_arrays(functions):
    for name in NAMES:
        empty = [np.zeros((0, 3), np.float32)] * functions[name].nin
        assert functions[name](*empty).shape == (0, 3)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("exponent", POWERS)
def test_gradients_of_powers(dtype, exponent):
    x = tf.constant(np.linspace(0.1, 4.0, 3000, dtype=dtype))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.pow(x, tf.constant(exponent, dtype))
    expected = exponent * x.numpy().astype(np.float64) ** (exponent - 1)
    rtol = 4 * np.finfo(dtype).eps
    np.testing.assert_allclose(tape.gradient(y, x).numpy(), expected, rtol=rtol)


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int16", "int32", "int64", "uint64"])
def test_integers_shared_among_threads(dtype):
    random = np.random.default_rng(9)
    x, y = random.integers(-100, 100, (2, 700_003)).astype(dtype)
    before = thread_count()
    set_thread_count(3)
    try:
        for name in (
            "logical_and",
            "bitwise_xor",
            "equal",
            "less",
            "add",
            "subtract",
            "multiply",
            "maximum",
        ):
            if dtype == "bool" and name not in ("logical_and", "equal"):
                continue
            if dtype != "bool" and name == "logical_and":
                continue
            ours = getattr(tf, name, None) or getattr(tf.bitwise, name)
            np.testing.assert_array_equal(ours(x, y).numpy(), getattr(np, name)(x, y), strict=True)
        if dtype == "int32":
            with pytest.raises(tf.errors.InvalidArgumentError):
                tf.math.floordiv(x, np.zeros_like(y))
    finally:
        set_thread_count(before)
