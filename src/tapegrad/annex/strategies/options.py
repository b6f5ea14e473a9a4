"""How processes are to talk to each other: what programs may say of it."""

from __future__ import annotations

import enum

from tapegrad.framework.printed import Printed

PUBLIC = {
    "distribute.experimental": (
        "CollectiveCommunication=CommunicationImplementation CommunicationImplementation "
        "CollectiveHints CommunicationOptions"
    ),
}


class CommunicationImplementation(enum.Enum):
    """How processes talk to each other. Here it is MPI that knows the ways."""

    AUTO = "AUTO"
    RING = "RING"
    NCCL = "NCCL"


class CommunicationOptions(Printed):
    """How processes talk to each other.

    Raises:
        ValueError: ``bytes_per_pack`` is negative.
    """

    def __init__(
        self,
        bytes_per_pack: int = 0,
        timeout_seconds: float | None = None,
        implementation: CommunicationImplementation | str = CommunicationImplementation.AUTO,
    ) -> None:
        if bytes_per_pack < 0:
            raise ValueError(
                "Argument `bytes_per_pack` must be greater than or equal to zero. "
                f"Received {bytes_per_pack}."
            )
        if isinstance(implementation, str):
            implementation = CommunicationImplementation(implementation.upper())
        self.bytes_per_pack = bytes_per_pack
        self.timeout_seconds = timeout_seconds
        self.implementation = implementation


class CollectiveHints(CommunicationOptions):
    """The older form of `CommunicationOptions`."""

    def __init__(self, bytes_per_pack: int = 0, timeout_seconds: float | None = None) -> None:
        super().__init__(bytes_per_pack, timeout_seconds)
