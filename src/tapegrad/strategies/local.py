"""The strategies of one process: one device, which has all variables and computes everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad.framework import config
from tapegrad.framework.variable import ResourceVariable
from tapegrad.strategies.reductions import CrossDeviceOps
from tapegrad.strategies.strategy import Strategy, StrategyExtended
from tapegrad.strategies.values import Mirrored, PerReplica, ValueContext

PUBLIC = {
    "distribute": "MirroredStrategy OneDeviceStrategy",
    "distribute.experimental": "CentralStorageStrategy",
}


def check_devices(strategy: str, devices: Any) -> None:
    """Raise unless ``devices`` names the CPU, once.

    Raises:
        ValueError: a name was not understood, or the list is empty.
        NotImplementedError: there are several devices.
    """
    names = [devices] if isinstance(devices, str) else list(devices)
    if not names:
        raise ValueError(f"{strategy} needs at least one device; an empty list came.")
    for name in names:
        with config.device(name):
            pass
    if len(names) > 1:
        raise NotImplementedError(
            f"{strategy} was given {len(names)} devices, {names}: tapegrad computes on one, the CPU, "
            "and does not imitate several. Leave the devices out, or give one: the strategy then has "
            "one replica, which takes the whole batch."
        )


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
    """One replica for each device of this machine: here one, on the CPU.

    >>> strategy = tf.distribute.MirroredStrategy()
    >>> strategy.num_replicas_in_sync
    1

    Differs from TensorFlow: there is no more than one device.

    Args:
        devices: the devices; the CPU if left out.
        cross_device_ops: how to reduce. It has no effect.
    """

    variable_class = MirroredVariable

    def __init__(self, devices: Any = None, cross_device_ops: CrossDeviceOps | None = None) -> None:
        check_devices("MirroredStrategy", ["/cpu:0"] if devices is None else devices)
        super().__init__(MirroredExtended(self))


class MirroredExtended(StrategyExtended):
    """The part of `MirroredStrategy` that is for authors of libraries."""

    def _distribute_value(self, value_fn: Callable[[ValueContext], Any]) -> Any:
        return PerReplica((super()._distribute_value(value_fn),))


class CentralStorageStrategy(Strategy):
    """Variables on one device, replicas on others: here both on the CPU, with one replica."""

    def __init__(self, compute_devices: Any = None, parameter_device: str | None = None) -> None:
        for devices in (compute_devices, parameter_device):
            if devices is not None:
                check_devices("CentralStorageStrategy", devices)
        super().__init__(StrategyExtended(self))
