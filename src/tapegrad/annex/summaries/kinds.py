"""The kinds of summaries: numbers, distributions, pictures, texts and sounds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.annex.summaries.media import COLOR_TYPES, png, wav
from tapegrad.annex.summaries.messages import SummaryMetadata
from tapegrad.annex.summaries.state import summary_scope, write
from tapegrad.core import Tensor, static_value
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.ops.image.pictures import convert_image_dtype
from tapegrad.ops.shape.casts import cast

PUBLIC = {"summary": "audio histogram image scalar text"}

DEFAULT_BUCKETS = 30
WAV_ONLY = b"\x10\x0b"  # the content for the audio plugin: its field "encoding" is WAV


def record(
    kind: str,
    name: str | None,
    make: Callable[[], Any],
    step: Any,
    description: str | None,
    content: bytes = b"",
) -> Tensor:
    """Write what ``make()`` returns, for the plugin of TensorBoard with the name ``kind``."""
    metadata = SummaryMetadata(summary_description=description or "")
    metadata.plugin_data.plugin_name = kind
    metadata.plugin_data.content = content
    with summary_scope(name, f"{kind.removesuffix('s')}_summary") as (tag, _):
        return write(tag, make, step, metadata)


def scalar(name: str | None, data: Any, step: Any = None, description: str | None = None) -> Tensor:
    """Write a number, and say whether it was written.

    >>> tf.summary.scalar("loss", 0.5, step=0)        # there is no writer
    <tf.Tensor: shape=(), dtype=bool, numpy=False>

    Args:
        name: the tag, within the name scopes.
        data: a number; it is written as float32.
        step: the step; the one of `tf.summary.experimental.set_step` if left out.
        description: a text in Markdown.

    Raises:
        ValueError: ``data`` is not one number, or there is a writer and no step.
    """
    data = convert_to_tensor(data)
    if data.shape.rank != 0:
        raise ValueError(f"Expected scalar shape, saw shape: {data.shape}.")
    return record("scalars", name, lambda: cast(data, dtypes.float32), step, description)


def histogram(
    name: str | None,
    data: Any,
    step: Any = None,
    buckets: int | None = None,
    description: str | None = None,
) -> Tensor:
    """Write how the elements of a tensor are distributed, and say whether it was written.

    Args:
        name: the tag, within the name scopes.
        data: a tensor of any shape.
        step: the step; the one of `tf.summary.experimental.set_step` if left out.
        buckets: how many intervals of equal width to count in; 30 if left out.
        description: a text in Markdown.
    """

    def make() -> Any:
        values = static_value(cast(convert_to_tensor(data), dtypes.float64), "tf.summary.histogram")
        return counted(values.ravel(), DEFAULT_BUCKETS if buckets is None else max(buckets, 0))

    return record("histograms", name, make, step, description)


def counted(values: Any, count: int) -> Any:
    """For each of ``count`` intervals its ends, and how many of ``values`` lie in it."""
    result = np.zeros([count, 3])
    if not count or not values.size:
        return result
    with np.errstate(all="ignore"):
        least, most = values.min(), values.max()
        if most == least:
            result[:, :2] = least
            result[-1, 2] = values.size
            return result
        edges = np.linspace(least, most, count + 1)
        edges[0] = least  # which is not a number otherwise, where the other end is infinite
        places = np.floor((values - least) / ((most - least) / count))
    result[:, 0], result[:, 1] = edges[:-1], edges[1:]
    places = np.minimum(places[~np.isnan(places)], count - 1).astype(np.int64)
    result[:, 2] = np.bincount(places, minlength=count)
    return result


def image(
    name: str | None,
    data: Any,
    step: Any = None,
    max_outputs: int = 3,
    description: str | None = None,
) -> Tensor:
    """Write pictures, and say whether they were written.

    Args:
        name: the tag, within the name scopes.
        data: a tensor of shape [number, height, width, channels], of 1 (gray), 2 (gray and opacity),
            3 (colors) or 4 channels (colors and opacity). Floating-point numbers are from 0 to 1, all else
            from 0 to the largest of its dtype.
        step: the step; the one of `tf.summary.experimental.set_step` if left out.
        max_outputs: how many pictures to write at most.
        description: a text in Markdown.

    Raises:
        ValueError: ``data`` is not of rank 4.
        InvalidArgumentError: for another number of channels, or a negative ``max_outputs``.
    """

    def make() -> Any:
        tensor = limited(data, max_outputs, 4)
        height, width, channels = tensor._shape_tuple()[1:]
        if channels not in COLOR_TYPES:
            refuse(f"tf.summary.image(): a picture has 1, 2, 3, or 4 channels; {channels} came.")
        if not height * width:
            refuse(f"tf.summary.image(): a picture of shape {tensor.shape[1:]} has no pixels.")
        pixels = convert_image_dtype(tensor, dtypes.uint8, saturate=True)
        encoded = [png(picture) for picture in static_value(pixels, "tf.summary.image")]
        return convert_to_tensor([str(width).encode(), str(height).encode(), *encoded])

    return record("images", name, make, step, description)


def limited(data: Any, max_outputs: int, rank: int) -> Tensor:
    """At most the first ``max_outputs`` of ``data``, a tensor of the rank."""
    data = convert_to_tensor(data)
    if data.shape.rank != rank:
        raise ValueError(
            f"Tensor must have rank {rank}.  Received rank {data.shape.rank}, shape {data.shape}"
        )
    if max_outputs < 0:
        refuse(f"max_outputs must not be negative; {max_outputs} came.")
    few: Tensor = data[:max_outputs]
    return few


def text(name: str | None, data: Any, step: Any = None, description: str | None = None) -> Tensor:
    """Write strings, which TensorBoard shows as Markdown, and say whether they were written.

    Args:
        name: the tag, within the name scopes.
        data: a tensor of strings. One of rank 1 or 2 is shown as a table.
        step: the step; the one of `tf.summary.experimental.set_step` if left out.
        description: a text in Markdown.

    Raises:
        TypeError: ``data`` does not hold strings.
    """
    data = convert_to_tensor(data)
    if data.dtype is not dtypes.string:
        raise TypeError(f"tensor must be of type {dtypes.string!r}; got {data.dtype!r}")
    return record("text", name, lambda: data, step, description)


def audio(
    name: str | None,
    data: Any,
    sample_rate: Any,
    step: Any = None,
    max_outputs: int = 3,
    encoding: str | None = None,
    description: str | None = None,
) -> Tensor:
    """Write sounds, and say whether they were written.

    Args:
        name: the tag, within the name scopes.
        data: a tensor of shape [number, frames, channels], of numbers from -1 to 1.
        sample_rate: frames per second.
        step: the step; the one of `tf.summary.experimental.set_step` if left out.
        max_outputs: how many sounds to write at most.
        encoding: "wav" or None, which are the same.
        description: a text in Markdown.

    Raises:
        ValueError: ``data`` is not of rank 3, or ``encoding`` is another one.
    """
    if encoding not in (None, "wav"):
        raise ValueError(f"Unknown encoding: {encoding!r}")

    def make() -> Any:
        sounds = static_value(
            cast(limited(data, max_outputs, 3), dtypes.float32), "tf.summary.audio"
        )
        rate = int(static_value(convert_to_tensor(sample_rate), "tf.summary.audio"))
        encoded = np.empty([len(sounds), 2], object)
        for number, sound in enumerate(sounds):
            encoded[number] = wav(sound, rate), b""
        return encoded

    return record("audio", name, make, step, description, WAV_ONLY)
