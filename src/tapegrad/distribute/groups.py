"""`Group`: the seven calls between ranks, and the errors that they raise where ranks disagree."""

from __future__ import annotations

import functools
import os
import threading
from collections.abc import Sequence
from typing import Any, NoReturn

import numpy as np

from tapegrad.core.tracebacks import user_frame
from tapegrad.distribute.gate import LATE
from tapegrad.engines.numpy.buffers import empty
from tapegrad.errors import AbortedError, DeadlineExceededError, InvalidArgumentError, refuse

Array = np.ndarray[Any, Any]

BARRIER, ALL_REDUCE, ALL_GATHER, REDUCE_SCATTER, BROADCAST, TREE_REDUCE, OBJECT, FAILURE = range(
    1, 9
)
REDUCTIONS = {"sum": 1, "max": 2, "min": 3}

# The array of a call that has none.
NOTHING = np.empty(0, np.int8)

# How many seconds a rank that has seen a disagreement waits for the descriptions of the others.
DESCRIPTION_TIMEOUT = 5.0


class _ReportedLine(threading.local):
    text: str | None = None


# In a background thread: the line of the user's program that caused its work.
reported_line = _ReportedLine()


def user_line() -> str:
    """The line of the user's code that this thread runs; in a background thread, the line behind its work."""
    if reported_line.text is not None:
        return reported_line.text
    frame = user_frame()
    if frame is None:
        return "a place unknown"
    return f"{frame.f_code.co_filename}, line {frame.f_lineno}, in {frame.f_code.co_name}"


def described(name: str, array: Array | None) -> str:
    """A collective in words, with the line of the user's code that called for it."""
    what = "" if array is None else f" of {array.dtype.name} {list(array.shape)}"
    return f"{name}{what} at {user_line()}"


class Group:
    """Ranks that compute together. Each of them makes the same calls in the same order.

    In each call the ranks compare what they call. If they disagree, all ranks raise, and say what each meant.
    The arrays that a call takes are read and never written. Its results are new arrays, or ``out``: a
    contiguous array of the dtype and shape of the result. For `all_reduce`, ``out`` may be the argument.
    """

    rank = 0
    size = 1
    timeout = 60.0
    # Whether gradients are sent while others are computed: see `tapegrad.distribute.buckets`.
    overlaps = False

    def all_reduce(
        self, array: Array, reduction: str = "sum", tree: bool = False, out: Array | None = None
    ) -> Array:
        """The sum, maximum or minimum over all ranks of arrays of one shape.

        With ``tree`` neighbours are added first, then pairs of neighbours, and so on: for 1, 2, 4 ... ranks
        the additions are then part of one tree, and the bits do not depend on how many ranks share them.
        """
        raise NotImplementedError

    def all_gather(self, array: Array, out: Array | None = None) -> tuple[Array, list[int]]:
        """The arrays of all ranks, joined along their first axis, and how many rows each rank has."""
        raise NotImplementedError

    def reduce_scatter(
        self, array: Array, counts: Sequence[int], out: Array | None = None
    ) -> Array:
        """The sum over all ranks, of which rank ``k`` gets the next ``counts[k]`` rows."""
        raise NotImplementedError

    def broadcast(self, array: Array, root: int = 0, out: Array | None = None) -> Array:
        """The array of the rank ``root``. The others give arrays of its dtype and shape."""
        raise NotImplementedError

    def barrier(self) -> None:
        """Return when all ranks have come here."""
        raise NotImplementedError

    def subgroup(self, ranks: Sequence[int]) -> Group | None:
        """The group of those ranks, in their order; None for a rank that is not in it. All ranks call it."""
        raise NotImplementedError

    def all_objects(self, value: Any) -> list[Any]:
        """The objects that the ranks passed, in the order of the ranks: any that can be pickled."""
        raise NotImplementedError

    def twin(self) -> Group:
        """Another group of the same ranks, for a second thread of each."""
        raise NotImplementedError

    def fail(self, text: str) -> None:
        """Make the collective that the others expect fail on all ranks. ``text`` says why."""
        raise NotImplementedError

    def leave(self, reason: str) -> None:
        """Tell the ranks that wait for this one that it makes no more calls."""


class LocalGroup(Group):
    """One rank alone."""

    def all_reduce(
        self, array: Array, reduction: str = "sum", tree: bool = False, out: Array | None = None
    ) -> Array:
        """``array``."""
        check_reduction(array, reduction)
        return in_out(array, out)

    def all_gather(self, array: Array, out: Array | None = None) -> tuple[Array, list[int]]:
        """``array``."""
        check_rows(array)
        return in_out(array, out), [len(array)]

    def reduce_scatter(
        self, array: Array, counts: Sequence[int], out: Array | None = None
    ) -> Array:
        """``array``."""
        check_counts(array, counts, 1)
        return in_out(array, out)

    def broadcast(self, array: Array, root: int = 0, out: Array | None = None) -> Array:
        """``array``."""
        check_root(root, 1)
        return in_out(array, out)

    def barrier(self) -> None:
        """Nothing."""

    def subgroup(self, ranks: Sequence[int]) -> Group | None:
        """This group, if it has the rank."""
        check_ranks(ranks, 1)
        return self if list(ranks) == [0] else None

    def all_objects(self, value: Any) -> list[Any]:
        """The one object."""
        return [value]

    def twin(self) -> Group:
        """This group."""
        return self

    def fail(self, text: str) -> None:
        """Nothing: there are no others."""


