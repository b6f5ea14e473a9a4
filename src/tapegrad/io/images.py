"""`tf.io.decode_image` and its kin: files of images as tensors, and tensors as files.

They need the package Pillow (``pip install tapegrad[images]``); `tapegrad.io.picture_files` says how.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.core import Tensor, static_value
from tapegrad.dtypes import DType, as_dtype
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.io import picture_files as pictures
from tapegrad.io.files import scalar
from tapegrad.ops.args import static_bool, static_int, static_ints
from tapegrad.ops.image.pictures import convert_image_dtype
from tapegrad.ops.op import INDEX, op
from tapegrad.ops.shape.creation import is_tensor
from tapegrad.ops.shape_rules import Abstract, like, of_any_rank

PUBLIC = {
    "io compat.v1.io image compat.v1.image": (
        "decode_and_crop_jpeg decode_bmp decode_gif decode_image decode_jpeg decode_png decode_webp "
        "encode_jpeg encode_png extract_jpeg_shape is_jpeg"
    ),
    "image compat.v1.image": "adjust_jpeg_quality",
    "image": "random_jpeg_quality stateless_random_jpeg_quality",
    "compat.v1.image": "random_jpeg_quality",
}

Array = np.ndarray[Any, Any]

STRING = {"contents": {dtypes.string}}
DCT = ("", "INTEGER_FAST", "INTEGER_ACCURATE")
UNITS = {"in": 1, "cm": 2}


def check_channels(channels: int) -> int:
    if channels not in (0, 1, 3, 4):
        refuse(f"`channels` must be 0, 1, 3 or 4 but got {channels}")
    return channels


def text_of(contents: Array) -> bytes:
    """The one file in an array."""
    if contents.ndim:
        refuse(f"`contents` must be scalar but got shape{[*contents.shape]}")
    return scalar(contents, "contents")


def wide(image: Array, deep: bool) -> Array:
    """The image as uint16 if ``deep``, else as uint8: a PNG's values are repeated, or cut."""
    if deep:
        return image if image.dtype == np.uint16 else image.astype(np.uint16) * 257
    return image if image.dtype == np.uint8 else (image >> 8).astype(np.uint8)


def still(contents: bytes, channels: int, op_name: str) -> Array:
    """A file with one image: for decode_png and decode_jpeg, which read each other's files."""
    kind = pictures.format_of(contents)
    if kind == "JPEG":
        return pictures.decode_jpeg(contents, channels)
    if kind == "PNG":
        return pictures.decode_png(contents, channels)
    if kind == "GIF":
        frames = pictures.decode_gif(contents)
        if len(frames) > 1:
            refuse(
                f"Got {len(frames)} frames, but animated gifs can only be decoded by tf.io.decode_gif "
                "or tf.io.decode_image"
            )
        return pictures.with_channels(frames[0], channels)
    refuse(
        f"Trying to decode {kind} format using a wrong op. Use `decode_{kind.lower()}` or `decode_image` "
        f"instead. Op used: {op_name}"
    )


@op("DecodePng", dtypes=STRING, convert={"channels": static_int, "dtype": as_dtype})
def decode_png(xp, contents, *, channels=0, dtype=dtypes.uint8):  # type: ignore[no-untyped-def]
    """The image in a PNG file, as ``[height, width, channels]``.

    Args:
        contents: the file's contents, as `tf.io.read_file` gives them.
        channels: 1 for grey, 3 for colours, 4 for colours and opacity; 0 for as many as the file has.
        dtype: uint8 or uint16.
    """
    if dtype not in (dtypes.uint8, dtypes.uint16):
        refuse(f"decode_png() gives uint8 or uint16, and not dtype={dtype.name}.")
    data = text_of(contents)
    return wide(still(data, check_channels(channels), "DecodePng"), dtype is dtypes.uint16)


decode_png.shape(lambda channels, dtype: Abstract([None, None, channels or None], dtype))


JPEG_ARGUMENTS = {
    "channels": static_int,
    "ratio": static_int,
    "fancy_upscaling": static_bool,
    "try_recover_truncated": static_bool,
}


def check_jpeg(channels: int, ratio: int, dct_method: str) -> None:
    check_channels(channels)
    if ratio not in (1, 2, 4, 8):
        refuse(f"ratio must be 1, 2, 4, or 8, got {ratio}")
    if dct_method not in DCT:
        refuse(
            f"dct_method must be one of {{'', 'INTEGER_FAST', 'INTEGER_ACCURATE'}}, not {dct_method!r}"
        )


