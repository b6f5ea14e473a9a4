"""Results that are promised to the bit have the bits that were recorded on another processor."""

from __future__ import annotations

import json
import platform
from pathlib import Path

import pytest

import bits
from tapegrad.engines.numpy.levels import levels

BEST = levels()[1]
RECORDED = json.loads((Path(__file__).parents[1] / "golden" / "bits.json").read_text())


@pytest.mark.parametrize("level", ["plain", "middle", "wide"])
def test_results_have_the_recorded_bits(level: str) -> None:
    """The plainest level of x86-64 alone has no instruction that multiplies and adds."""
    is_rounded_once = platform.machine() in ("aarch64", "arm64") or (level != "plain" and BEST > 0)
    apart = [] if is_rounded_once else RECORDED["rounded twice"]
    computed, recorded = bits.digests_at(level), RECORDED["digests"]
    assert computed.keys() == recorded.keys()
    assert [
        name for name in computed if computed[name] != recorded[name] and name not in apart
    ] == []


def test_a_digest_tells_bits_apart() -> None:
    zero, one = bits.digest([0.0, 1.0]), bits.digest([-0.0, 1.0])
    assert zero != one
    assert bits.digest([float("nan")]) == bits.digest([-float("nan")]) != bits.digest([0.0])
