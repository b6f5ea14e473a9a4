"""Every reader of files and of serialized bytes, with damaged ones: errors of `tf.errors`, little memory."""

from __future__ import annotations

import functools
import gzip
import io
import json
import os
import random
import sqlite3
import struct
import subprocess
import sys
import tempfile
import zlib
from collections.abc import Callable, Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad.io import wire
from tapegrad.io.picture_files import PNG_SIGNATURE, chunk
from tapegrad.io.records import framed
from tapegrad.saving import bundles

Dataset = tf.data.Dataset
needs_pillow = pytest.mark.skipif(find_spec("PIL") is None, reason="images are read by Pillow")
Read = Callable[[bytes, Path], Any]


def example() -> bytes:
    features = {
        "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[1, 2, 3])),
        "b": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"text"])),
        "c": tf.train.Feature(float_list=tf.train.FloatList(value=[0.5])),
    }
    found: bytes = tf.train.Example(
        features=tf.train.Features(feature=features)
    ).SerializeToString()
    return found


def sequence() -> bytes:
    steps = [tf.train.Feature(int64_list=tf.train.Int64List(value=[k])) for k in range(3)]
    lists = tf.train.FeatureLists(feature_list={"s": tf.train.FeatureList(feature=steps)})
    found: bytes = tf.train.SequenceExample(feature_lists=lists).SerializeToString()
    return found


def data_base() -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "base"
        connection = sqlite3.connect(path)
        connection.execute("create table t (a integer, b text)")
        connection.executemany("insert into t values (?, ?)", [(k, "x" * k) for k in range(9)])
        connection.commit()
        connection.close()
        return path.read_bytes()


def query(path: str) -> Any:
    return tf.data.experimental.SqlDataset(
        "sqlite", path, "select a, b from t", (tf.int64, tf.string)
    )


FEATURES = {
    "a": tf.io.VarLenFeature(tf.int64),
    "b": tf.io.FixedLenFeature([], tf.string),
    "c": tf.io.FixedLenFeature([1], tf.float32),
}


def sparse_part(part: int) -> tuple[Callable[[], bytes], Read]:
    """A string of a serialized sparse tensor, among whole ones: indices, values or shape."""

    def make() -> bytes:
        return bytes(tf.io.serialize_many_sparse(tf.sparse.eye(2, 3)).numpy()[0, part])

    def read(data: bytes, folder: Path) -> Any:
        rows = tf.io.serialize_many_sparse(tf.sparse.eye(2, 3)).numpy()
        rows[0, part] = data
        return tf.io.deserialize_many_sparse(tf.constant(rows), tf.float32)

    return make, read


def image_file(kind: str, **settings: Any) -> bytes:
    from PIL import Image

    drawn = np.random.default_rng(1).integers(0, 255, (7, 9, 3)).astype(np.uint8)
    file = io.BytesIO()
    Image.fromarray(drawn).save(file, kind, **settings)
    return file.getvalue()


def animation() -> bytes:
    from PIL import Image

    frames = [Image.fromarray(np.full((7, 9, 3), 60 * k, np.uint8)) for k in range(3)]
    file = io.BytesIO()
    frames[0].save(file, "GIF", save_all=True, append_images=frames[1:])
    return file.getvalue()


def deep() -> bytes:
    found: bytes = tf.io.encode_png(tf.ones([5, 4, 3], tf.uint16)).numpy()
    return found


def with_file(read: Callable[[str], Any]) -> Read:
    def written(data: bytes, folder: Path) -> Any:
        path = folder / "file"
        path.write_bytes(data)
        return read(str(path))

    return written


def in_memory(read: Callable[[bytes], Any]) -> Read:
    return lambda data, folder: read(data)


def elements(dataset: Any) -> list[Any]:
    return [element for _, element in zip(range(1000), dataset, strict=False)]


def with_saved(pattern: str, write: Callable[[str], Any], read: Callable[[str], Any]) -> Read:
    """Reads what ``write`` has made, but for the contents of one file."""

    def damaged(data: bytes, folder: Path) -> Any:
        if not any(folder.rglob(pattern)):
            write(str(folder))
        (path,) = folder.rglob(pattern)
        path.write_bytes(data)
        return read(str(folder))

    return damaged


