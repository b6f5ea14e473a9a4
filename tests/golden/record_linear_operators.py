"""Record TensorFlow's answers about linear operators, as linear_operators.json.gz.

PYTHONPATH=tests python tests/golden/record_linear_operators.py     (in an environment with TensorFlow)
"""

import gzip
import json
from pathlib import Path

import tensorflow as tf

from linear_operators import answers

text = json.dumps(answers(tf), indent=0, sort_keys=True)
path = Path(__file__).with_name("linear_operators.json.gz")
path.write_bytes(gzip.compress(text.encode(), mtime=0))
