"""Kinds of arrays: what the core asks about an array that is not NumPy's.

The core handles NumPy's arrays itself. For any other array it looks up the kind by the array's type,
and asks the kind. Nowhere else does the core know of a second type of array.
"""

cimport numpy as cnp
from cpython.ref cimport PyObject

import operator

from tapegrad.dtypes import DType
from tapegrad.errors import OperatorNotAllowedInGraphError

cnp.import_array()

cdef dict kinds = {}            # type of array -> Kind
per_item = None
open_batches = 0
of_sizes = None
open_sizes = 0
cdef object size_type = None
cdef type open_array_type = None
cdef tuple IN_KEYS = (bool, float, str, DType)    # classes of attributes that a key may hold, beside int and None


class NeedsItems(Exception):
    """Arrays of many items cannot do at once what a program does with one item. The program can run for each."""


class NeedsValues(NeedsItems, OperatorNotAllowedInGraphError):
    """Python code asks for the value of a batched tensor, which has one for each item."""


class Splits(NeedsValues):
    """Python code asks for values that differ between the items of ``batch``, of which `values` has them in order.

    Items with equal values can go on together.
    """

    def __init__(self, message, batch, values):
        super().__init__(message)
        self.batch = batch
        self.values = values

    def groups(self):
        """The numbers of the items, in a list for each value."""
        numbers = {}
        for number, value in enumerate(self.values):
            key = value.tobytes() if value.dtype.kind not in "OT" else repr(value.tolist())
            numbers.setdefault(key, []).append(number)
        return list(numbers.values())


class NotVectorized(NeedsItems, ValueError):
    """An op cannot run over a batch."""


class NoElements(NotVectorized):
    """A tensor without elements does not go into a batch. Nobody is told: its shape is asked for, and nothing runs."""


class Closing(BaseException):
    """Ends a call that cannot be recorded for open sizes: the caller runs it again for the sizes that it has.

    No `Exception`, which the function might catch.
    """


cdef class Kind:
    """How the core handles arrays of one type that is not NumPy's. Subclass it, and call `register_kind`."""

    def apply(self, op, list arrays, tuple attributes):
        """What ``op`` gives for ``arrays``: an array, or the list of them where the op has several results.

        At least one of ``arrays`` is of this kind; the others may be NumPy's. ``attributes`` are in the op's order.
        """
        raise NotImplementedError(f"{type(self).__name__} does not say how to run {op.type}")

    def shape(self, array):
        """The shape, a tuple of ints."""
        raise NotImplementedError(f"{type(self).__name__} does not say what shape its arrays have")

    def dtype(self, array):
        """The DType of the elements."""
        raise NotImplementedError(f"{type(self).__name__} does not say what dtype its arrays have")

    def full(self, tuple shape, dtype, value):
        """An array of this kind, or one of NumPy's, with ``value`` everywhere. Walks begin with such arrays."""
        raise NotImplementedError(f"{type(self).__name__} does not make arrays")

    def full_like(self, array, value):
        """An array like ``array``, one of this kind, with ``value`` everywhere."""
        return self.full(self.shape(array), self.dtype(array), value)

    def gradient_adjustments(self, op, list inputs, list outputs):
        """For each input of a recorded call how the walk adjusts its gradient, or None; None if it adjusts no gradient.

        ``outputs`` holds an array of this kind. The walk gives an entry that is not None to `adjust_gradient`.
        """
        return None

    def reopen(self, tuple adjustments):
        """Called before the rules of a call with these `gradient_adjustments`. `close` gets the result, after the rules."""

    def close(self, reopened):
        """Undo `reopen`."""

    def adjust_gradient(self, gradient, adjustment):
        """The gradient of an input, for which `gradient_adjustments` gave ``adjustment``."""
        return gradient

    def spread(self, tangent, array):
        """The tangent of a tensor with that array, of this kind. Rules may have given one of NumPy's, for all items."""
        return tangent

    def recorded_arrays(self, list tensors, list arrays):
        """``arrays``, the arrays of ``tensors``, as `apply` gets them under a recorder.

        So a kind can report ops on plain arrays to the recorder, in place of an op on arrays of this kind: see `is_recorded`.
        """
        return arrays

    def is_recorded(self, recorder, op, list inputs, list outputs, tuple attributes):
        """Whether the recorder has recorded all that an op has done, of which inputs or outputs are of this kind."""
        return False

    def read(self, tensor, str how):
        """The values of a tensor that holds an array of this kind, read by Python code; None where `numpy` has them."""
        return None

    def numpy(self, array):
        """The values as one of NumPy's arrays, to which nobody writes. TypeError if the array has no values."""
        raise TypeError(f"a {type(array).__name__} does not become an array of NumPy's")


