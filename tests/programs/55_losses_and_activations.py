"""Every common loss and activation with its gradient on awkward points."""

import numpy as np

import tapegrad as tf

points = tf.constant([-50.0, -3.0, -1.0, -0.5, 0.5, 1.0, 3.0, 50.0])
names = (
    "nn.relu nn.relu6 nn.elu nn.selu nn.gelu nn.silu nn.softplus nn.softsign nn.leaky_relu sigmoid "
    "tanh math.log_sigmoid exp math.expm1 math.erf math.erfc sin cos tan atan asinh square math.sign "
    "abs negative math.sinh math.cosh math.ndtri sqrt math.rsqrt math.log math.log1p math.lgamma "
    "math.digamma math.reciprocal_no_nan math.acosh math.erfinv math.softplus nn.softmax nn.swish "
    "nn.log_softmax math.reciprocal math.cumsum math.cumprod math.bessel_i0e nn.crelu math.polygamma"
)
positive = {"sqrt", "math.rsqrt", "math.log", "math.log1p", "math.lgamma", "math.digamma"}
for name in names.split():
    function = tf
    for part in name.split("."):
        function = getattr(function, part)
    x = points / 10.0 if name in ("math.sinh", "math.cosh", "exp", "math.expm1") else points
    if name in positive:
        x = tf.abs(points)
    elif name in ("math.ndtri", "math.erfinv"):
        x = tf.linspace(0.1, 0.9, 5)
    elif name == "math.acosh":
        x = 1.0 + tf.abs(points)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(2.0, tf.abs(x)) if name == "math.polygamma" else function(x)
    print(name, y.numpy().tolist(), tape.gradient(y, x).numpy().tolist())

labels, logits = tf.constant([[1.0, 0.0, 0.3]]), tf.constant([[100.0, -100.0, 0.2]])
one_hot, scores = tf.constant([[0.0, 1.0], [0.6, 0.4]]), tf.constant([[1.0, -1.0], [300.0, 0.0]])
y_true, y_pred = tf.constant([1.0, 2.0, 3.0]), tf.constant([1.5, 1.0, 3.0])
losses = {
    "sigmoid ce": (lambda p: tf.nn.sigmoid_cross_entropy_with_logits(labels, p), logits),
    "weighted": (lambda p: tf.nn.weighted_cross_entropy_with_logits(labels, p, 2.0), logits),
    "softmax ce": (lambda p: tf.nn.softmax_cross_entropy_with_logits(one_hot, p), scores),
    "sparse": (lambda p: tf.nn.sparse_softmax_cross_entropy_with_logits([1, 0], p), scores),
    "poisson": (lambda p: tf.nn.log_poisson_loss(y_true, tf.math.log(p)), y_pred),
    "mse": (lambda p: tf.reduce_mean(tf.math.squared_difference(p, y_true)), y_pred),
    "mae": (lambda p: tf.reduce_mean(tf.abs(p - y_true)), y_pred),
    "log cosh": (lambda p: tf.reduce_mean(tf.math.log(tf.cosh(p - y_true))), y_pred),
    "hinge": (lambda p: tf.reduce_mean(tf.maximum(1.0 - y_true * p, 0.0)), y_pred),
    "kl": (lambda p: tf.reduce_sum(y_true * tf.math.log(y_true / p)), y_pred),
    "cosine": (
        lambda p: -tf.reduce_sum(tf.math.l2_normalize(p, 0) * tf.math.l2_normalize(y_true, 0)),
        y_pred,
    ),
    "msle": (lambda p: tf.reduce_mean((tf.math.log1p(p) - tf.math.log1p(y_true)) ** 2), y_pred),
    "quantile": (
        lambda p: tf.reduce_mean(tf.maximum(0.9 * (y_true - p), -0.1 * (y_true - p))),
        y_pred,
    ),
    "focal": (lambda p: tf.reduce_sum((1 - tf.sigmoid(p)) ** 2 * -tf.math.log_sigmoid(p)), y_pred),
    "l2": (tf.nn.l2_loss, y_pred),
    "zero fraction": (lambda p: tf.nn.zero_fraction(p) * tf.reduce_sum(p), y_pred),
    "logsumexp": (tf.reduce_logsumexp, scores),
    "std": (lambda p: tf.math.reduce_std(p, axis=0), scores),
}
for name, (loss, prediction) in losses.items():
    with tf.GradientTape() as tape:
        tape.watch(prediction)
        value = loss(prediction)
    print(name, value, tape.gradient(value, prediction))
print(np.finfo(np.float32).max > tf.reduce_max(tf.exp(points)).numpy())
