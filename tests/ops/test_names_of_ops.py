"""Every op that TensorFlow has an entry for in its gradient registry is here under its name, or excused.

What TensorFlow has is in ``golden/raw_ops.json.gz``, written by ``golden/record_raw_ops.py``. What the ops
do is asked by the table of samples; here is what a row cannot ask.
"""

from __future__ import annotations

import ast
import gzip
import inspect
import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import golden
import tapegrad as tf
from samples import all_samples
from tapegrad import testing
from tapegrad.annex.raw.rows import ROWS, results_of
from tapegrad.core import Op, load_ops, registry
from tapegrad.names import OPS

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
        r"StaticRegex\w+|StringNGrams|StringSplit(V2)?|Unicode(De|En)code\w*"
    ),
    "protocol buffers": r"(De|En)codeProto(V2)?",
    "queues, readers and data sets": r"Queue\w+|\w*Reader\w*|ReduceDataset",
    "sessions": r"(Delete|Get)Session\w+",
    "summaries": r"\w*Summary(V2)?",
    "lookup tables made by ops": r"\w*HashTable\w*|InitializeTable\w*|LookupTable[A-Za-z]+",
    "checkpoints of other vocabularies": r"GenerateVocabRemapping|LoadAndRemapMatrix",
    "an optimizer of linear models": r"Sdca\w+",
    "boxes drawn at random": r"SampleDistortedBoundingBox",
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
    return {*(ROWS[name].arguments.defaults if name in ROWS else registry[name].raw)}


def test_every_op_takes_tensorflows_arguments() -> None:
    names = [name for name in dir(tf.raw_ops) if not name.startswith("_")]
    assert not [name for name in names if name not in _ALL or _ALL[name]["arguments"] is None]
    lacking = {
        name: found for name in names if (found := set(_ALL[name]["arguments"]) - _arguments(name))
    }
    assert not lacking


def test_names_are_of_raw_functions() -> None:
    """Nothing that the module imports stands in the way of an op of that name."""
    names = [name for name in dir(tf.raw_ops) if not name.startswith("_")]
    assert [name for name in names if getattr(tf.raw_ops, name).__qualname__ != name] == []
    assert tf.raw_ops.Any(input=[False, True], axis=0).numpy().item() is True


@pytest.mark.parametrize("name", sorted(ROWS))
def test_row_has_tensorflows_signature(name: str) -> None:
    """Names, order and defaults."""
    signature = inspect.signature(getattr(tf.raw_ops, name))
    ours = {
        each.name: None if each.default is each.empty else repr(each.default)
        for each in signature.parameters.values()
    }
    assert ours.pop("name") == "None"
    assert list(ours.items()) == list(_ALL[name]["arguments"].items())


@pytest.mark.parametrize("name", sorted(ROWS))
def test_row_fits_its_function(name: str) -> None:
    """What the row passes is what the function takes, and nothing that it requires is left out."""
    row = ROWS[name]
    defaults, targets = row.arguments
    assert set(targets) <= set(defaults)
    assert len({*targets.values(), *row.fixed}) == len(targets) + len(row.fixed)
    names, _, _ = row.plan(tuple(defaults))
    inspect.signature(row.function).bind(**dict.fromkeys(names, 0))


@pytest.mark.parametrize(
    "name", sorted(name for name, row in ROWS.items() if row.takes is not None)
)
def test_row_says_what_its_function_does_not(name: str) -> None:
    """A row that would list the arguments of its function leaves them out."""
    row = ROWS[name]
    assert list(row.arguments.defaults.items()) != list(row.own_arguments().defaults.items())


def test_no_row_repeats_an_op() -> None:
    """An op that takes TensorFlow's arguments needs none."""
    repeated = {
        name
        for name, row in ROWS.items()
        if row.function is registry.get(name)
        and [row.arguments.targets.get(each, "_") for each in row.arguments.defaults]
        == [*row.function.inputs, *row.function.attributes]
    }
    assert not repeated


def test_nothing_imports_the_raw_names() -> None:
    """Outside the annex, only the table of public names leads to them."""
    package = Path(tf.__file__).parent
    importers = {
        str(path.relative_to(package))
        for path in package.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
        if (isinstance(node, ast.ImportFrom) and _is_raw(f"{node.module}", node.names))
        or (isinstance(node, ast.Import) and any(_is_raw(each.name, []) for each in node.names))
    }
    assert importers
    assert not {each for each in importers if not each.startswith("annex/")}


