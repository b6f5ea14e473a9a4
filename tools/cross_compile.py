"""Compiles every C file for systems that are not this one, to find what cannot be compiled there.

    python tools/cross_compile.py [--check] BUILD [TARGET ...]

BUILD is a build folder with the C that Cython wrote. `zig cc` of the package ziglang brings the C
libraries and the headers of all systems; those of Python and NumPy are this environment's, with the facts
of the target: how large its types are, and which of the system's headers it has. For Linux the files are
linked too, with nothing left to resolve: what CPython exports is a library of empty functions, all else has
to be in the target's C library. With --check, what Cython wrote is only parsed and checked where nothing is
linked: that takes a third of the time, and none of it has vectors or asks for a processor. Nothing runs:
docs/platforms.md says what was run where.
"""

import argparse
import ctypes
import os
import shlex
import shutil
import subprocess
import sysconfig
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import ziglang

SOURCES = Path(__file__).resolve().parent.parent / "src" / "tapegrad"
TARGETS = (
    "x86_64-macos",
    "aarch64-macos",
    "x86_64-windows-gnu",
    "aarch64-windows-gnu",
    "aarch64-linux-gnu",
    "x86_64-linux-musl",
)
# What Windows calls otherwise, or lacks; Python's own pyconfig.h says it there.
WINDOWS = """
#define MS_WINDOWS 1
#define MS_WIN32 1
#define MS_WIN64 1
#define NT_THREADS 1
#define HAVE_DECLSPEC_DLL 1
#define Py_ENABLE_SHARED 1
#define Py_NO_ENABLE_SHARED 0
#define HAVE_STDINT_H 1
#define HAVE_SYS_TYPES_H 1
#define HAVE_SYS_STAT_H 1
#define HAVE_WCHAR_H 1
#define HAVE_LONG_LONG 1
#define SIZEOF_SHORT 2
#define SIZEOF_INT 4
#define SIZEOF_LONG 4
#define SIZEOF_LONG_LONG 8
#define SIZEOF_VOID_P 8
#define SIZEOF_SIZE_T 8
#define SIZEOF_PID_T 4
#define SIZEOF_TIME_T 8
#define SIZEOF_WCHAR_T 2
#define SIZEOF_DOUBLE 8
#define SIZEOF_FLOAT 4
#define SIZEOF_OFF_T 4
#define SIZEOF_FPOS_T 8
#define ALIGNOF_SIZE_T 8
#define ALIGNOF_MAX_ALIGN_T 8
#define WITH_DOC_STRINGS 1
#define PLATLIBDIR "lib"
"""
FLAGS = (
    "-std=gnu11",
    "-O0",
    "-g0",
    "-fno-sanitize=all",
    "-Wall",
    "-Werror",
    "-Wno-unused-command-line-argument",
    "-ffp-contract=off",
    "-fPIC",
    "-c",
)
# Cython writes functions that a module does not need, and comparisons that are always true.
OF_CYTHON = ("-w",) + tuple(
    f"-Werror={what}"
    for what in ("implicit-function-declaration", "incompatible-pointer-types", "int-conversion")
)


def changed(header: str, values: dict[str, str | None]) -> str:
    """The header with other values of these macros; without those whose value is None."""
    lines = []
    for line in header.splitlines():
        words = line.split()
        if len(words) > 1 and words[0] == "#define" and words[1] in values:
            value = values[words[1]]
            if value is None:
                continue
            line = f"#define {words[1]} {value}"
        lines.append(line)
    return "\n".join(lines) + "\n"


def write_headers(target: str, folder: Path) -> None:
    """Write the headers of Python and NumPy that are not the same on all systems."""
    include = Path(sysconfig.get_paths()["include"])
    # Debian's pyconfig.h includes the one of the processor, which lies elsewhere.
    of_processor = include.parent / str(sysconfig.get_config_var("MULTIARCH")) / include.name
    config = of_processor / "pyconfig.h"
    python = (config if config.exists() else include / "pyconfig.h").read_text()
    numpy = (Path(np.get_include()) / "numpy" / "_numpyconfig.h").read_text()
    long_double = "8" if "windows" in target or target == "aarch64-macos" else "16"
    doubled = str(2 * int(long_double))
    numpys = {"NPY_SIZEOF_LONGDOUBLE": long_double, "NPY_SIZEOF_COMPLEX_LONGDOUBLE": doubled}
    if "windows" in target:
        python = WINDOWS
        numpys |= {"NPY_HAVE_ENDIAN_H": None, "NPY_SIZEOF_LONG": "4", "NPY_SIZEOF_WCHAR_T": "2"}
        numpys |= {"NPY_SIZEOF_OFF_T": "4"}
    elif "macos" in target:
        python = changed(python, dict.fromkeys(("HAVE_ENDIAN_H", "HAVE_CRYPT_H", "_GNU_SOURCE")))
        numpys |= {"NPY_HAVE_ENDIAN_H": None}
    # Whole, because a header that includes another looks beside itself first.
    shutil.copytree(include, folder / "python")
    shutil.copytree(np.get_include(), folder, dirs_exist_ok=True)
    (folder / "python" / "pyconfig.h").write_text(python)
    (folder / "numpy" / "_numpyconfig.h").write_text(changed(numpy, numpys))


