"""Random bits from a key and a counter, and the numbers made of them. Nothing is remembered between calls.

Philox 4x32-10 turns a 64-bit key and a 128-bit counter into four 32-bit words. A *stream* is the words of
consecutive counters. The numbers depend only on the key, the counter and the dtype, and equal TensorFlow's on
a CPU, bit for bit. The callers choose seeds and shapes and advance the counter; `draws.pyx` has the loops.
"""

from __future__ import annotations

import math
import sys
from typing import Any

import numpy as np

from tapegrad.engines.numpy import draws
from tapegrad.engines.numpy.buffers import empty

Array = np.ndarray[Any, Any]
Shape = int | tuple[int, ...]

_WORD = (1 << 64) - 1

# A stateful draw of any kind moves the counter by this for each element. The streams of the groups of
# truncated normals lie as far apart, which leaves room for the candidates that they reject.
COUNTERS_PER_ELEMENT = 256

SINGLE = np.dtype(np.float32)


def count_of(shape: Shape) -> int:
    return math.prod(shape) if isinstance(shape, tuple) else shape


def bits32(key: int, counter: int, count: int) -> Array:
    """``count`` words of the stream that starts at ``counter``."""
    out = empty(count, np.uint32)
    draws.fill_words(out, key, counter & _WORD, counter >> 64 & _WORD)
    return out


def bits64(key: int, counter: int, count: int) -> Array:
    """``count`` pairs of words as one integer each, the earlier word its lower half."""
    words = bits32(key, counter, 2 * count)
    if sys.byteorder == "little":
        return words.view(np.uint64)
    pairs: Array = words[0::2] | words[1::2].astype(np.uint64) << np.uint64(32)
    return pairs


def uniform(key: int, counter: int, shape: Shape, dtype: np.dtype[Any]) -> Array:
    """Numbers in [0, 1): as many random bits as the dtype's fraction has, none rounded."""
    if dtype.itemsize == 2:
        return _uniform16(bits32(key, counter, count_of(shape)), dtype).reshape(shape)
    return draws.uniform(key, counter, shape, dtype)


def _uniform16(words: Array, dtype: np.dtype[Any]) -> Array:
    # With the exponent of 1, random bits of the fraction make a number in [1, 2); less 1 it is in [0, 1).
    if dtype == np.float16:
        return (words & 0x3FF | 0x3C00).astype(np.uint16).view(np.float16) - np.float16(1)
    # bfloat16 is the upper half of a float32, and one less than it is exact there.
    bits: Array = (words & 0x7F | 0x3F80) << np.uint32(16)
    return (bits.view(np.float32) - np.float32(1)).astype(dtype)


def uniform_integers(
    key: int, counter: int, shape: Shape, low: int, high: int, dtype: np.dtype[Any]
) -> Array:
    """Integers in [low, high): remainders of a division, so slightly uneven for wide ranges."""
    if dtype.itemsize == 4:
        words = bits32(key, counter, count_of(shape))
        words %= np.uint32(high - low)
        words += np.uint32(low & 0xFFFFFFFF)
        return words.view(dtype).reshape(shape)
    pairs = bits64(key, counter, count_of(shape))
    pairs %= np.uint64(high - low)
    pairs += np.uint64(low & _WORD)
    return pairs.view(dtype).reshape(shape)


def full_integers(key: int, counter: int, shape: Shape, dtype: np.dtype[Any]) -> Array:
    """Integers over the whole range of a 32- or 64-bit integer dtype."""
    bits = bits32 if dtype.itemsize == 4 else bits64
    return bits(key, counter, count_of(shape)).view(dtype).reshape(shape)


def normal(key: int, counter: int, shape: Shape, dtype: np.dtype[Any]) -> Array:
    """Standard normals, by Box and Muller's transform, two from each pair of uniform numbers."""
    if dtype.itemsize == 2:
        return draws.normal(key, counter, shape, SINGLE).astype(dtype)
    return draws.normal(key, counter, shape, dtype)


def truncated_normal(key: int, counter: int, shape: Shape, dtype: np.dtype[Any]) -> Array:
    """Standard normals, each drawn again until it is less than two from zero.

    Numbers that share a block form a group. Each group has its own part of the stream, and takes the first
    numbers in that part that fit. So no group depends on another.
    """
    if dtype.itemsize == 2:
        return truncated_normal(key, counter, shape, SINGLE).astype(dtype)
    # Half as many doubles share a block, and TensorFlow puts their groups half as far apart.
    stride = COUNTERS_PER_ELEMENT // 2 if dtype.itemsize == 8 else COUNTERS_PER_ELEMENT
    return draws.truncated_normal(key, counter, shape, dtype, stride)


def permutation(key: int, counter: int, count: int) -> list[int]:
    """0 to ``count - 1`` in a random order, by Fisher and Yates, with a word for each index but the last."""
    order = list(range(count))
    for index, word in enumerate(bits32(key, counter, max(count - 1, 0)).tolist()):
        other = index + word % (count - index)
        order[index], order[other] = order[other], order[index]
    return order


def scramble(first: int, second: int) -> tuple[int, int]:
    """The key and the counter for the two seeds of a stateless draw."""
    key, counter = draws.mixed_seeds(first, second)
    low, high = counter.tolist()
    return key.item(), low | high << 64
