"""Records SavedModels that TensorFlow and Keras write: `python record_saved_models.py FOLDER [NAME ...]`.

It runs where TensorFlow and Keras are installed. Each model is a folder with ``model/``, which TensorFlow
wrote, and ``expected.npz``: which function is called, its arguments, its results, and the gradients of a
weighted sum of them, as TensorFlow has them for the model that it loaded again. ``--keep`` packs some of the
models into ``saved_models.tar.xz`` beside this file, which `tests/saving/test_tensorflow_models.py` reads.
"""

from __future__ import annotations

import io
import json
import os
import shutil
import subprocess
import sys
import tarfile
from contextlib import nullcontext
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import keras
import numpy as np
import saved_model_functions
import saved_model_layers
import tensorflow as tf

CASES = {**saved_model_layers.CASES, **saved_model_functions.CASES}
KEPT = Path(__file__).with_name("saved_models.tar.xz")


# The models that are kept: few of each kind, small ones.
KEPT_MODELS = """
dense saved_dense conv2d conv2d_transpose depthwise_conv2d batch_normalization layer_normalization embedding
lstm gru bidirectional masked_gru multi_head_attention mixed_precision several_outputs text_vectorization
string_lookup string_lookup_one_hot category_encoding up_sampling2d activation_gelu dropout transformer_block
cond while_loop while_on_value nested_while switch_case autograph_if tensor_array array_parts map_fn scan
ragged ragged_result sparse sparse_result strings split ngrams unicode parse_example parse_ragged decode_image
static_table mutable_table dense_table table_from_file vocabulary_table asset
custom_gradient module_tree structured_arguments several_signatures nested_results none_results
variables_in_lists stateless_random generator_random counter saved_gradient second_gradient linalg einsum
indexing losses
data_set v1_graph v1_cond v1_while v1_rnn v1_table
""".split()


# Their functions change a variable, or have gradients that TensorFlow approximates.
WITHOUT_GRADIENTS = (
    "counter", "scatter_variable", "augment_randomrotation", "augment_randomtranslation",
    "augment_randomzoom", "v1_rnn", "v1_table",
)  # fmt: skip


def encoded(value):
    """A nest as JSON: leaves are the numbers of arrays."""
    arrays = []

    def put(array):
        array = np.asarray(array)
        if array.dtype == object:
            width = max([len(text) for text in array.ravel().tolist()] + [1])
            array = array.astype(f"S{width}")
        arrays.append(array)
        return len(arrays) - 1

    def walk(part):
        if isinstance(part, tf.RaggedTensor):
            return {"ragged": [walk(part.values), walk(part.row_splits)]}
        if isinstance(part, tf.sparse.SparseTensor):
            return {"sparse": [walk(part.indices), walk(part.values), walk(part.dense_shape)]}
        if isinstance(part, tf.IndexedSlices):
            return walk(tf.convert_to_tensor(part))
        if isinstance(part, (tf.Tensor, tf.Variable)):
            if part.dtype in (tf.bfloat16, tf.float16):
                return {"cast": [part.dtype.name, put(tf.cast(part, tf.float32).numpy())]}
            return {"tensor": put(part.numpy())}
        if isinstance(part, dict):
            return {"dict": {key: walk(part[key]) for key in sorted(part)}}
        if isinstance(part, (list, tuple)):
            return {"list": [walk(one) for one in part]}
        return {"value": part}

    return walk(value), arrays


def record(name, folder):
    built = CASES[name]()
    root, call, arguments, *more = built
    keywords = more[0] if more else {}
    target = str(folder / "model")
    if isinstance(root, str):
        # in a process of its own, whose TensorFlow behaves as version 1
        subprocess.run(
            [sys.executable, __file__, str(folder.parent), "--v1", root, target], check=True
        )
    elif isinstance(root, keras.Model) and getattr(CASES[name], "way", "export") == "export":
        root.export(target, verbose=False)
    else:
        signatures = root.__dict__.pop("signatures_given", None)
        tf.saved_model.save(root, target, signatures=dict(signatures) if signatures else None)
    loaded = tf.saved_model.load(target)
    target_function = loaded
    for part in call.split("."):
        if part != "__call__":
            target_function = (
                target_function[part]
                if isinstance(target_function, type(loaded.signatures))
                else getattr(target_function, part)
            )
    leaves = [
        x
        for x in tf.nest.flatten([arguments, keywords], expand_composites=True)
        if isinstance(x, tf.Tensor) and x.dtype.is_floating
    ]
    tape = tf.GradientTape()
    with nullcontext() if name in WITHOUT_GRADIENTS else tape:
        if name not in WITHOUT_GRADIENTS:
            tape.watch(leaves)
        result = target_function(*arguments, **keywords)
        outputs = [
            y
            for y in tf.nest.flatten(result, expand_composites=True)
            if y is not None and y.dtype.is_floating
        ]
        # weights that differ, so that no sum hides a permutation
        total = tf.add_n([tf.constant(0.0), *[
            tf.reduce_sum(tf.cast(y, tf.float32) * tf.reshape(
                tf.range(1.0, 1.0 + tf.cast(tf.size(y), tf.float32)) / 7.0, tf.shape(y)))
            for y in outputs
        ]])  # fmt: skip
    variables, gradients = [], [None] * len(leaves)
    if name not in WITHOUT_GRADIENTS:
        variables = sorted(tape.watched_variables(), key=lambda v: (v.name, v.shape.as_list()))
        gradients = tape.gradient(total, leaves + variables)
    body, arrays = encoded(
        {
            "arguments": arguments,
            "keywords": keywords,
            "result": result,
            "input_gradients": gradients[: len(leaves)],
            "variables": [v.name for v in variables],
            "variable_gradients": gradients[len(leaves) :],
        }
    )
    text = json.dumps({"call": call, **body["dict"]})
    np.savez_compressed(
        folder / "expected.npz",
        expected=np.array(text),
        **{f"a{i}": a for i, a in enumerate(arrays)},
    )


def keep(root):
    """Pack the models that are kept, without what is not read."""
    with tarfile.open(KEPT, "w:xz", preset=9) as archive:
        for name in KEPT_MODELS:
            for path in sorted((root / name).rglob("*")):
                if path.is_file() and path.name != "fingerprint.pb":
                    info = tarfile.TarInfo(f"{name}/{path.relative_to(root / name)}")
                    info.size = path.stat().st_size
                    archive.addfile(info, io.BytesIO(path.read_bytes()))
    print(f"{len(KEPT_MODELS)} models, {KEPT.stat().st_size} bytes")


def main():
    root = Path(sys.argv[1])
    root.mkdir(parents=True, exist_ok=True)
    if "--v1" in sys.argv:
        tf.compat.v1.disable_v2_behavior()
        saved_model_functions.write_v1(*sys.argv[3:])
        return
    wanted = [name for name in sys.argv[2:] if not name.startswith("-")] or list(CASES)
    if "--keep" in sys.argv:
        keep(root)
        return
    for name in wanted:
        folder = root / name
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            record(name, folder)
        except Exception as error:
            print(f"{name}: {type(error).__name__}: {str(error)[:300]}", flush=True)
            shutil.rmtree(folder)


if __name__ == "__main__":
    main()
