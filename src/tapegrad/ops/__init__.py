"""The mathematics: one package per family of ops, in the order in which they may import each other.

``shape``       tensors made, cast, joined, cut, rearranged
``elementwise`` functions of each element
``reduce``      many elements become one
``indexing``    elements picked by tensors
``strings``     tensors of strings
``linalg``      matrices
``random``      random numbers
``sparse``      sparse tensors, sets, counts
``nn``          building blocks of neural networks
``signal``      Fourier transforms and frames
``image``       pictures
``quantize``    floats as small integers
``program``     control flow, variables, printing

What all of them are written with:

``op``        how an op is defined
``args``      converters of attributes
``batching``  forms of batching rules
``shape_rules`` words for the shapes of results
``constants`` small constants for rules
``gradients`` zeros, ones and calls of registered gradients, for the walk back
"""
