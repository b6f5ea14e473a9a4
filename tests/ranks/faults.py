"""What goes wrong in several processes, by the name of the fault: see test_ranks.py."""

import multiprocessing
import os
import signal
import sys
import threading
import time

import numpy as np

import tapegrad as tf
from tapegrad.distribute import ranks

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


def misfits_in_walk():
    """The gradient of rank 1 by a variable has another dtype."""

    @tf.custom_gradient
    def strange(x):
        return tf.identity(x), lambda dy: tf.cast(dy, tf.float64) if ODD else dy

    weights = [tf.Variable(tf.ones([3])) for _ in range(2)]
    with distribute.DistributedGradientTape(op="sum") as tape:
        y = strange(weights[0]) * weights[1]
    try:
        tape.gradient(y, weights)
    except tf.errors.InvalidArgumentError as error:
        sys.stdout.write(f"caught: {error}\n".replace("\n ", ";"))


def dies_in_walk():
    training(lambda: os.kill(os.getpid(), signal.SIGKILL))


def late_in_walk():
    training(lambda: time.sleep(100))


def large():
    """More bytes than 31 bits count."""
    size = 2**31 + 5
    ours = np.full(size, RANK + 1, np.uint8)
    group = ranks.all_ranks()
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


def exits():
    if ODD:
        os._exit(0)
    distribute.barrier()


def exits_after_all():
    """The others call no collective after it, and end their program."""
    distribute.barrier()
    if ODD:
        os._exit(0)
    time.sleep(0.5)


def raises_in_thread():
    def fail():
        raise KeyError("a fault of the thread")

    thread = threading.Thread(target=fail)
    if ODD:
        thread.start()
        thread.join()
    sys.stdout.write(f"goes on with {int(distribute.all_reduce(1))}\n")


def child():
    """What a process may do that a rank has started."""
    v = tf.Variable(1.0)
    with distribute.DistributedGradientTape() as tape:
        y = v * v
    calls = {
        "barrier": distribute.barrier,
        "all_reduce": lambda: distribute.all_reduce(1.0),
        "broadcast_variables": lambda: distribute.broadcast_variables([v]),
        "all_objects": lambda: distribute.all_objects(1),
        "ProcessSet": lambda: distribute.ProcessSet([0]),
        "gradient": lambda: tape.gradient(y, v),
    }
    refused = {}
    for name, call in calls.items():
        try:
            call()
        except tf.errors.FailedPreconditionError as error:
            refused[name] = str(error)
    assert list(refused) == list(calls), refused
    assert all(f"by rank {RANK}, and is no rank itself" in each for each in refused.values())
    assert (distribute.rank(), distribute.size()) == (RANK, SIZE)
    return float(tf.square(v + 2.0))


def forks():
    """Children that end in all ways, while the ranks compute together before and after."""
    v = tf.Variable(1.0)
    with distribute.DistributedGradientTape(op="sum", persistent=True) as tape:
        y = v * v
    assert float(tape.gradient(y, v)) == 2.0 * SIZE  # now there is a thread that carries gradients
    endings = {
        0: lambda: os._exit(0),
        5: lambda: sys.exit(5),
        1: lambda: {}["a fault of the child"],
        -9: lambda: os.kill(os.getpid(), signal.SIGKILL),
    }
    for code, ending in endings.items():
        pid = os.fork() if ODD else 0
        if ODD and pid == 0:
            child()
            ending()
        if ODD:
            assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == code
        assert float(tape.gradient(y, v)) == 2.0 * SIZE
    for method in ("fork", "spawn"):
        if ODD:
            with multiprocessing.get_context(method).Pool(2) as pool:
                assert pool.map(float, [1, 2]) == [1.0, 2.0]
                assert pool.apply(child) == 9.0
    sys.stdout.write(f"goes on with {int(distribute.all_reduce(1))}\n")


def ends():
    if not ODD:
        distribute.barrier()


def named_memory():
    """The memory that this process shares with others, and that has a name: it would outlive them."""
    with open("/proc/self/maps") as file:
        names = {line.split(maxsplit=5)[-1].strip() for line in file if "/dev/shm/" in line}
    assert names, "the ranks share no memory"
    return [name for name in names if not name.endswith(" (deleted)")]


def shares():
    """Memory for small arrays, for large ones, for gradients and for some of the ranks."""
    distribute.all_reduce(tf.ones([10**6]))
    v = tf.Variable(tf.ones([1000]))
    with distribute.DistributedGradientTape() as tape:
        y = tf.reduce_sum(v)
    tape.gradient(y, v)
    distribute.ProcessSet([0, 1])
    distribute.barrier()
    sys.stdout.write(f"named: {named_memory()}\n")


def waits():
    if ODD:
        time.sleep(100)
    print("waiting", flush=True)
    distribute.barrier()


if __name__ == "__main__":
    globals()[FAULT]()
