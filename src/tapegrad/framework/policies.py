"""Settings of `tf.config` about devices and compilers that are not here. Programs read back what they set."""

from __future__ import annotations

from typing import Any

from tapegrad.framework import config

PUBLIC = {
    "config": "experimental_functions_run_eagerly experimental_run_functions_eagerly",
    "config.experimental": (
        "disable_mlir_bridge enable_mlir_bridge enable_tensor_float_32_execution "
        "get_device_details get_device_policy get_synchronous_execution set_device_policy "
        "set_synchronous_execution tensor_float_32_execution_enabled"
    ),
    "config.optimizer": "get_experimental_options get_jit set_experimental_options set_jit",
    "test.experimental": "sync_devices",
}

POLICIES = ("explicit", "warn", "silent", "silent_for_int32")
OPTIMIZERS = (
    "layout_optimizer constant_folding shape_optimization remapping arithmetic_optimization "
    "dependency_optimization loop_optimization function_optimization debug_stripper "
    "disable_model_pruning scoped_allocator_optimization pin_to_host_optimization "
    "implementation_selector auto_mixed_precision use_plugin_optimizers disable_meta_optimizer "
    "auto_mixed_precision_onednn_bfloat16 auto_mixed_precision_mkl min_graph_nodes auto_parallel"
).split()  # in the order in which TensorFlow gives them back


class _Policies:
    """What was set, for the whole process."""

    device_policy = "silent"
    synchronous = True
    tensor_float_32 = True
    jit = ""

    def __init__(self) -> None:
        self.optimizers: dict[str, Any] = {
            "disable_model_pruning": False,
            "disable_meta_optimizer": False,
        }


_policies = _Policies()


def get_device_details(device: Any) -> dict[str, str]:
    """An empty dict: there is nothing to say of a CPU.

    Args:
        device: a device that `list_physical_devices` has listed.

    Raises:
        ValueError: ``device`` is no `tf.config.PhysicalDevice`.
    """
    if not isinstance(device, config.PhysicalDevice):
        raise ValueError(f"device must be a tf.config.PhysicalDevice, but got: {device}")
    return {}


def get_device_policy() -> str:
    """The last argument of `set_device_policy`; "silent" at first."""
    return _policies.device_policy


def set_device_policy(device_policy: str | None) -> None:
    """Say what to do with tensors on other devices. There are no others, so it has no effect.

    Args:
        device_policy: what TensorFlow does with a tensor of another device: "explicit" raises, "warn" copies
            with a warning, "silent" copies, and "silent_for_int32" copies int32 alone. None is "silent".

    Raises:
        ValueError: it is none of "explicit", "warn", "silent", "silent_for_int32" and None.
    """
    if device_policy is not None and device_policy not in POLICIES:
        raise ValueError(
            f"Invalid argument `device_policy`: {device_policy!r}. It must be one of {POLICIES}."
        )
    _policies.device_policy = device_policy or "silent"


def get_synchronous_execution() -> bool:
    """The last argument of `set_synchronous_execution`; True at first."""
    return _policies.synchronous


def set_synchronous_execution(enable: Any) -> None:
    """Say whether ops run one after another. They do, whatever is set.

    Args:
        enable: what `get_synchronous_execution` returns from now on.
    """
    _policies.synchronous = bool(enable)


def tensor_float_32_execution_enabled() -> bool:
    """The last argument of `enable_tensor_float_32_execution`; True at first."""
    return _policies.tensor_float_32


def enable_tensor_float_32_execution(enabled: bool) -> None:
    """Say whether GPUs may round products. On a CPU they are exact in float32, whatever is set.

    Args:
        enabled: what `tensor_float_32_execution_enabled` returns from now on.
    """
    _policies.tensor_float_32 = enabled


def enable_mlir_bridge() -> None:
    """No effect: nothing is compiled."""


def disable_mlir_bridge() -> None:
    """No effect: nothing is compiled."""


def get_jit() -> str:
    """The last argument of `set_jit`: "autoclustering", or "" at first."""
    return _policies.jit


def set_jit(enabled: bool | str) -> None:
    """Say whether functions are compiled. They are not, whatever is set.

    Args:
        enabled: True or "autoclustering" to say so, anything else to say no. `get_jit` returns it.
    """
    _policies.jit = "autoclustering" if enabled in (True, "autoclustering") else ""


def get_experimental_options() -> dict[str, object]:
    """The options that `set_experimental_options` has set."""
    options = _policies.optimizers
    return {name: options[name] for name in OPTIMIZERS if name in options}


def set_experimental_options(options: Any) -> None:
    """Say which optimizations graphs get. There are none, so it has no effect.

    Args:
        options: a dict, the name of an optimization -> whether it is on. `get_experimental_options` returns
            those that TensorFlow has; other names are left out.
    """
    chosen = dict(options)
    _policies.optimizers |= {name: chosen[name] for name in chosen if name in OPTIMIZERS}


def experimental_functions_run_eagerly() -> bool:
    """The same as `tf.config.functions_run_eagerly`."""
    return config.functions_run_eagerly()


def experimental_run_functions_eagerly(run_eagerly: bool) -> None:
    """The same as `tf.config.run_functions_eagerly`.

    Args:
        run_eagerly: True if a `tf.function` is to run its Python code in each call.
    """
    config.run_functions_eagerly(run_eagerly)


def sync_devices() -> None:
    """Nothing: every op has ended when it returns."""
