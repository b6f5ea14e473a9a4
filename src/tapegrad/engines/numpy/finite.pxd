cimport numpy as cnp

# Whether no element is NaN or infinite. Of a dtype without these, True.
cdef bint all_finite(cnp.ndarray x) except -1
