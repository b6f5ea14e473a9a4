# ruff: noqa: E501
"""What `tf.distribute.MirroredStrategy` does with two logical CPUs: short programs, and their recorded outcomes.

Run it where TensorFlow is installed: ``python tests/golden/strategies.py`` writes strategies.json.gz.
"""

import itertools
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent))

import numpy as np

import programs


def names(tf):
    """What the programs speak of."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    one = tf.config.LogicalDeviceConfiguration()
    tf.config.set_logical_device_configuration(cpu, [one, one])
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])

    def context():
        return tf.distribute.get_replica_context()

    def number():
        return tf.cast(context().replica_id_in_sync_group, tf.float32)

    def parts(value):
        """What the replicas have, each as an array."""
        return [np.asarray(part) for part in strategy.experimental_local_results(value)]

    def variable(value, **arguments):
        with strategy.scope():
            return tf.Variable(value, **arguments)

    def gradient(function, x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    def batches(dataset):
        return [parts(batch) for batch in strategy.experimental_distribute_dataset(dataset)]

    def generator(seed):
        with strategy.scope():
            return tf.random.Generator.from_seed(seed)

    return {
        "tf": tf,
        "np": np,
        "s": strategy,
        "ctx": context,
        "n": number,
        "parts": parts,
        "variable": variable,
        "gradient": gradient,
        "batches": batches,
        "generator": generator,
        "kind": lambda value: type(value).__name__,
        # An odd or even number of examples in the replicas.
        "ragged": lambda: tf.reshape(
            tf.range(2.0 * (n := int(context().replica_id_in_sync_group) + 1)), [n, 2]
        ),
        "local": strategy.experimental_local_results,
    }


OPS = ("'sum'", "'mean'", "'MEAN'", "tf.distribute.ReduceOp.SUM", "'max'", "None")
AXES = ("None", "0", "-1", "1", "(0,)", "(0, 1)", "5")
VALUES = (
    "s.run(n)",
    "s.run(lambda: n() + tf.ones([2]))",
    "s.run(lambda: tf.ones([2, 3]) * n())",
    "s.run(ragged)",
    "s.run(lambda: tf.cast(n(), tf.int32) + [1, 2])",
    "s.run(lambda: tf.cast(n(), tf.float16) + tf.ones([2], tf.float16))",
    "s.run(lambda: tf.zeros([0]))",
    "s.run(lambda: tf.constant([True]))",
    "s.run(lambda: 2.0)",
    "s.run(lambda: {'a': n(), 'b': [n() * 2]})['b'][0]",
    "tf.constant([1.0, 2.0])",
    "2.0",
    "variable([1.0, 2.0])",
)
REDUCTIONS = [
    f"parts(s.reduce({op}, {value}, axis={axis}))"
    for op, value, axis in itertools.product(OPS[:2], VALUES, AXES)
] + [f"parts(s.reduce({op}, s.run(n), axis=None))" for op in OPS]
# After a collective that fails in its kernel TensorFlow's others fail too: such programs come last.
FAILING = [
    "parts(s.gather(s.run(ragged), axis=1))",
    "parts(s.run(lambda: ctx().all_gather(ragged(), 1)))",
]
# TensorFlow ends with a fault of memory where it gathers arrays without elements.
GATHERS = [
    f"parts(s.gather({value}, axis={axis}))"
    for value in VALUES
    for axis in (0, 1, -1)
    if "zeros([0])" not in value
]
IN_REPLICAS = [
    f"parts(s.run(lambda: ctx().{call}))"
    for call in (
        "all_reduce('sum', n())",
        "all_reduce('mean', [n(), n() * 2])[1]",
        "all_reduce('sum', tf.constant([1, 2]))",
        "all_reduce('mean', tf.cast(n(), tf.int32) + 3)",
        "all_reduce('mean', tf.cast(n(), tf.float64))",
        "all_reduce('max', n())",
        "all_reduce('sum', tf.constant(True))",
        "all_reduce('sum', 3.0)",
        "all_gather(tf.reshape(n(), [1]), 0)",
        "all_gather(ragged(), 0)",
        "all_gather(ragged(), 1)",
        "all_gather(tf.ones([2, 1]) * n(), 1)",
        "all_gather(tf.ones([2, 1]) * n(), -1)",
        "all_gather(n(), 0)",
        "all_gather(tf.constant(['a']), 0)",
        "all_gather({'a': tf.ones([1]) * n()}, 0)['a']",
        "replica_id_in_sync_group",
        "num_replicas_in_sync",
        "merge_call(lambda strategy, x: strategy.reduce('sum', x, axis=None), args=(n(),))",
        "merge_call(lambda strategy, x: x, args=(n(),))",
        "merge_call(lambda strategy: 3)",
        "merge_call(lambda strategy, x: strategy.extended.reduce_to('sum', x, 'CPU:0'), args=(n(),))",
        "merge_call(lambda strategy, x: strategy.extended.batch_reduce_to('mean', [(x, x)]), args=(n(),))[0]",
        "strategy.reduce('sum', n(), axis=None)",
        "strategy.gather(n(), axis=0)",
    )
]
GRADIENTS = [
    f"parts(s.run(lambda: gradient(lambda x: {function}, n() + tf.ones([2]))))"
    for function in (
        "ctx().all_reduce('sum', x * x)",
        "ctx().all_reduce('mean', x * x) * x",
        "ctx().all_reduce('sum', [x * x, x])[0]",
        "ctx().all_gather(x * x, 0) * [1.0, 2.0, 3.0, 4.0]",
        "ctx().all_gather(tf.reshape(x * x, [1, 2]), 1) * [1.0, 2.0, 3.0, 4.0]",
        "ctx().all_reduce('sum', ctx().all_reduce('sum', x) * x)",
    )
]
PRINTED = [
    f"repr({value})"
    for value in (
        "s.run(n)",
        "s.run(lambda: (n(), 3))",
        "s.run(lambda: None)",
        "s.run(lambda: 'a')",
        "s.run(lambda: [int(n())])",
        "s.run(lambda: tf.ones([2, 2]) * n())",
        "variable([1.0, 2.0], name='v')",
        "variable(1, name='v')",
        "s.experimental_distribute_values_from_function(lambda c: c.replica_id_in_sync_group)",
        "s.experimental_distribute_values_from_function(lambda c: tf.constant(c.num_replicas_in_sync))",
        "local(s.run(n))",
        "local(3)",
        "local([s.run(n), 1])",
        "local({'a': s.run(n)})",
        "local(None)",
        "s.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(4)).element_spec",
        "s.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(4, True)).element_spec",
        "tf.distribute.ReduceOp.MEAN",
        "tf.nest.flatten(s.run(lambda: ctx().devices))",
        "str(tf.distribute.InputContext(2, 1, 4))",
        "s.num_replicas_in_sync",
        "s.extended.worker_devices",
        "s.extended.parameter_devices",
        "s.extended.experimental_require_static_shapes",
        "s.cluster_resolver",
        "kind(s.run(n))",
        "kind(variable(1.0))",
        "kind(variable(1.0, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM))",
        "variable(1.0, name='w').values[1].name",
        "str(s.run(n))",
        "str(variable([1.0, 2.0], name='v'))",
        "f'{s.run(n)}'",
    )
]
ASSIGNMENTS = [
    f"w = variable([1.0, 2.0], aggregation=tf.VariableAggregation.{aggregation}, "
    f"synchronization=tf.VariableSynchronization.{when}); {write}; {read}"
    for aggregation, when, write, read in itertools.product(
        ("NONE", "SUM", "MEAN", "ONLY_FIRST_REPLICA"),
        ("AUTO", "ON_WRITE", "ON_READ"),
        (
            "s.run(lambda: w.assign_add(n() + tf.ones([2])))",
            "s.run(lambda: w.assign(n() * tf.ones([2])))",
            "s.run(lambda: w.assign_sub(tf.ones([2])))",
            "w.assign([4.0, 6.0])",
            "w.assign_add([4.0, 6.0])",
            "s.run(lambda: w.scatter_add(tf.IndexedSlices([n()], [1])))",
        ),
        ("[copy.numpy() for copy in w.values]", "w.read_value()", "parts(s.run(lambda: w + n()))"),
    )
]
FUNCTIONS = [
    f"w = variable(1.0, synchronization=tf.VariableSynchronization.{when}, aggregation=tf.VariableAggregation.{how}); "
    f"s.run(lambda: w.assign(n() + 1.0)); f = tf.function(lambda x: {body}); [parts(s.run(f, args=(2.0,))) for i in range(3)]"
    for when in ("ON_WRITE", "ON_READ")
    for how in ("MEAN", "NONE", "ONLY_FIRST_REPLICA")
    for body in (
        "w * x",
        "x * n()",
        "ctx().replica_id_in_sync_group",
        "gradient(lambda y: y * w, x)",
        "w.assign_add(n())",
    )
    if when == "ON_READ" or how == "NONE" or "assign" not in body
]
DATA = [
    f"batches(tf.data.Dataset.range({count}).batch({size}, drop_remainder={drop}))"
    for count, size, drop in itertools.product((0, 1, 5, 8), (1, 2, 3, 4), (False, True))
] + [
    "batches(tf.data.Dataset.range(4))",
    "[parts(batch) for batch in s.distribute_datasets_from_function(lambda c: tf.data.Dataset.range(5).batch(2))]",
    "[parts(b) for b in s.distribute_datasets_from_function(lambda c: tf.data.Dataset.range(5).batch(c.get_per_replica_batch_size(4)))]",
    "s.experimental_distribute_dataset(tf.data.Dataset.range(8).batch(3)).cardinality",
    "it = iter(s.experimental_distribute_dataset(tf.data.Dataset.range(3).batch(2))); [parts(next(it)), parts(it.get_next()), bool(it.get_next_as_optional().has_value())]",
    "it = iter(s.experimental_distribute_dataset(tf.data.Dataset.range(2).batch(2))); next(it); it.get_next()",
]
RANDOM = [
    f"{made}; [parts(s.run(lambda: g.{draw})) for i in range(2)]"
    for made, draw in itertools.product(
        ("g = generator(1)", "g = generator(7)"),
        (
            "normal([3])",
            "uniform([3])",
            "uniform([3], maxval=10, dtype=tf.int32)",
            "uniform_full_int([2])",
            "truncated_normal([2])",
            "make_seeds(2)",
            "binomial([2], 10.0, 0.5)",
        ),
    )
] + [
    "g = generator(1); s.run(lambda: g.normal([])); g.normal([3])",
    "g = generator(1); g.normal([]); parts(s.run(lambda: g.normal([3])))",
    "g = generator(1); g.skip(3); parts(s.run(lambda: g.normal([3])))",
    "g = generator(1); g.reset_from_seed(5); parts(s.run(lambda: g.normal([3])))",
    "g = generator(1); [h.normal([2]) for h in g.split(2)]",
    "g = tf.random.Generator.from_seed(3); parts(s.run(lambda: g.normal([2])))",
    "g = generator(1); parts(s.run(tf.function(lambda: g.normal([2]))))",
    "parts(s.run(lambda: tf.random.Generator.from_seed(1).normal([2])))",
    "parts(s.run(lambda: tf.random.stateless_normal([2], [1, 2])))",
    "parts(s.run(lambda: tf.random.experimental.stateless_fold_in([1, 2], ctx().replica_id_in_sync_group)))",
    "g = generator(1); repr(g.state.values[1].numpy())",
]
CONTEXTS = [
    f"with_scope = s.scope(); {program}"
    for program in (
        "tf.distribute.get_strategy() is s",
        "[tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context()]",
        "parts(s.run(lambda: [tf.distribute.has_strategy(), tf.distribute.in_cross_replica_context()]))",
        "s.run(lambda: s.scope().__enter__())",
        "s.run(lambda: s.run(n))",
        "s.run(n, args=3)",
        "s.run(3)",
        "s.run(lambda: 1 / 0)",
        "s.run(lambda: tf.constant(1) + tf.constant(1.0))",
        "s.run(lambda x: x, args=(s.run(n),)) is None",
        "parts(s.run(lambda x: x + n(), args=(tf.ones([2]),)))",
        "parts(s.run(lambda x, y: x * y, args=(s.run(n),), kwargs={'y': 3.0}))",
        "parts(s.run(tf.function(lambda x: x * n()), args=(tf.ones([2]),)))",
        "parts(tf.function(lambda: s.run(n))())",
        "s.run(lambda: ctx().all_reduce('sum', n()) if int(n()) else n())",
        "parts(s.extended.update(variable(1.0), lambda w, x: w.assign_add(x), args=(s.run(n),)))",
        "[len(s.extended.update(variable(1.0), lambda w: w.assign_add(1.0), group=False))]",
        "w = variable(1.0); s.extended.variable_created_in_scope(w)",
        "w = tf.Variable(1.0); s.extended.variable_created_in_scope(w)",
        "w = variable(1.0); s.extended.value_container(w.values[1]) is w",
        "w = variable(1.0); s.extended.read_var(w)",
        "w = variable(1.0); [x.device[-5:] for x in w.values]",
        "w = variable(2.0); parts(s.run(lambda: gradient(lambda x: x * w, n())))",
        "w = variable(2.0); w * 3.0 + w",
        "w = variable([1.0, 2.0]); w[1]",
        "tf.convert_to_tensor(s.run(n))",
        "s.run(n) + 1.0",
        "float(s.run(n))",
        "np.asarray(s.run(n))",
        "len(s.run(n).values)",
        "tf.nest.map_structure(lambda x: x, s.run(lambda: {'a': n()}))['a'].values[1]",
        "parts(s.experimental_distribute_values_from_function(lambda c: tf.ones([2]) * c.replica_id_in_sync_group))",
        "s.experimental_distribute_values_from_function(lambda c: c.missing)",
        "s.unwrap(3)",
        "parts(s.run(lambda: tf.IndexedSlices([n()], [0], tf.constant([2])).values))",
        "s.reduce('sum', s.run(lambda: tf.IndexedSlices([n()], [0], tf.constant([2]))), axis=None).values",
        "s.gather(s.run(lambda: tf.IndexedSlices([n()], [0], tf.constant([2]))), axis=0)",
        "tf.distribute.MirroredStrategy([])",
        "tf.distribute.MirroredStrategy(['CPU:0', 'CPU:0'])",
        "tf.distribute.experimental_set_strategy(3)",
    )
]
_IN_ANY_ORDER = (
    REDUCTIONS
    + GATHERS
    + IN_REPLICAS
    + GRADIENTS
    + PRINTED
    + ASSIGNMENTS
    + DATA
    + RANDOM
    + CONTEXTS
    + FUNCTIONS
)
PROGRAMS = list(dict.fromkeys([each for each in _IN_ANY_ORDER if each not in FAILING] + FAILING))

if __name__ == "__main__":
    programs.record("strategies", PROGRAMS, names)
