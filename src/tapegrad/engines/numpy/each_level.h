/* Includes the file KERNELS once for each level of `vectors.h`, and then undefines that name; no guard. Kernels that
   the widest vectors do not speed up define KERNELS_WITHOUT_WIDE, and use the level below in place of the widest.

   KERNELS finds these defined: LEVEL, the level's name; TARGET, which lets the compiler use its instructions; VECTOR,
   the bytes of a vector; MULTIPLY_ADD_float and MULTIPLY_ADD_double, x * y + z rounded once where the processor has an
   instruction for that (FUSED is 1) and twice where it has none. */

#if TAPEGRAD_LEVELS == 3
#define FUSED 1
#define MULTIPLY_ADD_float(x, y, z) __builtin_fmaf(x, y, z)
#define MULTIPLY_ADD_double(x, y, z) __builtin_fma(x, y, z)
#ifndef KERNELS_WITHOUT_WIDE
#define LEVEL wide
#define TARGET __attribute__((target("avx512f,avx512vl,avx512dq,avx512bw,avx2,fma")))
#define VECTOR 64
#include KERNELS
#undef LEVEL
#undef TARGET
#undef VECTOR
#endif
#define LEVEL middle
#define TARGET __attribute__((target("avx2,fma")))
#define VECTOR 32
#include KERNELS
#undef LEVEL
#undef TARGET
#undef VECTOR
#undef FUSED
#undef MULTIPLY_ADD_float
#undef MULTIPLY_ADD_double
#endif

#define LEVEL plain
#define TARGET
#define VECTOR 16
#if defined(__FP_FAST_FMA) && defined(__FP_FAST_FMAF)
#define FUSED 1
#define MULTIPLY_ADD_float(x, y, z) __builtin_fmaf(x, y, z)
#define MULTIPLY_ADD_double(x, y, z) __builtin_fma(x, y, z)
#else
#define FUSED 0
#define MULTIPLY_ADD_float(x, y, z) ((x) * (y) + (z))
#define MULTIPLY_ADD_double(x, y, z) ((x) * (y) + (z))
#endif
#include KERNELS
#undef LEVEL
#undef TARGET
#undef VECTOR
#undef FUSED
#undef MULTIPLY_ADD_float
#undef MULTIPLY_ADD_double
#undef KERNELS
#undef KERNELS_WITHOUT_WIDE
