"""Types of the compiled module `tapegrad.engines.numpy.lanes`."""

class Lane: ...

filled: Lane
zeros_like: Lane
reshape: Lane
same: Lane
broadcast_to: Lane
