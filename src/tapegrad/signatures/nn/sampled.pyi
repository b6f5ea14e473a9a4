# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike
from typing import Any as Any

def nce_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: Any,
    num_sampled: TensorLike,
    num_classes: TensorLike,
    num_true: TensorLike = 1,
    sampled_values: TensorLike | None = None,
    remove_accidental_hits: bool = False,
    name: str | None = 'nce_loss',
) -> Tensor:
    """Noise-contrastive estimation: how badly each example's true class is told apart from sampled ones.

    >>> weights, biases, inputs = tf.zeros([10, 2]), tf.zeros([10]), tf.ones([3, 2])
    >>> tf.random.set_seed(1)
    >>> tf.nn.nce_loss(weights, biases, [[1], [2], [3]], inputs, num_sampled=4, num_classes=10).shape
    TensorShape([3])

    Args:
        weights: [num_classes, width], or a list of parts of such a matrix.
        biases: [num_classes].
        labels: [batch, num_true].
        inputs: [batch, width].
        sampled_values: the result of a candidate sampler. By default a log-uniform sampler is called.
        remove_accidental_hits: whether to leave out sampled classes that are true ones.
    """

def sampled_softmax_loss(
    weights: TensorLike,
    biases: TensorLike,
    labels: TensorLike,
    inputs: Any,
    num_sampled: TensorLike,
    num_classes: TensorLike,
    num_true: TensorLike = 1,
    sampled_values: TensorLike | None = None,
    remove_accidental_hits: bool = True,
    seed: TensorLike | None = None,
    name: str | None = 'sampled_softmax_loss',
) -> Tensor:
    """Softmax cross entropy, estimated from the true classes and sampled ones. It is for training only.

    >>> weights, biases, inputs = tf.zeros([10, 2]), tf.zeros([10]), tf.ones([3, 2])
    >>> tf.random.set_seed(1)
    >>> tf.nn.sampled_softmax_loss(weights, biases, [[1], [2], [3]], inputs, 4, 10).shape
    TensorShape([3])

    The arguments are those of ``nce_loss``.
    """