cdef class Recomputable:
    cdef object compute(self):
        """The array, one of NumPy's."""
        raise NotImplementedError(f"{type(self).__name__} does not say how to compute its array")


cdef class OpenScope:
    def __cinit__(self):
        self.kept = {}


cdef class Shaped:
    pass


def register_kind(type array_type not None, Kind kind not None):
    """Handle arrays of exactly ``array_type`` as ``kind`` says."""
    if issubclass(array_type, cnp.ndarray):
        raise ValueError(f"{array_type.__name__} is an array of NumPy's, which the core handles itself")
    kinds[array_type] = kind


class KindsMixed(NeedsItems, TypeError):
    """An op was given arrays of two kinds beside NumPy's."""


cdef int set_per_item(Kind kind) except -1:
    global per_item
    per_item = kind
    return 0


cdef int count_open(int change) noexcept:
    global open_batches
    open_batches += change
    return 0


def register_size(type size not None):
    """Let instances of ``size`` be ints that know where they come from."""
    global size_type
    size_type = size
    return size


def handle_sizes(Kind kind not None):
    """Give ops to ``kind`` among whose attributes is a size that knows where it comes from."""
    global of_sizes
    of_sizes = kind


def count_open_sizes(int change):
    """Note that attributes of ops may hold sizes from now on, or no longer."""
    global open_sizes
    open_sizes += change


cpdef bint holds_size(object value) except -1:
    """Whether a size that knows where it comes from is among attributes of ops."""
    if type(value) is size_type:
        return True
    if type(value) is tuple or type(value) is list:
        for part in value:
            if holds_size(part):
                return True
    elif type(value) is slice:
        return holds_size((value.start, value.stop, value.step))
    return False


cpdef object with_ints(object value, object number_of):
    """``value`` with what ``number_of`` gives for the sizes in it; the same object where there are none."""
    if type(value) is size_type:
        return number_of(value)
    if not holds_size(value):
        return value
    if type(value) is slice:
        return slice(*with_ints((value.start, value.stop, value.step), number_of))
    parts = [with_ints(part, number_of) for part in value]
    return tuple(parts) if type(value) is tuple else parts


cdef object HINT = operator.attrgetter("hint")


cpdef object hinted(object value):
    """``value`` with the ints of this call for the sizes in it. No guard is left."""
    return with_ints(value, HINT)


def register_open_array(type array_type not None):
    """Let instances of ``array_type``, a subclass of `Shaped`, be the arrays with open sizes."""
    global open_array_type
    open_array_type = array_type
    return array_type


cdef tuple shape_at_sight(list arrays, OpenScope opening, list elements):
    """The shape that ``arrays`` are broadcast to, where a look at their sizes tells it; None where rules decide.

    At least one has sizes of ``opening``. ``elements`` gets NumPy's arrays.
    """
    cdef list shapes = [], sizes
    cdef tuple shape, longest = None
    cdef Py_ssize_t rank = -1, i, place
    cdef bint is_open = False, is_longest = True
    for array in arrays:
        if isinstance(array, cnp.ndarray):
            elements.append(array)
            shape = array.shape
        elif isinstance(array, Shaped) and (<Shaped>array).opening is opening and (<Shaped>array).value is None:
            elements.append((<Shaped>array).elements)
            shape = (<Shaped>array).shape
            is_open = True
        else:
            return None
        shapes.append(shape)
        if <Py_ssize_t>len(shape) > rank:
            longest, rank = shape, len(shape)
    if not is_open:
        return None
    sizes = list(longest)
    for shape in shapes:
        for i in range(len(shape)):
            place = rank - len(shape) + i
            size, other = shape[i], sizes[place]
            if size is other or type(size) is int and size == 1:
                continue
            if type(other) is int and other == 1:
                sizes[place] = size
                is_longest = False
            elif type(size) is int and type(other) is int:
                if size != other:
                    return None
            elif type(size) is not size_type or type(other) is not size_type or size.terms != other.terms:
                return None
    return longest if is_longest else tuple(sizes)      # equal shapes are one tuple, as far as that is seen


cdef class _Same:
    """A size in a key: equal to itself alone. A size leaves a guard where it is compared or hashed."""

    cdef object size

    def __eq__(self, other):
        return type(other) is _Same and (<_Same>other).size is self.size

    def __hash__(self):
        return <Py_hash_t>(<size_t><PyObject*>self.size >> 4)


cdef tuple key_of(object called, list seen, OpenScope opening):
    """The key under which ``opening`` keeps the shapes that an op or a rule gives for what it has ``seen``.

    None where shapes are not kept for such. Functions that are saved decide anew in each rule.
    """
    cdef list key = [called]
    return tuple(key) if not opening.saves and add_to_key(key, seen) else None


