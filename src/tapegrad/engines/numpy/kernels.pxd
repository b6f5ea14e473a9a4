cimport numpy as cnp

ctypedef void (*LoopFunction)(char**, const cnp.npy_intp*, const cnp.npy_intp*, void*) noexcept

cdef int[4] FLOATING            # the types of a ufunc's loops, in order

cdef object ufunc(
    int nin, const char* name, const char* doc, int* types, int count, LoopFunction* loops,
    const void* single, const void* double_, str words=*)
