"""Records the numbers TensorFlow draws: golden/random.json.gz.

Run it where TensorFlow is installed: ``python tests/golden/record_random.py``.
"""

import pathlib
import sys

FLOATS = "float16 bfloat16 float32 float64".split()
INTEGERS = "int32 int64 uint32 uint64".split()
SIZES = (0, 1, 2, 3, 5, 17, 1003, 70001)


def programs():
    raw = "shape=[{size}], key=[{key}], counter=[{low}, {high}], alg=1, dtype=tf.{dtype}"
    places = ((0x123456789ABCDEF0, 5, 7), (2**64 - 1, 2**64 - 3, 2**64 - 1), (7, 2**64 - 2, 2))
    ops = {
        "StatelessRandomUniformV2": FLOATS,
        "StatelessRandomNormalV2": FLOATS,
        "StatelessTruncatedNormalV2": FLOATS,
        "StatelessRandomUniformFullIntV2": INTEGERS,
    }
    for op, dtypes in ops.items():
        for dtype in dtypes:
            for key, low, high in places:
                arguments = raw.format(size=1003, key=key, low=low, high=high, dtype=dtype)
                yield f"tf.raw_ops.{op}({arguments})"
            for size in SIZES:
                arguments = raw.format(size=size, key=9, low=0, high=3, dtype=dtype)
                yield f"tf.raw_ops.{op}({arguments})"

    for seed in ("[0, 0]", "[1, 0]", "[0, 1]", "[1, 2]", "[-5, 7]", "[123456789012, -98765432109]",
                 "(3, 4)", "np.array([3, 4])", "tf.constant([3, 4], tf.int64)"):  # fmt: skip
        yield f"tf.random.stateless_uniform([9], {seed})"
        yield f"tf.random.stateless_normal([3, 3], {seed}, 1.5, 0.25)"
        yield f"tf.random.stateless_truncated_normal([9], {seed}, dtype=tf.float64)"
        yield f"tf.random.stateless_uniform([9], {seed}, -3, 1000, tf.int32)"
        yield f"tf.random.stateless_uniform([9], {seed}, -3, 1000, tf.int64)"
        yield f"tf.random.stateless_uniform([9], {seed}, None, None, tf.uint32)"
        yield f"tf.random.experimental.stateless_shuffle(tf.range(13), {seed})"
        yield f"tf.random.split({seed}, 3)"
        yield f"tf.random.fold_in({seed}, 12)"

    draws = (
        "tf.random.uniform([5])", "tf.random.normal([5])", "tf.random.truncated_normal([5])",
        "tf.random.uniform([2, 3], 1, 5)", "tf.random.uniform([3], -10, 10, tf.int32)",
        "tf.random.uniform([3], -10, 2**40, tf.int64)", "tf.random.normal([3], 1.0, 2.0, tf.float64)",
        "tf.random.shuffle(tf.range(11))", "tf.random.normal([])", "tf.random.normal([0, 3])",
        "tf.random.uniform([2], [1.0, 2.0], [3.0, 5.0])", "tf.random.uniform([2], dtype=tf.float16)",
        "tf.random.normal([3], seed=4)", "tf.random.normal([3], seed=4)", "tf.random.uniform([3], seed=4)",
        "tf.random.normal([3], seed=4, dtype=tf.float64)", "tf.random.shuffle(tf.range(11), seed=4)",
        "tf.random.shuffle(tf.range(11), seed=4)", "tf.random.uniform([3], 0, 9, tf.int32, seed=4)",
        "tf.random.uniform([3], 0, 9, tf.int32, seed=4)", "tf.random.truncated_normal([3], seed=4)",
        "tf.random.truncated_normal([3], seed=4)", "tf.random.normal([2, 2], stddev=0.1)",
    )  # fmt: skip
    for seed in ("0", "1", "42", "-3", "2**40", "np.int64(3)", "'abc'[0] and 7", "1.5"):
        yield f"tf.random.set_seed({seed}); [{', '.join(draws)}]"
    yield "tf.random.set_seed(0); tf.random.uniform([3], seed=0)"
    yield "tf.random.set_seed(None); tf.random.uniform([3], seed=7)"
    yield "tf.random.set_seed(None); [tf.random.normal([1500], seed=7), tf.random.normal([9], seed=7)]"

    state = "g = tf.random.Generator.from_seed({seed})"
    for seed in ("1", "-1", "2**64 + 5", "[1, 2]", "[1, 2, 3, 4]", "np.int32(4)", "1.5", "2**200"):
        yield state.format(seed=seed) + "; g.state"
        yield state.format(seed=seed) + "; [g.normal([3]), g.uniform([2, 2]), g.state]"
    calls = (
        "g.normal([3])", "g.uniform([2, 2])", "g.uniform_full_int([3], tf.uint32)", "g.normal([])",
        "g.normal([0])", "g.skip(2)", "g.skip(-1)", "g.skip(2**40)", "g.truncated_normal([5])",
        "g.make_seeds(3)", "[s.state for s in g.split(2)]", "g.normal([3], 1.0, 3.0, tf.float64)",
        "g.uniform([3], 1, 5, tf.int32)", "g.uniform([3], maxval=5, dtype=tf.int64)",
        "g.uniform([3], None, None, tf.uint64)", "g.uniform_full_int([2])", "g.key", "g.state",
    )  # fmt: skip
    yield state.format(seed=1) + f"; [{', '.join(calls)}]"
    yield "g = tf.random.Generator.from_key_counter(5, [1, 2], 'philox'); [g.state, g.normal([2]), g.key]"
    yield "g = tf.random.Generator.from_state([-2, -1, 7], 1); [g.normal([2]), g.state]"
    yield "g = tf.random.Generator.from_seed(3); g.reset_from_seed(4); g.state"
    yield "g = tf.random.Generator.from_seed(3); g.reset([4, 5, 6]); g.state"
    yield "g = tf.random.Generator.from_seed(3); g.reset_from_key_counter(4, [5, 6]); g.state"
    yield "g = tf.random.Generator.from_seed(3); tf.random.Generator(copy_from=g).state"
    yield (
        state.format(seed=3)
        + "; tf.random.set_global_generator(g); tf.random.get_global_generator().state"
    )
    yield "repr(list(tf.random.Algorithm))"

    # Draws by parameters, on both sides of where they change their method.
    double = "tf.constant({}, tf.float64)"
    trials = (
        (1, 0.5), (5, 0.3), (100, 0.01), (3.7, 0.4), (3.7, 0.6), (49.9, 0.2), (50, 0.2), (50, 0.19),
        (50, 0.81), (50, 0.8), (100, 0.75), (1e9, 0.3), (1e15, 9e-15), (0, 0.5), (-1, 0.5), (5, 0),
        (5, 1), (1.5, 1), (5, 1.5), (5, "np.nan"),
    )  # fmt: skip
    for count, probability in trials:
        numbers = f"{double.format(count)}, {double.format(probability)}"
        yield f"tf.random.stateless_binomial([1003], [1, 2], {numbers}, tf.float64)"
        yield state.format(seed=3) + f"; [g.binomial([17], {numbers}, tf.float64), g.state]"
    counts, probabilities = double.format([[10], [50]]), double.format([0.1, 0.5, 0.9])
    yield f"tf.random.stateless_binomial([300, 2, 3], [1, 2], {counts}, {probabilities})"
    for shape in ("[2, 3]", "[5, 2, 3]", "[0, 2, 3]", "[3, 3]", "[2, 3, 2]"):
        yield state.format(seed=3) + f"; [g.binomial({shape}, {counts}, {probabilities}), g.state]"
    for dtype in ("float16", "float32", "float64", "int32", "int64"):
        yield f"tf.random.stateless_binomial([30], [1, 2], 20.0, 0.3, tf.{dtype})"
    for dtype in ("float16", "float32", "float64"):
        for alpha in (0, 1e-6, 0.01, 0.5, 1, 1.5, 30, 1e4):
            numbers = f"tf.constant({alpha}, tf.{dtype}), dtype=tf.{dtype}"
            yield f"tf.random.stateless_gamma([1003], [1, 2], {numbers})"
    for rate in (-1, 0, 1e-10, 0.1, 9.99, 10, 50, 1e3, 1e9):
        yield f"tf.random.stateless_poisson([1003], [1, 2], {double.format(rate)}, tf.float64)"
    for dtype in FLOATS:
        logits = f"tf.random.stateless_normal([3, 7], [3, 4], dtype=tf.{dtype})"
        yield f"tf.random.stateless_categorical({logits}, 333, [1, 2])"

    for initializer in (
        "random_normal_initializer(0.5, 2.0",
        "random_uniform_initializer(-3.0, 7.0",
    ):
        for seed in ("0", "2", "-7", "2**40", "tf.constant(4)", "None"):
            for dtype in FLOATS:
                shapes = (
                    f"[i(shape, dtype=tf.{dtype}) for shape in ([], [3, 5], [0], [1003], [3, 5])]"
                )
                yield f"tf.random.set_seed(2); i = tf.{initializer}, seed={seed}); {shapes}"
        for parts in (
            "partition_shape=[2], partition_offset=[1]",
            "partition_offset=[1]",
            "part=[2]",
        ):
            yield f"tf.{initializer}, seed=1)([3], {parts})"
    for dtype in ("int32", "int64", "uint32", "int8", "bool"):
        yield f"tf.random_uniform_initializer(-3, 70, seed=5)([100], dtype=tf.{dtype})"
        yield f"tf.random_normal_initializer(seed=5)([100], dtype=tf.{dtype})"
    for seed in ("1.5", "'a'", "True", "[1, 2]", "2**70"):
        yield f"tf.random_normal_initializer(seed={seed})([3])"
    for initializer in ("zeros", "ones", "constant"):
        for parts in ("partition_shape=[2], partition_offset=[1]", "part=[2]"):
            yield f"tf.{initializer}_initializer()([3], {parts})"
    yield "tf.constant_initializer(2.0, support_partition=True)([3], partition_shape=[2])"

    # What starts a stream of its own under the same seed.
    for draw in ("tf.random.normal", "tf.random.uniform", "tf.random.truncated_normal"):
        shapes = (
            "[2], np.array([2]), (np.int64(2),), [tf.constant(2, tf.int64)], tf.TensorShape([2])"
        )
        yield f"tf.random.set_seed(7); d = {draw}; [d(shape, seed=3) for shape in ({shapes})]"
    integers = "tf.random.uniform({}, 0, {}, tf.int32, seed=3)"
    calls = [integers.format(*each) for each in (("[3]", 50), ("[3]", 90), ("np.array([3])", 50))]
    yield f"tf.random.set_seed(7); [{', '.join(calls)}]"
    classes = "tf.random.categorical([[1.0, 2.0]], 9, {}, seed=3)"
    calls = [classes.format(dtype) for dtype in ("None", "tf.int32", "tf.int64")]
    yield f"tf.random.set_seed(7); [{', '.join(calls)}]"
    sampled = "tf.random.uniform_candidate_sampler([[1]], 1, {}, seed=3)[0]"
    calls = [
        sampled.format(each)
        for each in ("7, True, 20", "7, True, 30", "7, False, 20", "7, True, 20")
    ]
    yield f"tf.random.set_seed(7); [{', '.join(calls)}]"

    yield from """
        tf.random.uniform(2)
        tf.random.uniform([2, -1])
        tf.random.uniform([2.0])
        tf.random.uniform('a')
        tf.random.uniform(None)
        tf.random.uniform([None])
        tf.random.uniform([[2]])
        tf.random.uniform([10**10, 10**10])
        tf.random.uniform([2], minval=None)
        tf.random.uniform([2], dtype=tf.int32)
        tf.random.uniform([2], 5, 5, dtype=tf.int32)
        tf.random.uniform([2], 7, 5, dtype=tf.int32)
        tf.random.uniform([2], None, 5, dtype=tf.int32)
        tf.random.uniform([2], [1, 2], [5, 6], dtype=tf.int32)
        tf.random.uniform([2], 1.5, 6, dtype=tf.int32)
        tf.random.uniform([0], 5, 5, dtype=tf.int32)
        tf.random.uniform([2], 0, 10, tf.int8)
        tf.random.uniform([2], 0, 10, tf.uint32)
        tf.random.uniform([2], dtype=tf.complex64)
        tf.random.uniform([2], dtype=tf.bool)
        tf.random.uniform([2], dtype=tf.string)
        tf.random.uniform([3], [1.0, 2.0], [3.0, 4.0])
        tf.random.uniform([2], tf.constant(1.0), tf.constant(2.0, tf.float64))
        tf.random.uniform([2], maxval=tf.constant(2))
        tf.random.uniform([2], seed='a')
        tf.random.uniform([2], seed=[1, 2])
        tf.random.normal(2)
        tf.random.normal([2], dtype=tf.int32)
        tf.random.normal([2], 0, 1, dtype=tf.int32)
        tf.random.normal([2], dtype=tf.complex64)
        tf.random.normal([2], tf.constant(1.0, tf.float64))
        tf.random.normal([2], stddev='a')
        tf.random.truncated_normal([2], dtype=tf.int32)
        tf.random.shuffle(None)
        tf.random.shuffle(5)
        tf.random.shuffle([])
        tf.random.stateless_uniform([3], 1)
        tf.random.stateless_uniform([3], [1])
        tf.random.stateless_uniform([3], [1, 2, 3])
        tf.random.stateless_uniform([3], [[1, 2]])
        tf.random.stateless_uniform([3], [1.0, 2.0])
        tf.random.stateless_uniform([3], None)
        tf.random.stateless_uniform([3], 'ab')
        tf.random.stateless_uniform([3], tf.constant([1, 2], tf.uint32))
        tf.random.stateless_uniform(3, [1, 2])
        tf.random.stateless_uniform([-3], [1, 2])
        tf.random.stateless_uniform([3], [1, 2], dtype=tf.int64)
        tf.random.stateless_uniform([3], [1, 2], 0, 5, dtype=tf.uint32)
        tf.random.stateless_uniform([3], [1, 2], 0, 5, dtype=tf.int8)
        tf.random.stateless_uniform([3], [1, 2], None, None)
        tf.random.stateless_uniform([3], [1, 2], 5, 4, dtype=tf.int32)
        tf.random.stateless_uniform([3], [1, 2], [1, 2, 3], [4, 5, 6], dtype=tf.int32)
        tf.random.stateless_uniform([3], [1, 2], alg=5)
        tf.random.stateless_uniform([3], [1, 2], alg='bogus')
        tf.random.stateless_uniform([3], [1, 2], alg='threefry')
        tf.random.stateless_uniform([3], [1, 2], alg=tf.random.Algorithm.PHILOX)
        tf.random.split(5)
        tf.random.split([1, 2], -1)
        tf.random.split([1, 2, 3])
        tf.random.fold_in([1, 2], [3])
        tf.random.fold_in([1, 2], 3.0)
        tf.random.create_rng_state(1, None)
        tf.random.Generator()
        tf.random.Generator(state=[1, 2, 3])
        tf.random.Generator.from_seed(1, alg='bogus')
        tf.random.Generator.from_seed('a')
        tf.random.Generator.from_state([1, 2], 'philox')
        tf.random.Generator.from_state([[1, 2, 3]], 'philox')
        tf.random.Generator.from_key_counter(5, [1, 2, 3], 'philox')
        tf.random.Generator.from_key_counter([5], [1, 2], 'philox')
        tf.random.Generator.from_seed(1, alg='threefry').normal([2])
        tf.random.Generator.from_seed(1, alg='threefry').state
        tf.random.Generator.from_seed(1).reset([1, 2])
        tf.random.Generator.from_seed(1).skip([1, 2])
        tf.random.Generator.from_seed(1).uniform([3], dtype=tf.int32)
        tf.random.Generator.from_seed(1).uniform([3], 5, 5, tf.int32)
        tf.random.Generator.from_seed(1).uniform([3], dtype=tf.complex64)
        tf.random.Generator.from_seed(1).uniform_full_int([3], tf.int8)
        tf.random.Generator.from_seed(1).normal(3)
        tf.random.Generator.from_seed(1).normal([-1])
        tf.random.Generator.from_seed(1).normal([3], dtype=tf.int32)
        tf.random.Generator.from_seed(1).normal([2], [[1.0], [2.0]], 1.0)
    """.strip().splitlines()


if __name__ == "__main__":
    sys.path.insert(0, str(pathlib.Path(__file__).parents[1]))
    from golden.programs import record

    record("random", [program.strip() for program in programs()])
