"""Programs whose results' dtypes and shapes are worked out without values: (specs, text of the function)."""

from __future__ import annotations

PROGRAMS: dict[str, tuple[str, str]] = {
    name: (specs, function)
    for name, specs, function in [
        ("add", "S([None, 3])", "lambda tf, x: x + 1"),
        ("broadcast", "S([None, 1]), S([4])", "lambda tf, x, y: x * y"),
        ("compare", "S([None, 3])", "lambda tf, x: x > 0"),
        ("batch of two", "S([None, 3]), S([None, 3])", "lambda tf, x, y: x - y"),
        ("cast", "S([None], tf.int32)", "lambda tf, x: tf.cast(x, tf.float16)"),
        ("shape", "S([None, 3])", "lambda tf, x: tf.shape(x)"),
        ("size", "S([None, 3])", "lambda tf, x: tf.size(x)"),
        ("row", "S([None, 3])", "lambda tf, x: x[0]"),
        ("rows", "S([None, 3])", "lambda tf, x: x[2:5]"),
        ("all rows but one", "S([None, 3])", "lambda tf, x: x[1:]"),
        ("columns", "S([None, 3])", "lambda tf, x: x[:, 1:]"),
        ("new axis", "S([None, 3])", "lambda tf, x: x[:, tf.newaxis, ::-1]"),
        ("halves of rows", "S([None, 3])", "lambda tf, x: x[: tf.shape(x)[0] // 2]"),
        ("flatten", "S([None, 4, 3])", "lambda tf, x: tf.reshape(x, [tf.shape(x)[0], 12])"),
        ("flatten all", "S([None, 4, 3])", "lambda tf, x: tf.reshape(x, [-1])"),
        ("regroup", "S([None, 6])", "lambda tf, x: tf.reshape(x, [-1, 3])"),
        ("regroup by two", "S([None])", "lambda tf, x: tf.reshape(x, [-1, 2])"),
        ("transpose", "S([None, 3, 5])", "lambda tf, x: tf.transpose(x, [2, 0, 1])"),
        ("concat", "S([None, 3]), S([None, 3])", "lambda tf, x, y: tf.concat([x, y], 0)"),
        ("concat columns", "S([None, 3]), S([None, 2])", "lambda tf, x, y: tf.concat([x, y], 1)"),
        ("stack", "S([None, 3])", "lambda tf, x: tf.stack([x, x], axis=1)"),
        ("unstack columns", "S([None, 2])", "lambda tf, x: tf.unstack(x, axis=1)"),
        ("split", "S([None, 6])", "lambda tf, x: tf.split(x, [1, 5], axis=1)"),
        ("tile", "S([None, 3])", "lambda tf, x: tf.tile(x, [2, 2])"),
        ("pad", "S([None, 3])", "lambda tf, x: tf.pad(x, [[1, 0], [2, 2]])"),
        ("expand", "S([None])", "lambda tf, x: tf.expand_dims(x, -1)"),
        ("squeeze", "S([None, 1, 3])", "lambda tf, x: tf.squeeze(x, 1)"),
        ("gather", "S([10, 4]), S([None], tf.int32)", "lambda tf, x, i: tf.gather(x, i)"),
        ("gather batches", "S([None, 5, 2]), S([None, 3], tf.int32)",
         "lambda tf, x, i: tf.gather(x, i, batch_dims=1)"),
        ("one hot", "S([None], tf.int32)", "lambda tf, x: tf.one_hot(x, 7)"),
        ("where", "S([None, 3])", "lambda tf, x: tf.where(x > 0)"),
        ("mask", "S([None, 3])", "lambda tf, x: tf.boolean_mask(x, x[:, 0] > 0)"),
        ("unique", "S([None], tf.int32)", "lambda tf, x: tuple(tf.unique(x))"),
        ("sum", "S([None, 3])", "lambda tf, x: tf.reduce_sum(x, 1)"),
        ("mean of all", "S([None, 3])", "lambda tf, x: tf.reduce_mean(x)"),
        ("argmax", "S([None, 3])", "lambda tf, x: tf.argmax(x, 1)"),
        ("top k", "S([None, 5])", "lambda tf, x: tuple(tf.math.top_k(x, 2))"),
        ("sort", "S([None, 5])", "lambda tf, x: tf.sort(x)"),
        ("cumsum", "S([None, 5])", "lambda tf, x: tf.cumsum(x, 1)"),
        ("matmul", "S([None, 3]), S([3, 4])", "lambda tf, x, y: x @ y"),
        ("batched matmul", "S([None, 2, 3]), S([None, 3, 4])", "lambda tf, x, y: x @ y"),
        ("attention", "S([None, None, 8]), S([None, None, 8])",
         "lambda tf, x, y: tf.nn.softmax(tf.matmul(x, y, transpose_b=True)) @ y"),
        ("einsum", "S([None, None, 8]), S([8, 2])", "lambda tf, x, y: tf.einsum('btd,dk->btk', x, y)"),
        ("inverse", "S([None, 3, 3])", "lambda tf, x: tf.linalg.inv(x)"),
        ("convolution", "S([None, 28, 28, 1])",
         "lambda tf, x: tf.nn.conv2d(x, tf.zeros([3, 3, 1, 8]), 2, 'VALID')"),
        ("convolution of any image", "S([None, None, None, 3])",
         "lambda tf, x: tf.nn.conv2d(x, tf.zeros([5, 5, 3, 8]), 2, 'SAME')"),
        ("pooling", "S([None, 7, 7, 2])", "lambda tf, x: tf.nn.max_pool2d(x, 2, 2, 'VALID')"),
        ("resize", "S([None, None, None, 3])", "lambda tf, x: tf.image.resize(x, [8, 9])"),
        ("loss", "S([None], tf.int64), S([None, 10])",
         "lambda tf, y, x: tf.nn.sparse_softmax_cross_entropy_with_logits(y, x)"),
        ("embedding", "S([None, None], tf.int32)",
         "lambda tf, x: tf.nn.embedding_lookup(tf.zeros([20, 4]), x)"),
        ("range", "S([None, 3])", "lambda tf, x: tf.range(tf.shape(x)[0])"),
        ("zeros like", "S([None, 3], tf.int32)", "lambda tf, x: tf.zeros_like(x)"),
        ("fill", "S([None, 3])", "lambda tf, x: tf.fill([tf.shape(x)[0], 2], 1.0)"),
        ("random", "S([None, 3])", "lambda tf, x: tf.random.normal(tf.shape(x))"),
        ("cond", "S([None, 3])",
         "lambda tf, x: tf.cond(tf.reduce_sum(x) > 0, lambda: x, lambda: x * 2)"),
        ("cond of two shapes", "S([None, 3])",
         "lambda tf, x: tf.cond(tf.reduce_sum(x) > 0, lambda: tf.zeros([2, 3]), lambda: tf.zeros([4, 3]))"),
        ("loop", "S([None, 3])",
         "lambda tf, x: tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y + x), [0, x])"),
        ("loop that ends by values", "S([None, 3])",
         "lambda tf, x: tf.while_loop(lambda y: tf.reduce_sum(y) < 100.0, lambda y: (y * 1.0,), [x])"),
        ("map", "S([None, 3])", "lambda tf, x: tf.map_fn(lambda row: tf.reduce_sum(row), x)"),
        ("scan", "S([None, 3])", "lambda tf, x: tf.scan(lambda a, row: a + row, x)"),
        ("gradient", "S([None, 3])", "gradient"),
        ("gradient of a convolution", "S([None, 8, 8, 1])", "convolution_gradient"),
        ("array", "S([None, 3])", "array"),
        ("sparse", "tf.SparseTensorSpec([None, 4])", "lambda tf, x: tf.sparse.to_dense(x)"),
        ("ragged", "tf.RaggedTensorSpec([None, None, 3], ragged_rank=1)",
         "lambda tf, x: (x.to_tensor(), x.row_lengths(), tf.reduce_sum(x, axis=1))"),
        ("strings", "S([None], tf.string)", "lambda tf, x: x == 'a'"),
        ("any rank", "S(None)", "lambda tf, x: x * 2"),
        ("any rank to a vector", "S(None)", "lambda tf, x: tf.reshape(x, [-1])"),
        ("any rank, and a matrix", "S(None), S([None, 3])", "lambda tf, x, y: x + y"),
        ("python", "S([None])", "lambda tf, x: tf.numpy_function(lambda a: a, [x], tf.float64)"),
        ("norm", "S([None, 3])", "lambda tf, x: tf.linalg.norm(x, axis=1)"),
        ("clip", "S([None, 3])", "lambda tf, x: tf.clip_by_norm(x, 1.0)"),
        ("segments", "S([None, 2]), S([None], tf.int32)", "lambda tf, x, i: tf.math.segment_sum(x, i)"),
        ("scatter", "S([None, 1], tf.int32), S([None])",
         "lambda tf, i, x: tf.scatter_nd(i, x, tf.constant([8]))"),
        ("columns that one size fits", "S([None, None])",
         "lambda tf, x: tf.concat([x[:, :-1], tf.one_hot(tf.cast(x[:, 0], tf.int32), 3)], 1) - tf.ones([9])"),
        ("columns that one size fits, doubled", "S([None, None])",
         "lambda tf, x: tf.concat([x, x], 1) * tf.ones([8])"),
        ("fft", "S([None, 8])", "lambda tf, x: tf.signal.rfft(x)"),
    ]
}  # fmt: skip


