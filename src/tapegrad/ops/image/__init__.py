"""Pictures.

``pictures``     dtypes, brightness, contrast, flips, crops, grey levels
``color``        hue, saturation and value, YIQ and YUV
``geometry``     boxes cropped and resampled, patches and glimpses
``projective``   projective transforms
``resize``       pictures in other sizes
``resample``     the weights behind `resize`
``crops``     random crops that keep a part of some box in view
``boxes``        the best of overlapping boxes, and boxes drawn into pictures
``quality``      how alike two pictures are, and edges
``augment``      random changes

Next door: convolutions and pooling are in ``nn``.
"""
