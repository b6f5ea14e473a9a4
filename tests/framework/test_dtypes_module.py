"""DType objects and as_dtype; expectations are TensorFlow's answers."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest

from tapegrad import dtypes

# name: (number, size, floating, complex, integer, unsigned, numeric)
FACTS = {
    "float32": (1, 4, True, False, False, False, True),
    "float64": (2, 8, True, False, False, False, True),
    "int32": (3, 4, False, False, True, False, True),
    "uint8": (4, 1, False, False, True, True, True),
    "int16": (5, 2, False, False, True, False, True),
    "int8": (6, 1, False, False, True, False, True),
    "string": (7, 0, False, False, False, False, False),
    "complex64": (8, 8, False, True, False, False, True),
    "int64": (9, 8, False, False, True, False, True),
    "bool": (10, 1, False, False, False, False, False),
    "qint8": (11, 1, False, False, False, False, True),
    "quint8": (12, 1, False, False, False, False, True),
    "qint32": (13, 4, False, False, False, False, True),
    "bfloat16": (14, 2, True, False, False, False, True),
    "qint16": (15, 2, False, False, False, False, True),
    "quint16": (16, 2, False, False, False, False, True),
    "uint16": (17, 2, False, False, True, True, True),
    "complex128": (18, 16, False, True, False, False, True),
    "float16": (19, 2, True, False, False, False, True),
    "resource": (20, 0, False, False, False, False, False),
    "variant": (21, 0, False, False, False, False, False),
    "uint32": (22, 4, False, False, True, True, True),
    "uint64": (23, 8, False, False, True, True, True),
    "float8_e5m2": (24, 1, True, False, False, False, False),
    "float8_e4m3fn": (25, 1, True, False, False, False, False),
    "float8_e4m3fnuz": (26, 1, True, False, False, False, False),
    "float8_e4m3b11fnuz": (27, 1, True, False, False, False, False),
    "float8_e5m2fnuz": (28, 1, True, False, False, False, False),
    "int4": (29, 1, False, False, True, False, False),
    "uint4": (30, 1, False, False, True, True, False),
    "int2": (31, 1, False, False, True, False, False),
    "uint2": (32, 1, False, False, True, True, False),
    "float4_e2m1fn": (33, 1, True, False, False, False, False),
}
# The lowest and highest value of the types that only carry values.
NARROW = {
    "float8_e5m2": (-57344, 57344), "float8_e4m3fn": (-448, 448), "float8_e4m3fnuz": (-240, 240),
    "float8_e4m3b11fnuz": (-30, 30), "float8_e5m2fnuz": (-57344, 57344), "float4_e2m1fn": (-6, 6),
    "int4": (-8, 7), "uint4": (0, 15), "int2": (-2, 1), "uint2": (0, 3),
}  # fmt: skip
NUMPY = (
    "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64 complex64 complex128"
).split()


@pytest.mark.parametrize("name", FACTS)
def test_facts(name):
    dtype = getattr(dtypes, name)
    assert (
        dtype.as_datatype_enum,
        dtype.size,
        dtype.is_floating,
        dtype.is_complex,
        dtype.is_integer,
        dtype.is_unsigned,
        dtype.is_numeric,
    ) == FACTS[name]
    assert dtype.name == name
    assert str(dtype) == f"<dtype: '{name}'>"
    assert repr(dtype) == f"tf.{name}"
    assert f"{dtype}" == str(dtype)
    assert dtype.is_bool == (name == "bool")
    assert dtype.is_quantized == ("q" in name)
    assert dtype.is_numpy_compatible == (name not in ("resource", "variant"))
    assert dtype.base_dtype is dtype
    assert hash(dtype) == int(dtype) == dtype.as_datatype_enum
    assert dtypes.as_dtype(name) is dtype
    assert dtypes.as_dtype(dtype.as_datatype_enum) is dtype
    assert dtypes.DType(dtype.as_datatype_enum) is dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype
    assert copy.copy(dtype) is dtype
    assert copy.deepcopy(dtype) is dtype
    assert dtype == name
    assert len({dtype, getattr(dtypes, name)}) == 1


@pytest.mark.parametrize("name", NUMPY)
def test_numpy_counterpart(name):
    dtype = getattr(dtypes, name)
    scalar_type = getattr(np, name)
    assert dtype.as_numpy_dtype is scalar_type
    assert dtype.numpy_dtype == np.dtype(scalar_type)
    assert dtype.type_num == np.dtype(scalar_type).num
    assert dtypes.BY_NUMPY_NUM[dtype.type_num] is dtype
    assert dtypes.as_dtype(scalar_type) is dtype
    for order in "<>":
        assert dtypes.as_dtype(np.dtype(scalar_type).newbyteorder(order)) is dtype
    assert dtypes.as_dtype(np.zeros(2, scalar_type)) is dtype
    assert dtype == scalar_type
    assert np.dtype(scalar_type) == dtype


def test_as_dtype_of_other_things():
    takes = {
        float: "float32",
        bool: "bool",
        object: "string",
        np.bool_: "bool",
        np.object_: "string",
        np.str_: "string",
        np.bytes_: "string",
        np.longlong: "int64",
        np.ulonglong: "uint64",
        np.dtype("S3"): "string",
        np.dtype("U3"): "string",
        np.dtype("O"): "string",
        np.dtypes.StringDType(): "string",
        "half": "float16",
        "float": "float32",
        "double": "float64",
    }
    for value, name in takes.items():
        assert dtypes.as_dtype(value) is getattr(dtypes, name), value
    assert dtypes.half is dtypes.float16
    assert dtypes.double is dtypes.float64


class Named:
    dtype = "int8"


def test_as_dtype_of_an_object_with_a_dtype():
    assert dtypes.as_dtype(Named()) is dtypes.int8


REFUSED = [
    int,
    str,
    bytes,
    complex,
    type(None),
    None,
    0,
    -1,
    99,
    "int",
    "complex",
    "object",
    "<f4",
    "f",
    "bogus",
    "",
    b"float32",
    np.longdouble,
    np.floating,
    np.generic,
    np.datetime64,
    np.void,
    np.dtype("M8[s]"),
    np.dtype("g"),
    np.dtype([("a", "i4")]),
    np.dtype("(2,)f4"),
    [],
    {},
    (),
    [1],
    Named,
    object(),
    np.dtypes.Float32DType,
]


@pytest.mark.parametrize("value", REFUSED, ids=repr)
def test_refused(value):
    with pytest.raises(TypeError, match="does not name a dtype"):
        dtypes.as_dtype(value)
    assert dtypes.float32 != value


def test_message_of_a_refusal():
    with pytest.raises(TypeError, match=r"'floaty' does not name a dtype\. Expected a") as raised:
        dtypes.as_dtype("floaty")
    assert str(raised.value) == (
        "'floaty' does not name a dtype. Expected a tf.DType, a name such as 'float32' or 'int64', a NumPy "
        "dtype or scalar type, or one of the Python types float and bool."
    )


def test_from_numpy_refuses():
    with pytest.raises(TypeError, match=r"dtype\('<M8\[s\]'\) does not name a dtype\. Expected a"):
        dtypes.from_numpy(np.dtype("M8[s]"))


def test_min_and_max():
    for name in ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"):
        dtype = getattr(dtypes, name)
        limits = np.iinfo(name)
        assert (dtype.min, dtype.max) == (limits.min, limits.max)
        assert type(dtype.min) is type(dtype.max) is int
        assert dtype.limits == (0, limits.max)
    for name in ("float16", "float32", "float64"):
        dtype = getattr(dtypes, name)
        assert (dtype.min, dtype.max) == (np.finfo(name).min, np.finfo(name).max)
        assert type(dtype.max) is dtype.as_numpy_dtype
    assert float(dtypes.bfloat16.max) == 3.3895313892515355e38
    for name in ("bool", "string", "complex64", "complex128", "resource", "qint8"):
        for attribute in ("min", "max"):
            with pytest.raises(TypeError, match="imum value"):
                getattr(getattr(dtypes, name), attribute)
    assert dtypes.float32.limits == dtypes.float64.limits == (0, 1)
    assert dtypes.bool.limits == (0, True)
    for name in ("float16", "bfloat16", "complex64", "string"):
        with pytest.raises(ValueError, match="no limits"):
            getattr(dtypes, name).limits  # noqa: B018


def test_real_dtype():
    assert dtypes.complex64.real_dtype is dtypes.float32
    assert dtypes.complex128.real_dtype is dtypes.float64
    for name in set(FACTS) - {"complex64", "complex128"}:
        assert getattr(dtypes, name).real_dtype.name == name


def test_compatible():
    assert dtypes.float32.is_compatible_with("float32")
    assert not dtypes.float32.is_compatible_with(dtypes.float64)
    with pytest.raises(TypeError, match=r"'bogus' does not name a dtype\. Expected a tf\.DType, a"):
        dtypes.float32.is_compatible_with("bogus")


def test_no_order_no_change_no_format():
    with pytest.raises(TypeError):
        dtypes.float32 < dtypes.float64  # noqa: B015
    with pytest.raises(AttributeError, match=r"'name' of tf\.float32 cannot be set: dtypes do"):
        dtypes.float32.name = "x"
    with pytest.raises(AttributeError, match="foo"):
        dtypes.float32.foo  # noqa: B018
    with pytest.raises(TypeError):
        f"{dtypes.float32:>20}"
    with pytest.raises(TypeError):
        np.dtype(dtypes.float32)
    with pytest.raises(KeyError, match=r"'tf\.resource has no counterpart in NumPy'"):
        dtypes.resource.as_numpy_dtype  # noqa: B018
    with pytest.raises(TypeError, match="999 is not the number of a dtype: TensorFlow's"):
        dtypes.DType(999)


def test_bfloat16_waits_for_ml_dtypes():
    program = """
