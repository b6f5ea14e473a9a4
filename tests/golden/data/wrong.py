"""Every argument of `tf.data` and `tf.queue`, wrong in every way: what TensorFlow does, and what we must do.

    python tests/golden/data/wrong.py record FILE                # on TensorFlow, where it is installed
    python tests/golden/data/wrong.py record FILE tapegrad       # here
    python tests/golden/data/wrong.py compare FILE FILE          # what differs
    python tests/golden/data/wrong.py keep FILE                  # what TensorFlow did: wrong.json.gz

`CALLS` has a good call of each function, with its arguments apart. A row is such a call with one argument
replaced by one of `FORMS`. Rows run in another process, because some abort TensorFlow and some hang it.
"""

# ruff: noqa: E501

from __future__ import annotations

import contextlib
import gzip
import json
import select
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

# What stands in the place of an argument.
FORMS: dict[str, str] = {
    "None": "None",
    "string": "'a'",
    "empty string": "''",
    "no path": "'no/such/path'",
    "no UTF-8": "b'\\xff\\xfe'",
    "float": "2.5",
    "NaN": "float('nan')",
    "infinity": "float('inf')",
    "-1": "-1",
    "-2": "-2",
    "zero": "0",
    "smallest": "-2**63",
    "too large": "2**63",
    "True": "True",
    "list": "[2, 1]",
    "empty list": "[]",
    "tuple": "(2, 1)",
    "ragged list": "[[1], [2, 3]]",
    "list of strings": "['a', 'b']",
    "vector": "np.array([2, 1])",
    "scalar": "tf.constant(2, tf.int64)",
    "int32": "tf.constant(2)",
    "uint64": "tf.constant(2, tf.uint64)",
    "float64": "tf.constant(2.0, tf.float64)",
    "bfloat16": "tf.constant(2.0, tf.bfloat16)",
    "complex64": "tf.constant(2.0, tf.complex64)",
    "bool tensor": "tf.constant(True)",
    "string tensor": "tf.constant('a')",
    "nothing": "tf.zeros([0], tf.int64)",
    "matrix": "np.ones([2, 2], np.int64)",
    "ragged tensor": "tf.ragged.constant([[1], [2, 3]])",
    "object": "object()",
    "class": "int",
    "dict": "{'a': 1}",
    "generator": "(x for x in (1, 2))",
    "data set": "D.range(3)",
    "dtype": "tf.string",
    "spec": "tf.TensorSpec([], tf.int64)",
    "no parameters": "lambda: 1",
    "four parameters": "lambda a, b, c, d: 1",
    "raises": "fails",
    "returns None": "lambda *a: None",
    "returns a ragged list": "lambda *a: [[1], [2, 3]]",
    "returns a string": "lambda *a: 'a'",
    "returns a float": "lambda *a: 2.5",
    "returns a data set": "lambda *a: D.range(2)",
    "returns an object": "lambda *a: object()",
    "returns a pair": "lambda *a: (1, 2)",
    "identity": "lambda *a: a",
}

_NAME = {"name": "None"}
_ROWS = "D.range(4).map(lambda x: tf.range(x))"
_SPEC = "tf.TensorSpec([], tf.int64)"