@op("DecodeJpeg", dtypes=STRING, convert=JPEG_ARGUMENTS)
def decode_jpeg(  # type: ignore[no-untyped-def]
    xp,
    contents,
    *,
    channels=0,
    ratio=1,
    fancy_upscaling=True,
    try_recover_truncated=False,
    acceptable_fraction=1,
    dct_method="",
):
    """The image in a JPEG file, as ``[height, width, channels]`` of uint8.

    Args:
        contents: the file's contents, as `tf.io.read_file` gives them.
        channels: 1 for grey, 3 for colours; 0 for as many as the file has.
        ratio: 2, 4 or 8 makes the image smaller while it is read, which is fast.
        fancy_upscaling, try_recover_truncated, acceptable_fraction: accepted, and of no effect.
        dct_method: as for "INTEGER_ACCURATE", whatever is given.
    """
    check_jpeg(channels, ratio, dct_method)
    data = text_of(contents)
    if pictures.format_of(data) == "JPEG":
        return pictures.decode_jpeg(data, channels, ratio)
    return wide(still(data, channels, "DecodeJpeg"), False)


decode_jpeg.shape(lambda channels: Abstract([None, None, channels or None], dtypes.uint8))


@op(
    "DecodeAndCropJpeg",
    dtypes=STRING,
    convert={**JPEG_ARGUMENTS, "crop_window": static_ints},
)
def decode_and_crop_jpeg(  # type: ignore[no-untyped-def]
    xp,
    contents,
    *,
    crop_window,
    channels=0,
    ratio=1,
    fancy_upscaling=True,
    try_recover_truncated=False,
    acceptable_fraction=1,
    dct_method="",
):
    """A part of the image in a JPEG file: ``crop_window`` is its top, left, height and width."""
    check_jpeg(channels, ratio, dct_method)
    data = text_of(contents)
    top, left, height, width = crop_window
    image = pictures.decode_jpeg(data, channels, ratio)
    inside = top + height <= image.shape[0] and left + width <= image.shape[1]
    if min(top, left) < 0 or min(height, width) <= 0 or not inside:
        refuse(f"The crop window {[*crop_window]} is not inside an image of {[*image.shape[:2]]}.")
    return np.ascontiguousarray(image[top : top + height, left : left + width])


decode_and_crop_jpeg.shape(
    lambda crop_window, channels: Abstract([*crop_window[2:], channels or None], dtypes.uint8)
)


@op("DecodeGif", dtypes=STRING)
def decode_gif(xp, contents):  # type: ignore[no-untyped-def]
    """The images in a GIF file, as ``[frames, height, width, 3]`` of uint8."""
    data = text_of(contents)
    kind = pictures.format_of(data)
    return (
        pictures.decode_gif(data)
        if kind == "GIF"
        else wide(still(data, 3, "DecodeGif"), False)[None]
    )


decode_gif.shape(lambda: Abstract([None, None, None, 3], dtypes.uint8))


def check_format(data: bytes, wanted: str, op: str) -> None:
    """Raise unless the file is of the one format that ``op`` decodes."""
    kind = pictures.format_of(data)
    if kind != wanted:
        refuse(
            f"Trying to decode {kind} format using {op} op. Use `decode_{kind.lower()}` or "
            "`decode_image` instead."
        )


@op("DecodeBmp", dtypes=STRING, convert={"channels": static_int})
def decode_bmp(xp, contents, *, channels=0):  # type: ignore[no-untyped-def]
    """The image in a BMP file, as ``[height, width, channels]`` of uint8."""
    data = text_of(contents)
    check_format(data, "BMP", "DecodeBmp")
    return pictures.decode_bmp(data, check_channels(channels))


decode_bmp.shape(lambda channels: Abstract([None, None, channels or None], dtypes.uint8))


@op("DecodeWebP", dtypes=STRING, convert={"channels": static_int, "dtype": as_dtype})
def decode_webp(xp, contents, *, channels=0, dtype=dtypes.uint8):  # type: ignore[no-untyped-def]
    """The frames in a WebP file, as ``[frames, height, width, channels]`` of uint8.

    Args:
        contents: the file's contents, as `tf.io.read_file` gives them.
        channels: 3 for colours, 4 for colours and opacity, as the file has them; 0 for either.
        dtype: uint8.
    """
    if dtype is not dtypes.uint8:
        refuse(f"decode_webp() gives uint8, and not dtype={dtype.name}.")
    data = text_of(contents)
    check_format(data, "WEBP", "DecodeWebP")
    return pictures.decode_webp(data, check_channels(channels))


