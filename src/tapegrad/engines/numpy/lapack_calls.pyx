"""The functions of LAPACK in the OpenBLAS that NumPy has loaded, which `factors` and `orthogonal` call directly.

LAPACK keeps to the thread that calls it (`lapack`), and our own threads share the matrices of a batch, or parts of a
large one. LAPACK counts rows down columns, so it sees a matrix transposed as it lies.
"""

cimport numpy as cnp

import os

from tapegrad.engines.numpy.blas cimport Blas, blas_for, enter, leave
from tapegrad.engines.numpy.threads cimport parallel
from tapegrad.engines.numpy.transposed cimport transpose_doubles, transpose_floats
from tapegrad.engines.system cimport loaded_library, symbol_of

cnp.import_array()

cdef bint looked_for = False
cdef bint there = False

cdef enum:
    MOST_AXES = 32
    GRAIN = 20_000              # multiplications for which a thread is worth it


cdef void* symbol(void* library, str name) except? NULL:
    """A function of the library; where there is none, not all of LAPACK is `there`."""
    global there
    cdef void* function = symbol_of(library, name.encode())
    if function == NULL:
        there = False
    return function


cdef bint find_functions() except -1:
    """Whether the library that NumPy multiplies with has LAPACK's functions, with integers of 64 bits."""
    global looked_for, there
    cdef void* library
    if looked_for:
        return there
    looked_for = True
    if os.environ.get("TAPEGRAD_BLAS") == "numpy":
        return False
    try:
        from numpy._core import _multiarray_umath as extension
    except ImportError:
        return False
    library = loaded_library(os.fsencode(extension.__file__))
    if library == NULL:
        return False
    for before in ("scipy_", ""):
        there = True
        for i in range(2):
            letter = "sd"[i]
            lapack.potrf[i] = <Potrf>symbol(library, f"{before}{letter}potrf_64_")
            lapack.getrf[i] = <Getrf>symbol(library, f"{before}{letter}getrf_64_")
            lapack.geqrf[i] = <Geqrf>symbol(library, f"{before}{letter}geqrf_64_")
            lapack.orgqr[i] = <Orgqr>symbol(library, f"{before}{letter}orgqr_64_")
            lapack.syevd[i] = <Syevd>symbol(library, f"{before}{letter}syevd_64_")
            lapack.sytrd[i] = <Sytrd>symbol(library, f"{before}{letter}sytrd_64_")
            lapack.stedc[i] = <Stedc>symbol(library, f"{before}{letter}stedc_64_")
            lapack.ormtr[i] = <Ormtr>symbol(library, f"{before}{letter}ormtr_64_")
            lapack.gesdd[i] = <Gesdd>symbol(library, f"{before}{letter}gesdd_64_")
        if there:
            return True
    return False


cdef const Blas* usable(cnp.ndarray matrix) except? NULL:
    """The BLAS if it can be called for ``matrix``; NULL for other dtypes, and where several threads may not call it."""
    cdef const Blas* blas
    cdef int type_num = cnp.PyArray_TYPE(matrix)
    if (type_num != cnp.NPY_FLOAT and type_num != cnp.NPY_DOUBLE or cnp.PyArray_NDIM(matrix) < 2
            or cnp.PyArray_NDIM(matrix) > MOST_AXES or cnp.PyArray_SIZE(matrix) == 0 or not find_functions()):
        return NULL
    blas = blas_for(1, 1, 1)
    return blas if blas.shared else NULL


cdef void share(void (*body)(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil, void* work,
                const Blas* blas, cnp.npy_intp units, double multiplications) noexcept:
    """Run ``body`` over ``units`` that take so many multiplications each."""
    if units * multiplications < 2 * GRAIN:
        enter(blas)
        body(work, 0, units)
        leave(blas)
        return
    with nogil:
        enter(blas)
        parallel(body, work, units, max(<cnp.npy_intp>1, <cnp.npy_intp>(GRAIN / multiplications)))
        leave(blas)


cdef void transpose_copy(bint is_double, cnp.npy_intp rows, cnp.npy_intp columns, const void* source, cnp.npy_intp step, void* out,
               cnp.npy_intp out_step) noexcept nogil:
    if is_double:
        transpose_doubles(rows, columns, <const double*>source, step, <double*>out, out_step)
    else:
        transpose_floats(rows, columns, <const float*>source, step, <float*>out, out_step)


cdef bint is_square(cnp.ndarray matrix) noexcept:
    cdef int ndim = cnp.PyArray_NDIM(matrix)
    return cnp.PyArray_DIMS(matrix)[ndim - 1] == cnp.PyArray_DIMS(matrix)[ndim - 2]
