"""Writes a model for each row of the table of samples, for TensorFlow: `written_models.py FOLDER [ROW ...]`.

    PYTHONPATH=src:tests:tests/table python tests/golden/written_models.py FOLDER

The models of Keras come from `python -m tapegrad tests/keras_checks/exported_for_tensorflow.py FOLDER`.

FOLDER gets a SavedModel per row, which takes arguments of any size; ``cases.npz`` has arguments and the row's
answers. `record_written_models.py FOLDER` then loads the models where TensorFlow is.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
from test_saving_samples import DRAWS, FOR_SOME_SIZES, ROWS, answer, case, others, works

import tapegrad as tf
from samples import Sample, flatten
from samples.ask import dense_gradients


def plain(tensor: Any) -> np.ndarray:
    """The elements as NumPy's own dtypes: bytes for text, float32 for small floats."""
    array = np.asarray(tensor)
    if array.dtype.hasobject:
        return np.array([bytes(text) for text in array.ravel()], "S").reshape(array.shape)
    return array if array.dtype.name in NATIVE else array.astype(np.float32)


GRADIENT = "gradient of "
NATIVE = frozenset(np.dtype(code).name for code in np.typecodes["All"] if code not in "SUVMm")


def write(name: str, sample: Sample, folder: Path, is_gradient: bool) -> str | None:
    """Write the model of a row, or of its gradient. Returns why there is none, or None."""
    run = case(sample)
    values = run.tensors(tf)
    if not works(run) or not values or not all(isinstance(value, tf.Tensor) for value in values):
        return "no tensors"
    if is_gradient and not sample.differentiable:
        return "no tensors"

    def call(*tensors: Any) -> list[Any]:
        return dense_gradients(run, tensors) if is_gradient else flatten(run(tf, tensors))

    tf.random.set_seed(1)
    module = tf.Module()
    specs = [
        # The gradient is asked for with numbers for each element of the results.
        tf.TensorSpec(value.shape if is_gradient else [None] * value.shape.rank, value.dtype)
        for value in values
    ]
    module.call = tf.function(call, input_signature=specs)
    try:
        tf.saved_model.save(module, folder, signatures={})
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    arrays = {}
    for number, change in enumerate((lambda value: value, others)):
        arguments = [change(value) for value in values]
        wrong, wanted = answer(lambda: call(*arguments))  # noqa: B023 -- called at once
        if wrong:
            continue
        for place, value in enumerate(arguments):
            arrays[f"in {number} {place}"] = plain(value.numpy())
        for place, value in enumerate(wanted):
            arrays[f"out {number} {place}"] = plain(value)
    np.savez(folder / "cases.npz", **arrays)
    kinds = [value.dtype.name for value in values]
    facts = {"name": name, "dtypes": kinds, "draws": sample.name in DRAWS}
    (folder / "facts.json").write_text(json.dumps(facts))
    return None


if __name__ == "__main__":
    target = Path(sys.argv[1])
    names: list[str] = []
    reasons: dict[str, str] = {}
    wanted = sys.argv[2:] or [name for name in ROWS if name not in FOR_SOME_SIZES]
    for name in [*wanted, *[f"{GRADIENT}{name}" for name in wanted]]:
        own = name.removeprefix(GRADIENT)
        # Not by its name: TensorFlow takes brackets in the name of a folder for a pattern.
        folder = target / str(len(reasons) + len(names))
        with np.errstate(all="ignore"):
            reason = write(name, ROWS[own], folder, own != name)
        if reason is None:
            names.append(name)
        elif reason != "no tensors":
            reasons[name] = reason
            print(name, reason[:300], sep=": ", flush=True)
    print(f"{len(names)} written")
