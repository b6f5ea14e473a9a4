"""Loops shared among threads: the same bits for any number of them, and safe in the child of a fork."""

import os
import subprocess
import sys
import threading

import numpy as np
import pytest

import tapegrad as tf
from sanitized import IS_SANITIZED
from tapegrad.engines.numpy.threads import set_thread_count, thread_count

pytestmark = pytest.mark.usefixtures("engine_as_before")

SIZE = 300_001
UNARY = [
    tf.abs, tf.negative, tf.square, tf.sqrt, tf.exp, tf.math.log, tf.math.log1p, tf.math.expm1, tf.sin,
    tf.cos, tf.tan, tf.tanh, tf.sigmoid, tf.nn.relu, tf.nn.softplus, tf.math.erf, tf.math.rsqrt,
    tf.math.reciprocal, tf.math.lgamma, tf.math.asinh, tf.math.atan, tf.sign, tf.round,
]  # fmt: skip
BINARY = [
    tf.add, tf.subtract, tf.multiply, tf.divide, tf.maximum, tf.minimum, tf.pow, tf.math.atan2,
    tf.math.squared_difference, tf.math.xlogy, tf.math.divide_no_nan, tf.less,
]  # fmt: skip


def positive(dtype, *shape):
    return np.random.default_rng(7).uniform(0.1, 3.0, shape).astype(dtype)


def bits(function, *arrays):
    """The bytes of the result, by one thread and by several."""
    found = []
    for count in (1, 2, 3, 7):
        set_thread_count(count)
        found.append(function(*map(tf.constant, arrays)).numpy().tobytes())
    return found


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("function", UNARY + BINARY, ids=lambda function: function.__name__)
def test_any_number_of_threads_gives_the_same_bits(function, dtype):
    operands = [positive(dtype, SIZE), positive(dtype, SIZE)[::-1].copy()]
    first, *others = bits(function, *operands[: 1 if function in UNARY else 2])
    assert all(other == first for other in others)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (positive("f4", 700, 500), positive("f4", 500)),
        (positive("f4", 700, 500), positive("f4", 700, 1)),
        (positive("f4", 3, 1, 70_000), positive("f4", 5, 1)),
        (positive("f4", 400, 900).T, positive("f4", 900, 400)),
        (positive("f4", 60, 70, 80).transpose(2, 0, 1), positive("f4", 60, 1)),
        (positive("f8", 1000, 1000)[::2, ::3], positive("f8", 500, 334)),
        (positive("c8", 300, 200), positive("c8", 200)),
    ],
    ids=lambda array: "x".join(map(str, array.shape)),
)
def test_layouts_and_broadcasts(x, y):
    for function in (np.add, np.multiply):
        for found in bits(getattr(tf, function.__name__), x, y):
            assert found == function(x, y).tobytes()


def test_adding_to_a_variable():
    results = []
    for count in (1, 2, 5):
        set_thread_count(count)
        variable = tf.Variable(positive("f4", SIZE))
        for _ in range(3):
            variable.assign_add(positive("f4", SIZE) * 0.1)
        results.append(variable.numpy().tobytes())
    assert results[0] == results[1] == results[2]


def test_several_callers_at_once():
    set_thread_count(4)
    x = tf.constant(positive("f4", SIZE))
    expected = tf.tanh(x).numpy().tobytes()
    wrong = []

    def work():
        wrong.extend(1 for _ in range(50) if tf.tanh(x).numpy().tobytes() != expected)

    callers = [threading.Thread(target=work) for _ in range(4)]
    for caller in callers:
        caller.start()
    for caller in callers:
        caller.join()
    assert not wrong


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_the_child_of_a_fork_computes():
    set_thread_count(3)
    x = tf.constant(positive("f4", SIZE))
    expected = tf.exp(x).numpy().tobytes()
    child = os.fork()
    if child == 0:
        os._exit(0 if tf.exp(x).numpy().tobytes() == expected else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert tf.exp(x).numpy().tobytes() == expected


def test_configured_through_tf_config():
    tf.config.threading.set_intra_op_parallelism_threads(3)
    assert thread_count() == 3
    tf.config.threading.set_intra_op_parallelism_threads(0)
    assert thread_count() >= 1


def test_more_threads_than_processors_come_and_go():
    x = tf.constant(positive("f4", 40_000))
    expected = tf.tanh(x).numpy().tobytes()
    for count in (3, 8, 16):
        set_thread_count(count)
        for _ in range(1500):
            y = tf.tanh(x)
        assert y.numpy().tobytes() == expected


@pytest.mark.skipif(sys.platform != "linux", reason="reads the kernel's list of a process's memory")
@pytest.mark.skipif(IS_SANITIZED, reason="the sanitizer takes memory of its own")
def test_threads_have_the_stack_that_loops_need_whatever_the_limit():
    """A stack is at the end of memory that nobody may touch, or since glibc 2.42 in memory like any other."""
    code = """
import tapegrad as tf

def writable():
    total = 0
    for line in open("/proc/self/maps"):
        place, rights, *_ = line.split()
        begin, end = (int(edge, 16) for edge in place.split("-"))
        total += (end - begin) * (rights == "rw-p")
    return total

def growth(threads):
    tf.config.threading.set_intra_op_parallelism_threads(threads)
    before = writable()
    tf.exp(x + 0.0)
    return writable() - before

x = tf.ones([100_000])
growth(1)
print(growth(1), growth(3))
"""
    # Where the C library takes the limit for its default, threads have no more than that.
    command = ["/bin/sh", "-c", 'ulimit -S -s 512; exec "$0" -c "$1"', sys.executable, code]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    alone, with_threads = map(int, ran.stdout.split())
    assert alone < 1_000_000
    assert with_threads >= 8_000_000
