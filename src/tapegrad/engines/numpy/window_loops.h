/* Loops over windows for elements of type T, whose least value is LOWEST, and LEAST without infinities. `window_reals.h`
   and `window_integers.h` include it for each T; no guard. Include `window_places.h` before. */

/* The taps of `window` that lie inside, in order: in the body `tap` is the tap's index and `place` that of its
   element of the first channel. */
#define FOR_TAPS(...)                                                                                      \
    for (ptrdiff_t z = window->low[0]; z < window->high[0] && window->low[2] < window->high[2]; z++)       \
        for (ptrdiff_t y = window->low[1]; y < window->high[1]; y++) {                                     \
            size_t tap = ((size_t)z * axes[1].taps + y) * axes[2].taps + window->low[2];                   \
            ptrdiff_t place = (window->image                                                               \
                + ((window->corner[0] + z * axes[0].rate) * axes[1].size + window->corner[1]               \
                    + y * axes[1].rate) * axes[2].size                                                     \
                + window->corner[2] + window->low[2] * axes[2].rate) * windows->channels;                  \
            for (ptrdiff_t x = window->low[2]; x < window->high[2];                                        \
                    x++, tap++, place += axes[2].rate * windows->channels) {                               \
                __VA_ARGS__                                                                                \
            }                                                                                              \
        }

