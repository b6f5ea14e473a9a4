"""Signals: Fourier and cosine transforms, frames, and the windows that fade them.

``fft``, ``dct``, ``mdct``, ``frames`` cut and put together again, with the spectra made of them,
``fading`` windows.

Convolutions are in ``nn``.
"""
