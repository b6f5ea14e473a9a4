"""SGD, momentum, Nesterov, Adam, RMSProp and Adagrad written by hand in assigns."""

import numpy as np

import tapegrad as tf


class SGD:
    """Gradient descent, with momentum where asked."""

    def __init__(self, lr, momentum=0.0, nesterov=False):
        self.lr, self.momentum, self.nesterov, self.slots = lr, momentum, nesterov, None

    def apply_gradients(self, pairs):
        pairs = list(pairs)
        if self.slots is None:
            self.slots = [tf.Variable(tf.zeros_like(v), trainable=False) for _, v in pairs]
        for (g, v), slot in zip(pairs, self.slots):
            slot.assign(self.momentum * slot - self.lr * g)
            v.assign_add(self.momentum * slot - self.lr * g if self.nesterov else slot)


class Adam:
    """The usual, with bias correction."""

    def __init__(self, lr=0.05, b1=0.9, b2=0.999, eps=1e-7):
        self.lr, self.b1, self.b2, self.eps = lr, b1, b2, eps
        self.step = tf.Variable(0, dtype=tf.int64, trainable=False)
        self.m, self.v = {}, {}

    def apply_gradients(self, pairs):
        self.step.assign_add(1)
        t = tf.cast(self.step, tf.float32)
        for g, var in pairs:
            key = var.ref()
            m = self.m.setdefault(key, tf.Variable(tf.zeros(var.shape)))
            v = self.v.setdefault(key, tf.Variable(tf.zeros(var.shape)))
            m.assign_add((g - m) * (1 - self.b1))
            v.assign_add((tf.square(g) - v) * (1 - self.b2))
            rate = self.lr * tf.sqrt(1 - tf.pow(self.b2, t)) / (1 - tf.pow(self.b1, t))
            var.assign_sub(rate * m / (tf.sqrt(v) + self.eps))


class RMSProp:
    """Root mean square scaling; decay 1.0 sums as Adagrad does."""

    def __init__(self, lr=0.05, decay=0.9):
        self.lr, self.decay, self.slots = lr, decay, {}

    def apply_gradients(self, pairs):
        for g, var in pairs:
            slot = self.slots.setdefault(id(var), tf.Variable(tf.fill(var.shape, 0.1)))
            if self.decay == 1.0:
                slot.assign_add(g**2)
            else:
                slot.assign(self.decay * slot + (1 - self.decay) * g**2)
            var.assign_sub(self.lr * g * tf.math.rsqrt(slot + 1e-8))


rng = np.random.RandomState(5)
x = tf.constant(rng.randn(64, 3), dtype=tf.float32)
y = x @ tf.constant([[1.0], [-2.0], [0.5]]) + 0.3
optimizers = {
    "sgd": SGD(0.1),
    "momentum": SGD(0.02, 0.9),
    "nesterov": SGD(0.02, 0.9, True),
    "adam": Adam(),
    "rmsprop": RMSProp(0.004),
    "adagrad": RMSProp(0.3, 1.0),
}
for name, optimizer in optimizers.items():
    w, b = tf.Variable(tf.zeros([3, 1])), tf.Variable(tf.zeros([1]))
    for _ in range(60):
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean((x @ w + b - y) ** 2)
        optimizer.apply_gradients(zip(tape.gradient(loss, (w, b)), (w, b)))
    print(f"{name:10s} loss {loss.numpy():.6f}", w.numpy().ravel(), b.numpy())
