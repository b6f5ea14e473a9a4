"""The name ``tensorflow``, which gives tapegrad. This is not TensorFlow."""

import tapegrad

tapegrad.stand_in()
