"""Draws programs with data sets at random, for TensorFlow and for tapegrad: what both give must be the same.

    python tests/golden/data/drawn.py FIRST LAST FILE              # on TensorFlow, where it is installed
    python tests/golden/data/drawn.py FIRST LAST FILE tapegrad     # here
    python tests/golden/data/drawn.py compare FILE FILE            # what differs
    python tests/golden/data/drawn.py keep FILE                    # what TensorFlow gave: drawn.json.gz

A number gives the same program at each call. A program is an expression in the names of `programs.scope`, as
those of `programs.PROGRAMS` are. The drawing knows roughly what the elements are, so that most programs are
right; those that are wrong must fail with the same class of error, after the same elements.
"""

from __future__ import annotations

import gzip
import json
import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

# What elements are. A leaf is a letter; a tuple and a dict hold leaves.
#   i int64, j int32, f float32, b bool, t string: scalars
#   v int64 of rank 1, w int64 of shape [3], g float32 of rank 1, T string of rank 1
#   m float32 of shape [2, 3], R a ragged and S a sparse row, d a data set, o an optional, x anything else
Kind = Any

SOURCES: list[tuple[str, Kind]] = [
    ("D.range({n})", "i"),
    ("D.range({n})", "i"),
    ("D.range({n})", "i"),
    ("D.range(2, {n}, 2)", "i"),
    ("D.range({n}, -3, -2)", "i"),
    ("D.range({n}, output_type=tf.int32)", "j"),
    ("D.range(0)", "i"),
    ("D.from_tensor_slices([3, 1, 2, 1, 5, 3])", "j"),
    ("D.from_tensor_slices(np.arange(7.0, dtype=np.float32))", "f"),
    ("D.from_tensor_slices(['b', 'a', '', 'b', 'cd'])", "t"),
    ("D.from_tensor_slices(np.arange(12).reshape(4, 3))", "w"),
    ("D.from_tensor_slices((np.arange(5), np.arange(5.0, dtype=np.float32)))", ("i", "f")),
    (
        "D.from_tensor_slices({'a': np.arange(6), 'b': ['x', 'y', 'z', 'x', 'y', 'z']})",
        {"a": "i", "b": "t"},
    ),
    ("D.from_tensor_slices((np.arange(4), {'k': np.arange(4) * 2}))", ("i", {"k": "i"})),
    ("D.from_tensor_slices(tf.ragged.constant([[1], [2, 3], [], [4, 5, 6]]))", "R"),
    (
        "D.from_tensor_slices((np.arange(3), tf.ragged.constant([[1, 2], [], [3]])))",
        ("i", "R"),
    ),
    ("D.from_tensor_slices(tf.sparse.from_dense([[1, 0, 2], [0, 0, 0], [0, 3, 0]]))", "S"),
    (
        "D.from_tensor_slices({'s': tf.sparse.from_dense([[1, 0], [0, 2]]), 'i': np.arange(2)})",
        {"s": "S", "i": "i"},
    ),
    ("D.from_tensor_slices(np.zeros([0, 3], np.int64))", "w"),
    ("D.from_tensor_slices(np.ones([3, 2, 3], np.float32))", "m"),
    ("D.from_tensors(np.arange(3))", "w"),
    ("D.from_tensors((np.int64(3), 'a'))", ("i", "t")),
    ("D.from_tensors({'a': np.arange(3), 'b': np.int64(2)})", {"a": "w", "b": "i"}),
    ("D.from_tensors(tf.ragged.constant([[1], [2, 3]]))", "x"),
    (
        "D.from_generator(lambda: iter(range({n})), output_signature=tf.TensorSpec((), tf.int64))",
        "i",
    ),
    ("D.from_generator(lambda: iter([[1], [2, 3], []]), output_types=tf.int64)", "x"),
    (
        "D.from_generator(lambda: iter([[1], [2, 3], []]), "
        "output_signature=tf.TensorSpec([None], tf.int64))",
        "v",
    ),
    (
        "D.from_generator(lambda: iter([(1, 'a'), (2, 'b'), (3, 'c')]), "
        "output_signature=(tf.TensorSpec((), tf.int64), tf.TensorSpec((), tf.string)))",
        ("i", "t"),
    ),
    (
        "D.from_generator(lambda: iter([{'a': 1}, {'a': 2}]), "
        "output_signature={'a': tf.TensorSpec((), tf.int64)})",
        {"a": "i"},
    ),
    (
        "D.from_generator(lambda: iter([tf.ragged.constant([[1], [2, 3]]), tf.ragged.constant([[4]])]), "
        "output_signature=tf.RaggedTensorSpec([None, None], tf.int32))",
        "x",
    ),
    ("D.from_generator(raising(ValueError), output_types=tf.int64)", "x"),
    (
        "D.from_generator(lambda: iter([1, 2, 'a', 3]), output_signature=tf.TensorSpec((), tf.int64))",
        "i",
    ),
    ("tf.data.TextLineDataset([text, text])", "t"),
    ("tf.data.TextLineDataset(text, num_parallel_reads=2)", "t"),
    ("tf.data.TFRecordDataset(records)", "t"),
    ("tf.data.TFRecordDataset([records, records], num_parallel_reads=2)", "t"),
    ("tf.data.FixedLengthRecordDataset(text, 2, 1, 1)", "t"),
    ("E.CsvDataset(table, [tf.int64, tf.string, tf.float32], header=True)", ("i", "t", "f")),
    ("E.CsvDataset(table, [tf.int64, tf.float32], header=True, select_cols=[0, 2])", ("i", "f")),
    ("E.CsvDataset(table, [tf.int64, tf.int64], header=True)", ("i", "i")),
    ("D.random(seed={s}).take(6)", "i"),
    ("D.counter({s}, 2).take(5)", "i"),
    ("E.from_list([(1, 'a'), (2, 'b'), (3, 'c')])", ("j", "t")),
]

