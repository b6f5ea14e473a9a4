"""The one device, which is the CPU, and the settings of ``tf.config``."""

from __future__ import annotations

from collections.abc import Sequence
from types import TracebackType
from typing import Any, NamedTuple

from tapegrad.engines.numpy import buffers
from tapegrad.engines.numpy.blas import description
from tapegrad.engines.numpy.threads import set_thread_count
from tapegrad.errors import refuse
from tapegrad.framework.printed import Printed

PUBLIC = {
    ".": "device",
    "config compat.v1.config": (
        "functions_run_eagerly get_logical_device_configuration get_soft_device_placement "
        "LogicalDevice LogicalDeviceConfiguration PhysicalDevice run_functions_eagerly "
        "set_logical_device_configuration set_soft_device_placement"
    ),
    "config config.experimental compat.v1.config": (
        "get_visible_devices list_logical_devices list_physical_devices set_visible_devices"
    ),
    "config.experimental": (
        "enable_op_determinism get_blas get_idle_memory_limit get_memory_growth get_memory_info "
        "get_memory_usage log_recordings release_idle_memory reset_memory_stats set_idle_memory_limit "
        "get_virtual_device_configuration=get_logical_device_configuration set_memory_growth "
        "set_virtual_device_configuration=set_logical_device_configuration "
        "VirtualDeviceConfiguration=LogicalDeviceConfiguration"
    ),
    "config.threading": (
        "get_inter_op_parallelism_threads get_intra_op_parallelism_threads "
        "set_inter_op_parallelism_threads set_intra_op_parallelism_threads"
    ),
}


# Where every tensor and variable is: their `.device`.
CPU_NAME = "/job:localhost/replica:0/task:0/device:CPU:0"


class PhysicalDevice(NamedTuple):
    """A piece of hardware."""

    name: str
    device_type: str


class LogicalDevice(NamedTuple):
    """What ops are placed on: the CPU, or one of the devices into which a program has divided it."""

    name: str
    device_type: str


class LogicalDeviceConfiguration(NamedTuple):
    """How much of a physical device one logical device is to have."""

    memory_limit: int | None = None
    experimental_priority: int | None = None
    experimental_device_ordinal: int | None = None


_CPU = PhysicalDevice("/physical_device:CPU:0", "CPU")


class _Settings:
    """The settings that ``tf.config`` was given, for the whole process."""

    def __init__(self) -> None:
        self.soft_placement = True
        self.functions_eager = False
        self.logs_recordings = False
        self.inter_op_threads = 0  # 0: the library chooses
        self.intra_op_threads = 0
        self.logical_devices: list[LogicalDeviceConfiguration] | None = None


_settings = _Settings()


