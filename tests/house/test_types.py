"""What type checkers see of the package as it is installed: mypy and Pyright on a typed program."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import tapegrad as tf
from samples import Later, Name, Run, all_samples
from samples.draws import Draw

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tools"))

from list_package_files import PACKAGE, package_files  # noqa: E402  # not a package
from write_names import public_names  # noqa: E402

PROGRAM = ROOT / "tests" / "typed" / "program.py"
KERAS_PROGRAM = ROOT / "tests" / "typed" / "keras_program.py"
# Where tools/install_keras.py puts Keras.
KERAS = Path(sys.prefix) / "keras"

Findings = tuple[dict[int, str], set[int]]


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the package's files as the build installs them, without the compiled modules."""
    folder = tmp_path_factory.mktemp("site")
    for file in package_files():
        (folder / "tapegrad" / file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(PACKAGE / file, folder / "tapegrad" / file)
    write_stubs = [sys.executable, ROOT / "tools" / "write_stubs.py", folder / "tapegrad"]
    subprocess.run(write_stubs, check=True)
    return folder


def stubs(package: Path) -> dict[str, str]:
    return {str(file.relative_to(package)): file.read_text() for file in package.rglob("*.pyi")}


def test_the_build_has_written_the_stubs(installed: Path) -> None:
    built, expected = stubs(Path(tf.__file__).parent), stubs(installed / "tapegrad")
    assert len(expected) > 200
    different = {path for path in built.keys() | expected if built.get(path) != expected.get(path)}
    assert not different, "as of another state of the sources: " + ", ".join(sorted(different))


def short(revealed: str) -> str:
    """A type without the modules of its names."""
    return re.sub(r"\b(?:\w+\.)+(?=\w)", "", revealed)


def mypy(program: Path, site: Path) -> Findings:
    """What mypy reveals, and the lines it complains about."""
    settings = site / "mypy.ini"
    settings.write_text(
        f"[mypy]\nmypy_path = {site}\ncache_dir = {site / 'cache'}\nfollow_imports = silent\n"
        "strict = True\nwarn_unused_ignores = False\n"
    )
    finished = subprocess.run(
        [sys.executable, "-m", "mypy", "--config-file", settings, "--no-pretty", program],
        capture_output=True,
        text=True,
        cwd=site,
    )
    assert finished.returncode < 2, finished.stderr + finished.stdout
    revealed, errors = {}, set()
    for line in finished.stdout.splitlines():
        found = re.match(r'.*?\.py:(\d+): (?:note: Revealed type is "(.*)"$|error)', line)
        if found and found[2]:
            revealed[int(found[1])] = short(found[2])
        elif found:
            errors.add(int(found[1]))
    return revealed, errors


def pyright(program: Path, site: Path) -> Findings:
    """What Pyright reveals, and the lines it complains about."""
    copy = site / program.name
    shutil.copy(program, copy)
    settings = {"typeCheckingMode": "standard", "extraPaths": [str(KERAS)]}
    (site / "pyrightconfig.json").write_text(json.dumps(settings))
    finished = subprocess.run(
        [
            sys.executable,
            "-m",
            "basedpyright",
            "--outputjson",
            "--pythonpath",
            sys.executable,
            copy,
        ],
        capture_output=True,
        text=True,
        cwd=site,
    )
    revealed, errors = {}, set()
    for finding in json.loads(finished.stdout)["generalDiagnostics"]:
        line = finding["range"]["start"]["line"] + 1
        found = re.match(r'Type of ".*" is "(.*)"$', finding["message"], re.DOTALL)
        if found:
            revealed[line] = short(found[1])
        elif finding["severity"] == "error":
            errors.add(line)
    return revealed, errors


@pytest.mark.long
@pytest.mark.parametrize("checker", [mypy, pyright], ids=lambda checker: checker.__name__)
def test_a_typed_program(checker: Callable[[Path, Path], Findings], installed: Path) -> None:
    check_program(checker, PROGRAM, installed)


@pytest.mark.skipif(not KERAS.exists(), reason="tools/install_keras.py installs Keras")
def test_keras_is_typed_for_editors(installed: Path) -> None:
    """Pyright only: it reads packages that do not declare themselves typed, as editors do."""
    check_program(pyright, KERAS_PROGRAM, installed)


def check_program(checker: Callable[[Path, Path], Findings], program: Path, site: Path) -> None:
    """Compare what ``checker`` says of ``program`` with what the program's comments expect."""
    lines = dict(enumerate(program.read_text().splitlines(), 1))
    revealed, errors = checker(program, site)
    expected = {
        number: line.rpartition("  # ")[2]
        for number, line in lines.items()
        if line.lstrip().startswith("reveal_type(")
    }
    different = [
        f"{lines[number]} -- {revealed.get(number)}"
        for number in expected
        if revealed.get(number) != expected[number]
    ]
    assert not different, "\n".join(different)
    wrong = {number for number, line in lines.items() if line.endswith("# wrong")}
    unseen, unjust = sorted(wrong - errors), sorted(errors - wrong)
    assert not unseen, "not reported: " + "; ".join(lines[number] for number in unseen)
    assert not unjust, "reported: " + "; ".join(lines[number] for number in unjust)


# Public names that give something nobody can know before the call, or that are known from it alone.
# Packages whose functions are made from tables, or take and give what today's functions do.
_LOOSE = ("annex.v1.", "annex.numpy_like.")
# What libraries call of TensorFlow's inside.
_INSIDE = ("__internal__.", "__operators__.")
_NOBODY_KNOWS = {
    "what the user's function gives": (
        "autodiff.hvp autodiff.implicit_fixed_point autodiff.implicit_root autodiff.jet autodiff.jvp "
        "autodiff.linearize autodiff.minimize autodiff.taylor autodiff.vjp "
        "xla.experimental.compile"
    ),
    "what the fields of a subclass are": (
        "experimental.BatchableExtensionType experimental.ExtensionType experimental.extension_type.as_dict"
    ),
    "what the structure holds": (
        "distribute.all_gather distribute.all_reduce distribute.broadcast distribute.reduce_scatter "
        "nest.flatten nest.map_structure nest.pack_sequence_as tuple"
    ),
    "modules of Keras, which does not declare itself typed": (
        "keras initializers losses metrics optimizers"
    ),
    "any object": "distribute.all_objects distribute.broadcast_object saved_model.load",
    "the structure of the loop's variables": "while_loop",
    "what Tout says": "numpy_function py_function",
    "an array or a scalar of NumPy's, or what came": "get_static_value",
    "a capsule, which Python has no type for": "experimental.dlpack.to_dlpack",
    "gradients, which may be slices or None": "clip_by_global_norm gradients hessians",
    "what the elements of the data set are": (
        "data.experimental.at data.experimental.get_single_element data.experimental.get_structure "
        "compat.v1.data.get_output_classes compat.v1.data.get_output_shapes compat.v1.data.get_output_types"
    ),
    "what the features say: tensors, sparse or ragged ones": (
        "io.parse_example io.parse_sequence_example io.parse_single_example "
        "io.parse_single_sequence_example compat.v1.parse_example compat.v1.parse_sequence_example "
        "compat.v1.parse_single_example compat.v1.parse_single_sequence_example"
    ),
    "dtypes, shapes and default values of any kind": (
        "io.FixedLenFeature io.FixedLenSequenceFeature io.RaggedFeature io.SparseFeature io.VarLenFeature "
        "compat.v1.FixedLenFeature compat.v1.FixedLenSequenceFeature compat.v1.RaggedFeature "
        "compat.v1.SparseFeature compat.v1.VarLenFeature"
    ),
    "a ragged tensor or a tensor, as the ranks of the arguments are": (
        "ragged.boolean_mask ragged.constant ragged.cross ragged.cross_hashed ragged.map_flat_values "
        "ragged.stack ragged.stack_dynamic_partitions strings.bytes_split strings.ngrams strings.split "
        "strings.unicode_decode strings.unicode_decode_with_offsets strings.unicode_encode "
        "strings.unicode_split strings.unicode_split_with_offsets compat.v1.string_split"
    ),
    "arrays of any dtype": (
        "make_ndarray test.compute_gradient train.load_variable types.experimental.TensorLike "
        "compat.v1.SparseTensorValue"
    ),
    "what the program said": "summary.experimental.get_step",
    "a class, or a decorator of classes": "test.with_eager_op_as_function",
}


def results(revealed: str) -> list[str]:
    """What a revealed callable gives back, form by form; the type itself if it cannot be called."""
    # A function of which nothing is asked is no Any.
    revealed = re.sub(r"(def )?\(\*Any, \*\*Any\)( -> Any)?", "()", revealed)
    forms = revealed[len("Overload(") : -1] if revealed.startswith("Overload(") else revealed
    if not forms.startswith("def "):
        return [revealed]
    found, depth, start = [], 0, -1
    for i, letter in enumerate(forms):
        if depth == 0 and start >= 0 and forms.startswith(", def ", i):
            found.append(forms[start:i])
            start = -1
        depth += (letter in "([") - (letter in ")]")
        if depth == 0 and start < 0 and letter == ")":
            start = i + len(") -> ")
    return [*found, forms[start:]]


@pytest.mark.long
def test_no_public_name_is_any(installed: Path) -> None:
    names = sorted(
        {
            f"{namespace}.{entry.partition('=')[0]}".removeprefix(".")
            for namespace, modules in public_names().items()
            for entries in modules.values()
            for entry in entries
        }
    )
    program = installed / "names.py"
    program.write_text(
        "import tapegrad as tf\n" + "".join(f"reveal_type(tf.{name})\n" for name in names)
    )
    revealed, errors = mypy(program, installed)
    assert not errors, f"unknown: {', '.join(names[line - 2] for line in sorted(errors))}"
    source = {
        f"{namespace}.{entry.partition('=')[0]}".removeprefix("."): module
        for namespace, modules in public_names().items()
        for module, entries in modules.items()
        for entry in entries
    }
    unknown = {
        names[line - 2]
        for line, seen in revealed.items()
        if any(re.search(r"\bAny\b", result) for result in results(seen))
    }
    loose = {
        name
        for name, module in source.items()
        if module.startswith(_LOOSE) or name.startswith(_INSIDE)
    }
    unknown -= loose
    excused = {
        name
        for short_names in _NOBODY_KNOWS.values()
        for each in short_names.split()
        for name in (each, f"compat.v1.{each}")
        if name in names and name not in loose
    }
    assert len(revealed) == len(names)
    assert not unknown - excused, f"Any to mypy: {', '.join(sorted(unknown - excused))}"
    assert not excused - unknown, f"no longer Any: {', '.join(sorted(excused - unknown))}"


# --- The table of samples as a program --------------------------------------------------------------------


def code(value: Any) -> str:
    """An argument of a sample as a program would write it; a tensor is ``x``."""
    if isinstance(value, Draw):
        return "x"
    if isinstance(value, Name):
        return f"tf.{value._path}"
    if isinstance(value, Later):
        return call_of(code(value.function), value.args, value.kwargs)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{key!r}: {code(each)}" for key, each in value.items()) + "}"
    if type(value) in (list, tuple):
        parts = "".join([f"{code(each)}, " for each in value])
        return f"[{parts}]" if isinstance(value, list) else f"({parts})"
    if isinstance(value, float):
        return f"float({str(value)!r})"
    if value is None or isinstance(value, (bool, int, complex, str, bytes)):
        return repr(value)
    raise TypeError(f"a {type(value).__name__} is not written in one line")


