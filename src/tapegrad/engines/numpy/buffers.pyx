"""Memory of arrays: blocks that come back are kept for the next arrays.

A fresh block costs a page fault for every 4 KB when it is first written to: for large elementwise work more than
the arithmetic. Blocks come in size classes, eight to each doubling, and lie aligned for the widest vectors. Where a fresh
block would drive idle ones out, it is lent or cut off a larger idle one, or a smaller one grows: their pages are there. The
pool holds little more than was in use at once, so the memory of a program stays near its own peak. Blocks that lay
idle while many arrays were made go back to the system, and so do those that a user's limit does not allow.

Small arrays are kept whole: NumPy takes longer to make a new one than to compute a few numbers.

Environment variables:
    TAPEGRAD_IDLE_MEMORY_LIMIT: how many bytes of memory that nobody uses are kept for the next arrays; see
        docs/memory.md.
"""

cimport numpy as cnp
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject

from tapegrad.engines.numpy.arrays cimport PyArray_NewFromDescr, PyArray_Type, array_with_base

import os

import numpy as np

from tapegrad.engines.numpy.types cimport BUILTIN_TYPES

cnp.import_array()

cdef extern from *:
    """
    #include "system.h"

    /* The address sanitizer reports every access to blocks that nobody has taken from the pool, and to the bytes of a
       block beyond those that were asked for. */
    #if defined(__SANITIZE_ADDRESS__)
    #include <sanitizer/asan_interface.h>
    #define tapegrad_forbid(memory, size) ASAN_POISON_MEMORY_REGION(memory, size)
    #define tapegrad_allow(memory, size) ASAN_UNPOISON_MEMORY_REGION(memory, size)
    #else
    #define tapegrad_forbid(memory, size) ((void)(memory), (void)(size))
    #define tapegrad_allow(memory, size) ((void)(memory), (void)(size))
    #endif

    /* Each block but the small ones is mapped by itself. The C library keeps freed blocks that it cannot use for blocks
       of other sizes; they took up to a fifth of a program's peak. */
    #define TAPEGRAD_HUGE_PAGE ((size_t)1 << 21)
    #define TAPEGRAD_MAPPED ((size_t)1 << 18)
    #define TAPEGRAD_MAPPED_HUGE (2 * TAPEGRAD_HUGE_PAGE)

    static void *tapegrad_fetch(size_t size)
    {
    #if defined(TAPEGRAD_HAS_MAPS)
        if (size >= TAPEGRAD_MAPPED_HUGE) {
            char *start = (char *)tapegrad_map(size + TAPEGRAD_HUGE_PAGE);
            size_t before;
            if (start == NULL)
                return NULL;
            before = -(size_t)start & (TAPEGRAD_HUGE_PAGE - 1);
            if (before > 0)
                tapegrad_unmap(start, before);
            tapegrad_unmap(start + before + size, TAPEGRAD_HUGE_PAGE - before);
            tapegrad_wish_huge_pages(start + before, size);
            return start + before;
        }
        if (size >= TAPEGRAD_MAPPED)
            return tapegrad_map(size);
    #endif
        return tapegrad_new_lines(size);
    }

    static void tapegrad_release(void *memory, size_t size)
    {
        tapegrad_allow(memory, size);
    #if defined(TAPEGRAD_HAS_MAPS)
        if (size >= TAPEGRAD_MAPPED) {
            tapegrad_unmap(memory, size);
            return;
        }
    #endif
        tapegrad_free_lines(memory);
    }

    /* The largest pages that a system has: where a block is cut, pages meet. */
    #define TAPEGRAD_LARGEST_PAGE ((size_t)1 << 16)

    /* Whether a block of this size can be the front part of another one. */
    static int tapegrad_may_cut(size_t size)
    {
    #if defined(TAPEGRAD_HAS_MAPS)
        return size >= TAPEGRAD_MAPPED && size % TAPEGRAD_LARGEST_PAGE == 0;
    #else
        return 0;
    #endif
    }

    /* Give back the end of a block, from a place on where it may be cut. */
    static void tapegrad_cut_off(void *end, size_t size)
    {
    #if defined(TAPEGRAD_HAS_MAPS)
        tapegrad_allow(end, size);
        if (size > 0)
            tapegrad_unmap(end, size);
    #endif
    }

    /* Whether a block of this size is to grow out of a smaller one. From where huge pages begin, fresh memory costs less. */
    static int tapegrad_may_grow(size_t size)
    {
    #if defined(TAPEGRAD_HAS_MAPS)
        return size >= TAPEGRAD_MAPPED && size < TAPEGRAD_MAPPED_HUGE;
    #else
        return 0;
    #endif
    }

    /* The block, now with `larger` bytes; NULL, and unchanged, where the system cannot do that. */
    static void *tapegrad_grow(void *memory, size_t size, size_t larger)
    {
    #if defined(TAPEGRAD_HAS_MAPS)
        void *grown;
        tapegrad_allow(memory, size);
        grown = tapegrad_grow_map(memory, size, larger);
        if (grown == NULL)
            tapegrad_forbid(memory, size);
        return grown;
    #else
        return NULL;
    #endif
    }
    """
    void* fetch "tapegrad_fetch" (size_t size) noexcept nogil
    void release "tapegrad_release" (void* memory, size_t size) noexcept nogil
    bint may_cut "tapegrad_may_cut" (size_t size) noexcept nogil
    void cut_off "tapegrad_cut_off" (void* end, size_t size) noexcept nogil
    bint may_grow "tapegrad_may_grow" (size_t size) noexcept nogil
    void* grow "tapegrad_grow" (void* memory, size_t size, size_t larger) noexcept nogil
    void trim_heap "tapegrad_trim_heap" () noexcept nogil
    void forbid "tapegrad_forbid" (void* memory, size_t size) noexcept nogil
    void allow "tapegrad_allow" (void* memory, size_t size) noexcept nogil

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o)
    PyTypeObject* Py_TYPE(PyObject* o)

