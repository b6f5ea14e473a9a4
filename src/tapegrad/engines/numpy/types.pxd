"""NumPy's type numbers, beside those that `numpy` itself declares: NPY_BOOL, NPY_FLOAT and so on."""

cdef extern from "numpy/arrayobject.h":
    int NPY_HALF
    int NPY_USERDEF             # the numbers of types that others register with NumPy, as bfloat16, begin here

cdef enum:
    BUILTIN_TYPES = 24          # NumPy's own type numbers lie below this
