"""Narrower vectors for everyone, and what each peer says that it used.

A level is what a processor without wider vectors would run. The environment of the workers holds our kernels,
NumPy's loops, the BLAS, oneDNN, XLA and PyTorch's own kernels to it.
"""

import re
from typing import Any

from benchmarks.harness import WorkerProcess

LEVELS = {
    "avx2": {
        "TAPEGRAD_LEVEL": "middle",
        "NPY_DISABLE_CPU_FEATURES": "X86_V4",
        "OPENBLAS_CORETYPE": "Haswell",
        "ONEDNN_MAX_CPU_ISA": "AVX2",
        "XLA_FLAGS": "--xla_cpu_max_isa=AVX2",
        "ATEN_CPU_CAPABILITY": "avx2",
        "MKL_ENABLE_INSTRUCTIONS": "AVX2",
    },
}


def about(peers: list[str]) -> dict[str, dict[str, Any]]:
    """Each peer's version, the libraries with which it multiplies matrices, and the vectors that it used."""
    answers = {}
    for peer in peers:
        with WorkerProcess(peer, {"ONEDNN_VERBOSE": "1"}) as worker:
            beginning = worker.log.seek(0, 2)
            answer = worker.ask("version")
        with open(worker.log.name, errors="replace") as log:
            log.seek(beginning)
            onednn = re.search(r"^(?:onednn|dnnl)_verbose,.*\bisa:(.*)$", log.read(), re.MULTILINE)
        if onednn is not None:
            answer.setdefault("vectors", {})["oneDNN"] = onednn[1]
        answers[peer] = answer
    return answers


def vectors_in_words(answer: dict[str, Any]) -> str:
    """What a peer used, from its answer to `about`."""
    vectors = answer.get("vectors", {})
    return ", ".join(f"{part} {name}" for part, name in vectors.items()) or "does not say"
