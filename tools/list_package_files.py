"""Prints the files of the package that are installed as they are, one a line, for meson.build.

The build itself installs the compiled modules and the table of names, which it makes. Cython sources are not
installed, but .pxd files are, so that other projects may cimport the core.
"""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "tapegrad"
INSTALLED_SUFFIXES = {".py", ".pyi", ".pxd", ".gz"}
MADE_BY_THE_BUILD = PACKAGE / "names.py"


def package_files() -> list[str]:
    """Paths below src/tapegrad, with forward slashes, sorted."""
    return sorted(
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*")
        if (path.suffix in INSTALLED_SUFFIXES or path.name == "py.typed")
        and path != MADE_BY_THE_BUILD
    )


if __name__ == "__main__":
    print("\n".join(package_files()))
