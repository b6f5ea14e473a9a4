"""The gradients of one walk: added up, in place where nobody else can see it, and those it starts with.

Rules of ours give a gradient the shape and dtype of its tensor, and compiled code relies on that. A gradient function
of a user may return another one, which TensorFlow hands on. Such a gradient is a `Misfit` during the walk.
"""

cimport cython
cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.stdint cimport int64_t

import numpy as np

from tapegrad import errors
from tapegrad.core.fast_forms cimport run_adding_form
from tapegrad.core.ids cimport IdTable
from tapegrad.core.kinds cimport Kind, check_array, kind_of
from tapegrad.core.observers cimport ThreadState, current_state, recorders
from tapegrad.core.plans cimport Call
from tapegrad.core.recording cimport record_call
from tapegrad.core.tensor cimport EagerTensor, dtype_of, shape_tuple, wrap
from tapegrad.core.callbacks cimport callbacks
from tapegrad.core.variable cimport VariableBase
from tapegrad.engines.numpy.buffers cimport empty_like, solely_held
from tapegrad.engines.numpy.loops cimport Loop, Loops, run_in_place
from tapegrad.engines.numpy.types cimport BUILTIN_TYPES

cnp.import_array()

cdef extern from "Python.h":
    Py_ssize_t Py_REFCNT(PyObject* o)
    PyObject* PyList_GET_ITEM(object list, Py_ssize_t i)

cdef extern from "numpy/arrayobject.h":
    int PyArray_FillWithScalar(cnp.ndarray array, object value) except -1

cdef Loops ADD_LOOPS = Loops(np.add)

cdef enum:
    PARTED = 16_384             # parts are added in place to a gradient of at least so many bytes
    MOST_REFUSALS = 100


@cython.final
cdef class Misfit:
    """A gradient whose shape or dtype is not that of its tensor, and how a message names where it came from."""

    def __init__(self, value, str origin not None):
        self.value = value
        self.origin = origin

    cdef object pass_on(self, object gradient):
        """What a rule gave for this one. It fits perhaps, but nobody can tell."""
        return gradient if gradient is None or type(gradient) is Misfit else Misfit(gradient, self.origin)

    cdef object refusal(self, str consequence):
        return errors.InvalidArgumentError(None, None, f"{self.origin} {consequence}")


def fitted(gradient, like, origin):
    """``gradient``, made a Misfit if its shape or dtype is not that of ``like``: a tensor, a variable, or (shape, dtype).

    ``origin()`` then says whose gradient it is, for an error that comes of it.
    """
    cdef object array
    if isinstance(gradient, VariableBase) or isinstance(gradient, (float, int, np.ndarray, np.generic)):
        gradient = callbacks().convert(gradient, None)
    if isinstance(like, VariableBase):
        like = (<VariableBase>like)._snapshot
    if type(like) is tuple:
        shape, dtype = like
    else:
        array = (<EagerTensor?>like).array
        shape, dtype = shape_tuple(array), dtype_of(array)
    if gradient is None or type(gradient) is Misfit or fits(gradient, dtype, shape):
        return gradient
    own = shape_of(gradient)
    return Misfit(gradient, f"{origin()} has {'an unknown shape' if own is None else f'shape {own}'} and dtype "
                            f"{gradient.dtype.name}. What it belongs to has shape {shape} and dtype {dtype.name}.")


cdef bint fits(object gradient, object dtype, tuple shape) except -1:
    if type(gradient) is EagerTensor:
        array = (<EagerTensor>gradient).array
        return dtype_of(array) is dtype and shape_tuple(array) == shape
    own = shape_of(gradient)
    return gradient.dtype is dtype and (own is None or own == shape)


cdef object shape_of(object gradient):
    """The shape of a tensor, or of what slices are parts of; None where the latter is unknown."""
    if type(gradient) is EagerTensor:
        return shape_tuple((<EagerTensor>gradient).array)
    whole = getattr(gradient, "dense_shape", None)
    # Not read as a value: whoever makes a tensor of the slices does that.
    if type(whole) is not EagerTensor or not isinstance((<EagerTensor>whole).array, cnp.ndarray):
        return None
    return tuple((<EagerTensor>whole).array.tolist())


