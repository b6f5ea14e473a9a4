"""`tf.train.Checkpoint`: the values of the variables that an object has, in a file and back."""

from __future__ import annotations

import functools
import os
import weakref
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NoReturn, Self

import numpy as np

from tapegrad import dtypes, errors
from tapegrad.core import EagerTensor, Tensor, VariableBase, convert, static_value
from tapegrad.errors import refuse
from tapegrad.framework.bases import AutoTrackable, DictWrapper, ListWrapper, Trackable
from tapegrad.framework.logging import warn
from tapegrad.framework.names import init_scope
from tapegrad.framework.variable import Variable
from tapegrad.io.atomic import retry_if_replaced
from tapegrad.ops.program.tables import Entries
from tapegrad.saving.checkpoint_files import (
    read_checkpoint,
    update_checkpoint_state_internal,
    write_checkpoint,
)
from tapegrad.saving.files import MODEL_FILE, Damaged, Tensors, damaged, model_tensors, read_json
from tapegrad.saving.objects import children_of, is_container, table_arrays, variable_in
from tapegrad.saving.slots import SlotsToRestore, slots_of

PUBLIC = {"train": "Checkpoint"}

VALUE = "VARIABLE_VALUE"


class Checkpoint(AutoTrackable):
    """Saves and restores the values of all variables that some objects have.

    >>> import os, tempfile
    >>> model = tf.Module()
    >>> model.weight = tf.Variable([1.0, 2.0])
    >>> checkpoint = tf.train.Checkpoint(model=model)
    >>> path = checkpoint.save(os.path.join(tempfile.mkdtemp(), "model"))
    >>> _ = model.weight.assign([0.0, 0.0])
    >>> checkpoint.restore(path).assert_consumed()                      # doctest: +ELLIPSIS
    <...
    >>> model.weight.numpy()
    array([1., 2.], dtype=float32)

    A variable is identified by the names of the attributes that lead to it. Values whose objects are made
    later are restored then, when they become attributes, or parts of lists and dicts that are attributes.

    The files are TensorFlow's: either library reads the files of the other.

    Args:
        root: the object whose parts are saved, or a `weakref.ref` to it, which does not keep it alive.
        **kwargs: more objects, or weak references to them, each under its name.

    Raises:
        ValueError: an object has no parts that could be saved.
    """

    def __init__(self, root: Any = None, **kwargs: Any) -> None:
        self._root: Any = None
        self._save_counter: Any = None
        for name, value in sorted(kwargs.items()):
            _check(name, _object_of(value))
            setattr(self, name, value)
            if isinstance(value, weakref.ref):
                self._parts[name] = value
        if root is not None:
            _check("root", _object_of(root))
            self.__dict__["_root"] = root

    def _printed_state(self) -> str:
        return ", ".join([name for name in vars(self) if not name.startswith("_")])

    @property
    def root(self) -> Any:
        """The object whose parts are saved, or the reference to it, as it was given."""
        return self if self._root is None else self._root

    def _root_object(self) -> Any:
        """The object whose parts are saved; None if there is none but the checkpoint itself."""
        return None if self._root is None else _alive(self._root, "root")

    @property
    def save_counter(self) -> Any:
        """How often `save` was called, in a variable."""
        self._count()
        return self._save_counter

    def _count(self) -> None:
        if self._save_counter is None:
            counter: Any = Variable(0, dtype=dtypes.int64, trainable=False, name="save_counter")
            self.__dict__["_save_counter"] = counter
            self._parts.pop("_save_counter", None)
            self._handle_deferred_dependencies("save_counter", counter)

    def _children(self, value: Any) -> dict[Any, Any]:
        """The parts of the checkpoint itself, or of another object."""
        if value is not self:
            return children_of(value, "checkpoint")
        root = self._root_object()
        children = {} if root is None else children_of(root, "checkpoint")
        own = {
            name: _alive(part, name)
            for name, part in self._parts.items()
            if name not in ("_root", "_save_counter")
        }
        if root is not None:
            # In the file both are one object, which is its own part.
            own = dict(sorted({**own, "root": self}.items()))
        children.update(own)
        if self._save_counter is not None:
            children["save_counter"] = self._save_counter
        return children

    def write(self, file_prefix: Any, options: Any = None) -> str:
        """Write a checkpoint under this very path, without counting it, and return the path."""
        prefix = _path(file_prefix)
        nodes = _Nodes(self)
        write_checkpoint(prefix, nodes.nodes, nodes.tensors)
        return prefix

    def save(self, file_prefix: Any, options: Any = None) -> str:
        """Write a checkpoint under ``file_prefix-1``, ``-2`` and so on, and return its path.

        It becomes the latest one of its folder.
        """
        prefix = _path(file_prefix)
        self._count()
        self._save_counter.assign_add(1)
        path = self.write(f"{prefix}-{int(self._save_counter)}")
        update_checkpoint_state_internal(
            os.path.dirname(path) or ".", path, save_relative_paths=True
        )
        return path

    def read(self, save_path: Any, options: Any = None) -> Any:
        """Restore what `write` has written.

        A checkpoint of `tf.compat.v1.train.Saver` has no objects: the variables are restored by their names.

        Raises:
            NotFoundError: there is no such checkpoint.
        """
        path = _path(save_path)
        variables = os.path.join(path, "variables", "variables")
        model = os.path.join(path, MODEL_FILE)
        if os.path.isfile(model):
            nodes, arrays = retry_if_replaced(model, lambda: _of_model(path), errors.DataLossError)
        elif os.path.isfile(os.path.join(path, "saved_model.pb")):
            nodes, arrays = read_checkpoint(variables)  # of a model that TensorFlow has saved
        else:
            nodes, arrays = read_checkpoint(path)
        if not nodes:
            return NameBasedSaverStatus(self, arrays)
        return CheckpointLoadStatus(self, _Restoring(self, nodes, arrays))

    def restore(self, save_path: Any, options: Any = None) -> Any:
        """Give the variables the values that a checkpoint has for them.

        Args:
            save_path: the path that `save` has returned, a folder with a saved model, or None, as
                `tf.train.latest_checkpoint` gives where there is nothing.
            options: accepted.

        Returns:
            An object that can assert what was restored.
        """
        if save_path is None:
            return InitializationOnlyStatus()
        self._count()
        path = _path(save_path)
        try:
            return self.read(path)
        except errors.NotFoundError as error:
            raise errors.NotFoundError(
                None,
                None,
                f"Error when restoring from checkpoint or SavedModel at {path}: {error.message}\nPlease "
                "double-check that the path is correct. You may be missing the checkpoint suffix (e.g. "
                "the '-1' in 'path/to/ckpt-1').",
            ) from None


