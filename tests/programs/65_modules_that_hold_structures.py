"""A module finds the variables in its nests; state is saved, cleared and put back."""

import tapegrad as tf
import collections
import numpy as np

Point = collections.namedtuple("Point", ["x", "y"])
rng = np.random.RandomState(31)
params = {
    "layers": [
        {"w": tf.Variable(np.float32(rng.randn(3, 4) * 0.5)), "b": tf.Variable(tf.zeros(4))},
        {"w": tf.Variable(np.float32(rng.randn(4, 2) * 0.5)), "b": tf.Variable(tf.zeros(2))},
    ],
    "scale": tf.Variable(1.0),
    "point": Point(tf.Variable(2.0), tf.constant(3.0)),
}
x = tf.constant(np.float32(rng.randn(5, 3)))


def forward(params, x):
    """Reads its parameters from the structure."""
    for layer in params["layers"]:
        x = tf.tanh(x @ layer["w"] + layer["b"])
    return x * params["scale"] + params["point"].x


loss = tf.reduce_mean(forward(params, x) ** 2)


class Holder(tf.Module):
    """Finds what is in lists, tuples, dicts and other modules."""

    def __init__(self, params):
        super().__init__(name="holder")
        self.params = params
        self.pair = (tf.Variable(0.0, name="p0"), tf.Variable(0.0, trainable=False, name="p1"))
        self.inner = [tf.Module(name="one"), tf.Module(name="two")]
        self._hidden = tf.Variable(5.0, name="hidden")
        self.number, self.text = 3, "words"


holder = Holder(params)
print(len(holder.variables), len(holder.trainable_variables), [v.name for v in holder.variables])
print([m.name for m in holder.submodules], holder.name)
mean = [tf.reduce_mean(v).numpy() for v in holder.trainable_variables]
print(len(mean))
state = {v.ref(): index for index, v in enumerate(holder.variables)}
print(state[params["scale"].ref()] == [v is params["scale"] for v in holder.variables].index(True))
saved = [v.numpy() for v in holder.variables]
for v in holder.variables:
    v.assign(tf.zeros_like(v))
print(tf.reduce_sum([tf.reduce_sum(tf.abs(v)) for v in holder.variables]))
for v, value in zip(holder.variables, saved):
    v.assign(value)
print(np.allclose(tf.reduce_mean(forward(params, x) ** 2), loss))
doubled = tf.nest.map_structure(lambda v: v * 2.0, params)
print(doubled["scale"], doubled["point"], len(doubled["layers"]))
ordered = collections.OrderedDict([("z", tf.constant(1.0)), ("a", tf.constant(2.0))])
with tf.GradientTape() as tape:
    tape.watch(ordered)
    y = ordered["z"] * 3.0 + ordered["a"] ** 2
gradients = tape.gradient(y, ordered)
print(type(gradients), dict(gradients), tf.nest.flatten(ordered))
