# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.signatures.elementwise.special import bessel_i0 as bessel_i0
from tapegrad.signatures.elementwise.special import bessel_i0e as bessel_i0e
from tapegrad.signatures.elementwise.special import bessel_i1 as bessel_i1
from tapegrad.signatures.elementwise.special import bessel_i1e as bessel_i1e
from tapegrad.signatures.elementwise.special import bessel_j0 as bessel_j0
from tapegrad.signatures.elementwise.special import bessel_j1 as bessel_j1
from tapegrad.signatures.elementwise.special import bessel_k0 as bessel_k0
from tapegrad.signatures.elementwise.special import bessel_k0e as bessel_k0e
from tapegrad.signatures.elementwise.special import bessel_k1 as bessel_k1
from tapegrad.signatures.elementwise.special import bessel_k1e as bessel_k1e
from tapegrad.signatures.elementwise.special import bessel_y0 as bessel_y0
from tapegrad.signatures.elementwise.special import bessel_y1 as bessel_y1
from tapegrad.signatures.elementwise.special import dawsn as dawsn
from tapegrad.signatures.elementwise.special import expint as expint
from tapegrad.signatures.elementwise.special import fresnel_cos as fresnel_cos
from tapegrad.signatures.elementwise.special import fresnel_sin as fresnel_sin
from tapegrad.signatures.elementwise.special import spence as spence
