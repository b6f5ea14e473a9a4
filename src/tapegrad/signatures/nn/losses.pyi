# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import Axis as Axis
from tapegrad.framework.types import TensorLike as TensorLike

def compute_average_loss(
    per_example_loss: TensorLike,
    sample_weight: TensorLike | None = None,
    global_batch_size: TensorLike | None = None,
) -> Tensor:
    """The sum of the losses, divided by the size of the batch.

    >>> tf.nn.compute_average_loss([1.0, 2.0, 3.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=2.0>

    Args:
        sample_weight: what the losses are multiplied by first.
        global_batch_size: what the sum is divided by, which is the length of the first axis by default.
    """

def l2_loss(t: TensorLike, name: str | None = None) -> Tensor:
    """Half the sum of the squares of all elements.

    >>> tf.nn.l2_loss([3.0, 4.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=12.5>

    Args:
        t: a tensor of floating point numbers.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def log_poisson_loss(
    targets: TensorLike,
    log_input: TensorLike,
    compute_full_loss: bool = False,
    name: str | None = None,
) -> Tensor:
    """The negative log-likelihood of counts ``targets`` under Poisson rates ``exp(log_input)``.

    >>> tf.nn.log_poisson_loss([1.0, 2.0], [0.0, 0.0]).numpy()
    array([1., 1.], dtype=float32)

    Args:
        compute_full_loss: whether to add the logarithm of the factorial of the targets, by Stirling's
            formula. It does not depend on ``log_input``.
    """

def scale_regularization_loss(regularization_loss: TensorLike) -> Tensor:
    """The sum of the given losses, divided by the number of replicas, which is one.

    >>> tf.nn.scale_regularization_loss([0.5, 1.0])
    <tf.Tensor: shape=(), dtype=float32, numpy=1.5>
    """

def sigmoid_cross_entropy_with_logits(
    labels: TensorLike | None = None,
    logits: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """``-labels * log(p) - (1 - labels) * log(1 - p)`` with ``p = sigmoid(logits)``, for each element.

    >>> tf.nn.sigmoid_cross_entropy_with_logits(labels=[1.0, 0.0], logits=[-1000.0, 1000.0]).numpy()
    array([1000., 1000.], dtype=float32)
    """

def softmax_cross_entropy_with_logits(
    labels: TensorLike,
    logits: TensorLike,
    axis: Axis = -1,
    name: str | None = None,
) -> Tensor:
    """``-sum(labels * log(softmax(logits)))`` along ``axis``.

    >>> tf.nn.softmax_cross_entropy_with_logits(labels=[[0.0, 1.0]], logits=[[0.0, 0.0]]).numpy()
    array([0.6931472], dtype=float32)

    Differs from TensorFlow: a label of 0 adds nothing, even where the logit is -inf. The gradient is right
    for labels that do not sum to 1 too.
    """

def sparse_softmax_cross_entropy_with_logits(
    labels: TensorLike,
    logits: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``-log(softmax(logits))`` at the class that each label names. Classes are the last axis.

    >>> tf.nn.sparse_softmax_cross_entropy_with_logits(labels=[1], logits=[[0.0, 0.0]]).numpy()
    array([0.6931472], dtype=float32)

    Raises:
        InvalidArgumentError: for a label that is not a class.
    """

def weighted_cross_entropy_with_logits(
    labels: TensorLike,
    logits: TensorLike,
    pos_weight: TensorLike,
    name: str | None = None,
) -> Tensor:
    """``sigmoid_cross_entropy_with_logits`` with the loss of positive labels multiplied by ``pos_weight``.

    >>> tf.nn.weighted_cross_entropy_with_logits([1.0, 0.0], [0.0, 0.0], pos_weight=2.0).numpy()
    array([1.3862944, 0.6931472], dtype=float32)
    """
