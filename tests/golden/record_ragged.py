"""Record TensorFlow's values of the expressions on ragged tensors and strings, as ragged.json.gz.

    PYTHONPATH=tests python tests/golden/record_ragged.py       (in an environment with TensorFlow)
"""

import gzip
import json
from pathlib import Path

import tensorflow as tf
from expressions import OPS, STRINGS, TENSORS, answer, names

known = names(tf)
recorded = {
    name: {line: answer(line, known) for line in text.strip("\n").split("\n")}
    for name, text in (("TENSORS", TENSORS), ("OPS", OPS), ("STRINGS", STRINGS))
}
text = json.dumps(recorded, indent=0, sort_keys=True)
path = Path(__file__).with_name("ragged.json.gz")
path.write_bytes(gzip.compress(text.encode(), mtime=0))
