/* What `half_products.h` declares. */

#include "half_products.h"
#include "halves.h"
#include "transposed.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__) && (__clang_major__ >= 12 || __GNUC__ >= 11)
#include <immintrin.h>

#define TAPEGRAD_HALF_TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx512bf16,avx2,fma")))

enum {
    TAPEGRAD_PANEL = 64,     /* columns */
    TAPEGRAD_HALF_LANES = 16,
    TAPEGRAD_HALF_ROWS = 6,  /* of a tile, whose sums fill 24 registers */
    TAPEGRAD_HALF_TALL = 48, /* rows of the first operand that are packed together where it lies transposed */
    TAPEGRAD_HALF_FEW = 4096 /* pairs for which no memory is asked */
};

int tapegrad_has_half_products(void)
{
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512bf16") != 0;
}

/* Where pair `p` of row `i` of the first operand lies: a[i * row + p * pair], in bytes. */
typedef struct {
    const char *data;
    ptrdiff_t row, pair;
} tapegrad_pairs;

/* Clang 16 ends with a fault where it may replace a broadcast of an int, read as sixteen pairs, by one of bfloat16. */
#if defined(__clang__)
#define TAPEGRAD_KEEP_REGISTER(x) __asm__("" : "+v"(x))
#else
#define TAPEGRAD_KEEP_REGISTER(x)
#endif

/* Sixteen results at most, rounded. */
TAPEGRAD_HALF_TARGET static inline __attribute__((always_inline)) void tapegrad_write_halves(
    npy_uint16 *out, __m512 sums, __mmask16 present)
{
    __m512i bits = _mm512_castps_si512(sums);
    __m512i last = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
    __m512i up = _mm512_add_epi32(_mm512_add_epi32(bits, _mm512_set1_epi32(0x7FFF)), last);
    __m512i nan = _mm512_set1_epi32(0x7FC00000);
    up = _mm512_mask_mov_epi32(up, _mm512_cmp_ps_mask(sums, sums, _CMP_UNORD_Q), nan);
    _mm512_mask_cvtepi32_storeu_epi16(out, present, _mm512_srli_epi32(up, 16));
}

/* ROWS rows by WIDTH registers of results: `pairs` pairs of rows of a panel. */
#define TAPEGRAD_HALF_TILE(ROWS, WIDTH)                                                                            \
    TAPEGRAD_HALF_TARGET static void tapegrad_half_tile_##ROWS##_##WIDTH(                                          \
        ptrdiff_t pairs, tapegrad_pairs a, const npy_uint32 *b, npy_uint16 *c, ptrdiff_t ldc, ptrdiff_t columns)   \
    {                                                                                                              \
        __m512 sums[ROWS][WIDTH];                                                                                  \
        const char *row[ROWS];                                                                                     \
        for (int i = 0; i < ROWS; i++) {                                                                           \
            row[i] = a.data + i * a.row;                                                                           \
            for (int j = 0; j < WIDTH; j++)                                                                        \
                sums[i][j] = _mm512_setzero_ps();                                                                  \
        }                                                                                                          \
        for (ptrdiff_t p = 0, at = 0; p < pairs; p++, at += a.pair, b += WIDTH * TAPEGRAD_HALF_LANES) {            \
            __m512bh part[WIDTH];                                                                                  \
            _Pragma("GCC unroll 4") for (int j = 0; j < WIDTH; j++)                                                \
                part[j] = (__m512bh)_mm512_loadu_si512(b + j * TAPEGRAD_HALF_LANES);                               \
            _Pragma("GCC unroll 6") for (int i = 0; i < ROWS; i++) {                                               \
                int pair;                                                                                          \
                memcpy(&pair, row[i] + at, sizeof pair);                                                           \
                __m512i both = _mm512_set1_epi32(pair);                                                            \
                TAPEGRAD_KEEP_REGISTER(both);                                                                      \
                _Pragma("GCC unroll 4") for (int j = 0; j < WIDTH; j++)                                            \
                    sums[i][j] = _mm512_dpbf16_ps(sums[i][j], (__m512bh)both, part[j]);                            \
            }                                                                                                      \
        }                                                                                                          \
        _Pragma("GCC unroll 6") for (int i = 0; i < ROWS; i++)                                                     \
            _Pragma("GCC unroll 4") for (int j = 0; j < WIDTH; j++) {                                              \
                ptrdiff_t rest = columns - j * TAPEGRAD_HALF_LANES;                                                \
                __mmask16 present = (__mmask16)(rest >= 16 ? 0xFFFF : (1 << rest) - 1);                            \
                tapegrad_write_halves(c + i * ldc + j * TAPEGRAD_HALF_LANES, sums[i][j], present);                 \
            }                                                                                                      \
    }