def sources_for(target: str, build: Path) -> list[Path]:
    """The C files of ours for this system, and those that Cython wrote."""
    own = sorted(SOURCES.rglob("*.c"))
    if "windows" not in target:
        own = [file for file in own if file.name != "system_windows.c"]
    written = sorted((build / "src" / "tapegrad").glob("*.c"))
    if not written:
        raise SystemExit(f"{build} has no C of Cython's: build the package there first")
    return own + written


def link_for(target: str, zig: list[str], folder: Path, variables: dict[str, str]) -> int:
    """Link the objects in ``folder`` to one library, and return whether the linker refuses."""
    objects = sorted(folder.glob("*.o"))
    listed = subprocess.run(
        ["nm", "--undefined-only", "--format=just-symbols", *objects],
        capture_output=True,
        text=True,
        check=True,
    )
    # Only what this CPython has: a misspelt name of its API stays unresolved.
    wanted = {name for name in listed.stdout.split() if name.startswith(("Py", "_Py"))}
    present = sorted(name for name in wanted if hasattr(ctypes.pythonapi, name))
    exports = folder / "exports.c"
    exports.write_text("".join(f"void {name}(void) {{}}\n" for name in present))
    python = folder / "libpython.so"
    shared = [*zig, "-shared", "-fno-sanitize=all"]
    library = [*objects, python, "-lm", "-Wl,-z,defs", "-o", folder / "compiled_modules.so"]
    for command in ([*shared, "-w", exports, "-o", python], [*shared, *library]):
        result = subprocess.run(command, capture_output=True, text=True, env=variables)
        if result.returncode:
            print(f"{target}: not linked\n{result.stderr}", flush=True)
            return 1
    return 0


def checking(command: list[str], source: Path, variables: dict[str, str]) -> list[str]:
    """The command that checks ``source``, a small file, where ``command`` compiles it.

    `zig cc` fails where the compiler that it calls writes no file, so that one is called itself: with the
    arguments that `zig cc -v` shows.
    """
    compiling = [*command, "-v", str(source), "-o", str(source.with_suffix(".o"))]
    shown = subprocess.run(compiling, capture_output=True, text=True, env=variables)
    line = next((line for line in shown.stderr.splitlines() if " -cc1 " in line), None)
    if line is None:
        raise SystemExit(f"zig does not show how it compiles:\n{shown.stderr}")
    zig, *arguments = (word for word in shlex.split(line) if word != "-v")
    return [zig, "clang"] + ["-fsyntax-only" if a == "-emit-obj" else a for a in arguments]


def compile_for(target: str, build: Path, only_checked: bool, pool: ThreadPoolExecutor) -> int:
    """Compile all, link where that is possible, and return how many files or libraries are refused.

    With ``only_checked`` the C of Cython's is not compiled, unless it is to be linked.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_headers(target, folder)
        rooms = [SOURCES / room for room in ("core", "engines", "engines/numpy", "distribute")]
        includes = [folder, folder / "python", *rooms, build / "src" / "tapegrad"]
        zig = [str(Path(ziglang.__file__).parent / "zig"), "cc", "-target", target]
        command = [*zig, *FLAGS]
        command += [f"-I{path}" for path in includes]
        command += [
            "-DNPY_NO_DEPRECATED_API=NPY_2_0_API_VERSION",
            "-DNPY_TARGET_VERSION=NPY_2_0_API_VERSION",
        ]
        command_for_cython = [
            *command,
            *OF_CYTHON,
            *("-include", str(SOURCES / "core" / "tracebacks.h")),
        ]
        # Zig keeps the C libraries that it has built; not in the user's home.
        variables = os.environ | dict.fromkeys(
            ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"), str(build.parent / "zig")
        )
        is_linked = "linux" in target
        small, check = folder / "small.c", []
        small.touch()
        if only_checked and not is_linked:
            check = checking(command_for_cython, small, variables)

        def compile_one(source: Path) -> int:
            output = ["-o", str(folder / f"{source.stem}.o")]
            if not source.is_relative_to(build):
                arguments = [*command, "-Wno-unused-function", str(source), *output]
            elif check:
                arguments = [str(source) if word == str(small) else word for word in check]
            else:
                arguments = [*command_for_cython, str(source), *output]
            result = subprocess.run(arguments, capture_output=True, text=True, env=variables)
            if result.returncode:
                print(f"{target}: {source.name}\n{result.stderr}", flush=True)
            return int(result.returncode != 0)

        refused = sum(pool.map(compile_one, sources_for(target, build)))
        if not refused and is_linked:
            refused = link_for(target, zig, folder, variables)
        return refused


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("build", type=lambda path: Path(path).resolve())
    parser.add_argument("--check", action="store_true")
    parser.add_argument("targets", nargs="*", default=TARGETS)
    arguments = parser.parse_args()
    refused = 0
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for target in arguments.targets:
            number = compile_for(target, arguments.build, arguments.check, pool)
            if number:
                print(f"{target}: {number} refused", flush=True)
            elif "linux" in target:
                print(f"{target}: all compiled and linked", flush=True)
            else:
                print(
                    f"{target}: all compiled{' or checked' if arguments.check else ''}", flush=True
                )
            refused += number
    return int(refused > 0)


if __name__ == "__main__":
    raise SystemExit(main())
