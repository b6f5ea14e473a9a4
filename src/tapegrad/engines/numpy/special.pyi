"""Types of the compiled module `tapegrad.engines.numpy.special`."""

import numpy as np

lgamma: np.ufunc
digamma: np.ufunc
ndtri: np.ufunc
dawsn: np.ufunc
expint: np.ufunc
spence: np.ufunc
fresnel_cos: np.ufunc
fresnel_sin: np.ufunc
bessel_i0: np.ufunc
bessel_i0e: np.ufunc
bessel_i1: np.ufunc
bessel_i1e: np.ufunc
bessel_j0: np.ufunc
bessel_j1: np.ufunc
bessel_k0: np.ufunc
bessel_k0e: np.ufunc
bessel_k1: np.ufunc
bessel_k1e: np.ufunc
bessel_y0: np.ufunc
bessel_y1: np.ufunc
igamma: np.ufunc
igammac: np.ufunc
igamma_slope: np.ufunc
gamma_sample_slope: np.ufunc
zeta: np.ufunc
polygamma: np.ufunc
log_beta: np.ufunc
digamma_rise: np.ufunc
beta_share: np.ufunc

def functions(level: int) -> dict[str, np.ufunc]: ...
