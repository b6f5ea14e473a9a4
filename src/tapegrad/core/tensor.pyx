"""The tensor: an immutable array with an identity, and the operators it shares with variables.

What it needs of Python code (printing, shapes, indexing, conversion, the ops behind operators) it asks
`callbacks.callbacks()` for.
"""

cimport cython
cimport numpy as cnp
from cpython.buffer cimport PyObject_GetBuffer
from cpython.object cimport Py_EQ, Py_GT, Py_LE, Py_LT, Py_NE
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from cpython.ref cimport Py_DECREF, Py_INCREF, PyObject
from libc.stdint cimport int64_t

from math import prod
from types import MethodType

import numpy as np

from tapegrad import dtypes
from tapegrad.core.function cimport TRACING, hooks
from tapegrad.core.kinds cimport Recomputable, Shaped, check_array, kind_of
from tapegrad.core.callbacks cimport callbacks
from tapegrad.engines.numpy.arrays cimport array_with_base
from tapegrad.engines.numpy.buffers cimport recycle
from tapegrad.engines.numpy.types cimport BUILTIN_TYPES

cnp.import_array()

cdef extern from *:
    bint unlikely(bint condition) noexcept

cdef extern from "Python.h":
    int PyObject_GenericSetAttr(object, object, object) except -1
    int delete_attribute "PyObject_GenericSetAttr"(object, object, PyObject* none) except -1
    void PyObject_GC_UnTrack(void*)
    void PyObject_ClearWeakRefs(PyObject*)
    void PyErr_Fetch(PyObject** type, PyObject** value, PyObject** traceback)
    void PyErr_Restore(PyObject* type, PyObject* value, PyObject* traceback)

cdef extern from "numpy/arrayobject.h":
    ctypedef struct PyTypeObject:
        const char* tp_name
        PyObject* tp_dict
        void (*tp_dealloc)(PyObject*) noexcept
    void PyType_Modified(PyTypeObject* type)
    PyTypeObject* Py_TYPE(object value) noexcept
    PyObject* _PyType_Lookup(PyTypeObject* type, object name) noexcept

cdef extern from "tensor_memory.h":
    PyObject* tapegrad_take_kept(PyTypeObject* type) noexcept
    bint tapegrad_is_watched_weakly(PyObject* object) noexcept
    void tapegrad_keep_or_free(PyObject* object, int fields) noexcept

cdef int64_t last_id = 0


cdef int64_t next_id() noexcept:
    global last_id
    last_id += 1
    return last_id


cdef int64_t newest_id() noexcept:
    return last_id


cdef list DTYPES = [None] * BUILTIN_TYPES   # by NumPy's type number: DType objects of NumPy's own types
cdef bint TRAINABLE[BUILTIN_TYPES]
for number in range(BUILTIN_TYPES):
    DTYPES[number] = dtypes.BY_NUMPY_NUM.get(number)
    TRAINABLE[number] = DTYPES[number] is not None and (
        DTYPES[number].is_floating or DTYPES[number].is_complex)


cdef object dtype_of(object array):
    cdef int number
    if isinstance(array, cnp.ndarray):
        number = cnp.PyArray_TYPE(<cnp.ndarray>array)
        if number < BUILTIN_TYPES and DTYPES[number] is not None:
            return DTYPES[number]
        return dtypes.from_numpy(array.dtype)
    if isinstance(array, Shaped):
        return (<Shaped>array).dtype
    return kind_of(array).dtype(array)


cdef bint is_trainable_type(int number) noexcept:
    """Whether one of NumPy's own types is floating or complex."""
    return TRAINABLE[number]


cdef bint is_trainable(object array) except -1:
    """Whether gradients flow through a tensor of this array's type: floating or complex."""
    cdef int number
    if isinstance(array, cnp.ndarray):
        number = cnp.PyArray_TYPE(<cnp.ndarray>array)
        if number < BUILTIN_TYPES:
            return TRAINABLE[number]
    dtype = dtype_of(array)
    return dtype.is_floating or dtype.is_complex


cdef bint is_complex(object array) except -1:
    if isinstance(array, cnp.ndarray):
        return cnp.PyArray_ISCOMPLEX(<cnp.ndarray>array)
    return dtype_of(array).is_complex


