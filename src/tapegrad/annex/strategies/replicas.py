"""Functions that run in several replicas: a thread for each; one thread runs at a time.

A replica runs until it calls `merge_call` or ends; then the next one does. When all have come to the same
`merge_call`, its function is called once, with the values of all replicas. So the order in which everything
happens is always the same. Replicas that are to run side by side need another `_Replica.resume` and nothing
else: no code of a replica may see when the others run.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from tapegrad import core
from tapegrad.annex.strategies.contexts import Frame
from tapegrad.annex.strategies.values import regroup, select
from tapegrad.framework import nest
from tapegrad.framework.inherited import inheritance
from tapegrad.ops.program.host import call_op

if TYPE_CHECKING:
    from tapegrad.annex.strategies.mirrored import SeveralReplicas

# A call of a function: the function, its arguments by position, and those by keyword.
Call = tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any]]


class _Stopped(BaseException):
    """Ends a replica that waits for the others, after one of them has failed."""


class _Replica:
    """One replica, and the thread that runs it."""

    def __init__(
        self, extended: SeveralReplicas, number: int, call: Call, take: Callable[[], None]
    ) -> None:
        self._frame = Frame(extended._container_strategy, extended._context_of(number, self))
        self._call = call
        self._take = take
        self._turn = threading.Semaphore(0)
        self._paused = threading.Semaphore(0)
        self._stopped = False
        self.done = False
        self.result: Any = None
        self.error: BaseException | None = None
        self.merge: Call | None = None  # what it waits for
        threading.Thread(target=self._run, daemon=True).start()

    def _run(self) -> None:
        try:
            self._wait()
            self._take()
            function, args, kwargs = self._call
            with self._frame:
                self.result = function(*args, **kwargs)
        except _Stopped:
            pass
        except BaseException as error:
            self.error = error
        finally:
            self.done = True
            self._paused.release()

    def _wait(self) -> None:
        self._turn.acquire()
        if self._stopped:
            raise _Stopped

    def merge_call(self, call: Call) -> Any:
        """The result of the function, once all replicas have called this. Replicas call it themselves."""
        self.merge = call
        self._paused.release()
        self._wait()
        return self.result

    def resume(self) -> None:
        """Let the replica run until it ends or calls `merge_call`. Called by the one who runs them all."""
        self._turn.release()
        self._paused.acquire()
        if self.error is not None:
            raise self.error

    def stop(self) -> None:
        """End the replica where it waits."""
        self._stopped = True
        self._turn.release()


class _Group:
    """The replicas of one call, run by a thread of their own, so that no observer of the caller sees them."""

    def __init__(self, extended: SeveralReplicas, calls: Sequence[Call]) -> None:
        self._strategy = extended._container_strategy
        self._take = inheritance()
        self._result: Any = None
        self._error: BaseException | None = None
        self._replicas = [_Replica(extended, i, call, self._take) for i, call in enumerate(calls)]

    def run(self) -> Any:
        thread = threading.Thread(target=self._run, daemon=True)
        thread.start()
        try:
            thread.join()
        except BaseException:
            self._stop()
            raise
        if self._error is not None:
            raise self._error
        return self._result

    def _stop(self) -> None:
        for replica in self._replicas:
            replica.stop()

    def _run(self) -> None:
        try:
            self._take()
            with Frame(self._strategy, None):
                while not self._step():
                    self._merge()
        except BaseException as error:
            self._stop()
            self._error = error

    def _step(self) -> bool:
        """Let each replica run. Returns whether they have ended."""
        for replica in self._replicas:
            replica.resume()
        done = [replica.done for replica in self._replicas]
        if not any(done):
            return False
        if not all(done):
            raise RuntimeError(
                "Some replicas made a different number of replica_context().merge_call() calls. "
                "all_reduce() and assignments to variables with an aggregation are such calls too."
            )
        self._result = regroup([replica.result for replica in self._replicas])
        return True

    def _merge(self) -> None:
        """Call the function for which all replicas wait."""
        calls = [replica.merge for replica in self._replicas]
        function = calls[0][0]  # type: ignore[index]
        args = regroup([call[1] for call in calls])  # type: ignore[index]
        kwargs = regroup([call[2] for call in calls])  # type: ignore[index]
        result = function(self._strategy, *args, **kwargs)
        for i, replica in enumerate(self._replicas):
            replica.result = select(i, result)


def run_replicas(
    extended: SeveralReplicas,
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
) -> Any:
    """What ``function`` gives in each replica, with the replica's part of the arguments.

    To whom observes the caller this is one op, which calls Python.
    """

    def run(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        count = extended._num_replicas_in_sync
        calls = [(function, select(i, args), select(i, kwargs)) for i in range(count)]
        return _Group(extended, calls).run()

    def run_on_tensors(*tensors: Any) -> list[Any]:
        parts = nest.pack_sequence_as((args, kwargs), _put(leaves, tensors), expand_composites=True)
        return _tensors(nest.flatten(run(*parts), expand_composites=True))

    if not core.observers():
        return run(args, kwargs)
    leaves = nest.flatten((args, kwargs), expand_composites=True)
    tensors = _tensors(leaves)
    # New tensors for the threads of the replicas: a recorder refuses other threads that use its own, because
    # these come past the arguments.
    anew = _put(leaves, tuple([core.EagerTensor(tensor._array) for tensor in tensors]))
    core.announce(call_op, (run_on_tensors, [], False))
    result = run(*nest.pack_sequence_as((args, kwargs), anew, expand_composites=True))
    outputs = _tensors(nest.flatten(result, expand_composites=True))
    dtypes = [output.dtype for output in outputs]
    core.report(call_op, tensors, outputs, (run_on_tensors, dtypes, False))
    return result


def _tensors(leaves: list[Any]) -> list[core.EagerTensor]:
    return [leaf for leaf in leaves if type(leaf) is core.EagerTensor]


def _put(leaves: list[Any], tensors: tuple[Any, ...]) -> list[Any]:
    """``leaves``, with ``tensors`` in place of the tensors among them."""
    following = iter(tensors)
    return [next(following) if type(leaf) is core.EagerTensor else leaf for leaf in leaves]
