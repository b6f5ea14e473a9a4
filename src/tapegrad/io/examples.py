"""The messages of records: `tf.train.Example`, `SequenceExample` and their parts."""

from __future__ import annotations

from tapegrad.io.messages import Message

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

    SCHEMA = "repeated bytes value = 1;"


class FloatList(Message):
    """A list of float32 numbers."""

    SCHEMA = "repeated float value = 1;"


class Int64List(Message):
    """A list of integers."""

    SCHEMA = "repeated int64 value = 1;"


class Feature(Message):
    """One of the three lists."""

    SCHEMA = """
        oneof kind { BytesList bytes_list = 1; FloatList float_list = 2; Int64List int64_list = 3; }
    """


class Features(Message):
    """Features by their names."""

    SCHEMA = "map<string, Feature> feature = 1;"


class Example(Message):
    """One record: features by their names.

    >>> number = tf.train.Feature(int64_list=tf.train.Int64List(value=[7]))
    >>> example = tf.train.Example(features=tf.train.Features(feature={"number": number}))
    >>> tf.train.Example.FromString(example.SerializeToString()).features.feature["number"].int64_list.value
    [7]
    """

    SCHEMA = "Features features = 1;"


class FeatureList(Message):
    """A feature for each step of a sequence."""

    SCHEMA = "repeated Feature feature = 1;"


class FeatureLists(Message):
    """Lists of features by their names."""

    SCHEMA = "map<string, FeatureList> feature_list = 1;"


class SequenceExample(Message):
    """One record of a sequence: features of the whole, and lists with a feature for each step."""

    SCHEMA = "Features context = 1; FeatureLists feature_lists = 2;"
