"""The messages in event files: `Event`, `Summary` and what describes a summary."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tapegrad import dtypes
from tapegrad.core import static_value
from tapegrad.io.messages import Field, Message
from tapegrad.io.tensors import TensorProto, empty_proto

PUBLIC = {
    "compat.v1": "Event HistogramProto LogMessage SessionLog Summary SummaryMetadata",
    "compat.v1.summary": "Event SessionLog Summary SummaryDescription TaggedRunMetadata",
}


class _PluginData(Message):
    """The plugin of TensorBoard that shows a summary, and its data."""

    __slots__ = ()
    FULL_NAME = "tensorflow.SummaryMetadata.PluginData"
    FIELDS: ClassVar[dict[str, Field]] = {
        "plugin_name": Field(1, "string"),
        "content": Field(2, "bytes"),
    }


DATA_CLASSES = {
    0: "DATA_CLASS_UNKNOWN",
    1: "DATA_CLASS_SCALAR",
    2: "DATA_CLASS_TENSOR",
    3: "DATA_CLASS_BLOB_SEQUENCE",
}


class SummaryMetadata(Message):
    """What TensorBoard is to know of a summary.

    >>> data = tf.compat.v1.SummaryMetadata.PluginData(plugin_name="text")
    >>> tf.compat.v1.SummaryMetadata(plugin_data=data).SerializeToString()
    b'\\n\\x06\\n\\x04text'
    """

    __slots__ = ()
    PluginData = _PluginData
    FULL_NAME = "tensorflow.SummaryMetadata"
    FIELDS: ClassVar[dict[str, Field]] = {
        "plugin_data": Field(1, _PluginData),
        "display_name": Field(2, "string"),
        "summary_description": Field(3, "string"),
        "data_class": Field(4, "int32", names=DATA_CLASSES),
    }


class HistogramProto(Message):
    """A histogram of TensorFlow 1: how many values lie below each limit."""

    __slots__ = ()
    FULL_NAME = "tensorflow.HistogramProto"
    FIELDS: ClassVar[dict[str, Field]] = {
        "min": Field(1, "double"),
        "max": Field(2, "double"),
        "num": Field(3, "double"),
        "sum": Field(4, "double"),
        "sum_squares": Field(5, "double"),
        "bucket_limit": Field(6, "double", "list"),
        "bucket": Field(7, "double", "list"),
    }


class _Image(Message):
    """An encoded picture."""

    __slots__ = ()
    FULL_NAME = "tensorflow.Summary.Image"
    FIELDS: ClassVar[dict[str, Field]] = {
        "height": Field(1, "int32"),
        "width": Field(2, "int32"),
        "colorspace": Field(3, "int32"),
        "encoded_image_string": Field(4, "bytes"),
    }


class _Audio(Message):
    """An encoded sound."""

    __slots__ = ()
    FULL_NAME = "tensorflow.Summary.Audio"
    FIELDS: ClassVar[dict[str, Field]] = {
        "sample_rate": Field(1, "float"),
        "num_channels": Field(2, "int64"),
        "length_frames": Field(3, "int64"),
        "encoded_audio_string": Field(4, "bytes"),
        "content_type": Field(5, "string"),
    }


class _Value(Message):
    """One tag and its value."""

    __slots__ = ()
    FULL_NAME = "tensorflow.Summary.Value"
    FIELDS: ClassVar[dict[str, Field]] = {
        "tag": Field(1, "string"),
        "simple_value": Field(2, "float", oneof="value"),
        "obsolete_old_style_histogram": Field(3, "bytes", oneof="value"),
        "image": Field(4, _Image, oneof="value"),
        "histo": Field(5, HistogramProto, oneof="value"),
        "audio": Field(6, _Audio, oneof="value"),
        "node_name": Field(7, "string"),
        "tensor": Field(8, TensorProto, oneof="value"),
        "metadata": Field(9, SummaryMetadata),
    }


class Summary(Message):
    """Values by their tags.

    >>> value = tf.compat.v1.Summary.Value(tag="loss", simple_value=0.5)
    >>> tf.compat.v1.Summary(value=[value]).SerializeToString()
    b'\\n\\x0b\\n\\x04loss\\x15\\x00\\x00\\x00?'
    """

    __slots__ = ()
    Value = _Value
    Image = _Image
    Audio = _Audio
    FULL_NAME = "tensorflow.Summary"
    FIELDS: ClassVar[dict[str, Field]] = {"value": Field(1, _Value, "list")}


class _SourceMetadata(Message):
    """Which program wrote a file."""

    __slots__ = ()
    FULL_NAME = "tensorflow.SourceMetadata"
    FIELDS: ClassVar[dict[str, Field]] = {"writer": Field(1, "string")}


class LogMessage(Message):
    """A line of a log."""

    __slots__ = ()
    UNKNOWN, DEBUGGING, INFO, WARN, ERROR, FATAL = 0, 10, 20, 30, 40, 50
    LEVELS: ClassVar = {
        0: "UNKNOWN",
        10: "DEBUGGING",
        20: "INFO",
        30: "WARN",
        40: "ERROR",
        50: "FATAL",
    }
    FULL_NAME = "tensorflow.LogMessage"
    FIELDS: ClassVar[dict[str, Field]] = {
        "level": Field(1, "int32", names=LEVELS),
        "message": Field(2, "string"),
    }


class SessionLog(Message):
    """That a session begins, ends or saves a checkpoint.

    >>> tf.compat.v1.SessionLog(status=tf.compat.v1.SessionLog.START)
    status: START
    """

    __slots__ = ()
    STATUS_UNSPECIFIED, START, STOP, CHECKPOINT = 0, 1, 2, 3
    STATES: ClassVar = {0: "STATUS_UNSPECIFIED", 1: "START", 2: "STOP", 3: "CHECKPOINT"}
    FULL_NAME = "tensorflow.SessionLog"
    FIELDS: ClassVar[dict[str, Field]] = {
        "status": Field(1, "int32", names=STATES),
        "checkpoint_path": Field(2, "string"),
        "msg": Field(3, "string"),
    }


class SummaryDescription(Message):
    """What an old kind of summaries says of itself."""

    __slots__ = ()
    FULL_NAME = "tensorflow.SummaryDescription"
    FIELDS: ClassVar[dict[str, Field]] = {"type_hint": Field(1, "string")}


class TaggedRunMetadata(Message):
    """What was measured of a run, under a tag."""

    __slots__ = ()
    FULL_NAME = "tensorflow.TaggedRunMetadata"
    FIELDS: ClassVar[dict[str, Field]] = {
        "tag": Field(1, "string"),
        "run_metadata": Field(2, "bytes"),
    }


class Event(Message):
    """One record of an event file."""

    __slots__ = ()
    FULL_NAME = "tensorflow.Event"
    FIELDS: ClassVar[dict[str, Field]] = {
        "wall_time": Field(1, "double"),
        "step": Field(2, "int64"),
        "file_version": Field(3, "string", oneof="what"),
        "graph_def": Field(4, "bytes", oneof="what"),
        "summary": Field(5, Summary, oneof="what"),
        "log_message": Field(6, LogMessage, oneof="what"),
        "session_log": Field(7, SessionLog, oneof="what"),
        "tagged_run_metadata": Field(8, TaggedRunMetadata, oneof="what"),
        "meta_graph_def": Field(9, "bytes", oneof="what"),
        "source_metadata": Field(10, _SourceMetadata),
    }


def tensor_message(tensor: Any) -> TensorProto:
    """A tensor with its values as bytes, or as a list of strings."""
    array = static_value(tensor, "tf.summary")
    proto = empty_proto(tensor.dtype, array.shape)
    if tensor.dtype is dtypes.string:
        proto.string_val.extend(array.ravel().tolist())
    else:
        proto.tensor_content = np.ascontiguousarray(array).tobytes()
    return proto
