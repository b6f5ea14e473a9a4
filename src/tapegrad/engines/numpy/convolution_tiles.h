/* The loops of a convolution for elements of type T in vectors of VECTOR bytes, in tiles of ROWS rows and two
   vectors of columns. `convolution_types.h` includes it for each T; no guard. */

#define LANES (VECTOR / (ptrdiff_t)sizeof(T))
#define COLUMNS (2 * LANES)
#define INNER (TAPEGRAD_BLOCK_BYTES / (ptrdiff_t)sizeof(T))
#define GRADIENT_INNER (TAPEGRAD_GRADIENT_BYTES / (ptrdiff_t)sizeof(T))
#define PITCH (INNER + TAPEGRAD_BLOCK_SPARE / (ptrdiff_t)sizeof(T))

/* Vectors of elements, anywhere in memory; they stand for any object, as T * does not. */
typedef T NAME(vector) __attribute__((vector_size(VECTOR), aligned(sizeof(T)), may_alias));

/* rows[r][c] (+)= sum over k of a[r * ROW_STEP + k * INNER_STEP] * b[k * COLUMNS + c]: the steps are constants, so
   that each of the rows is one address plus a number. A tile has one or two WIDTHs of a vector. */
#define TILE(name, WIDTH, ROW_STEP, INNER_STEP)                                                            \
    TARGET static void name(ptrdiff_t inner, const T *a, const T *b, T *const *rows, int accumulate)       \
    {                                                                                                      \
        NAME(vector) sums[ROWS][WIDTH], part[WIDTH];                                                       \
        _Pragma("GCC unroll 16") for (int r = 0; r < ROWS; r++)                                            \
            _Pragma("GCC unroll 2") for (int w = 0; w < WIDTH; w++)                                        \
                sums[r][w] = (NAME(vector)){0};                                                            \
        if (accumulate) {                                                                                  \
            _Pragma("GCC unroll 16") for (int r = 0; r < ROWS; r++)                                        \
                _Pragma("GCC unroll 2") for (int w = 0; w < WIDTH; w++)                                    \
                    sums[r][w] = *(const NAME(vector) *)(rows[r] + w * LANES);                             \
        }                                                                                                  \
        for (ptrdiff_t k = 0; k < inner; k++, a += (INNER_STEP), b += COLUMNS) {                           \
            _Pragma("GCC unroll 2") for (int w = 0; w < WIDTH; w++)                                        \
                part[w] = *(const NAME(vector) *)(b + w * LANES);                                          \
            _Pragma("GCC unroll 16") for (int r = 0; r < ROWS; r++) {                                      \
                T number = a[r * (ROW_STEP)];                                                              \
                _Pragma("GCC unroll 2") for (int w = 0; w < WIDTH; w++)                                    \
                    sums[r][w] += number * part[w];                                                        \
            }                                                                                              \
        }                                                                                                  \
        _Pragma("GCC unroll 16") for (int r = 0; r < ROWS; r++)                                            \
            _Pragma("GCC unroll 2") for (int w = 0; w < WIDTH; w++)                                        \
                *(NAME(vector) *)(rows[r] + w * LANES) = sums[r][w];                                       \
    }

TILE(NAME(tile), 2, PITCH, 1)
TILE(NAME(narrow_tile), 1, PITCH, 1)
TILE(NAME(tile_of_gradient), 2, 1, GRADIENT_INNER)
TILE(NAME(narrow_tile_of_gradient), 1, 1, GRADIENT_INNER)
#undef TILE

typedef void (*NAME(tile_function))(ptrdiff_t inner, const T *a, const T *b, T *const *rows, int accumulate);

/* The `height` rows and `width` columns of the result that a tile has: all of them, or fewer at its edges. Where they
   fit into one vector of columns, the second is not computed; where they are no whole tile, they go through one. */
