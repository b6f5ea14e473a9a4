"""What goes wrong in several processes, by the name of the fault: see tests/test_ranks.py."""

import os
import signal
import sys
import time

import tapegrad as tf

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