import sys
import numpy as np
from tapegrad import dtypes
b = dtypes.bfloat16
assert b.size == 2 and b.is_floating and dtypes.as_dtype("bfloat16") is b and b.type_num == -1
assert dtypes.as_dtype(np.float32) is dtypes.float32 and "ml_dtypes" not in sys.modules
import ml_dtypes
assert dtypes.as_dtype(ml_dtypes.bfloat16) is b
assert dtypes.from_numpy(np.zeros(2, ml_dtypes.bfloat16).dtype) is b
assert b.as_numpy_dtype is ml_dtypes.bfloat16 and b.type_num == b.numpy_dtype.num
assert dtypes.BY_NUMPY_NUM[b.type_num] is b
"""
    subprocess.run([sys.executable, "-c", program], check=True, env=with_source_path())


def with_source_path():
    import os
    import pathlib

    source = pathlib.Path(dtypes.__file__).parents[2]
    return {**os.environ, "PYTHONPATH": str(source)}


@pytest.mark.parametrize("name", NARROW)
def test_types_below_sixteen_bits_carry_values(name):
    import tapegrad as tf

    dtype = getattr(tf.experimental, name)
    assert (float(dtype.min), float(dtype.max)) == NARROW[name]
    assert tf.as_dtype(dtype.as_numpy_dtype) is dtype
    one = tf.cast([0.0, 1.0], name)
    assert one.dtype is dtype
    assert tf.cast(one, tf.float32).numpy().tolist() == [0.0, 1.0]
    assert tf.cast(one, tf.int32).numpy().tolist() == [0, 1]
    assert tf.stack([one, one])[1, 1].numpy() == dtype.as_numpy_dtype(1)
    assert tf.Variable(one).dtype is dtype
    for function in (tf.add, tf.multiply, tf.maximum):
        function(tf.cast(one, tf.bfloat16), tf.cast(one, tf.bfloat16))  # as large a number in NumPy
        with pytest.raises(tf.errors.InvalidArgumentError, match=f"does not take {name}"):
            function(one, one)


def test_float8_rounds_as_tensorflow_does():
    import tapegrad as tf

    values = [1.0, 1e9, 0.3, 448.0, 463.0, 465.0, -1e9, np.nan]
    wide = tf.cast(tf.cast(values, "float8_e5m2"), tf.float32)
    nan = np.nan
    np.testing.assert_array_equal(wide, [1, np.inf, 0.3125, 448, 448, 448, -np.inf, nan])
    finite = tf.cast(tf.cast(values, "float8_e4m3fn"), tf.float32)
    np.testing.assert_array_equal(finite, [1, nan, 0.3125, 448, 448, nan, nan, nan])


@pytest.mark.parametrize("name", ["float8_e5m2", "int4"])
def test_no_gradient_flows_through_types_below_sixteen_bits(name):
    import tapegrad as tf

    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.cast(tf.cast(x, name), tf.float32)
    assert tape.gradient(y, x) is None


def test_names_compare_without_an_exception():
    for name in FACTS:
        assert [other for other in FACTS if getattr(dtypes, other) == name] == [name]
        assert getattr(dtypes, name) != "float"[:3]
    assert dtypes.float32 == "float"
    assert dtypes.float16 == "half"
    assert dtypes.float32 != np.str_("float64")
    assert dtypes.float32 == np.str_("float32")
