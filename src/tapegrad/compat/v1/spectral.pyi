# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.signal import dct as _dct
from tapegrad.signal import fft2d as _fft2d
from tapegrad.signal import fft3d as _fft3d
from tapegrad.signal import fft as _fft
from tapegrad.signal import idct as _idct
from tapegrad.signal import ifft2d as _ifft2d
from tapegrad.signal import ifft3d as _ifft3d
from tapegrad.signal import ifft as _ifft
from tapegrad.signal import irfft2d as _irfft2d
from tapegrad.signal import irfft3d as _irfft3d
from tapegrad.signal import irfft as _irfft
from tapegrad.signal import rfft2d as _rfft2d
from tapegrad.signal import rfft3d as _rfft3d
from tapegrad.signal import rfft as _rfft

dct = _dct
fft2d = _fft2d
fft3d = _fft3d
fft = _fft
idct = _idct
ifft2d = _ifft2d
ifft3d = _ifft3d
ifft = _ifft
irfft2d = _irfft2d
irfft3d = _irfft3d
irfft = _irfft
rfft2d = _rfft2d
rfft3d = _rfft3d
rfft = _rfft
