cimport numpy as cnp

# `x` summed down to `shape`, which broadcasts to that of `x`: what undoes a broadcast. Gives `x` itself where there
# is nothing to sum, and None where the dtype is not float32 or float64.
cdef object reduce_sum_to(cnp.ndarray x, tuple shape)
