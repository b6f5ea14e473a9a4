"""``tf.random.Generator``: random numbers from a state of its own, kept in a variable.

The state is a 128-bit counter and a 64-bit key. A draw of n numbers starts at the counter and moves it on by
256 n, which is TensorFlow's step too, so both continue alike from the same state. The ops of a generator have
that variable as an attribute, and the effect "writes resource".
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import EagerTensor, Op, Operand, Tensor, convert, public, static_value
from tapegrad.engines.numpy import random as engine
from tapegrad.errors import refuse
from tapegrad.framework import random_state
from tapegrad.framework.bases import AutoTrackable
from tapegrad.framework.casting import cast_array
from tapegrad.framework.handle import variable_of
from tapegrad.framework.variable import Variable
from tapegrad.ops.args import static_int
from tapegrad.ops.op import op
from tapegrad.ops.random import distributions, draws
from tapegrad.ops.random.draws import Algorithm, algorithm_of
from tapegrad.ops.shape import casts, creation, joining
from tapegrad.ops.shape_rules import Abstract, shaped

PUBLIC = {
    "random random.experimental compat.v1.random": (
        "create_rng_state Generator get_global_generator set_global_generator"
    ),
}


# The number of 64-bit integers in the state of an algorithm: counter and key.
STATE_SIZES = {Algorithm.PHILOX: 3, Algorithm.THREEFRY: 2}

_WORD = (1 << 64) - 1
_PHILOX = Algorithm.PHILOX.value


def _signed(word: int) -> int:
    word &= _WORD
    return word - (1 << 64) if word >> 63 else word


def _state_algorithm(alg: Any) -> Algorithm:
    algorithm = algorithm_of(alg)
    return Algorithm.PHILOX if algorithm is Algorithm.AUTO_SELECT else algorithm


@public
def create_rng_state(seed: Any, alg: Any) -> EagerTensor:
    """The state of a ``Generator`` made from ``seed``.

    A Python integer fills the state from its lowest bits up, in two's complement. A vector of integers fills
    it from the end, with zeros before it.

    >>> import tapegrad as tf
    >>> tf.random.create_rng_state(-1, "philox").numpy().tolist()
    [-1, -1, -1]
    >>> tf.random.create_rng_state([1, 2], "philox").numpy().tolist()
    [0, 1, 2]

    Args:
        seed: an integer, or a vector of integers.
        alg: "philox", "threefry" or "auto_select", or a `tf.random.Algorithm`: it says how long the state is.
    """
    size = STATE_SIZES[_state_algorithm(alg)]
    if type(seed) is int:
        words = [_signed(seed >> 64 * place) for place in range(size)]
    else:
        words = _int64_vector(seed)[:size]
        words = [0] * (size - len(words)) + words
    return EagerTensor(np.array(words, np.int64))


def _int64_vector(value: Any) -> list[int]:
    """The elements of a tensor as 64-bit integers. Fractions are cut off; unsigned ones keep their bits."""
    tensor = convert(value)
    if tensor.dtype is dtypes.string or tensor.dtype is dtypes.bool:
        refuse(
            f"Cast {tensor.dtype.name} to int64 is not supported: a seed is an integer.",
            error=errors.UnimplementedError,
        )
    words = static_value(tensor, "state of a generator").reshape(-1)
    return [int(word) for word in cast_array(words, dtypes.int64).tolist()]


# Ops


def _advance(
    resource: Variable, algorithm: int, count: int, keys_of_replicas: bool = True
) -> tuple[int, int]:
    """Key and counter for ``count`` numbers. The state in the variable moves on past them.

    Each replica of a strategy has a key of its own, so that its numbers are others, if ``keys_of_replicas``.
    """
    if algorithm != _PHILOX:
        refuse(
            "The ThreeFry algorithm is not available on a CPU: make the generator with 'philox'.",
            error=errors.UnimplementedError,
        )
    copies = _copies_of(resource)
    low, high, key = copies[0]._snapshot._array.tolist()
    counter = (low & _WORD) | (high & _WORD) << 64
    after = counter + count * engine.COUNTERS_PER_ELEMENT
    for copy in copies:
        copy._assign_array(np.array([_signed(after), _signed(after >> 64), key], np.int64))
    replica = random_state.replica_of(resource)
    if replica is not None and keys_of_replicas:
        drawn = draws.drawn(
            engine.full_integers,
            "StatefulUniformFullInt",
            (1,),
            dtypes.uint64,
            key & _WORD,
            replica,
        )
        key = int(drawn[0])
    return key & _WORD, counter


def _copies_of(resource: Variable) -> tuple[Variable, ...]:
    """The variables that hold the state: of replicated ones the running replica's, or all."""
    copies: tuple[Variable, ...] = getattr(resource, "_copies", (resource,))
    number = resource._number() if len(copies) > 1 else None  # type: ignore[attr-defined]
    return copies if number is None else (copies[number],)


