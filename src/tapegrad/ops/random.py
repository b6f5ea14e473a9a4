"""Random tensors: ``tf.random``'s stateful draws, and the stateless ones that depend on their seed alone.

Both give TensorFlow's numbers for the same seeds. The standard distributions are constants to a tape; the
mean, the deviation and the bounds are applied by ordinary ops, so gradients reach those. Generators, which
carry a state of their own, are in ``ops.generator``.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from tapegrad import core, dtypes, errors
from tapegrad.core import EagerTensor, Operand, Tensor, convert
from tapegrad.engines.numpy import random as engine
from tapegrad.framework import random_state
from tapegrad.ops.args import check_size, static_vector
from tapegrad.ops.gather import gather
from tapegrad.ops.math import add, multiply, subtract

PUBLIC = {
    "random compat.v1.random": (
        "fold_in normal shuffle split stateless_normal stateless_truncated_normal "
        "stateless_uniform truncated_normal uniform"
    ),
    "random random.experimental compat.v1.random": "Algorithm",
    "random.experimental": "stateless_fold_in=fold_in stateless_shuffle stateless_split=split",
}


set_seed = random_state.set_seed

FLOATS = (dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64)
BOUNDED_INTEGERS = (dtypes.int32, dtypes.int64)
FULL_INTEGERS = (dtypes.int32, dtypes.int64, dtypes.uint32, dtypes.uint64)

# A draw: (key, counter, how many numbers, NumPy dtype) to an array.
Draw = Callable[[int, int, int, Any], np.ndarray]


class Algorithm(enum.Enum):
    """The random number algorithms TensorFlow names. On a CPU it, and tapegrad, draw with Philox only."""

    PHILOX = 1
    THREEFRY = 2
    AUTO_SELECT = 3


_ALGORITHM_NAMES = {
    "philox": Algorithm.PHILOX,
    "threefry": Algorithm.THREEFRY,
    "auto_select": Algorithm.AUTO_SELECT,
}


def algorithm_of(alg: Any) -> Algorithm:
    """The ``Algorithm`` that a user's ``alg`` argument means.

    Raises:
        ValueError: for another name or number, telling which there are.
        TypeError: for what is neither.
    """
    if isinstance(alg, Algorithm):
        return alg
    if isinstance(alg, str):
        if alg in _ALGORITHM_NAMES:
            return _ALGORITHM_NAMES[alg]
    else:
        try:
            if getattr(alg, "ndim", 0):
                raise TypeError("an array")  # older NumPys make a number of one with one element
            number = int(alg)
        except (TypeError, ValueError):
            raise TypeError(
                f"`alg` must be a name, a number or a tf.random.Algorithm; {alg!r} of type "
                f"{type(alg).__name__} came."
            ) from None
        if number in (1, 2, 3):
            return Algorithm(number)
    raise ValueError(
        f"Argument `alg` got unsupported value {alg!r}. Supported are 'philox' (1), 'threefry' (2) and "
        "'auto_select' (3)."
    )


def _stateless_algorithm(alg: Any) -> None:
    """Refuse what a stateless draw on a CPU cannot be made with."""
    if alg == "auto_select" or alg is None:
        return
    if algorithm_of(alg) is Algorithm.THREEFRY:
        raise errors.InvalidArgumentError(
            None,
            None,
            "The ThreeFry algorithm is not available on a CPU. Use alg='philox', or leave `alg` out.",
        )


def size_of(shape: tuple[int, ...]) -> int:
    """How many elements a tensor of this shape has."""
    size = 1
    for length in shape:
        size *= length
    return size


def draw(
    function: Draw, type_name: str, shape: tuple[int, ...], dtype: Any, key: int, counter: int
) -> Any:
    """A tensor of ``shape`` of what ``function`` draws."""
    try:
        array = function(key, counter, size_of(shape), dtype.numpy_dtype)
    except (MemoryError, OverflowError, ValueError):
        _refuse_size(type_name, shape, dtype)
    return EagerTensor(array.reshape(shape))


def _refuse_size(type_name: str, shape: tuple[int, ...], dtype: Any) -> NoReturn:
    raise errors.ResourceExhaustedError(
        None,
        None,
        f"Out of memory while drawing a {dtype.name} tensor of shape {list(shape)} [Op:{type_name}].",
    )


def shape_of(shape: Any) -> tuple[int, ...]:
    """A ``shape`` argument as a tuple: a vector of sizes, a single number is refused."""
    return check_size(static_vector(shape))


def check_dtype(type_name: str, dtype: Any, allowed: tuple[Any, ...]) -> None:
    """Raise InvalidArgumentError unless ``dtype`` is one the op can draw."""
    if dtype not in allowed:
        raise errors.InvalidArgumentError(
            None,
            None,
            f"{type_name} draws {', '.join(each.name for each in allowed)}, not {dtype.name} "
            f"[Op:{type_name}].",
        )


def scaled(standard: Any, mean: Any, stddev: Any) -> Any:
    """``standard * stddev + mean``; what would change nothing is left out."""
    if not (type(stddev) is float and stddev == 1.0):
        standard = multiply(standard, stddev)
    if not (type(mean) is float and mean == 0.0):
        standard = add(standard, mean)
    return standard


def spread(standard: Any, minval: Any, maxval: Any) -> Any:
    """``standard``, uniform in [0, 1), spread over what ``bounds`` returned."""
    if minval is None:
        return standard if maxval is None else multiply(standard, maxval)
    return add(multiply(standard, subtract(maxval, minval)), minval)


def moments(mean: Any, stddev: Any, dtype: Any) -> tuple[Any, Any]:
    """``mean`` and ``stddev`` as tensors of ``dtype``, or as they are where they are the usual numbers."""
    if not (type(mean) is float and dtype.is_floating):
        mean = convert(mean, dtype)
    if not (type(stddev) is float and dtype.is_floating):
        stddev = convert(stddev, dtype)
    return mean, stddev


def bounds(minval: Any, maxval: Any, dtype: Any) -> tuple[Any, Any]:
    """The bounds of a uniform float as tensors of ``dtype``; None for a bound that is 0 or 1 anyway."""
    number = (int, float)
    minval = None if type(minval) in number and minval == 0 else convert(minval, dtype)
    if minval is None and (maxval is None or (type(maxval) in number and maxval == 1)):
        return None, None
    return minval, convert(1 if maxval is None else maxval, dtype)


def integer_bounds(
    type_name: str, minval: Any, maxval: Any, dtype: Any, shape: tuple[int, ...]
) -> tuple[int, int]:
    """The bounds of a uniform integer as Python's integers.

    Raises:
        InvalidArgumentError: for bounds that are not scalars, and for an empty range.
    """
    numbers = []
    for name, value in (("minval", minval), ("maxval", maxval)):
        if type(value) is int and dtype.min <= value <= dtype.max:
            numbers.append(value)
            continue
        array = convert(value, dtype)._array
        if array.ndim:
            raise errors.InvalidArgumentError(
                None,
                None,
                f"{name} must be a scalar, got shape {list(array.shape)} [Op:{type_name}].",
            )
        numbers.append(int(array))
    low, high = numbers
    if low >= high and 0 not in shape:
        raise errors.InvalidArgumentError(
            None, None, f"Need minval < maxval, got {low} >= {high} [Op:{type_name}]."
        )
    return low, high


def draw_integers(
    type_name: str,
    shape: tuple[int, ...],
    dtype: Any,
    bounds: tuple[int, int],
    key: int,
    counter: int,
) -> Any:
    """Integers of ``dtype`` within ``bounds``."""

    def integers(key: int, counter: int, count: int, numpy_dtype: Any) -> np.ndarray:
        if not count:
            return np.empty(0, numpy_dtype)
        return engine.uniform_integers(key, counter, count, *bounds, numpy_dtype)

    return draw(integers, type_name, shape, dtype, key, counter)


def stream_dtypes(dtype: Any, shape: Any) -> str:
    """What tells a stateful op's streams apart besides the seeds: its dtype, and that of ``shape``."""
    if isinstance(shape, (list, tuple)):
        shape = next((size for size in shape if isinstance(size, Operand)), None)
    index = getattr(getattr(shape, "dtype", None), "name", "")
    return f"{dtype.name} int64" if index == "int64" else str(dtype.name)


