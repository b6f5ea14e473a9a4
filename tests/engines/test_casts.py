"""What becomes of a float in an integer dtype that cannot hold it: one rule, wherever a cast happens.

``golden/casts.json.gz`` holds what TensorFlow's vectors give. For a tensor's last elements it has another
rule; here all elements follow the first, whatever the size, layout, thread or processor.
"""

import gzip
import json
import math
import pathlib

import ml_dtypes
import numpy as np
import pytest

import tapegrad as tf
from tapegrad import dtypes
from tapegrad.engines.numpy.levels import levels, set_level
from tapegrad.engines.numpy.threads import set_thread_count, thread_count
from tapegrad.framework.casting import cast_array

RECORDS = json.loads(
    gzip.decompress((pathlib.Path(__file__).parents[1] / "golden" / "casts.json.gz").read_bytes())
)
NUMBERS = np.array([float(number) for number in RECORDS["numbers"]])
PAIRS = {tuple(pair.split()): answers for pair, answers in RECORDS["casts"].items()}
TARGETS = "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split()
# TensorFlow casts no floats to these, so nothing is recorded: here they follow the rule too.
SMALL_TARGETS = "int4 uint4 int2 uint2".split()
FLOATS = "float16 bfloat16 float32 float64".split()

# Where TensorFlow has no vectors, so that integers wrap round; and where its vectors take what is above
# int16 for negative, so that uint8 is 0.
WRAPS = {
    (source, target)
    for source in ("float8_e5m2", "float8_e4m3fn", "complex64")
    for target in TARGETS[:4]
} | {("complex128", "uint32")}
ABOVE_INT16_IS_0 = {(source, "uint8") for source in ("float16", "float64", "complex128")}


def numbers_of(source):
    with np.errstate(all="ignore"):
        return NUMBERS.astype(dtypes.as_dtype(source).as_numpy_dtype)


def rule(number, target):
    """One number's answer, in Python's integers."""
    limits = ml_dtypes.iinfo(target)
    bits = 32 if limits.bits <= 32 else 64
    lowest = -(1 << bits - 1)
    if not math.isfinite(number) or not lowest <= math.trunc(number) < -lowest:
        if limits.bits == bits and limits.min == 0 and -lowest <= number < -2 * lowest:
            return math.trunc(number)
        whole = lowest
    else:
        whole = math.trunc(number)
    if limits.bits == bits:
        return whole if limits.min else whole % (1 << bits)
    return min(max(whole, limits.min), limits.max)


def expected(source, target):
    real = np.real(numbers_of(source)).astype(np.float64)
    wide = np.uint64 if target == "uint64" else np.int64
    answers = np.array([rule(number, target) for number in real.tolist()], wide)
    return answers.astype(dtypes.as_dtype(target).as_numpy_dtype)


@pytest.mark.parametrize(("source", "target"), PAIRS)
def test_equals_tensorflow(source, target):
    answers = expected(source, target)
    differs = answers != np.array(PAIRS[source, target], target)
    if (source, target) in ABOVE_INT16_IS_0:
        number = np.real(numbers_of(source)).astype(np.float64)
        assert (differs == ((number >= 2**15) & (number < 2**31))).all()
    else:
        assert differs.any() == ((source, target) in WRAPS)
    found = tf.cast(tf.constant(numbers_of(source)), target).numpy()
    np.testing.assert_array_equal(found, answers, strict=True)


@pytest.mark.parametrize("source", FLOATS)
@pytest.mark.parametrize("target", TARGETS + SMALL_TARGETS)
def test_size_layout_threads_and_level_change_nothing(source, target):
    answers, numbers = expected(source, target), numbers_of(source)
    many, all_answers = np.tile(numbers, 300), np.tile(answers, 300)
    bytes_ahead = np.frombuffer(b"\0" + many.tobytes(), np.uint8)[1:]
    threads = thread_count()
    try:
        for level in range(levels()[1] + 1):
            set_level(level)
            for count in (1, 2):
                set_thread_count(count)
                np.testing.assert_array_equal(tf.cast(many, target), all_answers)
            for size in (1, 2, 3, 7, 15, 16, 17, 31, 33, 65):
                np.testing.assert_array_equal(tf.cast(numbers[:size], target), answers[:size])
                np.testing.assert_array_equal(tf.cast(numbers[-size:], target), answers[-size:])
            turned = many.reshape(20, -1).T
            for given, wanted in (
                (tf.constant(many)[1:], all_answers[1:]),
                (tf.constant(many)[::-3], all_answers[::-3]),
                (tf.transpose(turned), all_answers.reshape(20, -1)),
                (tf.broadcast_to(numbers, [3, len(numbers)]), np.tile(answers, (3, 1))),
            ):
                np.testing.assert_array_equal(tf.cast(given, target), wanted)
            dtype = dtypes.as_dtype(target)
            for array, wanted in (
                (turned, all_answers.reshape(20, -1).T),
                (bytes_ahead.view(many.dtype), all_answers),
                (many[::2], all_answers[::2]),
                (many.reshape(-1, 1)[:, 0], all_answers),
            ):
                np.testing.assert_array_equal(cast_array(array, dtype), wanted, strict=True)
            if source != "bfloat16":
                swapped = many.astype(many.dtype.newbyteorder(">"))
                np.testing.assert_array_equal(cast_array(swapped, dtype), all_answers, strict=True)
    finally:
        set_thread_count(threads)
        set_level(levels()[1])


