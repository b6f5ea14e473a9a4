"""Files of images as arrays and back: what the ops of `tapegrad.io.images` do, by the package Pillow.

PNG files are written here, because Pillow has no colours of 16 bits; such files are also read here.
"""

from __future__ import annotations

import io
import re
import struct
import zlib
from typing import Any

import numpy as np

from tapegrad import extras
from tapegrad.errors import refuse

Array = np.ndarray[Any, Any]

PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
SIGNATURES = (
    (b"\xff\xd8\xff", "JPEG"),
    (PNG_SIGNATURE, "PNG"),
    (b"GIF8", "GIF"),
    (b"BM", "BMP"),
)
# How libpng weighs red, green and blue, of 2**15.
WEIGHTS = np.array([9797, 19234, 3737], np.int64)
COLOURS = {1: 0, 2: 4, 3: 2, 4: 6}  # channels: PNG's number
CHANNELS = {number: channels for channels, number in COLOURS.items()}


# TensorFlow's limits.
LONGEST_SIDE, MOST_PIXELS = 1 << 27, 1 << 29
# So many pixels may a GIF file have besides those of its largest frame.
LARGEST_SCREEN = 1 << 24
# How many pixels a byte of a file encodes at most. Deflate makes up to 1032 bytes of one, each of 8 pixels
# of PNG; GIF's codes of 12 bits encode up to 4096 pixels; JPEG has a bit or more for each 8 x 8 pixels,
# unless its coding is arithmetic.
PIXELS_OF_BYTE = {"PNG": 1032 * 8, "GIF": 4096, "JPEG": 512}
ARITHMETIC = re.compile(rb"\xff[\xc9-\xcb]")


def pillow() -> Any:
    """Pillow's module Image. It is loaded here, and is no requirement, as few programs have images."""
    return extras.imported("images", "PIL.Image", "A file of an image")


def unreadable() -> tuple[type[Exception], ...]:
    """What Pillow raises for files that it cannot read, or whose frames are larger than it likes."""
    named: type[Exception] = pillow().DecompressionBombError
    return OSError, SyntaxError, ValueError, EOFError, IndexError, TypeError, struct.error, named


def format_of(contents: bytes) -> str:
    """JPEG, PNG, GIF, BMP or WEBP."""
    if not contents:
        refuse("Input is empty.")
    for signature, name in SIGNATURES:
        if contents.startswith(signature):
            return name
    if contents[:4] == b"RIFF" and contents[8:12] == b"WEBP":
        return "WEBP"
    refuse("Unknown image file format. One of JPEG, PNG, GIF, BMP, WebP required.")


def opened(contents: bytes, kind: str) -> Any:
    """Pillow's image of a file.

    This is what its function ``open`` does, with TensorFlow's limits of size in place of Pillow's.
    """
    image_module = pillow()
    image_module.preinit()
    if kind not in image_module.OPEN:
        image_module.init()
    if kind not in image_module.OPEN:
        refuse(f"This build of Pillow reads no {kind} files.")
    factory, accepts = image_module.OPEN[kind]
    try:
        image = factory(io.BytesIO(contents), "") if accepts(contents[:16]) is True else None
    except unreadable():
        image = None
    if image is None:
        refuse(f"Invalid {kind} data, size {len(contents)}")
    check_size(image.width, image.height, contents, kind)
    return image


def check_size(width: int, height: int, contents: bytes, kind: str) -> None:
    """Raise if no file may have so many pixels, or this one cannot: before there is memory for them."""
    if width <= 0 or height <= 0:
        refuse(
            f"Invalid {kind} data, size {len(contents)}: the image has {width} x {height} pixels."
        )
    if max(width, height) >= LONGEST_SIDE or width * height >= MOST_PIXELS:
        refuse(f"{kind} size too large for int: {width} by {height}")
    most = PIXELS_OF_BYTE.get(kind)
    if kind == "JPEG" and ARITHMETIC.search(contents):
        most = None
    if most is not None and width * height > most * len(contents):
        refuse(
            f"Invalid {kind} data, size {len(contents)}: it is cut short, or damaged, for it cannot hold the "
            f"{width} x {height} pixels that it speaks of."
        )


