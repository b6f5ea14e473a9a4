"""The pool of large arrays' memory: what it keeps, and what it gives back.

The blocks are never written to, so that they cost addresses and no memory.
"""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from sanitized import IS_SANITIZED
from tapegrad.engines.numpy.buffers import empty, statistics

SMALL = 1 << 18


def beyond_the_peak() -> int:
    """A size larger than all that the tests before took together."""
    return max(1 << 24, 2 * statistics()["peak"])


def test_a_block_that_comes_and_goes_drives_no_other_out() -> None:
    """Scratch memory between two results: neither of them is fetched anew in the next step."""
    large = beyond_the_peak()
    for _ in range(3):
        first = empty(large, np.uint8)
        scratch = empty(SMALL, np.uint8)
        del scratch
        second = empty(large, np.uint8)
        del first, second
        assert statistics()["idle"] >= 2 * large + SMALL


OF_THREE_BLOCKS = """
import numpy as np
from tapegrad.engines.numpy.buffers import empty, statistics
large = max(1 << 24, 2 * statistics()["peak"])
blocks = [empty(large // share, np.uint8) for share in (1, 4, 8)]
del blocks
before = statistics()["idle"]
block = empty(large // 7, np.uint8)
assert before - large // 6 <= statistics()["idle"] < before, (large, before, statistics())
"""


def test_the_smallest_block_that_makes_room_is_given_back() -> None:
    """In a process of its own: what the pool has learned from arrays before decides how much it keeps."""
    subprocess.run([sys.executable, "-c", OF_THREE_BLOCKS], check=True)


