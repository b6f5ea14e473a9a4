"""Triangular solutions, as a lane of their op and for `factors`.

Our own threads share the right-hand sides, cut into blocks of columns at places that depend on the shape alone, so that
any number of threads gives the same bits. A triangle is halved until `triangles.h` takes it; products do the rest.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.string cimport memcpy

from tapegrad.engines.numpy.blas cimport TRANSPOSED, Blas, Matrices, gemm
from tapegrad.engines.numpy.buffers cimport empty_like
from tapegrad.engines.numpy.copies cimport plain
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.lapack_calls cimport is_square, share, usable
from tapegrad.engines.numpy.levels cimport level

cnp.import_array()

cdef extern from "triangles.h" nogil:
    enum:
        TRIANGLE "TAPEGRAD_TRIANGLE"

    const Triangles* triangles_at "tapegrad_triangles_at" (bint is_double, int level) noexcept

cdef enum:
    COLUMNS = 64                # of a right-hand side, which are solved together


cdef Numbers numbers_of(cnp.ndarray array, const Blas* blas) noexcept:
    cdef Numbers numbers
    numbers.is_double = cnp.PyArray_TYPE(array) == cnp.NPY_DOUBLE
    numbers.item = 8 if numbers.is_double else 4
    numbers.blas = blas
    numbers.kernels = triangles_at(numbers.is_double, level)
    return numbers


cdef void subtract_product(const Numbers* numbers, cnp.npy_intp m, cnp.npy_intp n, cnp.npy_intp k, const char* a,
                           cnp.npy_intp lda, bint turned, const char* b, cnp.npy_intp ldb, char* c,
                           cnp.npy_intp ldc) noexcept nogil:
    """C - A B in the place of C; A lies `turned`, column by column."""
    cdef Matrices product
    if m == 0:
        return
    product.type = numbers.is_double
    product.a_layout, product.b_layout = TRANSPOSED if turned else 0, 0
    product.m, product.n, product.k = m, n, k
    product.a, product.b, product.c = a, b, c
    product.lda, product.ldb, product.ldc = lda, ldb, ldc
    product.adds, product.scale = True, -1
    gemm(numbers.blas, &product)


cdef void substitute(const Numbers* numbers, const char* triangle, cnp.npy_intp row, cnp.npy_intp column,
                     cnp.npy_intp n, bint ones, char* sides, cnp.npy_intp step, cnp.npy_intp columns) noexcept nogil:
    """The solution of L X = B in the place of B; the steps are those of `triangles.h`, one of L's is 1 or -1."""
    cdef cnp.npy_intp top, rest, item = numbers.item, behind
    cdef const char* below
    if n <= TRIANGLE:
        numbers.kernels.substitute(triangle, row, column, n, ones, sides, step, columns)
        return
    top = (n // 2 + TRIANGLE - 1) // TRIANGLE * TRIANGLE
    rest = n - top
    substitute(numbers, triangle, row, column, top, ones, sides, step, columns)
    if step > 0:
        below = triangle + top * row * item
        subtract_product(numbers, rest, columns, top, below, max(row, column), row == 1, sides, step,
                         sides + top * step * item, step)
    else:                       # products count rows and columns up: from the last ones
        below = triangle + ((n - 1) * row + (top - 1) * column) * item
        behind = (top - 1) * step * item
        subtract_product(numbers, rest, columns, top, below, -min(row, column), row == -1, sides + behind, -step,
                         sides + (n - 1) * step * item, -step)
    substitute(numbers, triangle + top * (row + column) * item, row, column, rest, ones, sides + top * step * item, step,
               columns)


cdef void solve_triangle(const Numbers* numbers, const char* matrix, cnp.npy_intp step, bint lower, bint transposed,
                         cnp.npy_intp n, bint ones, char* sides, cnp.npy_intp sides_step,
                         cnp.npy_intp columns) noexcept nogil:
    """The solution by a triangle of `matrix`, whose rows lie `step` elements apart, or by its transpose."""
    cdef cnp.npy_intp row = 1 if transposed else step, column = step if transposed else 1, last = (n - 1) * numbers.item
    if lower != transposed:
        substitute(numbers, matrix, row, column, n, ones, sides, sides_step, columns)
    else:
        substitute(numbers, matrix + last * (step + 1), -row, -column, n, ones, sides + last * sides_step, -sides_step,
                   columns)


cdef cnp.npy_intp width_of_blocks(cnp.npy_intp columns, cnp.npy_intp item) noexcept nogil:
    """How many columns are solved together: about as many as COLUMNS, in an even number of blocks of whole cache lines."""
    cdef cnp.npy_intp line = LINE // item, blocks = (columns + COLUMNS - 1) // COLUMNS
    if blocks < 2:
        return columns
    blocks += blocks % 2
    return (columns + blocks * line - 1) // (blocks * line) * line


cdef void describe_sides(Sides* work, cnp.npy_intp n, cnp.ndarray sides) noexcept:
    work.sides = cnp.PyArray_BYTES(sides)
    work.n = n
    work.columns = cnp.PyArray_DIMS(sides)[cnp.PyArray_NDIM(sides) - 1]
    work.width = width_of_blocks(work.columns, work.numbers.item)
    work.blocks = (work.columns + work.width - 1) // work.width


cdef void run_triangles(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Sides* work = <Sides*>context
    cdef cnp.npy_intp size = 0 if work.one_matrix else work.n * work.n * work.numbers.item, unit
    cdef Block block
    for unit in range(begin, end):
        block = block_of(work, unit)
        solve_triangle(&work.numbers, work.matrices + block.index * size, work.n, work.lower, work.transposed, work.n, False,
                       block.first, work.columns, block.width)


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
    cdef cnp.ndarray source = plain(array), out = empty_like(source)
    memcpy(cnp.PyArray_DATA(out), cnp.PyArray_DATA(source), cnp.PyArray_NBYTES(source))
    return out


cdef object run_triangular_solve(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray matrix = <cnp.ndarray>arrays[0], sides = <cnp.ndarray>arrays[1], out
    cdef const Blas* blas
    cdef int ndim = cnp.PyArray_NDIM(sides)
    cdef cnp.npy_intp n
    cdef Sides work
    if cnp.PyArray_TYPE(matrix) != cnp.PyArray_TYPE(sides) or cnp.PyArray_SIZE(sides) == 0 or ndim < 2:
        return None
    blas = usable(matrix)
    if blas == NULL:
        return None
    n = cnp.PyArray_DIMS(matrix)[cnp.PyArray_NDIM(matrix) - 1]
    work.one_matrix = cnp.PyArray_NDIM(matrix) == 2
    if (not is_square(matrix) or cnp.PyArray_DIMS(sides)[ndim - 2] != n
            or not (work.one_matrix or same_batch(matrix, sides))):
        return None
    matrix = plain(matrix)
    out = copy_of(sides)
    work.numbers = numbers_of(matrix, blas)
    work.lower, work.transposed = attributes[0], attributes[1]
    work.matrices = cnp.PyArray_BYTES(matrix)
    describe_sides(&work, n, out)
    share(run_triangles, &work, blas, cnp.PyArray_SIZE(sides) // (n * work.columns) * work.blocks,
          <double>n * n * work.width)
    return out


triangular_solve: Lane = lane(run_triangular_solve)
