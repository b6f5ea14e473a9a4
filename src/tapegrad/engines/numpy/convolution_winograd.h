/* Winograd's way through convolutions with windows of 3 x 3, for elements of type T, a float, with the tiles of
   `convolution_tiles.h`; `convolution_types.h` includes it; no guard.

   Four results that lie in a square, y, come from the square d of 4 x 4 numbers that their windows see, in each
   channel, and from the window's filter g:

       y = A (sum over channels of (G g G^T) * (B d B^T)) A^T / 4,   * number by number,

           | 1  0 -1  0 |           | 2  0  0 |
       B = | 0  1  1  0 |       G = | 1  1  1 |       A = | 1  1  1  0 |
           | 0 -1  1  0 |           | 1 -1  1 |           | 0  1 -1 -1 |
           | 0  1  0 -1 |           | 0  0  2 |

   These are 16 multiplications in place of 36, and 16 products of matrices: squares times channels, channels times
   filters. Division comes last, so that small filters lose nothing, and whole numbers give whole results. The gradient
   by the filter is, with the same letters, G^T (sum over squares of (B d B^T) * (A^T dy A)) G / 4. */

/* Where a square's results are, and how many of them there are; `apart` tells that they are computed tap by tap. */
typedef struct {
    ptrdiff_t batch, y, x;
    int height, width, apart;
} NAME(square);

/* From one of the 16 numbers of all squares of a block to the next. */
#define SQUARE_PITCH (TAPEGRAD_MOST_SQUARES * PITCH)

/* The largest of the absolute values, as bits. */
TARGET static int32_t NAME(largest)(const T *numbers, ptrdiff_t n)
{
    int32_t largest = 0;
    for (ptrdiff_t i = 0; i < n; i++) {
        int32_t bits;
        memcpy(&bits, numbers + i, sizeof bits);
        bits &= INT32_C(0x7FFFFFFF);
        largest = bits > largest ? bits : largest;
    }
    return largest;
}

TARGET static void NAME(find_largest)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_magnitudes *work = context;
    for (ptrdiff_t i = begin; i < end; i++)
        work->largest[i] = NAME(largest)((const T *)work->source + i * work->channels, work->channels);
}

/* G g G^T, a panel of filters to an item. */
TARGET static void NAME(transform_filters)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    tapegrad_winograd *work = context;
    const tapegrad_packing *packing = work->product.packing;
    ptrdiff_t depth = packing->depth, step = depth * COLUMNS + TAPEGRAD_BLOCK_SPARE / (ptrdiff_t)sizeof(T);
    T taps[9][TAPEGRAD_FILTER_DEPTH * COLUMNS] __attribute__((aligned(64)));
    for (ptrdiff_t panel = begin; panel < end; panel++)
        for (ptrdiff_t start = 0; start < depth; start += TAPEGRAD_FILTER_DEPTH) {
            ptrdiff_t length = depth - start < TAPEGRAD_FILTER_DEPTH ? depth - start : TAPEGRAD_FILTER_DEPTH;
            T *to = (T *)work->filters + panel * 16 * step + start * COLUMNS;
            for (ptrdiff_t tap = 0; tap < 9; tap++) {
                ptrdiff_t first = tap * depth + start;
                NAME(pack_panels)(packing, 0, panel, panel + 1, first, first + length, taps[tap], 0);
                tapegrad_raise(&work->largest_filter, NAME(largest)(taps[tap], length * COLUMNS));
            }
            for (ptrdiff_t i = 0; i < length * COLUMNS; i += LANES, to += LANES) {
                NAME(vector) part[4][3];
                _Pragma("GCC unroll 3") for (int x = 0; x < 3; x++) {
                    NAME(vector) upper = *(const NAME(vector) *)(taps[x] + i);
                    NAME(vector) between = *(const NAME(vector) *)(taps[3 + x] + i);
                    NAME(vector) lower = *(const NAME(vector) *)(taps[6 + x] + i), outer = upper + lower;
                    part[0][x] = upper + upper;
                    part[1][x] = outer + between;
                    part[2][x] = outer - between;
                    part[3][x] = lower + lower;
                }
                _Pragma("GCC unroll 4") for (int y = 0; y < 4; y++) {
                    NAME(vector) outer = part[y][0] + part[y][2];
                    *(NAME(vector) *)(to + (4 * y) * step) = part[y][0] + part[y][0];
                    *(NAME(vector) *)(to + (4 * y + 1) * step) = outer + part[y][1];
                    *(NAME(vector) *)(to + (4 * y + 2) * step) = outer - part[y][1];
                    *(NAME(vector) *)(to + (4 * y + 3) * step) = part[y][2] + part[y][2];
                }
            }
        }
}