def _is_raw(module: str, names: list[ast.alias]) -> bool:
    """Whether an import from ``module`` gets something of the package of raw names."""
    raw = "tapegrad.annex.raw"
    return any(
        f"{each}.".startswith(f"{raw}.")
        for each in (module, *(f"{module}.{n.name}" for n in names))
    )


def test_ops_are_loaded_from_where_they_are_defined() -> None:
    """No module has to import another one so that the other's ops are there."""
    load_ops()
    types = [type for listed in OPS.values() for type in listed.split()]
    ours = {type for type, op in registry.items() if op.__module__.startswith("tapegrad.")}
    assert ours - {*types} == set()
    assert {type for type in ours if types.count(type) > 1} == set()
    for module, listed in OPS.items():
        if not ours & {*listed.split()}:
            # It defines no op, and says of a function what ops say of themselves.
            assert "@says(" in inspect.getsource(sys.modules[f"tapegrad.{module}"])


def test_an_op_is_loaded_without_the_others() -> None:
    program = (
        "import sys, tapegrad as tf\n"
        "tf.raw_ops.Relu(features=[1.0]), tf.raw_ops.MatMul(a=[[1.0]], b=[[1.0]])\n"
        "tf.raw_ops.DepthwiseConv2dNative, tf.raw_ops.ResourceScatterNdMax\n"
        "print(*[name for name in sys.modules if name.startswith('tapegrad.ops.')])\n"
    )
    result = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    loaded = result.stdout.split()
    assert {"tapegrad.ops.nn.depthwise", "tapegrad.ops.program.variables"} <= {*loaded}
    assert [
        name for name in loaded if name.startswith(("tapegrad.ops.image.", "tapegrad.ops.sparse."))
    ] == []


@pytest.mark.parametrize("name", ["Gather", "MatMul"])
def test_arguments_of_a_row_are_checked(name: str) -> None:
    raw = getattr(tf.raw_ops, name)
    first, second = list(_ALL[name]["arguments"])[:2]
    with pytest.raises(TypeError, match=f"{name} needs {second}"):
        raw(**{first: [[1.0]]})
    with pytest.raises(
        TypeError, match=rf"{name} got unexpected arguments \['b_', 'c_'\]; it takes"
    ):
        raw(**{first: [[1.0]], second: [[1.0]]}, b_=1, c_=2)
    with pytest.raises(TypeError, match="positional"):
        raw([[1.0]])


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


def test_every_name_has_a_sample() -> None:
    """A name that is no op's own, or has a row, is called by a sample or in the table below."""
    load_ops()
    named = {str(sample.path).removeprefix("raw_ops.") for sample in all_samples()}
    named |= {sample.name.split(" ")[0] for sample in all_samples()}
    forms = {*dir(tf.raw_ops)} - {*registry} | {*ROWS}
    missing = sorted(forms - named - set(_ELSEWHERE))
    assert not missing, f"no sample calls tf.raw_ops.{', '.join(missing)}"
    assert not sorted(set(_ELSEWHERE) - forms | set(_ELSEWHERE) & named), "stale"


_ELSEWHERE = {
    "DynamicStitch": "the rows of dynamic_stitch, and with tensors below",
    **dict.fromkeys(
        (
            "Conv2D",
            "Conv2DBackpropFilter",
            "Conv2DBackpropInput",
            "MatMul",
            "StridedSlice",
            "StridedSliceGrad",
        ),
        "samples call the public functions; the raw names are compared with those below",
    ),
    **dict.fromkeys(
        (name for name in dir(tf.raw_ops) if re.match("Resource(Sparse)?Apply", name)),
        "they write variables: annex/test_training_ops.py",
    ),
    "QuantizeAndDequantize": "TensorFlow has removed the kernel: test_ops_nn_edges.py",
    "TopK": "TensorFlow has removed the kernel: test_ops_sparse_and_sets.py",
}


# --- What no sample can ask ----------------------------------------------------------------------------


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


def _normal(*shape: int) -> tf.Tensor:
    return tf.constant(np.random.default_rng(sum(shape)).standard_normal(shape))


def test_raw_product_is_matmul() -> None:
    a, b = _normal(2, 3), _normal(4, 3)
    found = tf.raw_ops.MatMul(a=a, b=b, transpose_b=True, grad_a=True)
    np.testing.assert_array_equal(found, tf.matmul(a, b, transpose_b=True))


