"""Collectives of tapegrad beside those of bare mpi4py on the same buffers. Rank 0 prints JSON.

Calls take turns in short rounds, and the quickest round counts: what else runs on the machine falls on both.
"""

import json
import sys
import time

import numpy as np

import tapegrad as tf
from tapegrad.distribute import world

ROUNDS = {10: (300, 50), 10_000: (200, 20), 1_000_000: (40, 2)}


def pairs_of(size, group, bare):
    """For each collective the bare call and ours."""
    array = np.ones(size, np.float32)
    total, joined = np.empty_like(array), np.empty(size * group.size, np.float32)
    part = np.empty(size // group.size, np.float32)
    even = array[: part.size * group.size]
    counts = (part.size,) * group.size
    tensor = tf.constant(array)
    root = array.copy()

    def bare_reduce():
        bare.Allreduce(array, total)

    return {
        "all_reduce": (bare_reduce, lambda: group.all_reduce(array)),
        "all_gather": (lambda: bare.Allgather(array, joined), lambda: group.all_gather(array)),
        "reduce_scatter": (
            lambda: bare.Reduce_scatter_block(even, part),
            lambda: group.reduce_scatter(even, counts),
        ),
        "broadcast": (lambda: bare.Bcast(root), lambda: group.broadcast(array)),
        "barrier": (bare.Barrier, group.barrier),
        "all_reduce of a tensor": (bare_reduce, lambda: tf.distribute.all_reduce(tensor)),
    }


def main() -> None:
    tf.distribute.init(timeout=60)
    group = world.world()
    bare = group.communicator
    quick = "--quick" in sys.argv
    rows = []
    for size, (rounds, calls) in ROUNDS.items():
        pairs = pairs_of(size, group, bare)
        best = {name: [np.inf, np.inf] for name in pairs}
        for _ in range(rounds // 4 if quick else rounds):
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
