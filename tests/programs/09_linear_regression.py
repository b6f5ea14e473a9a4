"""The basic training loop: a straight line through noisy points."""

import numpy as np

import tapegrad as tf

TRUE_W = 3.0
TRUE_B = 2.0
NUM_EXAMPLES = 201
x = tf.linspace(-2, 2, NUM_EXAMPLES)
x = tf.cast(x, tf.float32)


def f(x):
    """The line itself."""
    return x * TRUE_W + TRUE_B


noise = tf.constant(np.random.RandomState(7).randn(NUM_EXAMPLES), tf.float32)
y = f(x) + noise


class MyModel(tf.Module):
    """A line with two parameters."""

    def __init__(self, **kwargs):
        super().__init__(**kwargs)
        self.w = tf.Variable(5.0)
        self.b = tf.Variable(0.0)

    def __call__(self, x):
        return self.w * x + self.b


def loss(target_y, predicted_y):
    """Mean squared error."""
    return tf.reduce_mean(tf.square(target_y - predicted_y))


def train(model, x, y, learning_rate):
    """One step of gradient descent."""
    with tf.GradientTape() as t:
        current_loss = loss(y, model(x))
    dw, db = t.gradient(current_loss, [model.w, model.b])
    model.w.assign_sub(learning_rate * dw)
    model.b.assign_sub(learning_rate * db)


def report(model, loss):
    """What the loop prints."""
    return f"W = {model.w.numpy():1.2f}, b = {model.b.numpy():1.2f}, loss={loss:2.5f}"


model = MyModel()
print("Variables:", model.variables)
assert model(3.0).numpy() == 15.0
print("Untrained model loss: %1.6f" % loss(y, model(x)).numpy())
weights = []
biases = []
print("Starting:")
print("    ", report(model, loss(y, model(x))))
for epoch in range(10):
    train(model, x, y, learning_rate=0.1)
    weights.append(model.w.numpy())
    biases.append(model.b.numpy())
    print(f"Epoch {epoch:2d}:")
    print("    ", report(model, loss(y, model(x))))
print(weights[-1], biases[-1], type(weights[-1]).__name__)
print(f"Trained loss: {loss(model(x), y):1.6f}")

# The closed form, by least squares.
design = tf.stack([x, tf.ones_like(x)], axis=1)
print(tf.linalg.lstsq(design, y[:, tf.newaxis], fast=True).numpy().ravel())
print(tf.linalg.solve(tf.transpose(design) @ design, tf.linalg.matvec(design, y, True)[:, None]))
