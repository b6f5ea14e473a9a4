"""The same seeds give the same losses to rounding with mixed precision too, which rounds to 8 or 11 bits."""
# tolerance: relative 4e-3 absolute 4e-3 (bits; TensorFlow keeps products in float32 that its own ops round)

import numpy as np
from tensorflow import keras
from tensorflow.keras import layers

random = np.random.RandomState(0)
numbers = random.randn(50, 8).astype("float32")
images = random.randn(50, 8, 8, 2).astype("float32")
words = random.randint(0, 9, (50, 6))
labels = random.randint(0, 3, 50)

NETWORKS = {
    "mlp": (
        numbers,
        lambda: [layers.Dense(16, "relu"), layers.Dropout(0.3), layers.BatchNormalization()],
    ),
    "cnn": (
        images,
        lambda: [layers.Conv2D(4, 3, activation="relu"), layers.Dropout(0.3), layers.Flatten()],
    ),
    "lstm": (words, lambda: [layers.Embedding(9, 5, mask_zero=True), layers.LSTM(7, dropout=0.2)]),
}

for policy in ("mixed_bfloat16", "mixed_float16", "float64"):
    for name, (inputs, body) in NETWORKS.items():
        keras.utils.set_random_seed(7)
        keras.mixed_precision.set_global_policy(policy)
        model = keras.Sequential([*body(), layers.Dense(3, dtype="float32")])
        model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
        losses = model.fit(inputs, labels, batch_size=8, epochs=2, verbose=0).history["loss"]
        print(policy, name, np.round(losses, 4).tolist())
