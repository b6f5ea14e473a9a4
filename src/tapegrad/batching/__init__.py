"""Functions of one item, run on all items of a batch at once.

``mapping`` `tf.vectorized_map`
``groups``  functions that branch on values: items with equal values run as one group
``writes``  what they write as one, undone where a map begins again

Next door: the compiled kind of array is in ``core.batching``, helpers for the batching rules of ops are
in ``ops.batching``, and the ops that enter and leave a batch are in ``ops.reduce.batches``. Jacobians, which
walk a tape with a batch of seeds, are in ``autodiff.jacobian``.
"""
