"""`tf.train.Example` and its kin as messages, and the parsing of them. The answers are TensorFlow's."""

from __future__ import annotations

import copy
import json
import pickle
from typing import Any

import numpy as np
import pytest

import golden
import tapegrad as tf
from golden.messages import all_described

train, io = tf.train, tf.io


def ints(*values: int) -> Any:
    return train.Feature(int64_list=train.Int64List(value=values))


def floats(*values: float) -> Any:
    return train.Feature(float_list=train.FloatList(value=values))


def strings(*values: bytes) -> Any:
    return train.Feature(bytes_list=train.BytesList(value=values))


def example(**features: Any) -> bytes:
    made: bytes = train.Example(features=train.Features(feature=features)).SerializeToString()
    return made


# What TensorFlow writes for these features, with SerializeToString(deterministic=True).
WRITTEN = (
    "0a430a110a0161120c120a0a080000c03f000000400a150a016212101a0e0a0c01feffffffffffffffff0103"
    "0a100a0163120b0a090a01780a04ff790a220a050a01651200"
)
PRINTED = """features {
  feature {
    key: "a"
    value {
      float_list {
        value: 1.5
        value: 2
      }
    }
  }
  feature {
    key: "b"
    value {
      int64_list {
        value: 1
        value: -2
        value: 3
      }
    }
  }
  feature {
    key: "c"
    value {
      bytes_list {
        value: "x"
        value: "\\377y\\n\\""
      }
    }
  }
  feature {
    key: "e"
    value {
    }
  }
}
"""


def some() -> Any:
    features = {"b": ints(1, -2, 3), "a": floats(1.5, 2), "c": strings(b"x", b'\xffy\n"')}
    return train.Example(features=train.Features(feature={**features, "e": train.Feature()}))


def test_encoding_and_printing() -> None:
    made = some()
    assert made.SerializeToString().hex() == WRITTEN
    assert str(made) == repr(made) == PRINTED
    assert made.ByteSize() == len(WRITTEN) // 2
    assert train.Example.FromString(bytes.fromhex(WRITTEN)) == made
    assert copy.deepcopy(made) == pickle.loads(pickle.dumps(made)) == made
    numbers = train.FloatList(
        value=[0.1, 1e20, float("nan"), float("inf"), -0.0, 123456.789, 3.4028235e38]
    )
    shown = [line.removeprefix("value: ") for line in str(numbers).splitlines()]
    assert shown == ["0.1", "1e+20", "nan", "inf", "-0", "123456.789", "3.40282347e+38"]
    assert (
        str(train.BytesList(value=[b"a\0\x7f\xc3'\\\t"]))
        == 'value: "a\\000\\177\\303\\\'\\\\\\t"\n'
    )


def test_reading_fields() -> None:
    feature = some().features.feature
    assert feature["b"].int64_list.value == [1, -2, 3]
    assert [*feature["a"].float_list.value] == [1.5, 2.0]
    assert feature["b"].int64_list.value[-1] == 3
    assert feature["c"].bytes_list.value[:1] == [b"x"]
    assert [feature[key].WhichOneof("kind") for key in "bae"] == ["int64_list", "float_list", None]
    assert feature["b"].HasField("int64_list")
    assert not feature["b"].HasField("float_list")
    assert sorted(feature) == sorted(feature.keys()) == ["a", "b", "c", "e"]
    assert feature.get("zz") is None
    assert "zz" not in feature
    assert feature["zz"] == train.Feature()  # reading a key makes it
    assert "zz" in feature
    assert train.Example.DESCRIPTOR.full_name == "tensorflow.Example"


def test_messages_describe_their_fields_as_tensorflows_do() -> None:
    """protobuf's text_format and json_format need no more to read and write a message."""
    recorded = json.loads((golden.FOLDER / "messages.json").read_text())
    assert all_described(train) == recorded


def test_entries_of_maps_are_messages_as_well() -> None:
    entries = train.Features().feature
    entry = entries.GetEntryClass()(key="a", value=train.Feature())
    assert entry.key == "a"
    assert entry.DESCRIPTOR is train.Features.DESCRIPTOR.fields_by_name["feature"].message_type
    assert train.Features().DESCRIPTOR is train.Features.DESCRIPTOR


def test_changing_fields() -> None:
    made = train.Example()
    assert not made.HasField("features")
    values = made.features.feature["x"].int64_list.value
    values.append(5)
    values.extend([6, 7])
    values[0] = 9
    assert made.features.feature["x"].int64_list.value == [9, 6, 7]
    assert made.HasField("features")
    made.features.feature["x"].float_list.value.append(1.0)
    assert made.features.feature["x"].WhichOneof("kind") == "float_list"
    made.features.feature["y"].CopyFrom(ints(1))
    other = train.Example()
    other.MergeFrom(made)
    assert other == made
    made.ClearField("features")
    assert made == train.Example()
    other.Clear()
    assert other.SerializeToString() == b""
    steps = train.FeatureList()
    steps.feature.add().int64_list.value.append(3)
    steps.feature.add(float_list=train.FloatList(value=[1]))
    assert steps.SerializeToString().hex() == "0a051a030a01030a08120" + "60a040000803f"


