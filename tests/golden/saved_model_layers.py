"""Models of Keras for record_saved_models.py: most have one layer. `CASES` has a function for each name.

It returns the object that is saved, which of its functions is called, and the arguments.
"""

from __future__ import annotations

import keras
import numpy as np
import tensorflow as tf
from keras import layers as L

CASES = {}


def floats(*shape, dtype="float32"):
    return np.random.default_rng(sum(shape)).normal(size=shape).astype(dtype)


def case(function):
    CASES[function.__name__] = function
    return function


def of_layers(name, layers, *inputs, way="export", call=None, shapes=None):
    """A model of layers in a row, or of one layer that takes several inputs."""

    def build():
        keras.utils.set_random_seed(1)
        given = [
            keras.Input(shape, dtype=str(x.dtype) if x.dtype != object else "string")
            for x, shape in zip(inputs, shapes or [x.shape[1:] for x in inputs], strict=True)
        ]
        value = given if len(given) > 1 else given[0]
        for layer in layers():
            value = layer(value)
        model = keras.Model(given if len(given) > 1 else given[0], value)
        rng = np.random.default_rng(3)
        for variable in model.trainable_variables:  # zeros would hide what is wrong
            noise = rng.normal(size=variable.shape, scale=0.1).astype("float32")
            variable.assign(np.asarray(variable.value, "float32") + noise)
        arguments = (
            [list(map(tf.constant, inputs))] if len(inputs) > 1 else [tf.constant(inputs[0])]
        )
        if way == "export":
            return model, call or "serve", arguments
        return model, call or "signatures.serving_default", arguments

    build.way = way
    CASES[name] = build


def layer(name, make, *inputs, **options):
    of_layers(name, lambda: [make()], *inputs, **options)


def any_length(name, layers, rows):
    """A model that takes any number of steps."""
    of_layers(name, layers, rows, shapes=[(None, *rows.shape[2:])])


X = floats(3, 5)
SEQUENCE = floats(2, 4, 3)
IMAGE = floats(2, 6, 6, 3)
VOLUME = floats(1, 4, 4, 4, 2)
PAIR = (floats(2, 4), floats(2, 4) + 1)
IDS = np.array([[1, 2, 0], [3, 1, 1]], "int32")
layer("dense", lambda: L.Dense(3), X)
layer("dense_relu", lambda: L.Dense(3, activation="relu"), X)
ACTIVATIONS = (
    "elu gelu selu softplus softsign silu tanh sigmoid hard_sigmoid softmax exponential mish"
)


for activation in ACTIVATIONS.split():
    layer(f"activation_{activation}", lambda a=activation: L.Activation(a), X)
