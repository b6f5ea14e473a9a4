"""Random tensors: ``tf.random``'s stateful draws, and the stateless ones that depend on their seed alone.

Both give TensorFlow's numbers for the same seeds. To a tape the standard distributions are constants.
Ordinary ops apply the mean, the deviation and the bounds, so gradients reach those. Generators, which carry a
state of their own, are in `generator`.

The op of a stateful draw has the effect "draws": each call takes the next numbers of a stream, which its
kernel requests from `framework.random_state`. The op of a stateless draw gives the same numbers for the same
inputs.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import (
    EagerTensor,
    Op,
    Operand,
    Tensor,
    convert,
    public,
    quick_sizes,
    static_value,
)
from tapegrad.engines.numpy import random as engine
from tapegrad.engines.numpy.draws import mixed_seeds
from tapegrad.errors import refuse
from tapegrad.framework import random_state
from tapegrad.framework.shape import TensorShape
from tapegrad.ops.args import check_size, static_ints, static_vector
from tapegrad.ops.elementwise.math import add, multiply, subtract
from tapegrad.ops.indexing.gather import gather
from tapegrad.ops.op import op
from tapegrad.ops.shape.joining import stack
from tapegrad.ops.shape.sequences import range as range_of
from tapegrad.ops.shape_rules import Abstract, same_shape, shaped

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

# A draw takes a key, a counter, a shape and a NumPy dtype, and returns an array.
Draw = Callable[[int, int, tuple[int, ...], Any], np.ndarray]


class Algorithm(enum.Enum):
    """The random number algorithms that TensorFlow names. On a CPU, only Philox is available."""

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
        ValueError: for any other name or number. The message lists those that exist.
        TypeError: for anything that is neither a name nor a number.
    """
    if isinstance(alg, Algorithm):
        return alg
    if isinstance(alg, str):
        if alg in _ALGORITHM_NAMES:
            return _ALGORITHM_NAMES[alg]
    else:
        try:
            if getattr(alg, "ndim", 0):
                raise TypeError(
                    "an array"
                )  # older NumPys convert an array of one element to a number
            number = int(alg)
        except (TypeError, ValueError):
            raise TypeError(
                "`alg` must be a name, a number or a tf.random.Algorithm; "
                f"{alg!r} of type {type(alg).__name__} came."
            ) from None
        if number in (1, 2, 3):
            return Algorithm(number)
    raise ValueError(
        f"Argument `alg` got unsupported value {alg!r}. "
        "Supported are 'philox' (1), 'threefry' (2) and 'auto_select' (3)."
    )


def _stateless_algorithm(alg: Any) -> None:
    """Refuse the algorithms with which a CPU cannot make a stateless draw."""
    if alg == "auto_select" or alg is None:
        return
    if algorithm_of(alg) is Algorithm.THREEFRY:
        refuse(
            "The ThreeFry algorithm is not available on a CPU. "
            "Use alg='philox', or leave `alg` out."
        )


def _algorithm_attribute(alg: Any) -> int:
    """The number of the algorithm that an op is given, which must be Philox's."""
    number = static_value(convert(alg, dtypes.int32), "alg")
    if number.ndim:
        refuse(f"algorithm must be of shape [], not {list(number.shape)}")
    if number not in (Algorithm.PHILOX.value, Algorithm.AUTO_SELECT.value):
        refuse(f"algorithm must be 1 (Philox) or 3 (the one for this device), not {number}")
    return Algorithm.PHILOX.value


def drawn(
    function: Draw, type_name: str, shape: tuple[int, ...], dtype: Any, key: int, counter: int
) -> np.ndarray:
    """An array of ``shape`` that ``function`` draws: the result of a draw's kernel."""
    try:
        return function(key, counter, shape, dtype.numpy_dtype)
    except (MemoryError, OverflowError, ValueError):
        _refuse_size(type_name, shape, dtype)


def _refuse_size(type_name: str, shape: tuple[int, ...], dtype: Any) -> NoReturn:
    refuse(
        f"Out of memory while drawing a {dtype.name} tensor "
        f"of shape {list(shape)} [Op:{type_name}].",
        error=errors.ResourceExhaustedError,
    )