cdef tuple shape_tuple(object array):
    cdef cnp.ndarray a
    cdef tuple shape
    cdef object length
    cdef int i, n
    if not isinstance(array, cnp.ndarray):
        if isinstance(array, Shaped):
            if (<Shaped>array).elements is None or (<Shaped>array).opening.works:
                return (<Shaped>array).shape
            return shape_tuple((<Shaped>array).elements)    # its sizes are those of a call that is over
        return kind_of(array).shape(array)
    a = <cnp.ndarray>array
    n = cnp.PyArray_NDIM(a)
    shape = PyTuple_New(n)
    for i in range(n):
        length = cnp.PyArray_DIMS(a)[i]
        Py_INCREF(length)
        PyTuple_SET_ITEM(shape, i, length)
    return shape


cdef tuple zeros_info(object array):
    """What the walk needs to make zeros where no gradient arrives at a result; None if none can flow."""
    if not is_trainable(array):
        return None
    return (shape_tuple(array), dtype_of(array), None if isinstance(array, cnp.ndarray) else kind_of(array))


cdef class Held:
    """Keeps the array of a view alive. (NumPy lets users make a view writable if its base is an array.)"""

    cdef object array


def read_only_view(cnp.ndarray array not None):
    """A view of ``array`` that nobody can write to, whatever is done to its flags. It lies in C order, for libraries
    that read its memory: a copy where ``array`` does not."""
    array = cnp.PyArray_GETCONTIGUOUS(array)
    cdef cnp.dtype descr = array.dtype
    cdef Held held = Held.__new__(Held)
    held.array = array
    return array_with_base(
        <PyObject*>descr, cnp.PyArray_NDIM(array), cnp.PyArray_DIMS(array), cnp.PyArray_STRIDES(array),
        cnp.PyArray_DATA(array), 0, held)


cdef object as_numpy(object array):
    """The array of a tensor as NumPy's; TypeError where its kind refuses."""
    if isinstance(array, cnp.ndarray):
        return array
    values = kind_of(array).numpy(array)
    if not isinstance(values, cnp.ndarray):
        raise TypeError(f"the kind of {type(array).__name__} gave a {type(values).__name__} for an array of NumPy's")
    return values


cdef object present_array(EagerTensor tensor):
    """The array of a tensor. If its memory was let go of, it is computed again, and the tensor has it from now on."""
    cdef Recomputable absent    # held while it computes: tensors, this one too, may get their arrays back meanwhile
    if isinstance(tensor.array, Recomputable):
        absent = tensor.array
        tensor.array = absent.compute()
    return tensor.array


cdef EagerTensor tensor_of(object operand):
    """A tensor, or the snapshot of a variable."""
    cdef EagerTensor tensor = read_operand(operand)
    if tensor is None:
        raise TypeError(f"a {type(operand).__name__} that no op has made has no value")
    return tensor


cdef object values_of(object operand, str how):
    """The values of a tensor or variable as a NumPy array, for Python code: see `observers.static_value`."""
    return read_values(tensor_of(operand), how)


cdef bint is_weak(Tensor tensor):
    """Whether the dtype gives way to others: see `tapegrad.annex.numpy_like.lattice`."""
    return tensor.extra is not None and "_weak" in tensor.extra


cdef object printed(Tensor tensor, object function, str how, tuple more):
    """The text that ``function`` makes of the values. Of an array without values, its shape, dtype and type."""
    cdef object array = tensor.array
    try:
        # Of a tensor in a batch the array is asked, which refuses: to print it, items need not be told apart.
        values = values_of(tensor, how) if array is None or isinstance(array, cnp.ndarray) else as_numpy(array)
    except TypeError:
        if isinstance(array, cnp.ndarray):
            raise
        return (f"<tf.Tensor: shape={shape_tuple(array)}, dtype={dtype_of(array).name}, "
                f"held by a {type(array).__name__}>")
    return function(values, dtype_of(array), *more)


cdef EagerTensor wrap(object array):
    """A tensor with a new identity around ``array``, which nobody may write to from now on."""
    cdef PyObject* kept = tapegrad_take_kept(<PyTypeObject*><PyObject*>EagerTensor)
    cdef EagerTensor tensor
    if kept != NULL:
        tensor = <EagerTensor>kept
        Py_DECREF(tensor)
    else:
        tensor = EagerTensor.__new__(EagerTensor)
    tensor.array = array
    tensor.id = next_id()
    return tensor


cdef int renew(EagerTensor tensor) except -1:
    """Give ``tensor`` a new identity, because its array has new values."""
    if tensor.followed:
        drop_tangents(tensor.id)
        tensor.followed = False
    tensor.id = next_id()
    return 0


