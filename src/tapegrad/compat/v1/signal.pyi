# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.ops.dct import dct as dct
from tapegrad.ops.dct import idct as idct
from tapegrad.ops.dct import inverse_mdct as inverse_mdct
from tapegrad.ops.dct import mdct as mdct
from tapegrad.ops.fft import fft as fft
from tapegrad.ops.fft import fft2d as fft2d
from tapegrad.ops.fft import fft3d as fft3d
from tapegrad.ops.fft import fftnd as fftnd
from tapegrad.ops.fft import fftshift as fftshift
from tapegrad.ops.fft import ifft as ifft
from tapegrad.ops.fft import ifft2d as ifft2d
from tapegrad.ops.fft import ifft3d as ifft3d
from tapegrad.ops.fft import ifftnd as ifftnd
from tapegrad.ops.fft import ifftshift as ifftshift
from tapegrad.ops.fft import irfft as irfft
from tapegrad.ops.fft import irfft2d as irfft2d
from tapegrad.ops.fft import irfft3d as irfft3d
from tapegrad.ops.fft import irfftnd as irfftnd
from tapegrad.ops.fft import rfft as rfft
from tapegrad.ops.fft import rfft2d as rfft2d
from tapegrad.ops.fft import rfft3d as rfft3d
from tapegrad.ops.fft import rfftnd as rfftnd
from tapegrad.ops.signal import frame as frame
from tapegrad.ops.signal import inverse_stft as inverse_stft
from tapegrad.ops.signal import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from tapegrad.ops.signal import mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms
from tapegrad.ops.signal import overlap_and_add as overlap_and_add
from tapegrad.ops.signal import stft as stft
from tapegrad.ops.signal_windows import hamming_window as hamming_window
from tapegrad.ops.signal_windows import hann_window as hann_window
from tapegrad.ops.signal_windows import inverse_stft_window_fn as inverse_stft_window_fn
from tapegrad.ops.signal_windows import kaiser_bessel_derived_window as kaiser_bessel_derived_window
from tapegrad.ops.signal_windows import kaiser_window as kaiser_window
from tapegrad.ops.signal_windows import vorbis_window as vorbis_window
