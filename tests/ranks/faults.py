"""What goes wrong in several processes, by the name of the fault: see tests/test_ranks.py."""

import os
import signal
import sys
import time

import numpy as np

import tapegrad as tf
from tapegrad.distribute import world

FAULT = sys.argv[1]
distribute = tf.distribute
distribute.init()
RANK, SIZE = distribute.rank(), distribute.size()
ODD = RANK == 1


def shape():
    distribute.all_reduce(tf.ones([3 + ODD]))


def dtype():
    distribute.all_reduce(tf.ones([3], tf.int32 if ODD else tf.float32))


def operation():
    distribute.broadcast(tf.ones([3])) if ODD else distribute.all_reduce(tf.ones([3]))


def reduction():
    distribute.all_reduce(tf.ones([3]), "max" if ODD else "sum")


def root():
    distribute.broadcast(tf.ones([3]), RANK % 2)


def columns():
    distribute.all_gather(tf.ones([2, 2 + ODD]))


def objects():
    distribute.all_objects(1) if ODD else distribute.barrier()


def gradients():
    v = tf.Variable(tf.ones([3 + ODD]))
    with distribute.DistributedGradientTape() as tape:
        loss = tf.reduce_sum(v)
    tape.gradient(loss, v)


def tree():
    distribute.all_reduce(tf.ones([3]), tree=bool(ODD))


def order():
    first = distribute.all_gather if ODD else distribute.reduce_scatter
    second = distribute.reduce_scatter if ODD else distribute.all_gather
    second(first(tf.ones([4])))


def layout():
    v = [tf.Variable(tf.ones([3])), tf.Variable(tf.ones([2]))]
    with distribute.DistributedGradientTape(bucket_bytes=1 if ODD else 100) as tape:
        loss = tf.reduce_sum(v[0]) + tf.reduce_sum(v[1])
    tape.gradient(loss, v)


def sparse():
    """One rank has slices, and the other has not met the table."""
    table, w = tf.Variable(tf.ones([5, 2])), tf.Variable(1.0)
    with distribute.DistributedGradientTape() as tape:
        loss = w * (2.0 if ODD else tf.reduce_sum(tf.gather(table, [1, 2])))
    tape.gradient(loss, [table, w])


def training(fault):
    """A step in whose walk back rank 1 does ``fault``; then one without."""
    weights = [tf.Variable(tf.ones([300, 300])) for _ in range(4)]

    def step(fault):
        @tf.custom_gradient
        def strange(x):
            def gradient(dy):
                fault()
                return dy

            return tf.identity(x), gradient

        with distribute.DistributedGradientTape(op="sum") as tape:
            x = tf.ones([2, 300]) / 300.0
            for number, weight in enumerate(weights):
                x = (strange(x) if number == 2 else x) @ weight / 300.0
        return tape.gradient(x, weights)

    try:
        step(fault if ODD else lambda: None)
    except (ValueError, tf.errors.InvalidArgumentError) as error:
        sys.stdout.write(f"caught {type(error).__name__}: {error}\n".replace("\n ", ";") + "\n")
    gradients = step(lambda: None)
    sys.stdout.write(f"goes on with {float(tf.reduce_sum(gradients[3])):.3f}\n")


def fails_in_walk():
    def fault():
        raise ValueError("no gradient here")

    training(fault)


def dies_in_walk():
    training(lambda: os.kill(os.getpid(), signal.SIGKILL))


def late_in_walk():
    training(lambda: time.sleep(100))


def large():
    """More bytes than 31 bits count."""
    size = 2**31 + 5
    ours = np.full(size, RANK + 1, np.uint8)
    group = world.world()
    total = group.all_reduce(ours, out=ours)
    assert total[0] == total[-1] == SIZE * (SIZE + 1) // 2
    given = group.broadcast(total, 1, out=total)
    assert given[-1] == total[0]
    sys.stdout.write("fine\n")


def caught():
    try:
        shape()
    except tf.errors.InvalidArgumentError:
        total = distribute.all_reduce(tf.constant(1)).numpy()
        sys.stdout.write(f"caught {total}\n")


def late():
    if ODD:
        time.sleep(100)
    distribute.barrier()


def raises():
    if ODD:
        raise KeyError("a fault of the program")
    distribute.barrier()


def dies():
    if ODD:
        os.kill(os.getpid(), signal.SIGKILL)
    distribute.barrier()


def ends():
    if not ODD:
        distribute.barrier()


def waits():
    if ODD:
        time.sleep(100)
    print("waiting", flush=True)
    distribute.barrier()


globals()[FAULT]()
