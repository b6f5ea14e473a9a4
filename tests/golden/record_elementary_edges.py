"""Record TensorFlow's results at the edges, for ``elementary_edges``. It needs tensorflow-cpu 2.21."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
sys.path.insert(0, str(Path(__file__).parents[1]))

import tensorflow as tf

from golden import elementary_edges

if __name__ == "__main__":
    elementary_edges.FILE.write_text(json.dumps(elementary_edges.results(tf)) + "\n")
