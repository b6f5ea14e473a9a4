"""Data sets and queues: elements in order, batches that train a model, and gradients that stop at state."""

import numpy as np

import tapegrad as tf

generator = np.random.default_rng(0)
inputs = generator.normal(size=(64, 3)).astype(np.float32)
targets = inputs @ np.float32([1.0, -2.0, 0.5]) + np.float32(0.1)

# Linear regression on shuffled batches.
data = tf.data.Dataset.from_tensor_slices((inputs, targets)).shuffle(64, seed=7).batch(16)
print(data.element_spec, int(data.cardinality()))
weights, bias = tf.Variable(tf.zeros([3])), tf.Variable(0.0)
for epoch in range(20):
    for x, y in data:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.square(tf.linalg.matvec(x, weights) + bias - y))
        gradients = tape.gradient(loss, [weights, bias])
        weights.assign_sub(0.1 * gradients[0])
        bias.assign_sub(0.1 * gradients[1])
print(np.round(weights.numpy(), 4), np.round(bias.numpy(), 4))

# What comes out of an iterator is a new tensor: no gradient leads back through it.
v = tf.Variable([1.0, 2.0])
with tf.GradientTape(persistent=True) as tape:
    doubled = v * 2.0
    through = next(iter(tf.data.Dataset.from_tensors(doubled)))
    result = tf.reduce_sum(through * through)
print(tape.gradient(result, v), tape.gradient(result, through))

# Nor through a queue.
queue = tf.queue.FIFOQueue(4, tf.float32, shapes=[[]])
with tf.GradientTape() as tape:
    queue.enqueue(v[0] * 3.0)
    taken = queue.dequeue()
    result = taken * v[1]
print(tf.convert_to_tensor(tape.gradient(result, v)))
queue.enqueue_many([[1.0, 2.0, 3.0]])
print(queue.size().numpy(), queue.dequeue_many(2).numpy())
queue.close()
print(queue.dequeue().numpy())
try:
    queue.dequeue()
except tf.errors.OutOfRangeError as error:
    print(type(error).__name__)

# Words of different lengths, by way of a pipeline of several steps.
words = tf.data.Dataset.from_tensor_slices(["one", "two", "three", "four", "five", "six"])
lengths = words.map(tf.strings.length).enumerate().filter(lambda i, n: n > 3)
print([(int(i), int(n)) for i, n in lengths])
for batch in tf.data.Dataset.range(1, 6).map(tf.range).padded_batch(3):
    print(batch.numpy().tolist())
total = tf.data.Dataset.range(10).window(3, drop_remainder=True).flat_map(lambda w: w.batch(3))
print([row.numpy().tolist() for row in total])
