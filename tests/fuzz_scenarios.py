"""Malformed input that is no op's argument: what `fuzz.py` does beside calling ops.

Each scenario is a function of a random generator. It raises what a user would get; where an error is
the only right answer, it says so itself.
"""

from __future__ import annotations

import io
import os
import pickle
import signal
import subprocess
import sys
import threading
import traceback
import warnings
from typing import Any

import numpy as np

import tapegrad as tf
from tapegrad import core

Generator = np.random.Generator


def nests(generator: Generator) -> None:
    """Class 8: nests deeper than any recursion."""
    depth = int(generator.choice([50, 70, 1000, 20_000]))
    kind = int(generator.integers(3))
    nest: Any = tf.ones([2])
    for _ in range(depth):
        nest = [nest] if kind == 0 else (nest,) if kind == 1 else {"a": nest}
    function = generator.choice(
        [tf.nest.flatten, tf.constant, tf.convert_to_tensor, tf.add_n, tf.stack, tf.shape,
         lambda x: tf.nest.map_structure(lambda y: y, x),
         lambda x: tf.nest.assert_same_structure(x, x),
         lambda x: tf.nest.pack_sequence_as(x, [1.0]), lambda x: tf.GradientTape().watch(x),
         lambda x: tf.GradientTape().gradient(x, x), lambda x: tf.group(x), tf.Variable]
    )  # fmt: skip
    try:
        function(nest)
    finally:
        # Level by level: letting go of it at once is Python's business, not ours.
        while isinstance(nest, (list, tuple, dict)):
            nest = nest["a"] if isinstance(nest, dict) else nest[0]


def long_tape(generator: Generator) -> None:
    """Class 8: a chain of very many records is walked, differentiated again and let go of."""
    x = tf.constant(1.0)
    length = int(generator.choice([1000, 30_000]))
    with tf.GradientTape(persistent=bool(generator.integers(2))) as tape:
        tape.watch(x)
        y = x
        for _ in range(length):
            y = y + x if generator.integers(2) else y * 1.0
    if generator.integers(2):
        assert tape.gradient(y, x).numpy() >= 1.0


def many_tapes(generator: Generator) -> None:
    """Tapes inside tapes, left in any order."""
    x = tf.constant(2.0)
    tapes = [tf.GradientTape(persistent=True) for _ in range(int(generator.choice([3, 200])))]
    for tape in tapes:
        tape.__enter__()
        tape.watch(x)
    y = x * x
    for place in generator.permutation(len(tapes)):
        tapes[place].__exit__(None, None, None)
    assert all(tape.gradient(y, x).numpy() == 4.0 for tape in tapes[:3])


def dlpack(generator: Generator) -> None:
    """Class 10: capsules taken twice, of strange arrays, or of nothing."""
    kind = int(generator.integers(6))
    tensor = tf.reshape(tf.range(6.0), [2, 3])
    if kind == 0:
        capsule = tf.experimental.dlpack.to_dlpack(tensor)
        again = tf.experimental.dlpack.from_dlpack(capsule)
        assert again.numpy().tolist() == tensor.numpy().tolist()
        tf.experimental.dlpack.from_dlpack(capsule)
        raise AssertionError("a capsule was taken twice")
    if kind == 1:
        tf.experimental.dlpack.from_dlpack(generator.choice([None, 3, "a", object()]))
        raise AssertionError("no capsule, no error")
    if kind == 2:
        array = np.from_dlpack(tensor)
        del tensor
        assert array.sum() == 15.0
        assert not array.flags.writeable
        return
    if kind == 3:
        tf.experimental.dlpack.to_dlpack(generator.choice([tf.constant("a"), 3, tf.Variable(1.0)]))
    if kind == 4:
        array = np.arange(20, dtype=np.float32).reshape(4, 5)[
            :: int(generator.choice([2, -1])), ::2
        ]
        tensor = tf.experimental.dlpack.from_dlpack(array.__dlpack__())
        array[...] = -1.0
        assert (tensor.numpy() == -1.0).all()  # the memory stays its owner's
        return

    class Liar:
        def __dlpack__(self, **options: Any) -> Any:
            return generator.choice([None, 3, "capsule"])

        def __dlpack_device__(self) -> Any:
            return generator.choice([(1, 0), (2, 0), None])

    tf.constant(Liar())


