"""`tf.test`: a class of test cases that compare tensors, and gradients by finite differences.

`tapegrad.testing` is next door. Its checks of gradients are numerically better, and their errors say more.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import math
import os
import random
import re
import tempfile
import unittest
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.annex.assertions import Assertions
from tapegrad.autodiff.tape import GradientTape, UnconnectedGradients
from tapegrad.core import Operand, static_value
from tapegrad.framework import nest, random_state
from tapegrad.framework.convert import convert_to_tensor
from tapegrad.framework.indexed_slices import IndexedSlices
from tapegrad.framework.names import current_graph, executing_eagerly
from tapegrad.ops.sparse.sparse_tensor import SparseTensor, SparseTensorValue
from tapegrad.ragged.ragged_tensor import RaggedTensor
from tapegrad.symbolic.graphs import Graph, get_default_graph, reset_default_graph
from tapegrad.symbolic.nests import holds_symbolic
from tapegrad.symbolic.sessions import Session

PUBLIC = {
    "test": "compute_gradient",
    "test compat.v1.test": "disable_with_predicate main TestCase with_eager_op_as_function",
    "compat.v1.test": "get_temp_dir",
}

Array = np.ndarray[Any, Any]
DELTA = 1 / 1024


def main(argv: list[str] | None = None) -> None:
    """Run the tests of the program, as `unittest.main` does.

    Args:
        argv: the arguments of the command line, the name of the program first; None for those of the process.
    """
    unittest.main(argv=argv)


def get_temp_dir() -> str:
    """A folder for files of tests: one for the process, which is removed when the process ends."""
    return _folder_of_process()


@functools.cache
def _folder_of_process() -> str:
    folder = tempfile.TemporaryDirectory(prefix="tapegrad-tests-")
    atexit.register(folder.cleanup)
    return folder.name


def disable_with_predicate(
    pred: Callable[[], Any], skip_message: str
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """A decorator of tests, which are skipped, with ``skip_message``, if ``pred()`` is true when they run.

    Args:
        pred: a function without arguments.
        skip_message: why the test is skipped.
    """

    def decorator(test: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(test)
        def asking(self: unittest.TestCase, *args: Any, **kwargs: Any) -> Any:
            if pred():
                self.skipTest(skip_message)
            return test(self, *args, **kwargs)

        return asking

    return decorator


def with_eager_op_as_function(cls: Any = None, only_as_function: bool = False) -> Any:
    """The class of test cases as it is: there is one way to run an op. Without a class, the decorator.

    Args:
        cls: a class of test cases, or None.
        only_as_function: accepted, and of no effect.
    """
    return cls if cls is not None else with_eager_op_as_function


class EagerSession:
    """What a test case has for a session in eager code: fetches are evaluated."""

    def __init__(self, case: TestCase) -> None:
        self._case = case

    def run(self, fetches: Any, *args: Any, **kwargs: Any) -> Any:
        """The values of ``fetches``, in their nest. NotImplementedError if anything is fed."""
        if args or kwargs.get("feed_dict"):
            raise NotImplementedError(
                "`feed_dict` is not supported when eager execution is enabled, where "
                "`session.run(tensor)` is `tensor.numpy()`."
            )
        return self._case.evaluate(fetches)


class CapturedWrites:
    """What a block of `TestCase.captureWritesToStream` has captured."""

    def __init__(self, stream: Any, file: Any) -> None:
        self._stream, self._file = stream, file
        self._whole: str | None = None

    def contents(self) -> str:
        """The text so far."""
        if self._whole is not None:
            return self._whole
        self._stream.flush()
        self._file.seek(0, os.SEEK_END)
        size = self._file.tell()
        self._file.seek(0)
        text: bytes = self._file.read(size)
        return text.decode()

    def end(self) -> None:
        """Keep the text: the block has ended."""
        self._whole = self.contents()


# The seed of TensorFlow's graphs, with which its test cases begin.
SEED = 87654321


class TestCase(Assertions):
    """A test case of Python's unittest with assertions about tensors.

    >>> class TestSquare(tf.test.TestCase):
    ...     def test_square(self):
    ...         self.assertAllEqual(tf.square([1, 2]), [1, 4])
    >>> TestSquare("test_square").run().wasSuccessful()
    True
    """

    __test__ = False  # pytest collects subclasses, and not this class
    _session: Session | None = None  # the one that `cached_session` made last

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        cls.__test__ = vars(cls).get("__test__", True)

    def setUp(self) -> None:
        """Seed what draws, here, in NumPy and in Python: a test draws the same, whatever ran before."""
        super().setUp()
        random.seed(SEED)
        np.random.seed(SEED)
        if current_graph() is None:
            reset_default_graph()  # Keras 2 numbers the names of layers in each graph
        random_state.set_seed(SEED)

    # Values

    def evaluate(self, tensors: Any) -> Any:
        """The nest with arrays instead of tensors. A session runs those that have no values, in a graph.

        Outside of graphs, what can be called is called first.
        """
        leaves = nest.flatten(tensors)
        if executing_eagerly():
            leaves = [self.evaluate(leaf()) if callable(leaf) else leaf for leaf in leaves]
        without = [leaf for leaf in leaves if holds_symbolic(leaf)]
        if without:
            values = iter(Session().run(without))
            leaves = [next(values) if holds_symbolic(leaf) else leaf for leaf in leaves]
        return nest.pack_sequence_as(tensors, [self._parts_or_array(leaf) for leaf in leaves])

    def _parts_or_array(self, value: Any) -> Any:
        if isinstance(value, SparseTensor) and not holds_symbolic(value):
            parts = (value.indices, value.values, value.dense_shape)
            return SparseTensorValue(*[self._numpy(part) for part in parts])
        array = self._numpy(value)
        # As numpy() gives them: a scalar is none that `-=` writes into.
        return array[()] if isinstance(array, np.ndarray) else array

    def _numpy(self, value: Any) -> Any:
        if holds_symbolic(value):
            return self.evaluate(value)
        if isinstance(value, (IndexedSlices, RaggedTensor, SparseTensor)):
            return value
        return static_value(convert_to_tensor(value), "tf.test") if _is_tensor(value) else value

    def _array(self, value: Any) -> Array:
        """A tensor, a list of tensors or anything that NumPy takes, as an array."""
        try:
            if isinstance(value, (list, tuple)) and any(map(_is_tensor, nest.flatten(value))):
                return np.array([self._array(item) for item in value])
            return np.asarray(self._numpy(value))
        except ValueError:
            return np.asarray(_rows(value), object)  # lists of several lengths

    # Libraries that extend the class call it by TensorFlow's name.
    _GetNdArray = _array

    @contextlib.contextmanager
    def captureWritesToStream(self, stream: Any) -> Iterator[CapturedWrites]:
        """A block in which what is written to ``stream``, such as `sys.stderr`, is captured.

        Args:
            stream: a file with a descriptor, or one that Python or pytest has put in the place of
                `sys.stdout` or `sys.stderr`.
        """
        stream.flush()
        target = stream.fileno()
        with tempfile.TemporaryFile(dir=self.get_temp_dir()) as file:
            captured = CapturedWrites(stream, file)
            before = os.dup(target)
            os.dup2(file.fileno(), target)
            try:
                yield captured
            finally:
                captured.end()
                os.dup2(before, target)
                os.close(before)

    @contextlib.contextmanager
    def session(self, graph: Graph | None = None, **kwargs: Any) -> Iterator[Any]:
        """The default session of a graph, by default of that whose block is open; eager code has one too."""
        if executing_eagerly():
            yield EagerSession(self)
        else:
            with Session(graph=graph) as session:
                yield session

    @contextlib.contextmanager
    def cached_session(self, graph: Graph | None = None, **kwargs: Any) -> Iterator[Any]:
        """The same, but blocks of a test for one graph have one session."""
        if executing_eagerly():
            yield EagerSession(self)
            return
        wanted = get_default_graph() if graph is None else graph
        if self._session is None or self._session.graph is not wanted:
            self._session = Session(graph=wanted)
        with wanted.as_default(), self._session.as_default():
            yield self._session

    def test_session(self, *args: Any, **kwargs: Any) -> Any:
        """The same as above. It is no test, although its name begins with "test"."""
        if self._testMethodName == "test_session":
            self.skipTest("Not a test.")
        return self.session(*args, **kwargs)

    test_session.__test__ = False  # type: ignore[attr-defined]  # for pytest

    # Equality

    def assertAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Pass if both have the same shape and the same elements. NaN is equal to NaN."""
        if isinstance(a, RaggedTensor) or isinstance(b, RaggedTensor):
            self._compare_ragged(a, b, lambda one, other: self.assertAllEqual(one, other, msg), msg)
            return
        a, b = self._same_shape(a, b, msg)
        same = a == b
        if a.dtype.kind in "fc" and b.dtype.kind in "fc":
            same = same | (np.isnan(a) & np.isnan(b))
        self._all(same, a, b, "not equal", msg)

    def assertDictEqual(self, d1: Any, d2: Any, msg: str | None = None) -> None:
        """Pass if two dictionaries have the same keys and values: equal ones, or numbers that are close."""
        self.assertEqual(d1.keys(), d2.keys(), msg)
        for key, value in d1.items():
            if self._array(value).dtype.kind in "fcV":
                self.assertAllClose(value, d2[key], msg=msg or key)
            else:
                self.assertAllEqual(value, d2[key], msg or key)

    def assertNotAllEqual(self, a: Any, b: Any, msg: str | None = None) -> None:
        """Pass if shapes or elements differ."""
        self._differ(lambda: self.assertAllEqual(a, b), "The values are equal", msg)

    def assertAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Pass if two nests are equal but for ``atol + rtol * abs(b)``."""
        if isinstance(a, dict) or isinstance(b, dict):
            self.assertIsInstance(a, dict, msg)
            self.assertEqual(set(a), set(b), msg)
            for key in a:
                self.assertAllClose(a[key], b[key], rtol, atol, msg)
            return
        if isinstance(a, RaggedTensor) or isinstance(b, RaggedTensor):
            self._compare_ragged(
                a, b, lambda one, other: self.assertAllClose(one, other, rtol, atol, msg), msg
            )
            return
        lists = (list, tuple)
        if isinstance(a, lists) and isinstance(b, lists) and _is_ragged(a, b):
            self.assertEqual(len(a), len(b), msg)
            for one, other in zip(a, b, strict=True):
                self.assertAllClose(one, other, rtol, atol, msg)
            return
        a, b = self._same_shape(a, b, msg)
        if a.dtype.kind not in "biufc":  # float16's kin, which NumPy does not count as numbers
            a, b = a.astype(np.float64), b.astype(np.float64)
        if {a.dtype.name, b.dtype.name} & {"float16"}:
            rtol, atol = max(rtol, 1e-3), max(atol, 1e-3)
        self._all(np.isclose(a, b, rtol, atol, equal_nan=True), a, b, "not close", msg)

    def assertNotAllClose(
        self, a: Any, b: Any, rtol: float = 1e-6, atol: float = 1e-6, msg: str | None = None
    ) -> None:
        """Pass if `assertAllClose` fails."""
        self._differ(lambda: self.assertAllClose(a, b, rtol, atol), "The values are close", msg)

    def assertAllCloseAccordingToType(
        self,
        a: Any,
        b: Any,
        rtol: float = 1e-6,
        atol: float = 1e-6,
        float_rtol: float = 1e-6,
        float_atol: float = 1e-6,
        half_rtol: float = 1e-3,
        half_atol: float = 1e-3,
        bfloat16_rtol: float = 1e-2,
        bfloat16_atol: float = 1e-2,
        msg: str | None = None,
    ) -> None:
        """`assertAllClose` with the tolerances for the least precise dtype of the two."""
        names = {self._array(a).dtype.name, self._array(b).dtype.name}
        if names & {"float32", "complex64"}:
            rtol, atol = max(rtol, float_rtol), max(atol, float_atol)
        if "float16" in names:
            rtol, atol = max(rtol, half_rtol), max(atol, half_atol)
        if "bfloat16" in names:
            rtol, atol = max(rtol, bfloat16_rtol), max(atol, bfloat16_atol)
        self.assertAllClose(a, b, rtol, atol, msg)

    def _compare_ragged(
        self, a: Any, b: Any, compare: Callable[[Any, Any], None], msg: str | None
    ) -> None:
        """Pass if two ragged tensors, or one and a list, have equally long rows that ``compare`` passes."""
        axes = {
            value.ragged_rank if isinstance(value, RaggedTensor) else 0
            for value in (a, b)
            if not isinstance(value, (list, tuple))
        }
        if len(axes) > 1:
            self.fail(
                self._formatMessage(msg, f"The numbers of ragged axes differ: {sorted(axes)}")
            )
        self._compare_rows(_rows(a), _rows(b), compare, msg)

    def _compare_rows(
        self, a: Any, b: Any, compare: Callable[[Any, Any], None], msg: str | None
    ) -> None:
        if not (isinstance(a, list) and isinstance(b, list)):
            self.assertFalse(isinstance(a, list) or isinstance(b, list), msg)
            compare(a, b)
            return
        self.assertEqual(len(a), len(b), msg)
        if any(isinstance(part, list) for part in (*a, *b)):
            for one, other in zip(a, b, strict=True):
                self._compare_rows(one, other, compare, msg)
        else:
            compare(a, b)

    def _same_shape(self, a: Any, b: Any, msg: str | None) -> tuple[Array, Array]:
        a, b = self._array(a), self._array(b)
        if a.shape != b.shape:
            self.fail(self._formatMessage(msg, f"Shapes differ: {a.shape} and {b.shape}"))
        if a.dtype.kind in "OSU" and b.dtype.kind in "OSU":
            a, b = _encoded(a), _encoded(b)
        return a, b

    def _all(self, good: Any, a: Array, b: Any, what: str, msg: str | None) -> None:
        good = np.asarray(good)
        if good.all():
            return
        place = tuple(int(i) for i in np.argwhere(~good)[0])
        other = f" and {b[place]!r}" if isinstance(b, np.ndarray) else f", expected {b}"
        text = (
            f"{np.sum(~good)} of {good.size} elements are {what}; at {place}: {a[place]!r}{other}"
        )
        self.fail(self._formatMessage(msg, text))

    def _differ(self, check: Callable[[], None], text: str, msg: str | None) -> None:
        try:
            check()
        except AssertionError:
            return
        self.fail(self._formatMessage(msg, text))

    # Order, sets, shapes, dtypes

    def assertAllGreater(self, a: Any, comparison_target: Any) -> None:
        """Pass if all elements are greater."""
        a = self._array(a)
        self._all(a > comparison_target, a, f"> {comparison_target}", "too small", None)

    def assertAllGreaterEqual(self, a: Any, comparison_target: Any) -> None:
        """Pass if all elements are greater or equal."""
        a = self._array(a)
        self._all(a >= comparison_target, a, f">= {comparison_target}", "too small", None)

    def assertAllLess(self, a: Any, comparison_target: Any) -> None:
        """Pass if all elements are less."""
        a = self._array(a)
        self._all(a < comparison_target, a, f"< {comparison_target}", "too large", None)

    def assertAllLessEqual(self, a: Any, comparison_target: Any) -> None:
        """Pass if all elements are less or equal."""
        a = self._array(a)
        self._all(a <= comparison_target, a, f"<= {comparison_target}", "too large", None)

    def assertAllInRange(
        self,
        target: Any,
        lower_bound: Any,
        upper_bound: Any,
        open_lower_bound: bool = False,
        open_upper_bound: bool = False,
    ) -> None:
        """Pass if all elements lie between the bounds."""
        a = self._array(target)
        within_lower = a > lower_bound if open_lower_bound else a >= lower_bound
        below = a < upper_bound if open_upper_bound else a <= upper_bound
        self._all(within_lower & below, a, f"{lower_bound} to {upper_bound}", "out of range", None)

    def assertAllInSet(self, target: Any, expected_set: Any) -> None:
        """Pass if all elements are in the set."""
        a = self._array(target)
        self._all(np.isin(a, [*expected_set]), a, f"one of {expected_set}", "not in the set", None)

    def assertShapeEqual(self, input_a: Any, input_b: Any, msg: str | None = None) -> None:
        """Pass if both have the same shape."""
        self.assertEqual(tuple(input_a.shape), tuple(input_b.shape), msg)

    def assertDTypeEqual(self, target: Any, expected_dtype: Any) -> None:
        """Pass if the dtype is the expected one."""
        actual_dtype = target.dtype if hasattr(target, "dtype") else self._array(target).dtype
        self.assertEqual(dtypes.as_dtype(actual_dtype), dtypes.as_dtype(expected_dtype))

    def assertNear(self, f1: float, f2: float, err: float, msg: str | None = None) -> None:
        """Pass if two numbers differ by at most ``err``, or are equal infinities.

        An array with one element is a number.
        """
        f1, f2 = np.squeeze(self._numpy(f1)), np.squeeze(self._numpy(f2))
        self.assertTrue(
            f1 == f2 or math.fabs(f1 - f2) <= err, msg or f"{f1} and {f2}, more than {err}"
        )

    def assertArrayNear(
        self, farray1: Any, farray2: Any, err: float, msg: str | None = None
    ) -> None:
        """Pass if two lists of numbers differ by at most ``err``."""
        self.assertEqual(len(farray1), len(farray2), msg)
        for one, other in zip(farray1, farray2, strict=True):
            self.assertNear(float(one), float(other), err, msg)

    def assertNDArrayNear(
        self, ndarray1: Any, ndarray2: Any, err: float, msg: str | None = None
    ) -> None:
        """Pass if the norm of the difference is at most ``err``."""
        norm = float(np.sqrt(np.sum(np.abs(self._array(ndarray1) - self._array(ndarray2)) ** 2)))
        self.assertLessEqual(norm, err, msg)

    # Errors

    @contextlib.contextmanager
    def assertRaisesWithPredicateMatch(
        self, exception_type: Any, expected_err_re_or_predicate: Any
    ) -> Iterator[None]:
        """Pass if the block raises, and the regular expression or function matches the error."""
        try:
            yield
        except exception_type as error:
            matches = (
                expected_err_re_or_predicate(error)
                if callable(expected_err_re_or_predicate)
                else re.search(expected_err_re_or_predicate, str(error))
            )
            if not matches:
                self.fail(f"{error!r} does not match {expected_err_re_or_predicate!r}")
        else:
            self.fail(f"{exception_type} not raised")

    def assertRaisesOpError(self, expected_err_re_or_predicate: Any) -> Any:
        """Pass if the block raises a `tf.errors.OpError` that the expression or function matches."""
        return self.assertRaisesWithPredicateMatch(errors.OpError, expected_err_re_or_predicate)

    def assertRaisesIncompatibleShapesError(
        self, exception_type: Any = errors.InvalidArgumentError
    ) -> Any:
        """Pass if the block raises an error about shapes that do not fit."""
        return self.assertRaisesRegex(exception_type, "[Ii]ncompatible|shape|broadcast")


def _is_tensor(value: Any) -> bool:
    return isinstance(value, Operand) or hasattr(type(value), "__tf_tensor__")


def _rows(value: Any) -> Any:
    """A ragged tensor, a tensor or a list of them as lists in lists."""
    if isinstance(value, (list, tuple)):
        return [_rows(part) for part in value]
    if isinstance(value, RaggedTensor):
        return value.to_list()
    if _is_tensor(value):
        value = static_value(convert_to_tensor(value), "tf.test")
    return value.tolist() if isinstance(value, (np.ndarray, np.generic)) else value


def _is_ragged(*values: Any) -> bool:
    """Whether a list holds what does not make one array, such as tensors of several shapes."""
    try:
        return any(
            any(isinstance(item, (dict, RaggedTensor)) for item in value)
            or len({np.shape(item) for item in value}) > 1
            for value in values
        )
    except ValueError:
        return True  # a list in it makes no array


def _encoded(array: Array) -> Array:
    """An array of texts as one of bytes."""
    flat = [item.encode() if isinstance(item, str) else item for item in array.ravel().tolist()]
    result = np.empty(len(flat), object)
    result[:] = flat
    return result.reshape(array.shape)


def compute_gradient(
    f: Callable[..., Any], x: Sequence[Any], delta: float | None = None
) -> tuple[tuple[Array, ...], tuple[Array, ...]]:
    """The derivatives of all elements of ``f(*x)``, by a tape and by finite differences.

    >>> by_tape, by_differences = tf.test.compute_gradient(lambda x: x * x, [tf.constant([1.0, 2.0])])
    >>> by_tape[0].tolist()
    [[2.0, 0.0], [0.0, 4.0]]

    Args:
        f: a function of tensors.
        x: a list of its arguments, real or complex and floating.
        delta: the step of the differences; 1/1024 if left out.

    Returns:
        Two tuples of matrices, one for each argument: a row for each element of the result, a column for
        each element of the argument. A complex element has two: its real part, then its imaginary part.

    Raises:
        ValueError: ``x`` is no list.
        AssertionError: an argument or the result is neither real nor complex floating.
    """
    if not isinstance(x, (list, tuple)):
        raise ValueError(
            "`x` must be a list or tuple of values convertible to a Tensor (arguments to `f`), "
            f"not a {type(x)}"
        )
    arguments = [convert_to_tensor(value) for value in x]
    result = f(*arguments)
    if not (hasattr(result, "shape") and hasattr(result, "dtype")):
        raise AttributeError(
            f"tf.test.compute_gradient() takes a function that returns one tensor; {f!r} returned "
            f"a {type(result).__name__}."
        )
    result = convert_to_tensor(result)
    for number, argument in enumerate(arguments):
        _check_dtype(argument, f"argument {number}")
    _check_dtype(result, "y")
    if not arguments:
        return ()  # type: ignore[return-value]  # as TensorFlow's
    step = DELTA if delta is None else delta
    return (
        tuple(_by_tape(f, arguments)),
        tuple(_by_differences(f, arguments, number, step) for number in range(len(arguments))),
    )


def _check_dtype(tensor: Any, what: str) -> None:
    if not (tensor.dtype.is_floating or tensor.dtype.is_complex):
        raise AssertionError(
            f"Cannot compute gradient for unsupported type {tensor.dtype.name} of {what}"
        )


def _by_tape(f: Callable[..., Any], arguments: list[Any]) -> list[Array]:
    with GradientTape(persistent=True) as tape:
        tape.watch(arguments)
        result = convert_to_tensor(f(*arguments))
    seeds = np.zeros(result._shape_tuple(), result.dtype.as_numpy_dtype)
    units = [1, 1j] if result.dtype.is_complex else [1]
    rows: list[list[Array]] = [[] for _ in arguments]
    for place in np.ndindex(seeds.shape):
        for unit in units:
            seeds[place] = unit
            gradients = tape.gradient(
                result, arguments, convert_to_tensor(seeds), UnconnectedGradients.ZERO
            )
            for row, gradient in zip(rows, gradients, strict=True):
                row.append(_in_parts(static_value(convert_to_tensor(gradient), "tf.test")))
        seeds[place] = 0
    return [
        np.array(row, _real_dtype(argument)).reshape(seeds.size * len(units), _width(argument))
        for row, argument in zip(rows, arguments, strict=True)
    ]


def _by_differences(f: Callable[..., Any], arguments: list[Any], number: int, step: float) -> Array:
    argument = arguments[number]
    moved = np.array(static_value(argument, "tf.test"))
    units = [1, 1j] if argument.dtype.is_complex else [1]

    def value_at(position: Array) -> Array:
        values = [*arguments[:number], convert_to_tensor(position), *arguments[number + 1 :]]
        return _in_parts(static_value(convert_to_tensor(f(*values)), "tf.test"))

    columns = []
    for place in np.ndindex(moved.shape):
        here = moved[place]
        for unit in units:
            ends = []
            for sign in (1, -1):
                moved[place] = here + moved.dtype.type(sign * step * unit)
                ends.append(value_at(moved.copy()))
            moved[place] = here
            with np.errstate(all="ignore"):
                columns.append((ends[0] - ends[1]) / (2 * step))
    height = value_at(moved).size if moved.size == 0 else columns[0].size
    return np.array(columns, _real_dtype(argument)).reshape(_width(argument), height).T


def _in_parts(array: Array) -> Array:
    """The elements in a vector, with real and imaginary parts of complex ones after one another."""
    flat = np.ascontiguousarray(array).reshape(-1)
    return flat.view(flat.real.dtype) if flat.dtype.kind == "c" else flat


def _real_dtype(argument: Any) -> Any:
    return argument.dtype.real_dtype.as_numpy_dtype


def _width(argument: Any) -> int:
    return int(math.prod(argument.shape.as_list())) * (2 if argument.dtype.is_complex else 1)
