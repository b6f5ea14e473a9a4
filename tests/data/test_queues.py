"""`tf.queue`: the order of elements, threads that wait, and closing. The answers are TensorFlow's."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Callable
from typing import Any

import pytest

import tapegrad as tf

queue = tf.queue


class Worker(threading.Thread):
    """Runs a function in a thread, and keeps what it returns or raises."""

    def __init__(self, function: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self.function = function
        self.result: Any = None
        self.start()

    def run(self) -> None:
        try:
            self.result = self.function()
        except tf.errors.OpError as error:
            self.result = type(error).__name__

    def finish(self) -> Any:
        self.join(10)
        assert not self.is_alive()
        return self.result


def wait_for(condition: Callable[[], bool]) -> None:
    ticks = threading.Event()
    for _ in range(500):
        if condition():
            return
        ticks.wait(0.01)
    raise AssertionError("it never came true")


def scalars(capacity: int = 10) -> Any:
    return queue.FIFOQueue(capacity, tf.int32, shapes=[[]])


def test_first_in_first_out() -> None:
    q = queue.FIFOQueue(5, [tf.int32, tf.string], shapes=[[], []])
    assert q.enqueue((1, "a")) is None
    q.enqueue_many(([2, 3, 4], ["b", "c", "d"]))
    assert q.size().numpy() == 4
    first = q.dequeue()
    assert [each.numpy() for each in first] == [1, b"a"]
    numbers, letters = q.dequeue_up_to(2)
    assert numbers.numpy().tolist() == [2, 3]
    assert letters.numpy().tolist() == [b"b", b"c"]
    assert (q.dtypes, q.shapes, q.names) == ([tf.int32, tf.string], [[], []], None)
    assert not q.is_closed().numpy()
    assert q.dequeue_many(0)[0].shape == [0]


def test_names() -> None:
    q = queue.FIFOQueue(5, [tf.int32, tf.float32], names=["a", "b"], shapes=[[], []])
    q.enqueue({"a": 1, "b": 2.0})
    q.enqueue_many({"a": [2], "b": [3.0]})
    assert q.dequeue()["b"].numpy() == 2.0
    assert q.dequeue_many(1)["a"].numpy().tolist() == [2]
    for wrong in ({"a": 1}, (1, 2.0)):
        with pytest.raises(ValueError, match="enqueue"):
            q.enqueue(wrong)
    with pytest.raises(ValueError, match="names"):
        scalars().enqueue({"a": 1})


def test_what_components_must_be() -> None:
    q = queue.FIFOQueue(5, [tf.int32], shapes=[[2]])
    q.enqueue([[1, 2]])
    with pytest.raises(ValueError, match="incompatible"):
        q.enqueue([[1, 2, 3]])
    with pytest.raises(tf.errors.InvalidArgumentError):
        queue.FIFOQueue(5, [tf.int32, tf.int32]).enqueue((1,))
    with pytest.raises((TypeError, ValueError)):
        scalars().enqueue("a")
    with pytest.raises(ValueError, match="not compatible"):
        queue.FIFOQueue(5, [tf.int32] * 2, shapes=[[], []]).enqueue_many(([1, 2], [1]))
    with pytest.raises(tf.errors.InvalidArgumentError, match="specified shapes"):
        queue.FIFOQueue(5, tf.int32).dequeue_many(1)
    with pytest.raises(tf.errors.InvalidArgumentError, match="< 0"):
        scalars().dequeue_many(-1)
    with pytest.raises(ValueError, match="fully defined"):
        queue.FIFOQueue(5, [tf.int32], shapes=[[None]])


def test_padding() -> None:
    q = queue.PaddingFIFOQueue(5, [tf.string, tf.int32], shapes=[[None], [None]])
    q.enqueue((["a"], [1]))
    q.enqueue((["b", "c"], [2, 3]))
    letters, numbers = q.dequeue_many(2)
    assert letters.numpy().tolist() == [[b"a", b""], [b"b", b"c"]]
    assert numbers.numpy().tolist() == [[1, 0], [2, 3]]


def test_priorities() -> None:
    q = queue.PriorityQueue(10, [tf.string], shapes=[[]])
    for priority, letter in ((3, "c"), (1, "a"), (2, "b"), (1, "a2")):
        q.enqueue((priority, letter))
    assert [q.dequeue()[1].numpy() for _ in range(4)] == [b"a", b"a2", b"b", b"c"]
    assert q.dtypes == [tf.int64, tf.string]


def test_random_order() -> None:
    tf.random.set_seed(1)
    q = queue.RandomShuffleQueue(20, 0, [tf.int32], shapes=[[]], seed=3)
    q.enqueue_many([range(10)])
    drawn = q.dequeue_many(10).numpy().tolist()
    assert drawn != [*range(10)]
    assert sorted(drawn) == [*range(10)]
    again = queue.RandomShuffleQueue(20, 0, [tf.int32], shapes=[[]], seed=3)
    again.enqueue_many([range(10)])
    assert again.dequeue_many(10).numpy().tolist() == drawn
    least = queue.RandomShuffleQueue(20, 3, [tf.int32], shapes=[[]], seed=3)
    least.enqueue_many([[1, 2, 3, 4]])
    least.dequeue()
    waiting = Worker(least.dequeue)
    least.close()
    waiting.finish()
    assert least.dequeue_up_to(9).shape == [2]
    with pytest.raises(tf.errors.OutOfRangeError):
        least.dequeue()
    for sizes in ((3, 5), (3, -1)):
        with pytest.raises(tf.errors.InvalidArgumentError):
            queue.RandomShuffleQueue(*sizes, [tf.int32])


def test_closing() -> None:
    q = scalars()
    q.enqueue_many([[1, 2]])
    q.close()
    assert q.is_closed().numpy()
    with pytest.raises(tf.errors.CancelledError):
        q.enqueue(3)
    with pytest.raises(tf.errors.CancelledError):
        q.close()
    with pytest.raises(tf.errors.OutOfRangeError):
        q.dequeue_many(3)
    assert q.dequeue_up_to(3).numpy().tolist() == [1, 2]
    for take in (q.dequeue, lambda: q.dequeue_up_to(1), lambda: q.dequeue_many(1)):
        with pytest.raises(tf.errors.OutOfRangeError):
            take()


def test_threads() -> None:
    q = scalars(2)

    def produce() -> None:
        for number in range(50):
            q.enqueue(number)
        q.close()

    producer = Worker(produce)
    found = []
    for _ in range(50):
        found.append(int(q.dequeue()))
    producer.finish()
    with pytest.raises(tf.errors.OutOfRangeError):
        q.dequeue()
    assert found == [*range(50)]


def test_closing_while_threads_wait() -> None:
    q = scalars(1)
    q.enqueue(1)
    waiting = Worker(lambda: q.enqueue(2))
    wait_for(lambda: q.queue_ref.waiting == 1)
    q.close(cancel_pending_enqueues=True)
    assert waiting.finish() == "CancelledError"
    assert q.size().numpy() == 1

    q = scalars(1)
    q.enqueue(1)
    waiting = Worker(lambda: q.enqueue(2))
    wait_for(lambda: q.queue_ref.waiting == 1)
    q.close()  # what waits still comes in
    assert [int(q.dequeue()), int(q.dequeue())] == [1, 2]
    assert waiting.finish() is None

    q = scalars()
    waiting = Worker(q.dequeue)
    q.close()
    assert waiting.finish() == "OutOfRangeError"

    q = scalars()
    q.enqueue_many([[1, 2]])
    waiting = Worker(lambda: q.dequeue_many(4))
    wait_for(lambda: q.size().numpy() == 0)
    q.close()
    assert waiting.finish() == "OutOfRangeError"
    assert q.dequeue_up_to(9).numpy().tolist() == [1, 2]


def test_a_thread_that_waits_can_be_interrupted() -> None:
    q = scalars()
    # Whoever runs the tests may ignore it, as shells do for what they start in the background.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    timer = threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        q.dequeue()
    timer.join()
    signal.signal(signal.SIGINT, before)
    q.enqueue(1)
    assert q.dequeue().numpy() == 1


def test_from_list() -> None:
    queues = [scalars(), scalars()]
    assert queue.QueueBase.from_list(tf.constant(1), queues) is queues[1]
    with pytest.raises(TypeError):
        queue.QueueBase.from_list(0, [])
    with pytest.raises(TypeError):
        queue.QueueBase.from_list(0, [scalars(), queue.FIFOQueue(1, tf.string)])