/* `WORK` at every position of an item, for its channels. */
#define BODY(name)                                                                                         \
    TARGET static void NAME(name)(void *context, ptrdiff_t begin, ptrdiff_t end)                           \
    {                                                                                                      \
        const tapegrad_windows *windows = context;                                                         \
        const tapegrad_window_axis *axes = windows->axes;                                                  \
        ptrdiff_t lines = axes[0].count * axes[1].count;                                                   \
        ptrdiff_t blocks = windows->block ? (windows->channels + windows->block - 1) / windows->block : 1; \
        for (ptrdiff_t item = begin; item < end; item++) {                                                 \
            tapegrad_window window;                                                                        \
            ptrdiff_t line = item, last = item + 1;                                                        \
            window.first = 0;                                                                              \
            window.last = windows->channels;                                                               \
            if (windows->block) {                                                                          \
                line = item / blocks * lines;                                                              \
                last = line + lines;                                                                       \
                window.first = item % blocks * windows->block;                                             \
                if (window.last - window.first > windows->block)                                           \
                    window.last = window.first + windows->block;                                           \
            } else if (windows->slice) {                                                                   \
                line = item * windows->slice;                                                              \
                last = line + windows->slice;                                                              \
                if (last > windows->batch * lines)                                                         \
                    last = windows->batch * lines;                                                         \
            }                                                                                              \
            for (; line < last; line++) {                                                                  \
                tapegrad_window_line(windows, &window, line);                                              \
                for (ptrdiff_t i = 0; i < axes[2].count; i++) {                                            \
                    tapegrad_window_along(windows, &window, 2, i);                                         \
                    window.position = line * axes[2].count + i;                                            \
                    NAME(name##_at)(windows, axes, &window, item);                                         \
                }                                                                                          \
            }                                                                                              \
        }                                                                                                  \
    }

#define AT(name)                                                                                           \
    TARGET static inline __attribute__((always_inline)) void NAME(name##_at)(                              \
        const tapegrad_windows *windows, const tapegrad_window_axis *axes, const tapegrad_window *window,  \
        ptrdiff_t item)

/* NaN loses against any number, as in TensorFlow; a window that has nothing inside holds the least number. */
AT(maximum)
{
    T *restrict out = (T *)windows->result + window->position * windows->channels;
    ptrdiff_t n = windows->channels;
    int begun = 0;
    (void)item;
    FOR_TAPS({
        const T *restrict in = (const T *)windows->x + place;
        (void)tap;
        if (begun)
            for (ptrdiff_t c = 0; c < n; c++)
                out[c] = ((in[c] > out[c]) | (out[c] != out[c])) ? in[c] : out[c];
        else
            memcpy(out, in, n * sizeof(T));
        begun = 1;
    })
    if (!begun)
        for (ptrdiff_t c = 0; c < n; c++)
            out[c] = LOWEST;
}
BODY(maximum)

/* Gives the gradient of each window to its first maximum, or to all its maxima. Where only the first counts, NaN is a
   maximum too: that is TensorFlow's choice. */
AT(maximum_gradient)
{
    ptrdiff_t at = window->position * windows->channels;
    (void)item;
    for (ptrdiff_t first = window->first; first < window->last; first += TAPEGRAD_WINDOW_CHANNELS) {
        const T *restrict out = (const T *)windows->out + at + first;
        ptrdiff_t n = window->last - first;
        T left[TAPEGRAD_WINDOW_CHANNELS];   /* the gradient until a maximum has taken it, then 0 */
        if (n > TAPEGRAD_WINDOW_CHANNELS)
            n = TAPEGRAD_WINDOW_CHANNELS;
        memcpy(left, (const T *)windows->values + at + first, n * sizeof(T));
        FOR_TAPS({
            const T *restrict in = (const T *)windows->x + place + first;
            T *restrict result = (T *)windows->result + place + first;
            (void)tap;
            if (windows->all)
                for (ptrdiff_t c = 0; c < n; c++)
                    result[c] += in[c] == out[c] ? left[c] : 0;
            else if (windows->store)
                for (ptrdiff_t c = 0; c < n; c++) {
                    T whole = left[c];
                    int hit = (in[c] == out[c]) | (in[c] != in[c]);
                    result[c] = hit ? whole : 0;
                    left[c] = hit ? 0 : whole;
                }
            else
                for (ptrdiff_t c = 0; c < n; c++) {
                    T whole = left[c];
                    int hit = (in[c] == out[c]) | (in[c] != in[c]);
                    result[c] += hit ? whole : 0;
                    left[c] = hit ? 0 : whole;
                }
        })
    }
}
BODY(maximum_gradient)

/* The transpose of `maximum_gradient`: for each window the value at its first maximum, or the sum of all. */
AT(maximum_gather)
{
    ptrdiff_t at = window->position * windows->channels;
    (void)item;
    for (ptrdiff_t first = 0; first < windows->channels; first += TAPEGRAD_WINDOW_CHANNELS) {
        const T *restrict out = (const T *)windows->out + at + first;
        T *restrict result = (T *)windows->result + at + first;
        ptrdiff_t n = windows->channels - first;
        T open[TAPEGRAD_WINDOW_CHANNELS];
        if (n > TAPEGRAD_WINDOW_CHANNELS)
            n = TAPEGRAD_WINDOW_CHANNELS;
        for (ptrdiff_t c = 0; c < n; c++) {
            open[c] = 1;
            result[c] = 0;
        }
        FOR_TAPS({
            const T *restrict in = (const T *)windows->x + place + first;
            const T *restrict values = (const T *)windows->values + place + first;
            (void)tap;
            if (windows->all)
                for (ptrdiff_t c = 0; c < n; c++)
                    result[c] += in[c] == out[c] ? values[c] : 0;
            else
                for (ptrdiff_t c = 0; c < n; c++) {
                    int hit = (in[c] == out[c]) | (in[c] != in[c]);
                    result[c] += (hit & (open[c] != 0)) ? values[c] : 0;
                    open[c] = hit ? 0 : open[c];
                }
        })
    }
}
BODY(maximum_gather)

/* The index of each window's first maximum in its image, over all channels. NaN is one where it comes first: that is
   TensorFlow's choice. */
AT(maximum_place)
{
    const T *image = (const T *)windows->x + window->image * windows->channels;
    int64_t *result = (int64_t *)windows->result + window->position * windows->channels;
    (void)item;
    for (ptrdiff_t c = 0; c < windows->channels; c++)
        result[c] = -1;
    FOR_TAPS({
        const T *in = (const T *)windows->x + place;
        (void)tap;
        for (ptrdiff_t c = 0; c < windows->channels; c++)
            if (result[c] < 0 || image[result[c]] < in[c])
                result[c] = place - window->image * windows->channels + c;
    })
    for (ptrdiff_t c = 0; c < windows->channels; c++)
        if (result[c] < 0)
            result[c] = 0;
}
BODY(maximum_place)

/* Integers wrap around. */
#ifdef INTEGERS
#define PLUS(x, y) ((T)((uint64_t)(x) + (uint64_t)(y)))
#else
#define PLUS(x, y) ((x) + (y))
#endif

/* Part of a line, of `size` numbers, with weights that come again every `period` numbers. */
TARGET static void NAME(raise_line)(const T *restrict in, const T *restrict weights, ptrdiff_t period,
                                    T *restrict out, ptrdiff_t size)
{
    for (ptrdiff_t begin = 0; begin < size; begin += period) {
        ptrdiff_t n = size - begin < period ? size - begin : period;
        for (ptrdiff_t c = 0; c < n; c++) {
            T sum = PLUS(in[begin + c], weights[c]);
            out[begin + c] = sum > out[begin + c] ? sum : out[begin + c];
        }
    }
}

/* The largest sum of an element and its tap's weight in each window; NaN loses against any number. */
TARGET static void NAME(dilation)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_windows *windows = context;
    const tapegrad_window_axis *axes = windows->axes;
    ptrdiff_t n = windows->channels, step = axes[2].step;
    ptrdiff_t period = n < TAPEGRAD_WINDOW_CHANNELS ? TAPEGRAD_WINDOW_CHANNELS / n * n : n;
    T again[TAPEGRAD_WINDOW_CHANNELS];
    tapegrad_window window;
    for (ptrdiff_t line = begin; line < end; line++) {
        T *out = (T *)windows->result + line * axes[2].count * n;
        tapegrad_window_line(windows, &window, line);
        for (ptrdiff_t i = 0; i < axes[2].count * n; i++)
            out[i] = LEAST;
        for (ptrdiff_t z = window.low[0]; z < window.high[0]; z++)
            for (ptrdiff_t y = window.low[1]; y < window.high[1]; y++)
                for (ptrdiff_t x = 0; x < axes[2].taps; x++) {
                    ptrdiff_t row = (window.corner[0] + z * axes[0].rate) * axes[1].size
                                    + window.corner[1] + y * axes[1].rate;
                    const T *weights = (const T *)windows->weights
                                       + ((z * axes[1].taps + y) * axes[2].taps + x) * n;
                    const T *in;
                    ptrdiff_t low, high;
                    tapegrad_window_inside(&axes[2], x, x, &low, &high);
                    if (low >= high)
                        continue;
                    in = (const T *)windows->x + (window.image + row * axes[2].size + low * step - axes[2].before
                                                  + x * axes[2].rate) * n;
                    if (step > 1) {
                        for (ptrdiff_t i = low; i < high; i++, in += step * n)
                            NAME(raise_line)(in, weights, n, out + i * n, n);
                        continue;
                    }
                    if (n < TAPEGRAD_WINDOW_CHANNELS) {
                        ptrdiff_t most = (high - low) * n < period ? (high - low) * n : period;
                        for (ptrdiff_t i = 0; i < most; i += n)
                            for (ptrdiff_t c = 0; c < n; c++)
                                again[i + c] = weights[c];
                        weights = again;
                    }
                    NAME(raise_line)(in, weights, period, out + low * n, (high - low) * n);
                }
    }
}

