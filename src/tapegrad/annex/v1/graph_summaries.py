"""``tf.compat.v1.summary``: summaries that a program computes as strings, and hands to a writer itself.

In a graph they go into a collection, and `merge_all` gives all of them as one string for the session to run.
In eager code with a writer of `tf.summary` they are written there at once.
"""

from __future__ import annotations

import re
import weakref
from collections import Counter
from collections.abc import Callable
from typing import Any

from tapegrad import dtypes
from tapegrad.annex.summaries.kinds import audio as tf_audio
from tapegrad.annex.summaries.kinds import histogram as tf_histogram
from tapegrad.annex.summaries.kinds import image as tf_image
from tapegrad.annex.summaries.kinds import scalar as tf_scalar
from tapegrad.annex.summaries.kinds import text as tf_text
from tapegrad.annex.summaries.messages import SummaryDescription, SummaryMetadata
from tapegrad.annex.summaries.state import state
from tapegrad.annex.v1 import encoded
from tapegrad.annex.v1.collections import GraphKeys, add_to_collections, get_collection
from tapegrad.annex.v1.optimizers import get_global_step
from tapegrad.core import Tensor, refuse_recording
from tapegrad.framework.names import executing_eagerly, get_current_name_scope, name_scope
from tapegrad.ops.shape.casts import cast
from tapegrad.ops.shape.creation import constant, convert_to_tensor
from tapegrad.symbolic.graphs import get_default_graph
from tapegrad.symbolic.operations import Operation

PUBLIC = {
    "compat.v1.summary": (
        "all_v2_summary_ops audio get_summary_description histogram image initialize merge merge_all scalar "
        "tensor_summary text"
    ),
}

NOT_IN_TAGS = re.compile(r"[^-/\w\.]")


# For each graph, how often each tag was requested.
_requested: weakref.WeakKeyDictionary[Any, Counter[str]] = weakref.WeakKeyDictionary()


def collect(result: Tensor, collections: Any, default: Any) -> Tensor:
    """Put a summary of a graph into its collections."""
    if not executing_eagerly():
        add_to_collections(default if collections is None else collections, result)
    return result


def clean(name: str | None) -> str:
    """A name as tags have it."""
    return NOT_IN_TAGS.sub("_", name or "").lstrip("/")


def tag_of(name: str | None, family: str | None) -> str:
    """The tag of a summary: its name within the name scopes, and the family before it and before them.

    In a graph every tag comes once: others get a number.
    """
    name = clean(name)
    if family is not None:
        name = f"{clean(family)}/{name}"
    outer = get_current_name_scope()
    tag = f"{outer}/{name}" if outer else name
    if not executing_eagerly():
        requested = _requested.setdefault(get_default_graph(), Counter())
        count = requested[tag]
        requested[tag] += 1
        tag = f"{tag}_{count}" if count else tag
    return tag if family is None else f"{clean(family)}/{tag}"


def step_for_writer() -> Any:
    """The step of a summary in eager code that a writer of `tf.summary` takes; None if there is none."""
    if not executing_eagerly() or state.writer is None:
        return None
    return get_global_step() if state.step is None else state.step


def record(
    kind: str,
    name: str | None,
    family: str | None,
    collections: Any,
    encode: Callable[[str], Tensor],
    write: Callable[[str, Any], Any],
) -> Tensor:
    """The summary as a string, in its collections; or an empty one, and the summary is written."""
    refuse_recording(f"tf.compat.v1.summary.{kind}")
    tag = tag_of(name, family)
    step = step_for_writer()
    if step is not None:
        with name_scope(""):  # the tag has the scopes already
            write(tag, step)
        return constant(b"")
    return collect(encode(tag), collections, [GraphKeys.SUMMARIES])


