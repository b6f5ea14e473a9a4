"""The messages of records: `tf.train.Example`, `SequenceExample` and their parts."""

from __future__ import annotations

from typing import ClassVar

from tapegrad.io.messages import Field, Message

PUBLIC = {
    "train compat.v1.train": (
        "BytesList Example Feature FeatureList FeatureLists Features FloatList Int64List SequenceExample"
    ),
}


class BytesList(Message):
    """A list of strings.

    >>> tf.train.BytesList(value=[b"ab"]).SerializeToString()
    b'\\n\\x02ab'
    """

    __slots__ = ()
    FULL_NAME = "tensorflow.BytesList"
    FIELDS: ClassVar = {"value": Field(1, "bytes", "list")}


class FloatList(Message):
    """A list of float32 numbers."""

    __slots__ = ()
    FULL_NAME = "tensorflow.FloatList"
    FIELDS: ClassVar = {"value": Field(1, "float", "list")}


class Int64List(Message):
    """A list of integers."""

    __slots__ = ()
    FULL_NAME = "tensorflow.Int64List"
    FIELDS: ClassVar = {"value": Field(1, "int64", "list")}


class Feature(Message):
    """One of the three lists."""

    __slots__ = ()
    FULL_NAME = "tensorflow.Feature"
    FIELDS: ClassVar = {
        "bytes_list": Field(1, BytesList, oneof="kind"),
        "float_list": Field(2, FloatList, oneof="kind"),
        "int64_list": Field(3, Int64List, oneof="kind"),
    }


class Features(Message):
    """Features by their names."""

    __slots__ = ()
    FULL_NAME = "tensorflow.Features"
    FIELDS: ClassVar = {"feature": Field(1, Feature, "map")}


class Example(Message):
    """One record: features by their names.

    >>> number = tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"number": number}))
    >>> tf.train.Example.FromString(example.SerializeToString()).features.feature["number"].int64_list.value
    [7]
    """

    __slots__ = ()
    FULL_NAME = "tensorflow.Example"
    FIELDS: ClassVar = {"features": Field(1, Features)}


class FeatureList(Message):
    """A feature for each step of a sequence."""

    __slots__ = ()
    FULL_NAME = "tensorflow.FeatureList"
    FIELDS: ClassVar = {"feature": Field(1, Feature, "list")}


class FeatureLists(Message):
    """Lists of features by their names."""

    __slots__ = ()
    FULL_NAME = "tensorflow.FeatureLists"
    FIELDS: ClassVar = {"feature_list": Field(1, FeatureList, "map")}


class SequenceExample(Message):
    """One record of a sequence: features of the whole, and lists with a feature for each step."""

    __slots__ = ()
    FULL_NAME = "tensorflow.SequenceExample"
    FIELDS: ClassVar = {"context": Field(1, Features), "feature_lists": Field(2, FeatureLists)}
