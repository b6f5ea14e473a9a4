"""The namespace of the array API standard: what ``x.__array_namespace__()`` of a tensor gives.

Libraries such as SciPy and scikit-learn compute with the functions of this namespace where they are given
tensors, so that gradients flow through them. It promotes dtypes as the standard says. The operators of
tensors stay TensorFlow's: they refuse two dtypes.

``data_types``    promotion, limits of dtypes, what the namespace has
``creation``      new tensors
``elementwise``   functions of elements
``manipulation``  functions that move, join or pick elements
``searching``     search, order, sets
``statistics``    sums and extremes
``linalg``        the extension for matrices
``fft``           the extension for Fourier transforms

Most of it is `tapegrad.annex.numpy_like`, under the standard's names. What the standard asks of a tensor
itself is in `tapegrad.ops.linalg.attributes`. Like every namespace, `tapegrad.array_api` is made by the table
of names.
"""
