"""Types of the compiled module `tapegrad.engines.numpy.passes`, whose functions Cython alone sees."""
