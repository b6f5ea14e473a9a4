"""Every op that TensorFlow has an entry for in its gradient registry is here under its name, or excused.

What TensorFlow has is in ``golden/raw_ops.json.gz``, written by ``golden/record_raw_ops.py``. What the ops
do is asked by the table of samples; here is what a row cannot ask.
"""

from __future__ import annotations

import gzip
import inspect
import json
import re
from typing import Any

import numpy as np
import pytest

import golden
import tapegrad as tf
from samples import all_samples
from tapegrad import testing
from tapegrad.core import Op, load_ops, registry
from tapegrad.ops.raw import raw_ops

_ALL = {
    entry.pop("op"): entry
    for entry in map(
        json.loads,
        gzip.decompress((golden.FOLDER / "raw_ops.json.gz").read_bytes()).decode().splitlines(),
    )
}
_OPS = {name: entry for name, entry in _ALL.items() if entry["gradient"] is not None}

# Families of ops that are left out: what their names match, and why.
_LEFT_OUT = {
    "communication between devices": r"AllToAll|Collective\w+|CrossReplicaSum|Nccl\w+",
    "TPUs": r"TPU\w+",
    "cuDNN's own recurrent networks, which need a GPU": r"Cudnn\w+",
    "no kernel in TensorFlow on a CPU": r"CTCLossV2|GenerateBoundingBoxProposals",
    "removed from TensorFlow, which only keeps the name": r"RandomCrop",
    "matrices in compressed rows, reached through no public function": (
        r"\w*CSRSparseMatrix\w*|SparseMatrix\w+"
    ),
    "reference variables, which TensorFlow 2 does not have": (
        r"Ref[A-Z]\w+|DebugGradientRefIdentity|Assign(Add|Sub)?|Scatter(Nd)?(Add|Div|Mul|Sub|Update)"
    ),
    "branches and loops of graphs: tf.cond and tf.while_loop run eagerly": (
        r"(Stateless)?(Case|If|While)|Enter|Exit|LoopCond|Merge|NextIteration|Switch"
    ),
    "constants of graphs: tf.constant": r"Const",
    "Python functions by a number in TensorFlow's own table: tf.py_function": (r"PyFuncStateless"),
    "handles of tensor arrays in graphs: tf.TensorArray": r"TensorArray\w*",
    "lists of tensors in graphs": r"TensorList\w+",
    "stacks of graphs": r"Stack(Close|Pop|Push)?",
    "variants and optionals": r"CompositeTensorVariant\w+|Optional\w+",
    "ragged tensors": r"Ragged\w+",
    "text beyond tensors of it": (
        r"(De|En)codeBase64|Decode(Padded)?Raw|ReduceJoin|RegexReplace|String\w+"
    ),
    "protocol buffers": r"(De|En)codeProto(V2)?|ParseTensor|SerializeTensor",
    "queues, readers and data sets": r"Queue\w+|\w*Reader\w*|ReduceDataset",
    "sessions": r"(Delete|Get)Session\w+",
    "summaries": r"\w*Summary(V2)?",
    "lookup tables": r"\w*HashTable\w*|InitializeTable\w*|LookupTable\w+",
    "checkpoints of other vocabularies": r"GenerateVocabRemapping|LoadAndRemapMatrix",
    "an optimizer of linear models": r"Sdca\w+",
    "boxes drawn at random": r"SampleDistortedBoundingBox(V2)?",
}


def _missing() -> set[str]:
    return {name for name in _OPS if name not in dir(tf.raw_ops)}


def test_every_op_has_its_name() -> None:
    there = {name for name in _missing() if _OPS[name]["arguments"] is not None}
    excused = {name for name in there if any(re.fullmatch(p, name) for p in _LEFT_OUT.values())}
    assert not there - excused, f"tf.raw_ops lacks {', '.join(sorted(there - excused))}"


@pytest.mark.parametrize("family", _LEFT_OUT)
def test_family_is_left_out_as_a_whole(family: str) -> None:
    """An excuse is stale where one of its ops is there, or where there is no such op at all."""
    named = {name for name in _OPS if re.fullmatch(_LEFT_OUT[family], name)}
    assert named, "TensorFlow has no such ops"
    assert not named - _missing(), f"these are there: {', '.join(sorted(named - _missing()))}"


def _arguments(name: str) -> set[str]:
    """What `tf.raw_ops` takes here."""
    form = raw_ops.forms().get(name)
    if form is None:
        return {*registry[name].raw, *raw_ops.HINTS.get(name, ())}
    return {*inspect.signature(form).parameters} - {"name"}


def test_every_op_takes_tensorflows_arguments() -> None:
    names = [name for name in dir(tf.raw_ops) if not name.startswith("_")]
    assert not [name for name in names if name not in _ALL or _ALL[name]["arguments"] is None]
    lacking = {
        name: found for name in names if (found := set(_ALL[name]["arguments"]) - _arguments(name))
    }
    assert not lacking
    stale = {
        name for name in raw_ops.HINTS if not set(raw_ops.HINTS[name]) <= {*_ALL[name]["arguments"]}
    }
    assert not stale


def test_every_gradient_is_a_rule_or_a_refusal() -> None:
    """No op that TensorFlow has an entry for lacks one here."""
    load_ops()
    unsaid = {
        name
        for name in _OPS
        if isinstance(registry.get(name), Op) and registry[name].differentiable == "missing"
    }
    # lstsq(fast=False), which raises in TensorFlow too; raw_ops.MatrixSolveLs goes through lstsq.
    assert unsaid == {"MatrixSolveLs"}


