/* One row of softmax and of what is made of it, for `float` and `double`.

   Exponentials are taken in the row's place while the row is in the first cache: of floats by our own function, of
   doubles by the loop that the caller hands over, NumPy's own. Sums are kept in lanes and end in double precision. */

#ifndef TAPEGRAD_SOFTMAX_H
#define TAPEGRAD_SOFTMAX_H

#include <math.h>

#include "exponentials.h"
#include "reductions.h"

typedef void (*tapegrad_loop)(char **args, const npy_intp *dimensions, const npy_intp *steps, void *data);

typedef struct {
    tapegrad_loop function; /* of exp */
    void *data;
} tapegrad_exp;

enum { TAPEGRAD_BLOCK = 1024 /* terms that are added up in single precision */ };

/* exp(x - less), which is never above 1. */
TAPEGRAD_WIDE static void float_exponentials(const float *x, float less, float *out, npy_intp n,
                                             const tapegrad_exp *power)
{
    (void)power;
    for (npy_intp i = 0; i < n; i++)
        out[i] = tapegrad_exp_float(x[i] - less);
}

TAPEGRAD_WIDE static void double_exponentials(const double *x, double less, double *out, npy_intp n,
                                              const tapegrad_exp *power)
{
    char *args[3] = {(char *)out, (char *)out, NULL};
    npy_intp steps[3] = {sizeof(double), sizeof(double), 0}, length = n;
    for (npy_intp i = 0; i < n; i++)
        out[i] = x[i] - less;
    power->function(args, &length, steps, power->data);
}