layer("leaky_relu", lambda: L.LeakyReLU(), X)
layer("prelu", lambda: L.PReLU(), X)
layer("relu_bounded", lambda: L.ReLU(6.0, 0.1, 0.2), X)
layer("conv1d", lambda: L.Conv1D(2, 3, padding="causal"), SEQUENCE)
layer("conv2d", lambda: L.Conv2D(2, 3, strides=2, padding="same"), IMAGE)
layer("conv2d_dilated", lambda: L.Conv2D(2, 2, dilation_rate=2), IMAGE)
layer("conv3d", lambda: L.Conv3D(2, 2), VOLUME)
layer("conv2d_transpose", lambda: L.Conv2DTranspose(2, 3, strides=2), IMAGE)
layer("conv1d_transpose", lambda: L.Conv1DTranspose(2, 3), SEQUENCE)
layer("depthwise_conv2d", lambda: L.DepthwiseConv2D(3), IMAGE)
layer("separable_conv2d", lambda: L.SeparableConv2D(2, 3), IMAGE)
layer("separable_conv1d", lambda: L.SeparableConv1D(2, 3), SEQUENCE)
layer("max_pool2d", lambda: L.MaxPooling2D(2), IMAGE)
layer("average_pool2d", lambda: L.AveragePooling2D(2, padding="same"), IMAGE)
layer("max_pool1d", lambda: L.MaxPooling1D(2), SEQUENCE)
layer("average_pool3d", lambda: L.AveragePooling3D(2), VOLUME)
layer("global_average_pool2d", lambda: L.GlobalAveragePooling2D(), IMAGE)
layer("global_max_pool1d", lambda: L.GlobalMaxPooling1D(), SEQUENCE)
layer("batch_normalization", lambda: L.BatchNormalization(), IMAGE)
layer("layer_normalization", lambda: L.LayerNormalization(), X)
layer("group_normalization", lambda: L.GroupNormalization(3), IMAGE)
layer("unit_normalization", lambda: L.UnitNormalization(), X)
layer("spectral_normalization", lambda: L.SpectralNormalization(L.Dense(2)), X)
layer("rms_normalization", lambda: L.RMSNormalization(), X)
layer("embedding", lambda: L.Embedding(5, 3), IDS)
layer("embedding_masked", lambda: L.Embedding(5, 3, mask_zero=True), IDS)
of_layers("embedding_lstm_masked", lambda: [L.Embedding(5, 3, mask_zero=True), L.LSTM(3)], IDS)
layer("flatten", lambda: L.Flatten(), IMAGE)
layer("reshape", lambda: L.Reshape((3, 4)), floats(2, 12))
layer("permute", lambda: L.Permute((2, 1)), SEQUENCE)
layer("repeat_vector", lambda: L.RepeatVector(3), X)
layer("cropping2d", lambda: L.Cropping2D(1), IMAGE)
layer("zero_padding2d", lambda: L.ZeroPadding2D(1), IMAGE)
layer("up_sampling2d", lambda: L.UpSampling2D(2, interpolation="bilinear"), IMAGE)
layer("resizing", lambda: L.Resizing(4, 4), IMAGE)
layer("center_crop", lambda: L.CenterCrop(4, 4), IMAGE)
layer("rescaling", lambda: L.Rescaling(0.5, 1.0), IMAGE)
layer("dropout", lambda: L.Dropout(0.5), X)
layer("gaussian_noise", lambda: L.GaussianNoise(0.5), X)
layer("add", lambda: L.Add(), *PAIR)
layer("multiply", lambda: L.Multiply(), *PAIR)
layer("maximum", lambda: L.Maximum(), *PAIR)
layer("concatenate", lambda: L.Concatenate(), *PAIR)
layer("dot", lambda: L.Dot(1), *PAIR)
layer("lstm", lambda: L.LSTM(3), SEQUENCE)
layer("lstm_sequences", lambda: L.LSTM(3, return_sequences=True), SEQUENCE)
layer("lstm_recurrent_activation", lambda: L.LSTM(2, activation="relu"), SEQUENCE)
layer("gru", lambda: L.GRU(3), SEQUENCE)
layer("gru_before", lambda: L.GRU(3, reset_after=False), SEQUENCE)
layer("simple_rnn", lambda: L.SimpleRNN(3), SEQUENCE)
layer("bidirectional", lambda: L.Bidirectional(L.LSTM(2)), SEQUENCE)
layer("rnn_stacked", lambda: L.RNN([L.LSTMCell(2), L.GRUCell(2)]), SEQUENCE)
layer("rnn_unrolled", lambda: L.SimpleRNN(2, unroll=True), SEQUENCE)
layer("conv_lstm2d", lambda: L.ConvLSTM2D(2, 2), floats(1, 3, 4, 4, 1))
layer("time_distributed", lambda: L.TimeDistributed(L.Dense(2)), SEQUENCE)
layer("attention", lambda: L.Attention(), SEQUENCE, SEQUENCE + 1)
layer("additive_attention", lambda: L.AdditiveAttention(), SEQUENCE, SEQUENCE + 1)
layer(
    "einsum_dense",
    lambda: L.EinsumDense("abc,cd->abd", output_shape=(None, 2), bias_axes="d"),
    SEQUENCE,
)
layer("normalization", lambda: L.Normalization(mean=[0.0] * 5, variance=[2.0] * 5), X)
layer("discretization", lambda: L.Discretization([0.0, 1.0]), X)
layer("category_encoding", lambda: L.CategoryEncoding(5, "count"), IDS)
layer("hashing", lambda: L.Hashing(4), IDS)
layer("integer_lookup", lambda: L.IntegerLookup(vocabulary=[1, 2, 9]), IDS.astype("int64"))
WORDS = np.array([["cat"], ["dog"], ["bird"]], object)
layer("string_lookup", lambda: L.StringLookup(vocabulary=["cat", "bird"]), WORDS)
layer(
    "string_lookup_one_hot",
    lambda: L.StringLookup(vocabulary=["cat", "bird"], output_mode="multi_hot"),
    WORDS,
)
layer(
    "string_lookup_invert",
    lambda: L.StringLookup(vocabulary=["cat", "bird"], invert=True),
    IDS.astype("int64"),
)
TEXTS = np.array([["the cat, sat."], ["A dog ran away"]], object)
layer(
    "text_vectorization",
    lambda: L.TextVectorization(vocabulary=["cat", "dog", "the"], output_sequence_length=5),
    TEXTS,
)
layer(
    "text_vectorization_tf_idf",
    lambda: L.TextVectorization(
        vocabulary=["cat", "dog", "the"], idf_weights=[0.5, 0.6, 0.7], output_mode="tf_idf"
    ),
    TEXTS,
)
layer(
    "text_vectorization_ngrams",
    lambda: L.TextVectorization(vocabulary=["the cat", "dog"], ngrams=2, output_sequence_length=6),
    TEXTS,
)
layer("masking", lambda: L.Masking(), SEQUENCE)
of_layers("masked_gru", lambda: [L.Masking(), L.GRU(2, return_sequences=True)], SEQUENCE)
of_layers(
    "small_network",
    lambda: [L.Conv2D(4, 3), L.BatchNormalization(), L.ReLU(), L.Flatten(), L.Dense(2)],
    IMAGE,
)