def _stateful(function: Draw, type_name: str, shape: Any, dtype: Any, seed: Any) -> Any:
    sizes = shape_of(shape)
    check_dtype(type_name, dtype, FLOATS)
    stream = stream_dtypes(dtype, shape)
    key, counter = random_state.reserve(type_name, stream, seed, size_of(sizes))
    return draw(function, type_name, sizes, dtype, key, counter)


def normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from a normal distribution, differentiable in ``mean`` and ``stddev``.

    >>> import tapegrad as tf
    >>> tf.random.set_seed(5)
    >>> tf.random.normal([4], 3.0, 2.0, seed=1).shape
    TensorShape([4])

    Args:
        shape: the result's shape, before ``mean`` and ``stddev`` are broadcast against it.
        mean, stddev: numbers or tensors of ``dtype``.
        dtype: a floating point dtype.
        seed: together with ``tf.random.set_seed``'s, decides the numbers; each further draw differs.
        name: accepted for TensorFlow's sake.
    """
    dtype = dtypes.as_dtype(dtype)
    mean, stddev = moments(mean, stddev, dtype)
    return scaled(
        _stateful(engine.normal, "RandomStandardNormal", shape, dtype, seed), mean, stddev
    )


def truncated_normal(
    shape: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Numbers from a normal distribution, none further than two ``stddev`` from ``mean``.

    >>> import tapegrad as tf
    >>> x = tf.random.truncated_normal([1000], stddev=0.5)
    >>> bool(tf.reduce_max(tf.abs(x)) < 1.0)
    True
    """
    dtype = dtypes.as_dtype(dtype)
    mean, stddev = moments(mean, stddev, dtype)
    return scaled(
        _stateful(engine.truncated_normal, "TruncatedNormal", shape, dtype, seed), mean, stddev
    )


