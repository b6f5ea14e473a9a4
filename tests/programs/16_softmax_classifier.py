"""A softmax classifier on three spirals, with minibatches, weight decay and a top-k check."""
# tolerance: relative 2e-4 absolute 2e-5 (80 float32 steps carry rounding along)

import numpy as np

import tapegrad as tf

rng = np.random.RandomState(0)
count, classes = 30, 3
points, labels = [], []
for index in range(classes):
    radius = np.linspace(0.1, 1, count)
    angle = np.linspace(index * 4, (index + 1) * 4, count) + rng.randn(count) * 0.1
    points.append(np.c_[radius * np.sin(angle), radius * np.cos(angle)])
    labels += [index] * count
x = tf.constant(np.concatenate(points), tf.float32)
y = tf.constant(labels)
print(x.shape, y.dtype.name, tf.reduce_sum(tf.one_hot(y, 3), 0))

w1 = tf.Variable(rng.randn(2, 24).astype(np.float32))
b1 = tf.Variable(tf.zeros(24))
w2 = tf.Variable(rng.randn(24, classes).astype(np.float32) * 0.2)
b2 = tf.Variable(tf.zeros([classes]))
variables = [w1, b1, w2, b2]


def forward(data):
    """Logits."""
    return tf.nn.relu(data @ w1 + b1) @ w2 + b2


def losses(logits, targets):
    """The same number by four roads."""
    one_hot = tf.one_hot(targets, classes)
    return [
        tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(targets, logits)),
        tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(one_hot, logits)),
        -tf.reduce_mean(tf.reduce_sum(one_hot * tf.nn.log_softmax(logits), axis=-1)),
        -tf.reduce_mean(tf.math.log(tf.gather(tf.nn.softmax(logits), targets, batch_dims=1))),
    ]


with tf.GradientTape(persistent=True) as tape:
    ways = losses(forward(x), y)
print([way.numpy() for way in ways])
print([tf.norm(tape.gradient(way, w2)).numpy() for way in ways])

order = rng.permutation(len(labels))
for epoch in range(20):
    for batch in np.split(order, 4 if len(order) % 4 == 0 else 3):
        with tf.GradientTape() as tape:
            logits = forward(tf.gather(x, batch))
            loss = losses(logits, tf.gather(y, batch))[0]
            loss += 1e-3 * tf.add_n([tf.nn.l2_loss(v) for v in variables if v.shape.rank > 1])
        for v, g in zip(variables, tape.gradient(loss, variables)):
            v.assign_sub(0.5 * g)
    if epoch % 5 == 4:
        prediction = tf.argmax(forward(x), axis=1, output_type=tf.int32)
        accuracy = tf.reduce_mean(tf.cast(tf.equal(prediction, y), tf.float32))
        print(epoch, f"{float(loss):.4f}", f"{float(accuracy):.3f}")
values, indices = tf.math.top_k(forward(x[:2]), k=2)
print(values, indices)
print(tf.math.in_top_k(y, forward(x), 2).numpy().mean())
print(tf.reduce_sum(tf.nn.softmax(forward(x[:4])), axis=-1))
