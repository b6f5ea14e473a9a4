"""Checks all of a release that one machine can check, and lists what only a person can do.

    python tools/check_release.py FOLDER        (make release-check)

FOLDER holds the wheels of `make wheels`; those of another version are named. The archive of the sources is
made by git, unpacked, and compiled where there is no git.
"""

import base64
import csv
import hashlib
import io
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from zipfile import ZipFile

from make_wheels import MOST_BYTES
from run_tests_on import PROJECT, ROOT, STRICT, environment, pip, pythons

BUILT = ROOT / "build" / "release-check"
TOOLS = ("build==1.3.0", "check-jsonschema>=0.30", "pyyaml>=6", "twine>=6")
# What a wheel holds, beside its list of files and its licences.
SUFFIXES = {".py", ".pyi", ".pxd", ".gz", ".txt", ".so", ".typed", ".pyd", ".js", ".css"}
# What no tool here knows.
FOR_A_PERSON = (
    "[project.urls] in pyproject.toml once the project has a home; people as authors, also in CITATION.cff",
    "relative links of README.md, which a registry's page does not follow: write them for that home",
    "in CHANGELOG.md the version and its date in place of `Unreleased`, and the tag",
    "the registry's trusted publisher: this repository, wheels.yml, the environment `release`",
    "commits in place of tags, which can be moved, for the actions in .github/workflows",
    "wheels for macOS, Windows and arm64, which only those machines can run (docs/platforms.md)",
)

Faults = Iterator[str]
Check = Callable[[], Faults]


def version() -> str:
    return re.search(r"^  version: '(.+)'", (ROOT / "meson.build").read_text(), re.MULTILINE)[1]


