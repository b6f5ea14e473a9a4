"""Records what TensorFlow infers of the programs in symbolic_programs.py: run it where TensorFlow is."""

from __future__ import annotations

import functools
import json
from pathlib import Path

import tensorflow as tf
from symbolic_programs import described, functions


def main() -> None:
    found = {}
    for name, (function, specs) in functions(tf).items():
        whole = tf.function(functools.partial(function, tf), autograph=False)
        concrete = whole.get_concrete_function(*specs)
        found[name] = described(concrete.structured_outputs)
    lines = [f"{json.dumps(name)}: {json.dumps(answer)}" for name, answer in found.items()]
    Path(__file__).with_name("symbolic.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    main()
