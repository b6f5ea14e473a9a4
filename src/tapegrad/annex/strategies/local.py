"""The strategies of one process. Only `MirroredStrategy` may have several replicas."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad.annex.strategies.mirrored import SeveralReplicas
from tapegrad.annex.strategies.reductions import CrossDeviceOps
from tapegrad.annex.strategies.strategy import Strategy, StrategyExtended
from tapegrad.annex.strategies.values import Mirrored, PerReplica, ValueContext
from tapegrad.framework import config
from tapegrad.framework.variable import ResourceVariable

PUBLIC = {
    "distribute": "MirroredStrategy OneDeviceStrategy",
    "distribute.experimental": "CentralStorageStrategy",
}


def check_devices(strategy: str, devices: Any) -> None:
    """Raise unless ``devices`` names one device.

    Raises:
        ValueError: a name was not understood, or the list is empty.
        NotImplementedError: there are several devices.
    """
    names = device_names(strategy, devices)
    if len(names) > 1:
        raise NotImplementedError(
            f"{strategy} was given {len(names)} devices, {list(names)}: it has one replica, on one device. "
            "tf.distribute.MirroredStrategy has one for each device."
        )


def device_names(strategy: str, devices: Any) -> tuple[str, ...]:
    """The full names of the devices.

    Raises:
        ValueError: a name was not understood, or there is none.
        AssertionError: a device comes twice.
    """
    device_list = [devices] if isinstance(devices, str) else list(devices)
    if not device_list:
        raise ValueError(f"{strategy} needs at least one device; an empty list came.")
    names = tuple([config.full_name(name) for name in device_list])
    if len(set(names)) < len(names):
        raise AssertionError(
            f"{strategy}: no duplicates are allowed in `devices`; {device_list} came. "
            "tf.config.set_logical_device_configuration() divides the CPU into several devices."
        )
    return names


class MirroredVariable(ResourceVariable, Mirrored):
    """A variable with a copy for each device: with one, it is itself the copy."""

    @property
    def _values(self) -> tuple[Any, ...]:  # type: ignore[override]
        return (self,)

    def __repr__(self) -> str:
        return f"MirroredVariable:{{\n  0: {super().__repr__()}\n}}"


class OneDeviceStrategy(Strategy):
    """Everything on one device: for testing programs that use strategies.

    >>> strategy = tf.distribute.OneDeviceStrategy("/cpu:0")
    >>> strategy.run(lambda: tf.distribute.get_replica_context().num_replicas_in_sync)
    1
    """

    def __init__(self, device: str) -> None:
        check_devices("OneDeviceStrategy", device)
        super().__init__(StrategyExtended(self))


class MirroredStrategy(Strategy):
    """One replica for each device of this machine, with a copy of every variable for each.

    >>> strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    >>> def step(x):
    ...     return tf.distribute.get_replica_context().all_reduce("sum", x + 1.0)
    >>> strategy.run(step, args=(tf.constant(1.0),))
    PerReplica:{
      0: <tf.Tensor: shape=(), dtype=float32, numpy=4.0>,
      1: <tf.Tensor: shape=(), dtype=float32, numpy=4.0>
    }

    Differs from TensorFlow: all devices are this processor and its memory, and a tensor says that it is on
    the first of them. So several replicas are for trying out programs that will have several devices
    elsewhere: they compute one after the other what one replica computes at once.

    Args:
        devices: names of devices; if left out or empty, those that
            `tf.config.set_logical_device_configuration` made of the CPU.
        cross_device_ops: how to reduce. It has no effect.
    """

    def __init__(self, devices: Any = None, cross_device_ops: CrossDeviceOps | None = None) -> None:
        if not devices:
            devices = [one.name for one in config.list_logical_devices("CPU")]
        names = device_names("MirroredStrategy", devices)
        if len(names) == 1:
            super().__init__(MirroredExtended(self))
            return
        super().__init__(SeveralReplicas(self, names))

    def _class_of_variable(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> type | None:
        if not isinstance(self._extended, SeveralReplicas):
            return MirroredVariable
        synchronization = args[9] if len(args) > 9 else kwargs.get("synchronization")
        return self._extended._class_of_variable(synchronization)


class MirroredExtended(StrategyExtended):
    """The part of `MirroredStrategy` with one replica that is for authors of libraries."""

    def _distribute_value(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        return PerReplica((super()._distribute_value(value_fn),))


class CentralStorageStrategy(Strategy):
    """Variables on one device, replicas on others: here both on the CPU, with one replica."""

    def __init__(self, compute_devices: Any = None, parameter_device: str | None = None) -> None:
        for devices in (compute_devices, parameter_device):
            if devices is not None:
                check_devices("CentralStorageStrategy", devices)
        super().__init__(StrategyExtended(self))
