# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.signatures.signal.dct import dct as dct
from tapegrad.signatures.signal.dct import idct as idct
from tapegrad.signatures.signal.fading import hamming_window as hamming_window
from tapegrad.signatures.signal.fading import hann_window as hann_window
from tapegrad.signatures.signal.fading import inverse_stft_window_fn as inverse_stft_window_fn
from tapegrad.signatures.signal.fading import kaiser_bessel_derived_window as kaiser_bessel_derived_window
from tapegrad.signatures.signal.fading import kaiser_window as kaiser_window
from tapegrad.signatures.signal.fading import vorbis_window as vorbis_window
from tapegrad.signatures.signal.fft import fft as fft
from tapegrad.signatures.signal.fft import fft2d as fft2d
from tapegrad.signatures.signal.fft import fft3d as fft3d
from tapegrad.signatures.signal.fft import fftnd as fftnd
from tapegrad.signatures.signal.fft import fftshift as fftshift
from tapegrad.signatures.signal.fft import ifft as ifft
from tapegrad.signatures.signal.fft import ifft2d as ifft2d
from tapegrad.signatures.signal.fft import ifft3d as ifft3d
from tapegrad.signatures.signal.fft import ifftnd as ifftnd
from tapegrad.signatures.signal.fft import ifftshift as ifftshift
from tapegrad.signatures.signal.fft import irfft as irfft
from tapegrad.signatures.signal.fft import irfft2d as irfft2d
from tapegrad.signatures.signal.fft import irfft3d as irfft3d
from tapegrad.signatures.signal.fft import irfftnd as irfftnd
from tapegrad.signatures.signal.fft import rfft as rfft
from tapegrad.signatures.signal.fft import rfft2d as rfft2d
from tapegrad.signatures.signal.fft import rfft3d as rfft3d
from tapegrad.signatures.signal.fft import rfftnd as rfftnd
from tapegrad.signatures.signal.frames import frame as frame
from tapegrad.signatures.signal.frames import inverse_stft as inverse_stft
from tapegrad.signatures.signal.frames import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from tapegrad.signatures.signal.frames import mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms
from tapegrad.signatures.signal.frames import overlap_and_add as overlap_and_add
from tapegrad.signatures.signal.frames import stft as stft
from tapegrad.signatures.signal.mdct import inverse_mdct as inverse_mdct
from tapegrad.signatures.signal.mdct import mdct as mdct
