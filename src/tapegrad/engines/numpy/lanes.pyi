"""Types of the compiled module `tapegrad.engines.numpy.lanes`."""

class Lane: ...

filled: Lane
reshape: Lane
broadcast_to: Lane