# Calls with the places of their arguments, and good arguments. A call of several statements is a tuple's last.
CALLS: list[tuple[str, dict[str, str]]] = [
    ("D.from_tensors({tensors}, name={name})", {"tensors": "[1, 2]", **_NAME}),
    ("D.from_tensor_slices({tensors}, name={name})", {"tensors": "[1, 2]", **_NAME}),
    ("D.from_tensor_slices(([1, 2], {second}))", {"second": "[3, 4]"}),
    ("D.range({stop})", {"stop": "3"}),
    (
        "D.range({start}, {stop}, {step}, output_type={output_type}, name={name})",
        {"start": "1", "stop": "4", "step": "1", "output_type": "tf.int64", **_NAME},
    ),
    (
        "D.from_generator({generator}, output_signature={output_signature}, name={name})",
        {"generator": "lambda: iter([1, 2])", "output_signature": _SPEC, **_NAME},
    ),
    (
        "D.from_generator({generator}, output_types={output_types}, output_shapes={output_shapes}, args={args})",
        {
            "generator": "lambda n: iter([n, n])",
            "output_types": "tf.int64",
            "output_shapes": "[]",
            "args": "(3,)",
        },
    ),
    ("D.from_generator(lambda: iter([{yielded}]), output_signature=" + _SPEC + ")", {"yielded": "1"}),
    (
        "D.from_generator(lambda: iter([{yielded}]), output_signature=tf.TensorSpec([None], tf.string))",
        {"yielded": "['a']"},
    ),
    (
        "D.counter({start}, {step}, {dtype}, name={name})",
        {"start": "1", "step": "2", "dtype": "tf.int64", **_NAME},
    ),
    (
        "D.random({seed}, {rerandomize_each_iteration}, name={name})",
        {"seed": "1", "rerandomize_each_iteration": "True", **_NAME},
    ),
    ("D.zip({first}, {second}, name={name})", {"first": "r", "second": "r", **_NAME}),
    ("D.zip(datasets={datasets})", {"datasets": "(r, r)"}),
    (
        "D.choose_from_datasets({datasets}, {choice_dataset}, {stop_on_empty_dataset})",
        {"datasets": "[r, r]", "choice_dataset": "D.range(2)", "stop_on_empty_dataset": "True"},
    ),
    (
        "D.sample_from_datasets({datasets}, {weights}, {seed}, {stop_on_empty_dataset}, {rerandomize_each_iteration})",
        {
            "datasets": "[r, r]",
            "weights": "[0.5, 0.5]",
            "seed": "1",
            "stop_on_empty_dataset": "True",
            "rerandomize_each_iteration": "True",
        },
    ),
    (
        "D.list_files({file_pattern}, {shuffle}, {seed}, name={name}).map(lambda x: tf.strings.substr(x, -4, 4))",
        {"file_pattern": "text", "shuffle": "True", "seed": "1", **_NAME},
    ),
    (
        "D.load({path}, {element_spec}, {compression}, {reader_func}, {wait})",
        {
            "path": "kept",
            "element_spec": _SPEC,
            "compression": "None",
            "reader_func": "None",
            "wait": "False",
        },
    ),
    (
        "(r.save({path}, {compression}, {shard_func}, {checkpoint_args}),)",
        {
            "path": "new_path()",
            "compression": "None",
            "shard_func": "lambda x: np.int64(0)",
            "checkpoint_args": "None",
        },
    ),
    (
        "r.snapshot({path}, {compression}, {reader_func}, {shard_func}, name={name})",
        {
            "path": "new_path()",
            "compression": "'AUTO'",
            "reader_func": "None",
            "shard_func": "lambda x: np.int64(0)",
            **_NAME,
        },
    ),
    ("r.cache({filename}, name={name})", {"filename": "''", **_NAME}),
    ("r.apply({transformation_func})", {"transformation_func": "lambda d: d"}),
    (
        "r.reduce({initial_state}, {reduce_func}, name={name})",
        {"initial_state": "np.int64(0)", "reduce_func": "lambda s, x: s + x", **_NAME},
    ),
    ("r.take(1).get_single_element(name={name})", {**_NAME}),
    (
        "r.map({map_func}, {num_parallel_calls}, {deterministic}, {synchronous}, {use_unbounded_threadpool}, name={name})",
        {
            "map_func": "lambda x: x",
            "num_parallel_calls": "None",
            "deterministic": "None",
            "synchronous": "None",
            "use_unbounded_threadpool": "False",
            **_NAME,
        },
    ),
    (
        "r.map({map_func}, 2, {deterministic})",
        {"map_func": "lambda x: x", "deterministic": "True"},
    ),
    ("D.zip(r, r).map({map_func})", {"map_func": "lambda x, y: x"}),
    ("r.filter({predicate}, name={name})", {"predicate": "lambda x: x > 1", **_NAME}),
    ("r.take_while({predicate}, name={name})", {"predicate": "lambda x: x < 2", **_NAME}),
    ("r.flat_map({map_func}, name={name})", {"map_func": "lambda x: D.range(x)", **_NAME}),
    (
        "r.interleave({map_func}, {cycle_length}, {block_length}, {num_parallel_calls}, {deterministic}, name={name})",
        {
            "map_func": "lambda x: D.range(x)",
            "cycle_length": "2",
            "block_length": "1",
            "num_parallel_calls": "2",
            "deterministic": "True",
            **_NAME,
        },
    ),
    (
        "r.interleave({map_func}, {cycle_length}, {block_length})",
        {"map_func": "lambda x: D.range(x)", "cycle_length": "2", "block_length": "1"},
    ),
    (
        "r.scan({initial_state}, {scan_func}, name={name})",
        {"initial_state": "np.int64(0)", "scan_func": "lambda s, x: (s + x, s)", **_NAME},
    ),
    ("r.take({count}, name={name})", {"count": "2", **_NAME}),
    ("r.skip({count}, name={name})", {"count": "2", **_NAME}),
    ("r.repeat({count}, name={name})", {"count": "2", **_NAME}),
    (
        "r.shard({num_shards}, {index}, name={name})",
        {"num_shards": "3", "index": "1", **_NAME},
    ),
    ("r.enumerate({start}, name={name})", {"start": "1", **_NAME}),
    ("r.concatenate({dataset}, name={name})", {"dataset": "r", **_NAME}),
    (
        "r.shuffle({buffer_size}, {seed}, {reshuffle_each_iteration}, name={name})",
        {"buffer_size": "3", "seed": "1", "reshuffle_each_iteration": "True", **_NAME},
    ),
    (
        "r.rejection_resample({class_func}, {target_dist}, {initial_dist}, {seed}, name={name})",
        {
            "class_func": "lambda x: tf.cast(x % 2, tf.int32)",
            "target_dist": "[0.5, 0.5]",
            "initial_dist": "[0.5, 0.5]",
            "seed": "1",
            **_NAME,
        },
    ),
    (
        "r.batch({batch_size}, {drop_remainder}, {num_parallel_calls}, {deterministic}, name={name})",
        {
            "batch_size": "2",
            "drop_remainder": "False",
            "num_parallel_calls": "None",
            "deterministic": "None",
            **_NAME,
        },
    ),
    (
        _ROWS
        + ".padded_batch({batch_size}, {padded_shapes}, {padding_values}, {drop_remainder}, name={name})",
        {
            "batch_size": "2",
            "padded_shapes": "[5]",
            "padding_values": "np.int64(0)",
            "drop_remainder": "False",
            **_NAME,
        },
    ),
    (
        "D.zip(" + _ROWS + ", r).padded_batch(2, {padded_shapes}, {padding_values})",
        {"padded_shapes": "([5], [])", "padding_values": "(np.int64(0), np.int64(1))"},
    ),
    (
        _ROWS + ".ragged_batch({batch_size}, {drop_remainder}, {row_splits_dtype}, name={name})",
        {"batch_size": "2", "drop_remainder": "False", "row_splits_dtype": "tf.int64", **_NAME},
    ),
    (
        _ROWS + ".sparse_batch({batch_size}, {row_shape}, name={name})",
        {"batch_size": "2", "row_shape": "[4]", **_NAME},
    ),
    (
        _ROWS
        + ".bucket_by_sequence_length({element_length_func}, {bucket_boundaries}, {bucket_batch_sizes}, "
        "{padded_shapes}, {padding_values}, {pad_to_bucket_boundary}, {no_padding}, {drop_remainder}, name={name})",
        {
            "element_length_func": "lambda x: tf.shape(x)[0]",
            "bucket_boundaries": "[2, 4]",
            "bucket_batch_sizes": "[2, 2, 2]",
            "padded_shapes": "None",
            "padding_values": "None",
            "pad_to_bucket_boundary": "False",
            "no_padding": "False",
            "drop_remainder": "False",
            **_NAME,
        },
    ),
    ("r.batch(2).unbatch(name={name})", {**_NAME}),
    (
        "r.batch(2).rebatch({batch_size}, {drop_remainder}, name={name})",
        {"batch_size": "3", "drop_remainder": "False", **_NAME},
    ),
    (
        "r.window({size}, {shift}, {stride}, {drop_remainder}, name={name}).flat_map(lambda w: w.batch(9))",
        {"size": "2", "shift": "1", "stride": "1", "drop_remainder": "False", **_NAME},
    ),
    (
        "r.group_by_window({key_func}, {reduce_func}, {window_size}, name={name})",
        {
            "key_func": "lambda x: x % 2",
            "reduce_func": "lambda k, d: d.batch(2)",
            "window_size": "2",
            **_NAME,
        },
    ),
    (
        "r.group_by_window(lambda x: x % 2, lambda k, d: d.batch(2), window_size_func={window_size_func})",
        {"window_size_func": "lambda k: k + 1"},
    ),
    ("r.unique(name={name})", {**_NAME}),
    (
        "r.ignore_errors({log_warning}, name={name})",
        {"log_warning": "False", **_NAME},
    ),
    ("r.prefetch({buffer_size}, name={name})", {"buffer_size": "2", **_NAME}),
    ("r.with_options({options}, name={name})", {"options": "tf.data.Options()", **_NAME}),
    ("E.assert_cardinality({expected})(r)", {"expected": "5"}),
    ("E.assert_cardinality(5)({dataset})", {"dataset": "r"}),
    ("E.at({dataset}, {index})", {"dataset": "r", "index": "2"}),
    ("E.cardinality({dataset})", {"dataset": "r"}),
    ("E.get_structure({dataset})", {"dataset": "r"}),
    ("E.get_single_element({dataset})", {"dataset": "r.take(1)"}),
    ("E.get_next_as_optional({iterator}).has_value()", {"iterator": "iter(r)"}),
    (
        "E.choose_from_datasets({datasets}, {choice_dataset}, {stop_on_empty_dataset})",
        {"datasets": "[r, r]", "choice_dataset": "D.range(2)", "stop_on_empty_dataset": "True"},
    ),
    (
        "E.sample_from_datasets({datasets}, {weights}, {seed}, {stop_on_empty_dataset})",
        {
            "datasets": "[r, r]",
            "weights": "[0.5, 0.5]",
            "seed": "1",
            "stop_on_empty_dataset": "True",
        },
    ),
    (
        "E.Counter({start}, {step}, {dtype})",
        {"start": "1", "step": "2", "dtype": "tf.int64"},
    ),
    ("E.RandomDataset({seed})", {"seed": "1"}),
    (
        _ROWS + ".apply(E.dense_to_ragged_batch({batch_size}, {drop_remainder}, {row_splits_dtype}))",
        {"batch_size": "2", "drop_remainder": "False", "row_splits_dtype": "tf.int64"},
    ),
    (
        _ROWS + ".apply(E.dense_to_sparse_batch({batch_size}, {row_shape}))",
        {"batch_size": "2", "row_shape": "[4]"},
    ),
    ("r.apply(E.enumerate_dataset({start}))", {"start": "1"}),
    ("E.from_list({elements}, name={name})", {"elements": "[1, 2]", **_NAME}),
    (
        "r.apply(E.group_by_reducer({key_func}, {reducer}))",
        {
            "key_func": "lambda x: x % 2",
            "reducer": "E.Reducer(lambda k: np.int64(0), lambda s, x: s + x, lambda s: s)",
        },
    ),
    (
        "r.apply(E.group_by_reducer(lambda x: x % 2, E.Reducer({init_func}, {reduce_func}, {finalize_func})))",
        {
            "init_func": "lambda k: np.int64(0)",
            "reduce_func": "lambda s, x: s + x",
            "finalize_func": "lambda s: s",
        },
    ),
    (
        "r.apply(E.group_by_window({key_func}, {reduce_func}, {window_size}))",
        {
            "key_func": "lambda x: x % 2",
            "reduce_func": "lambda k, d: d.batch(2)",
            "window_size": "2",
        },
    ),
    ("r.apply(E.ignore_errors({log_warning}))", {"log_warning": "False"}),
    (
        "r.apply(E.map_and_batch({map_func}, {batch_size}, {num_parallel_batches}, {drop_remainder}, {num_parallel_calls}))",
        {
            "map_func": "lambda x: x",
            "batch_size": "2",
            "num_parallel_batches": "None",
            "drop_remainder": "False",
            "num_parallel_calls": "None",
        },
    ),
    (
        "r.map(lambda x: {{'a': x}}).apply(E.pad_to_cardinality({cardinality}, {mask_key}))",
        {"cardinality": "6", "mask_key": "'valid'"},
    ),
    (
        "r.apply(E.parallel_interleave({map_func}, {cycle_length}, {block_length}, {sloppy}, "
        "{buffer_output_elements}, {prefetch_input_elements}))",
        {
            "map_func": "lambda x: D.range(x)",
            "cycle_length": "2",
            "block_length": "1",
            "sloppy": "False",
            "buffer_output_elements": "None",
            "prefetch_input_elements": "None",
        },
    ),
    (
        "r.apply(E.prefetch_to_device({device}, {buffer_size}))",
        {"device": "'/cpu:0'", "buffer_size": "2"},
    ),
    (
        "r.apply(E.copy_to_device({target_device}, {source_device}))",
        {"target_device": "'/cpu:0'", "source_device": "'/cpu:0'"},
    ),
    (
        "r.apply(E.rejection_resample({class_func}, {target_dist}, {initial_dist}, {seed}))",
        {
            "class_func": "lambda x: tf.cast(x % 2, tf.int32)",
            "target_dist": "[0.5, 0.5]",
            "initial_dist": "[0.5, 0.5]",
            "seed": "1",
        },
    ),
    (
        "r.apply(E.scan({initial_state}, {scan_func}))",
        {"initial_state": "np.int64(0)", "scan_func": "lambda s, x: (s + x, s)"},
    ),
    (
        "r.apply(E.shuffle_and_repeat({buffer_size}, {count}, {seed}))",
        {"buffer_size": "3", "count": "2", "seed": "1"},
    ),
    ("r.apply(E.take_while({predicate}))", {"predicate": "lambda x: x < 2"}),
    (
        "E.index_table_from_dataset({dataset}, {num_oov_buckets}, {vocab_size}, {default_value}, {hasher_spec}, {key_dtype}).lookup(tf.constant(['a', 'q']))",
        {
            "dataset": "D.from_tensor_slices(['a', 'b'])",
            "num_oov_buckets": "0",
            "vocab_size": "2",
            "default_value": "-1",
            "hasher_spec": "None",
            "key_dtype": "tf.string",
        },
    ),
    (
        "E.table_from_dataset({dataset}, {num_oov_buckets}, {vocab_size}, {default_value}).lookup(tf.constant(['a', 'q']))",
        {
            "dataset": "D.from_tensor_slices((['a', 'b'], np.arange(2)))",
            "num_oov_buckets": "0",
            "vocab_size": "2",
            "default_value": "-1",
        },
    ),
    (
        "tf.data.TextLineDataset({filenames}, {compression_type}, {buffer_size}, {num_parallel_reads}, {name})",
        {
            "filenames": "text",
            "compression_type": "''",
            "buffer_size": "64",
            "num_parallel_reads": "2",
            **_NAME,
        },
    ),
    (
        "tf.data.TFRecordDataset({filenames}, {compression_type}, {buffer_size}, {num_parallel_reads}, {name})",
        {
            "filenames": "records",
            "compression_type": "''",
            "buffer_size": "64",
            "num_parallel_reads": "2",
            **_NAME,
        },
    ),
    (
        "tf.data.FixedLengthRecordDataset({filenames}, {record_bytes}, {header_bytes}, {footer_bytes}, "
        "{buffer_size}, {compression_type}, {num_parallel_reads}, {name})",
        {
            "filenames": "text",
            "record_bytes": "2",
            "header_bytes": "1",
            "footer_bytes": "1",
            "buffer_size": "64",
            "compression_type": "''",
            "num_parallel_reads": "2",
            **_NAME,
        },
    ),
    (
        "E.CsvDataset({filenames}, {record_defaults}, {compression_type}, {buffer_size}, {header}, {field_delim}, "
        "{use_quote_delim}, {na_value}, {select_cols}, {exclude_cols})",
        {
            "filenames": "table",
            "record_defaults": "[tf.int64, tf.string, tf.float32]",
            "compression_type": "None",
            "buffer_size": "64",
            "header": "True",
            "field_delim": "','",
            "use_quote_delim": "True",
            "na_value": "''",
            "select_cols": "None",
            "exclude_cols": "None",
        },
    ),
    (
        "(E.TFRecordWriter({filename}, {compression_type}).write({dataset}),)",
        {
            "filename": "new_path()",
            "compression_type": "None",
            "dataset": "D.from_tensor_slices(['a', 'b'])",
        },
    ),
    *(
        (f"options({field}={{value}}).{field}", {"value": good})
        for field, good in (
            ("deterministic", "True"),
            ("dataset_name", "'a'"),
            ("experimental_slack", "True"),
            ("experimental_symbolic_checkpoint", "True"),
            ("experimental_warm_start", "True"),
            ("framework_type", "['a']"),
            ("experimental_external_state_policy", "E.ExternalStatePolicy.WARN"),
            ("autotune", "E.AutotuneOptions()"),
            ("experimental_distribute", "E.DistributeOptions()"),
            ("experimental_optimization", "E.OptimizationOptions()"),
            ("threading", "tf.data.ThreadingOptions()"),
        )
    ),
    *(
        (f"setattr(options().{group}, '{field}', {{value}})", {"value": good})
        for group, field, good in (
            ("autotune", "enabled", "True"),
            ("autotune", "cpu_budget", "2"),
            ("autotune", "autotune_algorithm", "E.AutotuneAlgorithm.DEFAULT"),
            ("experimental_distribute", "auto_shard_policy", "E.AutoShardPolicy.OFF"),
            ("experimental_distribute", "num_devices", "2"),
            ("experimental_optimization", "map_fusion", "True"),
            ("threading", "private_threadpool_size", "2"),
            ("threading", "max_intra_op_parallelism", "2"),
        )
    ),
    ("(options().merge({options}), 0)[1]", {"options": "options()"}),
    ("looked(tf.queue.FIFOQueue({capacity}, {dtypes}, {shapes}, {names}, {shared_name}, {name}))",
        {
            "capacity": "3",
            "dtypes": "[tf.int64]",
            "shapes": "[[]]",
            "names": "None",
            "shared_name": "None",
            "name": "'q'",
        },
    ),
    ("looked(tf.queue.PaddingFIFOQueue({capacity}, {dtypes}, {shapes}, {names}, {shared_name}, {name}))",
        {
            "capacity": "3",
            "dtypes": "[tf.int64]",
            "shapes": "[[None]]",
            "names": "None",
            "shared_name": "None",
            "name": "'q'",
        },
    ),
    (
        "looked(tf.queue.RandomShuffleQueue({capacity}, {min_after_dequeue}, {dtypes}, {shapes}, {names}, "
        "{seed}, {shared_name}, {name}))",
        {
            "capacity": "3",
            "min_after_dequeue": "1",
            "dtypes": "[tf.int64]",
            "shapes": "[[]]",
            "names": "None",
            "seed": "1",
            "shared_name": "None",
            "name": "'q'",
        },
    ),
    ("looked(tf.queue.PriorityQueue({capacity}, {types}, {shapes}, {names}, {shared_name}, {name}))",
        {
            "capacity": "3",
            "types": "[tf.int64]",
            "shapes": "[[]]",
            "names": "None",
            "shared_name": "None",
            "name": "'q'",
        },
    ),
    *(
        call
        for queue, one, many in (
            ("tf.queue.FIFOQueue(4, [tf.int64], [[]])", "1", "[[1, 2]]"),
            ("tf.queue.FIFOQueue(4, [tf.int64, tf.string], [[], [1]])", "(1, ['a'])", "([1, 2], [['a'], ['b']])"),
            ("tf.queue.FIFOQueue(4, [tf.int64], names=['n'])", "{{'n': 1}}", "{{'n': [1, 2]}}"),
            ("tf.queue.PaddingFIFOQueue(4, [tf.int64], [[None]])", "[[1]]", "[[[1], [2]]]"),
            ("tf.queue.RandomShuffleQueue(4, 0, [tf.int64], [[]], seed=1)", "1", "[[1, 2]]"),
            ("tf.queue.PriorityQueue(4, [tf.string], [[]])", "(1, 'a')", "([1, 2], ['a', 'b'])"),
        )
        for call in (
            (f"used({queue}, lambda q: q.enqueue({{vals}}, name={{name}}))", {"vals": one, **_NAME}),
            (
                f"used({queue}, lambda q: q.enqueue_many({{vals}}, name={{name}}))",
                {"vals": many, **_NAME},
            ),
            *(
                (
                    f"filled({queue}, {many}, lambda q: q.{method}({{n}}, name={{name}}))",
                    {"n": "2", **_NAME},
                )
                for method in ("dequeue_many", "dequeue_up_to")
            ),
        )
    ),
    (
        "filled(tf.queue.FIFOQueue(4, [tf.int64], [[]]), [[1, 2]], lambda q: q.dequeue(name={name}))",
        {**_NAME},
    ),
    (
        "used(tf.queue.FIFOQueue(4, [tf.int64], [[]]), lambda q: q.close({cancel_pending_enqueues}, name={name}))",
        {"cancel_pending_enqueues": "False", **_NAME},
    ),
    (
        "used(tf.queue.FIFOQueue(4, [tf.int64], [[]]), lambda q: q.size(name={name}))",
        {**_NAME},
    ),
    (
        "used(tf.queue.FIFOQueue(4, [tf.int64], [[]]), lambda q: q.is_closed(name={name}))",
        {**_NAME},
    ),
    (
        "tf.queue.QueueBase.from_list({index}, {queues}).dtypes",
        {"index": "0", "queues": "[tf.queue.FIFOQueue(4, [tf.int64])] * 2"},
    ),
]  # fmt: skip


