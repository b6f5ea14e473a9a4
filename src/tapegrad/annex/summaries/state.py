"""Where summaries go: the writer, the step and the decision to record, and ``write``."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from tapegrad import dtypes
from tapegrad.annex.summaries.messages import Summary, tensor_message
from tapegrad.core import Operand, Tensor, refuse_recording, static_value
from tapegrad.errors import refuse
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.inherited import inherited
from tapegrad.framework.names import get_current_name_scope, name_scope
from tapegrad.io.wire import tagged

if TYPE_CHECKING:
    from tapegrad.annex.summaries.writer import FileWriter

PUBLIC = {
    "summary": "record_if should_record_summaries write",
    "summary.experimental": "get_step set_step summary_scope write_raw_pb",
}

METADATA_FIELD = Summary.Value.FIELDS["metadata"].number
VALUE_FIELD = Summary.FIELDS["value"].number
ILLEGAL = re.compile(r"[^A-Za-z0-9_.\\/\-]")


class _State(threading.local):
    writer: FileWriter | None = None
    step: Any = None
    recording: Any = True


state = inherited(_State())


def get_step() -> Any:
    """The step of this thread's summaries, or None."""
    return state.step


def set_step(step: Any) -> None:
    """Set the step of this thread's summaries: a number, a variable, or None for no step.

    Args:
        step: an int, a scalar tensor or variable of integers, which is read when a summary is written, or
            None.
    """
    state.step = step


def is_recording() -> bool:
    """Whether there is a writer, and `record_if` lets it record."""
    if state.writer is None:
        return False
    condition = state.recording() if callable(state.recording) else state.recording
    return bool(condition)


def should_record_summaries() -> Tensor:
    """Whether there is a writer, and `record_if` lets it record, as a tensor."""
    return convert_to_tensor(is_recording())


@contextmanager
def record_if(condition: Any) -> Iterator[None]:
    """A context in which summaries are recorded only if the condition is true.

    >>> with tf.summary.record_if(False):
    ...     print(tf.summary.scalar("loss", 1.0, step=0).numpy())
    False

    Args:
        condition: a bool, a tensor, or a function without arguments that returns one.
    """
    before = state.recording
    state.recording = True if condition is None else condition
    if isinstance(condition, Operand):
        state.recording = bool(condition)
    try:
        yield
    finally:
        state.recording = before


@contextmanager
def summary_scope(
    name: str | None, default_name: str = "summary", values: Any = None
) -> Iterator[tuple[str, str]]:
    """A context for writing one summary: its tag, which is ``name`` within the name scopes, and a scope.

    >>> with tf.name_scope("train"):
    ...     with tf.summary.experimental.summary_scope("loss") as (tag, scope):
    ...         print(tag, scope)
    train/loss train/loss/

    Args:
        name: the name of the summary; ``default_name`` if it is None or empty.
        default_name: the name where there is no other, and that of the scope where ``name`` has no character
            for scopes.
        values: accepted, and of no effect.
    """
    name = name or default_name
    outer = get_current_name_scope()
    tag = f"{outer}/{name}" if outer else name
    with name_scope(ILLEGAL.sub("", name) or default_name) as scope:
        yield tag, scope


def step_now(step: Any) -> int:
    """``step``, or the step of this thread, as a number.

    Raises:
        ValueError: there is none.
    """
    step = state.step if step is None else step
    if step is None:
        raise ValueError(
            "No step set. Please specify one either through the `step` argument or through "
            "tf.summary.experimental.set_step()"
        )
    return int(static_value(convert_to_tensor(step, dtypes.int64), "tf.summary"))


def write(
    tag: Any, tensor: Any, step: Any = None, metadata: Any = None, name: str | None = None
) -> Tensor:
    """Write a tensor to the writer of this thread, if there is one, and say whether it was written.

    Args:
        tag: the name of the summary.
        tensor: a tensor, or a function that returns it and is called only if it is to be written.
        step: a number; the one of `tf.summary.experimental.set_step` if left out.
        metadata: a `tf.compat.v1.SummaryMetadata`, or one that is encoded already.
        name: not used.

    Raises:
        ValueError: there is a writer, and no step.
    """
    place = _place(step)
    if place is None:
        return convert_to_tensor(False)
    writer, number = place
    value = Summary.Value(tag=_text(tag))
    value.tensor.CopyFrom(
        tensor_message(convert_to_tensor(tensor() if callable(tensor) else tensor))
    )
    encoded = value.SerializeToString()
    if metadata is not None:
        if hasattr(metadata, "SerializeToString"):
            metadata = metadata.SerializeToString()
        if metadata:
            encoded += tagged(METADATA_FIELD, metadata)
    writer.add_summary(tagged(VALUE_FIELD, encoded), number)
    return convert_to_tensor(True)


def _place(step: Any) -> tuple[Any, int] | None:
    """The writer of this thread and the number of the step; None where nothing is to be written."""
    refuse_recording("tf.summary")
    writer = state.writer
    if writer is None:
        return None
    number = step_now(step)
    return (writer, number) if is_recording() else None


def _text(tag: Any) -> str:
    if not isinstance(tag, (str, bytes)):
        tag = static_value(convert_to_tensor(tag, dtypes.string), "tf.summary").item()
    return tag.decode() if isinstance(tag, bytes) else str(tag)


def write_raw_pb(tensor: Any, step: Any = None, name: str | None = None) -> Tensor:
    """Write an encoded `tf.compat.v1.Summary`, and say whether it was written.

    Args:
        tensor: a string, or several, each an encoded `tf.compat.v1.Summary`.
        step: an int; the one of `tf.summary.experimental.set_step` if None.

    Raises:
        ValueError: there is a writer, and no step.
        InvalidArgumentError: ``tensor`` is no string.
    """
    place = _place(step)
    if place is None:
        return convert_to_tensor(False)
    writer, number = place
    tensor = convert_to_tensor(tensor)
    if tensor.dtype is not dtypes.string:
        refuse(f"write_raw_pb() takes an encoded Summary as a string; a {tensor.dtype.name} came.")
    for encoded in static_value(tensor, "tf.summary").ravel().tolist():
        writer.add_summary(encoded, number)
    return convert_to_tensor(True)
