# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.indexing.approx_top_k import ApproxTopK as ApproxTopK

def approx_max_k(
    operand: TensorLike,
    k: TensorLike,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The ``k`` largest elements along an axis, largest first, and their indices.

    >>> tf.math.approx_max_k(tf.constant([1.0, 3.0, 2.0]), 2).indices.numpy().tolist()
    [1, 2]

    The result is exact: ``recall_target`` and the arguments that tune the search change nothing.
    """

def approx_min_k(
    operand: TensorLike,
    k: TensorLike,
    reduction_dimension: int = -1,
    recall_target: float = 0.95,
    reduction_input_size_override: int = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The ``k`` smallest elements along an axis, smallest first, and their indices.

    >>> tf.math.approx_min_k(tf.constant([1.0, 3.0, 2.0]), 2).indices.numpy().tolist()
    [0, 2]

    The result is exact: ``recall_target`` and the arguments that tune the search change nothing.
    """

def approx_top_k(
    input: TensorLike,
    k: TensorLike,
    reduction_dimension: Axis = -1,
    recall_target: TensorLike = 0.95,
    is_max_k: bool = True,
    reduction_input_size_override: TensorLike = -1,
    aggregate_to_topk: bool = True,
    name: str | None = None,
) -> ApproxTopK:
    """The ``k`` largest (or smallest) elements along an axis, in order, and their indices.

    >>> values, indices = tf.approx_top_k([1.0, 3.0, 2.0], 2, is_max_k=False)
    >>> values.numpy().tolist(), indices.numpy().tolist()
    ([1.0, 2.0], [0, 2])

    The result is exact, so ``recall_target`` and the arguments that tune the search change nothing.

    Differs from TensorFlow: on the CPU too, it takes float64 and any axis, and finds the smallest elements.

    Args:
        input: a tensor of floating point numbers.
        k: required.
        reduction_dimension: -1 if left out.
        recall_target: 0.95 if left out.
        is_max_k: True if left out.
        reduction_input_size_override: -1 if left out.
        aggregate_to_topk: True if left out.
        name: accepted, and of no effect.

    Returns:
        A named tuple of tensors: values, indices.
    """
