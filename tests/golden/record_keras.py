"""Records what TensorFlow and Keras print for each program of tests/keras_programs: golden/keras.json.

Run it where both are installed: ``python tests/golden/record_keras.py``.
"""

import json
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).resolve().parent

if __name__ == "__main__":
    printed = {}
    for path in sorted((FOLDER.parent / "keras_programs").glob("*.py")):
        finished = subprocess.run(
            [sys.executable, path], stdout=subprocess.PIPE, text=True, check=True
        )
        printed[path.stem] = finished.stdout.splitlines()
    (FOLDER / "keras.json").write_text(json.dumps(printed, indent=1) + "\n")
    print(f"{len(printed)} programs recorded")
