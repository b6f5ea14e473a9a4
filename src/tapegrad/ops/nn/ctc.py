"""Connectionist temporal classification: the loss of unaligned labels, and decoders of a network's output.

At each step a path emits a class or the blank. The labels that it spells are its classes after repeats are
merged and blanks are dropped. The loss is minus the logarithm of the probability of all paths that spell the
labels. It is computed by one pass forward and one backward through the steps. The backward sums also give
the gradient.
"""

from __future__ import annotations

import heapq
import itertools
import math
from typing import Any, NamedTuple

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import Tensor, convert, public
from tapegrad.core.compositions import composition
from tapegrad.errors import refuse
from tapegrad.ops.args import static_bool, static_int
from tapegrad.ops.batching import all_spread, apart, end_to_end, into_axis, leading, out_of_axis
from tapegrad.ops.op import HALVES, INDEX, REAL_FLOATING, op
from tapegrad.ops.shape import array, casts, joining
from tapegrad.ops.shape_rules import Abstract
from tapegrad.ops.sparse.sparse_tensor import SparseTensor

PUBLIC = {
    "nn": "ctc_beam_search_decoder ctc_loss",
    "compat.v1.nn": "ctc_loss=ctc_loss_v1 ctc_loss_v2=ctc_loss",
    "nn compat.v1.nn": "collapse_repeated ctc_greedy_decoder ctc_unique_labels",
}

Beams = dict[tuple[int, ...], tuple[float, float]]
"""Log probabilities of prefixes: of their paths that end in the blank, and of those that end in a label."""


# The loss


def _log_softmax(logits: Any) -> Any:
    shifted = logits - logits.max(axis=-1, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=-1, keepdims=True))


def _shifted_right(states: Any, distance: int) -> Any:
    """The states ``distance`` earlier, each in the place of the state to which it can move on."""
    out = np.full_like(states, -np.inf)
    if states.shape[1] > distance:
        out[:, distance:] = states[:, :-distance]
    return out


def _shifted_left(states: Any, distance: int) -> Any:
    return _shifted_right(states[:, ::-1], distance)[:, ::-1]


def _loss_and_gradient(
    logits: Any, labels: Any, label_length: Any, logit_length: Any, blank: int, merge: bool
) -> tuple[Any, Any]:
    """Losses [batch], and their gradients [time, batch, classes]; logits are [time, batch, classes].

    The states of a path are the labels with blanks between and around them: state 0 is a blank, 1 is the
    first label, and so on. A path keeps its state, moves to the next one, or skips the blank between two
    labels. If repeats are merged, it may skip the blank only between labels that differ, since equal ones
    would become one. If they are not merged, it does not stay in a label.
    """
    steps, batch, _ = logits.shape
    log_probs = _log_softmax(logits.astype(np.float64))
    count = 2 * labels.shape[1] + 1
    extended = np.full((batch, count), blank)
    extended[:, 1::2] = labels
    is_label = np.arange(count) % 2 == 1
    skips = np.broadcast_to(is_label, (batch, count)).copy()
    skips[:, :2] = False
    if merge and count > 2:
        skips[:, 2:] &= extended[:, 2:] != extended[:, :-2]
    stays = np.broadcast_to(~is_label | merge, (batch, count))
    emitted = np.take_along_axis(log_probs, extended[None].repeat(steps, 0), axis=2)

    last = 2 * label_length
    places = np.arange(count)
    final = (places == last[:, None]) | ((places == last[:, None] - 1) & (last > 0)[:, None])

    def where(condition: Any, values: Any) -> Any:
        return np.where(condition, values, -np.inf)

    alphas = np.full((steps, batch, count), -np.inf)
    for step in range(steps):
        if step == 0:
            reached = where(places < 2, np.zeros((batch, count)))
        else:
            before = alphas[step - 1]
            reached = np.logaddexp(where(stays, before), _shifted_right(before, 1))
            reached = np.logaddexp(reached, where(skips, _shifted_right(before, 2)))
        alphas[step] = reached + emitted[step]
    # The probability of the steps still to come, without this step's own emission.
    betas = np.full((steps, batch, count), -np.inf)
    for step in reversed(range(steps)):
        if step + 1 < steps:
            after = betas[step + 1] + emitted[step + 1]
            left = np.logaddexp(where(stays, after), _shifted_left(after, 1))
            left = np.logaddexp(left, _shifted_left(where(skips, after), 2))
        else:
            left = np.full((batch, count), -np.inf)
        ending = (logit_length == step + 1)[:, None]
        betas[step] = np.where(ending, where(final, np.zeros((batch, count))), left)
        betas[step][step >= logit_length] = -np.inf

    total = np.full(batch, -np.inf)
    if steps:
        total = np.logaddexp.reduce(alphas[0] + betas[0], axis=1)
    total = np.where((logit_length == 0) & (label_length == 0), 0.0, total)
    possible = np.isfinite(total)
    gradient = np.exp(log_probs)
    shares = np.exp(alphas + betas - np.where(possible, total, 0.0)[:, None])
    at_step, at_batch = np.indices((steps, batch), sparse=True)
    for place in range(count):
        np.subtract.at(gradient, (at_step, at_batch, extended[:, place]), shares[:, :, place])
    inside = (np.arange(steps)[:, None] < logit_length) & possible
    return -total, np.where(inside[:, :, None], gradient, 0.0)


