"""``tf.random.Generator``: random numbers from a state of one's own, kept in a variable.

The state is a 128-bit counter and a 64-bit key. A draw of n numbers starts at the counter and moves it on by
256 n, which is TensorFlow's step too, so both continue alike from the same state.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import EagerTensor, Operand, Tensor, convert
from tapegrad.engines.numpy import random as engine
from tapegrad.framework import random_state
from tapegrad.framework.casting import cast_array
from tapegrad.framework.variable import Variable
from tapegrad.ops import random
from tapegrad.ops.distributions import binomials
from tapegrad.ops.random import Algorithm, algorithm_of

__all__ = ["Generator", "create_rng_state", "get_global_generator", "set_global_generator"]

PUBLIC = {
    "random random.experimental compat.v1.random": (
        "create_rng_state Generator get_global_generator set_global_generator"
    ),
}


# How many 64-bit integers the state of an algorithm has: counter and key.
STATE_SIZES = {Algorithm.PHILOX: 3, Algorithm.THREEFRY: 2}

_WORD = (1 << 64) - 1


def _signed(word: int) -> int:
    word &= _WORD
    return word - (1 << 64) if word >> 63 else word


def _state_algorithm(alg: Any) -> Algorithm:
    algorithm = algorithm_of(alg)
    return Algorithm.PHILOX if algorithm is Algorithm.AUTO_SELECT else algorithm


def create_rng_state(seed: Any, alg: Any) -> EagerTensor:
    """The state that a ``Generator`` made from ``seed`` has.

    A Python integer fills the state from its lowest bits up, in two's complement; a vector of integers fills
    it from the end, zeros before it.

    >>> import tapegrad as tf
    >>> tf.random.create_rng_state(-1, "philox").numpy().tolist()
    [-1, -1, -1]
    >>> tf.random.create_rng_state([1, 2], "philox").numpy().tolist()
    [0, 1, 2]
    """
    size = STATE_SIZES[_state_algorithm(alg)]
    if type(seed) is int:
        words = [_signed(seed >> 64 * place) for place in range(size)]
    else:
        words = _int64_vector(seed)[:size]
        words = [0] * (size - len(words)) + words
    return EagerTensor(np.array(words, np.int64))


def _int64_vector(value: Any) -> list[int]:
    """The elements of a tensor as 64-bit integers: fractions cut off, unsigned ones by their bits."""
    tensor = convert(value)
    if tensor.dtype is dtypes.string or tensor.dtype is dtypes.bool:
        raise errors.UnimplementedError(
            None, None, f"Cast {tensor.dtype.name} to int64 is not supported: a seed is an integer."
        )
    return [int(word) for word in cast_array(tensor._array.reshape(-1), dtypes.int64).tolist()]


class Generator:
    """A source of random numbers with a state of its own.

    >>> import tapegrad as tf
    >>> g = tf.random.Generator.from_seed(1)
    >>> g.normal([2])
    <tf.Tensor: shape=(2,), dtype=float32, numpy=array([ 0.43842274, -0.53439844], dtype=float32)>
    >>> g.state.numpy().tolist()          # 256 further for each of the two numbers
    [513, 0, 0]

    Make one with ``from_seed``, ``from_state``, ``from_key_counter`` or ``from_non_deterministic_state``; the
    numbers for a seed or a state are TensorFlow's.

    Args:
        copy_from: a generator to copy; then nothing else is given.
        state: a vector of 64-bit integers: counter and key, three of them for Philox.
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
            words = copy_from.state.numpy().tolist()
        else:
            if state is None or alg is None:
                raise AssertionError(
                    "Generator: give `state` and `alg`, or make one with Generator.from_seed(seed)."
                )
            self._number = algorithm_of(alg).value
            self._algorithm = _state_algorithm(alg)
            words = self._checked_state(state)
        self._state_var = Variable(np.array(words, np.int64), trainable=False, name="StateVar")
        random_state.register_generator(self)

    def _checked_state(self, state: Any) -> list[int]:
        size = STATE_SIZES[self._algorithm]
        shape = (
            np.shape(state) if not isinstance(state, (Operand, Variable)) else state._shape_tuple()
        )
        if shape != (size,):
            raise ValueError(
                f"The state of a {self._algorithm.name} generator has the shape ({size},); one of shape "
                f"{tuple(shape)} came."
            )
        return _int64_vector(state)

    @classmethod
    def from_state(cls, state: Any, alg: Any) -> Generator:
        """A generator that starts at ``state``: counter and key as a vector of 64-bit integers."""
        return cls(state=state, alg=alg)

    @classmethod
    def from_seed(cls, seed: Any, alg: Any = None) -> Generator:
        """A generator whose state is made from ``seed``; see `create_rng_state`."""
        alg = Algorithm.PHILOX if alg is None else algorithm_of(alg)
        return cls(state=create_rng_state(seed, alg), alg=alg)

    @classmethod
    def from_non_deterministic_state(cls, alg: Any = None) -> Generator:
        """A generator whose state comes from the system's entropy: another one each time."""
        alg = Algorithm.PHILOX if alg is None else algorithm_of(alg)
        words = random_state.non_deterministic_integers(STATE_SIZES[_state_algorithm(alg)])
        return cls(state=words, alg=alg)

    @classmethod
    def from_key_counter(cls, key: Any, counter: Any, alg: Any) -> Generator:
        """A generator that starts at ``counter``, two 64-bit integers for Philox, under ``key``."""
        return cls(state=_key_counter_state(key, counter, _state_algorithm(alg)), alg=alg)

    @property
    def state(self) -> Variable:
        """The variable that holds counter and key."""
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
        words: list[int] = self._state_var._value._array.tolist()
        return words

    def _set_state(self, words: list[int]) -> None:
        self._state_var._assign_array(np.array(words, np.int64))

    def reset(self, state: Any) -> None:
        """Start again at ``state``."""
        self._set_state(self._checked_state(state))

    def reset_from_seed(self, seed: Any) -> None:
        """Start again as a generator ``from_seed`` does."""
        self._set_state(create_rng_state(seed, self._algorithm)._array.tolist())

    def reset_from_key_counter(self, key: Any, counter: Any) -> None:
        """Start again at ``counter`` under ``key``."""
        self._set_state(_key_counter_state(key, counter, self._algorithm))

    def _take(self, count: int) -> tuple[int, int]:
        """Key and counter for ``count`` numbers; the state moves on behind them."""
        if self._algorithm is not Algorithm.PHILOX:
            raise errors.UnimplementedError(
                None,
                None,
                "The ThreeFry algorithm is not available on a CPU: make the generator with 'philox'.",
            )
        low, high, key = self._get_state()
        counter = (low & _WORD) | (high & _WORD) << 64
        after = counter + count * engine.COUNTERS_PER_ELEMENT
        self._set_state([_signed(after), _signed(after >> 64), key])
        return key & _WORD, counter

    def skip(self, delta: Any) -> EagerTensor:
        """Move the state on as drawing ``delta`` numbers does; gives the state before."""
        before = self._state_var.value()
        if type(delta) is not int:
            tensor = convert(delta)
            if tensor._shape_tuple():
                raise errors.InvalidArgumentError(
                    None,
                    None,
                    f"`delta` must be a scalar, not of shape {list(tensor._shape_tuple())}.",
                )
            delta = int(tensor._array)
        self._take(delta)
        return before

    def _draw(self, function: random.Draw, type_name: str, shape: Any, dtype: Any) -> Tensor:
        sizes = random.shape_of(shape)
        random.check_dtype(type_name, dtype, random.FLOATS)
        return random.draw(function, type_name, sizes, dtype, *self._take(random.size_of(sizes)))

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
        mean, stddev = random.moments(mean, stddev, dtype)
        standard = self._draw(engine.normal, "StatelessRandomNormalV2", shape, dtype)
        return random.scaled(standard, mean, stddev)

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
        mean, stddev = random.moments(mean, stddev, dtype)
        standard = self._draw(engine.truncated_normal, "StatelessTruncatedNormalV2", shape, dtype)
        return random.scaled(standard, mean, stddev)

    def uniform(
        self,
        shape: Any,
        minval: Any = 0,
        maxval: Any = None,
        dtype: Any = dtypes.float32,
        name: str | None = None,
    ) -> Tensor:
        """Numbers from [minval, maxval); integers over the dtype's whole range where both are None."""
        dtype = dtypes.as_dtype(dtype)
        if not dtype.is_integer:
            if dtype not in random.FLOATS:
                random.check_dtype("StatelessRandomUniformV2", dtype, random.FLOATS)
            minval, maxval = random.bounds(minval, maxval, dtype)
            standard = self._draw(engine.uniform, "StatelessRandomUniformV2", shape, dtype)
            return random.spread(standard, minval, maxval)
        random.check_both_bounds(minval, maxval, dtype)
        if minval is None:
            return self.uniform_full_int(shape, dtype)
        type_name = "StatelessRandomUniformIntV2"
        random.check_dtype(type_name, dtype, random.BOUNDED_INTEGERS)
        sizes = random.shape_of(shape)
        limits = random.integer_bounds(type_name, minval, maxval, dtype, sizes)
        return random.draw_integers(
            type_name, sizes, dtype, limits, *self._take(random.size_of(sizes))
        )

    def uniform_full_int(
        self, shape: Any, dtype: Any = dtypes.uint64, name: str | None = None
    ) -> Tensor:
        """Integers over the whole range of ``dtype``: int32, int64, uint32 or uint64."""
        dtype = dtypes.as_dtype(dtype)
        type_name = "StatelessRandomUniformFullIntV2"
        sizes = random.shape_of(shape)
        random.check_dtype(type_name, dtype, random.FULL_INTEGERS)
        return random.draw(
            engine.full_integers, type_name, sizes, dtype, *self._take(random.size_of(sizes))
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
        return binomials("StatefulRandomBinomial", shape, counts, probs, dtype, self._take)

    def make_seeds(self, count: int = 1) -> EagerTensor:
        """Seeds for ``count`` stateless draws, as the columns of a matrix with two rows."""
        keys = self.uniform_full_int([count], dtypes.int64)._array
        return EagerTensor(np.stack([keys, np.zeros_like(keys)]))

    def split(self, count: int = 1) -> list[Generator]:
        """``count`` new generators, whose numbers have nothing to do with one another's nor with this one's.

        >>> import tapegrad as tf
        >>> [int(g.key) for g in tf.random.Generator.from_seed(1).split(2)]
        [6679402142117448868, 684265014234019051]
        """
        keys = self.uniform_full_int([count], dtypes.int64)._array.tolist()
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
            f"A {algorithm.name} generator has a scalar key and a counter of shape ({size},); a key of shape "
            f"{key._shape_tuple()} and a counter of shape {counter._shape_tuple()} came."
        )
    return [*_int64_vector(counter), *_int64_vector(key)]


_global_generator: Generator | None = None


def get_global_generator() -> Generator:
    """The generator that everybody may use, made from the system's entropy when first asked for."""
    global _global_generator
    if _global_generator is None:
        _global_generator = Generator.from_non_deterministic_state()
    return _global_generator


def set_global_generator(generator: Generator) -> None:
    """Let ``get_global_generator`` give ``generator`` from now on.

    >>> import tapegrad as tf
    >>> tf.random.set_global_generator(tf.random.Generator.from_seed(1))
    >>> tf.random.get_global_generator().state.numpy().tolist()
    [1, 0, 0]
    """
    global _global_generator
    _global_generator = generator
