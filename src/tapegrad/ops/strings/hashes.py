"""Hashes of strings into buckets, equal to those of TensorFlow bit for bit.

``fingerprint64`` is FarmHash's Fingerprint64, ``hash64`` is MurmurHash64A with TensorFlow's seed, and
``keyed_hash`` is SipHash-2-4. They are written here from the published descriptions of these functions.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.errors import refuse
from tapegrad.ops.args import static_int
from tapegrad.ops.op import ANY, INDEX, STRING, op
from tapegrad.ops.shape_rules import like
from tapegrad.ops.strings.pieces import combinations
from tapegrad.ops.strings.text import static_text

PUBLIC = {
    "strings compat.v1.strings": "to_hash_bucket_fast to_hash_bucket_strong",
    ". compat.v1": "fingerprint",
    "strings": "to_hash_bucket",
    "compat.v1": (
        "string_to_hash_bucket_fast=to_hash_bucket_fast "
        "string_to_hash_bucket_strong=to_hash_bucket_strong"
    ),
}

ALL = 2**64 - 1
K0 = 0xC3A5C85C97CB3127
K1 = 0xB492B66FBE98F273
K2 = 0x9AE16A3B2F90404F


def word(text: bytes, place: int) -> int:
    return int.from_bytes(text[place : place + 8], "little")


def half(text: bytes, place: int) -> int:
    return int.from_bytes(text[place : place + 4], "little")


def turned(value: int, places: int) -> int:
    """``value`` with its 64 bits rotated to the right."""
    value &= ALL
    return (value >> places | value << (64 - places)) & ALL


def mixed(value: int) -> int:
    value &= ALL
    return value ^ value >> 47


def pair(first: int, second: int, factor: int) -> int:
    """One hash of two."""
    a = mixed((first ^ second) * factor)
    b = mixed(((second ^ a) & ALL) * factor)
    return b * factor & ALL


def fingerprint64(text: bytes) -> int:
    """FarmHash's Fingerprint64."""
    size = len(text)
    if size <= 16:
        return of_16(text, size)
    factor = K2 + size * 2
    if size <= 32:
        a, b = word(text, 0) * K1, word(text, 8)
        c, d = word(text, size - 8) * factor, word(text, size - 16) * K2
        return pair(
            (turned(a + b, 43) + turned(c, 30) + d) & ALL,
            (a + turned(b + K2, 18) + c) & ALL,
            factor,
        )
    if size <= 64:
        return of_64(text, size, factor)
    return of_more(text, size)


def of_16(text: bytes, size: int) -> int:
    factor = K2 + size * 2
    if size >= 8:
        a, b = word(text, 0) + K2, word(text, size - 8)
        c = turned(b, 37) * factor + a
        d = (turned(a, 25) + b) * factor
        return pair(c & ALL, d & ALL, factor)
    if size >= 4:
        return pair(size + (half(text, 0) << 3), half(text, size - 4), factor)
    if size > 0:
        y = text[0] + (text[size >> 1] << 8)
        z = size + (text[size - 1] << 2)
        return mixed((y * K2 ^ z * K0) & ALL) * K2 & ALL
    return K2


def of_64(text: bytes, size: int, factor: int) -> int:
    a, b = word(text, 0) * K2 & ALL, word(text, 8)
    c, d = word(text, size - 8) * factor, word(text, size - 16) * K2
    y = (turned(a + b, 43) + turned(c, 30) + d) & ALL
    z = pair(y, (a + turned(b + K2, 18) + c) & ALL, factor)
    e, f = word(text, 16) * factor, word(text, 24)
    g = (y + word(text, size - 32)) * factor
    h = (z + word(text, size - 24)) * factor
    return pair(
        (turned(e + f, 43) + turned(g, 30) + h) & ALL, (e + turned(f + a, 18) + g) & ALL, factor
    )


def of_32_bytes(text: bytes, place: int, a: int, b: int) -> tuple[int, int]:
    """Two hashes of 32 bytes and two seeds."""
    first, second, third, fourth = (word(text, place + step) for step in (0, 8, 16, 24))
    a += first
    b = turned(b + a + fourth, 21)
    c = a
    a += second + third
    b += turned(a, 44)
    return (a + fourth) & ALL, (b + c) & ALL


