"""Descriptions of arguments that many functions have.

The functions of `numpy_like` and of `tapegrad.annex.array_api` repeat a few arguments: what is computed with,
the axes of a reduction, the dtype of the result. `framework.docstrings.describes` adds them to docstrings.
"""

VALUE = "a tensor, or a value that `tf.experimental.numpy.asarray` makes one."
NUMBERS = (
    "a tensor, or a value that `tf.experimental.numpy.asarray` makes one. Integers and bools become "
    "float64, or float32 where `tf.experimental.numpy.experimental_enable_numpy_behavior` was told to "
    "prefer that."
)
PROMOTED = (
    "a tensor, or a value that becomes one. Both arguments are broadcast to one shape and cast to one "
    "dtype, that of `tf.experimental.numpy.result_type`."
)
TRUTH = "a tensor, or a value that becomes one. Elements are true unless they are 0."
KEEPDIMS = "whether the axes stay in the result, with size 1. None is False."
ALL_AXES = "the axis, or a list of axes, along which elements become one; None for all of them."
WIDENED = (
    "the dtype of the result, in which the numbers are added up or multiplied. None is int64 for bools and "
    "narrow integers, uint64 for narrow unsigned ones, and else the dtype of the elements."
)
ONE_AXIS = "the axis; None for all elements in a row."
DIAGONAL = "which diagonal: 0 is the main one, positive numbers are above it, negative ones below."
DEVICE = 'None, or a name of the one device, such as "cpu".'
