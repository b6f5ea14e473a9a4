"""A size of an argument, given to a function of the library: Python runs once for all sizes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from tests.functions.test_sized_programs import Counted

import tapegrad as tf

FUNCTIONS: dict[str, Callable[[Any, Any], Any]] = {
    "eye": lambda x, n: tf.eye(n, n + 1),
    "eye of a tensor": lambda x, n: tf.eye(tf.shape(x)[0]),
    "batch of eyes": lambda x, n: tf.eye(2, batch_shape=[n]),
    "one_hot": lambda x, n: tf.one_hot([0, 1], n),
    "range": lambda x, n: tf.range(1, n + 1),
    "linspace": lambda x, n: tf.linspace(0.0, 1.0, n),
    "tile": lambda x, n: tf.tile(x, [n, 1]),
    "sequence_mask": lambda x, n: tf.sequence_mask([1, 2], n),
    "fill": lambda x, n: tf.fill([n, 2], 1.0),
    "zeros": lambda x, n: tf.zeros([n]),
    "stateless_uniform": lambda x, n: tf.random.stateless_uniform([n], [1, 2]),
    "stateless_normal": lambda x, n: tf.random.stateless_normal([n, n], [1, 2]),
    "reshape": lambda x, n: tf.reshape(x, [n * 3]),
    "broadcast_to": lambda x, n: tf.broadcast_to(x[:1], [n, 3]),
    "top_k": lambda x, n: tf.math.top_k(x[:, 0], n - 1).values,
    "slice": lambda x, n: tf.slice(x, [0, 0], [n - 1, 2]),
    "pad": lambda x, n: tf.pad(x, [[n, 0], [0, n]]),
    "roll": lambda x, n: tf.roll(x, n - 1, 0),
    "gather": lambda x, n: tf.gather(x, n - 1),
    "index": lambda x, n: x[n - 1],
    "diag": lambda x, n: tf.linalg.diag(x[:, 0], num_rows=n + 1),
    "bincount": lambda x, n: tf.math.bincount([0, 1], minlength=n),
    "unsorted_segment_sum": lambda x, n: tf.math.unsorted_segment_sum(x, tf.range(n) % 2, n),
    "scatter_nd": lambda x, n: tf.scatter_nd([[0]], [1.0], [n]),
    "frame": lambda x, n: tf.signal.frame(tf.reshape(x, [-1]), n, 1),
    "resize": lambda x, n: tf.image.resize(x[None, :, :, None], [n * 2, n]),
    "histogram": lambda x, n: tf.histogram_fixed_width(x, [0.0, 1.0], nbins=n),
    "cast": lambda x, n: tf.cast(n, tf.float32) * x,
    "constant": lambda x, n: tf.constant([n, 2]),
    "stack": lambda x, n: tf.stack([n, n + 1]),
    "quotient": lambda x, n: x / n + x * (n // 2),
    "power": lambda x, n: tf.pow(x, n),
    "maximum": lambda x, n: tf.maximum(n, 3),
    "shape": lambda x, n: tf.TensorShape([n, 3]).as_list()[1] * x,
    "condition": lambda x, n: tf.where(n > 2, x, -x),
    "crop or pad": lambda x, n: tf.image.resize_with_crop_or_pad(x[None, :, :, None], n, 2),
    "noise_shape": lambda x, n: tf.nn.dropout(x, 0.0, noise_shape=[n, 1]),
    "ensure_shape": lambda x, n: tf.ensure_shape(x * 2.0, [n, 3]) + tf.ensure_shape(x, x.shape),
    "rfft": lambda x, n: tf.signal.rfft(x[:, 0], [n]),
    "confusion_matrix": lambda x, n: tf.math.confusion_matrix([0, 1], [0, 1], n),
    "set_diag": lambda x, n: tf.linalg.set_diag(tf.zeros([n, n]), tf.ones([n])),
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_python_runs_once(name: str) -> None:
    function = FUNCTIONS[name]
    counted = Counted(lambda x: function(x, x.shape[0]), input_signature=[tf.TensorSpec([None, 3])])
    for rows in (4, 5, 4, 6, 7, 8):
        counted.agrees(tf.reshape(tf.range(rows * 3.0), [rows, 3]) + 1.0)
    assert counted.runs == 1
