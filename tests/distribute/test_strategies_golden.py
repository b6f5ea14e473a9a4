"""`MirroredStrategy` with two replicas does what TensorFlow does in the programs of golden/strategies.py."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf

sys.path.insert(0, str(Path(__file__).parents[1] / "golden"))

import strategies

import programs

GOLDEN = programs.read("strategies")

# What is not as in TensorFlow: programs that hold such a text, and why.
DIFFERENCES = {
    "variable([1.0, 2.0]), axis=None": "the sum over the replicas: there an assertion",
    "s.reduce(None": "TypeError, as for one replica: there an assertion",
    "tf.cast(n(), tf.int32) + [1, 2]), axis=1": "ValueError as for floats: there integers go another way",
    "tf.cast(n(), tf.int32) + [1, 2]), axis=-1": "ValueError as for floats: there integers go another way",
    "tf.constant([True])), axis=0": "truth values can be gathered",
    "all_reduce('sum', 3.0)": "Python's numbers are converted: there an AttributeError",
    "all_gather(tf.constant(['a'])": "texts can be gathered",
    "scatter_add(tf.IndexedSlices([n()], [1])))": "NotImplementedError: there an AttributeError",
    "w.assign([4.0, 6.0])": "lists are converted",
    "batches(tf.data.Dataset.range(4))": "ValueError says to call batch(): there an IndexError",
    "g.binomial": "the second replica's draws depend on when the first one draws there",
    "tf.IndexedSlices([n()], [0], tf.constant([2])))": "slices of replicas: there an AttributeError",
}


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


def different(program: str) -> bool:
    return any(text in program for text in DIFFERENCES)


@pytest.mark.parametrize("program", [each for each in strategies.PROGRAMS if not different(each)])
def test_as_tensorflow(names: dict[str, Any], program: str) -> None:
    assert numbers(programs.outcome(program, names)) == numbers(GOLDEN[program])


@pytest.mark.parametrize("text", DIFFERENCES)
def test_every_difference_is_still_there(names: dict[str, Any], text: str) -> None:
    assert any(
        numbers(programs.outcome(program, names)) != numbers(GOLDEN[program])
        for program in strategies.PROGRAMS
        if text in program
    )
