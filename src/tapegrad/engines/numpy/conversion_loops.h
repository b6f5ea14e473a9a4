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

/* By the operand's type and the result's: float, double, int32, int64, uint8, bool. */
#define ENTRY(NAME) AT_LEVEL(convert, NAME)
static const tapegrad_conversion AT_LEVEL(tapegrad_conversions, table)[TAPEGRAD_TYPES][TAPEGRAD_TYPES] = {
    {NULL, ENTRY(d_f), ENTRY(i32_f), ENTRY(i64_f), ENTRY(u8_f), ENTRY(b_f)},
    {ENTRY(f_d), NULL, ENTRY(i32_d), ENTRY(i64_d), ENTRY(u8_d), ENTRY(b_d)},
    {ENTRY(f_i32), ENTRY(d_i32), NULL, ENTRY(i64_i32), ENTRY(u8_i32), ENTRY(b_i32)},
    {ENTRY(f_i64), ENTRY(d_i64), ENTRY(i32_i64), NULL, ENTRY(u8_i64), ENTRY(b_i64)},
    {ENTRY(f_u8), ENTRY(d_u8), ENTRY(i32_u8), ENTRY(i64_u8), NULL, ENTRY(b_u8)},
    {ENTRY(f_b), ENTRY(d_b), ENTRY(i32_b), ENTRY(i64_b), ENTRY(u8_b), NULL}};
#undef ENTRY
#undef CONVERSION