@cython.final
cdef class OpenOperator:
    """``tf.Tensor.__mul__`` and its kin as functions, which take objects of other classes too.

    Keras 2 makes them the operators of its own symbolic tensors; the methods of a compiled class would refuse these. An
    expression such as ``x * y`` does not come here: it finds the operator of `Operand` by itself.
    """
    cdef readonly str __name__
    cdef object method          # of `Operand`

    def __init__(self, str name not None):
        self.__name__ = name
        self.method = getattr(Operand, OF_PYTHON_2.get(name, name))

    def __call__(self, x, *operands):
        if isinstance(x, Operand):
            return self.method(x, *operands)
        return callbacks().open_operator(OF_PYTHON_2.get(self.__name__, self.__name__), x, operands)

    def __get__(self, instance, owner):
        return self if instance is None else MethodType(self, instance)

    def __repr__(self):
        return f"<operator tf.Tensor.{self.__name__}>"


cdef dict OF_PYTHON_2 = {"__div__": "__truediv__", "__rdiv__": "__rtruediv__"}


@cython.c_api_binop_methods(True)
cdef class Operand:
    """What tensors and variables share: the operators, each of which calls the op in its slot."""

    # Of two operands NumPy leaves the operator to the one of higher priority, even if its array is on the left.
    __array_priority__ = 100

    def __add__(x, y):
        return binary_operator(ADD, x, y)

    def __sub__(x, y):
        return binary_operator(SUBTRACT, x, y)

    def __mul__(x, y):
        return binary_operator(MULTIPLY, x, y)

    def __truediv__(x, y):
        return binary_operator(TRUEDIV, x, y)

    def __floordiv__(x, y):
        return binary_operator(FLOORDIV, x, y)

    def __mod__(x, y):
        return binary_operator(MOD, x, y)

    def __pow__(x, y, modulo):
        if modulo is not None:
            raise TypeError("pow() of a tensor takes no modulus: use tf.math.floormod(x ** y, modulus).")
        return binary_operator(POW, x, y)

    def __matmul__(x, y):
        return binary_operator(MATMUL, x, y)

    def __and__(x, y):
        return binary_operator(AND, x, y)

    def __or__(x, y):
        return binary_operator(OR, x, y)

    def __xor__(x, y):
        return binary_operator(XOR, x, y)

    def __lshift__(x, y):
        return callbacks().operators["left_shift"](x, y)

    def __rshift__(x, y):
        return callbacks().operators["right_shift"](x, y)

    def __pos__(self):
        return callbacks().operators["positive"](self)

    def __neg__(self):
        return unary_operator(NEGATIVE, self)

    def __abs__(self):
        return unary_operator(ABS, self)

    def __invert__(self):
        return unary_operator(INVERT, self)

    def __richcmp__(x, y, int comparison):
        if comparison == Py_LT:
            return binary_operator(LESS, x, y)
        if comparison == Py_LE:
            return binary_operator(LESS_EQUAL, x, y)
        if comparison == Py_EQ:
            return binary_operator(EQUAL, x, y)
        if comparison == Py_NE:
            return binary_operator(NOT_EQUAL, x, y)
        if comparison == Py_GT:
            return binary_operator(GREATER, x, y)
        return binary_operator(GREATER_EQUAL, x, y)

    def __hash__(self):
        # Not in the subclass: a type that defines only one of __hash__ and __eq__ inherits neither.
        raise TypeError("Tensor is unhashable. Instead, use tensor.ref() as the key.")

    def __getitem__(self, slice_spec):
        if hooks & TRACING:
            answer = callbacks().trace_symbolically(callbacks().getitem, (self, slice_spec), {})
            if answer is not NotImplemented:
                return answer
        return callbacks().getitem(self, slice_spec)

    def __setitem__(self, slice_spec, value):
        callbacks().missing_attribute(self, "__setitem__")

    def __delitem__(self, slice_spec):
        callbacks().missing_attribute(self, "__delitem__")

    def __bool__(self):
        return callbacks().to_truth(values_of(self, "bool"))

    def __int__(self):
        return int(callbacks().to_scalar(values_of(self, "int"), "an integer"))

    def __index__(self):
        return callbacks().to_index(values_of(self, "index"))

    def __float__(self):
        return float(callbacks().to_scalar(values_of(self, "float"), "a float"))

    def __complex__(self):
        return complex(callbacks().to_scalar(values_of(self, "complex"), "a complex number"))

    def __iter__(self):
        return callbacks().iterate(self)

    def __array__(self, dtype=None, copy=None):
        return callbacks().to_array(values_of(self, "array"), dtype, copy)

    def _shape_tuple(self):
        """The shape as a tuple of ints, cheaper than ``.shape``."""
        return shape_tuple(tensor_of(self).array)