def gradient(tf, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    return tape.gradient(y, x)


def convolution_gradient(tf, x):
    kernel = tf.zeros([3, 3, 1, 2])
    with tf.GradientTape() as tape:
        tape.watch([x, kernel])
        y = tf.nn.conv2d(x, kernel, 1, "VALID")
    return tape.gradient(y, [x, kernel])


def array(tf, x):
    out = tf.TensorArray(x.dtype, size=tf.shape(x)[0])
    items = tf.TensorArray(x.dtype, size=tf.shape(x)[0]).unstack(x)
    _, out = tf.while_loop(
        lambda i, _: i < tf.shape(x)[0],
        lambda i, out: (i + 1, out.write(i, items.read(i) * 2.0)),
        (0, out),
    )
    return out.stack()


def functions(tf):
    """The programs: name -> (function of tensors, specs)."""
    space = {
        "tf": tf, "S": tf.TensorSpec, "gradient": gradient, "array": array,
        "convolution_gradient": convolution_gradient,
    }  # fmt: skip
    return {
        name: (eval(function, space), eval(f"({specs},)", space))
        for name, (specs, function) in PROGRAMS.items()
    }


def described(value):
    """Dtype and shape of every tensor in a nest."""
    if isinstance(value, dict):
        return [[key, described(value[key])] for key in sorted(value)]
    if isinstance(value, (list, tuple)):
        return [described(part) for part in value]
    shape = value.shape
    return {"dtype": value.dtype.name, "shape": None if shape.rank is None else shape.as_list()}
