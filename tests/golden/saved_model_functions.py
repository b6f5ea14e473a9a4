"""Objects with functions for record_saved_models.py, and graphs of TensorFlow 1: `CASES`, by name.

A function returns the object that is saved, which of its functions is called, and the arguments. A text in
place of an object is a graph that `write_v1` writes.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import tensorflow as tf
from saved_model_layers import IMAGE, SEQUENCE, floats

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def function(*specs, **options):
    return tf.function(input_signature=list(specs) or None, **options)


def of(shape=None, dtype=tf.float32):
    return tf.TensorSpec(shape, dtype)


def module(name, body, specs, arguments, **attributes):
    def build():
        made = {key: value() if callable(value) else value for key, value in attributes.items()}
        root = tf.Module()
        for key, value in made.items():
            setattr(root, key, value)
        root.run = tf.function(lambda *args: body(root, *args), input_signature=specs)
        return root, "run", [a() if callable(a) else tf.constant(a) for a in arguments]

    CASES[name] = build


module(
    "cond",
    lambda m, x: tf.cond(tf.reduce_sum(x) > 0, lambda: x * m.v, lambda: x - 1.0),
    [of([None])],
    [np.array([1, 2], "float32")],
    v=lambda: tf.Variable(3.0),
)
module(
    "cond_false",
    lambda m, x: tf.cond(tf.reduce_sum(x) > 0, lambda: x * m.v, lambda: x - m.v),
    [of([None])],
    [np.array([-1, -2], "float32")],
    v=lambda: tf.Variable(3.0),
)
module(
    "while_loop",
    lambda m, x, n: tf.while_loop(lambda i, y: i < n, lambda i, y: (i + 1, y * m.v), (0, x))[1],
    [of([None]), of([], tf.int32)],
    [np.array([1, 2], "float32"), np.int32(3)],
    v=lambda: tf.Variable(2.0),
)
module(
    "while_on_value",
    lambda m, x: tf.while_loop(lambda y: tf.reduce_sum(y) < 50.0, lambda y: (y * 2.0,), (x,))[0],
    [of([None])],
    [np.array([1, 2], "float32")],
)
module(
    "nested_while",
    lambda m, x: tf.while_loop(
        lambda i, y: i < 3,
        lambda i, y: (
            i + 1,
            tf.while_loop(lambda j, z: j < i, lambda j, z: (j + 1, tf.sin(z)), (0, y))[1],
        ),
        (0, x),
    )[1],
    [of([2])],
    [np.array([1, 2], "float32")],
)
module(
    "switch_case",
    lambda m, i, x: tf.switch_case(i, [lambda: x, lambda: x * 2.0, lambda: tf.exp(x)]),
    [of([], tf.int32), of([None])],
    [np.int32(2), np.array([1, 2], "float32")],
)


@case
def tensor_array():
    root = tf.Module()

    @tf.function(input_signature=[of([None, 2])])
    def run(x):
        array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
        for i in tf.range(tf.shape(x)[0]):
            array = array.write(i, tf.math.cumsum(x[i]) * 2.0)
        return array.stack()

    root.run = run
    return root, "run", [tf.constant(floats(3, 2))]


@case
def autograph_if():
    root = tf.Module()

    @tf.function(input_signature=[of([None])])
    def run(x):
        total = tf.zeros(())
        for i in tf.range(tf.size(x)):
            if x[i] > 0:
                total += x[i] * 3.0
            else:
                total -= 1.0
        return total

    root.run = run
    return root, "run", [tf.constant([1.0, -2.0, 3.0])]


module(
    "map_fn",
    lambda m, x: tf.map_fn(lambda row: tf.reduce_sum(row) * row, x),
    [of([None, 2])],
    [floats(3, 2)],
)
module(
    "scan",
    lambda m, x: tf.scan(lambda a, b: a * m.v + b, x),
    [of([None, 2])],
    [floats(3, 2)],
    v=lambda: tf.Variable(0.5),
)
module(
    "vectorized_map",
    lambda m, x: tf.vectorized_map(lambda r: tf.tensordot(r, m.v, 1), x),
    [of([3, 2])],
    [floats(3, 2)],
    v=lambda: tf.Variable([0.5, 2.0]),
)
module(
    "ragged",
    lambda m, x: tf.reduce_sum(x * 2.0, axis=1),
    [tf.RaggedTensorSpec([None, None], tf.float32)],
    [lambda: tf.ragged.constant([[1.0, 2.0], [], [3.0]])],
)
module(
    "ragged_result",
    lambda m, x: (x + 1.0, x.to_tensor()),
    [tf.RaggedTensorSpec([None, None], tf.float32)],
    [lambda: tf.ragged.constant([[1.0, 2.0], [], [3.0]])],
)
module(
    "sparse",
    lambda m, x: tf.sparse.sparse_dense_matmul(x, m.v),
    [tf.SparseTensorSpec([None, 3], tf.float32)],
    [lambda: tf.sparse.from_dense([[1.0, 0, 2], [0, 3, 0]])],
    v=lambda: tf.Variable(floats(3, 2)),
)
module(
    "sparse_result",
    lambda m, x: tf.sparse.from_dense(x),
    [of([None, 3])],
    [np.array([[1, 0, 2], [0, 3, 0]], "float32")],
)
module(
    "strings",
    lambda m, x: tf.strings.upper(tf.strings.join([x, x], "-")),
    [of([None], tf.string)],
    [np.array(["ab", "c"])],
)
module(
    "split", lambda m, x: tf.strings.split(x), [of([None], tf.string)], [np.array(["ab c", "d"])]
)
module(
    "regex",
    lambda m, x: tf.strings.regex_replace(x, "[aeiou]", "_"),
    [of([None], tf.string)],
    [np.array(["abe c", "d"])],
)
module(
    "ngrams",
    lambda m, x: tf.strings.ngrams(x, 2),
    [of([None, None], tf.string)],
    [np.array([["a", "b", "c"]])],
)
module(
    "unicode",
    lambda m, x: tf.strings.unicode_decode(x, "UTF-8"),
    [of([None], tf.string)],
    [np.array(["abé", "d"])],
)
module(
    "hash_buckets",
    lambda m, x: (tf.strings.to_hash_bucket_fast(x, 10), tf.strings.to_number(m.c)),
    [of([None], tf.string)],
    [np.array(["abe", "d"])],
    c=lambda: tf.constant(["1.5"]),
)
module("assert", lambda m, x: _asserted(x), [of([None])], [np.array([1, 2], "float32")])


def _asserted(x):
    tf.debugging.assert_positive(x)
    return tf.sqrt(x)


def _static_table():
    return tf.lookup.StaticHashTable(
        tf.lookup.KeyValueTensorInitializer(["a", "b"], [1.0, 2.0]), -1.0
    )


def _mutable_table():
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)
    table.insert(["x", "y"], tf.constant([7, 8], tf.int64))
    return table


def _dense_table():
    table = tf.lookup.experimental.DenseHashTable(tf.int64, tf.int64, -1, -100, -101)
    table.insert(tf.constant([1, 2], tf.int64), tf.constant([7, 8], tf.int64))
    return table


def _vocabulary_file(name):
    path = Path(sys.argv[1]) / name
    path.write_text("cat\ndog\nbird\n")
    return str(path)


module(
    "static_table",
    lambda m, x: m.table.lookup(x),
    [of([None], tf.string)],
    [np.array(["b", "z"])],
    table=_static_table,
)
module(
    "mutable_table",
    lambda m, x: m.table.lookup(x),
    [of([None], tf.string)],
    [np.array(["y", "z"])],
    table=_mutable_table,
)
module(
    "dense_table",
    lambda m, x: m.table.lookup(x),
    [of([None], tf.int64)],
    [np.array([2, 5])],
    table=_dense_table,
)
module(
    "table_from_file",
    lambda m, x: m.table.lookup(x),
    [of([None], tf.string)],
    [np.array(["dog", "z"])],
    table=lambda: tf.lookup.StaticHashTable(
        tf.lookup.TextFileInitializer(
            _vocabulary_file("words.txt"),
            tf.string,
            tf.lookup.TextFileIndex.WHOLE_LINE,
            tf.int64,
            tf.lookup.TextFileIndex.LINE_NUMBER,
        ),
        -1,
    ),
)
module(
    "vocabulary_table",
    lambda m, x: (m.table.lookup(x), m.table.size()),
    [of([None], tf.string)],
    [np.array(["dog", "z"])],
    table=lambda: tf.lookup.StaticVocabularyTable(
        tf.lookup.TextFileInitializer(
            _vocabulary_file("vocabulary.txt"),
            tf.string,
            tf.lookup.TextFileIndex.WHOLE_LINE,
            tf.int64,
            tf.lookup.TextFileIndex.LINE_NUMBER,
        ),
        2,
    ),
)
module(
    "asset",
    lambda m, x: tf.strings.join([x, tf.io.read_file(m.asset)]),
    [of([], tf.string)],
    [np.array("read: ")],
    asset=lambda: tf.saved_model.Asset(_vocabulary_file("read.txt")),
)
module(
    "parse_example",
    lambda m, x: tf.io.parse_example(
        x, {"a": tf.io.FixedLenFeature([2], tf.float32), "b": tf.io.VarLenFeature(tf.int64)}
    ),
    [of([None], tf.string)],
    [lambda: tf.constant([_example([1.0, 2.0], [3]), _example([4.0, 5.0], [6, 7])])],
)
module(
    "parse_ragged",
    lambda m, x: tf.io.parse_example(
        x, {"b": tf.io.RaggedFeature(tf.int64), "c": tf.io.FixedLenFeature([], tf.string, b"none")}
    ),
    [of([None], tf.string)],
    [lambda: tf.constant([_example([1.0, 2.0], [3]), _example([4.0, 5.0], [6, 7])])],
)
module(
    "parse_single",
    lambda m, x: tf.io.parse_single_example(x, {"a": tf.io.FixedLenFeature([2], tf.float32)}),
    [of([], tf.string)],
    [lambda: tf.constant(_example([1.0, 2.0], [3]))],
)
module(
    "decode_image",
    lambda m, x: tf.image.convert_image_dtype(tf.io.decode_png(x), tf.float32),
    [of([], tf.string)],
    [lambda: tf.io.encode_png(tf.constant(np.arange(48).reshape(4, 4, 3), tf.uint8))],
)
module(
    "image_ops",
    lambda m, x: (
        tf.image.resize(x, [3, 5]),
        tf.image.rgb_to_grayscale(x),
        tf.image.flip_left_right(x),
        tf.image.adjust_brightness(x, 2.0),
    ),
    [of([None, None, None, 3])],
    [IMAGE],
)
module(
    "linalg",
    lambda m, x: (
        tf.linalg.inv(x),
        tf.linalg.det(x),
        tf.linalg.svd(x, compute_uv=False),
        tf.linalg.cholesky(tf.matmul(x, x, transpose_b=True) + tf.eye(3)),
    ),
    [of([3, 3])],
    [floats(3, 3)],
)
module(
    "einsum",
    lambda m, x, y: tf.einsum("bij,bjk->bik", x, y),
    [of([None, None, None])] * 2,
    [floats(2, 3, 4), floats(2, 4, 2)],
)
module(
    "indexing",
    lambda m, x: (
        x[:, 1:, ..., tf.newaxis],
        x[::-1, 0],
        tf.gather(x, [1, 0], axis=1),
        tf.boolean_mask(x, x > 0),
    ),
    [of([None, None])],
    [floats(3, 4)],
)
module(
    "top_k",
    lambda m, x: (
        tf.math.top_k(x, 2),
        tf.argmax(x, 1),
        tf.sort(x),
        tf.unique(tf.reshape(x, [-1]))[1],
    ),
    [of([None, None])],
    [floats(3, 4)],
)
module(
    "segments",
    lambda m, x: (
        tf.math.segment_sum(x, [0, 0, 1]),
        tf.math.unsorted_segment_mean(x, [1, 0, 1], 2),
    ),
    [of([None, 4])],
    [floats(3, 4)],
)
module(
    "scatter",
    lambda m, x: tf.tensor_scatter_nd_update(x, [[0], [2]], m.v[:2]),
    [of([None, 4])],
    [floats(3, 4)],
    v=lambda: tf.Variable(floats(3, 4)),
)
module("fft", lambda m, x: tf.abs(tf.signal.stft(x, 4, 2)), [of([None])], [floats(16)])
module(
    "losses",
    lambda m, x, y: (
        tf.nn.sparse_softmax_cross_entropy_with_logits(y, x),
        tf.nn.log_softmax(x),
        tf.nn.sigmoid_cross_entropy_with_logits(tf.zeros_like(x), x),
    ),
    [of([None, 4]), of([None], tf.int32)],
    [floats(3, 4), np.array([0, 2, 1], "int32")],
)
module(
    "nms",
    lambda m, b, s: tf.image.non_max_suppression(b, s, 2, 0.5),
    [of([None, 4]), of([None])],
    [
        np.array([[0, 0, 1, 1], [0, 0, 1, 0.9], [0, 2, 1, 3]], "float32"),
        np.array([0.9, 0.8, 0.7], "float32"),
    ],
)
module(
    "stateless_random",
    lambda m, s: tf.random.stateless_uniform([3], s),
    [of([2], tf.int32)],
    [np.array([1, 2], "int32")],
)
module(
    "counter",
    lambda m, x: m.v.assign_add(x),
    [of([])],
    [np.float32(2)],
    v=lambda: tf.Variable(1.0, trainable=False),
)
module(
    "scatter_variable",
    lambda m, i: m.v.scatter_nd_update([[i]], [9.0]),
    [of([], tf.int32)],
    [np.int32(1)],
    v=lambda: tf.Variable([1.0, 2.0]),
)
module(
    "lookup_embedding",
    lambda m, i: tf.nn.embedding_lookup(m.v, i),
    [of([None], tf.int32)],
    [np.array([1, 0, 1], "int32")],
    v=lambda: tf.Variable(floats(3, 2)),
)
module(
    "bincount",
    lambda m, x: (tf.math.bincount(x, minlength=4), tf.one_hot(x, 4)),
    [of([None], tf.int32)],
    [np.array([1, 0, 1], "int32")],
)
module("complex", lambda m, x: tf.math.real(tf.exp(tf.complex(x, x))), [of([None])], [floats(3)])
module(
    "special",
    lambda m, x: (tf.math.lgamma(x), tf.math.erf(x), tf.math.digamma(x), tf.math.bessel_i0e(x)),
    [of([None])],
    [np.abs(floats(3)) + 1],
)
module(
    "quantised",
    lambda m, x: tf.quantization.fake_quant_with_min_max_vars(x, m.low, 3.0),
    [of([None])],
    [floats(5)],
    low=lambda: tf.Variable(-2.0),
)
module("print_and_identity", lambda m, x: _printed(x), [of([None])], [floats(3)])
module(
    "saved_gradient",
    lambda m, x: _gradient(m, x),
    [of([None])],
    [floats(3)],
    v=lambda: tf.Variable(2.0),
)
module(
    "variables_in_lists",
    lambda m, x: x * m.many[0] + m.named["a"],
    [of([])],
    [np.float32(2)],
    many=lambda: [tf.Variable(1.5, name="one"), tf.Variable(2.5, name="two")],
    named=lambda: {"a": tf.Variable(3.0, name="three")},
)
module(
    "stop_gradient",
    lambda m, x: x * tf.stop_gradient(m.v) + m.v,
    [of([])],
    [np.float32(2)],
    v=lambda: tf.Variable(2.0),
)


def _printed(x):
    tf.print("seen", tf.size(x), output_stream=sys.stderr)
    return tf.identity(x)


def _gradient(m, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.sin(x * m.v))
    return tape.gradient(y, x)


def _example(a, b):
    features = {
        "a": tf.train.Feature(float_list=tf.train.FloatList(value=a)),
        "b": tf.train.Feature(int64_list=tf.train.Int64List(value=b)),
    }
    return tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString()


@case
def custom_gradient():
    root = tf.Module()
    root.v = tf.Variable(3.0)

    @tf.custom_gradient
    def odd(x):
        return x * x, lambda dy: dy * x * 7.0

    root.run = tf.function(lambda x: odd(x) * root.v, input_signature=[of([None])])
    return root, "run", [tf.constant([1.0, 2.0])]


@case
def module_tree():
    class Linear(tf.Module):
        def __init__(self, size):
            super().__init__()
            self.w = tf.Variable(floats(size, 2), name="w")

        @tf.function
        def __call__(self, x, scale=2.0, *, shift=None):
            y = tf.matmul(x, self.w) * scale
            return y if shift is None else y + shift

    class Tree(tf.Module):
        def __init__(self):
            super().__init__()
            self.parts = [Linear(3), Linear(2)]
            self.names = {"depth": 2, "last": self.parts[1]}
            self.pair = (tf.Variable(1.0), tf.Variable(2.0, trainable=False))

        @tf.function(input_signature=[of([None, 3])])
        def __call__(self, x):
            return {
                "y": self.parts[1](self.parts[0](x)),
                "both": (self.pair[0] * 1.0, self.pair[1] + 0.0),
            }

    root = Tree()
    root.parts[0](tf.constant(floats(1, 3)), shift=tf.constant(1.0))
    root.parts[0](tf.constant(floats(1, 3)), 3.0)
    return root, "__call__", [tf.constant(floats(2, 3))]


@case
def structured_arguments():
    root = tf.Module()

    @tf.function
    def run(x, training=False, mask=None):
        total = x["a"] + x["b"][0] * x["b"][1]
        total = total * 2.0 if training else total
        return total if mask is None else total * mask

    nested = {"a": tf.constant([1.0, 2.0]), "b": (tf.constant(2.0), tf.constant([3.0, 4.0]))}
    run(nested)
    run(nested, training=True)
    run(nested, mask=tf.constant([0.0, 1.0]))
    root.run = run
    return root, "run", [nested], {"training": True}


@case
def several_signatures():
    root = tf.Module()
    root.v = tf.Variable([2.0, 3.0])
    root.run = tf.function(lambda x: x * root.v, input_signature=[of([None, 2])])
    total = tf.function(
        lambda x, y: {"sum": x + y, "product": x * y},
        input_signature=[
            tf.TensorSpec([None], tf.float32, "left"),
            tf.TensorSpec([None], tf.float32, "right"),
        ],
    )
    root.signatures_given = {"total": total, "serving_default": root.run}
    arguments = {"x": tf.constant([1.0, 2.0]), "y": tf.constant([5.0])}
    return root, "signatures.total", [], {"left": arguments["x"], "right": arguments["y"]}


@case
def estimator_style_random():
    root = tf.Module()
    root.run = tf.function(
        lambda x: tf.shape(tf.random.normal(tf.shape(x)) + tf.random.uniform([1])),
        input_signature=[of([None])],
    )
    return root, "run", [tf.constant([1.0, 2.0])]


@case
def generator_random():
    root = tf.Module()
    root.generator = tf.random.Generator.from_seed(7)
    root.run = tf.function(lambda: root.generator.normal([3]), input_signature=[])
    return root, "run", []


@case
def v1_graph():
    """A model as TF 1 exports it: a graph, variables of its own, and a signature."""
    return "v1", "signatures.serving_default", [], {"x": tf.constant(floats(2, 3))}


def quantized_network(x, weight):
    """A convolution, biases, an activation, pooling and a product, all in bytes."""
    raw = tf.raw_ops

    def as_bytes(part):
        low, high = tf.reduce_min(part), tf.reduce_max(part)
        return raw.QuantizeV2(
            input=part, min_range=low, max_range=high, T=tf.quint8, mode="MIN_FIRST"
        )

    def narrowed(part, low, high):
        new = raw.RequantizationRange(input=part, input_min=low, input_max=high)
        return raw.Requantize(
            input=part,
            input_min=low,
            input_max=high,
            requested_output_min=new[0],
            requested_output_max=new[1],
            out_type=tf.quint8,
        )

    def of_two(op, first, second, names, **more):
        ends = [f"{end}_{name}" for name in names for end in ("min", "max")]
        parts = dict(zip([*names, *ends], [first[0], second[0], *first[1:], *second[1:]]))
        return narrowed(*op(**parts, **more))

    def of_one(op, part, name, **more):
        return op(**{name: part[0], f"min_{name}": part[1], f"max_{name}": part[2]}, **more)

    maps = of_two(
        raw.QuantizedConv2D,
        as_bytes(x),
        as_bytes(tf.constant(floats(3, 3, 3, 2))),
        ("input", "filter"),
        strides=[1, 1, 1, 1],
        padding="SAME",
    )
    bias = as_bytes(tf.constant([0.5, -0.25]))
    maps = of_two(raw.QuantizedBiasAdd, maps, bias, ("input", "bias"), out_type=tf.qint32)
    maps = of_one(raw.QuantizedRelu, maps, "features")
    window = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    pooled, *ends = of_one(raw.QuantizedMaxPool, maps, "input", **window)
    rows = raw.QuantizedReshape(tensor=pooled, shape=[-1, 8], input_min=ends[0], input_max=ends[1])
    product = of_two(raw.QuantizedMatMul, rows, as_bytes(weight), ("a", "b"))
    return raw.Dequantize(
        input=product[0], min_range=product[1], max_range=product[2], mode="MIN_FIRST"
    )


def write_v1(kind, folder):
    v1 = tf.compat.v1
    with tf.Graph().as_default(), v1.Session() as session:
        initializer = None
        if kind == "v1":
            x = v1.placeholder(tf.float32, [None, 3], name="x")
            weight = v1.get_variable("w", initializer=floats(3, 2), use_resource=True)
            y = tf.nn.relu(tf.matmul(x, weight), name="y")
        elif kind == "v1_table":
            x = v1.placeholder(tf.string, [None], name="x")
            weight = v1.get_variable("w", initializer=floats(4, 2), use_resource=False)
            table = tf.lookup.StaticHashTable(
                tf.lookup.TextFileInitializer(
                    _vocabulary_file("old.txt"),
                    tf.string,
                    tf.lookup.TextFileIndex.WHOLE_LINE,
                    tf.int64,
                    tf.lookup.TextFileIndex.LINE_NUMBER,
                ),
                3,
            )
            y = tf.gather(weight, table.lookup(x))
            initializer = v1.tables_initializer()
        elif kind == "v1_parts":
            x = v1.placeholder(tf.int32, [None], name="x")

            def ramp(shape, dtype, partition_info):
                first = sum(partition_info.var_offset)
                numbers = tf.range(first, first + np.prod(shape)) % 7
                return tf.cast(tf.reshape(numbers, shape), dtype)

            weights, columns = [
                v1.get_variable(
                    name, shape, initializer=ramp, partitioner=v1.fixed_size_partitioner(*parts)
                )
                for name, shape, parts in (("w", [20000, 1], (3, 0)), ("c", [1, 70], (2, 1)))
            ]
            rows = tf.gather(tf.convert_to_tensor(weights), x)
            y = tf.matmul(rows, tf.convert_to_tensor(columns))
        elif kind == "v1_quantized":
            x = v1.placeholder(tf.float32, [None, 4, 4, 3], name="x")
            y = quantized_network(x, v1.get_variable("w", initializer=floats(8, 5)))
        elif kind == "v1_rnn":
            x = v1.placeholder(tf.float32, [None, 4, 3], name="x")
            weight = v1.get_variable("w", initializer=floats(3, 3), use_resource=True)
            array = tf.TensorArray(tf.float32, 4).unstack(tf.transpose(x, [1, 0, 2]))
            step = lambda i, h, out: (
                i + 1,
                tf.tanh(tf.matmul(h, weight) + array.read(i)),
                out.write(i, h),
            )
            start = (0, tf.zeros_like(x[:, 0]), tf.TensorArray(tf.float32, 4))
            y = v1.while_loop(lambda i, h, out: i < 4, step, start)[2].stack()
        else:
            dtype = (
                tf.float32 if kind == "v1_cond" else tf.int32
            )  # TensorFlow has no gradient of the loop
            x = v1.placeholder(dtype, [None], name="x")
            if kind == "v1_cond":
                y = v1.cond(tf.reduce_sum(x) > 2.0, lambda: x * 3.0, lambda: x - 1.0)
            else:
                y = v1.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * 2 + x), [0, x])[1]
            v1.get_variable("w", initializer=2.0)
        session.run([v1.global_variables_initializer(), v1.tables_initializer()])
        v1.saved_model.simple_save(session, folder, {"x": x}, {"y": y}, initializer)


@case
def data_set():
    """Ops that are not there here: a data set inside of a function."""
    root = tf.Module()

    @tf.function(input_signature=[of([None])])
    def run(x):
        total = tf.zeros(())
        for part in tf.data.Dataset.from_tensor_slices(x):
            total += part
        return total

    root.run = run
    root.double = tf.function(lambda x: 2.0 * x, input_signature=[of([None])])
    return root, "double", [tf.constant([1.0, 2.0])]


module("array_parts", lambda m, x: _parts(x), [of([None, 2])], [floats(4, 2)])
module(
    "crop_and_resize",
    lambda m, x: tf.image.crop_and_resize(x, [[0.1, 0.2, 0.8, 0.9]], [0], [3, 3]),
    [of([None, 6, 6, 3])],
    [IMAGE],
)
module(
    "patches",
    lambda m, x: tf.image.extract_patches(x, [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID"),
    [of([None, 6, 6, 3])],
    [IMAGE],
)
module(
    "jpeg",
    lambda m, x: tf.shape(tf.io.decode_image(x, expand_animations=False)),
    [of([], tf.string)],
    [lambda: tf.io.encode_jpeg(tf.constant(np.arange(48).reshape(4, 4, 3), tf.uint8))],
)
module(
    "text_parts",
    lambda m, x: (
        tf.strings.length(x),
        tf.strings.substr(x, 0, 2),
        tf.strings.lower(x),
        tf.strings.strip(x),
        tf.strings.reduce_join(x),
        tf.strings.as_string(tf.size(x)),
    ),
    [of([None], tf.string)],
    [np.array(["Abe ", "De"])],
)
module(
    "bytes",
    lambda m, x: (tf.io.decode_raw(x, tf.uint8), tf.io.encode_base64(x)),
    [of([None], tf.string)],
    [np.array(["abcd", "efgh"])],
)
module(
    "ragged_range",
    lambda m, x: tf.ragged.range(x),
    [of([None], tf.int32)],
    [np.array([2, 0, 1], "int32")],
)
module(
    "sparse_parts",
    lambda m, x: (
        tf.sparse.reduce_sum(x, 1),
        tf.sparse.to_dense(tf.sparse.reorder(x)),
        tf.sparse.slice(x, [0, 0], [1, 2]).values,
    ),
    [tf.SparseTensorSpec([None, 3], tf.float32)],
    [lambda: tf.sparse.from_dense([[1.0, 0, 2], [0, 3, 0]])],
)
module(
    "embedding_sparse",
    lambda m, x: tf.nn.safe_embedding_lookup_sparse(m.v, x, combiner="mean"),
    [tf.SparseTensorSpec([None, 3], tf.int64)],
    [lambda: tf.sparse.from_dense(np.array([[1, 0, 2], [0, 2, 0]], "int64"))],
    v=lambda: tf.Variable(floats(3, 2)),
)
module(
    "eigen",
    lambda m, x: (
        tf.linalg.eigvalsh(x + tf.transpose(x)),
        tf.linalg.solve(x, x[:, :1]),
        tf.linalg.qr(x)[1] ** 2,
    ),
    [of([3, 3])],
    [floats(3, 3)],
)
module(
    "scans",
    lambda m, x: (
        tf.cumsum(x, 1, reverse=True),
        tf.math.cumulative_logsumexp(x, 0),
        tf.math.cumprod(x, exclusive=True),
    ),
    [of([None, 4])],
    [floats(3, 4)],
)
module(
    "pads",
    lambda m, x: (
        tf.pad(x, [[1, 1], [0, 2]], "REFLECT") if False else tf.pad(x, [[1, 1], [2, 2]], "REFLECT"),
        tf.roll(x, 1, 0),
        tf.reverse(x, [1]),
        tf.repeat(x, 2, 0),
        tf.tile(x, [1, 2]),
        tf.space_to_batch(x[tf.newaxis, ..., tf.newaxis], [2, 2], [[0, 1], [0, 0]]),
    ),
    [of([3, 4])],
    [floats(3, 4)],
)
module(
    "norms",
    lambda m, x: (
        tf.nn.l2_normalize(x, 1),
        tf.nn.moments(x, [0])[1],
        tf.nn.local_response_normalization(x[tf.newaxis, tf.newaxis]),
    ),
    [of([3, 4])],
    [floats(3, 4)],
)
module(
    "argmax_pool",
    lambda m, x: tf.nn.max_pool_with_argmax(x, 2, 2, "SAME"),
    [of([None, 6, 6, 3])],
    [IMAGE],
)
module(
    "dilation",
    lambda m, x: tf.nn.dilation2d(x, m.v, [1, 1, 1, 1], "SAME", "NHWC", [1, 1, 1, 1]),
    [of([None, 6, 6, 3])],
    [IMAGE],
    v=lambda: tf.Variable(floats(2, 2, 3)),
)
module(
    "ctc",
    lambda m, x, y: tf.nn.ctc_loss(
        y, x, tf.constant([2, 1]), tf.constant([4, 4]), logits_time_major=False, blank_index=0
    ),
    [of([2, 4, 3]), of([2, 2], tf.int32)],
    [SEQUENCE, np.array([[1, 2], [2, 0]], "int32")],
)
module(
    "second_gradient",
    lambda m, x: _second(m, x),
    [of([None])],
    [floats(3)],
    v=lambda: tf.Variable(2.0),
)
module("jacobian", lambda m, x: _jacobian(x), [of([3])], [floats(3)])
module(
    "clip",
    lambda m, x: tf.clip_by_global_norm([x, x * m.v], 1.0)[0],
    [of([None])],
    [floats(3)],
    v=lambda: tf.Variable(2.0),
)
module("searchsorted", lambda m, x: tf.searchsorted([0.0, 1.0, 2.0], x), [of([None])], [floats(3)])
module(
    "nested_results",
    lambda m, x: {"b": [x, (x + 1.0, {"c": x * 2.0})], "a": x[0]},
    [of([None])],
    [floats(3)],
)
module("none_results", lambda m, x: (x, None, [x + 1.0]), [of([None])], [floats(3)])


def _parts(x):
    array = tf.TensorArray(tf.float32, size=2, infer_shape=False).split(x, [1, tf.shape(x)[0] - 1])
    other = tf.TensorArray(tf.float32, size=4).unstack(x)
    return (
        array.concat(),
        other.gather([2, 0]),
        other.read(1),
        tf.TensorArray(tf.float32, 4).scatter([1, 0, 3, 2], x).stack(),
    )


def _second(m, x):
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = tf.reduce_sum(x * x * x * m.v)
        first = inner.gradient(y, x)
    return outer.gradient(first, x)


def _jacobian(x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * tf.reduce_sum(x)
    return tape.jacobian(y, x)


@case
def v1_cond():
    """A branch of TensorFlow 1: nodes on both sides, of which one is computed."""
    return "v1_cond", "signatures.serving_default", [], {"x": tf.constant([3.0, 1.0])}


@case
def v1_while():
    """A loop of TensorFlow 1: nodes in a circle."""
    return "v1_while", "signatures.serving_default", [], {"x": tf.constant([3, 1])}


@case
def v1_rnn():
    """A recurrent network of TensorFlow 1: a loop with arrays of tensors."""
    return "v1_rnn", "signatures.serving_default", [], {"x": tf.constant(SEQUENCE)}


@case
def v1_table():
    """A table of TensorFlow 1, filled from an asset, and a variable that is a tensor by itself."""
    return "v1_table", "signatures.serving_default", [], {"x": tf.constant(["dog", "z"])}


@case
def v1_quantized():
    """A network in bytes, as tools of TensorFlow 1 have made them of trained ones."""
    return "v1_quantized", "signatures.serving_default", [], {"x": tf.constant(floats(2, 4, 4, 3))}


@case
def v1_parts():
    """Variables of TensorFlow 1 that are spread over several: the checkpoint has slices of one tensor."""
    return "v1_parts", "signatures.serving_default", [], {"x": tf.constant([0, 9000, 19999])}
