"""The call of a function that a thread is in, and what its random ops draw.

The function is one of `tf.function`, or of a data set. TensorFlow makes a graph of it, and numbers the random
ops of a graph: an op without a seed has the number of such ops before it as its op seed. Each op has a stream
of its own, which advances with each call of the function. A branch and the body of a loop are graphs of their
own. Here the function runs as Python, and a `Call` counts as TensorFlow's graph would: it looks where in the
source the statement stands that draws.
"""

from __future__ import annotations

import ast
import functools
import linecache
import sys
from _thread import _local, allocate_lock
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tapegrad.core.tracebacks import OURS

# The name of a stream: the calls, branches and loops that lead to the op; then type, dtypes, seeds, number.
# None: a draw without a seed.
Name = tuple[Any, ...] | None


_UNSET = object()


class _Epoch:
    """How often `tf.random.set_seed` was called: streams of functions then start again."""

    number = 0


def restart() -> None:
    """Let the streams of all functions start from their beginning."""
    _Epoch.number += 1


class Streams:
    """How far the random ops of a function have drawn.

    Args:
        seed: the global seed of the function, which TensorFlow's graphs keep; None if there was none.
        lasting: whether a later `tf.random.set_seed` changes nothing, as for a pass over a data set.
    """

    __slots__ = ("drawn", "epoch", "lock", "seed")

    def __init__(self, seed: Any, lasting: bool = False) -> None:
        self.seed = seed
        self.epoch: int | None = None if lasting else _Epoch.number
        self.drawn: dict[Name, int] = {}  # how many counters of a stream are used up
        self.lock = allocate_lock()

    def __reduce__(self) -> Any:
        return Streams, (self.seed, self.epoch is None)  # a copy begins anew

    def take(self, name: Name, counters: int) -> int:
        """The first of so many counters of a stream, which are used up now."""
        with self.lock:
            if self.epoch is not None and self.epoch != _Epoch.number:
                self.epoch = _Epoch.number
                self.drawn.clear()
            start = self.drawn.get(name, 0)
            self.drawn[name] = start + counters
        return start

    def mark(self) -> dict[Name, int]:
        """How far the ops have drawn, for `go_back`."""
        with self.lock:
            return dict(self.drawn)

    def go_back(self, mark: dict[Name, int]) -> None:
        """Draw again what was drawn since ``mark``."""
        with self.lock:
            self.drawn = mark


class _Numbers:
    """What was counted so far in one graph: of a function, a branch, or the body of a loop."""

    __slots__ = ("prefix", "sites", "times", "unseeded")

    def __init__(self, prefix: tuple[Any, ...]) -> None:
        self.prefix = prefix
        self.unseeded = 0
        self.times: dict[Any, int] = {}  # how many ops of one type and seed there were
        # In a branch or a loop, which may run again: where in the program an op is called -> its numbers.
        self.sites: dict[Any, int] = {}

    def seed(self, site: Any) -> int:
        """The op seed of an op that has none."""
        if site is not None and site in self.sites:
            return self.sites[site]
        number, self.unseeded = self.unseeded, self.unseeded + 1
        if site is not None:
            self.sites[site] = number
        return number

    def count(self, kind: Any, site: Any) -> int:
        """The number of the next thing of this kind."""
        if site is None:
            number = self.times[kind] = self.times.get(kind, -1) + 1
            return number
        return self.sites.setdefault((kind, site), -1 - len(self.sites))


