"""What programs need around the mathematics.

``control``        branches and loops
``maps``           maps, folds and scans over elements
``tensor_array``   ``tf.TensorArray``
``scopes``         how loops and maps run while a function is saved
``loop_variables`` loops and branches that are one step of a saved function
``variables``      the ops that read and write variables
``tables``         the ops that read and write look-up tables
``host``           printing, and calls of Python and NumPy functions
``debugging``      checks that raise
``strings``        numbers as text

Next door: ``framework.check_numerics`` looks at every result for NaN and infinity. `tapegrad.tables`
has ``tf.lookup``.
"""
