"""Sparse tensors, sets, and counts.

``sparse_tensor`` the class, ``functions`` and ``more`` of ``tf.sparse``, ``parts`` the ops on
places, values and shapes, ``sets`` combined row by row, ``histogram`` how often which value comes.

Sparse gradients, ``IndexedSlices``, are in ``indexing``.
"""
