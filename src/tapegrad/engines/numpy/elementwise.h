/* Inner loops, in NumPy's form, for elementwise functions that NumPy and SciPy lack or take several
 * passes for. The engine computes half types in single precision.
 *
 * The loops of `float` and `double` in `elementwise_loops.h` are compiled for several levels (`vectors.h`) and run
 * over contiguous elements. The loops that NumPy calls pass contiguous operands to them, and others through small
 * blocks. On one machine the same numbers always give the same bits, wherever an array is cut; another machine may
 * round a product and a sum together. */

#ifndef TAPEGRAD_ELEMENTWISE_H
#define TAPEGRAD_ELEMENTWISE_H

#include <numpy/npy_common.h>

typedef struct {
    void (*loop)(const void *x, void *out, npy_intp n);
} tapegrad_unary;

/* In `one_x` and `one_y` that operand is a single number for all elements. */
typedef struct {
    void (*each)(const void *x, const void *y, void *out, npy_intp n);
    void (*one_x)(const void *x, const void *y, void *out, npy_intp n);
    void (*one_y)(const void *x, const void *y, void *out, npy_intp n);
} tapegrad_binary;

typedef struct {
    double exponent;
    tapegrad_unary function;
} tapegrad_known_power;

typedef struct {
    tapegrad_unary sigmoid, softplus, relu, relu6, erf, erfc, rsqrt, silu, gelu, softsign, sign, reciprocal;
    tapegrad_binary relu_grad, relu6_grad, tanh_grad, sigmoid_grad, xdivy, multiply_no_nan, divide_no_nan, silu_grad, gelu_grad,
        leaky_relu, maximum, minimum, fmod, floormod, hypot;
    tapegrad_known_power powers[9];
    int power_count;
} tapegrad_functions;

/* Functions that NumPy has too, but for `erfinv`; the loops of NumPy 2 have vectors for most of them with AVX-512 alone.
   `asinh` and `acosh` are of floats. */
typedef struct {
    tapegrad_unary exp, expm1, log, log1p, sin, cos, tan, asin, acos, atan, sinh, cosh, tanh, asinh, acosh, atanh, erfinv;
    tapegrad_binary atan2, pow;
} tapegrad_elementary;

/* Of floats, and the last one of doubles. */
typedef struct {
    tapegrad_unary lgamma, digamma, trigamma, trigamma_of_doubles;
} tapegrad_gammas;

/* The data of a loop of powers: `all` has the exponents that are not among the known powers. */
typedef struct {
    const tapegrad_functions *functions;
    const tapegrad_binary *all;
} tapegrad_power;

/* The data of a loop of larger or smaller numbers; `loop` is NumPy's, for two arrays. */
typedef struct {
    void (*loop)(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data);
    void *data;
    const tapegrad_binary *beside_number;
} tapegrad_choice;

/* The functions, for each width of vectors. */
const tapegrad_functions *tapegrad_functions_at(int is_double, int level);
const tapegrad_elementary *tapegrad_elementary_at(int is_double, int level);
const tapegrad_gammas *tapegrad_gammas_at(int level);

/* What NumPy calls. Those of `float` and `double` take one of the structures above as their data. */
#define LOOP(name) void name(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data);
#define OF_REALS(T)                                                                                         \
    LOOP(tapegrad_unary_##T) LOOP(tapegrad_binary_##T) LOOP(tapegrad_choice_##T) LOOP(tapegrad_power_##T)
#define OF_INTEGERS(T) LOOP(relu_##T) LOOP(relu6_##T) LOOP(relu6_grad_##T)
#define OF_COMPLEX(T)                                                                                       \
    LOOP(sigmoid_##T) LOOP(rsqrt_##T) LOOP(tanh_grad_##T) LOOP(sigmoid_grad_##T) LOOP(xdivy_##T)            \
    LOOP(multiply_no_nan_##T) LOOP(divide_no_nan_##T)
OF_REALS(float)
OF_REALS(double)
OF_INTEGERS(int8)
OF_INTEGERS(int16)
OF_INTEGERS(int32)
OF_INTEGERS(int64)
OF_INTEGERS(uint8)
OF_INTEGERS(uint16)
OF_INTEGERS(uint32)
OF_INTEGERS(uint64)
OF_COMPLEX(complex_float)
OF_COMPLEX(complex_double)
#undef LOOP
#undef OF_REALS
#undef OF_INTEGERS
#undef OF_COMPLEX

#endif