def list_physical_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The usable hardware, all or that of one type: one CPU and nothing else.

    >>> tf.config.list_physical_devices()
    [PhysicalDevice(name='/physical_device:CPU:0', device_type='CPU')]
    >>> tf.config.list_physical_devices("GPU")
    []

    Args:
        device_type: "CPU" or another type; None for all.
    """
    return [_CPU] if device_type in (None, "CPU") else []


def list_logical_devices(device_type: str | None = None) -> list[LogicalDevice]:
    """The devices on which ops can be placed, all or those of one type.

    >>> tf.config.list_logical_devices()
    [LogicalDevice(name='/device:CPU:0', device_type='CPU')]

    Args:
        device_type: "CPU" or another type; None for all.
    """
    if device_type not in (None, "CPU"):
        return []
    count = len(_settings.logical_devices or [None])
    return [LogicalDevice(f"/device:CPU:{i}", "CPU") for i in range(count)]


def get_visible_devices(device_type: str | None = None) -> list[PhysicalDevice]:
    """The hardware that is used: the same as `list_physical_devices`.

    Args:
        device_type: "CPU" or "GPU", for the devices of this kind alone; None for all.
    """
    return list_physical_devices(device_type)


def set_visible_devices(devices: Any, device_type: str | None = None) -> None:
    """Accepted if it changes nothing: the CPU cannot be hidden, and there are no GPUs.

    >>> tf.config.set_visible_devices([], "GPU")

    Args:
        devices: a device that `list_physical_devices` has listed, or a list of them.
        device_type: "CPU" or "GPU": the kind of device that is meant; None for all.

    Raises:
        ValueError: One of ``devices`` does not exist, or is not of ``device_type``.
        RuntimeError: The CPU would be hidden.
    """
    if isinstance(devices, PhysicalDevice) or not isinstance(devices, Sequence):
        devices = [devices]
    for one in devices:
        _check_device(one, device_type)
    if not devices and device_type in (None, "CPU"):
        raise RuntimeError("The CPU cannot be hidden: it is the only device that tapegrad runs on.")


def _check_device(one: Any, device_type: str | None = None) -> None:
    if one not in list_physical_devices(device_type):
        raise ValueError(
            f"Unrecognized device: {one!r}. "
            f"The devices{f' of type {device_type}' if device_type else ''} "
            f"are {list_physical_devices(device_type)}; "
            "tf.config.list_physical_devices() lists them."
        )


def get_logical_device_configuration(
    device: PhysicalDevice,
) -> list[LogicalDeviceConfiguration] | None:
    """The list given to `set_logical_device_configuration`, or None.

    Args:
        device: a device that `list_physical_devices` has listed.
    """
    _check_device(device)
    return _settings.logical_devices


def set_logical_device_configuration(
    device: PhysicalDevice, logical_devices: Sequence[LogicalDeviceConfiguration]
) -> None:
    """Divide the CPU into several logical devices, for replicas of `tf.distribute.MirroredStrategy`.

    >>> (cpu,) = tf.config.list_physical_devices("CPU")
    >>> tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * 2)
    >>> [device.name for device in tf.config.list_logical_devices()]
    ['/device:CPU:0', '/device:CPU:1']
    >>> tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()])

    Differs from TensorFlow: this works at any time, not only before the first op. All logical devices share
    the processor and its memory, and every tensor says that it is on the first one.

    Args:
        device: the CPU, as `list_physical_devices` lists it.
        logical_devices: a `LogicalDeviceConfiguration` for each logical device.

    Raises:
        ValueError: ``device`` does not exist, or a configuration has a ``memory_limit``.
    """
    _check_device(device)
    if any(one.memory_limit is not None for one in logical_devices):
        raise ValueError("Setting memory limit on CPU virtual devices is currently not supported.")
    _settings.logical_devices = list(logical_devices)


def forget_logical_devices() -> None:
    """Make the CPU one logical device again."""
    _settings.logical_devices = None


def get_soft_device_placement() -> bool:
    """Whether `device` takes devices that do not exist, and uses the CPU instead; True at first."""
    return _settings.soft_placement


def set_soft_device_placement(enabled: bool) -> None:
    """Say whether `device` takes devices that do not exist.

    Args:
        enabled: True if a missing device is to be replaced by the CPU, False if it is to be an error.

    Raises:
        TypeError: ``enabled`` is no bool.
    """
    if not isinstance(enabled, bool):
        raise TypeError(
            "set_soft_device_placement() takes True or False; "
            f"{enabled!r} came, a {type(enabled).__name__}."
        )
    _settings.soft_placement = enabled


def run_functions_eagerly(run_eagerly: bool) -> None:
    """Say whether every `tf.function` just calls its Python function, and nothing is recorded or replayed.

    Then arguments and results are left unchanged; otherwise they become tensors.

    Args:
        run_eagerly: a bool.
    """
    _settings.functions_eager = bool(run_eagerly)


def log_recordings(enabled: bool = True) -> None:
    """Say whether each new recording of a `tf.function` is logged, with what made it necessary.

    The lines are warnings of the logger named "tensorflow". They also say why a function stays Python.
    TensorFlow has no such switch.

    >>> tf.config.experimental.log_recordings(True)
    >>> f = tf.function(lambda x: x * 2)
    >>> y = f(tf.constant(1.0))          # <lambda>() was recorded for (float32[]): the first call with ...
    >>> tf.config.experimental.log_recordings(False)

    Args:
        enabled: True for the lines, False for none.
    """
    _settings.logs_recordings = bool(enabled)


def logs_recordings() -> bool:
    """The last argument of `log_recordings`; False at first."""
    return _settings.logs_recordings


def functions_run_eagerly() -> bool:
    """The last argument of `run_functions_eagerly`; False at first."""
    return _settings.functions_eager


class device(Printed):
    """A context that asks for ops to run on ``device_name``. They run on the CPU, the only device.

    >>> with tf.device("/GPU:0"):          # there is none: the CPU takes its place
    ...     x = tf.constant(1.0)
    >>> x.device
    '/job:localhost/replica:0/task:0/device:CPU:0'

    Args:
      device_name: A name such as ``"CPU:0"``, ``"/device:GPU:1"`` or ``"/job:localhost/task:0"``, a
        `LogicalDevice`, or None for any device.

    Raises:
      ValueError: On entering, if ``device_name`` cannot be read as the name of a device.
      InvalidArgumentError: On entering, if it names another machine, or, with
        ``tf.config.set_soft_device_placement(False)``, a device that does not exist.
      RuntimeError: ``device_name`` is a function.
    """

    def __init__(self, device_name: Any) -> None:
        if callable(device_name):
            raise RuntimeError(
                "tf.device() takes the name of a device; "
                "functions that choose one per op exist in graphs only, and there are none."
            )
        self._name = device_name

    def _printed_state(self) -> str:
        return repr(self._name)

    def __enter__(self) -> None:
        name = self._name
        if isinstance(name, LogicalDevice):
            name = name.name
        elif hasattr(name, "to_string"):
            name = name.to_string()
        if name is not None:
            _check_name(name)

    def __exit__(
        self,
        error_type: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        return None


_KNOWN_TYPES = ("CPU", "GPU", "TPU")


def full_name(name: Any) -> str:
    """The full name of the device called ``name``.

    Raises:
      ValueError: It cannot be read as the name of a device.
      InvalidArgumentError: Ops may not be placed there.
    """
    _check_name(name)
    parts = _parse(name)
    return f"{CPU_NAME.partition('/device:')[0]}/device:{parts.get('type', 'CPU')}:{parts.get('index', '0')}"


def _check_name(name: Any) -> None:
    """Raise unless ops may be placed on ``name``."""
    if not isinstance(name, str):
        raise ValueError(
            f"The name of a device must be a string; {name!r} came, a {type(name).__name__}."
        )
    parts = _parse(name)
    address = [parts.get("job", "localhost"), parts.get("replica", "0"), parts.get("task", "0")]
    if address != ["localhost", "0", "0"]:
        refuse(
            f"The device {name!r} is on another machine (job {address[0]!r}, replica {address[1]}, "
            f"task {address[2]}). There is only this one: {CPU_NAME}."
        )
    kind, index = parts.get("type", "CPU"), parts.get("index", "0")
    if index != "*" and int(index) < 0:
        refuse(f"The device {name!r} has the negative index {index}.")
    exists = kind == "CPU" and (index == "*" or int(index) < len(list_logical_devices()))
    if not _settings.soft_placement and not exists:
        refuse(
            f"The device {name!r} does not exist; there is only {CPU_NAME}. "
            "With tf.config.set_soft_device_placement(True) it would be used instead."
        )


def _parse(name: str) -> dict[str, str]:
    """The parts of a name such as ``/job:localhost/replica:0/task:0/device:CPU:0``."""
    parts: dict[str, str] = {}
    for component in name.split("/"):
        if not component:
            continue
        key, *values = component.split(":")
        kind, index = None, "0"
        if key in ("job", "replica", "task") and len(values) == 1:
            parts[key] = values[0] if key == "job" else _index(values[0], name)
        elif key == "device" and len(values) == 2:
            kind, index = values
        elif key.upper() in _KNOWN_TYPES and len(values) <= 1:
            kind, index = key, values[0] if values else "0"
        else:
            raise ValueError(
                f"{component!r} was not understood in the device name {name!r}. "
                "Names look like 'CPU:0', '/device:GPU:1' "
                "or '/job:localhost/replica:0/task:0/device:CPU:0'."
            )
        if kind is not None:
            if "type" in parts:
                raise ValueError(f"The device name {name!r} names more than one device.")
            parts["type"], parts["index"] = kind.upper(), _index(index, name)
    return parts


def _index(text: str, name: str) -> str:
    if text != "*" and not text.removeprefix("-").isdecimal():
        raise ValueError(
            f"{text!r} in the device name {name!r} should be a number: the index of the device."
        )
    return text


def get_inter_op_parallelism_threads() -> int:
    """The last argument of `set_inter_op_parallelism_threads`; 0 at first."""
    return _settings.inter_op_threads


def get_intra_op_parallelism_threads() -> int:
    """The last argument of `set_intra_op_parallelism_threads`; 0 at first."""
    return _settings.intra_op_threads


def set_inter_op_parallelism_threads(num_threads: int) -> None:
    """Keep the number, which has no effect: ops run one after another.

    Args:
        num_threads: an int from 0 on, which `get_inter_op_parallelism_threads` returns.
    """
    _settings.inter_op_threads = _thread_count(num_threads)


def set_intra_op_parallelism_threads(num_threads: int) -> None:
    """Share large ops among ``num_threads`` threads; 0 means OMP_NUM_THREADS, or else all processors.

    Matrix products are among these ops: BLAS is called from these threads and uses none of its own, unless
    `tf.config.experimental.get_blas` says "NumPy". Decompositions and solutions of equations run on the
    calling thread. Results are the same to the last bit for any number of threads.

    While a product or a decomposition runs, the OpenBLAS of NumPy (and that of SciPy) is set to one thread.
    That is one setting for the whole process: NumPy's own work in other threads at that moment sees it.

    Args:
        num_threads: an int from 0 on.
    """
    count = _thread_count(num_threads)
    set_thread_count(count)
    _settings.intra_op_threads = count


def _thread_count(num_threads: Any) -> int:
    try:
        count = num_threads.__index__()
    except AttributeError:
        raise TypeError(
            "A number of threads must be an integer; "
            f"{num_threads!r} came, a {type(num_threads).__name__}."
        ) from None
    if count < 0:
        raise ValueError(
            "A number of threads must be at least 0, where 0 leaves it to the library; "
            f"{count} came."
        )
    return int(count)


def get_blas() -> str:
    """The library that multiplies matrices: NumPy's own BLAS, or MKL if ``tapegrad[mkl]`` is installed.

    >>> tf.config.experimental.get_blas()  # doctest: +SKIP
    'OpenBLAS 0.3.31 SkylakeX'

    The environment variable TAPEGRAD_BLAS, read at the first product, decides otherwise: ``openblas`` stands
    for NumPy's, ``mkl`` also finds a system's MKL, and ``numpy`` leaves the work to ``numpy.matmul``.
    """
    return description()


def set_memory_growth(device: PhysicalDevice, enable: bool) -> None:
    """Raises ValueError: this is a setting of GPUs, and there are none.

    Args:
        device: a device that `list_physical_devices` has listed.
        enable: whether memory is to be taken as it is needed. It is not looked at.

    Raises:
        ValueError: Always. The CPU's memory is taken as it is needed in any case.
    """
    _check_device(device)
    raise ValueError(
        f"Memory growth is a setting of GPUs; {device.name} is a {device.device_type}, "
        "whose memory is taken as it is needed in any case."
    )


def get_memory_growth(device: PhysicalDevice) -> bool:
    """Raises KeyError: this is a setting of GPUs, and there are none.

    Args:
        device: a device that `list_physical_devices` has listed.

    Raises:
        KeyError: Always.
    """
    raise KeyError(device)


def get_memory_info(device: str) -> dict[str, int]:
    """Bytes in large tensors ("current"), the most there were ("peak"), and bytes kept for new ones ("idle").

    >>> x = tf.zeros([1000, 1000]) + 1.0
    >>> tf.config.experimental.get_memory_info("CPU:0")["current"] >= 4_000_000
    True

    The figures count tensors of 32 KB and more that tapegrad's own kernels made. Memory that no tensor uses
    any more is kept for the next tensors: `release_idle_memory` gives it back. TensorFlow has no key "idle".

    Args:
      device: ``"CPU:0"``, or a longer name of it.

    Raises:
      ValueError: If ``device`` is the name of no device, or of one there is not.
    """
    _check_memory_of(device)
    bytes_of = buffers.statistics()
    return {"current": bytes_of["in_use"], "peak": bytes_of["most"], "idle": bytes_of["idle"]}


def get_memory_usage(device: str) -> int:
    """The bytes in large tensors: "current" in what `get_memory_info` returns, which TensorFlow recommends.

    >>> tf.config.experimental.get_memory_usage("CPU:0") >= 0
    True

    Args:
        device: the name of a device: ``"CPU:0"``.
    """
    return get_memory_info(device)["current"]


def reset_memory_stats(device: str) -> None:
    """Set "peak" in what `get_memory_info` returns to the bytes that are in use now.

    >>> tf.config.experimental.reset_memory_stats("CPU:0")
    >>> info = tf.config.experimental.get_memory_info("CPU:0")
    >>> info["peak"] == info["current"]
    True

    Args:
        device: the name of a device: ``"CPU:0"``.
    """
    _check_memory_of(device)
    buffers.reset_peak()


def _check_memory_of(device: Any) -> None:
    if not isinstance(device, str) or not device.rpartition(":")[2].isdecimal():
        raise ValueError(
            f"Failed parsing device name: {device!r}. "
            "A type and an index were expected, as in 'CPU:0'."
        )
    parts = _parse(device)
    if (parts.get("type"), parts.get("index")) != ("CPU", "0"):
        raise ValueError(f"No matching devices found for {device!r}: there is only 'CPU:0'.")


def release_idle_memory() -> int:
    """Give the memory that no tensor uses back to the system now. Returns the number of bytes.

    >>> tf.config.experimental.release_idle_memory() >= 0
    True

    The memory of a large tensor is kept when the tensor goes, because getting it from the system again takes
    longer than most ops. Memory that is not used while the program makes 131,072 to 196,608 tensors is
    returned automatically. `set_idle_memory_limit` limits how much is kept. TensorFlow has no such function.
    """
    return buffers.release_idle()


def get_idle_memory_limit() -> int | None:
    """The limit that `set_idle_memory_limit` or the variable TAPEGRAD_IDLE_MEMORY_LIMIT has set, or None.

    >>> tf.config.experimental.get_idle_memory_limit()
    """
    return buffers.idle_memory_limit()


def set_idle_memory_limit(limit: int | None) -> None:
    """Keep at most ``limit`` bytes that no tensor uses; None for any number, as at first.

    >>> tf.config.experimental.set_idle_memory_limit(100_000_000)
    >>> tf.config.experimental.get_idle_memory_limit()
    100000000
    >>> tf.config.experimental.set_idle_memory_limit(None)

    The environment variable TAPEGRAD_IDLE_MEMORY_LIMIT sets the limit from the start. With a limit below what
    a training step needs, each step gets its memory from the system again. TensorFlow has no such function.

    Args:
        limit: a number of bytes, or None.
    """
    if limit is not None:
        try:
            limit = limit.__index__()
        except AttributeError:
            raise TypeError(
                "A limit of memory is a number of bytes or None; "
                f"{limit!r} came, a {type(limit).__name__}."
            ) from None
        if limit < 0:
            raise ValueError(f"A limit of memory is at least 0 bytes; {limit} came.")
    buffers.set_idle_memory_limit(limit)


def enable_op_determinism() -> None:
    """Does nothing: the same inputs give the same bits in any case."""
