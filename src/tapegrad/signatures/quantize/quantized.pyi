# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad import dtypes as dtypes
from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import DTypeLike as DTypeLike
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.quantize.quantized import QuantizeV2 as QuantizeV2

def dequantize(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    mode: str = 'MIN_COMBINED',
    name: str | None = None,
    axis: Axis | None = None,
    narrow_range: bool = False,
    dtype: DTypeLike = dtypes.float32,
) -> Tensor:
    """The floats for which the integers of a quantised tensor stand: see `quantize`.

    >>> steps, low, high = tf.quantization.quantize([0.0, 0.25, 1.0], 0.0, 1.0, tf.quint8)
    >>> tf.quantization.dequantize(steps, low, high).numpy().round(2)
    array([0.  , 0.25, 1.  ], dtype=float32)
    """

def quantize(
    input: TensorLike,
    min_range: TensorLike,
    max_range: TensorLike,
    T: TensorLike,
    mode: str = 'MIN_COMBINED',
    round_mode: str = 'HALF_AWAY_FROM_ZERO',
    name: str | None = None,
    narrow_range: bool = False,
    axis: Axis | None = None,
    ensure_minimum_range: float = 0.01,
) -> QuantizeV2:
    """``input`` as steps from ``min_range`` to ``max_range``, in a quantised dtype; and the range used.

    >>> tf.quantization.quantize([0.0, 0.5, 1.0], 0.0, 1.0, tf.quint8).output
    <tf.Tensor: shape=(3,), dtype=quint8, numpy=array([  0, 128, 255], dtype=uint8)>

    The op has no gradient. `quantize_and_dequantize_v2` has one that ignores the rounding.

    Args:
        T: qint8, quint8, qint16, quint16 or qint32.
        mode: "MIN_COMBINED", "MIN_FIRST" (in which 0 may be rounded too) or "SCALED" (in which 0 stays 0).
        round_mode: "HALF_AWAY_FROM_ZERO", or for "SCALED" also "HALF_TO_EVEN".
        narrow_range: whether the mode "SCALED" leaves out the lowest integer.
        axis: the axis along which each slice has a range of its own.
        ensure_minimum_range: the least width of the range, relative to its larger bound.
    """
