"""``tf.experimental.numpy``: functions of tensors with NumPy's names, arguments and dtypes.

``promotion``  the dtype of a result, and values as tensors of it
``lattice``    the lattice by which dtypes are promoted in the modes "all" and "safe"
``weak``       what calls of tf do in these modes
``creation``   new tensors: ``ones``, ``arange``, ``asarray``
``math``       functions of elements, and reductions
``integers``   functions of integers
``arguments``  descriptions of arguments that many of these functions have
``shapes``     functions that move, join or pick elements
``random``     ``tf.experimental.numpy.random``
``ops``        the ops that they compute with
``behavior``   ``experimental_enable_numpy_behavior``, which gives tensors NumPy's methods and promotion

They are made of ops, so gradients flow through them.
"""
