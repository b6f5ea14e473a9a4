"""`tf.train.TrackableView` and `CheckpointView`: the objects below an object, and those of a checkpoint."""

from __future__ import annotations

import os
import weakref
from typing import Any

from tapegrad.framework.bases import Trackable, TrackableReference
from tapegrad.framework.printed import Printed
from tapegrad.saving.checkpoint_files import read_checkpoint
from tapegrad.saving.objects import children_of

PUBLIC = {
    "train": "CheckpointView TrackableView",
    "__internal__.tracking": "ObjectGraphView",
}


def is_trackable(part: Any) -> bool:
    """Whether a checkpoint can have ``part`` as an object."""
    return isinstance(part, (Trackable, list, tuple, dict)) or hasattr(part, "_trackable_children")


class TrackableView(Printed):
    """The objects below a trackable object.

    >>> root = tf.Module()
    >>> root.weight = tf.Variable(1.0)
    >>> [type(part).__name__ for part in tf.train.TrackableView(root).descendants()]
    ['Module', 'ResourceVariable']
    """

    def __init__(self, root: Any) -> None:
        self._root_ref = root if isinstance(root, weakref.ref) else weakref.ref(root)

    @property
    def root(self) -> Any:
        """The object."""
        return self._root_ref()

    @classmethod
    def children(cls, obj: Any, save_type: str = "checkpoint", **kwargs: Any) -> dict[str, Any]:
        """The parts of an object by name. Lists and dicts are parts, and have parts."""
        children = children_of(obj, save_type, kwargs.get("cache"))
        return {str(name): part for name, part in children.items() if is_trackable(part)}

    def descendants(self) -> list[Any]:
        """The object and all below it, each once."""
        objects, seen = [self.root], {id(self.root)}
        for value in objects:
            for part in self.children(value).values():
                if id(part) not in seen:
                    seen.add(id(part))
                    objects.append(part)
        return objects


class ObjectGraphView(TrackableView):
    """The objects below a trackable object, with the path to each. Keras 2 reads the paths."""

    def breadth_first_traversal(self) -> tuple[list[Any], ObjectPaths]:
        """The object and all below it, each once, and the names that lead to each."""
        objects, paths = [self.root], ObjectPaths()
        paths[self.root] = ()
        for value in objects:
            for name, part in self.children(value).items():
                if part not in paths:
                    paths[part] = (*paths[value], TrackableReference(name, part))
                    objects.append(part)
        return objects, paths


class ObjectPaths:
    """A dict from objects, which need not have a hash, to the names that lead to them."""

    def __init__(self) -> None:
        self._entries: dict[int, tuple[Any, tuple[TrackableReference, ...]]] = {}

    def __contains__(self, part: Any) -> bool:
        return id(part) in self._entries

    def __getitem__(self, part: Any) -> tuple[TrackableReference, ...]:
        return self._entries[id(part)][1]

    def __setitem__(self, part: Any, path: tuple[TrackableReference, ...]) -> None:
        self._entries[id(part)] = part, path


class CheckpointView(Printed):
    """The objects of a checkpoint, which are numbers here; the root is 0.

    >>> model = tf.train.Checkpoint(weight=tf.Variable(1.0))
    >>> view = tf.train.CheckpointView(model.write("view_of_a_model"))
    >>> view.children(0)
    {'weight': 1}
    >>> view.diff(tf.train.Checkpoint(bias=tf.Variable(2.0)))[1]       # not in the object
    [1]

    Raises:
        NotFoundError: there is no such checkpoint.
        ValueError: the checkpoint has variables by name, and no objects.
    """

    def __init__(self, save_path: Any) -> None:
        path = os.fsdecode(save_path)
        self._nodes, _ = read_checkpoint(path)
        if not self._nodes:
            raise ValueError(
                f"{path} holds variables by name, without the objects that they belong to: read them with "
                "tf.train.load_checkpoint."
            )

    def children(self, node_id: int) -> dict[str, int]:
        """The parts of an object by name."""
        return dict(self._nodes[node_id]["children"])

    def descendants(self) -> list[int]:
        """The root and all objects below it, each once."""
        numbers = {0: None}  # a set in order
        waiting = [0]
        for number in waiting:
            new = [child for child in self.children(number).values() if child not in numbers]
            numbers.update(dict.fromkeys(new))
            waiting.extend(dict.fromkeys(new))
        return list(numbers)

    def match(self, obj: Any) -> dict[int, Any]:
        """The objects of the checkpoint that are in ``obj``, under the same names, with the parts of ``obj``.

        Raises:
            ValueError: ``obj`` is nothing that a checkpoint can be made of.
        """
        if not is_trackable(obj):
            raise ValueError(f"Expected a Trackable, got {obj} of type {type(obj)}.")
        matches = {0: obj}
        waiting = [0]
        for number in waiting:
            parts = TrackableView.children(matches[number])
            for name, child in self.children(number).items():
                if name in parts and child not in matches:
                    matches[child] = parts[name]
                    waiting.append(child)
        return matches

    def diff(self, obj: Any) -> tuple[dict[int, Any], list[int], list[Any]]:
        """What `match` gives; the numbers of the objects, and the parts of ``obj``, that it lacks."""
        matches = self.match(obj)
        met = {id(part) for part in matches.values()}
        lacking = [number for number in self.descendants() if number not in matches]
        others = [part for part in TrackableView(obj).descendants() if id(part) not in met]
        return matches, lacking, others