def result_array(like: Array, out: Array | None, rows: int | None = None) -> Array:
    """``out`` after a check, or a new array: like ``like``, but with ``rows`` rows if that is not None."""
    shape = like.shape if rows is None else (rows, *like.shape[1:])
    if out is None:
        return empty(shape, like.dtype)
    if out.dtype != like.dtype or out.shape != shape or not out.flags.carray:
        raise ValueError(
            f"The result is of {like.dtype.name} {list(shape)}, in one piece; out= is of "
            f"{out.dtype.name} {list(out.shape)}."
        )
    return out


def in_out(result: Array, out: Array | None) -> Array:
    """``result``, copied to ``out`` if that is another array."""
    if out is None or out is result:
        return result
    np.copyto(result_array(result, out), result)
    return out


def check_reduction(array: Array, reduction: str) -> None:
    """Raise unless there is such a reduction for arrays of this dtype."""
    if reduction not in REDUCTIONS:
        raise ValueError(f"all_reduce() takes 'sum', 'max' or 'min'; {reduction!r} came.")
    if array.dtype.kind == "O" or (array.dtype.kind == "c" and reduction != "sum"):
        refuse(f"all_reduce({reduction}) takes numbers with an order; {array.dtype.name} came.")


def check_rows(array: Array) -> None:
    """Raise unless the array has a first axis, and elements that other processes can read."""
    if array.ndim == 0:
        refuse("all_gather() joins along the first axis, and a scalar has none: give it one first.")
    if array.dtype.kind == "O":
        refuse("all_gather() takes numbers; text came. tf.distribute.all_objects() takes anything.")


def check_counts(array: Array, counts: Sequence[int], size: int) -> None:
    """Raise unless ``counts`` divides the rows of the array among all ranks."""
    rows = array.shape[0] if array.ndim else 0
    if array.ndim == 0 or len(counts) != size or sum(counts) != rows or min(counts) < 0:
        refuse(
            f"reduce_scatter() divides the rows of a tensor among {size} ranks; the shape is "
            f"{list(array.shape)} and the parts are {list(counts)}."
        )
    check_reduction(array, "sum")


@functools.lru_cache
def shares(count: int, size: int) -> tuple[int, ...]:
    """``count`` divided among ``size`` ranks; the first ones get one more, if need be."""
    return tuple([count // size + (k < count % size) for k in range(size)])


def check_root(root: int, size: int) -> None:
    """Raise unless there is such a rank."""
    if not 0 <= root < size:
        refuse(f"broadcast() was given the root {root}; the group has the ranks 0 to {size - 1}.")


def check_ranks(ranks: Sequence[int], size: int) -> None:
    """Raise unless these are different ranks of the group."""
    if not ranks or len(set(ranks)) < len(ranks) or min(ranks) < 0 or max(ranks) >= size:
        raise ValueError(
            f"A process set has one or more different ranks from 0 to {size - 1}; {list(ranks)} came."
        )


def processor_count() -> int:
    """On how many processors this process may run."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def processors_of_rank(local_size: int) -> int:
    """How many processors each of the ranks on this machine has for itself."""
    cores = processor_count()
    # A launcher that binds each process to cores of its own has divided them already.
    bound = cores < (os.cpu_count() or 1)
    return cores if bound else max(cores // local_size, 1)


def is_half(dtype: np.dtype[Any]) -> bool:
    """Whether these are float16 or bfloat16."""
    return dtype.itemsize == 2 and dtype.kind not in "iub"


def added_as_tree(parts: Sequence[Array], reduction: str = "sum") -> Array:
    """The parts reduced in pairs of neighbours, then in pairs of results, and so on; halves as float32."""
    function = {"sum": np.add, "max": np.maximum, "min": np.minimum}[reduction]
    dtype = parts[0].dtype
    level = [part.astype(np.float32) if is_half(dtype) else part for part in parts]
    while len(level) > 1:
        pairs = [function(a, b) for a, b in zip(level[::2], level[1::2], strict=False)]
        level = pairs + level[len(pairs) * 2 :]
    return level[0].astype(dtype, copy=False)


def refuse_disagreement(texts: Sequence[str | None]) -> NoReturn:
    """Raise the error for ranks that called different collectives."""
    lines = [f"\n  rank {rank}: {text or 'it has not said'}" for rank, text in enumerate(texts)]
    raise InvalidArgumentError(
        None,
        None,
        "The ranks do not call for the same collective. All ranks must make the same calls in the same "
        "order, with tensors of one dtype and shape:" + "".join(lines),
    )


def refuse_waiting(code: int, text: str, others: str, timeout: float) -> NoReturn:
    """Raise the error for a rank that has waited in vain."""
    if code == LATE:
        raise DeadlineExceededError(
            None,
            None,
            f"This rank has waited {timeout:g} seconds in {text}. Not there: {others}. Either a rank takes a "
            "way through the program that has no such call, or it needs more time: "
            "tf.distribute.init(timeout=...) or TAPEGRAD_DISTRIBUTE_TIMEOUT sets how many seconds the others "
            "wait.",
        )
    raise AbortedError(None, None, f"This rank waits in {text}, but {others}.")