/* For each channel from the window's first on, at most TAPEGRAD_WINDOW_CHANNELS, the tap with the largest sum, and the
   place of its element; the first tap inside where no sum is above the least number, and -1 where none is inside. */
TARGET static inline void NAME(raised)(const tapegrad_windows *windows, const tapegrad_window_axis *axes,
                                       const tapegrad_window *window, ptrdiff_t first, ptrdiff_t n,
                                       ptrdiff_t *taps, ptrdiff_t *places)
{
    T best[TAPEGRAD_WINDOW_CHANNELS];
    int begun = 0;
    for (ptrdiff_t c = 0; c < n; c++) {
        best[c] = LEAST;
        taps[c] = places[c] = -1;
    }
    FOR_TAPS({
        const T *restrict in = (const T *)windows->x + place + first;
        const T *restrict weights = (const T *)windows->weights + tap * windows->channels + first;
        for (ptrdiff_t c = 0; c < n; c++) {
            T sum = PLUS(in[c], weights[c]);
            if (!begun || sum > best[c]) {
                best[c] = sum > best[c] ? sum : best[c];
                taps[c] = (ptrdiff_t)tap;
                places[c] = place + first + c;
            }
        }
        begun = 1;
    })
}

/* The tap with the largest sum in each window. */
AT(dilation_tap)
{
    int64_t *result = (int64_t *)windows->result + window->position * windows->channels;
    ptrdiff_t taps[TAPEGRAD_WINDOW_CHANNELS], places[TAPEGRAD_WINDOW_CHANNELS];
    (void)item;
    for (ptrdiff_t first = 0; first < windows->channels; first += TAPEGRAD_WINDOW_CHANNELS) {
        ptrdiff_t n = windows->channels - first;
        if (n > TAPEGRAD_WINDOW_CHANNELS)
            n = TAPEGRAD_WINDOW_CHANNELS;
        NAME(raised)(windows, axes, window, first, n, taps, places);
        for (ptrdiff_t c = 0; c < n; c++)
            result[first + c] = taps[c];
    }
}
BODY(dilation_tap)