# What functions make of a leaf, and what that is.
LEAVES: dict[str, list[tuple[str, Kind]]] = {
    "i": [
        ("{x} + 1", "i"),
        ("{x} * {x}", "i"),
        ("{x} % 3", "i"),
        ("tf.cast({x}, tf.float32) / 2", "f"),
        ("tf.cast({x}, tf.int32)", "j"),
        ("tf.range({x} % 4)", "v"),
        ("tf.fill([{x} % 3 + 1], {x})", "v"),
        ("tf.stack([{x}, {x}, -{x}])", "w"),
        ("tf.strings.as_string({x})", "t"),
        ("({x}, -{x})", ("i", "i")),
        ("({x},)", ("i",)),
        ("({x}, tf.range({x} % 3), tf.strings.as_string({x}))", ("i", "v", "t")),
        ("{{'a': {x}, 'b': {x} * 2}}", {"a": "i", "b": "i"}),
        ("{{'b': {x}, 'a': (tf.range({x} % 3), {x})}}", {"b": "i", "a": ("v", "i")}),
        ("Point({x}, {x} * 2)", "x"),
        ("[{x}, {x} + 1]", "x"),
        ("({x}, None)", "x"),
        ("tf.one_hot({x} % 4, 4)", "g"),
        ("{x} % 2 == 0", "b"),
        ("tf.cond({x} > 2, lambda: {x}, lambda: -{x})", "i"),
        (
            "tf.while_loop(lambda n: n < {x}, lambda n: n + 2, [tf.constant(0, tf.int64)])[0]",
            "i",
        ),
        ("np.int64(3)", "i"),
        ("'a'", "t"),
        ("tf.zeros([{x} % 3, 2])", "x"),
        ("tf.ones([2, 3]) * tf.cast({x}, tf.float32)", "m"),
        ("tf.RaggedTensor.from_row_lengths(tf.range({x} % 4), [{x} % 4])", "x"),
        ("tf.SparseTensor([[{x} % 3]], [{x}], [3])", "S"),
        ("D.range({x} % 3)", "d"),
        ("D.range({x} % 4).map(lambda y: y + {x})", "d"),
        ("D.range({x} % 4).batch(2)", "d"),
        ("tf.random.uniform([], seed=2)", "f"),
        ("tf.random.uniform([{x} % 3])", "g"),
        ("10 // {x}", "i"),
        ("tf.debugging.check_numerics(1.0 / tf.cast({x} - 2, tf.float32), 'no')", "f"),
        ("tf.py_function(lambda v: v + 1, [{x}], tf.int64)", "x"),
        ("tf.numpy_function(lambda v: v + 1, [{x}], tf.int64)", "x"),
        ("tf.ensure_shape(tf.range({x}), [2])", "x"),
        ("tf.gather([5, 6, 7], {x})", "j"),
        ("tf.experimental.Optional.from_value({x})", "o"),
    ],
    "j": [
        ("{x} - 1", "j"),
        ("tf.cast({x}, tf.int64)", "i"),
        ("tf.range({x})", "x"),
        ("({x}, {x})", ("j", "j")),
        ("{{'n': {x}}}", {"n": "j"}),
        ("{x} + tf.constant(1, tf.int64)", "x"),
        ("tf.fill([{x}], 'a')", "T"),
    ],
    "f": [
        ("{x} * 2.0", "f"),
        ("tf.cast({x}, tf.int64)", "i"),
        ("({x}, tf.floor({x}))", ("f", "f")),
        ("tf.fill([2], {x})", "g"),
        ("{x} > 1.0", "b"),
        ("tf.strings.as_string({x}, 2)", "t"),
    ],
    "b": [("tf.cast({x}, tf.int64)", "i"), ("tf.logical_not({x})", "b")],
    "t": [
        ("{x} + '!'", "t"),
        ("tf.strings.length({x})", "j"),
        ("tf.strings.upper({x})", "t"),
        ("tf.strings.bytes_split({x})", "x"),
        ("tf.strings.split({x}, ',')", "x"),
        ("({x}, tf.strings.length({x}))", ("t", "j")),
        ("tf.strings.to_number({x}, tf.int64)", "i"),
        ("tf.strings.to_hash_bucket_fast({x}, 5)", "i"),
        ("tf.io.decode_raw({x}, tf.uint8)", "x"),
    ],
    "v": [
        ("{x} * 2", "v"),
        ("tf.size({x}, tf.int64)", "i"),
        ("tf.reduce_sum({x})", "i"),
        ("{x}[:2]", "v"),
        ("{x}[0]", "i"),
        ("({x}, tf.shape({x})[0])", ("v", "j")),
        ("tf.strings.as_string({x})", "T"),
        ("tf.cast({x}, tf.float32)", "g"),
        ("tf.reshape({x}, [-1, 1])", "x"),
        ("D.from_tensor_slices({x})", "d"),
        ("tf.concat([{x}, [tf.constant(7, tf.int64)]], 0)", "v"),
    ],
    "w": [
        ("{x} + 1", "w"),
        ("{x}[1]", "i"),
        ("tf.reduce_max({x})", "i"),
        ("({x}, {x}[:2])", ("w", "v")),
        ("D.from_tensor_slices({x})", "d"),
        ("tf.unstack({x})", "x"),
        ("tuple(tf.unstack({x}))", ("i", "i", "i")),
    ],
    "g": [("{x} + 0.5", "g"), ("tf.size({x})", "j"), ("tf.cast({x}, tf.int64)", "v")],
    "T": [("tf.size({x})", "j"), ("tf.strings.join([{x}, {x}])", "T")],
    "m": [
        ("tf.transpose({x})", "x"),
        ("{x}[0]", "g"),
        ("tf.reduce_sum({x})", "f"),
        ("tf.matmul({x}, {x}, transpose_b=True)", "x"),
    ],
    "R": [
        ("{x} + 1", "R"),
        ("tf.size({x})", "j"),
        ("({x}, tf.reduce_sum({x}))", ("R", "j")),
    ],
    "S": [
        ("tf.sparse.to_dense({x})", "x"),
        ("({x}, {x}.dense_shape)", ("S", "x")),
        ("tf.sparse.reduce_sum({x})", "x"),
    ],
    "d": [("{x}", "d"), ("{x}.map(lambda y: y * 2)", "d"), ("({x}, {x})", ("d", "d"))],
    "o": [("{x}.get_value()", "i"), ("{x}", "o"), ("tf.cast({x}.has_value(), tf.int64)", "i")],
    "x": [("{x}", "x"), ("({x}, {x})", ("x", "x")), ("{{'q': {x}}}", {"q": "x"})],
}
PREDICATES: dict[str, list[str]] = {
    "i": ["{x} % 3 != 0", "{x} < 5", "{x} > 100", "tf.reduce_all([{x} > 0, {x} < 9])", "{x}"],
    "j": ["{x} > 1", "{x} % 2 == 0"],
    "f": ["{x} > 1.0", "{x} < 2.5"],
    "t": ["{x} != 'a'", "tf.strings.length({x}) > 1"],
    "v": ["tf.size({x}) > 1", "{x} > 0"],
    "b": ["{x}", "tf.logical_not({x})"],
    "R": ["tf.size({x}) > 1"],
}
SUMS = {"i": "s + {x}", "j": "s + tf.cast({x}, tf.int64)", "v": "s + tf.size({x}, tf.int64)"}


