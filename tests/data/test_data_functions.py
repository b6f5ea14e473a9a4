"""Functions that users give to data sets: called once when the data set is made, as TensorFlow traces them.

The answers are TensorFlow's, unless a test says that here there is more.
"""

import os
import re
import sys
import threading
import traceback

import numpy as np
import pytest

import tapegrad as tf

Dataset = tf.data.Dataset


def listed(dataset):
    """The elements, as Python's values."""
    return [
        tf.nest.map_structure(
            lambda leaf: leaf.tolist() if isinstance(leaf, (np.ndarray, np.generic)) else leaf,
            element,
        )
        for element in dataset.as_numpy_iterator()
    ]


def count_runs(monkeypatch, dataset):
    """A list that gets an item for each run of the function's steps, one by one, from now on."""
    runs = []
    steps = dataset._function._replayed._run

    def run(leaves):
        runs.append(leaves)
        return steps(leaves)

    monkeypatch.setattr(dataset._function._replayed, "_run", run)
    return runs


def program_of(dataset):
    """The program of a data set's function; None if the function runs for each element."""
    return dataset._function._program


# --- Python runs once ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda dataset, function: dataset.map(function),
        lambda dataset, function: dataset.map(function, num_parallel_calls=2),
        lambda dataset, function: dataset.filter(lambda x: function(x) > 0),
        lambda dataset, function: dataset.take_while(lambda x: function(x) > 0),
        lambda dataset, function: dataset.scan(np.int64(0), lambda s, x: (s, function(x))),
        lambda dataset, function: dataset.batch(2).map(function),
    ],
    ids=["map", "parallel", "filter", "take_while", "scan", "batches of two sizes"],
)
def test_python_runs_once_when_the_data_set_is_made(make):
    calls = []

    def function(x):
        calls.append(x)
        return x * 2

    dataset = make(Dataset.range(1, 6), function)
    assert len(calls) == 1
    first = listed(dataset)
    assert listed(dataset) == first
    assert len(calls) == 1


def test_names_keep_what_they_stood_for():
    dataset = Dataset.range(3)
    for i in range(3):
        dataset = dataset.map(lambda x: x + i)  # noqa: B023
    assert listed(dataset) == [3, 4, 5]


def test_attributes_keep_what_they_were():
    class Settings:
        offset = 1

    settings = Settings()
    dataset = Dataset.range(2).map(lambda x: x + settings.offset)
    settings.offset = 100
    assert listed(dataset) == [1, 2]


def test_lists_keep_what_they_held():
    def function(x):
        parts = [x]
        parts.append(x + 1)
        stacked = tf.stack(parts)
        parts.append(x + 2)
        return stacked

    assert listed(Dataset.range(2).map(function)) == [[0, 1], [1, 2]]


# --- What depends on the run happens in the run -------------------------------------------------------


def test_variables_are_read_for_each_element():
    v = tf.Variable(1.0)
    dataset = Dataset.range(2).map(lambda x: (tf.cast(x, tf.float32) * v, v))
    assert program_of(dataset) is not None
    assert listed(dataset) == [(0.0, 1.0), (1.0, 1.0)]
    v.assign(5.0)
    assert listed(dataset) == [(0.0, 5.0), (5.0, 5.0)]


def test_what_is_computed_of_variables_alone_is_computed_for_each_element():
    v = tf.Variable(1.0)
    dataset = Dataset.range(1).map(lambda x: (x, v + 1.0))
    v.assign(5.0)
    assert listed(dataset) == [(0, 6.0)]


def test_variables_are_assigned_for_each_element():
    v = tf.Variable(0, dtype=tf.int64)
    dataset = Dataset.range(4).map(lambda x: v.assign_add(x) + 0)
    assert v.numpy() == 0
    assert listed(dataset) == [0, 1, 3, 6]


def test_tables_change_for_each_element():
    table = tf.lookup.experimental.MutableHashTable(tf.string, tf.int64, -1)

    def function(key):
        before = table.lookup(key)
        table.insert(key, before + 10)
        return before, table.lookup(key), table.size()

    dataset = Dataset.from_tensor_slices(["a", "b", "a"]).map(function)
    assert table.size() == 0
    assert listed(dataset) == [(-1, 9, 1), (-1, 9, 2), (9, 19, 2)]


def test_prints_come_for_each_element(capsys):
    dataset = Dataset.range(2).map(
        lambda x: (tf.print("element", x, output_stream=sys.stdout), x)[1]
    )
    assert capsys.readouterr().out == ""
    assert listed(dataset) == [0, 1]
    assert capsys.readouterr().out == "element 0\nelement 1\n"