def save_dataset(folder: str) -> None:
    Dataset.from_tensor_slices({"x": tf.range(5), "y": ["a", "b", "c", "d", "e"]}).save(folder)


def load_dataset(folder: str) -> Any:
    return elements(Dataset.load(folder))


def write_cache(folder: str) -> None:
    elements(Dataset.range(4).cache(os.path.join(folder, "kept")))


def read_cache(folder: str) -> Any:
    return elements(Dataset.range(4).cache(os.path.join(folder, "kept")))


def write_checkpoint(folder: str) -> None:
    tf.train.Checkpoint(v=tf.Variable([1.0, 2.0]), w=tf.Variable(["a", "b"])).write(folder + "/c")


def read_checkpoint(folder: str) -> Any:
    v, w = tf.Variable([0.0, 0.0]), tf.Variable(["", ""])
    return tf.train.Checkpoint(v=v, w=w).read(folder + "/c").assert_consumed()


SAVED: dict[str, tuple[str, Callable[[str], Any], Callable[[str], Any]]] = {
    "saved data set, description": ("dataset_spec.json", save_dataset, load_dataset),
    "saved data set, elements": ("*.snapshot", save_dataset, load_dataset),
    "cache, description": ("kept.index", write_cache, read_cache),
    "cache, elements": ("kept.data-00000-of-00001", write_cache, read_cache),
    "checkpoint, index": ("c.index", write_checkpoint, read_checkpoint),
    "checkpoint, data": ("c.data-00000-of-00001", write_checkpoint, read_checkpoint),
}

