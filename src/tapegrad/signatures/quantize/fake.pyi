# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.quantize.fake import Gradients as Gradients

def fake_quant_with_min_max_args(
    inputs: TensorLike,
    min: TensorLike = -6,
    max: TensorLike = 6,
    num_bits: TensorLike = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """``inputs`` rounded to the nearest of ``2 ** num_bits`` even steps from ``min`` to ``max``.

    >>> tf.quantization.fake_quant_with_min_max_args([0.1, 1.2, 9.0], 0.0, 3.0, num_bits=2).numpy()
    array([0., 1., 3.], dtype=float32)

    The range is moved a little if 0 would not be a step. The gradient passes where the input is inside.

    Args:
        inputs: a tensor of float32.
        min: -6 if left out.
        max: 6 if left out.
        num_bits: 8 if left out.
        narrow_range: False if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def fake_quant_with_min_max_args_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike = -6,
    max: TensorLike = 6,
    num_bits: TensorLike = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """``gradients`` where ``inputs`` are inside the range, and 0 elsewhere.

    >>> tf.quantization.fake_quant_with_min_max_args_gradient([1.0, 1.0], [0.5, 9.0]).numpy()
    array([1., 0.], dtype=float32)

    Args:
        gradients: a tensor of float32.
        inputs: a tensor of the dtype of ``gradients``.
        min: -6 if left out.
        max: 6 if left out.
        num_bits: 8 if left out.
        narrow_range: False if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def fake_quant_with_min_max_vars(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: TensorLike = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """``inputs`` rounded to the nearest of ``2 ** num_bits`` even steps from ``min`` to ``max``, two scalars.

    >>> tf.quantization.fake_quant_with_min_max_vars([0.1, 1.2, 9.0], 0.0, 3.0, num_bits=2).numpy()
    array([0., 1., 3.], dtype=float32)

    An element below the range sends its gradient to ``min``, and one above it sends it to ``max``.

    Args:
        inputs: a tensor of float32.
        min: a tensor of the dtype of ``inputs``.
        max: a tensor of the dtype of ``inputs``.
        num_bits: 8 if left out.
        narrow_range: False if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def fake_quant_with_min_max_vars_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: TensorLike = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Gradients:
    """The gradients of the three inputs of ``fake_quant_with_min_max_vars``.

    Args:
        gradients: a tensor of float32.
        inputs: a tensor of the dtype of ``gradients``.
        min: a tensor of the dtype of ``gradients``.
        max: a tensor of the dtype of ``gradients``.
        num_bits: 8 if left out.
        narrow_range: False if left out.
        name: accepted, and of no effect.

    Returns:
        A named tuple of tensors: backprops_wrt_input, backprop_wrt_min, backprop_wrt_max.
    """

def fake_quant_with_min_max_vars_per_channel(
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: TensorLike = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """``fake_quant_with_min_max_vars`` with a range for each channel. Channels are the last axis.

    >>> x = [[0.1, 0.1], [1.2, 1.2]]
    >>> tf.quantization.fake_quant_with_min_max_vars_per_channel(x, [0.0, 0.0], [3.0, 6.0], 2).numpy()
    array([[0., 0.],
           [1., 2.]], dtype=float32)

    Args:
        inputs: a tensor of float32.
        min: a tensor of the dtype of ``inputs``.
        max: a tensor of the dtype of ``inputs``.
        num_bits: 8 if left out.
        narrow_range: False if left out.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: TensorLike,
    inputs: TensorLike,
    min: TensorLike,
    max: TensorLike,
    num_bits: TensorLike = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Gradients:
    """The gradients of the three inputs of ``fake_quant_with_min_max_vars_per_channel``.

    Args:
        gradients: a tensor of float32.
        inputs: a tensor of the dtype of ``gradients``.
        min: a tensor of the dtype of ``gradients``.
        max: a tensor of the dtype of ``gradients``.
        num_bits: 8 if left out.
        narrow_range: False if left out.
        name: accepted, and of no effect.

    Returns:
        A named tuple of tensors: backprops_wrt_input, backprop_wrt_min, backprop_wrt_max.
    """

def quantize_and_dequantize(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = 'HALF_TO_EVEN',
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """An older form of ``quantize_and_dequantize_v2``, in which the whole gradient passes.

    >>> tf.quantization.quantize_and_dequantize([-1.2, 0.3], -1.0, 1.5, True, 3, True).numpy()
    array([-1. ,  0.5], dtype=float32)
    """

def quantize_and_dequantize_v2(
    input: TensorLike,
    input_min: TensorLike,
    input_max: TensorLike,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = 'HALF_TO_EVEN',
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """``input`` rounded to whole steps, counted from 0, so that the numbers of steps fit in ``num_bits``.

    >>> x = tf.constant([-1.2, 0.3, 0.5, 1.5])
    >>> tf.quantization.quantize_and_dequantize_v2(x, -1.0, 1.5, True, 3, range_given=True).numpy()
    array([-1. ,  0.5,  0.5,  1.5], dtype=float32)

    The gradient passes where ``input`` is from ``input_min`` to ``input_max``, and is 0 elsewhere, even if
    these do not set the range.

    Args:
        range_given: whether the range goes from ``input_min`` to ``input_max``, to which ``input`` is then
            clipped. Otherwise it goes from the smallest to the largest number in ``input``.
        round_mode: "HALF_TO_EVEN" or "HALF_UP".
        narrow_range: whether to leave out the lowest negative integer.
        axis: the axis along which each slice has a range of its own. The bounds are then vectors.

    Differs from TensorFlow: ranges that are given for each slice work.
    """