def _path(path: Any) -> str:
    if isinstance(path, Tensor):
        path = static_value(path, "a path").item()
    return os.fsdecode(path)


def _object_of(value: Any) -> Any:
    """What a weak reference refers to, None if it is gone; any other value as it is."""
    return value() if isinstance(value, weakref.ref) else value


def _alive(value: Any, name: str) -> Any:
    obj = _object_of(value)
    if obj is None:
        raise AssertionError(
            f"The object that the checkpoint knows as {name} is gone: it was given as a weak reference, and "
            "nothing else holds it any more."
        )
    return obj


def _check(name: str, value: Any) -> None:
    if callable(value) and hasattr(value, "_trackable_children"):
        return
    if not isinstance(value, (Trackable, list, tuple, Mapping, VariableBase)):
        raise ValueError(
            f"`Checkpoint` was expecting {name} to be a trackable object (an object derived from "
            f"`Trackable`), got {value}. If you believe this object should be trackable (i.e. it is part of "
            "the TensorFlow Python API and manages state), please open an issue."
        )


def _can_be_saved(value: Any) -> bool:
    return isinstance(value, (Trackable, VariableBase, list, tuple, Mapping))


class _Nodes:
    """The objects below a checkpoint, as JSON, and the values that they have."""

    def __init__(self, root: Checkpoint) -> None:
        self.tensors = Tensors()
        self.nodes: list[Any] = []
        queue: list[tuple[Any, str]] = [(root, "")]
        numbers = {id(root): 0}
        for value, path in queue:
            variable = variable_in(value)
            node = self._add(value, variable, path)
            if variable is None and is_container(value):
                for name, part in root._children(value).items():
                    known = variable_in(part)
                    part = part if known is None else known
                    if not _can_be_saved(part):
                        continue
                    if id(part) not in numbers:
                        numbers[id(part)] = len(queue)
                        queue.append(
                            (part, f"{path}/{escaped(str(name))}" if path else escaped(str(name)))
                        )
                    node["children"][str(name)] = numbers[id(part)]
        objects = [value for value, _ in queue]
        for optimizer, (value, path) in enumerate(queue[:]):
            for name, place, slot in slots_of(value, objects):
                if id(slot) in numbers:
                    raise NotImplementedError(
                        f"{slot.name} is a slot of an optimizer, and a part of an object besides or a slot "
                        "of another optimizer: a checkpoint has each variable in one place."
                    )
                slots = self.nodes[optimizer].setdefault("slots", [])
                slots.append((place, name, len(queue)))
                numbers[id(slot)] = len(queue)
                path_of_slot = f"{queue[place][1]}/.OPTIMIZER_SLOT/{path}/{escaped(name)}"
                queue.append((slot, path_of_slot))
                self._add(slot, slot, path_of_slot)
        self._kept = queue

    def _add(self, value: Any, variable: Any, path: str) -> dict[str, Any]:
        """A node for an object, with its values but without its parts."""
        node: dict[str, Any] = {"children": {}, "tensors": {}}
        self.nodes.append(node)
        for name, array in _values(value, variable).items():
            node["tensors"][name] = self.tensors.keep(array, f"{path}/.ATTRIBUTES/{name}")
        if variable is not None:
            node["full_names"] = {VALUE: full_name(variable)}
        return node


