cdef object unary_unprofiled(int slot, object x)
cdef object binary_unprofiled(int slot, object x, object y)