def pixels(image: Any, mode: str, kind: str, size: int) -> Array:
    """The pixels of Pillow's image in a mode of Pillow's, with an axis of channels."""
    try:
        array = np.array(image if image.mode == mode else image.convert(mode))
    except unreadable() as error:
        refuse(f"Invalid {kind} data, size {size}: {error}")
    return array if array.ndim == 3 else array[..., None]


# --- PNG ------------------------------------------------------------------------------------------------


def png_header(contents: bytes) -> tuple[int, int, int, int, int]:
    """Width, height, bits, colours and interlacing of a PNG file."""
    if len(contents) < 33:
        refuse(f"Invalid PNG data, size {len(contents)}")
    width, height, bits, colours, _, _, interlaced = struct.unpack(">IIBBBBB", contents[16:29])
    return width, height, bits, colours, interlaced


def decode_png(contents: bytes, channels: int) -> Array:
    """A PNG file as uint8, or as uint16 if it has 16 bits."""
    _, _, bits, colours, interlaced = png_header(contents)
    if bits == 16 and not (colours == 0 and interlaced):
        array = deep_png(contents)
    else:
        image = opened(contents, "PNG")
        transparent = "transparency" in image.info
        grey = colours in (0, 4)
        alpha = colours in (4, 6) or transparent
        mode = ("LA" if alpha else "L") if grey else ("RGBA" if alpha else "RGB")
        if image.mode.startswith("I"):
            mode = "I"
        array = pixels(image, mode, "PNG", len(contents))
        array = array.astype(np.uint16 if mode == "I" else np.uint8)
    return with_channels(array, channels)


def with_channels(image: Array, channels: int) -> Array:
    """The image with so many channels: grey from colours as libpng makes it, and full opacity added."""
    have = image.shape[-1]
    if channels in (0, have):
        return image
    grey, colour = (have in (1, 2)), image[..., : have - 1 + have % 2]
    if channels == 1:
        if not grey:
            rounding = 2**14 if image.dtype == np.uint16 else 0
            colour = ((colour.astype(np.int64) @ WEIGHTS + rounding) >> 15)[..., None]
        return colour.astype(image.dtype)
    if grey:
        colour = np.repeat(colour, 3, -1)
    if channels == 3:
        return np.ascontiguousarray(colour)
    full = np.full_like(colour[..., :1], np.iinfo(image.dtype).max)
    return np.concatenate([colour, full if have % 2 else image[..., -1:]], -1)


def deep_png(contents: bytes) -> Array:
    """A PNG file of 16 bits as uint16."""
    width, height, _, colours, interlaced = png_header(contents)
    if interlaced or colours not in CHANNELS:
        refuse(
            "A PNG file with 16 bits that is interlaced cannot be read: save it without interlacing."
        )
    check_size(width, height, contents, "PNG")
    parts, at = [], len(PNG_SIGNATURE)
    while at + 8 <= len(contents):
        length, kind = struct.unpack(">I4s", contents[at : at + 8])
        if kind == b"IDAT":
            parts.append(contents[at + 8 : at + 8 + length])
        at += length + 12
    step = 2 * CHANNELS[colours]
    size = 1 + width * step
    try:
        raw = zlib.decompressobj().decompress(b"".join(parts), size * height)
    except zlib.error as error:
        refuse(f"Invalid PNG data, size {len(contents)}: {error}")
    if len(raw) < size * height:
        refuse(f"Invalid PNG data, size {len(contents)}")
    lines = np.frombuffer(raw, np.uint8, size * height).reshape(height, size)
    before = np.zeros(size - 1, np.uint8)
    pixel_rows = np.empty((height, size - 1), np.uint8)
    for number, line in enumerate(lines):
        pixel_rows[number] = before = unfiltered(int(line[0]), line[1:], before, step)
    return pixel_rows.view(">u2").astype(np.uint16).reshape(height, width, CHANNELS[colours])


