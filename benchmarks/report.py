"""The table of goals, for the terminal; and docs/performance.md and README.md brought up to date by it.

python -m benchmarks.report        (make report)
"""

import json
import re
import statistics
from pathlib import Path
from typing import Any

from benchmarks.environments import PEERS
from benchmarks.harness import duration, size, table
from benchmarks.workloads import MEMORY_WORKLOADS, WORKLOADS, Goal

ROOT = Path(__file__).resolve().parent.parent
SHOWN_IN_README = (
    "multiply_20 multiply_20_forward small_mlp wide_mlp cnn attention lstm pinn elementwise_1e6 deep_mlp"
).split()
# The columns of the README: peers of the eager runs, and of those of decorated functions.
EAGER = {"tapegrad": "tapegrad", "pytorch": "PyTorch", "tensorflow": "TensorFlow"}
DECORATED = {
    "recorded": "tapegrad, `tf.function`",
    "tf_function": "TensorFlow, `tf.function`",
    "jax_jit": "JAX, `jit`",
}


def rows_of(results: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The rows of eager code by their names, memory too."""
    return {
        row["name"]: row
        for name, section in results.items()
        if isinstance(section, dict) and name != "functions"
        for part in ("times", "peaks")
        for row in section.get(part, [])
    }


def decorated_rows_of(results: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The rows of decorated functions by their names, memory too."""
    section = results.get("functions", {})
    return {
        row["name"]: row for part in ("times", "recorded_peaks") for row in section.get(part, [])
    }


def shown(row: dict[str, Any], peer: str) -> str:
    amount = row["minimum"].get(peer)
    show = size if row["name"].startswith("deep_mlp") else duration
    return "–" if amount is None else show(amount)


def ratio(row: dict[str, Any], kind: str) -> float | None:
    ours, theirs = row[kind].get("tapegrad"), row[kind].get("pytorch")
    return None if ours is None or theirs is None else ours / theirs


def best_of_others(row: dict[str, Any]) -> str:
    """The fastest of all modes of all peers, by its minimum; one with another answer does not count."""
    others = {
        peer: least
        for peer, least in row["minimum"].items()
        if least is not None
        and peer in PEERS
        and peer not in {"tapegrad", "before"}
        and peer not in row["failures"]
    }
    if not others:
        return "–"
    best = min(others, key=lambda peer: others[peer])
    return f"{PEERS[best].title} {shown(row, best)}"


def goal_lines(results: dict[str, Any]) -> list[list[str]]:
    rows = rows_of(results)
    lines = []
    for workload in WORKLOADS + MEMORY_WORKLOADS:
        row = rows.get(workload.name)
        if row is None:
            continue
        least, median = ratio(row, "minimum"), ratio(row, "median")
        if least is None or median is None:
            continue
        limits = [
            Goal(**goal).limit(results["faster_blas"])
            for goal in row["goals"]
            if goal["peer"] == "pytorch"
        ]
        if not limits and not workload.function:
            continue
        goal = f"{limits[0]:.2f}" if limits else "–"
        verdict = "–" if not limits else "held" if least <= limits[0] else "MISSED"
        if "tapegrad" in row["failures"] or "pytorch" in row["failures"]:
            verdict = "other answer"
        lines.append(
            [
                row["title"],
                shown(row, "tapegrad"),
                shown(row, "pytorch"),
                f"{least:.3f}",
                f"{median:.3f}",
                goal,
                verdict,
                shown(row, "tensorflow"),
                best_of_others(row),
            ]
        )
    return lines


HEADER = [
    "forward and gradient",
    "tapegrad",
    "PyTorch",
    "ratio",
    "by medians",
    "goal",
    "",
    "TensorFlow",
    "best of all others",
]


def goal_table(results: dict[str, Any]) -> str:
    """The workloads that have a goal, our time over PyTorch's, and whether it was reached."""
    lines = goal_lines(results)
    return table(HEADER, lines) if lines else ""


def markdown(header: list[str], lines: list[list[str]]) -> str:
    rows = [header, ["---", *["--:"] * (len(header) - 1)], *lines]
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def replace_between(text: str, mark: str, new: str) -> str:
    """``text`` with what stands between the marks of that name replaced."""
    begin, end = f"<!-- {mark} -->", f"<!-- end of {mark} -->"
    replaced, count = re.subn(
        f"{begin}.*?{end}", lambda _: f"{begin}\n\n{new}\n\n{end}", text, flags=re.DOTALL
    )
    if count != 1:
        raise SystemExit(f"expected one pair of marks {begin} ... {end}, found {count}")
    return replaced


def description(results: dict[str, Any]) -> str:
    machine = results["machine"]
    control = results["control"]
    least, middle = min(control["samples"]), statistics.median(control["samples"])
    versions = ", ".join(
        f"{PEERS[peer].title} {version}" for peer, version in results["versions"].items()
    )
    return (
        f"Run on {results['when']}: {machine['processor']}, {machine['threads']} threads,"
        f" {machine['system']}, Python {machine['python']}. {versions}. tapegrad multiplied with"
        f" {', '.join(results['blas']) or 'an unknown library'}. The control took"
        f" {duration(least)} at best, {duration(middle)} as its median, and had"
        f" {statistics.median(control['processors']):.2f} of {machine['threads']} processors."
    )


def main() -> None:
    path = ROOT / "bench.json"
    if not path.exists():
        raise SystemExit("there is no bench.json; `make bench` writes it")
    results = json.loads(path.read_text())
    lines = goal_lines(results)
    table_of_goals = markdown(HEADER, lines)

    page = ROOT / "docs" / "performance.md"
    whole = f"{description(results)}\n\n{table_of_goals}"
    page.write_text(replace_between(page.read_text(), "figures", whole))

    rows, decorated = rows_of(results), decorated_rows_of(results)
    some = [
        [
            rows[name]["title"],
            *(shown(rows[name], peer) for peer in EAGER),
            *(shown(decorated[name], peer) for peer in DECORATED),
        ]
        for name in SHOWN_IN_README
        if name in rows and name in decorated
    ]
    page = ROOT / "README.md"
    some_table = markdown(["", *EAGER.values(), *DECORATED.values()], some)
    page.write_text(replace_between(page.read_text(), "figures", some_table))
    missed = [line[0] for line in lines if line[6] == "MISSED"]
    print(f"{len(lines)} rows; beyond their goals: {', '.join(missed) or 'none'}")


if __name__ == "__main__":
    main()