#define TAPEGRAD_HALF_TILES(ROWS)                                                                                  \
    TAPEGRAD_HALF_TILE(ROWS, 1) TAPEGRAD_HALF_TILE(ROWS, 2) TAPEGRAD_HALF_TILE(ROWS, 3) TAPEGRAD_HALF_TILE(ROWS, 4)
TAPEGRAD_HALF_TILES(1)
TAPEGRAD_HALF_TILES(2)
TAPEGRAD_HALF_TILES(3)
TAPEGRAD_HALF_TILES(4)
TAPEGRAD_HALF_TILES(5)
TAPEGRAD_HALF_TILES(6)
#undef TAPEGRAD_HALF_TILE
#undef TAPEGRAD_HALF_TILES

typedef void (*tapegrad_half_tile)(ptrdiff_t, tapegrad_pairs, const npy_uint32 *, npy_uint16 *, ptrdiff_t, ptrdiff_t);
#define TAPEGRAD_HALF_TILES(ROWS)                                                                                  \
    {tapegrad_half_tile_##ROWS##_1, tapegrad_half_tile_##ROWS##_2, tapegrad_half_tile_##ROWS##_3,                  \
     tapegrad_half_tile_##ROWS##_4}
static const tapegrad_half_tile tapegrad_half_tiles[TAPEGRAD_HALF_ROWS][4] = {
    TAPEGRAD_HALF_TILES(1), TAPEGRAD_HALF_TILES(2), TAPEGRAD_HALF_TILES(3),
    TAPEGRAD_HALF_TILES(4), TAPEGRAD_HALF_TILES(5), TAPEGRAD_HALF_TILES(6)};
#undef TAPEGRAD_HALF_TILES

/* out[p, j] holds in[2 p, j] and in[2 p + 1, j], for `columns` columns of `rows` rows; a row too few counts as zeros. */
TAPEGRAD_HALF_TARGET static void tapegrad_pair_rows(const npy_uint16 *in, ptrdiff_t step, ptrdiff_t rows,
                                                    ptrdiff_t columns, npy_uint32 *out, ptrdiff_t to)
{
    for (ptrdiff_t p = 0; p < rows / 2; p++) {
        const npy_uint16 *front = in + 2 * p * step, *back = front + step;
        npy_uint32 *restrict row = out + p * to;
        for (ptrdiff_t j = 0; j < columns; j++)
            row[j] = front[j] | (npy_uint32)back[j] << 16;
    }
    if (rows % 2)
        for (ptrdiff_t j = 0; j < columns; j++)
            out[rows / 2 * to + j] = in[(rows - 1) * step + j];
}

/* The same of an operand that lies transposed: out[p, j] holds in[j, 2 p] and in[j, 2 p + 1]. */
static void tapegrad_pair_columns(const npy_uint16 *in, ptrdiff_t step, ptrdiff_t rows, ptrdiff_t columns,
                                  npy_uint32 *out, ptrdiff_t to)
{
    ptrdiff_t pairs = rows / 2;
    if (step % 2 == 0 && (size_t)in % sizeof(float) == 0)
        tapegrad_transpose_floats(columns, pairs, (const float *)in, step / 2, (float *)out, to);
    else
        for (ptrdiff_t j = 0; j < columns; j++)
            for (ptrdiff_t p = 0; p < pairs; p++)
                memcpy(out + p * to + j, in + j * step + 2 * p, sizeof(npy_uint32));
    if (rows % 2)
        for (ptrdiff_t j = 0; j < columns; j++)
            out[pairs * to + j] = in[j * step + rows - 1];
}

/* Where there is no memory for panels. */
static void tapegrad_half_product_slowly(const tapegrad_matrices *x)
{
    const npy_uint16 *a = (const npy_uint16 *)x->a, *b = (const npy_uint16 *)x->b;
    ptrdiff_t a_row = x->a_layout ? 1 : x->lda, a_column = x->a_layout ? x->lda : 1;
    ptrdiff_t b_row = x->b_layout ? 1 : x->ldb, b_column = x->b_layout ? x->ldb : 1;
    for (ptrdiff_t i = 0; i < x->m; i++)
        for (ptrdiff_t j = 0; j < x->n; j++) {
            float sum = 0;
            for (ptrdiff_t p = 0; p < x->k; p++)
                sum += tapegrad_widened(a[i * a_row + p * a_column]) * tapegrad_widened(b[p * b_row + j * b_column]);
            ((npy_uint16 *)x->c)[i * x->ldc + j] = (npy_uint16)(tapegrad_rounded(sum) >> 16);
        }
}

void tapegrad_half_product(const tapegrad_matrices *x)
{
    const npy_uint16 *a = (const npy_uint16 *)x->a, *b = (const npy_uint16 *)x->b;
    npy_uint16 *c = (npy_uint16 *)x->c;
    npy_uint32 few[TAPEGRAD_HALF_FEW], *panel = few, *packed;
    ptrdiff_t pairs = (x->k + 1) / 2, tall = TAPEGRAD_HALF_TALL, size = sizeof(npy_uint32);
    ptrdiff_t talls = (x->m + tall - 1) / tall, needed = pairs * TAPEGRAD_PANEL;
    if (x->a_layout)
        needed += pairs * talls * tall;
    else if (x->k % 2)
        needed += pairs * x->m;
    if (needed > TAPEGRAD_HALF_FEW && (panel = malloc(needed * sizeof(npy_uint32))) == NULL) {
        tapegrad_half_product_slowly(x);
        return;
    }
    packed = panel + pairs * TAPEGRAD_PANEL;
    if (x->a_layout)
        for (ptrdiff_t i = 0; i < x->m; i += tall)
            tapegrad_pair_rows(a + i, x->lda, x->k, x->m - i < tall ? x->m - i : tall, packed + i * pairs, tall);
    else if (x->k % 2)
        for (ptrdiff_t i = 0; i < x->m; i++) {
            packed[(i + 1) * pairs - 1] = 0;
            memcpy(packed + i * pairs, a + i * x->lda, x->k * sizeof(npy_uint16));
        }
    for (ptrdiff_t j = 0; j < x->n; j += TAPEGRAD_PANEL) {
        ptrdiff_t columns = x->n - j < TAPEGRAD_PANEL ? x->n - j : TAPEGRAD_PANEL;
        ptrdiff_t width = (columns + TAPEGRAD_HALF_LANES - 1) / TAPEGRAD_HALF_LANES, to = width * TAPEGRAD_HALF_LANES;
        if (columns < to)
            memset(panel, 0, pairs * to * sizeof(npy_uint32));
        if (x->b_layout)
            tapegrad_pair_columns(b + j * x->ldb, x->ldb, x->k, columns, panel, to);
        else
            tapegrad_pair_rows(b + j, x->ldb, x->k, columns, panel, to);
        for (ptrdiff_t i = 0; i < x->m; i += TAPEGRAD_HALF_ROWS) {
            ptrdiff_t rows = x->m - i < TAPEGRAD_HALF_ROWS ? x->m - i : TAPEGRAD_HALF_ROWS;
            tapegrad_pairs from = {x->a + i * x->lda * (ptrdiff_t)sizeof(npy_uint16), x->lda * (ptrdiff_t)sizeof(npy_uint16), size};
            if (x->a_layout)
                from = (tapegrad_pairs){(const char *)(packed + i / tall * tall * pairs + i % tall), size, tall * size};
            else if (x->k % 2)
                from = (tapegrad_pairs){(const char *)(packed + i * pairs), pairs * size, size};
            tapegrad_half_tiles[rows - 1][width - 1](pairs, from, panel, c + i * x->ldc + j, x->ldc, columns);
        }
    }
    if (panel != few)
        free(panel);
}

#else
int tapegrad_has_half_products(void) { return 0; }
void tapegrad_half_product(const tapegrad_matrices *x) { (void)x; }
#endif