decode_webp.shape(lambda channels: Abstract([None, None, None, channels or None], dtypes.uint8))


@op(
    "DecodeImage",
    dtypes=STRING,
    convert={"channels": static_int, "dtype": as_dtype, "expand_animations": static_bool},
)
def _decode_image(xp, contents, *, channels=0, dtype=dtypes.uint8, expand_animations=True):  # type: ignore[no-untyped-def]
    """The image or images in a file of any kind, as uint8, uint16 or float32."""
    data = text_of(contents)
    check_channels(channels)
    kind = pictures.format_of(data)
    if kind == "PNG":
        image = pictures.decode_png(data, channels)
        if dtype is dtypes.float32:
            return wide(image, True).astype(np.float32) * np.float32(1 / 65535)
        return wide(image, dtype is dtypes.uint16)
    if kind == "JPEG":
        image = pictures.decode_jpeg(data, channels)
    elif kind == "BMP":
        image = pictures.decode_bmp(data, channels)
    elif kind == "WEBP":
        if dtype is not dtypes.uint8:
            refuse(f"WebP only supports uint8 for dtype, got {dtype.name}")
        image = pictures.decode_webp(data, channels)
        image = image if expand_animations else image[0]
    else:
        if channels not in (0, 3):
            refuse(f"channels must be 0 or 3 for GIF, got {channels}")
        image = pictures.decode_gif(data)
        image = image if expand_animations else image[0]
    if dtype is dtypes.float32:
        return image.astype(np.float32) * np.float32(1 / 255)
    return image.astype(np.uint16) * 256 if dtype is dtypes.uint16 else image


@_decode_image.shape
def _decoded_shape(channels: int, dtype: DType, expand_animations: bool) -> Abstract:
    if expand_animations:  # an animation has an axis more
        return of_any_rank(dtype, "tf.io.decode_image(expand_animations=True)")
    return Abstract([None, None, channels or None], dtype)


def decode_image(
    contents: Any,
    channels: Any = None,
    dtype: Any = dtypes.uint8,
    name: str | None = None,
    expand_animations: Any = True,
) -> Tensor:
    """The image in a JPEG, PNG, BMP, GIF or WebP file.

    >>> file = tf.io.encode_png(tf.zeros([2, 3, 1], tf.uint8))
    >>> tf.io.decode_image(file).shape
    TensorShape([2, 3, 1])

    Args:
        contents: the file's contents, as `tf.io.read_file` gives them.
        channels: 1 for grey, 3 for colours, 4 for colours and opacity; 0 or None for as many as the file has.
        dtype: uint8, or another dtype, for which values are scaled: floating-point ones lie from 0 to 1.
        name: accepted and ignored.
        expand_animations: whether GIF files give all their images, in an axis at the front; otherwise they
            give the first.
    """
    wanted = as_dtype(dtype)
    direct = wanted in (dtypes.uint8, dtypes.uint16, dtypes.float32)
    image = _decode_image(
        contents,
        channels=0 if channels is None else channels,
        dtype=wanted if direct else dtypes.uint16,
        expand_animations=expand_animations,
    )
    return image if direct else convert_image_dtype(image, wanted)


@op("EncodePng", dtypes={dtypes.uint8, dtypes.uint16}, convert={"compression": static_int})
def encode_png(xp, image, *, compression=-1):  # type: ignore[no-untyped-def]
    """Images of uint8 or uint16, ``[..., height, width, channels]``, as PNG files.

    ``compression`` is a level of zlib, from 0 to 9.
    """
    if image.ndim < 3:
        refuse(f"images must be at least rank 3, not of the shape {[*image.shape]}")
    if not -1 <= compression <= 9:
        refuse(f"compression should be in [-1,9], got {compression}")
    *batch, height, width, channels = image.shape
    if channels not in (1, 2, 3, 4):
        refuse(f"image must have 1, 2, 3, or 4 channels, got {channels}")
    if not height * width:
        refuse(f"PNG files have pixels, and images of the shape {[height, width]} have none.")
    files = [
        pictures.encode_png(picture, compression)
        for picture in image.reshape(math.prod(batch), height, width, channels)
    ]
    result = np.empty(len(files), object)
    result[:] = files
    return result.reshape(batch)


