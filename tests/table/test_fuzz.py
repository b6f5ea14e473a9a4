"""The short fuzz run: some twenty thousand malformed calls, the same ones every time.

`make fuzz` goes on for as long as one likes. Here also: the rules by which a call is judged, and that
the watching process notices what it is there for.
"""

from __future__ import annotations

import random
import sys
import threading
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fuzz
import tapegrad as tf
from nests import at, places_in
from tapegrad.core import Op, load_ops, registry
from without_rows import TEXT

SEED = 1
CALLS = 24_000


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="alarms and limits are Linux's here")
@pytest.mark.parametrize("part", [0, 1])
def test_malformed_calls_work_or_raise_a_named_error(part: int) -> None:
    """Two halves, so that two processes share them. The calls are counted, the clock is a stop."""
    found = list(fuzz.watch(SEED, seconds=120, first=part, step=2, last=CALLS))
    assert not found, "\n".join(
        f"python tests/fuzz.py --seed {SEED} --only {number}\n  {call}\n  {problem}"
        for number, call, problem in found[:10]
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="alarms and limits are Linux's here")
@pytest.mark.timeout(1500)
@pytest.mark.parametrize("part", [0, 1])
def test_every_fault_in_every_argument(part: int) -> None:
    """Some hundred thousand calls: each fault that an argument of a row or an op can have."""
    found = list(fuzz.watch(0, seconds=1400, first=part, step=2))
    assert not found, "\n".join(
        f"python tests/fuzz.py --seed 0 --only {number}\n  {call}\n  {problem}"
        for number, call, problem in found[:10]
    )


# What they read is a file's bytes: test_io.py spoils those.
FILES = """
    DecodeAndCropJpeg DecodeBmp DecodeCompressed DecodeImage DecodeJpeg DecodePaddedRaw DecodePng
    DecodeRaw DecodeWav DecodeWebP EncodeBase64 EncodeJpeg EncodePng ExtractJpegShape ParseTensor
    _DecodeCSV _LengthsInRecords _ParseExample _ParseSequenceExample
""".split()


def test_every_op_is_called() -> None:
    """Each is a target, with arguments of its own, and has faults of every class that it can have."""
    everything = fuzz.targets()
    names = {target.name for target in everything}
    load_ops()
    unreached = {name for name, op in registry.items() if isinstance(op, Op)} - names
    # Those with an effect draw, or hold a variable, a generator, a function or a stream: no row has these.
    unreached = {name for name in unreached if registry[name].effect is None}
    # Called by rows of other names, from Python and without a kernel of their own.
    assert unreached <= {
        "AccumulateNV2",
        "AllCandidateSampler",
        "Angle",
        "StatelessShuffle",
        "StringFormat",
        "_FakeQuantParts",
        "_CrossHashed",
        "_CrossJoined",
        # of batches, whose items have no values of their own
        "_IndicesOfAll",
        "_LeaveBatch",
        "_PutItems",
        "_SumItems",
        "_TakeItems",
        *TEXT,
        *FILES,
    }
    tried: dict[str, set[int]] = {}
    for target in everything:
        for path in places_in((target.args, target.kwargs)):
            value = at((target.args, target.kwargs), path)
            kinds = {kind for kind, fault in fuzz.FAULTS if fault(value) is not value}
            tried[target.name] = tried.get(target.name, set()) | kinds
    assert {kind for kinds in tried.values() for kind in kinds} == {
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        9,
        10,
        11,
        12,
    }
    # Whatever takes an array is tried empty, misshapen, oddly laid out and as text.
    arrays = {t.name for t in everything for v in t.args if fuzz._is_array(v) and v.ndim}
    assert not [name for name in arrays if not {3, 4, 5, 7, 10, 11} <= tried[name]]


def test_spoilt_calls_are_the_same_every_time() -> None:
    everything = [fuzz.Target("f", print, (np.ones((2, 3)), [1, 2], "SAME"), {"axis": 1})]
    told = [fuzz.choose(everything, 3, number)[0].text() for number in range(200)]
    again = [fuzz.choose(everything, 3, number)[0].text() for number in range(200)]
    address = [" at 0x" in line for line in told]
    assert [a for a, skip in zip(told, address) if not skip] == [
        a for a, skip in zip(again, address) if not skip
    ]
    assert len(set(told)) > 100


