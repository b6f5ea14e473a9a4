"""Sparse tensors, sets, and counts.

``sparse_tensor``   the classes ``SparseTensor`` and ``SparseTensorSpec``
``functions``       the functions of ``tf.sparse`` on sparse tensors: made, sorted, sliced, joined
``arithmetic``      sums, products, extremes and softmax of sparse tensors
``parts``           ops on a sparse tensor's indices, values and shape, which those functions call
``cross``           combinations of the elements in each row
``counts``          how often each integer occurs, as a sparse tensor
``edit_distance``   the distance between rows of sparse tensors
``sets``            rows of tensors as sets
``histogram``       how many values fall into each bin, equal each integer, or each pair of labels; all dense

Next door: sparse gradients, ``IndexedSlices``, are in ``indexing``.
"""
