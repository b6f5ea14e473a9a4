"""Reductions: many elements along some axes become one, or running totals.

``reduce``     sums, products, extremes, means, norms, truth values and counts
``moments``    means with variances, variances and standard deviations
``scan``       running sums, products and log-sum-exps
``clip``       sums of many tensors, norms over many, and clipping
``log_beta``   the logarithm of the beta function along an axis
``batches``    the ops that enter and leave a batch, and the sum over its items

Next door: sums by segment are in ``indexing.segment``, counts of values in ``sparse.histogram``.
"""
