"""`MirroredStrategy` with two replicas does what TensorFlow does in the programs of golden/strategies.py."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

sys.path.insert(0, str(Path(__file__).parent / "golden"))

import strategies

import programs

GOLDEN = programs.read("strategies")


@pytest.fixture(scope="module")
def names() -> Iterator[dict[str, Any]]:
    yield strategies.names(tf)
    (cpu,) = tf.config.list_physical_devices("CPU")
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()])


def numbers(record: Any) -> Any:
    """The record, with arrays of floats as lists of numbers rounded to what float32 tells apart."""
    if isinstance(record, dict) and "bytes" in record and record["dtype"].startswith("float"):
        array = np.frombuffer(bytes.fromhex(record["bytes"]), record["dtype"])
        return record | {"bytes": [f"{x:.5g}" for x in array.tolist()]}
    if isinstance(record, dict):
        return {key: numbers(value) for key, value in record.items()}
    return [numbers(value) for value in record] if isinstance(record, list) else record


def test_every_program_has_a_record() -> None:
    assert list(GOLDEN) == strategies.PROGRAMS


@pytest.mark.parametrize("program", strategies.PROGRAMS)
def test_as_tensorflow(names: dict[str, Any], program: str) -> None:
    assert numbers(programs.outcome(program, names)) == numbers(GOLDEN[program])
