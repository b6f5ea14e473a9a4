"""Writes the stubs, from which type checkers and editors know the public names.

    python tools/write_stubs.py FOLDER                 of the package that this Python imports: `make stubs`
    python tools/write_stubs.py --built BUILD FOLDER   of what Meson has just built in BUILD: the build does

FOLDER stands for the package. A namespace has a stub that says which module each of its names comes from, by
the PUBLIC tables of the modules. An op has its types in `tapegrad.signatures`, by `write_types`, which needs
the built package: the sources alone do not define an op. Stubs that are neither written here nor by hand are
removed from FOLDER.
"""

import json
import os
import subprocess
import sys
from pathlib import Path

from list_package_files import package_files
from write_names import PACKAGE, Table, place_in_signatures, public_names, write

# Namespaces that are also modules of ours: type checkers learn more from the source than from a stub.
OWN_SOURCE = {"autodiff", "dtypes"}


def stub(namespace: str, modules: dict[str, list[str]], below: list[str]) -> str:
    """The text of one stub, for type checkers and editors: what reads the source sees no names.

    What `tapegrad.ops` defines has its types in stubs of its own, by `write_types`.
    """
    lines = [
        "# Written by tools/write_stubs.py from the PUBLIC tables of the modules.",
        "# ruff: noqa",
        "# fmt: off",
        "",
    ]
    renamed = []
    for module in sorted(modules):
        place = place_in_signatures(module)
        stub_module = module if place is None else f"signatures.{place}"
        package, _, last = f"tapegrad.{stub_module}".rpartition(".")
        for entry in sorted(modules[module], key=str.lower):
            public, _, inner = entry.partition("=")
            source = f"{package}.{last}"
            if inner == ".":
                lines.append(f"from {package} import {last} as {public}")
            elif "." in inner:  # a path below tf
                below_tf, _, name = inner.rpartition(".")
                lines.append(f"from tapegrad.{below_tf} import {name} as _{public}")
                renamed.append(f"{public} = _{public}")
            elif inner in ("", public):
                lines.append(f"from {source} import {public} as {public}")
            else:  # a stub re-exports only what keeps its name
                lines.append(f"from {source} import {inner} as _{inner}")
                renamed.append(f"{public} = _{inner}")
    full = f"tapegrad.{namespace}" if namespace else "tapegrad"
    lines += [f"from {full} import {name} as {name}" for name in below]
    if renamed:
        lines += ["", *renamed]
    if not namespace:
        lines += ["", "__version__: str", "newaxis: None"]
    return "\n".join(lines) + "\n"


def stubs_of_namespaces(table: Table) -> dict[str, str]:
    """Path within the package -> text."""
    namespaces = {
        ".".join(namespace.split(".")[:depth])
        for namespace in table
        for depth in range(namespace.count(".") + 2)
    }
    written = {}
    for namespace in sorted(namespaces - OWN_SOURCE):
        below = sorted(
            other.rpartition(".")[2]
            for other in namespaces
            if other and other.rpartition(".")[0] == namespace
        )
        place = PACKAGE.joinpath(*namespace.split(".")) if namespace else PACKAGE
        is_package = bool(below) or not namespace or (place / "__init__.py").exists()
        file = place / "__init__.pyi" if is_package else place.with_suffix(".pyi")
        text = stub(namespace, table.get(namespace, {}), below)
        written[file.relative_to(PACKAGE).as_posix()] = text
    return written


def stubs() -> dict[str, str]:
    """Every stub that is not written by hand: path within the package -> text."""
    from write_types import stubs_of_ops  # imports the package

    table = public_names()
    return {**stubs_of_namespaces(table), **stubs_of_ops(table)}


def replace(written: dict[str, str], folder: Path) -> None:
    """Make these the stubs below ``folder``, beside those written by hand."""
    for path, text in written.items():
        write(folder / path, text)
    expected = {*written, *package_files()}
    for file in folder.rglob("*.pyi"):
        if file.relative_to(folder).as_posix() not in expected:
            file.unlink()


def lay_out(build: Path, site: Path) -> None:
    """Make ``site`` a folder of links to what Meson would install, from which the package can be imported.

    Links that are there stay, with the byte code that Python has written beside them.
    """
    installed = json.loads((build / "meson-info" / "intro-installed.json").read_text())
    links = {}
    for source, target in installed.items():
        _, is_ours, path = target.rpartition("/tapegrad/")
        # Without a suffix is the folder of stubs, which is yet to be written.
        if is_ours and Path(path).suffix not in ("", ".pyi"):
            links[site / "tapegrad" / path] = source
    for file in site.rglob("*"):
        if file.is_symlink() and os.readlink(file) != links.get(file):
            file.unlink()
    for link, source in links.items():
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink():
            link.symlink_to(source)


def main(arguments: list[str]) -> None:
    if len(arguments) == 1:
        replace(stubs(), Path(arguments[0]))
    elif len(arguments) == 3 and arguments[0] == "--built":
        build = Path(arguments[1])
        site = build / "as-installed"
        lay_out(build, site)
        # Before what pip has put there: NumPy, for a build in an environment of its own.
        paths = os.pathsep.join(filter(None, [str(site), os.environ.get("PYTHONPATH")]))
        subprocess.run(
            [sys.executable, __file__, arguments[2]],
            env=os.environ | {"PYTHONPATH": paths},
            check=True,
        )
    else:
        raise SystemExit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
