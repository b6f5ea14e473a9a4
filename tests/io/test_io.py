"""Files, records, tensors as strings, images and sounds. What TensorFlow wrote is in golden/files.json.gz."""

from __future__ import annotations

import base64
import functools
import gzip
import json
import os
import sys
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import golden
import tapegrad as tf
from tapegrad.engines.numpy.checksums import crc32c, masked_crc32c

gfile = tf.io.gfile
RECORDS = [b"", b"one", bytes(range(256)) * 40]


@functools.cache
def recorded() -> dict[str, Any]:
    data = gzip.decompress((golden.FOLDER / "files.json.gz").read_bytes())
    found: dict[str, Any] = json.loads(data)
    return found


@pytest.fixture(autouse=True)
def in_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


# --- Folders and files ----------------------------------------------------------------------------------


def test_folders() -> None:
    gfile.makedirs("a/b/c")
    gfile.makedirs("a/b/c")
    gfile.mkdir("a/b")
    assert gfile.isdir("a/b")
    assert not gfile.exists("zz")
    Path("a/1").touch()
    Path("a/.h").touch()
    assert sorted(gfile.listdir("a")) == [".h", "1", "b"]
    walked = {top: (sorted(dirs), sorted(files)) for top, dirs, files in gfile.walk("a")}
    assert walked == {"a": (["b"], [".h", "1"]), "a/b": (["c"], []), "a/b/c": ([], [])}
    assert [top for top, _, _ in gfile.walk("a", topdown=False)] == ["a/b/c", "a/b", "a"]
    assert [*gfile.walk("zz")] == []
    gfile.rmtree("a")
    assert not gfile.exists("a")


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("w/*", ["w/.h", "w/1", "w/x"]),
        ("w/?", ["w/1", "w/x"]),
        ("w/[0-9]", ["w/1"]),
        ("w/[!0-9]", ["w/x"]),
        ("w/*/*", ["w/x/2", "w/x/y"]),
        ("w/x", ["w/x"]),
        ("*", ["./w"]),
        ("w", ["w"]),
        ("w/.*", ["w/.h"]),
        ("qq*", []),
        ("", []),
    ],
)
def test_patterns(pattern: str, found: list[str]) -> None:
    os.makedirs("w/x/y")
    for name in ("w/1", "w/.h", "w/x/2"):
        Path(name).touch()
    assert sorted(gfile.glob(pattern)) == found
    assert tf.io.matching_files(pattern).numpy().tolist() == [name.encode() for name in found]


def test_what_goes_wrong_with_files_is_said_in_tensorflows_classes() -> None:
    errors = tf.errors
    Path("f").write_text("x")
    os.mkdir("d")
    with pytest.raises(errors.NotFoundError, match="zz"):
        gfile.GFile("zz").read()
    with pytest.raises(errors.NotFoundError):
        gfile.listdir("zz")
    with pytest.raises(errors.NotFoundError):
        gfile.stat("zz")
    with pytest.raises(errors.NotFoundError):
        gfile.mkdir("x/y")
    with pytest.raises(errors.NotFoundError):
        gfile.rmtree("zz")
    with pytest.raises(errors.FailedPreconditionError):
        gfile.remove("d")
    with pytest.raises(errors.FailedPreconditionError):
        gfile.makedirs("f/x")
    with pytest.raises(errors.AlreadyExistsError):
        gfile.copy("f", "d")
    with pytest.raises(errors.AlreadyExistsError):
        gfile.rename("f", "d")
    with pytest.raises(errors.InvalidArgumentError, match="mode is not"):
        gfile.GFile("f", "rt")
    with pytest.raises(errors.PermissionDeniedError):
        gfile.GFile("f").write("x")
    with pytest.raises(errors.UnimplementedError, match="s3"):
        gfile.exists("s3://a/b")
    with pytest.raises(TypeError, match="Expected binary or unicode string"):
        gfile.exists(3)
    with pytest.raises(errors.NotFoundError):
        tf.io.read_file("zz")
    with pytest.raises(errors.FailedPreconditionError):
        tf.io.read_file("d")
    with pytest.raises(errors.InvalidArgumentError):
        tf.io.read_file(["f"])