def escaped(name: str) -> str:
    """A name of a part as it stands in the names of tensors in a checkpoint."""
    return name.replace(".", "..").replace("/", ".S")


def _may_change(value: Any) -> bool:
    """Whether ``value`` is a table that takes new entries. What never changes is not saved."""
    return isinstance(getattr(value, "_entries", None), Entries) and hasattr(value, "insert")


def _values(value: Any, variable: Any) -> dict[str, np.ndarray[Any, Any]]:
    """The arrays that an object consists of, by name."""
    if variable is not None:
        return {VALUE: np.array(static_value(variable._snapshot, "saving"))}
    if _may_change(value):
        keys, values = table_arrays(value)
        return {"table-keys": keys, "table-values": values}
    if not isinstance(value, Trackable):
        return {}
    try:
        tensors = value._serialize_to_tensors()
    except NotImplementedError:
        return {}
    return {name: np.array(static_value(convert(part), "saving")) for name, part in tensors.items()}


def _of_model(folder: str) -> tuple[list[Any], dict[str, np.ndarray[Any, Any]]]:
    """The objects and variables of a saved model, as nodes of a checkpoint."""
    try:
        model = read_json(Path(folder, MODEL_FILE))
        arrays = model_tensors(Path(folder), model)
        objects = model.get("objects")
        if not isinstance(objects, list):
            raise Damaged("it has no objects")
        nodes: list[Any] = []
        for node in objects:
            children: Any = {}
            if isinstance(node.get("children"), dict):
                children = node["children"]
            elif node.get("kind") == "list":
                children = {str(index): number for index, number in enumerate(node["items"])}
            elif node.get("kind") == "dict":
                children = {str(key): number for key, number in node["items"]}
            own = {VALUE: node["value"]} if node.get("kind") == "variable" else {}
            nodes.append({"children": children, "tensors": own})
        from tapegrad.saving.checkpoint_files import checked_objects

        return checked_objects(nodes, arrays), arrays
    except (Damaged, AttributeError, KeyError, TypeError, ValueError) as error:
        damaged(folder, error)


