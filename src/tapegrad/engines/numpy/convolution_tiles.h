/* The loops of a convolution for elements of type T in vectors of VECTOR bytes, in tiles of ROWS rows and two
   vectors of columns. `convolution_types.h` includes it for each T, and says how long all that is; no guard. */

/* Vectors of elements, anywhere in memory; they stand for any object, as T * does not. */
typedef T NAME(vector) __attribute__((vector_size(VECTOR), aligned(sizeof(T)), may_alias));

/* What a tile multiplies: rows that are laid out side by side in `a`, or else `runs` pieces of each row where they
   are, of `lengths[i]` elements from `places[i * TAPEGRAD_BLOCK_ROWS + r]` on. Of `b` it has one panel. */
typedef struct {
    const T *a, *b;
    ptrdiff_t inner;
    const T *const *places;
    const ptrdiff_t *lengths;
    ptrdiff_t runs;
} NAME(factors);

/* rows[r][c] (+)= sum over k of a row's number k times b[k * COLUMNS + c]. A tile has one or two WIDTHs of a vector. */
#define TILE(name, WIDTH, PRODUCT)                                                                         \
    TARGET static void name(const NAME(factors) *factors, T *const *rows, int accumulate)                  \
    {                                                                                                      \
        NAME(vector) sums[ROWS][WIDTH], part[WIDTH];                                                       \
        const T *b = factors->b;                                                                           \
        _Pragma("GCC unroll 16") for (int r = 0; r < ROWS; r++)                                            \
            _Pragma("GCC unroll 2") for (int w = 0; w < WIDTH; w++)                                        \
                sums[r][w] = (NAME(vector)){0};                                                            \
        if (accumulate) {                                                                                  \
            _Pragma("GCC unroll 16") for (int r = 0; r < ROWS; r++)                                        \
                _Pragma("GCC unroll 2") for (int w = 0; w < WIDTH; w++)                                    \
                    sums[r][w] = *(const NAME(vector) *)(rows[r] + w * LANES);                             \
        }                                                                                                  \
        PRODUCT                                                                                            \
        _Pragma("GCC unroll 16") for (int r = 0; r < ROWS; r++)                                            \
            _Pragma("GCC unroll 2") for (int w = 0; w < WIDTH; w++)                                        \
                *(NAME(vector) *)(rows[r] + w * LANES) = sums[r][w];                                       \
    }

#define ADD_PRODUCTS(WIDTH, NUMBER)                                                                        \
    _Pragma("GCC unroll 2") for (int w = 0; w < WIDTH; w++)                                                \
        part[w] = *(const NAME(vector) *)(b + w * LANES);                                                  \
    _Pragma("GCC unroll 16") for (int r = 0; r < ROWS; r++) {                                              \
        T number = NUMBER;                                                                                 \
        _Pragma("GCC unroll 2") for (int w = 0; w < WIDTH; w++)                                            \
            sums[r][w] += number * part[w];                                                                \
    }

/* The steps are constants, so that each of the rows is one address plus a number. */
#define LAID_OUT(WIDTH, ROW_STEP, INNER_STEP)                                                              \
    const T *a = factors->a;                                                                               \
    for (ptrdiff_t k = 0; k < factors->inner; k++, a += (INNER_STEP), b += COLUMNS) {                      \
        ADD_PRODUCTS(WIDTH, a[r * (ROW_STEP)])                                                             \
    }

#define IN_PLACE(WIDTH)                                                                                    \
    for (ptrdiff_t i = 0; i < factors->runs; i++) {                                                        \
        const T *a[ROWS];                                                                                  \
        _Pragma("GCC unroll 16") for (int r = 0; r < ROWS; r++)                                            \
            a[r] = factors->places[i * TAPEGRAD_BLOCK_ROWS + r];                                           \
        for (ptrdiff_t k = 0; k < factors->lengths[i]; k++, b += COLUMNS) {                                \
            ADD_PRODUCTS(WIDTH, a[r][k])                                                                   \
        }                                                                                                  \
    }

