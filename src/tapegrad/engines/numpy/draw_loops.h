/* The loops of `draws.h`: KERNELS of `each_level.h`; no guard. */

#define DRAW(name) AT_LEVEL(name, all)

/* The words of `count` counters, at most TAPEGRAD_LOT: that of the stream, and others `step` apart. Salmon, Moraes, Dror,
   Shaw: "Parallel random numbers: as easy as 1, 2, 3" (SC 2011). */
TARGET static void DRAW(lot)(const tapegrad_stream *stream, npy_uint64 step, npy_intp count, npy_uint32 *restrict words)
{
    npy_uint32 first[TAPEGRAD_ROUNDS], second[TAPEGRAD_ROUNDS];
    npy_uint32 a[TAPEGRAD_LOT], b[TAPEGRAD_LOT], c[TAPEGRAD_LOT], d[TAPEGRAD_LOT];
    for (npy_uint32 round = 0; round < TAPEGRAD_ROUNDS; round++) {
        first[round] = stream->key[0] + round * 0x9E3779B9u;
        second[round] = stream->key[1] + round * 0xBB67AE85u;
    }
    for (npy_intp i = 0; i < count; i++) {
        npy_uint64 moved = (npy_uint64)i * step, low = stream->low + moved, high = stream->high + (low < moved);
        a[i] = (npy_uint32)low, b[i] = (npy_uint32)(low >> 32);
        c[i] = (npy_uint32)high, d[i] = (npy_uint32)(high >> 32);
    }
    for (npy_intp i = 0; i < count; i++) {
        npy_uint32 c0 = a[i], c1 = b[i], c2 = c[i], c3 = d[i];
        for (int round = 0; round < TAPEGRAD_ROUNDS; round++) {
            npy_uint64 p0 = (npy_uint64)0xD2511F53u * c0, p2 = (npy_uint64)0xCD9E8D57u * c2;
            c0 = (npy_uint32)(p2 >> 32) ^ c1 ^ first[round];
            c1 = (npy_uint32)p2;
            c2 = (npy_uint32)(p0 >> 32) ^ c3 ^ second[round];
            c3 = (npy_uint32)p0;
        }
        words[4 * i] = c0, words[4 * i + 1] = c1, words[4 * i + 2] = c2, words[4 * i + 3] = c3;
    }
}

/* log, sine and cosine of float32, rounded as the GNU C library rounds them, so that other C libraries draw the same
   numbers. They are computed in float64 by the coefficients of its logf and sincosf (Arm's optimized routines; their
   licence is in LICENSES/optimized-routines.txt) and rounded once at the end. They equal its results at all 2**23 arguments that a draw can have. */

/* sin(x) and cos(x) in [0, 2 pi), from the distance to the nearest quarter of a turn: adding 1.5 * 2**52 rounds. */
TARGET TAPEGRAD_PART_OF_LOOP void DRAW(sine_cosine)(float x, float *sine, float *cosine)
{
    double quarter = ((double)x * 0.6366197723675814 + 6755399441055744.0) - 6755399441055744.0;
    double r = x - quarter * 1.5707963267948966;
    double square = r * r, cube = r * square, fourth = square * square;
    double s = r + cube * -0x1.555545995a603p-3 + cube * square * (0x1.1107605230bc4p-7 + square * -0x1.994eb3774cf24p-13);
    double c = 1.0 + square * -0x1.ffffffd0c621cp-2 + fourth * 0x1.55553e1068f19p-5
        + fourth * square * (-0x1.6c087e89a359dp-10 + square * 0x1.99343027bf8c3p-16);
    npy_int32 turn = (npy_int32)quarter;
    double first = turn & 1 ? c : s, second = turn & 1 ? s : c;
    *sine = (float)(turn & 2 ? -first : first);
    *cosine = (float)((turn + 1) & 2 ? -second : second);
}

/* Box and Muller's transform of `pairs` pairs of words, at most 2 * TAPEGRAD_LOT. The logarithm of TINY is taken where a
   number is smaller, zero above all. Each number is z * 2**power with z near 1, whose reciprocal is looked up roughly. */
TARGET static void DRAW(normals_32)(const npy_uint32 *restrict words, float *restrict out, npy_intp pairs)
{
    npy_int32 bits[2 * TAPEGRAD_LOT], offset[2 * TAPEGRAD_LOT];
    double reciprocal[2 * TAPEGRAD_LOT], whole[2 * TAPEGRAD_LOT];
    float angle[2 * TAPEGRAD_LOT], radius[2 * TAPEGRAD_LOT];
    for (npy_intp i = 0; i < pairs; i++) {
        union { float number; npy_int32 bits; } u = {tapegrad_uniform_32(words[2 * i])}, tiny = {1.0e-7f};
        bits[i] = u.bits > tiny.bits ? u.bits : tiny.bits; /* the bits of positive floats rise with them */
        offset[i] = bits[i] - 0x3F330000;
        angle[i] = (float)(6.283185307179586 * tapegrad_uniform_32(words[2 * i + 1]));
    }
    for (npy_intp i = 0; i < pairs; i++) {
        npy_int32 place = (offset[i] >> 19) & 15;
        reciprocal[i] = tapegrad_reciprocals[place];
        whole[i] = tapegrad_logs[place];
    }
    for (npy_intp i = 0; i < pairs; i++) {
        npy_int32 power = offset[i] >> 23;
        union { npy_int32 bits; float number; } z = {bits[i] - (npy_int32)((npy_uint32)power << 23)};
        double r = z.number * reciprocal[i] - 1.0, square = r * r;
        double result = (0x1.5575b0be00b6ap-2 * r + -0x1.ffffef20a4123p-2 + -0x1.00ea348b88334p-2 * square) * square;
        radius[i] = sqrtf(-2 * (float)(result + (whole[i] + power * 0.6931471805599453 + r)));
    }
    TAPEGRAD_INDEPENDENT
    for (npy_intp i = 0; i < pairs; i++) {
        float sine, cosine;
        DRAW(sine_cosine)(angle[i], &sine, &cosine);
        out[2 * i] = sine * radius[i];
        out[2 * i + 1] = cosine * radius[i];
    }
}

