"""Losses for classifiers with very many classes, which look at a sample of the classes only."""

from __future__ import annotations

import math
from typing import Any

from tapegrad import dtypes
from tapegrad.core import Tensor, convert
from tapegrad.core.compositions import composition
from tapegrad.ops.args import static_int
from tapegrad.ops.elementwise import exponential
from tapegrad.ops.indexing import gather
from tapegrad.ops.linalg import products
from tapegrad.ops.nn import embedding, losses
from tapegrad.ops.random import samplers
from tapegrad.ops.reduce import reduce
from tapegrad.ops.shape import array, casts, creation, joining

PUBLIC = {
    "nn": "nce_loss sampled_softmax_loss",
    "compat.v1.nn": "nce_loss=nce_loss_v1 sampled_softmax_loss=sampled_softmax_loss_v1",
}


def _sampled_logits(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: Any,
    sampled_values: Any,
    remove_accidental_hits: bool,
    partition_strategy: str,
    seed: Any = None,
) -> tuple[Tensor, Tensor]:
    """Logits of the true and the sampled classes, minus the log of their expected counts; and labels."""
    num_true = static_int(num_true)
    labels = _labels(labels, num_true)
    if sampled_values is None:
        sampled_values = samplers.log_uniform_candidate_sampler(
            labels, num_true, num_sampled, True, num_classes, seed=seed
        )
    inputs = convert(inputs)
    sampled, true_expected, sampled_expected = [
        array.stop_gradient(convert(values)) for values in sampled_values
    ]
    sampled = casts.cast(sampled, dtypes.int64)
    true_expected = casts.cast(true_expected, inputs.dtype)
    sampled_expected = casts.cast(sampled_expected, inputs.dtype)

    # One look-up serves both, so that the table gets one gradient instead of two to add.
    ids = joining.concat([array.reshape(labels, [-1]), sampled], 0)
    count = math.prod(labels._shape_tuple())
    if isinstance(weights, (list, tuple)):
        rows = embedding.embedding_lookup_v1(list(weights), ids, partition_strategy)
    else:
        rows = gather.gather(weights, ids)
    offsets = gather.gather(biases, ids)
    width = inputs._shape_tuple()[-1]
    true_rows = array.reshape(rows[:count], [-1, num_true, width])
    true_logits = reduce.reduce_sum(array.expand_dims(inputs, 1) * true_rows, 2)
    true_logits = true_logits + array.reshape(offsets[:count], [-1, num_true])
    sampled_logits = products.matmul(inputs, rows[count:], transpose_b=True) + offsets[count:]
    if remove_accidental_hits:
        hits = samplers.compute_accidental_hits(labels, sampled, num_true)
        places = joining.stack([casts.cast(hits.indices, dtypes.int64), hits.ids], axis=1)
        # Not a sum of the hits: a label that a row has twice is one class, which is left out once.
        removal = creation.zeros(sampled_logits._shape_tuple(), dtypes.float32)
        removal = gather.tensor_scatter_nd_update(removal, places, hits.weights)
        sampled_logits = sampled_logits + casts.cast(removal, inputs.dtype)
    true_logits = true_logits - exponential.log(true_expected)
    sampled_logits = sampled_logits - exponential.log(sampled_expected)
    wanted = [
        creation.zeros_like(true_logits) + 1.0 / num_true,
        creation.zeros_like(sampled_logits),
    ]
    return joining.concat([true_logits, sampled_logits], 1), array.stop_gradient(
        joining.concat(wanted, 1)
    )


def _labels(labels: Any, num_true: int) -> Tensor:
    labels = casts.cast(convert(labels), dtypes.int64)
    return array.reshape(labels, [-1, num_true]) if labels.ndim != 2 else labels


