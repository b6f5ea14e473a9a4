cimport numpy as cnp

ctypedef void (*Conversion)(char* target, const char* source, cnp.npy_intp n) noexcept nogil

# The conversion of bools to float32, where `size` is 4, or to float64.
cdef Conversion from_bool(int size) noexcept nogil

# `n` results of `item` bytes, of `x` where the condition is true and else of `y`. There is one number for all results
# where `one_x` or `one_y` says so.
cdef void select(char* target, const char* condition, const char* x, bint one_x, const char* y, bint one_y,
                 cnp.npy_intp n, cnp.npy_intp item) noexcept nogil

cdef bint is_bfloat16(cnp.ndarray array) noexcept

# float16 or bfloat16 in float32, and float32 rounded to `half`, one of those two dtypes.
cdef object widened(cnp.ndarray array)
cdef object rounded(cnp.ndarray array, object half)
