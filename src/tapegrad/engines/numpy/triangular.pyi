"""Types of the compiled module `tapegrad.engines.numpy.triangular`."""

from tapegrad.engines.numpy.lanes import Lane

triangular_solve: Lane
