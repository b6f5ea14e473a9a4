"""Every collective for every dtype and many shapes, against NumPy; and its gradient, which is its adjoint."""

import itertools

import numpy as np

import tapegrad as tf

distribute = tf.distribute
distribute.init(timeout=30)
RANK, SIZE = distribute.rank(), distribute.size()
SHAPES = [(), (0,), (1,), (3, 2), (257,), (50_000,)]
DTYPES = [
    tf.float32,
    tf.float64,
    tf.float16,
    tf.bfloat16,
    tf.int32,
    tf.int64,
    tf.uint8,
    tf.complex64,
]
REFERENCES = {"sum": np.sum, "max": np.max, "min": np.min}


def values(rank, shape, dtype, seed=0):
    """Small whole numbers, whose sums are exact in every dtype; the same on each rank that asks."""
    rng = np.random.default_rng([rank, seed, *shape])
    return rng.integers(0, 5, shape).astype(dtype.as_numpy_dtype)


def check(found, expected, what):
    np.testing.assert_array_equal(
        found.numpy().astype(np.complex128), np.asarray(expected).astype(np.complex128), str(what)
    )


def all_values(shape, dtype):
    return np.stack([values(k, shape, dtype) for k in range(SIZE)])


for shape, dtype in itertools.product(SHAPES, DTYPES):
    x = tf.constant(values(RANK, shape, dtype))
    whole = all_values(shape, dtype).astype(np.complex128)
    assert distribute.all_reduce(x).dtype is dtype
    check(distribute.all_reduce(x), whole.sum(0), (shape, dtype, "sum"))
    check(distribute.all_reduce(x, tree=True), whole.sum(0), (shape, dtype, "tree"))
    if not dtype.is_complex:
        for name in ("max", "min"):
            check(
                distribute.all_reduce(x, name),
                REFERENCES[name](whole.real, 0),
                (shape, dtype, name),
            )
    for root in range(SIZE):
        check(distribute.broadcast(x, root), whole[root], (shape, dtype, "broadcast"))
    if shape:
        check(distribute.all_gather(x), np.concatenate(list(whole)), (shape, dtype, "gather"))
        rows = shape[0] // SIZE + (shape[0] % SIZE > RANK)
        begin = sum(shape[0] // SIZE + (shape[0] % SIZE > k) for k in range(RANK))
        part = whole.sum(0)[begin : begin + rows]
        check(distribute.reduce_scatter(x), part, (shape, dtype, "scatter"))

# Different numbers of rows; arrays that do not lie in one piece; what is not numbers.
rows = distribute.all_gather(tf.fill([RANK, 2], RANK))
assert rows.numpy().tolist() == [[k, k] for k in range(SIZE) for _ in range(k)]
square = tf.constant(np.arange(12.0).reshape(3, 4)[::2, ::-1])
check(distribute.all_reduce(tf.transpose(square)), square.numpy().T * SIZE, "strides")
assert distribute.all_objects({"rank": RANK}) == [{"rank": k} for k in range(SIZE)]
assert distribute.broadcast_object([RANK], SIZE - 1) == [SIZE - 1]
check(distribute.all_reduce(tf.constant(RANK), "mean"), sum(range(SIZE)) // SIZE, "mean of ints")
slices = distribute.all_reduce(tf.IndexedSlices(tf.ones([1, 2]), tf.constant([RANK]), [SIZE, 2]))
check(tf.convert_to_tensor(slices), np.ones([SIZE, 2]), "slices")
assert distribute.all_reduce([tf.constant(1.0), {"a": tf.constant(2)}])[1]["a"] == 2 * SIZE

# <A x, y> = <x, A' y>, summed over all ranks, for each linear collective A and its gradient A'.
LINEAR = {
    "sum": distribute.all_reduce,
    "mean": lambda x: distribute.all_reduce(x, "mean"),
    "tree": lambda x: distribute.all_reduce(x, tree=True),
    "gather": distribute.all_gather,
    "scatter": distribute.reduce_scatter,
    "broadcast": lambda x: distribute.broadcast(x, SIZE - 1),
    "composed": lambda x: distribute.all_gather(distribute.all_reduce(x * x)),
}
for name, function in LINEAR.items():
    x = tf.constant(values(RANK, (5, 2), tf.float64))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        out = function(x)
        y = tf.constant(values(RANK, tuple(out.shape), tf.float64, seed=1))
        inner = tf.reduce_sum(out * y)
    gradient = tape.gradient(inner, x)
    there = distribute.all_reduce(inner)
    here = distribute.all_reduce(tf.reduce_sum(gradient * x))
    factor = 2.0 if name == "composed" else 1.0
    np.testing.assert_allclose(factor * there.numpy(), here.numpy(), err_msg=name)
    with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
        out = function(x)
    tangent = accumulator.jvp(out)
    forward = distribute.all_reduce(tf.reduce_sum(tangent * y))
    backward = distribute.all_reduce(tf.reduce_sum(gradient))
    np.testing.assert_allclose(forward.numpy(), backward.numpy(), err_msg=name)

# The greatest of all ranks: its gradient is divided among those that have it.
x = tf.constant([float(RANK), 7.0])
with tf.GradientTape() as tape:
    tape.watch(x)
    out = distribute.all_reduce(x, "max")
gradient = tape.gradient(out, x).numpy()
np.testing.assert_allclose(gradient, [SIZE * (RANK == SIZE - 1), 1.0])

# Second order: the sum of squares, squared.
x = tf.constant(float(RANK + 1))
with tf.GradientTape() as outer:
    outer.watch(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        out = distribute.all_reduce(x * x) ** 2
    first = tape.gradient(out, x)
total = sum((k + 1) ** 2 for k in range(SIZE))
np.testing.assert_allclose(first.numpy(), 4 * SIZE * total * (RANK + 1))

# Process sets.
if SIZE > 2:
    ends = distribute.ProcessSet([SIZE - 1, 0])
    assert ends.included() == (RANK in (0, SIZE - 1))
    if ends.included():
        gathered = distribute.all_gather(tf.constant([RANK]), process_set=ends)
        assert gathered.numpy().tolist() == [SIZE - 1, 0]
        assert (ends.rank(), ends.size()) == ((1, 2) if RANK == 0 else (0, 2))

# In a recorded function they run in their order, at every call.
calls = []


@tf.function
def recorded(x):
    calls.append(None)
    a = distribute.all_reduce(x)
    b = distribute.all_reduce(a * x, "max")
    return distribute.broadcast(b - a, SIZE - 1)


for factor in (1.0, 2.0, 3.0):
    x = tf.constant([1.0, RANK + 1.0]) * factor
    check(recorded(x), recorded.python_function(x), "recorded")
assert len(calls) == 4, calls

distribute.barrier()
print("fine")