cdef class Tensor(Operand):
    """A value of one dtype and shape that never changes. `tf.constant` and every op make one.

    >>> isinstance(tf.constant(1.0), tf.Tensor)
    True
    """

    # Libraries read this list, and forward each of these methods to a tensor that they hold, or take the method itself
    # for a class of theirs: see `OpenOperator`. Those of Python 2 are among them.
    OVERLOADABLE_OPERATORS = frozenset(
        "__abs__ __add__ __and__ __div__ __eq__ __floordiv__ __ge__ __getitem__ __gt__ __invert__ __le__ "
        "__lt__ __matmul__ __mod__ __mul__ __ne__ __neg__ __or__ __pow__ __radd__ __rand__ __rdiv__ "
        "__rfloordiv__ __rmatmul__ __rmod__ __rmul__ __ror__ __rpow__ __rsub__ __rtruediv__ __rxor__ "
        "__sub__ __truediv__ __xor__".split()
    )
    __nonzero__ = Operand.__bool__

    def __init__(self, *args, **kwargs):
        raise TypeError("A tensor is made by an op: use tf.constant(value) or tf.convert_to_tensor(value).")

    @property
    def _array(self):
        return present_array(self) if type(self) is EagerTensor else self.array

    @property
    def _id(self):
        return self.id

    @property
    def dtype(self):
        """The DType of the elements."""
        return dtype_of(self.array)

    @property
    def shape(self):
        """The TensorShape."""
        if self.shape_object is None:
            self.shape_object = callbacks().make_shape(shape_tuple(self.array))
        return self.shape_object

    @property
    def ndim(self):
        """How many axes the tensor has."""
        if isinstance(self.array, cnp.ndarray):
            return cnp.PyArray_NDIM(self.array)
        return len(shape_tuple(self.array))

    @property
    def device(self):
        """The full name of the device that holds the tensor."""
        return callbacks().device()

    def __len__(self):
        cdef tuple shape = shape_tuple(self.array)
        if not shape:
            raise TypeError("Scalar tensor has no `len()`")
        return shape[0]

    def __repr__(self):
        return printed(self, callbacks().tensor_repr, "repr", (is_weak(self),))

    def _repr_html_(self):
        if not isinstance(self.array, cnp.ndarray):
            return None         # notebooks show the repr then
        return printed(self, callbacks().tensor_html, "repr", ())

    def __str__(self):
        return printed(self, callbacks().tensor_str, "str", (is_weak(self),))

    def __format__(self, format_spec):
        return printed(self, callbacks().tensor_format, "format", (format_spec, is_weak(self)))

    def numpy(self):
        """A copy of the value as a NumPy array, or as a NumPy scalar.

        >>> tf.constant(3.0).numpy()
        np.float32(3.0)
        """
        return callbacks().to_numpy(values_of(self, "numpy"))

    def ref(self):
        """A hashable reference to the tensor, equal to others of the same one; ``.deref()`` gives the tensor."""
        return callbacks().reference(self)

    def experimental_ref(self):
        """`ref`, by its older name."""
        return callbacks().reference(self)

    def get_shape(self):
        """The TensorShape: ``.shape`` as a method."""
        return self.shape

    def set_shape(self, shape):
        """Raise unless ``shape`` is compatible with the tensor's own."""
        callbacks().check_shape(self.shape, shape)

    def eval(self, feed_dict=None, session=None):
        raise NotImplementedError("eval() belongs to graphs and sessions: here .numpy() gives the value.")

    def consumers(self):
        raise NotImplementedError("consumers() belongs to graphs: a tape has the records of what used a tensor.")

    def cpu(self):
        """The tensor, which is on the CPU already."""
        return callbacks().identity(self)

    def gpu(self, gpu_index=0):
        raise RuntimeError(f"GPU:{gpu_index} unknown device: tensors live on CPU:0.")

    @property
    def backing_device(self):
        """The full name of the device that holds the tensor."""
        return callbacks().device()

    def __dlpack__(self, *, stream=None, max_version=None, dl_device=None, copy=None):
        """A DLPack capsule over the tensor's memory, which is read-only, or over a copy.

        >>> x = tf.constant([1.0, 2.0])
        >>> array = np.from_dlpack(x)
        >>> array.flags.writeable
        False
        """
        return callbacks().to_dlpack(
            values_of(self, "dlpack"), stream=stream, max_version=max_version, dl_device=dl_device, copy=copy)

    def __dlpack_device__(self):
        """DLPack's numbers of the device: the CPU's."""
        return (1, 0)

    def __getbuffer__(self, Py_buffer* buffer, int flags):
        # The buffer is that of a read-only view. The view holds the array, so a variable that has the same
        # array copies it before it writes.
        try:
            values = values_of(self, "buffer")
        except TypeError as error:
            raise BufferError(str(error)) from None
        PyObject_GetBuffer(read_only_view(values), buffer, flags)

    def _shape_as_list(self):
        return list(shape_tuple(self.array))

    def _rank(self):
        return len(shape_tuple(self.array))

    def _num_elements(self):
        return prod(shape_tuple(self.array))

    def _numpy(self):
        return callbacks().to_numpy(values_of(self, "numpy"))

    def __round__(self, ndigits=None):
        method = callbacks().missing_attribute(self, "__round__")
        return method() if ndigits is None else method(ndigits)

    def __copy__(self):
        return self

    def __deepcopy__(self, memo):
        return self  # it does not change; and tapes know it by its id, so a copy would have no gradient

    def __reduce__(self):
        return (callbacks().unpickle, callbacks().pickle(values_of(self, "pickle")))

    def __setattr__(self, name, value):
        # Tensors have no __dict__, which would cost memory and time for each: users seldom set attributes.
        # Not `hasattr`, which makes an exception for every attribute that the class lacks.
        if _PyType_Lookup(Py_TYPE(self), name) != NULL:
            PyObject_GenericSetAttr(self, name, value)
            return
        if self.extra is None:
            self.extra = {}
        self.extra[name] = value

    def __delattr__(self, name):
        if self.extra is not None and name in self.extra:
            del self.extra[name]
        else:
            delete_attribute(self, name, NULL)

    def __getattr__(self, name):
        if self.extra is not None and name in self.extra:
            return self.extra[name]
        return callbacks().missing_attribute(self, name)


