/* What `draws.h` declares, at each level. */

#include "draws.h"

#include <math.h>
#include <string.h>

enum {
    TAPEGRAD_ROUNDS = 10,  /* of Philox */
    TAPEGRAD_WORDS = 4 * TAPEGRAD_LOT
};

static inline tapegrad_stream tapegrad_moved(const tapegrad_stream *stream, npy_uint64 counters)
{
    tapegrad_stream moved = *stream;
    moved.low += counters;
    moved.high += moved.low < counters;
    return moved;
}

/* With the exponent of 1, random bits of the fraction make a number in [1, 2); less 1 it is in [0, 1). */
static inline float tapegrad_uniform_32(npy_uint32 word)
{
    union { npy_uint32 bits; float number; } made = {(word & 0x7FFFFFu) | 0x3F800000u};
    return made.number - 1;
}

static inline double tapegrad_uniform_64(npy_uint32 first, npy_uint32 second)
{
    union { npy_uint64 bits; double number; } made = {
        ((npy_uint64)(first & 0xFFFFFu) << 32) | second | 0x3FF0000000000000u};
    return made.number - 1;
}

/* The reciprocals of 16 numbers between 0.7 and 1.4, and the logarithms of the numbers: see `draw_loops.h`, also for
   whose they are. */
static const double tapegrad_reciprocals[16] = {
    0x1.661ec79f8f3bep0, 0x1.571ed4aaf883dp0, 0x1.49539f0f010bp0, 0x1.3c995b0b80385p0,
    0x1.30d190c8864a5p0, 0x1.25e227b0b8eap0, 0x1.1bb4a4a1a343fp0, 0x1.12358f08ae5bap0,
    0x1.0953f419900a7p0, 0x1p0, 0x1.e608cfd9a47acp-1, 0x1.ca4b31f026aap-1,
    0x1.b2036576afce6p-1, 0x1.9c2d163a1aa2dp-1, 0x1.886e6037841edp-1, 0x1.767dcf5534862p-1};
static const double tapegrad_logs[16] = {
    -0x1.57bf7808caadep-2, -0x1.2bef0a7c06ddbp-2, -0x1.01eae7f513a67p-2, -0x1.b31d8a68224e9p-3,
    -0x1.6574f0ac07758p-3, -0x1.1aa2bc79c8100p-3, -0x1.a4e76ce8c0e5ep-4, -0x1.1973c5a611cccp-4,
    -0x1.252f438e10c1ep-5, 0x0p+0, 0x1.aa5aa5df25984p-5, 0x1.c5e53aa362eb4p-4,
    0x1.526e57720db08p-3, 0x1.bc2860d224770p-3, 0x1.1058bc8a07ee1p-2, 0x1.4043057b6ee09p-2};

#define KERNELS "draw_loops.h"
#include "each_level.h"

const tapegrad_draws *tapegrad_draws_at(int level)
{
    static const tapegrad_draws *const versions[] = TAPEGRAD_AT_LEVELS(&tapegrad_draws, all);
    return versions[level];
}

void tapegrad_fill_lots(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_filling *f = context;
    npy_intp lot = TAPEGRAD_LOT * (f->to_counter ? f->to_counter : f->group);
    npy_intp first = begin * lot, last = end * lot < f->count ? end * lot : f->count;
    npy_uint64 counters = f->to_counter ? (npy_uint64)(begin * TAPEGRAD_LOT) : begin * TAPEGRAD_LOT * f->stride;
    tapegrad_stream stream = tapegrad_moved(&f->stream, counters);
    f->draw(&stream, f->out + first * f->item, last - first, f->stride);
}
