/* bfloat16: the upper half of a float32. */

#ifndef TAPEGRAD_HALVES_H
#define TAPEGRAD_HALVES_H

#include <numpy/npy_common.h>

#include "vectors.h"

typedef union {
    npy_uint32 bits;
    float number;
} tapegrad_bits;

TAPEGRAD_PART_OF_LOOP float tapegrad_widened(npy_uint16 half)
{
    tapegrad_bits x = {(npy_uint32)half << 16};
    return x.number;
}

/* The bits of a number whose upper half is the number rounded to the nearest, ties to even. Of NaN this is right where
   the lower half is zero, as it is after arithmetic on widened halves: NaN there is the processor's own or an operand's. */
TAPEGRAD_PART_OF_LOOP npy_uint32 tapegrad_rounded_up(float number)
{
    tapegrad_bits x;
    x.number = number;
    return x.bits + 0x7FFFu + (x.bits >> 16 & 1);
}

/* The same for any NaN. */
TAPEGRAD_PART_OF_LOOP npy_uint32 tapegrad_rounded(float number)
{
    tapegrad_bits x;
    x.number = number;
    npy_uint32 nan = (x.bits & 0x80000000u) | 0x7FC00000u;
    return number != number ? nan : tapegrad_rounded_up(number);
}

#endif
