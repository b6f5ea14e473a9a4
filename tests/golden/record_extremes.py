"""Record TensorFlow's gradients at the edges, for ``extremes``. It needs tensorflow-cpu 2.21."""

from __future__ import annotations

import os
import sys
import warnings
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import tensorflow as tf

from golden import extremes

if __name__ == "__main__":
    warnings.simplefilter("ignore")
    kept = {}
    for name in extremes.ONE + extremes.TWO + extremes.OF_ROWS:
        for dtype in extremes.EDGES:
            try:
                found = extremes.gradients(tf, name, dtype)
            except (tf.errors.NotFoundError, tf.errors.InvalidArgumentError):
                continue  # not in this dtype
            for place, values in enumerate(found):
                kept[f"{name} {dtype} {place}"] = extremes.encode(values)
    np.savez_compressed(extremes.FILE, **kept)
