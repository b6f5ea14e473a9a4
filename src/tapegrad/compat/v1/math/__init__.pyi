# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.signatures.elementwise.exponential import xdivy as xdivy
from tapegrad.signatures.elementwise.exponential import xlog1py as xlog1py
from tapegrad.signatures.elementwise.exponential import xlogy as xlogy
from tapegrad.signatures.elementwise.logic import equal as equal
from tapegrad.signatures.elementwise.logic import greater as greater
from tapegrad.signatures.elementwise.logic import greater_equal as greater_equal
from tapegrad.signatures.elementwise.logic import is_finite as is_finite
from tapegrad.signatures.elementwise.logic import is_inf as is_inf
from tapegrad.signatures.elementwise.logic import is_nan as is_nan
from tapegrad.signatures.elementwise.logic import less as less
from tapegrad.signatures.elementwise.logic import less_equal as less_equal
from tapegrad.signatures.elementwise.logic import logical_and as logical_and
from tapegrad.signatures.elementwise.logic import logical_not as logical_not
from tapegrad.signatures.elementwise.logic import logical_or as logical_or
from tapegrad.signatures.elementwise.logic import logical_xor as logical_xor
from tapegrad.signatures.elementwise.logic import not_equal as not_equal
from tapegrad.signatures.elementwise.math import floordiv as floordiv
from tapegrad.signatures.elementwise.math import nextafter as nextafter
from tapegrad.signatures.elementwise.math import polyval as polyval
from tapegrad.signatures.elementwise.math import pow as pow
from tapegrad.signatures.elementwise.math import squared_difference as squared_difference
from tapegrad.signatures.elementwise.math import subtract as subtract
from tapegrad.signatures.elementwise.math import truediv as truediv
from tapegrad.signatures.elementwise.special import betainc as betainc
from tapegrad.signatures.elementwise.special import igamma as igamma
from tapegrad.signatures.elementwise.special import igammac as igammac
from tapegrad.signatures.elementwise.special import polygamma as polygamma
from tapegrad.signatures.elementwise.special import zeta as zeta
from tapegrad.signatures.elementwise.trigonometry import atan2 as atan2
from tapegrad.signatures.indexing.approx_top_k import approx_max_k as approx_max_k
from tapegrad.signatures.indexing.approx_top_k import approx_min_k as approx_min_k
from tapegrad.signatures.indexing.segment import segment_max as segment_max
from tapegrad.signatures.indexing.segment import segment_mean as segment_mean
from tapegrad.signatures.indexing.segment import segment_min as segment_min
from tapegrad.signatures.indexing.segment import segment_prod as segment_prod
from tapegrad.signatures.indexing.segment import segment_sum as segment_sum
from tapegrad.signatures.indexing.segment import unsorted_segment_max as unsorted_segment_max
from tapegrad.signatures.indexing.segment import unsorted_segment_mean as unsorted_segment_mean
from tapegrad.signatures.indexing.segment import unsorted_segment_min as unsorted_segment_min
from tapegrad.signatures.indexing.segment import unsorted_segment_prod as unsorted_segment_prod
from tapegrad.signatures.indexing.segment import unsorted_segment_sqrt_n as unsorted_segment_sqrt_n
from tapegrad.signatures.indexing.segment import unsorted_segment_sum as unsorted_segment_sum
from tapegrad.signatures.indexing.sort import top_k as top_k
from tapegrad.signatures.nn.activations import softsign as softsign
from tapegrad.signatures.nn.normalization import l2_normalize as l2_normalize
from tapegrad.signatures.random.sobol import sobol_sample as sobol_sample
from tapegrad.signatures.reduce.clip import accumulate_n as accumulate_n
from tapegrad.signatures.reduce.clip import add_n as add_n
from tapegrad.signatures.reduce.log_beta import lbeta as lbeta
from tapegrad.signatures.reduce.reduce import is_non_decreasing as is_non_decreasing
from tapegrad.signatures.reduce.reduce import is_strictly_increasing as is_strictly_increasing
from tapegrad.signatures.reduce.reduce import zero_fraction as zero_fraction
from tapegrad.signatures.reduce.scan import cumprod as cumprod
from tapegrad.signatures.reduce.scan import cumsum as cumsum
from tapegrad.signatures.reduce.scan import cumulative_logsumexp as cumulative_logsumexp
from tapegrad.signatures.shape.shapes import invert_permutation as invert_permutation
from tapegrad.v1.functions import argmax as argmax
from tapegrad.v1.functions import argmin as argmin
from tapegrad.v1.functions import bincount as bincount
from tapegrad.v1.functions import confusion_matrix as confusion_matrix
from tapegrad.v1.functions import count_nonzero as count_nonzero
from tapegrad.v1.functions import in_top_k as in_top_k
from tapegrad.v1.functions import log_softmax as log_softmax
from tapegrad.v1.functions import reduce_all as reduce_all
from tapegrad.v1.functions import reduce_any as reduce_any
from tapegrad.v1.functions import reduce_logsumexp as reduce_logsumexp
from tapegrad.v1.functions import reduce_max as reduce_max
from tapegrad.v1.functions import reduce_mean as reduce_mean
from tapegrad.v1.functions import reduce_min as reduce_min
from tapegrad.v1.functions import reduce_prod as reduce_prod
from tapegrad.v1.functions import reduce_sum as reduce_sum
from tapegrad.v1.functions import softmax as softmax
from tapegrad.math import abs as _abs
from tapegrad.math import acos as _acos
from tapegrad.math import acosh as _acosh
from tapegrad.math import add as _add
from tapegrad.math import angle as _angle
from tapegrad.math import asin as _asin
from tapegrad.math import asinh as _asinh
from tapegrad.math import atan as _atan
from tapegrad.math import atanh as _atanh
from tapegrad.math import bessel_i0 as _bessel_i0
from tapegrad.math import bessel_i0e as _bessel_i0e
from tapegrad.math import bessel_i1 as _bessel_i1
from tapegrad.math import bessel_i1e as _bessel_i1e
from tapegrad.math import ceil as _ceil
from tapegrad.math import conj as _conj
from tapegrad.math import cos as _cos
from tapegrad.math import cosh as _cosh
from tapegrad.math import digamma as _digamma
from tapegrad.math import divide as _divide
from tapegrad.math import divide_no_nan as _divide_no_nan
from tapegrad.math import erf as _erf
from tapegrad.math import erfc as _erfc
from tapegrad.math import erfcinv as _erfcinv
from tapegrad.math import erfinv as _erfinv
from tapegrad.math import exp as _exp
from tapegrad.math import expm1 as _expm1
from tapegrad.math import floor as _floor
from tapegrad.math import floormod as _floormod
from tapegrad.math import imag as _imag
from tapegrad.math import lgamma as _lgamma
from tapegrad.math import log1p as _log1p
from tapegrad.math import log as _log
from tapegrad.math import log_sigmoid as _log_sigmoid
from tapegrad.math import maximum as _maximum
from tapegrad.math import minimum as _minimum
from tapegrad.math import mod as _mod
from tapegrad.math import multiply as _multiply
from tapegrad.math import multiply_no_nan as _multiply_no_nan
from tapegrad.math import ndtri as _ndtri
from tapegrad.math import negative as _negative
from tapegrad.math import real as _real
from tapegrad.math import reciprocal as _reciprocal
from tapegrad.math import reciprocal_no_nan as _reciprocal_no_nan
from tapegrad.math import reduce_euclidean_norm as _reduce_euclidean_norm
from tapegrad.math import reduce_std as _reduce_std
from tapegrad.math import reduce_variance as _reduce_variance
from tapegrad.math import rint as _rint
from tapegrad.math import round as _round
from tapegrad.math import rsqrt as _rsqrt
from tapegrad.math import scalar_mul as _scalar_mul
from tapegrad.math import sigmoid as _sigmoid
from tapegrad.math import sign as _sign
from tapegrad.math import sin as _sin
from tapegrad.math import sinh as _sinh
from tapegrad.math import softplus as _softplus
from tapegrad.math import sqrt as _sqrt
from tapegrad.math import square as _square
from tapegrad.math import tan as _tan
from tapegrad.math import tanh as _tanh
from tapegrad.compat.v1.math import special as special

