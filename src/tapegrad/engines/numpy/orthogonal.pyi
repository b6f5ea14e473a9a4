"""Types of the compiled module `tapegrad.engines.numpy.orthogonal`."""

from tapegrad.engines.numpy.lanes import Lane

orthogonal: Lane
self_adjoint: Lane
singular: Lane
