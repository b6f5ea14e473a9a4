/* Includes the file KERNELS_OF_TYPE with T float and with T double; no guard. As KERNELS of `each_level.h` it makes
   a kernel for each type and level. */

#define T float
#include KERNELS_OF_TYPE
#undef T
#define T double
#include KERNELS_OF_TYPE
#undef T
