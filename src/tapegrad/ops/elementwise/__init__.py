"""Elementwise functions of operands that are broadcast against each other.

``math``           arithmetic and powers
``signs``          absolute values, signs and angles
``rounding``       rounding down, up and to the nearest
``logic``          comparisons, logical and bitwise ops, tests for NaN and infinity
``conditions``     ``tf.where``
``complex``        complex numbers and their parts
``exponential``    exponentials, logarithms, the sigmoid
``trigonometry``   trigonometric and hyperbolic functions
``special``        special functions, computed by SciPy

Next door: the activations of neural networks are in ``nn``, sums over elements in ``reduce``.
"""