class _Restoring:
    """A checkpoint that is being restored, now and when more objects appear."""

    def __init__(
        self, root: Checkpoint, nodes: list[Any], arrays: dict[str, np.ndarray[Any, Any]]
    ) -> None:
        self.nodes, self.arrays = nodes, arrays
        self.met: dict[int, Any] = {}  # number of an object in the file -> the object
        self.bound: list[Any] = []  # the objects that have got a value
        self._bound_ids: set[int] = set()
        self._root = root
        self._slots = SlotsToRestore(nodes, self.meet, arrays)
        self.meet(root, 0)

    def meet(self, value: Any, number: int) -> None:
        """``value`` is the object with that number: restore it and its parts."""
        queue = [(value, number)]
        for part, node_number in queue:
            variable = variable_in(part)
            part = part if variable is None else variable
            known = self.met.get(node_number)
            if known is not None or id(part) in self._bound_ids:
                if known is not part:
                    warn(
                        "Inconsistent references when loading the checkpoint into this object graph: "
                        "%r is not restored again, because it is another object in the checkpoint.",
                        part,
                    )
                continue
            self.met[node_number] = part
            self._bound_ids.add(id(part))
            node = self.nodes[node_number]
            self._give(part, variable, node["tensors"])
            self._slots.met(node_number, self.met)
            if variable is not None or not _can_be_saved(part) or not is_container(part):
                continue
            self._follow_growth(part, node)
            children = self._root._children(part)
            named = {str(name): child for name, child in children.items()}
            for name, child in node["children"].items():
                if named.get(name) is not None:
                    queue.append((named[name], child))
                elif isinstance(part, (Trackable, ListWrapper, DictWrapper)):
                    meet = functools.partial(self._meet_later, number=child)
                    self._target(part)._expect(name, meet)

    def _target(self, part: Any) -> Any:
        """The object whose attributes are the parts of ``part``."""
        root = self._root._root_object() if part is self._root else None
        return part if root is None else root

    def _follow_growth(self, part: Any, node: dict[str, Any]) -> None:
        """Have lists and dicts of an object tell what is added to them, if the file has values for more."""
        target = self._target(part)
        if not isinstance(target, (AutoTrackable, ListWrapper, DictWrapper)):
            return
        for name, number in node["children"].items():
            known = _plain_part(target, name)
            if known is None or self.nodes[number]["children"].keys() <= _names(known):
                continue
            del known  # it is asked who else holds it
            target._report_growth(name, functools.partial(self._grown, target, name, number))

    def _grown(self, target: Any, name: str, number: int) -> bool:
        """Restore what a list or dict has got. Whether it has all that the file has values for."""
        known = _plain_part(target, name)
        return known is None or self._catch_up(known, number)

    def _catch_up(self, known: list[Any] | dict[Any, Any], number: int) -> bool:
        """Restore what a plain list or dict has got, and those in it. Whether that is all."""
        parts = {str(key): part for key, part in children_of(known, "checkpoint").items()}
        is_all = True
        for name, child in self.nodes[number]["children"].items():
            part = parts.get(name)
            if part is None:
                is_all = False
            elif child not in self.met:
                self._meet_later(part, child)
            elif part is self.met[child] and type(part) in (list, dict):
                is_all &= self._catch_up(part, child)
        return is_all

    def _meet_later(self, value: Any, number: int) -> None:
        """The same for a part that appears later. That it does not fit is only logged."""
        try:
            # Not undone where a function makes the part in its first call, which is repeated.
            with init_scope():
                self.meet(value, number)
        except (ValueError, errors.InvalidArgumentError) as error:
            warn("A part that a checkpoint has values for is not restored: %s", error)

    def _give(self, value: Any, variable: Any, tensors: dict[str, str]) -> None:
        if variable is not None:
            if VALUE in tensors:
                self._assign(variable, tensors[VALUE])
            return
        if not tensors:
            return
        arrays = {name: self.arrays[key] for name, key in tensors.items()}
        entries = getattr(value, "_entries", None)
        if isinstance(entries, Entries):
            if not _may_change(value) or not {"table-keys", "table-values"} <= arrays.keys():
                return
            entries.values = {}
            if len(arrays["table-keys"]):
                value.insert(EagerTensor(arrays["table-keys"]), EagerTensor(arrays["table-values"]))
        elif isinstance(value, Trackable):
            value._restore_from_tensors(
                {name: EagerTensor(array) for name, array in arrays.items()}
            )
        self.bound.append(value)

    def _assign(self, variable: Any, key: str) -> None:
        array = self.arrays[key]
        check_value(variable, key, array)
        variable.assign(EagerTensor(np.array(array)))
        self.bound.append(variable)


