"""Short programs whose outcome TensorFlow was asked for, run and written down alike here and there.

A program is statements with ``;`` between them and an expression at the end. Its record is what the
expression gives (an array, or a text), or the name of the error's class; and, of a variable ``v``, its
value afterwards. Large arrays are recorded as a digest of their bytes.
"""

import gzip
import hashlib
import json
import pathlib
import re

import numpy as np

FOLDER = pathlib.Path(__file__).parent
LARGEST = 64  # elements written out


def outcome(program, names):
    """The record of one program."""
    names = dict(names)
    *statements, expression = [part.strip() for part in program.split(";")]
    try:
        for statement in statements:
            exec(statement, names)
        record = coded(eval(expression, names))
    except Exception as error:
        record = {"error": type(error).__name__}
    if hasattr(names.get("v"), "assign"):
        record["after"] = coded(names["v"].numpy())
    return record


def same_error(raised, recorded):
    """Whether an error is of a class with the recorded name, or of one that inherits from it."""
    return any(base.__name__ == recorded for base in type(raised).__mro__)


def as_this_numpy_writes(text):
    """A recorded ``repr``, without the shapes of shortened arrays, which NumPy writes from 2.2 on."""
    if "..." not in text or np.lib.NumpyVersion(np.__version__) >= "2.2.0":
        return text
    text = re.sub(r"(array\(.*?),\s+shape=\([^)]*\)", r"\1", text, flags=re.DOTALL)
    # What fits on one line then follows on the same one.
    return re.sub(r"numpy=\n(array\([^\n]*)\Z", r"numpy=\1", text)


def coded(value):
    """What the record holds of a result."""
    if isinstance(value, (list, tuple)):
        return {"items": [coded(item) for item in value]}
    if value is None or isinstance(value, (str, bool, int, float)):
        return {"plain": value}
    if hasattr(value, "numpy"):
        value = value.numpy()
    array = np.asarray(value)
    record = {"dtype": array.dtype.name, "shape": list(array.shape)}
    if array.dtype.kind == "O":
        return record | {"strings": [text.decode() for text in array.ravel().tolist()]}
    if array.size > LARGEST:
        return record | {"digest": hashlib.sha256(array.tobytes()).hexdigest()}
    return record | {"bytes": array.tobytes().hex()}


def record(name, programs, names_of=lambda tf: {"tf": tf, "np": np}):
    """Ask TensorFlow, and write ``<name>.json.gz``.

    ``names_of`` gives the names of which the programs speak.
    """
    import os

    os.environ.update(CUDA_VISIBLE_DEVICES="-1", TF_CPP_MIN_LOG_LEVEL="3")
    import tensorflow as tf

    names = names_of(tf)
    records = {program: outcome(program, names) for program in programs}
    # Without the time, so that the same records make the same file.
    text = json.dumps(records, indent=0).encode()
    (FOLDER / f"{name}.json.gz").write_bytes(gzip.compress(text, mtime=0))
    print(f"{len(records)} programs recorded with TensorFlow {tf.__version__}")


def read(name):
    """The records of ``<name>.json.gz``, by program."""
    return json.loads(gzip.decompress((FOLDER / f"{name}.json.gz").read_bytes()))
