"""Settings of sessions, as messages: programs fill them, and nothing here depends on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tapegrad.annex.timelines import Timeline
from tapegrad.io.messages import Message

PUBLIC = {
    "compat.v1": "ConfigProto GPUOptions GraphOptions OptimizerOptions RunMetadata RunOptions"
}


class OptimizerOptions(Message):
    """How graphs would be optimised."""

    SCHEMA = """
        bool do_common_subexpression_elimination = 1; bool do_constant_folding = 2;
        int32 opt_level = 3; bool do_function_inlining = 4; int32 global_jit_level = 5;
    """
    L1 = 0
    L0 = -1
    DEFAULT = 0
    OFF = -1
    ON_1 = 1
    ON_2 = 2


class GraphOptions(Message):
    """How graphs would be treated."""

    SCHEMA = """
        bool enable_recv_scheduling = 2; OptimizerOptions optimizer_options = 3;
        int64 build_cost_model = 4; bool infer_shapes = 5; bool place_pruned_graph = 6;
        bool enable_bfloat16_sendrecv = 7; int32 timeline_step = 8;
        int64 build_cost_model_after = 9;
    """


class GPUOptions(Message):
    """How GPUs would be used."""

    SCHEMA = """
        double per_process_gpu_memory_fraction = 1; string allocator_type = 2;
        int64 deferred_deletion_bytes = 3; bool allow_growth = 4; string visible_device_list = 5;
        int32 polling_active_delay_usecs = 6; int32 polling_inactive_delay_msecs = 7;
        bool force_gpu_compatible = 8;
    """


class ConfigProto(Message):
    """Settings of a session. ``device_count`` is a dict, and no part of the encoded message.

    >>> config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1)
    >>> config.gpu_options.allow_growth = True
    >>> with tf.compat.v1.Session(config=config) as session:
    ...     pass
    """

    __slots__ = ("device_count",)
    SCHEMA = """
        int32 intra_op_parallelism_threads = 2; int32 placement_period = 3;
        repeated string device_filters = 4; int32 inter_op_parallelism_threads = 5;
        GPUOptions gpu_options = 6; bool allow_soft_placement = 7; bool log_device_placement = 8;
        bool use_per_session_threads = 9; GraphOptions graph_options = 10;
        int64 operation_timeout_in_ms = 11; bool isolate_session_state = 15;
    """

    def __init__(
        self, *args: Any, device_count: Mapping[str, int] | None = None, **kwargs: Any
    ) -> None:
        object.__setattr__(self, "device_count", dict(device_count or {}))
        super().__init__(*args, **kwargs)


class RunOptions(Message):
    """Settings of one run."""

    SCHEMA = """
        int32 trace_level = 1; int64 timeout_in_ms = 2; int32 inter_op_thread_pool = 3;
        bool output_partition_graphs = 5; bool report_tensor_allocations_upon_oom = 7;
    """
    NO_TRACE = 0
    SOFTWARE_TRACE = 1
    HARDWARE_TRACE = 2
    FULL_TRACE = 3


class NodeExecStats(Message):
    """When an op began and how long it took, in microseconds."""

    SCHEMA = """
        string node_name = 1; int64 all_start_micros = 2; int64 op_start_rel_micros = 3;
        int64 op_end_rel_micros = 4; int64 all_end_rel_micros = 5; string timeline_label = 8;
        int64 scheduled_micros = 9; uint32 thread_id = 10;
    """


class DeviceStepStats(Message):
    """The ops that ran on a device."""

    SCHEMA = "string device = 1; repeated NodeExecStats node_stats = 2;"


class StepStats(Message):
    """The ops of a run."""

    SCHEMA = "repeated DeviceStepStats dev_stats = 1;"


class RunMetadata(Message):
    """What is known of a run of a `MonitoredSession` whose ``options`` ask for a full trace."""

    SCHEMA = "StepStats step_stats = 1;"


def step_stats(timeline: Timeline) -> StepStats:
    """The ops of a timeline as a message."""
    stats = StepStats()
    device = stats.dev_stats.add(device="/job:localhost/replica:0/task:0/device:CPU:0")
    for name, thread, begin, duration in timeline.events:
        start = (timeline.began + begin - timeline.clock) // 1000
        device.node_stats.add(
            node_name=name,
            all_start_micros=start,
            op_end_rel_micros=duration // 1000,
            all_end_rel_micros=duration // 1000,
            timeline_label=f"{name} = {name}()",
            scheduled_micros=start,
            thread_id=thread % (1 << 32),
        )
    return stats
