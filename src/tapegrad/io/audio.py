"""`tf.audio`: WAV files of 16 bits as tensors, and tensors as WAV files."""

from __future__ import annotations

import collections
import struct

import numpy as np

from tapegrad import dtypes
from tapegrad.errors import refuse
from tapegrad.ops.args import static_int
from tapegrad.ops.op import op
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {"audio compat.v1.audio": "decode_wav encode_wav"}

DecodeWav = collections.namedtuple("DecodeWav", ["audio", "sample_rate"])

FORMAT = struct.Struct("<HHIIHH")
PCM = 1
FULL = 32768


def chunks(data: bytes, at: int) -> dict[bytes, bytes]:
    """The first chunk of each kind in a RIFF file, from ``at`` on, up to the samples."""
    contents: dict[bytes, bytes] = {}
    while at + 8 <= len(data) and b"data" not in contents:
        kind, size = struct.unpack_from("<4sI", data, at)
        at += 8
        if size > len(data) - at:
            refuse(
                "Data too short when trying to read string: a chunk of the WAV file is cut short."
            )
        contents.setdefault(kind, data[at : at + size])
        at += size + size % 2  # chunks begin at even places
    return contents


@op(
    "DecodeWav",
    dtypes={"contents": {dtypes.string}},
    outputs=("audio", "sample_rate"),
    result=DecodeWav,
    convert={"desired_channels": static_int, "desired_samples": static_int},
)
def decode_wav(xp, contents, *, desired_channels=-1, desired_samples=-1):  # type: ignore[no-untyped-def]
    """The samples of a WAV file of 16 bits, from -1 to 1, as ``[samples, channels]``; and their rate.

    >>> file = tf.audio.encode_wav([[0.5], [-0.25]], 16000)
    >>> tf.audio.decode_wav(file).audio.numpy().tolist()
    [[0.5], [-0.25]]

    Args:
        contents: the file's contents, as `tf.io.read_file` gives them.
        desired_channels: how many channels to give: the last is repeated where the file has fewer.
        desired_samples: how many samples to give: zeros are added where the file has fewer.
    """
    if contents.ndim:
        refuse(f"contents must be scalar, got shape {[*contents.shape]}")
    data = contents.item()
    if len(data) < 12:
        refuse("Data too short when trying to read string: it is no WAV file.")
    for place, wanted in ((0, b"RIFF"), (8, b"WAVE")):
        if data[place : place + 4] != wanted:
            refuse(
                f"Header mismatch: Expected {wanted.decode()} but found {data[place : place + 4]!r}"
            )
    parts = chunks(data, 12)
    if len(parts.get(b"fmt ", b"")) < FORMAT.size:
        refuse("The WAV file does not say what format its samples have.")
    kind, channels, rate, _, _, bits = FORMAT.unpack_from(parts[b"fmt "])
    if kind != PCM or bits != 16:
        refuse(f"Can only read 16-bit WAV files, but received {bits}, of the format {kind}")
    if b"data" not in parts:
        refuse("No data chunk found in WAV")
    if not channels:
        refuse("The WAV file has no channels.")
    samples = np.frombuffer(parts[b"data"], "<i2", len(parts[b"data"]) // (2 * channels) * channels)
    audio = samples.reshape(-1, channels).astype(np.float32) / np.float32(FULL)
    if desired_samples >= 0:
        audio = audio[:desired_samples]
        audio = np.pad(audio, [(0, desired_samples - len(audio)), (0, 0)])
    if desired_channels > 0:
        audio = audio[:, np.minimum(np.arange(desired_channels), channels - 1)]
    return np.ascontiguousarray(audio), np.array(rate, np.uint32).astype(np.int32)


decode_wav.shape(
    lambda desired_channels, desired_samples: [
        Abstract(
            [None if size < 0 else size for size in (desired_samples, desired_channels)],
            dtypes.float32,
        ),
        Abstract((), dtypes.int32),
    ]
)


@op(
    "EncodeWav",
    dtypes={"audio": {dtypes.float32}, "sample_rate": {dtypes.int32}},
)
def encode_wav(xp, audio, sample_rate):  # type: ignore[no-untyped-def]
    """Samples from -1 to 1, ``[samples, channels]``, as a WAV file of 16 bits. Larger ones are cut.

    Args:
        audio: the samples.
        sample_rate: how many of them make a second.
    """
    if audio.ndim != 2:
        refuse(f"audio must be 2-dimensional, not of the shape {[*audio.shape]}")
    if sample_rate.ndim or sample_rate <= 0:
        refuse(f"sample_rate must be in (0, 2^32), got: {sample_rate}")
    channels = audio.shape[1]
    if not 0 < channels < 2**15:
        refuse(f"channels must be in (0, 2^15), got: {channels}")
    whole = np.rint(np.where(np.isnan(audio), 0, audio) * np.float32(FULL))
    data = np.clip(whole, -FULL, FULL - 1).astype("<i2").tobytes()
    rate = int(sample_rate)
    header = FORMAT.pack(PCM, channels, rate, rate * channels * 2, channels * 2, 16)
    parts = (
        b"WAVEfmt ",
        struct.pack("<I", FORMAT.size),
        header,
        b"data",
        struct.pack("<I", len(data)),
    )
    body = b"".join((*parts, data))
    return np.array(b"RIFF" + struct.pack("<I", len(body)) + body, object)


encode_wav.shape(lambda: Abstract((), dtypes.string))


for operation in (decode_wav, encode_wav):
    operation.no_gradient()
