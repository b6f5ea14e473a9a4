"""Every argument of `tf.data` and `tf.queue` in every wrong form fails, or works, as TensorFlow's does.

What TensorFlow did is recorded: whether it fails, with which class of error, and when, or what it gives.
"""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest

import tapegrad as tf
from golden.data.wrong import CALLS, Answers, programs

Row = tuple[int, str, str, str, Any]  # as `programs` gives it, and what TensorFlow did

STAGES = ["made", "iter", "next"]
# The errors of wrong arguments. Several of TensorFlow's converters look at an argument one after another, and
# which of these comes depends on which of them is the first to look.
OF_ARGUMENTS = {"TypeError", "ValueError", "InvalidArgumentError"}
# What TensorFlow raises where it did not look at the argument and stumbles over it later.
STUMBLES = {
    "AssertionError",
    "AttributeError",
    "IndexError",
    "InternalError",
    "KeyError",
    "NotImplementedError",
    "OperatorNotAllowedInGraphError",
    "OverflowError",
    "RuntimeError",
    "UnicodeDecodeError",
    "UnimplementedError",
}

# What else differs: a part of the call, the argument, and the reason.
UNKNOWN_COMPRESSION = "an unknown way of compressing is refused; TensorFlow takes it for none"
LOST_NUMBERS = "what does not fit the dtype is refused; TensorFlow cuts it off"
FIRST_OF_SEVERAL = "one number is asked for, and several are refused; TensorFlow takes the first"
PER_ELEMENT = "the function runs for each element, and what it gives is taken where it fits"
ALL_NAMES = "names of data sets are checked everywhere; TensorFlow forgets some"
NUMBERS_OF_DTYPES = "numbers stand for dtypes, whatever kind of number it is"
NO_SUCH_FILE = "a name of bytes that are no UTF-8 is that of a file, which is not there"
LATER = "the first element says what is wrong"
TENSORS_AS_NUMBERS = "a scalar tensor is taken where a number is"
NO_TENSORS = "a number is asked for, and a tensor of another dtype refused"
DIFFERENT: dict[tuple[str, str], str] = {
    ("D.range(", "output_type"): "UnimplementedError: the cast says that there is none",
    ("output_types={output_types}", "output_types"): LATER,
    ("output_types={output_types}", "output_shapes"): LATER,
    ("D.from_generator(lambda: iter([{yielded}])", "yielded"): LOST_NUMBERS,
    ("D.load(", "path"): NO_SUCH_FILE,
    ("D.load(", "element_spec"): LATER,
    ("D.load(", "compression"): UNKNOWN_COMPRESSION,
    ("D.load(", "reader_func"): LATER,
    ("r.save(", "path"): "bytes are a file's name, as for all other files",
    ("r.save(", "compression"): UNKNOWN_COMPRESSION,
    ("r.save(", "shard_func"): PER_ELEMENT,
    ("r.save(", "checkpoint_args"): "not supported, and said so",
    ("r.snapshot(", "path"): "a file's name is a string",
    ("r.snapshot(", "compression"): UNKNOWN_COMPRESSION,
    ("r.snapshot(", "reader_func"): PER_ELEMENT,
    ("r.snapshot(", "shard_func"): PER_ELEMENT,
    ("r.interleave(", "cycle_length"): LATER,
    ("scan(", "initial_state"): LATER,
    ("rejection_resample(", "class_func"): PER_ELEMENT,
    ("rejection_resample(", "seed"): TENSORS_AS_NUMBERS,
    ("ragged_batch(", "name"): ALL_NAMES,
    ("sparse_batch(", "name"): ALL_NAMES,
    ("rebatch(", "name"): ALL_NAMES,
    ("ignore_errors(", "name"): ALL_NAMES,
    ("bucket_by_sequence_length(", "padded_shapes"): LATER,
    ("bucket_by_sequence_length(", "drop_remainder"): "True and False are asked for, and no tensor",
    ("rebatch(", "batch_size"): "batches of no elements never end in TensorFlow",
    ("prefetch", "buffer_size"): TENSORS_AS_NUMBERS,
    ("E.Reducer(", "init_func"): "a state keeps its shape",
    ("E.Reducer(", "reduce_func"): "a state keeps its nest",
    ("E.Reducer(", "finalize_func"): PER_ELEMENT,
    ("E.map_and_batch(", "map_func"): "there are no batches of data sets",
    ("E.pad_to_cardinality(", "mask_key"): "a key that is there already is refused",
    ("E.index_table_from_dataset(", "num_oov_buckets"): TENSORS_AS_NUMBERS,
    ("E.index_table_from_dataset(", "vocab_size"): NO_TENSORS,
    ("E.index_table_from_dataset(", "key_dtype"): NUMBERS_OF_DTYPES,
    ("E.table_from_dataset(", "num_oov_buckets"): NO_TENSORS,
    ("E.table_from_dataset(", "vocab_size"): NO_TENSORS,
    ("tf.data.TFRecordDataset(", "compression_type"): UNKNOWN_COMPRESSION,
    ("E.TFRecordWriter(", "compression_type"): UNKNOWN_COMPRESSION,
    ("E.TFRecordWriter(", "filename"): "no name is the empty name, of no file",
    ("Dataset({filenames}", "filenames"): NO_SUCH_FILE,
    ("FIFOQueue({capacity}", "dtypes"): NUMBERS_OF_DTYPES,
    ("RandomShuffleQueue({capacity}", "dtypes"): NUMBERS_OF_DTYPES,
    ("PriorityQueue({capacity}", "types"): NUMBERS_OF_DTYPES,
    ("PriorityQueue({capacity}", "shapes"): "elements may have any shape, as in other queues",
    ("PriorityQueue({capacity}", "names"): "names become a list, as in other queues",
    ("Queue({capacity}", "capacity"): "a complex number is no size",
    ("Queue({capacity}", "min_after_dequeue"): "a complex number is no size",
    ("q.enqueue({vals}", "vals"): "no component is dropped",
    ("q.enqueue_many({vals}", "vals"): "no component is dropped",
    ("q.dequeue_many({n}", "n"): FIRST_OF_SEVERAL,
    ("q.dequeue_up_to({n}", "n"): FIRST_OF_SEVERAL,
    ("tf.queue.QueueBase.from_list(", "index"): FIRST_OF_SEVERAL,
}