/* B d B^T for `n` channels of a square, whose numbers begin at `places`: number i of it goes to row i * step. */
TARGET static inline void NAME(transform_square)(const T *const *places, ptrdiff_t n, T *to, ptrdiff_t step)
{
#define NUMBER(y, x) (*(const NAME(vector) *)(places[4 * (y) + (x)] + c))
#define TRANSFORM_COLUMN(column, left, SIGN, right)                                                        \
    {                                                                                                      \
        NAME(vector) first = NUMBER(0, left) SIGN NUMBER(0, right), second = NUMBER(1, left) SIGN NUMBER(1, right); \
        NAME(vector) third = NUMBER(2, left) SIGN NUMBER(2, right), fourth = NUMBER(3, left) SIGN NUMBER(3, right); \
        *(NAME(vector) *)(to + c + (column) * step) = first - third;                                       \
        *(NAME(vector) *)(to + c + (4 + (column)) * step) = second + third;                                \
        *(NAME(vector) *)(to + c + (8 + (column)) * step) = third - second;                                \
        *(NAME(vector) *)(to + c + (12 + (column)) * step) = second - fourth;                              \
    }
    for (ptrdiff_t i = 0; i < n; i += LANES) {
        ptrdiff_t c = i < n - LANES ? i : n - LANES;
        TRANSFORM_COLUMN(0, 0, -, 2)
        TRANSFORM_COLUMN(1, 1, +, 2)
        TRANSFORM_COLUMN(2, 2, -, 1)
        TRANSFORM_COLUMN(3, 1, -, 3)
    }
#undef NUMBER
#undef TRANSFORM_COLUMN
}

/* A m A^T / 4 for the `n` columns of a panel that there are, where number i of m begins at m[i * step]. */
TARGET static void NAME(transform_back)(const T *m, ptrdiff_t step, ptrdiff_t n, T *const *results)
{
    T whole[4][COLUMNS];
    ptrdiff_t vectors = n <= LANES ? 1 : 2;
    int direct = n == vectors * LANES;
    for (ptrdiff_t w = 0; w < vectors; w++, m += LANES) {
        NAME(vector) part[2][4];
        _Pragma("GCC unroll 4") for (int x = 0; x < 4; x++) {
            NAME(vector) first = *(const NAME(vector) *)(m + x * step);
            NAME(vector) second = *(const NAME(vector) *)(m + (4 + x) * step);
            NAME(vector) third = *(const NAME(vector) *)(m + (8 + x) * step);
            part[0][x] = first + (second + third);
            part[1][x] = (second - third) - *(const NAME(vector) *)(m + (12 + x) * step);
        }
        _Pragma("GCC unroll 2") for (int y = 0; y < 2; y++) {
            T *left = (direct ? results[2 * y] : whole[2 * y]) + w * LANES;
            T *right = (direct ? results[2 * y + 1] : whole[2 * y + 1]) + w * LANES;
            *(NAME(vector) *)left = (part[y][0] + (part[y][1] + part[y][2])) * (T)0.25;
            *(NAME(vector) *)right = ((part[y][1] - part[y][2]) - part[y][3]) * (T)0.25;
        }
    }
    for (int i = 0; i < 4 && !direct; i++)
        NAME(copy)(results[i], whole[i], n);
}

