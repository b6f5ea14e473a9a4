"""``tf.compat.v1.train.Saver``: saves variables under their names, and keeps the latest checkpoints."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping
from typing import Any, ClassVar

import numpy as np

from tapegrad import errors
from tapegrad.annex.v1.collections import GraphKeys, get_collection
from tapegrad.core import EagerTensor, public, static_value
from tapegrad.framework.names import executing_eagerly, init_scope
from tapegrad.framework.printed import Printed
from tapegrad.framework.texts import as_text as tf_as_text
from tapegrad.io.messages import Message
from tapegrad.ops.shape.array import reshape as tf_reshape
from tapegrad.ops.shape.creation import convert_to_tensor, is_tensor
from tapegrad.saving.checkpoint_files import (
    checkpoint_exists,
    get_checkpoint_mtimes,
    index_file,
    read_checkpoint,
    remove_checkpoint,
    update_checkpoint_state_internal,
    write_checkpoint,
)
from tapegrad.saving.checkpoints import check_value, full_name
from tapegrad.saving.files import Tensors
from tapegrad.saving.objects import variable_in

PUBLIC = {
    "compat.v1.train": "Saver SaverDef assert_global_step global_step",
}

V1, V2 = 1, 2  # versions of the files


class SaverDef(Message):
    """How a `Saver` saves."""

    LEGACY, V1, V2 = 0, V1, V2
    VERSIONS: ClassVar = {0: "LEGACY", 1: "V1", 2: "V2"}
    SCHEMA = """
        string filename_tensor_name = 1; string save_tensor_name = 2; string restore_op_name = 3;
        int32 max_to_keep = 4; bool sharded = 5; float keep_checkpoint_every_n_hours = 6;
        VERSIONS version = 7;
    """


class Saver(Printed):
    """Saves the values of variables under their names, and restores them.

    >>> import os, tempfile
    >>> weight = tf.Variable([1.0, 2.0], name="weight")
    >>> saver = tf.compat.v1.train.Saver([weight])
    >>> path = saver.save(None, os.path.join(tempfile.mkdtemp(), "model"), global_step=3)
    >>> weight.assign([0.0, 0.0]).numpy()
    array([0., 0.], dtype=float32)
    >>> saver.restore(None, path)
    >>> weight.numpy()
    array([1., 2.], dtype=float32)

    The files are TensorFlow's: either library reads what the other has written. `restore` also reads what
    `tf.train.Checkpoint` has written, by the names that the variables had.

    Differs from TensorFlow: in a graph too, the variables have their values from the start, and no file of
    the graph is written beside the checkpoint.

    Args:
        var_list: the variables, or a dict of them by the names to save them under. In a graph it may be left
            out: then the variables in its collections are saved.
        reshape: whether a value may get another shape with as many elements.
        max_to_keep: how many checkpoints stay; None or 0 for all.
        keep_checkpoint_every_n_hours: besides these, one for each so many hours stays.
        defer_build: whether the variables are those that there are at `build`.
        allow_empty: whether there may be no variables; then nothing is saved.
        write_version: 2; files of version 1 are not written.
        pad_step_number: whether the number in the name of a file has eight digits.
        save_relative_paths: whether the file that lists the checkpoints names them without their folder.
        saver_def: a `SaverDef` that says what other arguments say.
        sharded, name, restore_sequentially, builder, filename: accepted, and of no effect.
    """

    def __init__(
        self,
        var_list: Any = None,
        reshape: bool = False,
        sharded: bool = False,
        max_to_keep: int | None = 5,
        keep_checkpoint_every_n_hours: float = 10000.0,
        name: str | None = None,
        restore_sequentially: bool = False,
        saver_def: SaverDef | None = None,
        builder: Any = None,
        defer_build: bool = False,
        allow_empty: bool = False,
        write_version: int = V2,
        pad_step_number: bool = False,
        save_relative_paths: bool = False,
        filename: str | None = None,
    ) -> None:
        if defer_build and var_list is not None:
            raise ValueError(
                "If `var_list` is provided then build cannot be deferred. Either set defer_build=False or "
                "var_list=None."
            )
        if var_list is None and executing_eagerly():
            raise RuntimeError(
                "When eager execution is enabled, `var_list` must specify a list or dict of variables to save"
            )
        if saver_def is not None:
            max_to_keep = saver_def.max_to_keep
            keep_checkpoint_every_n_hours = saver_def.keep_checkpoint_every_n_hours
            write_version = saver_def.version
        if write_version != V2:
            raise NotImplementedError(
                "tf.compat.v1.train.Saver writes files of version 2 alone, as it does by default."
            )
        self._var_list = var_list
        self._reshape = reshape
        self._max_to_keep = max_to_keep
        self._every_hours = keep_checkpoint_every_n_hours
        self._allow_empty = allow_empty
        self._pad_step_number = pad_step_number
        self._save_relative_paths = save_relative_paths
        self._next_kept_time = time.time() + keep_checkpoint_every_n_hours * 3600
        self._last: list[tuple[str, float]] = []  # path, when it was saved
        self._variables: dict[str, Any] | None = None
        if not defer_build and not executing_eagerly():
            self.build()

    def build(self) -> None:
        """Find the variables. Only with ``defer_build`` it is left to the program.

        Raises:
            RuntimeError: outside of a graph.
            ValueError: there are no variables, or two of one name.
        """
        if executing_eagerly():
            raise RuntimeError("Use save/restore instead of build in eager mode.")
        self._variables = self._named()

    def _named(self) -> dict[str, Any]:
        """The variables by the names to save them under, as they are now."""
        variables = self._var_list
        if variables is None:
            keys = (GraphKeys.GLOBAL_VARIABLES, GraphKeys.SAVEABLE_OBJECTS)
            variables = [variable for key in keys for variable in get_collection(key)]
        named = _by_name(variables)
        if not named and not self._allow_empty:
            raise ValueError("No variables to save")
        return named

    def _current(self) -> dict[str, Any]:
        return self._named() if self._variables is None else self._variables

    @property
    def last_checkpoints(self) -> list[str]:
        """The paths of the checkpoints that are kept, the oldest first."""
        return [path for path, _ in self._last]

    def set_last_checkpoints(self, last_checkpoints: Any) -> None:
        """Say which checkpoints there are, the oldest first. `save` removes those that are too many."""
        if not isinstance(last_checkpoints, list):
            raise AssertionError(
                f"set_last_checkpoints() takes a list of paths; {last_checkpoints!r} came."
            )
        self._last = [(path, float("inf")) for path in last_checkpoints]

    def set_last_checkpoints_with_time(self, last_checkpoints_with_time: Any) -> None:
        """Say which checkpoints there are, with the seconds since 1970 at which they were saved."""
        if not isinstance(last_checkpoints_with_time, list):
            raise AssertionError(
                "set_last_checkpoints_with_time() takes a list of pairs; "
                f"{last_checkpoints_with_time!r} came."
            )
        self._last = list(last_checkpoints_with_time)

    def recover_last_checkpoints(self, checkpoint_paths: Any) -> None:
        """Take over checkpoints of an earlier program; those that are gone are left out."""
        there = [path for path in checkpoint_paths if checkpoint_exists(path)]
        times = get_checkpoint_mtimes(there)
        self.set_last_checkpoints_with_time(list(zip(there, times, strict=True)))

    def as_saver_def(self) -> SaverDef:
        """How this saver saves, as a message."""
        return SaverDef(
            max_to_keep=self._max_to_keep or 0,
            keep_checkpoint_every_n_hours=self._every_hours,
            version=V2,
        )

    def to_proto(self, export_scope: str | None = None) -> SaverDef:
        """How this saver saves, as a message."""
        return self.as_saver_def()

    @staticmethod
    def from_proto(saver_def: SaverDef, import_scope: str | None = None) -> Saver:
        """A saver of the variables in the collections of a graph."""
        return Saver(saver_def=saver_def, name=import_scope)

    def save(
        self,
        sess: Any,
        save_path: Any,
        global_step: Any = None,
        latest_filename: str | None = None,
        meta_graph_suffix: str = "meta",
        write_meta_graph: bool = True,
        write_state: bool = True,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> str | None:
        """Save the values of the variables, and remove the checkpoints that are too many.

        Args:
            sess: the session, in a graph; else of no effect.
            save_path: where the names of the files begin.
            global_step: a number to put behind it, after a dash.
            latest_filename: the name of the file that lists the checkpoints; "checkpoint" if left out.
            write_state: whether to write that file, and to remove checkpoints.
            meta_graph_suffix, write_meta_graph, strip_default_attrs, save_debug_info: accepted, and of no
                effect: graphs are not written.

        Returns:
            The path of the checkpoint; None if there are no variables.

        Raises:
            ValueError: there are no variables, or two of one name.
        """
        _check_session(sess)
        path: str = tf_as_text(save_path)
        latest = latest_filename or "checkpoint"
        if os.path.split(latest)[0]:
            raise ValueError("'latest_filename' must not contain path components")
        if global_step is not None:
            number = _number(global_step)
            path = f"{path}-{number:08d}" if self._pad_step_number else f"{path}-{number}"
        variables = self._current()
        if not variables:
            return None
        tensors = Tensors()
        for name, variable in variables.items():
            tensors.keep(np.array(static_value(variable._snapshot, "saving")), name)
        write_checkpoint(path, [], tensors)
        if write_state:
            self._list(path, latest)
        return path

    def _list(self, path: str, latest: str) -> None:
        """Write the file that lists the checkpoints, and then remove what is too many."""
        too_many = []
        if self._max_to_keep:
            self._last = [pair for pair in self._last if pair[0] != path]
            self._last.append((path, time.time()))
            if len(self._last) > self._max_to_keep:
                too_many.append(self._last.pop(0))
        update_checkpoint_state_internal(
            os.path.dirname(path) or ".",
            path,
            self.last_checkpoints,
            latest,
            save_relative_paths=self._save_relative_paths,
        )
        for checkpoint, saved in too_many:
            if saved > self._next_kept_time:
                self._next_kept_time += self._every_hours * 3600
            else:
                remove_checkpoint(checkpoint)

    def restore(self, sess: Any, save_path: Any) -> None:
        """Give the variables the values that a checkpoint has for them.

        Args:
            sess: the session, in a graph; else of no effect.
            save_path: a path that `save` has returned.

        Raises:
            ValueError: there is no such checkpoint, or a shape does not fit. No variable is changed.
            NotFoundError: the checkpoint has no value of that name.
            InvalidArgumentError: the value has another dtype.
        """
        if save_path is None:
            raise ValueError("Can't load save_path when it is None.")
        _check_session(sess)
        path: str = tf_as_text(save_path)
        if not index_file(path).is_file():
            raise ValueError(f"The passed save_path is not a valid checkpoint: {path}")
        forms, arrays = read_checkpoint(path)
        keys = _keys_of(forms)
        values = []
        for name, variable in self._current().items():
            key = name if name in arrays else keys.get(name, "")
            if key not in arrays:
                errors.refuse(
                    "Restoring from checkpoint failed. This is most likely due to a Variable name or other "
                    "graph key that is missing from the checkpoint. Please ensure that you have not altered "
                    f"the graph expected based on the checkpoint. Original error:\n\nKey {name} not found in "
                    "checkpoint",
                    op="RestoreV2",
                    error=errors.NotFoundError,
                )
            array = np.array(arrays[key])
            if self._reshape:
                array = tf_reshape(array, variable.shape).numpy()
            check_value(variable, key, array)
            values.append((variable, array))
        with init_scope():  # a graph holds assignments back
            for variable, array in values:
                variable.assign(EagerTensor(array))

    def export_meta_graph(
        self,
        filename: Any = None,
        collection_list: Any = None,
        as_text: bool = False,
        export_scope: Any = None,
        clear_devices: bool = False,
        clear_extraneous_savers: bool = False,
        strip_default_attrs: bool = False,
        save_debug_info: bool = False,
    ) -> Any:
        """Not available: graphs are not written to files."""
        if executing_eagerly():
            raise RuntimeError(
                "Exporting/importing meta graphs is not supported when eager execution is enabled. No graph "
                "exists when eager execution is enabled."
            )
        raise NotImplementedError("Saver.export_meta_graph(): graphs are not written to files.")


def _by_name(variables: Any) -> dict[str, Any]:
    """The variables in a list or a dict, by their names."""
    if isinstance(variables, Mapping):
        pairs: Iterable[tuple[Any, Any]] = variables.items()
    elif isinstance(variables, (list, tuple, set)):
        pairs = [(None, value) for value in variables]
    else:
        raise TypeError(f"Variables to save should be passed in a dict or a list. Got {variables}")
    named: dict[str, Any] = {}
    for name, value in pairs:
        variable = variable_in(value)
        if name is not None and not isinstance(name, str):
            raise TypeError(
                "names_to_saveables must be a dict mapping string names to trackable operations. Name is not "
                f"a string: {name}"
            )
        if variable is None:
            raise ValueError(
                "Can only save/restore ResourceVariables when executing eagerly, got type: "
                f"{type(value)}."
            )
        key = full_name(variable) if name is None else name
        if name is not None and any(variable is other for other in named.values()):
            raise ValueError(f"The same saveable will be restored with two names: {name}")
        if named.setdefault(key, variable) is not variable:
            raise ValueError(
                f"Two different ResourceVariable objects with the same shared_name {key!r} were passed to "
                "the Saver: give a dict with a name for each."
            )
    return named


def _keys_of(forms: list[Any]) -> dict[str, str]:
    """The keys in a checkpoint of objects, by the names that the variables had."""
    return {
        name: form["tensors"][attribute]
        for form in forms
        for attribute, name in form.get("full_names", {}).items()
        if attribute in form["tensors"]
    }


def _check_session(sess: Any) -> None:
    """Raise TypeError if a graph is open, and ``sess`` does not run graphs."""
    if not executing_eagerly() and not hasattr(sess, "run"):
        raise TypeError(f"'sess' must be a Session; {sess}")


def _number(step: Any) -> int:
    return int(step) if isinstance(step, (int, np.integer)) else global_step(None, step)


@public
def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The number that the counter of steps, a variable or a tensor, holds.

    >>> tf.compat.v1.train.global_step(None, tf.Variable(3))
    3

    Args:
        sess: the session. It is not used: the counter has its value.
        global_step_tensor: a scalar variable or tensor of integers.
    """
    return int(static_value(convert_to_tensor(global_step_tensor), "a global step"))


@public
def assert_global_step(global_step_tensor: Any) -> None:
    """Raise TypeError if the counter of steps is not one integer, in a variable or a tensor.

    >>> tf.compat.v1.train.assert_global_step(tf.Variable(0))

    Args:
        global_step_tensor: the counter to check.
    """
    if not is_tensor(global_step_tensor):
        raise TypeError(
            f'Existing "global_step" must be a Variable or Tensor: {global_step_tensor}.'
        )
    dtype, shape = global_step_tensor.dtype, global_step_tensor.shape
    if not dtype.is_integer:
        raise TypeError(f'Existing "global_step" does not have integer type: {dtype}')
    if shape.rank != 0 and shape.is_fully_defined():
        raise TypeError(f'Existing "global_step" is not scalar: {shape}')
