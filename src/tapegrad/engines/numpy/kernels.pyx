"""Elementwise functions that NumPy and SciPy lack, as ufuncs, so that they are used like any other."""

cimport numpy as cnp

cnp.import_array()
cnp.import_umath()

ctypedef void (*LoopFunction)(char**, const cnp.npy_intp*, const cnp.npy_intp*, void*) noexcept

cdef extern from "numpy/ufuncobject.h":
    int PyUFunc_None
    object PyUFunc_FromFuncAndData(
        LoopFunction* functions, void** data, char* types, int ntypes, int nin, int nout,
        int identity, const char* name, const char* doc, int unused)

cdef extern from "elementwise.h":
    LoopFunction sigmoid_float, sigmoid_double, sigmoid_complex_float, sigmoid_complex_double
    LoopFunction softplus_float, softplus_double
    LoopFunction erf_float, erf_double, erfc_float, erfc_double
    LoopFunction relu_float, relu_double, relu_int8, relu_int16, relu_int32, relu_int64
    LoopFunction relu_uint8, relu_uint16, relu_uint32, relu_uint64
    LoopFunction rsqrt_float, rsqrt_double, rsqrt_complex_float, rsqrt_complex_double
    LoopFunction relu_grad_float, relu_grad_double
    LoopFunction tanh_grad_float, tanh_grad_double, tanh_grad_complex_float, tanh_grad_complex_double
    LoopFunction sigmoid_grad_float, sigmoid_grad_double
    LoopFunction sigmoid_grad_complex_float, sigmoid_grad_complex_double
    LoopFunction xdivy_float, xdivy_double, xdivy_complex_float, xdivy_complex_double
    LoopFunction multiply_no_nan_float, multiply_no_nan_double
    LoopFunction multiply_no_nan_complex_float, multiply_no_nan_complex_double
    LoopFunction divide_no_nan_float, divide_no_nan_double
    LoopFunction divide_no_nan_complex_float, divide_no_nan_complex_double

cdef enum:
    MAX_UFUNCS = 16
    MAX_LOOPS = 10

cdef struct Table:
    LoopFunction loops[MAX_LOOPS]
    char types[MAX_LOOPS * 3]

# NumPy keeps pointers to these, so they live as long as the module.
cdef Table tables[MAX_UFUNCS]
cdef void* no_data[MAX_LOOPS]
cdef int count = 0

for i in range(MAX_LOOPS):
    no_data[i] = NULL

# The order in which loops are given: as many of these types as a function has loops.
cdef int[4] FLOATING = [cnp.NPY_FLOAT, cnp.NPY_DOUBLE, cnp.NPY_CFLOAT, cnp.NPY_CDOUBLE]
cdef int[10] REAL = [
    cnp.NPY_FLOAT, cnp.NPY_DOUBLE, cnp.NPY_INT8, cnp.NPY_INT16, cnp.NPY_INT32, cnp.NPY_INT64,
    cnp.NPY_UINT8, cnp.NPY_UINT16, cnp.NPY_UINT32, cnp.NPY_UINT64]


cdef object ufunc(int nin, const char* name, const char* doc, int* types, int loops, LoopFunction* functions):
    global count
    cdef Table* table = &tables[count]
    cdef int i, j
    if count == MAX_UFUNCS:
        raise SystemError("more ufuncs than MAX_UFUNCS makes room for")
    count += 1
    for i in range(loops):
        table.loops[i] = functions[i]
        for j in range(nin + 1):
            table.types[i * (nin + 1) + j] = types[i]
    return PyUFunc_FromFuncAndData(
        table.loops, no_data, table.types, loops, nin, 1, PyUFunc_None, name, doc, 0)


sigmoid = ufunc(
    1, "sigmoid", "1 / (1 + exp(-x)), exact in both tails.", FLOATING, 4,
    [sigmoid_float, sigmoid_double, sigmoid_complex_float, sigmoid_complex_double])
softplus = ufunc(
    1, "softplus", "log(1 + exp(x)), exact in both tails.", FLOATING, 2, [softplus_float, softplus_double])
relu = ufunc(
    1, "relu", "max(x, 0).", REAL, 10,
    [relu_float, relu_double, relu_int8, relu_int16, relu_int32, relu_int64,
     relu_uint8, relu_uint16, relu_uint32, relu_uint64])
erf = ufunc(1, "erf", "The error function.", FLOATING, 2, [erf_float, erf_double])
erfc = ufunc(1, "erfc", "1 - erf(x).", FLOATING, 2, [erfc_float, erfc_double])
rsqrt = ufunc(
    1, "rsqrt", "1 / sqrt(x).", FLOATING, 4,
    [rsqrt_float, rsqrt_double, rsqrt_complex_float, rsqrt_complex_double])
relu_grad = ufunc(2, "relu_grad", "x where y > 0, else 0.", FLOATING, 2, [relu_grad_float, relu_grad_double])
tanh_grad = ufunc(
    2, "tanh_grad", "y * (1 - x * x).", FLOATING, 4,
    [tanh_grad_float, tanh_grad_double, tanh_grad_complex_float, tanh_grad_complex_double])
sigmoid_grad = ufunc(
    2, "sigmoid_grad", "y * x * (1 - x).", FLOATING, 4,
    [sigmoid_grad_float, sigmoid_grad_double, sigmoid_grad_complex_float, sigmoid_grad_complex_double])
xdivy = ufunc(
    2, "xdivy", "x / y, and 0 where x is 0.", FLOATING, 4,
    [xdivy_float, xdivy_double, xdivy_complex_float, xdivy_complex_double])
multiply_no_nan = ufunc(
    2, "multiply_no_nan", "x * y, and 0 where y is 0.", FLOATING, 4,
    [multiply_no_nan_float, multiply_no_nan_double,
     multiply_no_nan_complex_float, multiply_no_nan_complex_double])
divide_no_nan = ufunc(
    2, "divide_no_nan", "x / y, and 0 where y is 0.", FLOATING, 4,
    [divide_no_nan_float, divide_no_nan_double,
     divide_no_nan_complex_float, divide_no_nan_complex_double])