_STATE = {
    "resource": lambda resource: variable_of("A random op", resource),
    "algorithm": static_int,
    "shape": draws.shape_of,
}


def _drawing(
    type_name: str, name: str, function: draws.Draw, default: Any, allowed: tuple[Any, ...]
) -> Op:
    """The op that draws from the state in a variable."""

    def kernel(xp, *, resource, algorithm, shape, dtype=default):
        start = _advance(resource, algorithm, math.prod(shape))
        return draws.drawn(function, type_name, shape, dtype, *start)

    kernel.__name__ = name
    convert = {**_STATE, "dtype": draws.dtype_attribute(type_name, allowed)}
    new_op: Op = op(type_name, convert=convert, effect="writes resource")(kernel)
    new_op.shape(shaped(dtype="dtype"))
    new_op.batching(draws.drawn_once_before)
    return new_op.no_gradient()


_FLOAT = (dtypes.float32, draws.FLOATS)
_FULL = (dtypes.uint64, draws.FULL_INTEGERS)
normal_op = _drawing("StatefulStandardNormalV2", "stateful_standard_normal", engine.normal, *_FLOAT)
truncated_normal_op = _drawing(
    "StatefulTruncatedNormal", "stateful_truncated_normal", engine.truncated_normal, *_FLOAT
)
uniform_op = _drawing("StatefulUniform", "stateful_uniform", engine.uniform, *_FLOAT)
full_int_op = _drawing(
    "StatefulUniformFullInt", "stateful_uniform_full_int", engine.full_integers, *_FULL
)


@op(
    "StatefulUniformInt",
    dtypes=draws.BOUNDED_INTEGERS,
    convert=_STATE,
    effect="writes resource",
)
def uniform_int_op(xp, minval, maxval, *, resource, algorithm, shape):
    def start() -> tuple[int, int]:
        return _advance(resource, algorithm, math.prod(shape))

    return draws.drawn_integers("StatefulUniformInt", shape, minval, maxval, start)


uniform_int_op.shape(shaped(dtype="minval"))
uniform_int_op.batching(draws.drawn_once_before)
uniform_int_op.no_gradient()


@op(
    "StatefulRandomBinomial",
    dtypes=distributions.GAMMA_TYPES,
    convert={**_STATE, "dtype": dtypes.as_dtype},
    effect="writes resource",
)
def binomial_op(xp, counts, probs, *, resource, algorithm, shape, dtype=dtypes.int64):
    def start(count: int) -> tuple[int, int]:
        # TensorFlow's replicas all draw the same numbers here.
        return _advance(resource, algorithm, count, keys_of_replicas=False)

    return distributions.binomials(shape, counts, probs, dtype, start)


binomial_op.shape(shaped(dtype="dtype"))
binomial_op.batching(draws.drawn_once_before)
binomial_op.no_gradient()


@op(
    "RngReadAndSkip",
    dtypes=frozenset({dtypes.int64, dtypes.uint64}),
    convert={"resource": _STATE["resource"], "alg": static_int},
    effect="writes resource",
)
def read_and_skip(xp, delta, *, resource, alg):
    """The state as it was. Then the state moves on as drawing ``delta`` numbers would move it."""
    before = resource._snapshot._array.copy()
    _advance(resource, alg, int(delta))
    return before


read_and_skip.shape(lambda resource: Abstract(resource._snapshot._shape_tuple(), resource.dtype))
read_and_skip.batching(draws.drawn_once_before)
read_and_skip.no_gradient()


# Generators


