"""Philox 4x32-10 and the numbers made of its words, filled into arrays; `random.py` describes the streams.

The numbers equal TensorFlow's draws on a CPU, bit for bit. NumPy takes fifty calls for one block and has no float32
logarithm that rounds as the C library's does; here one number costs a few nanoseconds.
"""

cimport numpy as cnp
from libc.math cimport cos, fabs, fabsf, log, rint, sin, sqrt, sqrtf
from libc.stdint cimport int32_t, int64_t, uint32_t, uint64_t
from libc.string cimport memcpy

from tapegrad.engines.numpy.buffers import empty

cnp.import_array()

cdef extern from "Python.h":
    uint64_t PyLong_AsUnsignedLongLongMask(object number) except? -1

cdef enum:
    ROUNDS = 10

# Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3" (SC 2011).
cdef uint64_t MULTIPLIER_0 = 0xD2511F53
cdef uint64_t MULTIPLIER_2 = 0xCD9E8D57
cdef uint32_t WEYL_0 = 0x9E3779B9
cdef uint32_t WEYL_1 = 0xBB67AE85

# TensorFlow mixes the seeds of stateless draws under this key.
cdef uint64_t MIXING_KEY = 0x02461E293EC8F720

cdef double TWO_PI = 6.283185307179586
cdef double QUARTERS = 0.6366197723675814       # 2 / pi
cdef double QUARTER = 1.5707963267948966
cdef double LOG_2 = 0.6931471805599453
# The logarithm of this number is taken where the argument is smaller, zero above all.
cdef double TINY = 1.0e-7
cdef float TINY_32 = <float>1.0e-7


cdef struct Stream:
    uint32_t key[2]
    uint64_t low                # the counter's halves
    uint64_t high


cdef inline Stream stream_at(uint64_t key, uint64_t low, uint64_t high, uint64_t skip) noexcept nogil:
    cdef Stream stream
    stream.key[0] = <uint32_t>key
    stream.key[1] = <uint32_t>(key >> 32)
    stream.low = low + skip
    stream.high = high + (stream.low < low)
    return stream


cdef inline void next_block(Stream* stream, uint32_t* words) noexcept nogil:
    """Write the four words of the stream's counter to ``words``, and move the counter on by one."""
    cdef uint32_t c0 = <uint32_t>stream.low, c1 = <uint32_t>(stream.low >> 32)
    cdef uint32_t c2 = <uint32_t>stream.high, c3 = <uint32_t>(stream.high >> 32)
    cdef uint32_t k0 = stream.key[0], k1 = stream.key[1]
    cdef uint64_t p0, p2
    cdef int i
    for i in range(ROUNDS):
        p0 = MULTIPLIER_0 * c0
        p2 = MULTIPLIER_2 * c2
        c0 = <uint32_t>(p2 >> 32) ^ c1 ^ k0
        c1 = <uint32_t>p2
        c2 = <uint32_t>(p0 >> 32) ^ c3 ^ k1
        c3 = <uint32_t>p0
        k0 += WEYL_0
        k1 += WEYL_1
    words[0] = c0
    words[1] = c1
    words[2] = c2
    words[3] = c3
    stream.low += 1
    stream.high += stream.low == 0


cdef inline float uniform_32(uint32_t word) noexcept nogil:
    # With the exponent of 1, random bits of the fraction make a number in [1, 2); less 1 it is in [0, 1).
    cdef uint32_t bits = word & 0x7FFFFF | 0x3F800000
    cdef float number
    memcpy(&number, &bits, 4)
    return number - <float>1.0


cdef inline double uniform_64(uint32_t first, uint32_t second) noexcept nogil:
    cdef uint64_t bits = (<uint64_t>(first & 0xFFFFF) << 32) | second | <uint64_t>0x3FF0000000000000
    cdef double number
    memcpy(&number, &bits, 8)
    return number - 1.0