TARGET static void NAME(run_tile)(NAME(tile_function) wide, NAME(tile_function) narrow, ptrdiff_t inner, const T *a,
                                  const T *b, T *const *rows, int accumulate, ptrdiff_t height, ptrdiff_t width)
{
    NAME(tile_function) tile = width <= LANES ? narrow : wide;
    T whole[ROWS][COLUMNS];
    T *whole_rows[ROWS];
    if (height == ROWS && (width == LANES || width == COLUMNS)) {
        tile(inner, a, b, rows, accumulate);
        return;
    }
    for (ptrdiff_t r = 0; r < ROWS; r++)
        whole_rows[r] = whole[r];
    if (accumulate) {
        memset(whole, 0, sizeof whole);
        for (ptrdiff_t r = 0; r < height; r++)
            memcpy(whole[r], rows[r], width * sizeof(T));
    }
    tile(inner, a, b, whole_rows, accumulate);
    for (ptrdiff_t r = 0; r < height; r++)
        memcpy(rows[r], whole[r], width * sizeof(T));
}

TARGET static inline void NAME(copy)(T *to, const T *from, ptrdiff_t n)
{
    ptrdiff_t i = 0;
    if (n >= LANES) {
        for (; i < n - LANES; i += LANES)
            *(NAME(vector) *)(to + i) = *(const NAME(vector) *)(from + i);
        *(NAME(vector) *)(to + n - LANES) = *(const NAME(vector) *)(from + n - LANES);
        return;
    }
    if (n >= 4) {
        for (; i < n - 4; i += 4)
            memcpy(to + i, from + i, 4 * sizeof(T));
        memcpy(to + n - 4, from + n - 4, 4 * sizeof(T));
        return;
    }
    for (; i < n; i++)
        to[i] = from[i];
}

TARGET static inline void NAME(clear)(T *to, ptrdiff_t n)
{
    for (ptrdiff_t i = 0; i < n; i++)
        to[i] = 0;
}

/* A run of a window that reaches beyond the source, by `z`, `y`, `x`: zeros where there is nothing. */
TARGET static void NAME(lay_out_edge)(const tapegrad_patches *patches, const tapegrad_run *run, const T *image,
                                      ptrdiff_t z, ptrdiff_t y, ptrdiff_t x, T *to)
{
    const tapegrad_axis *axes = patches->axes;
    ptrdiff_t first = x < 0 ? -x : 0, last = axes[2].size - x < run->taps ? axes[2].size - x : run->taps;
    if (z < 0 || z >= axes[0].size || y < 0 || y >= axes[1].size || first >= last)
        first = last = run->taps;
    NAME(clear)(to, first * run->length);
    if (first < last)
        NAME(copy)(to + first * run->length,
                   image + ((z * axes[1].size + y) * axes[2].size + x + first) * patches->channels + run->channel,
                   (last - first) * run->length);
    NAME(clear)(to + last * run->length, (run->taps - last) * run->length);
}