def test_reading_and_writing() -> None:
    with gfile.GFile("w", "w") as file:
        file.write("héllo\n")
        file.write(b"b")
        assert file.tell() == 8
    assert Path("w").read_bytes() == b"h\xc3\xa9llo\nb"
    with gfile.GFile("w", "a") as file:
        file.write("\r\nc")
    file = gfile.GFile("w")
    assert file.readline() == "héllo\n"
    assert [*file] == ["b\n", "c"]
    file.seek(-1, 2)
    assert file.read() == "c"
    with pytest.raises(tf.errors.OutOfRangeError):
        file.seek(100)
    with pytest.raises(TypeError):
        file.seek()
    file.close()
    assert gfile.GFile("w", "rb").read(3) == b"h\xc3\xa9"
    assert gfile.stat("w").length == file.size() == 11
    with gfile.GFile("empty", "w"):
        pass
    assert not gfile.exists("empty")
    gfile.copy("w", "v")
    gfile.rename("v", "u", overwrite=True)
    assert Path("u").read_bytes() == Path("w").read_bytes()
    tf.io.write_file("n/e/w", "abc")
    assert tf.io.read_file("n/e/w").numpy() == b"abc"
    assert tf.compat.v1.gfile.Exists("n/e/w")
    assert gfile.join("a", "b") == "a/b"
    assert gfile.exists(f"file://{os.getcwd()}/w")


# --- Records --------------------------------------------------------------------------------------------


def test_checksums() -> None:
    assert crc32c(b"123456789") == 0xE3069283
    assert crc32c(b"") == 0
    assert crc32c(b"56789", crc32c(b"1234")) == 0xE3069283
    assert masked_crc32c(b"abc") == 0x21F1576E


@pytest.mark.parametrize("kind", ["", "GZIP", "ZLIB"])
def test_records_are_tensorflows(kind: str) -> None:
    theirs = base64.b64decode(recorded()["records"][kind])
    Path("theirs").write_bytes(theirs)
    assert [*tf.compat.v1.io.tf_record_iterator("theirs", kind)] == RECORDS
    with tf.io.TFRecordWriter("ours", kind) as writer:
        for record in RECORDS:
            writer.write(record)
    ours = Path("ours").read_bytes()
    if not kind:
        assert ours == theirs
    options = tf.io.TFRecordOptions(kind)
    assert [*tf.compat.v1.io.tf_record_iterator("ours", options)] == RECORDS


def test_a_writer_that_is_closed() -> None:
    writer = tf.io.TFRecordWriter("r")
    writer.write("text")
    writer.flush()
    with pytest.raises(TypeError):
        writer.write(3)
    writer.close()
    writer.close()
    with pytest.raises(tf.errors.FailedPreconditionError, match="closed"):
        writer.write(b"x")
    with pytest.raises(ValueError, match="Not a valid compression_type"):
        tf.io.TFRecordWriter("r", "FOO")
    with pytest.raises(tf.errors.NotFoundError):
        tf.io.TFRecordWriter("no/dir/r")


@pytest.mark.parametrize("size", range(40))
def test_records_that_are_cut_short(size: int) -> None:
    with tf.io.TFRecordWriter("r") as writer:
        writer.write(b"abc")
        writer.write(b"str")
    Path("r").write_bytes(Path("r").read_bytes()[:size])
    # As in TensorFlow: 12 bytes of header, 3 of data, 4 of checksum. A header that is cut short is the end.
    complete, rest = divmod(size, 19)
    found: list[bytes] = []
    try:
        found.extend(tf.compat.v1.io.tf_record_iterator("r"))
        assert rest < 12
    except tf.errors.DataLossError:
        assert rest >= 12
    assert found in ([b"abc", b"str"][:complete], [])


