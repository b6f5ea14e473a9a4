"""`inspect.getfullargspec` of public functions and methods equals that of TensorFlow's.

TensorFlow's are in ``golden/specs.json.gz``, written by ``golden/record_specs.py``. Annotations are compared
where TensorFlow has none; ours are in the stubs, for type checkers.
"""

from __future__ import annotations

import enum
import gzip
import inspect
import json
import re
import subprocess
import sys
from operator import attrgetter
from typing import Any

import golden
import tapegrad as tf
from golden.specs import spec_of

_SPECS = {
    spec.pop("path"): spec
    for spec in map(
        json.loads, gzip.decompress((golden.FOLDER / "specs.json.gz").read_bytes()).splitlines()
    )
}

# Where a spec is another, and why.
_OTHERWISE = {
    "made by __new__, as there is one object of each": r"(.*\.)?DType",
    "a tape may note the lines of ops, and time them": r"(.*\.)?GradientTape",
    "contextlib's wrapper": (
        r".*\.stop_recording|(.*\.)?(init_scope|Graph\.as_default|variable_creator_scope)"
        r"|summary\.(SummaryWriter\.as_default|experimental\.summary_scope|record_if)"
        r"|(compat\.v1\.)?test\.TestCase\.test_session"
    ),
    "made from what is read, and not by users": (
        r"(compat\.v1\.)?data\.(Dataset|Iterator(\.get_next)?)|distribute\.(Cross|Distributed)\w+"
        r"|types\.experimental\.(AtomicFunction|ConcreteFunction|distributed\.\w+)"
    ),
    "handed to LiteRT as they come": r"(compat\.v1\.)?lite\.Interpreter",
    "plain classes, where TensorFlow's are made by __new__": (
        r"distribute\.((Input|Run)Options|experimental\.CollectiveHints)|profiler\.experimental\.ProfilerOptions"
    ),
    "the hash is an object, and the same": r".*\.(index_)?table_from_dataset",
    "reshuffle_each_iteration=True, which is what None means": r"compat\.v1\.data\..*\.shuffle",
    "data sets of 1.x have the arguments of today's": (
        r"compat\.v1\.data\.(Dataset\..*|experimental\.CsvDataset)"
    ),
    "names of 1.x that lead to today's functions": (
        r"compat\.v1\.(get_local_variable|gradients|py_func|scatter(_nd)?_update|variable_op_scope"
        r"|sparse(\.|_)(concat|split)|initializers\.(he|lecun)_\w+|train\.\w+(\.apply_gradients)?)"
    ),
    "strategies of 1.x are today's": (
        r"compat\.v1\.distribute\.(experimental\.)?\w*Strategy(Extended)?(\.\w+)?"
    ),
    "unittest's own, of a newer Python or an older one": (
        r"(compat\.v1\.)?test\.TestCase\.(assertDictEqual|assertMultiLineEqual|assertRaisesRegexp|fail)"
    ),
    "the class of errors is ours": r"(.*\.)?test\.TestCase\.assertRaisesIncompatibleShapesError",
    "a class here": r"device",
    "what typing.NamedTuple calls its class": (
        r".*\.(Logical|Virtual)DeviceConfiguration|.*\.(XLAOptions|TPUSystemMetadata)"
    ),
    "every op takes a name": r"(.*\.)?broadcast_dynamic_shape",
    "tf.signal's here; TensorFlow's own runs on no processor": r"(compat\.v1\.)?i?r?fftnd",
    "a compiled class, and not for users to call": r"(.*\.)?Tensor",
    "there are no such clusters here, whatever it is given": (
        r"(compat\.v1\.)?distribute\.cluster_resolver\.(GCE|Kubernetes)ClusterResolver"
    ),
}


def _ours() -> dict[str, Any]:
    """Those of TensorFlow's public functions and methods that are here."""
    found = {}
    for path in _SPECS:
        value: Any = tf
        try:
            for part in path.split("."):
                value = getattr(value, part)
        except AttributeError:
            continue
        # What an enumeration takes is said by its Python, and was recorded on one.
        if not (isinstance(value, type) and issubclass(value, enum.Enum)):
            found[path] = value
    return found


def _differences() -> dict[str, str]:
    found = {}
    for path, value in _ours().items():
        theirs, ours = dict(_SPECS[path]), spec_of(value)
        if theirs["varargs"] and theirs["varkw"] and len(theirs["args"]) <= 1:
            continue  # a wrapper that says nothing; ours may say what it takes
        if ours is not None and theirs["annotations"]:
            ours["annotations"] = theirs["annotations"]
        if ours != theirs:
            try:
                found[path] = f"tf.{path}{inspect.signature(value)} is to have {theirs}"
            except ValueError:
                found[path] = f"tf.{path} has no signature; it is to have {theirs}"
    return found


def _is_excused(path: str) -> bool:
    if any(re.fullmatch(pattern, path) for pattern in _OTHERWISE.values()):
        return True
    # Today's function under its name in 1.x is compared under today's name, if TensorFlow's was recorded.
    today = path.removeprefix("compat.v1.")
    try:
        same = today != path and attrgetter(today)(tf) == attrgetter(path)(tf)
    except AttributeError:  # there is no such name today
        return False
    return same and (today not in _SPECS or _is_excused(today))


def test_specs_are_tensorflows() -> None:
    differences = _differences()
    excused = {path for path in differences if _is_excused(path)}
    assert not differences.keys() - excused, "\n".join(
        text for path, text in differences.items() if path not in excused
    )
    for reason, pattern in _OTHERWISE.items():
        assert any(re.fullmatch(pattern, path) for path in differences), f"stale: {reason}"


def test_classes_keep_what_is_no_annotation() -> None:
    assert inspect.signature(tf.Variable).parameters["trainable"].default is None
    assert inspect.getfullargspec(tf.Variable.assign).annotations == {}
    assert inspect.getfullargspec(tf.nest.flatten).args == ["structure", "expand_composites"]


def test_functions_that_take_composites_lose_their_annotations_too() -> None:
    """Also where their forms were there before anybody asked for their names."""
    program = (
        "import inspect, tapegrad as tf\n"
        "tf.linalg.LinearOperatorIdentity(2).matvec([1.0, 2.0])\n"
        "print([inspect.getfullargspec(getattr(tf.linalg, name)).annotations for name in "
        "('matvec', 'adjoint', 'logdet', 'diag_part')])"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    ).stdout
    assert printed == "[{}, {}, {}, {}]\n"
