"""Exchanges SavedModels with another library: `record_saved_models.py FOLDER [NAME ...]`, and then `--check`.

It runs where TensorFlow and Keras are installed, and, under `python -m tapegrad`, with this library. There it
writes a model for each of the `CASES`: a folder with ``model/``, and with ``expected.npz``: which function is
called, its arguments, and what the model answers that was loaded again. (That it answers what the object did
that was saved is checked at once.) With ``--check`` it loads the models of a folder, which the other one
wrote, compares the answers, and prints which differ.

    python tests/golden/record_saved_models.py THEIRS
    PYTHONPATH=src python -m tapegrad tests/golden/record_saved_models.py THEIRS --check
    PYTHONPATH=src python -m tapegrad tests/golden/record_saved_models.py OURS
    python tests/golden/record_saved_models.py OURS --check

With ``--convert`` TensorFlow's converter for TFLite, and tf2onnx if it is installed, take some of the models
that this library wrote.

``--times`` prints how long loading, the first call, later calls (the median of twenty) and saving take, and
in brackets how much of the processor. Python has to keep bytecode: without it, modules are compiled in each
of these. With ``--predict`` it prints for MobileNetV2 and 16 pictures of 96 x 96 the median of twenty calls
of ``serving_default`` of its SavedModel, written in FOLDER, and of `predict_on_batch` of the model itself.

``--keep`` packs some of TensorFlow's models into ``saved_models.tar.xz`` beside this file, which
`tests/saving/test_tensorflow_models.py` reads.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
os.environ.setdefault("CUDA_VISIBLE_DEVICES", "")

import keras
import numpy as np
import saved_model_functions
import saved_model_layers
import tensorflow as tf
from saved_model_answers import CHANGE, WITHOUT_GRADIENTS, Answers

ANSWERS = Answers(tf)
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
data_set v1_graph v1_cond v1_while v1_rnn v1_table v1_parts v1_quantized
""".split()


# oneDNN rounds floats to other bytes than TensorFlow does itself, and than machines do that have no oneDNN.
WITHOUT_ONEDNN = frozenset({"v1_quantized"})


def written(name, folder):
    """Write the model of a case. Returns its function, arguments, and the results of the object."""
    root, call, arguments, *more = CASES[name]()
    keywords = more[0] if more else {}
    target = str(folder / "model")
    if isinstance(root, str):
        # in a process of its own, whose TensorFlow behaves as version 1
        run_apart(folder.parent, root, target, "--v1")
        return call, arguments, keywords, None
    if isinstance(root, keras.Model):
        result = root(*arguments, training=False)
        if call.startswith("signatures"):
            result = None  # its names are those of the layers
    else:
        result = (
            None
            if call.startswith("signatures")
            else ANSWERS.function_at(root, call)(*arguments, **keywords)
        )
    if isinstance(root, keras.Model) and getattr(CASES[name], "way", "export") == "export":
        root.export(target, verbose=False)
    else:
        signatures = root.__dict__.pop("signatures_given", None)
        tf.saved_model.save(root, target, signatures=dict(signatures) if signatures else None)
    return call, arguments, keywords, result


def record(name, folder):
    """Write the model of a case, and what it answers."""
    call, arguments, keywords, result = written(name, folder)
    loaded = tf.saved_model.load(str(folder / "model"))
    function = ANSWERS.function_at(loaded, call)
    facts = ANSWERS.ask(function, arguments, keywords, name not in WITHOUT_GRADIENTS)
    if result is not None and name not in CHANGE:
        ANSWERS.compare(facts["result"], result, 1e-5)
    if facts.get("variables"):
        facts["trained"] = ANSWERS.train(function, arguments, keywords)
    ANSWERS.write(folder, call, {"arguments": arguments, "keywords": keywords, **facts})


def check(name, folder):
    """Compare what a model of the other library answers."""
    ANSWERS.check(folder, tf.saved_model.load(str(folder / "model")))


# Models that are handed to converters: those of float inputs, which such formats can hold.
CONVERTED_MODELS = """
dense dense_relu prelu conv1d conv2d conv2d_dilated conv2d_transpose depthwise_conv2d separable_conv2d
max_pool2d average_pool2d global_average_pool2d batch_normalization layer_normalization group_normalization
flatten zero_padding2d up_sampling2d add concatenate lstm gru simple_rnn bidirectional multi_head_attention
attention einsum_dense small_network residual_network application_mobilenetv2 cond while_on_value
""".split()