FOR_NAMES = ("string", "empty string", "no path", "no UTF-8", "float", "string tensor", "object")
FOR_FUNCTIONS = ("None", "string", "zero", "list", "scalar", "object", "class", "dict", "data set")


def forms_for(argument: str, good: str) -> Iterator[str]:
    """The forms for an argument: not all numbers for functions and not all functions for numbers."""
    if argument == "name":
        yield from FOR_NAMES
        return
    is_function = good.startswith("lambda")
    for form, text in FORMS.items():
        if is_function == text.startswith(("lambda", "fails")) or form == "no parameters":
            yield form
    if is_function:
        yield from FOR_FUNCTIONS


def programs() -> Iterator[tuple[int, str, str, str]]:
    """The number of each call, an argument, the name of a form, and the program."""
    for number, (call, good) in enumerate(CALLS):
        good = {name: text.replace("{{", "{").replace("}}", "}") for name, text in good.items()}
        yield number, "", "", call.format(**good)
        for argument in good:
            for form in forms_for(argument, good[argument]):
                program = call.format(**{**good, argument: f"({FORMS[form]})"})
                yield number, argument, form, program


class Answers:
    """What one library does."""

    def __init__(self, tf: Any) -> None:
        from golden.data import programs as others

        self.tf = tf
        # What the errors say that programs raised before their first element.
        self.messages: dict[str, str] = {}
        self.plain = others.plain
        self.scope = others.scope(tf)
        self.scope.update(r=tf.data.Dataset.range(5), fails=fails, looked=looked)
        self.scope.update(used=used, filled=filled, kept=self.scope["new_path"]())
        tf.data.Dataset.range(3).save(self.scope["kept"])

    def to(self, program: str) -> Any:
        """When a program fails and with which class; or what it gives."""
        # Some programs write where they are.
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            return self._to(program)

    def _to(self, program: str) -> Any:
        tf = self.tf
        tf.random.set_seed(7)
        stage, is_written = "made", False
        try:
            made = eval(program, self.scope)
            if not isinstance(made, tf.data.Dataset):
                is_written = True  # what raises now is what writes the answer down
                return self.plain(made)
            spec = repr(made.element_spec)
            stage = "iter"
            iterator = iter(made)
        except Exception as error:  # TensorFlow's or ours
            if not is_written:
                self.messages[program] = str(error)
            return {stage: class_of(error)}
        found: list[Any] = []
        for _ in range(4):
            try:
                found.append(_plain_element(self.plain, next(iterator)))
            except StopIteration:
                break
            except Exception as error:
                found.append(class_of(error))
                break
        return [spec, found]