/* Adds the gradient of each window to the element whose sum is the largest. */
AT(dilation_gradient)
{
    ptrdiff_t taps[TAPEGRAD_WINDOW_CHANNELS], places[TAPEGRAD_WINDOW_CHANNELS];
    (void)item;
    for (ptrdiff_t first = window->first; first < window->last; first += TAPEGRAD_WINDOW_CHANNELS) {
        const T *dy = (const T *)windows->values + window->position * windows->channels + first;
        ptrdiff_t n = window->last - first;
        if (n > TAPEGRAD_WINDOW_CHANNELS)
            n = TAPEGRAD_WINDOW_CHANNELS;
        NAME(raised)(windows, axes, window, first, n, taps, places);
        for (ptrdiff_t c = 0; c < n; c++)
            if (places[c] >= 0)
                ((T *)windows->result)[places[c]] = PLUS(((T *)windows->result)[places[c]], dy[c]);
    }
}
BODY(dilation_gradient)
#undef PLUS

#ifndef INTEGERS

TARGET static inline T NAME(elements)(const tapegrad_window *window)
{
    ptrdiff_t count = 1;
    for (int i = 0; i < TAPEGRAD_WINDOW_AXES; i++)
        count *= window->high[i] > window->low[i] ? window->high[i] - window->low[i] : 0;
    return (T)count;
}

AT(mean)
{
    T *restrict out = (T *)windows->result + window->position * windows->channels;
    ptrdiff_t n = windows->channels;
    T count = NAME(elements)(window);
    (void)item;
    for (ptrdiff_t c = 0; c < n; c++)
        out[c] = 0;
    FOR_TAPS({
        const T *restrict in = (const T *)windows->x + place;
        (void)tap;
        for (ptrdiff_t c = 0; c < n; c++)
            out[c] += in[c];
    })
    for (ptrdiff_t c = 0; c < n; c++)
        out[c] /= count;
}

/* out[i] += in[i] + in[i + rate] + ..., each added by itself, in order. */
TARGET TAPEGRAD_PART_OF_LOOP void NAME(add_shifted)(const T *restrict in, ptrdiff_t rate, int taps, T *restrict out,
                                                    ptrdiff_t size)
{
    for (ptrdiff_t i = 0; i < size; i++) {
        T sum = out[i];
        _Pragma("GCC unroll 3") for (int t = 0; t < taps; t++)
            sum += in[i + t * rate];
        out[i] = sum;
    }
}

