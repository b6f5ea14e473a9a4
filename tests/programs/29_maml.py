"""Meta-learning: gradients through gradient steps, learned rates, unrolled optimisation."""
# tolerance: relative 1e-4 absolute 1e-6 (float32 training through inner training)

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(17)


def initial(*shape):
    """A start value."""
    return tf.Variable(np.float32(rng.randn(*shape) / np.sqrt(shape[0])))


meta = [initial(1, 8), tf.Variable(tf.zeros(8)), initial(8, 1), tf.Variable(tf.zeros(1))]


def forward(params, x):
    """A net that takes its parameters as an argument."""
    w1, b1, w2, b2 = params
    return tf.tanh(x @ w1 + b1) @ w2 + b2


def mse(params, x, y):
    """Mean squared error."""
    return tf.reduce_mean((forward(params, x) - y) ** 2)


def adapt(params, x, y, rate, steps):
    """Gradient steps whose own gradients stay on the outer tape."""
    for _ in range(steps):
        with tf.GradientTape() as tape:
            tape.watch(params)
            loss = mse(params, x, y)
        grads = tape.gradient(loss, params)
        params = [p - rate * g for p, g in zip(params, grads)]
    return params


def task(seed):
    """A sine with its own height and phase."""
    source = np.random.RandomState(seed)
    height, phase = source.uniform(0.5, 2.0), source.uniform(0, np.pi)
    x = np.float32(source.uniform(-2, 2, (20, 1)))
    y = np.float32(height * np.sin(x + phase))
    return tf.constant(x[:10]), tf.constant(y[:10]), tf.constant(x[10:]), tf.constant(y[10:])


rate = tf.Variable(0.02)
for iteration in range(8):
    with tf.GradientTape() as outer:
        losses = []
        for index in range(3):
            x, y, x_test, y_test = task(10 * iteration + index)
            adapted = adapt(meta, x, y, rate, steps=2)
            losses.append(mse(adapted, x_test, y_test))
        meta_loss = tf.reduce_mean(tf.stack(losses))
    grads = outer.gradient(meta_loss, [*meta, rate])
    for g, v in zip(grads, [*meta, rate]):
        v.assign_sub(0.001 * g)
    if iteration % 2 == 1:
        print(iteration, meta_loss.numpy(), "rate", rate.numpy(), "its slope", grads[-1].numpy())
print([tf.norm(g).numpy() for g in grads])

# First order only: the inner gradients are constants.
x, y, x_test, y_test = task(99)
for first_order in (False, True):
    with tf.GradientTape() as outer:
        with tf.GradientTape() as tape:
            loss = mse(meta, x, y)
        inner = tape.gradient(loss, meta)
        if first_order:
            inner = [tf.stop_gradient(g) for g in inner]
        fast = [p - 0.1 * g for p, g in zip(meta, inner)]
        after = mse(fast, x_test, y_test)
    print(first_order, after.numpy(), outer.gradient(after, meta[0]).numpy().ravel())
