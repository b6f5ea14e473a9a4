"""Matrices that are copied column by column; a row of the source begins `step` elements behind another, one of the copy `to`."""

cdef extern from "transposed.h" nogil:
    void transpose_floats "tapegrad_transpose_floats" (
        ptrdiff_t rows, ptrdiff_t columns, const float* source, ptrdiff_t step, float* out, ptrdiff_t to) noexcept
    void transpose_doubles "tapegrad_transpose_doubles" (
        ptrdiff_t rows, ptrdiff_t columns, const double* source, ptrdiff_t step, double* out, ptrdiff_t to) noexcept
