"""`tf.saved_model.save`: an object, its variables and its functions, in a folder."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from tapegrad.framework.bases import Trackable
from tapegrad.saving.files import MODEL_FILE
from tapegrad.saving.objects import Graph
from tapegrad.saving.options import SAVED_MODEL_FILENAME_PB, SaveOptions
from tapegrad.saving.signatures import collect_signatures
from tapegrad.saving.writing.folders import write_model
from tapegrad.saving.writing.models import Model

PUBLIC = {"saved_model compat.v1.saved_model": "contains_saved_model", "saved_model": "save"}


def contains_saved_model(export_dir: Any) -> bool:
    """Whether a folder holds a saved model, of TensorFlow's format or of our earlier one.

    >>> import tempfile
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.contains_saved_model(folder)
    False
    >>> tf.saved_model.save(tf.Module(), folder)
    >>> tf.saved_model.contains_saved_model(folder)
    True

    Args:
        export_dir: the folder, a str or a path object.
    """
    folder = Path(os.fsdecode(export_dir))
    return (folder / MODEL_FILE).is_file() or (folder / SAVED_MODEL_FILENAME_PB).is_file()


def save(obj: Any, export_dir: Any, signatures: Any = None, options: Any = None) -> None:
    """Write ``obj``, its parts and its functions into a folder.

    >>> import tempfile
    >>> class Scale(tf.Module):
    ...     def __init__(self):
    ...         super().__init__()
    ...         self.factor = tf.Variable(3.0)
    ...     @tf.function(input_signature=[tf.TensorSpec([None])])
    ...     def __call__(self, x):
    ...         return x * self.factor
    >>> folder = tempfile.mkdtemp()
    >>> tf.saved_model.save(Scale(), folder)
    >>> tf.saved_model.load(folder)(tf.constant([1.0, 2.0])).numpy()
    array([3., 6.], dtype=float32)

    Variables, tables, assets, lists, dicts and modules are saved, and each `tf.function` with every signature
    that it was called with, or that `get_concrete_function` was called with. For this it runs a few times on
    stand-ins, without effects.

    What is written is a SavedModel, which TensorFlow and what serves its models load, too.

    Args:
        obj: a trackable object, such as a `tf.Module`.
        export_dir: the folder. A model that is there is replaced once the new one is whole. What else lies
            there stays.
        signatures: a function with an ``input_signature``, a concrete function, or a dict of these, by name.
            They are in ``signatures`` of the loaded object, take tensors by keyword, and give dicts.
        options: a `SaveOptions`.

    Raises:
        ValueError: ``obj`` is no such object, or ``signatures`` hold something else.
        AssertionError, KeyError: a function uses a variable that ``obj`` does not have.
        UnimplementedError: a function does something that cannot be saved, such as calling Python.
        AlreadyExistsError: something that is no part of a model has the name of a file of the new one.
    """
    if not isinstance(obj, Trackable):
        raise ValueError(
            "Expected an object of type `Trackable`, such as `tf.Module` or a subclass of the "
            f"`Trackable` class, for export. Got {obj} with type {type(obj)}."
        )
    options = SaveOptions() if options is None else options
    if not isinstance(options, SaveOptions):
        raise AttributeError(f"options must be a tf.saved_model.SaveOptions; {options!r} came.")
    graph = Graph(obj)
    model = Model(graph, collect_signatures(graph, signatures), options)
    write_model(os.fsdecode(export_dir), model)