@pytest.mark.parametrize("place", [0, 9, 13, 17])
def test_records_that_are_damaged(place: int) -> None:
    with tf.io.TFRecordWriter("r") as writer:
        writer.write(b"abc")
    data = bytearray(Path("r").read_bytes())
    data[place] ^= 1
    Path("r").write_bytes(data)
    with pytest.raises(tf.errors.DataLossError, match="corrupted record"):
        list(tf.compat.v1.io.tf_record_iterator("r"))


# --- Strings of bytes -----------------------------------------------------------------------------------


def test_decode_raw() -> None:
    raw = tf.io.decode_raw
    assert raw(b"\1\2\3\4", tf.int16).numpy().tolist() == [513, 1027]
    assert raw(b"\1\2\3\4", tf.int16, little_endian=False).numpy().tolist() == [258, 772]
    assert raw(b"\1\0\2", tf.bool).numpy().tolist() == [True, False, True]
    assert raw(b"\0\x3f", tf.bfloat16).numpy().astype(float).tolist() == [0.5]
    cut = raw([b"\1\2\3\4\5", b"\1"], tf.uint16, fixed_length=4)
    assert cut.numpy().tolist() == [[513, 1027], [1, 0]]
    assert raw(tf.constant([], tf.string), tf.float32).shape == [0, 0]
    for args in ((b"\1\2\3", tf.int16), ([b"\1\2", b"\1"], tf.uint8), (b"", tf.string)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            raw(*args)
    with pytest.raises(tf.errors.InvalidArgumentError):
        raw(b"\1", tf.uint16, fixed_length=3)


def test_base64_and_compressed() -> None:
    encode, decode = tf.io.encode_base64, tf.io.decode_base64
    plain = [b"abc", b"ab", b"a", b"", b"\xff\xfe\xfd"]
    assert encode(plain).numpy().tolist() == [b"YWJj", b"YWI", b"YQ", b"", b"__79"]
    assert decode(encode(plain)).numpy().tolist() == plain
    assert decode(encode(plain, pad=True)).numpy().tolist() == plain
    for wrong in (b"!!!!", b"Y", b"YW+/", b"YWJj=", b"YQ==YQ=="):
        with pytest.raises(tf.errors.InvalidArgumentError):
            decode(wrong)
    inflate = tf.io.decode_compressed
    assert inflate(zlib.compress(b"abc"), "ZLIB").numpy() == b"abc"
    assert inflate(gzip.compress(b"abc") + gzip.compress(b"def"), "GZIP").numpy() == b"abcdef"
    with pytest.raises(tf.errors.DataLossError):
        inflate(b"abc", "GZIP")
    with pytest.raises(tf.errors.InvalidArgumentError):
        inflate(b"abc", "FOO")


def test_decode_csv() -> None:
    decode = tf.io.decode_csv
    columns = decode(["1,2.5,abc", '3,,"q,""x"""'], [0, [9.0], ["d"]])
    assert [each.numpy().tolist() for each in columns] == [[1, 3], [2.5, 9.0], [b"abc", b'q,"x"']]
    assert decode("1|2", [0, 0], field_delim="|")[1].numpy() == 2
    assert decode(["1,2,3"], [0, 0], select_cols=[0, 2])[1].numpy().tolist() == [3]
    assert decode(['"a\nb",2'], ["", ""])[0].numpy().tolist() == [b"a\nb"]
    assert decode(["NA,2"], [5, 0], na_value="NA")[0].numpy().tolist() == [5]
    wrong: list[tuple[Any, ...]] = [
        ([",2"], [tf.constant([], tf.int32), 0]),
        (["x,2"], [0, 0]),
        (["1"], [0, 0]),
        (["1,2,3"], [0, 0]),
        (['"1",a"b'], [0, ""]),
        (['"a'], [""]),
        (['"a"b'], [""]),
        (["3000000000"], [0]),
        (["2.0"], [0]),
    ]
    for args in wrong:
        with pytest.raises(tf.errors.InvalidArgumentError):
            decode(*args)
    with pytest.raises(ValueError, match="strictly increasing"):
        decode(["1,2,3"], [0, 0], select_cols=[2, 0])


def test_tensors_as_strings_are_tensorflows() -> None:
    for name, serialized, proto in recorded()["tensors"]:
        data = base64.b64decode(serialized)
        tensor = tf.io.parse_tensor(data, name)
        assert tf.io.serialize_tensor(tensor).numpy() == data
        if proto:
            assert tensor.numpy().astype(complex).tolist() == [
                [0, 1, 2 if name != "bool" else 1],
                [1, 0, 1],
            ]
            assert tf.make_tensor_proto(tensor.numpy()).SerializeToString() == base64.b64decode(
                proto
            )
    for wrong in (b"", b"\xff\xff\xff", data[:-2]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.io.parse_tensor(wrong, tf.string)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Type mismatch"):
        tf.io.parse_tensor(data, tf.int32)
    proto = tf.make_tensor_proto(7, shape=[2, 2])
    assert tf.make_ndarray(proto).tolist() == [[7, 7], [7, 7]]
    assert str(proto).startswith("dtype: DT_INT32\ntensor_shape {\n  dim {\n    size: 2\n  }\n")


def test_sparse_tensors_as_strings() -> None:
    sparse = tf.sparse.from_dense([[1.0, 0, 2], [0, 0, 0], [0, 3, 0]])
    assert tf.io.serialize_sparse(sparse).shape == [3]
    rows = tf.io.serialize_many_sparse(sparse)
    assert rows.shape == [3, 3]
    found = tf.io.deserialize_many_sparse(rows, tf.float32)
    assert tf.sparse.to_dense(found).numpy().tolist() == [[1, 0, 2], [0, 0, 0], [0, 3, 0]]
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.io.deserialize_many_sparse(rows, tf.int32)
    with pytest.raises(tf.errors.InvalidArgumentError, match="Rank"):
        tf.io.serialize_many_sparse(tf.sparse.from_dense([1, 0]))


# --- Images and sounds ----------------------------------------------------------------------------------


def test_images_are_tensorflows() -> None:
    pytest.importorskip("PIL")
    for name, image in recorded()["images"].items():
        data = base64.b64decode(image["file"])
        for how, values in image["values"].items():
            if name.startswith("png"):
                channels, dtype = how.split()
                found = tf.io.decode_png(data, int(channels), dtype)
            else:
                found = tf.io.decode_jpeg(data, int(name.split()[1]), dct_method=how)
            away = np.abs(found.numpy().ravel().astype(int) - values).max()
            # By default TensorFlow takes libjpeg's fast way, and Pillow has its exact one alone.
            assert away <= (6 if how == "" else 0), (name, how)
            assert tf.io.decode_image(data).shape[-1] == (int(name.split()[1]))


def test_images_there_and_back() -> None:
    pytest.importorskip("PIL")
    image = np.random.default_rng(0).integers(0, 256, (5, 7, 3)).astype(np.uint8)
    for array in (image, image[..., :1], image.astype(np.uint16) * 250):
        file = tf.io.encode_png(array)
        dtype = tf.uint16 if array.dtype == np.uint16 else tf.uint8
        assert (tf.io.decode_png(file, dtype=dtype).numpy() == array).all()
    floats = tf.io.decode_image(tf.io.encode_png(image), dtype=tf.float32)
    assert np.allclose(floats.numpy(), image / 255)
    assert tf.io.encode_png(np.stack([image, image])).shape == [2]
    jpeg = tf.io.encode_jpeg(image)
    assert tf.io.is_jpeg(jpeg).numpy()
    assert tf.io.extract_jpeg_shape(jpeg).numpy().tolist() == [5, 7, 3]
    assert tf.image.decode_and_crop_jpeg(jpeg, [1, 2, 3, 4]).shape == [3, 4, 3]
    assert tf.image.adjust_jpeg_quality(image, 50).shape == [5, 7, 3]
    gif = tf.io.read_file(gif_of_two_frames())
    assert tf.io.decode_image(gif).shape == [2, 4, 6, 3]
    assert tf.io.decode_image(gif, expand_animations=False).shape == [4, 6, 3]
    for wrong in (b"", b"abc", b"\x89PNG\r\n\x1a\n", jpeg.numpy()[:40]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.io.decode_image(wrong)
    with pytest.raises(tf.errors.InvalidArgumentError, match="channels"):
        tf.io.decode_png(tf.io.encode_png(image), channels=2)
    for dtype in (
        tf.float32,
        tf.int32,
        tf.uint16,
        tf.bool,
    ):  # as TensorFlow: no picture of other numbers
        for pixels in (tf.ones([2, 2, 3], dtype), tf.Variable(tf.ones([2, 2, 3], dtype))):
            with pytest.raises(tf.errors.InvalidArgumentError, match="EncodeJpeg does not take"):
                tf.io.encode_jpeg(pixels)
    assert (tf.io.encode_jpeg(image.astype(np.float64)) == jpeg).numpy()


def gif_of_two_frames() -> str:
    from PIL import Image

    frames = [Image.new("RGB", (6, 4), color) for color in ("red", "blue")]
    frames[0].save("two.gif", save_all=True, append_images=frames[1:])
    return "two.gif"


def webp_of(*frames: Any) -> Any:
    from PIL import Image

    images = [Image.fromarray(frame) for frame in frames]
    more: dict[str, Any] = (
        {"save_all": True, "append_images": images[1:]} if len(images) > 1 else {}
    )
    images[0].save("some.webp", lossless=True, exact=True, **more)
    return tf.io.read_file("some.webp")


def test_webp() -> None:
    pytest.importorskip("PIL")
    draw = np.random.default_rng(0)
    colours, opaque, *more = [
        draw.integers(0, 256, (4, 6, channels)).astype(np.uint8) for channels in (3, 4, 3, 3)
    ]
    for image in (colours, opaque):
        file, channels = webp_of(image), image.shape[-1]
        for decode in (tf.io.decode_webp, tf.image.decode_webp, tf.io.decode_image):
            for asked in (0, channels):
                assert (decode(file, channels=asked).numpy() == image[None]).all()
            for wrong in {1, 2, 3, 4} - {channels}:
                with pytest.raises(tf.errors.InvalidArgumentError, match="channels"):
                    decode(file, channels=wrong)
        with pytest.raises(tf.errors.InvalidArgumentError, match="only supports uint8"):
            tf.io.decode_image(file, dtype=tf.float32)
        with pytest.raises(tf.errors.InvalidArgumentError, match="gives uint8"):
            tf.io.decode_webp(file, dtype=tf.uint16)
    assert (tf.io.decode_webp(webp_of(*more)).numpy() == np.stack(more)).all()
    for wrong in (b"", b"abc", webp_of(colours).numpy()[:40], tf.io.encode_png(colours)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.io.decode_webp(wrong)
    with pytest.raises(tf.errors.InvalidArgumentError, match="scalar"):
        tf.io.decode_webp([b"a", b"b"])


def test_without_pillow_the_error_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "PIL.Image", None)
    with pytest.raises(
        ImportError, match=r"the package Pillow, .* pip install \"tapegrad\[images\]\""
    ):
        tf.io.decode_jpeg(b"\xff\xd8\xff")


def test_sounds() -> None:
    samples = np.linspace(-1.2, 1.2, 12, dtype=np.float32).reshape(6, 2)
    file = tf.audio.encode_wav(samples, 16000)
    # As TensorFlow writes it.
    assert file.numpy()[44:].hex() == "00805482419e2fba1cd609f2f70de429d145bf61ac7dff7f"
    audio, rate = tf.audio.decode_wav(file)
    assert rate.numpy() == 16000
    assert np.allclose(audio.numpy(), np.clip(samples, -1, 1), atol=1e-4)
    assert tf.audio.decode_wav(file, 1, 8).audio.shape == [8, 1]
    assert tf.audio.decode_wav(file, 3).audio.shape == [6, 3]
    for wrong in (b"abc", b"RIFF" + b"\0" * 50, file.numpy()[:50]):
        with pytest.raises(tf.errors.InvalidArgumentError):
            tf.audio.decode_wav(wrong)
    with pytest.raises(tf.errors.InvalidArgumentError, match="sample_rate"):
        tf.audio.encode_wav(samples, 0)