# log, sine and cosine of float32, rounded as the GNU C library rounds them, so that other C libraries draw the same
# numbers. They are computed in float64 by the published polynomials of its logf and sincosf (Arm's optimized routines,
# MIT licence) and rounded once at the end. They equal its results at all 2**23 arguments that a draw can have.
cdef double RECIPROCALS[16]
cdef double LOGS[16]
from math import log as log_of
for place, number in enumerate(
    "0x1.661ec79f8f3bep0 0x1.571ed4aaf883dp0 0x1.49539f0f010bp0 0x1.3c995b0b80385p0 0x1.30d190c8864a5p0 "
    "0x1.25e227b0b8eap0 0x1.1bb4a4a1a343fp0 0x1.12358f08ae5bap0 0x1.0953f419900a7p0 0x1p0 "
    "0x1.e608cfd9a47acp-1 0x1.ca4b31f026aap-1 0x1.b2036576afce6p-1 0x1.9c2d163a1aa2dp-1 "
    "0x1.886e6037841edp-1 0x1.767dcf5534862p-1".split()
):
    RECIPROCALS[place] = float.fromhex(number)
    LOGS[place] = -log_of(RECIPROCALS[place])

cdef double L2 = float.fromhex("-0x1.ffffef20a4123p-2")
cdef double L3 = float.fromhex("0x1.5575b0be00b6ap-2")
cdef double L4 = float.fromhex("-0x1.00ea348b88334p-2")
cdef double S3 = float.fromhex("-0x1.555545995a603p-3")
cdef double S5 = float.fromhex("0x1.1107605230bc4p-7")
cdef double S7 = float.fromhex("-0x1.994eb3774cf24p-13")
cdef double C2 = float.fromhex("-0x1.ffffffd0c621cp-2")
cdef double C4 = float.fromhex("0x1.55553e1068f19p-5")
cdef double C6 = float.fromhex("-0x1.6c087e89a359dp-10")
cdef double C8 = float.fromhex("0x1.99343027bf8c3p-16")


cdef inline float log_32(float x) noexcept nogil:
    """log(x): x is z * 2**k with z near 1, and the reciprocal of z is looked up roughly."""
    cdef int32_t bits, offset, rest_bits
    cdef float z
    cdef double r, square, result
    cdef int index
    memcpy(&bits, &x, 4)
    offset = bits - 0x3F330000
    index = (offset >> 19) & 15
    rest_bits = bits - ((offset >> 23) << 23)
    memcpy(&z, &rest_bits, 4)
    r = z * RECIPROCALS[index] - 1.0
    square = r * r
    result = (L3 * r + L2 + L4 * square) * square
    return <float>(result + (LOGS[index] + (offset >> 23) * LOG_2 + r))


cdef inline void sine_cosine_32(float x, float* sine, float* cosine) noexcept nogil:
    """sin(x) and cos(x) in [0, 2 pi), from the distance to the nearest quarter of a turn."""
    cdef double r = x, quarter, square, cube, fourth, s, c
    cdef int turn
    quarter = rint(r * QUARTERS)
    r -= quarter * QUARTER
    turn = <int>quarter
    square = r * r
    cube = r * square
    fourth = square * square
    s = r + cube * S3 + cube * square * (S5 + square * S7)
    c = 1.0 + square * C2 + fourth * C4 + fourth * square * (C6 + square * C8)
    if turn & 1:
        s, c = c, s
    sine[0] = <float>(-s if turn & 2 else s)
    cosine[0] = <float>(-c if (turn + 1) & 2 else c)


cdef inline void normals_32(uint32_t* words, float* out) noexcept nogil:
    """Turn four words into four normals, by Box and Muller's transform of each pair."""
    cdef int pair
    cdef float u, radius, sine, cosine
    for pair in range(2):
        u = uniform_32(words[2 * pair])
        radius = sqrtf(<float>-2.0 * log_32(u if u > TINY_32 else TINY_32))
        sine_cosine_32(<float>(TWO_PI * uniform_32(words[2 * pair + 1])), &sine, &cosine)
        out[2 * pair] = sine * radius
        out[2 * pair + 1] = cosine * radius


