"""What programs need around the mathematics.

``control``        branches, loops and maps
``tensor_array``   ``tf.TensorArray``
``variables``      the ops that read and write variables
``tables``         the ops that read and write look-up tables
``host``           printing, and calls of Python and NumPy functions
``debugging``      checks that raise
``strings``        numbers as text

Next door: ``framework.check_numerics`` looks at every result for NaN and infinity. `tapegrad.tables`
has ``tf.lookup``.
"""
