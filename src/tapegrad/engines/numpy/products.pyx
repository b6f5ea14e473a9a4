"""Products of matrices: our threads share the work, and each of them calls BLAS.

A large product is cut into pieces, a batch into its items; BLAS itself works on one thread at a time. The cuts depend
on the shapes and on the machine alone, so that any number of threads gives the same bits. An operand is copied only
where BLAS cannot read its layout. Products of bfloat16 are those of `half_products.h`, on processors that can.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.math cimport INFINITY
from libc.stdint cimport INT32_MAX
from libc.string cimport memset

import os

import numpy as np

from tapegrad.engines.numpy.blas cimport (
    CONJUGATED, TRANSPOSED, Blas, Matrices, blas_for, enter, gemm, leave)
from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.conversions cimport is_bfloat16
from tapegrad.engines.numpy.copies cimport descr_of
from tapegrad.engines.numpy.lanes cimport Lane, lane, view
from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.threads cimport parallel
from tapegrad.engines.numpy.transposed cimport transpose_doubles, transpose_floats

cnp.import_array()

cdef extern from "numpy/arrayobject.h":
    bint PyArray_ISBEHAVED_RO(cnp.ndarray array) noexcept

cdef extern from "blas.h" nogil:
    const ptrdiff_t* item_sizes "tapegrad_item_sizes"

cdef extern from "half_products.h" nogil:
    bint has_half_products "tapegrad_has_half_products" () noexcept
    void half_product "tapegrad_half_product" (const Matrices* matrices) noexcept

cdef extern from "row_products.h" nogil:
    enum:
        COLUMNS_SUMMED "TAPEGRAD_SUMMED"

    ctypedef struct RowProducts "tapegrad_row_products":
        pass

    ctypedef struct RowProduct "tapegrad_row_product":
        const RowProducts* kernels
        const char* matrix
        const char* x
        char* out
        cnp.npy_intp step, rows, length, item

    const RowProducts* row_products_at "tapegrad_row_products_at" (bint is_double, int level) noexcept
    void run_dots "tapegrad_run_dots" (void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil
    void run_sums "tapegrad_run_sums" (void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil

cdef enum:
    MAX_DIMENSIONS = 64
    NOT_OURS = -1
    HALF = 4                    # the type of bfloat16
    HALF_LEVEL = 2              # the level of `vectors.h` that has all that such products use besides
    LEAST_READ = 1 << 18        # elements of a matrix of which several rows are read side by side
    READ_GRAIN = 1 << 16        # of them for which a thread is worth it
    UNIT = 16                   # rows and columns of a piece are a multiple of this, as BLAS's own blocks are
    LONG = 1024                 # a longer piece may be cut again, so that others take work of a thread held up
    MOST_PARTS = 8              # of a sum over a long axis
    # Longest sums that are added to what is there: BLAS cuts longer ones, and would round the result at each cut.
    MOST_ADDED = 256
    MOST_TRIED = 1 << 26        # multiplications that are worth a trial
    ON_STACK = 8_192            # doubles of an operand that is transposed piece by piece
    FEW_ROWS = 64
    LEAST_WIDTH = 32            # columns of a piece that transposes; twice as many where it has more than few rows
    LEAST_PIECE = 2_048         # elements of a piece below which a long sum is cut instead
    MOST_TURNS = 4              # pieces that a thread takes of an operand that is transposed piece by piece
    MOST_PIECES = 72            # of a product that is cut for BLAS to read without packing
    # Rows of a result for which transposing the second operand first pays: with fewer BLAS takes dot products,
    # with more there is so much to compute that reading does not matter.
    LEAST_ROWS = 4
    MOST_ROWS = 512

# Multiplications for which a thread is worth it, about 10 microseconds; a piece has at least half as many.
cdef double GRAIN = 1 << 19

cdef Py_ssize_t processors = min(os.cpu_count() or 1, 64)

cdef bint multiplies_halves = has_half_products()
cdef Blas no_blas               # stands where products of halves have no BLAS
memset(&no_blas, 0, sizeof(Blas))
no_blas.shared = True


cdef struct Operand:
    char* data
    ptrdiff_t rows, columns     # after transposing
    ptrdiff_t step              # elements from one row of what lies in memory to the next
    int layout                  # TRANSPOSED, CONJUGATED


cdef struct Job:
    const Blas* blas
    Matrices whole              # the first product of the batch
    ptrdiff_t size              # of an element
    int outer                   # axes of the batch
    cnp.npy_intp dims[MAX_DIMENSIONS]
    cnp.npy_intp a_strides[MAX_DIMENSIONS]
    cnp.npy_intp b_strides[MAX_DIMENSIONS]
    # How each product is cut: pieces by rows, by columns or along the axis summed over, and the length of each.
    ptrdiff_t row_pieces, rows, column_pieces, columns, parts, part
    char* partial               # the results of all parts but the first
    bint transposes             # each piece transposes its part of the second operand
    char* transposed            # the second operand, transposed before the product; or NULL


cdef inline int type_of(cnp.ndarray array) noexcept:
    cdef int number = cnp.PyArray_TYPE(array)
    if number == cnp.NPY_FLOAT:
        return 0
    if number == cnp.NPY_DOUBLE:
        return 1
    if number == cnp.NPY_CFLOAT:
        return 2
    if number == cnp.NPY_CDOUBLE:
        return 3
    return HALF if multiplies_halves and level == HALF_LEVEL and is_bfloat16(array) else NOT_OURS


cdef inline void multiply_matrices(const Blas* blas, const Matrices* matrices) noexcept nogil:
    if matrices.type == HALF:
        half_product(matrices)
    else:
        gemm(blas, matrices)


cdef inline bint read_operand(cnp.ndarray array, bint transpose, ptrdiff_t size, Operand* out) noexcept:
    """Whether BLAS can read the matrices in the last two axes of ``array`` as they lie, and how."""
    cdef int last = cnp.PyArray_NDIM(array) - 1, rows = last - 1, columns = last
    cdef ptrdiff_t row_step, column_step
    if transpose:
        rows, columns = columns, rows
    out.data = cnp.PyArray_BYTES(array)
    out.rows = cnp.PyArray_DIMS(array)[rows]
    out.columns = cnp.PyArray_DIMS(array)[columns]
    row_step = cnp.PyArray_STRIDES(array)[rows]
    column_step = cnp.PyArray_STRIDES(array)[columns]
    if not PyArray_ISBEHAVED_RO(array):
        return False
    # The steps of axes of one element mean nothing.
    if out.columns <= 1:
        column_step = size
    if out.rows <= 1:
        row_step = max(out.columns, 1) * size
    if column_step == size and row_step >= out.columns * size and row_step % size == 0:
        out.layout = 0
        out.step = row_step // size
        return True
    if out.rows <= 1:
        row_step = size
    if out.columns <= 1:
        column_step = max(out.rows, 1) * size
    if row_step == size and column_step >= out.rows * size and column_step % size == 0:
        out.layout = TRANSPOSED
        out.step = column_step // size
        return True
    return False


# --- The shared work ----------------------------------------------------------------------------------

cdef inline const char* at(const char* matrix, int layout, ptrdiff_t step, ptrdiff_t size, ptrdiff_t row,
                           ptrdiff_t column) noexcept nogil:
    if layout & TRANSPOSED:
        return matrix + (column * step + row) * size
    return matrix + (row * step + column) * size


cdef void transpose(const Matrices* x, ptrdiff_t rows, char* out, ptrdiff_t to) noexcept nogil:
    """Write ``rows`` rows of the second operand, as it lies in memory, to ``out``, transposed."""
    if x.type == 0:
        transpose_floats(rows, x.k, <const float*>x.b, x.ldb, <float*>out, to)
    else:
        transpose_doubles(rows, x.k, <const double*>x.b, x.ldb, <double*>out, to)


cdef void run_pieces(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Pieces ``begin`` to ``end`` of all the pieces of all the products of a batch."""
    cdef Job* job = <Job*>context
    cdef Matrices piece
    cdef double transposed[ON_STACK]
    cdef ptrdiff_t number, item, rest, row, column, part, position
    cdef const char* a
    cdef const char* b
    cdef int i
    for number in range(begin, end):
        piece = job.whole
        rest = number
        part = rest % job.parts
        rest //= job.parts
        column = rest % job.column_pieces * job.columns
        rest //= job.column_pieces
        row = rest % job.row_pieces * job.rows
        item = rest // job.row_pieces

        a, b = piece.a, piece.b
        rest = item
        for i in range(job.outer - 1, -1, -1):
            position = rest % job.dims[i]
            rest //= job.dims[i]
            a += position * job.a_strides[i]
            b += position * job.b_strides[i]
        piece.a = at(a, piece.a_layout, piece.lda, job.size, row, part * job.part)
        piece.b = at(b, piece.b_layout, piece.ldb, job.size, part * job.part, column)
        piece.c += (item * piece.m * piece.n + row * piece.n + column) * job.size
        if part > 0:
            piece.c = job.partial + (part - 1) * piece.m * piece.n * job.size
        piece.m = min(job.rows, piece.m - row)
        piece.n = min(job.columns, piece.n - column)
        piece.k = min(job.part, piece.k - part * job.part)
        if job.transposes:
            transpose(&piece, piece.n, <char*>transposed, piece.n)
            piece.b = <const char*>transposed
            piece.b_layout = 0
            piece.ldb = piece.n
        multiply_matrices(job.blas, &piece)