/* Where the `count` squares from `first` on are, and which of them are computed tap by tap. Tells how many are not. */
TARGET static ptrdiff_t NAME(find_squares)(const tapegrad_squares *squares, ptrdiff_t first, ptrdiff_t count,
                                           NAME(square) *found)
{
    const tapegrad_axis *axes = squares->patches.axes;
    ptrdiff_t together = 0, x = first % squares->across, y = first / squares->across % squares->down;
    ptrdiff_t batch = first / squares->across / squares->down;
    for (ptrdiff_t i = 0; i < count; i++) {
        NAME(square) *square = &found[i];
        square->batch = batch;
        square->y = 2 * y;
        square->x = 2 * x;
        square->height = square->y + 1 < axes[1].count ? 2 : 1;
        square->width = square->x + 1 < axes[2].count ? 2 : 1;
        square->apart = tapegrad_is_apart(squares, batch, square->y, square->x, square->height, square->width);
        together += !square->apart;
        if (++x == squares->across) {
            x = 0;
            if (++y == squares->down) {
                y = 0;
                batch++;
            }
        }
    }
    return together;
}

/* Where the 16 numbers of a square are, from its channel `start` on: in zeros beyond the source. */
TARGET static inline void NAME(find_places)(const tapegrad_patches *patches, const NAME(square) *square,
                                            ptrdiff_t start, const T **places)
{
    const tapegrad_axis *axes = patches->axes;
    ptrdiff_t line = axes[2].size * patches->channels;
    ptrdiff_t top = square->y + axes[1].offsets[0], left = square->x + axes[2].offsets[0];
    const T *image = (const T *)patches->source + square->batch * axes[1].size * line + start;
    if (tapegrad_is_inside(axes, top, left)) {
        for (int place = 0; place < 16; place++)
            places[place] = image + (top + place / 4) * line + (left + place % 4) * patches->channels;
        return;
    }
    for (int place = 0; place < 16; place++) {
        ptrdiff_t y = top + place / 4, x = left + place % 4;
        int inside = y >= 0 && y < axes[1].size && x >= 0 && x < axes[2].size;
        places[place] = inside ? image + y * line + x * patches->channels : NAME(zeros);
    }
}

/* B d B^T of a block of squares, for all channels: a part of them after the other, as many as a tile multiplies. */
TARGET static void NAME(transform_source)(const tapegrad_patches *patches, const NAME(square) *squares,
                                          ptrdiff_t count, T *to)
{
    ptrdiff_t channels = patches->channels;
    ptrdiff_t parts = (channels + INNER - 1) / INNER, length = (channels + parts - 1) / parts;
    const T *places[16];
    for (ptrdiff_t part = 0; part < parts; part++, to += 16 * SQUARE_PITCH) {
        ptrdiff_t start = part * length, stop = start + length < channels ? start + length : channels;
        for (ptrdiff_t i = 0; i < count; i++) {
            NAME(find_places)(patches, &squares[i], start, places);
            NAME(transform_square)(places, stop - start, to + i * PITCH, SQUARE_PITCH);
        }
    }
}

/* The stages of the squares of a block that are not apart: runs of them that lie side by side, row by row. */
TARGET static void NAME(finish_squares)(const tapegrad_product *product, const NAME(square) *squares, ptrdiff_t count)
{
    const tapegrad_axis *axes = product->patches.axes;
    for (ptrdiff_t i = 0, end; i < count; i = end) {
        const NAME(square) *square = &squares[i];
        ptrdiff_t width = 0;
        end = i + 1;
        if (square->apart)
            continue;
        for (end = i; end < count && !squares[end].apart && squares[end].batch == square->batch
                      && squares[end].y == square->y; end++)
            width += squares[end].width;
        for (int y = 0; y < square->height; y++)
            product->epilogue->run(product->epilogue,
                                   (square->batch * axes[1].count + square->y + y) * axes[2].count + square->x, width);
    }
}