cdef inline void normals_64(uint32_t* words, double* out) noexcept nogil:
    """Turn four words into two normals."""
    cdef double u = uniform_64(words[0], words[1]), angle = TWO_PI * uniform_64(words[2], words[3])
    cdef double radius = sqrt(-2.0 * log(u if u > TINY else TINY))
    out[0] = sin(angle) * radius
    out[1] = cos(angle) * radius


def mixed_seeds(first, second):
    """Where a stateless draw with these seeds, integers of up to 64 bits, starts: its key and its counter as vectors of words.

    The seeds are mixed by one block, so that seeds that differ in any bit give streams that have nothing to do with
    one another. The lower word of the counter is 0.
    """
    cdef cnp.npy_intp one = 1, two = 2
    cdef cnp.ndarray key = cnp.PyArray_SimpleNew(1, &one, cnp.NPY_UINT64)
    cdef cnp.ndarray counter = cnp.PyArray_SimpleNew(1, &two, cnp.NPY_UINT64)
    cdef uint32_t words[4]
    cdef Stream stream = stream_at(
        MIXING_KEY, PyLong_AsUnsignedLongLongMask(first), PyLong_AsUnsignedLongLongMask(second), 0)
    next_block(&stream, words)
    (<uint64_t*>cnp.PyArray_DATA(key))[0] = words[0] | <uint64_t>words[1] << 32
    (<uint64_t*>cnp.PyArray_DATA(counter))[0] = 0
    (<uint64_t*>cnp.PyArray_DATA(counter))[1] = words[2] | <uint64_t>words[3] << 32
    return key, counter


def fill_words(cnp.ndarray out not None, uint64_t key, uint64_t low, uint64_t high):
    """Fill uint32 ``out`` with the words of the stream whose counter starts at ``low``, ``high``."""
    cdef Stream stream = stream_at(key, low, high, 0)
    cdef uint32_t* to = <uint32_t*>cnp.PyArray_DATA(out)
    cdef uint32_t words[4]
    cdef Py_ssize_t i = 0, count = cnp.PyArray_SIZE(out)
    with nogil:
        while i + 4 <= count:
            next_block(&stream, to + i)
            i += 4
        if i < count:
            next_block(&stream, words)
            memcpy(to + i, words, 4 * (count - i))


cdef void fill_uniform_32(cnp.ndarray out, uint64_t key, uint64_t low, uint64_t high) noexcept:
    """Fill float32 ``out`` with numbers in [0, 1)."""
    cdef Stream stream = stream_at(key, low, high, 0)
    cdef float* to = <float*>cnp.PyArray_DATA(out)
    cdef uint32_t words[4]
    cdef Py_ssize_t i, count = cnp.PyArray_SIZE(out)
    with nogil:
        for i in range(count):
            if i & 3 == 0:
                next_block(&stream, words)
            to[i] = uniform_32(words[i & 3])


cdef void fill_uniform_64(cnp.ndarray out, uint64_t key, uint64_t low, uint64_t high) noexcept:
    """Fill float64 ``out`` with numbers in [0, 1)."""
    cdef Stream stream = stream_at(key, low, high, 0)
    cdef double* to = <double*>cnp.PyArray_DATA(out)
    cdef uint32_t words[4]
    cdef Py_ssize_t i, count = cnp.PyArray_SIZE(out)
    with nogil:
        for i in range(count):
            if i & 1 == 0:
                next_block(&stream, words)
            to[i] = uniform_64(words[2 * (i & 1)], words[2 * (i & 1) + 1])


cdef void fill_normal_32(cnp.ndarray out, uint64_t key, uint64_t low, uint64_t high) noexcept:
    """Fill float32 ``out`` with standard normals."""
    cdef Stream stream = stream_at(key, low, high, 0)
    cdef float* to = <float*>cnp.PyArray_DATA(out)
    cdef uint32_t words[4]
    cdef float four[4]
    cdef Py_ssize_t i = 0, count = cnp.PyArray_SIZE(out)
    with nogil:
        while i < count:
            next_block(&stream, words)
            normals_32(words, four)
            memcpy(to + i, four, 4 * min(4, count - i))
            i += 4


