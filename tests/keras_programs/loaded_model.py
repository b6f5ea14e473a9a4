# A model that Keras exported, as a layer: keras.layers.TFSMLayer, alone and inside of a model that is trained.
import pathlib
import tarfile
import tempfile

import keras
import numpy as np

folder = pathlib.Path(tempfile.mkdtemp())
with tarfile.open(pathlib.Path(__file__).parents[1] / "golden" / "saved_models.tar.xz") as archive:
    if hasattr(tarfile, "data_filter"):  # not before Python 3.11.4
        archive.extraction_filter = tarfile.data_filter
    archive.extractall(folder)

x = np.linspace(-1, 1, 24).reshape(2, 4, 3).astype("float32")
layer = keras.layers.TFSMLayer(str(folder / "lstm" / "model"), call_endpoint="serve")
print(np.round(layer(x), 5))
print(len(layer.trainable_weights), sorted(tuple(weight.shape) for weight in layer.weights))

given = keras.Input((4, 3))
model = keras.Model(given, keras.layers.Dense(1, kernel_initializer="ones")(layer(given)))
model.compile(keras.optimizers.SGD(0.1), "mse")
history = model.fit(x, np.ones((2, 1), "float32"), epochs=3, batch_size=2, verbose=0)
print(np.round(history.history["loss"], 4))
print(np.round(model.predict(x, verbose=0), 4))

signature = keras.layers.TFSMLayer(str(folder / "dense" / "model"), call_endpoint="serving_default")
print({name: np.round(value, 4) for name, value in signature(np.ones((1, 5), "float32")).items()})
