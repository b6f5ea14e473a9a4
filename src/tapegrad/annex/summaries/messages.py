"""The messages in event files: `Event`, `Summary` and what describes a summary."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from tapegrad import dtypes
from tapegrad.core import static_value
from tapegrad.io.messages import Message
from tapegrad.io.tensors import TensorProto, empty_proto

PUBLIC = {
    "compat.v1": "Event HistogramProto LogMessage SessionLog Summary SummaryMetadata",
    "compat.v1.summary": "Event SessionLog Summary SummaryDescription TaggedRunMetadata",
}


class _PluginData(Message):
    """The plugin of TensorBoard that shows a summary, and its data."""

    FULL_NAME = "tensorflow.SummaryMetadata.PluginData"
    SCHEMA = "string plugin_name = 1; bytes content = 2;"


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

    PluginData = _PluginData
    SCHEMA = """
        PluginData plugin_data = 1; string display_name = 2; string summary_description = 3;
        DATA_CLASSES data_class = 4;
    """


class HistogramProto(Message):
    """A histogram of TensorFlow 1: how many values lie below each limit."""

    SCHEMA = """
        double min = 1; double max = 2; double num = 3; double sum = 4; double sum_squares = 5;
        repeated double bucket_limit = 6; repeated double bucket = 7;
    """


class _Image(Message):
    """An encoded picture."""

    FULL_NAME = "tensorflow.Summary.Image"
    SCHEMA = """
        int32 height = 1; int32 width = 2; int32 colorspace = 3; bytes encoded_image_string = 4;
    """


class _Audio(Message):
    """An encoded sound."""

    FULL_NAME = "tensorflow.Summary.Audio"
    SCHEMA = """
        float sample_rate = 1; int64 num_channels = 2; int64 length_frames = 3;
        bytes encoded_audio_string = 4; string content_type = 5;
    """


class _Value(Message):
    """One tag and its value."""

    FULL_NAME = "tensorflow.Summary.Value"
    SCHEMA = """
        string tag = 1; oneof value { float simple_value = 2;
        bytes obsolete_old_style_histogram = 3; Image image = 4; HistogramProto histo = 5;
        Audio audio = 6; } string node_name = 7; oneof value { TensorProto tensor = 8; }
        SummaryMetadata metadata = 9;
    """


class Summary(Message):
    """Values by their tags.

    >>> value = tf.compat.v1.Summary.Value(tag="loss", simple_value=0.5)
    >>> tf.compat.v1.Summary(value=[value]).SerializeToString()
    b'\\n\\x0b\\n\\x04loss\\x15\\x00\\x00\\x00?'
    """

    Value = _Value
    Image = _Image
    Audio = _Audio
    SCHEMA = "repeated Value value = 1;"


class _SourceMetadata(Message):
    """Which program wrote a file."""

    SCHEMA = "string writer = 1;"


class LogMessage(Message):
    """A line of a log."""

    UNKNOWN, DEBUGGING, INFO, WARN, ERROR, FATAL = 0, 10, 20, 30, 40, 50
    LEVELS: ClassVar = {
        0: "UNKNOWN",
        10: "DEBUGGING",
        20: "INFO",
        30: "WARN",
        40: "ERROR",
        50: "FATAL",
    }
    SCHEMA = "LEVELS level = 1; string message = 2;"


class SessionLog(Message):
    """That a session begins, ends or saves a checkpoint.

    >>> tf.compat.v1.SessionLog(status=tf.compat.v1.SessionLog.START)
    status: START
    """

    STATUS_UNSPECIFIED, START, STOP, CHECKPOINT = 0, 1, 2, 3
    STATES: ClassVar = {0: "STATUS_UNSPECIFIED", 1: "START", 2: "STOP", 3: "CHECKPOINT"}
    SCHEMA = "STATES status = 1; string checkpoint_path = 2; string msg = 3;"


class SummaryDescription(Message):
    """What an old kind of summaries says of itself."""

    SCHEMA = "string type_hint = 1;"


class TaggedRunMetadata(Message):
    """What was measured of a run, under a tag."""

    SCHEMA = "string tag = 1; bytes run_metadata = 2;"


class Event(Message):
    """One record of an event file."""

    SCHEMA = """
        double wall_time = 1; int64 step = 2; oneof what { string file_version = 3;
        bytes graph_def = 4; Summary summary = 5; LogMessage log_message = 6;
        SessionLog session_log = 7; TaggedRunMetadata tagged_run_metadata = 8;
        bytes meta_graph_def = 9; } SourceMetadata source_metadata = 10;
    """


def tensor_message(tensor: Any) -> TensorProto:
    """A tensor with its values as bytes, or as a list of strings."""
    array = static_value(tensor, "tf.summary")
    proto = empty_proto(tensor.dtype, array.shape)
    if tensor.dtype is dtypes.string:
        proto.string_val.extend(array.ravel().tolist())
    else:
        proto.tensor_content = np.ascontiguousarray(array).tobytes()
    return proto
