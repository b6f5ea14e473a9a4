"""`tf.saved_model.experimental.read_fingerprint`: hashes that TensorFlow writes with its saved models."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any, NamedTuple

from tapegrad.io.wire import BYTES, VARINT, DecodeError, fields, refuse_bytes

PUBLIC = {"saved_model.experimental": "Fingerprint read_fingerprint"}

# The numbers of the hashes and of the version in the file.
HASHES = {
    1: "saved_model_checksum",
    2: "graph_def_program_hash",
    3: "signature_def_hash",
    4: "saved_object_graph_hash",
    5: "checkpoint_hash",
}
VERSION = 6


class Version(NamedTuple):
    """The version of the fingerprint algorithm."""

    producer: int = 0
    min_consumer: int = 0


class Fingerprint:
    """Hashes of the parts of a saved model. Fingerprints with the same five hashes are equal.

    >>> tf.saved_model.experimental.Fingerprint(1, 2, 3, 4, 5).singleprint()
    '2/3/4/5'
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(
        self,
        saved_model_checksum: int | None = None,
        graph_def_program_hash: int | None = None,
        signature_def_hash: int | None = None,
        saved_object_graph_hash: int | None = None,
        checkpoint_hash: int | None = None,
        version: Any = None,
    ) -> None:
        self.saved_model_checksum = saved_model_checksum
        self.graph_def_program_hash = graph_def_program_hash
        self.signature_def_hash = signature_def_hash
        self.saved_object_graph_hash = saved_object_graph_hash
        self.checkpoint_hash = checkpoint_hash
        self.version = version

    @classmethod
    def from_proto(cls, proto: Any) -> Fingerprint:
        """The fingerprint with the hashes of a message, or of any object with attributes of their names."""
        hashes = {name: getattr(proto, name) for name in HASHES.values()}
        return cls(**hashes, version=proto.version)

    def _hashes(self) -> list[int | None]:
        return [getattr(self, name) for name in HASHES.values()]

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Fingerprint) and self._hashes() == other._hashes()

    def __str__(self) -> str:
        lines = [f"  {name}: {getattr(self, name)}" for name in HASHES.values()]
        return "\n".join(["SavedModel Fingerprint", *lines])

    def __repr__(self) -> str:
        return f"Fingerprint({', '.join(map(str, self._hashes()))})"

    def singleprint(self) -> str:
        """The hashes of the parts, as one name: it is the same for models that do the same.

        Raises:
            ValueError: one of them is missing.
        """
        parts = self._hashes()[1:]
        if None in parts:
            missing = [name for name in list(HASHES.values())[1:] if getattr(self, name) is None]
            raise ValueError(f"A singleprint needs all hashes; {', '.join(missing)} is None.")
        return "/".join(map(str, parts))


def read_fingerprint(export_dir: Any) -> Fingerprint:
    """The fingerprint of a SavedModel. A model of tapegrad's earlier format has none.

    Args:
        export_dir: the folder, a str or a path object.

    Raises:
        FileNotFoundError: the folder has no fingerprint.
        RuntimeError: the file with the fingerprint is damaged.
    """
    folder = Path(os.fsdecode(export_dir))
    path = folder / "fingerprint.pb"
    if not path.is_file():
        raise FileNotFoundError(
            f"SavedModel Fingerprint Error: Could not find fingerprint in directory: {folder}. "
            "A SavedModel has it as fingerprint.pb; the earlier format of tapegrad has none."
        )
    fingerprint = Fingerprint(0, 0, 0, 0, 0, Version())
    try:
        for number, kind, value in fields(path.read_bytes()):
            if number in HASHES and kind == VARINT:
                setattr(fingerprint, HASHES[number], value)
            elif number == VERSION and kind == BYTES:
                versions = {part: number for part, kind, number in fields(value) if kind == VARINT}
                fingerprint.version = Version(versions.get(1, 0), versions.get(2, 0))
            elif number in HASHES or number == VERSION:
                refuse_bytes(f"field {number} is of another kind")
    except DecodeError as error:
        raise RuntimeError(
            "SavedModel Fingerprint Error: Could not read fingerprint from fingerprint.pb file in "
            f"directory: {folder}: {error}"
        ) from None
    return fingerprint
