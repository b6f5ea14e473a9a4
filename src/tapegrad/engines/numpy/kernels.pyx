"""Elementwise functions that NumPy and SciPy lack or compute slowly, as ufuncs, used like any other ufunc.

A `power` whose exponent is a single number such as 2 is a product.
"""

cimport numpy as cnp
from cpython.mem cimport PyMem_Malloc
from libc.string cimport memset

import numpy as np

from tapegrad.engines.numpy.levels import levels

cnp.import_array()
cnp.import_umath()

cdef extern from "numpy/ufuncobject.h":
    int PyUFunc_None
    object PyUFunc_FromFuncAndData(
        LoopFunction* functions, void** data, char* types, int ntypes, int nin, int nout,
        int identity, const char* name, const char* doc, int unused)
    ctypedef struct PyUFuncObject:
        int ntypes
        LoopFunction* functions
        void** data
        char* types

cdef extern from "elementwise.h":
    ctypedef struct Unary "tapegrad_unary":
        pass

    ctypedef struct Binary "tapegrad_binary":
        pass

    ctypedef struct Functions "tapegrad_functions":
        Unary sigmoid, softplus, relu, relu6, erf, erfc, rsqrt, silu, gelu, softsign, sign, reciprocal
        Binary relu_grad, relu6_grad, tanh_grad, sigmoid_grad, xdivy, multiply_no_nan, divide_no_nan, silu_grad, gelu_grad
        Binary leaky_relu, maximum, minimum, fmod, floormod, hypot

    ctypedef struct Elementary "tapegrad_elementary":
        Unary exp, expm1, log, log1p, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, erfinv
        Binary atan2, pow

    ctypedef struct Gammas "tapegrad_gammas":
        Unary lgamma, digamma, trigamma, trigamma_of_doubles

    const Elementary* elementary_at "tapegrad_elementary_at" (bint is_double, int level)

    const Gammas* gammas_at "tapegrad_gammas_at" (int level)

    ctypedef struct Choice "tapegrad_choice":
        LoopFunction loop
        void* data
        const Binary* beside_number

    ctypedef struct Power "tapegrad_power":
        const Functions* functions
        const Binary* all

    const Functions* functions_at "tapegrad_functions_at" (bint is_double, int level)

    # Loops that take one of the structures above as their data.
    LoopFunction unary_float "tapegrad_unary_float", unary_double "tapegrad_unary_double"
    LoopFunction binary_float "tapegrad_binary_float", binary_double "tapegrad_binary_double"
    LoopFunction power_float "tapegrad_power_float", power_double "tapegrad_power_double"
    LoopFunction choice_float "tapegrad_choice_float", choice_double "tapegrad_choice_double"

    # Loops that need no data.
    LoopFunction relu_int8, relu_int16, relu_int32, relu_int64
    LoopFunction relu_uint8, relu_uint16, relu_uint32, relu_uint64
    LoopFunction relu6_int8, relu6_int16, relu6_int32, relu6_int64
    LoopFunction relu6_uint8, relu6_uint16, relu6_uint32, relu6_uint64
    LoopFunction relu6_grad_int8, relu6_grad_int16, relu6_grad_int32, relu6_grad_int64
    LoopFunction relu6_grad_uint8, relu6_grad_uint16, relu6_grad_uint32, relu6_grad_uint64
    LoopFunction sigmoid_complex_float, sigmoid_complex_double
    LoopFunction rsqrt_complex_float, rsqrt_complex_double
    LoopFunction tanh_grad_complex_float, tanh_grad_complex_double
    LoopFunction sigmoid_grad_complex_float, sigmoid_grad_complex_double
    LoopFunction xdivy_complex_float, xdivy_complex_double
    LoopFunction multiply_no_nan_complex_float, multiply_no_nan_complex_double
    LoopFunction divide_no_nan_complex_float, divide_no_nan_complex_double