class Call:
    """One call of a function: see the module.

    Args:
        streams: the streams of the function that was called from outside, or a function that gives them.
        parent: the call that this one is a part of, if there is one.
        name: the name of the part in the parent.
    """

    __slots__ = (
        "_numbers",
        "_parts",
        "_seed",
        "_streams",
        "heads",
        "name",
        "parent",
        "taken",
    )

    def __init__(
        self,
        streams: Streams | Callable[[], Streams],
        parent: Call | None = None,
        name: Any = None,
    ) -> None:
        self._streams = streams
        self.parent = parent
        self.name = name
        self._seed: Any = _UNSET
        self._numbers: _Numbers | None = None
        self._parts: dict[Any, _Numbers] | None = None
        # File -> lines on which Python read the truth of a tensor, or iterated over it.
        self.heads: dict[str, set[int]] | None = None
        self.taken: list[Name] = []  # streams of draws that `take_names` has not returned yet

    @property
    def streams(self) -> Streams:
        """The streams of the function that was called from outside."""
        if self.parent is not None:
            return self.parent.streams
        if not isinstance(self._streams, Streams):
            self._streams = self._streams()
        return self._streams

    @property
    def seed(self) -> Any:
        """The global seed of the function's graph, or None."""
        if self._seed is not _UNSET:
            return self._seed
        return self.streams.seed if self.parent is None else self.parent.seed

    @seed.setter
    def seed(self, seed: Any) -> None:
        self._seed = seed

    def run(self, function: Callable[..., Any], args: Any, kwargs: Any) -> Any:
        """Call the function, with this thread inside of this call."""
        before = _thread.call
        _thread.call = self
        try:
            return function(*args, **kwargs)
        finally:
            _thread.call = before

    def inside(self, name: Any) -> Call:
        """A call of another function, which this function makes."""
        return Call(self._streams, self, name)

    # Seeds and streams

    def get_seed(self, op_seed: Any) -> tuple[Any, Any]:
        """The seeds of an op: the global one, which may be None, and its own. Two Nones if there is none."""
        if op_seed is not None:
            return self.seed, op_seed
        if self.seed is None:
            return None, None
        numbers, site = self._place()
        return self.seed, numbers.seed(site)

    def take(self, op: tuple[Any, ...] | None, counters: int) -> int:
        """The first of so many counters of the stream of an op, which its type, dtypes and seeds describe."""
        if op is None:
            self.taken.append(None)
            return 0
        numbers, site = self._place()
        name = (*numbers.prefix, *op, numbers.count(op, site))
        self.taken.append(name)
        return self.streams.take(name, counters)

    def take_names(self) -> tuple[Name, ...]:
        """The streams of the draws since the last time."""
        names, self.taken = self.taken, []
        return tuple(names)

    def name_of(self, kind: str) -> tuple[Any, ...] | None:
        """A name for a thing of this kind that the function makes now: the same in each of its calls.

        None in a call whose streams are looked for when they are needed.
        """
        outermost = self
        while outermost.parent is not None:
            outermost = outermost.parent
        if not isinstance(outermost._streams, Streams):
            return None
        numbers, site = self._place()
        return (outermost._streams, *numbers.prefix, kind, numbers.count(kind, site))

    def numbers(self, depth: int = 0) -> _Numbers:
        """The counters of the function itself, which is ``depth`` calls above this one."""
        if self._numbers is None:
            prefix: tuple[Any, ...] = ()
            if self.parent is not None:
                numbers, site = self.parent._place(depth + 1)
                prefix = (*numbers.prefix, self.name, numbers.count(self.name, site))
            self._numbers = _Numbers(prefix)
        return self._numbers

    def _place(self, depth: int = 0) -> tuple[_Numbers, Any]:
        """The graph that the op which is called now would be in; and in a branch or a loop, its site."""
        numbers = self.numbers(depth)
        if _thread.loop is not None:
            return numbers, _thread.loop
        if self.heads is None:
            return numbers, None
        chain: list[tuple[int, int]] = []  # the statements around, from the innermost
        sites: list[tuple[int, int]] = []
        deep = 0
        frame: Any = sys._getframe(1)
        while frame is not None:  # it is None in a thread that the function has started
            code = frame.f_code
            if code is _RUN:
                if not depth:
                    break
                depth -= 1
            elif not depth and not code.co_filename.startswith(OURS):
                sites.append((code.co_firstlineno, frame.f_lasti))
                heads = self.heads.get(code.co_filename)
                if heads:
                    around = _around(code.co_filename, frame.f_lineno, code.co_firstlineno, heads)
                    if around:
                        chain.extend(around)
                        deep = len(sites)
            frame = frame.f_back
        if not chain:
            return numbers, None
        if self._parts is None:
            self._parts = {}
        key = (*chain, *sites[deep:])
        if key not in self._parts:
            self._parts[key] = _Numbers((*numbers.prefix, key))
        return self._parts[key], tuple(sites[:deep])

    def mark(self, frame: Any) -> None:
        """Note the line of ``frame``, where Python reads the truth of a tensor or iterates over it."""
        while frame is not None and frame.f_code.co_filename.startswith(OURS):
            frame = frame.f_back
        if frame is None:
            return
        if self.heads is None:
            self.heads = {}
        self.heads.setdefault(frame.f_code.co_filename, set()).add(frame.f_lineno)

    # For `random_state.snapshot`

    def state(self) -> Any:
        """All that was counted and drawn, for `reset`."""
        parts = {} if self._parts is None else dict(self._parts)
        counted = [
            (part, part.unseeded, dict(part.times), dict(part.sites))
            for part in (self.numbers(), *parts.values())
        ]
        return self, counted, dict(self.streams.drawn), self._seed

    def reset(self, state: Any) -> None:
        """Go back to a `state`."""
        _, counted, drawn, self._seed = state
        for numbers, unseeded, times, sites in counted:
            numbers.unseeded, numbers.times, numbers.sites = unseeded, dict(times), dict(sites)
        if self._parts is not None:
            known = [numbers for numbers, *_ in counted]
            self._parts = {key: part for key, part in self._parts.items() if part in known}
        with self.streams.lock:
            self.streams.drawn = dict(drawn)


_RUN = Call.run.__code__


