"""Records which public names TensorFlow has: those of its namespaces, and the attributes of its objects.

    python tests/golden/record_names.py        with TensorFlow and zopfli installed; writes names.json.gz

It also writes ``src/tapegrad/framework/public_names.gz``, a line for each namespace with its names:
`tapegrad.framework.missing` says of no name that TensorFlow lacks it if it is there.

Keras is one name here, whatever TensorFlow calls its parts: its own list is longer than the rest.
`tf.compat.v2` is `tf` again, and left out.
"""

import gzip
import json
import types
from pathlib import Path

import tensorflow as tf
from zopfli.gzip import compress

FILE = Path(__file__).with_name("names.json.gz")
SHIPPED = Path(__file__).parents[2] / "src" / "tapegrad" / "framework" / "public_names.gz"
KERAS = {"keras", "compat.v1.keras", "compat.v1.layers", "compat.v1.nn.rnn_cell"}
LEFT_OUT = {"compat.v2", "compat.v1.compat.v1", "compat.v1.compat.v2"}


def public(thing: object) -> list[str]:
    return [name for name in dir(thing) if not name.startswith("_")]


def module_name(module: types.ModuleType) -> str:
    try:
        return module.__name__
    except (AttributeError, ImportError):  # a lazy module of what is not installed
        return ""


def walk(module: types.ModuleType, path: str, namespaces: dict[str, list[str]]) -> None:
    names = namespaces[path] = []
    for name in public(module):
        inner = f"{path}.{name}".lstrip(".")
        try:
            value = getattr(module, name)
        except (AttributeError, ImportError):
            value = None
        is_module = isinstance(value, types.ModuleType)
        # Of the modules that are no namespaces, some are TensorFlow's own folders, seen by accident.
        if is_module and module_name(value).startswith(("tensorflow.security", "tensorflow.tools")):
            continue
        names.append(name)
        if not is_module or inner in KERAS | LEFT_OUT or inner.count(".") > 6:
            continue
        if module_name(value).startswith(("tensorflow._api", "tensorflow.experimental", "keras")):
            walk(value, inner, namespaces)


def objects() -> dict[str, object]:
    """One object of every class that programs hold, by the name of the class."""
    x = tf.constant([1.0, 2.0])
    return {
        "Tensor": x,
        "Variable": tf.Variable(x),
        "GradientTape": tf.GradientTape(),
        "IndexedSlices": tf.IndexedSlices(x, tf.constant([0, 1])),
        "SparseTensor": tf.sparse.from_dense(x),
        "TensorShape": x.shape,
        "DType": x.dtype,
        "TensorSpec": tf.TensorSpec([2]),
        "TensorArray": tf.TensorArray(tf.float32, 1),
        "Module": tf.Module(),
        "random.Generator": tf.random.Generator.from_seed(1),
        "function": tf.function(abs),
        "name_scope": tf.name_scope("a"),
    }


def shipped(namespaces: dict[str, str]) -> bytes:
    """A line for each namespace. Those of one name are side by side, which makes it smaller by a third."""
    paths = sorted(namespaces, key=lambda path: (path.replace("compat.v1", "").strip("."), path))
    text = "\n".join([f"{path} {namespaces[path]}" for path in paths])
    return bytes(compress(text.encode()))


if __name__ == "__main__":
    namespaces: dict[str, list[str]] = {}
    walk(tf, "", namespaces)
    walk(tf.__internal__, "__internal__", namespaces)
    recorded = {
        "tensorflow": tf.__version__,
        "namespaces": {path: " ".join(names) for path, names in sorted(namespaces.items())},
        "attributes": {name: " ".join(public(thing)) for name, thing in objects().items()},
    }
    text = json.dumps(recorded, indent=1)
    FILE.write_bytes(gzip.compress(text.encode(), mtime=0))
    SHIPPED.write_bytes(shipped(recorded["namespaces"]))
    print(len(namespaces), "namespaces", FILE.stat().st_size, "bytes")