# The types of the loops of a function, in order; a function with fewer loops has the first of them.
FLOATING[:] = [cnp.NPY_FLOAT, cnp.NPY_DOUBLE, cnp.NPY_CFLOAT, cnp.NPY_CDOUBLE]
cdef int[10] REAL = [
    cnp.NPY_FLOAT, cnp.NPY_DOUBLE, cnp.NPY_INT8, cnp.NPY_INT16, cnp.NPY_INT32, cnp.NPY_INT64,
    cnp.NPY_UINT8, cnp.NPY_UINT16, cnp.NPY_UINT32, cnp.NPY_UINT64]


known_of_loops = {}
"""What is known of a ufunc's loops.

- "cheap": an element takes about as long as an addition;
- "sure": a loop of integers never fails;
- "even": an element has the same bits wherever in a row it lies. Of ours those are that are straight lines of arithmetic,
  see `elementwise_functions.h`.
"""

cdef list names = []            # of ufuncs, which NumPy does not copy


cdef void* room(size_t size) except NULL:
    """Memory that is never freed: NumPy keeps pointers to the tables of a ufunc."""
    cdef void* memory = PyMem_Malloc(size)
    if memory == NULL:
        raise MemoryError()
    memset(memory, 0, size)
    return memory


cdef object ufunc(
        int nin, const char* name, const char* doc, int* types, int count, LoopFunction* loops,
        const void* single, const void* double_, str words=""):
    """A ufunc with ``count`` loops; those of float and double come first, with ``single`` and ``double_`` as their data."""
    cdef LoopFunction* functions = <LoopFunction*>room(count * sizeof(LoopFunction))
    cdef void** data = <void**>room(count * sizeof(void*))
    cdef char* all_types = <char*>room(count * (nin + 1))
    cdef int i, j
    for i in range(count):
        functions[i] = loops[i]
        data[i] = NULL
        for j in range(nin + 1):
            all_types[i * (nin + 1) + j] = types[i]
    data[0] = <void*>single
    if double_ != NULL:
        data[1] = <void*>double_
    new_ufunc = PyUFunc_FromFuncAndData(functions, data, all_types, count, nin, 1, PyUFunc_None, name, doc, 0)
    known_of_loops[new_ufunc] = frozenset(words.split())
    return new_ufunc


cdef object replaced(
        object numpys, const char* doc, LoopFunction single, void* single_data, LoopFunction double_, void* double_data):
    """NumPy's ufunc of two operands with all its loops but those of float and double, which are given.

    ``single_data`` and ``double_data`` begin with the loop of NumPy's that they stand in for, and with its data.
    """
    cdef PyUFuncObject* raw = <PyUFuncObject*>numpys
    cdef int i, count = raw.ntypes
    cdef LoopFunction* functions = <LoopFunction*>room(count * sizeof(LoopFunction))
    cdef void** data = <void**>room(count * sizeof(void*))
    cdef char* types = <char*>room(count * 3)
    cdef Choice* own
    name = numpys.__name__.encode()
    names.append(name)
    for i in range(count * 3):
        types[i] = raw.types[i]
    for i in range(count):
        functions[i] = raw.functions[i]
        data[i] = raw.data[i] if raw.data != NULL else NULL
        if types[3 * i] == types[3 * i + 1] and types[3 * i] in (cnp.NPY_FLOAT, cnp.NPY_DOUBLE):
            own = <Choice*>(single_data if types[3 * i] == cnp.NPY_FLOAT else double_data)
            if own.loop != NULL:
                continue        # NumPy has two loops for some types, and uses the first
            own.loop = functions[i]
            own.data = data[i]
            functions[i] = single if types[3 * i] == cnp.NPY_FLOAT else double_
            data[i] = own
    return PyUFunc_FromFuncAndData(functions, data, types, count, 2, 1, PyUFunc_None, name, doc, 0)


