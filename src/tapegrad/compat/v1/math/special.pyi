# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.math.special import bessel_i0 as _bessel_i0
from tapegrad.math.special import bessel_i0e as _bessel_i0e
from tapegrad.math.special import bessel_i1 as _bessel_i1
from tapegrad.math.special import bessel_i1e as _bessel_i1e
from tapegrad.math.special import bessel_j0 as _bessel_j0
from tapegrad.math.special import bessel_j1 as _bessel_j1
from tapegrad.math.special import bessel_k0 as _bessel_k0
from tapegrad.math.special import bessel_k0e as _bessel_k0e
from tapegrad.math.special import bessel_k1 as _bessel_k1
from tapegrad.math.special import bessel_k1e as _bessel_k1e
from tapegrad.math.special import bessel_y0 as _bessel_y0
from tapegrad.math.special import bessel_y1 as _bessel_y1
from tapegrad.math.special import dawsn as _dawsn
from tapegrad.math.special import expint as _expint
from tapegrad.math.special import fresnel_cos as _fresnel_cos
from tapegrad.math.special import fresnel_sin as _fresnel_sin
from tapegrad.math.special import spence as _spence

bessel_i0 = _bessel_i0
bessel_i0e = _bessel_i0e
bessel_i1 = _bessel_i1
bessel_i1e = _bessel_i1e
bessel_j0 = _bessel_j0
bessel_j1 = _bessel_j1
bessel_k0 = _bessel_k0
bessel_k0e = _bessel_k0e
bessel_k1 = _bessel_k1
bessel_k1e = _bessel_k1e
bessel_y0 = _bessel_y0
bessel_y1 = _bessel_y1
dawsn = _dawsn
expint = _expint
fresnel_cos = _fresnel_cos
fresnel_sin = _fresnel_sin
spence = _spence
