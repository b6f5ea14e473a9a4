"""Tensors made, cast, reshaped, joined, cut, padded and rearranged. Nothing here computes with the elements.

``creation``         tensors from values and sizes
``casts``            from one dtype to another
``sequences``        evenly spaced numbers
``array``            identities, reshaping, transposing and broadcasting
``joining``          several tensors as one, and one as several
``shapes``           shape, size and rank of tensors, and broadcasting of shapes
``strided_slices``   blocks read from a tensor, and written to one
``padding``          more elements at the edges
``rearrange``        rolled, reversed, and blocks of space as batch or depth
``pull_back``        the gradient of a function made of ops

Next door: ``indexing`` picks elements by tensors of indices.
"""
