"""Orthogonal factors, eigenvalues and singular values by NumPy's own LAPACK, as lanes of their ops; see `lapack_calls`."""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.math cimport fabs
from libc.stdint cimport int64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from tapegrad.engines.numpy.blas cimport Blas, enter, leave
from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.copies cimport descr_of, plain, zeros_array
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.lapack_calls cimport lapack, share, transpose_copy, usable
from tapegrad.engines.numpy.threads cimport parallel

cnp.import_array()

cdef enum:
    MOST_AXES = 32
    TURNED = 160                # vectors that are turned back together
    WORK = 64                   # numbers to work in for each row

# These get matrices column by column, as NumPy gives them to the same functions, so that the bits are NumPy's.

cdef struct Decomposition:
    bint is_double, vectors, full
    const char* matrices
    cnp.npy_intp rows, columns, least
    char* first                 # of QR q, of eigenvalues the values, of singular values the values
    char* second                # r; the vectors; the left vectors
    char* third                 # the right vectors
    int failed                  # set by any thread
    const Blas* blas
    int ndim
    cnp.npy_intp batch
    cnp.npy_intp dims[MOST_AXES]            # of the batch, and then of the result that was made last


cdef inline int64_t workspace_size(bint is_double, const void* answer) noexcept nogil:
    """How many numbers LAPACK wants to work in: it answers with a float."""
    return <int64_t>((<const double*>answer)[0] if is_double else (<const float*>answer)[0])