@cython.final
cdef class EagerTensor(Tensor):
    """The type of every tensor: one immutable array under one identity."""

    def __init__(self, array):
        self.array = np.asarray(array) if isinstance(array, np.generic) else array
        check_array(self.array)
        self.id = next_id()


cdef void let_go(PyObject* o) noexcept:
    """Empty a tensor to which nobody refers any more, and keep its memory: in place of what Cython would do.

    Nothing here may count references to the tensor, or it would be let go again.
    """
    cdef PyObject* type
    cdef PyObject* value
    cdef PyObject* traceback
    PyObject_GC_UnTrack(o)
    if unlikely((<EagerTensor>o).followed):
        PyErr_Fetch(&type, &value, &traceback)
        drop_tangents((<EagerTensor>o).id)
        PyErr_Restore(type, value, traceback)
        (<EagerTensor>o).followed = False
    recycle(<PyObject*>(<EagerTensor>o).array)
    if unlikely(tapegrad_is_watched_weakly(o)):
        PyObject_ClearWeakRefs(o)
    (<EagerTensor>o).array = None
    if (<EagerTensor>o).shape_object is not None:
        (<EagerTensor>o).shape_object = None
    if unlikely((<EagerTensor>o).extra is not None):
        (<EagerTensor>o).extra = None
    tapegrad_keep_or_free(o, 3)     # array, shape_object and extra


(<PyTypeObject*><PyObject*>EagerTensor).tp_dealloc = let_go


for name in Tensor.OVERLOADABLE_OPERATORS:
    # Not in the slots of the type, where expressions look.
    (<object>(<PyTypeObject*><PyObject*>Tensor).tp_dict)[name] = OpenOperator(name)
PyType_Modified(<PyTypeObject*><PyObject*>Tensor)


cdef list homes = []            # keeps the names alive that the types point to


def set_homes(str tensor not None, str eager_tensor not None):
    """Let `Tensor` and `EagerTensor` say that they live in these modules: some programs look only at that."""
    for type, module in ((Tensor, tensor), (EagerTensor, eager_tensor)):
        homes.append(f"{module}.{type.__name__}".encode())
        (<PyTypeObject*><PyObject*>type).tp_name = homes[len(homes) - 1]
        PyType_Modified(<PyTypeObject*><PyObject*>type)