def test_python_functions_are_called_for_each_element():
    seen = []

    def function(a):
        seen.append(int(a))
        return np.int64(int(a) * 3)

    dataset = Dataset.range(3).map(lambda x: tf.py_function(function, [x], tf.int64))
    assert dataset.element_spec.shape.rank is None
    assert seen == []
    assert listed(dataset) == [0, 3, 6]
    assert seen == [0, 1, 2]


def test_times_differ():
    first, second = listed(Dataset.range(2).map(lambda x: tf.timestamp()))
    assert first != second


def test_draws_without_the_element():
    tf.random.set_seed(3)
    dataset = Dataset.range(4).map(lambda x: tf.random.uniform([], 0, 100, tf.int64) + x * 0)
    assert program_of(dataset) is not None
    assert listed(dataset) == listed(dataset)
    assert len(set(listed(dataset))) > 1


def test_draws_that_nobody_uses_count():
    def function(x):
        tf.random.uniform([])
        return tf.random.uniform([])

    def same(x):
        return [tf.random.uniform([]), tf.random.uniform([])][1]

    tf.random.set_seed(3)
    assert listed(Dataset.range(3).map(function)) == listed(Dataset.range(3).map(same))


# --- Programs take what functions do ------------------------------------------------------------------

ROWS = tf.ragged.constant([[[1], [2, 3]], [[4]]])


@pytest.mark.parametrize(
    ("dataset", "function", "expected"),
    [
        (Dataset.range(2), lambda x: 5, [5, 5]),
        (Dataset.range(2), lambda x: [x, x + 1], [(0, 1), (1, 2)]),
        (Dataset.range(2), lambda x: {"a": (x, None)}, [{"a": (0, None)}, {"a": (1, None)}]),
        (Dataset.range(3).batch(2), lambda x: tf.fill(tf.shape(x), 2), [[2, 2], [2]]),
        (Dataset.range(3).batch(2), lambda x: tf.reshape(x, [-1, 1])[..., 0], [[0, 1], [2]]),
        (Dataset.range(3), lambda x: tf.range(5)[x : x + 2], [[0, 1], [1, 2], [2, 3]]),
        (Dataset.range(2), tf.function(lambda x: x + 1), [1, 2]),
        (Dataset.range(2), lambda x: tf.executing_eagerly(), [False, False]),
        (Dataset.range(3).batch(2), lambda x: x.shape[0] is None, [True, True]),
        (
            Dataset.from_tensor_slices({"a": [1, 2], "b": [3, 4]}),
            lambda d: (d.pop("a"), d),
            [(1, {"b": 3}), (2, {"b": 4})],
        ),
        (
            Dataset.from_tensor_slices(ROWS),
            lambda r: (tf.reduce_sum(r, axis=1), r.row_lengths()),
            [([1, 5], [1, 2]), ([4], [1])],
        ),
        (
            Dataset.from_tensor_slices(tf.sparse.from_dense([[1, 0], [0, 2]])),
            lambda s: tf.sparse.to_dense(s),
            [[1, 0], [0, 2]],
        ),
        (
            Dataset.range(2),
            lambda x: tf.TensorArray(tf.int64, 2).write(0, x).write(1, x).stack(),
            [[0, 0], [1, 1]],
        ),
    ],
)
def test_programs(dataset, function, expected):
    mapped = dataset.map(function)
    assert program_of(mapped) is not None, mapped._function.reason
    assert listed(mapped) == expected


def branch(x):
    y = x * 2
    return tf.cond(x > 1, lambda: y + x, lambda: -y)


def turns(x):
    y = x + 1
    start = tf.constant(0, tf.int64)
    return tf.while_loop(lambda i, a: i < x, lambda i, a: (i + 1, a + y), [start, start])[1]


def inner(x):
    y = x + 0
    return tf.reduce_sum(
        tf.map_fn(lambda t: tf.cond(t > y, lambda: y, lambda: t * y), tf.range(x + 2))
    )


@pytest.mark.parametrize(
    ("function", "expected"),
    [(branch, [0, -2, 6, 9]), (turns, [0, 2, 6, 12]), (inner, [0, 2, 8, 21])],
)
@pytest.mark.parametrize("calls", [None, 3])
def test_functions_in_the_function_use_its_tensors(function, expected, calls):
    mapped = Dataset.range(4).map(function, num_parallel_calls=calls)
    assert program_of(mapped) is not None, mapped._function.reason
    assert listed(mapped) == expected


