"""Random bits from a key and a counter, and the numbers made of them: NumPy arrays in, nothing remembered.

Philox 4x32-10 turns a 64-bit key and a 128-bit counter into four 32-bit words; a *stream* is the words of
consecutive counters. What is drawn depends on the key, the counter and the dtype only, and equals what
TensorFlow draws on a CPU, bit for bit. Seeds, shapes and who moves a counter on are others' business.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

# The constants of Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
_MULTIPLIER_0, _MULTIPLIER_2 = 0xD2511F53, 0xCD9E8D57
_WEYL_0, _WEYL_1 = 0x9E3779B9, 0xBB67AE85
_ROUNDS = 10

_WORD = 0xFFFFFFFF
_WORDS = 0xFFFFFFFFFFFFFFFF

# Blocks (counters) worked on at once: the six arrays of this many words stay in the second-level cache.
# 4096 took 5.5 ns a word where one million at once took 9 (2 cores, AMD EPYC).
_CHUNK = 4096
# Below this many blocks NumPy's cost per call (fifty calls) is more than Python's integers need.
_FEW = 4

# The seeds of a stateless draw are mixed by one block under this key, so that seeds that differ in any bit
# give streams that have nothing to do with one another.
_SCRAMBLE_KEY = 0x02461E293EC8F720

# Each group of truncated normals that share a block starts so many counters after the one before: room for
# rejected candidates. A stateful draw of any kind moves the counter by the same number for each element.
COUNTERS_PER_ELEMENT = 256

_MULTIPLIERS = np.array([[_MULTIPLIER_0], [_MULTIPLIER_2]], np.uint64)
_HALF = np.uint64(32)
_LOW_HALF = np.uint64(_WORD)


def _round_keys(key: int) -> list[tuple[int, int]]:
    first, second = key & _WORD, key >> 32 & _WORD
    keys = []
    for _ in range(_ROUNDS):
        keys.append((first, second))
        first, second = (first + _WEYL_0) & _WORD, (second + _WEYL_1) & _WORD
    return keys


def block(key: int, counter: int) -> tuple[int, int, int, int]:
    """The four words of one counter."""
    word_0, word_1 = counter & _WORD, counter >> 32 & _WORD
    word_2, word_3 = counter >> 64 & _WORD, counter >> 96 & _WORD
    for first, second in _round_keys(key):
        product_0, product_2 = _MULTIPLIER_0 * word_0, _MULTIPLIER_2 * word_2
        word_0, word_1 = product_2 >> 32 ^ word_1 ^ first, product_2 & _WORD
        word_2, word_3 = product_0 >> 32 ^ word_3 ^ second, product_0 & _WORD
    return word_0, word_1, word_2, word_3


def _blocks(key: int, low: Array, high: Array) -> Array:
    """The words of the counters whose halves are ``low`` and ``high``: one row of four for each."""
    count = low.size
    # Rows: words 0 and 2, which are multiplied, and words 1 and 3, which are mixed in.
    multiplied = np.empty((2, count), np.uint64)
    mixed = np.empty((2, count), np.uint64)
    np.bitwise_and(low, _LOW_HALF, out=multiplied[0])
    np.bitwise_and(high, _LOW_HALF, out=multiplied[1])
    np.right_shift(low, _HALF, out=mixed[0])
    np.right_shift(high, _HALF, out=mixed[1])
    products = np.empty((2, count), np.uint64)
    crossed = products[::-1]
    for round_key in np.array(_round_keys(key), np.uint64).reshape(_ROUNDS, 2, 1):
        np.multiply(multiplied, _MULTIPLIERS, out=products)
        np.right_shift(crossed, _HALF, out=multiplied)
        np.bitwise_xor(multiplied, mixed, out=multiplied)
        np.bitwise_xor(multiplied, round_key, out=multiplied)
        np.bitwise_and(crossed, _LOW_HALF, out=mixed)
    words = np.empty((count, 2, 2), np.uint32)
    words[:, :, 0] = multiplied.T
    words[:, :, 1] = mixed.T
    return words.reshape(count, 4)


def _stream(key: int, counter: int, count: int, stride: int = 1) -> Array:
    """``count`` blocks, one row each, from ``counter`` on, ``stride`` counters apart."""
    if count <= _FEW:
        rows = [block(key, counter + stride * index & (1 << 128) - 1) for index in range(count)]
        return np.array(rows, np.uint32).reshape(count, 4)
    start = np.uint64(counter & _WORDS)
    low = np.arange(count, dtype=np.uint64)
    if stride != 1:
        low *= np.uint64(stride)
    low += start
    high = np.full(count, counter >> 64 & _WORDS, np.uint64)
    if counter & _WORDS > _WORDS - stride * count:
        high += low < start
    return _blocks(key, low, high)


def bits32(key: int, counter: int, count: int) -> Array:
    """``count`` words of the stream that starts at ``counter``."""
    out = np.empty(count, np.uint32)
    step = 4 * _CHUNK
    for begin in range(0, count, step):
        end = min(begin + step, count)
        words = _stream(key, counter + begin // 4, (end - begin + 3) // 4)
        out[begin:end] = words.reshape(-1)[: end - begin]
    return out


def bits64(key: int, counter: int, count: int) -> Array:
    """``count`` pairs of words as one integer each, the earlier word its lower half."""
    words = bits32(key, counter, 2 * count).astype(np.uint64)
    return words[0::2] | words[1::2] << _HALF


def uniform(key: int, counter: int, count: int, dtype: np.dtype[Any]) -> Array:
    """``count`` numbers in [0, 1): as many random bits as the dtype's fraction has, none rounded."""
    if dtype == np.float64:
        return _uniform64(bits32(key, counter, 2 * count))
    out = np.empty(count, dtype)
    step = 4 * _CHUNK
    for begin in range(0, count, step):
        end = min(begin + step, count)
        words = bits32(key, counter + begin // 4, end - begin)
        if dtype == np.float32:
            out[begin:end] = _uniform32(words)
        elif dtype == np.float16:
            fraction = (words & np.uint32(0x3FF) | np.uint32(0x3C00)).astype(np.uint16)
            np.subtract(fraction.view(np.float16), np.float16(1), out=out[begin:end])
        else:
            # bfloat16 is the upper half of a float32, and one less than it is exact there.
            out[begin:end] = _uniform32((words & np.uint32(0x7F)) << np.uint32(16))
    return out


def _uniform32(words: Array) -> Array:
    # A fraction below the exponent of 1 is a number in [1, 2): one off, and it is in [0, 1).
    bits = words & np.uint32(0x7FFFFF)
    bits |= np.uint32(0x3F800000)
    numbers: Array = bits.view(np.float32)
    numbers -= np.float32(1)
    return numbers


def _uniform64(words: Array) -> Array:
    # The earlier word of a pair gives the upper twenty bits of the fraction.
    bits = words[0::2].astype(np.uint64)
    bits &= np.uint64(0xFFFFF)
    bits <<= _HALF
    bits |= words[1::2]
    bits |= np.uint64(0x3FF0000000000000)
    numbers: Array = bits.view(np.float64)
    numbers -= 1.0
    return numbers


def uniform_integers(
    key: int, counter: int, count: int, low: int, high: int, dtype: np.dtype[Any]
) -> Array:
    """``count`` integers in [low, high). The remainder of a division, so slightly uneven for wide ranges."""
    if dtype.itemsize == 4:
        words = bits32(key, counter, count)
        words %= np.uint32(high - low)
        words += np.uint32(low & _WORD)
        return words.view(dtype)
    pairs = bits64(key, counter, count)
    pairs %= np.uint64(high - low)
    pairs += np.uint64(low & _WORDS)
    return pairs.view(dtype)


def full_integers(key: int, counter: int, count: int, dtype: np.dtype[Any]) -> Array:
    """``count`` integers over the whole range of a 32- or 64-bit integer dtype."""
    bits = bits32 if dtype.itemsize == 4 else bits64
    return bits(key, counter, count).view(dtype)


def normal(key: int, counter: int, count: int, dtype: np.dtype[Any]) -> Array:
    """``count`` standard normals, by Box and Muller's transform, two from each pair of uniform numbers."""
    out = np.empty(count, dtype)
    per_block, numbers = (2, _normal64) if dtype == np.float64 else (4, _normal32)
    step = per_block * _CHUNK
    for begin in range(0, count, step):
        end = min(begin + step, count)
        words = _stream(key, counter + begin // per_block, -(-(end - begin) // per_block))
        out[begin:end] = numbers(words.reshape(-1))[: end - begin]
    return out


def truncated_normal(key: int, counter: int, count: int, dtype: np.dtype[Any]) -> Array:
    """``count`` standard normals, each drawn again until it is less than two from zero.

    Numbers that share a block form a group with a stretch of the stream of its own, and take the first
    fitting numbers in it: so no group waits for another.
    """
    out = np.empty(count, dtype)
    per_block, numbers = (2, _normal64) if dtype == np.float64 else (4, _normal32)
    stride = COUNTERS_PER_ELEMENT * per_block // 4
    groups = -(-count // per_block)
    for begin in range(0, groups, _CHUNK):
        end = min(begin + _CHUNK, groups)
        start = counter + begin * stride
        words = _stream(key, start, end - begin, stride)
        chosen = numbers(words.reshape(-1)).reshape(-1, per_block)
        unfit = np.flatnonzero((np.abs(chosen) >= 2).any(axis=1))
        blocks = 2
        while unfit.size:
            # Few groups need more than two blocks; all still short then look twice as far.
            candidates = np.empty((unfit.size, blocks * per_block), chosen.dtype)
            for index in range(blocks):
                words = _rows(key, start + index, unfit, stride)
                columns = slice(index * per_block, (index + 1) * per_block)
                candidates[:, columns] = numbers(words.reshape(-1)).reshape(-1, per_block)
            fits = np.abs(candidates) < 2
            first = np.argsort(~fits, axis=1, kind="stable")[:, :per_block]
            enough = fits.sum(axis=1) >= per_block
            chosen[unfit] = np.take_along_axis(candidates, first, axis=1)
            unfit = unfit[~enough]
            blocks *= 2
        part = out[begin * per_block : end * per_block]
        part[...] = chosen.reshape(-1)[: part.size]
    return out


def _rows(key: int, counter: int, rows: Array, stride: int) -> Array:
    """The blocks ``rows`` of the stream with ``stride``, which starts at ``counter``."""
    start = np.uint64(counter & _WORDS)
    low = rows.astype(np.uint64)
    low *= np.uint64(stride)
    low += start
    high = np.full(rows.size, counter >> 64 & _WORDS, np.uint64)
    high += low < start
    return _blocks(key, low, high)


def permutation(key: int, counter: int, count: int) -> list[int]:
    """0 to ``count - 1`` in a random order: Fisher and Yates's, one word for each place but the last."""
    order = list(range(count))
    for place, word in enumerate(bits32(key, counter, max(count - 1, 0)).tolist()):
        other = place + word % (count - place)
        order[place], order[other] = order[other], order[place]
    return order


def scramble(first: int, second: int) -> tuple[int, int]:
    """The key and the counter for the two seeds of a stateless draw."""
    mixed = block(_SCRAMBLE_KEY, first & _WORDS | (second & _WORDS) << 64)
    return mixed[0] | mixed[1] << 32, (mixed[2] | mixed[3] << 32) << 64


# log, sine and cosine of float32, as the GNU C library rounds them: worked out in float64 by the published
# polynomials of its logf and sincosf (Arm's optimized routines, MIT licence), rounded once at the end.
# NumPy's own float32 functions give another last bit more often than not, and float64 rounded to float32
# does so once in seventy. Equal to the C library at all 2**23 arguments that a draw can meet.
_hex = float.fromhex
_RECIPROCALS = np.array(
    [
        _hex(number)
        for number in (
            "0x1.661ec79f8f3bep0 0x1.571ed4aaf883dp0 0x1.49539f0f010bp0 0x1.3c995b0b80385p0 "
            "0x1.30d190c8864a5p0 0x1.25e227b0b8eap0 0x1.1bb4a4a1a343fp0 0x1.12358f08ae5bap0 "
            "0x1.0953f419900a7p0 0x1p0 0x1.e608cfd9a47acp-1 0x1.ca4b31f026aap-1 "
            "0x1.b2036576afce6p-1 0x1.9c2d163a1aa2dp-1 0x1.886e6037841edp-1 0x1.767dcf5534862p-1"
        ).split()
    ]
)
_LOGS = np.array([-math.log(number) for number in _RECIPROCALS.tolist()])
_LOG_2 = math.log(2.0)
_LOG_4TH, _LOG_3RD, _LOG_2ND = (
    _hex("-0x1.00ea348b88334p-2"),
    _hex("0x1.5575b0be00b6ap-2"),
    _hex("-0x1.ffffef20a4123p-2"),
)
_SINE_3RD, _SINE_5TH, _SINE_7TH = (
    _hex("-0x1.555545995a603p-3"),
    _hex("0x1.1107605230bc4p-7"),
    _hex("-0x1.994eb3774cf24p-13"),
)
_COSINE_2ND, _COSINE_4TH, _COSINE_6TH, _COSINE_8TH = (
    _hex("-0x1.ffffffd0c621cp-2"),
    _hex("0x1.55553e1068f19p-5"),
    _hex("-0x1.6c087e89a359dp-10"),
    _hex("0x1.99343027bf8c3p-16"),
)
# The smallest number whose logarithm is taken, instead of that of zero.
_TINY = 1.0e-7


def _log32(x: Array) -> Array:
    """log(x) of positive float32: x is z * 2**k with z near 1, and z's reciprocal is looked up roughly."""
    bits = x.view(np.int32)
    offset = bits - np.int32(0x3F330000)
    exponent = offset >> np.int32(23)
    index = (offset >> np.int32(19)) & np.int32(15)
    bits = bits - (exponent << np.int32(23))
    rest = bits.view(np.float32).astype(np.float64)
    rest *= _RECIPROCALS[index]
    rest -= 1.0
    square = rest * rest
    result = _LOG_3RD * rest
    result += _LOG_2ND
    result += _LOG_4TH * square
    result *= square
    known = exponent * _LOG_2
    known += _LOGS[index]
    known += rest
    result += known
    return result.astype(np.float32)


def _sine_cosine32(x: Array) -> tuple[Array, Array]:
    """sin(x) and cos(x) of float32 in [0, 2 pi), from the distance to the nearest quarter of a turn."""
    rest = x.astype(np.float64)
    quarter = np.rint(rest * (2 / math.pi))
    rest -= quarter * (math.pi / 2)
    square = rest * rest
    cube = rest * square
    sine = rest + cube * _SINE_3RD
    sine += cube * square * (_SINE_5TH + square * _SINE_7TH)
    fourth = square * square
    cosine = square * _COSINE_2ND
    cosine += 1.0
    cosine += fourth * _COSINE_4TH
    cosine += fourth * square * (_COSINE_6TH + square * _COSINE_8TH)
    turn = quarter.astype(np.int8)
    crossed = (turn & 1).astype(np.bool_)
    signs = _SIGNS[turn]
    result_sine = np.where(crossed, cosine, sine)
    result_sine *= signs
    result_cosine = np.where(crossed, sine, cosine)
    result_cosine *= _SIGNS[turn + np.int8(1)]
    return result_sine.astype(np.float32), result_cosine.astype(np.float32)


# The sign of the sine after so many quarters of a turn; the cosine's is that of one quarter on.
_SIGNS = np.array([1.0, 1.0, -1.0, -1.0, 1.0, 1.0])


def _normal32(words: Array) -> Array:
    """Standard normals from words, an even number of them: Box and Muller's transform of each pair."""
    numbers = _uniform32(words)
    radius = _log32(np.maximum(numbers[0::2], np.float32(_TINY)))
    radius *= np.float32(-2)
    np.sqrt(radius, out=radius)
    angle = (numbers[1::2].astype(np.float64) * (2 * math.pi)).astype(np.float32)
    sine, cosine = _sine_cosine32(angle)
    np.multiply(sine, radius, out=numbers[0::2])
    np.multiply(cosine, radius, out=numbers[1::2])
    return numbers


def _normal64(words: Array) -> Array:
    numbers = _uniform64(words)
    # NumPy's vectorised log differs from the C library's, which math.log is, in one number of 600.
    clipped = np.maximum(numbers[0::2], _TINY)
    radius = np.fromiter(map(math.log, clipped.tolist()), np.float64, clipped.size)
    radius *= -2.0
    np.sqrt(radius, out=radius)
    angle = numbers[1::2] * (2 * math.pi)
    np.multiply(np.sin(angle), radius, out=numbers[0::2])
    np.multiply(np.cos(angle), radius, out=numbers[1::2])
    return numbers
