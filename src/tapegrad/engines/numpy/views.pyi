"""Types of the compiled module `tapegrad.engines.numpy.views`."""

from tapegrad.engines.numpy.lanes import Lane

transpose: Lane
frames: Lane
expand_dims: Lane
squeeze: Lane
slice_block: Lane
diagonal: Lane
