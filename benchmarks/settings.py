"""What the command line says, for all benchmarks."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Settings:
    peers: list[str]
    rounds: int
    seconds: float  # of one peer's turn at one workload
    faster_blas: bool = False  # tapegrad multiplies with another library than NumPy does