#define SOFTMAX(NAME, T)                                                                                      \
    TAPEGRAD_WIDE static void NAME##_over(T *x, T divisor, npy_intp n)                                       \
    {                                                                                                        \
        for (npy_intp i = 0; i < n; i++)                                                                     \
            x[i] = x[i] / divisor;                                                                           \
    }                                                                                                        \
    /* The exponentials of `x` less its largest element, which is returned; their sum is `total`. */        \
    static T NAME##_powers(const T *x, T *out, npy_intp n, double *total, const tapegrad_exp *power)         \
    {                                                                                                        \
        T largest = (T)max_##NAME##_contiguous(x, n);                                                        \
        NAME##_exponentials(x, largest, out, n, power);                                                      \
        *total = sum_##NAME##_contiguous(out, n);                                                            \
        return largest;                                                                                      \
    }                                                                                                        \
    static void NAME##_softmax(const char *x, char *out, npy_intp n, const tapegrad_exp *power)              \
    {                                                                                                        \
        double total;                                                                                        \
        NAME##_powers((const T *)x, (T *)out, n, &total, power);                                             \
        NAME##_over((T *)out, (T)total, n);                                                                  \
    }                                                                                                        \
    TAPEGRAD_WIDE static void NAME##_less_both(const T *x, T first, T second, T *out, npy_intp n)            \
    {                                                                                                        \
        for (npy_intp i = 0; i < n; i++)                                                                     \
            out[i] = (x[i] - first) - second;                                                                \
    }                                                                                                        \
    static void NAME##_log_softmax(const char *x, char *out, npy_intp n, const tapegrad_exp *power)          \
    {                                                                                                        \
        double total;                                                                                        \
        T largest = NAME##_powers((const T *)x, (T *)out, n, &total, power);                                 \
        NAME##_less_both((const T *)x, largest, (T)log(total), (T *)out, n);                                 \
    }                                                                                                        \
    /* The sum of x * y, of at most TAPEGRAD_BLOCK terms. */                                                 \
    TAPEGRAD_WIDE static double NAME##_product_block(const T *x, const T *y, npy_intp n)                     \
    {                                                                                                        \
        T lane[TAPEGRAD_LANES] = {0};                                                                        \
        npy_intp i = 0, j;                                                                                   \
        double out = 0;                                                                                      \
        for (; i + TAPEGRAD_LANES <= n; i += TAPEGRAD_LANES)                                                 \
            for (j = 0; j < TAPEGRAD_LANES; j++)                                                             \
                lane[j] += x[i + j] * y[i + j];                                                              \
        for (; i < n; i++)                                                                                   \
            out += (double)(x[i] * y[i]);                                                                    \
        for (i = TAPEGRAD_LANES / 2; i > 0; i /= 2)                                                          \
            for (j = 0; j < i; j++)                                                                          \
                lane[j] += lane[j + i];                                                                      \
        return out + lane[0];                                                                                \
    }                                                                                                        \
    static double NAME##_product(const T *x, const T *y, npy_intp n)                                         \
    {                                                                                                        \
        double out = 0;                                                                                      \
        for (npy_intp i = 0; i < n; i += TAPEGRAD_BLOCK)                                                     \
            out += NAME##_product_block(x + i, y + i, n - i < TAPEGRAD_BLOCK ? n - i : TAPEGRAD_BLOCK);      \
        return out;                                                                                          \
    }                                                                                                        \
    TAPEGRAD_WIDE static void NAME##_centred(const T *dy, const T *y, T mean, T *out, npy_intp n)            \
    {                                                                                                        \
        for (npy_intp i = 0; i < n; i++)                                                                     \
            out[i] = (dy[i] - mean) * y[i];                                                                  \
    }                                                                                                        \
    static void NAME##_softmax_grad(const char *dy, const char *y, char *out, npy_intp n)                    \
    {                                                                                                        \
        T mean = (T)NAME##_product((const T *)dy, (const T *)y, n);                                          \
        NAME##_centred((const T *)dy, (const T *)y, mean, (T *)out, n);                                      \
    }                                                                                                        \
    TAPEGRAD_WIDE static void NAME##_less_share(const T *dy, T total, T *out, npy_intp n)                    \
    {                                                                                                        \
        for (npy_intp i = 0; i < n; i++)                                                                     \
            out[i] = dy[i] - total * out[i];                                                                 \
    }                                                                                                        \
    static void NAME##_log_softmax_grad(const char *dy, const char *y, char *out, npy_intp n,                \
                                        const tapegrad_exp *power)                                           \
    {                                                                                                        \
        NAME##_exponentials((const T *)y, 0, (T *)out, n, power);                                            \
        NAME##_less_share((const T *)dy, (T)sum_##NAME##_contiguous((const T *)dy, n), (T *)out, n);         \
    }                                                                                                        \
    /* The sum of label * log(probability), of at most TAPEGRAD_BLOCK terms. A label of 0 counts nothing,    \
       even where the logarithm is -inf. */                                                                  \
    TAPEGRAD_WIDE static double NAME##_likelihood_block(const T *x, const T *labels, T first, T second,      \
                                                        npy_intp n)                                          \
    {                                                                                                        \
        T lane[TAPEGRAD_LANES] = {0};                                                                        \
        npy_intp i = 0, j;                                                                                   \
        double out = 0;                                                                                      \
        for (; i + TAPEGRAD_LANES <= n; i += TAPEGRAD_LANES)                                                 \
            for (j = 0; j < TAPEGRAD_LANES; j++) {                                                           \
                T term = labels[i + j] * ((x[i + j] - first) - second);                                      \
                lane[j] += labels[i + j] == 0 ? 0 : term;                                                    \
            }                                                                                                \
        for (; i < n; i++)                                                                                   \
            out += labels[i] == 0 ? 0 : (double)(labels[i] * ((x[i] - first) - second));                     \
        for (i = TAPEGRAD_LANES / 2; i > 0; i /= 2)                                                          \
            for (j = 0; j < i; j++)                                                                          \
                lane[j] += lane[j + i];                                                                      \
        return out + lane[0];                                                                                \
    }                                                                                                        \
    TAPEGRAD_WIDE static void NAME##_less_labels(T *out, T divisor, T factor, const T *labels, npy_intp n)   \
    {                                                                                                        \
        for (npy_intp i = 0; i < n; i++)                                                                     \
            out[i] = out[i] / divisor * factor - labels[i];                                                  \
    }                                                                                                        \
    /* The loss of a row; its gradient by the logits goes to `out`. */                                       \
    static void NAME##_cross_entropy(const char *logits, const char *labels, char *loss, char *out,          \
                                     npy_intp n, const tapegrad_exp *power)                                  \
    {                                                                                                        \
        const T *x = (const T *)logits, *z = (const T *)labels;                                              \
        double total, likelihood = 0;                                                                        \
        T largest = NAME##_powers(x, (T *)out, n, &total, power), logarithm = (T)log(total);                 \
        for (npy_intp i = 0; i < n; i += TAPEGRAD_BLOCK)                                                     \
            likelihood += NAME##_likelihood_block(                                                           \
                x + i, z + i, largest, logarithm, n - i < TAPEGRAD_BLOCK ? n - i : TAPEGRAD_BLOCK);          \
        *(T *)loss = (T)(0 - likelihood);                                                                    \
        NAME##_less_labels((T *)out, (T)total, (T)sum_##NAME##_contiguous(z, n), z, n);                      \
    }                                                                                                        \
    static void NAME##_sparse_cross_entropy(const char *logits, npy_intp label, char *loss, char *out,       \
                                            npy_intp n, const tapegrad_exp *power)                           \
    {                                                                                                        \
        const T *x = (const T *)logits;                                                                      \
        double total;                                                                                        \
        T largest = NAME##_powers(x, (T *)out, n, &total, power);                                            \
        *(T *)loss = 0 - ((x[label] - largest) - (T)log(total));                                             \
        NAME##_over((T *)out, (T)total, n);                                                                  \
        ((T *)out)[label] -= 1;                                                                              \
    }

SOFTMAX(float, float)
SOFTMAX(double, double)

#endif