for name in (
    "RandomFlip RandomRotation RandomZoom RandomContrast RandomTranslation RandomBrightness".split()
):
    layer(
        f"augment_{name.lower()}",
        lambda n=name: getattr(L, n)(
            *([] if n == "RandomFlip" else [(0.1, 0.2)] if n != "RandomTranslation" else [0.1, 0.1])
        ),
        IMAGE,
    )
layer(
    "mel_spectrogram",
    lambda: L.MelSpectrogram(num_mel_bins=4, sampling_rate=64, sequence_stride=8, fft_length=16),
    floats(1, 64),
)
layer(
    "hashed_crossing",
    lambda: L.HashedCrossing(5),
    np.array([["a"], ["b"]], object),
    np.array([["x"], ["y"]], object),
)
layer("alpha_dropout", lambda: L.AlphaDropout(0.2), X)
layer("spatial_dropout", lambda: L.SpatialDropout1D(0.2), SEQUENCE)
layer("activity_regularization", lambda: L.ActivityRegularization(0.1), X)
layer("up_sampling1d", lambda: L.UpSampling1D(2), SEQUENCE)
layer("up_sampling3d", lambda: L.UpSampling3D(2), VOLUME)
layer("zero_padding1d", lambda: L.ZeroPadding1D(1), SEQUENCE)
layer("cropping3d", lambda: L.Cropping3D(1), VOLUME)
layer("conv3d_transpose", lambda: L.Conv3DTranspose(1, 2), VOLUME)
layer("depthwise_conv1d", lambda: L.DepthwiseConv1D(2), SEQUENCE)
layer("subtract", lambda: L.Subtract(), *PAIR)
layer("average", lambda: L.Average(), *PAIR)
layer("minimum", lambda: L.Minimum(), *PAIR)
layer("softmax_layer", lambda: L.Softmax(), X)
layer("elu_layer", lambda: L.ELU(), X)
layer("global_max_pool3d", lambda: L.GlobalMaxPooling3D(), VOLUME)
layer(
    "adaptive_pool",
    lambda: (
        L.AdaptiveAveragePooling2D(2)
        if hasattr(L, "AdaptiveAveragePooling2D")
        else L.AveragePooling2D(3)
    ),
    IMAGE,
)
layer(
    "reversible_embedding",
    lambda: L.ReversibleEmbedding(5, 3) if hasattr(L, "ReversibleEmbedding") else L.Embedding(5, 3),
    IDS,
)
layer("gru_back", lambda: L.GRU(2, go_backwards=True, return_sequences=True), SEQUENCE)
layer("lstm_stateful_off", lambda: L.LSTM(2, use_bias=False, unit_forget_bias=False), SEQUENCE)
layer(
    "bidirectional_gru",
    lambda: L.Bidirectional(L.GRU(2, return_sequences=True), merge_mode="sum"),
    SEQUENCE,
)
layer(
    "text_vectorization_chars",
    lambda: L.TextVectorization(vocabulary=["a", "c"], split="character", output_mode="count"),
    TEXTS,
)
layer(
    "string_lookup_count",
    lambda: L.StringLookup(vocabulary=["cat", "bird"], output_mode="count", num_oov_indices=2),
    WORDS,
)
layer(
    "integer_lookup_tf_idf",
    lambda: L.IntegerLookup(vocabulary=[1, 2], idf_weights=[0.5, 0.2], output_mode="tf_idf"),
    IDS.astype("int64"),
)