cdef void run_qr(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Decomposition* work = <Decomposition*>context
    cdef bint d = work.is_double
    cdef cnp.npy_intp item = 8 if d else 4, size = work.rows * work.columns, index, row
    cdef int64_t m = work.rows, n = work.columns, k = work.least, info = 0, ask = -1, room
    cdef double answer = 0
    cdef char* q
    cdef char* r
    cdef char* factors = <char*>malloc((size + k) * item)
    cdef char* tau = factors + size * item
    cdef char* scratch = NULL
    if factors != NULL:
        lapack.geqrf[d](&m, &n, factors, &m, tau, &answer, &ask, &info)
        room = workspace_size(d, &answer)
        lapack.orgqr[d](&m, &k, &k, factors, &m, tau, &answer, &ask, &info)
        room = max(room, workspace_size(d, &answer), <int64_t>1)
        scratch = <char*>malloc(room * item)
    if scratch == NULL:
        work.failed = 1
        free(factors)
        return
    for index in range(begin, end):
        transpose_copy(d, m, n, work.matrices + index * size * item, n, factors, m)
        lapack.geqrf[d](&m, &n, factors, &m, tau, scratch, &room, &info)
        q = work.first + index * m * k * item
        r = work.second + index * k * n * item
        if m == k:
            transpose_copy(d, n, m, factors, m, r, n)
        else:                   # the first rows alone
            for row in range(n):
                copy_column(d, factors + row * m * item, r + row * item, k, n)
        for row in range(k):
            memset(r + row * n * item, 0, min(row, n) * item)
        lapack.orgqr[d](&m, &k, &k, factors, &m, tau, scratch, &room, &info)
        if info != 0:
            work.failed = 1
        transpose_copy(d, k, m, factors, m, q, k)
    free(factors)
    free(scratch)


cdef void copy_column(bint is_double, const void* source, void* out, cnp.npy_intp count, cnp.npy_intp step) noexcept nogil:
    cdef cnp.npy_intp i
    for i in range(count):
        if is_double:
            (<double*>out)[i * step] = (<const double*>source)[i]
        else:
            (<float*>out)[i * step] = (<const float*>source)[i]


cdef void run_eigh(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Decomposition* work = <Decomposition*>context
    cdef bint d = work.is_double
    cdef cnp.npy_intp item = 8 if d else 4, size = work.rows * work.rows, index
    cdef int64_t n = work.rows, info = 0, ask = -1, room, whole_room, whole = 0
    cdef double answer = 0
    cdef const char* job = b"V"
    cdef char* scratch
    cdef char* matrix = <char*>malloc(size * item)
    cdef int64_t* integers
    if not work.vectors:
        job = b"N"
    lapack.syevd[d](job, b"L", &n, matrix, &n, work.first, &answer, &ask, &whole, &ask, &info, 1, 1)
    room, whole_room = workspace_size(d, &answer), whole
    scratch = <char*>malloc(room * item)
    integers = <int64_t*>malloc(whole_room * sizeof(int64_t))
    if matrix == NULL or scratch == NULL or integers == NULL:
        work.failed = 1
        end = begin
    for index in range(begin, end):
        transpose_copy(d, n, n, work.matrices + index * size * item, n, matrix, n)
        lapack.syevd[d](job, b"L", &n, matrix, &n, work.first + index * n * item, scratch, &room, integers, &whole_room,
                        &info, 1, 1)
        if info != 0:
            work.failed = 1
        if work.vectors:
            transpose_copy(d, n, n, matrix, n, work.second + index * size * item, n)
    free(matrix)
    free(scratch)
    free(integers)


cdef struct Turn:
    bint is_double
    int64_t n
    const char* reflectors      # what made the matrix tridiagonal, and how long they are
    const char* tau
    char* vectors               # of the tridiagonal matrix
    char* out                   # those of the matrix itself, row by row
    int failed


cdef void apply_reflectors_to_blocks(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    """Blocks of the vectors. LAPACK may write into the reflectors in between, so that each thread has its own."""
    cdef Turn* work = <Turn*>context
    cdef bint d = work.is_double
    cdef cnp.npy_intp item = 8 if d else 4, size = work.n * work.n * item, block
    cdef int64_t n = work.n, room = TURNED * WORK + 65 * 64, width, info = 0
    cdef char* reflectors = <char*>malloc(size + room * item)
    cdef char* vectors
    if reflectors == NULL:
        work.failed = 1
        return
    memcpy(reflectors, work.reflectors, size)
    for block in range(begin, end):
        width = min(<int64_t>TURNED, n - block * TURNED)
        vectors = work.vectors + block * TURNED * n * item
        lapack.ormtr[d](b"L", b"L", b"N", &n, &width, reflectors, &n, work.tau, vectors, &n, reflectors + size, &room,
                        &info, 1, 1, 1)
        if info != 0:
            work.failed = 1
        transpose_copy(d, width, n, vectors, n, work.out + block * TURNED * item, n)
    free(reflectors)


cdef int decompose_one(Decomposition* work) noexcept nogil:
    """What syevd does, for one large matrix: the last of its three steps is shared among threads. 0 where it failed."""
    cdef bint d = work.is_double
    cdef cnp.npy_intp item = 8 if d else 4, size = work.rows * work.rows * item
    cdef int64_t n = work.rows, info = 0, ask = -1, room, whole_room = 0
    cdef double answer = 0
    cdef Turn turned
    cdef char* matrix = <char*>malloc(2 * size + 2 * n * item)
    cdef char* vectors = matrix + size
    cdef char* off = vectors + size         # the numbers beside the diagonal
    cdef char* tau = off + n * item
    cdef char* scratch
    cdef int64_t* integers
    if matrix == NULL:
        return 0
    lapack.stedc[d](b"I", &n, work.first, off, vectors, &n, &answer, &ask, &whole_room, &ask, &info, 1)
    room = max(workspace_size(d, &answer), n * WORK)
    scratch = <char*>malloc(room * item)
    integers = <int64_t*>malloc(whole_room * sizeof(int64_t))
    turned.failed = scratch == NULL or integers == NULL
    if not turned.failed:
        transpose_copy(d, n, n, work.matrices, n, matrix, n)
        lapack.sytrd[d](b"L", &n, matrix, &n, work.first, off, tau, scratch, &room, &info, 1)
        turned.failed |= info != 0
        lapack.stedc[d](b"I", &n, work.first, off, vectors, &n, scratch, &room, integers, &whole_room, &info, 1)
        turned.failed |= info != 0
    free(scratch)
    free(integers)
    if not turned.failed:
        turned.is_double, turned.n, turned.reflectors, turned.tau = d, n, matrix, tau
        turned.vectors, turned.out = vectors, work.second
        parallel(apply_reflectors_to_blocks, &turned, (n + TURNED - 1) // TURNED, 1)
    free(matrix)
    return not turned.failed


cdef bint of_middle_size(cnp.ndarray array) noexcept:
    """Whether the largest number is such that no square of one overflows, and none that matters vanishes."""
    cdef cnp.npy_intp i
    cdef double largest = 0
    cdef float single = 0
    if cnp.PyArray_TYPE(array) == cnp.NPY_DOUBLE:
        for i in range(cnp.PyArray_SIZE(array)):
            largest = max(largest, fabs((<double*>cnp.PyArray_DATA(array))[i]))
        return 1e-140 < largest < 1e140
    for i in range(cnp.PyArray_SIZE(array)):
        single = max(single, <float>fabs((<float*>cnp.PyArray_DATA(array))[i]))
    return 1e-12 < single < 1e12


cdef void run_svd(void* context, Py_ssize_t begin, Py_ssize_t end) noexcept nogil:
    cdef Decomposition* work = <Decomposition*>context
    cdef bint d = work.is_double
    cdef cnp.npy_intp item = 8 if d else 4, size = work.rows * work.columns, index
    cdef int64_t m = work.rows, n = work.columns, least = work.least, info = 0, ask = -1, room
    cdef int64_t left = m if work.full else least, right = n if work.full else least
    cdef double answer = 0
    cdef const char* job = b"S"
    cdef char* scratch = NULL
    cdef char* matrix = <char*>malloc((size + m * left) * item)
    cdef char* vectors = matrix + size * item
    cdef int64_t* integers = <int64_t*>malloc(8 * least * sizeof(int64_t))
    cdef char* out
    if not work.vectors:
        job = b"N"
    elif work.full:
        job = b"A"
    if matrix != NULL and integers != NULL:
        lapack.gesdd[d](job, &m, &n, matrix, &m, work.first, vectors, &m, vectors, &right, &answer, &ask, integers, &info,
                        1)
        room = workspace_size(d, &answer)
        scratch = <char*>malloc(room * item)
    if scratch == NULL:
        work.failed = 1
        end = begin
    for index in range(begin, end):
        transpose_copy(d, m, n, work.matrices + index * size * item, n, matrix, m)
        # V' column by column is V row by row.
        out = work.third + index * n * right * item if work.vectors else NULL
        lapack.gesdd[d](job, &m, &n, matrix, &m, work.first + index * least * item, vectors, &m, out, &right, scratch,
                        &room, integers, &info, 1)
        if info != 0:
            work.failed = 1
        if work.vectors:
            transpose_copy(d, left, m, vectors, m, work.second + index * m * left * item, left)
    free(matrix)
    free(scratch)
    free(integers)


cdef bint all_finite(cnp.ndarray array) noexcept:
    """Whether a contiguous array of floats has no NaN and no infinity."""
    cdef cnp.npy_intp i
    cdef double total = 0
    if cnp.PyArray_TYPE(array) == cnp.NPY_DOUBLE:
        for i in range(cnp.PyArray_SIZE(array)):
            total += (<double*>cnp.PyArray_DATA(array))[i] * 0
    else:
        for i in range(cnp.PyArray_SIZE(array)):
            total += (<float*>cnp.PyArray_DATA(array))[i] * 0
    return total == 0


cdef cnp.ndarray begin(Decomposition* work, cnp.ndarray array, bint finite):
    """The matrices of ``array`` side by side, described in ``work``.

    None for dtypes that are not LAPACK's; and, of matrices that have to be ``finite``, where one is not.
    """
    cdef cnp.ndarray matrix
    cdef int i
    work.blas = usable(array)
    if work.blas == NULL:
        return None
    matrix = plain(array)
    if finite and not all_finite(matrix):
        return None
    work.ndim = cnp.PyArray_NDIM(matrix)
    work.is_double = cnp.PyArray_TYPE(matrix) == cnp.NPY_DOUBLE
    work.matrices = cnp.PyArray_BYTES(matrix)
    work.rows = cnp.PyArray_DIMS(matrix)[work.ndim - 2]
    work.columns = cnp.PyArray_DIMS(matrix)[work.ndim - 1]
    work.least = min(work.rows, work.columns)
    work.vectors = True
    work.full = False
    work.failed = 0
    for i in range(work.ndim - 2):
        work.dims[i] = cnp.PyArray_DIMS(matrix)[i]
    work.batch = cnp.PyArray_SIZE(matrix) // (work.rows * work.columns)
    return matrix


cdef cnp.ndarray new_values(Decomposition* work, cnp.ndarray like, cnp.npy_intp count):
    work.dims[work.ndim - 2] = count
    return new_array(descr_of(like), work.ndim - 1, work.dims)


cdef cnp.ndarray new_matrices(Decomposition* work, cnp.ndarray like, cnp.npy_intp rows, cnp.npy_intp columns):
    work.dims[work.ndim - 2] = rows
    work.dims[work.ndim - 1] = columns
    return new_array(descr_of(like), work.ndim, work.dims)


cdef object run_orthogonal(PyObject** arrays, int count, tuple attributes):
    """q and r; None for a square q of a tall matrix."""
    cdef cnp.ndarray q, r
    cdef Decomposition work
    cdef cnp.ndarray matrix = begin(&work, <cnp.ndarray>arrays[0], False)
    if matrix is None or attributes[0] and work.rows > work.columns:
        return None
    q = new_matrices(&work, matrix, work.rows, work.least)
    r = new_matrices(&work, matrix, work.least, work.columns)
    work.first = cnp.PyArray_BYTES(q)
    work.second = cnp.PyArray_BYTES(r)
    share(run_qr, &work, work.blas, work.batch, 4 * <double>work.rows * work.columns * work.least)
    return None if work.failed else (q, r)


cdef object run_self_adjoint(PyObject** arrays, int count, tuple attributes):
    """Eigenvalues and eigenvectors; None where a matrix is not finite, or LAPACK finds none."""
    cdef cnp.ndarray values, vectors
    cdef Decomposition work
    cdef cnp.ndarray matrix = begin(&work, <cnp.ndarray>arrays[0], True)
    if matrix is None or work.rows != work.columns:
        return None
    work.vectors = attributes[0]
    values = new_values(&work, matrix, work.rows)
    work.first = cnp.PyArray_BYTES(values)
    if work.vectors:
        vectors = new_matrices(&work, matrix, work.rows, work.rows)
        work.second = cnp.PyArray_BYTES(vectors)
    else:
        vectors = zeros_array(descr_of(matrix), 0, work.dims)
    if work.batch == 1 and work.vectors and work.rows > TURNED and of_middle_size(matrix):
        with nogil:
            enter(work.blas)
            work.failed = not decompose_one(&work)
            leave(work.blas)
        return None if work.failed else (values, vectors)
    share(run_eigh, &work, work.blas, work.batch, 9 * <double>work.rows * work.rows * work.rows)
    return None if work.failed else (values, vectors)


cdef object run_singular(PyObject** arrays, int count, tuple attributes):
    """Singular values and vectors; None where a matrix is not finite, or LAPACK finds none."""
    cdef cnp.ndarray values, left, right
    cdef Decomposition work
    cdef cnp.ndarray matrix = begin(&work, <cnp.ndarray>arrays[0], True)
    if matrix is None:
        return None
    work.vectors = attributes[0]
    work.full = attributes[1]
    values = new_values(&work, matrix, work.least)
    work.first = cnp.PyArray_BYTES(values)
    if work.vectors:
        left = new_matrices(&work, matrix, work.rows, work.rows if work.full else work.least)
        right = new_matrices(&work, matrix, work.columns, work.columns if work.full else work.least)
        work.second = cnp.PyArray_BYTES(left)
        work.third = cnp.PyArray_BYTES(right)
    else:
        left = right = zeros_array(descr_of(matrix), 0, work.dims)
    share(run_svd, &work, work.blas, work.batch, 9 * <double>work.rows * work.columns * work.least)
    return None if work.failed else (values, left, right)


orthogonal: Lane = lane(run_orthogonal)
self_adjoint: Lane = lane(run_self_adjoint)
singular: Lane = lane(run_singular)
