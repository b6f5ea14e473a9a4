"""`stand_in` makes ``import tensorflow`` give tapegrad, or says why it cannot."""

from __future__ import annotations

import sys
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from pathlib import Path

from tapegrad import core
from tapegrad.annex.tensorflow_shim import homes
from tapegrad.annex.tensorflow_shim.finder import Finder
from tapegrad.lazy import loaded_names, namespace
from tapegrad.releases import COMPILER_VERSION, GIT_VERSION, VERSION

PUBLIC = {".": "stand_in"}

# What marks a package named tensorflow that is not TensorFlow: it holds a module of this name.
MARK = "not_tensorflow.py"
CHILDREN = Path(__file__).parent / "path"


def stand_in() -> None:
    """Make ``import tensorflow`` give this package from now on in this process. Call it first in a program.

    Imports below ``tensorflow`` then give the modules of this package, ``tensorflow.keras`` gives Keras, and
    ``tf.__version__`` is the version of TensorFlow whose names these are. Public classes say that they live
    in modules of ``tensorflow``, because some libraries look only at that. Processes that `multiprocessing`
    starts do the same when they import ``tensorflow``.

    Raises:
        RuntimeError: TensorFlow is imported already, or is installed.
    """
    refuse_tensorflow()
    if any(isinstance(finder, Finder) for finder in sys.meta_path):
        return
    ours = sys.modules["tapegrad"]
    sys.modules["tensorflow"] = ours
    sys.meta_path.insert(0, Finder())
    sys.path.append(
        str(CHILDREN)
    )  # last: multiprocessing hands sys.path to the processes it starts
    core.set_homes("tensorflow.python.framework.tensor", "tensorflow.python.framework.ops")
    homes.settle()
    for module in (ours, namespace("compat.v1")):
        loaded_names(module).update(
            __version__=VERSION, __git_version__=GIT_VERSION, __compiler_version__=COMPILER_VERSION
        )


def refuse_tensorflow() -> None:
    """Raise RuntimeError if TensorFlow itself is imported or installed."""
    imported = sys.modules.get("tensorflow")
    if imported is sys.modules["tapegrad"]:
        return
    spec = find_spec("tensorflow") if imported is None else getattr(imported, "__spec__", None)
    if is_over_tensorflow(spec):
        raise RuntimeError(
            "tapegrad's package named tensorflow was installed over TensorFlow, whose files are still there: "
            "uninstall both, for instance by `pip uninstall tensorflow tensorflow-cpu`, "
            "and use an environment of its own."
        )
    if not is_tensorflow(spec):
        return
    if imported is not None:
        raise RuntimeError(
            "tensorflow is imported already, so tapegrad cannot stand in for it: "
            "call tapegrad.stand_in() as the first line of the program."
        )
    raise RuntimeError(
        "TensorFlow is installed here, so tapegrad does not stand in for it: "
        "use an environment without it, or write `import tapegrad as tf`."
    )


def is_over_tensorflow(spec: ModuleSpec | None) -> bool:
    """Whether ``spec`` is of a package that calls us, in the folder of TensorFlow's own."""
    if spec is None or spec.origin is None:
        return False
    init = Path(spec.origin)
    return init.with_name(MARK).exists() and (init.parent / "python" / "__init__.py").exists()


def is_tensorflow(spec: ModuleSpec | None) -> bool:
    """Whether ``spec``, of a module named tensorflow, is of TensorFlow: not of a package that calls us."""
    # A folder of that name, without Python files, is not a package.
    return (
        spec is not None
        and spec.origin is not None
        and not (Path(spec.origin).with_name(MARK).exists())
    )
