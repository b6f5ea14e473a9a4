"""Everything a program does is an op: which ops a public call dispatches, in order, and what they do besides.

Random draws, reads and writes of variables, prints and calls of Python functions are ops like any other, and
whoever looks on at dispatch sees them.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from tapegrad import core
from tapegrad.core import Op, load_ops, registry


@contextmanager
def looking_on() -> Iterator[list[tuple[Any, list[Any], list[Any]]]]:
    """The ops that run within the block, as (op, inputs, outputs)."""
    seen: list[tuple[Any, list[Any], list[Any]]] = []

    class Onlooker(core.Observer):
        def observe(self, op: Any, inputs: Any, outputs: Any, attributes: Any) -> None:
            seen.append((op, inputs, outputs))

    with Onlooker():
        yield seen


def types_of(call: Callable[[], Any]) -> list[str]:
    with looking_on() as seen:
        call()
    return [op.type for op, _, _ in seen]


KEY = "StatelessRandomGetKeyCounter"
CLASSES = np.array([[1]])
LOGITS = np.zeros((2, 1, 3), np.float32)


def _variable(value: Any = (1.0, 2.0)) -> Any:
    return tf.Variable(value)


def _slices(values: Any = (5.0,), indices: Any = (0,)) -> Any:
    return tf.IndexedSlices(tf.constant(values), tf.constant(indices))


def _generator() -> Any:
    return tf.random.Generator.from_seed(1)


# A name for the row; what is made first, which nobody looks on at; the call; the ops it must dispatch.
ROWS: list[tuple[str, Callable[[], Any], Callable[[Any], Any], list[str]]] = [
    ("normal", tuple, lambda _: tf.random.normal([2]), ["RandomStandardNormal"]),
    (
        "normal of a mean and a deviation",
        tuple,
        lambda _: tf.random.normal([2], 1.0, 2.0),
        ["RandomStandardNormal", "Mul", "AddV2"],
    ),
    ("uniform", tuple, lambda _: tf.random.uniform([2]), ["RandomUniform"]),
    (
        "uniform of integers",
        tuple,
        lambda _: tf.random.uniform([2], 0, 9, tf.int32),
        ["RandomUniformInt"],
    ),
    ("truncated_normal", tuple, lambda _: tf.random.truncated_normal([2]), ["TruncatedNormal"]),
    ("shuffle", lambda: tf.range(3), tf.random.shuffle, ["RandomShuffle"]),
    (
        "categorical",
        lambda: tf.zeros([1, 2]),
        lambda x: tf.random.categorical(x, 2),
        ["Multinomial"],
    ),
    ("poisson", tuple, lambda _: tf.random.poisson([2], 3.0), ["RandomPoissonV2"]),
    (
        "gamma",
        tuple,
        lambda _: tf.random.gamma([2], 3.0),
        ["RandomGamma", "RealDiv", "Maximum"],
    ),
    (
        "stateless_normal",
        tuple,
        lambda _: tf.random.stateless_normal([2], [1, 2]),
        [KEY, "StatelessRandomNormalV2"],
    ),
    (
        "stateless_uniform",
        tuple,
        lambda _: tf.random.stateless_uniform([2], [1, 2]),
        [KEY, "StatelessRandomUniformV2"],
    ),
    (
        "stateless_uniform of integers",
        tuple,
        lambda _: tf.random.stateless_uniform([2], [1, 2], 0, 9, tf.int32),
        [KEY, "StatelessRandomUniformIntV2"],
    ),
    (
        "split",
        lambda: tf.constant([1, 2]),
        tf.random.split,
        [KEY, "StatelessRandomUniformFullIntV2"],
    ),
    (
        "fold_in",
        lambda: tf.constant([1, 2]),
        lambda seed: tf.random.fold_in(seed, 3),
        [KEY, "StatelessRandomUniformFullIntV2", "Pack"],
    ),
    (
        "stateless_shuffle",
        lambda: tf.range(3),
        lambda x: tf.random.experimental.stateless_shuffle(x, [1, 2]),
        [KEY, "_NumbersBetween", "StatelessShuffle", "GatherV2"],
    ),
    (
        "stateless_poisson",
        tuple,
        lambda _: tf.random.stateless_poisson([2], [1, 2], 3.0),
        ["StatelessRandomPoisson"],
    ),
    (
        "stateless_binomial",
        tuple,
        lambda _: tf.random.stateless_binomial([2], [1, 2], 3.0, 0.5),
        ["StatelessRandomBinomial"],
    ),
    (
        "stateless_categorical",
        lambda: tf.zeros([1, 2]),
        lambda x: tf.random.stateless_categorical(x, 2, [1, 2]),
        ["StatelessMultinomial"],
    ),
    (
        "index_shuffle",
        lambda: tf.constant([1, 2]),
        lambda seed: tf.random.experimental.index_shuffle(3, seed, 7),
        ["_Filled", "ConcatV2", "RandomIndexShuffle"],
    ),
    (
        "generator.normal",
        _generator,
        lambda g: g.normal([2]),
        ["StatefulStandardNormalV2"],
    ),
    (
        "generator.truncated_normal",
        _generator,
        lambda g: g.truncated_normal([2]),
        ["StatefulTruncatedNormal"],
    ),
    ("generator.uniform", _generator, lambda g: g.uniform([2]), ["StatefulUniform"]),
    (
        "generator.uniform of integers",
        _generator,
        lambda g: g.uniform([2], 0, 9, tf.int32),
        ["StatefulUniformInt"],
    ),
    (
        "generator.uniform_full_int",
        _generator,
        lambda g: g.uniform_full_int([2]),
        ["StatefulUniformFullInt"],
    ),
    (
        "generator.binomial",
        _generator,
        lambda g: g.binomial([2], 3.0, 0.5),
        ["StatefulRandomBinomial"],
    ),
    ("generator.skip", _generator, lambda g: g.skip(3), ["RngReadAndSkip"]),
    ("generator.reset_from_seed", _generator, lambda g: g.reset_from_seed(3), ["AssignVariableOp"]),
    (
        "uniform_candidate_sampler",
        tuple,
        lambda _: tf.random.uniform_candidate_sampler(CLASSES, 1, 2, False, 5),
        ["UniformCandidateSampler"],
    ),
    (
        "log_uniform_candidate_sampler",
        tuple,
        lambda _: tf.random.log_uniform_candidate_sampler(CLASSES, 1, 2, False, 5),
        ["LogUniformCandidateSampler"],
    ),
    (
        "learned_unigram_candidate_sampler",
        tuple,
        lambda _: tf.random.learned_unigram_candidate_sampler(CLASSES, 1, 2, False, 5),
        ["LearnedUnigramCandidateSampler"],
    ),
    (
        "fixed_unigram_candidate_sampler",
        tuple,
        lambda _: tf.random.fixed_unigram_candidate_sampler(
            CLASSES, 1, 2, False, 2, unigrams=[1.0, 2.0]
        ),
        ["FixedUnigramCandidateSampler"],
    ),
    (
        "all_candidate_sampler",
        tuple,
        lambda _: tf.random.all_candidate_sampler(CLASSES, 1, 2, True),
        ["AllCandidateSampler"],
    ),
    (
        "compute_accidental_hits",
        tuple,
        lambda _: tf.nn.compute_accidental_hits(CLASSES, [1, 2], 1),
        ["ComputeAccidentalHits"],
    ),
    (
        "dropout",
        lambda: tf.ones([2]),
        lambda x: tf.nn.dropout(x, 0.5),
        ["Mul", "RandomUniform", "GreaterEqual", "_KeepWhere"],
    ),
    (
        "random_flip_left_right",
        lambda: tf.ones([2, 2, 2, 1]),
        tf.image.random_flip_left_right,
        ["ReverseV2", "RandomUniform", "Rint", "Equal", "Reshape", "SelectV2"],
    ),
    (
        "ctc_greedy_decoder",
        lambda: tf.constant(LOGITS),
        lambda x: tf.nn.ctc_greedy_decoder(x, [2]),
        ["CTCGreedyDecoder", "Less", "Any"],  # no size of the sparse result is below 0
    ),
    (
        "ctc_beam_search_decoder",
        lambda: tf.constant(LOGITS),
        lambda x: tf.nn.ctc_beam_search_decoder(x, [2]),
        ["_CTCBeamSearchDecoder", "Less", "Any"],
    ),
    ("a new variable", tuple, lambda _: tf.Variable(1.0), ["AssignVariableOp"]),
    ("a variable in an op", _variable, lambda v: v * 2.0, ["ReadVariableOp", "Mul"]),
    ("value", _variable, lambda v: v.value(), ["ReadVariableOp"]),
    ("read_value", _variable, lambda v: v.read_value(), ["ReadVariableOp"]),
    ("assign", _variable, lambda v: v.assign([3.0, 4.0]), ["AssignVariableOp"]),
    ("assign_add", _variable, lambda v: v.assign_add([3.0, 4.0]), ["AssignAddVariableOp"]),
    ("assign_sub", _variable, lambda v: v.assign_sub([3.0, 4.0]), ["AssignSubVariableOp"]),
    (
        "assign_sub of a tensor",
        lambda: (_variable(), tf.ones([2])),
        lambda pair: pair[0].assign_sub(pair[1], read_value=False),
        ["AssignSubVariableOp"],
    ),
    ("sparse_read", _variable, lambda v: v.sparse_read([0]), ["ReadVariableOp", "GatherV2"]),
    ("gather_nd", _variable, lambda v: v.gather_nd([[0]]), ["ReadVariableOp", "GatherNd"]),
    (
        "assignment to a slice",
        lambda: _variable()[:1],
        lambda part: part.assign([5.0]),
        ["ResourceStridedSliceAssign"],
    ),
    *(
        (
            f"scatter_{kind.lower()}",
            lambda: (_variable(), _slices()),
            lambda pair, kind=kind: getattr(pair[0], f"scatter_{kind.lower()}")(pair[1]),
            [f"ResourceScatter{kind}"],
        )
        for kind in ("Add", "Sub", "Mul", "Div", "Max", "Min", "Update")
    ),
    *(
        (
            f"scatter_nd_{kind.lower()}",
            _variable,
            lambda v, kind=kind: getattr(v, f"scatter_nd_{kind.lower()}")([[1]], [5.0]),
            [f"ResourceScatterNd{kind}"],
        )
        for kind in ("Add", "Sub", "Max", "Min", "Update")
    ),
    (
        "batch_scatter_update",
        lambda: (_variable(np.ones((2, 2), np.float32)), _slices([[9.0], [8.0]], [[0], [1]])),
        lambda pair: pair[0].batch_scatter_update(pair[1]),
        [
            *("_NumbersBetween", "_NumbersBetween"),
            *("Reshape", "BroadcastTo", "Reshape", "BroadcastTo", "Pack"),
            "ResourceScatterNdUpdate",
        ],
    ),
    ("count_up_to", lambda: tf.Variable(0), lambda v: v.count_up_to(3), ["ResourceCountUpTo"]),
    (
        "print",
        lambda: tf.constant(1),
        lambda x: tf.print("x", x, output_stream=io.StringIO()),
        ["StringFormat", "PrintV2"],
    ),
    (
        "numpy_function",
        lambda: tf.constant(1.0),
        lambda x: tf.numpy_function(np.sin, [x], tf.float32),
        ["PyFunc"],
    ),
    (
        "py_function",
        lambda: tf.constant(1.0),
        lambda x: tf.py_function(lambda y: y * y, [x], tf.float32),
        ["Mul", "EagerPyFunc"],
    ),
    ("timestamp", tuple, lambda _: tf.timestamp(), ["Timestamp"]),
]


@pytest.mark.parametrize("row", ROWS, ids=[row[0] for row in ROWS])
def test_a_call_dispatches_these_ops(row: Any) -> None:
    _, make, call, expected = row
    made = make()
    assert types_of(lambda: call(made)) == expected


EFFECTS = {
    "draws": (
        "ExtractGlimpseV2 FixedUnigramCandidateSampler FractionalAvgPool FractionalMaxPool "
        "LearnedUnigramCandidateSampler LogUniformCandidateSampler Multinomial RandomGamma "
        "RandomPoissonV2 RandomShuffle RandomStandardNormal RandomUniform RandomUniformInt "
        "SampleDistortedBoundingBoxV2 TruncatedNormal UniformCandidateSampler _SeedOfStream"
    ),
    "reads resource": "ReadVariableOp",
    "writes resource": (
        "AssignAddVariableOp AssignSubVariableOp AssignVariableOp ResourceCountUpTo "
        "ResourceScatterAdd ResourceScatterDiv ResourceScatterMax ResourceScatterMin ResourceScatterMul "
        "ResourceScatterNdAdd ResourceScatterNdMax ResourceScatterNdMin ResourceScatterNdSub "
        "ResourceScatterNdUpdate ResourceScatterSub ResourceScatterUpdate ResourceStridedSliceAssign "
        "RngReadAndSkip StatefulRandomBinomial StatefulStandardNormalV2 StatefulTruncatedNormal "
        "StatefulUniform StatefulUniformFullInt StatefulUniformInt"
    ),
    "reads table": "LookupTableExportV2 LookupTableFindV2 LookupTableSizeV2",
    "writes table": "LookupTableImportV2 LookupTableInsertV2 LookupTableRemoveV2",
    "prints": "PrintV2",
    "calls": (
        "EagerPyFunc MatchingFiles PyFunc ReadFile Timestamp WriteFile "
        "_AllGather _AllReduceExtreme _AllReduceSum _AllReduceSumMany _Broadcast _ReduceScatter"
    ),
}


def test_these_ops_have_an_effect() -> None:
    load_ops()
    found: dict[str, set[str]] = {}
    for name, op in registry.items():
        if isinstance(op, Op) and op.effect is not None:
            found.setdefault(op.effect, set()).add(name)
    assert found == {effect: set(names.split()) for effect, names in EFFECTS.items()}


def test_an_effect_names_the_attribute_that_holds_the_variable() -> None:
    load_ops()
    for op in registry.values():
        if isinstance(op, Op) and (op.effect or "").startswith(("reads", "writes")):
            _, attribute = str(op.effect).split(" ")
            assert attribute in op.attributes


# --- What those who look on are told ------------------------------------------------------------------


def test_those_who_look_on_see_what_is_written_and_read() -> None:
    v, delta = tf.Variable([1.0, 2.0]), tf.constant([10.0, 20.0])
    with looking_on() as seen:
        v.assign_add(delta)
        w = v.value()
    (add, inputs, outputs), (read, _, values) = seen
    assert (add.effect, read.effect) == ("writes resource", "reads resource")
    assert inputs[0] is delta
    assert outputs == []
    assert values[0] is w
    assert w.numpy().tolist() == [11.0, 22.0]


def test_a_tape_records_no_reading_of_a_variable() -> None:
    v = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = v * v
    assert tape.gradient(y, v).numpy() == 6.0
    assert tape.watched_variables() == (v,)


def test_what_somebody_saw_does_not_change_with_the_variable() -> None:
    v = tf.Variable([1.0, 2.0])
    with looking_on() as seen:
        v * 1.0
    v.assign_add([1.0, 1.0])
    assert seen[0][2][0].numpy().tolist() == [1.0, 2.0]


# --- The ops themselves, called again as whoever recorded them would --------------------------------


def test_a_draw_that_is_repeated_draws_on() -> None:
    op = registry["RandomUniform"]
    attributes = ((2,), tf.float32, None, 3, tf.int32)
    tf.random.set_seed(1)
    expected = [tf.random.uniform([2], seed=3).numpy().tolist() for _ in range(2)]
    tf.random.set_seed(1)
    assert [op.apply([], attributes).numpy().tolist() for _ in range(2)] == expected


def test_a_draw_without_a_seed_of_its_own_takes_the_next_one() -> None:
    op = registry["RandomStandardNormal"]
    tf.random.set_seed(1)
    expected = [tf.random.normal([2]).numpy().tolist() for _ in range(3)]
    tf.random.set_seed(1)
    found = [op.apply([], ((2,), tf.float32, None, None, tf.int32)) for _ in range(3)]
    assert [tensor.numpy().tolist() for tensor in found] == expected


def test_a_draw_of_a_generator_moves_its_state_on() -> None:
    g, h = _generator(), _generator()
    op = registry["StatefulUniform"]
    found = [op.apply([], (g.state, 1, (2,), tf.float32)).numpy().tolist() for _ in range(2)]
    assert found == [h.uniform([2]).numpy().tolist() for _ in range(2)]
    assert g.state.numpy().tolist() == h.state.numpy().tolist()


def test_writes_repeated_write_again() -> None:
    v = tf.Variable([1.0, 2.0])
    assert registry["AssignAddVariableOp"].apply([tf.constant([1.0, 1.0])], (v,)) is None
    assert v.numpy().tolist() == [2.0, 3.0]
    registry["AssignSubVariableOp"].apply([tf.constant([2.0, 0.0])], (v,))
    registry["ResourceScatterAdd"].apply([tf.constant([1]), tf.constant([5.0])], (v,))
    assert v.numpy().tolist() == [0.0, 8.0]
    registry["AssignVariableOp"].apply([tf.constant([7.0, 7.0])], (v,))
    assert registry["ReadVariableOp"].apply([], (v,)).numpy().tolist() == [7.0, 7.0]


@pytest.mark.parametrize("name", ["AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"])
@pytest.mark.parametrize("value", [[1, 2], [1.0, 2.0, 3.0], ["a", "b"]])
def test_an_op_refuses_what_does_not_fit_its_variable(name: str, value: Any) -> None:
    v = tf.Variable([1.0, 2.0])
    with pytest.raises(tf.errors.InvalidArgumentError):
        registry[name].apply([tf.constant(value)], (v,))
    assert v.numpy().tolist() == [1.0, 2.0]


def test_no_variable_is_no_resource() -> None:
    with pytest.raises(tf.errors.InvalidArgumentError, match="expects the handle of a variable"):
        registry["AssignVariableOp"](1.0, resource=2.0)


def test_calls_of_functions_can_be_repeated() -> None:
    x = tf.constant(3.0)
    (doubled,) = registry["PyFunc"].apply([x], (lambda y: y * np.float32(2), tf.float32))
    (squared,) = registry["EagerPyFunc"].apply([x], (lambda y: y * y, tf.float32, False))
    assert (float(doubled), float(squared)) == (6.0, 9.0)


def test_what_a_function_raises_is_the_users_in_eager_code() -> None:
    def fail(x: Any) -> Any:
        raise ValueError("mine")

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"^ValueError: mine \[Op:PyFunc\]$"):
        registry["PyFunc"].apply([tf.constant(1.0)], (fail, tf.float32))
    with pytest.raises(ValueError, match=r"^mine$"):
        tf.numpy_function(fail, [1.0], tf.float32)


def test_a_printed_text_may_look_like_the_place_of_a_tensor() -> None:
    out = io.StringIO()
    tf.print("{} <{}>", tf.constant(1), {"{}": tf.constant([2])}, sep=" {} ", output_stream=out)
    assert out.getvalue() == "{} <{}> {} 1 {} {'{}': [2]}\n"


def test_raw_prints_and_formats(capsys: pytest.CaptureFixture[str]) -> None:
    text = tf.raw_ops.StringFormat(inputs=[[1, 2], 3], template="a %s b %s")
    tf.raw_ops.PrintV2(input=text, output_stream="stdout", end="!")
    assert capsys.readouterr().out == "a [1 2] b 3!"
    with pytest.raises(tf.errors.InvalidArgumentError, match="2 places for tensors; 1 tensors"):
        tf.raw_ops.StringFormat(inputs=[1], template="%s %s")


def test_labels_are_collapsed_and_counted_by_ops() -> None:
    assert types_of(lambda: tf.nn.collapse_repeated([[1, 1, 2]], [3])) == ["_CollapseRepeated"]
    assert types_of(lambda: tf.nn.ctc_unique_labels([[1, 1, 2]])) == ["_UniqueLabels"]
