"""Prints the files of the package that are installed as they are, one a line, for meson.build.

The build itself installs the compiled modules, the table of names and most stubs, which it makes: only the
stubs of compiled modules are written by hand, and lie beside their sources. Cython sources are not installed,
but .pxd files are, so that other projects may cimport the core.
"""

from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "tapegrad"
INSTALLED_SUFFIXES = {".css", ".gz", ".js", ".pxd", ".py", ".pyi", ".txt"}


def package_files() -> list[str]:
    """Paths below src/tapegrad, with forward slashes, sorted."""
    return sorted(
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*")
        if (path.suffix in INSTALLED_SUFFIXES or path.name == "py.typed")
        and not is_made_by_the_build(path)
    )


def is_made_by_the_build(path: Path) -> bool:
    if path.suffix == ".pyi":
        return not path.with_suffix(".pyx").exists()
    return path == PACKAGE / "names.py"


if __name__ == "__main__":
    print("\n".join(package_files()))
