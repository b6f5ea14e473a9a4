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
# What a finished environment was made from.
STAMP = "tapegrad-bench.txt"

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


def environment_of(name: str) -> Path:
    return cache_folder() / (PEERS[name].environment or name)


def is_installed(name: str) -> bool:
    """Whether the peer has its environment. Another pin or minor version of Python makes it anew."""
    requirements = PEERS[name].requirements
    stamp = environment_of(name) / STAMP
    if requirements is None:
        return True
    if not stamp.exists():
        return False
    version, *pins = stamp.read_text().splitlines()
    return version.split(".")[:2] == sys.version.split(".")[:2] and pins == list(requirements)


def python_for(name: str) -> Path:
    """The interpreter to run a peer with; its environment is made first where it is not there yet."""
    peer = PEERS[name]
    if peer.requirements is None:
        return Path(sys.executable)
    folder = environment_of(name)
    python = folder / "bin" / "python"
    if not is_installed(name):
        print(f"installing {' '.join(peer.requirements)} into {folder}", flush=True)
        subprocess.run([sys.executable, "-m", "venv", "--clear", folder], check=True)
        install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*install, *peer.requirements], check=True)
        (folder / STAMP).write_text("\n".join([sys.version.split()[0], *peer.requirements]))
    return python
