"""What TensorFlow gives for the calls of `numpy_calls`.

Run where TensorFlow 2.21 is installed, from the root of the repository:

    python tests/golden/record_numpy_calls.py

`test_experimental_numpy.py` reads the file that this writes: tests/golden/numpy_calls.json.
"""

from __future__ import annotations

import json
from pathlib import Path

import tensorflow as tf
from numpy_calls import CALLS, answer

if __name__ == "__main__":
    answers = {call: answer(tf, call) for call in CALLS}
    text = json.dumps(answers, indent=0)
    Path(__file__).with_name("numpy_calls.json").write_text(text + "\n")
    print(len(answers), "calls")
