"""What ops are given, as tensors: tensors and variables as they are, Python numbers through a small cache.

Anything else is converted by the modules above.
"""

cimport numpy as cnp
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

import numpy as np

from tapegrad.core cimport tensor as tensor_module
from tapegrad.core.tensor cimport EagerTensor, dtype_of, is_trainable_type, wrap
from tapegrad.core.upward cimport above
from tapegrad.core.variable cimport VariableBase

cnp.import_array()

cdef enum:
    SCALARS = 128               # 2 ** 7: a place is the top 7 bits of a hash

cdef struct ScalarKey:
    double value
    int type_num

cdef ScalarKey scalar_keys[SCALARS]
cdef list scalar_tensors = [None] * SCALARS
last_type = -1                  # there is none yet; declared in the .pxd
cdef double INT_LIMITS[24][2]
for number in range(24):
    INT_LIMITS[number][0], INT_LIMITS[number][1] = 1, -1
for letter in np.typecodes["AllInteger"]:
    limits = np.iinfo(letter)
    number = np.dtype(letter).num
    # Numbers beyond 2**53 take the slow way: a double does not hold them all.
    INT_LIMITS[number][0] = max(limits.min, -2 ** 53)
    INT_LIMITS[number][1] = min(limits.max, 2 ** 53)


cdef EagerTensor scalar(object value, int type_num):
    """The number ``value`` as a tensor of NumPy's type ``type_num``, or None where that is no plain case.

    The tensors are shared: they reach ops only, never users, who could tell them apart by identity.
    """
    global last_value, last_type, last_scalar
    cdef double number
    cdef uint64_t bits
    cdef Py_ssize_t place
    cdef bint integral = cnp.PyTypeNum_ISINTEGER(type_num)
    if not 0 <= type_num < 24 or not (integral or is_trainable_type(type_num)):
        return None
    if type(value) is float:
        if integral:
            return None
        number = <double>value
    elif type(value) is int:
        try:
            number = <double>value
        except OverflowError:
            return None
        if integral and not INT_LIMITS[type_num][0] <= number <= INT_LIMITS[type_num][1]:
            return None
        if not integral and not -9007199254740992.0 <= number <= 9007199254740992.0:
            return None
    else:
        return None
    if number != number or number == 0:
        # NaN equals nothing and the zeros equal each other, so the cache cannot tell them apart.
        return wrap(np.array(value, dtype=cnp.PyArray_DescrFromType(type_num)))
    memcpy(&bits, &number, sizeof(bits))
    # Fibonacci hashing: round numbers differ in few bits, and those are in the middle.
    place = <Py_ssize_t>(((bits + <uint64_t>type_num) * 11400714819323198485ULL) >> 57)
    if scalar_keys[place].value != number or scalar_keys[place].type_num != type_num:
        if -60000.0 < number < 60000.0:
            scalar_tensors[place] = wrap(np.array(value, dtype=cnp.PyArray_DescrFromType(type_num)))
        else:
            with np.errstate(all="ignore"):
                scalar_tensors[place] = wrap(np.array(value, dtype=cnp.PyArray_DescrFromType(type_num)))
        scalar_keys[place].value = number
        scalar_keys[place].type_num = type_num
    last_value = value
    last_type = type_num
    last_scalar = <EagerTensor>scalar_tensors[place]
    return last_scalar


cdef EagerTensor read_operand(object operand):
    return as_tensor(operand)


cdef EagerTensor operand_like(object op, object value, EagerTensor other):
    """``value``, given to ``op`` after the tensor ``other``, as a tensor of its dtype."""
    cdef EagerTensor made = None
    if isinstance(other.array, cnp.ndarray):
        made = scalar(value, cnp.PyArray_TYPE(<cnp.ndarray>other.array))
    if made is None:
        made = above().convert_operand(op, value, dtype_of(other.array))
    return made


def convert(value, dtype=None):
    """``value`` as a tensor (of ``dtype``, if given): a tensor as it is, a variable's snapshot, anything else anew.

    A number is never one of the cached tensors here: users can watch what this gives.
    """
    cdef EagerTensor tensor = as_tensor(value)
    if tensor is not None and (dtype is None or dtype_of(tensor.array) is dtype):
        return tensor
    if tensor is None and dtype is not None and (type(value) is float or type(value) is int):
        tensor = scalar(value, dtype.type_num)
        if tensor is not None:
            return wrap(tensor.array)
    return above().convert(value, dtype)


def cached_numbers():
    """The cached tensors, for tests: none of them may reach a user."""
    return [tensor for tensor in scalar_tensors if tensor is not None]


cdef EagerTensor left_operand(object value, EagerTensor other):
    """``value``, on the left of the tensor ``other``: of its dtype or refused, as in TensorFlow."""
    cdef EagerTensor made = None
    if isinstance(other.array, cnp.ndarray):
        made = scalar(value, cnp.PyArray_TYPE(<cnp.ndarray>other.array))
    return made if made is not None else above().convert(value, dtype_of(other.array))


tensor_module.read_operand = read_operand