@pytest.mark.parametrize(
    ("make", "error"),
    [
        (lambda: train.Int64List(value=["a"]), TypeError),
        (lambda: train.Int64List(value=[1.0]), TypeError),
        (lambda: train.Int64List(value=[True]), TypeError),
        (lambda: train.Int64List(value=[2**63]), ValueError),
        (lambda: train.Int64List(value=3), TypeError),
        (lambda: train.Int64List(values=[1]), ValueError),
        (lambda: train.Int64List([1]), TypeError),
        (lambda: train.BytesList(value=["text"]), TypeError),
        (lambda: train.BytesList(value=b"abc"), TypeError),
        (lambda: train.FloatList(value=["1"]), TypeError),
        (lambda: train.Feature(int64_list=[1]), TypeError),
        (lambda: train.Features(feature={"a": [1]}), TypeError),
        (lambda: setattr(train.Example(), "features", train.Features()), AttributeError),
        (lambda: setattr(train.Example(), "foo", 1), AttributeError),
        (lambda: train.Example().foo, AttributeError),
        (lambda: train.Feature().HasField("zz"), ValueError),
        (lambda: hash(train.Example()), TypeError),
        (lambda: train.Example().ParseFromString("text"), TypeError),
    ],
)
def test_what_messages_refuse(make: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        make()


def test_lists_take_what_numpy_and_tensors_give() -> None:
    assert train.Int64List(value=np.array([1, 2], np.int32)).value == [1, 2]
    assert train.FloatList(value=np.array([1, 2.5])).value == [1.0, 2.5]
    assert train.Int64List(value=tf.constant([1, 2], tf.int64)).value == [1, 2]
    assert train.BytesList(value=[tf.constant(b"x").numpy()]).value == [b"x"]
    assert train.Feature(int64_list={"value": [1]}) == ints(1)


def test_damaged_messages() -> None:
    from tapegrad.io.wire import DecodeError

    whole = bytes.fromhex(WRITTEN)
    for size in (1, 3, 10, len(whole) - 1):
        with pytest.raises(DecodeError):
            train.Example.FromString(whole[:size])
    with pytest.raises(DecodeError):
        train.Example.FromString(b"\xff" * 12)
    # Fields that the message does not know stay.
    extra = whole + b"\x18\x05"
    assert train.Example.FromString(extra).SerializeToString() == extra


# --- Parsing --------------------------------------------------------------------------------------------

A = example(x=ints(1, 2), y=floats(0.5), s=strings(b"hi"))
B = example(x=ints(3, 4), y=floats(1.5), s=strings(b"a"))
C = example(x=ints(3), s=strings(b"u", b"v"))
FIXED, VARIES, SEQUENCE = io.FixedLenFeature, io.VarLenFeature, io.FixedLenSequenceFeature


def parsed(records: Any, features: Any) -> dict[str, Any]:
    return {
        key: value.numpy().tolist() for key, value in io.parse_example(records, features).items()
    }


def test_features_of_fixed_length() -> None:
    wanted = {"x": FIXED([2], tf.int64), "y": FIXED([], tf.float32), "s": FIXED([], tf.string)}
    assert parsed([A, B], wanted) == {"s": [b"hi", b"a"], "x": [[1, 2], [3, 4]], "y": [0.5, 1.5]}
    one = io.parse_single_example(A, wanted)
    assert [*one] == ["s", "x", "y"]
    assert one["x"].shape == [2]
    assert one["y"].numpy() == 0.5
    assert parsed([A, C], {"y": FIXED([], tf.float32, -1)}) == {"y": [0.5, -1.0]}
    assert parsed([A], {"x": FIXED([2, 1], tf.int64)}) == {"x": [[[1], [2]]]}
    empty = io.parse_example(tf.constant([], tf.string), wanted)
    assert empty["x"].shape == [0, 2]


def test_features_of_any_length() -> None:
    found = io.parse_example([A, C], {"x": VARIES(tf.int64), "q": VARIES(tf.string)})
    assert found["x"].indices.numpy().tolist() == [[0, 0], [0, 1], [1, 0]]
    assert found["x"].values.numpy().tolist() == [1, 2, 3]
    assert found["x"].dense_shape.numpy().tolist() == [2, 2]
    assert found["q"].dense_shape.numpy().tolist() == [2, 0]
    one = io.parse_single_example(A, {"x": VARIES(tf.int64)})["x"]
    assert one.indices.numpy().tolist() == [[0], [1]]
    padded = {"x": SEQUENCE([], tf.int64, allow_missing=True, default_value=-1)}
    assert parsed([A, C], padded) == {"x": [[1, 2], [3, -1]]}
    assert parsed([A, B], {"x": SEQUENCE([2], tf.int64, True)}) == {"x": [[[1, 2]], [[3, 4]]]}


def test_sparse_and_ragged_features() -> None:
    record = example(i=ints(3, 0), v=floats(1, 2))
    sparse = io.parse_example([record, record], {"p": io.SparseFeature("i", "v", tf.float32, 5)})[
        "p"
    ]
    assert sparse.indices.numpy().tolist() == [[0, 0], [0, 3], [1, 0], [1, 3]]
    assert sparse.values.numpy().tolist() == [2, 1, 2, 1]
    ragged = io.parse_example([A, C, example()], {"x": io.RaggedFeature(tf.int64)})["x"]
    assert ragged.to_list() == [[1, 2], [3], []]
    assert ragged.row_splits.dtype is tf.int32
    kind = io.RaggedFeature
    rows = example(
        v=floats(1, 2, 3, 4, 5),
        l=ints(2, 0, 3),
        sp=ints(0, 2, 2, 5),
        id=ints(0, 0, 2, 2, 2),
        st=ints(0, 2, 2),
    )
    for partition in (
        kind.RowLengths("l"),
        kind.RowSplits("sp"),
        kind.ValueRowIds("id"),
        kind.RowStarts("st"),
    ):
        wanted = {"r": kind(tf.float32, value_key="v", partitions=[partition])}
        assert io.parse_single_example(rows, wanted)["r"].to_list() == [[1, 2], [], [3, 4, 5]]
        assert len(io.parse_example([rows, rows], wanted)["r"].to_list()) == 2


@pytest.mark.parametrize(
    ("wanted", "error", "message"),
    [
        (
            {"y": FIXED([], tf.float32)},
            tf.errors.InvalidArgumentError,
            "required but could not be found",
        ),
        ({"x": FIXED([2], tf.int64)}, tf.errors.InvalidArgumentError, "values != expected"),
        ({"x": FIXED([2], tf.float32)}, tf.errors.InvalidArgumentError, "Data types don't match"),
        ({"x": FIXED([2], tf.int32)}, tf.errors.InvalidArgumentError, "int32"),
        ({"q": FIXED([2], tf.int64, [7])}, tf.errors.InvalidArgumentError, "1"),
        ({"x": SEQUENCE([], tf.int64)}, ValueError, "allow_missing"),
        (
            {"x": SEQUENCE([2], tf.int64, True)},
            tf.errors.InvalidArgumentError,
            "multiple of stride",
        ),
        ({"x": FIXED([None], tf.int64)}, ValueError, "First dimension"),
        ({"x": VARIES(None)}, ValueError, "Missing type"),
        ({"x": tf.int64}, ValueError, "Unsupported"),
        ({}, ValueError, "features"),
    ],
)
def test_what_parsing_refuses(wanted: Any, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        io.parse_example([A, C], wanted)


def test_damaged_records() -> None:
    for size in (1, 3, len(A) - 1):
        with pytest.raises(tf.errors.InvalidArgumentError):
            io.parse_example([A[:size]], {"x": VARIES(tf.int64)})
    with pytest.raises(ValueError, match="scalar"):
        io.parse_single_example([A], {"x": VARIES(tf.int64)})


def sequence(n: int, **lists: Any) -> bytes:
    made: bytes = train.SequenceExample(
        context=train.Features(feature={"n": ints(n)}),
        feature_lists=train.FeatureLists(
            feature_list={key: train.FeatureList(feature=each) for key, each in lists.items()}
        ),
    ).SerializeToString()
    return made


def test_sequences() -> None:
    first = sequence(2, w=[ints(1, 2), ints(3, 4)], t=[strings(b"a"), strings(b"b", b"c")])
    second = sequence(1, w=[ints(5, 6)], t=[])
    whole, steps = (
        {"n": FIXED([], tf.int64)},
        {"w": SEQUENCE([2], tf.int64), "t": VARIES(tf.string)},
    )
    context, found = io.parse_single_sequence_example(first, whole, steps)
    assert context["n"].numpy() == 2
    assert found["w"].numpy().tolist() == [[1, 2], [3, 4]]
    assert found["t"].indices.numpy().tolist() == [[0, 0], [1, 0], [1, 1]]
    context, found, lengths = io.parse_sequence_example([first, second], whole, steps)
    assert context["n"].numpy().tolist() == [2, 1]
    assert found["w"].numpy().tolist() == [[[1, 2], [3, 4]], [[5, 6], [0, 0]]]
    assert found["t"].dense_shape.numpy().tolist() == [2, 2, 2]
    assert lengths["w"].numpy().tolist() == [2, 1]
    ragged = io.parse_sequence_example([first, second], None, {"w": io.RaggedFeature(tf.int64)})[1][
        "w"
    ]
    assert ragged.to_list() == [[[1, 2], [3, 4]], [[5, 6]]]
    with pytest.raises(tf.errors.InvalidArgumentError, match="required"):
        io.parse_single_sequence_example(first, {}, {"zz": SEQUENCE([2], tf.int64)})
    with pytest.raises(tf.errors.InvalidArgumentError, match="!= expected"):
        io.parse_single_sequence_example(first, {}, {"w": SEQUENCE([3], tf.int64)})
    with pytest.raises(ValueError, match="Both context_features"):
        io.parse_single_sequence_example(first)
