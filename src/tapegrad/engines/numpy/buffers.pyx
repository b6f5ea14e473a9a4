"""Memory for large arrays, kept and lent again instead of being fetched fresh from the system.

A fresh block costs a page fault for every 4 KB that is first written to: for large elementwise work more than
the arithmetic. Blocks come in size classes, eight to each doubling, and lie aligned for the widest vectors. The
pool never holds more than was in use at once: what a program needed at its peak stays within that peak.
"""

cimport numpy as cnp
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, PyObject
from libc.stdlib cimport free

import numpy as np

cnp.import_array()

cdef extern from *:
    """
    #include <stdlib.h>
    #if defined(__linux__)
    #include <sys/mman.h>
    #endif

    #define TAPEGRAD_HUGE_PAGE ((size_t)1 << 21)

    static void *tapegrad_fetch(size_t size)
    {
        void *memory = NULL;
        size_t alignment = size >= 2 * TAPEGRAD_HUGE_PAGE ? TAPEGRAD_HUGE_PAGE : 64;
        if (posix_memalign(&memory, alignment, size) != 0)
            return NULL;
    #if defined(__linux__) && defined(MADV_HUGEPAGE)
        /* Advice only: one fault then serves 2 MB where the system gives such pages. */
        if (alignment == TAPEGRAD_HUGE_PAGE)
            madvise(memory, size, MADV_HUGEPAGE);
    #endif
        return memory;
    }
    """
    void* fetch "tapegrad_fetch" (size_t size) noexcept nogil

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o)

cdef extern from "numpy/arrayobject.h":
    object PyArray_NewFromDescr(
        PyTypeObject* subtype, PyObject* descr, int nd, cnp.npy_intp* dims, cnp.npy_intp* strides, void* data,
        int flags, PyObject* obj)
    PyTypeObject PyArray_Type
    int PyArray_SetBaseObject(cnp.ndarray array, object base) except -1

cdef extern from *:
    """
    #define TAPEGRAD_ARRAY(array) ((PyArrayObject *)(array))
    #define tapegrad_is_carray(array) PyArray_ISCARRAY(TAPEGRAD_ARRAY(array))
    #define tapegrad_base(array) PyArray_BASE(TAPEGRAD_ARRAY(array))
    #define tapegrad_flags(array, flags) PyArray_CHKFLAGS(TAPEGRAD_ARRAY(array), flags)
    """
    # On plain pointers: Cython counts a reference for every object it hands on.
    bint PyArray_ISCARRAY_ "tapegrad_is_carray" (PyObject* array) noexcept
    PyObject* PyArray_BASE_ "tapegrad_base" (PyObject* array) noexcept
    bint PyArray_CHKFLAGS_ "tapegrad_flags" (PyObject* array, int flags) noexcept

cdef enum:
    CLASSES = 400
    STEPS = 8                   # size classes to each doubling
    KEPT = 64                   # free blocks of one class

cdef void* kept[CLASSES][KEPT]
cdef int kept_count[CLASSES]
cdef size_t in_use = 0          # bytes on loan
cdef size_t idle = 0            # bytes kept for the next loan
cdef size_t peak = 0            # the most that was on loan; it fades as blocks come back
cdef int largest_class = 0


cdef int class_of(size_t size) noexcept:
    """The smallest class whose blocks hold ``size`` bytes."""
    cdef size_t unit = POOLED // STEPS
    cdef int doublings = 0
    cdef size_t base = POOLED
    while base * 2 <= size:
        base *= 2
        doublings += 1
    unit = base // STEPS
    return doublings * STEPS + <int>((size - base + unit - 1) // unit)


cdef size_t class_size(int size_class) noexcept:
    cdef size_t base = <size_t>POOLED << (size_class // STEPS)
    return base + (size_class % STEPS) * (base // STEPS)


cdef void trim(size_t most) noexcept:
    """Give idle blocks back to the system, the largest first, until at most ``most`` bytes are held."""
    global idle, largest_class
    while idle > 0 and in_use + idle > most:
        while kept_count[largest_class] == 0:
            largest_class -= 1
        kept_count[largest_class] -= 1
        idle -= class_size(largest_class)
        free(kept[largest_class][kept_count[largest_class]])


cdef class Buffer:
    def __dealloc__(self):
        global in_use, idle, peak, largest_class
        cdef size_t size
        if self.memory == NULL:
            return
        size = class_size(self.size_class)
        in_use -= size
        peak -= (peak - in_use) >> 12
        if kept_count[self.size_class] < KEPT:
            kept[self.size_class][kept_count[self.size_class]] = self.memory
            kept_count[self.size_class] += 1
            idle += size
            largest_class = max(largest_class, self.size_class)
        else:
            free(self.memory)
        trim(peak)


cdef Buffer lend(size_t size):
    """A block of at least ``size`` bytes, its content undefined."""
    global in_use, idle, peak
    cdef Buffer buffer = Buffer.__new__(Buffer)
    cdef int size_class = class_of(size)
    size = class_size(size_class)
    if kept_count[size_class] > 0:
        kept_count[size_class] -= 1
        idle -= size
        buffer.memory = kept[size_class][kept_count[size_class]]
    else:
        peak = max(peak, in_use + size)
        trim(peak - size)
        buffer.memory = fetch(size)
        if buffer.memory == NULL:
            trim(0)
            buffer.memory = fetch(size)
            if buffer.memory == NULL:
                raise MemoryError(f"cannot allocate {size} bytes for an array")
    buffer.size_class = size_class
    in_use += size
    peak = max(peak, in_use)
    return buffer


cdef object pooled_array(PyObject* descr, int ndim, cnp.npy_intp* dims, size_t size):
    """A C-contiguous array of ``size`` bytes in a block of the pool."""
    cdef Buffer buffer = lend(size)
    cdef cnp.ndarray array
    Py_INCREF(<object>descr)
    array = PyArray_NewFromDescr(
        &PyArray_Type, descr, ndim, dims, NULL, buffer.memory, cnp.NPY_ARRAY_CARRAY, NULL)
    Py_INCREF(buffer)
    PyArray_SetBaseObject(array, buffer)
    return array


cdef bint solely_held(PyObject* array) noexcept:
    """Whether one reference is the only one to the memory of ``array``, so that its holder may write to it.

    Views refer to the block of the pool itself, and not to the array: its references are counted too.
    """
    cdef PyObject* base
    if (Py_REFCNT(array) != 1 or not isinstance(<object>array, cnp.ndarray)
            or not PyArray_ISCARRAY_(array)):
        return False
    base = PyArray_BASE_(array)
    if base == NULL:
        return PyArray_CHKFLAGS_(array, cnp.NPY_ARRAY_OWNDATA)
    return Py_REFCNT(base) == 1 and isinstance(<object>base, Buffer)


def empty(shape, dtype=float):
    """What `numpy.empty` gives, in memory of the pool where the array is large."""
    cdef cnp.dtype descr = cnp.dtype(dtype)
    cdef cnp.ndarray array
    cdef cnp.npy_intp dims[64]
    cdef cnp.npy_intp count = 1
    cdef int i = 0
    if isinstance(shape, int):
        shape = (shape,)
    for length in shape:
        count *= length
    if descr.hasobject or count * descr.itemsize < POOLED or len(shape) > 64:
        return np.empty(shape, descr)
    for length in shape:
        dims[i] = length
        i += 1
    return pooled_array(<PyObject*>descr, i, dims, count * descr.itemsize)


def statistics():
    """Bytes on loan, bytes idle, and the peak that the pool remembers."""
    return {"in_use": in_use, "idle": idle, "peak": peak}
