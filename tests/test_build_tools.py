"""What builds say while they run."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

TOOL = Path(__file__).resolve().parent.parent / "tools" / "with_progress.py"


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, TOOL, sys.executable, "-c", program], capture_output=True, text=True
    )


COUNTING = "for i in range(1, 73): print(f'[{i}/72] Compiling C object src/tapegrad/x{i}.pyx.c.o')"


def test_a_build_says_how_far_it_is() -> None:
    finished = run(f"print('chatter')\n{COUNTING}")
    lines = finished.stdout.splitlines()
    assert finished.returncode == 0
    assert lines[0] == "  1/72  Compiling C object x1.pyx.c.o"
    assert lines[-2] == "  72/72  Compiling C object x72.pyx.c.o"
    assert lines[-1].startswith("  done in ")
    assert 10 <= len(lines) <= 14
    assert "chatter" not in finished.stdout


def test_a_build_that_fails_shows_all_it_said() -> None:
    finished = run(f"import sys\nprint('what went wrong')\n{COUNTING}\nsys.exit(3)")
    assert finished.returncode == 3
    assert "what went wrong" in finished.stdout
    assert "[71/72]" in finished.stdout