def of_more(text: bytes, size: int) -> int:
    seed = 81
    x, y = seed, seed * K1 + 113
    z = mixed(y * K2 + 113) * K2 & ALL
    v, w = (0, 0), (0, 0)
    x = x * K2 + word(text, 0)
    end = (size - 1) // 64 * 64
    last = end + ((size - 1) & 63) - 63
    for place in range(0, end, 64):
        x = turned(x + y + v[0] + word(text, place + 8), 37) * K1
        y = turned(y + v[1] + word(text, place + 48), 42) * K1
        x = (x ^ w[1]) & ALL
        y = (y + v[0] + word(text, place + 40)) & ALL
        z = turned(z + w[0], 33) * K1 & ALL
        v = of_32_bytes(text, place, v[1] * K1, x + w[0])
        w = of_32_bytes(text, place + 32, z + w[1], y + word(text, place + 16))
        x, z = z, x
    factor = K1 + ((z & 0xFF) << 1)
    first = w[0] + ((size - 1) & 63)
    v = (v[0] + first, v[1])
    w = (first + v[0], w[1])
    x = turned(x + y + v[0] + word(text, last + 8), 37) * factor
    y = turned(y + v[1] + word(text, last + 48), 42) * factor
    x = (x ^ w[1] * 9) & ALL
    y = (y + v[0] * 9 + word(text, last + 40)) & ALL
    z = turned(z + w[0], 33) * factor & ALL
    v = of_32_bytes(text, last, v[1] * factor, x + w[0])
    w = of_32_bytes(text, last + 32, z + w[1], y + word(text, last + 16))
    x, z = z, x
    return pair(
        (pair(v[0], w[0], factor) + mixed(y) * K0 + z) & ALL,
        (pair(v[1], w[1], factor) + x) & ALL,
        factor,
    )


def hash64(text: bytes, seed: int = 0xDECAFCAFFE) -> int:
    """MurmurHash64A."""
    factor = 0xC6A4A7935BD1E995
    result = (seed ^ len(text) * factor) & ALL
    whole = len(text) // 8 * 8
    for place in range(0, whole, 8):
        part = word(text, place) * factor & ALL
        part = (part ^ part >> 47) * factor & ALL
        result = (result ^ part) * factor & ALL
    if whole < len(text):
        result = (result ^ word(text, whole)) * factor & ALL
    result = (result ^ result >> 47) * factor & ALL
    return result ^ result >> 47


def keyed_hash(text: bytes, key: tuple[int, int]) -> int:
    """SipHash-2-4 with a key of two numbers of 64 bits."""
    a, b = key[0] ^ 0x736F6D6570736575, key[1] ^ 0x646F72616E646F6D
    c, d = key[0] ^ 0x6C7967656E657261, key[1] ^ 0x7465646279746573

    def rounds(count: int) -> None:
        nonlocal a, b, c, d
        for _ in range(count):
            a = a + b & ALL
            b = turned(b, 51) ^ a
            a = turned(a, 32)
            c = c + d & ALL
            d = turned(d, 48) ^ c
            a = a + d & ALL
            d = turned(d, 43) ^ a
            c = c + b & ALL
            b = turned(b, 47) ^ c
            c = turned(c, 32)

    whole = len(text) // 8 * 8
    words = [word(text, place) for place in range(0, whole, 8)]
    words.append(word(text, whole) | (len(text) & 0xFF) << 56)
    for part in words:
        d ^= part
        rounds(2)
        a ^= part
    c ^= 0xFF
    rounds(4)
    return a ^ b ^ c ^ d


def cross_fingerprints(key: int, numbers: Iterable[int]) -> int:
    """One fingerprint of several, which depends on ``key`` and on their order."""
    factor = 0xC6A4A7935BD1E995
    result = key
    for number in numbers:
        result ^= factor
        result ^= mixed((number & ALL) * factor) * factor & ALL
        result = mixed(mixed(result * factor) * factor)
    return result


def buckets(value: Any) -> int:
    count = static_int(value)
    if count < 1:
        refuse(f"Value for attr 'num_buckets' of {count} must be at least minimum 1.")
    return count


def hashed(texts: Any, function: Any, count: int) -> Any:
    numbers = [function(text) % count for text in texts.ravel().tolist()]
    return np.array(numbers, np.int64).reshape(texts.shape)