def test_states_may_grow():
    grown = Dataset.range(4).reduce(
        tf.zeros([0], tf.int64), lambda state, x: tf.concat([state, [x]], 0)
    )
    assert grown.numpy().tolist() == [0, 1, 2, 3]


def test_gradients():
    def function(x):
        x = tf.cast(x, tf.float32)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    dataset = Dataset.range(3).map(function)
    assert dataset.element_spec == tf.TensorSpec([], tf.float32)
    assert listed(dataset) == [0.0, 2.0, 4.0]


def test_functions_may_ask_for_values():  # TensorFlow: an error
    dataset = Dataset.range(3).map(lambda x: x.numpy() * 2 if x > 0 else 7)
    assert program_of(dataset) is None
    assert listed(dataset) == [7, 2, 4]


# --- Errors -------------------------------------------------------------------------------------------


def own(x):
    raise ValueError("of its own")


@pytest.mark.parametrize(
    ("dataset", "function", "error", "words"),
    [
        (Dataset.range(3), own, ValueError, "of its own"),
        (Dataset.range(3), lambda x, y: x, TypeError, "missing 1 required"),
        (Dataset.range(3), lambda x: nowhere, NameError, "nowhere"),  # noqa: F821
        (Dataset.range(3), lambda x: x + tf.constant(1.5), TypeError, "float"),
        (
            Dataset.from_tensors(tf.zeros([1, 3])),
            lambda x: tf.matmul(x, tf.zeros([2, 2])),
            ValueError,
            "3 and 2",
        ),
    ],
)
def test_errors_come_when_the_data_set_is_made(dataset, function, error, words):
    with pytest.raises(error, match=words):
        dataset.map(function)


def test_what_functions_return_is_checked_when_the_data_set_is_made():
    with pytest.raises(ValueError, match="scalar tensor"):
        Dataset.range(3).filter(lambda x: x)
    with pytest.raises(TypeError, match="`Dataset` object"):
        Dataset.range(3).flat_map(lambda x: x)
    with pytest.raises(TypeError, match="pair"):
        Dataset.range(3).scan(np.int64(0), lambda state, x: state)


def test_errors_of_values_come_when_the_element_is_read():
    def function(x):
        index = x - 2
        return tf.gather([1, 2, 3], index)

    dataset = Dataset.range(2, 7).map(function)
    iterator = iter(dataset)
    assert [next(iterator).numpy() for _ in range(3)] == [1, 2, 3]
    with pytest.raises(tf.errors.InvalidArgumentError) as raised:
        next(iterator)
    shown = "".join(traceback.format_exception(raised.value))
    assert re.search(r"test_data_functions.py\", line \d+, in function", shown)
    assert "return tf.gather([1, 2, 3], index)" in shown


def test_assertions_hold_for_each_element():
    def function(x):
        tf.debugging.assert_less(x, tf.constant(2, tf.int64), message="too large")
        return x

    iterator = iter(Dataset.range(3).map(function))
    assert [next(iterator).numpy(), next(iterator).numpy()] == [0, 1]
    with pytest.raises(tf.errors.InvalidArgumentError, match="too large"):
        next(iterator)


def test_no_element_is_read_when_a_data_set_is_made():
    read = []

    def generator():
        for number in range(3):
            read.append(number)
            yield number

    source = Dataset.from_generator(generator, output_signature=tf.TensorSpec([], tf.int64))
    dataset = source.map(lambda x: int(x) + 1).map(lambda x: x * 2).filter(lambda x: x > 2)
    assert read == []
    assert listed(dataset) == [4, 6]


def test_large_elements_are_not_tried():
    calls = []

    def function(x):
        calls.append(1)
        return x[0]

    dataset = Dataset.from_tensors(tf.zeros([3000, 3000])).map(function)
    assert not calls
    assert len(listed(dataset)) == 1


def test_large_sizes_are_not_tried_together():
    # The unknown last axis must be 1, and is not tried with 16000, which would take 78 GiB.
    spec = tf.TensorSpec([None, 16000, None])
    source = Dataset.from_generator(
        lambda: iter([np.ones([2, 16000, 1], "f")]), output_signature=spec
    )
    squeezed = source.map(lambda audio: tf.squeeze(audio, axis=-1))
    assert squeezed.element_spec.shape.as_list() == [None, 16000]