/* The lines `begin` to `end`. Where windows lie side by side, all of them that are inside take each tap together. */
TARGET static void NAME(mean)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_windows *windows = context;
    const tapegrad_window_axis *axes = windows->axes;
    ptrdiff_t n = windows->channels, rate = axes[2].rate * n, low, high;
    T sums[TAPEGRAD_WINDOW_CHANNELS];
    tapegrad_window window;
    window.first = 0;
    window.last = n;
    tapegrad_window_inside(&axes[2], 0, axes[2].taps - 1, &low, &high);
    if (axes[2].step > 1 || high < low)
        high = low = axes[2].count;
    for (ptrdiff_t line = begin; line < end; line++) {
        tapegrad_window_line(windows, &window, line);
        for (ptrdiff_t i = 0; i < axes[2].count; i++) {
            if (i == low && low < high)
                i = high;
            if (i == axes[2].count)
                break;
            tapegrad_window_along(windows, &window, 2, i);
            window.position = line * axes[2].count + i;
            NAME(mean_at)(windows, axes, &window, line);
        }
        if (low >= high)
            continue;
        tapegrad_window_along(windows, &window, 2, low);
        T count = NAME(elements)(&window);
        for (ptrdiff_t first = low * n; first < high * n; first += TAPEGRAD_WINDOW_CHANNELS) {
            ptrdiff_t size = high * n - first;
            T *out = (T *)windows->result + line * axes[2].count * n + first;
            if (size > TAPEGRAD_WINDOW_CHANNELS)
                size = TAPEGRAD_WINDOW_CHANNELS;
            for (ptrdiff_t i = 0; i < size; i++)
                sums[i] = 0;
            for (ptrdiff_t z = window.low[0]; z < window.high[0]; z++)
                for (ptrdiff_t y = window.low[1]; y < window.high[1]; y++) {
                    ptrdiff_t row = (window.corner[0] + z * axes[0].rate) * axes[1].size
                                    + window.corner[1] + y * axes[1].rate, x = 0;
                    const T *in = (const T *)windows->x
                                  + (window.image + row * axes[2].size - axes[2].before) * n + first;
                    for (; x + 3 <= axes[2].taps; x += 3)
                        NAME(add_shifted)(in + x * rate, rate, 3, sums, size);
                    for (; x < axes[2].taps; x++)
                        NAME(add_shifted)(in + x * rate, rate, 1, sums, size);
                }
            for (ptrdiff_t i = 0; i < size; i++)
                out[i] = sums[i] / count;
        }
    }
}

AT(mean_gradient)
{
    T count = NAME(elements)(window);
    (void)item;
    for (ptrdiff_t first = window->first; first < window->last; first += TAPEGRAD_WINDOW_CHANNELS) {
        const T *restrict dy = (const T *)windows->values + window->position * windows->channels + first;
        ptrdiff_t n = window->last - first;
        T each[TAPEGRAD_WINDOW_CHANNELS];
        if (n > TAPEGRAD_WINDOW_CHANNELS)
            n = TAPEGRAD_WINDOW_CHANNELS;
        for (ptrdiff_t c = 0; c < n; c++)
            each[c] = dy[c] / count;
        FOR_TAPS({
            T *restrict result = (T *)windows->result + place + first;
            (void)tap;
            if (windows->store)
                memcpy(result, each, n * sizeof(T));
            else
                for (ptrdiff_t c = 0; c < n; c++)
                    result[c] += each[c];
        })
    }
}
BODY(mean_gradient)

/* Channels whose sums stay in registers together, in so many vectors; and what is computed side by side. */
enum { NAME(vectors) = 64 / VECTOR, NAME(lanes) = VECTOR / sizeof(T), NAME(beside) = 4, NAME(taps_beside) = 3 };
typedef T NAME(vector) __attribute__((vector_size(VECTOR), aligned(sizeof(T)), may_alias));