def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Numbers evenly spread over [minval, maxval); differentiable in both for floating point dtypes.

    >>> import tapegrad as tf
    >>> x = tf.random.uniform([1000], 10, 13, dtype=tf.int32)      # 10, 11 and 12
    >>> int(tf.reduce_min(x)), int(tf.reduce_max(x))
    (10, 12)

    Args:
        shape: the result's shape.
        minval: the lower bound, which may itself be drawn.
        maxval: the upper bound, which may not: 1 for floats, and to be given for integers.
        dtype: float16, bfloat16, float32, float64, int32 or int64.
        seed: together with ``tf.random.set_seed``'s, decides the numbers; each further draw differs.
        name: accepted for TensorFlow's sake.
    """
    dtype = dtypes.as_dtype(dtype)
    if dtype in BOUNDED_INTEGERS:
        if maxval is None:
            raise ValueError(f"Must specify maxval for integer dtype {dtype!r}.")
        sizes = shape_of(shape)
        limits = integer_bounds("RandomUniformInt", minval, maxval, dtype, sizes)
        stream = stream_dtypes(dtype, shape)
        key, counter = random_state.reserve("RandomUniformInt", stream, seed, size_of(sizes))
        return draw_integers("RandomUniformInt", sizes, dtype, limits, key, counter)
    if dtype not in FLOATS:
        _refuse_dtype(dtype, FLOATS + BOUNDED_INTEGERS)
    minval, maxval = bounds(minval, maxval, dtype)
    return spread(_stateful(engine.uniform, "RandomUniform", shape, dtype, seed), minval, maxval)


def _refuse_dtype(dtype: Any, allowed: tuple[Any, ...]) -> NoReturn:
    names = ", ".join(f"{each!r}" for each in allowed)
    raise ValueError(f"Argument `dtype` got invalid value {dtype!r}. Accepted dtypes are {names}.")


def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """``value`` with its rows, what lies along the first axis, in a random order.

    No gradient passes: TensorFlow declares the op so. ``stateless_shuffle`` and ``tf.gather`` pass it.

    >>> import tapegrad as tf
    >>> tf.sort(tf.random.shuffle(tf.range(4)))
    <tf.Tensor: shape=(4,), dtype=int32, numpy=array([0, 1, 2, 3], dtype=int32)>
    """
    tensor = convert(value)
    array = tensor._array
    length = array.shape[0] if array.ndim else 0
    words = max(length - 1, 0)
    name_of_dtype = dtypes.from_numpy(array.dtype).name
    key, counter = random_state.reserve(
        "RandomShuffle", name_of_dtype, seed, words, (words + 3) // 4
    )
    return shuffle_rows(tensor, key, counter)


def shuffle_rows(tensor: EagerTensor, key: int, counter: int) -> EagerTensor:
    """``tensor`` with its rows in the order that the random numbers from ``counter`` on give."""
    array = tensor._array
    order = (
        engine.permutation(key, counter, array.shape[0]) if array.ndim and len(array) > 1 else ...
    )
    shuffled = EagerTensor(array[order].copy())
    core.watch_results([tensor], [shuffled])
    return shuffled


def key_and_counter(seed: Any) -> tuple[int, int]:
    """Where a stateless op with this ``seed``, a vector of two integers, starts to draw.

    Raises:
        InvalidArgumentError: for another shape, and for what is neither int32 nor int64.
        ValueError: for numbers that no int64 holds.
    """
    if (
        type(seed) in (list, tuple)
        and len(seed) == 2
        and type(seed[0]) is type(seed[1]) is int
        and -(2**63) <= min(seed) <= max(seed) < 2**63
    ):
        first, second = seed
    else:
        tensor = convert(seed)
        if tensor.dtype not in BOUNDED_INTEGERS:
            raise errors.InvalidArgumentError(
                None, None, f"A seed of int32 or int64 was expected; {tensor.dtype.name} came."
            )
        array = tensor._array
        if array.shape != (2,):
            raise errors.InvalidArgumentError(
                None, None, f"seed must have shape [2], not {list(array.shape)}."
            )
        first, second = array.tolist()
    return engine.scramble(first, second)


def _stateless(function: Draw, type_name: str, shape: Any, seed: Any, dtype: Any, alg: Any) -> Any:
    _stateless_algorithm(alg)
    sizes = shape_of(shape)
    key, counter = key_and_counter(seed)
    check_dtype(type_name, dtype, FLOATS)
    return draw(function, type_name, sizes, dtype, key, counter)


def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Numbers from a normal distribution: the same each time for the same ``seed``, two integers.

    >>> import tapegrad as tf
    >>> tf.random.stateless_normal([2], seed=[1, 2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.5441101 , 0.20738031], dtype=float32)>
    """
    dtype = dtypes.as_dtype(dtype)
    mean, stddev = moments(mean, stddev, dtype)
    return scaled(
        _stateless(engine.normal, "StatelessRandomNormalV2", shape, seed, dtype, alg), mean, stddev
    )