cdef object with_our_loops(object numpys, const char* doc, LoopFunction single, const void* single_data,
                           LoopFunction double_, const void* double_data):
    """NumPy's ufunc with all its loops, but ours for float and for double unless they are NULL."""
    cdef PyUFuncObject* raw = <PyUFuncObject*>numpys
    cdef int i, count = raw.ntypes, nin = numpys.nin
    cdef LoopFunction* functions = <LoopFunction*>room(count * sizeof(LoopFunction))
    cdef void** data = <void**>room(count * sizeof(void*))
    cdef char* types = <char*>room(count * (nin + 1))
    name = numpys.__name__.encode()
    names.append(name)
    for i in range(count * (nin + 1)):
        types[i] = raw.types[i]
    for i in range(count):
        functions[i] = raw.functions[i]
        data[i] = raw.data[i] if raw.data != NULL else NULL
        if types[i * (nin + 1)] == cnp.NPY_FLOAT and single != NULL:
            functions[i] = single
            data[i] = <void*>single_data
        elif types[i * (nin + 1)] == cnp.NPY_DOUBLE and double_ != NULL:
            functions[i] = double_
            data[i] = <void*>double_data
    return PyUFunc_FromFuncAndData(functions, data, types, count, nin, 1, PyUFunc_None, name, doc, 0)


cdef Power* power_data(const Functions* functions, const Elementary* elementary):
    cdef Power* data = <Power*>room(sizeof(Power))
    data.functions = functions
    data.all = &elementary.pow
    return data


cdef object choice_ufunc(object numpys, const char* doc, const Binary* f, const Binary* d):
    cdef Choice* single = <Choice*>room(sizeof(Choice))
    cdef Choice* double_ = <Choice*>room(sizeof(Choice))
    single.beside_number = f
    double_.beside_number = d
    return replaced(numpys, doc, choice_float, single, choice_double, double_)


