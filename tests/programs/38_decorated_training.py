"""tf.function around training steps, with signatures, closures, methods and nested functions."""

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(23)
x = tf.constant(np.float32(rng.randn(48, 3)))
y = tf.reduce_sum(x * [[1.0, -1.0, 0.5]], axis=1, keepdims=True) + 0.25


class Model(tf.Module):
    """A linear model whose methods are functions."""

    def __init__(self, name=None):
        super().__init__(name=name)
        self.w = tf.Variable(tf.zeros([3, 1]), name="w")
        self.b = tf.Variable(0.0, name="b")
        self.steps = tf.Variable(0, trainable=False)

    @tf.function
    def __call__(self, x):
        return tf.matmul(x, self.w) + self.b

    @tf.function(input_signature=[tf.TensorSpec([None, 3]), tf.TensorSpec([None, 1])])
    def train_step(self, x, y):
        """One step; gives the loss."""
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(tf.math.squared_difference(self(x), y))
        for v, g in zip(self.trainable_variables, tape.gradient(loss, self.trainable_variables)):
            v.assign_sub(0.1 * g)
        self.steps.assign_add(1)
        return {"loss": loss, "step": self.steps.read_value()}


model = Model()
for _ in range(3):
    for first in range(0, 48, 16):
        logs = model.train_step(x[first : first + 16], y[first : first + 16])
    print({key: value.numpy().item() for key, value in logs.items()}["step"], logs["loss"])
print(model.w, model.b.numpy(), model.steps)


@tf.function
def relu(v):
    """Data decides."""
    if tf.reduce_sum(v) > 0:
        return v
    return tf.zeros_like(v)


print(relu(tf.constant([1.0, 2.0])), relu(tf.constant([-1.0, -2.0])))
