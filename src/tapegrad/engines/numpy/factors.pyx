"""Factors, solutions, inverses and determinants, as lanes of their ops.

A large matrix is factored panel by panel, in a copy. LAPACK factors a panel, and our own threads share what it does to
the columns beside it. The thread that brings the next panel's columns up to date factors them at once, while others are
at the rest. Cuts depend on the shape alone, so that any number of threads gives the same bits.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.math cimport fabs, frexp, isfinite, ldexp, log
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from tapegrad.engines.numpy.blas cimport Blas, enter, leave
from tapegrad.engines.numpy.buffers cimport empty_like, new_array
from tapegrad.engines.numpy.copies cimport descr_of, plain
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.lapack_calls cimport is_square, lapack, share, transpose_copy, usable
from tapegrad.engines.numpy.threads cimport parallel
from tapegrad.engines.numpy.triangular cimport (
    LINE,
    Block,
    Numbers,
    Sides,
    block_of,
    copy_of,
    describe_sides,
    numbers_of,
    same_batch,
    solve_triangle,
    subtract_product,
)

cnp.import_array()

cdef enum:
    PANEL = 32                  # columns of a panel, and of one of a matrix that is too large for caches:
    WIDE_PANEL = 128
    LARGE = 1024                # rows of the largest matrix that is not
    SHARED = 160                # rows of a matrix that threads share
    BATCH = 8                   # of matrices that threads share one by one


cdef cnp.npy_intp width_of_panels(cnp.npy_intp n) noexcept nogil:
    return n if n <= PANEL else PANEL if n <= LARGE else WIDE_PANEL


cdef cnp.npy_intp step_of(cnp.npy_intp n, cnp.npy_intp item) noexcept nogil:
    """Elements from a row to the next: an odd number of cache lines, where there are several panels.

    Then two threads never write into one line, and rows do not crowd one set of the cache.
    """
    cdef cnp.npy_intp line = LINE // item
    return n if n <= PANEL else ((n + line - 1) // line | 1) * line


cdef char* aligned_to_line(char* memory) noexcept nogil:
    """The first place in ``memory`` where a cache line begins."""
    return memory + (LINE - <cnp.npy_intp>memory % LINE) % LINE


# --- A matrix as the product of triangles -----------------------------------------------------------------------

# P A = L U of each matrix of a batch: L below the diagonal of `data`, and U.
cdef struct Factored:
    Numbers numbers
    const char* source          # what is factored, as it lies
    char* data
    cnp.npy_intp n, batch, width
    cnp.npy_intp step, size     # elements from a row to the next, and of a matrix
    int64_t* pivots             # the row that is exchanged with each row, from 0 on
    char* room                  # for one panel
    bint lower                  # L is needed too, with its rows in order
    bint regular                # no pivot was zero
    bint failed                 # memory lacked
    cnp.npy_intp index, panel   # those that threads share
    char* out
    char* logarithms


cdef cnp.ndarray describe(Factored* work, cnp.ndarray matrices, const Blas* blas, bint lower):
    """Fill in ``work`` for these plain matrices. The array that it gives is its memory."""
    cdef cnp.npy_intp item, numbers, count
    cdef cnp.ndarray memory
    work.numbers = numbers_of(matrices, blas)
    work.source = cnp.PyArray_BYTES(matrices)
    work.n = cnp.PyArray_DIMS(matrices)[cnp.PyArray_NDIM(matrices) - 1]
    work.batch = cnp.PyArray_SIZE(matrices) // (work.n * work.n)
    work.lower, work.regular, work.failed = lower, True, False
    item = work.numbers.item
    work.width = width_of_panels(work.n)
    work.step = step_of(work.n, item)
    work.size = work.n * work.step
    numbers = (work.batch * work.size * item + LINE - 1) // LINE * LINE
    count = (LINE + numbers + work.batch * work.n * <cnp.npy_intp>sizeof(int64_t)) // item + 1 + work.n * work.width
    memory = new_array(descr_of(matrices), 1, &count)
    work.data = aligned_to_line(cnp.PyArray_BYTES(memory))
    work.pivots = <int64_t*>(work.data + numbers)
    work.room = <char*>(work.pivots + work.batch * work.n)
    return memory


cdef void factor_panel(Factored* work, cnp.npy_intp index, cnp.npy_intp panel, char* room) noexcept nogil:
    cdef cnp.npy_intp first = panel * work.width, i
    cdef int64_t rows = work.n - first, columns = min(work.width, work.n - first), info = 0
    cdef char* corner = work.data + (index * work.size + first * (work.step + 1)) * work.numbers.item
    cdef int64_t* pivots = work.pivots + index * work.n + first
    transpose_copy(work.numbers.is_double, rows, columns, corner, work.step, room, rows)
    lapack.getrf[work.numbers.is_double](&rows, &columns, room, &rows, pivots, &info)
    transpose_copy(work.numbers.is_double, columns, rows, room, rows, corner, work.step)
    for i in range(columns):    # whatever a search among NaNs found
        pivots[i] = first + max(<int64_t>i, min(pivots[i], rows) - 1)
    if info != 0:
        work.regular = False


cdef void exchange_rows(char* numbers, cnp.npy_intp step, cnp.npy_intp columns, const int64_t* pivots,
                        cnp.npy_intp begin, cnp.npy_intp end, cnp.npy_intp item) noexcept nogil:
    """`columns` of the rows begin .. end, each with that of its pivot, one after the other; at most WIDE_PANEL of them."""
    cdef char kept[1024]        # of WIDE_PANEL numbers
    cdef cnp.npy_intp row, other, bytes = columns * item
    for row in range(begin, end):
        other = pivots[row]
        if other != row:
            memcpy(kept, numbers + row * step * item, bytes)
            memcpy(numbers + row * step * item, numbers + other * step * item, bytes)
            memcpy(numbers + other * step * item, kept, bytes)


cdef void update_columns(Factored* work, cnp.npy_intp index, cnp.npy_intp panel, cnp.npy_intp block) noexcept nogil:
    """Do to a block of columns what a factored panel left of it says."""
    cdef cnp.npy_intp item = work.numbers.item, first = panel * work.width, end = min(first + work.width, work.n)
    cdef cnp.npy_intp columns = min(work.width, work.n - block * work.width), step = work.step
    cdef char* matrix = work.data + index * work.size * item
    cdef char* numbers = matrix + block * work.width * item
    exchange_rows(numbers, step, columns, work.pivots + index * work.n, first, end, item)
    solve_triangle(&work.numbers, matrix + first * (step + 1) * item, step, True, False, end - first, True,
                   numbers + first * step * item, step, columns)
    subtract_product(&work.numbers, work.n - end, columns, end - first, matrix + (end * step + first) * item, step, False,
                     numbers + first * step * item, step, numbers + end * step * item, step)


cdef void run_updates(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """The blocks right of the present panel. The first of them is the next panel."""
    cdef Factored* work = <Factored*>context
    cdef cnp.npy_intp unit
    for unit in range(begin, end):
        update_columns(work, work.index, work.panel, work.panel + 1 + unit)
        if unit == 0:
            factor_panel(work, work.index, work.panel + 1, work.room)


cdef void exchange_left(Factored* work, cnp.npy_intp index, cnp.npy_intp panel) noexcept nogil:
    """Exchange rows of a panel as those on its right say."""
    exchange_rows(work.data + (index * work.size + panel * work.width) * work.numbers.item, work.step, work.width,
                  work.pivots + index * work.n, (panel + 1) * work.width, work.n, work.numbers.item)


cdef void run_exchanges(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Factored* work = <Factored*>context
    cdef cnp.npy_intp panel
    for panel in range(begin, end):
        exchange_left(work, work.index, panel)


cdef void copy_rows(Factored* work, cnp.npy_intp index, cnp.npy_intp begin, cnp.npy_intp end) noexcept nogil:
    cdef cnp.npy_intp item = work.numbers.item, row
    cdef char* out = work.data + index * work.size * item
    cdef const char* source = work.source + index * work.n * work.n * item
    for row in range(begin, end):
        memcpy(out + row * work.step * item, source + row * work.n * item, work.n * item)


cdef void run_copies(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Factored* work = <Factored*>context
    copy_rows(work, work.index, begin, end)


cdef void factor_shared(Factored* work, cnp.npy_intp index) noexcept nogil:
    """Factor one large matrix, by all threads."""
    cdef cnp.npy_intp panels = (work.n + work.width - 1) // work.width, panel
    work.index = index
    parallel(run_copies, work, work.n, PANEL)
    factor_panel(work, index, 0, work.room)
    for panel in range(panels - 1):
        work.panel = panel
        parallel(run_updates, work, panels - 1 - panel, 1)
    if work.lower:
        parallel(run_exchanges, work, panels - 1, 1)


cdef void run_factors(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Factor some matrices of a batch, by one thread."""
    cdef Factored* work = <Factored*>context
    cdef cnp.npy_intp panels = (work.n + work.width - 1) // work.width, index, panel, block
    cdef char* room = work.room
    if end - begin < work.batch:
        room = <char*>malloc(work.n * work.width * work.numbers.item)
        if room == NULL:
            work.failed = True
            return
    for index in range(begin, end):
        copy_rows(work, index, 0, work.n)
        for panel in range(panels):
            factor_panel(work, index, panel, room)
            for block in range(panel + 1, panels):
                update_columns(work, index, panel, block)
        if work.lower:
            for panel in range(panels - 1):
                exchange_left(work, index, panel)
    if room != work.room:
        free(room)