RECORDS = b"".join(framed(record) for record in (b"one", b"", b"three" * 20))
CSV = b"a,b\n1,2.5\n3,4.5\n"
# Of each reader: whole bytes, and what reads them.
READERS: dict[str, tuple[Callable[[], bytes], Read]] = {
    "records": (lambda: RECORDS, with_file(lambda path: elements(tf.data.TFRecordDataset(path)))),
    "records, gzip": (
        lambda: gzip.compress(RECORDS, mtime=0),
        with_file(lambda path: elements(tf.data.TFRecordDataset(path, "GZIP"))),
    ),
    "records, iterator": (
        lambda: RECORDS,
        with_file(lambda path: list(tf.compat.v1.io.tf_record_iterator(path))),
    ),
    "records of one length, zlib": (
        lambda: zlib.compress(b"abcd" * 10),
        with_file(
            lambda path: elements(
                tf.data.FixedLengthRecordDataset(path, 4, 4, 8, compression_type="ZLIB")
            )
        ),
    ),
    "lines, gzip": (
        lambda: gzip.compress(b"one\ntwo\n", mtime=0),
        with_file(lambda path: elements(tf.data.TextLineDataset(path, "GZIP"))),
    ),
    "rows, gzip": (
        lambda: gzip.compress(CSV, mtime=0),
        with_file(
            lambda path: elements(
                tf.data.experimental.CsvDataset(
                    path, [tf.int32, tf.float32], compression_type="GZIP", header=True
                )
            )
        ),
    ),
    "rows, make_csv_dataset": (
        lambda: gzip.compress(CSV, mtime=0),
        with_file(
            lambda path: elements(
                tf.data.experimental.make_csv_dataset(
                    path, 2, num_epochs=1, compression_type="GZIP", shuffle=False
                )
            )
        ),
    ),
    "decode_compressed": (
        lambda: zlib.compress(b"text" * 9),
        in_memory(lambda data: tf.io.decode_compressed(data, "ZLIB")),
    ),
    "parse_tensor": (
        lambda: bytes(tf.io.serialize_tensor(tf.ones([2, 3])).numpy()),
        in_memory(lambda data: tf.io.parse_tensor(data, tf.float32)),
    ),
    "parse_tensor, strings": (
        lambda: bytes(tf.io.serialize_tensor(tf.constant(["a", "bc"])).numpy()),
        in_memory(lambda data: tf.io.parse_tensor(data, tf.string)),
    ),
    "parse_example": (example, in_memory(lambda data: tf.io.parse_example([data], FEATURES))),
    "parse_single_example": (
        example,
        in_memory(lambda data: tf.io.parse_single_example(data, FEATURES)),
    ),
    "decode_json_example": (
        lambda: b'{"features": {"feature": {"a": {"int64List": {"value": ["1", 2]}}}}}',
        in_memory(tf.io.decode_json_example),
    ),
    "deserialize_many_sparse, indices": sparse_part(0),
    "deserialize_many_sparse, values": sparse_part(1),
    "deserialize_many_sparse, shape": sparse_part(2),
    "parse_sequence_example": (
        sequence,
        in_memory(
            lambda data: tf.io.parse_single_sequence_example(
                data, sequence_features={"s": tf.io.VarLenFeature(tf.int64)}
            )
        ),
    ),
    "rows of a data base": (data_base, with_file(lambda path: elements(query(path)))),
    "lines of a table": (
        lambda: b"a 1\nb 2\n",
        with_file(
            lambda path: tf.lookup.StaticHashTable(
                tf.lookup.TextFileInitializer(path, tf.string, 0, tf.int64, 1, delimiter=" "), -1
            ).lookup(tf.constant("a"))
        ),
    ),
    "decode_csv": (lambda: b'1,"a"', in_memory(lambda data: tf.io.decode_csv(data, [0, ""]))),
    "decode_raw": (
        lambda: b"12345678",
        in_memory(lambda data: tf.io.decode_raw(data, tf.float32)),
    ),
    "decode_base64": (lambda: b"YWJj", in_memory(tf.io.decode_base64)),
    "decode_wav": (
        lambda: bytes(tf.audio.encode_wav(tf.zeros([20, 2]), 8000).numpy()),
        in_memory(lambda data: tf.audio.decode_wav(data)),
    ),
    "state of an iterator": (
        lambda: b'{"read": 2, "seeds_given": [1]}',
        in_memory(lambda data: iter(Dataset.range(5).shuffle(3))._restore(tf.constant(data))),
    ),
}
IMAGES: dict[str, tuple[Callable[[], bytes], Read]] = {
    "png": (functools.partial(image_file, "PNG"), in_memory(tf.io.decode_png)),
    "png, 16 bits": (deep, in_memory(lambda data: tf.io.decode_png(data, dtype=tf.uint16))),
    "jpeg": (functools.partial(image_file, "JPEG"), in_memory(tf.io.decode_jpeg)),
    "jpeg, shape": (functools.partial(image_file, "JPEG"), in_memory(tf.io.extract_jpeg_shape)),
    "bmp": (functools.partial(image_file, "BMP"), in_memory(tf.io.decode_bmp)),
    "gif": (animation, in_memory(tf.io.decode_gif)),
    "webp": (functools.partial(image_file, "WEBP"), in_memory(tf.io.decode_webp)),
}

COUNT = int(os.environ.get("DAMAGES", "12"))  # times nine
SIZES = (0, 1, 255, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**33, 2**62, 2**63, 2**64 - 1)


def damages(whole: bytes, count: int) -> Iterator[bytes]:
    """The bytes cut short, with flipped bits, with sizes that are too large, with parts that are missing."""
    draw = random.Random(zlib.crc32(whole))
    yield b""
    for _ in range(count):
        at = draw.randrange(len(whole))
        yield whole[:at]
        flipped = bytearray(whole)
        for _ in range(draw.choice((1, 1, 3))):
            flipped[draw.randrange(len(whole))] ^= 1 << draw.randrange(8)
        yield bytes(flipped)
        for form in ("<I", ">I", "<Q", ">H", "<H"):
            size = draw.choice(SIZES) & ((1 << 8 * struct.calcsize(form)) - 1)
            number = struct.pack(form, size)
            yield whole[:at] + number + whole[at + len(number) :]
        yield whole[:at] + whole[at + draw.randrange(9) :]
        yield whole + whole[at:]


def only_named_errors(read: Read, data: bytes, folder: Path) -> None:
    try:
        read(data, folder)
    except (tf.errors.OpError, UnicodeDecodeError):
        pass
    except Exception as error:
        # TensorFlow's class, where the header of a file is none.
        if not ("header" in str(error) and isinstance(error, ValueError)):
            raise AssertionError(f"{type(error).__name__}: {error} of {data!r}") from error


