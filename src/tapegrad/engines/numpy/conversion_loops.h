/* The loops of `conversions.h`: KERNELS of `each_level.h`; no guard. */

#define CONVERSION(NAME, TO, FROM, EXPRESSION)                                                      \
    TARGET static void AT_LEVEL(convert, NAME)(char *restrict target, const char *restrict source, npy_intp n) \
    {                                                                                               \
        TO *out = (TO *)target;                                                                     \
        const FROM *in = (const FROM *)source;                                                      \
        for (npy_intp i = 0; i < n; i++) { FROM x = in[i]; out[i] = (EXPRESSION); }                 \
    }

/* The first part of a name is the result, the second the operand: f and d are floats, b bools, the others integers
   and their bits. */
CONVERSION(d_f, double, float, x)
CONVERSION(b_f, npy_uint8, float, x != 0)
CONVERSION(f_d, float, double, (float)x)
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

/* Floats to integers by the rule of `conversions.h`. In UNSIGNED what the signed type cannot hold is lowered by HALF of
   the range, which rounds nothing, and gets its highest bit back. */
#define SMALL(NAME, TO, FROM, LOWEST, HIGHEST, FIRST)                                               \
    TARGET static void AT_LEVEL(convert, NAME)(char *restrict target, const char *restrict source, npy_intp n) \
    {                                                                                               \
        TO *out = (TO *)target;                                                                     \
        const FROM *in = (const FROM *)source;                                                      \
        npy_intp i = 0;                                                                             \
        FIRST(TO, FROM)                                                                             \
        for (; i < n; i++) {                                                                        \
            FROM x = in[i];                                                                         \
            npy_int32 whole = (npy_int32)(x > LOWEST && x < 2147483648 ? x : LOWEST);               \
            out[i] = (TO)(whole < HIGHEST ? whole : HIGHEST);                                       \
        }                                                                                           \
    }
#define UNSIGNED(NAME, TO, FROM, HALF, CONVERT)                                                     \
    TARGET static void AT_LEVEL(convert, NAME)(char *restrict target, const char *restrict source, npy_intp n) \
    {                                                                                               \
        TO *out = (TO *)target;                                                                     \
        const FROM *in = (const FROM *)source;                                                      \
        for (npy_intp i = 0; i < n; i++) {                                                          \
            FROM x = in[i], y = x >= HALF ? x - HALF : x;                                           \
            TO highest = x >= HALF && x < 2 * HALF ? (TO)1 << (8 * sizeof(TO) - 1) : 0;             \
            out[i] = (TO)CONVERT(y) ^ highest;                                                      \
        }                                                                                           \
    }
#define INTEGERS(F, FROM, TO_32)                                                                    \
    SMALL(i8_##F, npy_int8, FROM, -128, 127, PACKED)                                                \
    SMALL(u8_##F, npy_uint8, FROM, 0, 255, PACKED)                                                  \
    SMALL(i16_##F, npy_int16, FROM, -32768, 32767, PACKED)                                          \
    SMALL(u16_##F, npy_uint16, FROM, 0, 65535, NOT_PACKED)                                          \
    CONVERSION(i32_##F, npy_int32, FROM, TO_32(x))                                                  \
    CONVERSION(i64_##F, npy_int64, FROM, TO_64(x))                                                  \
    UNSIGNED(u32_##F, npy_uint32, FROM, 2147483648.0f, TO_32)                                       \
    UNSIGNED(u64_##F, npy_uint64, FROM, 9223372036854775808.0f, TO_64)
INTEGERS(f, float, TO_32_FROM_FLOAT)
INTEGERS(d, double, TO_32)
#undef INTEGERS
#undef UNSIGNED
#undef SMALL

/* bfloat16 in both directions, bits as bits: to the nearest, ties to even, and NaN stays NaN. */
TARGET static void AT_LEVEL(convert, f_bf)(char *restrict target, const char *restrict source, npy_intp n)
{
    npy_uint32 *out = (npy_uint32 *)target;
    const npy_uint16 *in = (const npy_uint16 *)source;
    for (npy_intp i = 0; i < n; i++)
        out[i] = (npy_uint32)in[i] << 16;
}
TARGET static void AT_LEVEL(convert, bf_f)(char *restrict target, const char *restrict source, npy_intp n)
{
    npy_uint16 *out = (npy_uint16 *)target;
    const npy_uint32 *in = (const npy_uint32 *)source;
    for (npy_intp i = 0; i < n; i++) {
        union { npy_uint32 bits; float number; } x = {in[i]};
        npy_uint32 rounded = x.bits + 0x7FFFu + (x.bits >> 16 & 1), nan = (x.bits & 0x80000000u) | 0x7FC00000u;
        out[i] = (npy_uint16)((x.number != x.number ? nan : rounded) >> 16);
    }
}

/* By the operand's type and the result's: float, double, int32, int64, uint8, bool; and as results of floats alone int8,
   int16, uint16, uint32, uint64. */
#define ENTRY(NAME) AT_LEVEL(convert, NAME)
#define OTHERS(F) ENTRY(i8_##F), ENTRY(i16_##F), ENTRY(u16_##F), ENTRY(u32_##F), ENTRY(u64_##F)
static const tapegrad_conversion AT_LEVEL(tapegrad_conversions, table)[TAPEGRAD_SOURCES][TAPEGRAD_TYPES] = {
    {NULL, ENTRY(d_f), ENTRY(i32_f), ENTRY(i64_f), ENTRY(u8_f), ENTRY(b_f), OTHERS(f)},
    {ENTRY(f_d), NULL, ENTRY(i32_d), ENTRY(i64_d), ENTRY(u8_d), ENTRY(b_d), OTHERS(d)},
    {ENTRY(f_i32), ENTRY(d_i32), NULL, ENTRY(i64_i32), ENTRY(u8_i32), ENTRY(b_i32)},
    {ENTRY(f_i64), ENTRY(d_i64), ENTRY(i32_i64), NULL, ENTRY(u8_i64), ENTRY(b_i64)},
    {ENTRY(f_u8), ENTRY(d_u8), ENTRY(i32_u8), ENTRY(i64_u8), NULL, ENTRY(b_u8)},
    {ENTRY(f_b), ENTRY(d_b), ENTRY(i32_b), ENTRY(i64_b), ENTRY(u8_b), NULL}};
#undef ENTRY
#undef OTHERS
#undef CONVERSION
