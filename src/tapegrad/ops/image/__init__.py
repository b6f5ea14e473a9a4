"""Pictures.

``pictures`` dtypes, brightness, flips, crops, ``color``, ``geometry`` crops, patches and glimpses,
``projective`` transforms, ``resize`` and the ``resample`` weights behind it, ``boxes``, ``quality``
how alike two pictures are, and ``augment``: random changes.

Convolutions and pooling are in ``nn``.
"""
