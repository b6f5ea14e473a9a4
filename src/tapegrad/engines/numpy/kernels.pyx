"""Elementwise functions that NumPy and SciPy lack, as ufuncs, so that they are used like any other."""

cimport numpy as cnp

cnp.import_array()

ctypedef void (*LoopFunction)(char**, const cnp.npy_intp*, const cnp.npy_intp*, void*) noexcept

cdef extern from "numpy/ufuncobject.h":
    int PyUFunc_None
    object PyUFunc_FromFuncAndData(
        LoopFunction* functions, void** data, char* types, int ntypes, int nin, int nout,
        int identity, const char* name, const char* doc, int unused)

cdef extern from "elementwise.h":
    LoopFunction sigmoid_float, sigmoid_double
    LoopFunction softplus_float, softplus_double
    LoopFunction relu_float, relu_double
    LoopFunction rsqrt_float, rsqrt_double, rsqrt_complex_float, rsqrt_complex_double
    LoopFunction relu_grad_float, relu_grad_double
    LoopFunction tanh_grad_float, tanh_grad_double
    LoopFunction sigmoid_grad_float, sigmoid_grad_double
    LoopFunction xdivy_float, xdivy_double, xdivy_complex_float, xdivy_complex_double
    LoopFunction multiply_no_nan_float, multiply_no_nan_double
    LoopFunction multiply_no_nan_complex_float, multiply_no_nan_complex_double
    LoopFunction divide_no_nan_float, divide_no_nan_double
    LoopFunction divide_no_nan_complex_float, divide_no_nan_complex_double

cnp.import_umath()

cdef enum:
    MAX_UFUNCS = 16

# NumPy keeps pointers to these, so they live as long as the module.
cdef LoopFunction functions[MAX_UFUNCS][4]
cdef void* no_data[4]
cdef char unary_types[8]
cdef char binary_types[12]
cdef int count = 0

cdef int[4] TYPES = [cnp.NPY_FLOAT, cnp.NPY_DOUBLE, cnp.NPY_CFLOAT, cnp.NPY_CDOUBLE]
for i in range(4):
    no_data[i] = NULL
    for j in range(2):
        unary_types[2 * i + j] = TYPES[i]
    for j in range(3):
        binary_types[3 * i + j] = TYPES[i]


cdef object ufunc(int nin, const char* name, const char* doc, LoopFunction f, LoopFunction d,
                  LoopFunction cf=NULL, LoopFunction cd=NULL):
    global count
    if count == MAX_UFUNCS:
        raise SystemError("more ufuncs than MAX_UFUNCS makes room for")
    functions[count][:] = [f, d, cf, cd]
    count += 1
    return PyUFunc_FromFuncAndData(
        functions[count - 1], no_data, &unary_types[0] if nin == 1 else &binary_types[0],
        2 if cf == NULL else 4, nin, 1, PyUFunc_None, name, doc, 0)


sigmoid = ufunc(1, "sigmoid", "1 / (1 + exp(-x)), exact in both tails.", sigmoid_float, sigmoid_double)
softplus = ufunc(1, "softplus", "log(1 + exp(x)), exact in both tails.", softplus_float, softplus_double)
relu = ufunc(1, "relu", "max(x, 0).", relu_float, relu_double)
rsqrt = ufunc(1, "rsqrt", "1 / sqrt(x).", rsqrt_float, rsqrt_double,
              rsqrt_complex_float, rsqrt_complex_double)
relu_grad = ufunc(2, "relu_grad", "x where y > 0, else 0.", relu_grad_float, relu_grad_double)
tanh_grad = ufunc(2, "tanh_grad", "y * (1 - x * x).", tanh_grad_float, tanh_grad_double)
sigmoid_grad = ufunc(2, "sigmoid_grad", "y * x * (1 - x).", sigmoid_grad_float, sigmoid_grad_double)
xdivy = ufunc(2, "xdivy", "x / y, and 0 where x is 0.", xdivy_float, xdivy_double,
              xdivy_complex_float, xdivy_complex_double)
multiply_no_nan = ufunc(2, "multiply_no_nan", "x * y, and 0 where y is 0.",
                        multiply_no_nan_float, multiply_no_nan_double,
                        multiply_no_nan_complex_float, multiply_no_nan_complex_double)
divide_no_nan = ufunc(2, "divide_no_nan", "x / y, and 0 where y is 0.",
                      divide_no_nan_float, divide_no_nan_double,
                      divide_no_nan_complex_float, divide_no_nan_complex_double)
