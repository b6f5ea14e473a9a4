"""Settings of sessions, as messages: programs fill them, and nothing here depends on them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from tapegrad.io.messages import Field, Message

PUBLIC = {
    "compat.v1": "ConfigProto GPUOptions GraphOptions OptimizerOptions RunMetadata RunOptions"
}


class OptimizerOptions(Message):
    """How graphs would be optimised."""

    __slots__ = ()
    FULL_NAME = "tensorflow.OptimizerOptions"
    FIELDS: ClassVar = {
        "do_common_subexpression_elimination": Field(1, "bool"),
        "do_constant_folding": Field(2, "bool"),
        "opt_level": Field(3, "int32"),
        "do_function_inlining": Field(4, "bool"),
        "global_jit_level": Field(5, "int32"),
    }
    L1 = 0
    L0 = -1
    DEFAULT = 0
    OFF = -1
    ON_1 = 1
    ON_2 = 2


class GraphOptions(Message):
    """How graphs would be treated."""

    __slots__ = ()
    FULL_NAME = "tensorflow.GraphOptions"
    FIELDS: ClassVar = {
        "enable_recv_scheduling": Field(2, "bool"),
        "optimizer_options": Field(3, OptimizerOptions),
        "build_cost_model": Field(4, "int64"),
        "infer_shapes": Field(5, "bool"),
        "place_pruned_graph": Field(6, "bool"),
        "enable_bfloat16_sendrecv": Field(7, "bool"),
        "timeline_step": Field(8, "int32"),
        "build_cost_model_after": Field(9, "int64"),
    }


class GPUOptions(Message):
    """How GPUs would be used."""

    __slots__ = ()
    FULL_NAME = "tensorflow.GPUOptions"
    FIELDS: ClassVar = {
        "per_process_gpu_memory_fraction": Field(1, "double"),
        "allocator_type": Field(2, "string"),
        "deferred_deletion_bytes": Field(3, "int64"),
        "allow_growth": Field(4, "bool"),
        "visible_device_list": Field(5, "string"),
        "polling_active_delay_usecs": Field(6, "int32"),
        "polling_inactive_delay_msecs": Field(7, "int32"),
        "force_gpu_compatible": Field(8, "bool"),
    }


class ConfigProto(Message):
    """Settings of a session. ``device_count`` is a dict, and no part of the encoded message.

    >>> config = tf.compat.v1.ConfigProto(intra_op_parallelism_threads=1)
    >>> config.gpu_options.allow_growth = True
    >>> with tf.compat.v1.Session(config=config) as session:
    ...     pass
    """

    __slots__ = ("device_count",)
    FULL_NAME = "tensorflow.ConfigProto"
    FIELDS: ClassVar = {
        "intra_op_parallelism_threads": Field(2, "int32"),
        "placement_period": Field(3, "int32"),
        "device_filters": Field(4, "string", "list"),
        "inter_op_parallelism_threads": Field(5, "int32"),
        "gpu_options": Field(6, GPUOptions),
        "allow_soft_placement": Field(7, "bool"),
        "log_device_placement": Field(8, "bool"),
        "use_per_session_threads": Field(9, "bool"),
        "graph_options": Field(10, GraphOptions),
        "operation_timeout_in_ms": Field(11, "int64"),
        "isolate_session_state": Field(15, "bool"),
    }

    def __init__(
        self, *args: Any, device_count: Mapping[str, int] | None = None, **kwargs: Any
    ) -> None:
        object.__setattr__(self, "device_count", dict(device_count or {}))
        super().__init__(*args, **kwargs)


class RunOptions(Message):
    """Settings of one run."""

    __slots__ = ()
    FULL_NAME = "tensorflow.RunOptions"
    FIELDS: ClassVar = {
        "trace_level": Field(1, "int32"),
        "timeout_in_ms": Field(2, "int64"),
        "inter_op_thread_pool": Field(3, "int32"),
        "output_partition_graphs": Field(5, "bool"),
        "report_tensor_allocations_upon_oom": Field(7, "bool"),
    }
    NO_TRACE = 0
    SOFTWARE_TRACE = 1
    HARDWARE_TRACE = 2
    FULL_TRACE = 3


class RunMetadata(Message):
    """What TensorFlow would tell of a run: nothing is told here."""

    __slots__ = ()
    FULL_NAME = "tensorflow.RunMetadata"
    FIELDS: ClassVar = {}