TILE(NAME(tile), 2, LAID_OUT(2, PITCH, 1))
TILE(NAME(narrow_tile), 1, LAID_OUT(1, PITCH, 1))
TILE(NAME(tile_in_place), 2, IN_PLACE(2))
TILE(NAME(narrow_tile_in_place), 1, IN_PLACE(1))
TILE(NAME(tile_of_gradient), 2, LAID_OUT(2, 1, GRADIENT_INNER))
TILE(NAME(narrow_tile_of_gradient), 1, LAID_OUT(1, 1, GRADIENT_INNER))
#undef TILE
#undef ADD_PRODUCTS
#undef LAID_OUT
#undef IN_PLACE

typedef void (*NAME(tile_function))(const NAME(factors) *factors, T *const *rows, int accumulate);

/* The `height` rows and `width` columns of the result that a tile has: all of them, or fewer at its edges. Where they
   fit into one vector of columns, the second is not computed; where they are no whole tile, they go through one. */
TARGET static void NAME(run_tile)(NAME(tile_function) wide, NAME(tile_function) narrow, const NAME(factors) *factors,
                                  T *const *rows, int accumulate, ptrdiff_t height, ptrdiff_t width)
{
    NAME(tile_function) tile = width <= LANES ? narrow : wide;
    T whole[ROWS][COLUMNS];
    T *whole_rows[ROWS];
    if (height == ROWS && (width == LANES || width == COLUMNS)) {
        tile(factors, rows, accumulate);
        return;
    }
    for (ptrdiff_t r = 0; r < ROWS; r++)
        whole_rows[r] = whole[r];
    if (accumulate) {
        memset(whole, 0, sizeof whole);
        for (ptrdiff_t r = 0; r < height; r++)
            memcpy(whole[r], rows[r], width * sizeof(T));
    }
    tile(factors, whole_rows, accumulate);
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

static const T NAME(zeros)[INNER];

/* Where a run of a window is that begins at `z`, `y`, `x`: in the source, in zeros, or copied to `to` if a part of it
   is beyond the source. */
TARGET static const T *NAME(find)(const tapegrad_patches *patches, const tapegrad_run *run, const T *image,
                                  ptrdiff_t z, ptrdiff_t y, ptrdiff_t x, T *to)
{
    const tapegrad_axis *axes = patches->axes;
    if (z < 0 || z >= axes[0].size || y < 0 || y >= axes[1].size || x <= -run->taps || x >= axes[2].size)
        return NAME(zeros);
    if (x >= 0 && x + run->taps <= axes[2].size)
        return image + ((z * axes[1].size + y) * axes[2].size + x) * patches->channels + run->channel;
    NAME(lay_out_edge)(patches, run, image, z, y, x, to);
    return to;
}

/* The windows at `count` positions from `first` on, run by run: copied to the rows of `to`. Given `places`, as little
   as possible is copied, and `places` tells where the runs of each are (see `factors`). */
TARGET static void NAME(lay_out)(const tapegrad_patches *patches, ptrdiff_t group, ptrdiff_t first, ptrdiff_t count,
                                 const tapegrad_run *runs, ptrdiff_t run_count, T *to, ptrdiff_t pitch,
                                 const T **places)
{
    ptrdiff_t low[TAPEGRAD_AXES], high[TAPEGRAD_AXES], row = 0;
    const tapegrad_axis *axes = patches->axes;
    ptrdiff_t size = axes[0].size * axes[1].size * axes[2].size * patches->channels;
    const T *source = (const T *)patches->source + group * patches->depth;
    tapegrad_position position = tapegrad_locate(patches, first);
    tapegrad_reach(runs, run_count, low, high);
    while (row < count) {
        const T *image = source + position.at[0] * size;
        ptrdiff_t z = position.at[1] * axes[0].step, y = position.at[2] * axes[1].step;
        ptrdiff_t x = position.at[3] * axes[2].step;
        int between = z + low[0] >= 0 && z + high[0] < axes[0].size && y + low[1] >= 0 && y + high[1] < axes[1].size;
        ptrdiff_t stop = row + tapegrad_advance_line(patches, &position, count - row);
        for (; row < stop; row++, to += pitch, x += axes[2].step) {
            size_t place = (((size_t)z * axes[1].size + y) * axes[2].size + x) * patches->channels;
            int inside = between && x + low[2] >= 0 && x + high[2] < axes[2].size;
            T *out = to;
            for (ptrdiff_t i = 0; i < run_count; i++) {
                const tapegrad_run *run = &runs[i];
                if (places != NULL)
                    places[i * TAPEGRAD_BLOCK_ROWS + row] =
                        inside ? image + (place + run->shift)
                               : NAME(find)(patches, run, image, z + run->offsets[0], y + run->offsets[1],
                                            x + run->offsets[2], out);
                else if (inside)
                    NAME(copy)(out, image + (place + run->shift), run->taps * run->length);
                else
                    NAME(lay_out_edge)(patches, run, image, z + run->offsets[0], y + run->offsets[1],
                                       x + run->offsets[2], out);
                out += run->taps * run->length;
            }
        }
    }
}

/* to[k * COLUMNS + j] = from[j * step + k]: `length` rows of a panel whose `columns` columns lie one row each in memory.
   A line of the cache is read whole before the next one, as lines may be so far apart that they share a place there. */
TARGET static void NAME(pack_turned)(const T *from, ptrdiff_t step, ptrdiff_t columns, ptrdiff_t length, T *to)
{
    ptrdiff_t line = 64 / (ptrdiff_t)sizeof(T), whole = columns / SQUARE_WIDTH * SQUARE_WIDTH;
    for (ptrdiff_t count; length > 0; length -= count, from += count, to += count * COLUMNS) {
        ptrdiff_t squares;
        count = length < line ? length : line;
        squares = count / SQUARE_WIDTH * SQUARE_WIDTH;
        for (ptrdiff_t j = 0; j < whole; j += SQUARE_WIDTH)
            for (ptrdiff_t k = 0; k < squares; k += SQUARE_WIDTH)
                SQUARE(from + j * step + k, step, to + k * COLUMNS + j, COLUMNS);
        for (ptrdiff_t k = 0; k < count; k++) {
            for (ptrdiff_t j = k < squares ? whole : 0; j < columns; j++)
                to[k * COLUMNS + j] = from[j * step + k];
            NAME(clear)(to + k * COLUMNS + columns, COLUMNS - columns);
        }
    }
}

/* The panels `panel` to `last` of a group's filters, from `start` to `stop` of the inner axis: the first one at `to`, and
   `step` elements from one to the next. */
TARGET static void NAME(pack_panels)(const tapegrad_packing *packing, ptrdiff_t group, ptrdiff_t panel, ptrdiff_t last,
                                     ptrdiff_t start, ptrdiff_t stop, T *to, ptrdiff_t step)
{
    const T *filters = (const T *)packing->filters + group * packing->group_step;
    ptrdiff_t wanted = last * COLUMNS < packing->width ? last * COLUMNS : packing->width;
    for (ptrdiff_t tap = start / packing->depth, k = start % packing->depth, length; start < stop;
         tap++, k = 0, start += length, to += length * COLUMNS) {
        const T *from = filters + packing->places[tap] * packing->tap_step + k * packing->depth_step;
        length = packing->depth - k < stop - start ? packing->depth - k : stop - start;
        for (ptrdiff_t i = panel; i < last && packing->depth_step == 1; i++) {
            ptrdiff_t column = i * COLUMNS;
            ptrdiff_t columns = packing->width - column < COLUMNS ? packing->width - column : COLUMNS;
            NAME(pack_turned)(from + column * packing->width_step, packing->width_step, columns, length,
                              to + (i - panel) * step);
        }
        for (ptrdiff_t row = 0; row < length && packing->depth_step != 1; row++, from += packing->depth_step) {
            if (length - row > TAPEGRAD_ROWS_AHEAD)
                for (ptrdiff_t j = panel * COLUMNS; j < wanted; j += 64 / (ptrdiff_t)sizeof(T))
                    __builtin_prefetch(from + TAPEGRAD_ROWS_AHEAD * packing->depth_step + j);
            for (ptrdiff_t i = panel; i < last; i++) {
                ptrdiff_t column = i * COLUMNS;
                ptrdiff_t columns = packing->width - column < COLUMNS ? packing->width - column : COLUMNS;
                T *out = to + (i - panel) * step + row * COLUMNS;
                NAME(copy)(out, from + column, columns);
                NAME(clear)(out + columns, COLUMNS - columns);
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
        ptrdiff_t panel = item % panels;
        NAME(pack_panels)(packing, item / panels, panel, panel + 1, 0, inner,
                          (T *)packing->packed + item * inner * COLUMNS, 0);
    }
}

/* Where the rows of a group's result begin, at `count` positions from `first` on. */
TARGET static void NAME(find_rows)(const tapegrad_product *product, ptrdiff_t group, ptrdiff_t first, ptrdiff_t count,
                                   T **rows)
{
    T *result = (T *)product->result + group * product->patches.width;
    tapegrad_position position = tapegrad_locate(&product->patches, first);
    for (ptrdiff_t r = 0; r < count;) {
        T *row = result;
        for (int i = 0; i <= TAPEGRAD_AXES; i++)
            row += position.at[i] * product->steps[i];
        ptrdiff_t end = r + tapegrad_advance_line(&product->patches, &position, count - r);
        for (; r < end; r++, row += product->steps[TAPEGRAD_AXES])
            rows[r] = row;
    }
}

/* The part from `start` to `stop` of the inner axis, at the `count` positions of all `pieces`, for the panels `panel`
   to `last`. Of these `packed` has that part: the first one there, and `step` elements from one to the next. */
TARGET static void NAME(multiply_part)(const tapegrad_patches *patches, ptrdiff_t group, const tapegrad_piece *pieces,
                                       ptrdiff_t count, T *const *rows, ptrdiff_t start, ptrdiff_t stop,
                                       ptrdiff_t panel, ptrdiff_t last, const T *packed, ptrdiff_t step)
{
    T block[TAPEGRAD_BLOCK_ROWS * PITCH] __attribute__((aligned(64)));
    const T *places[TAPEGRAD_MOST_RUNS * TAPEGRAD_BLOCK_ROWS];
    ptrdiff_t lengths[TAPEGRAD_MOST_RUNS];
    tapegrad_run runs[INNER];
    ptrdiff_t run_count = tapegrad_runs(patches, start, stop, runs);
    int in_place = last - panel == 1 && run_count <= TAPEGRAD_MOST_RUNS;
    NAME(factors) factors = {.inner = stop - start, .lengths = lengths, .runs = run_count};
    for (ptrdiff_t i = 0; in_place && i < run_count; i++) {
        lengths[i] = runs[i].taps * runs[i].length;
        for (ptrdiff_t r = count; r % ROWS != 0; r++)
            places[i * TAPEGRAD_BLOCK_ROWS + r] = block;
    }
    for (ptrdiff_t r = 0; r < count; r += pieces->count, pieces++)
        NAME(lay_out)(patches, group, pieces->first, pieces->count, runs, run_count, block + r * PITCH, PITCH,
                      in_place ? places + r : NULL);
    for (ptrdiff_t r = count; r % ROWS != 0; r++)
        NAME(clear)(block + r * PITCH, stop - start);
    for (ptrdiff_t i = panel; i < last; i++) {
        ptrdiff_t column = i * COLUMNS;
        ptrdiff_t width = patches->width - column < COLUMNS ? patches->width - column : COLUMNS;
        factors.b = packed + (i - panel) * step;
        for (ptrdiff_t r = 0; r < count; r += ROWS) {
            T *tile_rows[ROWS];
            ptrdiff_t height = count - r < ROWS ? count - r : ROWS;
            for (ptrdiff_t j = 0; j < height; j++)
                tile_rows[j] = rows[r + j] + column;
            factors.a = block + r * PITCH;
            factors.places = places + r;
            NAME(run_tile)(in_place ? NAME(tile_in_place) : NAME(tile),
                           in_place ? NAME(narrow_tile_in_place) : NAME(narrow_tile), &factors, tile_rows,
                           start > 0, height, width);
        }
    }
}

TARGET static void NAME(multiply)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_product *product = context;
    const tapegrad_patches *patches = &product->patches;
    ptrdiff_t panels = (patches->width + COLUMNS - 1) / COLUMNS;
    T *rows[TAPEGRAD_BLOCK_ROWS];
    for (ptrdiff_t item = begin; item < end; item++) {
        ptrdiff_t group = item / product->blocks, first = item % product->blocks * TAPEGRAD_BLOCK_ROWS;
        ptrdiff_t count = patches->positions - first < TAPEGRAD_BLOCK_ROWS ? patches->positions - first
                                                                          : TAPEGRAD_BLOCK_ROWS;
        ptrdiff_t start = 0, stop;
        tapegrad_piece piece = {first, count};
        const T *packed = (const T *)product->packed + group * panels * patches->inner * COLUMNS;
        NAME(find_rows)(product, group, first, count, rows);
        do {
            stop = tapegrad_block_end(patches, start, INNER);
            NAME(multiply_part)(patches, group, &piece, count, rows, start, stop, 0, panels, packed + start * COLUMNS,
                                patches->inner * COLUMNS);
            start = stop;
        } while (start < patches->inner);
        if (product->epilogue != NULL)
            product->epilogue->run(product->epilogue, first, count);
    }
}

/* All positions, for the panels of an item, whose filters are packed a block at a time. */
TARGET static void NAME(multiply_columns)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_product *product = context;
    const tapegrad_patches *patches = &product->patches;
    ptrdiff_t panels = (patches->width + COLUMNS - 1) / COLUMNS;
    ptrdiff_t items = (panels + PANELS_BESIDE - 1) / PANELS_BESIDE;
    T packed[INNER * COLUMNS * PANELS_BESIDE] __attribute__((aligned(64)));
    T *rows[TAPEGRAD_BLOCK_ROWS];
    for (ptrdiff_t item = begin; item < end; item++) {
        ptrdiff_t group = item / items, panel = item % items * panels / items, start = 0, stop;
        ptrdiff_t last = (item % items + 1) * panels / items;
        do {
            stop = tapegrad_block_end(patches, start, INNER);
            NAME(pack_panels)(product->packing, group, panel, last, start, stop, packed, (stop - start) * COLUMNS);
            for (ptrdiff_t first = 0; first < patches->positions; first += TAPEGRAD_BLOCK_ROWS) {
                ptrdiff_t count = patches->positions - first < TAPEGRAD_BLOCK_ROWS ? patches->positions - first
                                                                                  : TAPEGRAD_BLOCK_ROWS;
                tapegrad_piece piece = {first, count};
                NAME(find_rows)(product, group, first, count, rows);
                NAME(multiply_part)(patches, group, &piece, count, rows, start, stop, panel, last, packed,
                                    (stop - start) * COLUMNS);
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
        ptrdiff_t first = slice * gradient->slice, last = first + gradient->slice, start = 0, stop, run_count;
        tapegrad_run runs[GRADIENT_INNER];
        T *result = (T *)gradient->result + slice * patches->inner * outputs + group * patches->width;
        if (last > gradient->positions)
            last = gradient->positions;
        stop = tapegrad_block_end(patches, start, GRADIENT_INNER);
        for (ptrdiff_t skipped = item % gradient->blocks; skipped > 0; skipped--) {
            start = stop;
            stop = tapegrad_block_end(patches, start, GRADIENT_INNER);
        }
        run_count = tapegrad_runs(patches, start, stop, runs);
        for (ptrdiff_t from = first; from < last; from += TAPEGRAD_GRADIENT_ROWS) {
            ptrdiff_t count = last - from < TAPEGRAD_GRADIENT_ROWS ? last - from : TAPEGRAD_GRADIENT_ROWS;
            if (gradient->list == NULL)
                NAME(lay_out)(patches, group, from, count, runs, run_count, block, GRADIENT_INNER, NULL);
            for (ptrdiff_t r = 0; gradient->list != NULL && r < count; r++)
                NAME(lay_out)(patches, group, gradient->list[from + r], 1, runs, run_count,
                              block + r * GRADIENT_INNER, GRADIENT_INNER, NULL);
            for (ptrdiff_t column = 0; column < patches->width; column += COLUMNS) {
                ptrdiff_t width = patches->width - column < COLUMNS ? patches->width - column : COLUMNS;
                const T *dy = (const T *)gradient->dy + group * patches->width + column;
                for (ptrdiff_t r = 0; r < count; r++) {
                    ptrdiff_t position = gradient->list == NULL ? from + r : gradient->list[from + r];
                    NAME(copy)(panel + r * COLUMNS, dy + position * outputs, width);
                    NAME(clear)(panel + r * COLUMNS + width, COLUMNS - width);
                }
                for (ptrdiff_t k = start; k < stop; k += ROWS) {
                    T *rows[ROWS];
                    ptrdiff_t height = stop - k < ROWS ? stop - k : ROWS;
                    for (ptrdiff_t i = 0; i < height; i++)
                        rows[i] = result + (k + i) * outputs + column;
                    NAME(factors) factors = {.a = block + (k - start), .b = panel, .inner = count};
                    NAME(run_tile)(NAME(tile_of_gradient), NAME(narrow_tile_of_gradient), &factors, rows,
                                   from > first, height, width);
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
