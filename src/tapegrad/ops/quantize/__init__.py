"""Floats as small integers.

``fake``        fake quantisation, which rounds floats to steps and keeps them floats
``quantized``   tensors of quantised dtypes
``ranges``      other ranges for their integers
``products``    products, convolutions and sums of them
``layers``      their activations, pooling, normalisation, resizing
"""