class Drawing:
    """One program."""

    def __init__(self, number: int) -> None:
        self.random = random.Random(number)
        self.choose = self.random.choice

    def program(self) -> str:
        text, kind = self.dataset(5)
        if self.random.random() < 0.1:
            text = f"{text}.with_options({self.options()})"
        ending = self.random.random()
        if ending < 0.08 and kind == "i":
            text = f"(lambda d: d.take(9).reduce(np.int64(1), lambda s, x: s * 2 + x))({text})"
            return f"seeded({self.random.randrange(5)}, lambda: {text})"
        if ending < 0.12:
            text = f"{text}.get_single_element()"
            return f"seeded({self.random.randrange(5)}, lambda: {text})"
        if ending < 0.2 and not any(word in text for word in STATES):
            at = self.random.randrange(1, 6)
            return f"seeded({self.random.randrange(5)}, lambda: resumed({text}, {at}))"
        return f"seeded({self.random.randrange(5)}, lambda: look({text}))"

    def options(self) -> str:
        chosen = {
            name: self.choose([True, None])
            for name in ("deterministic", "experimental_slack")
            if self.random.random() < 0.6
        }
        return f"options({', '.join(f'{name}={value}' for name, value in chosen.items())})"

    def dataset(self, longest: int) -> tuple[str, Kind]:
        text, kind = self.choose(SOURCES)
        text = text.replace("{n}", str(self.random.randrange(1, 12)))
        text = text.replace("{s}", str(self.random.randrange(4)))
        for _ in range(self.random.randint(0, longest)):
            step = self.choose(STEPS)
            if not any(letter in LEFT_OUT.get(step, "") for letter in letters(kind)):
                text, kind = step(self, text, kind)
        return text, kind

    # Functions.

    def function(self, kind: Kind, table: dict[str, Any]) -> tuple[str, Any]:
        """The parameters of a function of such elements, and an entry of the table for one of the leaves."""
        if isinstance(kind, tuple):
            names = [f"a{index}" for index in range(len(kind))]
            leaf, inner = self.leaf(dict(zip(names, kind, strict=True)), bracket=False)
            return ", ".join(names), self.entry(leaf, inner, table)
        if isinstance(kind, dict):
            leaf, inner = self.leaf(kind, "e")
            return "e", self.entry(leaf, inner, table)
        return "x", self.entry("x", kind, table)

    def leaf(self, kinds: dict[str, Kind], prefix: str = "", bracket: bool = True) -> Any:
        key = self.choose(list(kinds))
        path, kind = (f"{prefix}[{key!r}]" if bracket else key), kinds[key]
        while isinstance(kind, (tuple, dict)):
            if isinstance(kind, dict):
                key = self.choose(list(kind))
                path, kind = f"{path}[{key!r}]", kind[key]
            else:
                index = self.random.randrange(len(kind))
                path, kind = f"{path}[{index}]", kind[index]
        return path, kind

    def entry(self, leaf: str, kind: str, table: dict[str, Any]) -> Any:
        entries = table.get(kind)
        if entries is None:
            return None
        entry = self.choose(entries) if isinstance(entries, list) else entries
        return self.filled(entry, leaf)

    @staticmethod
    def filled(entry: Any, leaf: str) -> Any:
        if isinstance(entry, tuple):
            return entry[0].format(x=leaf), entry[1]
        return entry.format(x=leaf)

    def mapping(self, kind: Kind) -> tuple[str, Kind]:
        parameters, (body, result) = self.function(kind, LEAVES)
        if isinstance(kind, tuple) and self.random.random() < 0.5 and isinstance(result, str):
            # The other components stay.
            names = parameters.split(", ")
            body = f"({', '.join([*names, body])})"
            result = (*kind, result)
        return f"lambda {parameters}: {body}", result

    def predicate(self, kind: Kind) -> str:
        parameters, body = self.function(kind, PREDICATES)
        return f"lambda {parameters}: {body or self.choose(['True', 'tf.constant(False)'])}"

    def key(self, kind: Kind) -> str:
        table = {
            "i": "{x} % 3",
            "j": "tf.cast({x}, tf.int64) % 2",
            "t": "tf.cast(tf.strings.length({x}), tf.int64)",
            "v": "tf.size({x}, tf.int64)",
            "f": "tf.cast({x}, tf.int64) % 2",
        }
        parameters, body = self.function(kind, table)
        return f"lambda {parameters}: {body or 'tf.constant(0, tf.int64)'}"

    def parallel(self) -> str:
        return self.choose(
            ["", "", ", num_parallel_calls=2", ", num_parallel_calls=3, deterministic=True"]
        )