class Again:
    """The draws of a recording: used by a thread in place of a `Call`. The names of the streams are known.

    Args:
        streams: the streams that are drawn from.
        prefix: the first part of the names of the recording.
    """

    __slots__ = ("_before", "_left", "_undo", "prefix", "streams")

    def __init__(self, streams: Streams, prefix: tuple[Any, ...] = ()) -> None:
        self.streams = streams
        self.prefix = prefix
        self._left: list[Name] = []
        self._undo: list[tuple[Name, int, int]] | None = None

    def begin(self, names: tuple[Name, ...], held: bool) -> None:
        """The op that runs now draws from these streams. `take_back` undoes what is ``held``."""
        self._left = list(names)
        if held and self._undo is None:
            self._undo = []
        self._before = _thread.call
        _thread.call = self

    def end(self) -> None:
        """The op has run."""
        _thread.call = self._before

    def get_seed(self, op_seed: Any) -> tuple[Any, Any]:
        """The seeds of the op that draws next."""
        name = self._left[0]
        return (None, None) if name is None else name[-3:-1]

    def take(self, op: tuple[Any, ...] | None, counters: int) -> int:
        """The first of so many counters of the stream that is drawn from next."""
        name = self._left.pop(0)
        if name is None:
            return 0
        name = (*self.prefix, *name)
        start = self.streams.take(name, counters)
        if self._undo is not None:
            self._undo.append((name, start, start + counters))
        return start

    def take_back(self) -> None:
        """Undo the draws that were held, except where another thread has drawn since."""
        with self.streams.lock:
            for name, start, end in reversed(self._undo or ()):
                if self.streams.drawn.get(name) == end:
                    self.streams.drawn[name] = start
        self._undo = None


# The call that each thread is in.
class _Thread(_local):
    call: Any = None
    loop: object = None  # of `as_one`: its draws are of one op


_thread = _Thread()


def names_of_draws(root: Call) -> tuple[Name, ...]:
    """The streams of the op that has just run, as `Again` wants them for a call of ``root``."""
    strip = len(root.numbers().prefix)
    return tuple([name and name[strip:] for name in current().take_names()])


def draw_again(streams: Streams, name: str) -> Again:
    """For a replay of the function ``name``: in the call that this thread is in, if there is one."""
    call = current()
    if type(call) is not Call:
        return Again(streams)
    return Again(call.streams, call.inside(name).numbers(-1).prefix)


def current() -> Any:
    """The `Call` that this thread is in, or None."""
    return _thread.call


@contextmanager
def outside() -> Iterator[None]:
    """A block that is in no call, as `tf.init_scope` and `tf.py_function` have it."""
    before = _thread.call
    _thread.call = None
    try:
        yield
    finally:
        _thread.call = before


@contextmanager
def as_one() -> Iterator[None]:
    """A block in which one op draws several times, for one item after the other. Its stream goes on."""
    before = _thread.loop
    _thread.loop = before or object()
    try:
        yield
    finally:
        _thread.loop = before


def mark() -> None:
    """Note that Python reads the truth of a tensor, or iterates: in an ``if``, ``while`` or ``for``."""
    call = _thread.call
    if type(call) is Call:
        call.mark(sys._getframe(2))


def part(name: Any, function: Callable[..., Any]) -> Callable[..., Any]:
    """``function``, a branch or the body of a loop: a graph of its own, however often it is called."""
    call = current()
    if type(call) is not Call:
        return function
    inner = call.inside(name)

    def run(*args: Any, **kwargs: Any) -> Any:
        numbers = inner._numbers
        if numbers is not None:  # again: the same ops in the same order
            numbers.unseeded = 0
            numbers.times.clear()
        return inner.run(function, args, kwargs)

    return run


# Statements


@functools.lru_cache(maxsize=256)
def _statements(filename: str) -> dict[int, tuple[tuple[int, int, int], ...]]:
    """For each line inside of an if, while or for, these statements from the innermost.

    A statement is given by the first and the last line of its head, and the first line of the block.
    """
    try:
        tree = ast.parse("".join(linecache.getlines(filename)))
    except SyntaxError:  # a cell of a notebook with commands of its own
        return {}
    statements: dict[int, list[tuple[int, int, int]]] = {}
    for node in ast.walk(tree):
        if not isinstance(node, (ast.If, ast.While, ast.For)):
            continue
        head = node.iter if isinstance(node, ast.For) else node.test
        last = head.end_lineno or node.lineno
        blocks = [node.body, node.orelse] if isinstance(node, ast.If) else [node.body]
        for block in blocks:
            if not block:
                continue
            begin, end = block[0].lineno, block[-1].end_lineno or block[-1].lineno
            if isinstance(node, ast.While):
                begin = node.lineno  # the test runs with each turn
            for line in range(begin, end + 1):
                statements.setdefault(line, []).append((node.lineno, last, begin))
    # Outer statements come first: they begin earlier.
    return {
        line: tuple(sorted(lines_of_statement, reverse=True))
        for line, lines_of_statement in statements.items()
    }


def _around(filename: str, line: int, first: int, heads: set[int]) -> list[tuple[int, int]]:
    """The statements around a line of a function that begins at ``first``, if tensors decide them."""
    return [
        (head, begin)
        for head, last, begin in _statements(filename).get(line, ())
        if head >= first and any(head <= line <= last for line in heads)
    ]