def class_of(error: Exception) -> str:
    """The class of an error that users know: one of Python's or of `tf.errors`."""
    return next(
        kind.__name__
        for kind in type(error).__mro__
        if kind.__module__ == "builtins" or kind.__module__.endswith((".errors", ".errors_impl"))
    )


def _plain_element(plain: Any, element: Any) -> Any:
    if isinstance(element, dict):
        return {key: _plain_element(plain, element[key]) for key in element}
    if isinstance(element, tuple):
        return [_plain_element(plain, each) for each in element]
    if hasattr(element, "to_list"):
        return str(element.to_list())
    if hasattr(element, "dense_shape"):
        return [plain(x) for x in (element.indices, element.values, element.dense_shape)]
    if hasattr(element, "element_spec"):
        return repr(element.element_spec)
    return plain(element)


def fails(*arguments: Any) -> Any:
    raise ValueError("no")


def looked(queue: Any) -> Any:
    """What there is to see of a queue."""
    return [
        [dtype.name for dtype in queue.dtypes],
        [str(shape) for shape in queue.shapes],
        queue.names,
        queue.size(),
    ]


def used(queue: Any, use: Any) -> Any:
    """What a use of an empty queue gives, and what is in it then."""
    given = use(queue)
    size = queue.size()
    queue.close()
    left = [queue.dequeue() for _ in range(int(size))]
    return [given, size, left]


