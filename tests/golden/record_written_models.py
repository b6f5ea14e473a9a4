"""Loads the models that `written_models.py` wrote, and compares: `record_written_models.py FOLDER`.

It runs where TensorFlow is. It writes written_models.txt: the rows whose models TensorFlow loads, with values
that are equal to 1e-5.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import tensorflow as tf

TARGET = Path(__file__).with_name("written_models.txt")


def tensor(array, dtype):
    if dtype == "string":
        return tf.constant(array.astype(object) if array.dtype.kind == "S" else array)
    return tf.cast(tf.constant(array), dtype)


def check(folder):
    """What is wrong with a model; None if nothing is."""
    facts = json.loads((folder / "facts.json").read_text())
    loaded = tf.saved_model.load(folder)
    arrays = np.load(folder / "cases.npz")
    for number in (0, 1):
        inputs = [
            tensor(arrays[f"in {number} {place}"], dtype)
            for place, dtype in enumerate(facts["dtypes"])
            if f"in {number} {place}" in arrays
        ]
        if len(inputs) < len(facts["dtypes"]):
            continue
        results = tf.nest.flatten(loaded.call(*inputs))
        wanted = [arrays[key] for key in arrays if key.startswith(f"out {number} ")]
        if len(results) != len(wanted):
            return f"{len(results)} results, not {len(wanted)}"
        if number and any(array.dtype.kind in "fc" and np.isnan(array).any() for array in wanted):
            continue  # the row does not take these values, as a matrix without a root
        for result, array in zip(results, wanted):
            if result.shape != array.shape:
                return f"shape {result.shape}, not {array.shape}"
            if facts["draws"]:
                continue
            if result.dtype == tf.string:
                same = (result.numpy().astype("S") == array).all()
            elif result.dtype.is_floating or result.dtype.is_complex:
                small = 1e-2 if result.dtype.size == 2 else 1e-5
                own = result.numpy()
                own = own.astype(np.float32) if result.dtype.size == 2 else own
                same = np.allclose(own, array, rtol=small, atol=small, equal_nan=True)
            else:
                same = (result.numpy() == array).all()
            if not same:
                return f"other values: {np.ravel(result.numpy())[:4]}, not {np.ravel(array)[:4]}"
    return None


def main():
    folder = Path(sys.argv[1])
    confirmed = []
    for model in sorted(path.parent for path in folder.glob("*/facts.json")):
        name = json.loads((model / "facts.json").read_text())["name"]
        try:
            wrong = check(model)
        except Exception as error:
            wrong = f"{type(error).__name__}: {str(error)[:400]}"
        if wrong is None:
            confirmed.append(name)
        else:
            print(name, wrong, sep=": ", flush=True)
    head = f"# Rows whose written models TensorFlow {tf.__version__} loads, with equal values.\n"
    TARGET.write_text(head + "".join(f"{name}\n" for name in sorted(confirmed)))
    print(f"{len(confirmed)} confirmed")


if __name__ == "__main__":
    main()
