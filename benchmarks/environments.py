"""The peers, and an environment for each: pinned versions, in a cache folder outside the project.

Each has its own because their requirements disagree. None is in ours, because tapegrad needs none of them
for use or for tests.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Peer:
    title: str
    # None: the environment this program runs in, where tapegrad is installed.
    requirements: tuple[str, ...] | None = None
    # "compiled" wraps each step in the peer's compiler, ours in `tf.function`; "xla" in TensorFlow's other.
    mode: str = "eager"
    module: str = ""  # which *_workloads.py, where it is not the peer's own name
    environment: str = ""
    source: str = ""  # put before everything else on its PYTHONPATH


PYTORCH = ("torch==2.13.0", "numpy==2.4.6")
TENSORFLOW = ("tensorflow-cpu==2.21.0", "numpy==2.4.6")
JAX = ("jax[cpu]==0.10.2", "numpy==2.4.6")
AUTOGRAD = ("autograd==1.9.1", "numpy==2.4.6")

PEERS = {
    "tapegrad": Peer("tapegrad"),
    "recorded": Peer("recorded", None, "compiled", "tapegrad"),
    "numpy": Peer("NumPy by hand"),
    "pytorch": Peer("PyTorch", PYTORCH),
    "tensorflow": Peer("TensorFlow", TENSORFLOW),
    "tf_function": Peer("TF function", TENSORFLOW, "compiled", "tensorflow", "tensorflow"),
    "tf_xla": Peer("TF XLA", TENSORFLOW, "xla", "tensorflow", "tensorflow"),
    "jax": Peer("JAX", JAX),
    "jax_jit": Peer("JAX jit", JAX, "compiled", "jax", "jax"),
    "autograd": Peer("autograd", AUTOGRAD),
}


def add_before(source: Path) -> None:
    """Makes two peers of another build of tapegrad: the folder that PYTHONPATH should name for it."""
    if not (source / "tapegrad").is_dir():
        raise SystemExit(f"{source} holds no package tapegrad; name a clone's src, built in place")
    for name, mode in (("before", "eager"), ("before_recorded", "compiled")):
        PEERS[name] = Peer(
            name.replace("_", ", "), None, mode, "tapegrad", source=str(source.resolve())
        )


def cache_folder() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tapegrad-bench"


def python_for(name: str) -> Path:
    """The interpreter to run a peer with; its environment is made first where it is not there yet."""
    peer = PEERS[name]
    if peer.requirements is None:
        return Path(sys.executable)
    folder = cache_folder() / (peer.environment or name)
    python = folder / "bin" / "python"
    # What the finished environment was made from: a changed pin, or another Python, makes it anew.
    stamp = folder / "tapegrad-bench.txt"
    wanted = "\n".join([sys.version.split()[0], *peer.requirements])
    if not (stamp.exists() and stamp.read_text() == wanted):
        print(f"installing {' '.join(peer.requirements)} into {folder}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, *peer.requirements], check=True)
        stamp.write_text(wanted)
    return python
