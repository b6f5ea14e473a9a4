"""Where the windows of convolutions and pooling lie: strides, paddings, and the slices that result.

Everything here computes with shapes, for any number of spatial axes and both orders of axes.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from tapegrad import errors
from tapegrad.core import are_ints
from tapegrad.core.sizes import is_unknown, maximum
from tapegrad.errors import refuse
from tapegrad.ops.args import static_array, static_ints

CHANNELS_LAST = {1: "NWC", 2: "NHWC", 3: "NDHWC"}
CHANNELS_FIRST = {1: "NCW", 2: "NCHW", 3: "NCDHW"}


def check_format(data_format: Any, spatial: int) -> str:
    """``data_format`` itself, if it is a format for that many spatial axes."""
    allowed = (CHANNELS_LAST[spatial], CHANNELS_FIRST[spatial])
    if data_format not in allowed:
        refuse(
            f"Value for attr 'data_format' of {data_format!r} is not in the list "
            f"of allowed values: {', '.join(allowed)}."
        )
    return data_format


def static_format(data_format: Any) -> str:
    """``data_format`` as an op takes it: any string. Whether the op knows it depends on the op's rank."""
    if not isinstance(data_format, str):
        raise TypeError(f"Expected string for argument 'data_format' not {data_format!r}.")
    return data_format


def channels_first(data_format: str) -> bool:
    """Whether the channels are the second axis."""
    return data_format.startswith("NC")


def to_channels_last(xp: Any, values: Any, data_format: str) -> Any:
    """A view of ``values`` whose channels are the last axis."""
    return xp.moveaxis(values, 1, -1) if channels_first(data_format) else values


def from_channels_last(xp: Any, values: Any, data_format: str) -> Any:
    """The inverse of ``to_channels_last``."""
    return xp.moveaxis(values, -1, 1) if channels_first(data_format) else values


def shape_to_channels_last(shape: tuple[int, ...], data_format: str) -> tuple[int, ...]:
    """``shape`` with the channels as the last axis."""
    return (shape[0], *shape[2:], shape[1]) if channels_first(data_format) else tuple(shape)


def shape_from_channels_last(shape: tuple[int, ...], data_format: str) -> tuple[int, ...]:
    """The inverse of `shape_to_channels_last`."""
    return (shape[0], shape[-1], *shape[1:-1]) if channels_first(data_format) else tuple(shape)


@lru_cache(maxsize=256)
def alike(number: int, spatial: int, data_format: str) -> tuple[int, ...]:
    """``number`` for each spatial axis, and 1 for the others. One object for each: ops know it again."""
    numbers = (number,) * spatial
    return (1, 1, *numbers) if channels_first(data_format) else (1, *numbers, 1)


def per_axis(value: Any, spatial: int, name: str, data_format: str) -> tuple[int, ...]:
    """One number per axis in the order of ``data_format``, from one number, one per spatial axis, or all."""
    if value is None:
        value = 1
    if type(value) is int and -(2**31) < value < 2**31:
        return alike(value, spatial, data_format)
    numbers = static_ints(value)
    if len(numbers) == spatial + 2:
        return numbers
    if len(numbers) == 1:
        numbers = numbers * spatial
    if len(numbers) != spatial:
        raise ValueError(
            f"{name} should be of length 1, {spatial} or {spatial + 2}. Received: "
            f"{name}={value} of length {len(numbers)}"
        )
    return (1, 1, *numbers) if channels_first(data_format) else (1, *numbers, 1)


def spatial_part(numbers: tuple[int, ...], data_format: str) -> tuple[int, ...]:
    """The entries of ``numbers`` that belong to spatial axes."""
    return numbers[2:] if channels_first(data_format) else numbers[1:-1]


def axis_before(data_format: str) -> tuple[int, str]:
    """Where a sequence gets a second axis, of size 1, to become an image; and the format of the image."""
    return (2, "NCHW") if channels_first(data_format) else (1, "NHWC")