def filled(queue: Any, values: Any, use: Any) -> Any:
    """What a use of a queue with elements gives, and how many are left then."""
    queue.enqueue_many(values)
    queue.close()
    return [use(queue), queue.size()]


LIMIT = 15.0


class Worker:
    """A process that runs programs, begun anew after one that ends it or takes too long."""

    def __init__(self, library: str) -> None:
        self.library = library
        self.process: subprocess.Popen[str] | None = None

    def answer(self, program: str) -> Any:
        if self.process is None:
            self.process = subprocess.Popen(
                [sys.executable, str(Path(__file__).resolve()), "work", self.library],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
            )
            assert self._line(120.0) == "ready\n"
        assert self.process.stdin is not None
        self.process.stdin.write(program + "\n")
        self.process.stdin.flush()
        line = self._line(LIMIT)
        if line:
            return json.loads(line)
        self.process.kill()
        self.process.wait()
        self.process = None
        return "crashes" if line == "" else "hangs"

    def _line(self, limit: float) -> str | None:
        assert self.process is not None
        assert self.process.stdout is not None
        ready, _, _ = select.select([self.process.stdout], [], [], limit)
        return self.process.stdout.readline() if ready else None


def work(library: str) -> None:
    """What the process does."""
    import importlib
    import logging
    import os
    import resource

    resource.setrlimit(resource.RLIMIT_AS, (16 << 30, 16 << 30))
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
    tf = importlib.import_module(library)
    tf.autograph.set_verbosity(0)
    logging.disable(logging.CRITICAL)
    out = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    answers = Answers(tf)
    out.write("ready\n")
    out.flush()
    for line in sys.stdin:
        out.write(json.dumps(answers.to(line.rstrip("\n")), default=str) + "\n")
        out.flush()


