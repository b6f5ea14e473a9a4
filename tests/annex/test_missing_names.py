"""Names of TensorFlow's that are not here say what to use; completion shows public names and nothing else.

What TensorFlow has is in ``golden/names.json.gz``, written by ``golden/record_names.py``.
"""

from __future__ import annotations

import fnmatch
import functools
import gzip
import importlib
import importlib.util
import json
import re
import subprocess
import sys
import traceback
from typing import Any

import pytest

import golden
import tapegrad as tf
from tapegrad.annex.spellings import paths_today
from tapegrad.framework import missing
from tapegrad.lazy import describe, read_table
from tapegrad.names import NAMES

_RECORDED = json.loads(gzip.decompress((golden.FOLDER / "names.json.gz").read_bytes()))
_THEIRS = {path: set(names.split()) for path, names in _RECORDED["namespaces"].items()}
_ATTRIBUTES = {kind: set(names.split()) for kind, names in _RECORDED["attributes"].items()}
# Namespaces that are plain modules, and say for themselves what they hold.
_MODULES = {"errors", "raw_ops", "contrib.eager"}


def _ours() -> dict[str, set[str]]:
    """The public names, by namespace, as the tables of the modules say."""
    ours = {path: set(read_table(entries)) for path, entries in NAMES.items()}
    for path in list(ours):
        while path:
            parent, _, last = path.rpartition(".")
            ours.setdefault(parent, set()).add(last)
            path = parent
    ours[""].add("newaxis")
    return ours


_OURS = _ours()


def _has(path: str) -> bool:
    namespace, _, name = path.rpartition(".")
    if namespace == "raw_ops":
        return name in _raw_names()  # asking for one that is not there looks for names like it
    try:
        functools.reduce(getattr, path.split("."), tf)
    except AttributeError:
        return False
    return True


@functools.cache
def _raw_names() -> set[str]:
    return set(dir(tf.raw_ops))


# What is Keras's: there where Keras is installed; where it is not, `annex.tensorflow_shim.keras` says so.
_KERAS = ("keras", "initializers", "losses", "metrics", "optimizers")


def _is_keras(path: str) -> bool:
    return path.removeprefix("compat.v1.").partition(".")[0] == "keras" or path.startswith(
        tuple(f"{name}." for name in _KERAS)
    )


@functools.cache
def _lacking() -> list[str]:
    """TensorFlow's names that are not ours: of a namespace that is missing its own name, and those inside."""
    names = (f"{path}.{name}".lstrip(".") for path, inside in _THEIRS.items() for name in inside)
    return sorted(
        path for path in names if not (_is_keras(path) or path in _KERAS) and not _has(path)
    )


def test_tensorflow_has_been_asked() -> None:
    assert len(_lacking()) > 2000
    assert {"lite.TFLiteConverter", "compat.v1.user_ops.my_fact", "mlir.experimental"} <= {
        *_lacking()
    }
    assert len([path for path in _THEIRS if path.startswith("__internal__")]) > 20


def test_every_name_of_tensorflow_is_here_or_answered() -> None:
    names = {path: set(inside) for path, inside in _OURS.items()}
    silent = [path for path in _lacking() if missing.answer(path, names, paths_today()) is None]
    assert not silent, f"missing.FAMILIES says nothing of {silent}"


def test_only_names_that_tensorflow_lacks_are_said_to_be_lacking_there() -> None:
    assert missing.public_names() == _THEIRS
    for path in _lacking():
        assert "no such name" not in describe(path), path
    for path in _THEIRS:
        if not _is_keras(path) and path != "raw_ops":
            invented = f"{path}.zqxzqx".lstrip(".")
            assert describe(invented) == ". TensorFlow 2.21 has no such name either."


def test_no_entry_of_the_table_is_stale() -> None:
    for patterns, _ in missing.FAMILIES:
        for pattern in patterns.split():
            matches = fnmatch.filter(_lacking(), pattern)
            assert matches, f"{pattern!r} in missing.FAMILIES stands for no name that is missing"


def test_what_is_renamed_leads_somewhere() -> None:
    for old, new in missing.RENAMED.items():
        assert any(old in inside for path, inside in _THEIRS.items() if "v1" in path), old
        assert not _has(old), f"tf.{old} is here"
        assert _has(new), f"missing.RENAMED sends {old} to tf.{new}, which is not here"


def test_answers_name_functions_that_exist() -> None:
    for patterns, said in missing.FAMILIES:
        for name in re.findall(r"\btf\.([\w.]+\w)", said):
            assert _is_keras(name) or _has(name), f"the answer to {patterns} names tf.{name}"