def insert(numbers: tuple[int, ...], place: int, *more: int) -> tuple[int, ...]:
    """``numbers`` with ``more`` inserted before the number at ``place``."""
    return (*numbers[:place], *more, *numbers[place:])


def split_padding(padding: Any, spatial: int) -> tuple[str, tuple[int, ...]]:
    """A user's padding as TensorFlow's two attributes: a name, and the numbers if that name is EXPLICIT."""
    if isinstance(padding, str):
        return padding, ()
    if type(padding) is list and len(padding) == spatial + 2:
        pairs = [width for row in padding if are_ints(row) and len(row) == 2 for width in row]
        if len(pairs) == 2 * (spatial + 2):
            return "EXPLICIT", tuple(pairs)
    numbers = static_array(padding)
    if numbers.shape != (spatial + 2, 2):
        raise ValueError(
            f"padding is a name or a list of {spatial + 2} pairs, one for each axis of the input; "
            f"got one of shape {numbers.shape}: {padding}."
        )
    return "EXPLICIT", tuple(numbers.reshape(-1).tolist())


class Windows(NamedTuple):
    """The windows over an input whose channels are last. Each field has one entry per spatial axis."""

    input: tuple[int, ...]
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    dilations: tuple[int, ...]
    before: tuple[int, ...]
    after: tuple[int, ...]
    output: tuple[int, ...]
    # What the engine's kernels need besides the shapes of their operands.
    steps: tuple[tuple[int, ...], ...]

    @property
    def padded(self) -> bool:
        """Whether any window reaches beyond the input."""
        return any(self.before) or any(self.after)

    def offsets(self) -> Any:
        """The offsets in a window, row by row."""
        return np.ndindex(*self.kernel)

    def slices(self, offset: tuple[int, ...]) -> tuple[slice, ...]:
        """The slices of the padded input that hold the elements with that offset in their window."""
        return tuple(
            [
                slice(o * d, o * d + (n - 1) * s + 1, s)
                for o, d, s, n in zip(
                    offset, self.dilations, self.strides, self.output, strict=True
                )
            ]
        )


def windows(
    input: tuple[int, ...],
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...],
    data_format: str,
    dilations: tuple[int, ...] | None = None,
) -> Windows:
    """The windows of size ``kernel``. ``strides`` and ``dilations`` have an entry for every axis.

    Raises:
        InvalidArgumentError: for numbers that are not positive, and for windows larger than the input.
    """
    output = window_counts(
        input, kernel, strides, padding, explicit_paddings, data_format, dilations
    )
    spatial = len(input)
    steps = spatial_part(strides, data_format)
    rates = (1,) * spatial if dilations is None else spatial_part(dilations, data_format)
    before, after = [0] * spatial, [0] * spatial
    if padding == "SAME":
        for axis, count in enumerate(output):
            extent = (kernel[axis] - 1) * rates[axis] + 1
            total = max((count - 1) * steps[axis] + extent - input[axis], 0)
            before[axis], after[axis] = total // 2, total - total // 2
    elif padding == "EXPLICIT":
        pairs = _explicit_pairs(explicit_paddings, spatial, data_format)
        before, after = [low for low, _ in pairs], [high for _, high in pairs]
    distances, holes, low = tuple(steps), tuple(rates), tuple(before)
    return Windows(
        tuple(input),
        tuple(kernel),
        distances,
        holes,
        low,
        tuple(after),
        output,
        (distances, holes, low, output),
    )


