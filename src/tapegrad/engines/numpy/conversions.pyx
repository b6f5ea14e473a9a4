"""Casts between the common dtypes, and choices between two arrays, as lanes of their ops.

``framework/casting.py`` says what a number becomes in another dtype, and does all casts that are not done here.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.string cimport memset

import numpy as np

from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.copies cimport descr_of, is_plain, plain, same_kind
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.levels cimport level
from tapegrad.engines.numpy.threads cimport run_units
from tapegrad.engines.numpy.types cimport BUILTIN_TYPES, NPY_USERDEF

cnp.import_array()

cdef extern from "conversions.h" nogil:
    ctypedef struct Convert "tapegrad_convert":
        char* target
        char* source
        cnp.npy_intp target_item, source_item
        Conversion function
    ctypedef struct Select "tapegrad_selection":
        char* target
        char* condition
        char* x
        char* y
        cnp.npy_intp item
        bint one_x, one_y
    void c_select "tapegrad_select" (
        char* target, const char* condition, const char* x, bint one_x, const char* y, bint one_y, cnp.npy_intp n,
        cnp.npy_intp item) noexcept
    void run_convert "tapegrad_run_convert" (void* context, Py_ssize_t begin, Py_ssize_t end) noexcept
    void run_select "tapegrad_run_select" (void* context, Py_ssize_t begin, Py_ssize_t end) noexcept
    Conversion conversion_at "tapegrad_conversion_at" (int level, int from_, int to) noexcept
    Conversion widening_at "tapegrad_widening_at" (int level) noexcept
    Conversion rounding_at "tapegrad_rounding_at" (int level) noexcept
    enum:
        FLOAT "TAPEGRAD_FLOAT"
        DOUBLE "TAPEGRAD_DOUBLE"
        INT32 "TAPEGRAD_INT32"
        INT64 "TAPEGRAD_INT64"
        UINT8 "TAPEGRAD_UINT8"
        BOOL "TAPEGRAD_BOOL"
        SOURCES "TAPEGRAD_SOURCES"
        INT8 "TAPEGRAD_INT8"
        INT16 "TAPEGRAD_INT16"
        UINT16 "TAPEGRAD_UINT16"
        UINT32 "TAPEGRAD_UINT32"
        UINT64 "TAPEGRAD_UINT64"

cdef enum:
    GRAIN = 16_384              # elements for which a thread is worth it

# Where NumPy's types stand in the table of conversions, or -1.
cdef int[BUILTIN_TYPES] places
memset(places, -1, sizeof(places))
places[<int>cnp.NPY_FLOAT] = FLOAT
places[<int>cnp.NPY_DOUBLE] = DOUBLE
places[<int>cnp.NPY_INT32] = INT32
places[<int>cnp.NPY_INT64] = INT64
places[<int>cnp.NPY_UINT8] = UINT8
places[<int>cnp.NPY_BOOL] = BOOL
places[<int>cnp.NPY_INT8] = INT8
places[<int>cnp.NPY_INT16] = INT16
places[<int>cnp.NPY_UINT16] = UINT16
places[<int>cnp.NPY_UINT32] = UINT32
places[<int>cnp.NPY_UINT64] = UINT64


cdef Conversion from_bool(int size) noexcept nogil:
    return conversion_at(level, BOOL, FLOAT if size == sizeof(float) else DOUBLE)


cdef void select(char* target, const char* condition, const char* x, bint one_x, const char* y, bint one_y,
                 cnp.npy_intp n, cnp.npy_intp item) noexcept nogil:
    c_select(target, condition, x, one_x, y, one_y, n, item)


cdef bint is_contiguous_and_aligned(cnp.ndarray array) noexcept:
    return (cnp.PyArray_IS_C_CONTIGUOUS(array) and cnp.PyArray_ISALIGNED(array)
            and cnp.PyArray_ISNOTSWAPPED(array))


cdef object run_cast(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0]
    cdef int source = cnp.PyArray_TYPE(array), target = attributes[0].type_num
    cdef Conversion function
    if not is_contiguous_and_aligned(array):
        return None
    if target == cnp.NPY_FLOAT and is_bfloat16(array):
        return widened(array)
    if source == cnp.NPY_FLOAT and attributes[0].name == "bfloat16":
        return rounded(array, attributes[0].numpy_dtype)
    function = conversion_of(source, target)
    return None if function is NULL else converted(array, cnp.PyArray_DescrFromType(target), function)


cdef Conversion conversion_of(int source, int target) noexcept:
    """What converts one of NumPy's types to another; NULL where nothing here does."""
    if not (0 <= source < BUILTIN_TYPES and 0 <= target < BUILTIN_TYPES):
        return NULL
    if not (0 <= places[source] < SOURCES and places[target] >= 0):
        return NULL
    return conversion_at(level, places[source], places[target])


