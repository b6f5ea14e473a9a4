"""Write the stubs of the public namespaces from `tapegrad.names`, for type checkers and editors.

    python tools/write_stubs.py            write src/tapegrad/__init__.pyi, math.pyi, nn.pyi, ...
    python tools/write_stubs.py --check    exit 1 and name those that are not up to date

The namespaces are filled when they are used, so what reads the source sees nothing in them.
"""

import ast
import sys
from pathlib import Path

PACKAGE = Path(__file__).resolve().parent.parent / "src" / "tapegrad"
# Of the namespaces that are modules of ours, their own source tells more than a stub.
OWN_SOURCE = {"autodiff", "dtypes"}


def names() -> dict[str, list[tuple[str, str]]]:
    """The table, read as text so that nothing has to be built."""
    for node in ast.parse((PACKAGE / "names.py").read_text()).body:
        if isinstance(node, ast.AnnAssign) and node.value is not None:
            return ast.literal_eval(node.value)
    raise SystemExit("src/tapegrad/names.py holds no table")


def stub(path: str, entries: list[tuple[str, str]], below: list[str]) -> str:
    """The text of one stub."""
    lines = ['"""Written by tools/write_stubs.py: what `tapegrad.names` lists."""', ""]
    for module, listed in entries:
        for entry in listed.split():
            public, _, inner = entry.partition("=")
            package, _, last = f"tapegrad.{module}".rpartition(".")
            if inner == ".":
                lines.append(f"from {package} import {last} as {public}")
            else:
                lines.append(f"from tapegrad.{module} import {inner or public} as {public}")
    full = f"tapegrad.{path}" if path else "tapegrad"
    lines += [f"from {full} import {name} as {name}" for name in below]
    if not path:
        lines += ["", "__version__: str", "newaxis: None"]
    return "\n".join(lines) + "\n"


def stubs() -> dict[Path, str]:
    table = names()
    paths = set(table) | {path.rpartition(".")[0] for path in table}
    written = {}
    for path in sorted(paths):
        if path in OWN_SOURCE:
            continue
        below = sorted(
            other.rpartition(".")[2]
            for other in paths
            if other and other.rpartition(".")[0] == path
        )
        place = PACKAGE.joinpath(*path.split(".")) if path else PACKAGE
        file = place / "__init__.pyi" if below or not path else place.with_suffix(".pyi")
        written[file] = stub(path, table.get(path, []), below)
    return written


def main() -> None:
    stale = [
        file for file, text in stubs().items() if not file.exists() or file.read_text() != text
    ]
    if "--check" in sys.argv:
        raise SystemExit(
            f"not up to date, run tools/write_stubs.py: {', '.join(map(str, stale))}"
            if stale
            else 0
        )
    for file, text in stubs().items():
        file.parent.mkdir(exist_ok=True)
        file.write_text(text)


if __name__ == "__main__":
    main()
