"""Transforms by a Keras model, with the state of its layers: `test_keras.py` runs this."""

import keras
import numpy as np

import tapegrad as tf

ad = tf.autodiff
keras.utils.set_random_seed(0)
normalise, drop = keras.layers.BatchNormalization(), keras.layers.Dropout(0.5)
model = keras.Sequential(
    [
        keras.layers.Input((3,)),
        keras.layers.Dense(4, "tanh"),
        normalise,
        drop,
        keras.layers.Dense(1),
    ]
)
x = tf.constant(np.random.default_rng(0).normal(size=(5, 3)), tf.float32)
y = tf.ones([5, 1])


def loss(x, y, training=False):
    return tf.reduce_mean((model(x, training=training) - y) ** 2)


def close(found, expected):
    for one, other in zip(found, expected, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)


with tf.GradientTape() as tape:
    value = loss(x, y)
expected = tape.gradient(value, model.trainable_variables)
gradients = ad.grad(loss, wrt=model)(x, y)
assert len(gradients) == len(model.trainable_variables) < len(model.variables)
close(gradients, expected)
again, gradients = ad.value_and_grad(loss, wrt=model)(x, y)
close([again, *gradients], [value, *expected])

examples = ad.per_example_gradients(loss, wrt=model, keep_axis=True)(x, y)
close([tf.reduce_mean(part, 0) for part in examples], expected)

step = 1e-2
product = ad.hvp(loss, (x, y), expected, wrt=model)
slopes = []
for sign in (1.0, -1.0):
    for variable, direction in zip(model.trainable_variables, expected, strict=True):
        variable.assign_add(sign * step * direction)
    slopes.append(ad.grad(loss, wrt=model)(x, y))
    for variable, direction in zip(model.trainable_variables, expected, strict=True):
        variable.assign_sub(sign * step * direction)
for part, there, back in zip(product, *slopes, strict=True):
    np.testing.assert_allclose(part, (there - back) / (2 * step), rtol=5e-2, atol=5e-3)

# In training the moving moments and the state of dropout's seed change once a call.
moments, seed = normalise.moving_mean.numpy(), drop.seed_generator.state.numpy()
trained = ad.grad(lambda x, y: loss(x, y, True), wrt=model)(x, y)
assert len(trained) == len(expected)
assert not np.array_equal(moments, normalise.moving_mean.numpy())
assert not np.array_equal(seed, drop.seed_generator.state.numpy())

best = ad.minimize(loss, (x, y), wrt=model, options={"maxiter": 5})
assert loss(x, y) < value
packer = ad.Packer(model)
flat = packer.pack()
assert flat.size == sum(int(np.prod(variable.shape)) for variable in model.trainable_variables)
print("right")
