"""The arguments of ops as tensors: tensors and variables directly, Python numbers through a small cache.

Anything else is converted by the modules above.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject
from libc.stdint cimport uint64_t
from libc.string cimport memcpy

import numpy as np

from tapegrad import dtypes
from tapegrad.core cimport tensor as tensor_module
from tapegrad.core.tensor cimport EagerTensor, Tensor, dtype_of, is_trainable_type, wrap
from tapegrad.core.callbacks cimport callbacks
from tapegrad.engines.numpy.buffers cimport new_array
from tapegrad.engines.numpy.types cimport BUILTIN_TYPES, NPY_HALF, NPY_USERDEF

cnp.import_array()

cdef enum:
    SCALARS = 128               # 2 ** 7: an index is the top 7 bits of a hash
    FEW_NUMBERS = 256           # of a list that is converted here: NumPy takes longer up to there
    DEEPEST = 8                 # of lists in lists that are converted here

cdef extern from "Python.h":
    long long PyLong_AsLongLongAndOverflow(object number, int* overflow) except? -1

cdef struct ScalarKey:
    uint64_t bits               # of the number as a double, which tell -0 from 0
    int type_num

cdef double LARGEST_FLOAT = np.finfo(np.float32).max
cdef ScalarKey scalar_keys[SCALARS]
cdef list scalar_tensors = [None] * SCALARS
cdef object bfloat16 = None     # NumPy's dtype, and its number: known once a tensor of it has come
cdef int bfloat16_number = -1
last_type = -1                  # no number was converted yet; declared in the .pxd
cdef double INT_LIMITS[BUILTIN_TYPES][2]
for number in range(BUILTIN_TYPES):
    INT_LIMITS[number][0], INT_LIMITS[number][1] = 1, -1
for letter in np.typecodes["AllInteger"]:
    limits = np.iinfo(letter)
    number = np.dtype(letter).num
    # Numbers from 2**53 on take the slow way: a double does not hold them all, and 2**53 + 1 becomes 2**53.
    INT_LIMITS[number][0] = max(limits.min, 1 - 2 ** 53)
    INT_LIMITS[number][1] = min(limits.max, 2 ** 53 - 1)


cdef int find_bfloat16() except -1:
    global bfloat16, bfloat16_number
    bfloat16 = dtypes.bfloat16.numpy_dtype
    bfloat16_number = bfloat16.num
    return 0


cdef object number_array(object value, int type_num, bint half):
    if half or type_num == NPY_HALF:
        # Rounded from float32, as TensorFlow does it.
        return np.array(value, dtype=np.float32).astype(bfloat16 if half else np.float16)
    return np.array(value, dtype=cnp.PyArray_DescrFromType(type_num))


cdef EagerTensor scalar(object value, int type_num):
    """The number ``value`` as a tensor of NumPy's type ``type_num``; None if it needs the slow way.

    The tensors are shared, so they go to ops only. A user who got one could watch it, and would watch
    every other use of the same number with it.
    """
    global last_value, last_type, last_scalar
    cdef double number
    cdef uint64_t bits
    cdef Py_ssize_t place
    cdef bint integral = cnp.PyTypeNum_ISINTEGER(type_num), half = False
    if type_num >= NPY_USERDEF:
        if bfloat16 is None:
            find_bfloat16()
        half = type_num == bfloat16_number
    if not half and (not 0 <= type_num < BUILTIN_TYPES or not (integral or is_trainable_type(type_num))):
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
    if half and not -60000.0 < number < 60000.0:
        return None
    memcpy(&bits, &number, sizeof(bits))
    # Fibonacci hashing, because round numbers differ in few bits, which are in the middle.
    place = <Py_ssize_t>(((bits + <uint64_t>type_num) * 11400714819323198485ULL) >> 57)
    if scalar_tensors[place] is None or scalar_keys[place].bits != bits or scalar_keys[place].type_num != type_num:
        if -60000.0 < number < 60000.0 or number != number:
            scalar_tensors[place] = wrap(number_array(value, type_num, half))
        else:
            with np.errstate(all="ignore"):
                scalar_tensors[place] = wrap(np.array(value, dtype=cnp.PyArray_DescrFromType(type_num)))
        scalar_keys[place].bits = bits
        scalar_keys[place].type_num = type_num
    last_value = value
    last_type = type_num
    last_scalar = <EagerTensor>scalar_tensors[place]
    return last_scalar


cdef EagerTensor own_scalar(object value):
    """The Python number ``value`` as a tensor of the dtype that it has alone; None if it needs the slow way.

    It is shared: see `scalar`.
    """
    if type(value) is float:
        return scalar(value, cnp.NPY_FLOAT) if -LARGEST_FLOAT <= <double>value <= LARGEST_FLOAT else None
    return scalar(value, cnp.NPY_INT32) if type(value) is int else None


cdef EagerTensor read_operand(object operand):
    return as_tensor(operand)


cdef EagerTensor operand_like(object op, object value, EagerTensor other):
    """``value`` as a tensor of the dtype of ``other``, the tensor beside which ``op`` takes it."""
    cdef EagerTensor tensor = None
    if isinstance(other.array, cnp.ndarray):
        tensor = scalar(value, cnp.PyArray_TYPE(<cnp.ndarray>other.array))
    if tensor is None:
        tensor = callbacks().convert_operand(op, value, dtype_of(other.array))
    return tensor


def convert(value, dtype=None):
    """``value`` as a tensor, of ``dtype`` if that is given: a tensor itself, or a variable's snapshot.

    A number becomes a new tensor and never one of the cached ones, because users can watch the result.
    """
    cdef EagerTensor tensor = as_tensor(value)
    if tensor is not None and (dtype is None or dtype_of(tensor.array) is dtype):
        return tensor
    if tensor is None and isinstance(value, Tensor):
        resolved = callbacks().resolve(value)
        if type(resolved) is not EagerTensor or dtype is None or dtype_of((<EagerTensor>resolved).array) is dtype:
            return resolved
        value = resolved
    if tensor is None:
        tensor = number_tensor(value, dtype)
        if tensor is not None:
            return tensor
        if type(value) is list or type(value) is tuple:
            array = plain_numbers(value, dtype)
            if array is not None:
                return wrap(array)
    return callbacks().convert(value, dtype)


def number_tensor(value, dtype):
    """A new tensor of a Python number, truth or string, of ``dtype`` if that is given; None for what needs the slow way."""
    cdef EagerTensor tensor
    cdef cnp.npy_intp* none = NULL
    cdef cnp.ndarray truth
    if (type(value) is str or type(value) is bytes) and (dtype is None or dtype is dtypes.string):
        return text_tensor(value)
    if type(value) is bool and (dtype is None or dtype.type_num == cnp.NPY_BOOL):
        descr = cnp.PyArray_DescrFromType(cnp.NPY_BOOL)
        truth = new_array(<PyObject*>descr, 0, none)
        (<char*>cnp.PyArray_DATA(truth))[0] = value is True
        return wrap(truth)
    if type(value) is complex and (dtype is None or dtype is dtypes.complex128):
        return wrap(np.array(value))
    if type(value) is not float and type(value) is not int:
        return None
    tensor = own_scalar(value) if dtype is None else scalar(value, dtype.type_num)
    if tensor is None and dtype is None and type(value) is int:
        tensor = scalar(value, cnp.NPY_INT64)
    return None if tensor is None else wrap(tensor.array)


cdef EagerTensor text_tensor(object text):
    """A string as a tensor; None for one that UTF-8 does not know."""
    cdef cnp.npy_intp* none = NULL
    cdef cnp.ndarray array = cnp.PyArray_EMPTY(0, none, cnp.NPY_OBJECT, 0)
    text = encoded(text)
    if text is None:
        return None
    array[()] = text
    return wrap(array)


cdef bytes encoded(object text):
    """A string in UTF-8; None for what is no string, and for one that UTF-8 does not know."""
    if type(text) is bytes:
        return text
    try:
        return (<str>text).encode("utf-8") if type(text) is str else None
    except UnicodeEncodeError:
        return None


cdef object plain_texts(object value):
    """A list or tuple of strings as an array; None for everything else."""
    cdef cnp.npy_intp size = len(value), i
    cdef cnp.ndarray array = cnp.PyArray_EMPTY(1, &size, cnp.NPY_OBJECT, 0)
    for i in range(size):
        text = encoded(value[i])
        if text is None:
            return None
        array[i] = text
    return array


def plain_numbers(value, dtype):
    """A list or tuple of Python's numbers, or of truths, or lists of such lists, as an array, of ``dtype`` if given.
    A list of strings too.

    None for everything else: lists that are uneven or long, and numbers that the dtype does not hold.
    """
    cdef cnp.npy_intp dims[DEEPEST]
    cdef int rank = 0, type_num
    cdef Py_ssize_t size = 1
    cdef object first, out
    if type(value) is not list and type(value) is not tuple:
        value = tuple(value)
    first = value
    while type(first) is list or type(first) is tuple:
        if rank == DEEPEST:
            return None
        dims[rank] = len(<list>first) if type(first) is list else len(<tuple>first)
        size *= dims[rank]
        if size > FEW_NUMBERS:
            return None
        rank += 1
        if size == 0:
            first = 0 if dtype is not None else 0.0     # what a list is of that holds nothing
            break
        first = (<list>first)[0] if type(first) is list else (<tuple>first)[0]
    if rank == 1 and (type(first) is str or type(first) is bytes) and (dtype is None or dtype is dtypes.string):
        return plain_texts(value)
    if dtype is not None:
        type_num = dtype.type_num
    elif type(first) is float:
        type_num = cnp.NPY_FLOAT
    elif type(first) is int:
        type_num = cnp.NPY_INT32
    else:
        type_num = cnp.NPY_BOOL
    if type(first) is bool:
        if type_num != cnp.NPY_BOOL:
            return None
    elif type(first) is int:
        if not (type_num == cnp.NPY_INT32 or type_num == cnp.NPY_INT64
                or type_num == cnp.NPY_FLOAT or type_num == cnp.NPY_DOUBLE):
            return None
    elif type(first) is not float or type_num != cnp.NPY_FLOAT and type_num != cnp.NPY_DOUBLE:
        return None
    out = filled(value, dims, rank, type_num, False)
    if out is None and dtype is None and type(first) is int:
        out = filled(value, dims, rank, cnp.NPY_FLOAT, True)
    return out


cdef object filled(object value, cnp.npy_intp* dims, int rank, int type_num, bint mixed):
    """An array of the numbers in nested lists; None where it cannot hold them. ``mixed`` wants a float among them."""
    cdef cnp.ndarray out
    cdef char* place
    cdef bint has_float = False
    descr = cnp.PyArray_DescrFromType(type_num)
    out = new_array(<PyObject*>descr, rank, dims)
    place = <char*>cnp.PyArray_DATA(out)
    if not fill_numbers(value, dims, rank, type_num, &place, &has_float) or mixed and not has_float:
        return None
    return out


cdef bint fill_numbers(
        object value, cnp.npy_intp* dims, int rank, int type_num, char** place, bint* has_float) except -1:
    """Write the numbers of nested lists one after the other; False where the lists are uneven, or do not fit."""
    cdef cnp.npy_intp i
    cdef bint in_list = type(value) is list
    cdef object item
    if not in_list and type(value) is not tuple or len(value) != dims[0]:
        return False
    for i in range(dims[0]):
        item = (<list>value)[i] if in_list else (<tuple>value)[i]
        if rank > 1:
            if not fill_numbers(item, dims + 1, rank - 1, type_num, place, has_float):
                return False
        elif not write_number(item, type_num, place, has_float):
            return False
    return True


cdef bint write_number(object item, int type_num, char** place, bint* has_float) except -1:
    """Write the number if it is one that the type takes from Python and holds."""
    cdef long long integer
    cdef double number
    cdef int overflow = 0
    if type_num == cnp.NPY_BOOL:
        place[0][0] = item is True
        place[0] += 1
        return type(item) is bool
    if type(item) is int:
        integer = PyLong_AsLongLongAndOverflow(item, &overflow)
        if overflow != 0 or not -9007199254740992 <= integer <= 9007199254740992:
            return False
        if type_num == cnp.NPY_INT32:
            if not -2147483648 <= integer <= 2147483647:
                return False
            (<cnp.npy_int32*>place[0])[0] = <cnp.npy_int32>integer
            place[0] += 4
            return True
        if type_num == cnp.NPY_INT64:
            (<cnp.npy_int64*>place[0])[0] = integer
            place[0] += 8
            return True
        number = <double>integer
    elif type(item) is float and (type_num == cnp.NPY_FLOAT or type_num == cnp.NPY_DOUBLE):
        has_float[0] = True
        number = <double>item
    else:
        return False
    if type_num == cnp.NPY_DOUBLE:
        (<double*>place[0])[0] = number
        place[0] += 8
        return True
    if not -LARGEST_FLOAT <= number <= LARGEST_FLOAT and number == number:
        return False
    (<float*>place[0])[0] = <float>number
    place[0] += 4
    return True


def cached_numbers():
    """The cached tensors, for tests: none of them may reach a user."""
    return [tensor for tensor in scalar_tensors if tensor is not None]


cdef EagerTensor left_operand(object value, EagerTensor other):
    """``value``, the left operand beside the tensor ``other``, in the dtype of ``other`` or refused.

    TensorFlow does the same.
    """
    cdef EagerTensor tensor = None
    if isinstance(other.array, cnp.ndarray):
        tensor = scalar(value, cnp.PyArray_TYPE(<cnp.ndarray>other.array))
    return tensor if tensor is not None else callbacks().convert_left(value, dtype_of(other.array))


tensor_module.read_operand = read_operand
