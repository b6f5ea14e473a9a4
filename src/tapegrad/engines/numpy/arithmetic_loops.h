/* The loops of `arithmetic.h` for elements of type T: KERNELS_OF_TYPE of `each_real.h`; no guard. */

typedef T NAME(elements) __attribute__((vector_size(VECTOR), aligned(sizeof(T)), may_alias));
typedef __typeof__((NAME(elements)){0} != 0) NAME(truths);

/* By whole vectors: what is read in other pieces than it was just written in takes long to read. */
TARGET static void NAME(repeat)(const char *number, char *room)
{
    NAME(elements) repeated = *(const T *)number - (NAME(elements)){0};
    ((NAME(elements) *)room)[0] = ((NAME(elements) *)room)[1] = repeated;
}

#define LOOP(FIRST, SECOND)                                                                               \
    TARGET static void NAME(FIRST##_##SECOND)(                                                            \
        const char *x, const char *y, const char *z, char *out, const ptrdiff_t *moves, ptrdiff_t turns)  \
    {                                                                                                     \
        ptrdiff_t x_moves = moves[0], y_moves = moves[1], z_moves = moves[2];                             \
        for (; turns > 0; turns--) {                                                                      \
            TURN(FIRST, SECOND, 0)                                                                        \
            TURN(FIRST, SECOND, 1)                                                                        \
            x += x_moves, y += y_moves, z += z_moves, out += 2 * VECTOR;                                  \
        }                                                                                                 \
    }
#define TURN(FIRST, SECOND, i) AT(NAME(elements), out, i) = SECOND(FIRST(AT_CONST(x, i), AT_CONST(y, i)), AT_CONST(z, i));
#define AT(V, from, i) (((V *)(from))[i])
#define AT_CONST(from, i) AT(const NAME(elements), from, i)
#define ADD(x, y) ((x) + (y))
#define SUBTRACT(x, y) ((x) - (y))
#define MULTIPLY(x, y) ((x) * (y))
#define NEGATE(x, y) (-(x))
#define MULTIPLY_NO_NAN(x, y) ((NAME(elements))((NAME(truths))((x) * (y)) & ((y) != 0)))
#define NOTHING(x, y) (x)
#define SUBTRACT_FROM(x, y) SUBTRACT(y, x)
#define MULTIPLY_NO_NAN_BY(x, y) MULTIPLY_NO_NAN(y, x)

#define WITH_EACH_SECOND(FIRST)                                                                           \
    LOOP(FIRST, ADD)                                                                                      \
    LOOP(FIRST, SUBTRACT)                                                                                 \
    LOOP(FIRST, MULTIPLY)                                                                                 \
    LOOP(FIRST, NEGATE)                                                                                   \
    LOOP(FIRST, MULTIPLY_NO_NAN)                                                                          \
    LOOP(FIRST, NOTHING)                                                                                  \
    LOOP(FIRST, SUBTRACT_FROM)                                                                            \
    LOOP(FIRST, MULTIPLY_NO_NAN_BY)
WITH_EACH_SECOND(ADD)
WITH_EACH_SECOND(SUBTRACT)
WITH_EACH_SECOND(MULTIPLY)
WITH_EACH_SECOND(NEGATE)
WITH_EACH_SECOND(MULTIPLY_NO_NAN)

#define LOOPS_OF(FIRST)                                                                                   \
    [TAPEGRAD_##FIRST] = {                                                                                \
        [TAPEGRAD_ADD] = NAME(FIRST##_ADD), [TAPEGRAD_SUBTRACT] = NAME(FIRST##_SUBTRACT),                 \
        [TAPEGRAD_MULTIPLY] = NAME(FIRST##_MULTIPLY), [TAPEGRAD_NEGATE] = NAME(FIRST##_NEGATE),           \
        [TAPEGRAD_MULTIPLY_NO_NAN] = NAME(FIRST##_MULTIPLY_NO_NAN), [TAPEGRAD_NOTHING] = NAME(FIRST##_NOTHING), \
        [TAPEGRAD_SUBTRACT_FROM] = NAME(FIRST##_SUBTRACT_FROM),                                           \
        [TAPEGRAD_MULTIPLY_NO_NAN_BY] = NAME(FIRST##_MULTIPLY_NO_NAN_BY)}
static const tapegrad_turns NAME(arithmetic)[TAPEGRAD_FIRST_STEPS][TAPEGRAD_SECOND_STEPS] = {
    LOOPS_OF(ADD), LOOPS_OF(SUBTRACT), LOOPS_OF(MULTIPLY), LOOPS_OF(NEGATE), LOOPS_OF(MULTIPLY_NO_NAN)};

#undef LOOP
#undef TURN
#undef AT
#undef AT_CONST
#undef ADD
#undef SUBTRACT
#undef MULTIPLY
#undef NEGATE
#undef MULTIPLY_NO_NAN
#undef NOTHING
#undef SUBTRACT_FROM
#undef MULTIPLY_NO_NAN_BY
#undef WITH_EACH_SECOND
#undef LOOPS_OF
