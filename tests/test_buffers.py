"""The pool of large arrays' memory: what it keeps, and what it gives back.

The blocks are never written to, so that they cost addresses and no memory.
"""

from __future__ import annotations

import numpy as np

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


def test_the_smallest_block_that_makes_room_is_given_back() -> None:
    large = beyond_the_peak()
    blocks = [empty(large // share, np.uint8) for share in (1, 4, 8)]
    del blocks
    before = statistics()["idle"]
    block = empty(large // 7, np.uint8)
    assert before - large // 6 <= statistics()["idle"] < before
    del block


def test_little_more_is_held_than_was_on_loan_at_once() -> None:
    large = beyond_the_peak()
    for share in range(16, 33):
        block = empty(large * share // 32, np.uint8)
        found = statistics()
        assert found["in_use"] + found["idle"] <= found["peak"] * 33 // 32
        del block
        found = statistics()
        assert found["in_use"] + found["idle"] <= found["peak"] * 33 // 32 + large // 8


def test_the_memory_of_a_peak_fades() -> None:
    large = beyond_the_peak()
    block = empty(large, np.uint8)
    del block
    peak = statistics()["peak"]
    for _ in range(20_000):
        empty(SMALL, np.uint8)
    assert statistics()["peak"] < peak // 16
    assert statistics()["idle"] < peak // 8