def _plain_part(target: Any, name: str) -> Any:
    """The part ``name`` of an object, a list or a dict, if it is a plain list or dict; else None."""
    if isinstance(target, AutoTrackable):
        part = target._parts.get(name)
    elif isinstance(target, DictWrapper):
        part = target.get(name)
    else:
        part = target[int(name)] if name.isdecimal() and int(name) < len(target) else None
    return part if type(part) in (list, dict) else None


def _names(part: list[Any] | dict[Any, Any]) -> set[str]:
    """The names of the parts of a list or dict. None is no part: it holds a place for one."""
    places = part.items() if isinstance(part, dict) else enumerate(part)
    return {str(name) for name, value in places if value is not None}


def full_name(variable: Any) -> str:
    """The name of a variable, by which `tf.compat.v1.train.Saver` finds its value."""
    name: str = variable.name
    return name.removesuffix(":0")


def check_value(variable: Any, key: str, array: np.ndarray[Any, Any]) -> None:
    """Raise if the array, which a checkpoint has under ``key``, is no value of the variable."""
    dtype = dtypes.from_numpy(array.dtype)
    if dtype is not variable.dtype:
        refuse(
            f"tensor_name = {key}; expected dtype {variable.dtype.name} does not equal original dtype "
            f"{dtype.name}",
            op="RestoreV2",
        )
    if not variable.shape.is_compatible_with(array.shape):
        raise ValueError(
            f"Received incompatible tensor with shape {array.shape} when attempting to restore variable "
            f"with shape {variable.shape} and name {full_name(variable)}."
        )


