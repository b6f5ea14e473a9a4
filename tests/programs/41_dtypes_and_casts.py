"""Dtypes: attributes, casts and their limits, conversions, what mixes and what does not."""

import numpy as np

import tapegrad as tf

for dtype in (tf.float16, tf.bfloat16, tf.float64, tf.int8, tf.uint8, tf.int64, tf.bool, tf.string):
    kinds = dtype.is_floating, dtype.is_integer, dtype.is_bool, dtype.is_complex, dtype.is_unsigned
    print(dtype.name, kinds, dtype.size, dtype.as_datatype_enum, dtype.as_numpy_dtype.__name__)
print(tf.as_dtype("float32") == tf.float32, tf.float32 == np.float32, tf.as_dtype(np.int16))
print(tf.as_dtype(float), tf.as_dtype(bool), tf.complex64.real_dtype)
print(tf.int8.min, tf.int8.max, tf.uint16.max, tf.float16.max, tf.bfloat16.max, tf.int64.min)
print(tf.float32.limits, tf.uint8.limits, hash(tf.float32) == hash(tf.as_dtype("float32")))
print(tf.dtypes.as_dtype("half"), tf.double, {tf.int32: "key"}[tf.as_dtype("int32")])

for value in (1, 1.0, True, 1j, "s", b"b", [1, 2], [1, 2.5], [True], [[1.0], [2.0]], (1, 2), []):
    tensor = tf.constant(value)
    print(repr(value), tensor.dtype.name, tensor.shape)
for array in (np.arange(2), np.ones(2), np.float32([1]), np.array(["x"]), np.array(3, np.int8)):
    print(array.dtype.name.rstrip("0123456789"), tf.constant(array).dtype.name)
print(tf.constant(np.float64(2.5)).dtype, tf.constant(2**31).dtype, tf.range(3, dtype=tf.int64))

x = tf.constant([-1.9, -0.5, 0.5, 1.5, 2.5, 300.7])
for target in (tf.int32, tf.int64, tf.float16, tf.float64, tf.bfloat16, tf.bool, tf.complex64):
    print(tf.cast(x, target))
print(tf.cast([0, 1, 2], tf.bool), tf.cast([True, False], tf.float32), tf.cast(2.9, "int8"))
print(tf.saturate_cast(x * 100, tf.int8), tf.saturate_cast([-5, 300], tf.uint8))
print(tf.bitcast(tf.constant(1.0), tf.int32), tf.bitcast(tf.constant([1, 2], tf.int16), tf.uint16))
print(tf.round(x), tf.floor(x), tf.math.ceil(x), tf.math.rint(x), tf.sign(x))

ints = tf.constant([7, -7])
print(ints / 2, ints // 2, ints % 3, ints**2, -ints, abs(ints), tf.truncatediv(ints, 2))
print(ints > 0, ints & 3, ints | 8, ints ^ 1, ~ints, tf.bitwise.left_shift(ints, [1, 2]))
print((ints / 2).dtype, (tf.constant(1, tf.int8) / 2).dtype, (tf.constant([1.5]) // 1).dtype)
u = tf.constant([250, 5], tf.uint8)
print(u + 10, u * 2, u - 6, tf.reduce_sum(u), tf.reduce_mean(u), tf.reduce_mean([1, 2, 2]))
print(tf.constant(1.0) + 1, 2 * tf.constant(1.5), tf.constant(1.5) + np.float32(1), 1 - x[:1])
mixes = {
    "int + float tensors": lambda: tf.constant(1) + tf.constant(1.0),
    "int tensor + float": lambda: tf.constant(1) + 1.5,
    "float32 + float64": lambda: tf.constant(1.0) + tf.constant(1.0, tf.float64),
    "float tensor + int array": lambda: tf.constant([1.0]) + np.array([1]),
    "unknown dtype": lambda: tf.constant(1, dtype="float33"),
    "float to int": lambda: tf.constant(1.5, dtype=tf.int32),
    "string to float": lambda: tf.constant("a", dtype=tf.float32),
    "overflow": lambda: tf.constant(300, dtype=tf.uint8),
    "none": lambda: tf.constant(None),
    "ragged": lambda: tf.constant([[1, 2], [3]]),
    "mixed list": lambda: tf.constant([1, "a"]),
    "matmul": lambda: tf.matmul(tf.ones([2, 2]), tf.ones([2, 2], tf.int32)),
    "logical": lambda: tf.logical_and(tf.constant([1, 2]), True),
    "complex to bool compare": lambda: tf.constant(1j) < tf.constant(2j),
    "sqrt of int": lambda: tf.sqrt(tf.constant(4)),
}
for name, function in mixes.items():
    try:
        print(name, function())
    except Exception as error:
        print(name, type(error).__name__)
half = tf.Variable([1.0, 2.0], dtype=tf.float16)
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(tf.cast(half, tf.float32) ** 3)
print(loss, tape.gradient(loss, half))
with tf.GradientTape() as tape:
    tape.watch(x)
    y = tf.cast(tf.cast(x, tf.float64) * 2, tf.float16) + tf.cast(tf.cast(x, tf.int32), tf.float16)
print(tape.gradient(y, x))
