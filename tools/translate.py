"""Translates compiled modules into C: all that changed, in one process.

    python tools/translate.py FOLDER DEPFILE [options of Cython ...] SOURCE.pyx ...

Cython needs 0.7 s to start, and 0.2 s more for most modules: a process for each module would spend most of
its time on starting. The build calls this once for a room. FOLDER gets a C file for each source, and DEPFILE,
in make's form, names all that they were made from. A C file is written again when its digest is another: that
of Cython's version and options, of the source, and of all that the source cimports.
"""

import gc
import hashlib
import sys
from pathlib import Path

from Cython import __version__
from Cython.Build.Dependencies import create_dependency_tree
from Cython.Compiler.CmdLine import parse_command_line
from Cython.Compiler.Main import Context, compile

SOURCES = Path(__file__).resolve().parent.parent / "src"


def digest(options: list[str], files: list[str]) -> str:
    """What a C file is made from, in a word."""
    whole = hashlib.sha256(repr((__version__, options, files)).encode())
    for file in files:
        whole.update(Path(file).read_bytes())
    return whole.hexdigest()


def translate(arguments: list[str]) -> int:
    """Do what the command line says, and return how many modules Cython refuses."""
    folder, depfile = map(Path, arguments[:2])
    options, sources = parse_command_line(arguments[2:])
    tree = create_dependency_tree(Context.from_options(options))
    folder.mkdir(parents=True, exist_ok=True)
    targets: list[str] = []
    read: set[str] = set()
    refused = 0
    for source in sources:
        target = folder / Path(source).with_suffix(".c").name
        known = target.with_suffix(".digest")
        files = sorted(tree.all_dependencies(source))
        now = digest([argument for argument in arguments if argument not in sources], files)
        targets.append(str(target))
        read.update(files)
        if target.exists() and known.exists() and known.read_text() == now:
            continue
        known.unlink(missing_ok=True)
        path = Path(source).resolve().relative_to(SOURCES)
        module = ".".join(path.with_suffix("").parts)
        if compile(source, options, module, output_file=str(target)).num_errors:
            refused += 1
        else:
            known.write_text(now)
    names = [
        " ".join(file.replace(" ", "\\ ") for file in files) for files in (targets, sorted(read))
    ]
    depfile.write_text(f"{names[0]}: {names[1]}\n")
    return refused


if __name__ == "__main__":
    # Memory is plenty for what a room needs, and looking for cycles takes a tenth of the time.
    gc.disable()
    raise SystemExit(min(translate(sys.argv[1:]), 1))