def convert(name, folder):
    """Let TFLite's converter and tf2onnx take a model."""
    model = str(folder / "model")
    converter = tf.lite.TFLiteConverter.from_saved_model(model)
    sets = tf.lite.OpsSet
    converter.target_spec.supported_ops = [sets.TFLITE_BUILTINS, sets.SELECT_TF_OPS]
    content = converter.convert()
    assert tf.lite.Interpreter(model_content=content).get_signature_list()
    if find_spec("tf2onnx") is not None:
        target = str(folder / "model.onnx")
        arguments = ["--saved-model", model, "--output", target, "--opset", "17"]
        # In a process of its own: it turns TensorFlow 2's behaviour off.
        subprocess.run([sys.executable, "-m", "tf2onnx.convert", *arguments], check=True)


def measure(name, folder):
    """Print how long loading a model, its first call, and saving it again take, and the processor's times."""
    expected = ANSWERS.read(folder)

    def now():
        return time.perf_counter(), time.process_time()

    moments = [now()]
    loaded = tf.saved_model.load(str(folder / "model"))
    moments.append(now())
    function = ANSWERS.function_at(loaded, expected["call"])
    function(*expected["arguments"], **expected["keywords"])
    moments.append(now())
    [later] = repeated(lambda: function(*expected["arguments"], **expected["keywords"]))
    moments.append(now())
    with tempfile.TemporaryDirectory() as target:
        tf.saved_model.save(loaded, f"{target}/model")
    moments.append(now())
    loading, first, _, saving = np.diff(moments, axis=0)
    stages = {"loading": loading, "the first call": first, "a later call": later, "saving": saving}
    parts = [
        f"{what} {clock:.3g} s ({processor:.3g})" for what, (clock, processor) in stages.items()
    ]
    print(f"{name}: {', '.join(parts)}")


def repeated(*functions, warm=5, calls=20):
    """For each function the median time of a call, and of the processor. They are called in turn."""
    times = []
    for _ in range(warm + calls):
        row = []
        for function in functions:
            before = time.perf_counter(), time.process_time()
            function()
            row.append(np.subtract((time.perf_counter(), time.process_time()), before))
        times.append(row)
    return np.median(times[warm:], axis=0)


def measure_prediction(root):
    """Print how long a call of a loaded network takes, and of the network itself."""
    keras.utils.set_random_seed(0)
    model = keras.applications.MobileNetV2(input_shape=(96, 96, 3), weights=None)
    folder = str(root / "mobilenetv2_96")
    if not os.path.exists(folder):
        model.export(folder, verbose=False)
    pictures = np.random.default_rng(0).random((16, 96, 96, 3)).astype("float32")
    served = tf.saved_model.load(folder).signatures["serving_default"]
    [name] = served.structured_input_signature[1]
    tensor = tf.constant(pictures)
    times = repeated(lambda: served(**{name: tensor}), lambda: model.predict_on_batch(pictures))
    for what, (clock, processor) in zip(
        ("serving_default", "predict_on_batch"), times, strict=True
    ):
        print(f"{what}: {clock:.3g} s ({processor:.3g})")


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
    words = sys.argv[1:]
    flags = [word for word in words if word.startswith("-")]
    root, *names = [word for word in words if not word.startswith("-")]
    root = Path(root)
    root.mkdir(parents=True, exist_ok=True)
    if "--times" in flags and "--predict" not in flags:
        return run_cases(root, names, measure)
    if "--convert" in flags:
        return run_cases(root, names or CONVERTED_MODELS, convert)
    if not flags or flags == ["--check"]:
        return run_cases(root, names, check if flags else record)
    if "--v1" in flags:
        tf.compat.v1.disable_v2_behavior()
        saved_model_functions.write_v1(*names)
    elif "--keep" in flags:
        keep(root)
    else:
        measure_prediction(root)
    return True


def run_cases(root, names, step):
    """Write or check models. Prints what goes wrong, and how many are right. Returns whether all are."""
    right = 0
    wanted = names or list(CASES)
    for name in wanted:
        folder = root / name
        if step is record:
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir()
        elif not folder.exists():
            print(f"{name}: not written", flush=True)
            continue
        try:
            if name in WITHOUT_ONEDNN and os.environ.get("TF_ENABLE_ONEDNN_OPTS") != "0":
                flags = [word for word in sys.argv[1:] if word.startswith("-")]
                run_apart(root, name, *flags, TF_ENABLE_ONEDNN_OPTS="0")
            else:
                step(name, folder)
            right += 1
        except Exception as error:
            reason = " ".join(str(error).split())
            print(f"{name}: {type(error).__name__}: {reason[:600]}", flush=True)
            if step is record:
                shutil.rmtree(folder, ignore_errors=True)
    print(f"{right} of {len(wanted)} models")
    return right == len(wanted)


def run_apart(*arguments, **environment):
    """Run this program with the same library in a process of its own."""
    runner = ["-m", tf.__package__] if tf.__package__ == "tapegrad" else []
    command = [sys.executable, *runner, __file__, *map(str, arguments)]
    subprocess.run(command, check=True, env=os.environ | environment)


if __name__ == "__main__":
    sys.exit(not main())
