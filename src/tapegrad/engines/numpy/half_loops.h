/* The loops of `through_floats.h` at one level: KERNELS of `each_level.h`; no guard.

   Two halves beside each other are read as one number of 32 bits: one of them becomes a float32 when it is shifted, the
   other when the rest is masked. Results are put together in the same way, and no element changes its place. */

#include "elementwise_functions.h"

#define UPPER 0xFFFF0000u
#define FRONT(pair) AT_LEVEL(number, half)((pair) << 16)
#define BACK(pair) AT_LEVEL(number, half)((pair) & UPPER)

TARGET TAPEGRAD_PART_OF_LOOP float AT_LEVEL(number, half)(npy_uint32 bits)
{
    tapegrad_bits x = {bits};
    return x.number;
}

TARGET TAPEGRAD_PART_OF_LOOP npy_uint32 AT_LEVEL(bits, half)(float number)
{
    tapegrad_bits x;
    x.number = number;
    return x.bits;
}

/* gelu as in `elementwise_functions.h`, by polynomials that are no more exact than its rounding to a half needs: no half
   has another result. The square of a half is exact. The power is raised by 2**64, by which the share is lowered; at 0 the
   share is exact, as subnormal results need it. */
TARGET TAPEGRAD_PART_OF_LOOP float AT_LEVEL(short_gelu, half)(float x)
{
    union { float number; npy_uint32 bits; } far = {x}, power, shifted;
    far.bits &= 0x7FFFFFFFu;
    far.bits = far.bits < 0x41680000u ? far.bits : 0x41680000u; /* 14.5 */
    float exponent = far.number * -0.5f * far.number;
    shifted.number = MULTIPLY_ADD_float(exponent, 1.44269504f, 12582912.0f + 64);
    float rest = MULTIPLY_ADD_float(shifted.number - (12582912.0f + 64), -0.69314718f, exponent);
    power.number = 1 + MULTIPLY_ADD_float(SHORT_EXPONENTIAL_REST_float(rest), rest * rest, rest);
    power.bits += shifted.bits << 23;
    float share = SHORT_NORMAL_ABOVE_float(far.number) / SHORT_NORMAL_BELOW_float(far.number);
    return MULTIPLY_ADD_float(-far.number, share * power.number, x > 0 ? x : x * 0);
}

/* The first halves of all pairs, then the second ones, then the one that has no neighbour. */
TARGET static void AT_LEVEL(spread, half)(char *target, const char *source, npy_intp n)
{
    float *restrict front = (float *)target, *restrict back = front + n / 2;
    const tapegrad_pair *pairs = (const tapegrad_pair *)source;
    for (npy_intp i = 0; i < n / 2; i++) {
        front[i] = FRONT(pairs[i]);
        back[i] = BACK(pairs[i]);
    }
    if (n % 2)
        front[n - 1] = tapegrad_widened(((const npy_uint16 *)source)[n - 1]);
}

/* The reverse, rounded. */
TARGET static void AT_LEVEL(gather, half)(char *target, const char *source, npy_intp n)
{
    const float *restrict front = (const float *)source, *restrict back = front + n / 2;
    tapegrad_pair *pairs = (tapegrad_pair *)target;
    for (npy_intp i = 0; i < n / 2; i++)
        pairs[i] = tapegrad_rounded(front[i]) >> 16 | (tapegrad_rounded(back[i]) & UPPER);
    if (n % 2)
        ((npy_uint16 *)target)[n - 1] = (npy_uint16)(tapegrad_rounded(front[n - 1]) >> 16);
}

/* OF is the function, and BITS makes the bits of its result, whose upper half counts. */
#define HALF_LOOP(NAME, OF, BITS, FRONT_X, BACK_X, LAST_X, FRONT_Y, BACK_Y, LAST_Y)                                  \
    TARGET static void AT_LEVEL(NAME, half)(const char *from, const char *other, char *to, npy_intp n)              \
    {                                                                                                               \
        const tapegrad_pair *first = (const tapegrad_pair *)from, *second = (const tapegrad_pair *)other;           \
        const npy_uint16 *xs = (const npy_uint16 *)from, *ys = (const npy_uint16 *)other;                           \
        float x = tapegrad_widened(*xs), y = tapegrad_widened(*ys);                                                 \
        tapegrad_pair *out = (tapegrad_pair *)to;                                                                   \
        (void)first, (void)second, (void)x, (void)y;                                                                \
        TAPEGRAD_INDEPENDENT                                                                                        \
        for (npy_intp i = 0; i < n / 2; i++)                                                                        \
            out[i] = BITS(OF(FRONT_X, FRONT_Y)) >> 16 | (BITS(OF(BACK_X, BACK_Y)) & UPPER);                         \
        if (n % 2)                                                                                                  \
            ((npy_uint16 *)to)[n - 1] = (npy_uint16)(BITS(OF(LAST_X, LAST_Y)) >> 16);                               \
    }