def unfiltered(how: int, line: Array, previous: Array, step: int) -> Array:
    """A line of a PNG file without the filter ``how``; ``step`` is the size of a pixel."""
    if how == 0:
        return line
    if how == 2:
        return line + previous
    if how == 1:
        columns = np.cumsum(line.reshape(-1, step), axis=0, dtype=np.uint8)
        return columns.reshape(-1)
    if how not in (3, 4):
        refuse(f"Invalid PNG data: there is no filter {how}")
    rest, over = line.tolist(), previous.tolist()
    restored = [0] * step + rest  # with a pixel of zeros to the left
    over = [0] * step + over
    for at in range(step, len(restored)):
        left, up, corner = restored[at - step], over[at], over[at - step]
        if how == 3:
            guess = (left + up) // 2
        else:
            near = left + up - corner
            away = abs(near - left), abs(near - up), abs(near - corner)
            guess = (left, up, corner)[away.index(min(away))]
        restored[at] = (restored[at] + guess) & 255
    return np.array(restored[step:], np.uint8)


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def encode_png(image: Array, compression: int) -> bytes:
    """An image of uint8 or uint16 as a PNG file."""
    height, width, channels = image.shape
    deep = image.dtype == np.uint16
    raw = np.ascontiguousarray(image, ">u2" if deep else np.uint8).view(np.uint8)
    lines = raw.reshape(height, -1)
    step = channels * (2 if deep else 1)
    previous = np.vstack([np.zeros_like(lines[:1]), lines[:-1]])
    left = np.hstack([np.zeros_like(lines[:, :step]), lines[:, :-step]])
    # Of three filters each line has that whose differences are smallest, which compresses best.
    tries = np.stack([lines, lines - left, lines - previous])
    costs = np.abs(tries.view(np.int8).astype(np.int64)).sum(-1)
    best = costs.argmin(0)
    filtered = tries[best, np.arange(height)]
    data = np.hstack([best[:, None].astype(np.uint8), filtered]).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 16 if deep else 8, COLOURS[channels], 0, 0, 0)
    return b"".join(
        (
            PNG_SIGNATURE,
            chunk(b"IHDR", header),
            chunk(b"IDAT", zlib.compress(data, compression)),
            chunk(b"IEND", b""),
        )
    )


# --- JPEG -----------------------------------------------------------------------------------------------


