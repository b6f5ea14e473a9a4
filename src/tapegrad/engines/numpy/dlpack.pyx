"""Arrays as DLPack capsules and back, without a copy: `to_capsule` makes a capsule, `from_capsule` takes one.

DLPack is a C structure that array libraries hand each other: a pointer, a shape, strides, a dtype, and a function
that the consumer calls when it is done. A capsule carries it, and its name says whether somebody has taken it. NumPy's
own functions for it know neither bfloat16 nor the types of 8 bits.

The structures come in two layouts. The older one cannot say that memory is read-only; the newer one (DLPack 1.0)
has flags for that. What `tapegrad.framework.dlpack` promises to users is decided there.
"""

cimport numpy as cnp
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from libc.stdint cimport int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc

from tapegrad.engines.numpy.arrays cimport array_with_base

import numpy as np

from tapegrad import dtypes

cnp.import_array()

cdef extern from "Python.h":
    ctypedef void (*Destructor "PyCapsule_Destructor")(PyObject*) noexcept
    object PyCapsule_New(void* pointer, const char* name, Destructor destructor)
    bint PyCapsule_CheckExact(object capsule) noexcept
    bint PyCapsule_IsValid(PyObject* capsule, const char* name) noexcept
    void* PyCapsule_GetPointer(PyObject* capsule, const char* name) noexcept
    int PyCapsule_SetName(object capsule, const char* name) except -1
    bint Py_IsInitialized() noexcept nogil
    void PyErr_Fetch(PyObject** type, PyObject** value, PyObject** traceback) noexcept
    void PyErr_Restore(PyObject* type, PyObject* value, PyObject* traceback) noexcept

cdef extern from *:
    bint overflows "__builtin_mul_overflow" (int64_t x, int64_t y, int64_t* product) noexcept
    bint sum_overflows "__builtin_add_overflow" (int64_t x, int64_t y, int64_t* sum) noexcept

cdef struct Device:
    int32_t type
    int32_t id

cdef struct ElementType:
    uint8_t code
    uint8_t bits
    uint16_t lanes

cdef struct Layout:
    void* data
    Device device
    int32_t ndim
    ElementType dtype
    int64_t* shape
    int64_t* strides            # in elements; NULL where the array is C-contiguous
    uint64_t byte_offset

cdef struct Managed:
    Layout tensor
    void* context
    void (*deleter)(Managed*) noexcept nogil

cdef struct Versioned:
    uint32_t major
    uint32_t minor
    void* context
    void (*deleter)(Versioned*) noexcept nogil
    uint64_t flags
    Layout tensor

cdef const char* NAME = "dltensor"
cdef const char* USED = "used_dltensor"
cdef const char* VERSIONED_NAME = "dltensor_versioned"
cdef const char* VERSIONED_USED = "used_dltensor_versioned"

cdef enum:
    MAJOR = 1
    MINOR = 1
    CPU = 1
    CUDA_HOST = 3               # memory of the CPU that a GPU can reach
    ROCM_HOST = 11
    READ_ONLY_FLAG = 1
    COPIED_FLAG = 2
    MOST_AXES = 64

VERSION = (MAJOR, MINOR)
READ_ONLY, COPIED = READ_ONLY_FLAG, COPIED_FLAG