cdef bint add_to_key(list key, object value) except -1:
    """Add to ``key`` what a shape rule sees of ``value``: an array, an attribute, or a tuple or list of these.

    False where a rule may see more than has a place in a key, as the elements of integers.
    """
    cdef _Same same
    if isinstance(value, (Shaped, cnp.ndarray)):
        if (isinstance(value, Shaped) and (<Shaped>value).value is not None or isinstance(value, cnp.ndarray)
                and not cnp.PyArray_ISFLOAT(<cnp.ndarray>value) and not cnp.PyArray_ISCOMPLEX(<cnp.ndarray>value)):
            return False
        if isinstance(value, Shaped):
            key.append(<size_t><PyObject*>(<Shaped>value).dtype)
            return add_to_key(key, (<Shaped>value).shape)
        key.append(cnp.PyArray_TYPE(<cnp.ndarray>value))
        return add_to_key(key, value.shape)
    if type(value) is tuple or type(value) is list:
        key.append(len(value))
        for part in value:
            if type(part) is int:
                key.append(part)
            elif not add_to_key(key, part):
                return False
        return True
    if type(value) is slice:
        key.append(slice)
        return add_to_key(key, value.start) and add_to_key(key, value.stop) and add_to_key(key, value.step)
    if type(value) is size_type:
        same = _Same.__new__(_Same)
        same.size = value
        key.append(same)
        return True
    if type(value) is not int and value is not None and value is not Ellipsis:
        if type(value) not in IN_KEYS:
            return False
        key.append(type(value))         # 1 equals 1.0 and True
    key.append(value)
    return True


cdef object opened(object elements, tuple shape, object dtype, OpenScope opening):
    """An array with open sizes; None where ``shape`` is not that of ``elements`` in this call."""
    cdef Shaped array
    cdef Py_ssize_t i
    if not isinstance(elements, cnp.ndarray) or cnp.PyArray_NDIM(<cnp.ndarray>elements) != len(shape):
        return None
    for i in range(len(shape)):
        size = shape[i]
        if cnp.PyArray_DIMS(<cnp.ndarray>elements)[i] != (size.hint if type(size) is size_type else size):
            return None
    array = open_array_type.__new__(open_array_type)
    array.elements, array.shape, array.dtype, array.opening = elements, shape, dtype, opening
    return array


cdef int keep_shapes(tuple key, list arrays, OpenScope opening) except -1:
    """Keep the shapes of results, None where no size is open, if they are all that is known of the ``arrays``."""
    cdef list shapes = []
    if key is None or not opening.works or opening.named:
        return 0
    for array in arrays:
        if isinstance(array, Shaped):
            if (<Shaped>array).value is not None or (<Shaped>array).elements is None:
                return 0
            shapes.append((<Shaped>array).shape)
        elif array is None or isinstance(array, cnp.ndarray):
            shapes.append(None)
        else:
            return 0
    opening.kept[key] = shapes
    return 0


cdef class CachedForInts:
    """A function that answers from a cache where no size that knows where it comes from is among the arguments."""

    cdef object function, cached

    def __init__(self, function, cached):
        self.function, self.cached = function, cached

    def __call__(self, *args):
        return (self.function if open_sizes and holds_size(args) else self.cached)(*args)


def has_kind(object array):
    """Whether this is an array that is not NumPy's."""
    return type(array) in kinds


cdef Kind kind_of(object array):
    """The kind of an array that is not NumPy's."""
    cdef object kind = kinds.get(type(array))
    if kind is None:
        raise TypeError(
            f"a tensor holds an array of NumPy's, or of a registered kind; a {type(array).__name__} is neither")
    return <Kind>kind


cdef Kind kind_of_all(list arrays):
    """The one kind among ``arrays`` that is not NumPy's. Beside batches arrays may have open sizes."""
    cdef Kind common = None, kind
    for array in arrays:
        if not isinstance(array, cnp.ndarray):
            kind = kind_of(array)
            if common is not None and kind is not common and per_item is not None and {common, kind} == {per_item, of_sizes}:
                kind = per_item         # which handles arrays with open sizes as the data of a batch
            elif common is not None and kind is not common:
                raise KindsMixed(
                    f"an op takes arrays of one kind beside NumPy's; here are {type(common).__name__} and "
                    f"{type(kind).__name__}")
            common = kind
    return common


cdef int check_array(object array) except -1:
    """Raise TypeError unless a tensor can hold ``array``."""
    if not isinstance(array, cnp.ndarray):
        kind_of(array)
    return 0
