"""Ops on tensors of the quantised dtypes."""

from __future__ import annotations

from typing import Any

from . import Sample, call
from .draws import given, integers

BYTES = (0, 256)
WIDE = (-(2**31), 2**31 - 1)
FIRST, SECOND, POSITIVE = (-1.0, 2.0), (-0.5, 0.7), (0.0, 3.0)


def samples(tf: Any) -> list[Sample]:
    """Rows of this family."""
    return _products() + _ranges() + _layers()


def _row(name: str, tensors: str, cases: list[Any], quantized: str = "quint8") -> Sample:
    """A row whose calls begin with plain integers for the arguments named in ``tensors``.

    Integers of the cases become those of the dtype ``quantized``, or of the call's ``of``.
    """
    names = tensors.split()

    def run(tf: Any, *values: Any, of: str = quantized, **more: Any) -> Any:
        wanted = {key: value for key, value in more.items() if not key.endswith("type")}
        types = {key: getattr(tf, value) for key, value in more.items() if key.endswith("type")}
        passed = [
            tf.bitcast(value, getattr(tf, of)) if value.dtype.is_integer else value
            for value in values
        ]
        named = dict(zip(names, passed, strict=True))
        result = getattr(tf.raw_ops, name)(**named, **wanted, **types)
        return [
            tf.bitcast(part, part.dtype.name[1:]) if part.dtype.is_quantized else part
            for part in result
        ]

    return Sample(run, cases, name=name, dtypes=("float32",), differentiable=False)


def _bytes(*shape: int) -> Any:
    return integers(*BYTES, *shape, dtype="uint8")


def _signed(*shape: int) -> Any:
    return integers(-128, 128, *shape, dtype="int8")


def _wide(*shape: int) -> Any:
    return integers(*WIDE, *shape, dtype="int32")


def _ends(*ranges: tuple[float, float]) -> list[Any]:
    return [given(end) for ends in ranges for end in ends]


def _products() -> list[Sample]:
    pictures, filters = _bytes(2, 4, 5, 3), _bytes(2, 3, 3, 2)
    both = _ends(FIRST, SECOND)
    return [
        _row("QuantizedMatMul", "a b min_a max_a min_b max_b", [
            call(_bytes(3, 4), _bytes(4, 2), *both),
            call(_bytes(4, 3), _bytes(2, 4), *both, transpose_a=True, transpose_b=True),
            call(_bytes(0, 4), _bytes(4, 2), *both),
            call(_bytes(3, 4), _bytes(4, 2), *_ends(POSITIVE, (0.5, 1.5))),
            # Errors.
            call(_bytes(3, 4), _bytes(3, 2), *both),
            call(_bytes(3), _bytes(3, 2), *both),
            call(_bytes(3, 4), _bytes(4, 2), *_ends((1.0, 1.0), SECOND)),
            call(_bytes(3, 4), _bytes(4, 2), given([-1.0, 0.0]), *both[1:]),
        ]),
        _row("QuantizedConv2D", "input filter min_input max_input min_filter max_filter", [
            call(pictures, filters, *both, strides=[1, 1, 1, 1], padding="SAME"),
            call(pictures, filters, *both, strides=[1, 2, 2, 1], padding="SAME"),
            call(pictures, filters, *_ends(POSITIVE, SECOND), strides=[1, 1, 1, 1], padding="VALID"),
            # Errors.
            call(pictures, filters, *both, strides=[1, 1, 1, 1], padding="SAME", dilations=[1, 2, 2, 1]),
            call(pictures, _bytes(2, 3, 4, 2), *both, strides=[1, 1, 1, 1], padding="SAME"),
            call(_bytes(4, 5, 3), filters, *both, strides=[1, 1, 1, 1], padding="SAME"),
        ]),
        _row("QuantizedBiasAdd", "input bias min_input max_input min_bias max_bias", [
            call(_bytes(2, 3), _bytes(3), *both, out_type="qint32"),
            call(_signed(2, 2, 2, 3), _signed(3), *both, of="qint8", out_type="qint32"),
            call(_bytes(4, 2), _bytes(2), *_ends((-0.49961814, 3.9874787), (-2.0991712, 0.1)),
                 out_type="qint32"),
            # Errors.
            call(_bytes(2, 3), _bytes(2), *both, out_type="qint32"),
            call(_bytes(2, 3), _bytes(1, 3), *both, out_type="qint32"),
            call(_bytes(3), _bytes(3), *both, out_type="qint32"),
        ]),
        *[
            _row(name, "x y min_x max_x min_y max_y", [
                call(_bytes(3, 4), _bytes(3, 4), *both),
                call(_bytes(3, 4), _bytes(4), *both),
                call(_bytes(3, 4), _bytes(), *_ends(POSITIVE, SECOND)),
                call(_bytes(4), _bytes(3, 4), *both),
                # Errors.
                call(_bytes(3, 4), _bytes(4), *_ends(FIRST, (1.0, 1.0))),
                call(_bytes(3, 4), _bytes(3), *both),
            ])
            for name in ("QuantizedAdd", "QuantizedMul")
        ],
    ]  # fmt: skip


