"""No result shows memory that nobody wrote: the same bits, whatever new arrays held before.

Kernels are asked over the inputs of the table, and over these inputs with axes of size zero, where loops that
write a result run over nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from patterned import memory_holds
from samples import Run, Sample, all_samples, flatten
from samples.ask import floats

Array = np.ndarray[Any, Any]

# Small positive numbers, and NaN or -1.
PATTERNS = (0x3F, 0xFF)


def _with_empty_axes(arrays: list[Array]) -> Iterator[list[Array]]:
    """``arrays``; the same with all axes of one size emptied; and with each axis of each array emptied.

    No shapes come twice.
    """
    choices = [arrays, *_emptied(arrays)]
    by_shapes = {tuple(array.shape for array in choice): choice for choice in reversed(choices)}
    yield from reversed(by_shapes.values())


def _emptied(arrays: list[Array]) -> Iterator[list[Array]]:
    for size in sorted({size for array in arrays for size in array.shape if size}):
        yield [
            array[tuple([slice(0 if length == size else None) for length in array.shape])]
            for array in arrays
        ]
    for place, array in enumerate(arrays):
        for axis, size in enumerate(array.shape):
            if size:
                emptied = array[(slice(None),) * axis + (slice(0),)]
                yield [*arrays[:place], emptied, *arrays[place + 1 :]]


def _runs(sample: Sample) -> Iterator[Run]:
    plain = "float32" if "float32" in sample.dtypes else (*sample.dtypes, "float32")[0]
    for number, case in enumerate([*sample.cases, *sample.kinks]):
        more = [each for each in ("bfloat16", "complex64") if each in sample.dtypes and not number]
        for dtype in dict.fromkeys([plain, *more]):
            yield Run(sample, case, dtype)


def _bits(value: Any) -> Any:
    if isinstance(value, (tf.IndexedSlices, tf.SparseTensor)):
        return _bits(value.indices), _bits(value.values)
    if not isinstance(value, tf.Tensor):
        return None
    array = np.asarray(value.numpy())
    return array.shape, array.dtype, array.tolist() if array.dtype == object else array.tobytes()


def _answers(run: Run, arrays: list[Array]) -> list[Any]:
    """The bits of results, of gradients and of their gradients, as far as there are any."""
    tensors = [tf.constant(array) for array in arrays]
    sources = [tensor for tensor in tensors if floats(tensor)]
    found: list[Any] = []
    tf.random.set_seed(1)
    try:
        with tf.GradientTape() as outer:
            outer.watch(sources)
            with tf.GradientTape() as tape:
                tape.watch(sources)
                results = flatten(run(tf, tensors))
            found += map(_bits, results)
            results = [each for each in results if isinstance(each, tf.Tensor) and floats(each)]
            gradients = tape.gradient(results, sources)
            found += map(_bits, gradients)
        found += map(_bits, outer.gradient([g for g in gradients if g is not None], sources))
    except (tf.errors.OpError, ValueError, TypeError, LookupError) as error:
        found.append((type(error), str(error)))
    return found


@pytest.mark.parametrize("sample", all_samples(), ids=repr)
@pytest.mark.filterwarnings("ignore")
def test_no_result_depends_on_what_memory_held(sample: Sample) -> None:
    for run in _runs(sample):
        for arrays in _with_empty_axes(run.arrays):
            answers = []
            for byte in PATTERNS:
                with memory_holds(byte):
                    answers.append(_answers(run, arrays))
            assert answers[0] == answers[1], f"{run!r} on {[array.shape for array in arrays]}"


def test_the_pattern_shows() -> None:
    for byte in PATTERNS:
        with memory_holds(byte):
            assert np.empty(5, np.uint8).tolist() == [byte] * 5
