"""float16 and bfloat16: which arrays have them, and how a result in float32 is rounded back."""

cimport numpy as cnp
from cpython.ref cimport PyObject

import numpy as np

from tapegrad.core.tensor cimport EagerTensor
from tapegrad.engines.numpy.conversions cimport rounded
from tapegrad.engines.numpy.types cimport NPY_HALF, NPY_USERDEF

cnp.import_array()

cdef extern from "Python.h":
    ctypedef struct PyListObject:
        PyObject** ob_item


cdef inline bint is_half(object array) noexcept:
    """Whether an array is one of NumPy's, and of float16 or bfloat16."""
    cdef int number
    if not isinstance(array, cnp.ndarray):
        return False
    number = cnp.PyArray_TYPE(<cnp.ndarray>array)
    # ml_dtypes registers bfloat16 with NumPy when it is imported; its other types have one byte.
    return number == NPY_HALF or (
        number >= NPY_USERDEF and cnp.PyArray_ITEMSIZE(<cnp.ndarray>array) == 2)


cdef object half_among(list tensors):
    """The first half dtype among ``tensors``; None where there is none, or where not all hold NumPy's arrays."""
    cdef PyObject** items = (<PyListObject*>tensors).ob_item
    cdef object half = None
    cdef Py_ssize_t i
    for i in range(len(tensors)):
        if not isinstance((<EagerTensor>items[i]).array, cnp.ndarray):
            return None
        if half is None and is_half((<EagerTensor>items[i]).array):
            half = (<EagerTensor>items[i]).array.dtype
    return half


cdef object round_to(object half, object result):
    """``result`` in ``half``, if float32 is what it came out as: indices and booleans stay."""
    if isinstance(result, cnp.ndarray) and cnp.PyArray_TYPE(<cnp.ndarray>result) == cnp.NPY_FLOAT:
        return rounded(<cnp.ndarray>result, half)
    if isinstance(result, np.generic) and result.dtype.num == cnp.NPY_FLOAT:
        return result.astype(half)
    return result