def window_counts(
    input: tuple[int, ...],
    kernel: tuple[int, ...],
    strides: tuple[int, ...],
    padding: str,
    explicit_paddings: tuple[int, ...],
    data_format: str,
    dilations: tuple[int, ...] | None = None,
) -> tuple[int, ...]:
    """How many windows there are along each spatial axis. The sizes may be open."""
    spatial = len(input)
    for name, numbers in (("strides", strides), ("dilations", dilations)):
        if numbers is not None and len(numbers) != spatial + 2:
            refuse(f"{name} must have {spatial + 2} entries, got {list(numbers)}.")
    if any(stride <= 0 for stride in strides):
        refuse(f"Stride must be > 0, but got {list(strides)}.")
    if dilations is not None and any(rate <= 0 for rate in dilations):
        refuse(f"Dilated rates should be larger than 0, but got {list(dilations)}.")
    steps = spatial_part(strides, data_format)
    rates = (1,) * spatial if dilations is None else spatial_part(dilations, data_format)
    for size in kernel:
        if size <= 0:
            refuse(f"Sliding window sizes must be positive, but got {list(kernel)}.")
    extents = [(size - 1) * rate + 1 for size, rate in zip(kernel, rates, strict=True)]
    if padding == "SAME":
        output = [-(-size // step) for size, step in zip(input, steps, strict=True)]
    elif padding in ("VALID", "EXPLICIT"):
        pairs = [(0, 0)] * spatial
        if padding == "EXPLICIT":
            pairs = _explicit_pairs(explicit_paddings, spatial, data_format)
        output = []
        for size, (low, high), extent, step in zip(input, pairs, extents, steps, strict=True):
            reach = size + low + high - extent
            output.append(maximum((reach + step) // step, 0))
            if is_unknown(reach):
                continue
            if reach < -1 or (reach < 0 and step > 1 and (reach + step) // step < 0):
                refuse(
                    "Computed output size would be negative: "
                    f"{(reach + step) // step} [input_size: {size}, effective_filter_size: "
                    f"{extent}, stride: {step}]"
                )
    else:
        refuse(
            f"Value for attr 'padding' of {padding!r} is not in the list of allowed values: "
            "SAME, VALID, EXPLICIT."
        )
    return tuple(output)


def _explicit_pairs(
    numbers: tuple[int, ...], spatial: int, data_format: str
) -> list[tuple[int, int]]:
    if len(numbers) != 2 * (spatial + 2):
        refuse(
            f"explicit_paddings must have {2 * (spatial + 2)} entries, two for each axis; "
            f"got {list(numbers)}."
        )
    if any(number < 0 for number in numbers):
        refuse(f"Paddings must not be negative: {list(numbers)}.")
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    inner, outer = pairs[1:-1], [pairs[0], pairs[-1]]
    if channels_first(data_format):
        inner, outer = pairs[2:], pairs[:2]
    if any(any(pair) for pair in outer):
        refuse(f"Paddings of the batch and of the channels must be 0: {list(numbers)}.")
    return inner


def check_outer_strides(strides: tuple[int, ...], data_format: str, what: str) -> None:
    """Raise if ``strides`` skip examples or channels."""
    outer = strides[:2] if channels_first(data_format) else (strides[0], strides[-1])
    if any(step != 1 for step in outer):
        refuse(
            f"Strides and dilations in the batch and depth dimensions must be 1 for {what}; "
            f"got {list(strides)}.",
            error=errors.UnimplementedError,
        )


def pad(xp: Any, values: Any, places: Windows, fill: Any = 0) -> Any:
    """``values``, channels last, surrounded by ``fill`` as far as windows reach."""
    if not places.padded:
        return values
    pairs = [(0, 0), *zip(places.before, places.after, strict=True), (0, 0)]
    return xp.pad(values, pairs, constant_values=fill)


def crop(padded: Any, places: Windows) -> Any:
    """The part of a padded array that is the input."""
    if not places.padded:
        return padded
    inner = [slice(low, low + size) for low, size in zip(places.before, places.input, strict=True)]
    return padded[(slice(None), *inner)]


def padded_shape(batch: int, places: Windows, channels: int) -> tuple[int, ...]:
    """The shape of an input with its padding, channels last."""
    sizes = [
        low + size + high
        for low, size, high in zip(places.before, places.input, places.after, strict=True)
    ]
    return (batch, *sizes, channels)
