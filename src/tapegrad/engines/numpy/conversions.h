/* Numbers from one dtype into another, and elements chosen between two arrays: plain loops over contiguous ones. */

#ifndef TAPEGRAD_CONVERSIONS_H
#define TAPEGRAD_CONVERSIONS_H

#include <numpy/npy_common.h>
#include <string.h>

typedef void (*tapegrad_conversion)(char *target, const char *source, npy_intp n);

#define CONVERSION(NAME, TO, FROM, EXPRESSION)                                                      \
    static void tapegrad_##NAME(char *target, const char *source, npy_intp n)                       \
    {                                                                                               \
        TO *out = (TO *)target;                                                                     \
        const FROM *in = (const FROM *)source;                                                      \
        for (npy_intp i = 0; i < n; i++) { FROM x = in[i]; out[i] = (EXPRESSION); }                 \
    }

/* Floats that an integer cannot hold, NaN among them, become the lowest one, on every processor. */
#define TO_32(x) ((x) > -2147483649.0 && (x) < 2147483648.0 ? (npy_int32)(x) : NPY_MIN_INT32)
#define TO_32_FROM_FLOAT(x) ((x) >= -2147483648.0f && (x) < 2147483648.0f ? (npy_int32)(x) : NPY_MIN_INT32)
#define TO_64(x) ((x) >= -9223372036854775808.0 && (x) < 9223372036854775808.0 ? (npy_int64)(x) : NPY_MIN_INT64)

/* Named by what comes out and what goes in: f and d are floats, b bools, the others integers by their bits. */
CONVERSION(d_f, double, float, x)
CONVERSION(i32_f, npy_int32, float, TO_32_FROM_FLOAT(x))
CONVERSION(i64_f, npy_int64, float, TO_64(x))
CONVERSION(u8_f, npy_uint8, float, (npy_uint8)TO_32_FROM_FLOAT(x))
CONVERSION(b_f, npy_uint8, float, x != 0)
CONVERSION(f_d, float, double, (float)x)
CONVERSION(i32_d, npy_int32, double, TO_32(x))
CONVERSION(i64_d, npy_int64, double, TO_64(x))
CONVERSION(u8_d, npy_uint8, double, (npy_uint8)TO_32(x))
CONVERSION(b_d, npy_uint8, double, x != 0)
CONVERSION(f_i32, float, npy_int32, (float)x)
CONVERSION(d_i32, double, npy_int32, x)
CONVERSION(i64_i32, npy_int64, npy_int32, x)
CONVERSION(u8_i32, npy_uint8, npy_int32, (npy_uint8)x)
CONVERSION(b_i32, npy_uint8, npy_int32, x != 0)
CONVERSION(f_i64, float, npy_int64, (float)x)
CONVERSION(d_i64, double, npy_int64, (double)x)
CONVERSION(i32_i64, npy_int32, npy_int64, (npy_int32)x)
CONVERSION(u8_i64, npy_uint8, npy_int64, (npy_uint8)x)
CONVERSION(b_i64, npy_uint8, npy_int64, x != 0)
CONVERSION(f_u8, float, npy_uint8, x)
CONVERSION(d_u8, double, npy_uint8, x)
CONVERSION(i32_u8, npy_int32, npy_uint8, x)
CONVERSION(i64_u8, npy_int64, npy_uint8, x)
CONVERSION(b_u8, npy_uint8, npy_uint8, x != 0)
CONVERSION(f_b, float, npy_uint8, x != 0)
CONVERSION(d_b, double, npy_uint8, x != 0)
CONVERSION(i32_b, npy_int32, npy_uint8, x != 0)
CONVERSION(i64_b, npy_int64, npy_uint8, x != 0)
CONVERSION(u8_b, npy_uint8, npy_uint8, x != 0)

typedef struct {
    char *target;
    const char *source;
    npy_intp target_item, source_item;
    tapegrad_conversion function;
} tapegrad_convert;

static void tapegrad_run_convert(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_convert *c = (const tapegrad_convert *)context;
    c->function(c->target + begin * c->target_item, c->source + begin * c->source_item, end - begin);
}

typedef struct {
    char *target;
    const char *condition, *x, *y;
    npy_intp item;
    int one_x, one_y; /* whether there is but one element, for all places */
} tapegrad_select;

/* Without a branch: which elements are chosen is often anybody's guess, and every wrong guess costs. */
#define CHOOSE(T, X, Y)                                                                             \
    for (ptrdiff_t i = begin; i < end; i++) {                                                       \
        T mask = (T)0 - (T)(condition[i] != 0);                                                     \
        out[i] = ((X) & mask) | ((Y) & (T)~mask);                                                   \
    }

#define SELECT(T)                                                                                   \
    {                                                                                               \
        T *out = (T *)s->target;                                                                    \
        const T *x = (const T *)s->x, *y = (const T *)s->y;                                         \
        T first_x = x[0], first_y = y[0];                                                           \
        if (s->one_x && s->one_y) CHOOSE(T, first_x, first_y)                                       \
        else if (s->one_x) CHOOSE(T, first_x, y[i])                                                 \
        else if (s->one_y) CHOOSE(T, x[i], first_y)                                                 \
        else CHOOSE(T, x[i], y[i])                                                                  \
        return;                                                                                     \
    }

static void tapegrad_run_select(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_select *s = (const tapegrad_select *)context;
    const npy_uint8 *condition = (const npy_uint8 *)s->condition;
    switch (s->item) {
    case 1: SELECT(npy_uint8)
    case 2: SELECT(npy_uint16)
    case 4: SELECT(npy_uint32)
    case 8: SELECT(npy_uint64)
    }
}

#endif