@composition
def nce_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: Any = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    name: str | None = "nce_loss",
) -> Tensor:
    """Noise-contrastive estimation: how badly each example's true class is distinguished from sampled ones.

    >>> weights, biases, inputs = tf.zeros([10, 2]), tf.zeros([10]), tf.ones([3, 2])
    >>> tf.random.set_seed(1)
    >>> tf.nn.nce_loss(weights, biases, [[1], [2], [3]], inputs, num_sampled=4, num_classes=10).shape
    TensorShape([3])

    Args:
        weights: [num_classes, width], or a list of tables that make it when put one below the other. All have
            the same number of rows, except that the first few may have one more.
        biases: [num_classes].
        labels: [batch, num_true].
        inputs: [batch, width].
        num_sampled: how many classes are drawn for the whole batch.
        num_classes: the number of classes.
        num_true: the number of true classes of an example.
        sampled_values: the result of a candidate sampler. By default a log-uniform sampler is called.
        remove_accidental_hits: whether to leave out sampled classes that are true ones.
    """
    return nce_loss_v1(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        "div",
    )


@composition
def nce_loss_v1(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: Any = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = False,
    partition_strategy: str = "mod",
    name: str | None = "nce_loss",
) -> Tensor:
    """``tf.nn.nce_loss`` with a choice of how classes are spread over a list of tables.

    Args:
        weights: [num_classes, width], or a list of tables over which its rows are spread.
        biases: [num_classes].
        labels: [batch, num_true].
        inputs: [batch, width].
        num_sampled: how many classes are drawn for the whole batch.
        num_classes: the number of classes.
        num_true: the number of true classes of an example.
        sampled_values: the result of a candidate sampler. By default a log-uniform sampler is called.
        remove_accidental_hits: whether to leave out sampled classes that are true ones.
        partition_strategy: "mod" deals the classes out in turn, and "div" gives each table a run of them.
    """
    logits, wanted = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        partition_strategy,
    )
    return reduce.reduce_sum(
        losses.sigmoid_cross_entropy_with_logits(labels=wanted, logits=logits), 1
    )


@composition
def sampled_softmax_loss(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: Any = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    seed: Any = None,
    name: str | None = "sampled_softmax_loss",
) -> Tensor:
    """Softmax cross entropy, estimated from the true classes and sampled ones. It is for training only.

    >>> weights, biases, inputs = tf.zeros([10, 2]), tf.zeros([10]), tf.ones([3, 2])
    >>> tf.random.set_seed(1)
    >>> tf.nn.sampled_softmax_loss(weights, biases, [[1], [2], [3]], inputs, 4, 10).shape
    TensorShape([3])

    Args:
        weights: [num_classes, width], or a list of tables that make it when put one below the other. All have
            the same number of rows, except that the first few may have one more.
        biases: [num_classes].
        labels: [batch, num_true].
        inputs: [batch, width].
        num_sampled: how many classes are drawn for the whole batch.
        num_classes: the number of classes.
        num_true: the number of true classes of an example.
        sampled_values: the result of a candidate sampler; None calls a log-uniform one.
        remove_accidental_hits: whether to leave out sampled classes that are true ones.
        seed: of the log-uniform sampler.
    """
    return sampled_softmax_loss_v1(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        "div",
        seed=seed,
    )


@composition
def sampled_softmax_loss_v1(
    weights: Any,
    biases: Any,
    labels: Any,
    inputs: Any,
    num_sampled: Any,
    num_classes: Any,
    num_true: Any = 1,
    sampled_values: Any = None,
    remove_accidental_hits: bool = True,
    partition_strategy: str = "mod",
    name: str | None = "sampled_softmax_loss",
    seed: Any = None,
) -> Tensor:
    """``tf.nn.sampled_softmax_loss`` with a choice of how classes are spread over a list of tables.

    Args:
        weights: [num_classes, width], or a list of tables over which its rows are spread.
        biases: [num_classes].
        labels: [batch, num_true].
        inputs: [batch, width].
        num_sampled: how many classes are drawn for the whole batch.
        num_classes: the number of classes.
        num_true: the number of true classes of an example.
        sampled_values: the result of a candidate sampler; None calls a log-uniform one.
        remove_accidental_hits: whether to leave out sampled classes that are true ones.
        partition_strategy: "mod" deals the classes out in turn, and "div" gives each table a run of them.
        seed: of the log-uniform sampler.
    """
    logits, wanted = _sampled_logits(
        weights,
        biases,
        labels,
        inputs,
        num_sampled,
        num_classes,
        num_true,
        sampled_values,
        remove_accidental_hits,
        partition_strategy,
        seed,
    )
    return losses.softmax_cross_entropy_with_logits(labels=wanted, logits=logits)