cdef void fill_normal_64(cnp.ndarray out, uint64_t key, uint64_t low, uint64_t high) noexcept:
    """Fill float64 ``out`` with standard normals."""
    cdef Stream stream = stream_at(key, low, high, 0)
    cdef double* to = <double*>cnp.PyArray_DATA(out)
    cdef uint32_t words[4]
    cdef double two[2]
    cdef Py_ssize_t i = 0, count = cnp.PyArray_SIZE(out)
    with nogil:
        while i < count:
            next_block(&stream, words)
            normals_64(words, two)
            memcpy(to + i, two, 8 * min(2, count - i))
            i += 2


cdef void fill_truncated_32(cnp.ndarray out, uint64_t key, uint64_t low, uint64_t high, uint64_t stride) noexcept:
    """Fill float32 ``out`` with normals below two in size. Each group of four takes the first that fit from a stream
    of its own; the streams of two groups start ``stride`` counters apart.
    """
    cdef Stream stream
    cdef float* to = <float*>cnp.PyArray_DATA(out)
    cdef uint32_t words[4]
    cdef float four[4]
    cdef Py_ssize_t group = 0, count = cnp.PyArray_SIZE(out), i, end
    cdef int place
    with nogil:
        while 4 * group < count:
            stream = stream_at(key, low, high, group * stride)
            i, end = 4 * group, min(4 * group + 4, count)
            while i < end:
                next_block(&stream, words)
                normals_32(words, four)
                for place in range(4):
                    if i < end and fabsf(four[place]) < 2:
                        to[i] = four[place]
                        i += 1
            group += 1


cdef void fill_truncated_64(cnp.ndarray out, uint64_t key, uint64_t low, uint64_t high, uint64_t stride) noexcept:
    """Fill float64 ``out`` with normals below two in size, as `fill_truncated_32` does, in groups of two."""
    cdef Stream stream
    cdef double* to = <double*>cnp.PyArray_DATA(out)
    cdef uint32_t words[4]
    cdef double two[2]
    cdef Py_ssize_t group = 0, count = cnp.PyArray_SIZE(out), i, end
    cdef int place
    with nogil:
        while 2 * group < count:
            stream = stream_at(key, low, high, group * stride)
            i, end = 2 * group, min(2 * group + 2, count)
            while i < end:
                next_block(&stream, words)
                normals_64(words, two)
                for place in range(2):
                    if i < end and fabs(two[place]) < 2:
                        to[i] = two[place]
                        i += 1
            group += 1


cdef int halves(object counter, uint64_t* low, uint64_t* high) except -1:
    low[0] = PyLong_AsUnsignedLongLongMask(counter)
    high[0] = PyLong_AsUnsignedLongLongMask(counter >> 64)
    return 0


def uniform(uint64_t key, counter, shape, cnp.dtype dtype not None):
    """float32 or float64 numbers in [0, 1)."""
    cdef cnp.ndarray out = empty(shape, dtype)
    cdef uint64_t low, high
    halves(counter, &low, &high)
    if dtype.num == cnp.NPY_DOUBLE:
        fill_uniform_64(out, key, low, high)
    else:
        fill_uniform_32(out, key, low, high)
    return out


def normal(uint64_t key, counter, shape, cnp.dtype dtype not None):
    """Standard normals of float32 or float64."""
    cdef cnp.ndarray out = empty(shape, dtype)
    cdef uint64_t low, high
    halves(counter, &low, &high)
    if dtype.num == cnp.NPY_DOUBLE:
        fill_normal_64(out, key, low, high)
    else:
        fill_normal_32(out, key, low, high)
    return out


def truncated_normal(uint64_t key, counter, shape, cnp.dtype dtype not None, uint64_t stride):
    """Normals of float32 or float64 below two in size, by groups whose streams start ``stride`` counters apart."""
    cdef cnp.ndarray out = empty(shape, dtype)
    cdef uint64_t low, high
    halves(counter, &low, &high)
    if dtype.num == cnp.NPY_DOUBLE:
        fill_truncated_64(out, key, low, high, stride)
    else:
        fill_truncated_32(out, key, low, high, stride)
    return out
