"""Types of the compiled module `tapegrad.engines.numpy.scans`."""

from tapegrad.engines.numpy.lanes import Lane

cumsum: Lane
cumprod: Lane
recurrence: Lane
