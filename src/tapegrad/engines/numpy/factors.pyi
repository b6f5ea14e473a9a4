"""Types of the compiled module `tapegrad.engines.numpy.factors`."""

from tapegrad.engines.numpy.lanes import Lane

cholesky: Lane
inverse: Lane
solve: Lane
determinant: Lane
log_determinant: Lane
