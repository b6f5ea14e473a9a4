# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.signatures.dct import dct as dct
from tapegrad.signatures.dct import idct as idct
from tapegrad.signatures.fft import fft as fft
from tapegrad.signatures.fft import fft2d as fft2d
from tapegrad.signatures.fft import fft3d as fft3d
from tapegrad.signatures.fft import fftnd as fftnd
from tapegrad.signatures.fft import fftshift as fftshift
from tapegrad.signatures.fft import ifft as ifft
from tapegrad.signatures.fft import ifft2d as ifft2d
from tapegrad.signatures.fft import ifft3d as ifft3d
from tapegrad.signatures.fft import ifftnd as ifftnd
from tapegrad.signatures.fft import ifftshift as ifftshift
from tapegrad.signatures.fft import irfft as irfft
from tapegrad.signatures.fft import irfft2d as irfft2d
from tapegrad.signatures.fft import irfft3d as irfft3d
from tapegrad.signatures.fft import irfftnd as irfftnd
from tapegrad.signatures.fft import rfft as rfft
from tapegrad.signatures.fft import rfft2d as rfft2d
from tapegrad.signatures.fft import rfft3d as rfft3d
from tapegrad.signatures.fft import rfftnd as rfftnd
from tapegrad.signatures.mdct import inverse_mdct as inverse_mdct
from tapegrad.signatures.mdct import mdct as mdct
from tapegrad.signatures.signal import frame as frame
from tapegrad.signatures.signal import inverse_stft as inverse_stft
from tapegrad.signatures.signal import linear_to_mel_weight_matrix as linear_to_mel_weight_matrix
from tapegrad.signatures.signal import mfccs_from_log_mel_spectrograms as mfccs_from_log_mel_spectrograms
from tapegrad.signatures.signal import overlap_and_add as overlap_and_add
from tapegrad.signatures.signal import stft as stft
from tapegrad.signatures.signal_windows import hamming_window as hamming_window
from tapegrad.signatures.signal_windows import hann_window as hann_window
from tapegrad.signatures.signal_windows import inverse_stft_window_fn as inverse_stft_window_fn
from tapegrad.signatures.signal_windows import kaiser_bessel_derived_window as kaiser_bessel_derived_window
from tapegrad.signatures.signal_windows import kaiser_window as kaiser_window
from tapegrad.signatures.signal_windows import vorbis_window as vorbis_window
