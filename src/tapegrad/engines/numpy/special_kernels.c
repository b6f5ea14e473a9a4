/* What `special.h` declares, at each level. */

#include "special.h"
#include "special_tables.h"
#include "vectors.h"

#include <math.h>

#define KERNELS "special_functions.h"
#define KERNELS_WITHOUT_WIDE
#include "each_level.h"

const tapegrad_special *tapegrad_special_at(int level)
{
    static const tapegrad_special *const versions[] = TAPEGRAD_AT_LEVELS_WITHOUT_WIDE(&tapegrad_special, double);
    return versions[level];
}

#define LOOPS(T)                                                                                               \
    void tapegrad_of_one_##T(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data)       \
    {                                                                                                          \
        tapegrad_of_one function = *(const tapegrad_of_one *)data;                                             \
        for (npy_intp i = 0; i < dimensions[0]; i++)                                                           \
            *(T *)(args[1] + i * steps[1]) = (T)function(*(const T *)(args[0] + i * steps[0]));                \
    }                                                                                                          \
    void tapegrad_of_two_##T(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data)       \
    {                                                                                                          \
        tapegrad_of_two function = *(const tapegrad_of_two *)data;                                             \
        for (npy_intp i = 0; i < dimensions[0]; i++)                                                           \
            *(T *)(args[2] + i * steps[2]) = (T)function(*(const T *)(args[0] + i * steps[0]),                 \
                                                         *(const T *)(args[1] + i * steps[1]));                \
    }                                                                                                          \
    void tapegrad_of_three_##T(char **args, npy_intp const *dimensions, npy_intp const *steps, void *data)     \
    {                                                                                                          \
        tapegrad_of_three function = *(const tapegrad_of_three *)data;                                         \
        for (npy_intp i = 0; i < dimensions[0]; i++)                                                           \
            *(T *)(args[3] + i * steps[3]) = (T)function(*(const T *)(args[0] + i * steps[0]),                 \
                                                         *(const T *)(args[1] + i * steps[1]),                 \
                                                         *(const T *)(args[2] + i * steps[2]));                \
    }
LOOPS(float)
LOOPS(double)
#undef LOOPS