#define VECTOR_AT(place, v) (*(const NAME(vector) *)((place) + (v) * NAME(lanes)))
#define EACH_VECTOR _Pragma("GCC unroll 4") for (int v = 0; v < vectors; v++)

/* `WORK` for all channels that fill vectors, `first` being the first of `vectors` of them. */
#define FOR_VECTORS(n, ...)                                                                                \
    {                                                                                                      \
        ptrdiff_t first = 0;                                                                               \
        for (; first + NAME(vectors) * NAME(lanes) <= (n); first += NAME(vectors) * NAME(lanes)) {         \
            enum { vectors = NAME(vectors) };                                                              \
            __VA_ARGS__                                                                                    \
        }                                                                                                  \
        for (; first + NAME(lanes) <= (n); first += NAME(lanes)) {                                         \
            enum { vectors = 1 };                                                                          \
            __VA_ARGS__                                                                                    \
        }                                                                                                  \
    }

/* The sums of `vectors` vectors of channels, at so many positions side by side: the windows of all of them have the
   taps inside that the first one has. */
TARGET TAPEGRAD_PART_OF_LOOP void NAME(depthwise_sums)(
    const tapegrad_windows *windows, const tapegrad_window_axis *axes, const tapegrad_window *window,
    ptrdiff_t first, int vectors, int positions)
{
    ptrdiff_t n = windows->channels, step = axes[2].step * n;
    T *out = (T *)windows->result + window->position * n + first;
    NAME(vector) sums[NAME(beside)][NAME(vectors)];
    _Pragma("GCC unroll 4") for (int p = 0; p < positions; p++)
        EACH_VECTOR sums[p][v] = (NAME(vector)){0};
    FOR_TAPS({
        const T *in = (const T *)windows->x + place + first;
        const T *weights = (const T *)windows->weights + tap * n + first;
        EACH_VECTOR {
            NAME(vector) weight = VECTOR_AT(weights, v);
            _Pragma("GCC unroll 4") for (int p = 0; p < positions; p++)
                sums[p][v] += VECTOR_AT(in + p * step, v) * weight;
        }
    })
    _Pragma("GCC unroll 4") for (int p = 0; p < positions; p++)
        EACH_VECTOR *(NAME(vector) *)(out + p * n + v * NAME(lanes)) = sums[p][v];
}

/* The sums of the channels from the window's first on, one by one. */
AT(depthwise_rest)
{
    ptrdiff_t n = windows->channels, m = windows->multiplier, first = window->first;
    T *restrict out = (T *)windows->result + window->position * n * m;
    (void)item;
    for (ptrdiff_t c = first * m; c < n * m; c++)
        out[c] = 0;
    FOR_TAPS({
        const T *restrict in = (const T *)windows->x + place;
        const T *restrict weights = (const T *)windows->weights + tap * n * m;
        if (m == 1)
            for (ptrdiff_t c = first; c < n; c++)
                out[c] += in[c] * weights[c];
        else
            for (ptrdiff_t c = 0; c < n; c++)
                for (ptrdiff_t j = 0; j < m; j++)
                    out[c * m + j] += in[c] * weights[c * m + j];
    })
}

/* The lines `begin` to `end`. */
TARGET static void NAME(depthwise)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_windows *windows = context;
    const tapegrad_window_axis *axes = windows->axes;
    ptrdiff_t n = windows->channels, whole = windows->multiplier == 1 ? n - n % NAME(lanes) : 0, low, high;
    tapegrad_window window;
    tapegrad_window_inside(&axes[2], 0, axes[2].taps - 1, &low, &high);
    window.first = whole;
    window.last = n;
    for (ptrdiff_t line = begin; line < end; line++) {
        tapegrad_window_line(windows, &window, line);
        for (ptrdiff_t i = 0, positions; i < axes[2].count; i += positions) {
            positions = i >= low && i + NAME(beside) <= high ? NAME(beside) : 1;
            tapegrad_window_along(windows, &window, 2, i);
            window.position = line * axes[2].count + i;
            if (positions > 1)
                FOR_VECTORS(whole, NAME(depthwise_sums)(windows, axes, &window, first, vectors, NAME(beside));)
            else
                FOR_VECTORS(whole, NAME(depthwise_sums)(windows, axes, &window, first, vectors, 1);)
            for (ptrdiff_t p = 0; p < positions && whole < n; p++, window.position++) {
                tapegrad_window_along(windows, &window, 2, i + p);
                NAME(depthwise_rest_at)(windows, axes, &window, line);
            }
        }
        if (windows->epilogue != NULL)
            windows->epilogue->run(windows->epilogue, line * axes[2].count, axes[2].count);
    }
}