def scalar(name: str, tensor: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """A number as the bytes of a `Summary`.

    >>> encoded = tf.compat.v1.summary.scalar("loss", 0.5)
    >>> tf.compat.v1.Summary.FromString(encoded.numpy()).value[0].simple_value
    0.5

    Args:
        name: the tag, within the name scopes.
        tensor: a number; it is kept as float32.
        collections: the names of the collections of the graph that it enters; the summaries if left out.
        family: what comes before the tag.
    """
    return record(
        "scalar",
        name,
        family,
        collections,
        lambda tag: encoded.scalar_summary(tag, tensor),
        lambda tag, step: tf_scalar(tag, tensor, step),
    )


def histogram(name: str, values: Any, collections: Any = None, family: str | None = None) -> Tensor:
    """How the elements of a tensor are distributed, as the bytes of a `Summary`.

    Args:
        name: the tag, within the name scopes.
        values: a tensor of finite numbers, of any shape.
        collections: the names of the collections of the graph that it enters; the summaries if left out.
        family: what comes before the tag.

    Raises:
        InvalidArgumentError: an element is no finite number.
    """
    return record(
        "histogram",
        name,
        family,
        collections,
        lambda tag: encoded.histogram_summary(tag, values),
        lambda tag, step: tf_histogram(tag, values, step),
    )


def image(
    name: str,
    tensor: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Tensor:
    """Pictures as the bytes of a `Summary`.

    Args:
        name: the tag, within the name scopes.
        tensor: of shape [number, height, width, channels], of 1, 3 or 4 channels. Floating-point numbers are
            scaled: the greatest of a picture becomes 255, or 127 from the middle if there are negative ones.
        max_outputs: how many pictures to take at most.
        collections: the names of the collections of the graph that it enters; the summaries if left out.
        family: what comes before the tag.
    """
    return record(
        "image",
        name,
        family,
        collections,
        lambda tag: encoded.image_summary(tag, tensor, max_outputs),
        lambda tag, step: tf_image(tag, tensor, step, max_outputs),
    )


def audio(
    name: str,
    tensor: Any,
    sample_rate: Any,
    max_outputs: int = 3,
    collections: Any = None,
    family: str | None = None,
) -> Tensor:
    """Sounds as the bytes of a `Summary`.

    Args:
        name: the tag, within the name scopes.
        tensor: of shape [number, frames] or [number, frames, channels], of numbers from -1 to 1.
        sample_rate: frames per second.
        max_outputs: how many sounds to take at most.
        collections: the names of the collections of the graph that it enters; the summaries if left out.
        family: what comes before the tag.
    """

    def write(tag: str, step: Any) -> None:
        sounds = convert_to_tensor(tensor, dtypes.float32)
        sounds = sounds[:, :, None] if sounds.shape.rank == 2 else sounds
        tf_audio(tag, sounds, cast(sample_rate, dtypes.int32), step, max_outputs)

    return record(
        "audio",
        name,
        family,
        collections,
        lambda tag: encoded.audio_summary(tag, tensor, sample_rate, max_outputs),
        write,
    )


def tensor_summary(
    name: str,
    tensor: Any,
    summary_description: str | None = None,
    collections: Any = None,
    summary_metadata: Any = None,
    family: str | None = None,
    display_name: str | None = None,
) -> Tensor:
    """A tensor as the bytes of a `Summary`, with what TensorBoard is to know of it.

    Args:
        name: the tag, within the name scopes.
        tensor: a tensor of any dtype and shape.
        summary_description: a text that describes the summary; not used where ``summary_metadata`` comes.
        collections: the names of the collections of the graph that it enters; the summaries if left out.
        summary_metadata: a `tf.compat.v1.SummaryMetadata`, which says which plugin of TensorBoard shows the
            summary.
        family: what comes before the tag.
        display_name: the name that TensorBoard shows; not used where ``summary_metadata`` comes.
    """
    refuse_recording("tf.compat.v1.summary.tensor_summary")
    metadata = SummaryMetadata() if summary_metadata is None else summary_metadata
    if summary_metadata is None and display_name is not None:
        metadata.display_name = display_name
    if summary_metadata is None and summary_description is not None:
        metadata.summary_description = summary_description
    content = metadata.SerializeToString()
    result: Tensor = encoded.tensor_summary(tag_of(name, family), tensor, content)
    return collect(result, collections, [GraphKeys.SUMMARIES])


def text(name: str, tensor: Any, collections: Any = None) -> Tensor:
    """Strings, which TensorBoard shows as Markdown, as the bytes of a `Summary`.

    Args:
        name: the tag, within the name scopes.
        tensor: strings, in any shape.
        collections: the names of the collections of the graph that it enters; the summaries if left out.

    Raises:
        ValueError: ``tensor`` does not hold strings.
    """
    tensor = convert_to_tensor(tensor)
    if tensor.dtype != dtypes.string:
        raise ValueError(
            f"Expected tensor {name} to have dtype string, got {tensor.dtype}. tf.strings.as_string makes "
            "strings of numbers."
        )
    step = step_for_writer()
    if step is not None:
        return record(
            "text",
            name,
            None,
            collections,
            lambda tag: tensor,
            lambda tag, step: tf_text(tag, tensor, step),
        )
    metadata = SummaryMetadata()
    metadata.plugin_data.plugin_name = "text"
    return tensor_summary(name, tensor, collections=collections, summary_metadata=metadata)


def refuse_eager() -> None:
    """Raise RuntimeError outside of graphs."""
    if executing_eagerly():
        raise RuntimeError(
            "Merging tf.compat.v1.summary.* is not compatible with eager execution. Hand each summary to a "
            "writer, or use tf.summary."
        )


def merge(inputs: Any, collections: Any = None, name: str | None = None) -> Tensor:
    """Several summaries of a graph as one.

    Args:
        inputs: summaries, each a scalar of strings.
        collections: the names of the collections of the graph that the merged summary enters; none if left
            out.

    Raises:
        RuntimeError: outside of a graph.
        ValueError: there are no ``inputs``.
    """
    refuse_eager()
    inputs = [convert_to_tensor(summary) for summary in inputs]
    if not inputs:
        raise ValueError("tf.compat.v1.summary.merge() takes one summary or more; none came.")
    for summary in inputs:
        if summary.dtype != dtypes.string:
            raise TypeError(
                f"tf.compat.v1.summary.merge() takes summaries, which are strings; {summary.dtype.name} came."
            )
    return collect(encoded.merge_summary(inputs), collections, [])


def merge_all(
    key: Any = GraphKeys.SUMMARIES, scope: str | None = None, name: Any = None
) -> Tensor | None:
    """All summaries of the graph that is open as one; None if there are none.

    >>> with tf.Graph().as_default() as graph:
    ...     x = tf.compat.v1.placeholder(tf.float32, [])
    ...     loss = tf.compat.v1.summary.scalar("loss", x)
    ...     encoded = tf.compat.v1.Session().run(tf.compat.v1.summary.merge_all(), {x: 0.5})
    >>> tf.compat.v1.Summary.FromString(encoded).value[0].tag
    'loss'

    Args:
        key: the collection.
        scope: only summaries whose names begin so.

    Raises:
        RuntimeError: outside of a graph.
    """
    refuse_eager()
    summaries = get_collection(key, scope)
    return merge(summaries, name=name) if summaries else None


def initialize(graph: Any = None, session: Any = None) -> None:
    """Nothing: a writer is ready when it is made.

    Args:
        graph: the graph to write. It is not looked at.
        session: the session of the graph. It is not looked at.
    """


def all_v2_summary_ops() -> list[Operation] | None:
    """The ops of a graph that write summaries: there are none, and None outside of a graph."""
    return None if executing_eagerly() else []


def get_summary_description(node_def: Any) -> SummaryDescription:
    """The description of a summary that a node of a graph makes, if it is of the type TensorSummary.

    Args:
        node_def: a `tf.compat.v1.NodeDef` whose ``op`` is ``"TensorSummary"``.
    """
    if node_def.op != "TensorSummary":
        raise ValueError(f"Can't get_summary_description on {node_def.op}")
    description = SummaryDescription()
    description.MergeFromString(node_def.attr["description"].s)
    return description
