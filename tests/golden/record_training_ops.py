"""Record what TensorFlow's ``raw_ops.ResourceApply...`` do. It needs tensorflow-cpu 2.21.

Run it with ``python tests/golden/record_training_ops.py``.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import tensorflow as tf

from golden import training_ops

if __name__ == "__main__":
    recorded = {
        f"{name} {dtype}": training_ops.results(tf, name, dtype)
        for name in training_ops.names(tf)
        for dtype in training_ops.DTYPES
    }
    kept = {key: value for key, value in recorded.items() if value is not None}
    np.savez_compressed(training_ops.RECORDED, **kept)
    print(f"{len(kept)} of {len(recorded)} are there")
