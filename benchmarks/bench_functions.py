"""Decorated steps against the fastest compiled peer, and against our own eager ones; their first calls.

python -m benchmarks functions
python -m benchmarks functions --before ../other-clone/src     against another build of ours alone

Steps of Keras's `fit`, which decorates by itself, are in the benchmark `keras`.
"""

from typing import Any

from benchmarks.bench_memory import peak_memory
from benchmarks.environments import PEERS
from benchmarks.harness import Control, Row, duration, rows_as_json, size, table, time_workloads
from benchmarks.settings import Settings
from benchmarks.workloads import (
    FIRST_CALL,
    FIRST_CALL_MORE,
    MEMORY_WORKLOADS,
    OF_COMPILED_PEERS,
    OF_EAGER,
    PEAK_OF_TF_FUNCTION,
    WORKLOADS,
)

COMPILED = ("tf_function", "tf_xla", "jax_jit")
OURS = ("recorded", "tapegrad")


def run(settings: Settings, control: Control) -> dict[str, Any]:
    asked = [workload for workload in WORKLOADS if workload.name in OF_COMPILED_PEERS]
    others = ("before_recorded",) if "before_recorded" in settings.peers else COMPILED
    settings = Settings([*OURS, *others], settings.rounds, settings.seconds, settings.faster_blas)
    rows = time_workloads(asked, settings, control, first_calls=True)
    print(compared(rows, others))
    peaks = peak_memory(MEMORY_WORKLOADS, settings)
    print(f"\n{compared_peaks(peaks, others)}")
    return {
        "times": rows_as_json(rows),
        "recorded_peaks": rows_as_json(peaks),
        "first_calls": {row.workload.name: row.first for row in rows},
    }


def compared(rows: list[Row], others: tuple[str, ...]) -> str:
    """A line for each workload, with a mark where a goal is missed; `others` are the compiled peers."""
    lines, notes = [], []
    for row in rows:
        ours, eager = row.least("recorded"), row.least("tapegrad")
        times = {
            peer: least
            for peer in others
            if (least := row.least(peer)) is not None and peer not in row.failures
        }
        best = min(times, key=lambda peer: times[peer]) if times else None
        cells = [row.workload.title.strip(), *(_shown(row, peer) for peer in (*OURS, *others))]
        limit = OF_COMPILED_PEERS[row.workload.name]
        cells.append(_ratio(ours, times.get(best) if best else None, limit))
        cells += [f"{limit:.2f}", PEERS[best].title if best else "–", _ratio(ours, eager, OF_EAGER)]
        first, usual = row.first.get("recorded"), row.first.get("tapegrad")
        allowed = None if usual is None else FIRST_CALL * usual + FIRST_CALL_MORE
        late = first is not None and allowed is not None and first > allowed
        cells += [
            "–" if first is None else duration(first) + ("!" if late else ""),
            "–" if usual is None else duration(usual),
        ]
        lines.append(cells)
        notes += [
            f"{row.workload.title.strip()}, {PEERS[peer].title}: {reason}"
            for peer, reason in row.failures.items()
        ]
    header = [
        "decorated",
        *(PEERS[peer].title for peer in (*OURS, *others)),
        "of the best",
        "goal",
        "the best",
        "of eager",
        "first call",
        "eager call",
    ]
    return "\n".join([table(header, lines), "! beyond the goal", *notes])


def compared_peaks(rows: list[Row], others: tuple[str, ...]) -> str:
    """What two decorated gradients push memory up by, and ours as a part of the first other's."""
    peers = (*OURS, *others)
    lines = []
    for row in rows:
        cells = [row.workload.title]
        for peer in peers:
            least = row.least(peer)
            cells.append("–" if least is None else size(least))
        ours, theirs = row.least("recorded"), row.least(others[0])
        lines.append([*cells, _ratio(ours, theirs, PEAK_OF_TF_FUNCTION)])
    return table(
        ["decorated", *(PEERS[peer].title for peer in peers), f"of {PEERS[others[0]].title}"], lines
    )


def _shown(row: Row, peer: str) -> str:
    least = row.least(peer)
    return ("–" if least is None else duration(least)) + ("?" if peer in row.failures else "")


def _ratio(ours: float | None, theirs: float | None, limit: float) -> str:
    if ours is None or theirs is None:
        return "–"
    return f"{ours / theirs:.2f}{'!' if ours > limit * theirs else ''}"