cdef extern from *:
    """
    #define TAPEGRAD_ARRAY(array) ((PyArrayObject *)(array))
    #define tapegrad_is_carray(array) PyArray_ISCARRAY(TAPEGRAD_ARRAY(array))
    #define tapegrad_base(array) PyArray_BASE(TAPEGRAD_ARRAY(array))
    #define tapegrad_flags(array, flags) PyArray_CHKFLAGS(TAPEGRAD_ARRAY(array), flags)
    #define tapegrad_nbytes(array) ((size_t)PyArray_NBYTES(TAPEGRAD_ARRAY(array)))
    #define tapegrad_ndim(array) PyArray_NDIM(TAPEGRAD_ARRAY(array))
    #define tapegrad_descr(array) ((PyObject *)PyArray_DESCR(TAPEGRAD_ARRAY(array)))
    #define tapegrad_item(descr) ((size_t)PyDataType_ELSIZE((PyArray_Descr *)(descr)))
    #define tapegrad_is_number(array) PyTypeNum_ISNUMBER(PyArray_TYPE(TAPEGRAD_ARRAY(array)))

    static int tapegrad_has_weakrefs(PyObject *array)
    {
        Py_ssize_t place = Py_TYPE(array)->tp_weaklistoffset;
        return place > 0 && *(PyObject **)((char *)array + place) != NULL;
    }

    /* Bytes of an array; 0 where they do not fit into memory: then NumPy is asked for the array, and raises. */
    static size_t tapegrad_bytes(size_t size, int ndim, const npy_intp *dims)
    {
        for (int i = 0; i < ndim; i++)
            if (__builtin_mul_overflow(size, (size_t)dims[i], &size))
                return 0;
        return size >> 62 ? 0 : size;
    }

    /* Give a C-contiguous array another shape with as many axes and elements. */
    static void tapegrad_set_dims(PyObject *array, int ndim, npy_intp *dims)
    {
        npy_intp stride = PyArray_ITEMSIZE(TAPEGRAD_ARRAY(array));
        for (int i = ndim - 1; i >= 0; i--) {
            PyArray_DIMS(TAPEGRAD_ARRAY(array))[i] = dims[i];
            PyArray_STRIDES(TAPEGRAD_ARRAY(array))[i] = stride;
            stride *= dims[i];
        }
        if (ndim > 1)
            PyArray_UpdateFlags(TAPEGRAD_ARRAY(array), NPY_ARRAY_F_CONTIGUOUS);
    }
    """
    # These take plain pointers, because Cython counts a reference for every object that it passes on.
    bint PyArray_ISCARRAY_ "tapegrad_is_carray" (PyObject* array) noexcept
    PyObject* PyArray_BASE_ "tapegrad_base" (PyObject* array) noexcept
    bint PyArray_CHKFLAGS_ "tapegrad_flags" (PyObject* array, int flags) noexcept
    size_t tapegrad_nbytes(PyObject* array) noexcept
    int tapegrad_ndim(PyObject* array) noexcept
    PyObject* tapegrad_descr(PyObject* array) noexcept
    bint tapegrad_is_number(PyObject* array) noexcept
    size_t item_size "tapegrad_item" (PyObject* descr) noexcept
    bint has_weakrefs "tapegrad_has_weakrefs" (PyObject* array) noexcept
    size_t bytes_of "tapegrad_bytes" (size_t size, int ndim, const cnp.npy_intp* dims) noexcept
    void tapegrad_set_dims(PyObject* array, int ndim, cnp.npy_intp* dims) noexcept

