"""Cross entropies and other losses, one number for each example.

The rules here hold for any labels, even for labels that do not sum to one.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from tapegrad.core import Tensor, convert, public, static_value
from tapegrad.core.compositions import composition
from tapegrad.core.sizes import broadcast_shape
from tapegrad.engines.numpy import searches
from tapegrad.engines.numpy import softmax as rows_of_softmax
from tapegrad.errors import refuse
from tapegrad.ops.args import normalize_axis, static_int
from tapegrad.ops.batching import apart, broadcast_to, end_to_end, rows
from tapegrad.ops.elementwise import exponential, logic, math
from tapegrad.ops.linalg import products
from tapegrad.ops.nn import activations, softmax
from tapegrad.ops.op import INDEX, REAL_FLOATING, broadcastable, elementwise, op, says
from tapegrad.ops.reduce import reduce
from tapegrad.ops.shape import array, casts

PUBLIC = {
    "nn": (
        "sigmoid_cross_entropy_with_logits softmax_cross_entropy_with_logits "
        "sparse_softmax_cross_entropy_with_logits weighted_cross_entropy_with_logits"
    ),
    "nn compat.v1.nn": "compute_average_loss l2_loss log_poisson_loss scale_regularization_loss",
}


# Sigmoid


def _sigmoid_cross_entropy(xp: Any, labels: Any, logits: Any) -> Any:
    x, z = logits, labels
    # max(x, 0) - x z cancels exactly where the loss is small. Then the small part is added.
    return (xp.maximum(x, 0) - x * z) + xp.log1p(xp.exp(-xp.abs(x)))


sigmoid_cross_entropy = elementwise(
    "_SigmoidCrossEntropy",
    _sigmoid_cross_entropy,
    name="sigmoid_cross_entropy",
    dtypes=REAL_FLOATING,
    accumulate="float32",
)
sigmoid_cross_entropy.gradient(
    labels=lambda dy, logits: -dy * logits,
    logits=lambda dy, labels, logits: dy * (exponential.sigmoid(logits) - labels),
)


@public
@says(dispatched="binary")
def sigmoid_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, name: str | None = None
) -> Tensor:
    """``-labels * log(p) - (1 - labels) * log(1 - p)`` with ``p = sigmoid(logits)``, for each element.

    >>> tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0, 0.0], logits=[-1000.0, 1000.0]).numpy()
    array([1000., 1000.], dtype=float32)

    Args:
        labels: numbers from 0 to 1, of the shape and dtype of ``logits``.
        logits: floating point numbers.
    """
    if labels is None or logits is None:
        raise ValueError(
            "Both `labels` and `logits` must be provided for sigmoid_cross_entropy_with_logits. "
            f"Received: labels={labels} and logits={logits}"
        )
    logits = convert(logits)
    labels = products.operand_like(labels, logits.dtype)
    _check_same_shape(logits, labels, "logits", "labels")
    return sigmoid_cross_entropy(labels, logits)


def _check_same_shape(first: Tensor, second: Tensor, *names: str) -> None:
    if first._shape_tuple() != second._shape_tuple():
        raise ValueError(
            f"`{names[0]}` and `{names[1]}` must have the same shape, "
            f"received ({first.shape} vs {second.shape})."
        )


@composition
def weighted_cross_entropy_with_logits(
    labels: Any, logits: Any, pos_weight: Any, name: str | None = None
) -> Tensor:
    """``sigmoid_cross_entropy_with_logits`` with the loss of positive labels multiplied by ``pos_weight``.

    >>> tf.nn.weighted_cross_entropy_with_logits([1.0, 0.0], [0.0, 0.0], pos_weight=2.0).numpy()
    array([1.3862944, 0.6931472], dtype=float32)

    Args:
        labels: the probability that a label is positive, in the shape of ``logits``.
        logits: floating point numbers.
        pos_weight: a number, or a tensor whose shape broadcasts with that of ``logits``.
    """
    logits = convert(logits)
    labels = products.operand_like(labels, logits.dtype)
    _check_same_shape(logits, labels, "logits", "targets")
    # -q z log(p) - (1 - z) log(1 - p) = (1 - z) x + (1 + (q - 1) z) softplus(-x)
    weight = 1.0 + (pos_weight - 1.0) * labels
    return (1.0 - labels) * logits + weight * activations.softplus(-logits)


# Softmax


@op(
    "SoftmaxCrossEntropyWithLogits",
    dtypes=REAL_FLOATING,
    outputs=("loss", "backprop"),
    broadcasts=True,
    accumulate="float32",
    linear="labels",
    lane=rows_of_softmax.cross_entropy_lane,
    values="elements",
)
def softmax_cross_entropy(xp, features, labels):
    """The loss of each row, and its gradient with respect to ``features``."""
    try:
        shape = np.broadcast_shapes(features.shape, labels.shape)
    except ValueError:
        refuse(
            "logits and labels must be broadcastable: "
            f"logits_size={list(features.shape)} labels_size={list(labels.shape)}"
        )
    if len(shape) != 2:
        refuse(f"logits and labels must be matrices; together they have shape {list(shape)}.")
    if features.shape != shape or labels.shape != shape:
        features, labels = xp.broadcast_to(features, shape), xp.broadcast_to(labels, shape)
    return xp.softmax_cross_entropy(features, labels)


@softmax_cross_entropy.shape
def cross_entropy_shapes(features, labels):
    shape = broadcast_shape(features.shape, labels.shape)
    if len(shape) != 2:
        refuse(f"logits and labels must be matrices; together they have shape {list(shape)}.")
    return [shape[:1], shape]


def _cross_entropy_gradient(dy, arrived, features, labels, backprop, needs):
    dloss, dbackprop = dy
    by_features = by_labels = None
    dloss = array.expand_dims(dloss, -1)
    # A single class that is broadcast to several counts once for each of them.
    shape = backprop._shape_tuple()
    if features._shape_tuple() != shape:
        features = array.broadcast_to(features, shape)
    if labels._shape_tuple() != shape:
        labels = array.broadcast_to(labels, shape)
    if needs[0]:
        by_features = dloss * backprop
    if needs[1]:
        by_labels = -dloss * softmax.log_softmax_op(features)
    if arrived[1]:
        # backprop = p sum(z) - z with p = softmax(features).
        probabilities = softmax.softmax_op(features)
        along = reduce.reduce_sum(dbackprop * probabilities, axis=-1, keepdims=True)
        if needs[0]:
            total = reduce.reduce_sum(labels, axis=-1, keepdims=True)
            by_features = by_features + total * probabilities * (dbackprop - along)
        if needs[1]:
            by_labels = by_labels + (along - dbackprop)
    return by_features, by_labels


softmax_cross_entropy.gradient(_cross_entropy_gradient)


def cross_entropy_rule(items, features, labels):
    arrays = [items.spread(features, 0), items.spread(labels, 1)]
    shape = np.broadcast_shapes(arrays[0].shape, arrays[1].shape)
    results = items.run(*[end_to_end(broadcast_to(array, shape)) for array in arrays])
    return [apart(items, result) for result in results]


softmax_cross_entropy.batching(cross_entropy_rule)


@public
def softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, axis: Any = -1, name: str | None = None
) -> Tensor:
    """``-sum(labels * log(softmax(logits)))`` along ``axis``.

    >>> tf.nn.softmax_cross_entropy_with_logits(labels=[[0.0, 1.0]], logits=[[0.0, 0.0]]).numpy()
    array([0.6931472], dtype=float32)

    Differs from TensorFlow: a label of 0 adds nothing, even where the logit is -inf. The gradient is right
    for labels that do not sum to 1 too.

    Args:
        labels: the probability of each class.
        logits: floating point numbers of the same shape.
        axis: the axis of the classes; the last by default.
    """
    logits = convert(logits)
    if not logits.dtype.is_floating:
        refuse(
            "softmax_cross_entropy_with_logits takes floating point logits, "
            f"not {logits.dtype.name}."
        )
    labels = casts.cast(convert(labels), logits.dtype)
    rank = logits.ndim
    if rank < 1 or labels.ndim < 1:
        refuse("softmax_cross_entropy_with_logits takes logits and labels of rank 1 at least.")
    axis = normalize_axis(static_int(axis), rank)
    if axis != rank - 1:
        order = [*range(axis), *range(axis + 1, rank), axis]
        logits, labels = array.transpose(logits, order), array.transpose(labels, order)
    shape = logits._shape_tuple()
    rows = _as_rows(logits), _as_rows(labels)
    if rows[0]._shape_tuple() != rows[1]._shape_tuple() and broadcastable(
        [list(tensor._shape_tuple()) for tensor in rows]
    ):
        # The broadcast is an op here, so that its gradient is summed back to the shape of each operand.
        both = broadcast_shape(rows[0]._shape_tuple(), rows[1]._shape_tuple())
        rows = array.broadcast_to(rows[0], both), array.broadcast_to(rows[1], both)
    loss = softmax_cross_entropy.apply(list(rows), ())[0]
    outer = shape[:-1]
    if labels._shape_tuple() != shape and loss._shape_tuple() != (prod(outer),):
        outer = broadcast_shape(outer, labels._shape_tuple()[:-1])
    return loss if loss._shape_tuple() == outer else array.reshape(loss, outer)


def _as_rows(tensor: Tensor) -> Tensor:
    shape = tensor._shape_tuple()
    if len(shape) == 2:
        return tensor
    return array.reshape(tensor, (prod(shape[:-1]), shape[-1]))


def _check_labels(features: Any, labels: Any) -> None:
    if features.ndim != 2 or labels.ndim != 1 or features.shape[0] != labels.shape[0]:
        refuse(
            "logits must be a matrix and labels a vector with one label for each of its rows; "
            f"got shapes {list(features.shape)} and {list(labels.shape)}."
        )


@op(
    "SparseSoftmaxCrossEntropyWithLogits",
    dtypes={"T": REAL_FLOATING, "labels": INDEX},
    outputs=("loss", "backprop"),
    accumulate="float32",
    lane=rows_of_softmax.sparse_cross_entropy_lane,
    values="errors",
)
def sparse_softmax_cross_entropy(xp, features, labels):
    """The loss of each row, and its gradient with respect to ``features``."""
    _check_labels(features, labels)
    rows, classes = features.shape
    if not classes and rows:
        refuse(f"Must have at least one class, but got logits shape {list(features.shape)}")
    if rows and not (
        searches.within(labels, classes) or (labels.min() >= 0 and labels.max() < classes)
    ):
        wrong = labels[(labels < 0) | (labels >= classes)]
        refuse(
            f"Received a label value of {wrong[0]} which is outside the valid range of [0, "
            f"{classes})."
        )
    return xp.sparse_softmax_cross_entropy(features, labels)


@sparse_softmax_cross_entropy.shape
def sparse_cross_entropy_shapes(features, labels):
    _check_labels(features, labels)
    return [labels.shape[:1], features.shape]


def _sparse_cross_entropy_gradient(dy, arrived, features, backprop):
    dloss, dbackprop = dy
    gradient = array.expand_dims(dloss, -1) * backprop
    if arrived[1]:
        probabilities = softmax.softmax_op(features)
        along = reduce.reduce_sum(dbackprop * probabilities, axis=-1, keepdims=True)
        gradient = gradient + probabilities * (dbackprop - along)
    return gradient


sparse_softmax_cross_entropy.gradient(
    features=_sparse_cross_entropy_gradient, labels=lambda dy: None
)
sparse_softmax_cross_entropy.batching(rows())


@public
def sparse_softmax_cross_entropy_with_logits(
    labels: Any, logits: Any, name: str | None = None
) -> Tensor:
    """``-log(softmax(logits))`` at the class that each label names. Classes are the last axis.

    >>> tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[0.0, 0.0]]).numpy()
    array([0.6931472], dtype=float32)

    Args:
        labels: the number of a class for each row of logits.
        logits: floating point numbers; the last axis has the classes.

    Raises:
        InvalidArgumentError: for a label that is not a class.
    """
    labels, logits = convert(labels), convert(logits)
    if not logits.ndim:
        raise ValueError(f"`logits` cannot be a scalar. Received logits of shape {logits.shape}")
    if labels.ndim != logits.ndim - 1:
        raise ValueError(
            "`labels.shape.rank` must equal `logits.shape.rank - 1`. Received: "
            f"labels.shape={labels.shape} of rank {labels.ndim} and logits.shape={logits.shape} "
            f"of rank {logits.ndim}"
        )
    shape = labels._shape_tuple()
    if shape != logits._shape_tuple()[:-1]:
        raise ValueError(
            "`labels.shape` must equal `logits.shape` except for the last dimension. Received: "
            f"labels.shape={labels.shape} and logits.shape={logits.shape}"
        )
    if len(shape) == 1:
        return sparse_softmax_cross_entropy(logits, labels)[0]
    loss = sparse_softmax_cross_entropy(_as_rows(logits), array.reshape(labels, (-1,)))[0]
    return array.reshape(loss, shape)


# Other losses


@composition
def log_poisson_loss(
    targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None
) -> Tensor:
    """The negative log-likelihood of counts ``targets`` under Poisson rates ``exp(log_input)``.

    >>> tf.nn.log_poisson_loss([1.0, 2.0], [0.0, 0.0]).numpy()
    array([1., 1.], dtype=float32)

    Args:
        targets: the counts, in the shape and the dtype of ``log_input``.
        log_input: the logarithms of the rates: floating point numbers.
        compute_full_loss: whether to add the logarithm of the factorial of the targets, by Stirling's
            formula. It does not depend on ``log_input``.
    """
    log_input = convert(log_input)
    targets = products.operand_like(targets, log_input.dtype)
    _check_same_shape(log_input, targets, "log_input", "targets")
    loss = exponential.exp(log_input) - log_input * targets
    if compute_full_loss:
        # Stirling's formula is wrong for 0 and 1. The logarithm of their factorial is 0.
        large = logic.logical_or(targets < 0.0, targets > 1.0)
        factorial = (
            targets * exponential.log(targets)
            - targets
            + 0.5 * exponential.log(2.0 * np.pi * targets)
        )
        loss = loss + math.keep_where(factorial, large)
    return loss


# Losses over a batch


@public
def compute_average_loss(
    per_example_loss: Any, sample_weight: Any = None, global_batch_size: Any = None
) -> Tensor:
    """The sum of the losses, divided by the size of the batch.

    >>> tf.nn.compute_average_loss([1.0, 2.0, 3.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=2.0>

    Args:
        per_example_loss: floating point numbers, with the batch as the first axis.
        sample_weight: what the losses are multiplied by first.
        global_batch_size: what the sum is divided by, which is the length of the first axis by default.
    """
    losses: Tensor = convert(per_example_loss)
    dtype = losses.dtype
    if sample_weight is not None:
        weights = casts.cast(convert(sample_weight), dtype)
        if weights.ndim == losses.ndim + 1:
            weights = array.squeeze(weights, [-1])
        elif 0 < weights.ndim == losses.ndim - 1:
            weights = array.expand_dims(weights, -1)
        losses = losses * weights
    if global_batch_size is None:
        if not losses.ndim:
            raise ValueError(
                "Invalid value passed for `per_example_loss`. "
                "Expected a tensor with at least rank 1. Received one with rank 0"
            )
        size = losses._shape_tuple()[0]
    else:
        batch_size = convert(global_batch_size)
        if not batch_size.dtype.is_integer:
            raise TypeError(f"global_batch_size must be an integer, not {global_batch_size!r}.")
        size = int(static_value(batch_size, "global batch size"))
        if size < 0:
            refuse(f"global_batch_size must be non-negative; it is {size}.")
    total = reduce.reduce_sum(losses)
    return math.divide_no_nan(total, casts.cast(size, dtype))


@public
def scale_regularization_loss(regularization_loss: Any) -> Tensor:
    """The sum of the given losses, divided by the number of replicas, which is one.

    >>> tf.nn.scale_regularization_loss([0.5, 1.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=1.5>

    Args:
        regularization_loss: a number, or a tensor or list of several.
    """
    return reduce.reduce_sum(convert(regularization_loss))


# Weights


@op("L2Loss", dtypes=REAL_FLOATING, accumulate="float32", values="elements")
def l2_loss(xp, t):
    """Half the sum of the squares of all elements.

    >>> tf.nn.l2_loss([3.0, 4.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=12.5>
    """
    flat = xp.reshape(t, (-1,))
    return xp.dot(flat, flat) * flat.dtype.type(0.5)


l2_loss.shape(lambda t: ())
l2_loss.gradient(t=lambda dy, t: dy * t)


def l2_rule(items, t):
    flat = t.reshape((items.size, -1)) if items.size else t.reshape((0, prod(t.shape[1:])))
    rows = flat.reshape((*flat.shape[:1], 1, *flat.shape[1:]))
    squares = items.call(products.multiply_batches, rows, rows, adj_y=True)
    return items.call(math.multiply, squares.reshape((items.size,)), np.asarray(0.5, t.dtype))


l2_loss.batching(l2_rule)
