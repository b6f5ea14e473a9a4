"""Strings, integers and booleans on the tape, and None where nothing can flow."""

import tapegrad as tf

x = tf.constant(10)
with tf.GradientTape(persistent=True) as g:
    g.watch(x)
    y = x * x
print(g.gradient(y, x), g.gradient(x, x), g.gradient(y, x, unconnected_gradients="zero"))

words = tf.constant(["a", "b"])
f = tf.Variable([1.5, 2.5])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(words)
    copied = tf.identity(words)
    picked = tf.gather(words, [1, 0])
    whole = tf.cast(f, tf.int32)
    back = tf.cast(whole, tf.float32) * 2.0
    mixed = f * tf.cast(whole, tf.float32)
    equal = tf.cast(f > 2.0, tf.float32)
    rounded = tf.round(f) + tf.floor(f)
    argument = tf.cast(tf.argmax(f), tf.float32) * f[0]
print(tape.gradient(copied, words), tape.gradient(picked, words), tape.gradient(f, words))
for target in (whole, back, mixed, equal, rounded, argument):
    print(target, tape.gradient(target, f))
print(tape.gradient([words, mixed], [words, f]))
print(tape.gradient(words, f), tape.gradient({"a": mixed, "b": f}, f))

print(words == "a", words != tf.constant(["a", "c"]), words[0].numpy(), words.shape, words.dtype)
print(tf.constant("day") + "light", words + ["1", "2"], tf.concat([words, ["c"]], 0))
print(tf.stack([words, words]), tf.reshape(words, [2, 1]), tf.where([True, False], words, "z"))
print(tf.tile(words, [2]), tf.size(words), tf.rank(words), tf.transpose([["p"], ["q"]]))
print([w.numpy().decode() for w in words], tf.fill([2], "n"), tf.zeros([2], tf.string))
print(tf.unique(["x", "y", "x"]), tf.reverse(words, [0]), tf.boolean_mask(words, [False, True]))
v = tf.Variable(["start", "end"])
v[1].assign("stop")
print(v.numpy(), tf.Variable("s").assign("t"))
for function in (
    lambda: words * 2,
    lambda: words < words,
    lambda: tf.reduce_sum(words),
    lambda: tf.cast(words, tf.float32),
    lambda: words + 1,
    lambda: -words,
    lambda: tf.constant("a") + tf.constant(1),
):
    try:
        print(function())
    except Exception as error:
        print(type(error).__name__)

counter = tf.Variable(5)
with tf.GradientTape() as tape:
    product = tf.cast(counter, tf.float32) * f
print(tape.gradient(product, [counter, f]), [w.dtype.name for w in tape.watched_variables()])
with tf.GradientTape() as tape:
    parts = tf.unique_with_counts([3, 3, 4])
    weighted = tf.reduce_sum(tf.cast(parts.count, tf.float32) * f)
print(weighted, tape.gradient(weighted, f))
flags = tf.constant([True, False])
with tf.GradientTape() as tape:
    tape.watch([f, flags])
    chosen = tf.where(flags, f, -f)
print(tape.gradient(chosen, [f, flags]))
bits = tf.constant([5, 6])
print(bits & 1, tf.bitwise.left_shift(bits, [1, 1]))
print(
    tf.one_hot(bits - 5, 2), tf.math.floormod(-7, 3), tf.math.mod(-7.5, 2.0), -7 // tf.constant(2)
)
print(tf.reduce_prod(bits), tf.reduce_max(bits), tf.cumsum(bits), tf.math.add_n([bits, bits]))