def _ranges() -> list[Sample]:
    sums, small = _wide(3, 4), integers(-90000, 90000, 3, 4)
    ends, other = _ends((-9000.0, 7000.0)), _ends((-0.5, 1.0))
    pictures, channels = (
        integers(-90000, 90000, 1, 2, 3, 2),
        [given([-900.0, -300.0]), given([700.0, 400.0])],
    )
    wide = {"out_type": "quint8", "of": "qint32"}
    return [
        _row("Requantize", "input input_min input_max requested_output_min requested_output_max", [
            call(small, *ends, *other, **wide),
            call(sums, *ends, *_ends((-5000.0, 6000.0)), **wide),
            call(sums, *ends, *_ends((-5000.0, 6000.0)), out_type="qint8", of="qint32"),
            call(small, *ends, *_ends((0.0, 0.0)), **wide),
            # Errors.
            call(small, *ends, *_ends((0.5, 1.0)), **wide),
            call(small, *ends, *_ends((0.0, -1.0)), **wide),
            call(small, given([-1.0, -2.0]), ends[1], *other, **wide),
        ]),
        _row("QuantizeDownAndShrinkRange", "input input_min input_max", [
            call(sums, *ends, **wide), call(small, *_ends((-9000.0, 9000.0)), **wide),
        ]),
        _row("RequantizationRange", "input input_min input_max",
             [call(sums, *ends, of="qint32"), call(small, *ends, of="qint32")]),
        _row("RequantizePerChannel",
             "input input_min input_max requested_output_min requested_output_max", [
                 call(pictures, *channels, *_ends((-0.02, 0.01)), **wide),
                 call(pictures, *channels, *_ends((-0.02, 0.01)), out_type="qint8", of="qint32"),
                 # Errors.
                 call(pictures, *channels, *_ends((0.0, 0.02)), out_type="qint8", of="qint32"),
                 call(small, *channels, *_ends((-0.02, 0.01)), **wide),
                 call(pictures, given([-900.0]), channels[1], *_ends((-0.02, 0.01)), **wide),
             ]),
        _row("RequantizationRangePerChannel", "input input_min input_max", [
            call(pictures, *channels, clip_value_max=1e9, of="qint32"),
            call(pictures, *channels, clip_value_max=0.01, of="qint32"),
            call(integers(0, 90000, 1, 2, 3, 2), *channels, clip_value_max=1e9, of="qint32"),
        ]),
    ]  # fmt: skip