def test_judgement() -> None:
    assert not fuzz.judge(tf.errors.InvalidArgumentError(None, None, "no"))
    assert not fuzz.judge(TypeError("no"))
    assert fuzz.judge(SystemError("no"))
    assert fuzz.judge(RuntimeWarning("no"))
    assert fuzz.judge(AssertionError("no"))


# --- Races: threads that share everything -------------------------------------------------------------

_RIGHT = (tf.errors.OpError, TypeError, ValueError, RuntimeError, LookupError)


@pytest.fixture
def hurried() -> Any:
    """Threads take turns at every chance."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


def race(
    *functions: Callable[[random.Random], Any], seconds: float = 1.0, threads: int = 6
) -> None:
    """Threads that call the functions in random order; what they raise must be of a named class."""
    until, wrong = time.monotonic() + seconds, []

    def run(number: int) -> None:
        dice = random.Random(number)
        while time.monotonic() < until and not wrong:
            try:
                dice.choice(functions)(dice)
            except _RIGHT:
                pass
            except BaseException as error:
                wrong.append(error)

    workers = [threading.Thread(target=run, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join(60)
    assert not any(worker.is_alive() for worker in workers), "threads wait for each other"
    assert not wrong, wrong


def test_threads_share_variables(hurried: None) -> None:
    variables = [tf.Variable(tf.ones([size])) for size in (1, 64, 50_000)]

    def read(dice: random.Random) -> None:
        v = dice.choice(variables)
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v * v)
        assert tape.gradient(y, v).shape == v.shape

    def write(dice: random.Random) -> None:
        v = dice.choice(variables)
        kind = dice.randrange(5)
        if kind == 0:
            v.assign(tf.ones_like(v))
        elif kind == 1:
            v.assign_add(tf.ones_like(v))
        elif kind == 2:
            v.assign_sub(v.read_value())
        elif kind == 3:
            v.scatter_add(tf.IndexedSlices(tf.ones([1]), tf.constant([0])))
        else:
            v[:1].assign([0.0])

    race(read, write)


def test_threads_keep_snapshots(hurried: None) -> None:
    variables = [tf.Variable(tf.ones([size])) for size in (1, 64, 50_000)]

    def keep(dice: random.Random) -> None:
        v = dice.choice(variables)
        snapshot = v.read_value()
        before = snapshot.numpy()
        v.assign_add(tf.ones_like(v))
        assert (snapshot.numpy() == before).all()

    race(keep)


def test_threads_share_tapes(hurried: None) -> None:
    x = tf.constant([1.0, 2.0])
    tapes = [tf.GradientTape(persistent=True) for _ in range(3)]
    made: list[Any] = [x]

    def record(dice: random.Random) -> None:
        with dice.choice(tapes) as tape:
            tape.watch(x)
            made.append(dice.choice(made) * x)

    def ask(dice: random.Random) -> None:
        dice.choice(tapes).gradient(dice.choice(made), [x, dice.choice(made)])

    def leave(dice: random.Random) -> None:
        tape = dice.choice(tapes)
        kind = dice.randrange(3)
        if kind == 0:
            tape.reset()
        elif kind == 1:
            del made[1:]
        else:
            tapes[dice.randrange(3)] = tf.GradientTape(persistent=dice.random() < 0.5)

    race(record, ask, leave)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x * x
    assert tape.gradient(y, x).numpy().tolist() == [2.0, 4.0]


def test_threads_share_tensors_and_generators(hurried: None) -> None:
    generator = tf.random.Generator.from_seed(1)
    shared = {"x": tf.ones([100, 3])}

    def draw(dice: random.Random) -> None:
        found = generator.normal([dice.randrange(1, 50)]).numpy()
        assert np.isfinite(found).all()
        if dice.random() < 0.1:
            generator.reset_from_seed(3)
        tf.random.uniform([3])

    def work(dice: random.Random) -> None:
        x = shared["x"]
        kind = dice.randrange(4)
        if kind == 0:
            shared["x"] = tf.tanh(x)
        elif kind == 1:
            shared["x"] = tf.concat([x[50:], x[:50]], 0)
        elif kind == 2:
            assert tf.matmul(x, x, transpose_a=True).shape == [3, 3]
        else:
            assert np.from_dlpack(x).shape == (100, 3)

    race(draw, work)