def _record(file: str, library: str) -> None:
    worker = Worker(library)
    done: set[str] = set()
    if Path(file).exists():
        done = {json.loads(line)[3] for line in Path(file).read_text().splitlines()}
    with Path(file).open("a") as out:
        for number, argument, form, program in programs():
            if program not in done:
                row = [number, argument, form, program, worker.answer(program)]
                out.write(json.dumps(row) + "\n")
                out.flush()


def _compare(first: str, second: str) -> None:
    theirs, ours = (
        {row[3]: row for row in map(json.loads, Path(file).read_text().splitlines())}
        for file in (first, second)
    )
    different = [p for p in theirs if p in ours and theirs[p][4] != ours[p][4]]
    for program in different:
        print(f"{program}\n  {json.dumps(theirs[program][4])}\n  {json.dumps(ours[program][4])}")
    print(f"{len(different)} of {len(theirs)} differ")


def _keep(file: str) -> None:
    answers = {row[3]: row[4] for row in map(json.loads, Path(file).read_text().splitlines())}
    kept = [answers[program] for *_, program in programs()]
    text = json.dumps(kept, indent=0).encode()
    Path(__file__).with_name("wrong.json.gz").write_bytes(gzip.compress(text, mtime=0))


if __name__ == "__main__":
    if sys.argv[1] == "compare":
        _compare(*sys.argv[2:])
    elif sys.argv[1] == "keep":
        _keep(sys.argv[2])
    elif sys.argv[1] == "work":
        work(sys.argv[2])
    else:
        _record(sys.argv[2], sys.argv[3] if len(sys.argv) > 3 else "tensorflow")
