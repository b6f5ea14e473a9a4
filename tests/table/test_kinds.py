"""Arrays that are not NumPy's: every row of the sample table runs on a kind of the tests' own."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from counted import KIND, Counted, counted
from samples import Run, Sample, all_samples, cases, flatten
from samples.ask import compare, dense, gradients
from tapegrad import core
from tapegrad.core import EagerTensor


def wrapped(run: Run) -> list[Any]:
    return [EagerTensor(Counted(tensor._array)) for tensor in run.tensors(tf)]


def check_value(run: Run) -> None:
    tf.random.set_seed(1)
    try:
        expected = flatten(run(tf, run.tensors(tf)))
    except Exception as error:
        tf.random.set_seed(1)
        with pytest.raises(type(error)):
            run(tf, wrapped(run))
        return
    tf.random.set_seed(1)
    before = KIND.asked.total()
    found = flatten(run(tf, wrapped(run)))
    for place, (actual, wanted) in enumerate(zip(found, expected, strict=True)):
        compare(np.asarray(actual.numpy()), np.asarray(wanted.numpy()), run, f"result {place}")
    assert not run.arrays or KIND.asked.total() > before


def check_gradient(run: Run) -> None:
    tf.random.set_seed(1)
    try:
        expected = gradients(run)
    except Exception as error:
        tf.random.set_seed(1)
        with pytest.raises(type(error)):
            gradients(run, wrapped(run))
        return
    tf.random.set_seed(1)
    found = gradients(run, wrapped(run))
    for place, (actual, wanted) in enumerate(zip(found, expected, strict=True)):
        assert (actual is None) == (wanted is None), f"gradient {place} of {run!r}"
        if wanted is not None:
            # A NumPy run may take a rule in one pass, and round otherwise.
            compare(dense(actual), dense(wanted), run, f"gradient {place}", scale=1.0)


def check_row(sample: Sample) -> None:
    with np.errstate(all="ignore"):
        for run in cases(sample):
            check_value(run)
            if sample.differentiable:
                check_gradient(run)


@pytest.mark.parametrize("sample", all_samples(), ids=lambda row: row.name)
def test_row_runs_on_another_kind(sample: Sample) -> None:
    check_row(sample)


def test_results_are_of_the_kind():
    x = counted([1.0, 2.0])
    y = tf.tanh(x * 2.0 + tf.constant([1.0, 1.0], tf.float64))
    assert isinstance(y._array, Counted)
    np.testing.assert_allclose(y.numpy(), np.tanh([3.0, 5.0]))


def test_walk_stays_in_the_kind():
    x, b = counted(np.ones((2, 3), np.float32)), counted(np.ones(3, np.float32))
    with tf.GradientTape() as tape:
        tape.watch([x, b])
        _, second = tf.split(x * b, [1, 2], axis=1)
        y = tf.reduce_sum(second * second)
    before = KIND.asked["full"]
    dx, db = tape.gradient(y, [x, b])
    assert KIND.asked["full"] == before + 2  # ones for the target, zeros for the first part
    assert isinstance(dx._array, Counted)
    assert isinstance(db._array, Counted)
    np.testing.assert_array_equal(dx.numpy(), [[0, 2, 2], [0, 2, 2]])
    np.testing.assert_array_equal(db.numpy(), [0, 4, 4])


def test_walk_of_complex_numbers():
    z = counted([1 + 2j, 3 - 1j])
    with tf.GradientTape() as tape:
        tape.watch(z)
        y = tf.math.real(z * z)
    np.testing.assert_array_equal(tape.gradient(y, z).numpy(), [2 - 4j, 6 + 2j])


def test_second_order():
    x = counted(3.0)
    with tf.GradientTape() as outer:
        outer.watch(x)
        with tf.GradientTape() as inner:
            inner.watch(x)
            y = x * x * x
        dy = inner.gradient(y, x)
    assert outer.gradient(dy, x).numpy() == 18.0


def test_tensor_asks_the_kind():
    x = counted(np.arange(6.0).reshape(2, 3))
    before = KIND.asked["numpy"]
    assert x.shape == (2, 3)
    assert x.dtype == tf.float64
    assert x.ndim == 2
    assert len(x) == 2
    assert KIND.asked["numpy"] == before
    assert repr(x) == repr(tf.constant(x.numpy()))
    assert str(x) == str(tf.constant(x.numpy()))
    assert np.asarray(x).tolist() == [[0, 1, 2], [3, 4, 5]]
    assert float(counted(2.0)) == 2.0
    assert int(counted(2)) == 2
    assert [10, 20, 30][counted(2)] == 30
    assert bool(counted(True))
    assert [row.numpy().tolist() for row in x] == [[0, 1, 2], [3, 4, 5]]
    assert KIND.asked["numpy"] > before


def test_errors_are_those_of_numpys_arrays():
    x = counted(np.ones(3))
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        _ = x + counted(np.ones(2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="cannot compute"):
        _ = x + counted(np.ones(3, np.float32))
    with pytest.raises(tf.errors.InvalidArgumentError):
        tf.matmul(counted(np.ones((2, 3))), counted(np.ones((2, 3))))


class Closed:
    """An array that cannot be read."""


class ClosedKind(core.Kind):
    def shape(self, array: Closed) -> tuple[int, ...]:
        return (2,)

    def dtype(self, array: Closed) -> Any:
        return tf.float32


core.register_kind(Closed, ClosedKind())


def test_kind_may_refuse_its_values():
    x = EagerTensor(Closed())
    for read in (float, bool, lambda x: x.numpy(), lambda x: core.static_value(x, "test")):
        with pytest.raises(TypeError, match="Closed does not become an array of NumPy's"):
            read(x)
    with pytest.raises(TypeError, match="Closed"):
        np.asarray(x)
    assert repr(x) == "<tf.Tensor: shape=(2,), dtype=float32, held by a Closed>"
    assert f"{x}" == str(x) == repr(x)
    with pytest.raises(NotImplementedError, match="ClosedKind does not say how to run AddV2"):
        _ = x + x


def test_kinds_do_not_mix():
    with pytest.raises(TypeError, match="one kind beside NumPy's"):
        tf.add(EagerTensor(Closed()), counted(np.ones(2, np.float32)))


@pytest.mark.parametrize("array", [None, [1.0], object(), 1.0, "text"])
def test_array_of_no_known_kind_is_refused(array: Any) -> None:
    with pytest.raises(TypeError, match="is neither"):
        EagerTensor(array)


def test_result_of_no_known_kind_is_refused():
    class Wrong(core.Kind):
        def apply(self, op: Any, arrays: list[Any], attributes: tuple[Any, ...]) -> Any:
            return object()

        def shape(self, array: Any) -> tuple[int, ...]:
            return ()

        def dtype(self, array: Any) -> Any:
            return tf.float32

        def full(self, shape: Any, dtype: Any, value: Any) -> Any:
            return None

        def numpy(self, array: Any) -> Any:
            return [1.0]

    class Array:
        pass

    core.register_kind(Array, Wrong())
    x = EagerTensor(Array())
    with pytest.raises(TypeError, match="a object is neither"):
        tf.tanh(x)
    with pytest.raises(TypeError, match="gave a list"):
        x.numpy()
    with tf.GradientTape() as tape:
        tape.watch(x)
    with pytest.raises(TypeError, match="is neither"):
        tape.gradient(x, x)


def test_numpys_arrays_have_no_kind():
    with pytest.raises(ValueError, match="which the core handles itself"):
        core.register_kind(np.ma.MaskedArray, core.Kind())


def test_tensor_without_an_array_is_refused():
    for empty in (EagerTensor.__new__(EagerTensor), core.Tensor.__new__(core.Tensor)):
        for use in (bool, float, len, lambda x: x + x, lambda x: x.numpy(), lambda x: x.shape):
            with pytest.raises(TypeError):
                use(empty)


def test_op_runs_on_arrays():
    assert core.registry["AddV2"].run([np.ones(2), np.ones(2)], ()).tolist() == [2, 2]
    parts = core.registry["Unpack"].run([np.ones((2, 3))], (2, 0))
    assert [part.shape for part in parts] == [(3,), (3,)]
    with pytest.raises(TypeError, match="takes NumPy's arrays"):
        core.registry["AddV2"].run([Counted(np.ones(2)), np.ones(2)], ())
    with pytest.raises(TypeError, match="takes tensors for"):
        core.registry["AddV2"].run([np.ones(2)], ())
