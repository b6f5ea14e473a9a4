cimport numpy as cnp

from tapegrad.engines.numpy.blas cimport Blas

cdef enum:
    LINE = 64                   # bytes of a cache line

cdef extern from "triangles.h" nogil:
    ctypedef struct Triangles "tapegrad_triangles":
        void (*substitute)(const void* triangle, cnp.npy_intp row, cnp.npy_intp column, cnp.npy_intp n, int ones,
                           void* sides, cnp.npy_intp step, cnp.npy_intp columns) noexcept nogil

cdef struct Numbers:
    bint is_double
    cnp.npy_intp item           # bytes of a number
    const Blas* blas
    const Triangles* kernels

cdef Numbers numbers_of(cnp.ndarray array, const Blas* blas) noexcept

# C - A B in the place of C; A lies `turned`, column by column.
cdef void subtract_product(const Numbers* numbers, cnp.npy_intp m, cnp.npy_intp n, cnp.npy_intp k, const char* a,
                           cnp.npy_intp lda, bint turned, const char* b, cnp.npy_intp ldb, char* c,
                           cnp.npy_intp ldc) noexcept nogil

# The solution, in the place of the right-hand sides, by a triangle of `matrix`, whose rows lie `step` elements apart, or by
# its transpose.
cdef void solve_triangle(const Numbers* numbers, const char* matrix, cnp.npy_intp step, bint lower, bint transposed,
                         cnp.npy_intp n, bint ones, char* sides, cnp.npy_intp sides_step,
                         cnp.npy_intp columns) noexcept nogil

cdef struct Sides:
    Numbers numbers
    bint lower, transposed
    const char* matrices
    char* sides                 # the right-hand sides, which become the solutions
    cnp.npy_intp n, columns, width, blocks
    bint one_matrix             # for all right-hand sides

# A block of columns of one of the matrices of right-hand sides.
cdef struct Block:
    cnp.npy_intp index, column, width
    char* first

cdef inline Block block_of(const Sides* work, Py_ssize_t unit) noexcept nogil:
    cdef Block block
    block.index = unit // work.blocks
    block.column = (unit - block.index * work.blocks) * work.width
    block.width = min(work.width, work.columns - block.column)
    block.first = work.sides + (block.index * work.n * work.columns + block.column) * work.numbers.item
    return block

cdef void describe_sides(Sides* work, cnp.npy_intp n, cnp.ndarray sides) noexcept

cdef bint same_batch(cnp.ndarray x, cnp.ndarray y) noexcept

# A new C-contiguous array of the same numbers.
cdef cnp.ndarray copy_of(cnp.ndarray array)