def functions(int level):
    """All functions by name, as compiled for one of the levels that this processor has: see `levels`."""
    cdef int best = levels()[1]
    cdef const Functions* f
    cdef const Functions* d
    cdef const Elementary* e
    cdef const Elementary* l
    cdef const Gammas* g
    if not 0 <= level <= best:
        raise ValueError(f"this processor has the levels 0 to {best}, not {level}")
    f = functions_at(False, level)
    d = functions_at(True, level)
    e = elementary_at(False, level)
    l = elementary_at(True, level)
    g = gammas_at(level)
    return {
        "sigmoid": ufunc(
            1, "sigmoid", "1 / (1 + exp(-x)), exact in both tails.", FLOATING, 4,
            [unary_float, unary_double, sigmoid_complex_float, sigmoid_complex_double],
            &f.sigmoid, &d.sigmoid, "even"),
        "softplus": ufunc(
            1, "softplus", "log(1 + exp(x)), exact in both tails.", FLOATING, 2,
            [unary_float, unary_double], &f.softplus, &d.softplus, "even"),
        "relu": ufunc(
            1, "relu", "max(x, 0).", REAL, 10,
            [unary_float, unary_double, relu_int8, relu_int16, relu_int32, relu_int64,
             relu_uint8, relu_uint16, relu_uint32, relu_uint64], &f.relu, &d.relu, "cheap even"),
        "relu6": ufunc(
            1, "relu6", "min(max(x, 0), 6).", REAL, 10,
            [unary_float, unary_double, relu6_int8, relu6_int16, relu6_int32, relu6_int64,
             relu6_uint8, relu6_uint16, relu6_uint32, relu6_uint64], &f.relu6, &d.relu6, "cheap even"),
        # SciPy has these two as well, but takes a third of a second to import.
        "erf": ufunc(
            1, "erf", "The error function.", FLOATING, 2, [unary_float, unary_double], &f.erf, &d.erf, "even"),
        "erfc": ufunc(
            1, "erfc", "1 - erf(x).", FLOATING, 2, [unary_float, unary_double], &f.erfc, &d.erfc, "even"),
        "rsqrt": ufunc(
            1, "rsqrt", "1 / sqrt(x).", FLOATING, 4,
            [unary_float, unary_double, rsqrt_complex_float, rsqrt_complex_double], &f.rsqrt, &d.rsqrt, "cheap even"),
        "relu_grad": ufunc(
            2, "relu_grad", "x where y > 0, else 0.", FLOATING, 2,
            [binary_float, binary_double], &f.relu_grad, &d.relu_grad, "cheap even"),
        "relu6_grad": ufunc(
            2, "relu6_grad", "x where y is between 0 and 6, else 0.", REAL, 10,
            [binary_float, binary_double, relu6_grad_int8, relu6_grad_int16, relu6_grad_int32, relu6_grad_int64,
             relu6_grad_uint8, relu6_grad_uint16, relu6_grad_uint32, relu6_grad_uint64],
            &f.relu6_grad, &d.relu6_grad, "cheap"),
        "tanh_grad": ufunc(
            2, "tanh_grad", "y * (1 - x * x).", FLOATING, 4,
            [binary_float, binary_double, tanh_grad_complex_float, tanh_grad_complex_double],
            &f.tanh_grad, &d.tanh_grad, "cheap even"),
        "sigmoid_grad": ufunc(
            2, "sigmoid_grad", "y * x * (1 - x).", FLOATING, 4,
            [binary_float, binary_double, sigmoid_grad_complex_float, sigmoid_grad_complex_double],
            &f.sigmoid_grad, &d.sigmoid_grad, "cheap even"),
        "xdivy": ufunc(
            2, "xdivy", "x / y, and 0 where x is 0.", FLOATING, 4,
            [binary_float, binary_double, xdivy_complex_float, xdivy_complex_double], &f.xdivy, &d.xdivy, "cheap even"),
        "multiply_no_nan": ufunc(
            2, "multiply_no_nan", "x * y, and 0 where y is 0.", FLOATING, 4,
            [binary_float, binary_double, multiply_no_nan_complex_float, multiply_no_nan_complex_double],
            &f.multiply_no_nan, &d.multiply_no_nan, "cheap even"),
        "divide_no_nan": ufunc(
            2, "divide_no_nan", "x / y, and 0 where y is 0.", FLOATING, 4,
            [binary_float, binary_double, divide_no_nan_complex_float, divide_no_nan_complex_double],
            &f.divide_no_nan, &d.divide_no_nan, "cheap even"),
        "silu": ufunc(
            1, "silu", "x * sigmoid(x).", FLOATING, 2, [unary_float, unary_double], &f.silu, &d.silu, "even"),
        "gelu": ufunc(
            1, "gelu", "x times the normal distribution at x.", FLOATING, 2,
            [unary_float, unary_double], &f.gelu, &d.gelu, "even"),
        "softsign": ufunc(
            1, "softsign", "x / (1 + abs(x)).", FLOATING, 2, [unary_float, unary_double],
            &f.softsign, &d.softsign, "cheap even"),
        "silu_grad": ufunc(
            2, "silu_grad", "y times the slope of silu at x.", FLOATING, 2,
            [binary_float, binary_double], &f.silu_grad, &d.silu_grad, "even"),
        "gelu_grad": ufunc(
            2, "gelu_grad", "y times the slope of gelu at x.", FLOATING, 2,
            [binary_float, binary_double], &f.gelu_grad, &d.gelu_grad, "even"),
        "leaky_relu": ufunc(
            2, "leaky_relu", "x where it is above 0, else x * y.", FLOATING, 2,
            [binary_float, binary_double], &f.leaky_relu, &d.leaky_relu, "cheap even"),
        "floormod_of_floats": ufunc(
            2, "floormod_of_floats", "The rest of a division, with the sign of the divisor.", FLOATING, 1, [binary_float],
            &f.floormod, NULL),
        "lgamma_of_floats": ufunc(
            1, "lgamma_of_floats", "log(abs(gamma(x))).", FLOATING, 1, [unary_float], &g.lgamma, NULL),
        "digamma_of_floats": ufunc(
            1, "digamma_of_floats", "The derivative of lgamma.", FLOATING, 1, [unary_float], &g.digamma, NULL),
        "trigamma": ufunc(
            1, "trigamma", "The derivative of digamma.", FLOATING, 2, [unary_float, unary_double],
            &g.trigamma, &g.trigamma_of_doubles),
        "erfinv": ufunc(
            1, "erfinv", "The inverse of erf.", FLOATING, 2, [unary_float, unary_double], &e.erfinv, &l.erfinv, "even"),
        "power": with_our_loops(
            np.power, "As np.power, with vectors, and fast for one floating-point exponent.",
            power_float, power_data(f, e), power_double, power_data(d, l)),
        **numpys_functions(f, d),
        **elementary_functions(e, l),
    }