class CTCLoss(NamedTuple):
    """Losses, and their gradients with respect to the logits."""

    loss: Tensor
    gradient: Tensor


def _no_second() -> None:
    raise LookupError(
        "The gradient of ctc_loss has no gradient of its own: "
        "it is computed together with the loss."
    )


def _by_logits(dy, out):
    return array.reshape(dy[0], [1, -1, 1]) * once_only(out[1])


@op("_OnceOnly", elementwise=True, moves="x")
def once_only(xp, x):
    """``x``, which refuses to be differentiated: for gradients computed together with their function."""
    return x


once_only.gradient(x=lambda dy: _no_second())
once_only.batching(leading)


@op(
    "_DenseCTCLoss",
    dtypes={"T": REAL_FLOATING, "labels": INDEX, "label_length": INDEX, "logit_length": INDEX},
    convert={"blank_index": static_int},
    outputs=CTCLoss._fields,
    result=CTCLoss,
    values="errors",
)
def dense_ctc_loss(xp, logits, labels, label_length, logit_length, *, blank_index=0):
    """Losses of dense labels. See ``tf.nn.ctc_loss``."""
    if logits.ndim != 3:
        refuse(f"logits must be of rank 3; their shape is {list(logits.shape)}.")
    steps, batch, classes = logits.shape
    if labels.ndim != 2 or labels.shape[0] != batch:
        refuse(
            f"labels must have shape [{batch}, longest], a row for each example; "
            f"got {list(labels.shape)}."
        )
    for name, lengths in (("label_length", label_length), ("logit_length", logit_length)):
        if lengths.shape != (batch,):
            refuse(f"{name} must have shape [{batch}]; got {list(lengths.shape)}.")
        if lengths.size and int(lengths.min()) < 0:
            refuse(f"{name} must not be negative; got {lengths.tolist()}.")
    blank = _blank(blank_index, classes)
    if label_length.size and int(label_length.max()) > labels.shape[1]:
        refuse(
            f"label_length is up to {int(label_length.max())}, "
            f"but labels has {labels.shape[1]} columns."
        )
    used = np.arange(labels.shape[1]) < label_length[:, None]
    if ((labels < 0) | (labels >= classes))[used].any():
        refuse(f"labels must be from 0 to {classes - 1}, the number of classes less one.")
    loss, gradient = _loss_and_gradient(
        logits,
        np.where(used, labels, blank),
        label_length.astype(np.int64),
        np.minimum(logit_length, steps).astype(np.int64),
        blank,
        True,
    )
    return loss.astype(logits.dtype), gradient.astype(logits.dtype)


dense_ctc_loss.shape(lambda logits: [(logits.shape[1],), logits.shape])


