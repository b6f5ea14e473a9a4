"""Record TensorFlow's answers to the programs of ``maps``. Run it where tensorflow-cpu 2.21 is installed."""

from __future__ import annotations

import json
import logging
import os
import sys
from pathlib import Path
from typing import Any

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "-1")
sys.path.insert(0, str(Path(__file__).parents[1]))

import tensorflow as tf

from golden.maps import PROGRAMS


def written(value: Any) -> Any:
    """A nest as JSON: for each tensor its dtype and values."""
    if isinstance(value, dict):
        return {key: written(part) for key, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [written(part) for part in value]
    if value is None:
        return None
    array = tf.convert_to_tensor(value).numpy()
    parts = [array.real, array.imag] if array.dtype.kind == "c" else [array]
    values = [
        [each.decode() for each in part] if part.dtype.kind == "O" else part.tolist()
        for part in parts
    ]
    return {"dtype": str(array.dtype), "shape": list(array.shape), "values": values}


def answer(program: Any) -> Any:
    try:
        return {"value": written(program(tf))}
    except Exception as error:
        known = [base.__name__ for base in type(error).__mro__ if base.__module__ != "abc"]
        return {"error": known[: known.index("Exception")]}


if __name__ == "__main__":
    logging.getLogger("tensorflow").setLevel("CRITICAL")
    answers = {name: answer(program) for name, program in PROGRAMS.items()}
    path = Path(__file__).with_name("maps.json")
    path.write_text(json.dumps(answers, indent=1) + "\n")
