"""Records what TensorFlow answers to `programs.py`: programs.json.gz.

Run it where TensorFlow is installed: ``python tests/golden/data/record.py``.
"""

import gzip
import json
import logging
import sys
from pathlib import Path

import tensorflow as tf

sys.path.insert(0, str(Path(__file__).parent))
from programs import PROGRAMS, answer

tf.autograph.set_verbosity(0)
tf.get_logger().setLevel(logging.ERROR)
answers = {program: answer(tf, program) for program in PROGRAMS}
text = json.dumps(answers, indent=0).encode()
Path(__file__).with_name("programs.json.gz").write_bytes(gzip.compress(text, mtime=0))
