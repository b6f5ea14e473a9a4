"""Hessian-vector products three ways, and conjugate gradients on them."""

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(3)
features = tf.constant(rng.randn(20, 4))
labels = tf.constant((rng.rand(20, 1) > 0.5).astype("float64"))
weights = tf.Variable(rng.randn(4, 1))
direction = tf.constant(rng.randn(4, 1))


def loss_of(value):
    """Logistic loss with a little weight decay."""
    logits = features @ value
    losses = tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits)
    return tf.reduce_mean(losses) + 0.05 * tf.nn.l2_loss(value)


def back_over_back(vector):
    """The gradient of <gradient, vector>."""
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = loss_of(weights)
        grads = inner.gradient(loss, weights)
        product = tf.reduce_sum(grads * vector)
    return outer.gradient(product, weights)


def seeded(vector):
    """The same with output_gradients."""
    with tf.GradientTape() as outer:
        with tf.GradientTape() as inner:
            loss = loss_of(weights)
        grads = inner.gradient(loss, weights)
    return outer.gradient(grads, weights, output_gradients=vector)


def forward_over_back(vector):
    """Forward mode by two passes backward: the seed of the first is the variable of the second."""
    seed = tf.Variable(tf.zeros_like(weights))
    with tf.GradientTape() as outer:
        with tf.GradientTape(persistent=True) as inner:
            with tf.GradientTape() as tape:
                loss = loss_of(weights)
            grads = tape.gradient(loss, weights)
        pulled = inner.gradient(grads, weights, output_gradients=seed)
    return outer.gradient(pulled, seed, output_gradients=vector)


for method in (back_over_back, seeded, forward_over_back):
    print(method.__name__, method(direction).numpy().ravel())

with tf.GradientTape() as outer:
    with tf.GradientTape() as inner:
        loss = loss_of(weights)
    grads = inner.gradient(loss, weights)
hessian = tf.reshape(outer.jacobian(grads, weights), [4, 4])
print("explicit", (hessian @ direction).numpy().ravel())

# Conjugate gradients solve H s = g without ever making H.
solution = tf.zeros_like(weights)
residual = tf.identity(grads)
search = tf.identity(residual)
for step in range(4):
    image = back_over_back(search)
    old = tf.reduce_sum(residual**2)
    size = old / tf.reduce_sum(search * image)
    solution += size * search
    residual -= size * image
    search = residual + tf.reduce_sum(residual**2) / old * search
    print("step", step, "size", size.numpy())
print(solution)
print(np.allclose(solution, tf.linalg.solve(hessian, grads)))
