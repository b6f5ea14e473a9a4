"""`OPS`: sizes and colours of pictures, with channels last, as nodes of ONNX's; see ``elements``."""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.saving.onnx.elements import Attributes, Row, floor_mod
from tapegrad.saving.onnx.graph import CHANNELS_FIRST, CHANNELS_LAST, Graph, Value


def resize(mode: str) -> Row:
    """Pictures in another size."""

    def write(to: Graph, attributes: Attributes, images: Any, size: Any) -> Value:
        corners = attributes.get("align_corners", False)
        half = attributes.get("half_pixel_centers", False)
        options: dict[str, Any] = {"mode": mode}
        options["coordinate_transformation_mode"] = (
            "align_corners" if corners else "half_pixel" if half else "asymmetric"
        )
        if mode == "nearest":
            options["nearest_mode"] = "round_prefer_ceil" if corners or half else "floor"
        own = images if mode == "nearest" else to.cast(images, dtypes.float32)
        first = to.turn(own, CHANNELS_FIRST[4])
        # Not by the attribute `axes`, with which ONNX Runtime moves transposes wrongly.
        sizes = to.joined(to.op("Slice", to.shape(first), [0], [2], [0], [1]), to.vector(size))
        result = to.op("Resize", first, None, None, sizes, **options)
        return to.turn(result, CHANNELS_LAST[4])

    return write


def contrast(to: Graph, attributes: Attributes, images: Any, factor: Any) -> Value:
    """Pictures whose distance from their mean is multiplied."""
    mean = to.op("ReduceMean", images, [-3, -2], keepdims=1)
    return to.op("Add", to.op("Mul", to.op("Sub", images, mean), factor), mean)


# Colours


def _channels(to: Graph, images: Value) -> list[Value]:
    return [to.op("Gather", images, [place], axis=-1) for place in range(3)]


def to_hsv(to: Graph, attributes: Attributes, images: Any) -> Value:
    """Hue, saturation and value of red, green and blue."""
    return to.op("Concat", *_hsv(to, images), axis=-1)


def _hsv(to: Graph, images: Value) -> list[Value]:
    red, green, blue = _channels(to, images)
    value = to.op("Max", red, green, blue)
    spread = to.op("Sub", value, to.op("Min", red, green, blue))
    saturation = to.where(to.op("Greater", value, 0.0), to.op("Div", spread, value), 0.0)
    norm = to.op("Mul", spread, 6.0)

    def part(one: Value, other: Value, begin: float) -> Value:
        return to.op("Add", to.op("Div", to.op("Sub", one, other), norm), begin)

    hue = to.where(to.op("Equal", green, value), part(blue, red, 2 / 6), part(red, green, 4 / 6))
    hue = to.where(to.op("Equal", red, value), part(green, blue, 0.0), hue)
    hue = to.where(to.op("Greater", spread, 0.0), hue, 0.0)
    hue = to.where(to.op("Less", hue, 0.0), to.op("Add", hue, 1.0), hue)
    return [hue, saturation, value]


def to_rgb(to: Graph, attributes: Attributes, images: Any) -> Value:
    """Red, green and blue of hue, saturation and value."""
    return _rgb(to, *_channels(to, images))


def _rgb(to: Graph, hue: Value, saturation: Value, value: Value) -> Value:
    """Each colour falls off with its distance from a hue: (1 - s + s * share) * v."""
    angle = to.op("Mul", hue, 6.0)
    shares = [to.op("Sub", to.op("Abs", to.op("Sub", angle, 3.0)), 1.0)]
    for centre in (2.0, 4.0):
        distance = to.op("Abs", to.op("Sub", angle, centre))
        shares.append(to.op("Sub", to.like(2.0, angle), distance))
    rest = to.op("Sub", to.like(1.0, saturation), saturation)
    colours = []
    for share in shares:
        own = to.op("Mul", to.op("Clip", share, 0.0, 1.0), saturation)
        colours.append(to.op("Mul", to.op("Add", own, rest), value))
    return to.op("Concat", *colours, axis=-1)


def turned_hue(to: Graph, attributes: Attributes, images: Any, delta: Any) -> Value:
    """Pictures with another hue."""
    hue, saturation, value = _hsv(to, images)
    one = to.like(1.0, hue)
    turned = floor_mod(to, {}, to.op("Add", hue, to.cast(delta, hue.dtype)), one)
    return _rgb(to, turned, saturation, value)


def scaled_saturation(to: Graph, attributes: Attributes, images: Any, scale: Any) -> Value:
    """Pictures of another saturation."""
    hue, saturation, value = _hsv(to, images)
    scaled = to.op("Clip", to.op("Mul", saturation, to.cast(scale, hue.dtype)), 0.0, 1.0)
    return _rgb(to, hue, scaled, value)


OPS: dict[str, Row] = {
    "AdjustContrastv2": contrast,
    "AdjustHue": turned_hue,
    "AdjustSaturation": scaled_saturation,
    "HSVToRGB": to_rgb,
    "RGBToHSV": to_hsv,
    "ResizeBilinear": resize("linear"),
    "ResizeNearestNeighbor": resize("nearest"),
}
"""Op of TensorFlow's -> what writes a node of it."""