def array_protocols(generator: Generator) -> None:
    """Class 10: objects whose __array__, __len__ or buffer lies, and arrays changed under a tensor."""
    kind = int(generator.integers(5))
    if kind == 0:

        class Liar:
            shape, dtype = (2, 3), np.dtype("f")

            def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
                return [np.zeros((0, 3)), 3, "a", None, np.zeros(2, "V7")][generator.integers(5)]

        tf.add(tf.ones([2, 3]), Liar())
    elif kind == 1:

        class Shrinking(list[Any]):
            def __getitem__(self, key: Any) -> Any:
                self.clear()
                return 1.0

            def __iter__(self) -> Any:
                self.clear()
                yield from ()

        tf.constant(Shrinking([1.0, 2.0]))
        tf.add_n(Shrinking([tf.ones([2])] * 3))
        tf.concat(Shrinking([tf.ones([2])] * 3), 0)
    elif kind == 2:
        array = np.ones(1000, np.float32)
        tensor = tf.constant(array)
        array.resize(0, refcheck=False)
        assert tf.reduce_sum(tensor).numpy() == 1000.0
    elif kind == 3:
        buffer = bytearray(np.ones(16, np.float32).tobytes())
        tensor = tf.constant(np.frombuffer(buffer, np.float32))
        buffer[:4] = b"\xff" * 4
        assert tf.reduce_sum(tensor).numpy() == 16.0
    else:
        view = memoryview(tf.ones([2, 3]).numpy())
        tf.constant(view[::-1])


def doctored_pickles(generator: Generator) -> None:
    """Classes 13 and 14: saved objects cut short, or with bytes changed, loaded and then used."""
    made = [
        tf.constant([[1.0, 2.0], [3.0, 4.0]]), tf.constant([1, 2, 3], tf.int8), tf.constant(["a", "b"]),
        tf.Variable([1.0, 2.0]), tf.TensorShape([2, None]), tf.TensorSpec([2], tf.int32), tf.float32,
        tf.IndexedSlices(tf.ones([2, 3]), tf.constant([0, 1]), tf.constant([4, 3])),
        tf.SparseTensor([[0, 1]], [2.0], [2, 3]), tf.random.Generator.from_seed(1),
        tf.constant([1.0], tf.bfloat16),
    ]  # fmt: skip
    original = made[generator.integers(len(made))]
    try:
        saved = bytearray(pickle.dumps(original, protocol=int(generator.integers(2, 6))))
    except (TypeError, pickle.PicklingError):
        return  # it says so: it is not to be saved
    if generator.integers(2):
        del saved[generator.integers(len(saved)) :]
    else:
        for place in generator.integers(len(saved), size=generator.integers(1, 3)):
            saved[place] = generator.integers(32, 127)
    try:
        loaded = _Careful(io.BytesIO(bytes(saved))).load()
    except Exception:
        return  # pickle's own classes, of which there are many
    for use in (repr, str, lambda x: x + x, lambda x: x.numpy(), tf.reduce_sum, lambda x: x[0],
                tf.convert_to_tensor):  # fmt: skip
        try:
            use(loaded)
        except (TypeError, ValueError, AttributeError, LookupError, tf.errors.OpError):
            continue


class _Careful(pickle.Unpickler):
    """Finds the names that honest files hold: a changed byte must not call just any function.

    What is left is what the objects themselves must withstand: wrong dtypes, shapes and lengths.
    """

    def find_class(self, module: str, name: str) -> Any:
        if module.split(".")[0] not in ("tapegrad", "numpy", "ml_dtypes"):
            raise pickle.UnpicklingError(f"{module}.{name}")
        return super().find_class(module, name)


