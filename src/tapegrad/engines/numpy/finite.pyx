"""Whether an array holds NaN or infinity.

Such a number has all bits of its exponent set, so integers are compared, and the loops have no branch.
"""

cimport numpy as cnp
from libc.stdint cimport uint16_t, uint32_t, uint64_t

import numpy as np

from tapegrad.engines.numpy.conversions cimport is_bfloat16
from tapegrad.engines.numpy.types cimport NPY_HALF

cnp.import_array()

ctypedef fused Bits:
    uint16_t
    uint32_t
    uint64_t

cdef enum:
    BLOCK = 8192                # elements between two looks at the answer


cdef bint exponents_are_lower(const Bits* x, cnp.npy_intp n, Bits exponent) noexcept nogil:
    cdef cnp.npy_intp start = 0, stop, i
    cdef Bits special
    while start < n:
        stop = min(start + BLOCK, n)
        special = 0
        for i in range(start, stop):
            special |= <Bits>((x[i] & exponent) == exponent)
        if special != 0:
            return False
        start = stop
    return True


cdef bint all_finite(cnp.ndarray x) except -1:
    cdef cnp.npy_intp n = cnp.PyArray_SIZE(x)
    cdef int kind = cnp.PyArray_TYPE(x)
    cdef void* data = cnp.PyArray_DATA(x)
    cdef bint answer
    if cnp.PyTypeNum_ISINTEGER(kind) or cnp.PyTypeNum_ISBOOL(kind):
        return True
    # Of what is no array of texts or of pieces, in one piece of memory: the elements may lie in any order there.
    if cnp.PyArray_IS_C_CONTIGUOUS(x) or cnp.PyArray_IS_F_CONTIGUOUS(x):
        if kind == cnp.NPY_FLOAT:
            with nogil:
                answer = exponents_are_lower(<const uint32_t*>data, n, <uint32_t>0x7F800000)
            return answer
        if kind == cnp.NPY_DOUBLE:
            with nogil:
                answer = exponents_are_lower(<const uint64_t*>data, n, <uint64_t>0x7FF0000000000000)
            return answer
        if kind == NPY_HALF:
            return exponents_are_lower(<const uint16_t*>data, n, <uint16_t>0x7C00)
        if is_bfloat16(x):
            return exponents_are_lower(<const uint16_t*>data, n, <uint16_t>0x7F80)
    if cnp.PyTypeNum_ISFLOAT(kind) or cnp.PyTypeNum_ISCOMPLEX(kind) or cnp.PyTypeNum_ISUSERDEF(kind):
        return bool(np.isfinite(x).all())
    return True
