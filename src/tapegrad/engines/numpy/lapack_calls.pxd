cimport numpy as cnp
from libc.stdint cimport int64_t

from tapegrad.engines.numpy.blas cimport Blas

# Fortran's functions take pointers, and after them the length of each text.
ctypedef void (*Potrf)(const char*, const int64_t*, void*, const int64_t*, int64_t*, size_t) noexcept nogil
ctypedef void (*Getrf)(
    const int64_t*, const int64_t*, void*, const int64_t*, int64_t*, int64_t*) noexcept nogil
ctypedef void (*Geqrf)(const int64_t*, const int64_t*, void*, const int64_t*, void*, void*, const int64_t*,
                       int64_t*) noexcept nogil
ctypedef void (*Orgqr)(const int64_t*, const int64_t*, const int64_t*, void*, const int64_t*, const void*, void*,
                       const int64_t*, int64_t*) noexcept nogil
ctypedef void (*Syevd)(const char*, const char*, const int64_t*, void*, const int64_t*, void*, void*, const int64_t*,
                       int64_t*, const int64_t*, int64_t*, size_t, size_t) noexcept nogil
ctypedef void (*Sytrd)(const char*, const int64_t*, void*, const int64_t*, void*, void*, void*, void*, const int64_t*,
                       int64_t*, size_t) noexcept nogil
ctypedef void (*Stedc)(const char*, const int64_t*, void*, void*, void*, const int64_t*, void*, const int64_t*, int64_t*,
                       const int64_t*, int64_t*, size_t) noexcept nogil
ctypedef void (*Ormtr)(const char*, const char*, const char*, const int64_t*, const int64_t*, const void*, const int64_t*,
                       const void*, void*, const int64_t*, void*, const int64_t*, int64_t*, size_t, size_t,
                       size_t) noexcept nogil
ctypedef void (*Gesdd)(const char*, const int64_t*, const int64_t*, void*, const int64_t*, void*, void*, const int64_t*,
                       void*, const int64_t*, void*, const int64_t*, int64_t*, int64_t*, size_t) noexcept nogil

cdef struct Functions:
    Potrf potrf[2]
    Getrf getrf[2]
    Geqrf geqrf[2]
    Orgqr orgqr[2]
    Syevd syevd[2]
    Sytrd sytrd[2]
    Stedc stedc[2]
    Ormtr ormtr[2]
    Gesdd gesdd[2]

# LAPACK's functions, once `usable` has found a library.
cdef Functions lapack

# The BLAS if it can be called for `matrix`; NULL for other dtypes, and where several threads may not call it.
cdef const Blas* usable(cnp.ndarray matrix) except? NULL

# Run `body` over `units` that take so many multiplications each.
cdef void share(void (*body)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil, void* work,
                const Blas* blas, cnp.npy_intp units, double multiplications) noexcept

# Write the transpose of a matrix to `out`. Rows of the two lie so many elements apart.
cdef void transpose_copy(bint is_double, cnp.npy_intp rows, cnp.npy_intp columns, const void* source, cnp.npy_intp step, void* out,
               cnp.npy_intp out_step) noexcept nogil

cdef bint is_square(cnp.ndarray matrix) noexcept
