"""Types of the compiled module `tapegrad.engines.numpy.searches`."""

from tapegrad.engines.numpy.lanes import Lane

argmax: Lane
argmin: Lane
any_true: Lane
all_true: Lane
lower_bound: Lane
upper_bound: Lane
unique: Lane