cdef cnp.ndarray factor(Factored* work, cnp.ndarray matrices, bint transposed, const Blas* blas, bint lower):
    """Factor all of ``matrices``, or their transposes. The array that it gives is the memory of ``work``; None where it lacks."""
    cdef cnp.npy_intp index
    cdef cnp.ndarray memory
    if transposed:
        matrices = (<object>matrices).swapaxes(-1, -2)
    matrices = plain(matrices)
    memory = describe(work, matrices, blas, lower)
    if work.n < SHARED or work.batch >= BATCH:
        share(run_factors, work, blas, work.batch, <double>work.n * work.n * work.n / 3)
    else:
        with nogil:
            enter(blas)
            for index in range(work.batch):
                factor_shared(work, index)
            leave(blas)
    return None if work.failed else memory


# --- What is done with them -----------------------------------------------------------------------------------

cdef struct Solutions:
    Factored* factors
    Sides sides


cdef void run_solutions(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Solutions* work = <Solutions*>context
    cdef Factored* factors = work.factors
    cdef Sides* sides = &work.sides
    cdef cnp.npy_intp item = factors.numbers.item, n = factors.n, unit
    cdef const char* matrix
    cdef Block block
    for unit in range(begin, end):
        block = block_of(sides, unit)
        matrix = factors.data + block.index * factors.size * item
        exchange_rows(block.first, sides.columns, block.width, factors.pivots + block.index * n, 0, n, item)
        solve_triangle(
            &factors.numbers, matrix, factors.step, True, False, n, True, block.first, sides.columns, block.width)
        solve_triangle(
            &factors.numbers, matrix, factors.step, False, False, n, False, block.first, sides.columns, block.width)


cdef inline void store_number(const Factored* work, char* out, cnp.npy_intp index, double number) noexcept nogil:
    if work.numbers.is_double:
        (<double*>out)[index] = number
    else:
        (<float*>out)[index] = <float>number


cdef void run_inverses(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Blocks of columns of (L U)^-1."""
    cdef Solutions* work = <Solutions*>context
    cdef Factored* factors = work.factors
    cdef Sides* sides = &work.sides
    cdef cnp.npy_intp item = factors.numbers.item, n = factors.n, step = factors.step, unit, i
    cdef const char* matrix
    cdef Block block
    for unit in range(begin, end):
        block = block_of(sides, unit)
        matrix = factors.data + block.index * factors.size * item
        for i in range(n):
            memset(block.first + i * n * item, 0, block.width * item)
        for i in range(block.width):
            store_number(factors, block.first, (block.column + i) * n + i, 1)
        # Above the ones L^-1 is zero.
        solve_triangle(&factors.numbers, matrix + block.column * (step + 1) * item, step, True, False, n - block.column,
                       True, block.first + block.column * n * item, n, block.width)
        solve_triangle(&factors.numbers, matrix, step, False, False, n, False, block.first, n, block.width)


ctypedef fused real:
    float
    double


cdef void order_row(real* row, real* kept, const int64_t* order, cnp.npy_intp n) noexcept nogil:
    """Put the columns of (L U)^-1 P in order; no zero is negative."""
    cdef cnp.npy_intp i
    memcpy(kept, row, n * sizeof(real))
    for i in range(n):
        row[i] = kept[order[i]] + 0


cdef void run_orders(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Rows of inverses. What were pivots is by now the order of columns."""
    cdef Solutions* work = <Solutions*>context
    cdef cnp.npy_intp n = work.factors.n, row
    cdef const int64_t* order
    cdef double* kept = <double*>malloc(n * sizeof(double))
    if kept == NULL:
        work.factors.failed = True
        return
    for row in range(begin, end):
        order = work.factors.pivots + row // n * n
        if work.factors.numbers.is_double:
            order_row(<double*>work.sides.sides + row * n, kept, order, n)
        else:
            order_row(<float*>work.sides.sides + row * n, <float*>kept, order, n)
    free(kept)


cdef bint find_orders(Factored* work) noexcept:
    """Write, in the place of the pivots, which column of (L U)^-1 each column of the inverse is. False if there is none."""
    cdef cnp.npy_intp n = work.n, index, i
    cdef int64_t* rows
    cdef int64_t* pivots
    if not work.regular:
        return False
    rows = <int64_t*>malloc(n * sizeof(int64_t))
    if rows == NULL:
        return False
    for index in range(work.batch):
        pivots = work.pivots + index * n
        for i in range(n):
            rows[i] = i
        for i in range(n):
            rows[i], rows[pivots[i]] = rows[pivots[i]], rows[i]
        for i in range(n):
            pivots[rows[i]] = i
    free(rows)
    return True


cdef inline double pivot_of(const Factored* work, cnp.npy_intp index, cnp.npy_intp i) noexcept nogil:
    """A number of the diagonal of U, negative for an exchange of rows."""
    cdef cnp.npy_intp place = index * work.size + i * (work.step + 1)
    cdef double number = (<const double*>work.data)[place] if work.numbers.is_double else (<const float*>work.data)[place]
    return number if work.pivots[index * work.n + i] == i else -number


cdef void run_determinants(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Factored* work = <Factored*>context
    cdef cnp.npy_intp index, i
    cdef long exponents
    cdef int exponent, more
    cdef double product
    for index in range(begin, end):
        product, exponents = 1, 0
        for i in range(work.n):
            # The product of some of them may be too large for a number, or too small, where that of all is not.
            exponent = more = 0
            product = frexp(product * frexp(pivot_of(work, index, i), &exponent), &more)
            if isfinite(product):
                exponents += exponent + more
        store_number(work, work.out, index, ldexp(product, max(-10_000, min(10_000, exponents))))


cdef void run_log_determinants(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """The sign of each determinant, and the logarithm of its size."""
    cdef Factored* work = <Factored*>context
    cdef cnp.npy_intp index, i
    cdef double number, sign, logarithm
    for index in range(begin, end):
        sign, logarithm = 1, 0
        for i in range(work.n):
            number = pivot_of(work, index, i)
            sign = -sign if number < 0 else sign if number > 0 else 0 if number == 0 else number
            logarithm += log(fabs(number))
        store_number(work, work.out, index, sign)
        store_number(work, work.logarithms, index, logarithm)


cdef object run_inverse(PyObject** arrays, int count, tuple attributes):
    """Inverses; None where one of the matrices is singular."""
    cdef cnp.ndarray matrix = <cnp.ndarray>arrays[0], memory, out = None
    cdef const Blas* blas = usable(matrix)
    cdef Factored factors
    cdef Solutions work
    if blas == NULL or not is_square(matrix):
        return None
    memory = factor(&factors, matrix, attributes[0], blas, True)
    if memory is None:
        return None
    if find_orders(&factors):
        out = empty_like(matrix)
        work.factors = &factors
        work.sides.numbers = factors.numbers
        describe_sides(&work.sides, factors.n, out)
        share(run_inverses, &work, blas, factors.batch * work.sides.blocks, <double>factors.n * factors.n * work.sides.width)
        share(run_orders, &work, blas, factors.batch * factors.n, 2 * factors.n)
    return None if factors.failed else out


cdef object run_solve(PyObject** arrays, int count, tuple attributes):
    """Solutions of linear systems; None where one of the matrices is singular."""
    cdef cnp.ndarray matrix = <cnp.ndarray>arrays[0], sides = <cnp.ndarray>arrays[1], memory, out = None
    cdef const Blas* blas
    cdef Factored factors
    cdef Solutions work
    cdef int ndim = cnp.PyArray_NDIM(sides)
    if cnp.PyArray_TYPE(matrix) != cnp.PyArray_TYPE(sides) or cnp.PyArray_SIZE(sides) == 0 or ndim < 2:
        return None
    blas = usable(matrix)
    if (blas == NULL or not is_square(matrix) or not same_batch(matrix, sides)
            or cnp.PyArray_DIMS(sides)[ndim - 2] != cnp.PyArray_DIMS(matrix)[ndim - 1]):
        return None
    memory = factor(&factors, matrix, attributes[0], blas, True)
    if memory is None:
        return None
    if factors.regular:
        out = copy_of(sides)
        work.factors = &factors
        work.sides.numbers = factors.numbers
        describe_sides(&work.sides, factors.n, out)
        share(run_solutions, &work, blas, factors.batch * work.sides.blocks,
              2 * <double>factors.n * factors.n * work.sides.width)
    return out


cdef object determinants(cnp.ndarray matrix, bint with_logarithms):
    cdef const Blas* blas = usable(matrix)
    cdef cnp.ndarray memory, out, logarithms = None
    cdef Factored work
    if blas == NULL or not is_square(matrix):
        return None
    memory = factor(&work, matrix, False, blas, False)
    if memory is None:
        return None
    out = new_array(descr_of(matrix), cnp.PyArray_NDIM(matrix) - 2, cnp.PyArray_DIMS(matrix))
    work.out = cnp.PyArray_BYTES(out)
    if with_logarithms:
        logarithms = new_array(descr_of(matrix), cnp.PyArray_NDIM(matrix) - 2, cnp.PyArray_DIMS(matrix))
        work.logarithms = cnp.PyArray_BYTES(logarithms)
    share(run_log_determinants if with_logarithms else run_determinants, &work, blas, work.batch, 20 * work.n)
    return (out, logarithms) if with_logarithms else out


cdef object run_determinant(PyObject** arrays, int count, tuple attributes):
    return determinants(<cnp.ndarray>arrays[0], False)


cdef object run_log_determinant(PyObject** arrays, int count, tuple attributes):
    return determinants(<cnp.ndarray>arrays[0], True)


# --- Cholesky ---------------------------------------------------------------------------------------------------

# U'U = A of symmetric matrices. Their lower triangles are read; the upper one of `data` becomes U.
cdef struct Definite:
    Numbers numbers
    const char* source
    char* data                  # room for one matrix
    cnp.npy_intp n, batch, width, step, panel
    char* out
    bint definite


cdef void load_panel(Definite* work, const char* source, char* data, cnp.npy_intp panel) noexcept nogil:
    cdef cnp.npy_intp item = work.numbers.item, first = panel * work.width, end = min(first + work.width, work.n)
    transpose_copy(work.numbers.is_double, end - first, end, source + first * work.n * item, work.n, data + first * item, work.step)


cdef void factor_corner(Definite* work, char* data, cnp.npy_intp panel) noexcept nogil:
    cdef cnp.npy_intp first = panel * work.width
    cdef int64_t n = min(work.width, work.n - first), step = work.step, info = 0
    lapack.potrf[work.numbers.is_double](b"L", &n, data + first * (step + 1) * work.numbers.item, &step, &info, 1)
    if info != 0:
        work.definite = False


cdef void solve_block(Definite* work, char* data, cnp.npy_intp panel, cnp.npy_intp block) noexcept nogil:
    """The rows of U of a panel, for a block of columns on its right."""
    cdef cnp.npy_intp item = work.numbers.item, step = work.step, first = panel * work.width
    solve_triangle(&work.numbers, data + first * (step + 1) * item, step, False, True, work.width, False,
                   data + (first * step + block * work.width) * item, step, min(work.width, work.n - block * work.width))


cdef void update_block(Definite* work, char* data, cnp.npy_intp panel, cnp.npy_intp block) noexcept nogil:
    """Do to a block of columns, from below the panel to the diagonal, what the panel says."""
    cdef cnp.npy_intp item = work.numbers.item, step = work.step, row = panel * work.width, below = row + work.width
    cdef cnp.npy_intp first = block * work.width, end = min(first + work.width, work.n)
    subtract_product(&work.numbers, end - below, end - first, work.width, data + (row * step + below) * item, step, True,
                     data + (row * step + first) * item, step, data + (below * step + first) * item, step)


cdef void store_panel(Definite* work, const char* data, char* out, cnp.npy_intp panel) noexcept nogil:
    cdef cnp.npy_intp item = work.numbers.item, first = panel * work.width, end = min(first + work.width, work.n), row
    transpose_copy(work.numbers.is_double, end, end - first, data + first * item, work.step, out + first * work.n * item, work.n)
    for row in range(first, end):
        memset(out + (row * work.n + row + 1) * item, 0, (work.n - row - 1) * item)


cdef void run_loads(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Definite* work = <Definite*>context
    cdef cnp.npy_intp panel
    for panel in range(begin, end):
        load_panel(work, work.source, work.data, panel)


cdef void run_blocks(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Definite* work = <Definite*>context
    cdef cnp.npy_intp unit
    for unit in range(begin, end):
        solve_block(work, work.data, work.panel, work.panel + 1 + unit)


cdef void run_block_updates(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Definite* work = <Definite*>context
    cdef cnp.npy_intp unit
    for unit in range(begin, end):
        update_block(work, work.data, work.panel, work.panel + 1 + unit)
        if unit == 0:
            factor_corner(work, work.data, work.panel + 1)


cdef void run_stores(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Definite* work = <Definite*>context
    cdef cnp.npy_intp panel
    for panel in range(begin, end):
        store_panel(work, work.data, work.out, panel)


cdef void run_matrices(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Factor some matrices of a batch, by one thread."""
    cdef Definite* work = <Definite*>context
    cdef cnp.npy_intp panels = (work.n + work.width - 1) // work.width, size = work.n * work.n * work.numbers.item
    cdef cnp.npy_intp index, panel, block
    cdef char* memory = <char*>malloc(work.n * work.step * work.numbers.item + LINE)
    cdef char* data
    if memory == NULL:
        work.definite = False
        return
    data = aligned_to_line(memory)
    for index in range(begin, end):
        for panel in range(panels):
            load_panel(work, work.source + index * size, data, panel)
        for panel in range(panels):
            factor_corner(work, data, panel)
            for block in range(panel + 1, panels):
                solve_block(work, data, panel, block)
                update_block(work, data, panel, block)
        for panel in range(panels):
            store_panel(work, data, work.out + index * size, panel)
    free(memory)


cdef void factor_definite(Definite* work) noexcept nogil:
    """Factor one large matrix, by all threads, from `given` to `out`."""
    cdef cnp.npy_intp panels = (work.n + work.width - 1) // work.width, panel
    parallel(run_loads, work, panels, 1)
    factor_corner(work, work.data, 0)
    for panel in range(panels - 1):
        work.panel = panel
        parallel(run_blocks, work, panels - 1 - panel, 1)
        parallel(run_block_updates, work, panels - 1 - panel, 1)
    parallel(run_stores, work, panels, 1)


cdef object run_cholesky(PyObject** arrays, int count, tuple attributes):
    """Cholesky factors; None where one of the matrices is not positive definite."""
    cdef cnp.ndarray matrix = <cnp.ndarray>arrays[0], out
    cdef const Blas* blas = usable(matrix)
    cdef Definite work
    cdef char* memory
    cdef cnp.npy_intp size
    if blas == NULL or not is_square(matrix):
        return None
    matrix = plain(matrix)
    out = empty_like(matrix)
    work.numbers = numbers_of(matrix, blas)
    work.source, work.out = cnp.PyArray_BYTES(matrix), cnp.PyArray_BYTES(out)
    work.n = cnp.PyArray_DIMS(matrix)[cnp.PyArray_NDIM(matrix) - 1]
    work.batch = cnp.PyArray_SIZE(matrix) // (work.n * work.n)
    work.width, work.step = width_of_panels(work.n), step_of(work.n, work.numbers.item)
    work.definite = True
    if work.n < SHARED or work.batch >= BATCH:
        share(run_matrices, &work, blas, work.batch, <double>work.n * work.n * work.n / 6)
        return out if work.definite else None
    size = work.n * work.n * work.numbers.item
    memory = <char*>malloc(work.n * work.step * work.numbers.item + LINE)
    if memory == NULL:
        return None
    work.data = aligned_to_line(memory)
    with nogil:
        enter(blas)
        for i in range(work.batch):
            factor_definite(&work)
            work.source += size
            work.out += size
        leave(blas)
    free(memory)
    return out if work.definite else None


cholesky: Lane = lane(run_cholesky)
inverse: Lane = lane(run_inverse)
solve: Lane = lane(run_solve)
determinant: Lane = lane(run_determinant)
log_determinant: Lane = lane(run_log_determinant)
