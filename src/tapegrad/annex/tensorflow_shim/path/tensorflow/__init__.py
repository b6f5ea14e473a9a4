"""The name ``tensorflow`` for a child process of a program in which tapegrad stands in.

``not_tensorflow`` marks it as a package that is not TensorFlow.
"""

from tapegrad.annex.tensorflow_shim.entry import stand_in

stand_in()