def versions() -> Faults:
    """The version is the same wherever it stands, and the changelog has it or what is to get its number."""
    places = {
        "src/tapegrad/__init__.py": r'^__version__ = "2\.21\.0\+tapegrad\.([\d.]+)"',
        "CITATION.cff": r"^version: (.+)$",
        "conda/recipe.yaml": r'^  version: "(.+)"$',
    }
    for name, pattern in places.items():
        stated = re.search(pattern, (ROOT / name).read_text(), re.MULTILINE)
        if stated is None or stated[1] != version():
            yield f"{name} has not the version {version()} of meson.build"
    sections = re.findall(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    if not {version(), "Unreleased"} & set(sections):
        yield f"CHANGELOG.md has neither a section {version()} nor one that is to become it"


def licences() -> Faults:
    """Each notice names files that are here, and its licence stands in the metadata."""
    expression = PROJECT["license"].split(" AND ")
    notices = sorted((ROOT / "LICENSES").glob("*.txt"))
    meson = (ROOT / "meson.build").read_text()
    for notice in notices:
        text = notice.read_text()
        identifier = re.search(r"^(\S+) License$", text, re.MULTILINE)
        if identifier is None or identifier[1] not in expression:
            yield f"the licence of {notice.name} is not in `license` of pyproject.toml"
        if f"'LICENSES/{notice.name}'" not in meson:
            yield f"meson.build does not name {notice.name}"
        for name in re.findall(r"\bsrc/[\w/.]+\.\w+", text):
            if not (ROOT / name).exists():
                yield f"{notice.name} is about {name}, which is not here"
    named = " ".join(notice.read_text() for notice in notices)
    for source in sorted((ROOT / "src").rglob("*")):
        is_text = source.suffix in (".c", ".h", ".pyx", ".py")
        if is_text and "MIT" in source.read_text().split() and source.name not in named:
            yield f"{source.name} speaks of a licence, and no notice names the file"


def links() -> Faults:
    """The pages that a visitor sees first link to files that are here."""
    for page in sorted(ROOT.glob("*.md")):
        for target in re.findall(r"\]\(([^)#\s]+)", page.read_text()):
            if "://" not in target and not (ROOT / target).exists():
                yield f"{page.name} links to {target}, which is not here"


def workflows() -> Faults:
    """Each workflow fits GitHub's schema, its steps are shell scripts, and make has the targets."""
    import yaml

    targets = set(
        re.findall(r"^([\w%-]+(?: [\w-]+)*):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    )
    targets = {name for words in targets for name in words.split()}
    paths = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    schema = ["-m", "check_jsonschema", "--builtin-schema", "vendor.github-workflows"]
    checked = subprocess.run([sys.executable, *schema, *paths], capture_output=True, text=True)
    if checked.returncode:
        yield checked.stdout.strip() or checked.stderr.strip()
    for path in paths:
        for name, job in yaml.safe_load(path.read_text())["jobs"].items():
            for step in job["steps"]:
                script = step.get("run", "")
                parsed = subprocess.run(
                    ["bash", "-n"], input=script, text=True, capture_output=True
                )
                if parsed.returncode:
                    yield f"{path.name}, {name}: {parsed.stderr.strip()}"
                for target in re.findall(r"\bmake ([\w-]+)", script):
                    if target not in targets:
                        yield f"{path.name}, {name}: there is no target {target}"


def faults_of_wheel(wheel: Path) -> Faults:
    if wheel.stat().st_size > MOST_BYTES:
        yield f"it has more than {MOST_BYTES / 1e6} MB"
    with ZipFile(wheel) as file:
        contents = {name: file.read(name) for name in file.namelist()}
    (metadata,) = (name for name in contents if name.endswith(".dist-info/METADATA"))
    information = metadata.rpartition("/")[0]
    rows = csv.reader(io.StringIO(contents[f"{information}/RECORD"].decode()))
    listed = {row[0]: row[1] for row in rows}
    if set(listed) != set(contents):
        yield f"its RECORD lists other files: {sorted(set(listed) ^ set(contents))[:5]}"
    _, _, tag = wheel.stem.split("-", 2)
    python = tag.split("-")[0].removeprefix("cp")
    if f"Tag: {tag}" not in contents.get(f"{information}/WHEEL", b"").decode().splitlines():
        yield f"its metadata have not the tag {tag} of its name"
    library = re.compile(rf"tapegrad/compiled_modules\.(cpython-|cp){python}-")
    if not any(map(library.match, contents)):
        yield f"it has no library for the Python of its tag, {python}"
    for name, data in contents.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        if listed.get(name) not in ("", None, f"sha256={digest}"):
            yield f"{name} is not what its RECORD says"
        if name.startswith(f"{information}/"):
            continue
        if not name.startswith("tapegrad/") or Path(name).suffix not in SUFFIXES:
            yield f"{name} does not belong into a wheel"
        if str(ROOT).encode() in data:
            yield f"{name} holds a path of this machine"
    for notice in ("LICENSE", *(f"LICENSES/{path.name}" for path in ROOT.glob("LICENSES/*.txt"))):
        if f"{information}/licenses/{notice}" not in contents:
            yield f"{notice} is missing"


def wheels(folder: Path) -> Faults:
    """Each wheel is of this version, and holds what it should."""
    present = sorted(folder.glob("*.whl"))
    if not present:
        yield f"{folder} has no wheel: make wheels"
    for wheel in present:
        if wheel.name.split("-")[1] != version():
            yield f"{wheel.name} is of another version"
        for fault in faults_of_wheel(wheel):
            yield f"{wheel.name}: {fault}"


def source_archive(interpreter: Path) -> Faults:
    """The archive of the sources compiles without git; its metadata are those that a registry takes."""
    shutil.rmtree(BUILT, ignore_errors=True)
    archives, unpacked = BUILT / "archives", BUILT / "unpacked"
    pip(
        interpreter,
        "install",
        *tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"],
    )
    command = [interpreter, "-m", "build", "--sdist", "--no-isolation", "--outdir", archives, ROOT]
    made = subprocess.run(command, capture_output=True, text=True)
    if made.returncode:
        yield f"no archive of the sources:\n{made.stdout}{made.stderr}"
        return
    (archive,) = archives.glob("*.tar.gz")
    with tarfile.open(archive) as file:
        file.extractall(unpacked, filter="data")
    (tree,) = unpacked.iterdir()
    tools = BUILT / "tools"
    tools.mkdir()
    for name in ("gcc", "cc", "ar", "ld", "as", "sh", "rm", "uname", "env"):
        # A cache under the compiler's name looks for the compiler on the PATH, and would see itself alone.
        folders = [f for f in os.get_exec_path() if Path(f, name).resolve().name != "ccache"]
        if path := shutil.which(name, path=os.pathsep.join(folders)):
            (tools / name).symlink_to(path)
    arguments = ["wheel", "--no-build-isolation", "--no-deps", STRICT, "--wheel-dir", archives]
    built = subprocess.run(
        [interpreter, "-m", "pip", "--disable-pip-version-check", *arguments, tree],
        env=os.environ | {"PATH": f"{interpreter.parent}{os.pathsep}{tools}"},
        capture_output=True,
        text=True,
    )
    if built.returncode:
        yield f"the archive of the sources does not compile:\n{(built.stdout + built.stderr)[-3000:]}"
        return
    checked = subprocess.run(
        [interpreter, "-m", "twine", "check", "--strict", *archives.iterdir()],
        capture_output=True,
        text=True,
    )
    if checked.returncode:
        yield f"twine: {checked.stdout}"


def inside(folder: Path) -> int:
    """What runs in the environment of the check."""
    interpreter = Path(sys.executable)
    checks: dict[str, Check] = {
        "versions": versions,
        "licences": licences,
        "links": links,
        "workflows": workflows,
        "wheels": lambda: wheels(folder),
        "source archive": lambda: source_archive(interpreter),
    }
    failed = 0
    for name, check in checks.items():
        faults = list(check())
        print(f"{name}: {'FAILED' if faults else 'right'}", flush=True)
        for fault in faults:
            print(f"  {fault}", flush=True)
        failed += bool(faults)
    print("for a person:")
    for line in FOR_A_PERSON:
        print(f"  {line}")
    return int(failed > 0)


def main(folder: Path) -> int:
    interpreter = environment("release", next(iter(pythons().values())))
    pip(interpreter, "install", *TOOLS, "ninja", "pip>=23.1")
    return subprocess.run([interpreter, __file__, "--inside", folder]).returncode


if __name__ == "__main__":
    if sys.argv[1] == "--inside":
        raise SystemExit(inside(Path(sys.argv[2])))
    raise SystemExit(main(Path(sys.argv[1]).resolve()))
