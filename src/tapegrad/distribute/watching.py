"""Watches one rank, and says how it has ended if it cannot do so itself.

A launcher of MPI kills the other ranks at once when a rank dies, also if the rank's exit status is 0. This
process holds the rank's connection to the launcher open, says how the rank has ended, and gives the other
ranks the time to find out and to say where they are.

It runs with Python's library alone, in one of two ways. `tapegrad.distribute.starting` starts it in place of
a rank, with the command of the rank as arguments: then it is the parent of the rank, and the launcher does
not notice if a signal kills the rank. A rank that has no such parent starts it as its child, with its process
as argument (`processes.Watcher`).

The rank writes a line to it: its number, how many seconds the others have, and their processes. It writes a
dot when it has ended, or has said why it ends.
"""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import time
from contextlib import suppress
from types import FrameType

# The environment variable that tells a rank by which file descriptor its parent listens.
LISTENS = "TAPEGRAD_DISTRIBUTE_WATCHER"
FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1, signal.SIGUSR2)


def open_process(pid: int) -> int | None:
    """A file descriptor that can be read when the process has ended; None where the system has none."""
    try:
        return os.pidfd_open(pid)
    except (AttributeError, OSError):
        return None


def has_ended(pid: int) -> bool:
    """Whether a process is gone, or waits for its parent to ask for its exit status."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            return file.read().rpartition(b")")[2].split()[0] in b"ZX"
    except OSError:
        return True


def listen(pid: int, messages: int) -> bytes:
    """The output of the process until it ends, or writes a dot."""
    process = open_process(pid)
    poll = select.poll()
    poll.register(messages, select.POLLIN)
    if process is not None:
        poll.register(process, select.POLLIN)
    said = b""
    while not said.endswith(b"."):
        ready = [file for file, _ in poll.poll(None if process is not None else 200)]
        if messages in ready:
            part = os.read(messages, 4096)
            said += part
            if not part:
                poll.unregister(messages)
        elif process in ready or has_ended(pid):
            break
    return said


def exit_code(pid: int) -> int | None:
    """The exit code of a process that has ended and that its parent has not yet waited for; else None."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
        return os.waitstatus_to_exitcode(int(fields[49]))
    except (OSError, ValueError, IndexError):
        return None


def described(code: int | None) -> str:
    """How a process has ended, by its exit code, which is negative for signals."""
    if code is None:
        return "has ended by os._exit(), or by a signal,"
    if code >= 0:
        return f"has ended by os._exit({code}), or by a call of C's _exit,"
    try:
        name = signal.Signals(-code).name
    except ValueError:
        name = "of no name"
    return f"was killed by signal {-code} ({name})"


def explain(pid: int, code: int | None, said: bytes) -> None:
    """Say how the rank has ended, unless others have ended before it, and wait for these others.

    Then tell the launcher that the job has failed.
    """
    rank, patience, *others = said.split()
    processes = [int(other) for other in others]
    if any(map(has_ended, processes)):
        return  # the launcher kills all ranks, because of another one
    sys.stderr.write(
        f"[rank {rank.decode()}] The process {pid} {described(code)} before its program was over. "
        "The other ranks end too.\n"
    )
    sys.stderr.flush()
    deadline = time.monotonic() + float(patience)
    while time.monotonic() < deadline and not (processes and all(map(has_ended, processes))):
        time.sleep(0.1)
    connection = os.environ.get("PMI_FD", "")
    if connection.isdecimal():
        # In the protocol of MPICH's launcher, which then ends the job with this exit status.
        with suppress(OSError):
            os.write(int(connection), b"cmd=abort exitcode=1\n")


def watch_parent(pid: int) -> None:
    """Watch the process that has started this one, and writes to its standard input."""
    for number in FORWARDED:
        signal.signal(number, signal.SIG_IGN)
    os.write(sys.stdout.fileno(), b".")  # it is there
    said = listen(pid, sys.stdin.fileno())
    if b"\n" in said and not said.endswith(b"."):
        explain(pid, exit_code(pid), said)


def watch_child(command: list[str]) -> int:
    """Run the command, watch its process, and return its exit status; not 0 if it has not ended well."""
    messages, write_end = os.pipe()
    environment = {**os.environ, LISTENS: str(write_end)}
    os.set_inheritable(write_end, True)
    child = subprocess.Popen(command, env=environment, close_fds=False)
    os.close(write_end)

    def forward(number: int, frame: FrameType | None) -> None:
        child.send_signal(number)

    for number in FORWARDED:
        signal.signal(number, forward)
    said = listen(child.pid, messages)
    code = child.wait()
    if b"\n" in said and not said.endswith(b"."):
        explain(child.pid, code, said)
        code = code or 1
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    if sys.argv[1].isdecimal():
        watch_parent(int(sys.argv[1]))
    else:
        sys.exit(watch_child(sys.argv[1:]))
