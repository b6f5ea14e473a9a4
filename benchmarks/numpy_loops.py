"""Compiled kernels against the NumPy loops that would do the same: the figures of decisions 0014 to 0016.

    python -m benchmarks.numpy_loops [words of names ...]

Each figure is our time as a part of NumPy's, each the least of many rounds in which the two take turns. NumPy
writes into arrays that exist, so that only loops are compared, and not how the memory is found.
"""

import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from benchmarks.harness import table

Array = np.ndarray[Any, Any]
Call = Callable[[], Any]
Pair = tuple[str, Call, Call]

SIZES = {"1e3": 1_000, "3e4": 30_000, "1e6": 1_000_000}
"""Numbers in an operand: those of a few kilobytes, of the second cache, and of more than that."""
ROUNDS, LEAST_ROUNDS = 200, 5
SECONDS = 0.06


def rows(x: Array, length: int) -> Array:
    return x[: x.size // length * length].reshape(-1, length)


def moves(x: Array) -> Iterator[Pair]:
    from tapegrad.engines.numpy import copies, gathers, slicing

    def by_numpy(source: Array) -> Call:
        target = np.empty(source.shape, source.dtype)
        return lambda: np.copyto(target, source)

    square = rows(x, int(x.size**0.5) // 16 * 16)
    for name, source in (
        ("copy, contiguous", x),
        ("copy, every second", x[::2]),
        ("copy, transposed", square.T),
        ("copy, transposed uint8", square.astype(np.uint8).T),
        ("copy, reversed rows", square[::-1]),
        ("copy, one row for all", np.broadcast_to(square[0], square.shape)),
    ):
        yield name, (lambda source=source: copies.copied(source)), by_numpy(source)

    halves, joined = [square, square], np.empty((square.shape[0], 2 * square.shape[1]), x.dtype)
    yield (
        "join, last axis",
        lambda: copies.join(halves, 1),
        lambda: np.concatenate(halves, 1, out=joined),
    )
    zeros = np.empty_like(x)
    yield "zeros", lambda: copies.zeros(x.shape, x.dtype), lambda: zeros.fill(0)

    random = np.random.default_rng(0)
    for length in (1, 64):
        params = rows(x, length)
        indices = random.integers(len(params), size=len(params))
        taken, params_ = np.empty_like(params), params.copy()
        updates = random.standard_normal(params.shape).astype(x.dtype)
        yield (
            f"gather, rows of {length}",
            lambda params=params, indices=indices: gathers.gather(params, indices, 0),
            lambda params=params, indices=indices, taken=taken: np.take(
                params, indices, 0, out=taken, mode="clip"
            ),
        )
        yield (
            f"add rows of {length}",
            lambda p=params_, indices=indices, updates=updates: gathers.scatter(
                p, indices, updates
            ),
            lambda p=params_, indices=indices, updates=updates: np.add.at(p, indices, updates),
        )

    def put() -> None:
        whole = zeros.reshape(-1)[: square.size].reshape(square.shape)
        whole.fill(0)
        whole[1:] = square[1:]

    yield (
        "slice put into zeros",
        lambda: slicing.put(square.shape, square[1:], slice(1, None)),
        put,
    )
    yield "slice, as a view", lambda: slicing.part_of(square, slice(1, None)), lambda: square[1:]
    yield "slices of an axis", lambda: slicing.slices(square, 0), lambda: list(square)


def casts(x: Array) -> Iterator[Pair]:
    import tapegrad as tf

    # Kernels of casts and choices are called by their ops alone; the small size is the whole op's.
    for from_, to in (
        ("float32", "float64"),
        ("float64", "float32"),
        ("float32", "int32"),
        ("float32", "uint8"),
        ("float32", "bool"),
        ("int32", "float32"),
        ("int64", "float32"),
        ("int64", "int32"),
        ("bool", "float32"),
        ("uint8", "float32"),
    ):
        source = abs(x * 20).astype(from_)
        tensor, target = tf.constant(source), np.empty(x.shape, to)
        yield (
            f"cast, {from_} to {to}",
            lambda tensor=tensor, to=to: tf.cast(tensor, to),
            lambda source=source, target=target: np.copyto(target, source, casting="unsafe"),
        )
    y = x[::-1].copy()
    tensors = [tf.constant(each) for each in (x > 0, x, y)]
    chosen, condition = np.empty_like(x), x > 0

    def where() -> None:
        np.copyto(chosen, y)
        np.copyto(chosen, x, where=condition)

    yield "choice", lambda: tf.where(*tensors), where


def reductions(x: Array) -> Iterator[Pair]:
    from tapegrad.engines.numpy import norms, reductions, softmax

    square, narrow = rows(x, int(x.size**0.5) // 16 * 16), rows(x, 10)
    for dtype in (np.float32, np.float64):
        for name, source, axis in (
            ("all", square, None),
            ("rows", square, 1),
            ("columns", square, 0),
            ("rows of 10", narrow, 1),
            ("10 columns", narrow, 0),
        ):
            for word, ours, ufunc in (
                ("sum", reductions.sum_axes, np.add),
                ("maximum", reductions.max_axes, np.maximum),
            ):
                array = source.astype(dtype)
                out = np.empty(np.sum(array, axis).shape, dtype)
                yield (
                    f"{word}, {name}, {array.dtype}",
                    lambda ours=ours, array=array, axis=axis: ours(array, axis, False),
                    lambda ufunc=ufunc, array=array, axis=axis, out=out: ufunc.reduce(
                        array, axis, out=out
                    ),
                )

        for name, source in (("rows of 10", narrow), ("rows", square)):
            array, out = source.astype(dtype), np.empty(source.shape, dtype)

            def moments(array: Array = array, out: Array = out) -> Any:
                mean = np.mean(array, 1, keepdims=True)
                np.subtract(array, mean, out=out)
                np.multiply(out, out, out=out)
                return mean, np.mean(out, 1, keepdims=True)

            def by_parts(array: Array = array, out: Array = out) -> None:
                np.subtract(array, np.max(array, 1, keepdims=True), out=out)
                np.exp(out, out=out)
                np.divide(out, np.sum(out, 1, keepdims=True), out=out)

            mean, variance = moments()

            def scaled(
                array: Array = array, out: Array = out, mean: Array = mean, factor: Array = variance
            ) -> None:
                np.subtract(array, mean, out=out)
                np.multiply(out, factor, out=out)
                np.add(out, mean, out=out)

            yield f"moments, {name}, {array.dtype}", lambda a=array: norms.moments(a, (1,)), moments
            yield (
                f"normalize, {name}, {array.dtype}",
                lambda a=array, m=mean, v=variance: norms.normalize(a, m, v, m, (1,)),
                scaled,
            )
            yield f"softmax, {name}, {array.dtype}", lambda a=array: softmax.softmax(a, 1), by_parts


def functions(x: Array) -> Iterator[Pair]:
    import scipy.special

    from tapegrad.engines.numpy import kernels, random

    generator = np.random.Generator(np.random.Philox(1))
    for dtype in (np.dtype(np.float32), np.dtype(np.float64)):
        a = x.astype(dtype)
        b, positive = a[::-1].copy(), abs(a)
        out, ours_out = np.empty_like(a), np.empty_like(a)

        def several(*steps: Callable[[], Any]) -> Call:
            def run() -> None:
                for step in steps:
                    step()

            return run

        def unary(name: str, argument: Array, *steps: Call) -> Pair:
            ufunc = getattr(kernels, name)
            return (
                f"{name}, {argument.dtype}",
                lambda: ufunc(argument, out=ours_out),  # noqa: B023 (called in this round)
                several(*steps),
            )

        def binary(name: str, *steps: Call) -> Pair:
            ufunc = getattr(kernels, name)
            return (
                f"{name}, {dtype}",  # noqa: B023
                lambda: ufunc(a, b, out=ours_out),  # noqa: B023
                several(*steps),
            )

        def into(ufunc: np.ufunc, *operands: Any) -> Call:
            return lambda: ufunc(*operands, out=out)  # noqa: B023

        def replaced(ufunc: np.ufunc, *arguments: Array) -> Pair:
            ours = kernels.replacements[ufunc]
            return (
                f"{ufunc.__name__}, {dtype}",  # noqa: B023
                lambda: ours(*arguments, out=ours_out),  # noqa: B023
                into(ufunc, *arguments),
            )

        yield unary(
            "sigmoid", a, into(np.negative, a), into(np.exp, out), into(np.add, out, 1),
            into(np.reciprocal, out),
        )  # fmt: skip
        yield unary("softplus", a, into(np.logaddexp, a, 0))
        yield unary("relu", a, into(np.maximum, a, 0))
        yield unary("erf", a, into(scipy.special.erf, a))
        yield unary("erfc", a, into(scipy.special.erfc, a))
        yield unary("rsqrt", positive, into(np.sqrt, positive), into(np.reciprocal, out))
        within = np.tanh(a)
        for elementary in (
            np.exp, np.expm1, np.sin, np.cos, np.tan, np.arctan, np.sinh, np.cosh, np.tanh,
        ):  # fmt: skip
            yield replaced(elementary, a)
        for elementary in (np.log, np.log1p):
            yield replaced(elementary, positive)
        for elementary in (np.arcsin, np.arccos, np.arctanh):
            yield replaced(elementary, within)
        yield replaced(np.arctan2, a, b)
        yield binary("relu_grad", into(np.greater, b, 0), into(np.multiply, out, a))
        yield binary(
            "tanh_grad",
            into(np.multiply, a, a),
            into(np.subtract, 1, out),
            into(np.multiply, out, b),
        )
        yield binary(
            "sigmoid_grad", into(np.subtract, 1, a), into(np.multiply, out, a),
            into(np.multiply, out, b),
        )  # fmt: skip
        zero = b == 0
        yield binary(
            "divide_no_nan", lambda: np.equal(b, 0, out=zero), into(np.divide, a, b),  # noqa: B023
            lambda: np.copyto(out, 0, where=zero),  # noqa: B023
        )  # fmt: skip
        for exponent in (2.0, 3.0, -1.0, 0.5):
            yield (
                f"power {exponent:g}, {dtype}",
                lambda e=exponent, p=positive, o=ours_out: kernels.power(p, e, out=o),
                lambda e=exponent, p=positive, o=out: np.power(p, e, out=o),
            )
        yield (
            f"uniform draws, {dtype}",
            lambda n=a.size, d=dtype: random.uniform(1, 2, n, d),
            lambda o=out, d=dtype: generator.random(dtype=d, out=o),
        )
        yield (
            f"normal draws, {dtype}",
            lambda n=a.size, d=dtype: random.normal(1, 2, n, d),
            lambda o=out, d=dtype: generator.standard_normal(dtype=d, out=o),
        )


FAMILIES = (moves, casts, reductions, functions)


def least(ours: Call, numpys: Call) -> float:
    """Our least time over NumPy's."""
    times = [float("inf"), float("inf")]
    end = time.perf_counter() + SECONDS
    for round_ in range(ROUNDS):
        if round_ >= LEAST_ROUNDS and time.perf_counter() > end:
            break
        for place, call in enumerate((ours, numpys)):
            begin = time.perf_counter()
            call()
            once = time.perf_counter() - begin
            count = max(1, int(0.0002 / once))
            begin = time.perf_counter()
            for _ in range(count):
                call()
            times[place] = min(times[place], (time.perf_counter() - begin) / count)
    return times[0] / times[1]


def compare(words: list[str]) -> dict[str, dict[str, float]]:
    """By name, our time over NumPy's for each size, on one thread and for the largest size on all."""
    from tapegrad.engines.numpy.threads import set_thread_count, thread_count

    threads, found = thread_count(), {}
    for label, size in SIZES.items():
        x = np.random.default_rng(0).standard_normal(size).astype(np.float32)
        for family in FAMILIES:
            for name, ours, numpys in family(x):
                if words and not any(word in name for word in words):
                    continue
                ratios = found.setdefault(name, {})
                set_thread_count(1)
                ratios[label] = least(ours, numpys)
                set_thread_count(threads)
                if label == list(SIZES)[-1] and threads > 1:
                    ratios[f"{label}, {threads} threads"] = least(ours, numpys)
    return found


def show(found: dict[str, dict[str, float]]) -> str:
    header = ["our time / NumPy's", *next(iter(found.values()))]
    return table(
        header, [[name, *(f"{r:.2f}" for r in ratios.values())] for name, ratios in found.items()]
    )


if __name__ == "__main__":
    with np.errstate(all="ignore"):
        print(show(compare(sys.argv[1:])))