def _blank(index: int, classes: int) -> int:
    if not -classes <= index < classes:
        refuse(f"blank_index expected to be between {-classes} and {classes - 1} but was {index}.")
    return index % classes


dense_ctc_loss.gradient(
    logits=_by_logits,
    labels=lambda dy: None,
    label_length=lambda dy: None,
    logit_length=lambda dy: None,
)


@dense_ctc_loss.batching
def examples_rule(items, logits, labels, label_length, logit_length, blank_index):
    """The items are more examples, which logits have along the second axis."""
    logits, *others = all_spread(items, [logits, labels, label_length, logit_length])
    loss, gradient = items.run(into_axis(logits, 1), *map(end_to_end, others))
    return [apart(items, loss), out_of_axis(items, gradient, 1)]


@op(
    "CTCLoss",
    dtypes={
        "T": frozenset({dtypes.float32, dtypes.float64}),
        "labels_indices": frozenset({dtypes.int64}),
        "labels_values": frozenset({dtypes.int32}),
        "sequence_length": frozenset({dtypes.int32}),
    },
    convert={
        "preprocess_collapse_repeated": static_bool,
        "ctc_merge_repeated": static_bool,
        "ignore_longer_outputs_than_inputs": static_bool,
    },
    outputs=CTCLoss._fields,
    result=CTCLoss,
    values="errors",
)
def sparse_ctc_loss(
    xp,
    inputs,
    labels_indices,
    labels_values,
    sequence_length,
    *,
    preprocess_collapse_repeated=False,
    ctc_merge_repeated=True,
    ignore_longer_outputs_than_inputs=False,
):
    """Losses of sparse labels, with the last class as the blank. See ``tf.compat.v1.nn.ctc_loss``."""
    if inputs.ndim != 3:
        refuse(f"inputs must be of rank 3; their shape is {list(inputs.shape)}.")
    steps, batch, classes = inputs.shape
    if sequence_length.shape != (batch,):
        refuse(f"sequence_length must have shape [{batch}]; got {list(sequence_length.shape)}.")
    if (
        sequence_length.size
        and not 0 <= int(sequence_length.min()) <= int(sequence_length.max()) <= steps
    ):
        refuse(f"sequence_length must be from 0 to {steps}; got {sequence_length.tolist()}.")
    if labels_indices.shape != (labels_values.size, 2):
        refuse(
            f"labels_indices must have shape [{labels_values.size}, 2], a pair for each label; "
            f"got {list(labels_indices.shape)}."
        )
    rows: list[list[int]] = [[] for _ in range(batch)]
    for row, value in zip(labels_indices[:, 0].tolist(), labels_values.tolist(), strict=True):
        if not 0 <= row < batch:
            refuse(f"labels_indices names row {row} of a batch of {batch}.")
        if not 0 <= value < classes - 1:
            refuse(
                f"A label is {value}; labels are from 0 to {classes - 2}, below the last class: "
                "the blank."
            )
        if not (preprocess_collapse_repeated and rows[row] and rows[row][-1] == value):
            rows[row].append(value)
    lengths = np.array([len(row) for row in rows], np.int64)
    for number in range(batch):
        if not lengths[number]:
            refuse(f"Labels length is zero in batch {number}.")
    # Equal labels need a blank in between. If there is no step for it, the loss is inf.
    short = lengths > sequence_length
    if short.any() and not ignore_longer_outputs_than_inputs:
        number = int(np.argmax(short))
        refuse(
            f"Not enough time for target transition sequence {number} (required: "
            f"{lengths[number]}, available: {sequence_length[number]}). "
            "ignore_longer_outputs_than_inputs=True gives such examples a loss of 0."
        )
    labels = np.full((batch, int(lengths.max(initial=0))), classes - 1)
    for number, row in enumerate(rows):
        labels[number, : len(row)] = row
    available = np.where(short, 0, sequence_length).astype(np.int64)
    loss, gradient = _loss_and_gradient(
        inputs, labels, lengths, available, classes - 1, ctc_merge_repeated
    )
    loss = np.where(short, 0.0, loss)
    return loss.astype(inputs.dtype), gradient.astype(inputs.dtype)