encode_png.shape(lambda image: Abstract(image.shape[:-3], dtypes.string))


@op(
    "EncodeJpeg",
    dtypes={dtypes.uint8},
    convert={
        **dict.fromkeys(("quality", "x_density", "y_density"), static_int),
        **dict.fromkeys(("progressive", "optimize_size", "chroma_downsampling"), static_bool),
    },
)
def _encode_jpeg(  # type: ignore[no-untyped-def]
    xp,
    image,
    *,
    format="",
    quality=95,
    progressive=False,
    optimize_size=False,
    chroma_downsampling=True,
    density_unit="in",
    x_density=300,
    y_density=300,
    xmp_metadata="",
):
    """An image as a JPEG file."""
    if image.ndim != 3:
        refuse(f"image must be 3-dimensional, not of the shape {[*image.shape]}")
    if not 0 <= quality <= 100:
        refuse(f"quality must be in [0,100], got {quality}")
    if format not in ("", "grayscale", "rgb"):
        refuse(f"format must be '', 'grayscale' or 'rgb', not {format!r}")
    if density_unit not in UNITS:
        refuse(f"density_unit must be 'in' or 'cm', not {density_unit!r}")
    channels = image.shape[-1]
    wanted = {"": channels, "grayscale": 1, "rgb": 3}[format]
    if channels not in (1, 3):
        refuse(f"image must have 1 or 3 channels, got {[*image.shape]}")
    if channels != wanted:
        refuse(f"format {format} expects {wanted} channels, got {[*image.shape]}")
    settings: dict[str, Any] = {} if chroma_downsampling or channels == 1 else {"subsampling": 0}
    if xmp_metadata:
        settings["xmp"] = xmp_metadata.encode() if isinstance(xmp_metadata, str) else xmp_metadata
    dpi = (x_density, y_density)
    if density_unit == "cm":  # Pillow takes dots per inch, and writes these
        dpi = (round(x_density * 2.54), round(y_density * 2.54))
    file = pictures.encode_jpeg(
        image, quality, progressive=progressive, optimize=optimize_size, dpi=dpi, **settings
    )
    return np.array(file, object)


_encode_jpeg.shape(lambda: Abstract((), dtypes.string))


def encode_jpeg(
    image: Any,
    format: str = "",
    quality: Any = 95,
    progressive: Any = False,
    optimize_size: Any = False,
    chroma_downsampling: Any = True,
    density_unit: str = "in",
    x_density: Any = 300,
    y_density: Any = 300,
    xmp_metadata: str = "",
    name: str | None = None,
) -> Tensor:
    """An image of uint8, ``[height, width, channels]``, as a JPEG file.

    Args:
        image: grey with one channel, or coloured with three.
        format: "grayscale" or "rgb" to insist on either.
        quality: from 0 to 100.
        progressive: whether the file can be shown coarsely before all of it is there.
        optimize_size: whether to spend time on a smaller file.
        chroma_downsampling: whether colours are stored at half the resolution.
        density_unit, x_density, y_density: the dots per inch ("in") or centimetre ("cm") that the file notes.
        xmp_metadata: text that the file holds as well.
        name: accepted and ignored.
    """
    return _encode_jpeg(  # type: ignore[no-any-return]
        image if is_tensor(image) else convert_to_tensor(image, dtypes.uint8),
        format=format,
        quality=quality,
        progressive=progressive,
        optimize_size=optimize_size,
        chroma_downsampling=chroma_downsampling,
        density_unit=density_unit,
        x_density=x_density,
        y_density=y_density,
        xmp_metadata=xmp_metadata,
    )


@op("ExtractJpegShape", dtypes=STRING, convert={"output_type": as_dtype})
def extract_jpeg_shape(xp, contents, *, output_type=dtypes.int32):  # type: ignore[no-untyped-def]
    """Height, width and channels of the image in a JPEG file, which is not read further."""
    if output_type not in INDEX:
        refuse(f"output_type must be int32 or int64, not {output_type.name}")
    data = text_of(contents)
    return np.array(pictures.jpeg_shape(data), output_type.numpy_dtype)


