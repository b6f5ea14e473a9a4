"""Philox 4x32-10 and the numbers made of its words, filled into arrays; `random.py` describes the streams.

The numbers equal TensorFlow's draws on a CPU, bit for bit, on any number of threads and at every level. NumPy takes fifty
calls for one block and has no float32 logarithm that rounds as the C library's does.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.stdint cimport uint32_t, uint64_t

from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.lanes cimport read_shape
from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.threads cimport parallel

from tapegrad.engines.numpy.buffers import empty

cnp.import_array()

cdef extern from "Python.h":
    uint64_t PyLong_AsUnsignedLongLongMask(object number) except? -1

cdef extern from "draws.h" nogil:
    enum:
        LOT "TAPEGRAD_LOT"

    ctypedef struct Stream "tapegrad_stream":
        uint32_t key[2]
        uint64_t low            # the counter's halves
        uint64_t high

    ctypedef void (*Draw "tapegrad_draw")(const Stream* stream, void* out, cnp.npy_intp count, uint64_t stride) noexcept nogil

    ctypedef struct Draws "tapegrad_draws":
        Draw words, uniform_32, uniform_64, normal_32, normal_64, truncated_32, truncated_64

    ctypedef struct Filling "tapegrad_filling":
        Draw draw
        Stream stream
        char* out
        cnp.npy_intp count, item, to_counter, group
        uint64_t stride

    const Draws* draws_at "tapegrad_draws_at" (int level) noexcept
    void fill_lots "tapegrad_fill_lots" (void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

# TensorFlow mixes the seeds of stateless draws under this key.
cdef uint64_t MIXING_KEY = 0x02461E293EC8F720

cdef enum:
    # Lots of counters for which a thread is worth it.
    FEW_WORDS = 64
    FEW_NORMALS = 16


cdef inline Stream stream_at(uint64_t key, uint64_t low, uint64_t high) noexcept nogil:
    cdef Stream stream
    stream.key[0] = <uint32_t>key
    stream.key[1] = <uint32_t>(key >> 32)
    stream.low = low
    stream.high = high
    return stream


cdef void fill(cnp.ndarray out, Draw draw, Stream stream, int to_counter, int group, uint64_t stride, int grain) noexcept:
    """Fill ``out``, of whose elements a counter gives ``to_counter``; 0 where groups have streams of their own."""
    cdef Filling filling
    cdef cnp.npy_intp lot = LOT * (to_counter if to_counter else group)
    filling.draw = draw
    filling.stream = stream
    filling.out = cnp.PyArray_BYTES(out)
    filling.count = cnp.PyArray_SIZE(out)
    filling.item = cnp.PyArray_ITEMSIZE(out)
    filling.to_counter = to_counter
    filling.group = group
    filling.stride = stride
    if filling.count <= lot:
        fill_lots(&filling, 0, filling.count > 0)
        return
    with nogil:
        parallel(fill_lots, &filling, (filling.count + lot - 1) // lot, grain)


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
        MIXING_KEY, PyLong_AsUnsignedLongLongMask(first), PyLong_AsUnsignedLongLongMask(second))
    draws_at(level).words(&stream, words, 4, 0)
    (<uint64_t*>cnp.PyArray_DATA(key))[0] = words[0] | <uint64_t>words[1] << 32
    (<uint64_t*>cnp.PyArray_DATA(counter))[0] = 0
    (<uint64_t*>cnp.PyArray_DATA(counter))[1] = words[2] | <uint64_t>words[3] << 32
    return key, counter


def fill_words(cnp.ndarray out not None, uint64_t key, uint64_t low, uint64_t high):
    """Fill uint32 ``out`` with the words of the stream whose counter starts at ``low``, ``high``."""
    fill(out, draws_at(level).words, stream_at(key, low, high), 4, 0, 0, FEW_WORDS)


cdef cnp.ndarray drawn(
        Draw single, Draw twice, int grain, uint64_t key, counter, shape, cnp.dtype dtype, uint64_t stride):
    """An array of float32, which ``single`` fills, or of float64, which ``twice`` does.

    With a ``stride`` each group of numbers that share a block has a stream of its own, so far from the one before it.
    """
    cdef cnp.npy_intp dims[32]
    cdef int ndim = read_shape(shape, dims)
    cdef cnp.ndarray out = new_array(<PyObject*>dtype, ndim, dims) if ndim >= 0 else empty(shape, dtype)
    cdef bint wide = dtype.num == cnp.NPY_DOUBLE
    cdef int group = 2 if wide else 4
    cdef Stream stream = stream_at(
        key, PyLong_AsUnsignedLongLongMask(counter), PyLong_AsUnsignedLongLongMask(counter >> 64))
    if stride == 0:
        fill(out, twice if wide else single, stream, group, 0, 0, grain)
    else:
        fill(out, twice if wide else single, stream, 0, group, stride, grain)
    return out


def uniform(uint64_t key, counter, shape, cnp.dtype dtype not None):
    """float32 or float64 numbers in [0, 1)."""
    cdef const Draws* draws = draws_at(level)
    return drawn(draws.uniform_32, draws.uniform_64, FEW_WORDS, key, counter, shape, dtype, 0)


def normal(uint64_t key, counter, shape, cnp.dtype dtype not None):
    """Standard normals of float32 or float64."""
    cdef const Draws* draws = draws_at(level)
    return drawn(draws.normal_32, draws.normal_64, FEW_NORMALS, key, counter, shape, dtype, 0)


def truncated_normal(uint64_t key, counter, shape, cnp.dtype dtype not None, uint64_t stride):
    """Normals of float32 or float64 below two in size. Each group of four, or two, takes the first that fit from a
    stream of its own; the streams of two groups start ``stride`` counters apart.
    """
    cdef const Draws* draws = draws_at(level)
    return drawn(draws.truncated_32, draws.truncated_64, FEW_NORMALS, key, counter, shape, dtype, stride)
