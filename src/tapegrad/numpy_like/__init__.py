"""``tf.experimental.numpy``: functions of tensors with NumPy's names, arguments and dtypes.

``promotion``  the dtype of a result, and values as tensors of it
``creation``   new tensors: ``ones``, ``arange``, ``asarray``
``math``       functions of elements, and reductions
``shapes``     functions that move, join or pick elements
``random``     ``tf.experimental.numpy.random``
``behavior``   ``experimental_enable_numpy_behavior``, which gives tensors NumPy's methods and promotion

They call the functions of `tapegrad.ops`, so gradients flow through them.
"""
