"""The name ``tensorflow``: `tapegrad.stand_in()`, ``python -m tapegrad``, and the distribution in stand-in/.

Each program runs in a process of its own. Keras is a few lines here, in a folder named ``keras``: what the
project does with the real one is tried where that is installed.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import textwrap
import venv
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

import tapegrad as tf
from tapegrad.annex.tensorflow_shim import internals

ROOT = Path(__file__).resolve().parents[2]


def run_alone(
    program: str, folder: Path, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a program, or Python with ``arguments`` in its place."""
    return subprocess.run(
        [sys.executable, *(arguments or ("-c", textwrap.dedent(program)))],
        capture_output=True,
        text=True,
        timeout=60,
        cwd=folder,
        env={**os.environ, **environment},
    )


def lines(program: str, folder: Path, *arguments: str, **environment: str) -> list[str]:
    done = run_alone(program, folder, *arguments, **environment)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def write(folder: Path, files: dict[str, str]) -> None:
    """Write files below ``folder``, by their paths."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text))


# --- stand_in() -------------------------------------------------------------------------------------


def test_tensors_live_in_tensorflow(tmp_path: Path) -> None:
    program = """
    import tapegrad
    before = type(tapegrad.constant(1.0)).__module__
    tapegrad.stand_in()
    tapegrad.stand_in()
    import tensorflow as tf
    import tensorflow.math
    from tensorflow.nn import relu
    import copy, pickle
    x = tf.constant([1.0, -2.0])
    v = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = relu(v) * tensorflow.math.sin(v)
    print(before.split(".")[0], type(x).__module__.split(".")[0], type(x).__name__, isinstance(x, tf.Tensor))
    print(tape.gradient(y, v).shape, pickle.loads(pickle.dumps(x)).numpy(), copy.deepcopy(x).numpy())
    print(tf is tapegrad, repr(type(x)))
    """
    assert lines(program, tmp_path) == [
        "tapegrad tensorflow EagerTensor True",
        "(2,) [ 1. -2.] [ 1. -2.]",
        "True <class 'tensorflow.python.framework.ops.EagerTensor'>",
    ]


def test_it_refuses_where_tensorflow_is(tmp_path: Path) -> None:
    (tmp_path / "tensorflow.py").write_text("real = True\n")
    program = """
    import tapegrad
    {first}
    try:
        tapegrad.stand_in()
    except RuntimeError as error:
        print(error)
    import tensorflow
    print(tensorflow.real, type(tapegrad.constant(1.0)).__module__)
    try:
        tapegrad.keras
    except AttributeError as error:
        print(error)
    """
    write(tmp_path, {"keras/__init__.py": "", "keras/_tf_keras/__init__.py": ""})
    for first, words in (
        ("", "TensorFlow is installed"),
        ("import tensorflow", "imported already"),
    ):
        said = lines(program.replace("{first}", first), tmp_path)
        assert words in said[0]
        assert said[1] == "True tapegrad.core.tensor"
        assert "TensorFlow is installed" in said[2] or "imported already" in said[2]
    done = run_alone("", tmp_path, "-m", "tapegrad", "program.py")
    assert done.returncode == 1
    assert done.stderr.startswith("python -m tapegrad: TensorFlow is installed here")


def test_it_refuses_where_it_was_installed_over_tensorflow(tmp_path: Path) -> None:
    """As pip does in an environment with ``tensorflow-cpu``, whose folder has the same name."""
    shutil.copytree(ROOT / "stand-in" / "tensorflow", tmp_path / "tensorflow")
    write(tmp_path, {"tensorflow/python/__init__.py": ""})
    for program in ("import tensorflow", "import tapegrad; tapegrad.stand_in()"):
        done = run_alone(program, tmp_path)
        assert done.returncode == 1
        assert "RuntimeError: tapegrad's package named tensorflow was installed over" in done.stderr
    done = run_alone("", tmp_path, "-m", "tapegrad", "program.py")
    assert done.stderr.startswith("python -m tapegrad: tapegrad's package named tensorflow was")


def test_a_folder_named_tensorflow_is_not_tensorflow(tmp_path: Path) -> None:
    (tmp_path / "tensorflow").mkdir()
    program = (
        "import tapegrad; tapegrad.stand_in(); import tensorflow; print(tensorflow.__version__)"
    )
    assert lines(program, tmp_path) == ["2.21.0"]


def test_versions_are_tensorflows_where_it_stands_in(tmp_path: Path) -> None:
    program = """
    import tapegrad
    print(tapegrad.__version__, tapegrad.version.VERSION)
    tapegrad.stand_in()
    import tensorflow as tf
    print(tf.__version__, tf.version.VERSION, tf.version.GIT_VERSION)
    """
    own = tf.version.GIT_VERSION.removeprefix("tapegrad ")
    assert lines(program, tmp_path) == [
        f"2.21.0+tapegrad.{own} 2.21.0",
        f"2.21.0 2.21.0 tapegrad {own}",
    ]


def test_no_module_of_ours_is_loaded_twice(tmp_path: Path) -> None:
    program = """
    import tapegrad
    tapegrad.stand_in()
    import importlib, sys
    import tensorflow as tf, tensorflow.compat.v2 as v2, tensorflow.compat.v2.math as math
    import tensorflow.raw_ops as raw_ops, tensorflow.errors
    from tensorflow.compat import v1
    from tensorflow.compat.v2.nn import relu
    print(v2 is tf, math is tf.math, raw_ops is tf.raw_ops, tensorflow.errors is tapegrad.errors)
    print(v1 is tf.compat.v1, relu is tf.nn.relu, tensorflow.math.__name__)
    for path in [name for name in sys.modules if name.startswith("tapegrad.")]:
        try:
            module = importlib.import_module(path.replace("tapegrad", "tensorflow", 1))
        except ModuleNotFoundError as error:
            assert "No module named 'tensorflow." in str(error)
            continue
        # TensorFlow has a package core.function of its own.
        assert module is sys.modules[path] or path == "tapegrad.core.function", path
    from tapegrad.compiled import LIBRARY  # the file of all compiled modules
    files = [
        module.__spec__.name if module.__file__ == LIBRARY else module.__file__
        for module in set(sys.modules.values()) if getattr(module, "__file__", None)
    ]
    print(len(files) - len(set(files)))
    """
    assert lines(program, tmp_path) == [
        "True True True True",
        "True True tapegrad.math",
        "0",
    ]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        (
            "import tensorflow.mlir",
            "No module named 'tensorflow.mlir': nothing is compiled here",
        ),
        ("import tensorflow.nonsense", "TensorFlow 2.21 has no such name either."),
        ("from tensorflow import reduce_maen", "did you mean tf.reduce_mean?"),
        ("import tensorflow.python.nonsense", "TensorFlow 2.21 has no such module either."),
        ("import tensorflow.core.nonsense", "TensorFlow 2.21 has no such module either."),
        (
            "from tensorflow.python.keras.layers import nonsense",
            "old copy of Keras is not here. Use tf.keras; docs/moving.md says more.",
        ),
        ("import tensorflow.tsl", "No module named 'tensorflow.tsl': tapegrad has no such insides"),
        ("from tensorflow.python.eager import foo", "cannot import name 'foo' from"),
        ("from tensorflow.python.ops.math_ops import foo", "cannot import name 'foo' from"),
        ("import tensorflow.python.ops.math_ops as m; m.einsum", "use tf.einsum; docs/moving.md"),
        (
            "from tensorflow.python.client import nonsense",
            "cannot import name 'nonsense' from 'tensorflow.python.client'",
        ),
        (
            "from tensorflow.python.framework.ops import Tensor_id",
            "cannot import name 'Tensor_id' from 'tensorflow.python.framework.ops'",
        ),
        ("tensorflow.keras", "Keras is not installed: pip install tapegrad[keras]"),
        ("tensorflow.losses", "Keras is not installed: pip install tapegrad[keras]"),
        ("import tensorflow.keras.layers", "No module named 'tensorflow.keras': Keras is not"),
        ("from tapegrad import keras", "cannot import name 'keras' from 'tapegrad': Keras is not"),
        ("from tapegrad.keras import layers", "No module named 'tapegrad.keras': Keras is not"),
    ],
)
def test_what_is_missing_says_what_to_use(tmp_path: Path, statement: str, said: str) -> None:
    program = f"""
    import sys
    sys.modules["keras"] = None
    import tapegrad; tapegrad.stand_in()
    import tensorflow
    try:
        {statement}
    except (AttributeError, ImportError) as error:
        print(error)
    """
    assert said in lines(program, tmp_path)[0]


def test_modules_inside_tensorflow_are_attributes_of_those_above(tmp_path: Path) -> None:
    program = """
    import tapegrad; tapegrad.stand_in()
    import tensorflow.python as python
    import tensorflow
    print(python.framework.tensor_util.is_tf_type(1), python.ops.math_ops.add is tensorflow.math.add)
    print(hasattr(python, "nonsense"), hasattr(python.framework, "nonsense"))
    """
    assert lines(program, tmp_path) == ["False True", "False False"]


def test_a_star_imports_keras_where_it_is_installed(tmp_path: Path) -> None:
    program = """
    import builtins, sys
    sys.modules["keras"] = None
    import tapegrad; tapegrad.stand_in()
    from tensorflow import *
    from tensorflow.raw_ops import *
    from tensorflow.python.ops.math_ops import *
    names = {"function", "GradientTape", "nn", "MatMul", "reduce_sum_v1"}
    builtins.print("keras" in dir(), names - {*dir()})
    """
    assert lines(program, tmp_path) == ["False set()"]


def test_asking_whether_a_module_exists_is_answered(tmp_path: Path) -> None:
    program = """
    import sys
    import tapegrad; tapegrad.stand_in()
    from importlib.util import find_spec
    names = ["", ".math", ".compat.v2.math", ".python.ops.math_ops", ".nonsense", ".mlir"]
    print([find_spec(f"tensorflow{name}") is not None for name in names])
    """
    assert lines(program, tmp_path) == ["[True, True, True, True, False, False]"]


# --- The modules inside TensorFlow ------------------------------------------------------------------


def is_here(module: str) -> bool:
    return (
        (ROOT / "src" / module.replace(".", "/")).with_suffix(".py").exists()
        or module == "tapegrad.core"
        or module.startswith("python.")
    )


@pytest.mark.long
def test_internals_lead_to_public_names() -> None:
    for path in sorted(internals.modules()):
        for name, (source, inner) in internals.names_of(path).items():
            if source.startswith(internals.MODULE) and not is_here(source):
                continue
            if internals.is_here(source, inner):
                assert internals.load(source, inner) is not None, f"{path}.{name}"
            else:
                said = internals.absence(path, name)
                assert said.startswith(": it is tf.")
                assert said.endswith((".", "?")), f"{path}.{name}{said}"


# --- python -m tapegrad -----------------------------------------------------------------------------


def test_a_program_runs_as_python_runs_it(tmp_path: Path) -> None:
    text = """
    import sys, threading, atexit, pickle
    import neighbour
    class Own: pass
    here = sys.modules["__main__"]
    print(sys.argv, __name__, __file__, here.__dict__ is globals(), __spec__, neighbour.tf is not None)
    print(sys.path[0], __doc__, __builtins__.__name__, pickle.loads(pickle.dumps(Own)) is Own)
    atexit.register(lambda: print(sys.modules["__main__"] is here))
    """
    shown = []
    for folder, neighbour, arguments in (
        ("ours", "import tensorflow as tf", ["-m", "tapegrad"]),
        ("pythons", "tf = 1", []),
    ):
        write(tmp_path / folder, {"run/one.py": text, "run/neighbour.py": neighbour})
        arguments += ["run/one.py", "--x", "1", "-m"]
        shown.append(lines("", tmp_path / folder, *arguments))
    assert shown[0] == [line.replace("/pythons/", "/ours/") for line in shown[1]]


def test_a_module_and_a_folder_run(tmp_path: Path) -> None:
    part = "import sys, tensorflow as tf; print(sys.argv, __name__, tf.__version__)"
    main = "print(__name__, __spec__.name)"
    write(tmp_path, {"package/__main__.py": main, "package/part.py": part})
    file = str(tmp_path / "package" / "part.py")
    assert lines("", tmp_path, "-m", "tapegrad", "-m", "package.part", "a") == [
        f"{[file, 'a']} __main__ 2.21.0"
    ]
    assert lines("", tmp_path, "-m", "tapegrad", "-m", "package") == ["__main__ package.__main__"]
    assert lines("", tmp_path, "-m", "tapegrad", "package") == ["__main__ __main__"]


def test_exit_codes_and_tracebacks(tmp_path: Path) -> None:
    programs = {
        "three": "import sys; sys.exit(3)",
        "words": "raise SystemExit('words')",
        "wrong": "def f():\n    raise ValueError('wrong')\nf()\n",
        "late": "import os, signal; os.kill(os.getpid(), signal.SIGTERM)",
        "quiet": "import tensorflow",
    }
    write(tmp_path, {f"{name}.py": text for name, text in programs.items()})
    codes = {"three": 3, "words": 1, "wrong": 1, "late": -15, "quiet": 0, "none": 2}
    done = {name: run_alone("", tmp_path, "-m", "tapegrad", f"{name}.py") for name in codes}
    assert {name: each.returncode for name, each in done.items()} == codes
    assert done["words"].stderr == "words\n"
    assert done["wrong"].stderr.endswith("ValueError: wrong\n")
    shown = [line for line in done["wrong"].stderr.splitlines() if line.startswith("  File")]
    assert [line.split('"')[1].rpartition("/")[2] for line in shown] == [
        "<frozen runpy>",
        "<frozen runpy>",
        "__main__.py",
        "wrong.py",
        "wrong.py",
    ]
    assert "can't open file" in done["none"].stderr
    for arguments, code in (
        ([], 2),
        (["-x"], 2),
        (["-h"], 0),
        (["-m"], 2),
        (["-m", "nonsense"], 1),
    ):
        assert run_alone("", tmp_path, "-m", "tapegrad", *arguments).returncode == code


@pytest.mark.parametrize("way", ["spawn", "forkserver"])
@pytest.mark.parametrize("as_module", [False, True])
def test_processes_that_multiprocessing_starts(tmp_path: Path, way: str, as_module: bool) -> None:
    program = f"""
    import multiprocessing
    import tensorflow as tf

    def double(x):
        return tf.constant(x) * 2, tf.__version__

    if __name__ == "__main__":
        with multiprocessing.get_context("{way}").Pool(1) as pool:
            (y, version), = pool.map(double, [1.5])
        print(y.numpy(), type(y).__module__, version)
    """
    write(tmp_path, {"starts.py": program})
    arguments = ["-m", "starts"] if as_module else ["starts.py"]
    assert lines("", tmp_path, "-m", "tapegrad", *arguments) == [
        "3.0 tensorflow.python.framework.ops 2.21.0"
    ]


# --- The distribution -------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip installed the distribution."""
    pytest.importorskip("mesonpy")
    folder = tmp_path_factory.mktemp("installed")
    source = shutil.copytree(ROOT / "stand-in", folder / "source")
    binaries = Path(sys.executable).parent
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index"]
        + ["--no-build-isolation", "--disable-pip-version-check"]
        + ["--target", str(folder / "site"), str(source)],
        check=True,
        capture_output=True,
        env={**os.environ, "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"},
    )
    return folder / "site"


