"""Functions of each element by itself, broadcast against each other.

``math`` arithmetic and powers, ``signs`` absolute values and angles, ``rounding``, ``logic``
comparisons and bits, ``complex`` parts of complex numbers, ``exponential``, ``trigonometry``,
``special`` functions, and ``conditions``: ``tf.where``.

Activations of neural nets are in ``nn``; sums over elements in ``reduce``.
"""
