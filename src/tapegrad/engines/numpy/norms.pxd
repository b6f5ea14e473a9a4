cimport numpy as cnp

# Mean and variance of a float32 or float64 array over `axes`, counted from the front, as a pair; None where the axes do
# not merge into four, or there are no elements.
cdef object moments_over(cnp.ndarray x, tuple axes, bint keepdims)
