"""Records with TensorFlow what files.json.gz holds: files as TensorFlow writes and reads them.

    python tests/golden/record_files.py

TensorFlow must be installed, and Pillow need not be: the images are TensorFlow's own.
"""

from __future__ import annotations

import base64
import gzip
import json
import pathlib
import tempfile
from typing import Any

import numpy as np
import tensorflow as tf

FOLDER = pathlib.Path(__file__).resolve().parent


def text(data: bytes) -> str:
    return base64.b64encode(data).decode()


def plain(value: Any) -> Any:
    """A result as JSON."""
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, (tuple, list)):
        return [plain(each) for each in value]
    if isinstance(value, tf.SparseTensor):
        return {"sparse": [plain(value.indices), plain(value.values), plain(value.dense_shape)]}
    if isinstance(value, tf.RaggedTensor):
        return {"ragged": [plain(value.flat_values), *map(plain, value.nested_row_splits)]}
    array = np.asarray(value)
    values = (
        [each.decode() for each in array.ravel()]
        if array.dtype == object
        else array.ravel().tolist()
    )
    return {"dtype": value.dtype.name, "shape": list(array.shape), "values": values}


def records() -> dict[str, Any]:
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        for kind in ("", "GZIP", "ZLIB"):
            path = f"{folder}/records{kind}"
            with tf.io.TFRecordWriter(path, kind) as writer:
                for record in (b"", b"one", bytes(range(256)) * 40):
                    writer.write(record)
            found[kind] = text(pathlib.Path(path).read_bytes())
    return found


def tensors() -> list[Any]:
    found = []
    for dtype in (
        "bool",
        "uint8",
        "int8",
        "int32",
        "int64",
        "float16",
        "float32",
        "complex64",
        "bfloat16",
    ):
        tensor = tf.cast(tf.constant([[0, 1, 2], [1, 0, 1]]), dtype)
        proto = tf.make_tensor_proto(tensor.numpy())
        found.append(
            [dtype, text(tf.io.serialize_tensor(tensor).numpy()), text(proto.SerializeToString())]
        )
    for value in (b"abc", [[b"a", b""], [b"\xff", b"long" * 50]]):
        found.append(["string", text(tf.io.serialize_tensor(tf.constant(value)).numpy()), ""])
    return found


def images() -> dict[str, Any]:
    rows, columns = np.mgrid[0:17, 0:23]
    waves = [(np.sin(columns / 7 + k) + np.cos(rows / 5 - k) + 2) * 63 for k in range(4)]
    image = np.stack(waves, -1).astype(np.uint8)
    found = {}
    for channels in (1, 2, 3, 4):
        for dtype, factor in ((np.uint8, 1), (np.uint16, 250)):
            file = tf.io.encode_png(image[..., :channels].astype(dtype) * dtype(factor)).numpy()
            shown = {
                f"{wanted} {kind}": plain(tf.io.decode_png(file, wanted, kind))["values"]
                for wanted in (0, 1, 3)
                for kind in ("uint8", "uint16")
            }
            found[f"png {channels} {dtype.__name__}"] = {"file": text(file), "values": shown}
    for channels, settings in (
        (1, {}),
        (3, {}),
        (3, {"chroma_downsampling": False}),
        (3, {"progressive": True}),
    ):
        file = tf.io.encode_jpeg(image[..., :channels], quality=90, **settings).numpy()
        shown = {
            method: plain(tf.io.decode_jpeg(file, channels, dct_method=method))["values"]
            for method in ("", "INTEGER_ACCURATE")
        }
        found[f"jpeg {channels} {settings}"] = {"file": text(file), "values": shown}
    return found


def main() -> None:
    content = {"records": records(), "tensors": tensors(), "images": images()}
    data = json.dumps(content, separators=(",", ":")).encode()
    (FOLDER / "files.json.gz").write_bytes(gzip.compress(data, mtime=0))


if __name__ == "__main__":
    main()
