"""``tensorflow.python.eager.context`` for libraries: one CPU, which runs every op at once."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import NoReturn

from tapegrad.framework.config import forget_logical_devices
from tapegrad.framework.device_spec import DeviceSpec
from tapegrad.framework.names import current_scope


class Context:
    """The state of eager execution in this process."""

    def clear_kernel_cache(self) -> None:
        """Forget nothing: no kernel is made for one graph."""

    device_name = ""  # of the device that the program chose: none, as there is one

    @property
    def device_spec(self) -> DeviceSpec:
        """A description of the device that the program chose, which is empty."""
        return DeviceSpec()

    @property
    def scope_name(self) -> str:
        """The name scopes that are open, each with a slash after it."""
        return current_scope()

    def executing_eagerly(self) -> bool:
        return True


_CONTEXT = Context()


def context() -> Context:
    """The state of eager execution in this process."""
    return _CONTEXT


def _reset_context() -> None:
    """Make the CPU one logical device again. Tests of libraries call this to divide it again."""
    forget_logical_devices()


def async_wait() -> None:
    """Wait until all ops have run: they have, because an op runs when it is called."""


@contextlib.contextmanager
def eager_mode() -> Iterator[None]:
    """A block in which ops run when they are called: they do so everywhere."""
    yield


def disable_op_determinism() -> None:
    """Change nothing: the same inputs give the same bits in any case."""


def is_op_determinism_enabled() -> bool:
    """Whether the same inputs give the same bits: they always do."""
    return True


def get_device_name() -> str:
    """The device that a program chose for its ops."""
    return _CONTEXT.device_name


def get_config() -> NoReturn:
    """Raises: there is no message with the settings of this process."""
    raise NotImplementedError(
        "TensorFlow's message with the settings of a process is not here: tf.config has what can be set."
    )


def no_devices() -> list[bytes]:
    """The devices that plug-ins add: there are none."""
    return []