def decode_jpeg(contents: bytes, channels: int, ratio: int = 1) -> Array:
    """A JPEG file as uint8, smaller by ``ratio``."""
    if channels == 4:
        refuse("JPEG does not support 4 channels")
    image = opened(contents, "JPEG")
    mode = "L" if channels == 1 or (channels == 0 and image.mode == "L") else "RGB"
    width, height = image.size
    four = image.mode == "CMYK"
    if ratio > 1 or (mode == "L" and image.mode == "RGB"):
        image.draft(image.mode if four else mode, (width // ratio, height // ratio))
    if four:
        if mode == "L":
            refuse("A JPEG file of four colours cannot be read as grey: use channels=3.")
        inks = pixels(image, "CMYK", "JPEG", len(contents)).astype(np.int64)
        light = 255 - inks
        array = (light[..., :3] * light[..., 3:] // 255).astype(np.uint8)
    else:
        array = pixels(image, mode, "JPEG", len(contents))
    return array


def jpeg_shape(contents: bytes) -> list[int]:
    """Height, width and channels of a JPEG file."""
    if not contents.startswith(b"\xff\xd8\xff"):
        refuse(f"Invalid JPEG data, size {len(contents)}")
    image = opened(contents, "JPEG")
    return [image.height, image.width, len(image.getbands())]


def encode_jpeg(image: Array, quality: int, **settings: Any) -> bytes:
    """An image of uint8 as a JPEG file; ``settings`` are Pillow's."""
    if not image.size:
        refuse(f"An image of the shape {[*image.shape]} cannot be a JPEG file: it has no pixels.")
    file = io.BytesIO()
    picture = pillow().fromarray(image[..., 0] if image.shape[-1] == 1 else image)
    picture.save(file, "JPEG", quality=quality, **settings)
    return file.getvalue()


# --- Others ---------------------------------------------------------------------------------------------


def frames_of(image: Any, mode: str, kind: str, size: int, count: int) -> Array:
    """The first frames of Pillow's image in a mode of Pillow's, as uint8."""
    frames = []
    for number in range(count):
        try:
            image.seek(number)
        except unreadable() as error:
            refuse(f"Invalid {kind} data, size {size}: {error}")
        frames.append(pixels(image, mode, kind, size))
    return np.stack(frames)


def decode_gif(contents: bytes) -> Array:
    """The frames of a GIF file as uint8, of the size of the largest one, as in TensorFlow."""
    frames = gif_frames(contents)
    width, height = (max([frame[axis] for frame in frames], default=0) for axis in (2, 3))
    check_size(width, height, contents, "GIF")
    check_size(width, height * len(frames), b"", "frames of GIF")
    # The screen must contain all frames: otherwise Pillow writes beyond its memory.
    right = max([left + size for left, _, size, _ in frames])
    bottom = max([top + size for _, top, _, size in frames])
    far = right * bottom > max(width * height, LARGEST_SCREEN)
    if far or max(right, bottom) >= 1 << 16:
        refuse(f"Invalid GIF data, size {len(contents)}: a frame lies far outside of the others.")
    image = opened(contents[:6] + struct.pack("<HH", right, bottom) + contents[10:], "GIF")
    pictures = frames_of(image, "RGB", "GIF", len(contents), len(frames))
    return np.ascontiguousarray(pictures[:, :height, :width])


def gif_frames(contents: bytes) -> list[tuple[int, int, int, int]]:
    """Left, top, width and height of each frame of a GIF file that is whole."""

    def table(flags: int) -> int:
        return 3 << ((flags & 7) + 1) if flags & 128 else 0

    frames = []
    try:
        at = 13 + table(contents[10])
        while (kind := contents[at]) in (0x21, 0x2C):
            place = None
            if kind == 0x21:
                at += 2
            else:
                *place, flags = struct.unpack_from("<HHHHB", contents, at + 1)
                at += 11 + table(flags)
            while contents[at]:
                at += 1 + contents[at]
            at += 1
            if place is not None:
                frames.append((place[0], place[1], place[2], place[3]))
    except (IndexError, struct.error):
        pass  # the file is cut short
    return frames


def decode_webp(contents: bytes, channels: int) -> Array:
    """The frames of a WebP file as uint8; one that is no animation has one frame."""
    if channels == 1:
        refuse("WebP only supports 3 or 4 channels, or 0 for those that the file has; 1 came.")
    image = opened(contents, "WEBP")
    mode = "RGBA" if image.mode == "RGBA" else "RGB"
    if channels not in (0, len(mode)):
        refuse(
            f"Number of channels requested does not match input: channels={channels}, and the file has "
            f"{len(mode)}."
        )
    return frames_of(image, mode, "WEBP", len(contents), getattr(image, "n_frames", 1))


def decode_bmp(contents: bytes, channels: int) -> Array:
    """A BMP file as uint8."""
    if channels == 1:
        refuse("`channels` must be 0, 3 or 4 for BMP, but got 1")
    if len(contents) >= 54:
        header, width, height, _, bits, packing = struct.unpack_from("<IiiHHI", contents, 14)
        if bits == 32:
            return with_channels(four_bytes(contents), channels)
        # Before Pillow gets memory for all the rows that the file claims to have.
        rows, row = abs(height) - 1, (abs(width) * bits + 31) // 32 * 4
        if header >= 40 and not packing and rows * row + abs(width) * bits // 8 > len(contents):
            refuse(f"Incomplete bmp content, size {len(contents)}")
    image = opened(contents, "BMP")
    mode = "L" if image.mode == "L" else "RGB"
    return with_channels(pixels(image, mode, "BMP", len(contents)), channels)


def four_bytes(contents: bytes) -> Array:
    """A BMP file with four bytes for each pixel, of which the last is the opacity. Pillow ignores that."""
    start, width, height = struct.unpack_from("<I4xii", contents, 10)
    size = abs(width * height) * 4
    if width <= 0 or not height or start + size > len(contents):
        refuse(f"Invalid BMP data, size {len(contents)}")
    rows = np.frombuffer(contents, np.uint8, size, start).reshape(abs(height), width, 4)
    rows = rows if height < 0 else rows[::-1]  # the lowest line comes first
    return np.ascontiguousarray(rows[..., [2, 1, 0, 3]])
