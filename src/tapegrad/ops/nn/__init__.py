"""What neural nets are made of.

``activations`` with softmax and biases, ``conv`` and ``depthwise`` convolutions, ``pool`` and
``fractional_pool``, ``windows`` where those two look, ``morphology``, ``batch_norm``, ``merged``
and ``normalization``, ``losses``, ``ctc`` unaligned labels, ``embedding`` look-ups, ``sampled``
losses, ``dropout``.

Plain arithmetic is in ``elementwise``; pictures in ``image``.
"""
