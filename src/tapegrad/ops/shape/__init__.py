"""Tensors made, cast, reshaped, joined, cut out, padded and moved about: nothing here computes
with the elements.

``casts`` from one dtype to another, ``creation`` of tensors from values and sizes, ``array``
reshaping, broadcasting, joining and splitting, ``shapes`` what is known without the values,
``strided_slices`` blocks and their inverse, ``padding``, and ``rearrange``: rolled, reversed,
blocks of space as batch or depth.

Elements picked by tensors of indices are next door in ``indexing``.
"""