extract_jpeg_shape.shape(lambda output_type: Abstract([3], output_type))


@op("_IsJpeg", dtypes=STRING)
def _is_jpeg(xp, contents):  # type: ignore[no-untyped-def]
    """Whether files begin as those of JPEG do."""
    answers = [value.startswith(b"\xff\xd8\xff") for value in contents.ravel().tolist()]
    return np.array(answers, bool).reshape(contents.shape)


_is_jpeg.shape(like("contents", dtypes.bool))


def is_jpeg(contents: Any, name: str | None = None) -> Tensor:
    """Whether the contents of a file begin as those of a JPEG file do.

    >>> tf.image.is_jpeg(tf.io.encode_jpeg(tf.zeros([8, 8, 3], tf.uint8))).numpy()
    np.True_

    Args:
        contents: a string, or a tensor of strings.
    """
    return _is_jpeg(contents)  # type: ignore[no-any-return]


for operation in (
    *(decode_png, decode_jpeg, decode_and_crop_jpeg, decode_gif, decode_bmp, _decode_image),
    *(encode_png, _encode_jpeg, extract_jpeg_shape, _is_jpeg),
):
    operation.no_gradient()


# --- Images as JPEG files leave them --------------------------------------------------------------------


def adjust_jpeg_quality(
    image: Any, jpeg_quality: Any, dct_method: str = "", name: str | None = None
) -> Tensor:
    """The image as a JPEG file of this quality leaves it.

    Args:
        image: one image of uint8, or of floating-point numbers from 0 to 1.
        jpeg_quality: from 0 to 100.
        dct_method: as in `tf.io.decode_jpeg`.
        name: accepted and ignored.
    """
    image = convert_to_tensor(image)
    original = image.dtype
    image = convert_image_dtype(image, dtypes.uint8, saturate=True)
    if not isinstance(jpeg_quality, int):
        jpeg_quality = int(static_value(convert_to_tensor(jpeg_quality), "a quality"))
    channels = int(image.shape[-1])
    file = encode_jpeg(image, quality=jpeg_quality)
    image = decode_jpeg(file, channels=channels, dct_method=dct_method)
    return convert_image_dtype(image, original, saturate=True)


def check_qualities(least: int, most: int) -> None:
    if least < 0 or most < 0 or least > 100 or most > 100:
        raise ValueError("jpeg encoding range must be between 0 and 100.")
    if least >= most:
        raise ValueError(
            f"`min_jpeg_quality` must be less than `max_jpeg_quality`; they are {least} and {most}."
        )


def random_jpeg_quality(
    image: Any, min_jpeg_quality: Any, max_jpeg_quality: Any, seed: Any = None
) -> Tensor:
    """The image as a JPEG file leaves it, of a quality that is drawn from a range.

    Args:
        image: a picture of (height, width, 1 or 3 channels), of uint8 or floating point from 0 to 1.
        min_jpeg_quality, max_jpeg_quality: the range, from 0 to 100; its upper end is never drawn.
        seed: decides the quality, together with ``tf.random.set_seed``'s. Each further call draws another.
    """
    from tapegrad.ops.random.draws import uniform

    check_qualities(min_jpeg_quality, max_jpeg_quality)
    quality = uniform([], min_jpeg_quality, max_jpeg_quality, dtypes.int32, seed=seed)
    return adjust_jpeg_quality(image, quality)


def stateless_random_jpeg_quality(
    image: Any, min_jpeg_quality: Any, max_jpeg_quality: Any, seed: Any
) -> Tensor:
    """The image as a JPEG file leaves it, of a quality that the pair ``seed`` decides.

    >>> image = tf.zeros([8, 8, 3], tf.uint8)
    >>> tf.image.stateless_random_jpeg_quality(image, 75, 95, seed=(1, 2)).shape
    TensorShape([8, 8, 3])

    Args:
        image: a picture of (height, width, 1 or 3 channels), of uint8 or floating point from 0 to 1.
        min_jpeg_quality, max_jpeg_quality: the range, from 0 to 100; its upper end is never drawn.
        seed: two integers.
    """
    from tapegrad.ops.random.draws import stateless_uniform

    check_qualities(min_jpeg_quality, max_jpeg_quality)
    quality = stateless_uniform([], seed, min_jpeg_quality, max_jpeg_quality, dtypes.int32)
    return adjust_jpeg_quality(image, quality)