def to_integers(array, dtype):
    """float32 or float64 of any layout as the integer ``dtype``, in C order; `conversions.h` has the rule."""
    cdef cnp.ndarray source = plain(array)
    cdef cnp.dtype descr = cnp.dtype(dtype)
    cdef Conversion function = conversion_of(cnp.PyArray_TYPE(source), descr.num)
    if function is NULL:
        raise TypeError(f"floats to integers were expected, not {array.dtype} to {descr}")
    return converted(source, descr, function)


cdef bint is_bfloat16(cnp.ndarray array) noexcept:
    """Of the types that ml_dtypes registers with NumPy, bfloat16 alone has two bytes."""
    return cnp.PyArray_TYPE(array) >= NPY_USERDEF and cnp.PyArray_ITEMSIZE(array) == 2


cdef object widened(cnp.ndarray array):
    if not is_bfloat16(array) or not is_contiguous_and_aligned(array):
        return (<object>array).astype(np.float32)
    return converted(array, cnp.PyArray_DescrFromType(cnp.NPY_FLOAT), widening_at(level))


cdef object rounded(cnp.ndarray array, object half):
    if half.num < NPY_USERDEF or not is_contiguous_and_aligned(array):
        return (<object>array).astype(half)
    return converted(array, half, rounding_at(level))


cdef object converted(cnp.ndarray array, cnp.dtype descr, Conversion function):
    cdef cnp.ndarray out
    cdef Convert convert
    convert.function = function
    out = new_array(<PyObject*>descr, cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array))
    convert.target = cnp.PyArray_BYTES(out)
    convert.source = cnp.PyArray_BYTES(array)
    convert.target_item = cnp.PyArray_ITEMSIZE(out)
    convert.source_item = cnp.PyArray_ITEMSIZE(array)
    run_units(run_convert, &convert, cnp.PyArray_SIZE(array), 1, GRAIN)
    return out


cdef object run_choice(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray condition = <cnp.ndarray>arrays[0], x = <cnp.ndarray>arrays[1], y = <cnp.ndarray>arrays[2], out
    cdef Select selection
    selection.one_x = cnp.PyArray_NDIM(x) == 0
    selection.one_y = cnp.PyArray_NDIM(y) == 0
    selection.item = cnp.PyArray_ITEMSIZE(x)
    if not (cnp.PyArray_TYPE(condition) == cnp.NPY_BOOL and same_kind(x, y) and is_plain(x)
            and selection.item in (1, 2, 4, 8, 16)
            and is_contiguous_and_aligned(condition) and is_contiguous_and_aligned(x) and is_contiguous_and_aligned(y)
            and (selection.one_x or cnp.PyArray_SAMESHAPE(x, condition))
            and (selection.one_y or cnp.PyArray_SAMESHAPE(y, condition))):
        return None
    out = new_array(descr_of(x), cnp.PyArray_NDIM(condition), cnp.PyArray_DIMS(condition))
    if cnp.PyArray_SIZE(out) == 0:
        return out
    selection.target = cnp.PyArray_BYTES(out)
    selection.condition = cnp.PyArray_BYTES(condition)
    selection.x = cnp.PyArray_BYTES(x)
    selection.y = cnp.PyArray_BYTES(y)
    run_units(run_select, &selection, cnp.PyArray_SIZE(out), 1, GRAIN)
    return out


cast: Lane = lane(run_cast)
choice: Lane = lane(run_choice)
