"""``tf.compat.v1.losses``: losses with weights, each a single number unless ``reduction`` says otherwise."""

from __future__ import annotations

from typing import Any

from tapegrad import dtypes
from tapegrad.annex.internal.hooks import check_weights
from tapegrad.core import public
from tapegrad.framework.docstrings import describes
from tapegrad.ops.elementwise.exponential import log
from tapegrad.ops.elementwise.math import divide_no_nan, minimum, squared_difference
from tapegrad.ops.elementwise.signs import abs as tf_abs
from tapegrad.ops.nn.activations import relu
from tapegrad.ops.nn.losses import (
    sigmoid_cross_entropy_with_logits,
    softmax_cross_entropy_with_logits,
    sparse_softmax_cross_entropy_with_logits,
)
from tapegrad.ops.reduce.reduce import count_nonzero, reduce_sum
from tapegrad.ops.shape.array import broadcast_to, squeeze, stop_gradient
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import convert_to_tensor
from tapegrad.ops.shape.shapes import shape, size

PUBLIC = {
    "compat.v1.losses": (
        "Reduction absolute_difference compute_weighted_loss cosine_distance hinge_loss huber_loss "
        "log_loss mean_squared_error sigmoid_cross_entropy softmax_cross_entropy "
        "sparse_softmax_cross_entropy"
    ),
}


