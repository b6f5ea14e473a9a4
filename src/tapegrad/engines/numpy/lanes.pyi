"""Types of the compiled module `tapegrad.engines.numpy.lanes`."""

class Lane: ...

reshape: Lane
broadcast_to: Lane
