"""The gradients of a `DistributedGradientTape` are those of one process with the whole batch.

tapes.py [thread|walk] [bytes]

A background thread reduces them, or the thread that walks; if not said, as suits the number of processors.
Each rank shares at most so many bytes.
"""

import sys

import numpy as np

import tapegrad as tf

if len(sys.argv) > 1:
    from tapegrad.distribute import mpi

    mpi.processors_of_rank = lambda local_size: 2 if sys.argv[1] == "thread" else 1
    mpi.gradient_capacity = lambda ranks: int(sys.argv[2])

distribute = tf.distribute
distribute.init(timeout=30)
RANK, SIZE = distribute.rank(), distribute.size()
rng = np.random.default_rng(0)
X = rng.normal(size=(12, 6)).astype(np.float32)
Y = rng.normal(size=(12, 2)).astype(np.float32)
ROWS = 12 // SIZE
MINE = slice(RANK * ROWS, (RANK + 1) * ROWS)


def model():
    rng = np.random.default_rng(1)
    return [
        tf.Variable(rng.normal(size=shape).astype(np.float32))
        for shape in [(6, 5), (5,), (5, 2), (2,)]
    ]


def loss_of(variables, x, y):
    w1, b1, w2, b2 = variables
    return tf.reduce_mean((tf.tanh(x @ w1 + b1) @ w2 + b2 - y) ** 2)


def check(found, expected, tolerance=1e-5):
    for a, b in zip(tf.nest.flatten(found), tf.nest.flatten(expected), strict=True):
        a, b = tf.convert_to_tensor(a).numpy(), tf.convert_to_tensor(b).numpy()
        np.testing.assert_allclose(a, b, tolerance, tolerance)


variables = model()
with tf.GradientTape() as tape:
    loss = loss_of(variables, X, Y)
expected = tape.gradient(loss, variables)


def mine(**options):
    with tf.GradientTape() as tape:
        loss = loss_of(variables, X[MINE], Y[MINE])
    return distribute.DistributedGradientTape(tape, **options).gradient(loss, variables)


check(mine(), expected)
check(mine(bucket_bytes=1), expected)
check(mine(tree=True), expected)
check(mine(op="sum"), [SIZE * dx for dx in expected])
check(mine(compression=distribute.Compression.fp16), expected, 1e-2)
check(mine(compression=distribute.Compression.bf16), expected, 1e-1)

# The same bits each time, whatever the timing.
runs = [[dx.numpy().tobytes() for dx in mine(bucket_bytes=64)] for _ in range(20)]
assert all(run == runs[0] for run in runs)

# As a tape itself; persistent; with nests; with seeds.
with distribute.DistributedGradientTape(persistent=True) as tape:
    loss = loss_of(variables, X[MINE], Y[MINE])
check(
    tape.gradient(loss, {"w": variables[0], "b": [variables[1]]}),
    {"w": expected[0], "b": [expected[1]]},
)
check(tape.gradient(loss, variables[3], output_gradients=tf.constant(2.0)), 2 * expected[3])
assert [v is w for v, w in zip(tape.watched_variables(), variables, strict=True)] == [True] * 4
check(tape.jacobian(loss, variables), expected)
with tf.GradientTape() as tape:
    loss = loss_of(variables, X[MINE], Y[MINE])
wrapped = distribute.DistributedGradientTape(tape)
wrapped.gradient(loss, variables)
for spent in (wrapped, tape):
    try:
        spent.gradient(loss, variables)
        raise AssertionError("a spent tape gave gradients")
    except RuntimeError:
        pass


# In a recorded function, and where an outer tape looks on.
@tf.function
def recorded(x, y):
    with tf.GradientTape() as tape:
        loss = loss_of(variables, x, y)
    return distribute.DistributedGradientTape(tape, bucket_bytes=100).gradient(loss, variables)


for _ in range(3):
    check(recorded(X[MINE], Y[MINE]), expected)
with tf.GradientTape() as outer:
    check(mine(), expected)
    norm = tf.add_n([tf.reduce_sum(dx**2) for dx in mine()])
second = outer.gradient(norm, variables)
with tf.GradientTape() as outer:
    with tf.GradientTape() as tape:
        loss = loss_of(variables, X, Y)
    norm = tf.add_n([tf.reduce_sum(dx**2) for dx in tape.gradient(loss, variables)])
# Each rank has its own loss of the reduced gradients, which are the same: the sum over ranks, of a mean.
check(distribute.all_reduce(second, "mean"), outer.gradient(norm, variables), 1e-4)

# A gradient that not all ranks have counts as zeros; one that none has is None.
a, b, c = tf.Variable(2.0), tf.Variable([1.0, 1.0]), tf.Variable(1.0)
with distribute.DistributedGradientTape(op="sum") as tape:
    loss = a * a if RANK else tf.reduce_sum(b) + a * a
found = tape.gradient(loss, [a, b, c])
assert found[2] is None
check(found[:2], [4.0 * SIZE, np.ones(2)])

# Slices stay slices.
table = tf.Variable(np.ones((SIZE + 2, 3), np.float32))
for dense in (False, True):
    with tf.GradientTape() as tape:
        loss = tf.reduce_sum(tf.gather(table, [RANK, SIZE]) * a)
    tape = distribute.DistributedGradientTape(tape, op="sum", sparse_as_dense=dense)
    rows, scalar = tape.gradient(loss, [table, a])
    assert isinstance(rows, tf.IndexedSlices) is not dense
    ones = np.concatenate([np.ones(SIZE), [SIZE, 0]])[:, None] * 2.0 * np.ones(3)
    check([rows, scalar], [ones, 6.0 * SIZE])

# Several calls before the ranks speak to each other.
for mean in (False, True):
    for step in range(4):
        with tf.GradientTape() as tape:
            loss = loss_of(variables, X[MINE], Y[MINE])
        found = distribute.DistributedGradientTape(
            tape, backward_passes_per_step=2, average_aggregated_gradients=mean
        ).gradient(loss, variables)
        if step % 2:
            check(found, [dx * (1 if mean else 2) for dx in expected])
        else:
            assert found == [None] * 4

for variable in variables:
    variable.assign_add(tf.fill(variable.shape, float(RANK)))
distribute.broadcast_variables(variables, SIZE - 1)
check(variables[1], model()[1].numpy() + SIZE - 1)

if SIZE > 1:
    first = distribute.ProcessSet([0])
    if first.included():
        with distribute.DistributedGradientTape(process_set=first) as tape:
            loss = a * a
        check(tape.gradient(loss, a), 4.0)
distribute.barrier()
print("fine")