def doctored_states(generator: Generator) -> None:
    """Class 13: ``__reduce__`` and ``__setstate__`` fed with what no file would hold."""
    made = [tf.constant([1.0, 2.0]), tf.Variable([1.0]), tf.random.Generator.from_seed(1),
            tf.IndexedSlices(tf.ones([1]), tf.constant([0]))]  # fmt: skip
    original = made[generator.integers(len(made))]
    try:
        function, arguments, *_ = original.__reduce_ex__(4)
    except TypeError:
        return
    if arguments:
        import fuzz

        arguments = list(arguments)
        place = int(generator.integers(len(arguments)))
        arguments[place] = fuzz.spoil_value(arguments[place], generator)
        try:
            repr(function(*arguments))
        except AssertionError:
            if not isinstance(original, tf.random.Generator):
                raise  # a generator refuses its arguments so, as in TensorFlow


def messages(generator: Generator) -> None:
    """Class 12: names and texts of users are shown as they are, never formatted."""
    text = str(generator.choice(["%s%n%d%x", "{0}{name}{", "%", "\0", "}{", "\ud800", "%(a)s"]))
    kind = int(generator.integers(7))
    try:
        if kind == 0:
            tf.debugging.assert_equal(1, 2, message=text)
        elif kind == 1:
            tf.debugging.check_numerics(tf.constant([np.nan]), text)
        elif kind == 2:
            tf.add(tf.ones([2]), tf.ones([3]), name=text)
        elif kind == 3:
            tf.constant([1, text])
        elif kind == 4:
            tf.einsum(text, tf.ones([2]))
        elif kind == 5:
            repr(tf.Variable(1.0, name=text)), str(tf.constant(text.encode(errors="replace")))
            return
        else:
            tf.as_dtype(text)
        if kind != 2:
            raise AssertionError("no error")
    except (tf.errors.OpError, TypeError, ValueError) as error:
        if kind < 2 and text not in str(error):
            raise AssertionError(f"{text!r} is not in {error}") from error


def slices(generator: Generator) -> None:
    """Classes 1, 2 and 6 for x[...], read, differentiated and assigned."""
    numbers = [None, 0, 1, -1, 2, 5, -9, 2**31, 2**63 - 1, -(2**63), 2**70, 1.5, "a", True]

    def part() -> Any:
        kind = int(generator.integers(8))
        if kind < 3:
            return slice(*(numbers[i] for i in generator.integers(len(numbers), size=3)))
        if kind == 3:
            return ...
        if kind == 4:
            return None
        if kind == 5:
            return tf.constant(numbers[int(generator.integers(1, 9))])
        if kind == 6:
            return [tf.constant([True, False]), np.array([0, 5]), [0, 1], tf.ones([2])][
                generator.integers(4)
            ]
        return numbers[generator.integers(len(numbers))]

    key = tuple(part() for _ in range(int(generator.integers(1, 5))))
    key = key[0] if len(key) == 1 else key
    shape = generator.integers(0, 4, size=generator.integers(0, 4)).tolist()
    x = tf.Variable(tf.ones(shape))
    with tf.GradientTape() as tape:
        y = x[key]
    np.array(y.numpy())
    gradient = tape.gradient(y, x)
    assert gradient is None or gradient.shape == x.shape
    x[key].assign(tf.zeros(generator.integers(0, 4, size=generator.integers(0, 3))))


