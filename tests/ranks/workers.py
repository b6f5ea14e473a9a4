"""`MultiWorkerMirroredStrategy`: variables, reductions, and data sets that the processes share."""

import json
import os
import sys
import tempfile

import numpy as np

import tapegrad as tf

distribute = tf.distribute
distribute.init(timeout=30)
RANK, SIZE = distribute.rank(), distribute.size()
# The numbers in TF_CONFIG count, not those of the launcher.
if "--backwards" in sys.argv:
    task = {"type": "worker", "index": SIZE - 1 - RANK}
    workers = [f"host:{k}" for k in range(SIZE)]
    os.environ["TF_CONFIG"] = json.dumps({"cluster": {"worker": workers}, "task": task})
strategy = distribute.MultiWorkerMirroredStrategy()
extended = strategy.extended
NUMBER = SIZE - 1 - RANK if "--backwards" in sys.argv else RANK
assert strategy.num_replicas_in_sync == SIZE
assert extended.should_checkpoint == (NUMBER == 0)


def all_of(value):
    return distribute.all_objects(value)


# Variables

aggregation = tf.VariableAggregation
on_read = tf.VariableSynchronization.ON_READ
with strategy.scope():
    v = tf.Variable(tf.random.normal([3]))
    plain = tf.Variable(1.0)
    mean = tf.Variable(1.0, aggregation=aggregation.MEAN)
    first = tf.Variable(1.0, aggregation=aggregation.ONLY_FIRST_REPLICA)
    total = tf.Variable(0.0, synchronization=on_read, aggregation=aggregation.SUM)
    table = tf.Variable(np.ones((4, 2), np.float32))
assert len({value.tobytes() for value in all_of(v.numpy())}) == 1
assert repr(mean).startswith("MirroredVariable:{\n  0: <tf.Variable")
assert repr(total).startswith("SyncOnReadVariable:{\n  0: <tf.Variable")


def step():
    context = distribute.get_replica_context()
    number = tf.cast(context.replica_id_in_sync_group, tf.float32)
    mean.assign_add(number)
    first.assign(number + 5)
    total.assign_add(number)
    plain.assign(number)
    sums = context.all_reduce("sum", {"a": number, "b": [tf.ones([2]), number * 2]})
    return sums, context.all_gather(tf.reshape(number, [1, 1]), axis=1), number


numbers = np.arange(SIZE, dtype=np.float32)
sums, gathered, number = strategy.run(step)
assert (number.numpy(), sums["a"].numpy(), sums["b"][1].numpy()) == (
    NUMBER,
    numbers.sum(),
    2 * numbers.sum(),
)
assert gathered.numpy().tolist() == [numbers.tolist()]
assert (mean.numpy(), first.numpy(), plain.numpy()) == (1 + numbers.mean(), 5, NUMBER)
assert total.numpy() == numbers.sum()
total.assign(float(SIZE))
assert strategy.run(lambda: total + 0.0).numpy() == 1
assert strategy.reduce("mean", number, None).numpy() == numbers.mean()
examples = tf.fill([NUMBER + 1], float(NUMBER))
every = np.repeat(numbers, np.arange(SIZE) + 1)
np.testing.assert_allclose(strategy.reduce("mean", examples, 0).numpy(), every.mean())
assert strategy.gather(examples, 0).numpy().tolist() == every.tolist()
assert strategy.experimental_local_results(number)[0] is number


@tf.function
def recorded(x):
    def replica(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(v * x) + tf.reduce_sum(tf.gather(table, [0]) * x[0])
        gradients = tape.gradient(loss, [v])
        return distribute.get_replica_context().all_reduce("mean", gradients)[0]

    return strategy.run(replica, args=(x,))


for factor in (1.0, 2.0, 3.0):
    found = recorded(tf.fill([3], factor * (NUMBER + 1)))
    np.testing.assert_allclose(found.numpy(), factor * (numbers + 1).mean() * np.ones(3))

# Data sets

Dataset = tf.data.Dataset


def parts(dataset):
    """What each process gets of each element."""
    mine = [part.numpy().tolist() for part in dataset]
    found = all_of(mine)
    assert len({len(part) for part in found}) == 1, found
    return found


def union(found):
    return sorted(example for part in found for batch in part for example in batch)


data = strategy.experimental_distribute_dataset(Dataset.range(10).shuffle(10).batch(4))
assert data.element_spec == tf.TensorSpec([None], tf.int64)
one, two = parts(data), parts(data)
assert union(one) == union(two) == list(range(10))
assert SIZE == 1 or one != two


def drawn(x):
    return x + tf.random.uniform([], 0, 1000, tf.int64) * 10


data = strategy.experimental_distribute_dataset(Dataset.range(10).map(drawn).batch(4))
assert sorted(example % 10 for example in union(parts(data))) == list(range(10))

folder = distribute.broadcast_object(tempfile.mkdtemp())
names = [os.path.join(folder, f"{k}.txt") for k in range(5)]
if RANK == 0:
    for k, name in enumerate(names):
        with open(name, "w") as file:
            file.writelines(f"{k}-{line}\n" for line in range(k + 1))
distribute.barrier()
lines = sorted(f"{k}-{line}".encode() for k in range(5) for line in range(k + 1))
Lines = tf.data.TextLineDataset
for made in (
    Lines(names).batch(4),
    Dataset.from_tensor_slices(names).interleave(Lines).map(tf.identity).batch(4).prefetch(1),
    Dataset.from_tensor_slices(names).flat_map(Lines).shuffle(100).batch(4),
):
    found = parts(strategy.experimental_distribute_dataset(made))
    assert union(found) == lines, found
    owners = [{example[:1] for batch in part for example in batch} for part in found]
    assert sum(len(owner) for owner in owners) == 5, "a file goes to one process"

options = tf.data.Options()
policies = tf.data.experimental.AutoShardPolicy
options.experimental_distribute.auto_shard_policy = policies.OFF
data = strategy.experimental_distribute_dataset(Dataset.range(8).batch(4).with_options(options))
assert all(union([part]) == list(range(8)) for part in parts(data))
options = tf.data.Options()
options.experimental_distribute.auto_shard_policy = policies.DATA
data = strategy.experimental_distribute_dataset(Lines(names).batch(4).with_options(options))
assert union(parts(data)) == lines


def made_by(context):
    size = context.get_per_replica_batch_size(4 * SIZE)
    data = Dataset.range(10).shard(context.num_input_pipelines, context.input_pipeline_id)
    return data.batch(size)


assert union(parts(strategy.distribute_datasets_from_function(made_by))) == list(range(10))
distribute.barrier()
print("fine")
