"""`tf.train.CheckpointManager`: keeps the latest checkpoints of a program, and removes older ones."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Any

from tapegrad.framework.printed import Printed
from tapegrad.saving.checkpoint_files import (
    get_checkpoint_state,
    index_file,
    remove_checkpoint,
    update_checkpoint_state_internal,
)

PUBLIC = {"train": "CheckpointManager"}


class CheckpointManager(Printed):
    """Saves checkpoints into a folder, and keeps some of them.

    >>> import tempfile
    >>> step = tf.Variable(0)
    >>> manager = tf.train.CheckpointManager(
    ...     tf.train.Checkpoint(step=step), tempfile.mkdtemp(), max_to_keep=2)
    >>> for _ in range(3):
    ...     path = manager.save()
    >>> [path.rpartition("/")[2] for path in manager.checkpoints]
    ['ckpt-2', 'ckpt-3']

    Args:
        checkpoint: a `tf.train.Checkpoint`.
        directory: the folder.
        max_to_keep: how many checkpoints to keep; None for all.
        keep_checkpoint_every_n_hours: besides these, one is kept for each so many hours.
        checkpoint_name: the name of the files, before the number.
        step_counter: a variable that counts steps.
        checkpoint_interval: how many steps there must be from one checkpoint to the next.
        init_fn: called by `restore_or_initialize` where there is no checkpoint.
    """

    def __init__(
        self,
        checkpoint: Any,
        directory: Any,
        max_to_keep: int | None,
        keep_checkpoint_every_n_hours: float | None = None,
        checkpoint_name: str = "ckpt",
        step_counter: Any = None,
        checkpoint_interval: int | None = None,
        init_fn: Callable[[], Any] | None = None,
        last_checkpoint_step: Any = None,
    ) -> None:
        if max_to_keep is not None and max_to_keep <= 0:
            raise ValueError(
                f"Expected a positive integer or `None` for `max_to_keep`, got {max_to_keep}."
            )
        if checkpoint_interval is not None and step_counter is None:
            raise ValueError(
                "`step_counter` should be passed if `checkpoint_interval` is not None."
            )
        self._checkpoint = checkpoint
        self._directory = os.fsdecode(directory)
        self._max_to_keep = max_to_keep
        self._every_hours = keep_checkpoint_every_n_hours
        self._name = checkpoint_name
        self._step_counter = step_counter
        self._interval = checkpoint_interval
        self._init_fn = init_fn
        self._last_step = last_checkpoint_step
        self._kept: dict[str, float] = {}  # path -> when it was saved
        self._latest: str | None = None
        self._preserved = time.time() - 1.0
        state = get_checkpoint_state(self._directory)
        if state is not None:
            stamps = state.all_model_checkpoint_timestamps
            paths = state.all_model_checkpoint_paths
            if len(stamps) != len(paths):
                stamps = [time.time()] * len(paths)
            self._latest = state.model_checkpoint_path
            self._kept = dict(zip(paths, stamps, strict=True))
            self._preserved = state.last_preserved_timestamp or self._preserved

    def _printed_state(self) -> str:
        return f"{len(self._kept)} checkpoints in {self._directory!r}"

    @property
    def directory(self) -> str:
        """The folder."""
        return self._directory

    @property
    def checkpoint(self) -> Any:
        """The `tf.train.Checkpoint`."""
        return self._checkpoint

    @property
    def checkpoint_interval(self) -> int | None:
        """How many steps there must be from one checkpoint to the next, or None."""
        return self._interval

    @property
    def latest_checkpoint(self) -> str | None:
        """The path of the latest checkpoint, or None."""
        return self._latest

    @property
    def checkpoints(self) -> list[str]:
        """The paths of all that are kept, the oldest first."""
        return list(self._kept)

    def _too_early(self) -> bool:
        if self._interval is None:
            return False
        step = int(self._step_counter)
        if self._last_step is not None and step < int(self._last_step) + self._interval:
            return True
        self._last_step = step
        return False

    def save(
        self, checkpoint_number: Any = None, check_interval: bool = True, options: Any = None
    ) -> str | None:
        """Save a checkpoint, and remove those that are too many.

        Returns:
            The path; None if the last one was saved too few steps ago.
        """
        if check_interval and self._too_early():
            return None
        prefix = os.path.join(self._directory, self._name)
        counter = self._checkpoint.save_counter
        counter.assign_add(1)
        number = int(counter if checkpoint_number is None else checkpoint_number)
        path: str = self._checkpoint.write(f"{prefix}-{number}")
        self._kept.pop(path, None)
        self._kept[path] = time.time()
        self._latest = path
        old = self._forget_old()
        update_checkpoint_state_internal(
            self._directory,
            path,
            list(self._kept),
            save_relative_paths=True,
            all_model_checkpoint_timestamps=list(self._kept.values()),
            last_preserved_timestamp=self._preserved,
        )
        # Only now, so that the state never names as the latest one a checkpoint that has gone.
        for old_path in old:
            remove_checkpoint(old_path)
        return path

    def _is_own(self, path: str) -> bool:
        """Whether a path is one that this manager gives. The state of a folder may list those of others."""
        number = os.path.basename(path).removeprefix(f"{self._name}-")
        return path == os.path.join(self._directory, f"{self._name}-{number}") and number.isdigit()

    def _forget_old(self) -> list[str]:
        """Remove surplus checkpoints from the list. Returns the paths whose files are to be deleted."""
        old: list[str] = []
        if self._max_to_keep is None:
            return old
        while len(self._kept) > self._max_to_keep:
            path, stamp = next(iter(self._kept.items()))
            del self._kept[path]
            if (
                self._every_hours is not None
                and stamp - self._every_hours * 3600 >= self._preserved
            ):
                self._preserved = stamp
                continue
            if self._is_own(path):
                old.append(path)
        return old

    def sync(self) -> None:
        """Nothing: a checkpoint has been written when `save` returns."""

    def restore_or_initialize(self) -> str | None:
        """Restore the latest checkpoint, and return its path; where there is none, call ``init_fn``."""
        if self._latest is not None and index_file(self._latest).is_file():
            self._checkpoint.restore(self._latest)
            if self._step_counter is not None:
                self._last_step = int(self._step_counter)
            return self._latest
        if self._init_fn is not None:
            self._init_fn()
        return None