/* An item is a block of squares, for some of the panels. */
TARGET static void NAME(multiply_squares)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    tapegrad_winograd *work = context;
    const tapegrad_product *product = &work->product;
    const tapegrad_patches *patches = &product->patches;
    ptrdiff_t panels = (patches->width + COLUMNS - 1) / COLUMNS, channels = patches->channels;
    ptrdiff_t parts = (channels + INNER - 1) / INNER, length = (channels + parts - 1) / parts;
    ptrdiff_t step = channels * COLUMNS + TAPEGRAD_BLOCK_SPARE / (ptrdiff_t)sizeof(T);
    T products[16][TAPEGRAD_MOST_SQUARES * COLUMNS] __attribute__((aligned(64)));
    T beyond[COLUMNS];
    NAME(square) squares[TAPEGRAD_MOST_SQUARES];
    T *memory = malloc((16 * parts * SQUARE_PITCH) * sizeof(T) + 64), *source;
    if (memory == NULL) {
        __atomic_store_n(&work->out_of_memory, 1, __ATOMIC_RELAXED);
        return;
    }
    source = (T *)(((uintptr_t)memory + 63) / 64 * 64);
    for (ptrdiff_t item = begin; item < end; item++) {
        ptrdiff_t share = item % work->shares, first = item / work->shares * work->beside;
        ptrdiff_t count = work->squares.count - first < work->beside ? work->squares.count - first : work->beside;
        ptrdiff_t together = NAME(find_squares)(&work->squares, first, count, squares);
        for (ptrdiff_t i = 0; share == 0 && i < count; i++)
            work->squares.apart[first + i] = (unsigned char)squares[i].apart;
        if (together == 0)
            continue;
        NAME(transform_source)(patches, squares, count, source);
        for (ptrdiff_t i = count; i % ROWS != 0; i++)
            for (ptrdiff_t row = 0; row < 16 * parts; row++)
                NAME(clear)(source + row * SQUARE_PITCH + i * PITCH, length);
        for (ptrdiff_t panel = share * panels / work->shares; panel < (share + 1) * panels / work->shares; panel++) {
            ptrdiff_t column = panel * COLUMNS;
            ptrdiff_t width = patches->width - column < COLUMNS ? patches->width - column : COLUMNS;
            for (ptrdiff_t part = 0; part < parts; part++)
                for (ptrdiff_t number = 0; number < 16; number++)
                    for (ptrdiff_t i = 0; i < count; i += ROWS) {
                        ptrdiff_t start = part * length;
                        T *rows[ROWS];
                        NAME(factors) factors = {
                            .a = source + (part * 16 + number) * SQUARE_PITCH + i * PITCH,
                            .b = (const T *)work->filters + (panel * 16 + number) * step + start * COLUMNS,
                            .inner = start + length < channels ? length : channels - start};
                        for (ptrdiff_t j = 0; j < ROWS; j++)
                            rows[j] = products[number] + (i + j) * COLUMNS;
                        (width <= LANES ? NAME(narrow_tile) : NAME(tile))(&factors, rows, part > 0);
                    }
            for (ptrdiff_t i = 0; i < count; i++) {
                const NAME(square) *square = &squares[i];
                T *results[4];
                if (square->apart)
                    continue;
                results[0] = (T *)product->result + square->batch * product->steps[0] + square->y * product->steps[2]
                             + square->x * product->steps[3] + column;
                results[1] = square->width == 2 ? results[0] + product->steps[3] : beyond;
                results[2] = square->height == 2 ? results[0] + product->steps[2] : beyond;
                results[3] = square->height == 2 && square->width == 2 ? results[2] + product->steps[3] : beyond;
                NAME(transform_back)(products[0] + i * COLUMNS, TAPEGRAD_MOST_SQUARES * COLUMNS, width, results);
            }
        }
        if (product->epilogue != NULL && work->shares == 1)
            NAME(finish_squares)(product, squares, count);
    }
    free(memory);
}

/* The squares that are computed tap by tap, TAPEGRAD_BLOCK_ROWS / 4 of them to an item. */
TARGET static void NAME(multiply_apart)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_winograd *work = context;
    const tapegrad_product *product = &work->product;
    const tapegrad_patches *patches = &product->patches;
    ptrdiff_t panels = (patches->width + COLUMNS - 1) / COLUMNS;
    tapegrad_piece pieces[TAPEGRAD_BLOCK_ROWS / 2];
    T *rows[TAPEGRAD_BLOCK_ROWS];
    for (ptrdiff_t item = begin; item < end; item++) {
        ptrdiff_t count = 0, piece_count = 0, start = 0, stop;
        for (ptrdiff_t i = 0; i < TAPEGRAD_BLOCK_ROWS / 4; i++) {
            ptrdiff_t place = item * (TAPEGRAD_BLOCK_ROWS / 4) + i;
            ptrdiff_t square, x, y, line;
            if (place >= work->apart_count)
                break;
            square = work->list[place];
            x = 2 * (square % work->squares.across);
            y = 2 * (square / work->squares.across % work->squares.down);
            line = square / work->squares.across / work->squares.down * patches->axes[1].count + y;
            for (ptrdiff_t below = 0; below < 2 && y + below < patches->axes[1].count; below++) {
                tapegrad_piece *piece = &pieces[piece_count++];
                piece->first = (line + below) * patches->axes[2].count + x;
                piece->count = x + 1 < patches->axes[2].count ? 2 : 1;
                NAME(find_rows)(product, 0, piece->first, piece->count, rows + count);
                count += piece->count;
            }
        }
        do {
            stop = tapegrad_block_end(patches, start, INNER);
            NAME(multiply_part)(patches, 0, pieces, count, rows, start, stop, 0, panels,
                                (const T *)product->packed + start * COLUMNS, patches->inner * COLUMNS);
            start = stop;
        } while (start < patches->inner);
        for (ptrdiff_t i = 0; product->epilogue != NULL && work->shares == 1 && i < piece_count; i++)
            product->epilogue->run(product->epilogue, pieces[i].first, pieces[i].count);
    }
}
#undef SQUARE_PITCH