cdef enum:
    CLASSES = 400
    STEPS = 8                   # size classes to each doubling
    KEPT = 64                   # free blocks of one class
    SLACK = 32                  # 1/32 of the peak may be held beyond it, because no block serves a larger size
    LEARNED = 16                # and 1/16 of each block that was fetched though the peak had room for it,
    MOST_LEARNED = 1 << 22      # up to so many bytes
    SMALL = 8192                # most bytes of an array that is kept whole, on a shelf
    SHELVES = 128               # a power of two; a shelf has arrays of one size and dtype at a time
    SHELF = 64                  # most arrays on a shelf
    SHELF_BYTES = 32768         # most bytes on a shelf
    WINDOW = 65536              # so many new arrays, small ones too, after each look at the idle blocks
    FADED = 256                 # 1/256 of the peak is lost when a few blocks come back

cdef size_t MOST = <size_t>1 << 62      # bytes: neither an array nor the pool has more
cdef void* kept[CLASSES][KEPT]
cdef int kept_count[CLASSES]
cdef size_t in_use = 0          # bytes on loan
cdef size_t idle = 0            # bytes kept for the next loan
cdef size_t peak = 0            # the most bytes on loan at once; it fades as blocks come back
cdef size_t most = 0            # the most bytes on loan at once since the start or the last `reset_peak`
cdef size_t learned = 0         # bytes that may be held beyond the peak, because blocks were fetched below it
cdef size_t window_peak = 0     # the most bytes on loan at once in this window
cdef size_t last_window_peak = 0    # and in the window before
cdef int window_left = WINDOW
cdef size_t idle_limit = MOST   # bytes, set by the user
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


cdef void keep(void* memory, int size_class) noexcept:
    """Put a block that nobody uses among the idle ones; give it back where there are enough of its class."""
    global idle, largest_class
    cdef size_t size = class_size(size_class)
    if kept_count[size_class] == KEPT:
        release(memory, size)
        return
    kept[size_class][kept_count[size_class]] = memory
    kept_count[size_class] += 1
    forbid(memory, size)
    idle += size
    largest_class = max(largest_class, size_class)


cdef void* take(int size_class) noexcept:
    """An idle block of a class that has one."""
    global idle
    kept_count[size_class] -= 1
    idle -= class_size(size_class)
    return kept[size_class][kept_count[size_class]]


cdef void trim(size_t most) noexcept:
    """Give idle blocks back to the system until at most ``most`` bytes are held, and no more blocks than necessary."""
    global largest_class
    cdef size_t excess
    cdef int size_class
    while idle > 0 and in_use + idle > most:
        while kept_count[largest_class] == 0:
            largest_class -= 1
        # Take the smallest block that is enough, or else the largest one.
        excess = in_use + idle - most
        size_class = min(class_of(max(excess, <size_t>POOLED)), largest_class)
        while kept_count[size_class] == 0:
            size_class += 1
        release(take(size_class), class_size(size_class))


