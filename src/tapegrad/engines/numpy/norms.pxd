cimport numpy as cnp

# `1 / sqrt(variance + epsilon)`, times the scale unless that is None, for plain arrays of float32 or of float64.
cdef cnp.ndarray inverse_deviations(cnp.ndarray variance, cnp.ndarray scale, double epsilon)