#define EACH(array, halves) FRONT(array[i]), BACK(array[i]), tapegrad_widened(halves[n - 1])
#define ONE(number) number, number, number
#define HALF_LOOP_(NAME, OF, BITS, ...) HALF_LOOP(NAME, OF, BITS, __VA_ARGS__)
#define UNARY_LOOP(NAME, BITS, EXPRESSION)                                                                          \
    TARGET TAPEGRAD_PART_OF_LOOP float AT_LEVEL(NAME##_of, half)(float x, float y) { (void)y; return EXPRESSION; }  \
    HALF_LOOP_(NAME, AT_LEVEL(NAME##_of, half), BITS, EACH(first, xs), ONE(0))
#define BINARY_LOOPS(NAME, BITS, EXPRESSION)                                                                        \
    TARGET TAPEGRAD_PART_OF_LOOP float AT_LEVEL(NAME##_of, half)(float x, float y) { return EXPRESSION; }           \
    HALF_LOOP_(NAME##_each, AT_LEVEL(NAME##_of, half), BITS, EACH(first, xs), EACH(second, ys))                     \
    HALF_LOOP_(NAME##_one_x, AT_LEVEL(NAME##_of, half), BITS, ONE(x), EACH(second, ys))                             \
    HALF_LOOP_(NAME##_one_y, AT_LEVEL(NAME##_of, half), BITS, EACH(first, xs), ONE(y))
#define EXACT(number) AT_LEVEL(bits, half)(number)
#define ROUNDED(number) tapegrad_rounded_up(number)

UNARY_LOOP(negative, EXACT, -x)
UNARY_LOOP(absolute, EXACT, __builtin_fabsf(x))
UNARY_LOOP(relu, EXACT, x <= 0 ? 0 : x)
UNARY_LOOP(relu6, EXACT, x <= 0 ? 0 : x >= 6 ? 6 : x)
UNARY_LOOP(square, ROUNDED, x * x)
UNARY_LOOP(sqrt, ROUNDED, __builtin_sqrtf(x))
UNARY_LOOP(rsqrt, ROUNDED, 1 / __builtin_sqrtf(x))
UNARY_LOOP(reciprocal, ROUNDED, 1 / x)
UNARY_LOOP(sigmoid, ROUNDED, AT_LEVEL(sigmoid, float)(x))
UNARY_LOOP(silu, ROUNDED, x * AT_LEVEL(sigmoid, float)(x))
UNARY_LOOP(gelu, ROUNDED, AT_LEVEL(short_gelu, half)(x))
UNARY_LOOP(any_exp, ROUNDED, AT_LEVEL(exp, float)(x))
UNARY_LOOP(ordinary_exp, ROUNDED, AT_LEVEL(ordinary_exp, float)(x))
BINARY_LOOPS(add, ROUNDED, x + y)
BINARY_LOOPS(subtract, ROUNDED, x - y)
BINARY_LOOPS(multiply, ROUNDED, x * y)
BINARY_LOOPS(divide, ROUNDED, x / y)
BINARY_LOOPS(maximum, EXACT, x != x || x >= y ? x : y)
BINARY_LOOPS(minimum, EXACT, x != x || x <= y ? x : y)
BINARY_LOOPS(relu_grad, EXACT, y > 0 ? x : 0)
BINARY_LOOPS(relu6_grad, EXACT, ((y > 0) & (y < 6)) ? x : 0)
BINARY_LOOPS(tanh_grad, ROUNDED, y * (1 - x * x))
BINARY_LOOPS(sigmoid_grad, ROUNDED, y * x * (1 - x))
BINARY_LOOPS(leaky_relu, ROUNDED, x > 0 ? x : x * y)

TARGET static void AT_LEVEL(exp, half)(const char *from, const char *other, char *to, npy_intp n)
{
    const npy_uint16 *in = (const npy_uint16 *)from;
    npy_uint16 *out = (npy_uint16 *)to;
    for (npy_intp begin = 0; begin < n; begin += 256) {
        npy_intp end = begin + 256 < n ? begin + 256 : n;
        int far = 0;
        for (npy_intp i = begin; i < end; i++)
            far |= !AT_LEVEL(has_ordinary_exp, float)(tapegrad_widened(in[i]));
        (far ? AT_LEVEL(any_exp, half) : AT_LEVEL(ordinary_exp, half))(
            (const char *)(in + begin), other, (char *)(out + begin), end - begin);
    }
}

#define UNARY(NAME) {#NAME, {AT_LEVEL(NAME, half), NULL, NULL}}
#define BINARY(NAME) {#NAME, {AT_LEVEL(NAME##_each, half), AT_LEVEL(NAME##_one_x, half), AT_LEVEL(NAME##_one_y, half)}}
static const tapegrad_halves AT_LEVEL(tapegrad_halves, table) = {
    AT_LEVEL(spread, half), AT_LEVEL(gather, half), {
    UNARY(negative), UNARY(absolute), UNARY(relu), UNARY(relu6), UNARY(square), UNARY(sqrt), UNARY(rsqrt),
    UNARY(reciprocal), UNARY(exp), UNARY(sigmoid), UNARY(silu), UNARY(gelu),
    BINARY(add), BINARY(subtract), BINARY(multiply), BINARY(divide), BINARY(maximum), BINARY(minimum),
    BINARY(relu_grad), BINARY(relu6_grad), BINARY(tanh_grad), BINARY(sigmoid_grad), BINARY(leaky_relu), {NULL, {NULL}}}};

#undef UPPER
#undef FRONT
#undef BACK
#undef HALF_LOOP
#undef HALF_LOOP_
#undef EACH
#undef ONE
#undef UNARY_LOOP
#undef BINARY_LOOPS
#undef EXACT
#undef ROUNDED
#undef UNARY
#undef BINARY
