"""Runs a build and shows its progress: the lines in which ninja counts, and the rest only if the build fails.

    python tools/with_progress.py pip install --verbose ...

On a terminal the count stays on one line. Elsewhere, as in the log of a continuous integration, one line is
printed for every tenth of the work.
"""

import re
import subprocess
import sys
import time

COUNT = re.compile(r"\s*\[(\d+)/(\d+)\] (.*)")


def shortened(step: str) -> str:
    """The subject of a step: the name of its file, without the folders."""
    words = step.split()
    return f"{' '.join(words[:-1])} {words[-1].rpartition('/')[2]}".strip()[:70]


def run(command: list[str]) -> int:
    begun = time.monotonic()
    terminal = sys.stdout.isatty()
    output = []
    tenth = 0
    process = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace"
    )
    assert process.stdout is not None
    for line in process.stdout:
        output.append(line)
        counted = COUNT.match(line)
        if counted is None:
            continue
        done, total = int(counted[1]), int(counted[2])
        if terminal:
            print(f"\r\033[K  {done}/{total}  {shortened(counted[3])}", end="", flush=True)
        elif done * 10 // total != tenth or done == 1:
            tenth = done * 10 // total
            print(f"  {done}/{total}  {shortened(counted[3])}", flush=True)
    code = process.wait()
    if terminal:
        print("\r\033[K", end="")
    if code:
        sys.stdout.write("".join(output))
    else:
        print(f"  done in {time.monotonic() - begun:.0f} s", flush=True)
    return code


if __name__ == "__main__":
    raise SystemExit(run(sys.argv[1:]))
