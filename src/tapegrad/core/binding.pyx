"""The arguments of a call, bound to the op's parameters: tensors of dtypes that it takes, and attributes converted.

What users pass again and again is converted once: small ints, names and tuples in a program are the same object at each
call. The modules above convert what is neither a tensor nor a number, and write the messages.
"""

cimport numpy as cnp
from cpython.ref cimport Py_INCREF, PyObject
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM

from collections.abc import Sequence
from functools import wraps

from tapegrad import dtypes, errors
from tapegrad.core.dispatch cimport Op, name_op
from tapegrad.core.operands cimport as_tensor, operand_like, own_scalar
from tapegrad.core.tensor cimport EagerTensor, dtype_of
from tapegrad.core.callbacks cimport callbacks
from tapegrad.core.variable cimport VariableBase
from tapegrad.engines.numpy.types cimport BUILTIN_TYPES, NPY_USERDEF

cnp.import_array()

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object number, int* overflow) except? -1

cdef enum:
    BFLOAT16 = BUILTIN_TYPES    # a place beside the numbers of NumPy's own types, which lie below it
    MOST_AXES = 32
    MOST_ELEMENTS = 1 << 30

# Types whose values never change, or may hold others that do: tuples.
cdef frozenset FIXED = frozenset((int, float, bool, str, tuple, type(None), dtypes.DType))

REQUIRED = object()
"""The default of an attribute that must be given."""


cdef object override_of_inputs(Op op, list inputs):
    """The override for the class of an input, or of an element of the list of inputs; else None."""
    for value in inputs:
        if type(value) in op.overrides:
            return op.overrides[type(value)]
    if inputs and op.list_input and isinstance(inputs[len(inputs) - 1], (list, tuple)):
        for value in inputs[len(inputs) - 1]:
            if type(value) in op.overrides:
                return op.overrides[type(value)]
    return None


cdef tuple bind_attributes(Op op, PyObject** given):
    """The attributes as the kernel gets them: the given values converted, and defaults for the others."""
    cdef Py_ssize_t i, count = len(op.attributes)
    cdef tuple values = PyTuple_New(count)
    cdef object value
    if op.converted is None:
        op.converted = [
            default if default is REQUIRED or converter is None else converter(default)
            for default, converter in zip(op.defaults, op.converters)]
        op.given = [REQUIRED] * count
        op.known = [None] * count
    for i in range(count):
        if given[i] == NULL:
            value = op.converted[i]
            if value is REQUIRED:
                raise TypeError(f"{op.__name__}() is missing the argument {op.attributes[i]!r}.")
        elif op.converters[i] is None:
            value = <object>given[i]
        elif op.given[i] is <object>given[i]:
            value = op.known[i]
        else:
            value = <object>given[i]
            try:
                value = op.converters[i](value)
            except errors.OpError as error:
                name_op(op, error)
                raise
            if type(value) in FIXED and (
                    <PyObject*>value == given[i] or type(<object>given[i]) in FIXED
                    and type(<object>given[i]) is not tuple):
                # Small ints, names and tuples in a program are one object at each call. A tuple may hold a variable,
                # so it is known only where it is its own conversion.
                op.known[i] = value
                op.given[i] = <object>given[i]
        Py_INCREF(value)
        PyTuple_SET_ITEM(values, i, value)
    return values


cdef inline int place_of(cnp.ndarray array) noexcept:
    """NumPy's number of the dtype where it is one of NumPy's own; BFLOAT16 for that; else -1."""
    cdef int number = cnp.PyArray_TYPE(array)
    if number < BFLOAT16:
        return number
    # Of the types that ml_dtypes registers with NumPy, bfloat16 alone has two bytes.
    return BFLOAT16 if number >= NPY_USERDEF and cnp.PyArray_ITEMSIZE(array) == 2 else -1


