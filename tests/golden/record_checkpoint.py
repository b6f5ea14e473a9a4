"""Records a checkpoint that TensorFlow has written, for `test_checkpoints.py`.

    python tests/golden/record_checkpoint.py        with TensorFlow installed; writes the folder checkpoint

`python tests/golden/record_checkpoint.py PREFIX` checks what TensorFlow restores from a checkpoint that
another library has written of the same objects.
"""

import sys
from pathlib import Path
from typing import Any

import numpy as np

FOLDER = Path(__file__).with_name("checkpoint")
DTYPES = "float32 float64 float16 bfloat16 int8 uint16 int64 complex64 bool float8_e5m2"


def made(tf: Any, scale: int) -> tuple[Any, dict[str, Any]]:
    """Objects with variables of many kinds, with other values for each ``scale``, and what is to be saved."""
    model = tf.Module()
    for name in DTYPES.split():
        setattr(model, name, tf.Variable(tf.cast(tf.constant([[1.0, 0.0, 2.0]]) * scale, name)))
    model.texts = tf.Variable(["", "long " * 60 * scale, "é"])
    model.empty = tf.Variable(tf.zeros([0, 3]))
    model.parts = [tf.Variable(3 * scale), {"a.b/c": tf.Variable(-4.5 * scale)}]
    model.many = [tf.Variable(float(number * scale)) for number in range(40)]
    model.table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    if scale:
        model.table.insert(["x", "yy"], tf.constant([5, 6], tf.int64))
    fixed = tf.lookup.KeyValueTensorInitializer(["f"], tf.constant([scale], tf.int64))
    model.fixed = tf.lookup.StaticHashTable(fixed, -1)
    return model, {"model": model, "step": tf.Variable(7 * scale, dtype=tf.int64)}


def told(model: Any, parts: dict[str, Any]) -> dict[str, Any]:
    """What the objects hold, as lists."""
    values = {name: getattr(model, name) for name in ("texts", "empty", *DTYPES.split())}
    values |= {"first": model.parts[0], "inner": model.parts[1]["a.b/c"], "step": parts["step"]}
    found = {
        name: np.asarray(value.numpy()).astype(object).tolist() for name, value in values.items()
    }
    found["many"] = [float(each) for each in model.many]
    found["table"] = sorted(
        zip(*[each.numpy().tolist() for each in model.table.export()], strict=True)
    )
    return found


if __name__ == "__main__":
    import tensorflow

    if sys.argv[1:]:
        objects, given = made(tensorflow, 0)
        tensorflow.train.Checkpoint(**given).restore(sys.argv[1]).assert_consumed()
        assert told(objects, given) == told(*made(tensorflow, 1)), told(objects, given)
        print("restored")
    else:
        tensorflow.train.Checkpoint(**made(tensorflow, 1)[1]).save(FOLDER / "ck")