cdef dict numpys_functions(const Functions* f, const Functions* d):
    """Functions of NumPy's with loops of ours for some dtypes."""
    return {
        "maximum": choice_ufunc(
            np.maximum, "As np.maximum, but fast for an array and one number.", &f.maximum, &d.maximum),
        "minimum": choice_ufunc(
            np.minimum, "As np.minimum, but fast for an array and one number.", &f.minimum, &d.minimum),
        "sign": with_our_loops(
            np.sign, "As np.sign, with vectors.", unary_float, &f.sign, unary_double, &d.sign),
        "reciprocal": with_our_loops(
            np.reciprocal, "As np.reciprocal, with vectors.",
            unary_float, &f.reciprocal, unary_double, &d.reciprocal),
        "fmod": with_our_loops(np.fmod, "As np.fmod, with vectors for floats.", binary_float, &f.fmod, NULL, NULL),
        "hypot": with_our_loops(np.hypot, "As np.hypot, with vectors for floats.", binary_float, &f.hypot, NULL, NULL),
    }


cdef object elementary_ufunc(object numpys, const Unary* f, const Unary* d):
    return with_our_loops(numpys, "As NumPy's, with vectors of every width.", unary_float, f, unary_double, d)


cdef dict elementary_functions(const Elementary* f, const Elementary* d):
    return {
        "exp": elementary_ufunc(np.exp, &f.exp, &d.exp),
        "expm1": elementary_ufunc(np.expm1, &f.expm1, &d.expm1),
        "log": elementary_ufunc(np.log, &f.log, &d.log),
        "log1p": elementary_ufunc(np.log1p, &f.log1p, &d.log1p),
        "sin": elementary_ufunc(np.sin, &f.sin, &d.sin),
        "cos": elementary_ufunc(np.cos, &f.cos, &d.cos),
        "tan": elementary_ufunc(np.tan, &f.tan, &d.tan),
        "arcsin": elementary_ufunc(np.arcsin, &f.asin, &d.asin),
        "arccos": elementary_ufunc(np.arccos, &f.acos, &d.acos),
        "arctan": elementary_ufunc(np.arctan, &f.atan, &d.atan),
        "sinh": elementary_ufunc(np.sinh, &f.sinh, &d.sinh),
        "cosh": elementary_ufunc(np.cosh, &f.cosh, &d.cosh),
        "tanh": elementary_ufunc(np.tanh, &f.tanh, &d.tanh),
        "arcsinh": with_our_loops(np.arcsinh, "As NumPy's, with vectors for floats.", unary_float, &f.asinh, NULL, NULL),
        "arccosh": with_our_loops(np.arccosh, "As NumPy's, with vectors for floats.", unary_float, &f.acosh, NULL, NULL),
        "arctanh": elementary_ufunc(np.arctanh, &f.atanh, &d.atanh),
        "arctan2": with_our_loops(
            np.arctan2, "As NumPy's, with vectors of every width.", binary_float, &f.atan2, binary_double, &d.atan2),
    }


chosen = functions(levels()[1])
# Ours run wherever NumPy's loops are called directly (`loops`). The namespace keeps NumPy's own, which know more dtypes.
replacements = {function: chosen.pop(function.__name__)
                for function in (
                    np.maximum, np.minimum, np.sign, np.reciprocal, np.fmod, np.hypot, np.exp, np.expm1, np.log, np.log1p,
                    np.sin, np.cos, np.tan, np.arcsin, np.arccos, np.arctan, np.arctan2, np.sinh, np.cosh, np.tanh,
                    np.arcsinh, np.arccosh, np.arctanh)}
globals().update(chosen)
