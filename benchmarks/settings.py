"""What the command line says, for all benchmarks."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class OpsSettings:
    """What of the benchmark of ops is to run."""

    names: tuple[str, ...] = ()  # all where empty
    sizes: tuple[str, ...] = ("4", "1000", "100000", "4000000")
    dtypes: tuple[str, ...] = ("float32", "float64", "bfloat16")
    ways: tuple[str, ...] = ("forward", "gradient")
    threads: tuple[int, ...] = ()  # those of the whole run where empty
    seconds: float = 0.02  # of one turn
    detailed: bool = False
    busy: bool = False
    done: frozenset[tuple[str, str]] = frozenset()  # parts and rows that a file has already
    until: float = float("inf")  # on the clock `time.monotonic`: no row begins later


@dataclass(frozen=True)
class Settings:
    peers: list[str]
    rounds: int
    seconds: float  # of one peer's turn at one workload
    faster_blas: bool = False  # tapegrad multiplies with another library than NumPy does
    networks: tuple[str, ...] = ()  # workloads of Keras's models; all where empty
    ops: OpsSettings = field(default_factory=OpsSettings)
