/* Includes the file KERNELS_OF_KIND for `float`, `double` and bfloat16, called half; no guard. As KERNELS of `each_level.h` it
   makes a kernel for each of these and for each level.

   The file finds these defined: KIND, a name; E, the type of elements; T, that of the numbers computed with; LOAD and
   STORE, which make one of the other; NARROW where these two are not the same; SINGLE where T is `float`. OF_KIND names what
   it defines. */

#define OF_KIND(name) AT_LEVEL(name, KIND)

#define KIND float
#define E float
#define T float
#define LOAD(element) (element)
#define STORE(number) (number)
#define SINGLE
#include KERNELS_OF_KIND
#undef KIND
#undef E
#undef T
#undef SINGLE

#define KIND double
#define E double
#define T double
#include KERNELS_OF_KIND
#undef KIND
#undef E
#undef T
#undef LOAD
#undef STORE

#define KIND half
#define E npy_uint16
#define T float
#define LOAD(element) tapegrad_widened(element)
#define STORE(number) ((npy_uint16)(tapegrad_rounded(number) >> 16))
#define NARROW
#define SINGLE
#include KERNELS_OF_KIND
#undef KIND
#undef E
#undef T
#undef LOAD
#undef STORE
#undef NARROW
#undef SINGLE

#undef OF_KIND
