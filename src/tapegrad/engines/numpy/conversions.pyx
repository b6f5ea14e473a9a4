"""Casts between the common dtypes, and choices between two arrays, as lanes of their ops.

``framework/casting.py`` says what a number becomes in another dtype, and does all casts that are not done here.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.string cimport memset

from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.copies cimport descr_of, is_plain, same_kind
from tapegrad.engines.numpy.lanes cimport Lane, lane
from tapegrad.engines.numpy.threads cimport parallel

cnp.import_array()

cdef extern from "conversions.h" nogil:
    ctypedef void (*Conversion "tapegrad_conversion")(char* target, const char* source, cnp.npy_intp n) noexcept
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
    void run_convert "tapegrad_run_convert" (void* context, Py_ssize_t begin, Py_ssize_t end) noexcept
    void run_select "tapegrad_run_select" (void* context, Py_ssize_t begin, Py_ssize_t end) noexcept
    Conversion d_f "tapegrad_d_f", i32_f "tapegrad_i32_f", i64_f "tapegrad_i64_f", u8_f "tapegrad_u8_f"
    Conversion b_f "tapegrad_b_f", f_d "tapegrad_f_d", i32_d "tapegrad_i32_d", i64_d "tapegrad_i64_d"
    Conversion u8_d "tapegrad_u8_d", b_d "tapegrad_b_d", f_i32 "tapegrad_f_i32", d_i32 "tapegrad_d_i32"
    Conversion i64_i32 "tapegrad_i64_i32", u8_i32 "tapegrad_u8_i32", b_i32 "tapegrad_b_i32"
    Conversion f_i64 "tapegrad_f_i64", d_i64 "tapegrad_d_i64", i32_i64 "tapegrad_i32_i64"
    Conversion u8_i64 "tapegrad_u8_i64", b_i64 "tapegrad_b_i64", f_u8 "tapegrad_f_u8", d_u8 "tapegrad_d_u8"
    Conversion i32_u8 "tapegrad_i32_u8", i64_u8 "tapegrad_i64_u8", b_u8 "tapegrad_b_u8", f_b "tapegrad_f_b"
    Conversion d_b "tapegrad_d_b", i32_b "tapegrad_i32_b", i64_b "tapegrad_i64_b", u8_b "tapegrad_u8_b"

cdef enum:
    BUILTIN_TYPES = 24          # NumPy's own type numbers lie below this
    GRAIN = 16_384              # elements for which a thread is worth it

cdef Conversion[BUILTIN_TYPES][BUILTIN_TYPES] table
memset(table, 0, sizeof(table))


cdef void enter(int source, Conversion* functions):
    """Put the conversions from NumPy's type ``source`` to each of `TYPES`, in that order, into the table."""
    cdef int i
    for i in range(6):
        table[source][TYPES[i]] = functions[i]


cdef int[6] TYPES = [cnp.NPY_FLOAT, cnp.NPY_DOUBLE, cnp.NPY_INT32, cnp.NPY_INT64, cnp.NPY_UINT8, cnp.NPY_BOOL]
enter(cnp.NPY_FLOAT, [NULL, d_f, i32_f, i64_f, u8_f, b_f])
enter(cnp.NPY_DOUBLE, [f_d, NULL, i32_d, i64_d, u8_d, b_d])
enter(cnp.NPY_INT32, [f_i32, d_i32, NULL, i64_i32, u8_i32, b_i32])
enter(cnp.NPY_INT64, [f_i64, d_i64, i32_i64, NULL, u8_i64, b_i64])
enter(cnp.NPY_UINT8, [f_u8, d_u8, i32_u8, i64_u8, NULL, b_u8])
enter(cnp.NPY_BOOL, [f_b, d_b, i32_b, i64_b, u8_b, NULL])


cdef bint lies_plainly(cnp.ndarray array) noexcept:
    return (cnp.PyArray_IS_C_CONTIGUOUS(array) and cnp.PyArray_ISALIGNED(array)
            and cnp.PyArray_ISNOTSWAPPED(array))


cdef object run_cast(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray array = <cnp.ndarray>arrays[0], out
    cdef cnp.dtype descr
    cdef int source = cnp.PyArray_TYPE(array), target = attributes[0].type_num
    cdef Convert convert
    if not (0 <= source < BUILTIN_TYPES and 0 <= target < BUILTIN_TYPES and lies_plainly(array)):
        return None
    convert.function = table[source][target]
    if convert.function == NULL:
        return None
    descr = cnp.PyArray_DescrFromType(target)
    out = new_array(<PyObject*>descr, cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array))
    convert.target = cnp.PyArray_BYTES(out)
    convert.source = cnp.PyArray_BYTES(array)
    convert.target_item = cnp.PyArray_ITEMSIZE(out)
    convert.source_item = cnp.PyArray_ITEMSIZE(array)
    if cnp.PyArray_SIZE(array) < GRAIN:
        run_convert(&convert, 0, cnp.PyArray_SIZE(array))
    else:
        with nogil:
            parallel(run_convert, &convert, cnp.PyArray_SIZE(array), GRAIN)
    return out


cdef object run_choice(PyObject** arrays, int count, tuple attributes):
    cdef cnp.ndarray condition = <cnp.ndarray>arrays[0], x = <cnp.ndarray>arrays[1], y = <cnp.ndarray>arrays[2], out
    cdef Select select
    select.one_x = cnp.PyArray_NDIM(x) == 0
    select.one_y = cnp.PyArray_NDIM(y) == 0
    select.item = cnp.PyArray_ITEMSIZE(x)
    if not (cnp.PyArray_TYPE(condition) == cnp.NPY_BOOL and same_kind(x, y) and is_plain(x)
            and select.item in (1, 2, 4, 8, 16)
            and lies_plainly(condition) and lies_plainly(x) and lies_plainly(y)
            and (select.one_x or cnp.PyArray_SAMESHAPE(x, condition))
            and (select.one_y or cnp.PyArray_SAMESHAPE(y, condition))):
        return None
    out = new_array(descr_of(x), cnp.PyArray_NDIM(condition), cnp.PyArray_DIMS(condition))
    if cnp.PyArray_SIZE(out) == 0:
        return out
    select.target = cnp.PyArray_BYTES(out)
    select.condition = cnp.PyArray_BYTES(condition)
    select.x = cnp.PyArray_BYTES(x)
    select.y = cnp.PyArray_BYTES(y)
    if cnp.PyArray_SIZE(out) < GRAIN:
        run_select(&select, 0, cnp.PyArray_SIZE(out))
    else:
        with nogil:
            parallel(run_select, &select, cnp.PyArray_SIZE(out), GRAIN)
    return out


cast: Lane = lane(run_cast)
choice: Lane = lane(run_choice)
