"""Summaries of TensorFlow 1.x, each as the bytes of a `Summary` in a tensor of strings."""

from __future__ import annotations

import functools
import sys
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.annex.summaries.media import png, wav
from tapegrad.annex.summaries.messages import HistogramProto, Summary, tensor_message
from tapegrad.core import Tensor, public, static_value
from tapegrad.errors import refuse
from tapegrad.io.wire import DecodeError
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import constant, convert_to_tensor
from tapegrad.symbolic.nests import current
from tapegrad.symbolic.worlds import World

Array = np.ndarray[Any, Any]

LEAST, GROWTH, MOST = 1e-12, 1.1, 1e20  # the limits of a histogram grow from LEAST to MOST
BAD_COLOR = (255, 0, 0, 255)  # of pixels that are no numbers: red
DARK = 1e-6  # a picture without a greater number is black


@public
def scalar_summary(tag: str, values: Any) -> Tensor:
    """One number, as float32."""
    array = _real(values, "ScalarSummary")
    if array.ndim:
        refuse(
            f"tags and values are not the same shape: [] != {list(array.shape)} (tag {tag!r})",
            op="ScalarSummary",
        )
    return _encoded([Summary.Value(tag=tag, simple_value=float(array))])


@public
def histogram_summary(tag: str, values: Any) -> Tensor:
    """How many values lie between limits that grow by a tenth each."""
    array = _real(values, "HistogramSummary").ravel().astype(np.float64)
    if np.isnan(array).any():
        refuse(f"Nan in summary histogram for: {tag}", op="HistogramSummary")
    if np.isinf(array).any():
        refuse(f"Infinity in Histogram for: {tag}", op="HistogramSummary")
    return _encoded([Summary.Value(tag=tag, histo=counted(array))])


@functools.cache
def limits() -> Array:
    """The limits between which the values of a histogram are counted."""
    positive = []
    limit = LEAST
    while limit < MOST:
        positive.append(limit)
        limit *= GROWTH
    positive.append(sys.float_info.max)
    return np.array([*(-number for number in reversed(positive)), 0.0, *positive])


def counted(values: Array) -> HistogramProto:
    """The histogram of ``values``. Of limits with nothing between them, the last is kept."""
    counts = np.bincount(np.searchsorted(limits(), values, "right"), minlength=len(limits()))
    filled = counts > 0
    kept = filled.copy()
    kept[:-1] |= filled[1:]
    kept[-1] = True
    return HistogramProto(
        min=float(values.min(initial=sys.float_info.max)),
        max=float(values.max(initial=-sys.float_info.max)),
        num=len(values),
        # One after the other, as TensorFlow adds them.
        sum=float(np.add.accumulate(values)[-1]) if len(values) else 0.0,
        sum_squares=float(np.add.accumulate(values * values)[-1]) if len(values) else 0.0,
        bucket_limit=limits()[kept].tolist(),
        bucket=counts[kept].tolist(),
    )


@public
def image_summary(tag: str, tensor: Any, max_outputs: int) -> Tensor:
    """Pictures as PNG. Those of floating-point numbers get the contrast that bytes have."""
    tensor = convert_to_tensor(tensor)
    if not (tensor.dtype.is_floating or tensor.dtype == dtypes.uint8):
        tensor = cast(tensor, dtypes.float32)
    array = static_value(tensor, "tf.compat.v1.summary")
    _check_count(max_outputs, "ImageSummary")
    if array.ndim != 4 or array.shape[3] not in (1, 3, 4):
        refuse(
            f"Tensor must be 4-D with last dim 1, 3, or 4, not {list(array.shape)}",
            op="ImageSummary",
        )
    if not array.shape[1] * array.shape[2]:
        refuse(f"A picture of shape {list(array.shape[1:])} has no pixels.", op="ImageSummary")
    values = []
    for number, picture in enumerate(array[:max_outputs]):
        pixels = picture if picture.dtype == np.uint8 else in_bytes(picture)
        height, width, channels = pixels.shape
        values.append(Summary.Value(tag=_numbered(f"{tag}/image", number, max_outputs)))
        values[-1].image.CopyFrom(
            Summary.Image(
                height=height,
                width=width,
                colorspace=channels,
                encoded_image_string=png(pixels),
            )
        )
    return _encoded(values)