def test_every_name_has_a_row() -> None:
    """Names of ``tf.raw_ops`` that are no op's own: each stands in the table, or in the table below."""
    load_ops()
    named = {str(sample.path).removeprefix("raw_ops.") for sample in all_samples()}
    named |= {sample.name.split(" ")[0] for sample in all_samples()}
    forms = set(dir(tf.raw_ops)) - set(registry)
    missing = sorted(forms - named - set(_ELSEWHERE))
    assert not missing, f"no row runs tf.raw_ops.{', '.join(missing)}"
    assert not sorted(set(_ELSEWHERE) - forms | set(_ELSEWHERE) & named), "stale"


_ELSEWHERE = {
    "QuantizeAndDequantize": "TensorFlow has removed the kernel: tests/test_ops_nn_more.py",
    "TopK": "TensorFlow has removed the kernel: tests/test_ops_rest.py",
}


# --- What no row can ask ----------------------------------------------------------------------------


def _cells(generator: np.random.Generator, batch: int, inputs: int, cells: int) -> dict[str, Any]:
    shapes = {
        "x": (3, batch, inputs), "cs_prev": (batch, cells), "h_prev": (batch, cells),
        "w": (inputs + cells, 4 * cells), "wci": (cells,), "wcf": (cells,), "wco": (cells,),
        "b": (4 * cells,),
    }  # fmt: skip
    return {name: generator.standard_normal(shape) for name, shape in shapes.items()}


@pytest.mark.parametrize("name", ["BlockLSTM", "BlockLSTMV2"])
def test_gradient_of_a_whole_sequence(name: str) -> None:
    """TensorFlow's is wrong in the second version: it takes the gates in the first one's order."""
    arrays = _cells(np.random.default_rng(0), 2, 3, 2)

    def run(*parts: Any) -> Any:
        named = dict(zip(arrays, parts, strict=True))
        found = getattr(tf.raw_ops, name)(seq_len_max=3, use_peephole=True, cell_clip=0.0, **named)
        return [found.cs, found.h]

    testing.check_gradient(run, *arrays.values(), order=2)


def test_versions_of_a_sequence_differ_in_the_order_of_gates() -> None:
    arrays = _cells(np.random.default_rng(1), 2, 3, 2)
    first = tf.raw_ops.BlockLSTM(seq_len_max=2, cell_clip=0.0, forget_bias=0.0, **arrays)
    order = [
        0,
        1,
        4,
        5,
        2,
        3,
        6,
        7,
    ]  # input, cell, forget, output: the second has forget before cell
    arrays |= {"w": arrays["w"][:, order], "b": arrays["b"][order]}
    second = tf.raw_ops.BlockLSTMV2(seq_len_max=2, **arrays)
    for one, other in zip(first, second, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12)
        assert not one.numpy()[2:].any()  # beyond the longest sequence


def test_print_passes_on_what_comes_in(capfd: pytest.CaptureFixture[str]) -> None:
    x = tf.constant([1.0, 2.0])
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.raw_ops.Print(input=x * 3.0, data=[tf.constant(7), x], message="now: ")
    assert tape.gradient(y, x).numpy().tolist() == [3.0, 3.0]
    assert capfd.readouterr().err == "now: [7][1 2]\n"


def test_timestamp_is_now() -> None:
    import time

    assert abs(float(tf.raw_ops.Timestamp()) - time.time()) < 60


@pytest.mark.parametrize(
    ("call", "error"),
    [
        (lambda raw: raw.BlockLSTM(seq_len_max=9, **_cells(np.random.default_rng(0), 2, 3, 2)), "9"),
        (lambda raw: raw.NthElement(input=1.0, n=0), "last dimension"),
        (lambda raw: raw.ConcatOffset(concat_dim=3, shape=[[1, 2]]), "3"),
        (
            lambda raw: raw.EditDistance(
                hypothesis_indices=[[0, 1], [0, 0]], hypothesis_values=[1, 2], hypothesis_shape=[1, 2],
                truth_indices=[[0, 0]], truth_values=[1], truth_shape=[1, 1],
            ),
            "out of order",
        ),
        (
            lambda raw: raw.SparseReorder(
                input_indices=[[0, 1, 2]], input_values=[1.0], input_shape=[2, 2]
            ),
            "indices of shape",
        ),
        (
            lambda raw: raw.SparseTensorDenseMatMul(
                a_indices=[[5, 0]], a_values=[1.0], a_shape=[2, 2], b=[[1.0], [2.0]]
            ),
            "does not index into shape",
        ),
        (
            lambda raw: raw.ParameterizedTruncatedNormal(
                shape=[2], means=[0.0, 0.0, 0.0], stdevs=1.0, minvals=-1.0, maxvals=1.0
            ),
            "vectors of 1 or 2",
        ),
        (
            lambda raw: raw.DenseToDenseSetOperation(set1=[[1]], set2=[[1]], set_operation="xor"),
            "xor",
        ),
    ],
)  # fmt: skip
def test_malformed_parts_are_named(call: Any, error: str) -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match=error):
        call(tf.raw_ops)


def test_accumulate_adds_up_and_is_differentiated() -> None:
    """TensorFlow has no kernel for it, so that no row can compare it with a recorded answer."""

    def accumulate(*inputs: Any) -> Any:
        return tf.raw_ops.AccumulateNV2(inputs=list(inputs), shape=[2])

    x, y = [1.0, 2.0], [0.5, -3.0]
    assert accumulate(tf.constant(x), tf.constant(y)).numpy().tolist() == [1.5, -1.0]
    testing.check_gradient(accumulate, x, y)