AT(depthwise_by_input)
{
    ptrdiff_t m = windows->multiplier;
    const T *restrict dy = (const T *)windows->values + window->position * windows->channels * m;
    (void)item;
    FOR_TAPS({
        T *restrict result = (T *)windows->result + place;
        const T *restrict weights = (const T *)windows->weights + tap * windows->channels * m;
        if (m == 1)
            for (ptrdiff_t c = window->first; c < window->last; c++)
                result[c] += dy[c] * weights[c];
        else
            for (ptrdiff_t c = window->first; c < window->last; c++) {
                T sum = 0;
                for (ptrdiff_t j = c * m; j < (c + 1) * m; j++)
                    sum += dy[j] * weights[j];
                result[c] += sum;
            }
    })
}
BODY(depthwise_by_input)

/* Each slice of lines has a sum of its own. */
AT(by_filter_of_many)
{
    ptrdiff_t n = windows->channels, m = windows->multiplier;
    ptrdiff_t taps = axes[0].taps * axes[1].taps * axes[2].taps;
    const T *restrict dy = (const T *)windows->values + window->position * n * m;
    FOR_TAPS({
        const T *restrict in = (const T *)windows->x + place;
        T *restrict result = (T *)windows->result + (item * taps + tap) * n * m;
        for (ptrdiff_t c = 0; c < n; c++)
            for (ptrdiff_t j = 0; j < m; j++)
                result[c * m + j] += in[c] * dy[c * m + j];
    })
}
BODY(by_filter_of_many)

/* result[t * n] += in[i * step + t * rate] * dy[i * n] over so many positions i, for `taps` taps and `vectors` vectors
   of channels. */
TARGET TAPEGRAD_PART_OF_LOOP void NAME(add_products)(int taps, int vectors, const T *in, ptrdiff_t step,
                                                     ptrdiff_t rate, const T *dy, ptrdiff_t n, ptrdiff_t count,
                                                     T *result)
{
    NAME(vector) sums[NAME(taps_beside)][NAME(vectors)];
    _Pragma("GCC unroll 3") for (int t = 0; t < taps; t++)
        EACH_VECTOR sums[t][v] = VECTOR_AT(result + t * n, v);
    for (ptrdiff_t i = 0; i < count; i++, in += step, dy += n)
        EACH_VECTOR {
            NAME(vector) gradient = VECTOR_AT(dy, v);
            _Pragma("GCC unroll 3") for (int t = 0; t < taps; t++)
                sums[t][v] += VECTOR_AT(in + t * rate, v) * gradient;
        }
    _Pragma("GCC unroll 3") for (int t = 0; t < taps; t++)
        EACH_VECTOR *(NAME(vector) *)(result + t * n + v * NAME(lanes)) = sums[t][v];
}

/* One tap at the positions `low` to `high` of a line; at position 0 it meets the element `place` of x, which may lie
   before the first. */
TARGET static void NAME(add_tap)(const T *x, ptrdiff_t place, ptrdiff_t step, const T *dy, ptrdiff_t n, ptrdiff_t low,
                                 ptrdiff_t high, T *result)
{
    if (low >= high)
        return;
    FOR_VECTORS(n, NAME(add_products)(1, vectors, x + (place + low * step + first), step, 0, dy + (low * n + first),
                                      n, high - low, result + first);)
    for (ptrdiff_t i = low; i < high && n % NAME(lanes); i++)
        for (ptrdiff_t c = n - n % NAME(lanes); c < n; c++)
            result[c] += x[place + i * step + c] * dy[i * n + c];
}

