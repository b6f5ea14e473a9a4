/* How a kernel is compiled for several widths of vectors, called levels, and how one of them is chosen.

   `each_level.h` includes a file of kernels once for each level. The file names what it defines by AT_LEVEL and
   puts TARGET before each function; it ends with a table of its functions. TAPEGRAD_VERSIONS collects these tables.
   The module `levels` chooses the level when it is loaded, and every other module takes its tables of that level.

   This works with gcc and clang and any C library. `target_clones` would need gcc and glibc, and a test could not
   choose the level. All levels compute in the same order, so they give the same bits, except where MULTIPLY_ADD
   rounds once at one level and twice at another. */

#ifndef TAPEGRAD_VECTORS_H
#define TAPEGRAD_VECTORS_H

/* The C standard lets no compiler join a product and a sum of two statements, and clang joins those of one. The
   kernels of convolutions ask for it: they define TAPEGRAD_CONTRACTED. */
#if defined(__clang__) && !defined(TAPEGRAD_CONTRACTED)
#pragma STDC FP_CONTRACT OFF
#endif

#define TAPEGRAD_JOIN2_(a, b) a##_##b
#define TAPEGRAD_JOIN2(a, b) TAPEGRAD_JOIN2_(a, b)
#define TAPEGRAD_JOIN3_(a, b, c) a##_##b##_##c
#define TAPEGRAD_JOIN3(a, b, c) TAPEGRAD_JOIN3_(a, b, c)

/* The name of something that exists for each type and each level. */
#define AT_LEVEL(name, T) TAPEGRAD_JOIN3(name, T, LEVEL)
#define NAME(name) AT_LEVEL(name, T)

/* A function that has to become part of the loop around it, or that is no loop of vectors. Compilers leave out those
   that are long and called from several loops. */
#ifdef __GNUC__
#define TAPEGRAD_PART_OF_LOOP __attribute__((always_inline)) static inline
#else
#define TAPEGRAD_PART_OF_LOOP static inline
#endif

/* A loop after this word may compute its elements in any order: it writes none that it reads later. */
#if defined(__clang__)
#define TAPEGRAD_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define TAPEGRAD_INDEPENDENT _Pragma("GCC ivdep")
#else
#define TAPEGRAD_INDEPENDENT
#endif

#if (defined(__x86_64__) || defined(__i386__)) && defined(__GNUC__)
#define TAPEGRAD_LEVELS 3
#define TAPEGRAD_AT_LEVELS(name, T) {name##_##T##_plain, name##_##T##_middle, name##_##T##_wide}
#define TAPEGRAD_AT_LEVELS_WITHOUT_WIDE(name, T) {name##_##T##_plain, name##_##T##_middle, name##_##T##_middle}
#else
#define TAPEGRAD_LEVELS 1
#define TAPEGRAD_AT_LEVELS(name, T) {name##_##T##_plain}
#define TAPEGRAD_AT_LEVELS_WITHOUT_WIDE(name, T) {name##_##T##_plain}
#endif

/* A loop that compilers keep in a function of its own. As a part of the loop around it gcc left its accumulators in
   memory. */
#define TAPEGRAD_APART __attribute__((noinline))

/* Combine 32 accumulators into the first four of them, or into the first. Each step has its length in the text, so that
   compilers keep the accumulators in registers: from a loop over the lengths gcc made loops through memory. */
#define TAPEGRAD_FOLD_STEP(lane, OF, length)                                                                 \
    for (npy_intp lane_ = 0; lane_ < (length); lane_++)                                                      \
        (lane)[lane_] = OF((lane)[lane_], (lane)[lane_ + (length)])
#define TAPEGRAD_FOLD_TO_FOUR(lane, OF)                                                                      \
    do {                                                                                                     \
        TAPEGRAD_FOLD_STEP(lane, OF, 16);                                                                    \
        TAPEGRAD_FOLD_STEP(lane, OF, 8);                                                                     \
        TAPEGRAD_FOLD_STEP(lane, OF, 4);                                                                     \
    } while (0)
#define TAPEGRAD_FOLD(lane, OF)                                                                              \
    do {                                                                                                     \
        TAPEGRAD_FOLD_TO_FOUR(lane, OF);                                                                     \
        (lane)[0] = OF(OF((lane)[0], (lane)[2]), OF((lane)[1], (lane)[3]));                                  \
    } while (0)
#define TAPEGRAD_PLUS(x, y) ((x) + (y))

/* `name_at(is_double, level)`: the tables `name` of float or of double at a level. Their type has that name too. */
#define TAPEGRAD_VERSIONS(name) TAPEGRAD_VERSIONS_OF(TAPEGRAD_AT_LEVELS, name)
#define TAPEGRAD_VERSIONS_WITHOUT_WIDE(name) TAPEGRAD_VERSIONS_OF(TAPEGRAD_AT_LEVELS_WITHOUT_WIDE, name)
#define TAPEGRAD_VERSIONS_OF(AT_LEVELS, name)                                                                \
    const name *name##_at(int is_double, int level)                                                          \
    {                                                                                                        \
        static const name *const versions[2][TAPEGRAD_LEVELS] = {                                            \
            AT_LEVELS(&name, float), AT_LEVELS(&name, double)};                                              \
        return versions[is_double != 0][level];                                                              \
    }

/* The level with the widest vectors that this processor has; 0 is the plainest. */
static inline int tapegrad_best_level(void)
{
#if TAPEGRAD_LEVELS == 3
    __builtin_cpu_init();
    if (__builtin_cpu_supports("fma") && __builtin_cpu_supports("avx2"))
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl")
            && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") ? 2 : 1;
#endif
    return 0;
}

#endif
