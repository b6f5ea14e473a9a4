"""Writes pickles of one object of each public class that can be pickled, or reads them and compares.

    pickled_objects.py write|read FOLDER

With ``python -m tapegrad`` this is a program in which tapegrad stands in for TensorFlow.
"""

import pickle
import sys
from pathlib import Path
from typing import Any

import numpy as np

from tapegrad.framework.printed import Printed

if "tensorflow" in sys.modules:
    import tensorflow as tf
else:
    import tapegrad as tf

ERRORS = [
    name
    for name in dir(tf.errors)
    if name.endswith("Error") and name not in ("OpError", "OperatorNotAllowedInGraphError")
]


def objects() -> dict[str, Any]:
    """Name -> object: always equal ones."""
    ragged = tf.ragged.constant([[1.0], [2.0, 3.0]])
    sparse = tf.sparse.from_dense([[1.0, 0.0]])
    options = tf.data.Options()
    options.threading.private_threadpool_size = 3
    options.autotune.enabled = False
    options.experimental_distribute.auto_shard_policy = tf.data.experimental.AutoShardPolicy.OFF
    data = tf.data.Dataset.range(3).with_options(options)
    made: dict[str, Any] = {
        "tensor": tf.constant([1.0, 2.0]),
        "variable": tf.Variable([1.0, 2.0], name="v", trainable=False),
        "dtype": tf.float32,
        "shape": tf.TensorShape([None, 3]),
        "spec": tf.TensorSpec([None, 3], tf.int32, name="x"),
        "ragged": ragged,
        "ragged spec": ragged._type_spec,
        "partition": tf.experimental.RowPartition.from_row_lengths([1, 2]),
        "dynamic shape": tf.experimental.DynamicRaggedShape.from_tensor(ragged),
        "sparse": sparse,
        "sparse spec": tf.SparseTensorSpec([None, 2], tf.float32),
        "slices": tf.IndexedSlices([[1.0]], [2], [4, 1]),
        "slices spec": tf.IndexedSlicesSpec([4, 1]),
        "optional spec": tf.OptionalSpec(tf.TensorSpec([])),
        "data spec": tf.data.DatasetSpec(tf.TensorSpec([])),
        "data": data,
        "options": options,
        "unconnected": tf.UnconnectedGradients.ZERO,
        "synchronization": tf.VariableSynchronization.ON_READ,
        "aggregation": tf.VariableAggregation.SUM,
        "v1 aggregation": tf.compat.v1.VariableAggregation.MEAN,
        "reduce op": tf.distribute.ReduceOp.SUM,
        "policy": tf.saved_model.experimental.VariablePolicy.SAVE_VARIABLE_DEVICES,
        "fixed": tf.io.FixedLenFeature([2], tf.int64),
        "variable length": tf.io.VarLenFeature(tf.int64),
        "sparse feature": tf.io.SparseFeature("i", "v", tf.float32, 4),
        "ragged feature": tf.io.RaggedFeature(tf.float32),
        "device": tf.config.LogicalDevice("/device:CPU:0", "CPU"),
        "device spec": tf.DeviceSpec(job="w", device_type="CPU", device_index=0),
        "cluster": tf.train.ClusterSpec({"worker": ["a:1"]}),
        "feature": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2])),
        "example": tf.train.Example(),
        "initializer": tf.constant_initializer(3.0),
        "normal": tf.random_normal_initializer(seed=1),
        "communication": tf.distribute.experimental.CommunicationOptions(bytes_per_pack=8),
        "checkpoint options": tf.train.CheckpointOptions(experimental_io_device="/job:localhost"),
        "save options": tf.saved_model.SaveOptions(experimental_custom_gradients=True),
        "sparse value": tf.compat.v1.SparseTensorValue(np.array([[0]]), np.array([1]), (2,)),
        "nest": [{"a": tf.TensorShape([1])}, (tf.float16, tf.data.AUTOTUNE)],
        # Where tapegrad stands in, a class itself is written by TensorFlow's module.
        "classes": [] if "tensorflow" in sys.modules else [tf.Module, tf.TensorShape],
    }
    errors = {name: getattr(tf.errors, name)(None, None, "what was wrong") for name in ERRORS}
    return made | errors


def shown(value: Any) -> str:
    """What a value is, as a text without addresses."""
    if isinstance(value, tf.data.Dataset):
        threads = value.options().threading.private_threadpool_size
        return f"{[int(each) for each in value]} {value.element_spec} {threads}"
    if hasattr(value, "get_config"):
        return repr(sorted(value.get_config().items()))
    if isinstance(value, Exception):
        return f"{type(value).__name__} {value}"
    if " at 0x" not in repr(value) and type(value).__repr__ is not Printed.__repr__:
        return repr(value)
    if isinstance(value, dict):
        return repr({key: shown(each) for key, each in value.items()})
    names = [name for cls in type(value).__mro__ for name in getattr(cls, "__slots__", ())]
    parts = {name: getattr(value, name) for name in names} or vars(value)
    return f"{type(value).__name__} {shown(parts)}"


def main(what: str, folder: Path) -> None:
    expected = objects()
    if what == "write":
        for name, value in expected.items():
            for protocol in range(2, pickle.HIGHEST_PROTOCOL + 1):
                path = folder / f"{name} {protocol}"
                path.write_bytes(pickle.dumps(value, protocol))
        return
    paths = sorted(folder.iterdir())
    for path in paths:
        name = path.name.rpartition(" ")[0]
        value = pickle.loads(path.read_bytes())
        if name != "classes":
            assert type(value) is type(expected[name]), (name, type(value))
            assert shown(value) == shown(expected[name]), (name, shown(value))
    print(len(paths), "read")


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