class Generator(AutoTrackable):
    """A source of random numbers with a state of its own.

    >>> import tapegrad as tf
    >>> g = tf.random.Generator.from_seed(1)
    >>> g.normal([2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([ 0.43842274, -0.53439844], dtype=float32)>
    >>> g.state.numpy().tolist()          # 256 further for each of the two numbers
    [513, 0, 0]

    Make one with ``from_seed``, ``from_state``, ``from_key_counter`` or ``from_non_deterministic_state``. The
    numbers for a seed or a state are TensorFlow's.

    Args:
        copy_from: a generator to copy. Then no other argument may be given.
        state: a vector of 64-bit integers, counter and key. For Philox there are three.
        alg: "philox", the only algorithm that draws on a CPU.
    """

    def __init__(
        self, copy_from: Generator | None = None, state: Any = None, alg: Any = None
    ) -> None:
        if copy_from is not None:
            if state is not None or alg is not None:
                raise AssertionError("Generator: give `copy_from`, or `state` and `alg`, not both.")
            self._number: int = copy_from._number
            self._algorithm: Algorithm = copy_from._algorithm
            words = static_value(copy_from.state.value(), "state of a generator").tolist()
        else:
            if state is None or alg is None:
                raise AssertionError(
                    "Generator: give `state` and `alg`, or make one with Generator.from_seed(seed)."
                )
            self._number = algorithm_of(alg).value
            self._algorithm = _state_algorithm(alg)
            words = self._checked_state(state)
        self._state_var = Variable(np.array(words, np.int64), trainable=False, name="StateVar")
        self._attributes = (self._state_var, self._algorithm.value)  # of the ops that draw
        random_state.register_generator(self)

    def __repr__(self) -> str:
        words = static_value(self._state_var._snapshot, "repr").tolist()
        return f"<tf.random.Generator {self._algorithm.name.lower()}, state {words}>"

    def _checked_state(self, state: Any) -> list[int]:
        size = STATE_SIZES[self._algorithm]
        shape = (
            np.shape(state) if not isinstance(state, (Operand, Variable)) else state._shape_tuple()
        )
        if shape != (size,):
            raise ValueError(
                f"The state of a {self._algorithm.name} generator has the shape ({size},); "
                f"one of shape {tuple(shape)} came."
            )
        return _int64_vector(state)

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """A generator that starts at ``state``: counter and key as a vector of 64-bit integers."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator whose state is made from ``seed``: see `create_rng_state`."""
        alg = Algorithm.PHILOX if alg is None else algorithm_of(alg)
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator whose state comes from the system's entropy, and differs each time."""
        alg = Algorithm.PHILOX if alg is None else algorithm_of(alg)
        words = random_state.non_deterministic_integers(STATE_SIZES[_state_algorithm(alg)])
        return cls(state=words, alg=alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """A generator that starts at ``counter``, two 64-bit integers for Philox, under ``key``."""
        return cls(state=_key_counter_state(key, counter, _state_algorithm(alg)), alg=alg)

    @property
    def state(self) -> Variable:
        """The variable that holds the counter and the key."""
        return self._state_var

    @property
    def algorithm(self) -> int:
        """The number of the algorithm: 1 is Philox."""
        return self._number

    @property
    def key(self) -> Tensor:
        """The key, the last number of the state."""
        return self._state_var[-1]

    _alg = algorithm

    def _get_state(self) -> list[int]:
        words: list[int] = static_value(self._state_var._snapshot, "state of a generator").tolist()
        return words

    def _set_state(self, words: list[int]) -> None:
        self._state_var.assign(np.array(words, np.int64), read_value=False)

    def reset(self, state: Any) -> None:
        """Set the state to ``state``."""
        self._set_state(self._checked_state(state))

    def reset_from_seed(self, seed: Any) -> None:
        """Set the state to the state of a generator made by ``from_seed``."""
        self._state_var.assign(create_rng_state(seed, self._algorithm), read_value=False)

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Set the state to ``counter`` and ``key``."""
        self._set_state(_key_counter_state(key, counter, self._algorithm))

    def skip(self, delta: Any) -> EagerTensor:
        """Move the state on as drawing ``delta`` numbers would; return the state before."""
        if type(delta) is not int:
            tensor = convert(delta)
            if tensor._shape_tuple():
                refuse(f"`delta` must be a scalar, not of shape {list(tensor._shape_tuple())}.")
            delta = casts.cast(tensor, dtypes.int64)
        else:
            delta = EagerTensor(np.array(_signed(delta), np.int64))
        before: EagerTensor = read_and_skip.apply([delta], self._attributes)
        return before

    def _draw(self, op: Op, allowed: tuple[Any, ...], named: str, shape: Any, dtype: Any) -> Tensor:
        """The result of ``op``. ``named`` is the op that TensorFlow's messages name."""
        sizes = draws.shape_of(shape)
        draws.check_dtype(named, dtype, allowed)
        return op.apply([], (*self._attributes, sizes, dtype))

    def normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers from a normal distribution, differentiable in ``mean`` and ``stddev``."""
        dtype = dtypes.as_dtype(dtype)
        mean, stddev = draws.moments(mean, stddev, dtype)
        standard = self._draw(normal_op, draws.FLOATS, "StatelessRandomNormalV2", shape, dtype)
        return draws.scaled(standard, mean, stddev)

    def truncated_normal(
        self,
        shape: Any,
        mean: Any = 0.0,
        stddev: Any = 1.0,
        dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers from a normal distribution, none further than two ``stddev`` from ``mean``."""
        dtype = dtypes.as_dtype(dtype)
        mean, stddev = draws.moments(mean, stddev, dtype)
        standard = self._draw(
            truncated_normal_op, draws.FLOATS, "StatelessTruncatedNormalV2", shape, dtype
        )
        return draws.scaled(standard, mean, stddev)

    def uniform(
        self,
        shape: Any,
        minval: Any = 0,
        maxval: Any = None,
        dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers from [minval, maxval). Integers have the dtype's whole range if both bounds are None."""
        dtype = dtypes.as_dtype(dtype)
        if not dtype.is_integer:
            if dtype not in draws.FLOATS:
                draws.check_dtype("StatelessRandomUniformV2", dtype, draws.FLOATS)
            minval, maxval = draws.bounds(minval, maxval, dtype)
            standard = self._draw(
                uniform_op, draws.FLOATS, "StatelessRandomUniformV2", shape, dtype
            )
            return draws.spread(standard, minval, maxval)
        draws.check_both_bounds(minval, maxval, dtype)
        if minval is None:
            return self.uniform_full_int(shape, dtype)
        draws.check_dtype("StatelessRandomUniformIntV2", dtype, draws.BOUNDED_INTEGERS)
        sizes = draws.shape_of(shape)
        limits = [convert(minval, dtype), convert(maxval, dtype)]
        return uniform_int_op.apply(limits, (*self._attributes, sizes))

    def uniform_full_int(
        self, shape: Any, dtype: Any = dtypes.uint64, name: str | None = None
    ) -> Tensor:
        """Integers over the whole range of ``dtype``: int32, int64, uint32 or uint64."""
        dtype = dtypes.as_dtype(dtype)
        return self._draw(
            full_int_op, draws.FULL_INTEGERS, "StatelessRandomUniformFullIntV2", shape, dtype
        )

    def binomial(
        self,
        shape: Any,
        counts: Any,
        probs: Any,
        dtype: Any = dtypes.int32,
        name: str | None = None,
    ) -> Tensor:
        """How many of ``counts`` trials succeed, each with probability ``probs``."""
        sizes, counts, probs, dtype = distributions.binomial_parameters(
            "StatefulRandomBinomial", shape, counts, probs, dtype
        )
        return binomial_op.apply([counts, probs], (*self._attributes, sizes, dtype))

    def make_seeds(self, count: int = 1) -> EagerTensor:
        """Seeds for ``count`` stateless draws, as the columns of a matrix with two rows."""
        keys = self.uniform_full_int([count], dtypes.int64)
        seeds: Any = joining.stack([keys, creation.zeros_like(keys)])
        return seeds

    def split(self, count: int = 1) -> list[Generator]:
        """``count`` new generators, whose numbers are independent of one another's and of this one's.

        >>> import tapegrad as tf
        >>> [int(g.key) for g in tf.random.Generator.from_seed(1).split(2)]
        [6679402142117448868, 684265014234019051]
        """
        drawn = self.uniform_full_int([count], dtypes.int64)
        keys = static_value(drawn, "keys of generators").tolist()
        counter = [0] * (STATE_SIZES[self._algorithm] - 1)
        return [Generator(state=[*counter, key], alg=self._algorithm) for key in keys]

    def __copy__(self) -> Generator:
        return Generator(copy_from=self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Generator:
        copied = Generator(copy_from=self)
        memo[id(self)] = copied
        return copied

    def __reduce__(self) -> tuple[Any, ...]:
        return Generator, (None, self._get_state(), Algorithm(self._number))


def _key_counter_state(key: Any, counter: Any, algorithm: Algorithm) -> list[int]:
    size = STATE_SIZES[algorithm] - 1
    key, counter = convert(key), convert(counter)
    if key._shape_tuple() != () or counter._shape_tuple() != (size,):
        raise ValueError(
            f"A {algorithm.name} generator has a scalar key and a counter of shape ({size},); "
            f"a key of shape {key._shape_tuple()} and a counter of shape {counter._shape_tuple()} "
            "came."
        )
    return [*_int64_vector(counter), *_int64_vector(key)]


_global_generator: Generator | None = None


@public
def get_global_generator() -> Generator:
    """The generator that all code may share, made from the system's entropy at the first call."""
    global _global_generator
    if _global_generator is None:
        _global_generator = Generator.from_non_deterministic_state()
    return _global_generator


@public
def set_global_generator(generator: Generator) -> None:
    """From now on ``get_global_generator`` returns ``generator``.

    >>> import tapegrad as tf
    >>> tf.random.set_global_generator(tf.random.Generator.from_seed(1))
    >>> tf.random.get_global_generator().state.numpy().tolist()
    [1, 0, 0]

    Args:
        generator: a `tf.random.Generator`.
    """
    global _global_generator
    _global_generator = generator