def test_a_larger_block_is_lent_where_a_fresh_one_would_push_it_out() -> None:
    """Blocks of several sizes that take turns are not fetched anew in every step."""
    large = beyond_the_peak()
    block = empty(large, np.uint8)
    del block
    held = statistics()["idle"] + statistics()["in_use"]
    for part in (large, large * 3 // 4, large, large * 3 // 4):
        block = empty(part, np.uint8)
        assert statistics()["idle"] + statistics()["in_use"] == held
        del block


WITHOUT_FAULTS = """
import resource
import numpy as np
from tapegrad.engines.numpy.buffers import empty, statistics

def filled(size):
    block = empty(size, np.uint8)
    block[...] = 1
    return block

def faults():
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt

BEFORE = {before}
held = statistics()["idle"] + statistics()["in_use"]
before = faults()
blocks = [filled(size) for size in {sizes}]
after = faults()
assert after - before < {most}, after - before
assert statistics()["idle"] + statistics()["in_use"] <= held + {more}, (held, statistics())
"""
KB, MB = 1 << 10, 1 << 20


@pytest.mark.skipif(sys.platform != "linux", reason="blocks are cut and grow on Linux")
@pytest.mark.skipif(IS_SANITIZED, reason="the sanitizer notes in pages of its own what may be read")
@pytest.mark.parametrize(
    ("before", "sizes", "most", "more"),
    [
        # A quarter, and then the rest, of a block that is idle.
        ([2 * MB], [MB // 2, MB + MB // 2], 20, 0),
        ([2 * MB], [3 * 320 * KB, 320 * KB, 512 * KB], 40, 0),
        # A larger block has the pages of the idle one, and needs as many as it is larger.
        ([2 * MB], [3 * MB], 300, MB + MB // 8),
        ([MB, 2 * MB], [3 * MB], 300, MB + MB // 8),
    ],
)
def test_blocks_of_other_sizes_have_the_pages_of_idle_ones(
    before: list[int], sizes: list[int], most: int, more: int
) -> None:
    """In a process of its own, in which nothing else is idle. A page is 4 KB."""
    program = WITHOUT_FAULTS.format(
        before=f"[filled(size) for size in {before}]; BEFORE.clear()",
        sizes=sizes,
        most=most,
        more=more,
    )
    subprocess.run([sys.executable, "-c", program], check=True)


def test_no_two_blocks_share_memory() -> None:
    """Drawn blocks come and go; each is filled, and holds what it was filled with until it goes."""
    drawn = np.random.default_rng(0)
    blocks: list[Any] = []
    for number in range(3000):
        size = int(np.exp(drawn.uniform(np.log(SMALL // 8), np.log(24 * SMALL))))
        block = empty(size, np.uint8)
        value = number % 251
        block[:64] = block[-64:] = block[size // 2] = value
        blocks.append((block, value))
        while len(blocks) > drawn.integers(1, 12):
            block, value = blocks.pop(drawn.integers(len(blocks)))
            assert (block[:64] == value).all()
            assert (block[-64:] == value).all()
            assert block[block.size // 2] == value


@pytest.mark.skipif(sys.platform != "linux", reason="counts the page faults of Linux")
def test_the_steps_of_a_training_find_the_blocks_of_the_last_step() -> None:
    """Blocks of several sizes take turns. A block that is fetched costs a page fault for every 4 KB."""
    import resource

    x = tf.ones([128, 784])
    shapes = [(784, 512), (512, 512), (512, 10)]
    weights = [tf.Variable(tf.random.stateless_normal(shape, [1, 2]) * 0.02) for shape in shapes]

    def step() -> None:
        with tf.GradientTape() as tape:
            y = x
            for weight in weights:
                y = tf.nn.relu(y @ weight)
            loss = tf.reduce_mean(y**2)
        for weight, gradient in zip(weights, tape.gradient(loss, weights), strict=True):
            weight.assign_sub(0.01 * gradient)

    tf.config.experimental.release_idle_memory()
    for _ in range(60):
        step()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        step()
    assert resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before < 20 * 200


def test_little_more_is_held_than_was_on_loan_at_once() -> None:
    large = max(beyond_the_peak(), 1 << 28)
    learned = 1 << 22  # at most: see `buffers.slack`
    for share in range(16, 33):
        block = empty(large * share // 32, np.uint8)
        found = statistics()
        assert found["in_use"] + found["idle"] <= found["peak"] * 33 // 32 + learned
        del block
        found = statistics()
        assert found["in_use"] + found["idle"] <= found["peak"] * 33 // 32 + large // 8 + learned


def test_the_memory_of_a_peak_fades() -> None:
    large = beyond_the_peak()
    block = empty(large, np.uint8)
    del block
    peak = statistics()["peak"]
    for _ in range(20_000):
        empty(SMALL, np.uint8)
    assert statistics()["peak"] < peak // 16
    assert statistics()["idle"] < peak // 8


# Arrays that are made between two looks at what lies idle.
WINDOW = 65_536


def after_a_large_step() -> int:
    """Bytes that are idle where a large step was, the last of its arrays gone."""
    large = beyond_the_peak()
    blocks = [empty(large, np.uint8) for _ in range(3)]
    del blocks
    assert statistics()["idle"] >= 3 * large
    return 3 * large


def test_all_of_it_is_returned_when_asked_for() -> None:
    large = after_a_large_step()
    before = statistics()["idle"]
    assert tf.config.experimental.release_idle_memory() == before >= large
    assert statistics()["idle"] == 0
    assert tf.config.experimental.release_idle_memory() == 0
    # And the pool begins again: it keeps the next block.
    block = empty(SMALL, np.uint8)
    del block
    assert SMALL <= statistics()["idle"] <= 2 * SMALL


def test_what_arrays_use_stays_when_the_rest_is_returned() -> None:
    kept = tf.range(100_000, dtype=tf.float32) + 0.0
    after_a_large_step()
    tf.config.experimental.release_idle_memory()
    assert statistics()["in_use"] >= 400_000
    assert float(tf.reduce_sum(kept)) == pytest.approx(100_000 * 99_999 / 2)


def test_a_large_step_is_forgotten_after_many_small_ops() -> None:
    tf.config.experimental.release_idle_memory()
    after_a_large_step()
    x = tf.constant([1.0, 2.0])
    for _ in range(3 * WINDOW):
        x = x * 1.0
    assert statistics()["idle"] < 1 << 20


def test_a_step_of_many_small_ops_finds_its_large_block_again() -> None:
    tf.config.experimental.release_idle_memory()
    large = beyond_the_peak()
    x = tf.constant([1.0, 2.0])
    for _ in range(4):
        block = empty(large, np.uint8)
        del block
        for _ in range(WINDOW):
            x = x * 1.0
        assert statistics()["idle"] >= large


@pytest.fixture
def no_limit() -> Iterator[None]:
    yield
    tf.config.experimental.set_idle_memory_limit(None)


def test_a_limit_holds_at_once_and_afterwards(no_limit: None) -> None:
    large = after_a_large_step()
    tf.config.experimental.set_idle_memory_limit(large // 2)
    assert tf.config.experimental.get_idle_memory_limit() == large // 2
    assert 0 < statistics()["idle"] <= large // 2
    blocks = [empty(large // 8, np.uint8) for _ in range(8)]
    del blocks
    assert 0 < statistics()["idle"] <= large // 2
    tf.config.experimental.set_idle_memory_limit(0)
    block = empty(large, np.uint8)
    del block
    assert statistics()["idle"] == 0
    tf.config.experimental.set_idle_memory_limit(None)
    assert tf.config.experimental.get_idle_memory_limit() is None
    after_a_large_step()


def test_no_limit_is_too_large(no_limit: None) -> None:
    tf.config.experimental.set_idle_memory_limit(10**30)
    assert tf.config.experimental.get_idle_memory_limit() is None


@pytest.mark.parametrize(
    ("limit", "error", "words"),
    [(-1, ValueError, "at least 0 bytes; -1 came"), ("1 GB", TypeError, "'1 GB' came, a str")],
)
def test_limits_that_are_none(limit: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        tf.config.experimental.set_idle_memory_limit(limit)


@pytest.mark.parametrize(
    ("text", "says"), [("1000000", "1000000"), ("", "None"), ("1 GB", "'1 GB' came")]
)
def test_a_limit_from_the_environment(text: str, says: str) -> None:
    program = "import tapegrad as tf; print(tf.config.experimental.get_idle_memory_limit())"
    ran = subprocess.run(
        [sys.executable, "-c", program],
        env=os.environ | {"TAPEGRAD_IDLE_MEMORY_LIMIT": text},
        capture_output=True,
        text=True,
    )  # fmt: skip
    assert says in ran.stdout + ran.stderr


def test_what_users_see() -> None:
    tf.config.experimental.release_idle_memory()
    tf.config.experimental.reset_memory_stats("CPU:0")
    before = tf.config.experimental.get_memory_info("CPU:0")
    assert before["peak"] == before["current"]
    x = tf.zeros([1000, 1000]) + 1.0
    size = 4_000_000
    during = tf.config.experimental.get_memory_info("/device:CPU:0")
    assert size <= during["current"] - before["current"] < size * 9 // 8
    assert tf.config.experimental.get_memory_usage("CPU:0") == during["current"]
    del x
    after = tf.config.experimental.get_memory_info("CPU:0")
    assert after["current"] == before["current"]
    assert after["peak"] >= during["current"]
    assert after["idle"] >= size


@pytest.mark.parametrize("device", ["GPU:0", "CPU:1", "CPU", "nonsense", None])
def test_memory_of_devices_that_are_not_there(device: Any) -> None:
    for function in ("get_memory_info", "get_memory_usage", "reset_memory_stats"):
        with pytest.raises(ValueError, match="device"):
            getattr(tf.config.experimental, function)(device)


def test_threads_share_the_pool() -> None:
    wrong = []

    def work(number: int) -> None:
        for _ in range(200):
            x = tf.fill([20_000], float(number)) * 1.0
            tf.config.experimental.release_idle_memory()
            wrong.extend([1] * (float(tf.reduce_max(x)) != number))

    workers = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_the_child_of_a_fork_returns_its_own() -> None:
    after_a_large_step()
    before = statistics()
    child = os.fork()
    if child == 0:
        tf.config.experimental.release_idle_memory()
        x = tf.ones([100_000]) * 2.0
        os._exit(0 if float(tf.reduce_sum(x)) == 200_000.0 else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert statistics() == before


def test_sizes_that_no_memory_holds() -> None:
    for shape in ((2**33, 2**31 + 1), (2**62, 5), (2**31, 2**31, 2**31)):
        with pytest.raises((ValueError, MemoryError)):
            empty(shape, np.float32)
    assert empty((2**30, 2**31, 0), np.uint8).size == 0