/* A^T y A for the `n` columns of a panel that there are, of a square of `dy`: number i of it goes to row i * step. */
TARGET static void NAME(transform_dy)(const T *const *places, ptrdiff_t n, T *to, ptrdiff_t step)
{
    T whole[4][COLUMNS];
    for (int i = 0; i < 4 && n < COLUMNS; i++) {
        NAME(copy)(whole[i], places[i], n);
        NAME(clear)(whole[i] + n, COLUMNS - n);
    }
    for (ptrdiff_t c = 0; c < COLUMNS; c += LANES) {
        NAME(vector) part[4][2];
        _Pragma("GCC unroll 2") for (int x = 0; x < 2; x++) {
            NAME(vector) first = *(const NAME(vector) *)((n < COLUMNS ? whole[x] : places[x]) + c);
            NAME(vector) second = *(const NAME(vector) *)((n < COLUMNS ? whole[2 + x] : places[2 + x]) + c);
            part[0][x] = first;
            part[1][x] = first + second;
            part[2][x] = first - second;
            part[3][x] = -second;
        }
        _Pragma("GCC unroll 4") for (int y = 0; y < 4; y++) {
            T *row = to + 4 * y * step + c;
            *(NAME(vector) *)row = part[y][0];
            *(NAME(vector) *)(row + step) = part[y][0] + part[y][1];
            *(NAME(vector) *)(row + 2 * step) = part[y][0] - part[y][1];
            *(NAME(vector) *)(row + 3 * step) = -part[y][1];
        }
    }
}

/* From one of the 16 numbers of all squares of a block to the next. */
#define SOURCE_STEP (TAPEGRAD_GRADIENT_SQUARES * GRADIENT_INNER)
#define DY_STEP (TAPEGRAD_GRADIENT_SQUARES * COLUMNS)