@quick_sizes
def shape_of(shape: Any) -> tuple[int, ...]:
    """A ``shape`` argument as a tuple. It is a vector of sizes; a single number is refused."""
    if type(shape) is TensorShape:
        return check_size(static_ints(shape))
    return check_size(static_vector(shape))


def check_dtype(type_name: str, dtype: Any, allowed: tuple[Any, ...]) -> None:
    """Raise InvalidArgumentError unless the op can draw ``dtype``."""
    if dtype not in allowed:
        refuse(
            f"{type_name} draws {', '.join(allowed_dtype.name for allowed_dtype in allowed)}, "
            f"not {dtype.name} [Op:{type_name}]."
        )


def scaled(standard: Any, mean: Any, stddev: Any) -> Any:
    """``standard * stddev + mean``, leaving out what would change nothing."""
    if not (type(stddev) is float and stddev == 1.0):
        standard = multiply(standard, stddev)
    if not (type(mean) is float and mean == 0.0):
        standard = add(standard, mean)
    return standard


def spread(standard: Any, minval: Any, maxval: Any) -> Any:
    """``standard``, uniform in [0, 1), spread over the bounds that `bounds` returned."""
    if minval is None:
        return standard if maxval is None else multiply(standard, maxval)
    return add(multiply(standard, subtract(maxval, minval)), minval)


def moments(mean: Any, stddev: Any, dtype: Any) -> tuple[Any, Any]:
    """``mean`` and ``stddev`` as tensors of ``dtype``; the numbers 0 and 1 unchanged."""
    if not (type(mean) is float and dtype.is_floating):
        mean = convert(mean, dtype)
    if not (type(stddev) is float and dtype.is_floating):
        stddev = convert(stddev, dtype)
    return mean, stddev


def bounds(minval: Any, maxval: Any, dtype: Any) -> tuple[Any, Any]:
    """The bounds of a uniform float as tensors of ``dtype``. A bound that is 0 or 1 already becomes None."""
    number = (int, float)
    minval = None if type(minval) in number and minval == 0 else convert(minval, dtype)
    if minval is None and (maxval is None or (type(maxval) in number and maxval == 1)):
        return None, None
    return minval, convert(1 if maxval is None else maxval, dtype)


def drawn_integers(
    type_name: str,
    shape: tuple[int, ...],
    minval: np.ndarray,
    maxval: np.ndarray,
    start: Callable[[], tuple[int, int]],
) -> np.ndarray:
    """Integers from ``minval`` up to below ``maxval``, in their dtype. ``start()`` gives key and counter.

    Raises:
        InvalidArgumentError: for bounds that are not scalars, and for an empty range.
    """
    for name, bound in (("minval", minval), ("maxval", maxval)):
        if bound.ndim:
            refuse(f"{name} must be a scalar, got shape {list(bound.shape)}.")
    low, high = int(minval), int(maxval)
    if low >= high and 0 not in shape:
        refuse(f"Need minval < maxval, got {low} >= {high}.")
    key, counter = start()

    def integers(key: int, counter: int, shape: tuple[int, ...], numpy_dtype: Any) -> np.ndarray:
        if 0 in shape:
            return np.empty(shape, numpy_dtype)
        return engine.uniform_integers(key, counter, shape, low, high, numpy_dtype)

    return drawn(integers, type_name, shape, dtypes.from_numpy(minval.dtype), key, counter)


# Ops that draw from a stream


def index_type(shape: Any) -> Any:
    """The dtype of a ``shape`` argument. TensorFlow keeps a stream for each, besides the seeds."""
    if type(shape) is TensorShape:
        return dtypes.int32
    if isinstance(shape, (list, tuple)):
        for size in shape:
            if type(size) is not int and isinstance(size, Operand):
                shape = size
                break
        else:
            return dtypes.int32
    name = getattr(getattr(shape, "dtype", None), "name", "")
    return dtypes.int64 if name == "int64" else dtypes.int32