@op("StringToHashBucketFast", dtypes=STRING, convert={"num_buckets": buckets}, dispatched="unary")
def to_hash_bucket_fast(xp, input, *, num_buckets):
    """The number of a bucket for each string: FarmHash's Fingerprint64, modulo ``num_buckets``.

    >>> tf.strings.to_hash_bucket_fast(["hello", "foo"], 100).numpy()
    array([96, 71])
    """
    return hashed(input, fingerprint64, num_buckets)


to_hash_bucket_fast.shape(like("input", dtypes.int64))
to_hash_bucket_fast.no_gradient()


@op(
    "StringToHashBucket",
    dtypes=STRING,
    convert={"num_buckets": buckets},
    raw=("string_tensor", "num_buckets"),
    dispatched="unary",
)
def to_hash_bucket(xp, input, *, num_buckets):
    """The number of a bucket for each string. `to_hash_bucket_fast` is the same, with a newer hash.

    >>> tf.strings.to_hash_bucket(["hello world", "foo"], 100).numpy()
    array([55, 28])

    Args:
        input: strings, of any shape.
        num_buckets: the number of buckets, an int from 1 on. The results are from 0 to one less.
    """
    return hashed(input, hash64, num_buckets)


to_hash_bucket.shape(like("input", dtypes.int64))
to_hash_bucket.no_gradient()


def two_numbers(key: Any) -> tuple[int, int]:
    numbers = [static_int(number) for number in key]
    if len(numbers) != 2:
        refuse(f"Key must have 2 elements, not {len(numbers)}.")
    return numbers[0] & ALL, numbers[1] & ALL


@op(
    "StringToHashBucketStrong",
    dtypes=STRING,
    convert={"num_buckets": buckets, "key": two_numbers},
    dispatched="unary",
)
def to_hash_bucket_strong(xp, input, *, num_buckets, key):
    """The number of a bucket for each string, by a hash that cannot be predicted without ``key``.

    >>> tf.strings.to_hash_bucket_strong(["hello world", "foo"], 100, key=[1, 2]).numpy()
    array([46,  2])

    Args:
        input: strings.
        num_buckets: the number of buckets.
        key: two integers.
    """
    return hashed(input, lambda text: keyed_hash(text, key), num_buckets)


to_hash_bucket_strong.shape(like("input", dtypes.int64))
to_hash_bucket_strong.no_gradient()


def method_of(method: Any) -> str:
    name = static_text(method)
    if name != b"farmhash64":
        refuse(f"Unsupported fingerprint method: {name!r}. 'farmhash64' is the only one.")
    return "farmhash64"


@op("Fingerprint", dtypes=ANY, convert={"method": method_of})
def fingerprint(xp, data, *, method="farmhash64"):
    """Eight bytes for each element along the first axis: FarmHash's Fingerprint64, the lowest byte first.

    >>> tf.fingerprint(["a", "b"]).shape
    TensorShape([2, 8])
    """
    if not data.ndim:
        refuse("data must have at least one axis.")
    rows = data.reshape(len(data), math.prod(data.shape[1:]))
    if rows.dtype == object and rows.shape[1] == 1:
        texts = rows[:, 0].tolist()
    elif rows.dtype == object:
        texts = [
            b"".join(fingerprint64(text).to_bytes(8, "little") for text in row)
            for row in rows.tolist()
        ]
    else:
        texts = [np.ascontiguousarray(row).tobytes() for row in rows]
    data_of_hashes = b"".join(fingerprint64(text).to_bytes(8, "little") for text in texts)
    return np.frombuffer(data_of_hashes, np.uint8).reshape(len(data), 8).copy()


fingerprint.no_gradient()


@op("_Fingerprint64", dtypes=STRING)
def fingerprints(xp, texts):
    """FarmHash's Fingerprint64 of each string, as int64."""
    numbers = [fingerprint64(text) for text in texts.ravel().tolist()]
    return np.array(numbers, np.uint64).astype(np.int64).reshape(texts.shape)


fingerprints.shape(like("texts", dtypes.int64))
fingerprints.no_gradient()


@op("_CrossNumbers", dtypes=INDEX, outputs=("values", "lengths"))
def cross_numbers(xp, *columns, splits, num_buckets, key):
    """Hashes of all combinations of numbers in the same row."""
    rows, lengths = combinations(columns, splits)
    limit = num_buckets or 2**63 - 1
    values = [cross_fingerprints(key, row) % limit for row in rows]
    return np.array(values, np.int64), lengths


cross_numbers.no_gradient()
