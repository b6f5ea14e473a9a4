"""Types of the compiled module `tapegrad.engines.numpy.ranks`."""

from tapegrad.engines.numpy.lanes import Lane

top_k: Lane
