"""Records what TensorFlow casts floats to in its vectors, and complex numbers: golden/casts.json.gz.

Run it where TensorFlow is installed: ``python tests/golden/record_casts.py``. TensorFlow casts most
elements in vectors, and the last ones of a tensor (up to 31) one by one, by another rule. A tensor of 1,024
times one number shows the first rule, if all 1,024 results are the same.
"""

import gzip
import json
import os
import pathlib

import numpy as np

SOURCES = "float16 bfloat16 float32 float64 float8_e5m2 float8_e4m3fn complex64 complex128".split()
TARGETS = "int8 uint8 int16 uint16 int32 uint32 int64 uint64".split()
ENDS = [2.0**7, 2.0**8, 2.0**15, 2.0**16, 2.0**31, 2.0**32, 2.0**63, 2.0**64]
NUMBERS = sorted(
    {
        sign * number
        for end in ENDS
        for number in (
            *(end - 1, end - 0.5, end, end + 0.5, end + 1),
            *(np.nextafter(np.float32(end), np.float32(way)).item() for way in (0, np.inf)),
            *(np.nextafter(end, way) for way in (0.0, np.inf)),
        )
        for sign in (1, -1)
    }
    | {0.0, 0.5, -0.5, 1.5, -1.5, 200.7, 300.7, -300.7, 4e4, -4e4, 7e4, -7e4, 3e9, -3e9, 5e9}
    | {1e19, -1e19, 2e19, 1e30, -1e30, 1e300, -1e300, np.inf, -np.inf}
)
NUMBERS.append(np.nan)


def main():
    os.environ.update(CUDA_VISIBLE_DEVICES="-1", TF_CPP_MIN_LOG_LEVEL="3")
    import tensorflow as tf

    records = {}
    for source in SOURCES:
        kind = tf.as_dtype(source).as_numpy_dtype
        with np.errstate(all="ignore"):
            columns = np.tile(np.array(NUMBERS)[:, None], (1, 1024)).astype(kind)
        for target in TARGETS:
            answers = []
            for column in columns:
                cast = np.unique(tf.cast(tf.constant(column), target).numpy())
                if len(cast) != 1:
                    raise SystemExit(f"{source} to {target}, {column[0]}: {cast}")
                answers.append(cast.item())
            records[f"{source} {target}"] = answers
    written = {"numbers": [repr(number) for number in map(float, NUMBERS)], "casts": records}
    path = pathlib.Path(__file__).with_name("casts.json.gz")
    # Without the time, so that the same records make the same file.
    path.write_bytes(gzip.compress(json.dumps(written, indent=0).encode(), mtime=0))
    print(f"{len(records)} pairs of dtypes recorded with TensorFlow {tf.__version__}")


if __name__ == "__main__":
    main()