def test_raw_convolutions_are_conv2d_and_its_gradients() -> None:
    x, kernel = _normal(2, 5, 4, 2), _normal(3, 2, 2, 3)
    with tf.GradientTape() as tape:
        tape.watch([x, kernel])
        y = tf.nn.conv2d(x, kernel, [1, 2, 1, 1], [[0, 0], [1, 0], [0, 2], [0, 0]])
    dy = _normal(*y.shape)
    by_x, by_kernel = tape.gradient(y, [x, kernel], dy)
    how = {
        "strides": [1, 2, 1, 1], "padding": "EXPLICIT", "explicit_paddings": [0, 0, 1, 0, 0, 2, 0, 0],
        "use_cudnn_on_gpu": False,
    }  # fmt: skip
    raw = tf.raw_ops
    np.testing.assert_array_equal(raw.Conv2D(input=x, filter=kernel, **how), y)
    found = raw.Conv2DBackpropInput(input_sizes=x.shape, filter=kernel, out_backprop=dy, **how)
    np.testing.assert_array_equal(found, by_x)
    found = raw.Conv2DBackpropFilter(input=x, filter_sizes=kernel.shape, out_backprop=dy, **how)
    np.testing.assert_array_equal(found, by_kernel)


def test_raw_slices_are_brackets_and_their_gradient() -> None:
    x = _normal(4, 5, 3)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = x[1:, 2, ..., tf.newaxis, ::-1]
    dy = _normal(*y.shape)
    index = {
        "begin": [1, 2, 0, 0, 0], "end": [0, 3, 0, 0, 0], "strides": [1, 1, 1, 1, -1], "begin_mask": 16,
        "end_mask": 17, "ellipsis_mask": 4, "new_axis_mask": 8, "shrink_axis_mask": 2,
    }  # fmt: skip
    np.testing.assert_array_equal(tf.raw_ops.StridedSlice(input=x, **index), y)
    found = tf.raw_ops.StridedSliceGrad(shape=x.shape, dy=dy, **index)
    np.testing.assert_array_equal(found, tape.gradient(y, x, dy))


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


def test_raw_ops_with_several_outputs_name_them():
    load_ops()
    for name in dir(tf.raw_ops):
        outputs = _ALL[name]["outputs"] if name in _ALL else []
        named = results_of(name)
        assert (named._fields if named else ()) == (tuple(outputs) if len(outputs) > 1 else ()), (
            name
        )


def test_results_of_raw_ops_are_named_after_them():
    """Also where the op behind gives a named tuple of its own, which others share."""
    raw = tf.raw_ops
    of_matrix = {"input": [[1.0, 3.0, 2.0]], "k": 2}
    sampled = {"num_true": 1, "num_sampled": 2, "unique": True, "range_max": 9}
    found = {
        "TopK": raw.TopK(**of_matrix),
        "TopKV2": raw.TopKV2(**of_matrix),
        "Unique": raw.Unique(x=[1, 1]),
        "UniqueV2": raw.UniqueV2(x=[1, 1], axis=[0]),
        "UniformCandidateSampler": raw.UniformCandidateSampler(
            true_classes=tf.constant([[1]], tf.int64), **sampled
        ),
        "SparseSlice": raw.SparseSlice(
            indices=[[0, 1]], values=[1.0], shape=[3, 2], start=[0, 0], size=[2, 2]
        ),
    }
    assert {name: type(result).__name__ for name, result in found.items()} == {n: n for n in found}


def test_named_results_of_raw_ops():
    found = tf.raw_ops.Svd(input=tf.constant([[3.0, 0.0], [0.0, 4.0]]))  # an op
    assert type(found).__name__ == "Svd"
    assert found.s.numpy().tolist() == [4.0, 3.0]
    found = tf.raw_ops.TopK(input=[1.0, 3.0, 2.0], k=2)  # a row of the table
    assert found.indices.numpy().tolist() == [1, 2]
    logits, labels = tf.constant([[0.0, 0.0]]), tf.constant([[1.0, 0.0]])
    for _ in range(3):  # replayed from the third on
        found = tf.raw_ops.SoftmaxCrossEntropyWithLogits(features=logits, labels=labels)
        assert found.backprop.numpy().tolist() == [[-0.5, 0.5]]
        assert found._replace(loss=0).loss == 0