def test_the_distribution_is_tensorflow_to_pip_and_to_programs(
    installed: Path, tmp_path: Path
) -> None:
    program = f"""
    import sys
    sys.path.insert(0, {str(installed)!r})
    from importlib.metadata import metadata, requires, version
    print(version("tensorflow"), requires("tensorflow"), metadata("tensorflow").get_all("Classifier")[0])
    {{first}}
    import tensorflow.math, tensorflow as tf
    from tensorflow.python.ops import math_ops
    import tapegrad
    print(tf is tapegrad, tensorflow.math is tf.math, tf.__version__, type(tf.constant(1)).__module__)
    """
    for first in ("", "import tapegrad; tapegrad.stand_in()"):
        assert lines(program.replace("{first}", first), tmp_path) == [
            "2.21.0+tapegrad ['tapegrad'] Private :: Do Not Upload",
            "True True 2.21.0 tensorflow.python.framework.ops",
        ]


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment of its own, with tapegrad and without TensorFlow."""
    pytest.importorskip("mesonpy")
    folder = tmp_path_factory.mktemp("environment")
    venv.create(folder, symlinks=True)
    python = folder / "bin" / "python"
    (site,) = (folder / "lib").glob("python*/site-packages")
    found = [find_spec(name) for name in ("tapegrad", "numpy", "mesonpy")]
    packages = [str(Path(spec.origin).parent.parent) for spec in found if spec and spec.origin]
    (site / "ours.pth").write_text("\n".join(packages))
    return python


def pip(environment: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    binaries = Path(sys.executable).parent
    variables = {name: text for name, text in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [sys.executable, "-m", "pip", "--python", str(environment), "--disable-pip-version-check"]
        + list(arguments),
        capture_output=True,
        text=True,
        timeout=120,
        env={**variables, "PATH": f"{binaries}{os.pathsep}{os.environ['PATH']}"},
    )


def wheel(folder: Path, name: str, requirement: str) -> Path:
    """A package with one module, which imports TensorFlow."""
    path = folder / f"{name}-1.0-py3-none-any.whl"
    files = {
        f"{name}.py": "import tensorflow as tf\nanswer = int(tf.constant(41) + 1)\n",
        f"{name}-1.0.dist-info/METADATA": f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n"
        f"Requires-Dist: {requirement}\n",
        f"{name}-1.0.dist-info/WHEEL": "Wheel-Version: 1.0\nGenerator: tests\n"
        "Root-Is-Purelib: true\nTag: py3-none-any\n",
    }
    record = "".join(f"{file},,\n" for file in files) + f"{name}-1.0.dist-info/RECORD,,\n"
    with zipfile.ZipFile(path, "w") as archive:
        for file, text in (files | {f"{name}-1.0.dist-info/RECORD": record}).items():
            archive.writestr(file, text)
    return path


@pytest.mark.long
def test_pip_installs_the_distribution_from_a_clone_and_takes_it_away(
    environment: Path, tmp_path: Path
) -> None:
    source = shutil.copytree(ROOT / "stand-in", tmp_path / "stand-in")
    needs = wheel(tmp_path, "needs_tensorflow", "tensorflow>=2.16,<3")
    refused = pip(environment, "install", "--no-index", str(needs))
    assert "No matching distribution found for tensorflow" in refused.stderr

    # tapegrad is there, though pip knows it only where it is installed and not run from its sources.
    done = pip(
        environment, *"install --no-index --no-deps --no-build-isolation".split(), str(source)
    )
    assert done.returncode == 0, done.stderr
    assert "Version: 2.21.0+tapegrad" in pip(environment, "show", "tensorflow").stdout
    options = [] if "\ntapegrad " in pip(environment, "list").stdout else ["--no-deps"]
    done = pip(environment, "install", "--no-index", *options, str(needs))
    assert done.returncode == 0, done.stderr

    def said(program: str) -> str:
        finished = subprocess.run(
            [str(environment), "-I", "-c", program],
            capture_output=True,
            text=True,
            timeout=60,
            cwd=tmp_path,
        )
        return (finished.stdout + finished.stderr).strip().splitlines()[-1]

    program = (
        "import needs_tensorflow as n, tensorflow as tf; print(n.answer, tf.Tensor.__module__)"
    )
    assert said(program) == "42 tensorflow.python.framework.tensor"
    assert said("import tapegrad; tapegrad.stand_in(); import tensorflow as tf; print(tf.keras)")

    assert pip(environment, "uninstall", "--yes", "tensorflow").returncode == 0
    assert said("import tensorflow") == "ModuleNotFoundError: No module named 'tensorflow'"
    # TensorFlow itself in its place.
    (site,) = (environment.parent.parent / "lib").glob("python*/site-packages")
    write(site, {"tensorflow/__init__.py": "real = True"})
    assert "TensorFlow is installed" in said("import tapegrad; tapegrad.stand_in()")
    assert said("import tensorflow, tapegrad; print(tensorflow.real)") == "True"


def test_the_distribution_and_the_folder_for_children_are_alike() -> None:
    ours = ROOT / "src" / "tapegrad" / "annex" / "tensorflow_shim" / "path" / "tensorflow"
    theirs = ROOT / "stand-in" / "tensorflow"
    assert {path.name for path in ours.glob("*.py")} == {path.name for path in theirs.glob("*.py")}


# --- Keras ------------------------------------------------------------------------------------------

# As little of Keras as shows how it is found.
_KERAS = {
    "keras/__init__.py": """
        import tensorflow
        from keras import losses
        from keras.src.backend import config
    """,
    "keras/src/backend/config.py": """
        import os
        def backend():
            return os.environ.get("KERAS_BACKEND", os.environ.get("IN_A_FILE", "tensorflow"))
    """,
    "keras/losses/__init__.py": "class Loss: pass",
    "keras/_tf_keras/__init__.py": "",
    "keras/_tf_keras/keras/__init__.py": "from keras._tf_keras.keras import layers, losses",
    "keras/_tf_keras/keras/losses/__init__.py": "from keras.losses import Loss",
    "keras/_tf_keras/keras/layers/__init__.py": "class Dense: pass",
}


def test_keras_is_the_package_keras(tmp_path: Path) -> None:
    write(tmp_path, _KERAS)
    program = """
    import os
    import tapegrad as tf
    {first}
    import keras, sys
    from {tensorflow} import keras as k
    from {tensorflow}.keras import layers
    import {tensorflow}.keras.losses
    from {tensorflow}.keras.layers import Dense
    print(tf.keras is k is sys.modules["keras._tf_keras.keras"], layers is tf.keras.layers)
    print(Dense is tf.keras.layers.Dense, tf.losses is tf.keras.losses, tf.compat.v1.keras is tf.keras)
    print(tf.losses.Loss is keras.losses.Loss, os.environ.get("KERAS_BACKEND"))
    try:
        import {tensorflow}.keras.nonsense
    except ModuleNotFoundError as error:
        print(error)
    if {tensorflow!r} == "tensorflow":
        import tensorflow.compat.v2.keras as again
        from tensorflow.compat.v2.keras.losses import Loss
        assert again is k and Loss is keras.losses.Loss
    """
    for name, first in (("tensorflow", "tf.stand_in()"), ("tapegrad", "tf.keras")):
        said = lines(program.format(tensorflow=name, first=first), tmp_path)
        assert said == [
            "True True",
            "True True True",
            "True tensorflow",
            f"No module named '{name}.keras.nonsense': Keras has no module 'keras.nonsense'",
        ]


@pytest.mark.parametrize(
    ("first", "environment", "said"),
    [
        ("", {"KERAS_BACKEND": "jax"}, "KERAS_BACKEND asks for the backend 'jax'"),
        (
            "tf.stand_in(); import keras",
            {"IN_A_FILE": "torch"},
            "Keras is loaded with the backend 'torch'",
        ),
    ],
)
def test_keras_with_another_backend_is_refused(
    tmp_path: Path, first: str, environment: dict[str, str], said: str
) -> None:
    write(tmp_path, _KERAS)
    program = """
    import tapegrad as tf
    {first}
    for statement in ("tf.keras", "tf.metrics", "from tapegrad import keras", "import tapegrad.keras.layers"):
        try:
            exec(statement)
        except (AttributeError, ImportError) as error:
            print(error)
    """
    shown = lines(program.format(first=first), tmp_path, **environment)
    assert len(shown) == 4
    assert all(said in line and "set KERAS_BACKEND=tensorflow" in line for line in shown)


def test_an_old_keras_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"keras/__init__.py": "raise AssertionError"})
    program = """
    import tapegrad as tf
    print(hasattr(tf, "keras"))
    try:
        tf.keras
    except AttributeError as error:
        print(error)
    """
    said = lines(program, tmp_path)
    assert said[0] == "False"
    assert "older than Keras 3: pip install tapegrad[keras]" in said[1]