def call_of(function: str, args: Sequence[Any], kwargs: dict[str, Any]) -> str:
    given = [code(value) for value in args]
    given += [f"{name}={code(value)}" for name, value in kwargs.items()]
    return f"{function}({', '.join(given)})"


def kind(result: Any) -> str:
    """What type checkers are to call a result."""
    if isinstance(result, tf.Tensor):
        return "Tensor"
    if type(result) is list:
        return "list"
    return "tuple" if isinstance(result, tuple) else type(result).__name__


def test_samples_suit_the_stubs(installed: Path) -> None:
    """What rows pass is accepted, and what comes back is of the type that was promised."""
    calls, made = [], []
    for sample in all_samples():
        for case in sample.cases if sample.path else ():
            try:
                line = call_of(f"tf.{sample.path}", case.args, case.kwargs)
            except TypeError:
                continue
            dtype = "float32" if "float32" in sample.dtypes else sample.dtypes[0]
            run = Run(sample, case, dtype)
            calls.append(line)
            try:
                made.append(kind(run(tf, run.tensors(tf))))
            except tf.errors.InvalidArgumentError:  # a row that shows how the op refuses its input
                made.append("")
    assert len(calls) > 1000
    program = installed / "samples.py"
    program.write_text(
        "import tapegrad as tf\nx = tf.constant(1.0)\n"
        + "".join(f"reveal_type({line})\n" for line in calls)
    )
    revealed, errors = mypy(program, installed)
    refused = [calls[line - 3] for line in sorted(errors)]
    assert not refused, "refused: " + "\n".join(refused)
    other = [
        f"{calls[line - 3]} is a {made[line - 3]}, not {seen}"
        for line, seen in revealed.items()
        if seen != "Any" and made[line - 3] and not re.match(rf"{made[line - 3]}\b", seen)
    ]
    assert not other, "\n".join(other)
