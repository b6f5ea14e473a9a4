"""The checksum of TensorFlow's files: CRC-32C, of the polynomial that Castagnoli chose.

Python's zlib has another polynomial. Eight bytes are taken at a time, each with a table of its own.
"""

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy

cdef uint32_t POLYNOMIAL = 0x82F63B78
cdef uint32_t tables[8][256]


cdef void fill_tables() noexcept:
    """``tables[k][b]`` is the checksum of the byte ``b`` followed by ``k`` zeros."""
    cdef uint32_t crc
    cdef int byte, bit, k
    for byte in range(256):
        crc = byte
        for bit in range(8):
            crc = (crc >> 1) ^ (POLYNOMIAL if crc & 1 else 0)
        tables[0][byte] = crc
    for byte in range(256):
        for k in range(1, 8):
            tables[k][byte] = (tables[k - 1][byte] >> 8) ^ tables[0][tables[k - 1][byte] & 0xFF]


fill_tables()


cdef uint32_t extend(uint32_t crc, const unsigned char* data, Py_ssize_t size) noexcept nogil:
    """The checksum of what ``crc`` is the checksum of, followed by ``data``. Little-endian machines only."""
    cdef uint64_t word
    crc = ~crc
    while size >= 8:
        memcpy(&word, data, 8)
        word ^= crc
        crc = (
            tables[7][word & 0xFF]
            ^ tables[6][(word >> 8) & 0xFF]
            ^ tables[5][(word >> 16) & 0xFF]
            ^ tables[4][(word >> 24) & 0xFF]
            ^ tables[3][(word >> 32) & 0xFF]
            ^ tables[2][(word >> 40) & 0xFF]
            ^ tables[1][(word >> 48) & 0xFF]
            ^ tables[0][word >> 56]
        )
        data += 8
        size -= 8
    while size > 0:
        crc = (crc >> 8) ^ tables[0][(crc ^ data[0]) & 0xFF]
        data += 1
        size -= 1
    return ~crc


cdef uint32_t checksum_of(object data, uint32_t start) except? 0:
    """The checksum of the bytes of ``data``, after those that ``start`` is the checksum of."""
    cdef Py_buffer view
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    with nogil:
        start = extend(start, <const unsigned char*> view.buf, view.len)
    PyBuffer_Release(&view)
    return start


def crc32c(data, uint32_t start=0):
    """The checksum of ``data``; of ``start``'s data followed by it, if ``start`` is a checksum."""
    return checksum_of(data, start)


def masked_crc32c(data):
    """The checksum in the form in which files store it: a checksum of checksums would be weak otherwise."""
    cdef uint32_t crc = checksum_of(data, 0)
    return <uint32_t> (((crc >> 15) | (crc << 17)) + <uint32_t> 0xA282EAD8)
