/* Numbers made of the words of Philox 4x32-10, bit for bit those of TensorFlow on a CPU; `random.py` describes the
   streams.

   A word depends on its counter alone, so any part of a stream can be filled by itself: all counters of a lot advance
   through the rounds together, in vectors. The same is true of what is made of the words: every function of one
   number is a straight line, and nothing in it is rounded once at one level and twice at another. */

#ifndef TAPEGRAD_DRAWS_H
#define TAPEGRAD_DRAWS_H

#include <numpy/npy_common.h>
#include <stddef.h>

#include "vectors.h"

enum { TAPEGRAD_LOT = 64 /* counters whose words are made together */ };

/* A key, and a counter of 128 bits. */
typedef struct {
    npy_uint32 key[2];
    npy_uint64 low, high;
} tapegrad_stream;

/* `count` elements at `out`, the first made of words of the stream's counter. `stride` is for truncated normals: how
   many counters apart the streams of two groups of them begin. */
typedef void (*tapegrad_draw)(const tapegrad_stream *stream, void *out, npy_intp count, npy_uint64 stride);

typedef struct {
    tapegrad_draw words, uniform_32, uniform_64, normal_32, normal_64, truncated_32, truncated_64;
} tapegrad_draws;

const tapegrad_draws *tapegrad_draws_at(int level);

/* Part of an array, for threads: each gets whole lots. */
typedef struct {
    tapegrad_draw draw;
    tapegrad_stream stream;
    char *out;
    npy_intp count, item;
    npy_intp to_counter; /* elements that one counter gives; 0: each group has a stream of its own */
    npy_intp group;      /* elements of such a group */
    npy_uint64 stride;
} tapegrad_filling;

void tapegrad_fill_lots(void *context, ptrdiff_t begin, ptrdiff_t end);

#endif