sparse_ctc_loss.shape(lambda inputs: [(inputs.shape[1],), inputs.shape])
sparse_ctc_loss.gradient(
    inputs=_by_logits,
    labels_indices=lambda dy: None,
    labels_values=lambda dy: None,
    sequence_length=lambda dy: None,
)


@composition
def ctc_loss(
    labels: Any,
    logits: Any,
    label_length: Any,
    logit_length: Any,
    logits_time_major: bool = True,
    unique: Any = None,
    blank_index: Any = None,
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
        logits_time_major: whether the first axis of ``logits`` is time.
        unique: the result of ``ctc_unique_labels``, which makes no difference here.
        blank_index: the class of the blank. It is 0 for dense labels, and must be given for
            sparse ones.

    Differs from TensorFlow: labels that do not fit into the steps have loss inf and gradient 0, where
    TensorFlow gives numbers around 707. It takes float64 too.
    """
    logits = convert(logits)
    if isinstance(labels, SparseTensor):
        return _loss_of_sparse(labels, logits, logit_length, logits_time_major, blank_index)
    if label_length is None or logit_length is None:
        missing = "label_length" if label_length is None else "logit_length"
        raise ValueError(f"{missing} must be given with dense labels; it is None.")
    if not logits_time_major:
        logits = array.transpose(logits, [1, 0, 2])
    return dense_ctc_loss(
        logits, labels, label_length, logit_length, 0 if blank_index is None else blank_index
    ).loss


def _loss_of_sparse(
    labels: SparseTensor, logits: Tensor, logit_length: Any, time_major: bool, blank_index: Any
) -> Tensor:
    if blank_index is None:
        raise ValueError(
            "Argument `blank_index` must be provided when `labels` is a `SparseTensor`."
        )
    if not time_major:
        logits = array.transpose(logits, [1, 0, 2])
    classes = logits._shape_tuple()[-1]
    blank = _blank(static_int(blank_index), classes)
    values = casts.cast(labels.values, dtypes.int32)
    if blank != classes - 1:
        # In the op below the blank is the last class, so the classes after ours move down by one.
        parts = [logits[:, :, :blank], logits[:, :, blank + 1 :], logits[:, :, blank : blank + 1]]
        logits = joining.concat(parts, 2)
        values = values - casts.cast(values > blank, dtypes.int32)
    # Half precision logits are computed in float32. The losses have the dtype of the logits.
    wide = casts.cast(logits, dtypes.float32) if logits.dtype.size == 2 else logits
    loss = sparse_ctc_loss(wide, labels.indices, values, logit_length).loss
    return casts.cast(loss, logits.dtype)


@public
def ctc_loss_v1(
    labels: Any,
    inputs: Any = None,
    sequence_length: Any = None,
    preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True,
    ignore_longer_outputs_than_inputs: bool = False,
    time_major: bool = True,
    logits: Any = None,
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
        time_major: whether the first axis of ``inputs`` counts the steps; otherwise it counts the examples.
        logits: another name of ``inputs``.
    """
    if not isinstance(labels, SparseTensor):
        raise TypeError(
            f"Expected argument `labels` to be a SparseTensor; a {type(labels).__name__} came."
        )
    if inputs is not None and logits is not None:
        raise ValueError("Cannot specify both 'inputs' and 'logits'.")
    scores = convert(logits if inputs is None else inputs)
    wide = casts.cast(scores, dtypes.float32) if scores.dtype in HALVES else scores
    if not time_major:
        wide = array.transpose(wide, [1, 0, 2])
    loss = sparse_ctc_loss(
        wide,
        labels.indices,
        convert(labels.values, dtypes.int32),
        sequence_length,
        preprocess_collapse_repeated,
        ctc_merge_repeated,
        ignore_longer_outputs_than_inputs,
    ).loss
    return casts.cast(loss, scores.dtype)


# Decoders


def _check_decoder(inputs: Any, lengths: Any) -> None:
    if inputs.ndim != 3:
        refuse(f"inputs is not a 3-Tensor: its shape is {list(inputs.shape)}.")
    if not inputs.size:
        refuse(f"inputs must not be empty: their shape is {list(inputs.shape)}.")
    steps, batch, _ = inputs.shape
    if lengths.shape != (batch,):
        refuse(
            f"sequence_length must have shape [{batch}]; it has {list(lengths.shape)}.",
            error=errors.FailedPreconditionError,
        )
    if lengths.size and not 0 <= int(lengths.min()) <= int(lengths.max()) <= steps:
        refuse(
            f"sequence_length must be from 0 to {steps}; got {lengths.tolist()}.",
            error=errors.FailedPreconditionError,
        )


def _sparse_rows(rows: list[list[int]]) -> tuple[Any, Any, Any]:
    """Rows of decoded labels as the three parts of a sparse matrix."""
    indices = [[row, place] for row, labels in enumerate(rows) for place in range(len(labels))]
    values = [label for labels in rows for label in labels]
    longest = max([len(labels) for labels in rows], default=0)
    return (
        np.array(indices, np.int64).reshape(-1, 2),
        np.array(values, np.int64),
        np.array([len(rows), longest], np.int64),
    )


DECODED = {
    "inputs": frozenset({dtypes.float32, dtypes.float64}),
    "sequence_length": frozenset({dtypes.int32}),
}


@op(
    "CTCGreedyDecoder",
    dtypes=DECODED,
    convert={"merge_repeated": static_bool, "blank_index": static_int},
    outputs=("decoded_indices", "decoded_values", "decoded_shape", "log_probability"),
)
def greedy_decoder_op(xp, inputs, sequence_length, *, merge_repeated=False, blank_index=-1):
    _check_decoder(inputs, sequence_length)
    blank = _blank(blank_index, inputs.shape[2])
    best = inputs.argmax(axis=2)
    rows, scores = [], xp.zeros((inputs.shape[1], 1), inputs.dtype)
    for example, length in enumerate(sequence_length.tolist()):
        labels, previous = [], -1
        for step in range(length):
            label = int(best[step, example])
            scores[example, 0] -= inputs[step, example, label]
            if label != blank and not (merge_repeated and label == previous):
                labels.append(label)
            previous = label
        rows.append(labels)
    return *_sparse_rows(rows), scores


greedy_decoder_op.shape(
    lambda inputs: [
        Abstract([None, 2], dtypes.int64),
        Abstract([None], dtypes.int64),
        Abstract([2], dtypes.int64),
        (inputs.shape[1], 1),
    ]
)


@op(
    "_CTCBeamSearchDecoder",  # TensorFlow's gives lists of lists: ops.raw.sparse makes those
    dtypes=DECODED,
    convert={"beam_width": static_int, "top_paths": static_int, "merge_repeated": static_bool},
    outputs=...,
    files={"top_paths": None},
)
def beam_search_op(xp, inputs, sequence_length, *, beam_width, top_paths, merge_repeated=True):
    """The indices of every path, then the values of every path, the shapes of every path, and the scores."""
    _check_decoder(inputs, sequence_length)
    if beam_width < 1 or top_paths < 1 or top_paths > beam_width:
        refuse(
            "requested more paths than the beam width: "
            f"top_paths = {top_paths}, beam_width = {beam_width}."
        )
    paths: list[list[list[int]]] = [[] for _ in range(top_paths)]
    scores = xp.zeros((inputs.shape[1], top_paths), inputs.dtype)
    for example, length in enumerate(sequence_length.tolist()):
        with np.errstate(all="ignore"):  # NaN gives NaN without a warning
            beams = _search(inputs[:length, example].astype(np.float64), beam_width)
        if len(beams) < top_paths:
            refuse(f"Less leaves in the beam search than requested: {len(beams)}.")
        for place, (labels, score) in enumerate(beams[:top_paths]):
            paths[place].append(
                [label for label, _ in itertools.groupby(labels)]
                if merge_repeated
                else list(labels)
            )
            scores[example, place] = score
    kinds = zip(*[_sparse_rows(rows) for rows in paths], strict=True)
    return [*(part for kind in kinds for part in kind), scores]


beam_search_op.shape(
    lambda inputs, top_paths: [
        *[Abstract([None, 2], dtypes.int64)] * top_paths,
        *[Abstract([None], dtypes.int64)] * top_paths,
        *[Abstract([2], dtypes.int64)] * top_paths,
        (inputs.shape[1], top_paths),
    ]
)


greedy_decoder_op.no_gradient()
beam_search_op.no_gradient()


@public
def ctc_greedy_decoder(
    inputs: Any,
    sequence_length: Any,
    merge_repeated: bool = True,
    blank_index: Any = None,
) -> tuple[list[SparseTensor], Tensor]:
    """The labels that the most probable class of each step spells, and minus the sum of those logits.

    >>> logits = tf.math.log([[[0.1, 0.8, 0.1]], [[0.1, 0.8, 0.1]], [[0.1, 0.1, 0.8]]])
    >>> (decoded,), score = tf.nn.ctc_greedy_decoder(logits, [3])
    >>> tf.sparse.to_dense(decoded).numpy()            # classes 1, 1 and the blank, which is the last
    array([[1]])

    Args:
        inputs: logits of shape [time, batch, classes].
        merge_repeated: whether a class that lasts several steps counts once.
        blank_index: the class of the blank, which is the last by default.
        sequence_length: the number of steps of each item.
    """
    *parts, log_probability = greedy_decoder_op(
        inputs, sequence_length, merge_repeated, -1 if blank_index is None else blank_index
    )
    return [SparseTensor(*parts)], log_probability


@public
def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: Any = 100, top_paths: Any = 1
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
        sequence_length: the number of steps of each example.
        beam_width: the number of prefixes that are kept from step to step.
        top_paths: how many label sequences to return, the most probable first.
    """
    *parts, log_probability = beam_search_op(inputs, sequence_length, beam_width, top_paths, False)
    paths = len(parts) // 3
    return [SparseTensor(*parts[path::paths]) for path in range(paths)], log_probability


def _search(logits: Any, width: int) -> list[tuple[tuple[int, ...], float]]:
    """The most probable labels and their log probabilities, by a search over prefixes.

    A prefix has two probabilities: that of the paths that spell it and end in the blank, and that of the
    paths that end in its last label. A repeat of that label does not make the latter longer.
    """
    beams: Beams = {(): (0.0, -math.inf)}
    for row in _log_softmax(logits).tolist():
        beams = _next_beams(beams, row, width)
    return [(labels, _log_add(*ends)) for labels, ends in beams.items()]


def _next_beams(beams: Beams, row: list[float], width: int) -> Beams:
    """The prefixes after another step, the most probable first, by TensorFlow's search.

    1. The prefixes stay, each with what it gets of its parent if that is among them.
    2. They are extended by each label in turn, the most probable prefix first. An extension takes the place
       of the least probable prefix if it is more probable. A prefix that has lost its place is extended too.
    3. If a prefix has lost its place before its parent is extended, it is seen there as a new one. It is less
       probable than before, so it is rejected, and then it is not extended. An exact search would extend it.
    """
    *row, blank = row
    grown: Beams = {}
    for labels, ends in beams.items():
        in_label = (
            _log_add(ends[1], _of_parent(beams, labels)) + row[labels[-1]] if labels else -math.inf
        )
        grown[labels] = (_log_add(*ends) + blank, in_label)
    # A heap: the least probable prefix is first; of equal ones, the one that came first.
    order = itertools.count()
    ranked = [(_log_add(*ends), next(order), labels) for labels, ends in grown.items()]
    heapq.heapify(ranked)

    def is_probable(score: float) -> bool:
        return score > (ranked[0][0] if len(grown) == width else -math.inf)

    rejected = set()
    for parent, ends in beams.items():
        both = _log_add(*ends)
        if parent in rejected or not is_probable(both):
            continue
        for label, score in enumerate(row):
            labels = (*parent, label)
            if labels in grown:
                continue
            score += ends[0] if parent[-1:] == (label,) else both
            if not is_probable(score):
                rejected.add(labels)
                continue
            if len(grown) == width:
                del grown[heapq.heappop(ranked)[2]]
            grown[labels] = (-math.inf, score)
            heapq.heappush(ranked, (score, next(order), labels))
    ranked.sort(key=lambda place: (-place[0], place[1]))
    return {labels: grown[labels] for _, _, labels in ranked}


def _of_parent(beams: Beams, labels: tuple[int, ...]) -> float:
    """The log probability of the paths that ``labels`` extends by its last label."""
    ends = beams.get(labels[:-1])
    if ends is None:
        return -math.inf
    return ends[0] if labels[-2:-1] == labels[-1:] else _log_add(*ends)


def _log_add(x: float, y: float) -> float:
    return float(np.logaddexp(x, y))


# Labels


@public
def collapse_repeated(
    labels: Any, seq_length: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Rows of labels with runs of equal labels merged, and the new lengths of the rows.

    >>> merged, lengths = tf.nn.collapse_repeated([[1, 1, 2, 2, 1], [3, 3, 3, 0, 0]], [5, 3])
    >>> print(merged.numpy(), lengths.numpy())
    [[1 2 1]
     [3 0 0]] [3 1]

    Args:
        labels: a matrix, a row for each example.
        seq_length: how many labels of each row count.
    """
    return _collapse_repeated(labels, seq_length)


@op(
    "_CollapseRepeated",
    dtypes={"labels": None, "seq_length": None},
    outputs=("labels", "lengths"),
)
def _collapse_repeated(xp, labels, seq_length):
    if labels.ndim != 2 or seq_length.shape != labels.shape[:1]:
        refuse(
            "labels must be a matrix and seq_length have a number for each row; "
            f"got shapes {list(labels.shape)} and {list(seq_length.shape)}."
        )
    if not labels.size:
        return xp.zeros((len(labels), 0), labels.dtype), xp.zeros_like(seq_length)
    keep = xp.ones(labels.shape, bool)
    keep[:, 1:] = labels[:, 1:] != labels[:, :-1]
    keep &= xp.arange(labels.shape[1]) < seq_length[:, None]
    counts = keep.sum(axis=1)
    result = xp.zeros((len(labels), int(counts.max(initial=0))), labels.dtype)
    result[xp.arange(result.shape[1]) < counts[:, None]] = labels[keep]
    return result, counts.astype(seq_length.dtype)


_collapse_repeated.shape(lambda labels, seq_length: [(labels.shape[0], None), seq_length])
_collapse_repeated.no_gradient()


@public
def ctc_unique_labels(labels: Any, name: str | None = None) -> list[Tensor]:
    """The distinct labels of each row in order, followed by zeros, and where each label is among them.

    >>> unique, places = tf.nn.ctc_unique_labels([[3, 4, 4, 3]])
    >>> print(unique.numpy(), places.numpy())
    [[3 4 0 0]] [[0 1 1 0]]

    Args:
        labels: a matrix of integers, a row for each example.
    """
    return list(_unique_labels(labels))


@op("_UniqueLabels", outputs=("unique", "places"), values="elements")
def _unique_labels(xp, labels):
    if labels.ndim != 2:
        refuse(f"labels must be a matrix; their shape is {list(labels.shape)}.")
    unique, places = xp.zeros(labels.shape, np.int64), xp.zeros(labels.shape, np.int32)
    for number, row in enumerate(labels.tolist() if labels.size else ()):
        order = {label: place for place, label in enumerate(dict.fromkeys(row))}
        unique[number, : len(order)] = list(order)
        places[number] = [order[label] for label in row]
    return unique, places


_unique_labels.shape(
    lambda labels: [Abstract(labels.shape, dtypes.int64), Abstract(labels.shape, dtypes.int32)]
)
_unique_labels.no_gradient()
