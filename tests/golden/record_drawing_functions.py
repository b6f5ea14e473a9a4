"""Record TensorFlow's answers to `drawing_functions`. Run it where tensorflow-cpu 2.21 is installed."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
sys.path.insert(0, str(Path(__file__).parents[1]))

import tensorflow as tf

from golden.drawing_functions import PROGRAMS, answers

if __name__ == "__main__":
    found = {name: answers(tf, program) for name, program in PROGRAMS.items()}
    path = Path(__file__).parent / "drawing_functions.json"
    path.write_text(json.dumps(found, indent=None, separators=(",", ":")) + "\n")
