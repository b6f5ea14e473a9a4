"""LSTM and GRU cells in basic ops, unrolled through time, with a mask for short sequences."""
# tolerance: relative 1e-4 absolute 1e-6 (float32 through ten steps of time and of training)

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(6)
batch, steps, features, units = 3, 6, 4, 5


def glorot(*shape):
    """Uniform start values."""
    limit = np.sqrt(6.0 / sum(shape))
    return tf.Variable(rng.uniform(-limit, limit, shape).astype("float32"))


class LSTMCell(tf.Module):
    """Input, forget, candidate and output gates in one kernel."""

    def __init__(self):
        super().__init__(name="lstm")
        self.kernel = glorot(features, 4 * units)
        self.recurrent = glorot(units, 4 * units)
        bias = np.zeros(4 * units, "float32")
        bias[units : 2 * units] = 1.0
        self.bias = tf.Variable(bias)

    def __call__(self, x, state):
        h, c = state
        z = x @ self.kernel + h @ self.recurrent + self.bias
        i, f, g, o = tf.split(z, 4, axis=-1)
        c = tf.sigmoid(f) * c + tf.sigmoid(i) * tf.tanh(g)
        h = tf.sigmoid(o) * tf.tanh(c)
        return h, (h, c)


class GRUCell(tf.Module):
    """Update and reset gates."""

    def __init__(self):
        super().__init__(name="gru")
        self.gates, self.candidate = glorot(features + units, 2 * units), glorot(9, units)

    def __call__(self, x, state):
        (h,) = state
        r, z = tf.split(tf.nn.sigmoid(tf.concat([x, h], 1) @ self.gates), 2, 1)
        n = tf.tanh(tf.concat([x, r * h], axis=1) @ self.candidate)
        h = (1 - z) * n + z * h
        return h, (h,)


def unroll(cell, inputs, lengths, width):
    """All outputs, and the state of each row at its own length."""
    state = tuple(tf.zeros([batch, units]) for _ in range(width))
    outputs, mask = [], tf.sequence_mask(lengths, steps)
    for t, x in enumerate(tf.unstack(inputs, axis=1)):
        output, new = cell(x, state)
        keep = mask[:, t, tf.newaxis]
        state = tf.nest.map_structure(lambda a, b, keep=keep: tf.where(keep, a, b), new, state)
        outputs.append(tf.where(keep, output, tf.zeros_like(output)))
    return tf.stack(outputs, axis=1), state


inputs = tf.constant(rng.randn(batch, steps, features).astype("float32"))
lengths = tf.constant([6, 3, 1])
target = tf.constant(rng.randn(batch, units).astype("float32") * 0.3)
for cell, width in ((LSTMCell(), 2), (GRUCell(), 1)):
    for epoch in range(10):
        with tf.GradientTape() as tape:
            tape.watch(inputs)
            outputs, state = unroll(cell, inputs, lengths, width)
            loss = tf.reduce_mean(tf.math.squared_difference(state[0], target))
        grads = tape.gradient(loss, (inputs, *cell.trainable_variables))
        for g, v in zip(grads[1:], cell.trainable_variables):
            v.assign_sub(g)
        if epoch % 3 == 0:
            print(cell.name, epoch, loss.numpy(), [g.shape.as_list() for g in grads[1:]])
    print(outputs[1, :, 0], tf.reduce_sum(tf.abs(grads[0]), axis=2))
print(tf.reverse_sequence(inputs, lengths, seq_axis=1, batch_axis=0)[1, :, 0])
