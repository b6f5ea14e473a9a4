"""Building blocks of neural networks.

``activations``       elementwise functions between layers
``softmax``           softmax and its logarithm
``biases``            biases of channels
``conv``              convolutions and transposed convolutions
``depthwise``         depthwise and separable convolutions
``windows``           where the windows of convolutions and pooling lie
``pool``              pooling over even windows
``fractional_pool``   pooling over windows of uneven sizes
``morphology``        dilation and erosion
``batch_norm``        batch normalisation as one op
``merged``            moments and normalisation as single ops, for speed
``normalization``     moments, batch normalisation from moments, local response normalisation
``losses``            cross entropies and other losses
``ctc``               the loss of unaligned labels, and decoders
``sampled``           losses that look at a sample of the classes
``embedding``         rows of tables looked up by ids
``isotonic``          monotone regression
``dropout``           dropout

Next door: plain arithmetic is in ``elementwise``, pictures are in ``image``.
"""
