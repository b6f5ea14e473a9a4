cimport numpy as cnp
from cpython.ref cimport PyObject

cdef object zeros_array(PyObject* descr, int ndim, cnp.npy_intp* dims)
cdef bint is_plain(cnp.ndarray array) noexcept
cdef void copy_block(char* target, cnp.npy_intp* target_strides, char* source, cnp.npy_intp* source_strides,
                     int ndim, cnp.npy_intp* dims, cnp.npy_intp item) noexcept nogil
cpdef object copied(object array)

# `array`, or a copy that is C-contiguous, aligned and in the machine's byte order: what kernels read by pointers. The
# second makes it of NumPy's type `type_num` besides.
cdef cnp.ndarray plain(object array)
cdef cnp.ndarray contiguous_of_type(object array, int type_num)

cpdef object contiguous(object array)
cdef PyObject* descr_of(cnp.ndarray array) noexcept
cdef bint same_kind(cnp.ndarray x, cnp.ndarray y) noexcept