cdef object sum_of(object one, object other):
    """The sum of two gradients of a tensor, of which one at least is not an EagerTensor."""
    cdef Misfit misfit
    if type(one) is not Misfit and type(other) is not Misfit:
        return callbacks().aggregate([one, other])
    misfit = one if type(one) is Misfit else other
    terms = [gradient.value if type(gradient) is Misfit else gradient for gradient in (one, other)]
    if type(terms[0]) is EagerTensor or type(terms[1]) is EagerTensor:
        terms = [callbacks().densify(gradient) for gradient in terms]
    if terms[0].dtype is not terms[1].dtype or shape_of(terms[0]) != shape_of(terms[1]):
        raise misfit.refusal(
            f"It cannot be added to another gradient of the same tensor: their shapes are {shape_of(terms[0])} and "
            f"{shape_of(terms[1])}, their dtypes {terms[0].dtype.name} and {terms[1].dtype.name}.")
    total = callbacks().aggregate(terms)
    # A gradient that fits has shown that the sum does.
    return misfit.pass_on(total) if type(one) is type(other) else total


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

    cdef int refuse(self, object name, int64_t tensor, int64_t result) except -1:
        """Note that the rule of a call that gave ``result`` gave None for its input ``tensor``."""
        if self.refusals is None:
            self.refusals = []
        if len(self.refusals) < MOST_REFUSALS:
            self.refusals.append((name, tensor, result))
        return 0

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
            self.values[place] = sum_of(<object>present, gradient)
        elif not add_in_place(present, <EagerTensor>gradient):
            self.values[place] = callbacks().add(<object>present, gradient)
        elif recorders:
            self.values[place] = added(<EagerTensor>present, <EagerTensor>gradient)
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
            total = gradient if total is None else sum_of(total, gradient)
    return (<Misfit>total).value if type(total) is Misfit else total


cdef bint add_in_place(PyObject* present, EagerTensor gradient) except -1:
    """Add ``gradient`` into the array of ``present`` if nobody but the list of gradients holds that array."""
    cdef Loop* loop
    cdef cnp.ndarray array
    if (Py_REFCNT(present) != 1 or not isinstance(gradient.array, cnp.ndarray)
            or not isinstance((<EagerTensor>present).array, cnp.ndarray)
            or not solely_held(<PyObject*>(<EagerTensor>present).array) or not may_be_overwritten(<EagerTensor>present)):
        return False
    array = <cnp.ndarray>(<EagerTensor>present).array
    loop = ADD_LOOPS.find(cnp.PyArray_TYPE(array))
    return loop != NULL and run_in_place(loop, array, <cnp.ndarray>gradient.array)


cdef bint may_be_overwritten(EagerTensor tensor) except -1:
    """Whether no observer wants the values of a tensor that only the walk holds, once the walk has used it."""
    cdef ThreadState state = current_state()
    if not state.active:
        return True
    return (state.recorder is not None and state.fast_forms_run and not state.elsewhere
            and not state.recorder.keeps(tensor))


cdef EagerTensor added(EagerTensor present, EagerTensor gradient):
    """The sum that `add_in_place` has left in the array of ``present``, as what an addition gives: observers are told."""
    cdef ThreadState state = current_state()
    cdef EagerTensor total = wrap(present.array)
    cdef PyObject* inputs[2]
    cdef PyObject* outputs[1]
    if state.active:
        inputs[0], inputs[1], outputs[0] = <PyObject*>present, <PyObject*>gradient, <PyObject*>total
        record_call(callbacks().add, state, inputs, 2, outputs, 1, ())
    return total


cdef EagerTensor ones_like(EagerTensor tensor):
    cdef cnp.ndarray array
    cdef cnp.npy_intp i
    if not isinstance(tensor.array, cnp.ndarray):
        return full(kind_of(tensor.array), shape_tuple(tensor.array), dtype_of(tensor.array), 1)
    if cnp.PyArray_TYPE(<cnp.ndarray>tensor.array) >= BUILTIN_TYPES:
        return callbacks().ones(shape_tuple(tensor.array), dtype_of(tensor.array))
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