cdef inline size_t slack() noexcept:
    """How many bytes may be held beyond the peak.

    A loop whose blocks of several sizes take turns would give blocks back and fetch others in each step, with a page fault
    for every 4 KB. It learns within some tens of steps how much more it needs.
    """
    return max(peak // SLACK, learned)


cdef void end_window() noexcept:
    """Forget a peak that has not come again in two windows, and give back what was kept for it.

    A loop whose steps make up to twice `WINDOW` arrays finds the blocks of its last step: two windows hold a peak of
    every step.
    """
    global peak, learned, window_peak, last_window_peak, window_left
    window_left = WINDOW
    peak = min(peak, max(window_peak, last_window_peak))
    learned -= learned // 4
    last_window_peak = window_peak
    window_peak = in_use
    trim(peak + slack())


cdef class Buffer:
    def __dealloc__(self):
        global in_use, peak
        cdef size_t size
        if self.memory == NULL:
            return
        size = class_size(self.size_class)
        in_use -= size
        peak -= (peak - in_use) >> 12
        keep(self.memory, self.size_class)
        # The peak has just faded a little. There must be room for one block more, or a block that comes and goes
        # alone would be fetched fresh each time.
        trim(min(peak + max(size, slack()), in_use + idle_limit))


cdef bint pushes_out(size_t size) noexcept:
    """Whether a fresh block would drive idle ones out."""
    return in_use + idle + size > peak + slack()


cdef int class_to_allocate(int size_class) noexcept:
    """The class of the block to allocate: a somewhat larger one where a fresh block would push idle ones out.

    Programs whose blocks of several sizes take turns would otherwise give blocks back and fetch others in every step.
    """
    cdef size_t size = class_size(size_class)
    cdef int larger
    if kept_count[size_class] == 0 and pushes_out(size):
        for larger in range(size_class + 1, min(size_class + STEPS // 2, largest_class) + 1):
            if kept_count[larger] > 0 and in_use + class_size(larger) <= peak + peak // FADED:
                return larger
    return size_class


cdef void* cut_larger(int size_class) noexcept:
    """A block cut off the smallest idle one that is larger; the rest of that stays idle. NULL where there is none."""
    cdef size_t size = class_size(size_class), rest
    cdef int larger, part
    cdef char* memory
    if not may_cut(size):
        return NULL
    for larger in range(size_class + 1, largest_class + 1):
        if kept_count[larger] > 0:
            memory = <char*>take(larger)
            rest = class_size(larger) - size
            part = class_of(max(rest, <size_t>POOLED) + 1) - 1      # the largest that the rest holds
            while part >= 0 and not may_cut(class_size(part)):
                part -= 1
            if part < 0:
                cut_off(memory + size, rest)
            else:
                cut_off(memory + size + class_size(part), rest - class_size(part))
                keep(memory + size, part)
            return memory
    return NULL


cdef void* grow_smaller(int size_class) noexcept:
    """The largest idle block that is smaller, made larger, so that only what it lacks is fetched; NULL where there is none."""
    cdef int smaller = size_class - 1
    cdef void* memory
    cdef void* grown
    if not may_grow(class_size(size_class)):
        return NULL
    while smaller >= 0 and may_grow(class_size(smaller)):
        if kept_count[smaller] > 0:
            memory = take(smaller)
            grown = grow(memory, class_size(smaller), class_size(size_class))
            if grown == NULL:
                keep(memory, smaller)
            return grown
        smaller -= 1
    return NULL


cdef Buffer allocate(size_t size):
    """A block of at least ``size`` bytes, its content undefined."""
    global in_use, peak, learned, most, window_peak, window_left
    cdef Buffer buffer = Buffer.__new__(Buffer)
    cdef int size_class = class_to_allocate(class_of(size))
    cdef size_t wanted = size
    cdef bint scarce
    size = class_size(size_class)
    window_left -= 1
    if window_left == 0:
        end_window()
    scarce = kept_count[size_class] == 0 and pushes_out(size)
    if kept_count[size_class] > 0:
        buffer.memory = take(size_class)
    elif scarce:
        buffer.memory = cut_larger(size_class)
    if buffer.memory == NULL:
        if in_use + size <= peak:
            learned = min(learned + size // LEARNED, <size_t>MOST_LEARNED)
        peak = max(peak, in_use + size)
        if scarce:
            buffer.memory = grow_smaller(size_class)
        trim(peak + slack() - size)
        if buffer.memory == NULL:
            buffer.memory = fetch(size)
        if buffer.memory == NULL:
            trim(0)
            buffer.memory = fetch(size)
            if buffer.memory == NULL:
                raise MemoryError(f"cannot allocate {size} bytes for an array")
    allow(buffer.memory, wanted)
    forbid(<char*>buffer.memory + wanted, size - wanted)
    buffer.size_class = size_class
    in_use += size
    peak = max(peak, in_use)
    most = max(most, in_use)
    window_peak = max(window_peak, in_use)
    return buffer


cdef object pooled_array(PyObject* descr, int ndim, cnp.npy_intp* dims, size_t size):
    """A C-contiguous array of ``size`` bytes in a block of the pool."""
    cdef Buffer buffer = allocate(size)
    return array_with_base(descr, ndim, dims, NULL, buffer.memory, cnp.NPY_ARRAY_CARRAY, buffer)


cdef bint solely_held(PyObject* array) noexcept:
    """Whether one reference is the only one to the memory of ``array``, so that its holder may write to it.

    The references to the block of the pool count too, because views of our own (`lanes.view`) hold the block and not
    the array. Views that NumPy makes hold the array.
    """
    cdef PyObject* base
    if (Py_REFCNT(array) != 1 or not isinstance(<object>array, cnp.ndarray)
            or not PyArray_ISCARRAY_(array)):
        return False
    base = PyArray_BASE_(array)
    if base == NULL:
        return PyArray_CHKFLAGS_(array, cnp.NPY_ARRAY_OWNDATA)
    return Py_REFCNT(base) == 1 and isinstance(<object>base, Buffer)


cdef struct Shelf:
    PyObject* descr
    size_t size                 # bytes of each array
    int ndim
    int count
    PyObject* arrays[SHELF]

cdef Shelf shelves[SHELVES]


cdef inline Shelf* shelf_for(PyObject* descr, int ndim, size_t size) noexcept:
    return &shelves[((<size_t>descr >> 4) * 31 + size * 7 + <size_t>ndim * 13 + (size >> 6)) & (SHELVES - 1)]


cdef void recycle(PyObject* array) noexcept:
    """Keep ``array`` for `small_array`: its last holder lets go of it. Unless someone else refers to it."""
    cdef Shelf* shelf
    cdef PyObject* descr
    cdef size_t size
    if Py_REFCNT(array) != 1 or Py_TYPE(array) != &PyArray_Type or has_weakrefs(array):
        return
    if not PyArray_CHKFLAGS_(array, cnp.NPY_ARRAY_CARRAY | cnp.NPY_ARRAY_OWNDATA):
        return
    size = tapegrad_nbytes(array)
    if size == 0 or size > SMALL or not tapegrad_is_number(array):
        return
    descr = tapegrad_descr(array)
    shelf = shelf_for(descr, tapegrad_ndim(array), size)
    if shelf.descr != descr or shelf.size != size or shelf.ndim != tapegrad_ndim(array):
        while shelf.count > 0:
            shelf.count -= 1
            Py_DECREF(<object>shelf.arrays[shelf.count])
        shelf.descr = descr
        shelf.size = size
        shelf.ndim = tapegrad_ndim(array)
    if shelf.count < SHELF and <size_t>shelf.count * size < SHELF_BYTES:
        Py_INCREF(<object>array)
        shelf.arrays[shelf.count] = array
        shelf.count += 1


cdef object small_array(PyObject* descr, int ndim, cnp.npy_intp* dims, size_t size):
    """A C-contiguous array of ``size`` bytes, too few for the pool; ``descr`` must live as long as NumPy."""
    global window_left
    cdef Shelf* shelf
    cdef PyObject* array
    cdef object out
    window_left -= 1
    if window_left == 0:
        end_window()
    if 0 < size <= SMALL:
        shelf = shelf_for(descr, ndim, size)
        if shelf.count > 0 and shelf.descr == descr and shelf.size == size and shelf.ndim == ndim:
            shelf.count -= 1
            array = shelf.arrays[shelf.count]
            if ndim > 0:
                tapegrad_set_dims(array, ndim, dims)
            out = <object>array
            Py_DECREF(out)
            return out
    Py_INCREF(<object>descr)
    return PyArray_NewFromDescr(&PyArray_Type, <cnp.PyArray_Descr*>descr, ndim, dims, NULL, NULL, 0, NULL)


cdef object new_array(PyObject* descr, int ndim, cnp.npy_intp* dims):
    """A C-contiguous array whose content is undefined; ``descr`` is borrowed and must live as long as NumPy."""
    cdef size_t size = bytes_of(item_size(descr), ndim, dims)
    if size >= POOLED:
        return pooled_array(descr, ndim, dims, size)
    return small_array(descr, ndim, dims, size)


cdef cnp.ndarray empty_like(cnp.ndarray array):
    """A C-contiguous array of the shape and dtype of ``array``, its content undefined."""
    return new_array(tapegrad_descr(<PyObject*>array), cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array))


def empty(shape, dtype=float):
    """What `numpy.empty` gives, in memory of the pool where the array is large."""
    cdef cnp.dtype descr = cnp.dtype(dtype)
    cdef cnp.npy_intp dims[64]
    cdef size_t size
    cdef int i = 0
    if isinstance(shape, int):
        shape = (shape,)
    if descr.hasobject or len(shape) > 64:
        return np.empty(shape, descr)
    for length in shape:
        dims[i] = length
        i += 1
    size = bytes_of(descr.itemsize, i, dims)
    if size >= POOLED:
        return pooled_array(<PyObject*>descr, i, dims, size)
    if descr.num < BUILTIN_TYPES and descr is cnp.PyArray_DescrFromType(descr.num):
        for i in range(i):
            if dims[i] < 0:
                return np.empty(shape, descr)       # which raises
        return small_array(<PyObject*>descr, <int>len(shape), dims, size)
    return np.empty(shape, descr)


# What users can ask and set

def statistics():
    """Bytes on loan, bytes idle, the peak that limits the pool, and the most bytes on loan since `reset_peak`."""
    return {"in_use": in_use, "idle": idle, "peak": peak, "most": most}


def reset_peak(size_t least=0):
    """Count the most bytes on loan from now on; it was at least ``least``."""
    global most
    most = max(in_use, least)


def release_idle():
    """Give all memory that no array uses back to the system; return how many bytes of it the pool held."""
    global peak, window_peak, last_window_peak
    cdef size_t before = idle
    cdef Shelf* shelf
    cdef int i
    trim(in_use)
    peak = window_peak = last_window_peak = in_use
    for i in range(SHELVES):
        shelf = &shelves[i]
        while shelf.count > 0:
            shelf.count -= 1
            Py_DECREF(<object>shelf.arrays[shelf.count])
    trim_heap()
    return before - idle


def idle_memory_limit():
    """The most bytes that may lie idle, or None."""
    return None if idle_limit == MOST else idle_limit


def set_idle_memory_limit(limit):
    global idle_limit
    idle_limit = MOST if limit is None or limit > MOST else limit
    trim(in_use + idle_limit)


cdef object read_limit():
    text = os.environ.get("TAPEGRAD_IDLE_MEMORY_LIMIT", "").strip()
    if text and not text.isdecimal():
        raise ValueError(f"TAPEGRAD_IDLE_MEMORY_LIMIT is a number of bytes; {text!r} came.")
    return int(text) if text else None


set_idle_memory_limit(read_limit())
