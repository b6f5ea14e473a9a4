"""Logistic regression on two blobs: the loss three ways, training, a confusion matrix."""

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(11)
positive = rng.randn(50, 2) + [1.5, 1.0]
negative = rng.randn(50, 2) - [1.0, 1.5]
x = tf.constant(np.concatenate([positive, negative]), dtype=tf.float32)
y = tf.concat([tf.ones([50]), tf.zeros([50])], axis=0)


class Normalize(tf.Module):
    """Zero mean and unit variance by the data's own statistics."""

    def __init__(self, data):
        super().__init__()
        self.mean = tf.Variable(tf.math.reduce_mean(data, axis=0), trainable=False)
        self.std = tf.Variable(tf.math.reduce_std(data, axis=0), trainable=False)

    def norm(self, data):
        return (data - self.mean) / self.std

    def unnorm(self, data):
        return (data * self.std) + self.mean


scaler = Normalize(x)
x_norm = scaler.norm(x)
print(scaler.mean.numpy(), scaler.std.numpy())
print(np.allclose(scaler.unnorm(x_norm), x, atol=1e-5))


def log_loss(y_pred, y):
    """Mean cross entropy of logits."""
    return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=y, logits=y_pred))


w = tf.Variable([[0.1], [-0.1]])
b = tf.Variable(0.0)
logits = tf.squeeze(x_norm @ w + b, axis=1)
p = tf.sigmoid(logits)
manual = -tf.reduce_mean(y * tf.math.log(p) + (1 - y) * tf.math.log(1 - p))
softplus = tf.reduce_mean(tf.nn.softplus(logits) - y * logits)
print(log_loss(logits, y).numpy(), manual.numpy(), softplus.numpy())

batch = 25
for epoch in range(10):
    losses, accuracies = [], []
    for first in range(0, 100, batch):
        rows = tf.range(first // batch, 100, 100 // batch)
        x_batch, y_batch = tf.gather(x_norm, rows), tf.gather(y, rows)
        with tf.GradientTape() as tape:
            z = tf.squeeze(tf.matmul(x_batch, w) + b, 1)
            loss = log_loss(z, y_batch)
        grads = tape.gradient(loss, [w, b])
        for g, v in zip(grads, [w, b]):
            v.assign_sub(0.5 * g)
        losses.append(loss)
        classes = tf.cast(tf.sigmoid(z) > 0.5, tf.float32)
        accuracies.append(tf.reduce_mean(tf.cast(classes == y_batch, tf.float32)))
    if epoch % 3 == 0:
        print(f"Epoch: {epoch}, loss: {tf.reduce_mean(losses):0.4f}", end=" ")
        print(f"accuracy: {tf.reduce_mean(accuracies).numpy():0.3f}")
predicted = tf.cast(tf.squeeze(x_norm @ w + b, 1) > 0, tf.int32)
confusion = tf.scatter_nd(
    tf.stack([tf.cast(y, tf.int32), predicted], 1), tf.ones_like(predicted), [2, 2]
)
print(confusion)
print(w, b.numpy())
tp = tf.math.count_nonzero(tf.logical_and(predicted == 1, y == 1.0))
print(tp, tp / tf.math.count_nonzero(predicted))
