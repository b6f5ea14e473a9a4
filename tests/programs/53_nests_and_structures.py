"""Nested structures: flatten, pack, map, models whose parameters are dicts of lists."""

import collections

import numpy as np

import tapegrad as tf

Point = collections.namedtuple("Point", ["x", "y"])
structure = {"b": [1, (2, 3)], "a": Point(4, [5])}
flat = tf.nest.flatten(structure)
print(flat, tf.nest.pack_sequence_as(structure, [10 * value for value in flat]))
print(tf.nest.map_structure(lambda value: value + 1, structure))
print(tf.nest.map_structure(lambda a, b: a * b, structure, structure))
print(
    tf.nest.is_nested([1]),
    tf.nest.is_nested("text"),
    tf.nest.flatten("text"),
    tf.nest.flatten(None),
)
print(tf.nest.flatten([[], {}, (None,)]), tf.nest.flatten(np.ones(2)))
print(tf.nest.flatten({"z": 1, "y": {"x": 2}}, expand_composites=False))
for other in ({"b": [1, (2, 3)], "a": Point(4, 5)}, [1], {"b": [1, (2, 3)], "c": 4}):
    try:
        tf.nest.assert_same_structure(structure, other)
    except (TypeError, ValueError) as error:
        print(type(error).__name__)

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


with tf.GradientTape() as tape:
    loss = tf.reduce_mean(forward(params, x) ** 2)
grads = tape.gradient(loss, params)
print(sorted(grads), type(grads["point"]).__name__, grads["point"].y, grads["scale"])
print(tf.nest.map_structure(lambda g: None if g is None else tuple(g.shape), grads))
print(grads["layers"][1]["b"], grads["layers"][0]["w"])