# TensorFlow keeps no state of these in checkpoints.
STATES = ("from_generator", "py_function", "numpy_function", "sample_from", "rejection", "random")

Step = Callable[[Drawing, str, Kind], tuple[str, Kind]]


def _map(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    function, result = drawing.mapping(kind)
    return f"{text}.map({function}{drawing.parallel()})", result


def _filter(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    return f"{text}.filter({drawing.predicate(kind)})", kind


def _take_while(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    return f"{text}.take_while({drawing.predicate(kind)})", kind


def _counted(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    count = drawing.choose([-1, 0, 1, 2, 3, 7])
    name = drawing.choose(["take", "skip", "prefetch"])
    return f"{text}.{name}({count})", kind


def _repeat(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    return f"{text}.repeat({drawing.choose(['2', '3', '0'])})", kind


def _repeat_for_ever(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    return f"{text}.repeat().take({drawing.choose([3, 8, 14])})", kind


def _shuffle(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    seed = drawing.choose(["", f", seed={drawing.random.randrange(3)}"])
    again = drawing.choose(["", "", ", reshuffle_each_iteration=False"])
    return f"{text}.shuffle({drawing.choose([1, 2, 3, 5, 20])}{seed}{again})", kind


def _shard(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    shards = drawing.random.randrange(1, 4)
    return f"{text}.shard({shards}, {drawing.random.randrange(shards)})", kind


_BATCHED = {"i": "v", "f": "g", "t": "T"}


def _batched(kind: Kind) -> Kind:
    if isinstance(kind, tuple):
        return tuple(map(_batched, kind))
    if isinstance(kind, dict):
        return {key: _batched(each) for key, each in kind.items()}
    return _BATCHED.get(kind, "x")


def _batch(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    drop = drawing.choose(["", ", drop_remainder=True"])
    return f"{text}.batch({drawing.choose([1, 2, 3, 4])}{drop or drawing.parallel()})", _batched(
        kind
    )


def _ragged_batch(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    drop = drawing.choose(["", ", drop_remainder=True", ", row_splits_dtype=tf.int32"])
    return f"{text}.ragged_batch({drawing.choose([1, 2, 3])}{drop})", _batched(kind)


def _padded_batch(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    more = ""
    if kind in ("v", "g", "T"):
        value = {"v": "np.int64(-1)", "g": "np.float32(-1)", "T": "'-'"}[kind]
        more = drawing.choose(
            [
                "",
                ", padded_shapes=[5]",
                ", padded_shapes=[2]",
                ", padded_shapes=[None]",
                f", padding_values={value}",
                f", padded_shapes=(4,), padding_values={value}, drop_remainder=True",
                ", padding_values=0",
            ]
        )
    elif isinstance(kind, tuple):
        shapes = ", ".join({"v": "[None]", "g": "[3]", "w": "[4]"}.get(str(k), "[]") for k in kind)
        values = ", ".join({"v": "np.int64(9)"}.get(str(k), "None") for k in kind)
        more = drawing.choose(
            [
                "",
                f", padded_shapes=({shapes},)",
                f", padding_values=({values},)",
                ", drop_remainder=True",
            ]
        )
    return f"{text}.padded_batch({drawing.choose([2, 3])}{more})", _batched(kind)


def _bucket(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    if kind not in ("v", "g", "T", "w"):
        return _padded_batch(drawing, text, kind)
    more = drawing.choose(
        ["", "", ", drop_remainder=True", ", pad_to_bucket_boundary=True", ", no_padding=True"]
    )
    length = drawing.choose(["tf.shape(x)[0]", "tf.size(x)"])
    return f"{text}.bucket_by_sequence_length(lambda x: {length}, [2, 4], [2, 3, 2]{more})", "x"


def _unbatch(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    return f"{text}.unbatch()", {"v": "i", "w": "i", "g": "f", "T": "t"}.get(str(kind), "x")


def _rebatch(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    size = drawing.choose(["2", "3", "[1, 2]", "4, drop_remainder=True"])
    return f"{text}.batch(2).rebatch({size})", _batched(kind)


def _sparse_batch(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    return f"{text}.sparse_batch(2, {drawing.choose(['[4]', '[None]', '[]'])})", "x"


def _window(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    more = drawing.choose(["", ", 1", ", 2, 2", ", drop_remainder=True", ", 3, 1, True"])
    size = drawing.choose([1, 2, 3])
    windows = f"{text}.window({size}{more})"
    if isinstance(kind, (tuple, dict)):
        return windows, "x"
    return drawing.choose(
        [
            (windows, "d"),
            (f"{windows}.flat_map(lambda w: w.batch({size}))", _batched(kind)),
            (f"{windows}.flat_map(lambda w: w.skip(1))", kind),
            (f"{windows}.interleave(lambda w: w, cycle_length=2)", kind),
            (f"{windows}.map(lambda w: w.reduce(tf.constant(0), lambda s, e: s + 1))", "j"),
        ]
    )


def _flat_map(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    makers = {
        "i": "D.range({x} % 4)",
        "j": "D.from_tensors({x}).repeat(2)",
        "v": "D.from_tensor_slices({x})",
        "w": "D.from_tensor_slices({x}).map(lambda y: y + 1)",
        "d": "{x}",
        "t": "D.from_tensor_slices(tf.strings.bytes_split({x}))",
    }
    parameters, body = drawing.function(kind, makers)
    if body is None:
        body = "D.range(2)"
    result = {"D.range": "i"}.get(body[:7], {"v": "i", "w": "i", "d": "i"}.get(str(kind), "x"))
    function = f"lambda {parameters}: {body}"
    if drawing.random.random() < 0.4:
        return f"{text}.flat_map({function})", result
    cycle = drawing.choose([1, 2, 3, 5])
    more = drawing.choose(["", ", block_length=2", ", block_length=3"])
    calls = drawing.choose(
        ["", "", ", num_parallel_calls=1", ", num_parallel_calls=tf.data.AUTOTUNE"]
    )
    return f"{text}.interleave({function}, cycle_length={cycle}{more}{calls})", result


def _scan(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    if str(kind) not in SUMS:
        return _map(drawing, text, kind)
    state = SUMS[kind].format(x="x")
    out, result = drawing.choose([("s", "i"), ("(s, x)", ("i", kind)), (state, "i")])
    return f"{text}.scan(np.int64(0), lambda s, x: ({state}, {out}))", result


def _group(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    key = drawing.key(kind)
    size = drawing.choose(["window_size=2", "window_size=3", "window_size_func=lambda k: k + 1"])
    reduce, result = drawing.choose(
        [
            ("lambda k, d: d.batch(2)", _batched(kind)),
            ("lambda k, d: D.zip(D.from_tensors(k).repeat(), d)", ("i", kind)),
            ("lambda k, d: d.take(1)", kind),
        ]
    )
    return f"{text}.group_by_window({key}, {reduce}, {size})", result


def _zip(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    other, other_kind = drawing.dataset(1)
    return drawing.choose(
        [
            (f"D.zip({text}, {other})", (kind, other_kind)),
            (f"D.zip({{'p': {text}, 'q': {other}}})", {"p": kind, "q": other_kind}),
            (f"D.zip({text}, {text})", (kind, kind)),
        ]
    )


def _enumerate(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    return f"{text}.enumerate({drawing.choose(['', '3'])})", ("i", kind)


def _concatenate(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    other, other_kind = drawing.dataset(1)
    if drawing.random.random() < 0.6 or other_kind != kind:
        return f"{text}.concatenate({text}.take(2))", kind
    return f"{text}.concatenate({other})", kind


def _sample(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    other = f"{text}.skip(1)"
    seed = drawing.random.randrange(4)
    stops = drawing.choose(["", ", stop_on_empty_dataset=True"])
    return drawing.choose(
        [
            (f"D.sample_from_datasets([{text}, {other}], [0.3, 0.7], seed={seed}{stops})", kind),
            (f"D.sample_from_datasets([{text}, {other}], seed={seed}{stops})", kind),
            (
                f"D.choose_from_datasets([{text}, {other}], D.range(2).repeat(4)"
                f"{stops.replace('True', 'False')})",
                kind,
            ),
        ]
    )


def _resample(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    if kind not in ("i", "j"):
        return _map(drawing, text, kind)
    initial = drawing.choose(["", ", [0.5, 0.5]"])
    seed = drawing.random.randrange(4)
    classes = "lambda x: tf.cast(x % 2, tf.int32)"
    return f"{text}.rejection_resample({classes}, [0.3, 0.7]{initial}, seed={seed})", ("j", kind)


def _kept(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    # TensorFlow's pass that fails keeps the lock of the file for as long as it is held.
    return f"{text}.{drawing.choose(['cache()', 'ignore_errors().cache(new_path())'])}", kind


def _saved(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    # TensorFlow hangs where it saves a data set that fails.
    return f"saved({text}.ignore_errors())", kind


def _plain(drawing: Drawing, text: str, kind: Kind) -> tuple[str, Kind]:
    return drawing.choose(
        [
            (f"{text}.unique()", kind),
            (f"{text}.ignore_errors()", kind),
            (f"{text}.apply(lambda d: d.skip(1))", kind),
            (f"{text}.prefetch(tf.data.AUTOTUNE)", kind),
        ]
    )


STEPS: list[Step] = [
    *(_map,) * 7, *(_filter,) * 2, _take_while, *(_counted,) * 3, _repeat, _repeat_for_ever,
    *(_shuffle,) * 2, _shard, *(_batch,) * 4, *(_padded_batch,) * 3, _ragged_batch, *(_bucket,) * 2,
    *(_unbatch,) * 2, _rebatch, _sparse_batch, *(_window,) * 2, *(_flat_map,) * 4, *(_scan,) * 2,
    *(_group,) * 2, *(_zip,) * 2, _enumerate, *(_concatenate,) * 2, *(_sample,) * 2, _resample,
    *(_kept,) * 2, _saved, *(_plain,) * 3,
]  # fmt: skip


# Steps that differ on purpose for elements with such leaves, or where TensorFlow fails inside.
_STACKS: dict[Step, str] = dict.fromkeys(
    (_batch, _padded_batch, _ragged_batch, _bucket, _rebatch, _sparse_batch), "dox"
)
LEFT_OUT: dict[Step, str] = {
    **_STACKS,
    _unbatch: "doxSR",
    _saved: "do",
    _window: "do",
    _kept: "do",
    _group: "do",
}


def letters(kind: Kind) -> str:
    """The leaves of a kind."""
    if isinstance(kind, dict):
        kind = tuple(kind.values())
    return "".join(map(letters, kind)) if isinstance(kind, tuple) else kind


def drawn(number: int) -> str:
    """The program of a number."""
    return Drawing(number).program()


def _answer_all(first: int, last: int, file: str, library: str) -> None:
    import importlib

    sys.path.insert(0, str(Path(__file__).parent))
    programs = importlib.import_module("programs")
    tf = importlib.import_module(library)
    tf.autograph.set_verbosity(0)
    with Path(file).open("a") as out:
        for number in range(first, last):
            program = drawn(number)
            row = [number, program, programs.answer(tf, program)]
            out.write(json.dumps(row) + "\n")
            out.flush()


def _compare(first: str, second: str) -> None:
    theirs, ours = (
        {row[0]: row[1:] for row in map(json.loads, Path(file).read_text().splitlines())}
        for file in (first, second)
    )
    numbers = sorted(set(theirs) & set(ours))
    different = [number for number in numbers if theirs[number][1] != ours[number][1]]
    for number in different:
        print(f"{number}: {theirs[number][0]}")
        print(f"  {json.dumps(theirs[number][1])}\n  {json.dumps(ours[number][1])}")
    print(f"{len(different)} of {len(numbers)} differ")


def _keep(file: str) -> None:
    rows = [json.loads(line) for line in Path(file).read_text().splitlines()]
    text = json.dumps(rows, indent=0).encode()
    Path(__file__).with_name("drawn.json.gz").write_bytes(gzip.compress(text, mtime=0))


if __name__ == "__main__":
    if sys.argv[1] == "compare":
        _compare(*sys.argv[2:])
    elif sys.argv[1] == "keep":
        _keep(sys.argv[2])
    else:
        library = sys.argv[4] if len(sys.argv) > 4 else "tensorflow"
        _answer_all(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], library)
