"""Installs Keras into the folder `keras` of this environment, for tests/keras_runs/test_keras.py.

Only they see it. Where `tf.keras` is there, asking for it makes tapegrad stand in for TensorFlow, and other
tests ask what it says where Keras is missing. What Keras shares with tapegrad comes from the environment;
the list is what it needs besides.

    python tools/install_keras.py
"""

import shutil
import subprocess
import sys
from pathlib import Path

FOLDER = Path(sys.prefix) / "keras"
PACKAGES = (
    "keras>=3.15 absl-py rich namex h5py optree packaging markdown-it-py mdurl pygments typing-extensions "
    # Keras 2, which is tf.keras where TF_USE_LEGACY_KERAS asks for it, and what it needs in turn.
    "tf_keras>=2.21 protobuf six wrapt requests certifi charset-normalizer idna urllib3"
).split()


def main() -> None:
    shutil.rmtree(FOLDER, ignore_errors=True)
    options = "--disable-pip-version-check --quiet --no-deps --target".split()
    subprocess.run(
        [sys.executable, "-m", "pip", "install", *options, FOLDER, *PACKAGES], check=True
    )


if __name__ == "__main__":
    main()