@pytest.mark.parametrize("name", ["DynamicStitch", "ParallelDynamicStitch"])
def test_lists_of_inputs_may_be_tensors(name: str) -> None:
    """`DynamicStitch` keeps its indices as an attribute; TensorFlow has them as inputs, also in its files."""
    raw_op = getattr(tf.raw_ops, name)
    indices = [tf.constant([0, 2]), tf.constant([1])]
    data = [tf.constant([1.0, 3.0]), tf.constant([2.0])]
    with tf.GradientTape() as tape:
        tape.watch(data)
        y = raw_op(indices=indices, data=data)
    assert y.numpy().tolist() == [1.0, 2.0, 3.0]
    assert [dx.numpy().tolist() for dx in tape.gradient(y, data)] == [[1.0, 1.0], [1.0]]
    recorded = tf.function(lambda first, second: raw_op(indices=[first, second], data=data))
    assert recorded(*indices).numpy().tolist() == [1.0, 2.0, 3.0]
    assert recorded(*indices).numpy().tolist() == [1.0, 2.0, 3.0]


def test_none_stands_for_the_default_of_a_raw_argument():
    x = tf.constant([[3.0, 1.0, 2.0]])
    assert tf.raw_ops.TopKV2(input=x, k=2, sorted=None).values.numpy().tolist() == [[3.0, 2.0]]
    assert tf.raw_ops.ArgMax(input=x, dimension=1, output_type=None).dtype == tf.int64
    slope = tf.raw_ops.LeakyRelu(features=[-1.0], alpha=None, name=None).numpy()
    np.testing.assert_allclose(slope, [-0.2])
    with pytest.raises(TypeError, match="needs k too"):
        tf.raw_ops.TopK(input=x, sorted=None)
    with pytest.raises(ValueError, match="None"):
        tf.raw_ops.Neg(x=None)


@pytest.mark.parametrize("name", ["AddV2", "Sub", "Equal", "NotEqual", "Less"])
def test_the_tensor_decides_the_dtype_of_raw_operands(name: str) -> None:
    """`tf.add` alone takes the dtype of its first argument, and its raw op does not."""
    y = tf.constant([1.5], tf.float64)
    raw_op = getattr(tf.raw_ops, name)
    for x in (1.0, 1, [1.0], np.float32(1.0)):
        for found, expected in ((raw_op(x=x, y=y), (1.0, 1.5)), (raw_op(x=y, y=x), (1.5, 1.0))):
            first, second = expected
            sums = {"AddV2": 2.5, "Sub": first - second, "Less": first < second}
            assert found.numpy()[0] == sums.get(name, name == "NotEqual")
            assert found.dtype in (tf.float64, tf.bool)


def test_peepholes_that_a_raw_cell_does_not_use():
    parts = {"wci": tf.ones(2), "wcf": tf.ones(2), "wco": tf.ones(2)}
    with tf.GradientTape() as tape:
        tape.watch(parts)
        cell = tf.raw_ops.BlockLSTMV2(
            seq_len_max=tf.constant(2, tf.int64), x=tf.ones([2, 1, 3]), cs_prev=tf.zeros([1, 2]),
            h_prev=tf.zeros([1, 2]), w=tf.ones([5, 8]), b=tf.zeros(8), use_peephole=False, **parts,
        )  # fmt: skip
    for gradient in tape.gradient(cell.h, parts).values():
        assert gradient.numpy().tolist() == [0.0, 0.0]


def test_none_stands_for_flags_that_are_true_by_default():
    lower = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    found = tf.linalg.triangular_solve(lower, [[1.0], [2.0]], lower=None)
    assert found.numpy().tolist() == [[1.0], [-0.25]]
    assert tf.strings.regex_replace("aa", "a", "b", replace_global=None).numpy() == b"bb"
    boxes, scores = [[[[0.0, 0.0, 2.0, 2.0]]]], [[[0.5]]]
    found = tf.image.combined_non_max_suppression(boxes, scores, 1, 1, clip_boxes=None)
    assert found[0].numpy().tolist() == [[[0.0, 0.0, 1.0, 1.0]]]


@pytest.mark.parametrize("of", [tf.float64, tf.int64])
def test_a_tensor_decides_the_dtype_of_what_stands_before_it(of):
    matrix, row, number = [[1, 2], [3, 4]], tf.constant([5, 6], of), tf.constant(7, of)
    for found, expected in (
        (tf.linalg.set_diag(matrix, row), [[5, 2], [3, 6]]),
        (tf.linalg.diag([1, 2], padding_value=number), [[1, 7], [7, 2]]),
        (tf.linalg.diag_part(matrix, k=(0, 1), padding_value=number), [[7, 2], [1, 4]]),
        (tf.nn.bias_add(matrix, row), [[6, 8], [8, 10]]),
        (tf.pad([1, 2], [[0, 1]], constant_values=number), [1, 2, 7]),
        (tf.raw_ops.AddV2(x=matrix, y=row), [[6, 8], [8, 10]]),
    ):
        assert found.dtype is of
        assert found.numpy().tolist() == expected