def stream_of(dtype: Any, index: Any) -> str:
    """The name that distinguishes a stateful op's streams, besides the seeds: its dtype, and ``shape``'s."""
    return f"{dtype.name} int64" if index is dtypes.int64 else str(dtype.name)


def _stateful(type_name: str, name: str, function: Draw) -> Op:
    """The op that draws floats from a stream.

    Its attributes are TensorFlow's, where ``T`` is the dtype of the shape. ``seed`` may be None, which means
    the seed that `set_seed` has set, and so may ``seed2``, the op's own seed. A call that is repeated thus
    draws what the program would draw next. Two zeros mean that there is no seed.
    """

    def kernel(xp, *, shape, dtype, seed=0, seed2=0, T=dtypes.int32):
        counters = math.prod(shape) * engine.COUNTERS_PER_ELEMENT
        key, counter = random_state.reserve(type_name, stream_of(dtype, T), seed, seed2, counters)
        return drawn(function, type_name, shape, dtype, key, counter)

    kernel.__name__ = name
    convert = {"shape": shape_of, "dtype": dtype_attribute(type_name, FLOATS)}
    new_op: Op = op(type_name, convert=convert, effect="draws")(kernel)
    new_op.shape(shaped(dtype="dtype"))
    new_op.batching(drawn_together)
    return new_op.no_gradient()


def drawn_together(items, shape, *attributes):
    """The batching rule of draws: the items take their numbers from one draw, as in TensorFlow."""
    return items.run(shape=(items.size, *shape))


def drawn_once_before(items, *arguments):
    """The batching rule of draws that TensorFlow makes for all items, forgets, and makes for each of them."""
    if items.batch.may_loop and items.size:
        arrays = zip(arguments, items.batched, strict=False)
        items.run(*[array[(0, ...)] if batched else array for array, batched in arrays])


def dtype_attribute(type_name: str, allowed: tuple[Any, ...]) -> Callable[[Any], Any]:
    """A converter for the ``dtype`` that an op is given, which must be one of those ``allowed``."""

    def converted(dtype: Any) -> Any:
        dtype = dtypes.as_dtype(dtype)
        check_dtype(type_name, dtype, allowed)
        return dtype

    return converted


standard_normal_op = _stateful("RandomStandardNormal", "random_standard_normal", engine.normal)
truncated_normal_op = _stateful("TruncatedNormal", "truncated_normal", engine.truncated_normal)
uniform_op = _stateful("RandomUniform", "random_uniform", engine.uniform)


@op(
    "RandomUniformInt",
    dtypes=BOUNDED_INTEGERS,
    convert={"shape": shape_of},
    effect="draws",
    values="errors",
)
def uniform_int_op(xp, minval, maxval, *, shape, seed=0, seed2=0, T=dtypes.int32):
    def start() -> tuple[int, int]:
        stream = stream_of(dtypes.from_numpy(minval.dtype), T)
        counters = math.prod(shape) * engine.COUNTERS_PER_ELEMENT
        return random_state.reserve("RandomUniformInt", stream, seed, seed2, counters)

    return drawn_integers("RandomUniformInt", shape, minval, maxval, start)


@uniform_int_op.batching
def _integers_of_items(items, minval, maxval, shape, *attributes):
    if any(items.batched):
        return None
    return items.run(minval, maxval, shape=(items.size, *shape))


uniform_int_op.shape(shaped(dtype="minval"))
uniform_int_op.no_gradient()