def variables(generator: Generator) -> None:
    """Class 5 for variables: assigned and scattered values of any size, dtype and place."""
    import fuzz

    v = tf.Variable(tf.ones([4, 3]))
    value = fuzz.spoil_array(np.ones((4, 3), np.float32), generator)
    indices = fuzz.spoil_array(np.array([[0], [3]], np.int32), generator)
    rows = fuzz.spoil_array(np.ones((2, 3), np.float32), generator)
    kind = int(generator.integers(12))
    if kind == 0:
        v.assign(value)
    elif kind == 1:
        v.assign_add(value)
    elif kind == 2:
        v.assign_sub(value)
    elif kind < 9:
        name = ["add", "sub", "update", "max", "min", "mul"][kind - 3]
        index = indices.ravel() if isinstance(indices, np.ndarray) else indices
        getattr(v, f"scatter_{name}")(tf.IndexedSlices(rows, index))
    elif kind == 9:
        v.scatter_nd_add(indices, rows)
    elif kind == 10:
        v.scatter_nd_update(indices, rows)
    else:
        np.array(tf.gather(v, indices).numpy())
    assert v.numpy().shape == (4, 3)


def rules_that_lie(generator: Generator) -> None:
    """Class 5: users' gradient functions that return too many, too few, or misshapen gradients."""
    import fuzz

    count = int(generator.integers(0, 4))
    answers = [fuzz.spoil_array(np.ones((2, 3), np.float32), generator) for _ in range(count)]

    @tf.custom_gradient
    def lying(x: Any, y: Any) -> Any:
        return x * y, lambda *dy: answers if generator.integers(2) else tuple(answers)

    x, y = tf.ones([2, 3]), tf.ones([3])
    with tf.GradientTape() as tape:
        tape.watch([x, y])
        z = tf.tanh(lying(tf.tanh(x), y * 2.0))
    for gradient in tape.gradient(z, [x, y]):
        if gradient is not None:
            np.array(tf.convert_to_tensor(gradient).numpy())


def reentered(generator: Generator) -> None:
    """Class 15 in one thread: rules and conversions that touch the tape they run under."""
    x = tf.constant([1.0, 2.0])
    tape = tf.GradientTape(persistent=bool(generator.integers(2)))
    kind = int(generator.integers(5))

    @tf.custom_gradient
    def meddling(z: Any) -> Any:
        def back(dy: Any) -> Any:
            if kind == 0:
                tape.gradient(y, x)
            elif kind == 1:
                tape.reset()
            elif kind == 2:
                tape.__enter__()
                tape.watch(dy)
            elif kind == 3:
                tape.__exit__(None, None, None)
            else:
                raise ValueError("a rule of the user's")
            return dy

        return z * 1.0, back

    with tape:
        tape.watch(x)
        y = meddling(meddling(x * x))
    tape.gradient(y, x)


def program(generator: Generator) -> None:
    """A small program whose answer is known."""
    recording = (
        core.is_recording()
    )  # some other call may have left a tape that waits for Python's collector
    numbers = generator.normal(size=int(generator.choice([3, 100, 50_000]))).astype(np.float32)
    v = tf.Variable(numbers)
    with tf.GradientTape() as tape:
        y = tf.reduce_sum(v * v + tf.round(v))
    assert (tape.gradient(y, v).numpy() == 2 * numbers).all()
    v.scatter_add(tf.IndexedSlices(tf.ones([2]), tf.constant([0, 1])))
    assert (v.numpy()[2:] == numbers[2:]).all()
    assert core.is_recording() == recording


def foreign_threads(generator: Generator) -> None:
    """Class 15: threads that Python did not start call in, and again when they end."""
    import ctypes

    libc = ctypes.CDLL(None)
    wrong: list[BaseException] = []
    seeds = [int(seed) for seed in generator.integers(1 << 30, size=3)]

    def call_in() -> None:
        try:
            if generator.integers(4) == 0:
                tf.GradientTape().__enter__()
            program(np.random.default_rng(seeds))
        except BaseException as error:
            wrong.append(error)

    def start(argument: Any) -> None:
        call_in()
        libc.pthread_setspecific(key, ctypes.c_void_p(1))

    at_the_start = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p)(start)
    at_the_end = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(lambda argument: call_in())
    key, threads = ctypes.c_uint(), [ctypes.c_ulong() for _ in range(int(generator.integers(1, 4)))]
    assert libc.pthread_key_create(ctypes.byref(key), at_the_end) == 0
    for thread in threads:
        assert libc.pthread_create(ctypes.byref(thread), None, at_the_start, None) == 0
    for thread in threads:
        libc.pthread_join(thread, None)
    libc.pthread_key_delete(key)
    assert not wrong, wrong