def application(name, size=32, **options):
    """A network of keras.applications, with small pictures and random weights."""

    def build():
        keras.utils.set_random_seed(1)
        make = getattr(keras.applications, name)
        model = make(weights=None, input_shape=(size, size, 3), classes=5, **options)
        return model, "serve", [tf.constant(floats(2, size, size, 3))]

    CASES[f"application_{name.lower()}"] = build


application("MobileNetV2", alpha=0.35)
application("MobileNetV3Small")
application("EfficientNetB0")
application("ResNet50")
application("ConvNeXtTiny")


# The same by tf.saved_model.save, whose objects are the model's own.
layer("saved_dense", lambda: L.Dense(3), X, way="save")
layer("saved_conv2d", lambda: L.Conv2D(2, 3), IMAGE, way="save", call="signatures.serving_default")
layer("saved_lstm", lambda: L.LSTM(3), SEQUENCE, way="save")
for steps in (1, 9):  # of layers that take any number of them
    rows = floats(2, steps, 3)
    any_length(f"lstm_of_any_length_{steps}", lambda: [L.LSTM(3)], rows)
    any_length(f"gru_of_any_length_{steps}", lambda: [L.Masking(), L.GRU(2)], rows)
    any_length(
        f"simple_rnn_of_any_length_{steps}", lambda: [L.SimpleRNN(2, return_sequences=True)], rows
    )
    any_length(f"bidirectional_of_any_length_{steps}", lambda: [L.Bidirectional(L.LSTM(2))], rows)
layer("saved_batch_normalization", lambda: L.BatchNormalization(), X, way="save")
layer("saved_string_lookup", lambda: L.StringLookup(vocabulary=["cat", "bird"]), WORDS, way="save")
layer("saved_dropout", lambda: L.Dropout(0.5), X, way="save")
layer("signature_dense", lambda: L.Dense(3), X, call="signatures.serving_default")


@case
def multi_head_attention():
    given = keras.Input((4, 3))
    model = keras.Model(given, L.MultiHeadAttention(2, 2)(given, given))
    return model, "serve", [tf.constant(SEQUENCE)]


@case
def mixed_precision():
    keras.utils.set_random_seed(1)
    given = keras.Input((5,))
    model = keras.Model(given, L.Dense(3, dtype="mixed_float16", activation="relu")(given))
    return model, "serve", [tf.constant(X)]


@case
def mixed_bfloat16():
    keras.utils.set_random_seed(1)
    given = keras.Input((5,))
    model = keras.Model(given, L.Dense(3, dtype="mixed_bfloat16")(given))
    return model, "serve", [tf.constant(X)]


@case
def several_outputs():
    keras.utils.set_random_seed(1)
    a, b = keras.Input((3,), name="left"), keras.Input((2,), name="right")
    joined = L.Concatenate()([a, b])
    model = keras.Model({"left": a, "right": b}, {"sum": L.Dense(2)(joined), "long": L.Dense(1)(a)})
    return model, "serve", [{"left": tf.constant(floats(2, 3)), "right": tf.constant(floats(2, 2))}]


@case
def grouped_query_attention():
    given = keras.Input((4, 4))
    model = keras.Model(given, L.GroupQueryAttention(2, 4, 2)(given, given))
    return model, "serve", [tf.constant(floats(2, 4, 4))]


@case
def quantised_dense():
    keras.utils.set_random_seed(1)
    model = keras.Sequential([keras.Input((8,)), L.Dense(4)])
    model.quantize("int8")
    return model, "serve", [tf.constant(floats(3, 8))]


@case
def residual_network():
    keras.utils.set_random_seed(1)
    given = keras.Input((6, 6, 3))
    value = L.Conv2D(4, 3, padding="same")(given)
    for _ in range(2):
        inner = L.Conv2D(4, 3, padding="same")(L.ReLU()(L.BatchNormalization()(value)))
        value = L.Add()([value, inner])
    model = keras.Model(given, L.Dense(2)(L.GlobalAveragePooling2D()(value)))
    return model, "serve", [tf.constant(IMAGE)]


@case
def transformer_block():
    keras.utils.set_random_seed(1)
    given = keras.Input((4,), dtype="int32")
    value = L.Embedding(7, 4)(given)
    value = L.LayerNormalization()(
        value + L.MultiHeadAttention(2, 2)(value, value, use_causal_mask=True)
    )
    model = keras.Model(given, L.Dense(3)(L.Dense(8, activation="gelu")(value)))
    return model, "serve", [tf.constant([[1, 2, 3, 0]], tf.int32)]
