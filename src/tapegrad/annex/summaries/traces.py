"""`tf.summary.graph`, and traces of functions: `tf.summary.trace_on` and what ends it take profiles."""

from __future__ import annotations

from typing import Any

from tapegrad.annex import timelines
from tapegrad.annex.summaries.messages import SummaryMetadata
from tapegrad.annex.summaries.state import is_recording, state, step_now, write
from tapegrad.core import Tensor
from tapegrad.framework.logging import warn
from tapegrad.io.graph_messages import GraphDef
from tapegrad.ops.shape.creation import convert_to_tensor

PUBLIC = {"summary": "graph trace_export trace_off trace_on"}


class _Trace:
    """Whether a trace was begun, and whether it takes a profile."""

    begun = False
    graph = False
    profiling = False


_trace = _Trace()


def trace_on(graph: bool = True, profiler: bool = False, profiler_outdir: Any = None) -> None:
    """Begin a trace. With ``profiler`` it takes a profile, which goes to ``profiler_outdir``.

    Where ``profiler_outdir`` is missing, a warning says that there will be no profile.

    Differs from TensorFlow: graphs of functions are not recorded, because there are none.

    Args:
        graph: whether the summary is one of a graph, where no profile is taken.
        profiler: whether to take a profile.
        profiler_outdir: the folder for the profile.
    """
    if profiler and profiler_outdir is None:
        warn(
            "tf.summary.trace_on(profiler=True) takes no profile: it needs a profiler_outdir, "
            "the folder for it."
        )
    _trace.begun, _trace.graph = True, graph
    _trace.profiling = profiler and profiler_outdir is not None
    if _trace.profiling:
        timelines.start(profiler_outdir)


def trace_export(name: str, step: Any = None, profiler_outdir: Any = None) -> None:
    """End the trace, write its profile if it takes one, and a summary that says that there was a trace.

    Differs from TensorFlow: the summary holds no graph.

    Args:
        name: the tag of the summary.
        step: an int; the one of `tf.summary.experimental.set_step` if None.
        profiler_outdir: accepted, and of no effect: `trace_on` has the folder.

    Raises:
        ValueError: `trace_on` was not called, or there is a writer and no step.
    """
    if not _trace.begun:
        raise ValueError("Must enable trace before export through tf.summary.trace_on.")
    if state.writer is not None:
        step_now(step)
    metadata = SummaryMetadata()
    metadata.plugin_data.plugin_name = (
        "graph_run_metadata_graph"
        if _trace.graph and not _trace.profiling
        else "graph_run_metadata"
    )
    metadata.plugin_data.content = b"1"  # the version
    _end(save=True)
    write(name, "", step, metadata)


def trace_off() -> None:
    """End the trace, and drop what it recorded."""
    _end(save=False)


def _end(save: bool) -> None:
    profiling, _trace.begun, _trace.profiling = _trace.profiling, False, False
    if profiling:
        timelines.stop(save)


def graph(graph_data: Any) -> Tensor:
    """Write a graph, and say whether it was written: TensorBoard shows it.

    Args:
        graph_data: a `tf.Graph`, or a `tf.compat.v1.GraphDef`.

    Raises:
        ValueError: there is a writer, and ``graph_data`` is something else.
    """
    writer = state.writer
    if writer is None or not is_recording():
        return convert_to_tensor(False)
    definition = graph_data.as_graph_def() if hasattr(graph_data, "as_graph_def") else graph_data
    if not GraphDef._is_like(definition):
        raise ValueError(
            "Argument 'graph_data' is not tf.Graph or tf.compat.v1.GraphDef. Received "
            f"graph_data={graph_data} of type {type(graph_data).__name__}."
        )
    writer.add_graph(definition.SerializeToString())
    return convert_to_tensor(True)
