"""Collectives of tapegrad beside those of bare mpi4py on the same buffers. Rank 0 prints JSON.

Calls take turns in short rounds, and the quickest round counts: what else runs on the machine falls on both.
What is said to be "of a tensor" allocates its result, as tensors must. The others write it where bare MPI
does.
"""

import json
import sys
import time

import numpy as np

import tapegrad as tf
from tapegrad.distribute import ranks

ROUNDS = {10: (300, 50), 10_000: (200, 20), 100_000: (80, 5), 1_000_000: (60, 2)}

LONGEST = 15.0  # seconds for a size: a busy machine has fewer rounds


def pairs_of(size, group, bare):
    """For each collective the bare call and ours."""
    array = np.ones(size, np.float32)
    total, joined = np.empty_like(array), np.empty(size * group.size, np.float32)
    part = np.empty(size // group.size, np.float32)
    even = array[: part.size * group.size]
    counts = (part.size,) * group.size
    tensor, rows = tf.constant(array), tf.constant(even)
    root = array.copy()
    bare_calls = {
        "all_reduce": lambda: bare.Allreduce(array, total),
        "all_gather": lambda: bare.Allgather(array, joined),
        "reduce_scatter": lambda: bare.Reduce_scatter_block(even, part),
        "broadcast": lambda: bare.Bcast(root),
        "barrier": bare.Barrier,
    }
    ours = {
        "all_reduce": lambda: group.all_reduce(array, out=total),
        "all_gather": lambda: group.all_gather(array, out=joined),
        "reduce_scatter": lambda: group.reduce_scatter(even, counts, out=part),
        "broadcast": lambda: group.broadcast(root, out=root),
        "barrier": group.barrier,
    }
    of_tensors = {
        "all_reduce": lambda: tf.distribute.all_reduce(tensor),
        "all_gather": lambda: tf.distribute.all_gather(tensor),
        "reduce_scatter": lambda: tf.distribute.reduce_scatter(rows),
        "broadcast": lambda: tf.distribute.broadcast(tensor),
    }
    pairs = {name: (bare_calls[name], ours[name]) for name in ours}
    return pairs | {
        f"{name} of a tensor": (bare_calls[name], call) for name, call in of_tensors.items()
    }


def main() -> None:
    quick = "--quick" in sys.argv
    tf.distribute.init(timeout=60)
    group = ranks.all_ranks()
    bare = group.communicator
    rows = []
    for size, (rounds, calls) in ROUNDS.items():
        pairs = pairs_of(size, group, bare)
        best = {name: [np.inf, np.inf] for name in pairs}
        begun = time.perf_counter()
        for _ in range(rounds // 4 if quick else rounds):
            if bare.bcast(time.perf_counter() - begun > LONGEST):
                break
            for name, both in pairs.items():
                for which, call in enumerate(both):
                    bare.Barrier()
                    started = time.perf_counter()
                    for _ in range(calls):
                        call()
                    bare.Barrier()  # until the last rank has its result
                    took = (time.perf_counter() - started) / calls
                    best[name][which] = min(best[name][which], took)
        rows += [[name, size, *seconds] for name, seconds in best.items()]
    if group.rank == 0:
        print(json.dumps(rows))


main()