@pytest.mark.parametrize(
    ("path", "said"),
    [
        (
            "nonsense",
            "module 'tapegrad' has no attribute 'nonsense'. TensorFlow 2.21 has no such name",
        ),
        (
            "math.nonsense",
            "module 'tapegrad.math' has no attribute 'nonsense'. TensorFlow 2.21 has no",
        ),
        (
            "reduce_maen",
            "module 'tapegrad' has no attribute 'reduce_maen': did you mean tf.reduce_mean?",
        ),
        ("math.reduce_maen", "did you mean tf.math.reduce_mean?"),
        ("reduce_variance", "use tf.math.reduce_variance."),
        ("log", "use tf.math.log."),
        ("to_float", "use tf.cast."),
        ("Session", "use tf.compat.v1.Session."),
        ("placeholder", "use tf.compat.v1.placeholder."),
        ("train.Saver", "use tf.compat.v1.train.Saver"),
        ("compat.v1.train.SessionManager", "tf.compat.v1.Session is here, but not all"),
        ("compat.v1.disable_eager_execution", "with tf.Graph().as_default()"),
        ("raw_ops.Matmul", "tf.raw_ops has no op 'Matmul': did you mean tf.raw_ops.MatMul?"),
        ("raw_ops.TensorListStack", "tf.raw_ops has the ops that TensorFlow differentiates"),
    ],
)
def test_a_missing_name_says_what_to_use(path: str, said: str) -> None:
    *space, name = path.split(".")
    namespace = functools.reduce(getattr, space, tf)
    assert not hasattr(namespace, name)
    with pytest.raises(AttributeError) as caught:
        getattr(namespace, name)
    assert said in str(caught.value)
    assert caught.value.name == name
    printed = "".join(traceback.format_exception(caught.value))
    assert "Did you mean" not in printed, "Python adds a guess of its own"


@pytest.mark.parametrize(
    ("statement", "error", "said"),
    [
        (
            "from tapegrad.lite import TFLiteConverter",
            ImportError,
            "tf.saved_model.save writes a model that TensorFlow's converter takes",
        ),
        ("from tapegrad import reduce_maen", ImportError, "did you mean tf.reduce_mean?"),
        (
            "from tapegrad.math import nonsense",
            ImportError,
            "TensorFlow 2.21 has no such name either",
        ),
        (
            "import tapegrad.math.nonsense",
            ModuleNotFoundError,
            "No module named 'tapegrad.math.nonsense'",
        ),
    ],
)
def test_a_missing_import_says_what_to_use(statement: str, error: type, said: str) -> None:
    with pytest.raises(error) as caught:
        exec(statement)
    assert type(caught.value) is error
    assert said in str(caught.value)


def test_imports_that_are_fine_stay_so() -> None:
    assert importlib.util.find_spec("tapegrad.mlir") is None
    assert importlib.import_module("tapegrad.core").__name__ == "tapegrad.core"
    assert (
        importlib.import_module("tapegrad.ops.elementwise.math").__name__
        == "tapegrad.ops.elementwise.math"
    )
    with pytest.raises(ModuleNotFoundError, match=r"No module named 'tapegrad\.ops\.nonsense'$"):
        importlib.import_module("tapegrad.ops.nonsense")


@pytest.mark.parametrize("statement", ["", "tf.mlir"])
def test_the_table_is_loaded_when_a_name_is_missing(statement: str) -> None:
    program = "import sys, tapegrad as tf\n" + (
        f"try: {statement}\nexcept AttributeError: pass\n" if statement else ""
    )
    program += "print('tapegrad.framework.missing' in sys.modules)"
    finished = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert finished.stdout.strip() == str(bool(statement))


# --- Attributes of objects --------------------------------------------------------------------------

# What the objects have beyond TensorFlow's public attributes, and why.
_BEYOND = {
    "Variable": {"unique_id": "by which tapes know a variable"},
    "IndexedSlices": {
        "get_shape": "as tensors have it",
        "map_values": "for functions of the values",
    },
    "SparseTensor": {"map_values": "for functions of the values"},
    "function": {
        "explain": "what was recorded",
        "graph": "a picture of it",
        "profile": "what it takes",
    },
    "GradientTape": {
        "explain": "why a gradient is None",
        "first_nan": "where a NaN began",
        "graph": "a picture of what was recorded",
        "memory": "what the records keep",
        "profile": "what the ops took",
        "summary": "what was recorded",
    },
    "DType": {"numpy_dtype": "NumPy's dtype object", "type_num": "NumPy's number of it"},
}
# What nobody answers, and why.
_UNANSWERED = {
    "DType": (
        "cast experimental_as_proto experimental_from_proto experimental_type_proto flatten from_tensors "
        "placeholder_value to_tensors",
        "dtypes import nothing of ours, and these belong to the tracing of functions",
    )
}


