"""The bytes of PNG pictures and WAV sounds."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]

COLOR_TYPES = {1: 0, 2: 4, 3: 2, 4: 6}  # PNG's number for so many channels


def png(pixels: Array) -> bytes:
    """A picture of bytes, of shape [height, width, channels], as PNG."""
    height, width, channels = pixels.shape
    header = struct.pack(">IIBBBBB", width, height, 8, COLOR_TYPES[channels], 0, 0, 0)
    # Every row begins with the number of its filter, and 0 is no filter.
    rows = np.zeros([height, 1 + width * channels], np.uint8)
    rows[:, 1:] = pixels.reshape(height, -1)
    parts = [(b"IHDR", header), (b"IDAT", zlib.compress(rows.tobytes())), (b"IEND", b"")]
    chunks = [
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
        for name, data in parts
    ]
    return b"\x89PNG\r\n\x1a\n" + b"".join(chunks)


def wav(samples: Array, sample_rate: int) -> bytes:
    """A sound of numbers from -1 to 1, of shape [frames, channels], as WAV with 16 bits."""
    channels = samples.shape[1]
    scaled = np.clip(np.nan_to_num(samples) * 32768.0, -32768, 32767)
    # To the nearest integer, and from the middle away from zero.
    data = np.trunc(scaled + np.copysign(0.5, scaled)).astype("<i2").tobytes()
    size = 2 * channels
    form = struct.pack("<HHIIHH", 1, channels, sample_rate, sample_rate * size, size, 16)
    content = b"WAVEfmt " + struct.pack("<I", len(form)) + form
    content += b"data" + struct.pack("<I", len(data)) + data
    return b"RIFF" + struct.pack("<I", len(content)) + content