def in_bytes(picture: Array) -> Array:
    """A picture of floating-point numbers in bytes: from 0 to the greatest, or with 0 in the middle."""
    picture = picture.astype(np.float64 if picture.dtype == np.float64 else np.float32)
    good = np.isfinite(picture).all(axis=-1)
    numbers = picture[good]
    least, most = numbers.min(initial=np.inf), numbers.max(initial=-np.inf)
    size, scale, offset = most, 255.0, 0.0
    if least < 0:
        size, scale, offset = max(abs(least), abs(most)), 127.0, 128.0
    factor = picture.dtype.type(0.0 if size < DARK else scale / size)
    pixels: Array = np.empty(picture.shape, np.uint8)
    pixels[good] = numbers * factor + picture.dtype.type(offset)
    pixels[~good] = BAD_COLOR[: picture.shape[-1]]
    return pixels


@public
def audio_summary(tag: str, tensor: Any, sample_rate: Any, max_outputs: int) -> Tensor:
    """Sounds as WAV."""
    array = static_value(convert_to_tensor(tensor, dtypes.float32), "tf.compat.v1.summary")
    rate = static_value(convert_to_tensor(sample_rate, dtypes.float32), "tf.compat.v1.summary")
    _check_count(max_outputs, "AudioSummaryV2")
    if array.ndim not in (2, 3):
        refuse(f"Tensor must be 3-D or 2-D, got: {list(array.shape)}", op="AudioSummaryV2")
    if not rate > 0:
        refuse("sample_rate must be > 0", op="AudioSummaryV2")
    values = []
    for number, sound in enumerate(array.reshape(*array.shape[:2], -1)[:max_outputs]):
        frames, channels = sound.shape
        values.append(Summary.Value(tag=_numbered(f"{tag}/audio", number, max_outputs)))
        values[-1].audio.CopyFrom(
            Summary.Audio(
                sample_rate=float(rate),
                num_channels=channels,
                length_frames=frames,
                encoded_audio_string=wav(sound, round(float(rate))),
                content_type="audio/wav",
            )
        )
    return _encoded(values)


@public
def tensor_summary(tag: str, tensor: Any, metadata: bytes) -> Tensor:
    """A tensor, with what TensorBoard is to know of it."""
    value = Summary.Value(tag=tag, tensor=tensor_message(convert_to_tensor(tensor)))
    value.metadata.MergeFromString(metadata)
    value.metadata.SetInParent()
    return _encoded([value])


@public
def merge_summary(inputs: Any) -> Tensor:
    """All summaries as one."""
    graph = current()
    if graph is not None and isinstance(graph.world, World):
        return constant(b"")  # what stands for strings while a graph is built is no summary
    merged = Summary()
    tags = set()
    for tensor in inputs:
        for encoded in static_value(tensor, "tf.compat.v1.summary").ravel().tolist():
            try:
                values = Summary.FromString(encoded).value
            except DecodeError:
                refuse("Could not parse one of the summary inputs", op="MergeSummary")
            for value in values:
                if value.tag in tags:
                    refuse(f"Duplicate tag {value.tag} found in summary inputs", op="MergeSummary")
                tags.add(value.tag)
                merged.value.append(value)
    return constant(merged.SerializeToString())


def _real(values: Any, op: str) -> Array:
    tensor = convert_to_tensor(values)
    dtype = tensor.dtype
    is_real = dtype.is_floating or dtype.is_integer
    if not (is_real or (dtype == dtypes.bool and op == "HistogramSummary")):
        refuse(f"{op} takes real numbers; {dtype.name} came.", op=op)
    array: Array = static_value(tensor, "tf.compat.v1.summary")
    return array


def _check_count(max_outputs: int, op: str) -> None:
    if max_outputs < 1:
        refuse(f"max_outputs of {max_outputs} must be at least minimum 1", op=op)


def _numbered(tag: str, number: int, max_outputs: int) -> str:
    return f"{tag}/{number}" if max_outputs > 1 else tag


def _encoded(values: list[Any]) -> Tensor:
    return constant(Summary(value=values).SerializeToString())
