/* What `conversions.h` declares, at each level. */

#include "conversions.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* What a float becomes in an integer type that cannot hold it: TensorFlow's answer where it has vectors, here for each
   element and on every processor. A float is out of range where int32 cannot hold it (int64, for 64 bits); so is NaN.

   - int8, uint8, int16, uint16: the nearest number that the type holds; out of range is its lowest.
   - int32, int64: out of range is the lowest number.
   - uint32, uint64 have room for more. A negative number keeps the bits that the signed type has for it, and out of
     range for both are the bits of the lowest signed number. */
#define TO_32(x) ((x) > -2147483649.0 && (x) < 2147483648.0 ? (npy_int32)(x) : NPY_MIN_INT32)
#define TO_32_FROM_FLOAT(x) ((x) >= -2147483648.0f && (x) < 2147483648.0f ? (npy_int32)(x) : NPY_MIN_INT32)
#define TO_64(x) ((x) >= -9223372036854775808.0 && (x) < 9223372036854775808.0 ? (npy_int64)(x) : NPY_MIN_INT64)

#ifdef __SSE2__
/* 16 floats as integers of 8 or 16 bits, by the same rule: the first instruction gives the lowest int32 for what is out of
   range, and those that pack integers take the nearest. Compilers cannot know the former; what they make of the loops
   takes 1.1 to 6 times as long (decision 0114). */
#define FOUR_float(in) _mm_cvttps_epi32(_mm_loadu_ps(in))
#define FOUR_double(in)                                                                             \
    _mm_unpacklo_epi64(_mm_cvttpd_epi32(_mm_loadu_pd(in)), _mm_cvttpd_epi32(_mm_loadu_pd((in) + 2)))
#define EIGHT(T, in) _mm_packs_epi32(FOUR_##T(in), FOUR_##T((in) + 4))
#define PACK_npy_int8(T, out, in)                                                                   \
    _mm_storeu_si128((__m128i *)(out), _mm_packs_epi16(EIGHT(T, in), EIGHT(T, (in) + 8)))
#define PACK_npy_uint8(T, out, in)                                                                  \
    _mm_storeu_si128((__m128i *)(out), _mm_packus_epi16(EIGHT(T, in), EIGHT(T, (in) + 8)))
#define PACK_npy_int16(T, out, in)                                                                  \
    (_mm_storeu_si128((__m128i *)(out), EIGHT(T, in)),                                              \
     _mm_storeu_si128((__m128i *)((out) + 8), EIGHT(T, (in) + 8)))
#define PACKED(TO, T) for (; i + 16 <= n; i += 16) PACK_##TO(T, out + i, in + i);
#else
#define PACKED(TO, T)
#endif
#define NOT_PACKED(TO, T)

#define KERNELS "conversion_loops.h"
#include "each_level.h"

tapegrad_conversion tapegrad_conversion_at(int level, int from, int to)
{
    static const tapegrad_conversion (*const tables[])[TAPEGRAD_TYPES] =
        TAPEGRAD_AT_LEVELS(tapegrad_conversions, table);
    return tables[level][from][to];
}

tapegrad_conversion tapegrad_widening_at(int level)
{
    static const tapegrad_conversion functions[] = TAPEGRAD_AT_LEVELS(convert, f_bf);
    return functions[level];
}

tapegrad_conversion tapegrad_rounding_at(int level)
{
    static const tapegrad_conversion functions[] = TAPEGRAD_AT_LEVELS(convert, bf_f);
    return functions[level];
}

void tapegrad_run_convert(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_convert *c = (const tapegrad_convert *)context;
    c->function(c->target + begin * c->target_item, c->source + begin * c->source_item, end - begin);
}

/* There is no branch for each element: which one is chosen can often not be foreseen, and every wrong guess costs. */
#define CHOOSE(T, X, Y)                                                                             \
    for (npy_intp i = 0; i < n; i++) {                                                              \
        T mask = (T)0 - (T)(condition[i] != 0);                                                     \
        out[i] = ((X) & mask) | ((Y) & (T)~mask);                                                   \
    }

#define SELECT(NAME, T)                                                                             \
    static void NAME(T *out, const npy_uint8 *condition, const T *x, int one_x, const T *y, int one_y, npy_intp n) \
    {                                                                                               \
        T first_x = x[0], first_y = y[0];                                                           \
        if (one_x && one_y) CHOOSE(T, first_x, first_y)                                             \
        else if (one_x) CHOOSE(T, first_x, y[i])                                                    \
        else if (one_y) CHOOSE(T, x[i], first_y)                                                    \
        else CHOOSE(T, x[i], y[i])                                                                  \
    }

SELECT(tapegrad_select_8, npy_uint8)
SELECT(tapegrad_select_16, npy_uint16)
SELECT(tapegrad_select_32, npy_uint32)
SELECT(tapegrad_select_64, npy_uint64)
#undef CHOOSE
#undef SELECT

void tapegrad_select(char *target, const char *condition, const char *x, int one_x, const char *y, int one_y,
                     npy_intp n, npy_intp item)
{
    const npy_uint8 *chosen = (const npy_uint8 *)condition;
    if (n == 0)
        return;
    switch (item) {
    case 1:
        tapegrad_select_8((npy_uint8 *)target, chosen, (const npy_uint8 *)x, one_x, (const npy_uint8 *)y, one_y, n);
        break;
    case 2:
        tapegrad_select_16(
            (npy_uint16 *)target, chosen, (const npy_uint16 *)x, one_x, (const npy_uint16 *)y, one_y, n);
        break;
    case 4:
        tapegrad_select_32(
            (npy_uint32 *)target, chosen, (const npy_uint32 *)x, one_x, (const npy_uint32 *)y, one_y, n);
        break;
    case 8:
        tapegrad_select_64(
            (npy_uint64 *)target, chosen, (const npy_uint64 *)x, one_x, (const npy_uint64 *)y, one_y, n);
        break;
    default:
        for (npy_intp i = 0; i < n; i++)
            memcpy(target + 16 * i, chosen[i] ? x + (one_x ? 0 : 16 * i) : y + (one_y ? 0 : 16 * i), 16);
    }
}

void tapegrad_run_select(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_selection *s = (const tapegrad_selection *)context;
    tapegrad_select(s->target + begin * s->item, s->condition + begin, s->x + (s->one_x ? 0 : begin * s->item),
                    s->one_x, s->y + (s->one_y ? 0 : begin * s->item), s->one_y, end - begin, s->item);
}