/* The windows at `count` positions from `first` on, `start` to `end` of their inner axis, as rows of `to`. */
TARGET static void NAME(lay_out)(const tapegrad_patches *patches, ptrdiff_t group, ptrdiff_t first,
                                 ptrdiff_t count, ptrdiff_t start, ptrdiff_t end, T *to, ptrdiff_t pitch)
{
    tapegrad_run runs[INNER];
    ptrdiff_t run_count = tapegrad_runs(patches, start, end, runs), low[TAPEGRAD_AXES], high[TAPEGRAD_AXES];
    const tapegrad_axis *axes = patches->axes;
    ptrdiff_t line = axes[2].size * patches->channels, plane = axes[1].size * line;
    const T *source = (const T *)patches->source + group * patches->depth;
    tapegrad_position position = tapegrad_locate(patches, first);
    tapegrad_reach(runs, run_count, low, high);
    for (ptrdiff_t row = 0; row < count; row++, to += pitch, tapegrad_advance(patches, &position)) {
        const T *image = source + position.at[0] * axes[0].size * plane;
        ptrdiff_t z = position.at[1] * axes[0].step, y = position.at[2] * axes[1].step;
        ptrdiff_t x = position.at[3] * axes[2].step;
        T *out = to;
        if (z + low[0] >= 0 && z + high[0] < axes[0].size && y + low[1] >= 0 && y + high[1] < axes[1].size
                && x + low[2] >= 0 && x + high[2] < axes[2].size) {
            const T *place = image + z * plane + y * line + x * patches->channels;
            for (ptrdiff_t i = 0; i < run_count; i++) {
                const tapegrad_run *run = &runs[i];
                ptrdiff_t length = run->taps * run->length;
                NAME(copy)(out, place + run->offsets[0] * plane + run->offsets[1] * line
                                + run->offsets[2] * patches->channels + run->channel, length);
                out += length;
            }
        } else {
            for (ptrdiff_t i = 0; i < run_count; i++) {
                const tapegrad_run *run = &runs[i];
                NAME(lay_out_edge)(patches, run, image, z + run->offsets[0], y + run->offsets[1],
                                   x + run->offsets[2], out);
                out += run->taps * run->length;
            }
        }
    }
}

TARGET static void NAME(pack)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_packing *packing = context;
    ptrdiff_t panels = (packing->width + COLUMNS - 1) / COLUMNS;
    ptrdiff_t inner = packing->taps * packing->depth;
    for (ptrdiff_t item = begin; item < end; item++) {
        ptrdiff_t column = item % panels * COLUMNS;
        ptrdiff_t columns = packing->width - column < COLUMNS ? packing->width - column : COLUMNS;
        const T *filters = (const T *)packing->filters + item / panels * packing->group_step
                           + column * packing->width_step;
        T *to = (T *)packing->packed + item * inner * COLUMNS;
        for (ptrdiff_t tap = 0; tap < packing->taps; tap++) {
            const T *from = filters + packing->places[tap] * packing->tap_step;
            for (ptrdiff_t k = 0; k < packing->depth; k++, from += packing->depth_step, to += COLUMNS) {
                if (packing->width_step == 1)
                    NAME(copy)(to, from, columns);
                else
                    for (ptrdiff_t j = 0; j < columns; j++)
                        to[j] = from[j * packing->width_step];
                NAME(clear)(to + columns, COLUMNS - columns);
            }
        }
    }
}

TARGET static void NAME(multiply)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_product *product = context;
    const tapegrad_patches *patches = &product->patches;
    ptrdiff_t panels = (patches->width + COLUMNS - 1) / COLUMNS;
    T block[TAPEGRAD_BLOCK_ROWS * PITCH] __attribute__((aligned(64)));
    T *rows[TAPEGRAD_BLOCK_ROWS + ROWS];
    for (ptrdiff_t item = begin; item < end; item++) {
        ptrdiff_t group = item / product->blocks, first = item % product->blocks * TAPEGRAD_BLOCK_ROWS;
        ptrdiff_t count = patches->positions - first < TAPEGRAD_BLOCK_ROWS ? patches->positions - first
                                                                          : TAPEGRAD_BLOCK_ROWS;
        ptrdiff_t start = 0, stop;
        T *result = (T *)product->result + group * patches->width;
        tapegrad_position position = tapegrad_locate(patches, first);
        for (ptrdiff_t r = 0; r < count; r++, tapegrad_advance(patches, &position)) {
            rows[r] = result;
            for (int i = 0; i <= TAPEGRAD_AXES; i++)
                rows[r] += position.at[i] * product->steps[i];
        }
        do {
            stop = tapegrad_block_end(patches, start, INNER);
            NAME(lay_out)(patches, group, first, count, start, stop, block, PITCH);
            for (ptrdiff_t r = count; r % ROWS != 0; r++)
                NAME(clear)(block + r * PITCH, stop - start);
            for (ptrdiff_t panel = 0; panel < panels; panel++) {
                const T *b = (const T *)product->packed
                             + ((group * panels + panel) * patches->inner + start) * COLUMNS;
                ptrdiff_t column = panel * COLUMNS;
                ptrdiff_t width = patches->width - column < COLUMNS ? patches->width - column : COLUMNS;
                for (ptrdiff_t r = 0; r < count; r += ROWS) {
                    T *tile_rows[ROWS];
                    ptrdiff_t height = count - r < ROWS ? count - r : ROWS;
                    for (ptrdiff_t i = 0; i < height; i++)
                        tile_rows[i] = rows[r + i] + column;
                    NAME(run_tile)(NAME(tile), NAME(narrow_tile), stop - start, block + r * PITCH, b, tile_rows,
                                   start > 0, height, width);
                }
            }
            start = stop;
        } while (start < patches->inner);
    }
}