def through_data(x, dtype):
    (result,) = tf.data.Dataset.from_tensors(x).map(lambda each: tf.cast(each, dtype))
    return result


def in_cond(x, dtype):
    function = tf.function(
        lambda x, flag: tf.cond(flag, lambda: tf.cast(x, dtype), lambda: tf.zeros_like(x, dtype))
    )
    return function(x, tf.constant(True))


def in_block(x, dtype):
    """Between elementwise ops that a recording joins."""

    def several(x):
        y = tf.cast(tf.abs(x) * tf.sign(x + 0.0 * x), dtype)
        return tf.where(tf.math.is_finite(x), y, tf.cast(x, dtype))

    function = tf.function(several)
    function(tf.zeros_like(x))
    return function(x)


def after_a_first_call(function, x):
    function(tf.zeros_like(x))
    return function(x)


def on_a_tape(x, dtype):
    with tf.GradientTape() as tape:
        tape.watch(x)
        return tf.cast(x, dtype)


ROUTES = {
    "cast": tf.cast,
    "dtypes.cast": tf.dtypes.cast,
    "raw": lambda x, dtype: tf.raw_ops.Cast(x=x, DstT=dtype),
    "raw, truncating": lambda x, dtype: tf.raw_ops.Cast(x=x, DstT=dtype, Truncate=True),
    "compat.v1": lambda x, dtype: tf.compat.v1.cast(x, dtype),
    "a variable": lambda x, dtype: tf.cast(tf.Variable(x), dtype),
    "an array": lambda x, dtype: tf.constant(x.numpy(), dtype),
    "an array that becomes a variable": lambda x, dtype: tf.Variable(x.numpy(), dtype=dtype),
    "a scalar": lambda x, dtype: tf.stack([tf.cast(each, dtype) for each in x]),
    "a NumPy scalar": lambda x, dtype: tf.stack([tf.constant(n, dtype) for n in x.numpy()]),
    "experimental.numpy": lambda x, dtype: tf.experimental.numpy.array(x, dtype),
    "a function": lambda x, dtype: after_a_first_call(tf.function(lambda x: tf.cast(x, dtype)), x),
    "a block": in_block,
    "cond": in_cond,
    "vectorized_map": lambda x, dtype: tf.vectorized_map(lambda row: tf.cast(row, dtype), x),
    "map_fn": lambda x, dtype: tf.map_fn(lambda e: tf.cast(e, dtype), x, fn_output_signature=dtype),
    "a data set": through_data,
    "a tape": on_a_tape,
    "IndexedSlices": lambda x, dtype: tf.cast(tf.IndexedSlices(x, range(len(x))), dtype).values,
    "a sparse tensor": lambda x, dtype: (
        tf.cast(
            tf.SparseTensor(tf.range(len(x), dtype=tf.int64)[:, None], x, [len(x)]), dtype
        ).values
    ),
    "a ragged tensor": lambda x, dtype: (
        tf.cast(tf.RaggedTensor.from_row_lengths(x, [2, len(x) - 2]), dtype).flat_values
    ),
    "complex": lambda x, dtype: tf.cast(tf.complex(x, tf.zeros_like(x)), dtype),
}


@pytest.mark.parametrize("target", TARGETS + SMALL_TARGETS)
@pytest.mark.parametrize("route", ROUTES)
def test_every_way_to_cast(route, target):
    found = ROUTES[route](tf.constant(numbers_of("float32")), target).numpy()
    np.testing.assert_array_equal(found, expected("float32", target), strict=True)


def test_pixels_beyond_white_and_black():
    for size in (1, 8):
        for value, number in ((1.02, 255), (-0.02, 0), (2.0**20, 255)):
            picture = tf.fill([size, size, 3], value)
            for found in (
                tf.cast(picture * 255, tf.uint8),
                tf.image.convert_image_dtype(picture, tf.uint8),
                tf.image.convert_image_dtype(picture, tf.uint8, saturate=True),
                tf.saturate_cast(picture * 255, tf.uint8),
                tf.cast(tf.image.resize(picture, [3, 3]) * 255, tf.uint8),
            ):
                assert np.unique(found).tolist() == [number]
    light = tf.fill([4, 4, 3], tf.constant(200, tf.uint8))
    for found, number in (
        (tf.image.adjust_brightness(light, 0.5), 255),
        (tf.image.adjust_brightness(light, -0.9), 0),
        (tf.image.adjust_gamma(light, 0.1, 2.0), 255),
    ):
        assert np.unique(found).tolist() == [number]


def test_integers_keep_the_bits_that_fit():
    wide = tf.constant([300, -1, 2**40 + 7] * 32, tf.int64)
    assert tf.cast(wide, tf.uint8).numpy().tolist() == [44, 255, 7] * 32
    assert tf.constant(np.array([300, -1]), tf.uint8).numpy().tolist() == [44, 255]


def test_quantized_types_hold_their_nearest_number():
    found = tf.cast(tf.constant([300.0, -300.0, 1.9]), tf.qint8)
    assert tf.bitcast(found, tf.int8).numpy().tolist() == [127, -128, 1]
