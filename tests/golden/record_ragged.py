"""Record TensorFlow's values of the expressions on ragged tensors and strings, as ragged.json.gz.

PYTHONPATH=tests python tests/golden/record_ragged.py       (in an environment with TensorFlow)
"""

import gzip
import json
from pathlib import Path

import numpy as np
import tensorflow as tf

from expressions import OPS, PATTERNS, STRINGS, TENSORS, answer, names

known = names(tf)
recorded = {
    name: {line: answer(line, known) for line in text.strip("\n").split("\n")}
    for name, text in (("TENSORS", TENSORS), ("OPS", OPS), ("STRINGS", STRINGS))
}
draws = np.random.default_rng(7)
texts = [draws.bytes(size) for size in [*range(301), 511, 512, 513, 1000, 4096]]
buckets = 2**62 + 1
recorded["HASHES"] = {
    "fast": tf.strings.to_hash_bucket_fast(texts, buckets).numpy().tolist(),
    "plain": tf.strings.to_hash_bucket(texts, buckets).numpy().tolist(),
    "strong": tf.strings.to_hash_bucket_strong(texts, buckets, [123, 5 - 2**63]).numpy().tolist(),
}
recorded["SCRIPTS"] = np.bincount(
    tf.strings.unicode_script(tf.range(0x110000)).numpy() + 1
).tolist()
recorded["PATTERNS"] = {}
for pattern, text in PATTERNS:
    try:
        found = tf.strings.regex_replace(text, pattern, "x").numpy().decode()
    except tf.errors.InvalidArgumentError:
        found = None
    recorded["PATTERNS"][f"{pattern} {text}"] = found
text = json.dumps(recorded, indent=0, sort_keys=True)
path = Path(__file__).with_name("ragged.json.gz")
path.write_bytes(gzip.compress(text.encode(), mtime=0))
