"""Exports rows of the table of samples to ONNX, and runs them: `record_onnx_models.py [FOLDER] [ROW ...]`.

    PYTHONPATH=src:tests:tests/table python tests/golden/record_onnx_models.py

It runs where onnx, onnxruntime and this library are. It writes onnx_models.txt: the rows whose models
`onnx.checker` accepts and ONNX Runtime runs, with values that are equal to 1e-5 (1e-2 in half precision), for
the arguments of the row, other numbers, and a size more where the row takes them. Rows that are not exported,
or differ, are printed with the reason.

FOLDER has the models of `python -m tapegrad tests/keras_checks/exported_to_onnx.py FOLDER`, which run too.
"""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from test_saving_samples import (
    DRAWS,
    FOR_SOME_SIZES,
    ROWS,
    answer,
    case,
    exported,
    others,
    works,
)

import tapegrad as tf
from samples import Sample, flatten

TARGET = Path(__file__).with_name("onnx_models.txt")
NO_TENSORS = "no tensors"
IN_ORDER = {"searchsorted"}
"""Rows whose arguments have to be in order, so that no other numbers are tried."""


def larger(value: Any) -> Any:
    """A tensor with its first item once more at the end of each axis."""
    array = np.asarray(value)
    for axis in range(array.ndim):
        if array.shape[axis]:
            array = np.concatenate([array, np.take(array, [0], axis)], axis)
    return tf.constant(array, value.dtype)


def difference(content: bytes, arguments: list[Any], wanted: list[Any]) -> str | None:
    """How the results of a model differ from others; None if they do not."""
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4
    session = onnxruntime.InferenceSession(content, options, providers=["CPUExecutionProvider"])
    names = [own.name for own in session.get_inputs()]
    results = session.run(None, dict(zip(names, arguments, strict=True)))
    for result, array in zip(results, wanted, strict=True):
        if result.shape != array.shape or result.dtype != array.dtype:
            return f"{result.dtype}{result.shape}, not {array.dtype}{array.shape}"
        small = 1e-2 if result.dtype.itemsize == 2 else 1e-5
        if result.dtype.kind == "f":
            same = np.allclose(result, array, rtol=small, atol=small, equal_nan=True)
        else:
            same = bool((result == array).all())
        if not same:
            return f"other values: {np.ravel(result)[:4]}, not {np.ravel(array)[:4]}"
    return None


def check(sample: Sample) -> str | None:
    """Why a row is not confirmed; None if it is."""
    run = case(sample)
    values = run.tensors(tf)
    if not works(run) or not values or not all(isinstance(value, tf.Tensor) for value in values):
        return NO_TENSORS

    def call(*tensors: Any) -> list[Any]:
        return flatten(run(tf, tensors))

    content = exported(sample)
    model = onnx.load_from_string(content)
    changes: list[Any] = [lambda value: value]
    if sample.name not in IN_ORDER:
        has_open = any(
            dim.dim_param for own in model.graph.input for dim in own.type.tensor_type.shape.dim
        )
        changes += [others, larger] if has_open else [others]
    onnx.checker.check_model(model, full_check=True)
    for change in changes:
        arguments = [change(value) for value in values]
        wrong, wanted = answer(lambda: call(*arguments))  # noqa: B023 -- called at once
        if wrong or (change is not changes[0] and _has_nan(wanted)):
            continue  # the row does not take these values
        reason = difference(content, [np.asarray(value) for value in arguments], wanted)
        if reason is not None:
            return reason
    return None


def _has_nan(arrays: list[Any]) -> bool:
    return any(array.dtype.kind == "f" and np.isnan(array).any() for array in arrays)


def check_file(folder: Path) -> str | None:
    """Why the model of a folder is not confirmed; None if it is."""
    content = (folder / "model.onnx").read_bytes()
    onnx.checker.check_model(onnx.load_from_string(content), full_check=True)
    arrays = np.load(folder / "cases.npz")
    for number in (0, 1):
        parts = [
            [arrays[key] for key in arrays if key.startswith(f"{side} {number} ")]
            for side in ("in", "out")
        ]
        reason = difference(content, *parts)
        if reason is not None:
            return reason
    return None


def main() -> None:
    words = sys.argv[1:]
    confirmed, tried = [], 0
    if words and os.path.isdir(words[0]):
        for path in sorted(Path(words.pop(0)).glob("*/facts.json")):
            name = json.loads(path.read_text())["name"]
            reason = check_file(path.parent)
            confirmed += [] if reason else [name]
            print(name, reason, sep=": ", flush=True) if reason else None
    for name in words or [name for name in ROWS if name not in FOR_SOME_SIZES]:
        if ROWS[name].name in DRAWS:
            continue
        try:
            with np.errstate(all="ignore"):
                reason = check(ROWS[name])
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"
        if reason is None:
            confirmed.append(name)
        if reason != NO_TENSORS:
            tried += 1
            print(name, reason, sep=": ", flush=True) if reason else None
    print(f"{len(confirmed)} confirmed, of {tried} rows")
    if words:
        return
    versions = f"onnx {onnx.__version__} and ONNX Runtime {onnxruntime.__version__}"
    head = f"# Rows whose ONNX models {versions} accept and run, with equal values.\n"
    TARGET.write_text(head + "".join(f"{name}\n" for name in sorted(confirmed)))


if __name__ == "__main__":
    main()