cdef void transpose_rows(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Transpose the rows ``begin`` to ``end`` of the second operand as it lies in memory, counted in units."""
    cdef Job* job = <Job*>context
    cdef Matrices part = job.whole
    part.b += begin * UNIT * part.ldb * job.size
    transpose(&part, min(end * UNIT, part.n) - begin * UNIT, job.transposed + begin * UNIT * job.size, padded(part.n))


cdef inline ptrdiff_t padded(ptrdiff_t columns) noexcept nogil:
    # Rows that are a power of two apart share the same few places of the cache.
    return columns + UNIT


cdef void add_parts(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Add the elements ``begin`` to ``end`` of the other parts of a sum to the first part, in order."""
    cdef Job* job = <Job*>context
    cdef ptrdiff_t width = job.whole.m * job.whole.n, part
    if job.whole.type == 1 or job.whole.type == 3:
        for part in range(job.parts - 1):
            add_doubles(<double*>job.whole.c, <double*>job.partial + part * (width * job.size // 8), begin, end)
    else:
        for part in range(job.parts - 1):
            add_floats(<float*>job.whole.c, <float*>job.partial + part * (width * job.size // 4), begin, end)


cdef inline void add_doubles(double* total, const double* part, ptrdiff_t begin, ptrdiff_t end) noexcept nogil:
    cdef ptrdiff_t i
    for i in range(begin, end):
        total[i] += part[i]


cdef inline void add_floats(float* total, const float* part, ptrdiff_t begin, ptrdiff_t end) noexcept nogil:
    cdef ptrdiff_t i
    for i in range(begin, end):
        total[i] += part[i]


cdef inline ptrdiff_t length_of(ptrdiff_t size, ptrdiff_t pieces) noexcept nogil:
    """The length of each of ``pieces`` pieces, except the last."""
    return (size + pieces * UNIT - 1) // (pieces * UNIT) * UNIT


cdef inline void cut(Job* job, ptrdiff_t row_pieces, ptrdiff_t column_pieces) noexcept nogil:
    cdef Matrices* x = &job.whole
    job.rows = min(length_of(x.m, row_pieces), x.m)
    job.row_pieces = (x.m + job.rows - 1) // job.rows
    job.columns = min(length_of(x.n, column_pieces), x.n)
    job.column_pieces = (x.n + job.columns - 1) // job.columns


cdef inline ptrdiff_t columns_on_stack(const Job* job) noexcept nogil:
    """Columns of the second operand that a thread can transpose for itself; 0 if they were so few that packing the
    first operand again for each piece would take longer."""
    cdef ptrdiff_t columns = ON_STACK * <ptrdiff_t>sizeof(double) // (job.whole.k * job.size) // UNIT * UNIT
    return 0 if columns < (LEAST_WIDTH if job.whole.m <= FEW_ROWS else 2 * LEAST_WIDTH) else columns


cdef void choose_cuts(Job* job, ptrdiff_t items, bint transposes) noexcept nogil:
    """Choose how each of ``items`` products is cut, by the shapes and the machine alone.

    There is a piece for each thread that has enough work. Pieces are smaller where BLAS then reads them without packing
    them first, or where a thread has room for the part of the second operand that it transposes.
    """
    cdef Matrices* x = &job.whole
    cdef double work = <double>x.m * x.n * x.k, largest = INFINITY
    cdef ptrdiff_t threads = (processors + items - 1) // items, affordable = <ptrdiff_t>min(work / GRAIN, 256.0)
    cdef ptrdiff_t least = 1, row_pieces = 1, column_pieces = 1, pieces, columns
    cdef bint by_rows
    job.row_pieces = job.column_pieces = job.parts = 1
    job.rows, job.columns, job.part = x.m, x.n, x.k
    if not job.blas.shared or x.m == 0 or x.n == 0:
        return
    if processors > 1 and affordable > 1:
        columns = columns_on_stack(job) if transposes else 0
        if (items == 1 and x.k >= 2 * max(x.m, x.n) and x.type != HALF
                and (x.m * x.n < LEAST_PIECE * threads or transposes and columns == 0)):
            # If rows or columns were cut instead, each piece would read one long operand whole.
            pieces = min(max(threads, min(x.k // LONG, 4 * threads)), affordable, MOST_PARTS)
            job.part = length_of(x.k, pieces)
            job.parts = (x.k + job.part - 1) // job.part
            return
        least = min(affordable, max(threads, min(max(x.m, x.n) // LONG, 4 * threads)))
        if 0 < columns < x.n <= MOST_TURNS * threads * columns:
            column_pieces = (x.n + columns - 1) // columns
    if (x.type < 2 and job.blas.unpacked < work <= MOST_PIECES * job.blas.unpacked
            and (transposes or x.b_layout != TRANSPOSED)):
        largest = job.blas.unpacked
    # Two threads that write the two halves of each row fetch lines of each other's. But each row that is cut costs
    # another reading of the second operand, which is larger the longer the sums are.
    by_rows = not transposes and x.k <= x.m
    threads = min(threads, least)
    while True:
        cut(job, row_pieces, column_pieces)
        pieces = row_pieces * column_pieces
        if pieces >= least and <double>job.rows * job.columns * x.k <= largest and (
                largest == INFINITY or pieces >= 4 * threads or pieces % threads == 0):
            return
        if row_pieces * UNIT > x.m + UNIT and column_pieces * UNIT > x.n + UNIT:
            return
        # Else pieces as square as possible, which share the fewest elements of the operands.
        if by_rows and x.m >= FEW_ROWS * (row_pieces + 1) or x.m * column_pieces >= x.n * row_pieces:
            row_pieces += 1
        else:
            column_pieces += 1


cdef int run(Job* job, ptrdiff_t items) except -1:
    """All products of a batch."""
    cdef Matrices* x = &job.whole
    cdef double work = <double>x.m * x.n * x.k
    cdef ptrdiff_t count, grain, width
    cdef object scratch = None, parts = None
    cdef bint transposes = (
        job.blas.slow_transposes and x.b_layout == TRANSPOSED and x.type < 2
        and LEAST_ROWS <= x.m <= MOST_ROWS and x.n > 1 and x.k > 1)
    if items == 1 and work < 2 * GRAIN and not transposes:
        enter(job.blas)
        if work < GRAIN // 4:
            multiply_matrices(job.blas, x)
        else:
            with nogil:
                multiply_matrices(job.blas, x)
        leave(job.blas)
        return 0
    choose_cuts(job, items, transposes)
    if transposes:
        if job.columns * job.part * job.size <= ON_STACK * <ptrdiff_t>sizeof(double):
            job.transposes = True
        elif items == 1:
            scratch = scratch_array(x.k * padded(x.n) * job.size)
            job.transposed = cnp.PyArray_BYTES(scratch)
    if job.parts > 1:
        parts = scratch_array((job.parts - 1) * x.m * x.n * job.size)
        job.partial = cnp.PyArray_BYTES(parts)
    count = items * job.row_pieces * job.column_pieces * job.parts
    # Pieces that a thread takes at a time.
    grain = <ptrdiff_t>(GRAIN / (work / (count // items) + 1)) + 1
    enter(job.blas)
    with nogil:
        if job.transposed != NULL:
            parallel(transpose_rows, job, (x.n + UNIT - 1) // UNIT, 1 + 32_768 // (UNIT * x.k))
            x.b = job.transposed
            x.b_layout = 0
            x.ldb = padded(x.n)
        if job.blas.shared:
            parallel(run_pieces, job, count, grain)
        else:
            run_pieces(job, 0, count)
        if job.parts > 1:
            width = x.m * x.n * job.size // (8 if x.type == 1 or x.type == 3 else 4)
            parallel(add_parts, job, width, 32_768)
    leave(job.blas)
    return 0


cdef cnp.ndarray scratch_array(cnp.npy_intp size):
    return new_array(<PyObject*>bytes_type, 1, &size)


cdef cnp.dtype bytes_type = np.dtype(np.uint8)
cdef PyObject* dtypes[4]

for number, kind in enumerate("fdFD"):
    kept = np.dtype(kind)       # NumPy never frees it
    dtypes[<int>number] = <PyObject*>kept


# --- Arrays -------------------------------------------------------------------------------------------

cdef object by_numpy(cnp.ndarray a, cnp.ndarray b, bint transpose_a, bint transpose_b):
    """The product of dtypes that BLAS does not have: integers and objects."""
    return np.matmul(a.swapaxes(-1, -2) if transpose_a else a, b.swapaxes(-1, -2) if transpose_b else b)


cdef object multiply(cnp.ndarray a, cnp.ndarray b, bint transpose_a, bint transpose_b, bint conjugate_a,
                     bint conjugate_b):
    cdef Job job
    cdef Operand first, second
    cdef cnp.ndarray out
    cdef cnp.npy_intp dims[MAX_DIMENSIONS]
    cdef ptrdiff_t items = 1, size
    cdef int a_ndim = cnp.PyArray_NDIM(a), b_ndim = cnp.PyArray_NDIM(b), ndim
    cdef int type = type_of(a)
    if a_ndim < 2 or b_ndim < 2:
        raise ValueError(f"matrices are multiplied; arrays of shapes {np.shape(a)} and {np.shape(b)} came.")
    if type == NOT_OURS or cnp.PyArray_TYPE(b) != cnp.PyArray_TYPE(a):
        return by_numpy(np.conj(a) if conjugate_a else a, np.conj(b) if conjugate_b else b, transpose_a, transpose_b)
    size = item_sizes[type]
    if type < 2 or type == HALF:
        conjugate_a = conjugate_b = False
    if not read_operand(a, transpose_a, size, &first) or conjugate_a and first.layout != TRANSPOSED:
        a = contiguous(a, conjugate_a)
        conjugate_a = False
        read_operand(a, transpose_a, size, &first)
    if not read_operand(b, transpose_b, size, &second) or conjugate_b and second.layout != TRANSPOSED:
        b = contiguous(b, conjugate_b)
        conjugate_b = False
        read_operand(b, transpose_b, size, &second)
    if first.columns != second.rows:
        raise ValueError(
            f"matrices of shapes {first.rows, first.columns} and {second.rows, second.columns} cannot be multiplied: "
            "as many columns as rows are needed.")
    job.outer = 0
    ndim = max(a_ndim, b_ndim)
    if ndim > 2:
        items = batch(&job, a, b, ndim, dims)
    dims[ndim - 2] = first.rows
    dims[ndim - 1] = second.columns
    out = new_array(descr_of(a) if type == HALF else dtypes[type], ndim, dims)

    job.whole.type = type
    job.whole.a_layout = first.layout | (CONJUGATED if conjugate_a else 0)
    job.whole.b_layout = second.layout | (CONJUGATED if conjugate_b else 0)
    job.whole.m, job.whole.n, job.whole.k = first.rows, second.columns, first.columns
    job.whole.a, job.whole.b, job.whole.c = first.data, second.data, cnp.PyArray_BYTES(out)
    job.whole.lda, job.whole.ldb, job.whole.ldc = first.step, second.step, max(second.columns, 1)
    job.whole.adds = False
    if items == 0 or job.whole.m == 0 or job.whole.n == 0:
        return out
    if items == 1 and job.whole.n == 1 and multiply_by_vector(&first, &second, type, cnp.PyArray_BYTES(out)):
        return out
    if items > 1 and one_tall_matrix(&job, &first, items):
        # One product of a tall matrix instead of one for each of the batch.
        job.whole.m *= items
        items = 1
    job.size = size
    job.blas = <const Blas*>&no_blas if type == HALF else blas_for(job.whole.m, job.whole.n, job.whole.k)
    job.partial = NULL
    job.transposes = False
    job.transposed = NULL
    if (conjugate_a or conjugate_b) and job.blas.gemm[type] == NULL:
        return multiply(contiguous(a, conjugate_a), contiguous(b, conjugate_b), transpose_a, transpose_b, False, False)
    run(&job, items)
    return out


cdef bint multiply_by_vector(const Operand* matrix, const Operand* vector, int type, char* out) noexcept:
    """The product of a large matrix and a vector, by kernels that wait for memory alone; False for others.

    Sums that `add_product` adds to are left to BLAS, which rounds them otherwise.
    """
    cdef RowProduct product
    cdef bint turned = matrix.layout == TRANSPOSED
    if (type > 1 or matrix.columns <= MOST_ADDED or matrix.rows * matrix.columns < LEAST_READ
            or vector.layout != TRANSPOSED and vector.step != 1):
        return False
    product.kernels = row_products_at(type == 1, level)
    product.matrix, product.x, product.out = matrix.data, vector.data, out
    product.step = matrix.step
    product.item = item_sizes[type]
    product.rows = matrix.columns if turned else matrix.rows
    product.length = matrix.rows if turned else matrix.columns
    with nogil:
        if turned:
            parallel(run_sums, &product, (product.length + COLUMNS_SUMMED - 1) // COLUMNS_SUMMED,
                     (READ_GRAIN // COLUMNS_SUMMED + product.rows - 1) // product.rows)
        else:
            parallel(run_dots, &product, product.rows, (READ_GRAIN + product.length - 1) // product.length)
    return True


cdef bint may_add(int type_num, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k) except -1:
    """Whether `add_product` does products of this shape: of float32 or float64, in one part."""
    cdef const Blas* blas = blas_for(m, n, k)
    cdef int type = 0 if type_num == cnp.NPY_FLOAT else 1
    if type_num != cnp.NPY_FLOAT and type_num != cnp.NPY_DOUBLE or blas.gemm[type] == NULL:
        return False
    return 0 < k <= MOST_ADDED and max(m, n, k) <= INT32_MAX and k < 2 * max(m, n)


cdef int add_product(cnp.ndarray a, cnp.ndarray b, bint transpose_a, bint transpose_b, double scale,
                     cnp.ndarray out) except -1:
    """Add ``scale`` times the product of two matrices to ``out``, where `may_add` says so.

    ``out`` is C-contiguous, and its shape and all dtypes are right: callers have compared them.
    """
    cdef Job job
    cdef Operand first, second
    cdef int type = type_of(a)
    cdef ptrdiff_t size = item_sizes[type]
    if not read_operand(a, transpose_a, size, &first):
        a = contiguous(a, False)
        read_operand(a, transpose_a, size, &first)
    if not read_operand(b, transpose_b, size, &second):
        b = contiguous(b, False)
        read_operand(b, transpose_b, size, &second)
    job.outer = 0
    job.size = size
    job.whole.type = type
    job.whole.a_layout, job.whole.b_layout = first.layout, second.layout
    job.whole.m, job.whole.n, job.whole.k = first.rows, second.columns, first.columns
    job.whole.a, job.whole.b, job.whole.c = first.data, second.data, cnp.PyArray_BYTES(out)
    job.whole.lda, job.whole.ldb, job.whole.ldc = first.step, second.step, max(second.columns, 1)
    job.whole.adds = True
    job.whole.scale = scale
    job.blas = blas_for(job.whole.m, job.whole.n, job.whole.k)
    job.partial = NULL
    job.transposes = False
    job.transposed = NULL
    return run(&job, 1)


cdef dict known_sums = {}       # type number, m, n, k and layouts -> whether the bits are the same


cdef bint adds_exactly(int type_num, ptrdiff_t m, ptrdiff_t n, ptrdiff_t k, bint transpose_a, bint transpose_b) except -1:
    """Whether `add_product` gives the bits of the product and an addition after it, found by a trial.

    That is so where BLAS adds finished sums to the result, as OpenBLAS does, and not where it begins with the result.
    """
    cdef tuple key = (type_num, m, n, k, transpose_a, transpose_b, processors, <size_t>blas_for(m, n, k))
    cdef cnp.ndarray a, b, out
    if not may_add(type_num, m, n, k) or <double>m * n * k > MOST_TRIED:
        return False
    if key not in known_sums:
        if len(known_sums) > 1000:
            known_sums.clear()
        dtype = np.dtype(cnp.PyArray_DescrFromType(type_num))
        a, b, out = [((np.arange(rows * columns) * step % 1.0) - 0.5).astype(dtype).reshape(rows, columns)
                     for rows, columns, step in (((k, m) if transpose_a else (m, k)) + (0.6180339887,),
                                                 ((n, k) if transpose_b else (k, n)) + (0.7548776662,), (m, n, 0.5698402910))]
        expected = out + multiply(a, b, transpose_a, transpose_b, False, False)
        add_product(a, b, transpose_a, transpose_b, 1.0, out)
        known_sums[key] = out.tobytes() == expected.tobytes()
    return known_sums[key]


cdef bint is_matrix_lane(object lane) noexcept:
    return lane is matrix_lane


cdef cnp.ndarray contiguous(cnp.ndarray array, bint conjugate):
    """A C-contiguous copy, conjugated on request."""
    cdef cnp.ndarray copied = np.array(array, dtype=array.dtype.newbyteorder("="), order="C", copy=True)
    if conjugate:
        np.conjugate(copied, out=copied)
    return copied


cdef ptrdiff_t batch(Job* job, cnp.ndarray a, cnp.ndarray b, int ndim, cnp.npy_intp* dims) except -1:
    """Broadcast the axes before the last two: write them to ``dims``, and merged to ``job``. Returns the items."""
    cdef cnp.npy_intp a_dim, b_dim, a_stride, b_stride
    cdef ptrdiff_t items = 1
    cdef int i, j, last
    for i in range(ndim - 2):
        a_dim = b_dim = 1
        a_stride = b_stride = 0
        j = i - ndim + cnp.PyArray_NDIM(a)
        if j >= 0 and cnp.PyArray_DIMS(a)[j] != 1:
            a_dim = cnp.PyArray_DIMS(a)[j]
            a_stride = cnp.PyArray_STRIDES(a)[j]
        j = i - ndim + cnp.PyArray_NDIM(b)
        if j >= 0 and cnp.PyArray_DIMS(b)[j] != 1:
            b_dim = cnp.PyArray_DIMS(b)[j]
            b_stride = cnp.PyArray_STRIDES(b)[j]
        if a_dim != b_dim and a_dim != 1 and b_dim != 1:
            raise ValueError(f"batches of {a_dim} and of {b_dim} matrices do not broadcast.")
        dims[i] = b_dim if a_dim == 1 else a_dim
        items *= dims[i]
        if dims[i] == 1:
            continue
        last = job.outer - 1
        if last >= 0 and job.a_strides[last] == a_stride * dims[i] and job.b_strides[last] == b_stride * dims[i]:
            job.dims[last] *= dims[i]
            job.a_strides[last], job.b_strides[last] = a_stride, b_stride
        else:
            job.dims[job.outer] = dims[i]
            job.a_strides[job.outer], job.b_strides[job.outer] = a_stride, b_stride
            job.outer += 1
    return items


cdef bint one_tall_matrix(Job* job, Operand* first, ptrdiff_t items) noexcept:
    """Whether the first operands lie one after another, as one matrix, and the second is the same for all."""
    return (job.outer == 1 and first.layout == 0 and job.b_strides[0] == 0
            and job.a_strides[0] == first.rows * first.step * item_sizes[job.whole.type])


def matmul(cnp.ndarray a not None, cnp.ndarray b not None, bint transpose_a=False, bint transpose_b=False,
           bint adjoint_a=False, bint adjoint_b=False):
    """As `numpy.matmul`, of two arrays of one dtype, either of them transposed, or transposed and conjugated, first.

    Where the axes before the last two are absent or broadcast, an operand is read once for all.
    """
    return multiply(a, b, transpose_a or adjoint_a, transpose_b or adjoint_b, adjoint_a, adjoint_b)


# Lanes

cdef inline bint is_product(cnp.ndarray a, cnp.ndarray b, int type_num) noexcept:
    return ((type_num == cnp.NPY_FLOAT or type_num == cnp.NPY_DOUBLE or type_of(a) == HALF)
            and cnp.PyArray_TYPE(b) == type_num)


cdef object run_matrices(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray a = <cnp.ndarray>arrays[0], b = <cnp.ndarray>arrays[1]
    cdef bint transpose_a = attributes[0] is True, transpose_b = attributes[1] is True
    if (not is_product(a, b, cnp.PyArray_TYPE(a)) or cnp.PyArray_NDIM(a) != 2 or cnp.PyArray_NDIM(b) != 2
            or not (transpose_a or attributes[0] is False) or not (transpose_b or attributes[1] is False)
            or cnp.PyArray_DIMS(a)[0 if transpose_a else 1] != cnp.PyArray_DIMS(b)[1 if transpose_b else 0]):
        return None
    return multiply(a, b, transpose_a, transpose_b, False, False)


cdef object run_batches(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray a = <cnp.ndarray>arrays[0], b = <cnp.ndarray>arrays[1]
    cdef bint adjoint_a = attributes[0] is True, adjoint_b = attributes[1] is True
    if (not is_product(a, b, cnp.PyArray_TYPE(a)) or cnp.PyArray_NDIM(a) < 2 or cnp.PyArray_NDIM(b) < 2
            or not (adjoint_a or attributes[0] is False) or not (adjoint_b or attributes[1] is False)):
        return None
    try:
        return multiply(a, b, adjoint_a, adjoint_b, False, False)
    except ValueError:
        return None             # the shapes disagree: the kernel raises the error


# An Einstein sum of two operands is a batch of products of matrices, where its letters fall into those of the batch,
# the rows, the columns, and those that are summed over. Operands are seen as such batches, without a copy.

cdef enum:
    MOST_LETTERS = 12           # of an operand
    BATCH = 0                   # kinds of letters
    ROWS = 1
    SUMMED = 2
    COLUMNS = 3
    KINDS = 4

cdef struct Sum:
    int counts[KINDS]           # letters of each kind
    int axes[2][KINDS][MOST_LETTERS]    # of each operand, which hold the letters of each kind; in the result's order
    bint turned                 # the columns come before the rows in the result: the operands change places

cdef class Letters:
    """How the letters of an equation of two operands are shared out."""

    cdef Sum sum
    cdef int ndims[2]


cdef dict known_letters = {}


cdef Letters letters_of(str equation):
    """The letters of ``equation``; None where it is no batch of products, or has repeated letters or an ellipsis."""
    cdef Letters letters = Letters.__new__(Letters)
    cdef Sum* sum = &letters.sum
    cdef int kind, place, i
    left, _, result = equation.partition("->")
    operands = left.split(",")
    if len(operands) != 2 or "." in equation or max(map(len, operands)) > MOST_LETTERS:
        return None
    if any(len(set(part)) != len(part) for part in (*operands, result)):
        return None
    first, second = operands
    kinds = ["".join(c for c in result if c in first and c in second), "".join(c for c in result if c not in second),
             "".join(c for c in first if c in second and c not in result), "".join(c for c in result if c not in first)]
    if (not kinds[SUMMED] or len(kinds[BATCH] + kinds[SUMMED] + kinds[ROWS]) != len(first)
            or len(kinds[BATCH] + kinds[SUMMED] + kinds[COLUMNS]) != len(second)):
        return None             # a letter is summed over one operand alone
    if result != kinds[BATCH] + kinds[ROWS] + kinds[COLUMNS]:
        if result != kinds[BATCH] + kinds[COLUMNS] + kinds[ROWS]:
            return None
        kinds[ROWS], kinds[COLUMNS] = kinds[COLUMNS], kinds[ROWS]
        sum.turned = True
        first, second = second, first
    for kind in range(KINDS):
        sum.counts[kind] = <int>len(kinds[kind])
        for i in range(sum.counts[kind]):
            for place, part in enumerate((first, second)):
                sum.axes[place][kind][i] = part.find(kinds[kind][i])
    letters.ndims[0], letters.ndims[1] = <int>len(first), <int>len(second)
    return letters


cdef bint merge(cnp.ndarray array, const int* axes, int count, cnp.npy_intp* dim, cnp.npy_intp* stride) noexcept:
    """Write the size and the stride of the axes as one; False where their elements do not lie at even distances."""
    cdef cnp.npy_intp length
    cdef int i
    dim[0] = 1
    stride[0] = cnp.PyArray_ITEMSIZE(array)
    for i in range(count - 1, -1, -1):
        length = cnp.PyArray_DIMS(array)[axes[i]]
        if length == 1:
            continue
        if dim[0] == 1:
            stride[0] = cnp.PyArray_STRIDES(array)[axes[i]]
        elif cnp.PyArray_STRIDES(array)[axes[i]] != stride[0] * dim[0]:
            return False
        dim[0] *= length
    return True


cdef object run_sum_of_products(PyObject** arrays, int count, tuple attributes):
    """The sum that the equation describes, by BLAS; None for others than products of matrices."""
    cdef cnp.ndarray x, y, out
    cdef cnp.npy_intp dims[2][MOST_LETTERS]
    cdef cnp.npy_intp strides[2][MOST_LETTERS]
    cdef cnp.npy_intp out_dims[2 * MOST_LETTERS]
    cdef Letters letters
    cdef int place, batch, i, ndim = 0
    if count != 2:
        return None
    equation = attributes[0]
    letters = known_letters.get(equation)
    if letters is None:
        if equation in known_letters or type(equation) is not str:
            return None
        letters = letters_of(equation)
        if len(known_letters) > 1000:
            known_letters.clear()
        known_letters[equation] = letters
        if letters is None:
            return None
    x, y = <cnp.ndarray>arrays[letters.sum.turned], <cnp.ndarray>arrays[not letters.sum.turned]
    if (not is_product(x, y, cnp.PyArray_TYPE(x)) or cnp.PyArray_NDIM(x) != letters.ndims[0]
            or cnp.PyArray_NDIM(y) != letters.ndims[1] or cnp.PyArray_SIZE(x) == 0 or cnp.PyArray_SIZE(y) == 0):
        return None
    batch = letters.sum.counts[BATCH]
    for place, array in enumerate((x, y)):
        for i in range(batch):
            dims[place][i] = cnp.PyArray_DIMS(array)[letters.sum.axes[place][BATCH][i]]
            strides[place][i] = cnp.PyArray_STRIDES(array)[letters.sum.axes[place][BATCH][i]]
            if dims[place][i] != dims[0][i]:
                return None
        for i, kind in enumerate((ROWS, SUMMED) if place == 0 else (SUMMED, COLUMNS)):
            if not merge(array, letters.sum.axes[place][<int>kind], letters.sum.counts[<int>kind],
                         &dims[place][batch + i], &strides[place][batch + i]):
                return None
    for i in range(letters.sum.counts[SUMMED]):
        if (cnp.PyArray_DIMS(x)[letters.sum.axes[0][SUMMED][i]] != cnp.PyArray_DIMS(y)[letters.sum.axes[1][SUMMED][i]]):
            return None
    out = multiply(view(x, cnp.PyArray_BYTES(x), batch + 2, dims[0], strides[0], False),
                   view(y, cnp.PyArray_BYTES(y), batch + 2, dims[1], strides[1], False), False, False, False, False)
    for i in range(batch):
        out_dims[ndim] = dims[0][i]
        ndim += 1
    for i in range(letters.sum.counts[ROWS]):
        out_dims[ndim] = cnp.PyArray_DIMS(x)[letters.sum.axes[0][ROWS][i]]
        ndim += 1
    for i in range(letters.sum.counts[COLUMNS]):
        out_dims[ndim] = cnp.PyArray_DIMS(y)[letters.sum.axes[1][COLUMNS][i]]
        ndim += 1
    if letters.sum.counts[ROWS] == 1 and letters.sum.counts[COLUMNS] == 1:
        return out
    return view(out, cnp.PyArray_BYTES(out), ndim, out_dims, NULL, True)


sum_of_products: Lane = lane(run_sum_of_products)
matrix_lane: Lane = lane(run_matrices)
batch_lane: Lane = lane(run_batches)
