"""A Keras model is trained, asked why a gradient is None, saved, and loaded again.

pip install "tapegrad[keras]"
python examples/gallery/keras_model.py [picture]
"""

import sys
import tempfile
from pathlib import Path

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt
import numpy as np

import tapegrad as tf


def rings(count: int) -> tuple[np.ndarray, np.ndarray]:
    """Points of three rings, and the number of the ring."""
    random = np.random.default_rng(0)
    ring = random.integers(0, 3, count)
    angle, radius = (
        random.uniform(0, 2 * np.pi, count),
        0.5 + ring + random.normal(scale=0.15, size=count),
    )
    return np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).astype(
        "float32"
    ), ring


def main(path: str) -> None:
    tf.keras.utils.set_random_seed(0)
    points, labels = rings(1500)
    model = tf.keras.Sequential(
        [
            tf.keras.layers.Input([2]),
            tf.keras.layers.Dense(32, "tanh"),
            tf.keras.layers.Dense(32, "tanh"),
            tf.keras.layers.Dense(3),
        ]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    model.compile("adam", loss, metrics=["accuracy"])
    history = model.fit(points, labels, batch_size=50, epochs=20, verbose=0).history

    # The class with the largest logit has no gradient, and the tape says so.
    with tf.GradientTape() as tape:
        classes = tf.argmax(model(points), axis=1)
        wrong = tf.reduce_mean(tf.cast(classes != labels, tf.float32))
    explanation = tape.explain(wrong, model.trainable_variables)
    reasons = {source.reason.value for source in explanation}

    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "rings.keras"
        model.save(file)
        loaded = tf.keras.models.load_model(file)
    difference = float(tf.reduce_max(tf.abs(model(points) - loaded(points))))

    x, y = np.meshgrid(np.linspace(-3, 3, 120), np.linspace(-3, 3, 120))
    grid = np.stack([x.ravel(), y.ravel()], axis=1).astype("float32")
    figure, (left, right) = plt.subplots(1, 2, figsize=(7, 3.2), layout="constrained")
    left.contourf(
        x, y, tf.argmax(loaded(grid), axis=1).numpy().reshape(x.shape), levels=2, alpha=0.4
    )
    left.scatter(*points[:400].T, c=labels[:400], s=6)
    left.set_axis_off()
    right.plot(history["accuracy"])
    right.set(xlabel="epoch", title="part that is right")
    figure.savefig(path, dpi=80)
    print(
        f"right {history['accuracy'][-1]:.3f}; the loaded model differs by {difference:.6f};"
        f" no gradient because: {', '.join(sorted(reasons))}"
    )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "keras_model.png")
