cimport numpy as cnp
from cpython.ref cimport PyObject

from tapegrad.engines.numpy.conversions cimport Conversion
from tapegrad.engines.numpy.types cimport BUILTIN_TYPES

ctypedef void (*LoopFunction)(
    char** args, const cnp.npy_intp* dimensions, const cnp.npy_intp* steps, void* data) noexcept nogil

cdef struct Loop:
    LoopFunction function       # NULL where the ufunc has no loop for the type
    void* data
    int out_type                # NumPy's type number of the result
    PyObject* out_descr         # the dtype of the result, borrowed: NumPy never frees its own
    Py_ssize_t grain            # elements for which a thread is worth it; 0 for a loop that stays on one thread

cdef struct HalfConversions:
    Conversion widen, round
    Conversion spread, gather   # the same in an order of their own, which is quicker

# Between bfloat16 and float32.
cdef HalfConversions half_conversions() noexcept

cdef enum:
    # Elements for which a thread is worth it: of arithmetic, and of functions that take five times as long.
    CHEAP_GRAIN = 32_768
    DEAR_GRAIN = 8_192
    TURNED = 4_096              # elements from which a transposed operand is copied first

cdef class Loops:
    """The inner loops of one ufunc, by the (single) type of its inputs."""

    cdef readonly object ufunc
    cdef readonly int nin
    cdef readonly bint even     # an element has the same bits wherever in a row it lies
    cdef Loop table[BUILTIN_TYPES]
    cdef Loop half              # through float32, for bfloat16; no function before the first call
    cdef void* through          # the data of that loop
    cdef object half_descr

    cdef Loop* find(self, int type_num) noexcept
    # The loop for bfloat16, whose type number is not NumPy's own; NULL for other dtypes.
    cdef Loop* find_half(self, cnp.dtype dtype) noexcept
    # The loop for arrays of a dtype, bfloat16 among them.
    cdef Loop* find_type(self, cnp.dtype dtype) noexcept

cdef object run_unary(Loop* loop, cnp.ndarray x)
cdef object run_binary(Loop* loop, cnp.ndarray x, cnp.ndarray y)
cdef bint run_in_place(Loop* loop, cnp.ndarray target, cnp.ndarray value) except -1