class CheckpointLoadStatus:
    """What was restored. The assertions raise AssertionError, and return the object itself."""

    def __init__(self, root: Checkpoint, restoring: _Restoring) -> None:
        self._checkpoint = root
        self._restoring = restoring

    def assert_consumed(self) -> Self:
        """Every value of the checkpoint has found its object, and every variable its value."""
        self.assert_existing_objects_matched()
        for number, node in enumerate(self._restoring.nodes):
            if number not in self._restoring.met and self._holds_values(number):
                names = sorted(node["tensors"]) or sorted(node["children"])
                raise AssertionError(
                    f"Unresolved object in checkpoint {self._where(number)}: attributes {names}"
                )
        return self

    def _holds_values(self, number: int) -> bool:
        """Whether there are tensors in the object with that number, or below it."""
        nodes = self._restoring.nodes
        below = [number]
        for object_number in below:
            if nodes[object_number]["tensors"]:
                return True
            below.extend(
                [child for child in nodes[object_number]["children"].values() if child not in below]
            )
        return False

    def _where(self, number: int) -> str:
        """How the object with that number is reached from the root."""
        paths = {0: "(root)"}
        for node_number, node in enumerate(self._restoring.nodes):
            for name, child in node["children"].items():
                if node_number in paths:
                    paths.setdefault(child, f"{paths[node_number]}.{name}")
        return paths.get(number, f"number {number}")

    def assert_existing_objects_matched(self) -> Self:
        """Every variable that the program has now has got a value."""
        unmatched = [
            value
            for value in _with_values(self._checkpoint)
            if not any(value is bound for bound in self._restoring.bound)
        ]
        if unmatched:
            count = len(unmatched)
            raise AssertionError(
                f"Found {count} Python objects that were not bound to checkpointed values, likely due to "
                f"changes in the Python program. Showing {min(count, 10)} of {count} unmatched objects: "
                f"{unmatched[:10]}"
            )
        return self

    def assert_nontrivial_match(self) -> Self:
        """Something besides the root has been found in the checkpoint."""
        if len(self._restoring.met) <= 1:
            raise AssertionError(
                "Nothing except the root object matched a checkpointed value. Typically this means that the "
                "checkpoint does not match the Python program. The following objects have no matching "
                f"checkpointed value: {_with_values(self._checkpoint)[:10]}"
            )
        return self

    def expect_partial(self) -> Self:
        """Say nothing of what was not restored."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing: values were restored at once."""

    run_restore_ops = initialize_or_restore


class NameBasedSaverStatus:
    """What was restored from a checkpoint without objects: variables, by their names."""

    def __init__(self, root: Checkpoint, arrays: dict[str, np.ndarray[Any, Any]]) -> None:
        variables: list[Any] = [
            value for value in _with_values(root) if isinstance(value, VariableBase)
        ]
        matched = {
            full_name(variable): variable for variable in variables if full_name(variable) in arrays
        }
        for name, variable in matched.items():
            check_value(variable, name, arrays[name])
        for name, variable in matched.items():
            variable.assign(EagerTensor(np.array(arrays[name])))
        self._unmatched = [variable for variable in variables if full_name(variable) not in arrays]

    def assert_consumed(self) -> Self:
        """Every variable of the program has got a value, or AssertionError."""
        own = [variable for variable in self._unmatched if full_name(variable) != "save_counter"]
        if own:
            lines = "\n".join(f"    {variable!r}: [{full_name(variable)!r}]" for variable in own)
            raise AssertionError(f"Some objects had attributes which were not restored: \n{lines}")
        return self

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def expect_partial(self) -> Self:
        """Say nothing of what was not restored."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing: values were restored at once."""

    run_restore_ops = initialize_or_restore


class InitializationOnlyStatus:
    """What `Checkpoint.restore(None)` returns: nothing was restored."""

    def assert_consumed(self) -> NoReturn:
        """Raises AssertionError."""
        raise AssertionError("No checkpoint specified (save_path=None); nothing is being restored.")

    assert_existing_objects_matched = assert_nontrivial_match = assert_consumed

    def expect_partial(self) -> Self:
        """The object itself."""
        return self

    def initialize_or_restore(self, session: Any = None) -> None:
        """Nothing: variables have values."""

    def run_restore_ops(self, session: Any = None) -> None:
        """Raises AssertionError."""
        self.assert_consumed()


def _with_values(root: Checkpoint) -> list[Any]:
    """The objects below a checkpoint that have values to restore."""
    values, queue, seen = [], [root], {id(root)}
    for value in queue:
        variable = variable_in(value)
        if variable is not None:
            values.append(variable)
            continue
        if _may_change(value):
            values.append(value)
        if not _can_be_saved(value) or not is_container(value):
            continue
        for part in root._children(value).values():
            inner = variable_in(part)
            part = part if inner is None else inner
            if id(part) not in seen:
                seen.add(id(part))
                queue.append(part)
    values += [slot for value in queue for _, _, slot in slots_of(value, queue)]
    return values