TARGET static void DRAW(normals_64)(const npy_uint32 *words, double *out, npy_intp pairs)
{
    for (npy_intp i = 0; i < pairs; i++, words += 4) {
        double u = tapegrad_uniform_64(words[0], words[1]);
        double angle = 6.283185307179586 * tapegrad_uniform_64(words[2], words[3]);
        double radius = sqrt(-2 * log(u > 1.0e-7 ? u : 1.0e-7));
        out[2 * i] = sin(angle) * radius;
        out[2 * i + 1] = cos(angle) * radius;
    }
}

/* Fills lot after lot; EACH makes a lot's numbers, all of them, of `words`. */
#define LOTS(NAME_, T, TO_COUNTER, EACH)                                                                  \
    TARGET static void DRAW(NAME_)(const tapegrad_stream *stream, void *to, npy_intp count, npy_uint64 stride) \
    {                                                                                                     \
        npy_uint32 words[TAPEGRAD_WORDS];                                                                 \
        T room[TO_COUNTER * TAPEGRAD_LOT], *out = to;                                                     \
        npy_uint64 done = 0;                                                                              \
        (void)stride;                                                                                     \
        while (count > 0) {                                                                               \
            npy_intp n = count < TO_COUNTER * TAPEGRAD_LOT ? count : TO_COUNTER * TAPEGRAD_LOT;           \
            npy_intp counters = (n + TO_COUNTER - 1) / TO_COUNTER, whole = counters * TO_COUNTER;         \
            tapegrad_stream here = tapegrad_moved(stream, done);                                          \
            T *made = whole == n ? out : room;                                                            \
            DRAW(lot)(&here, 1, counters, words);                                                            \
            EACH;                                                                                         \
            if (made == room)                                                                             \
                memcpy(out, room, (size_t)n * sizeof(T));                                                 \
            out += n, count -= n, done += (npy_uint64)counters;                                           \
        }                                                                                                 \
    }
LOTS(words, npy_uint32, 4, memcpy(made, words, (size_t)whole * sizeof(npy_uint32)))
LOTS(uniform_32, float, 4, for (npy_intp i = 0; i < whole; i++) made[i] = tapegrad_uniform_32(words[i]))
LOTS(uniform_64, double, 2,
     for (npy_intp i = 0; i < whole; i++) made[i] = tapegrad_uniform_64(words[2 * i], words[2 * i + 1]))
LOTS(normal_32, float, 4, DRAW(normals_32)(words, made, whole / 2))
LOTS(normal_64, double, 2, DRAW(normals_64)(words, made, whole / 2))
#undef LOTS

/* Normals below two in size. Each group, of what one counter gives, takes the first that fit from a stream of its own.
   What the first counters of many groups give is made together, and is enough for most groups. */
#define TRUNCATED(NAME_, T, GROUP, NORMALS, FABS)                                                         \
    TARGET static void DRAW(NAME_)(const tapegrad_stream *stream, void *to, npy_intp count, npy_uint64 stride) \
    {                                                                                                     \
        npy_uint32 words[TAPEGRAD_WORDS], more[4];                                                        \
        T made[GROUP * TAPEGRAD_LOT], again[GROUP], *out = to;                                            \
        for (npy_uint64 group = 0; count > 0; group += TAPEGRAD_LOT) {                                    \
            npy_intp most = (count + GROUP - 1) / GROUP, groups = most < TAPEGRAD_LOT ? most : TAPEGRAD_LOT; \
            tapegrad_stream lot = tapegrad_moved(stream, group * stride);                                 \
            DRAW(lot)(&lot, stride, groups, words);                                                       \
            NORMALS(words, made, groups * GROUP / 2);                                                     \
            for (npy_intp each = 0; each < groups; each++) {                                              \
                npy_intp i = 0, n = count < GROUP ? count : GROUP;                                        \
                const T *some = made + GROUP * each;                                                      \
                for (npy_uint64 counter = 1;; counter++) {                                                \
                    for (int place = 0; place < GROUP && i < n; place++)                                  \
                        if (FABS(some[place]) < 2)                                                        \
                            out[i++] = some[place];                                                       \
                    if (i == n)                                                                           \
                        break;                                                                            \
                    tapegrad_stream next = tapegrad_moved(&lot, (npy_uint64)each * stride + counter);     \
                    DRAW(lot)(&next, 1, 1, more);                                                         \
                    NORMALS(more, again, GROUP / 2);                                                      \
                    some = again;                                                                         \
                }                                                                                         \
                out += n, count -= n;                                                                     \
            }                                                                                             \
        }                                                                                                 \
    }
TRUNCATED(truncated_32, float, 4, DRAW(normals_32), fabsf)
TRUNCATED(truncated_64, double, 2, DRAW(normals_64), fabs)
#undef TRUNCATED

static const tapegrad_draws DRAW(tapegrad_draws) = {
    DRAW(words), DRAW(uniform_32), DRAW(uniform_64), DRAW(normal_32), DRAW(normal_64), DRAW(truncated_32),
    DRAW(truncated_64)};

#undef DRAW
