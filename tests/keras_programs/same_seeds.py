"""The same seeds give the same weights and losses: networks with random layers, and every optimizer."""
# tolerance: relative 1e-4 absolute 1e-5 (epochs of training in float32)

import inspect

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

ROWS = 50
random = np.random.RandomState(0)
numbers = random.randn(ROWS, 8).astype("float32")
images = random.randn(ROWS, 8, 8, 2).astype("float32")
words = random.randint(0, 9, (ROWS, 6))
labels = random.randint(0, 3, ROWS)


def mlp():
    return keras.Sequential([
        keras.Input((8,)),
        layers.Dense(16, "relu"),
        layers.Dropout(0.3),
        layers.BatchNormalization(),
        layers.GaussianNoise(0.1),
        layers.Dense(3),
    ])  # fmt: skip


def cnn():
    return keras.Sequential([
        keras.Input((8, 8, 2)),
        layers.RandomFlip(),
        layers.Conv2D(4, 3, padding="same", activation="relu"),
        layers.SpatialDropout2D(0.2),
        layers.MaxPooling2D(),
        layers.Conv2D(4, 3, kernel_initializer="he_normal"),
        layers.GlobalAveragePooling2D(),
        layers.AlphaDropout(0.1),
        layers.Dense(3),
    ])  # fmt: skip


def recurrent():
    return keras.Sequential([
        keras.Input((6,), dtype="int32"),
        layers.Embedding(9, 5, mask_zero=True),
        layers.LSTM(7, return_sequences=True, dropout=0.2, recurrent_dropout=0.1),
        layers.Bidirectional(layers.GRU(4, dropout=0.1)),
        layers.Dense(3),
    ])  # fmt: skip


def attention():
    given = keras.Input((6,), dtype="int32")
    x = layers.Embedding(9, 8)(given)
    x = layers.LayerNormalization()(x + layers.MultiHeadAttention(2, 4, dropout=0.2)(x, x))
    return keras.Model(given, layers.Dense(3)(layers.GlobalAveragePooling1D()(x)))


def train(name, make, inputs, optimizer, epochs=2, **how):
    """Train a model as the seed makes it, and print its weights before and after, and the losses between."""
    keras.utils.set_random_seed(7)
    model = make()
    sums(f"{name} begins", model)
    loss = keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile(optimizer, loss, **how)
    history = model.fit(inputs, labels, 8, epochs, verbose=0, validation_split=0.2).history
    print(name, {key: np.round(values, 6).tolist() for key, values in sorted(history.items())})
    sums(f"{name} ends", model)


def sums(name, model):
    print(name, [round(float(np.sum(np.cos(np.float64(each)))), 4) for each in model.get_weights()])


train("mlp", mlp, numbers, "adam", run_eagerly=True)
train("mlp in threes", mlp, numbers, "sgd", steps_per_execution=3)
train("cnn", cnn, images, "adam")
train("recurrent", recurrent, words, "adam")
train("attention", attention, words, "adam")

schedule = keras.optimizers.schedules.ExponentialDecay(0.01, 5, 0.9)
options = {"weight_decay": 0.01, "clipnorm": 1.0, "use_ema": True, "gradient_accumulation_steps": 2}
for name in sorted(dir(keras.optimizers)):
    kind = getattr(keras.optimizers, name)
    if not inspect.isclass(kind) or not issubclass(kind, keras.optimizers.Optimizer):
        continue
    if name in ("Optimizer", "LossScaleOptimizer", "MultiOptimizer"):
        continue
    # TensorFlow's graph forgets where ScheduleFreeAdamW begins.
    eager = name == "ScheduleFreeAdamW"
    how = {} if name == "Muon" else options
    train(name, mlp, numbers, kind(schedule, **how), 2, run_eagerly=eager)