TARGET static void NAME(filter_gradient)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_filter_gradient *gradient = context;
    const tapegrad_patches *patches = &gradient->patches;
    ptrdiff_t outputs = patches->groups * patches->width;
    T block[TAPEGRAD_GRADIENT_ROWS * GRADIENT_INNER] __attribute__((aligned(64)));
    T panel[TAPEGRAD_GRADIENT_ROWS * COLUMNS] __attribute__((aligned(64)));
    for (ptrdiff_t item = begin; item < end; item++) {
        ptrdiff_t slice = item / (patches->groups * gradient->blocks);
        ptrdiff_t group = item / gradient->blocks % patches->groups;
        ptrdiff_t first = slice * gradient->slice, last = first + gradient->slice, start = 0, stop;
        T *result = (T *)gradient->result + slice * patches->inner * outputs + group * patches->width;
        if (last > patches->positions)
            last = patches->positions;
        stop = tapegrad_block_end(patches, start, GRADIENT_INNER);
        for (ptrdiff_t skipped = item % gradient->blocks; skipped > 0; skipped--) {
            start = stop;
            stop = tapegrad_block_end(patches, start, GRADIENT_INNER);
        }
        for (ptrdiff_t from = first; from < last; from += TAPEGRAD_GRADIENT_ROWS) {
            ptrdiff_t count = last - from < TAPEGRAD_GRADIENT_ROWS ? last - from : TAPEGRAD_GRADIENT_ROWS;
            NAME(lay_out)(patches, group, from, count, start, stop, block, GRADIENT_INNER);
            for (ptrdiff_t column = 0; column < patches->width; column += COLUMNS) {
                ptrdiff_t width = patches->width - column < COLUMNS ? patches->width - column : COLUMNS;
                const T *dy = (const T *)gradient->dy + from * outputs + group * patches->width + column;
                for (ptrdiff_t r = 0; r < count; r++) {
                    NAME(copy)(panel + r * COLUMNS, dy + r * outputs, width);
                    NAME(clear)(panel + r * COLUMNS + width, COLUMNS - width);
                }
                for (ptrdiff_t k = start; k < stop; k += ROWS) {
                    T *rows[ROWS];
                    ptrdiff_t height = stop - k < ROWS ? stop - k : ROWS;
                    for (ptrdiff_t i = 0; i < height; i++)
                        rows[i] = result + (k + i) * outputs + column;
                    NAME(run_tile)(NAME(tile_of_gradient), NAME(narrow_tile_of_gradient), count,
                                   block + (k - start), panel, rows, from > first, height, width);
                }
            }
        }
    }
}

TARGET static void NAME(sum)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_sum *sum = context;
    const T *from = sum->values;
    T *to = sum->result;
    NAME(copy)(to + begin, from + begin, end - begin);
    for (ptrdiff_t slice = 1; slice < sum->slices; slice++) {
        from += sum->length;
        for (ptrdiff_t i = begin; i < end; i++)
            to[i] += from[i];
    }
}

#undef LANES
#undef COLUMNS
#undef INNER
#undef GRADIENT_INNER
#undef PITCH
