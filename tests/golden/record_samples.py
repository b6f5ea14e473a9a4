"""Record TensorFlow's answers to the table of op samples.

Run it where tensorflow-cpu 2.21 is installed, from anywhere, for all families or some:

    python tests/golden/record_samples.py [family ...]

For every run of every row it keeps the results, the gradient for a random seed (and for ones, at
kinks), or the class of the error. It writes over this folder's ``<family>.json.gz``. The family
``other_dtypes`` is of all rows, in the dtypes that these leave out and TensorFlow takes.
"""

from __future__ import annotations

import contextlib
import os
import sys
import warnings
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
# oneDNN's conv2d of TensorFlow 2.21 is wrong where the two strides differ.
os.environ["TF_ENABLE_ONEDNN_OPTS"] = "0"
sys.path.insert(0, str(Path(__file__).parents[1]))

import numpy as np
import tensorflow as tf

import golden
import samples

OTHER_DTYPES = "other_dtypes"


def answer(run: samples.Run) -> dict[str, Any]:
    """What TensorFlow says to one run."""
    kept: dict[str, Any] = {"inputs": run.checksum}
    tensors = run.tensors(tf)
    floating = [t for t in tensors if t.dtype.is_floating or t.dtype.is_complex]
    try:
        with tf.GradientTape(persistent=True) as tape:
            for tensor in floating:
                tape.watch(tensor)
            outputs = samples.flatten(run(tf, tensors))
        arrays = [np.asarray(output.numpy()) for output in outputs]
    except AttributeError:
        raise  # the table names something that TensorFlow does not have
    except Exception as error:
        return {**kept, "error": type(error).__name__}
    kept["outputs"] = [golden.encode(array) for array in arrays]
    smooth = [t for t in outputs if t.dtype.is_floating or t.dtype.is_complex]
    if not smooth or not floating:
        return kept
    seeds = [
        tf.constant(run.seed(place, t.shape, np.dtype(t.dtype.as_numpy_dtype)))
        for place, t in enumerate(smooth)
    ]
    kink = run.case in run.sample.kinks
    try:
        found = tape.gradient(smooth, floating, output_gradients=None if kink else seeds)
        kept["gradients"] = [coded(gradient) for gradient in found]
    except Exception as error:
        kept["gradient_error"] = type(error).__name__
    return kept


def other_dtypes() -> dict[str, dict[str, Any]]:
    """What TensorFlow says in the dtypes that rows leave out, where it says anything."""
    kept = {}
    for run in samples.other_runs(samples.all_samples()):
        # The names are there: the rows' own dtypes have shown it.
        with contextlib.suppress(AttributeError):
            kept[repr(run)] = answer(run)
    return {key: found for key, found in kept.items() if "error" not in found}


def coded(gradient: Any) -> Any:
    """A gradient as the files hold it."""
    if gradient is None:
        return None
    if isinstance(gradient, tf.IndexedSlices):
        return golden.encode(tf.convert_to_tensor(gradient).numpy(), "slices")
    return golden.encode(np.asarray(gradient.numpy()))


def main() -> None:
    """Record the families named on the command line, or all."""
    warnings.simplefilter("ignore")
    if not tf.__version__.startswith("2.21."):
        raise SystemExit(f"The answers are TensorFlow 2.21's; this is {tf.__version__}.")
    for family in sys.argv[1:] or (*samples.FAMILIES, OTHER_DTYPES):
        if family == OTHER_DTYPES:
            answers = other_dtypes()
        else:
            try:
                answers = {repr(run): answer(run) for run in samples.runs(samples.family(family))}
            except AttributeError as error:
                raise SystemExit(
                    f"{family} has a row of what TensorFlow does not have: {error}"
                ) from error
        golden.write(family, answers)
        size = (golden.FOLDER / f"{family}.json.gz").stat().st_size
        errors = sum("error" in kept for kept in answers.values())
        print(f"{family}: {len(answers)} runs, {errors} of them errors, {size:,} bytes")


if __name__ == "__main__":
    main()
