"""Results of several runs in one file: rows of a later run take the place of those of the same name.

    python -m benchmarks.parts bench.json other.json ...     adds the others to bench.json
    python -m benchmarks.parts bench.json                    prints the tables of all its ops

`python -m benchmarks ... --into bench.json` adds a run when it ends.
"""

import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks import bench_ops
from benchmarks.harness import rows_from_json

# What must not differ between parts: their ratios would say nothing together.
COMMON = ("processor", "system", "python")


def merged(old: Any, new: Any) -> Any:
    """``new`` put into ``old``: dictionaries by keys, lists of rows by the rows' names, all else as new."""
    if isinstance(old, dict) and isinstance(new, dict):
        return old | {key: merged(old.get(key), value) for key, value in new.items()}
    if is_rows(old) and is_rows(new):
        rows = {row["name"]: row for row in old} | {row["name"]: row for row in new}
        return list(rows.values())
    return new


def is_rows(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(row, dict) and "name" in row for row in value)


def added(results: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """The results of one file with those of another, of the same machine and the same versions."""
    for key in COMMON:
        if results["machine"][key] != more["machine"][key]:
            raise SystemExit(
                f"these runs do not belong together: {key} was {results['machine'][key]!r} in one and"
                f" {more['machine'][key]!r} in the other"
            )
    for peer, version in more["versions"].items():
        if results["versions"].get(peer, version) != version:
            raise SystemExit(
                f"these runs do not belong together: {peer} was {results['versions'][peer]} in one and"
                f" {version} in the other"
            )
    both: dict[str, Any] = merged(results, more)
    both["whens"] = [*results.get("whens", [results["when"]]), more["when"]]
    return both


def done(results: Mapping[str, Any]) -> frozenset[tuple[str, str]]:
    """The parts and rows of ops that a file has."""
    return frozenset(
        (part, row["name"])
        for part, rows in results.get("ops", {}).items()
        if is_rows(rows)
        for row in rows
    )


def main() -> None:
    path, *others = map(Path, sys.argv[1:])
    results = json.loads(path.read_text())
    for other in others:
        results = added(results, json.loads(other.read_text()))
    if others:
        path.write_text(json.dumps(results, indent=1))
    for part, found in results.get("ops", {}).items():
        if is_rows(found):
            rows = rows_from_json(found)
            print(f"\n{part}, {len(rows)} rows")
            print(bench_ops.means_table(rows))
            print(bench_ops.slow_table(rows))
            print(bench_ops.knees_table(rows))


if __name__ == "__main__":
    main()