# DLPack's code and bits of each dtype. Its types of less than 8 bits lie closer together than ours.
CODES = {
    "bool": (6, 8), "bfloat16": (4, 16), "complex64": (5, 64), "complex128": (5, 128),
    **{f"int{bits}": (0, bits) for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": (1, bits) for bits in (8, 16, 32, 64)},
    **{f"float{bits}": (2, bits) for bits in (16, 32, 64)},
    "float8_e4m3b11fnuz": (9, 8), "float8_e4m3fn": (10, 8), "float8_e4m3fnuz": (11, 8), "float8_e5m2": (12, 8),
    "float8_e5m2fnuz": (13, 8),
}
BY_CODE = {code: name for name, code in CODES.items()}


# Lending

cdef void give_back(void* context, void* structure) noexcept nogil:
    # A consumer may be done after Python's end: its memory is then left to the system.
    if not Py_IsInitialized():
        return
    with gil:
        Py_DECREF(<object>context)
    free(structure)


cdef void give_back_managed(Managed* managed) noexcept nogil:
    give_back(managed.context, managed)


cdef void give_back_versioned(Versioned* managed) noexcept nogil:
    give_back(managed.context, managed)


cdef void drop_capsule(PyObject* capsule) noexcept:
    """Let go of the array of a capsule that nobody has taken."""
    cdef PyObject* type
    cdef PyObject* value
    cdef PyObject* traceback
    cdef Managed* managed
    cdef Versioned* versioned
    PyErr_Fetch(&type, &value, &traceback)
    if PyCapsule_IsValid(capsule, NAME):
        managed = <Managed*>PyCapsule_GetPointer(capsule, NAME)
        managed.deleter(managed)
    elif PyCapsule_IsValid(capsule, VERSIONED_NAME):
        versioned = <Versioned*>PyCapsule_GetPointer(capsule, VERSIONED_NAME)
        versioned.deleter(versioned)
    PyErr_Restore(type, value, traceback)


cdef int describe(Layout* tensor, cnp.ndarray array, tuple code, int64_t* sizes) except -1:
    cdef int ndim = cnp.PyArray_NDIM(array), i
    cdef Py_ssize_t item = cnp.PyArray_ITEMSIZE(array)
    # Of an array without elements DLPack wants no address.
    tensor.data = cnp.PyArray_DATA(array) if cnp.PyArray_SIZE(array) else NULL
    tensor.device.type = CPU
    tensor.device.id = 0
    tensor.ndim = ndim
    tensor.dtype.code = code[0]
    tensor.dtype.bits = code[1]
    tensor.dtype.lanes = 1
    tensor.shape = sizes
    tensor.strides = sizes + ndim
    tensor.byte_offset = 0
    for i in range(ndim):
        tensor.shape[i] = cnp.PyArray_DIMS(array)[i]
        tensor.strides[i] = cnp.PyArray_STRIDES(array)[i] // item
    return 0


def to_capsule(cnp.ndarray array not None, version=None, flags=0):
    """A capsule over the memory of ``array``, which it holds until its consumer is done.

    Args:
      version: The pair of numbers of the newer layout that the consumer knows, or None for the older layout.
      flags: READ_ONLY or COPIED, for the newer layout.

    Raises:
      BufferError: DLPack has no name for the dtype, or strides are no multiples of an element's size.
    """
    cdef int ndim = cnp.PyArray_NDIM(array), i
    cdef Managed* managed
    cdef Versioned* versioned
    code = CODES.get(name_of(array))
    if code is None:
        raise BufferError(f"DLPack has no elements of {array.dtype}")
    for i in range(ndim):
        if cnp.PyArray_STRIDES(array)[i] % cnp.PyArray_ITEMSIZE(array):
            raise BufferError("DLPack knows no strides that are no multiples of an element's size; copy the tensor")
    if version is None:
        managed = <Managed*>malloc(sizeof(Managed) + 2 * ndim * sizeof(int64_t))
        if managed == NULL:
            raise MemoryError()
        describe(&managed.tensor, array, code, <int64_t*>(managed + 1))
        managed.context = <void*>array
        managed.deleter = give_back_managed
        Py_INCREF(array)
        return new_capsule(managed, NAME, managed.context)
    versioned = <Versioned*>malloc(sizeof(Versioned) + 2 * ndim * sizeof(int64_t))
    if versioned == NULL:
        raise MemoryError()
    describe(&versioned.tensor, array, code, <int64_t*>(versioned + 1))
    versioned.major, versioned.minor = min(version, (MAJOR, MINOR))
    versioned.context = <void*>array
    versioned.deleter = give_back_versioned
    versioned.flags = flags
    Py_INCREF(array)
    return new_capsule(versioned, VERSIONED_NAME, versioned.context)


cdef object new_capsule(void* structure, const char* name, void* context):
    try:
        return PyCapsule_New(structure, name, drop_capsule)
    except BaseException:
        give_back(context, structure)
        raise


cdef object name_of(cnp.ndarray array):
    """The name of the dtype; None where tensors have none such."""
    try:
        return dtypes.from_numpy(array.dtype).name
    except TypeError:
        return None


# Borrowing

cdef class CapsuleOwner:
    """The base of an array over another library's memory: calls the deleter once, when the last view goes."""

    cdef Managed* managed
    cdef Versioned* versioned

    def __dealloc__(self):
        cdef PyObject* type
        cdef PyObject* value
        cdef PyObject* traceback
        # A deleter may run Python code, and must find no error of ours.
        PyErr_Fetch(&type, &value, &traceback)
        if self.managed != NULL and self.managed.deleter != NULL:
            self.managed.deleter(self.managed)
        if self.versioned != NULL and self.versioned.deleter != NULL:
            self.versioned.deleter(self.versioned)
        PyErr_Restore(type, value, traceback)


def from_capsule(capsule):
    """A read-only array over the memory of a capsule, and the capsule's flags. The capsule is taken thereby.

    The array may lie at an address that is no multiple of its elements' alignment: see its flags.

    Raises:
      BufferError: This is no capsule of DLPack, it was taken before, it is of another device, or of elements that
        tensors do not have, or what it says of itself cannot be true. It is not taken then.
    """
    cdef CapsuleOwner owner = CapsuleOwner.__new__(CapsuleOwner)
    cdef Managed* managed
    cdef Versioned* versioned
    cdef PyObject* pointer = <PyObject*>capsule
    if not PyCapsule_CheckExact(capsule):
        raise BufferError(f"a capsule was expected; a {type(capsule).__name__} came")
    if PyCapsule_IsValid(pointer, NAME):
        managed = <Managed*>PyCapsule_GetPointer(pointer, NAME)
        array = array_over(&managed.tensor, owner)
        PyCapsule_SetName(capsule, USED)
        owner.managed = managed
        return array, 0
    if PyCapsule_IsValid(pointer, VERSIONED_NAME):
        versioned = <Versioned*>PyCapsule_GetPointer(pointer, VERSIONED_NAME)
        if versioned.major != MAJOR:
            raise BufferError(
                f"the capsule is of DLPack {versioned.major}.{versioned.minor}, and {MAJOR}.x was expected")
        array = array_over(&versioned.tensor, owner)
        flags = versioned.flags
        PyCapsule_SetName(capsule, VERSIONED_USED)
        owner.versioned = versioned
        return array, flags
    if PyCapsule_IsValid(pointer, USED) or PyCapsule_IsValid(pointer, VERSIONED_USED):
        raise BufferError("the capsule was taken before, and a capsule can be taken once")
    raise BufferError("this is no capsule of DLPack, whose name is 'dltensor' or 'dltensor_versioned'")


cdef cnp.ndarray array_over(Layout* tensor, CapsuleOwner owner):
    """A read-only array over the memory that ``tensor`` describes."""
    cdef cnp.npy_intp dims[MOST_AXES]
    cdef cnp.npy_intp strides[MOST_AXES]
    cdef int64_t item, size = 1, bytes, below = 0, beyond = 0
    cdef int i, ndim = tensor.ndim
    cdef cnp.dtype descr
    cdef cnp.ndarray array
    cdef bint empty = False
    if tensor.device.type not in (CPU, CUDA_HOST, ROCM_HOST):
        raise BufferError(f"the memory is of the device type {tensor.device.type}, and the CPU's, 1, was expected")
    if not 0 <= ndim <= MOST_AXES:
        raise BufferError(f"0 to {MOST_AXES} axes were expected; {ndim} came")
    if tensor.dtype.lanes != 1:
        raise BufferError(f"elements of one lane were expected; {tensor.dtype.lanes} lanes came")
    name = BY_CODE.get((tensor.dtype.code, tensor.dtype.bits))
    if name is None:
        raise BufferError(
            f"no tensor has elements of DLPack's type {tensor.dtype.code} with {tensor.dtype.bits} bits")
    if ndim > 0 and tensor.shape == NULL:
        raise BufferError("the capsule has axes and no shape")
    descr = dtypes.as_dtype(name).numpy_dtype
    item = descr.itemsize
    for i in range(ndim):
        if tensor.shape[i] < 0:
            raise BufferError(f"a size is not negative; {tensor.shape[i]} came")
        dims[i] = tensor.shape[i]
        empty = empty or dims[i] == 0
        if dims[i] and overflows(size, dims[i], &size):
            raise BufferError("the shape has more elements than memory can hold")
    if overflows(size, item, &bytes):
        raise BufferError("the shape has more elements than memory can hold")
    for i in range(ndim - 1, -1, -1):
        if tensor.strides == NULL:
            strides[i] = item if i == ndim - 1 else strides[i + 1] * max(dims[i + 1], 1)
            continue
        # How far the elements reach must be a number: NumPy adds it up without a look.
        if (overflows(tensor.strides[i], item, &strides[i]) or overflows(strides[i], max(dims[i] - 1, 0), &bytes)
                or sum_overflows(below, min(bytes, 0), &below) or sum_overflows(beyond, max(bytes, 0), &beyond)):
            raise BufferError("the strides reach beyond what memory can hold")
    if empty:
        array = np.empty(tuple([dims[i] for i in range(ndim)]), descr)
        array.flags.writeable = False
        return array
    if tensor.data == NULL:
        raise BufferError("the capsule has elements and no address")
    array = array_with_base(
        <PyObject*>descr, ndim, dims, strides, <char*>tensor.data + tensor.byte_offset, 0, owner)
    cnp.PyArray_UpdateFlags(
        array, cnp.NPY_ARRAY_C_CONTIGUOUS | cnp.NPY_ARRAY_F_CONTIGUOUS | cnp.NPY_ARRAY_ALIGNED)
    return array