@pytest.mark.parametrize("between", [None, "/", ",", "."])
def test_strings_have_any_number_of_parts(between):
    paths = Dataset.from_tensor_slices([(between or " ").join("abc"), (between or " ").join("xy")])
    parts = paths.map(lambda path: tf.strings.split(path, between))
    assert parts.element_spec == tf.TensorSpec([None], tf.string)
    assert listed(paths.map(lambda path: tf.strings.split(path, between)[-2])) == [b"b", b"x"]


def test_an_op_that_fails_without_values_is_left_to_the_element():
    def function(x):
        return tf.strings.to_number(tf.strings.split(x, "=")[1])

    assert listed(Dataset.from_tensor_slices(["a=1", "b=2"]).map(function)) == [1.0, 2.0]


def test_functions_in_the_function_see_the_tensors_of_their_time():
    def function(x):
        y = x + 1
        y = tf.cond(x > 0, lambda: y * 10, lambda: y)
        y = tf.cond(x > 1, lambda: y + 1, lambda: y)
        return y

    assert listed(Dataset.range(3).map(function)) == [1, 20, 31]


def test_data_sets_are_made_in_several_threads():
    errors = []

    def make():
        try:
            for _ in range(10):
                dataset = Dataset.range(4).map(branch, num_parallel_calls=2)
                assert listed(dataset) == [0, -2, 6, 9]
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=make) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_the_child_of_a_fork_reads_the_data_set():
    dataset = Dataset.range(4).map(branch, num_parallel_calls=2).prefetch(2)
    iterator = iter(dataset)
    assert next(iterator).numpy() == 0
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(writer, repr(listed(dataset)).encode())
        finally:
            os._exit(0)
    os.close(writer)
    os.waitpid(child, 0)
    assert os.read(reader, 1000) == b"[0, -2, 6, 9]"
    os.close(reader)
    assert [each.numpy() for each in iterator] == [-2, 6, 9]


def test_a_source_that_vanishes(tmp_path):
    first, second = tmp_path / "first", tmp_path / "second"
    first.write_text("a\nb\n")
    second.write_text("c\n")
    iterator = iter(tf.data.TextLineDataset([str(first), str(second)]).map(tf.strings.upper))
    assert next(iterator).numpy() == b"A"
    second.unlink()
    assert next(iterator).numpy() == b"B"
    with pytest.raises(tf.errors.NotFoundError):
        next(iterator)


def test_the_cause_of_an_error_of_the_user_stays() -> None:
    def fails(x):
        try:
            {}["key"]
        except KeyError as error:
            raise tf.errors.InvalidArgumentError(None, None, "the user's") from error

    data = tf.data.Dataset.range(3).map(lambda x: tf.numpy_function(fails, [x], tf.float32) * 2.0)
    with pytest.raises(tf.errors.UnknownError, match="InvalidArgumentError: the user's") as raised:
        list(data)
    assert isinstance(raised.value.__cause__, KeyError)


def test_a_function_that_takes_rows_out_of_nothing_has_a_spec():
    none = tf.zeros([0, 3])
    made = Dataset.range(0).map(lambda i: (none[i], tf.gather(none, [i])))
    assert made.element_spec == (tf.TensorSpec([3]), tf.TensorSpec([1, 3]))
    assert listed(made.batch(2)) == []
    indices = Dataset.range(0).batch(32, drop_remainder=True)
    rows = Dataset.zip((indices, Dataset.from_tensors(none).repeat())).map(
        lambda index, all_rows: tf.gather(all_rows, index)
    )
    assert rows.element_spec == tf.TensorSpec([32, 3])
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"is not in \[0, 0\)"):
        listed(Dataset.range(1).map(lambda i: tf.gather(none, i)))


# --- Steps that have run often are recorded -----------------------------------------------------------


@pytest.mark.parametrize(
    "make",
    [
        lambda dataset, function: dataset.map(function),
        lambda dataset, function: dataset.filter(lambda x: function(x) % 4 > 0),
        lambda dataset, function: dataset.map(lambda x: {"a": (x, function(x)), "b": x + 1}),
        lambda dataset, function: dataset.scan(
            np.int64(0), lambda s, x: (s + function(x), s * function(x))
        ),
    ],
    ids=["map", "filter", "nests", "scan"],
)
def test_steps_that_have_run_often_are_replayed(monkeypatch, make):
    dataset = make(Dataset.range(200), lambda x: x * 3 + 1)
    runs = count_runs(monkeypatch, dataset)
    first = listed(dataset)
    assert 32 < len(runs) < 40
    del runs[:]
    assert listed(dataset) == first
    assert not runs
    assert first == listed(make(Dataset.range(200), lambda x: int(x) * 3 + 1))