/* The taps of one row of a window, at a line of positions. Taps side by side share the gradients of the positions at
   which all of them lie inside; each adds up its positions in order. */
TARGET static void NAME(add_row)(const tapegrad_window_axis *axis, const T *x, const T *dy, ptrdiff_t n, T *result)
{
    ptrdiff_t step = axis->step * n, rate = axis->rate * n, whole = n - n % NAME(lanes), low, high, from, to;
    int taps;
    for (ptrdiff_t tap = 0; tap < axis->taps; tap += taps) {
        ptrdiff_t place = tap * rate - axis->before * n;
        taps = axis->taps - tap < NAME(taps_beside) ? 1 : NAME(taps_beside);
        if (taps == 1) {
            tapegrad_window_inside(axis, tap, tap, &low, &high);
            NAME(add_tap)(x, place, step, dy, n, low, high, result + tap * n);
            continue;
        }
        tapegrad_window_inside(axis, tap, tap + taps - 1, &from, &to);
        if (to < from)
            to = from;
        for (int t = 0; t < taps; t++) {
            tapegrad_window_inside(axis, tap + t, tap + t, &low, &high);
            NAME(add_tap)(x, place + t * rate, step, dy, n, low, from < high ? from : high, result + (tap + t) * n);
        }
        if (from < to)
            FOR_VECTORS(n, NAME(add_products)(NAME(taps_beside), vectors, x + (place + from * step + first), step,
                                              rate, dy + (from * n + first), n, to - from,
                                              result + tap * n + first);)
        for (int t = 0; t < taps; t++) {
            for (ptrdiff_t i = from; i < to && whole < n; i++)
                for (ptrdiff_t c = whole; c < n; c++)
                    result[(tap + t) * n + c] += x[place + t * rate + i * step + c] * dy[i * n + c];
            tapegrad_window_inside(axis, tap + t, tap + t, &low, &high);
            NAME(add_tap)(x, place + t * rate, step, dy, n, to, high, result + (tap + t) * n);
        }
    }
}

/* The slices `begin` to `end`. */
TARGET static void NAME(depthwise_by_filter)(void *context, ptrdiff_t begin, ptrdiff_t end)
{
    const tapegrad_windows *windows = context;
    const tapegrad_window_axis *axes = windows->axes;
    ptrdiff_t n = windows->channels, lines = windows->batch * axes[0].count * axes[1].count;
    ptrdiff_t taps = axes[0].taps * axes[1].taps * axes[2].taps;
    tapegrad_window window;
    if (windows->multiplier != 1) {
        NAME(by_filter_of_many)(context, begin, end);
        return;
    }
    for (ptrdiff_t slice = begin; slice < end; slice++) {
        ptrdiff_t last = (slice + 1) * windows->slice < lines ? (slice + 1) * windows->slice : lines;
        for (ptrdiff_t line = slice * windows->slice; line < last; line++) {
            const T *dy = (const T *)windows->values + line * axes[2].count * n;
            tapegrad_window_line(windows, &window, line);
            for (ptrdiff_t z = window.low[0]; z < window.high[0]; z++)
                for (ptrdiff_t y = window.low[1]; y < window.high[1]; y++) {
                    ptrdiff_t row = (window.corner[0] + z * axes[0].rate) * axes[1].size
                                    + window.corner[1] + y * axes[1].rate;
                    ptrdiff_t tap = (z * axes[1].taps + y) * axes[2].taps;
                    NAME(add_row)(&axes[2], (const T *)windows->x + (window.image + row * axes[2].size) * n, dy, n,
                                  (T *)windows->result + (slice * taps + tap) * n);
                }
        }
    }
}

#undef VECTOR_AT
#undef EACH_VECTOR
#undef FOR_VECTORS
#endif

#undef FOR_TAPS
#undef BODY
#undef AT
