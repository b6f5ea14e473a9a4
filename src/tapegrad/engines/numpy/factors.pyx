"""Triangular solutions, factors, inverses and determinants by NumPy's own LAPACK, as lanes of their ops.

LAPACK is called directly, on arrays as they lie. It keeps to the thread that calls it (`lapack`), and our own threads
share the matrices of a batch, or blocks of columns of one large right-hand side. Blocks are cut at places that depend
on the shape alone, so that any number of threads gives the same bits. LAPACK counts rows down columns, so it sees every
matrix transposed.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.math cimport fabs, log
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

import os

from tapegrad.engines.numpy.blas cimport Blas, blas_for, enter, leave
from tapegrad.engines.numpy.buffers cimport empty_like, new_array
from tapegrad.engines.numpy.copies cimport descr_of, plain
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.threads cimport parallel
from tapegrad.engines.numpy.transposed cimport transpose_doubles, transpose_floats

cnp.import_array()

cdef extern from "dlfcn.h" nogil:
    void* dlopen(const char* path, int mode)
    void* dlsym(void* library, const char* name)
    enum:
        RTLD_LAZY
        RTLD_NOLOAD

cdef bint looked_for = False
cdef bint there = False

cdef enum:
    MOST_AXES = 32
    ROW_MAJOR = 101
    PLAIN = 111                 # of cblas: not transposed
    TRANSPOSED = 112
    UPPER = 121
    LOWER = 122
    GIVEN_DIAGONAL = 131
    DIAGONAL_OF_ONES = 132
    LEFT = 141
    COLUMNS = 64                # of a right-hand side, which are solved together
    GRAIN = 20_000              # multiplications for which a thread is worth it
    WORK = 64                   # numbers for each row that an inverse takes besides


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
    library = dlopen(os.fsencode(extension.__file__), RTLD_LAZY | RTLD_NOLOAD)
    if library == NULL:
        return False
    for before in ("scipy_", ""):
        for i in range(2):
            letter = "sd"[i]
            lapack.potrf[i] = <Potrf>dlsym(library, f"{before}{letter}potrf_64_".encode())
            lapack.getrf[i] = <Getrf>dlsym(library, f"{before}{letter}getrf_64_".encode())
            lapack.getri[i] = <Getri>dlsym(library, f"{before}{letter}getri_64_".encode())
            lapack.geqrf[i] = <Geqrf>dlsym(library, f"{before}{letter}geqrf_64_".encode())
            lapack.orgqr[i] = <Orgqr>dlsym(library, f"{before}{letter}orgqr_64_".encode())
            lapack.syevd[i] = <Syevd>dlsym(library, f"{before}{letter}syevd_64_".encode())
            lapack.sytrd[i] = <Sytrd>dlsym(library, f"{before}{letter}sytrd_64_".encode())
            lapack.stedc[i] = <Stedc>dlsym(library, f"{before}{letter}stedc_64_".encode())
            lapack.ormtr[i] = <Ormtr>dlsym(library, f"{before}{letter}ormtr_64_".encode())
            lapack.gesdd[i] = <Gesdd>dlsym(library, f"{before}{letter}gesdd_64_".encode())
        lapack.strsm = <StrsmC>dlsym(library, f"{before}cblas_strsm64_".encode())
        lapack.dtrsm = <DtrsmC>dlsym(library, f"{before}cblas_dtrsm64_".encode())
        there = (lapack.strsm != NULL and lapack.dtrsm != NULL
                 and lapack.potrf[0] != NULL and lapack.potrf[1] != NULL
                 and lapack.getrf[0] != NULL and lapack.getrf[1] != NULL
                 and lapack.getri[0] != NULL and lapack.getri[1] != NULL
                 and lapack.geqrf[0] != NULL and lapack.geqrf[1] != NULL
                 and lapack.orgqr[0] != NULL and lapack.orgqr[1] != NULL
                 and lapack.syevd[0] != NULL and lapack.syevd[1] != NULL
                 and lapack.sytrd[0] != NULL and lapack.sytrd[1] != NULL
                 and lapack.stedc[0] != NULL and lapack.stedc[1] != NULL
                 and lapack.ormtr[0] != NULL and lapack.ormtr[1] != NULL
                 and lapack.gesdd[0] != NULL and lapack.gesdd[1] != NULL)
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


# --- Triangular systems -----------------------------------------------------------------------------------

cdef struct Triangles:
    bint is_double
    bint lower, transposed
    const char* matrices
    char* sides                 # the right-hand sides, which become the solutions
    cnp.npy_intp n, columns, blocks
    bint one_matrix             # for all right-hand sides


cdef inline void solve_triangle(bint is_double, bint lower, bint transposed, bint ones, cnp.npy_intp n,
                                cnp.npy_intp columns, const void* matrix, char* sides, cnp.npy_intp step) noexcept nogil:
    cdef int triangle = LOWER if lower else UPPER, turn = TRANSPOSED if transposed else PLAIN
    cdef int diagonal = DIAGONAL_OF_ONES if ones else GIVEN_DIAGONAL
    if is_double:
        lapack.dtrsm(ROW_MAJOR, LEFT, triangle, turn, diagonal, n, columns, 1.0, matrix, n, sides, step)
    else:
        lapack.strsm(ROW_MAJOR, LEFT, triangle, turn, diagonal, n, columns, 1.0, matrix, n, sides, step)


cdef void run_triangles(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Triangles* work = <Triangles*>context
    cdef cnp.npy_intp item = 8 if work.is_double else 4, unit, index, column
    for unit in range(begin, end):
        index = unit // work.blocks
        column = (unit - index * work.blocks) * COLUMNS
        solve_triangle(
            work.is_double, work.lower, work.transposed, False, work.n, min(<cnp.npy_intp>COLUMNS, work.columns - column),
            work.matrices + (0 if work.one_matrix else index * work.n * work.n * item),
            work.sides + (index * work.n * work.columns + column) * item, work.columns)


cdef bint same_batch(cnp.ndarray x, cnp.ndarray y) noexcept:
    cdef int i
    if cnp.PyArray_NDIM(x) != cnp.PyArray_NDIM(y):
        return False
    for i in range(cnp.PyArray_NDIM(x) - 2):
        if cnp.PyArray_DIMS(x)[i] != cnp.PyArray_DIMS(y)[i]:
            return False
    return True


cdef cnp.ndarray copy_of(cnp.ndarray array):
    """A new C-contiguous array of the same numbers."""
    cdef cnp.ndarray given = plain(array), out = empty_like(given)
    memcpy(cnp.PyArray_DATA(out), cnp.PyArray_DATA(given), cnp.PyArray_NBYTES(given))
    return out


cdef object run_triangular_solve(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray matrix = <cnp.ndarray>arrays[0], sides = <cnp.ndarray>arrays[1], out
    cdef const Blas* blas
    cdef int ndim = cnp.PyArray_NDIM(sides)
    cdef Triangles work
    if cnp.PyArray_TYPE(matrix) != cnp.PyArray_TYPE(sides) or cnp.PyArray_SIZE(sides) == 0 or ndim < 2:
        return None
    blas = usable(matrix)
    if blas == NULL:
        return None
    work.n = cnp.PyArray_DIMS(matrix)[cnp.PyArray_NDIM(matrix) - 1]
    work.one_matrix = cnp.PyArray_NDIM(matrix) == 2
    if (cnp.PyArray_DIMS(matrix)[cnp.PyArray_NDIM(matrix) - 2] != work.n
            or cnp.PyArray_DIMS(sides)[ndim - 2] != work.n
            or not (work.one_matrix or same_batch(matrix, sides))):
        return None
    matrix = plain(matrix)
    out = copy_of(sides)
    work.is_double = cnp.PyArray_TYPE(matrix) == cnp.NPY_DOUBLE
    work.lower = attributes[0]
    work.transposed = attributes[1]
    work.matrices = cnp.PyArray_BYTES(matrix)
    work.sides = cnp.PyArray_BYTES(out)
    work.columns = cnp.PyArray_DIMS(sides)[ndim - 1]
    work.blocks = (work.columns + COLUMNS - 1) // COLUMNS
    share(run_triangles, &work, blas, cnp.PyArray_SIZE(sides) // (work.n * work.columns) * work.blocks,
          <double>work.n * work.n * min(<cnp.npy_intp>COLUMNS, work.columns))
    return out


# --- Factors ------------------------------------------------------------------------------------------------

cdef struct Matrices:
    bint is_double
    char* data
    cnp.npy_intp n
    int64_t* pivots
    char* sides
    cnp.npy_intp columns
    char* out                   # numbers, one for each matrix; or matrices
    char* second
    char* room                  # for inverses, WORK numbers for each row of each matrix
    int failed                  # set by any thread


cdef void turn(bint is_double, cnp.npy_intp rows, cnp.npy_intp columns, const void* source, void* out) noexcept nogil:
    """Write the transpose of a contiguous matrix to ``out``."""
    if is_double:
        transpose_doubles(rows, columns, <const double*>source, columns, <double*>out, rows)
    else:
        transpose_floats(rows, columns, <const float*>source, columns, <float*>out, rows)


cdef void run_cholesky(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Matrices* work = <Matrices*>context
    cdef cnp.npy_intp item = 8 if work.is_double else 4, index, row
    cdef int64_t n = work.n, info
    cdef char* matrix
    # OpenBLAS takes a quarter less time for lower triangles than for upper ones, and two copies take far less than that.
    cdef char* columns = <char*>malloc(n * n * item)
    if columns == NULL:
        work.failed = 1
        return
    for index in range(begin, end):
        matrix = work.out + index * n * n * item
        info = 0
        turn(work.is_double, n, n, work.data + index * n * n * item, columns)
        lapack.potrf[work.is_double](b"L", &n, columns, &n, &info, 1)
        if info != 0:
            work.failed = 1
        turn(work.is_double, n, n, columns, matrix)
        for row in range(n):
            memset(matrix + (row * n + row + 1) * item, 0, (n - row - 1) * item)
    free(columns)


cdef void run_factors(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """LU factors of each matrix in its place."""
    cdef Matrices* work = <Matrices*>context
    cdef cnp.npy_intp item = 8 if work.is_double else 4, index
    cdef int64_t n = work.n, info
    for index in range(begin, end):
        info = 0
        lapack.getrf[work.is_double](
            &n, &n, work.data + index * n * n * item, &n, work.pivots + index * n, &info)
        if info != 0:
            work.failed = 1


cdef void run_inverses(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Matrices* work = <Matrices*>context
    cdef cnp.npy_intp item = 8 if work.is_double else 4, index
    cdef int64_t n = work.n, info, size = WORK * work.n
    run_factors(context, begin, end)
    if work.failed:
        return
    for index in range(begin, end):
        info = 0
        lapack.getri[work.is_double](
            &n, work.data + index * n * n * item, &n, work.pivots + index * n, work.room + index * size * item, &size,
            &info)
        if work.is_double:
            without_negative_zeros(<double*>(work.data + index * n * n * item), n * n)
        else:
            without_negative_zeros(<float*>(work.data + index * n * n * item), n * n)


ctypedef fused real:
    float
    double


cdef void without_negative_zeros(real* numbers, cnp.npy_intp count) noexcept nogil:
    cdef cnp.npy_intp i
    for i in range(count):
        numbers[i] += 0


cdef void run_solutions(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Solutions for blocks of columns, given the factors. LAPACK saw the transpose of A: A = U' L' P'."""
    cdef Matrices* work = <Matrices*>context
    cdef cnp.npy_intp item = 8 if work.is_double else 4, unit, index, column, width, row, other, i
    cdef cnp.npy_intp blocks = (work.columns + COLUMNS - 1) // COLUMNS
    cdef char* sides
    cdef char* factors
    cdef double kept[64]        # COLUMNS
    for unit in range(begin, end):
        index = unit // blocks
        column = (unit - index * blocks) * COLUMNS
        width = min(<cnp.npy_intp>COLUMNS, work.columns - column)
        sides = work.sides + (index * work.n * work.columns + column) * item
        factors = work.data + index * work.n * work.n * item
        solve_triangle(work.is_double, True, False, False, work.n, width, factors, sides, work.columns)
        solve_triangle(work.is_double, False, False, True, work.n, width, factors, sides, work.columns)
        for i in range(work.n):
            row = work.n - 1 - i
            other = work.pivots[index * work.n + row] - 1
            if other != row:
                memcpy(kept, sides + row * work.columns * item, width * item)
                memcpy(sides + row * work.columns * item, sides + other * work.columns * item, width * item)
                memcpy(sides + other * work.columns * item, kept, width * item)


