# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike
from tapegrad.ops.sparse.sparse_tensor import SparseTensor as SparseTensor
from typing import Any as Any

def collapse_repeated(
    labels: TensorLike,
    seq_length: TensorLike,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Rows of labels with runs of equal labels merged, and the new lengths of the rows.

    >>> merged, lengths = tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]], [5, 3])
    >>> print(merged.numpy(), lengths.numpy())
    [[1 2 1]
     [3 0 0]] [3 1]
    """

def ctc_beam_search_decoder(
    inputs: Any,
    sequence_length: TensorLike,
    beam_width: TensorLike = 100,
    top_paths: TensorLike = 1,
) -> tuple[list[SparseTensor], Tensor]:
    """The most probable labels, and the logarithms of their probabilities.

    >>> logits = tf.math.log([[[0.4, 0.6]], [[0.4, 0.6]]])
    >>> (best,), log_probability = tf.nn.ctc_beam_search_decoder(logits, [2])
    >>> tf.sparse.to_dense(best).numpy()               # three paths spell "0", one, if more probable, nothing
    array([[0]])
    >>> round(float(tf.exp(log_probability[0, 0])), 2)
    0.64

    Args:
        inputs: logits of shape [time, batch, classes], of which the last class is the blank.
        beam_width: the number of prefixes that are kept from step to step.
        top_paths: how many label sequences to return, the most probable first.

    Differs from TensorFlow: with narrow beams it may drop other prefixes.
    """

def ctc_greedy_decoder(
    inputs: Any,
    sequence_length: TensorLike,
    merge_repeated: bool = True,
    blank_index: TensorLike | None = None,
) -> tuple[list[SparseTensor], Tensor]:
    """The labels that the most probable class of each step spells, and minus the sum of those logits.

    >>> logits = tf.math.log([[[0.1, 0.8, 0.1]], [[0.1, 0.8, 0.1]], [[0.1, 0.1, 0.8]]])
    >>> (decoded,), score = tf.nn.ctc_greedy_decoder(logits, [3])
    >>> tf.sparse.to_dense(decoded).numpy()            # classes 1, 1 and the blank, which is the last
    array([[1]])

    Args:
        inputs: logits of shape [time, batch, classes].
        merge_repeated: whether a class that goes on for several steps counts once.
        blank_index: the class that stands for the blank, which is the last by default.
    """

def ctc_loss(
    labels: TensorLike,
    logits: TensorLike,
    label_length: TensorLike,
    logit_length: TensorLike,
    logits_time_major: bool = True,
    unique: bool | None = None,
    blank_index: TensorLike | None = None,
    name: str | None = None,
) -> Tensor:
    """Minus the logarithm of the probability that a network spells ``labels``, for each example.

    >>> logits = tf.zeros([4, 1, 3])                   # 4 steps, 1 example, 3 classes, equally probable
    >>> loss = tf.nn.ctc_loss([[1, 2]], logits, label_length=[2], logit_length=[4])
    >>> print(tf.round(tf.exp(-loss) * 3**4).numpy())  # of 81 paths, 15 spell "12"
    [15.]

    Args:
        labels: [batch, longest], of which the first ``label_length`` count; or a sparse tensor.
        logits: [time, batch, classes], or [batch, time, classes] if not ``logits_time_major``.
        label_length: the number of labels of each example. It is ignored if the labels are sparse.
        logit_length: the number of steps of each example.
        unique: the result of ``ctc_unique_labels``, which makes no difference here.
        blank_index: the class that stands for the blank. It is 0 for dense labels, and must be given for
            sparse ones.

    Differs from TensorFlow: labels that do not fit into the steps have loss inf and gradient 0, where
    TensorFlow gives numbers around 707. It takes float64 too.
    """

def ctc_loss_v1(
    labels: TensorLike,
    inputs: Any = None,
    sequence_length: TensorLike | None = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: TensorLike | None = None,
) -> Tensor:
    """``tf.nn.ctc_loss`` of sparse labels in its older form: the last class is the blank.

    >>> labels = tf.SparseTensor([[0, 0], [0, 1]], [0, 1], [1, 2])
    >>> loss = tf.compat.v1.nn.ctc_loss(labels, tf.zeros([4, 1, 3]), [4])
    >>> print(tf.round(tf.exp(-loss) * 3**4).numpy())
    [15.]

    Args:
        labels: a sparse tensor of int32, a row for each example.
        inputs: [time, batch, classes], or [batch, time, classes] if not ``time_major``.
        sequence_length: the number of steps of each example.
        preprocess_collapse_repeated: whether to merge equal labels in a row first.
        ctc_merge_repeated: whether a label that lasts for several steps is one label.
        ignore_longer_outputs_than_inputs: whether examples may have more labels than steps. Their loss and
            gradient are then 0. Otherwise they raise InvalidArgumentError.
        logits: another name of ``inputs``.
    """

def ctc_unique_labels(labels: TensorLike, name: str | None = None) -> list[Tensor]:
    """The distinct labels of each row in order, followed by zeros, and where each label is among them.

    >>> unique, places = tf.nn.ctc_unique_labels([[3, 4, 4, 3]])
    >>> print(unique.numpy(), places.numpy())
    [[3 4 0 0]] [[0 1 1 0]]
    """
