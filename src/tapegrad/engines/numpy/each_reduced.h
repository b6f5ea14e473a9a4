/* The kinds of numbers that `reductions.h` reduces: KERNELS of `each_level.h`; no guard. */

#define OF_KIND(name) AT_LEVEL(name, KIND)

#define KIND float
#define E float
#define T float
#define LOAD(element) (element)
#define SINGLE_SQUARES
#include "reduction_loops.h"
#undef KIND
#undef E
#undef T
#undef SINGLE_SQUARES

#define KIND double
#define E double
#define T double
#include "reduction_loops.h"
#undef KIND
#undef E
#undef T
#undef LOAD

#define KIND half
#define E npy_uint16
#define T float
#define LOAD(element) tapegrad_widened(element)
#define SINGLE_SQUARES
#define OF_HALVES
#include "reduction_loops.h"
#undef KIND
#undef E
#undef T
#undef LOAD
#undef SINGLE_SQUARES
#undef OF_HALVES

#undef OF_KIND
