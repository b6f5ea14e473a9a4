"""Floats as small integers.

``fake``        fake quantisation, which rounds floats to steps and keeps them floats
``quantized``   tensors of quantised dtypes
"""
