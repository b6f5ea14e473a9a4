"""Writes summaries.json: the events that TensorFlow writes for each of CASES, without their times.

    python tests/golden/record_summaries.py        with TensorFlow and TensorBoard installed

The tests import CASES, and let tapegrad write the same.
"""

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

WALL_TIME = 9  # bytes at the beginning of each event


def cases(tf: Any) -> dict[str, Callable[[], Any]]:
    """Functions that write one summary each, with the step that is set."""
    summary = tf.summary
    metadata = tf.compat.v1.SummaryMetadata(
        display_name="shown",
        summary_description="described",
        plugin_data=tf.compat.v1.SummaryMetadata.PluginData(plugin_name="plugin", content=b"c"),
    )
    raw = tf.compat.v1.Summary(value=[tf.compat.v1.Summary.Value(tag="z", simple_value=1.0)])
    sound = [[[0.0], [0.5], [-1.0], [1.0], [0.1], [2.0], [-3.0]]]
    nan = float("nan")
    return {
        "scalar": lambda: summary.scalar("a", 1.5, description="*text*"),
        "scalar of int": lambda: summary.scalar("a b/c", 2),
        "scalar of bool": lambda: summary.scalar("", True),
        "scalar, negative step": lambda: summary.scalar("n", 2, step=-1),
        "scalar, large step": lambda: summary.scalar("n", 2, step=2**40),
        "histogram": lambda: summary.histogram("h", [1.0, 2.0, 3.0, 3.0, -7.25]),
        "histogram of int": lambda: summary.histogram("h", [[1, 2], [3, 40]], buckets=4),
        "histogram of 2": lambda: summary.histogram("h", [1.0, 2.0, 3.0], None, 2, "text"),
        "histogram of 0": lambda: summary.histogram("h", [1.0, 2.0], buckets=0),
        "histogram of -1": lambda: summary.histogram("h", [1.0, 2.0], buckets=-1),
        "histogram of nothing": lambda: summary.histogram("h", [], buckets=2),
        "histogram of one value": lambda: summary.histogram("h", [2.0, 2.0], buckets=3),
        "histogram with nan": lambda: summary.histogram("h", [2.0, nan], buckets=3),
        "histogram with inf": lambda: summary.histogram("h", [2.0, float("inf")], buckets=3),
        "texts": lambda: summary.text("t", ["a", "b"], description="text"),
        "text": lambda: summary.text("t", "hello"),
        "audio": lambda: summary.audio("s", tf.constant(sound), 100),
        "audio of two": lambda: summary.audio("s", tf.zeros([2, 3, 2]), 44100, max_outputs=1),
        "no image": lambda: summary.image("i", tf.zeros([5, 4, 5, 3]), max_outputs=0),
        "floats": lambda: summary.write("w", [1.0, 2.0]),
        "string": lambda: summary.write("w", "abc"),
        "strings": lambda: summary.write("w", ["a", "bc"]),
        "ints": lambda: summary.write("w", [1, 2]),
        "bools": lambda: summary.write("w", [True, False]),
        "complex": lambda: summary.write("w", [1j]),
        "float64": lambda: summary.write("w", tf.constant([1, 2], tf.float64)),
        "float16": lambda: summary.write("w", tf.constant([1, 2], tf.float16)),
        "bfloat16": lambda: summary.write("w", tf.constant([1, 2], tf.bfloat16)),
        "uint8": lambda: summary.write("w", tf.constant([1, 2], tf.uint8)),
        "int64": lambda: summary.write("w", tf.constant(3, tf.int64)),
        "empty": lambda: summary.write("w", tf.zeros([0, 3])),
        "function": lambda: summary.write("w", lambda: tf.constant(1)),
        "metadata": lambda: summary.write("w", 1.0, metadata=metadata),
        "encoded metadata": lambda: summary.write("w", 1.0, None, metadata.SerializeToString()),
        "raw": lambda: summary.experimental.write_raw_pb(tf.constant(raw.SerializeToString())),
        "in a scope": lambda: tf.Module.with_name_scope(lambda module: summary.scalar("x", 1.0))(
            tf.Module(name="outer")
        ),
    }


def events(tf: Any, case: Callable[[], Any]) -> list[bytes]:
    """The events that one case writes at step 5."""
    folder = tempfile.mkdtemp()
    writer = tf.summary.create_file_writer(folder)
    with writer.as_default(step=5):
        case()
    writer.close()
    (file,) = Path(folder).iterdir()
    return list(tf.compat.v1.io.tf_record_iterator(str(file)))


def main() -> None:
    import tensorflow as tf

    answers = {
        name: [event[WALL_TIME:].hex() for event in events(tf, case)[1:]]
        for name, case in cases(tf).items()
    }
    Path(__file__).with_name("summaries.json").write_text(json.dumps(answers, indent=1) + "\n")


if __name__ == "__main__":
    main()
