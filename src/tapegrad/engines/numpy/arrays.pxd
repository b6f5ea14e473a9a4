"""Arrays over memory that something else owns, by NumPy's own functions for that."""

cimport numpy as cnp
from cpython.object cimport PyTypeObject
from cpython.ref cimport Py_INCREF, PyObject

cdef extern from "numpy/arrayobject.h":
    # Takes a reference to the dtype.
    object PyArray_NewFromDescr(
        PyTypeObject* subtype, cnp.PyArray_Descr* descr, int nd, cnp.npy_intp* dims, cnp.npy_intp* strides,
        void* data, int flags, PyObject* obj)
    PyTypeObject PyArray_Type
    # Takes a reference to the base.
    int PyArray_SetBaseObject(cnp.ndarray array, object base) except -1


cdef inline cnp.ndarray array_with_base(
        PyObject* descr, int ndim, cnp.npy_intp* dims, cnp.npy_intp* strides, void* data, int flags, object base):
    """An array over ``data``, which lives as long as ``base``."""
    cdef cnp.ndarray array
    Py_INCREF(<object>descr)
    array = PyArray_NewFromDescr(&PyArray_Type, <cnp.PyArray_Descr*>descr, ndim, dims, strides, data, flags, NULL)
    Py_INCREF(base)
    PyArray_SetBaseObject(array, base)
    return array
