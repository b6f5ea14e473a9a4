"""Write down what TensorFlow's messages say of their fields: ``messages.json`` in this folder.

Run it where tensorflow-cpu 2.21 is installed:

    python tests/golden/record_messages.py
"""

import json
import os
from pathlib import Path

from messages import all_described

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")

import tensorflow as tf

path = Path(__file__).with_name("messages.json")
path.write_text(json.dumps(all_described(tf.train), indent=1) + "\n")
