"""Signals: Fourier and cosine transforms, frames, and the windows that fade them.

``fft``      Fourier transforms
``dct``      cosine transforms
``mdct``     the modified cosine transform, on frames
``frames``   frames, short-time Fourier transforms, and the mel scale
``fading``   windows

Next door: convolutions are in ``nn``.
"""