def test_replays_fit_elements_of_all_sizes(monkeypatch):
    dataset = (
        Dataset.range(300).map(lambda n: tf.range(n % 50)).map(lambda x: (x * 2, tf.reduce_sum(x)))
    )
    runs = count_runs(monkeypatch, dataset)
    for _ in range(2):
        for n, (twice, total) in enumerate(dataset):
            assert twice.numpy().tolist() == [2 * i for i in range(n % 50)]
            assert total == sum(range(n % 50))
    assert len(runs) < 45


def test_what_each_element_decides_is_not_recorded_for_ever(monkeypatch):
    """How many diagonals are left is read from the element, so each recording fits one element."""
    ones = tf.ones([100, 100], tf.int64)
    dataset = Dataset.range(1, 100).map(lambda n: tf.linalg.band_part(ones, n, 0)[-1])
    runs = count_runs(monkeypatch, dataset)
    for _ in range(2):
        for n, result in enumerate(dataset, start=1):
            assert result.numpy().sum() == n + 1
    assert len(runs) == 198
    assert dataset._function._replayed._function is None


def test_replays_read_variables_anew_and_see_no_tape():
    factor = tf.Variable(2, dtype=tf.int64)
    dataset = Dataset.range(100).map(lambda x: x * factor)
    assert listed(dataset) == list(range(0, 200, 2))
    factor.assign(5)
    assert listed(dataset) == list(range(0, 500, 5))
    slope = tf.Variable(2.0)
    dataset = Dataset.range(100).map(lambda x: tf.cast(x, tf.float32) * slope)
    with tf.GradientTape() as tape:
        total = tf.add_n(list(dataset))
    assert tape.gradient(total, slope) is None


def test_an_error_of_a_replay_names_the_line_of_the_function():
    dataset = Dataset.range(100).map(lambda x: 7 // (x - 60))
    elements = iter(dataset)
    for _ in range(60):
        next(elements)
    with pytest.raises(tf.errors.InvalidArgumentError, match="division by zero") as caught:
        next(elements)
    shown = "".join(traceback.format_exception(caught.value))
    assert "lambda x: 7 // (x - 60)" in shown
    assert shown.count("Traceback") == 1
    assert len(listed(dataset.ignore_errors())) == 99


def test_replays_in_several_threads_keep_the_order():
    dataset = Dataset.range(2000).map(lambda x: x * x - x, num_parallel_calls=4)
    assert listed(dataset) == [x * x - x for x in range(2000)]


def test_input_signatures_of_iterators_and_data_sets():
    numbers = tf.data.Dataset.range(4)
    element = tf.TensorSpec((), tf.int64)

    @tf.function(input_signature=[tf.data.IteratorSpec(element)])
    def square(iterator):
        x = next(iterator)
        return x * x

    iterator = iter(numbers)
    assert [int(square(iterator)) for _ in range(4)] == [0, 1, 4, 9]

    @tf.function(input_signature=[tf.data.DatasetSpec(element)])
    def total(data_set):
        return data_set.reduce(tf.constant(0, tf.int64), lambda before, number: before + number)

    assert [int(total(numbers)), int(total(numbers.take(2)))] == [6, 1]

    @tf.function(input_signature=[tf.OptionalSpec(element)])
    def value(optional):
        return optional.get_value()

    assert int(value(tf.experimental.Optional.from_value(tf.constant(3, tf.int64)))) == 3
    for function, argument in (
        (square, iter(numbers.map(float))),
        (square, numbers),
        (square, tf.constant(3, tf.int64)),
        (total, 3),
        (total, numbers.map(float)),
        (value, 3),
    ):
        with pytest.raises(TypeError, match="must be what"):
            function(argument)


@pytest.mark.parametrize("method", ["flat_map", "interleave"])
def test_sizes_of_inner_data_sets_are_open_where_those_of_elements_are(method):
    elements = Dataset.range(5).map(lambda x: (tf.fill([x], x), None))
    inner = getattr(elements, method)(lambda *e: Dataset.from_tensors(e))
    assert inner.element_spec == (tf.TensorSpec([None], tf.int64), elements.element_spec[1])
    # TensorFlow has no data set of a function that reads values.
    read = getattr(elements, method)(lambda x, _: Dataset.from_tensors({"a": x * len(x.numpy())}))
    assert read.element_spec == {"a": tf.TensorSpec([None], tf.int64)}
