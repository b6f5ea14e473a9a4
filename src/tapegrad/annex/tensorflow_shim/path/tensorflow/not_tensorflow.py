"""Marks this package, for `tapegrad.stand_in`, as one that is not TensorFlow."""
