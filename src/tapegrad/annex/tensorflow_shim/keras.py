"""``tf.keras`` and the namespaces of ``tf`` that are Keras's: the package ``keras``, loaded when first used.

Keras imports ``tensorflow`` itself. So that this is tapegrad, what loads Keras stands in first.
As in TensorFlow, ``TF_USE_LEGACY_KERAS=1`` selects ``tf_keras``, which is Keras 2, instead.

Environment variables:
    KERAS_BACKEND: Keras's own variable. The first use of `tf.keras` sets it to `tensorflow` if it is not
        set, and refuses another backend.
    TF_USE_LEGACY_KERAS: `1` makes `tf.keras` the package `tf_keras`, which is Keras 2.
"""

from __future__ import annotations

import os
import sys
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import find_spec
from types import ModuleType
from typing import TYPE_CHECKING

from tapegrad.annex.tensorflow_shim.entry import stand_in
from tapegrad.annex.tensorflow_shim.finder import Existing
from tapegrad.framework.missing import said_by_us
from tapegrad.lazy import is_import, refuse_import

if TYPE_CHECKING:
    # What editors see below tf.keras: Keras's own classes and functions. Keras does not declare itself typed,
    # so mypy reads it only for those who set follow_untyped_imports for keras.*.
    from keras._tf_keras import keras as keras
    from keras._tf_keras.keras import initializers as initializers
    from keras._tf_keras.keras import losses as losses
    from keras._tf_keras.keras import metrics as metrics
    from keras._tf_keras.keras import optimizers as optimizers

    keras_v1 = keras

PUBLIC = {
    ".": "initializers keras losses metrics optimizers",
    "compat.v1": "keras=keras_v1",
}

# What Keras makes for TensorFlow: its public names, with those that only tf.keras has.
PACKAGE = "keras._tf_keras.keras"
LEGACY_PACKAGE = "tf_keras.api._v2.keras"
# Its names for programs of TensorFlow 1, where initializers draw otherwise. Keras 3 has none.
LEGACY_PACKAGE_V1 = "tf_keras.api._v1.keras"
BACKEND = "KERAS_BACKEND"
LEGACY = "TF_USE_LEGACY_KERAS"


def __getattr__(name: str) -> ModuleType:
    if name not in (*PUBLIC["."].split(), "keras_v1"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        loaded = import_keras()
    except ImportError as error:
        raise said_by_us(f"module 'tapegrad' has no attribute {name!r}: {error}", name) from error
    if name == "keras_v1":
        return import_module(LEGACY_PACKAGE_V1) if wants_legacy() else loaded
    return loaded if name == "keras" else import_module(f"{loaded.__name__}.{name}")


def wants_legacy() -> bool:
    """Whether the environment selects ``tf_keras``, by one of TensorFlow's variables."""
    return os.environ.get(LEGACY) in ("1", "true", "True")


def package() -> str:
    """The name of the package that is ``tf.keras``."""
    return LEGACY_PACKAGE if wants_legacy() else PACKAGE


def import_keras() -> ModuleType:
    """Keras as TensorFlow exports it, after `stand_in`.

    Raises:
        ImportError: Keras is not installed, has another backend, or TensorFlow itself is here.
    """
    if (said := obstacle()) is not None:
        raise ImportError(said, name="keras")
    os.environ.setdefault(BACKEND, "tensorflow")
    return import_module(package())


def find_spec_of(name: str, rest: str) -> ModuleSpec | None:
    """The spec of ``name``, which is a module of Keras below ``tensorflow`` or ``tapegrad``."""
    if rest == "keras":
        said = obstacle()
        if said is not None and is_import():
            refuse_import(name, f": {said}")
        return None if said else ModuleSpec(name, Existing(import_keras), is_package=True)
    theirs = rest.replace("keras", package(), 1)
    import_keras()
    if find_spec(theirs) is not None:
        return ModuleSpec(name, Existing(lambda: import_module(theirs)), is_package=True)
    if is_import():
        refuse_import(name, f": Keras has no module {rest!r}")
    return None


def obstacle() -> str | None:
    """Why tf.keras cannot be had, or None. Without a reason against it, tapegrad stands in from here on."""
    said = obstacle_to_legacy() if wants_legacy() else obstacle_to_keras()
    if said is not None:
        return said
    try:
        stand_in()
    except RuntimeError as error:
        return str(error)
    return None


def obstacle_to_legacy() -> str | None:
    """Why ``tf_keras`` cannot be ``tf.keras``, or None."""
    if PathFinder.find_spec("tf_keras") is None:
        return f"{LEGACY} asks for Keras 2, which is not installed: pip install --no-deps tf_keras"
    return None


def obstacle_to_keras() -> str | None:
    """Why Keras 3 cannot be ``tf.keras``, or None."""
    loaded = sys.modules.get("keras")
    spec = loaded.__spec__ if loaded else PathFinder.find_spec("keras")
    if spec is None:
        return "Keras is not installed: pip install tapegrad[keras]"
    # Not importlib.util.find_spec, which would import Keras.
    if PathFinder.find_spec("keras._tf_keras", spec.submodule_search_locations) is None:
        return "the Keras that is installed is older than Keras 3: pip install tapegrad[keras]"
    config = sys.modules.get("keras.src.backend.config")
    backend = config.backend() if config else os.environ.get(BACKEND, "tensorflow")
    if backend != "tensorflow":
        state = "Keras is loaded with" if config else f"{BACKEND} asks for"
        return (
            f"{state} the backend {backend!r}, and tf.keras needs the backend 'tensorflow', which "
            f"computes with tapegrad here: set {BACKEND}=tensorflow before Keras is imported"
        )
    return None