cdef void run_determinants(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """The determinant of each matrix; or its sign and the logarithm of its size, where `second` is given."""
    cdef Matrices* work = <Matrices*>context
    cdef cnp.npy_intp item = 8 if work.is_double else 4, index, i
    cdef double factor, product, logarithm
    run_factors(context, begin, end)
    for index in range(begin, end):
        product = 1
        logarithm = 0
        for i in range(work.n):
            if work.is_double:
                factor = (<double*>(work.data + index * work.n * work.n * item))[i * (work.n + 1)]
            else:
                factor = (<float*>(work.data + index * work.n * work.n * item))[i * (work.n + 1)]
            if work.pivots[index * work.n + i] != i + 1:
                factor = -factor
            if work.second == NULL:
                product *= factor
            else:
                product = -product if factor < 0 else product if factor > 0 else 0 if factor == 0 else factor
                logarithm += log(fabs(factor))
        if work.is_double:
            (<double*>work.out)[index] = product
        else:
            (<float*>work.out)[index] = <float>product
        if work.second != NULL:
            if work.is_double:
                (<double*>work.second)[index] = logarithm
            else:
                (<float*>work.second)[index] = <float>logarithm


cdef bint is_square(cnp.ndarray matrix) noexcept:
    cdef int ndim = cnp.PyArray_NDIM(matrix)
    return cnp.PyArray_DIMS(matrix)[ndim - 1] == cnp.PyArray_DIMS(matrix)[ndim - 2]


cdef int describe(Matrices* work, cnp.ndarray matrices) noexcept:
    work.is_double = cnp.PyArray_TYPE(matrices) == cnp.NPY_DOUBLE
    work.data = cnp.PyArray_BYTES(matrices)
    work.n = cnp.PyArray_DIMS(matrices)[cnp.PyArray_NDIM(matrices) - 1]
    work.failed = 0
    work.second = NULL
    return 0


cdef object run_cholesky_factors(PyObject** arrays, int count, tuple attributes):
    """Cholesky factors; None where one of the matrices is not positive definite."""
    cdef cnp.ndarray matrix = <cnp.ndarray>arrays[0], out
    cdef const Blas* blas = usable(matrix)
    cdef Matrices work
    if blas == NULL or not is_square(matrix):
        return None
    matrix = plain(matrix)
    out = empty_like(matrix)
    describe(&work, matrix)
    work.out = cnp.PyArray_BYTES(out)
    share(run_cholesky, &work, blas, cnp.PyArray_SIZE(out) // (work.n * work.n), <double>work.n * work.n * work.n / 3)
    return None if work.failed else out


cdef object run_inverse(PyObject** arrays, int count, tuple attributes):
    """Inverses; None where one of the matrices is singular."""
    cdef cnp.ndarray matrix = <cnp.ndarray>arrays[0], out
    cdef const Blas* blas = usable(matrix)
    cdef Matrices work
    cdef cnp.npy_intp batch
    if blas == NULL or not is_square(matrix):
        return None
    if attributes[0]:
        matrix = (<object>matrix).swapaxes(-1, -2)
    out = copy_of(matrix)
    describe(&work, out)
    batch = cnp.PyArray_SIZE(out) // (work.n * work.n)
    work.pivots = <int64_t*>malloc(batch * work.n * sizeof(int64_t))
    work.room = <char*>malloc(batch * work.n * WORK * sizeof(double))
    if work.pivots == NULL or work.room == NULL:
        free(work.pivots)
        free(work.room)
        return None
    share(run_inverses, &work, blas, batch, <double>work.n * work.n * work.n)
    free(work.pivots)
    free(work.room)
    return None if work.failed else out


cdef object run_solve(PyObject** arrays, int count, tuple attributes):
    """Solutions of linear systems; None where one of the matrices is singular."""
    cdef cnp.ndarray matrix = <cnp.ndarray>arrays[0], sides = <cnp.ndarray>arrays[1], factors, out
    cdef const Blas* blas
    cdef Matrices work
    cdef cnp.npy_intp batch
    cdef int ndim = cnp.PyArray_NDIM(sides)
    if cnp.PyArray_TYPE(matrix) != cnp.PyArray_TYPE(sides) or cnp.PyArray_SIZE(sides) == 0 or ndim < 2:
        return None
    blas = usable(matrix)
    if (blas == NULL or not is_square(matrix) or not same_batch(matrix, sides)
            or cnp.PyArray_DIMS(sides)[ndim - 2] != cnp.PyArray_DIMS(matrix)[ndim - 1]):
        return None
    if attributes[0]:
        matrix = (<object>matrix).swapaxes(-1, -2)
    factors = copy_of(matrix)
    describe(&work, factors)
    batch = cnp.PyArray_SIZE(factors) // (work.n * work.n)
    work.pivots = <int64_t*>malloc(batch * work.n * sizeof(int64_t))
    if work.pivots == NULL:
        return None
    share(run_factors, &work, blas, batch, <double>work.n * work.n * work.n)
    if work.failed:
        free(work.pivots)
        return None
    out = copy_of(sides)
    work.sides = cnp.PyArray_BYTES(out)
    work.columns = cnp.PyArray_DIMS(sides)[ndim - 1]
    share(run_solutions, &work, blas, batch * ((work.columns + COLUMNS - 1) // COLUMNS),
          2 * <double>work.n * work.n * min(<cnp.npy_intp>COLUMNS, work.columns))
    free(work.pivots)
    return out


cdef object determinants(cnp.ndarray matrix, bint with_logarithms):
    cdef const Blas* blas = usable(matrix)
    cdef cnp.ndarray factors, out, second = None
    cdef Matrices work
    cdef cnp.npy_intp batch
    if blas == NULL or not is_square(matrix):
        return None
    factors = copy_of(matrix)
    describe(&work, factors)
    batch = cnp.PyArray_SIZE(factors) // (work.n * work.n)
    out = new_array(descr_of(factors), cnp.PyArray_NDIM(factors) - 2, cnp.PyArray_DIMS(factors))
    work.out = cnp.PyArray_BYTES(out)
    if with_logarithms:
        second = new_array(descr_of(factors), cnp.PyArray_NDIM(factors) - 2, cnp.PyArray_DIMS(factors))
        work.second = cnp.PyArray_BYTES(second)
    work.pivots = <int64_t*>malloc(batch * work.n * sizeof(int64_t))
    if work.pivots == NULL:
        return None
    share(run_determinants, &work, blas, batch, <double>work.n * work.n * work.n / 3)
    free(work.pivots)
    return (out, second) if with_logarithms else out


cdef object run_determinant(PyObject** arrays, int count, tuple attributes):
    return determinants(<cnp.ndarray>arrays[0], False)


cdef object run_log_determinant(PyObject** arrays, int count, tuple attributes):
    return determinants(<cnp.ndarray>arrays[0], True)


triangular_solve: Lane = lane(run_triangular_solve)
cholesky: Lane = lane(run_cholesky_factors)
inverse: Lane = lane(run_inverse)
solve: Lane = lane(run_solve)
determinant: Lane = lane(run_determinant)
log_determinant: Lane = lane(run_log_determinant)
