"""Many elements along some axes as one, or as running totals.

``reduce`` sums, products, extrema, means and norms, ``scan`` running sums and products, ``clip``
sums of many tensors and clipping by norms.

Sums by segment are in ``indexing``; counts of values in ``sparse.histogram``.
"""