cdef inline bint takes(Op op, Py_ssize_t index, cnp.ndarray array) except -1:
    """Whether the op takes the dtype of the array for an input; False where `check_types` has to find out."""
    cdef int place = place_of(array)
    if place < 0:
        return False
    if op.own_types is not None and op.own_types[index] is not None:
        # Not asked of the set, which asks a dtype for its hash, in Python.
        return <unsigned int>op.own_numbers[index] >> place & 1
    return op.takes_bfloat16 if place == BFLOAT16 else op.builtin_types[place]


cdef list plain_tensors(Op op, PyObject** bound):
    """The inputs as tensors if all are tensors or variables of dtypes that the op takes; else None."""
    cdef Py_ssize_t i, count = len(op.inputs)
    cdef EagerTensor tensor
    cdef list tensors
    cdef int number = -1
    if op.list_input:
        return None
    for i in range(count):
        # Asked of all before a variable is read: who comes after reads it again.
        if type(<object>bound[i]) is not EagerTensor and not isinstance(<object>bound[i], VariableBase):
            return None
    tensors = []
    for i in range(count):
        tensor = as_tensor(<object>bound[i])
        if not isinstance(tensor.array, cnp.ndarray):
            return None
        if not takes(op, i, <cnp.ndarray>tensor.array):
            return None
        if op.own_types is None or op.own_types[i] is None:
            if number < 0:
                number = cnp.PyArray_TYPE(<cnp.ndarray>tensor.array)
            elif cnp.PyArray_TYPE(<cnp.ndarray>tensor.array) != number:
                return None
        tensors.append(tensor)
    return tensors


cdef Py_ssize_t find_parameter(tuple parameters, object name):
    cdef Py_ssize_t i
    for i in range(len(parameters)):
        if parameters[i] is name:
            return i
    for i in range(len(parameters)):
        if parameters[i] == name:
            return i
    return -1


cdef list collect_tensors(Op op, PyObject** bound):
    """The inputs as tensors. Among the inputs that share a dtype, the first tensor decides the dtype
    of the Python values.
    """
    cdef Py_ssize_t i, last = len(op.inputs) - 1
    cdef EagerTensor tensor, first = None
    cdef list tensors = []
    cdef list arguments = []
    cdef bint own
    for i in range(last + 1):
        own = op.own_types is not None and op.own_types[i] is not None
        for item in (as_list(op, <object>bound[i], own) if op.list_input and i == last else [<object>bound[i]]):
            tensor = as_tensor(item)
            arguments.append((i, own, item, tensor))
            if first is None and tensor is not None and not own and not op.first_decides:
                first = tensor
    for index, own_type, item, known in arguments:
        tensor = known
        if tensor is None:
            if own_type:
                tensor = callbacks().convert_own(op, index, item)
            elif first is None or op.only_type is not None:
                tensor = own_scalar(item) if op.only_type is None else None
                if tensor is None:
                    tensor = callbacks().convert_own(op, -1, item)
            else:
                tensor = operand_like(op, item, first)
        if first is None and not own_type:
            first = tensor
        tensors.append(tensor)
    return tensors


cdef list as_list(Op op, object value, bint own):
    """The elements of a list argument. Where each has a dtype of its own, whatever is iterable will do, as in TensorFlow."""
    if type(value) is list or type(value) is tuple:
        return list(value)
    if own and hasattr(value, "__iter__") and not (isinstance(value, cnp.ndarray) and value.ndim == 0):
        return list(value)
    return list_of(value, op.__name__, op.inputs[len(op.inputs) - 1])


def list_of(value, str function, str argument):
    """The elements of a list argument. As in TensorFlow an array is none: it would be a tensor for each number."""
    if isinstance(value, (Sequence, EagerTensor, VariableBase)) and not isinstance(value, (str, bytes)):
        return list(value)
    came = f"an array of shape {list(value.shape)}" if isinstance(value, cnp.ndarray) else type(value).__name__
    # The classes are TensorFlow's.
    kind = ValueError if isinstance(value, cnp.ndarray) and value.ndim > 1 else TypeError
    raise kind(f"{function}() expects a list of tensors for {argument!r}, not {came}.")