# Where the order of the elements is free, or depends on the number of processors.
UNORDERED = {
    ("r.interleave(", "cycle_length"),
    ("r.interleave(", "deterministic"),
    ("r.map({map_func}, 2", "deterministic"),
    ("E.parallel_interleave(", "sloppy"),
}


def has_order(call: str, argument: str) -> bool:
    return not any(part in call and argument == name for part, name in UNORDERED)


def stage_of(answer: Any) -> tuple[int, str] | None:
    """When a program failed, and with which error; None if it did not."""
    if isinstance(answer, dict) and len(answer) == 1:
        ((stage, error),) = answer.items()
        return (STAGES.index(stage), error) if stage in STAGES else None
    if isinstance(answer, list) and len(answer) == 2 and isinstance(answer[1], list):
        last = answer[1][-1:]
        if last and isinstance(last[0], str) and last[0].endswith("Error"):
            return STAGES.index("next"), last[0]
    return None


def may_differ(call: str, argument: str, theirs: Any, ours: Any) -> bool:
    """Whether this difference is one of a class that needs no reason of its own."""
    wanted, found = stage_of(theirs), stage_of(ours)
    if theirs in ("crashes", "hangs"):
        return found is not None or ours not in ("crashes", "hangs")
    if wanted is None or found is None:
        return False
    same_class = wanted[1] == found[1] or {wanted[1], found[1]} <= OF_ARGUMENTS
    stumbles = wanted[1] in STUMBLES and found[1] in OF_ARGUMENTS
    # Some functions are called with the first element here, and with none before.
    is_function = dict(CALLS)[call][argument].startswith("lambda") if argument else False
    return (same_class or stumbles) and (found[0] <= wanted[0] or is_function)


def reason_for(call: str, argument: str) -> tuple[str, str] | None:
    """The row of `DIFFERENT` for an argument of a call."""
    return next((row for row in DIFFERENT if row[0] in call and row[1] == argument), None)


@cache
def answers() -> Answers:
    return Answers(tf)


RECORDED = json.loads(
    gzip.decompress((Path(__file__).parents[1] / "golden" / "data" / "wrong.json.gz").read_bytes())
)
ROWS: list[list[Row]] = [
    [(*row, theirs) for row, theirs in group]
    for _, group in groupby(zip(programs(), RECORDED, strict=True), lambda pair: pair[0][0])
]


def different(rows: list[Row]) -> Iterator[tuple[Row, Any]]:
    """The rows that need a reason, and what they give here."""
    for number, argument, form, program, theirs in rows:
        ours = json.loads(json.dumps(answers().to(program), default=str))
        if not has_order(CALLS[number][0], argument) and None is stage_of(theirs) is stage_of(ours):
            ours[1] = theirs[1]
        if ours != theirs and not may_differ(CALLS[number][0], argument, theirs, ours):
            yield (number, argument, form, program, theirs), ours


# What Python says of its own accord, where nobody looked at the argument.
BARE = re.compile(
    r"object (is not|has no|cannot be|does not)|^unsupported operand|not supported between|takes no arg"
)


@pytest.mark.parametrize("rows", ROWS, ids=[str(rows[0][0]) for rows in ROWS])
def test_wrong_arguments_do_what_they_do_in_tensorflow(rows: list[Row]) -> None:
    call = CALLS[rows[0][0]][0]
    found = [*different(rows)]
    unexplained = [
        f"{program}\n  {theirs}\n  {ours}"
        for (_, argument, _, program, theirs), ours in found
        if reason_for(call, argument) is None
    ]
    assert not unexplained, "\n".join(unexplained)
    bare = [
        f"{program}: {message}"
        for _, _, form, program, _ in rows
        if (message := answers().messages.get(program)) is not None
        and form not in ("raises", "class")
        if len(message) < 20 or BARE.search(message)
    ]
    assert not bare, "these messages do not say what came:\n" + "\n".join(bare)


@pytest.mark.long
def test_every_reason_is_needed() -> None:
    needed = {
        reason_for(CALLS[row[0]][0], row[1])
        for rows in ROWS
        if any(part in CALLS[rows[0][0]][0] for part, _ in DIFFERENT)
        for row, _ in different(
            [row for row in rows if reason_for(CALLS[row[0]][0], row[1]) is not None]
        )
    }
    assert needed == set(DIFFERENT)
