"""Types of the compiled module `tapegrad.engines.numpy.kernels`."""

import numpy as np

sigmoid: np.ufunc
softplus: np.ufunc
relu: np.ufunc
rsqrt: np.ufunc
erf: np.ufunc
erfc: np.ufunc
relu_grad: np.ufunc
tanh_grad: np.ufunc
sigmoid_grad: np.ufunc
xdivy: np.ufunc
multiply_no_nan: np.ufunc
divide_no_nan: np.ufunc
silu: np.ufunc
gelu: np.ufunc
softsign: np.ufunc
silu_grad: np.ufunc
gelu_grad: np.ufunc
leaky_relu: np.ufunc
floormod_of_floats: np.ufunc
lgamma_of_floats: np.ufunc
digamma_of_floats: np.ufunc
trigamma: np.ufunc
erfinv: np.ufunc
power: np.ufunc

replacements: dict[np.ufunc, np.ufunc]
known_of_loops: dict[np.ufunc, frozenset[str]]

def functions(level: int) -> dict[str, np.ufunc]: ...
