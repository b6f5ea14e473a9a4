"""Floats as small integers: ``fake`` quantisation, which rounds and stays floating, and
``quantized`` dtypes.
"""
