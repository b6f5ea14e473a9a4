"""``tf.compat.v1.train``: how a session begins: scaffolds, and what makes sessions of them."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from tapegrad.annex.v1 import graph_summaries
from tapegrad.annex.v1.collections import GraphKeys, add_to_collection, get_collection
from tapegrad.annex.v1.savers import Saver
from tapegrad.framework.printed import Printed
from tapegrad.saving.checkpoint_files import get_checkpoint_state, latest_checkpoint
from tapegrad.symbolic.sessions import Session

PUBLIC = {
    "compat.v1.train": "ChiefSessionCreator Scaffold SessionCreator WorkerSessionCreator",
}


class Scaffold(Printed):
    """What a session needs besides its graph: how to begin, what to save, what to summarise.

    >>> with tf.Graph().as_default():
    ...     weight = tf.Variable([1.0, 2.0], name="weight")
    ...     scaffold = tf.compat.v1.train.Scaffold(init_fn=lambda scaffold, session: print("begins"))
    ...     with tf.compat.v1.train.MonitoredTrainingSession(scaffold=scaffold) as session:
    ...         session.run(weight)
    begins
    array([1., 2.], dtype=float32)

    Args:
        init_op, init_feed_dict: what is run where there is no checkpoint, and what is fed to it.
        init_fn: is called after it, with the scaffold and the session.
        local_init_op, local_init_feed_dict: what is run in any case.
        summary_op: all summaries; those of the graph if left out.
        saver: saves the variables; a `Saver` of those of the graph if left out.
        copy_from_scaffold: another scaffold that answers what is left out.
        ready_op, ready_for_local_init_op: kept, and not run: variables have values from the start.

    Raises:
        TypeError: ``copy_from_scaffold`` is no scaffold.
    """

    def __init__(
        self,
        init_op: Any = None,
        init_feed_dict: Any = None,
        init_fn: Callable[[Scaffold, Any], Any] | None = None,
        ready_op: Any = None,
        ready_for_local_init_op: Any = None,
        local_init_op: Any = None,
        summary_op: Any = None,
        saver: Any = None,
        copy_from_scaffold: Scaffold | None = None,
        local_init_feed_dict: Any = None,
    ) -> None:
        other = copy_from_scaffold
        if other is not None and not isinstance(other, Scaffold):
            raise TypeError("copy_from_scaffold is not a Scaffold instance.")

        def own(name: str, value: Any) -> Any:
            return getattr(other, name) if value is None and other is not None else value

        self.init_op = own("init_op", init_op)
        self.init_feed_dict = own("init_feed_dict", init_feed_dict)
        self._init_fn = own("_init_fn", init_fn)
        self.ready_op = own("ready_op", ready_op)
        self.ready_for_local_init_op = own("ready_for_local_init_op", ready_for_local_init_op)
        self.local_init_op = own("local_init_op", local_init_op)
        self.local_init_feed_dict = own("local_init_feed_dict", local_init_feed_dict)
        self.summary_op = own("summary_op", summary_op)
        self.saver = own("saver", saver)

    @property
    def init_fn(self) -> Callable[[Any], Any] | None:
        """The function ``init_fn`` with this scaffold as its first argument."""
        return None if self._init_fn is None else partial(self._init_fn, self)

    def finalize(self) -> Scaffold:
        """Find the summaries and the saver in the graph that is open, where none were given."""
        if self.summary_op is None:
            self.summary_op = self.get_or_default(
                "summary_op", GraphKeys.SUMMARY_OP, graph_summaries.merge_all
            )
        if self.saver is None:
            self.saver = self.get_or_default(
                "saver", GraphKeys.SAVERS, lambda: Saver(defer_build=True, allow_empty=True)
            )
        self.saver.build()
        return self

    @staticmethod
    def get_or_default(
        arg_name: str, collection_key: str, default_constructor: Callable[[], Any]
    ) -> Any:
        """What is in a collection of the graph that is open, or else a new object, which enters it.

        Raises:
            RuntimeError: several objects are in it.
        """
        present = get_collection(collection_key)
        if len(present) > 1:
            raise RuntimeError(
                f"The collection {collection_key!r} has {len(present)} items. Say which one to use: "
                f"tf.compat.v1.train.Scaffold({arg_name}=...)."
            )
        if present:
            return present[0]
        new = default_constructor()
        if new is not None:
            add_to_collection(collection_key, new)
        return new

    @staticmethod
    def default_local_init_op() -> None:
        """Nothing to run: local variables and tables have their values from the start."""


class SessionCreator(Printed):
    """Makes the session of a `MonitoredSession`. A subclass defines ``create_session``."""

    def create_session(self) -> Any:
        """A new session."""
        raise NotImplementedError(
            f"{type(self).__name__}.create_session() is not implemented: it returns a session."
        )


class ChiefSessionCreator(SessionCreator):
    """Makes a session whose variables come from a checkpoint, if there is one.

    Args:
        scaffold: how to begin; a new `Scaffold` if left out.
        checkpoint_dir: a folder, whose latest checkpoint is restored.
        checkpoint_filename_with_path: the checkpoint itself.
        config, master: handed to the session.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        checkpoint_dir: Any = None,
        checkpoint_filename_with_path: Any = None,
    ) -> None:
        self._scaffold = Scaffold() if scaffold is None else scaffold
        self._master, self._config = master, config
        self._folder, self._checkpoint = checkpoint_dir, checkpoint_filename_with_path

    def create_session(self) -> Session:
        """A session in which the variables are restored, or else the initial ops have run."""
        scaffold = self._scaffold.finalize()
        session = Session(self._master, config=self._config)
        if not self._restored(session):
            if scaffold.init_op is not None:
                session.run(scaffold.init_op, scaffold.init_feed_dict)
            if scaffold.init_fn is not None:
                scaffold.init_fn(session)
        if scaffold.local_init_op is not None:
            session.run(scaffold.local_init_op, scaffold.local_init_feed_dict)
        return session

    def _restored(self, session: Session) -> bool:
        """Restore the variables, if there is a checkpoint; whether there was."""
        saver = self._scaffold.saver
        if self._checkpoint is not None:
            saver.restore(session, self._checkpoint)
            return True
        path = None if self._folder is None else latest_checkpoint(self._folder)
        if path is None:
            return False
        saver.restore(session, path)
        state = get_checkpoint_state(self._folder)
        if state is not None:
            saver.recover_last_checkpoints(state.all_model_checkpoint_paths)
        return True


class WorkerSessionCreator(SessionCreator):
    """Makes a session beside that of a chief: it restores nothing.

    Args:
        max_wait_secs: accepted: variables belong to this process, and no chief has to be waited for.
        others: as those of `ChiefSessionCreator`.
    """

    def __init__(
        self,
        scaffold: Scaffold | None = None,
        master: str = "",
        config: Any = None,
        max_wait_secs: float = 1800,
    ) -> None:
        self._scaffold = Scaffold() if scaffold is None else scaffold
        self._master, self._config = master, config

    def create_session(self) -> Session:
        """A session in which the local initial ops have run."""
        scaffold = self._scaffold.finalize()
        session = Session(self._master, config=self._config)
        if scaffold.local_init_op is not None:
            session.run(scaffold.local_init_op, scaffold.local_init_feed_dict)
        return session