class Reduction:
    """How the losses of all examples become one number.

    SUM: their sum. MEAN: the sum divided by the sum of the weights. SUM_OVER_BATCH_SIZE: the sum divided by
    the number of losses. SUM_BY_NONZERO_WEIGHTS: the sum divided by the number of weights that are not zero.
    NONE: they do not become one number.
    """

    NONE = "none"
    SUM = "weighted_sum"
    MEAN = "weighted_mean"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All ways."""
        return (
            cls.NONE,
            cls.SUM,
            cls.MEAN,
            cls.SUM_OVER_BATCH_SIZE,
            cls.SUM_OVER_NONZERO_WEIGHTS,
            cls.SUM_BY_NONZERO_WEIGHTS,
        )

    @classmethod
    def validate(cls, key: Any) -> None:
        """Raise ValueError if there is no such way."""
        if key not in cls.all():
            raise ValueError(f"Invalid Reduction Key {key}. Key should be one of {cls.all()}.")


BY_NONZERO = Reduction.SUM_BY_NONZERO_WEIGHTS
of_every_loss = describes(
    weights="a scalar, or a tensor whose sizes are 1 or those of the losses before they are added up.",
    scope="accepted, and of no effect.",
    loss_collection="accepted, and of no effect.",
    reduction="what becomes of the weighted losses: a way of `tf.compat.v1.losses.Reduction`.",
)


@public
@of_every_loss
def compute_weighted_loss(
    losses: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = BY_NONZERO,
) -> Any:
    """The losses times their weights, as one number.

    >>> tf.compat.v1.losses.compute_weighted_loss([1.0, 2.0, 3.0], weights=[1.0, 0.0, 1.0]).numpy()
    np.float32(2.0)

    Args:
        losses: a tensor with a loss for each element.
        weights: a scalar, or a tensor whose sizes are 1 or those of ``losses``.
    """
    Reduction.validate(reduction)
    tensor = convert_to_tensor(losses)
    losses, weights = cast(tensor, dtypes.float32), cast(weights, dtypes.float32)
    check_weights(weights, losses)
    weighted = losses * weights
    if reduction == Reduction.NONE:
        return cast(weighted, tensor.dtype)
    total = reduce_sum(weighted)
    spread = broadcast_to(weights, shape(losses))
    if reduction == Reduction.MEAN:
        total = divide_no_nan(total, reduce_sum(spread))
    elif reduction == Reduction.SUM_OVER_BATCH_SIZE:
        total = divide_no_nan(total, cast(size(losses), dtypes.float32))
    elif reduction == BY_NONZERO:
        total = divide_no_nan(total, count_nonzero(spread, dtype=dtypes.float32))
    return cast(total, tensor.dtype)


def pair(labels: Any, predictions: Any) -> tuple[Any, Any]:
    """Labels and predictions as float32 tensors of one shape."""
    if labels is None:
        raise ValueError("Argument `labels` must not be None.")
    if predictions is None:
        raise ValueError("Argument `predictions` must not be None.")
    labels, predictions = cast(labels, dtypes.float32), cast(predictions, dtypes.float32)
    predictions.shape.assert_is_compatible_with(labels.shape)
    return labels, predictions


@public
@of_every_loss
def absolute_difference(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = BY_NONZERO,
) -> Any:
    """``|predictions - labels|``.

    Args:
        labels: the right values, of the shape of ``predictions``.
        predictions: a tensor of numbers, computed in float32.
    """
    labels, predictions = pair(labels, predictions)
    return compute_weighted_loss(tf_abs(predictions - labels), weights, reduction=reduction)


@public
@of_every_loss
def mean_squared_error(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = BY_NONZERO,
) -> Any:
    """``(predictions - labels) ** 2``.

    >>> tf.compat.v1.losses.mean_squared_error([1.0, 2.0], [1.0, 4.0]).numpy()
    np.float32(2.0)

    Args:
        labels: the right values, of the shape of ``predictions``.
        predictions: a tensor of numbers, computed in float32.
    """
    labels, predictions = pair(labels, predictions)
    losses = squared_difference(predictions, labels)
    return compute_weighted_loss(losses, weights, reduction=reduction)


@public
@of_every_loss
def huber_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    delta: float = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = BY_NONZERO,
) -> Any:
    """Half the squared error; linear in the error where that is beyond ``delta``.

    Args:
        labels: the right values, of the shape of ``predictions``.
        predictions: a tensor of numbers, computed in float32.
        delta: the error from which on the loss is linear.
    """
    labels, predictions = pair(labels, predictions)
    error = tf_abs(predictions - labels)
    near = minimum(error, delta)
    losses = 0.5 * near * near + delta * (error - near)
    return compute_weighted_loss(losses, weights, reduction=reduction)


@public
@of_every_loss
def log_loss(
    labels: Any,
    predictions: Any,
    weights: Any = 1.0,
    epsilon: float = 1e-7,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = BY_NONZERO,
) -> Any:
    """The cross entropy of probabilities: ``-y log(p) - (1 - y) log(1 - p)``.

    Args:
        labels: the right probabilities, mostly 0 or 1, of the shape of ``predictions``.
        predictions: probabilities from 0 to 1, computed in float32.
        epsilon: what is added to the arguments of the logarithms, so that these are finite at 0.
    """
    labels, predictions = pair(labels, predictions)
    losses = -labels * log(predictions + epsilon)
    losses -= (1 - labels) * log(1 - predictions + epsilon)
    return compute_weighted_loss(losses, weights, reduction=reduction)


@public
@of_every_loss
def hinge_loss(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = BY_NONZERO,
) -> Any:
    """``max(0, 1 - y * logits)``, with y -1 and 1 for the labels 0 and 1.

    Args:
        labels: 0 or 1, in the shape of ``logits``.
        logits: a tensor of numbers, computed in float32; positive ones mean 1.
    """
    labels, logits = pair(labels, logits)
    losses = relu(1 - (2 * labels - 1) * logits)
    return compute_weighted_loss(losses, weights, reduction=reduction)


@public
@of_every_loss
def cosine_distance(
    labels: Any,
    predictions: Any,
    axis: Any = None,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = BY_NONZERO,
    dim: Any = None,
) -> Any:
    """1 minus the scalar product along ``axis``, of vectors that have the length 1 already.

    Args:
        labels: the right vectors, of the shape of ``predictions``.
        predictions: vectors of the length 1, computed in float32.
        axis: the axis of the vectors, which has the length 1 in the losses; required.
        dim: the older name of ``axis``, which is used if that is None.
    """
    axis = dim if axis is None else axis
    if axis is None:
        raise ValueError("You must specify argument `axis`.")
    labels, predictions = pair(labels, predictions)
    losses = 1 - reduce_sum(predictions * labels, axis=axis, keepdims=True)
    return compute_weighted_loss(losses, weights, reduction=reduction)


@public
@of_every_loss
def sigmoid_cross_entropy(
    multi_class_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = BY_NONZERO,
) -> Any:
    """The cross entropy of each class by itself, from logits.

    Args:
        multi_class_labels: 0 or 1 for each class, or a probability, in the shape of ``logits``.
        logits: floating point numbers of shape [batch, classes]: the logarithms of the odds.
        label_smoothing: how far labels are moved towards 1/2: 0 for not at all, 1 for all the way.
    """
    logits = convert_to_tensor(logits)
    labels = cast(multi_class_labels, logits.dtype)
    if label_smoothing:
        labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
    losses = sigmoid_cross_entropy_with_logits(labels, logits)
    return compute_weighted_loss(losses, weights, reduction=reduction)


@public
@of_every_loss
def softmax_cross_entropy(
    onehot_labels: Any,
    logits: Any,
    weights: Any = 1.0,
    label_smoothing: float = 0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = BY_NONZERO,
) -> Any:
    """The cross entropy of classes of which one is right, from logits.

    Args:
        onehot_labels: the probability of each class, mostly 1 for one and 0 for the others, in the shape of
            ``logits``. No gradient flows back to them.
        logits: floating point numbers, whose last axis has the classes.
        label_smoothing: how far labels are moved towards equal probabilities: 0 for not at all, 1 for all the
            way.
    """
    logits = convert_to_tensor(logits)
    labels = cast(onehot_labels, logits.dtype)
    if label_smoothing:
        count = cast(shape(labels)[-1], logits.dtype)
        labels = labels * (1 - label_smoothing) + label_smoothing / count
    losses = softmax_cross_entropy_with_logits(stop_gradient(labels), logits)
    return compute_weighted_loss(losses, weights, reduction=reduction)


@public
@of_every_loss
def sparse_softmax_cross_entropy(
    labels: Any,
    logits: Any,
    weights: Any = 1.0,
    scope: Any = None,
    loss_collection: Any = "losses",
    reduction: str = BY_NONZERO,
) -> Any:
    """The cross entropy of classes of which one is right, which ``labels`` gives by its number.

    >>> logits = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> round(float(tf.compat.v1.losses.sparse_softmax_cross_entropy([0, 1], logits)), 4)
    0.8133

    Args:
        labels: the number of the right class: integers of the shape of ``logits`` without its last axis, or
            with 1 there.
        logits: floating point numbers, whose last axis has the classes.
    """
    labels, logits = convert_to_tensor(labels), convert_to_tensor(logits)
    if labels.ndim == logits.ndim and labels.shape[-1] == 1:
        labels = squeeze(labels, [-1])
    losses = sparse_softmax_cross_entropy_with_logits(labels, logits)
    weights = convert_to_tensor(weights)
    if weights.ndim == losses.ndim + 1 and weights.shape[-1] == 1:
        weights = squeeze(weights, [-1])
    return compute_weighted_loss(losses, weights, reduction=reduction)