@pytest.mark.parametrize("name", READERS)
def test_damaged_bytes_raise_errors_of_files(name: str, tmp_path: Path) -> None:
    make, read = READERS[name]
    read(make(), tmp_path)
    for data in damages(make(), COUNT):
        only_named_errors(read, data, tmp_path)


@needs_pillow
@pytest.mark.parametrize("name", IMAGES)
def test_damaged_images_raise_errors_of_files(name: str, tmp_path: Path) -> None:
    make, read = IMAGES[name]
    read(make(), tmp_path)
    for data in damages(make(), COUNT):
        only_named_errors(read, data, tmp_path)


@pytest.mark.parametrize("name", SAVED)
def test_damaged_files_of_several_raise_errors_of_files(name: str, tmp_path: Path) -> None:
    pattern, write, read = SAVED[name]
    write(str(tmp_path))
    read(str(tmp_path))
    (path,) = tmp_path.rglob(pattern)
    for data in damages(path.read_bytes(), COUNT // 2):
        only_named_errors(with_saved(pattern, write, read), data, tmp_path)


# Sizes that no file has


@pytest.mark.parametrize("size", [1 << 33, 1 << 40, 1 << 62, (1 << 64) - 13, (1 << 64) - 1])
@pytest.mark.parametrize("compression", ["", "GZIP", "ZLIB"])
def test_a_record_that_claims_more_bytes_than_there_are(
    size: int, compression: str, tmp_path: Path
) -> None:
    length = struct.pack("<Q", size)
    record = framed(b"a") + length + framed(length)[12 + 8 :] + b"bytes"
    with open(tmp_path / "file", "wb") as file:
        pack = {"": bytes, "GZIP": gzip.compress, "ZLIB": zlib.compress}[compression]
        file.write(pack(record))
    found = iter(tf.data.TFRecordDataset(str(tmp_path / "file"), compression))
    assert next(found).numpy() == b"a"
    with pytest.raises(tf.errors.DataLossError):
        next(found)


NESTED = b"[" * 200_000


@pytest.mark.parametrize("name", ["saved data set, description", "cache, description"])
@pytest.mark.parametrize("text", [NESTED, b'{"version": 1, "spec": ' + NESTED])
def test_nests_too_deep_for_python(name: str, text: bytes, tmp_path: Path) -> None:
    pattern, write, read = SAVED[name]
    write(str(tmp_path))
    with pytest.raises(tf.errors.DataLossError):
        with_saved(pattern, write, read)(text, tmp_path)
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.decode_json_example(text)


@pytest.mark.parametrize("count", [1 << 63, 1 << 80, -1, 1.5, True, None])
def test_counts_that_are_none(count: Any, tmp_path: Path) -> None:
    save_dataset(str(tmp_path))
    path = tmp_path / "dataset_spec.json"
    content = {**json.loads(path.read_text()), "counts": [count]}
    content.pop("crc32c", None)  # without a checksum it is read too
    path.write_text(json.dumps(content))
    with pytest.raises(tf.errors.DataLossError):
        Dataset.load(str(tmp_path))


class Claims:
    """An array that says that it has another shape."""

    dtype = np.dtype(np.float32)

    def __init__(self, shape: tuple[int, ...]) -> None:
        self.shape = shape

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        return np.zeros(0, np.float32)


@pytest.mark.parametrize("shape", [(0, 2**62, 2**62), (2**62, 0, 2**62), (2**62, 4)])
def test_a_tensor_in_a_checkpoint_with_a_shape_that_no_array_can_have(
    shape: tuple[int, ...], tmp_path: Path
) -> None:
    index, data = tmp_path / "c.index", tmp_path / "c.data-00000-of-00001"
    with data.open("wb") as file:
        entries = bundles.write_data(file, [], {"v": Claims(shape)})  # type: ignore[dict-item]
    index.write_bytes(bundles.index_of(entries, 1))
    with pytest.raises(tf.errors.OpError):
        tf.train.load_checkpoint(str(tmp_path / "c")).get_tensor("v")


# Images


def png(width: int, height: int, bits: int, colours: int, data: bytes) -> bytes:
    header = struct.pack(">IIBBBBB", width, height, bits, colours, 0, 0, 0)
    parts = ((b"IHDR", header), (b"IDAT", zlib.compress(data, 1)), (b"IEND", b""))
    return PNG_SIGNATURE + b"".join([chunk(*part) for part in parts])


@needs_pillow
@pytest.mark.parametrize("bits", [8, 16])
@pytest.mark.parametrize("size", [(0, 1), (1, 0), (1 << 20, 1 << 20), (1 << 14, 1 << 14)])
def test_sizes_of_images_that_cannot_be(size: tuple[int, int], bits: int) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.decode_png(png(*size, bits, 0, b"\0" * 9), dtype=tf.uint16)


@needs_pillow
def test_an_image_of_more_pixels_than_pillow_likes() -> None:
    side = 13_400
    rows = (b"\0" + b"\xff" + b"\0" * (side // 8 - 1)) * side
    image = tf.io.decode_png(png(side, side, 1, 0, rows)).numpy()
    assert image.shape == (side, side, 1)
    assert image[-1, :10, 0].tolist() == [255] * 8 + [0] * 2


@needs_pillow
def test_the_frames_of_a_gif_that_are_whole() -> None:
    """Of a file that is cut short TensorFlow gives those too. Their size is that of the largest frame."""
    whole = animation()
    assert tf.io.decode_gif(whole).shape == [3, 7, 9, 3]
    assert tf.io.decode_gif(whole[:-3]).shape == [2, 7, 9, 3]
    other_screen = whole[:6] + struct.pack("<HH", 65_535, 60_000) + whole[10:]
    assert tf.io.decode_gif(other_screen).shape == [3, 7, 9, 3]


@needs_pillow
@pytest.mark.parametrize("place", [(65_535, 0), (65_526, 0), (3, 2), (0, 65_528), (30_000, 30_000)])
def test_a_frame_of_a_gif_that_lies_outside_of_the_others(place: tuple[int, int]) -> None:
    """Pillow wrote beyond its memory."""
    whole = animation()
    at = whole.index(b",", whole.index(b",") + 1)
    moved = whole[: at + 1] + struct.pack("<HH", *place) + whole[at + 5 :]
    for _ in range(20):
        try:
            assert tf.io.decode_gif(moved).shape == [3, 7, 9, 3]
        except tf.errors.InvalidArgumentError:
            assert max(place) > 60_000 or min(place) > 10_000


@pytest.mark.parametrize(
    ("kind", "value"),
    [
        (1, wire.varint(1 << 3 | wire.VARINT) + wire.varint(1 << 40)),
        (1, wire.varint(1 << 3 | wire.VARINT) + wire.varint(3)),
        (2, wire.varint(1 << 3 | wire.VARINT) + wire.varint(3)),
        (2, wire.varint(1 << 3 | wire.FIXED64) + bytes(8)),
        (3, wire.varint(1 << 3 | wire.FIXED32) + bytes(4)),
    ],
)
def test_values_of_another_kind_than_their_list(kind: int, value: bytes) -> None:
    """They are no values: texts of so many zero bytes as a number says, or other numbers, came of them."""
    dtype = {1: tf.string, 2: tf.float32, 3: tf.int64}[kind]
    feature = wire.tagged(kind, value)
    record = wire.tagged(1, wire.tagged(1, wire.tagged(1, b"a") + wire.tagged(2, feature)))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.parse_single_example(record, {"a": tf.io.VarLenFeature(dtype)})
    steps = wire.tagged(1, wire.tagged(1, b"a") + wire.tagged(2, wire.tagged(1, feature)))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.parse_single_sequence_example(
            wire.tagged(2, steps), sequence_features={"a": tf.io.VarLenFeature(dtype)}
        )


@pytest.mark.parametrize("number", [3, 1 << 40])
def test_numbers_where_names_and_features_belong(number: int) -> None:
    wrong = wire.varint(1 << 3 | wire.VARINT) + wire.varint(number)
    for lists in (wrong, wire.tagged(1, wrong), wire.tagged(1, wire.tagged(2, wrong))):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.io.parse_single_sequence_example(
                wire.tagged(2, lists), sequence_features={"a": tf.io.VarLenFeature(tf.int64)}
            )


# Memory that small files take

MEMORY = """
import gzip, resource, struct, sys, zlib
import tapegrad as tf
from tapegrad.io.records import framed

folder, wanted = sys.argv[1:3]
sys.path[:0] = sys.argv[3:]
ZEROS = bytes(1 << 20)
def packed(window):
    packer = zlib.compressobj(1, zlib.DEFLATED, window)
    parts = [packer.compress(ZEROS) for _ in range(300)]
    return b"".join([*parts, packer.flush()])
def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
def compressed_file():
    path = f"{folder}/{wanted}.gz"
    with open(path, "wb") as file:
        file.write(packed(31))
    return path
def images():
    import test_damaged_files as images
    images.image_file("PNG")
    return images
if wanted == "records of one length":
    path = compressed_file()
    act = lambda: next(iter(tf.data.FixedLengthRecordDataset(path, 8, 8, 8, compression_type="GZIP")))
elif wanted == "records":
    path = compressed_file()
    act = lambda: next(iter(tf.data.TFRecordDataset(path, "GZIP")))
elif wanted == "a record that claims more":
    length = struct.pack("<Q", 1 << 33)
    with open(f"{folder}/file", "wb") as file:
        file.write(length + framed(length)[20:] + b"bytes")
    act = lambda: next(iter(tf.data.TFRecordDataset(f"{folder}/file")))
elif wanted == "png":
    module = images()
    parts = (b"IHDR", struct.pack(">IIBBBBB", 1, 1, 16, 0, 0, 0, 0)), (b"IDAT", packed(15))
    file = module.PNG_SIGNATURE + b"".join(module.chunk(*part) for part in parts)
    act = lambda: tf.io.decode_png(file, dtype=tf.uint16)
elif wanted == "gif":
    file = images().animation()
    at = file.index(b",")
    file = file[: at + 5] + struct.pack("<HH", 20_000, 20_000) + file[at + 9 :]
    act = lambda: tf.io.decode_gif(file)
elif wanted == "gif, screen":
    file = images().animation()
    file = file[:6] + struct.pack("<HH", 20_000, 20_000) + file[10:]
    act = lambda: tf.io.decode_gif(file)
elif wanted == "jpeg":
    file = images().image_file("JPEG")
    at = file.index(bytes([255, 192]))
    file = file[: at + 5] + struct.pack(">HH", 20_000, 20_000) + file[at + 9 :]
    act = lambda: tf.io.decode_jpeg(file)
elif wanted == "bmp":
    file = images().image_file("BMP")
    file = file[:22] + struct.pack("<i", 30_000_000) + file[26:]
    act = lambda: tf.io.decode_bmp(file)
before = peak()
try:
    act()
except tf.errors.OpError as error:
    print(type(error).__name__)
else:
    print("read")
print(round(peak() - before))
"""

PEAKS = {
    "records of one length": "read",
    "records": "DataLossError",
    "a record that claims more": "DataLossError",
    "png": "read",
    "gif": "InvalidArgumentError",
    "gif, screen": "read",
    "jpeg": "InvalidArgumentError",
    "bmp": "InvalidArgumentError",
}


@pytest.mark.long
@pytest.mark.parametrize("wanted", PEAKS)
def test_memory_that_small_files_take(wanted: str, tmp_path: Path) -> None:
    """Each of these took from 300 MB to 4 GB."""
    if wanted in ("png", "gif", "gif, screen", "jpeg", "bmp"):
        pytest.importorskip("PIL.Image", reason="images are read by Pillow")
    found = subprocess.run(
        [sys.executable, "-c", MEMORY, str(tmp_path), wanted, *map(os.path.abspath, sys.path)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path))},
    )
    assert found.returncode == 0, found.stderr
    outcome, megabytes = found.stdout.split()
    assert outcome == PEAKS[wanted]
    assert int(megabytes) < 120