def _layers() -> list[Sample]:
    pictures, ends = _bytes(2, 4, 5, 2), _ends(FIRST)
    # Means that are whole: how TensorFlow rounds others depends on whether it was built with oneDNN.
    even = given([[[[0], [8], [16], [24]], [[4], [12], [20], [28]]]], "uint8")
    window = {"ksize": [1, 2, 2, 1], "strides": [1, 2, 2, 1], "padding": "VALID"}
    parts = _ends((-1.0, 2.0), (-0.5, 1.5), (0.0, 2.0), (-1.0, 1.0), (0.5, 2.0))
    vectors = [_bytes(2), _bytes(2), _bytes(2), _bytes(2)]
    names = ("t", "m", "v", "beta", "gamma")
    settings = {"variance_epsilon": 0.001, "out_type": "qint32"}
    return [
        *[
            _row(name, "features min_features max_features", [
                call(_bytes(3, 4), *ends, out_type="quint8"),
                call(_bytes(3, 4), *_ends((-2.0, 9.0)), out_type="quint8"),
                call(_wide(3, 4), *_ends((-2.0, 9.0)), of="qint32", out_type="qint32"),
                call(_bytes(3, 4), *_ends((1.0, 1.0)), out_type="quint8"),
            ])
            for name in ("QuantizedRelu", "QuantizedRelu6")
        ],
        _row("QuantizedMaxPool", "input min_input max_input", [
            call(pictures, *ends, **window),
            call(pictures, *ends, ksize=[1, 3, 3, 1], strides=[1, 1, 1, 1], padding="SAME"),
            call(_bytes(4, 5, 2), *ends, **window),
        ]),
        _row("QuantizedAvgPool", "input min_input max_input",
             [call(even, *ends, **window), call(_bytes(4, 5, 2), *ends, **window)]),
        _row("QuantizedInstanceNorm", "x x_min x_max", [
            call(pictures, *ends),
            call(pictures, *ends, output_range_given=True, given_y_min=-1.0, given_y_max=1.5),
            call(_bytes(2, 1, 1, 2), *ends),
            # Errors.
            call(pictures, *_ends((1.0, 1.0))),
            call(pictures, *ends, output_range_given=True, given_y_min=1.0, given_y_max=0.5),
        ]),
        _row("QuantizedBatchNormWithGlobalNormalization",
             " ".join([*names, *[f"{name}_{end}" for name in names for end in ("min", "max")]]), [
                 call(pictures, *vectors, *parts, scale_after_normalization=True, **settings),
                 call(pictures, *vectors, *parts, scale_after_normalization=False, **settings),
             ]),
        _row("QuantizedResizeBilinear", "images min max", [
            call(pictures, *ends, size=[7, 3]),
            call(pictures, *ends, size=[2, 9], align_corners=True),
            call(pictures, *ends, size=[3, 8], half_pixel_centers=True),
            # Errors.
            call(pictures, *ends, size=[0, 8]), call(_bytes(2, 3), *ends, size=[2, 2]),
            call(pictures, *ends, size=[3, 8], half_pixel_centers=True, align_corners=True),
        ]),
        _row("QuantizedReshape", "tensor input_min input_max", [
            call(_bytes(2, 3), *ends, shape=[-1]), call(_wide(2, 3), *ends, shape=[3, -1], of="qint32"),
            call(_bytes(2, 3), *ends, shape=[4]),
        ]),
        _concat(),
    ]  # fmt: skip


def _concat() -> Sample:
    def joined(tf: Any, x: Any, y: Any, *ends: Any, axis: int = 0) -> Any:
        values = [tf.bitcast(part, tf.quint8) for part in (x, y)]
        lows, highs = list(ends[::2]), list(ends[1::2])
        result = tf.raw_ops.QuantizedConcat(
            concat_dim=axis, values=values, input_mins=lows, input_maxes=highs
        )
        return [tf.bitcast(result[0], tf.uint8), *result[1:]]

    both = _ends(FIRST, SECOND)
    cases = [
        call(_bytes(2, 3), _bytes(4, 3), *both),
        call(_bytes(2, 3), _bytes(2, 1), *both, axis=1),
        call(_bytes(2, 3), _bytes(2, 3), *_ends(POSITIVE, POSITIVE)),
        call(_bytes(2, 3), _bytes(2, 3), *_ends((0.5, 1.0), (0.25, 4.0))),
        # Errors.
        call(_bytes(2, 3), _bytes(2, 4), *both),
        call(_bytes(2, 3), _bytes(2, 3), *both, axis=5),
    ]
    return Sample(joined, cases, name="QuantizedConcat", dtypes=("float32",), differentiable=False)