/* The sums over the squares of a slice of (B d B^T) * (A^T y A), for a block of channels. */
TARGET static void NAME(square_gradient)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    tapegrad_winograd_gradient *work = context;
    const tapegrad_patches *patches = &work->squares.patches;
    const tapegrad_axis *axes = patches->axes;
    ptrdiff_t channels = patches->channels, outputs = patches->width;
    ptrdiff_t length = (channels + work->blocks - 1) / work->blocks;
    NAME(square) squares[TAPEGRAD_GRADIENT_SQUARES];
    T *memory = malloc(16 * (SOURCE_STEP + DY_STEP) * sizeof(T) + 64), *source, *dy;
    if (memory == NULL) {
        __atomic_store_n(&work->out_of_memory, 1, __ATOMIC_RELAXED);
        return;
    }
    source = (T *)(((uintptr_t)memory + 63) / 64 * 64);
    dy = source + 16 * SOURCE_STEP;
    for (ptrdiff_t item = begin; item < end; item++) {
        ptrdiff_t start = item % work->blocks * length, stop = start + length < channels ? start + length : channels;
        ptrdiff_t slice = item / work->blocks, from = slice * work->slice, last = from + work->slice;
        T *sums = (T *)work->sums + slice * 16 * channels * outputs;
        if (last > work->squares.count)
            last = work->squares.count;
        for (ptrdiff_t first = from; first < last; first += TAPEGRAD_GRADIENT_SQUARES) {
            ptrdiff_t count = last - first < TAPEGRAD_GRADIENT_SQUARES ? last - first : TAPEGRAD_GRADIENT_SQUARES;
            const T *places[16];
            NAME(find_squares)(&work->squares, first, count, squares);
            for (ptrdiff_t i = 0; i < count; i++) {
                if (start == 0)
                    work->squares.apart[first + i] = (unsigned char)squares[i].apart;
                NAME(find_places)(patches, &squares[i], start, places);
                if (!squares[i].apart)
                    NAME(transform_square)(places, stop - start, source + i * GRADIENT_INNER, SOURCE_STEP);
                for (ptrdiff_t number = 0; squares[i].apart && number < 16; number++)
                    NAME(clear)(source + number * SOURCE_STEP + i * GRADIENT_INNER, stop - start);
            }
            for (ptrdiff_t column = 0; column < outputs; column += COLUMNS) {
                ptrdiff_t width = outputs - column < COLUMNS ? outputs - column : COLUMNS;
                for (ptrdiff_t i = 0; i < count; i++) {
                    const NAME(square) *square = &squares[i];
                    const T *corner = (const T *)work->dy + column
                                      + ((square->batch * axes[1].count + square->y) * axes[2].count + square->x) * outputs;
                    for (int place = 0; place < 4; place++)
                        places[place] = !square->apart && place / 2 < square->height && place % 2 < square->width
                                            ? corner + (place / 2 * axes[2].count + place % 2) * outputs : NAME(zeros);
                    NAME(transform_dy)(places, width, dy + i * COLUMNS, DY_STEP);
                }
                for (ptrdiff_t number = 0; number < 16; number++)
                    for (ptrdiff_t k = start; k < stop; k += ROWS) {
                        T *rows[ROWS];
                        ptrdiff_t height = stop - k < ROWS ? stop - k : ROWS;
                        NAME(factors) factors = {
                            .a = source + number * SOURCE_STEP + (k - start), .b = dy + number * DY_STEP, .inner = count};
                        for (ptrdiff_t i = 0; i < height; i++)
                            rows[i] = sums + (number * channels + k + i) * outputs + column;
                        NAME(run_tile)(NAME(tile_of_gradient), NAME(narrow_tile_of_gradient), &factors, rows,
                                       first > from, height, width);
                    }
            }
        }
    }
    free(memory);
}
#undef SOURCE_STEP
#undef DY_STEP

/* G^T u G / 4 of the sums of all slices, and what the other squares add: a channel to an item. */
TARGET static void NAME(transform_gradient)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_winograd_gradient *work = context;
    ptrdiff_t n = work->squares.patches.width, step = work->squares.patches.channels * n;
    for (ptrdiff_t k = begin; k < end; k++)
        for (ptrdiff_t i = 0; i < n; i += LANES) {
            ptrdiff_t place = k * n + (i < n - LANES ? i : n - LANES);
            const T *sums = (const T *)work->sums + place;
            NAME(vector) part[3][4];
            _Pragma("GCC unroll 4") for (int x = 0; x < 4; x++) {
                NAME(vector) first = *(const NAME(vector) *)(sums + x * step);
                NAME(vector) second = *(const NAME(vector) *)(sums + (4 + x) * step);
                NAME(vector) third = *(const NAME(vector) *)(sums + (8 + x) * step), both = second + third;
                NAME(vector) fourth = *(const NAME(vector) *)(sums + (12 + x) * step);
                part[0][x] = (first + first) + both;
                part[1][x] = second - third;
                part[2][x] = both + (fourth + fourth);
            }
            _Pragma("GCC unroll 3") for (int y = 0; y < 3; y++) {
                NAME(vector) both = part[y][1] + part[y][2], results[3];
                results[0] = (part[y][0] + part[y][0]) + both;
                results[1] = part[y][1] - part[y][2];
                results[2] = both + (part[y][3] + part[y][3]);
                _Pragma("GCC unroll 3") for (int x = 0; x < 3; x++) {
                    NAME(vector) result = results[x] * (T)0.25;
                    if (work->others != NULL)
                        result += *(const NAME(vector) *)((const T *)work->others + (3 * y + x) * step + place);
                    *(NAME(vector) *)((T *)work->result + (3 * y + x) * step + place) = result;
                }
            }
        }
}
