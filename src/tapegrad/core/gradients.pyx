"""The gradients of one walk: added up, in place where nobody else can see it, and those it starts with."""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

import numpy as np

from tapegrad.core.fast_forms cimport run_adding_form
from tapegrad.core.ids cimport IdTable
from tapegrad.core.kinds cimport Kind, check_array, kind_of
from tapegrad.core.observers cimport current_state
from tapegrad.core.plans cimport Call
from tapegrad.core.tensor cimport EagerTensor, dtype_of, shape_tuple, wrap
from tapegrad.core.upward cimport above
from tapegrad.engines.numpy.buffers cimport empty_like, solely_held
from tapegrad.engines.numpy.loops cimport Loop, Loops, run_in_place

cnp.import_array()

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o)
    PyObject* PyList_GET_ITEM(object list, Py_ssize_t i)

cdef extern from "numpy/arrayobject.h":
    int PyArray_FillWithScalar(cnp.ndarray array, object value) except -1

cdef Loops ADD_LOOPS = Loops(np.add)

cdef enum:
    PARTED = 16_384             # parts are added in place to a gradient of at least so many bytes


cdef class Gradients:
    def __cinit__(self):
        self.places = IdTable()
        self.values = []

    cdef object take(self, int64_t tensor, bint keep):
        cdef int64_t place = self.places.get(tensor, -1)
        if place < 0:
            return None
        value = self.values[place]
        if not keep:
            self.values[place] = None
        return value

    cdef int add(self, int64_t tensor, object gradient) except -1:
        cdef int64_t place = self.places.get(tensor, -1)
        cdef PyObject* present
        if place < 0:
            self.places.set(tensor, len(self.values))
            self.values.append(gradient)
            return 0
        present = PyList_GET_ITEM(self.values, place)
        if <object>present is None:
            self.values[place] = gradient
        elif type(<object>present) is not EagerTensor or type(gradient) is not EagerTensor:
            self.values[place] = above().aggregate([<object>present, gradient])
        elif not add_in_place(present, <EagerTensor>gradient):
            self.values[place] = above().add(<object>present, gradient)
        return 0

    cdef cnp.ndarray own_array(self, int64_t tensor):
        """The array of the gradient that is there already, if nobody else can see it; else None."""
        cdef int64_t place = self.places.get(tensor, -1)
        cdef PyObject* present = PyList_GET_ITEM(self.values, place) if place >= 0 else NULL
        if (present == NULL or type(<object>present) is not EagerTensor or Py_REFCNT(present) != 1
                or not isinstance((<EagerTensor>present).array, cnp.ndarray)
                or not solely_held(<PyObject*>(<EagerTensor>present).array)):
            return None
        return <cnp.ndarray>(<EagerTensor>present).array

    cdef bint add_by_form(self, int64_t tensor, Call call, PyObject** arguments) except -1:
        """Add what a rule's fast form gives to the gradient that is there already; False where that is left to the caller."""
        cdef cnp.ndarray array = self.own_array(tensor)
        return array is not None and run_adding_form(call, array, arguments)

    cdef bint add_part(self, int64_t tensor, object add, Call call, PyObject** arguments) except -1:
        """Add a gradient that is zero outside of a part to the gradient that is there already.

        Returns False where the caller has to call the rule and add the whole gradient.
        ``add`` gets the array of the gradient and then what the rule asks for, ``dy`` first. In a loop over
        the slices of a large tensor a step then costs only as much as its slice.
        """
        cdef cnp.ndarray array = self.own_array(tensor)
        cdef int i
        if (array is None or type(<object>arguments[0]) is not EagerTensor
                or not isinstance((<EagerTensor>arguments[0]).array, cnp.ndarray)
                or not cnp.PyArray_ISFLOAT(array) or cnp.PyArray_NBYTES(array) < PARTED):
            return False
        for i in range(1, call.count):
            if (type(<object>arguments[i]) is EagerTensor
                    and not isinstance((<EagerTensor>arguments[i]).array, cnp.ndarray)):
                return False
        if self.parted is None:
            self.parted = IdTable()
        if not self.parted.has(tensor):
            # Adding a whole gradient would add zeros outside of the part, and -0 + 0 is 0: so is it here.
            np.add(array, 0, out=array)
            self.parted.set(tensor, 1)
        return add(array, (<EagerTensor>arguments[0]).array, *[<object>arguments[i] for i in range(1, call.count)])


cdef object total_of(list ids, Gradients gradients):
    """The gradient by a source: the sum of those by the tensors that stand for it, or None."""
    cdef object total = None
    cdef int64_t tensor_id
    for tensor_id in ids:
        gradient = gradients.take(tensor_id, True)
        if gradient is not None:
            total = gradient if total is None else above().aggregate([total, gradient])
    return total


cdef bint add_in_place(PyObject* present, EagerTensor gradient) except -1:
    """Add ``gradient`` into the array of ``present`` if nobody but the list of gradients holds that array."""
    cdef Loop* loop
    cdef cnp.ndarray array
    if (Py_REFCNT(present) != 1 or not isinstance(gradient.array, cnp.ndarray) or current_state().active
            or not isinstance((<EagerTensor>present).array, cnp.ndarray)
            or not solely_held(<PyObject*>(<EagerTensor>present).array)):
        return False
    array = <cnp.ndarray>(<EagerTensor>present).array
    loop = ADD_LOOPS.find(cnp.PyArray_TYPE(array))
    return loop != NULL and run_in_place(loop, array, <cnp.ndarray>gradient.array)


cdef EagerTensor ones_like(EagerTensor tensor):
    cdef cnp.ndarray array
    cdef cnp.npy_intp i
    if not isinstance(tensor.array, cnp.ndarray):
        return full(kind_of(tensor.array), shape_tuple(tensor.array), dtype_of(tensor.array), 1)
    if cnp.PyArray_TYPE(<cnp.ndarray>tensor.array) >= 24:
        return above().ones(shape_tuple(tensor.array), dtype_of(tensor.array))
    array = empty_like(<cnp.ndarray>tensor.array)
    if cnp.PyArray_TYPE(array) == cnp.NPY_FLOAT:
        for i in range(cnp.PyArray_SIZE(array)):
            (<float*>cnp.PyArray_DATA(array))[i] = 1
    elif cnp.PyArray_TYPE(array) == cnp.NPY_DOUBLE:
        for i in range(cnp.PyArray_SIZE(array)):
            (<double*>cnp.PyArray_DATA(array))[i] = 1
    else:
        PyArray_FillWithScalar(array, 1)
    return wrap(array)


cdef EagerTensor full(Kind kind, tuple shape, object dtype, object value):
    """A tensor of another kind of array than NumPy's, with ``value`` everywhere."""
    array = kind.full(shape, dtype, value)
    check_array(array)
    return wrap(array)
