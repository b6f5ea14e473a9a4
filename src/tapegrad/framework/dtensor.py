"""``tf.experimental.dtensor`` for one process with one CPU.

Keras imports this namespace with its TensorFlow backend, and uses it where it distributes a model.
"""

from __future__ import annotations

from typing import Any

from tapegrad.errors import UnimplementedError, refuse
from tapegrad.framework.printed import Printed

PUBLIC = {
    "experimental.dtensor": (
        "client_id DTensorDataset DVariable full_job_name is_dtensor job_name jobs Layout MATCH "
        "Mesh num_clients num_global_devices num_local_devices preferred_device_type UNSHARDED"
    ),
}

MATCH = "match"
UNSHARDED = "unsharded"
KINDS = ("CPU", "GPU", "TPU")


def client_id() -> int:
    """The number of this process among those that compute together: 0."""
    return 0


def num_clients() -> int:
    """How many processes compute together: 1."""
    return 1


def job_name() -> str:
    """The name of the job of this process.

    >>> tf.experimental.dtensor.job_name()
    'localhost'
    """
    return "localhost"


def full_job_name(task_id: int | None = None) -> str:
    """The name of the job of this process, with its task.

    >>> tf.experimental.dtensor.full_job_name()
    'localhost/replica:0/task:0'

    Args:
        task_id: the number of the task; that of this process if None.
    """
    return f"{job_name()}/replica:0/task:{client_id() if task_id is None else task_id}"


def jobs() -> list[str]:
    """The addresses of all processes that compute together: none, because there is only this one."""
    return []


def num_local_devices(device_type: str) -> int:
    """How many devices of a kind this process has.

    >>> tf.experimental.dtensor.num_local_devices("CPU")
    1

    Args:
        device_type: "CPU", "GPU" or "TPU", in any case of letters.
    """
    if device_type.upper() not in KINDS:
        raise ValueError(f"Device type {device_type!r} is none of {', '.join(KINDS)}.")
    return int(device_type.upper() == "CPU")


def num_global_devices(device_type: str) -> int:
    """How many devices of a kind all processes have that compute together.

    Args:
        device_type: "CPU", "GPU" or "TPU", in any case of letters.
    """
    return num_local_devices(device_type)


def preferred_device_type() -> str:
    """The kind of device that computes.

    >>> tf.experimental.dtensor.preferred_device_type()
    'CPU'
    """
    return "CPU"


def is_dtensor(tensor: Any) -> bool:
    """Whether ``tensor`` lies on several devices: no tensor does.

    Args:
        tensor: any object.
    """
    return False


class OnSeveralDevices(Printed):
    """The base of classes whose objects lie on several devices: libraries ask whether something is one."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        refuse(
            f"tf.experimental.dtensor.{type(self).__name__} is for several devices, and there is one "
            "device here: tf.distribute divides data over processes.",
            error=UnimplementedError,
        )


class DTensorDataset(OnSeveralDevices):
    """A data set whose elements are divided over devices."""


class DVariable(OnSeveralDevices):
    """A variable that is divided over devices."""


class Layout(OnSeveralDevices):
    """How a tensor is divided over devices."""


class Mesh(OnSeveralDevices):
    """Devices in rows and columns."""