def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """``truncated_normal``, the same each time for the same ``seed``, two integers."""
    dtype = dtypes.as_dtype(dtype)
    mean, stddev = moments(mean, stddev, dtype)
    standard = _stateless(
        engine.truncated_normal, "StatelessTruncatedNormalV2", shape, seed, dtype, alg
    )
    return scaled(standard, mean, stddev)


def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Numbers from [minval, maxval): the same each time for the same ``seed``, two integers.

    For integer dtypes both bounds may be None: the numbers then have the dtype's whole range.

    >>> import tapegrad as tf
    >>> tf.random.stateless_uniform([3], seed=[1, 2], maxval=5, dtype=tf.int32)
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 4, 4], dtype=int32)>
    """
    dtype = dtypes.as_dtype(dtype)
    if dtype not in FLOATS + FULL_INTEGERS:
        _refuse_dtype(dtype, FLOATS + FULL_INTEGERS)
    if not dtype.is_integer:
        minval, maxval = bounds(minval, maxval, dtype)
        standard = _stateless(engine.uniform, "StatelessRandomUniformV2", shape, seed, dtype, alg)
        return spread(standard, minval, maxval)
    check_both_bounds(minval, maxval, dtype)
    _stateless_algorithm(alg)
    if minval is not None and dtype not in BOUNDED_INTEGERS:
        raise ValueError(
            f"Argument `dtype` got {dtype!r}, which is drawn over its whole range only: pass minval=None "
            "and maxval=None, or draw tf.int32 or tf.int64 and cast."
        )
    sizes = shape_of(shape)
    key, counter = key_and_counter(seed)
    if minval is None:
        return draw(
            engine.full_integers, "StatelessRandomUniformFullIntV2", sizes, dtype, key, counter
        )
    limits = integer_bounds("StatelessRandomUniformIntV2", minval, maxval, dtype, sizes)
    return draw_integers("StatelessRandomUniformIntV2", sizes, dtype, limits, key, counter)


def check_both_bounds(minval: Any, maxval: Any, dtype: Any) -> None:
    """Raise ValueError unless an integer draw has both bounds or neither."""
    if (minval is None) != (maxval is None):
        raise ValueError(
            f"For integer dtype {dtype!r}, minval and maxval must be both None or both not None; "
            f"got minval={minval} and maxval={maxval}."
        )


def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Tensor:
    """``num`` new seeds made from one, as the rows of a matrix.

    >>> import tapegrad as tf
    >>> a, b = tf.random.split([1, 2])
    >>> a
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1105988140, 1738052849], dtype=int32)>
    """
    seed = convert(seed)
    return stateless_uniform([num, 2], seed, None, None, seed.dtype, alg=alg)


def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """A new seed made from ``seed`` and an integer, such as a step number.

    >>> import tapegrad as tf
    >>> tf.random.fold_in([1, 2], 3)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1105988140,          3], dtype=int32)>
    """
    data = convert(data)
    first = stateless_uniform([], seed, None, None, data.dtype, alg=alg)
    array = data._array
    if array.ndim:
        raise errors.InvalidArgumentError(
            None, None, f"`data` must be a scalar integer, got shape {list(array.shape)}."
        )
    return EagerTensor(np.stack([first._array, array]))


def stateless_shuffle(
    value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None
) -> Tensor:
    """``value`` with its rows in an order that ``seed``, two integers, decides.

    Differs from TensorFlow: gradients pass; there the op has no gradient entry and raises LookupError.

    >>> import tapegrad as tf
    >>> tf.random.experimental.stateless_shuffle([10, 20, 30], seed=[3, 4])
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([20, 30, 10], dtype=int32)>
    """
    _stateless_algorithm(alg)
    value = value if isinstance(value, Tensor) else convert(value)
    key, counter = key_and_counter(seed)
    shape = value._shape_tuple()
    if not shape or shape[0] < 2:
        return value

    return gather(value, engine.permutation(key, counter, shape[0]))


__all__ = [
    "Algorithm",
    "fold_in",
    "normal",
    "set_seed",
    "shuffle",
    "split",
    "stateless_normal",
    "stateless_shuffle",
    "stateless_truncated_normal",
    "stateless_uniform",
    "truncated_normal",
    "uniform",
]
