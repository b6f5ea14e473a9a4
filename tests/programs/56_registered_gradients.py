"""raw_ops, registered gradients, ops without one, and the four old ways of tf.contrib.eager."""

import tapegrad as tf

x = tf.constant([1.0, -2.0, 3.0])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(x)
    results = {
        "Relu": tf.raw_ops.Relu(features=x),
        "AddV2": tf.raw_ops.AddV2(x=x, y=x),
        "Sum": tf.raw_ops.Sum(input=x, axis=0, keep_dims=True),
        "Square": tf.raw_ops.Square(x=x),
        "Softmax": tf.raw_ops.Softmax(logits=x[None]),
        "Select": tf.raw_ops.SelectV2(condition=x > 0, t=x, e=-x),
        "Concat": tf.raw_ops.ConcatV2(values=[x, x], axis=0),
        "Pack": tf.raw_ops.Pack(values=[x, 2 * x], axis=1),
        "Gather": tf.raw_ops.GatherV2(params=x, indices=[2, 0], axis=0),
        "Cast": tf.raw_ops.Cast(x=x, DstT=tf.float64),
        "LeakyRelu": tf.raw_ops.LeakyRelu(features=x, alpha=0.1),
        "Cumsum": tf.raw_ops.Cumsum(x=x, axis=0, exclusive=True),
    }
for name, result in results.items():
    print(name, result, tf.convert_to_tensor(tape.gradient(result, x)))
for call in (
    lambda: tf.raw_ops.Relu(x),
    lambda: tf.raw_ops.Relu(feature=x),
    lambda: tf.raw_ops.Nope,
):
    try:
        call()
    except (TypeError, AttributeError) as error:
        print(type(error).__name__)

image = tf.constant([[[0.1], [0.7]], [[0.3], [0.9]]])
factor = tf.Variable(2.0)
with tf.GradientTape() as tape:
    new_image = tf.image.adjust_contrast(image, factor)
print(new_image)
try:
    tape.gradient(new_image, [image, factor])
except LookupError as error:
    print("LookupError:", error)

delta = tf.Variable([0.3, 1.7])
with tf.GradientTape(persistent=True) as tape:
    rounded = tf.round(delta) * delta
    clipped = tf.clip_by_value(delta, 0.0, 1.0) * 2.0
print(tape.gradient(rounded, delta), tape.gradient(clipped, delta))


@tf.custom_gradient
def swish(features, beta=1.0):
    """x * sigmoid(beta x), with its own rule."""
    gate = tf.sigmoid(beta * features)

    def grad(dy):
        return dy * gate * (1 + beta * features * (1 - gate))

    return features * gate, grad


for _ in range(2):
    with tf.GradientTape() as tape:
        tape.watch(x)
        ours, theirs = swish(x), tf.nn.silu(x)
    print(ours, theirs, tape.gradient([ours, theirs], x))
matrix = tf.constant([[2.0, 1.0], [1.0, 3.0]])
with tf.GradientTape(persistent=True) as tape:
    tape.watch(matrix)
    product = tf.raw_ops.MatMul(a=matrix, b=matrix, transpose_b=True)
    batch = tf.raw_ops.BatchMatMulV2(x=matrix[None], y=matrix[None])
    bias = tf.raw_ops.BiasAdd(value=matrix, bias=x[:2])
    top = tf.raw_ops.TopKV2(input=matrix, k=1)
    parts = tf.raw_ops.Split(axis=0, value=matrix, num_split=2)
for result in (product, batch, bias, top.values, parts[1]):
    print(result, tape.gradient(result, matrix))
print(type(top).__name__, top._fields, len(parts), type(parts).__name__)
print(tf.raw_ops.Shape(input=matrix), tf.raw_ops.Rank(input=matrix), tf.raw_ops.Size(input=matrix))
