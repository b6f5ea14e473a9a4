"""`tf.DeviceSpec`: the parts of a device's name."""

from __future__ import annotations

from typing import Any, Self

PUBLIC = {". compat.v1": "DeviceSpec"}

PARTS = ("job", "replica", "task", "device_type", "device_index")


class DeviceSpec:
    """The parts of a device's name. Each part may be None.

    >>> spec = tf.DeviceSpec(device_type="CPU", device_index=0)
    >>> spec.to_string()
    '/device:CPU:0'
    >>> tf.DeviceSpec.from_string("/job:worker/gpu:1").device_type
    'GPU'
    """

    __slots__ = ("_parts",)

    def __init__(
        self,
        job: str | None = None,
        replica: Any = None,
        task: Any = None,
        device_type: str | None = None,
        device_index: Any = None,
    ) -> None:
        self._parts = (
            job or None,
            None if replica is None else int(replica),
            None if task is None else int(task),
            None if device_type is None else device_type.upper(),
            None if device_index is None else int(device_index),
        )

    @property
    def job(self) -> str | None:
        """The name of the job, or None."""
        return self._parts[0]

    @property
    def replica(self) -> int | None:
        """The number of the replica, or None."""
        return self._parts[1]

    @property
    def task(self) -> int | None:
        """The number of the task, or None."""
        return self._parts[2]

    @property
    def device_type(self) -> str | None:
        """Such as "CPU", or None."""
        return self._parts[3]

    @property
    def device_index(self) -> int | None:
        """The number of the device, or None."""
        return self._parts[4]

    @classmethod
    def from_string(cls, spec: str) -> Self:
        """The parts of a name such as ``"/job:worker/task:0/device:CPU:0"`` or ``"GPU:1"``.

        Raises:
            ValueError: ``spec`` is no such name, or names two devices.
        """
        fields: dict[str, Any] = {}
        for component in filter(None, spec.split("/")):
            key, *values = component.split(":")
            if key in ("job", "replica", "task") and len(values) == 1:
                fields[key] = values[0]
                continue
            if key == "device" and len(values) == 2:
                key, *values = values
            elif key.upper() not in ("CPU", "GPU", "TPU") or len(values) > 1:
                raise ValueError(
                    f"Unknown attribute {key!r} is encountered while parsing the device spec: {spec!r}."
                )
            if "device_type" in fields:
                raise ValueError(
                    f"Multiple device types are not allowed while parsing the device spec: {spec}."
                )
            fields["device_type"] = key
            if values and values[0] != "*":
                fields["device_index"] = values[0]
        return cls(**fields)

    def parse_from_string(self, spec: str) -> Self:
        """The parts of another name."""
        return self.from_string(spec)

    def make_merged_spec(self, dev: DeviceSpec) -> Self:
        """These parts, replaced by the parts that ``dev`` has."""
        parts = {name: getattr(self, name) for name in PARTS}
        parts |= {name: getattr(dev, name) for name in PARTS if getattr(dev, name) is not None}
        return type(self)(**parts)

    def replace(self, **kwargs: Any) -> Self:
        """These parts, with those given instead."""
        return type(self)(**{name: getattr(self, name) for name in PARTS} | kwargs)

    def to_string(self) -> str:
        """The name that has these parts."""
        named = [
            f"/{name}:{getattr(self, name)}"
            for name in ("job", "replica", "task")
            if getattr(self, name) is not None
        ]
        if self.device_type is not None:
            index = "*" if self.device_index is None else self.device_index
            named.append(f"/device:{self.device_type}:{index}")
        return "".join(named)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DeviceSpec) and self._parts == other._parts

    def __hash__(self) -> int:
        return hash(self._parts)

    def __repr__(self) -> str:
        parts = ", ".join(f"{name}={getattr(self, name)}" for name in PARTS)
        return f"<DeviceSpec({parts})>"
