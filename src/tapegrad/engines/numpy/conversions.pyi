"""Types of the compiled module `tapegrad.engines.numpy.conversions`."""

from tapegrad.engines.numpy.lanes import Lane

cast: Lane
choice: Lane