abs = _abs
acos = _acos
acosh = _acosh
add = _add
angle = _angle
asin = _asin
asinh = _asinh
atan = _atan
atanh = _atanh
bessel_i0 = _bessel_i0
bessel_i0e = _bessel_i0e
bessel_i1 = _bessel_i1
bessel_i1e = _bessel_i1e
ceil = _ceil
conj = _conj
cos = _cos
cosh = _cosh
digamma = _digamma
divide = _divide
divide_no_nan = _divide_no_nan
erf = _erf
erfc = _erfc
erfcinv = _erfcinv
erfinv = _erfinv
exp = _exp
expm1 = _expm1
floor = _floor
floormod = _floormod
imag = _imag
lgamma = _lgamma
log1p = _log1p
log = _log
log_sigmoid = _log_sigmoid
maximum = _maximum
minimum = _minimum
mod = _mod
multiply = _multiply
multiply_no_nan = _multiply_no_nan
ndtri = _ndtri
negative = _negative
real = _real
reciprocal = _reciprocal
reciprocal_no_nan = _reciprocal_no_nan
reduce_euclidean_norm = _reduce_euclidean_norm
reduce_std = _reduce_std
reduce_variance = _reduce_variance
rint = _rint
round = _round
rsqrt = _rsqrt
scalar_mul = _scalar_mul
sigmoid = _sigmoid
sign = _sign
sin = _sin
sinh = _sinh
softplus = _softplus
sqrt = _sqrt
square = _square
tan = _tan
tanh = _tanh