def interrupts(generator: Generator) -> None:
    """An exception between any two lines of Python leaves nothing half done."""
    count, last = 0, int(generator.choice([30, 300, 3000]) * generator.random())

    def trace(frame: Any, event: str, argument: Any) -> Any:
        nonlocal count
        count += 1
        if count >= last:
            sys.settrace(None)
            raise KeyboardInterrupt
        return trace

    seed = int(generator.integers(1 << 30))
    recording = core.is_recording()
    sys.settrace(trace)
    try:
        program(np.random.default_rng(seed))
    except KeyboardInterrupt:
        assert core.is_recording() == recording
    finally:
        sys.settrace(None)
    program(generator)


def first_uses_interrupted(generator: Generator) -> None:
    """The same while the modules of ops are loaded, in a process of its own.

    To start one takes as long as some hundred calls, so that most times nothing is done.
    """
    if generator.integers(8):
        return
    done = subprocess.run(
        [sys.executable, "-c", FIRST_USE, str(generator.random() ** 2)],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]


FIRST_USE = """
import sys
import numpy as np
import tapegrad as tf

LINES = 30_000  # roughly so many are run when the ops that the program needs are loaded
count, last = 0, int(float(sys.argv[1]) * LINES)

def trace(frame, event, argument):
    global count
    if "tapegrad" not in frame.f_code.co_filename:
        return None
    count += 1
    if count >= last:
        sys.settrace(None)
        raise KeyboardInterrupt
    return trace

def program():
    x = tf.Variable([[0.5, -0.5], [1.0, 2.0]])
    with tf.GradientTape() as tape:
        y = tf.nn.softmax(x @ x)[0] * tf.exp(x[1]) + tf.where(x[0] > 0, x[0], -x[0]) ** 2.0
        loss = tf.reduce_sum(y) + tf.reduce_prod(x)
    return tape.gradient(loss, x).numpy()

sys.settrace(trace)
try:
    program()
except KeyboardInterrupt:
    pass
finally:
    sys.settrace(None)
first = program()
np.testing.assert_allclose(first[0], [-1.377495, 1.377495], rtol=1e-4)
np.testing.assert_array_equal(first, program())
"""


def forks(generator: Generator) -> None:
    """A child of a process whose other threads write into variables, compute, and load modules."""
    count = int(generator.choice([10, 1_000_000]))
    v, stop = tf.Variable(tf.zeros([count])), threading.Event()
    slices = tf.IndexedSlices(tf.ones([count]), tf.range(count))

    def work(kind: int) -> None:
        while not stop.is_set():
            if kind == 0:
                v.scatter_add(slices)
            elif kind == 1:
                v[::2].assign(tf.ones([(count + 1) // 2]))
            else:
                tf.reduce_sum(tf.exp(v)[None] @ tf.ones([count, 1]))

    kinds = generator.integers(3, size=int(generator.integers(1, 4)))
    threads = [threading.Thread(target=work, args=(int(kind),)) for kind in kinds]
    for thread in threads:
        thread.start()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)
            child = os.fork()
        if child == 0:
            signal.alarm(30)
            try:
                v.assign_add(tf.ones([count]))
                program(generator)
            except BaseException:
                traceback.print_exc()
                os._exit(1)
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0, "the child of a fork failed or waited for ever"
    finally:
        stop.set()
        for thread in threads:
            thread.join()


SCENARIOS = (
    nests,
    long_tape,
    many_tapes,
    dlpack,
    array_protocols,
    doctored_pickles,
    doctored_states,
    messages,
    slices,
    variables,
    rules_that_lie,
    reentered,
    foreign_threads,
    interrupts,
    first_uses_interrupted,
    forks,
)