@op("RandomShuffle", effect="draws", values="elements")
def shuffle_op(xp, value, *, seed=0, seed2=0):
    words = max(value.shape[0] - 1, 0) if value.ndim else 0
    stream = dtypes.from_numpy(value.dtype).name
    key, counter = random_state.reserve("RandomShuffle", stream, seed, seed2, (words + 3) // 4)
    return _shuffled(value, key, counter)


shuffle_op.shape(same_shape)
shuffle_op.no_gradient()


def _shuffled(value: np.ndarray, key: int, counter: int) -> np.ndarray:
    """``value`` with its rows in the order that the random numbers starting at ``counter`` give."""
    if not value.ndim or len(value) < 2:
        return value.copy()
    rows: np.ndarray = value[engine.permutation(key, counter, len(value))]
    return rows


# Ops that draw from a key and a counter


@op(
    "StatelessRandomGetKeyCounter",
    dtypes=BOUNDED_INTEGERS,
    outputs=("key", "counter"),
    values="elements",
)
def key_counter_op(xp, seed):
    return mixed_seeds(*_two_seeds(seed))


key_counter_op.shape(lambda: [Abstract([1], dtypes.uint64), Abstract([2], dtypes.uint64)])
key_counter_op.no_gradient()


def start_of(seed: np.ndarray) -> tuple[int, int]:
    """The key and the counter at which a stateless draw with ``seed`` starts.

    Raises:
        InvalidArgumentError: if the seed is not a vector of two numbers.
    """
    return engine.scramble(*_two_seeds(seed))


def _two_seeds(seed: np.ndarray) -> list[int]:
    if seed.shape != (2,):
        refuse(f"seed must have shape [2], not {list(seed.shape)}.")
    numbers: list[int] = seed.tolist()
    return numbers


def start_at(type_name: str, key: np.ndarray, counter: np.ndarray) -> tuple[int, int]:
    """The key and the counter as numbers, from two vectors of uint64.

    Raises:
        InvalidArgumentError: for other shapes.
    """
    if key.shape != (1,) or counter.ndim != 1 or counter.size < 2:
        refuse(
            f"{type_name} expects a key of shape [1] and a counter of shape [2], "
            f"not {list(key.shape)} and {list(counter.shape)}."
        )
    low, high, *_ = counter.tolist()
    return key.item(), low | high << 64


KEY_TYPES = {"key": {dtypes.uint64}, "counter": {dtypes.uint64}}


def _keyed(type_name: str, name: str, function: Draw, default: Any, allowed: tuple[Any, ...]) -> Op:
    """The op that draws from a key and a counter."""

    def kernel(xp, key, counter, *, shape, alg=1, dtype=default):
        return drawn(function, type_name, shape, dtype, *start_at(type_name, key, counter))

    kernel.__name__ = name
    convert = {
        "shape": shape_of,
        "alg": _algorithm_attribute,
        "dtype": dtype_attribute(type_name, allowed),
    }
    new_op: Op = op(type_name, dtypes=KEY_TYPES, convert=convert, values="elements")(kernel)
    new_op.shape(shaped(dtype="dtype"))
    return new_op.no_gradient()


stateless_normal_op = _keyed(
    "StatelessRandomNormalV2", "stateless_random_normal", engine.normal, dtypes.float32, FLOATS
)
stateless_truncated_normal_op = _keyed(
    "StatelessTruncatedNormalV2",
    "stateless_truncated_normal",
    engine.truncated_normal,
    dtypes.float32,
    FLOATS,
)
stateless_uniform_op = _keyed(
    "StatelessRandomUniformV2", "stateless_random_uniform", engine.uniform, dtypes.float32, FLOATS
)
stateless_full_int_op = _keyed(
    "StatelessRandomUniformFullIntV2",
    "stateless_random_uniform_full_int",
    engine.full_integers,
    dtypes.uint64,
    FULL_INTEGERS,
)


@op(
    "StatelessRandomUniformIntV2",
    dtypes={**KEY_TYPES, "T": BOUNDED_INTEGERS},
    convert={"shape": shape_of, "alg": _algorithm_attribute},
    values="errors",
)
def stateless_uniform_int_op(xp, key, counter, minval, maxval, *, shape, alg=1):
    name = "StatelessRandomUniformIntV2"
    return drawn_integers(name, shape, minval, maxval, lambda: start_at(name, key, counter))


stateless_uniform_int_op.shape(shaped(dtype="minval"))
stateless_uniform_int_op.no_gradient()


@op("StatelessShuffle", dtypes={**KEY_TYPES, "value": None}, convert={"alg": _algorithm_attribute})
def stateless_shuffle_op(xp, value, key, counter, *, alg=1):
    return _shuffled(value, *start_at("StatelessShuffle", key, counter))


stateless_shuffle_op.shape(same_shape)
stateless_shuffle_op.no_gradient()


# Public functions


def _draw_floats(op: Op, shape: Any, dtype: Any, seed: Any) -> Tensor:
    sizes = shape_of(shape)
    if dtype is not dtypes.float32:
        check_dtype(op.type, dtype, FLOATS)
    seed2 = random_state.op_seed_of(seed)
    return op.apply([], (sizes, dtype, None, seed2, index_type(shape)))


@public
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
        shape: the shape of the result, before ``mean`` and ``stddev`` are broadcast against it.
        mean, stddev: numbers or tensors of ``dtype``.
        dtype: a floating point dtype.
        seed: decides the numbers, together with ``tf.random.set_seed``'s. Each further draw differs.
        name: accepted and ignored.
    """
    dtype = dtypes.as_dtype(dtype)
    mean, stddev = moments(mean, stddev, dtype)
    return scaled(_draw_floats(standard_normal_op, shape, dtype, seed), mean, stddev)


@public
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

    Args:
        shape: the shape of the result.
        mean, stddev: of the normal distribution, of which what is more than two deviations from the mean is
            drawn again.
        dtype: a floating point dtype.
        seed: decides the numbers, together with ``tf.random.set_seed``'s. Each further draw differs.
    """
    dtype = dtypes.as_dtype(dtype)
    mean, stddev = moments(mean, stddev, dtype)
    return scaled(_draw_floats(truncated_normal_op, shape, dtype, seed), mean, stddev)


@public
def uniform(
    shape: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    seed: Any = None,
    name: str | None = None,
) -> Tensor:
    """Numbers evenly spread over [minval, maxval). For floating point dtypes it is differentiable in both.

    >>> import tapegrad as tf
    >>> x = tf.random.uniform([1000], 10, 13, dtype=tf.int32)      # 10, 11 and 12
    >>> int(tf.reduce_min(x)), int(tf.reduce_max(x))
    (10, 12)

    Args:
        shape: the shape of the result.
        minval: the lower bound, which is included.
        maxval: the upper bound, which is not included. It is 1 for floats, and must be given for integers.
        dtype: float16, bfloat16, float32, float64, int32 or int64.
        seed: decides the numbers, together with ``tf.random.set_seed``'s. Each further draw differs.
        name: accepted and ignored.
    """
    dtype = dtypes.as_dtype(dtype)
    if dtype is not dtypes.float32:
        if dtype in BOUNDED_INTEGERS:
            return _draw_integers(shape, minval, maxval, dtype, seed)
        if dtype not in FLOATS:
            _refuse_dtype(dtype, FLOATS + BOUNDED_INTEGERS)
    minval, maxval = bounds(minval, maxval, dtype)
    return spread(_draw_floats(uniform_op, shape, dtype, seed), minval, maxval)


def _draw_integers(shape: Any, minval: Any, maxval: Any, dtype: Any, seed: Any) -> Tensor:
    if maxval is None:
        raise ValueError(f"Must specify maxval for integer dtype {dtype!r}.")
    sizes = shape_of(shape)
    limits = [convert(minval, dtype), convert(maxval, dtype)]
    seed2 = random_state.op_seed_of(seed)
    return uniform_int_op.apply(limits, (sizes, None, seed2, index_type(shape)))


def _refuse_dtype(dtype: Any, allowed: tuple[Any, ...]) -> NoReturn:
    names = ", ".join(f"{allowed_dtype!r}" for allowed_dtype in allowed)
    raise ValueError(f"Argument `dtype` got invalid value {dtype!r}. Accepted dtypes are {names}.")


@public
def shuffle(value: Any, seed: Any = None, name: str | None = None) -> Tensor:
    """``value`` with its rows, the slices along the first axis, in a random order.

    The op has no gradient, as in TensorFlow. ``stateless_shuffle`` and ``tf.gather`` have one.

    >>> import tapegrad as tf
    >>> tf.sort(tf.random.shuffle(tf.range(4)))
    <tf.Tensor: shape=(4,), dtype=int32, numpy=array([0, 1, 2, 3], dtype=int32)>

    Args:
        value: a tensor, or a value that becomes one.
        seed: decides the order, together with ``tf.random.set_seed``'s. Each further call has another one.
    """
    return shuffle_op.apply([convert(value)], (None, random_state.op_seed_of(seed)))


def seed_tensor(seed: Any) -> EagerTensor:
    """The ``seed`` argument of a stateless draw as a tensor of integers.

    Raises:
        InvalidArgumentError: for another dtype than int32 and int64.
        ValueError: for numbers that int64 cannot hold.
    """
    if (
        type(seed) in (list, tuple)
        and len(seed) == 2
        and type(seed[0]) is type(seed[1]) is int
        and -(2**63) <= min(seed) <= max(seed) < 2**63
    ):
        return EagerTensor(np.array(seed, np.int64))
    tensor = convert(seed)
    if tensor.dtype not in BOUNDED_INTEGERS:
        refuse(f"A seed of int32 or int64 was expected; {tensor.dtype.name} came.")
    return tensor


def key_and_counter(seed: Any) -> list[EagerTensor]:
    """The key and the counter at which a stateless op with this ``seed`` of two integers starts to draw."""
    return list(key_counter_op.apply([seed_tensor(seed)], ()))


def _stateless(op: Op, shape: Any, seed: Any, dtype: Any, alg: Any) -> Any:
    _stateless_algorithm(alg)
    sizes = shape_of(shape)
    start = key_and_counter(seed)
    if dtype is not dtypes.float32:
        check_dtype(op.type, dtype, FLOATS)
    return op.apply(start, (sizes, 1, dtype))


@public
def stateless_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Numbers from a normal distribution, the same each time for the same ``seed`` of two integers.

    >>> import tapegrad as tf
    >>> tf.random.stateless_normal([2], seed=[1, 2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([0.5441101 , 0.20738031], dtype=float32)>

    Args:
        shape: the shape of the result.
        seed: two integers.
        mean, stddev: of the distribution.
        dtype: a floating point dtype.
        alg: the algorithm. On a CPU there is Philox, which ``"auto_select"`` takes.
    """
    dtype = dtypes.as_dtype(dtype)
    mean, stddev = moments(mean, stddev, dtype)
    standard = _stateless(stateless_normal_op, shape, seed, dtype, alg)
    return scaled(standard, mean, stddev)


@public
def stateless_truncated_normal(
    shape: Any,
    seed: Any,
    mean: Any = 0.0,
    stddev: Any = 1.0,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """``truncated_normal``, the same each time for the same ``seed`` of two integers.

    Args:
        shape: the shape of the result.
        seed: two integers.
        mean, stddev: of the normal distribution, of which what is more than two deviations from the mean is
            drawn again.
        dtype: a floating point dtype.
        alg: "auto_select" or "philox", which is what is taken.
    """
    dtype = dtypes.as_dtype(dtype)
    mean, stddev = moments(mean, stddev, dtype)
    standard = _stateless(stateless_truncated_normal_op, shape, seed, dtype, alg)
    return scaled(standard, mean, stddev)


@public
def stateless_uniform(
    shape: Any,
    seed: Any,
    minval: Any = 0,
    maxval: Any = None,
    dtype: Any = dtypes.float32,
    name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Numbers from [minval, maxval), the same each time for the same ``seed`` of two integers.

    For integer dtypes both bounds may be None. The numbers then have the dtype's whole range.

    >>> import tapegrad as tf
    >>> tf.random.stateless_uniform([3], seed=[1, 2], maxval=5, dtype=tf.int32)
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([0, 4, 4], dtype=int32)>

    Args:
        shape: the shape of the result.
        seed: two integers.
        minval, maxval: the range, without its upper end. ``maxval`` is 1 if left out, which integers do not
            allow.
        dtype: a dtype of numbers.
        alg: the algorithm. On a CPU there is Philox, which ``"auto_select"`` takes.
    """
    dtype = dtypes.as_dtype(dtype)
    if dtype not in FLOATS + FULL_INTEGERS:
        _refuse_dtype(dtype, FLOATS + FULL_INTEGERS)
    if not dtype.is_integer:
        minval, maxval = bounds(minval, maxval, dtype)
        standard = _stateless(stateless_uniform_op, shape, seed, dtype, alg)
        return spread(standard, minval, maxval)
    check_both_bounds(minval, maxval, dtype)
    _stateless_algorithm(alg)
    if minval is not None and dtype not in BOUNDED_INTEGERS:
        raise ValueError(
            f"Argument `dtype` got {dtype!r}, which is drawn over its whole range only: "
            "pass minval=None and maxval=None, or draw tf.int32 or tf.int64 and cast."
        )
    sizes = shape_of(shape)
    start = key_and_counter(seed)
    if minval is None:
        return stateless_full_int_op.apply(start, (sizes, 1, dtype))
    limits = [convert(minval, dtype), convert(maxval, dtype)]
    return stateless_uniform_int_op.apply(start + limits, (sizes, 1))


def check_both_bounds(minval: Any, maxval: Any, dtype: Any) -> None:
    """Raise ValueError unless an integer draw has both bounds or neither."""
    if (minval is None) != (maxval is None):
        raise ValueError(
            f"For integer dtype {dtype!r}, minval and maxval must be both None or both not None; "
            f"got minval={minval} and maxval={maxval}."
        )


@public
def split(seed: Any, num: Any = 2, alg: Any = "auto_select") -> Tensor:
    """``num`` new seeds made from one, as the rows of a matrix.

    >>> import tapegrad as tf
    >>> a, b = tf.random.split([1, 2])
    >>> a
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1105988140, 1738052849], dtype=int32)>

    Args:
        seed: two integers, whose dtype the new seeds have.
        num: how many new seeds.
        alg: "auto_select" or "philox", which is what is taken.
    """
    seed = convert(seed)
    return stateless_uniform([num, 2], seed, None, None, seed.dtype, alg=alg)


@public
def fold_in(seed: Any, data: Any, alg: Any = "auto_select") -> Tensor:
    """A new seed made from ``seed`` and an integer, such as a step number.

    >>> import tapegrad as tf
    >>> tf.random.fold_in([1, 2], 3)
    <tf.Tensor: shape=(2,), dtype=int32, numpy=array([1105988140,          3], dtype=int32)>

    Args:
        seed: two integers.
        data: an integer. Its dtype is that of the new seed.
        alg: "auto_select" or "philox", which is what is taken.
    """
    data = convert(data)
    first = stateless_uniform([], seed, None, None, data.dtype, alg=alg)
    if data._shape_tuple():
        refuse(f"`data` must be a scalar integer, got shape {list(data._shape_tuple())}.")
    return stack([first, data])


@public
def stateless_shuffle(
    value: Any, seed: Any, alg: Any = "auto_select", name: str | None = None
) -> Tensor:
    """``value`` with its rows in an order that depends on ``seed``, two integers, alone.

    Differs from TensorFlow: there is a gradient. TensorFlow's op has none and raises LookupError.

    >>> import tapegrad as tf
    >>> tf.random.experimental.stateless_shuffle([10, 20, 30], seed=[3, 4])
    <tf.Tensor: shape=(3,), dtype=int32, numpy=array([20, 30, 10], dtype=int32)>

    Args:
        value: a tensor, or a value that becomes one.
        seed: two integers.
        alg: "auto_select" or "philox", which is what is taken.
    """
    _stateless_algorithm(alg)
    value = value if isinstance(value, Tensor) else convert(value)
    start = key_and_counter(seed)
    shape = value._shape_tuple()
    if not shape or (type(shape[0]) is int and shape[0] < 2):  # an open size decides nothing
        return value
    # The indices of the rows are shuffled and the rows then gathered, which has a gradient.
    order = stateless_shuffle_op.apply([range_of(shape[0], dtype=dtypes.int64), *start], (1,))
    return gather(value, order)
