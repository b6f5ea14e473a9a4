/* The loops of `epilogues.h` for elements of type T: KERNELS_OF_TYPE of `each_real.h`; no guard. */

#define EACH_ELEMENT(EXPRESSION)                                                                            \
    for (ptrdiff_t r = 0; r < rows; r++, row += n) {                                                       \
        TAPEGRAD_INDEPENDENT                                                                               \
        for (ptrdiff_t c = 0; c < n; c++)                                                                  \
            row[c] = EXPRESSION;                                                                           \
    }

TARGET static void NAME(run_stage)(const tapegrad_stage *stage, T *row, ptrdiff_t rows, ptrdiff_t n, ptrdiff_t place)
{
    const T *first = stage->first, *second = stage->second, *third = stage->third;
    ptrdiff_t size = rows * n, steps[2] = {sizeof(T), sizeof(T)};
    char *operands[2] = {(char *)row, (char *)row};
    switch (stage->kind) {
    case TAPEGRAD_ADD_CHANNELS:
        EACH_ELEMENT(row[c] + first[c])
        break;
    case TAPEGRAD_MULTIPLY_CHANNELS:
        EACH_ELEMENT(row[c] * first[c])
        break;
    case TAPEGRAD_NORMALIZE:
        EACH_ELEMENT((row[c] - first[c]) * second[c] + third[c])
        break;
    case TAPEGRAD_ADD_ELEMENTS:
        first += place;
        TAPEGRAD_INDEPENDENT
        for (ptrdiff_t i = 0; i < size; i++)
            row[i] = row[i] + first[i];
        break;
    default:
        stage->function(operands, &size, steps, stage->data);
    }
}
#undef EACH_ELEMENT

TARGET static void NAME(run_epilogue)(const tapegrad_epilogue *epilogue, ptrdiff_t first, ptrdiff_t rows)
{
    ptrdiff_t n = epilogue->channels, most = TAPEGRAD_STAGE_BYTES / (n * (ptrdiff_t)sizeof(T)) + 1;
    for (ptrdiff_t end = first + rows; first < end; first += most) {
        ptrdiff_t count = end - first < most ? end - first : most;
        for (int i = 0; i < epilogue->count; i++)
            NAME(run_stage)(&epilogue->stages[i], (T *)epilogue->result + first * n, count, n, first * n);
    }
}