def _objects() -> dict[str, Any]:
    x = tf.constant([1.0, 2.0])
    return {
        "Tensor": x,
        "Variable": tf.Variable(x),
        "GradientTape": tf.GradientTape(),
        "IndexedSlices": tf.IndexedSlices(x, tf.constant([0, 1])),
        "SparseTensor": tf.sparse.from_dense(x),
        "TensorShape": x.shape,
        "DType": x.dtype,
        "TensorSpec": tf.TensorSpec([2]),
        "TensorArray": tf.TensorArray(tf.float32, 1),
        "Module": tf.Module(),
        "random.Generator": tf.random.Generator.from_seed(1),
        "function": tf.function(abs),
        "name_scope": tf.name_scope("a"),
    }


def test_every_kind_of_object_is_asked() -> None:
    assert _objects().keys() == _ATTRIBUTES.keys()


@pytest.mark.parametrize("kind", _ATTRIBUTES)
def test_a_missing_attribute_says_why(kind: str) -> None:
    thing = _objects()[kind]
    silent = _UNANSWERED.get(kind, ("", ""))[0].split()
    for name in sorted(_ATTRIBUTES[kind]):
        bare = _words_of_missing(thing, name).endswith(f"has no attribute {name!r}")
        assert bare == (name in silent), f"{kind}.{name}"


def _words_of_missing(thing: Any, name: str) -> str:
    try:
        getattr(thing, name)
    except AttributeError as error:
        return str(error)
    except Exception:
        return ""  # it is there, and says that it cannot be had
    return ""


@pytest.mark.parametrize("kind", _ATTRIBUTES)
def test_completion_shows_tensorflows_attributes(kind: str) -> None:
    shown = {name for name in dir(_objects()[kind]) if not name.startswith("_")}
    assert shown - _ATTRIBUTES[kind] == _BEYOND.get(kind, {}).keys()


def test_a_slip_in_an_attribute_is_pythons_to_mend() -> None:
    with pytest.raises(AttributeError) as caught:
        tf.constant(1.0).shap  # noqa: B018
    assert caught.value.name == "shap"
    with pytest.raises(AttributeError) as caught:
        tf.constant(1.0).item  # noqa: B018
    assert not dir(caught.value.obj)


# --- Completion -------------------------------------------------------------------------------------


def _namespaces() -> list[str]:
    return sorted({*_OURS} | {path for path in _OURS if path})


@pytest.mark.parametrize("path", _namespaces(), ids=lambda path: path or "tf")
def test_completion_shows_the_public_names(path: str) -> None:
    importlib.import_module("tapegrad.ops.elementwise.math")  # loading things adds nothing
    importlib.import_module("tapegrad.testing")
    namespace = functools.reduce(getattr, path.split("."), tf) if path else tf
    shown = {name for name in dir(namespace) if not (name.startswith("__") and name.endswith("__"))}
    expected = {name for name in _OURS[path] if not name.startswith("__")}
    assert shown - {"testing", "profiling"} == expected


@pytest.mark.parametrize("path", sorted(_MODULES))
def test_completion_shows_no_imports_of_modules(path: str) -> None:
    module = functools.reduce(getattr, path.split("."), tf)
    shown = {name for name in dir(module) if not name.startswith("__")}
    assert not shown & {"annotations", "core", "np", "TYPE_CHECKING", "functools", "Callable"}
    if path == "errors":
        assert shown <= _THEIRS["errors"] | _THEIRS["compat.v1.errors"]


def test_completion_as_the_prompt_does_it() -> None:
    import rlcompleter

    completer = rlcompleter.Completer({"tf": tf})
    found = {completer.complete("tf.", i) for i in range(500)} - {None}
    names = {name.removeprefix("tf.").rstrip("()") for name in found if name}
    assert names - {"testing", "profiling"} == _OURS[""] - {"__internal__", "__operators__"}


def test_no_namespace_leaves_a_missing_name_unexplained() -> None:
    namespaces = {path for path in _OURS if _has(path)} | _MODULES
    for path in sorted(namespaces - {""}):
        if path.partition(".")[0] in _KERAS:
            continue
        namespace = functools.reduce(getattr, path.split("."), tf)
        with pytest.raises(AttributeError) as caught:
            namespace.nonsense_name  # noqa: B018 - asking is what is tested
        said = str(caught.value)
        assert not said.endswith(("'nonsense_name'", "'nonsense_name'.")), said
    for module, close in (("errors", "InvalidArgument"), ("contrib.eager", "implicit_gradient")):
        with pytest.raises(AttributeError, match="did you mean"):
            getattr(functools.reduce(getattr, module.split("."), tf), close)


def test_finders_answer_for_tapegrad_alone_and_one_of_them_is_first() -> None:
    program = (
        "import sys; before = list(sys.meta_path); import tapegrad; now = sys.meta_path; "
        "assert now[1:1 + len(before)] == before; added = now[:1] + now[1 + len(before):]; "
        "print(len(added), {finder.find_spec(name) for finder in added for name in "
        "('nobody_has_this', 'tapegradual.x', 'core.tensor', 'tapegradual.core.tensor')})"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    assert printed.stdout == "3 {None}\n"
