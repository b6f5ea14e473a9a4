"""Types of the compiled module `tapegrad.engines.numpy.slopes`."""

from tapegrad.engines.numpy.lanes import Lane

leaky_relu: Lane
leaky_relu_grad: Lane