cdef int check_types(Op op, list tensors) except -1:
    """Raise unless every tensor has a dtype that the op takes, and the inputs that share a dtype have one."""
    cdef EagerTensor tensor, first = None
    cdef int i, logical, inputs = len(op.inputs), shared = -1
    for i in range(len(tensors)):
        tensor = tensors[i]
        logical = min(i, inputs - 1)
        if isinstance(tensor.array, cnp.ndarray) and takes(op, logical, <cnp.ndarray>tensor.array):
            if op.own_types is not None and op.own_types[logical] is not None:
                continue
            if shared == cnp.PyArray_TYPE(<cnp.ndarray>tensor.array):
                continue
            if first is None:
                first = tensor
                shared = cnp.PyArray_TYPE(<cnp.ndarray>tensor.array)
                continue
        dtype = dtype_of(tensor.array)
        if op.own_types is not None and op.own_types[logical] is not None:
            if dtype not in op.own_types[logical]:
                callbacks().refuse_type(op, i, dtype, op.own_types[logical])
        elif first is None:
            first = tensor
            if op.types is not None and dtype not in op.types:
                callbacks().refuse_type(op, i, dtype, op.types)
        elif dtype is not dtype_of(first.array):
            callbacks().refuse_mismatch(op, i, dtype_of(first.array), dtype)
    return 0


# --- Converters of attributes ------------------------------------------------------------------------

cdef tuple plain_ints(object value, bint sizes):
    """A list or tuple of Python's ints of at most 64 bits as a tuple, else None. With ``sizes``, of those that are
    clearly the shape of a tensor.
    """
    cdef tuple numbers
    cdef Py_ssize_t i
    cdef long long number, elements = 1
    cdef int overflow = 0
    if type(value) is tuple:
        numbers = <tuple>value
    elif type(value) is list:
        numbers = tuple(<list>value)
    else:
        return None
    if sizes and len(numbers) > MOST_AXES:
        return None
    for i in range(len(numbers)):
        if type(numbers[i]) is not int:
            return None
        number = PyLong_AsLongLongAndOverflow(numbers[i], &overflow)
        if overflow != 0:
            return None
        if sizes:
            if not 0 <= number <= MOST_ELEMENTS or number * elements > MOST_ELEMENTS:
                return None
            elements *= max(number, 1)
    return numbers


def are_ints(value):
    """Whether ``value`` is a list or tuple of Python's ints of at most 64 bits, and no more."""
    return plain_ints(value, False) is not None


def are_tensors(list values not None):
    """Whether there are ``values``, and all are tensors, to which an op applies directly; its kernel checks dtypes."""
    for value in values:
        if type(value) is not EagerTensor:
            return False
    return len(values) > 0


def quick_ints(slow):
    """``slow``, which makes a tuple of what users pass for integers, and is not asked about a list or tuple of ints."""
    def convert(value):
        cdef tuple found = plain_ints(value, False)
        return slow(value) if found is None else found
    return wraps(slow)(convert)


def quick_sizes(slow):
    """``slow``, which makes a tuple of what users pass for a shape, and is not asked about a list or tuple of sizes."""
    def convert(value):
        cdef tuple found = plain_ints(value, True)
        return slow(value) if found is None else found
    return wraps(slow)(convert)


def quick_pairs(slow):
    """``slow``, which makes a tuple of pairs of what users pass for paddings, and is not asked about a list of pairs of
    ints of at least 0.
    """
    def convert(value):
        cdef list pairs = []
        cdef tuple pair
        if type(value) is not list and type(value) is not tuple or not value:
            return slow(value)
        for row in value:
            pair = plain_ints(row, False)
            if pair is None or len(pair) != 2 or pair[0] < 0 or pair[1] < 0:
                return slow(value)
            pairs.append(pair)
        return tuple(pairs)
    return wraps(slow)(convert)
