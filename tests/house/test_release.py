"""What every commit can know of the next release, and wheels that are the same bits twice."""

import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile, ZipInfo

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tools"))

sys.path.insert(0, str(ROOT))

import check_release  # noqa: E402
import compare_builds  # noqa: E402
from benchmarks import instructions  # noqa: E402


def test_versions_agree() -> None:
    assert list(check_release.versions()) == []


@pytest.mark.parametrize("check", [check_release.licences, check_release.links])
def test_notices_and_links_are_right(check: check_release.Check) -> None:
    assert list(check()) == []


def test_a_version_elsewhere_is_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(check_release, "version", lambda: "7.0.0")
    assert len(list(check_release.versions())) == 3


def test_a_changelog_without_a_section_for_the_release_is_a_fault(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("meson.build", "CITATION.cff", "src/tapegrad/__init__.py", "conda/recipe.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text((ROOT / name).read_text())
    monkeypatch.setattr(check_release, "ROOT", tmp_path)
    for section, faults in (("Unreleased", 0), (check_release.version(), 0), ("0.0.1", 1)):
        (tmp_path / "CHANGELOG.md").write_text(f"# Changelog\n\n## {section}\n")
        assert len(list(check_release.versions())) == faults


def wheel_of(folder: Path, when: tuple[int, int, int, int, int, int], names: list[str]) -> Path:
    path = folder / "x-1-cp312-cp312-any.whl"
    with ZipFile(path, "w") as file:
        for name in names:
            file.writestr(ZipInfo(name, when), "" if name == "empty" else f"{name},," * 100)
    return path


def test_wheels_are_faulty_without_notices_and_with_other_files(tmp_path: Path) -> None:
    library = "tapegrad/compiled_modules.cpython-311-x86_64-linux-gnu.so"
    names = ["tapegrad/a.c", library, "x-1.dist-info/METADATA", "x-1.dist-info/RECORD"]
    path = wheel_of(tmp_path, (2020, 1, 1, 0, 0, 0), names)
    faults = list(check_release.faults_of_wheel(path))
    assert "its metadata have not the tag cp312-cp312-any of its name" in faults
    assert "it has no library for the Python of its tag, 312" in faults
    assert "tapegrad/a.c does not belong into a wheel" in faults
    assert "LICENSE is missing" in faults
    assert any(fault.startswith("its RECORD lists other files") for fault in faults)


def test_a_packed_wheel_has_the_same_bits_whenever_it_is_built(tmp_path: Path) -> None:
    pytest.importorskip("zopfli.zopfli", reason="the extra tapegrad[test] is not installed")
    packed = []
    names = ["a.py", "b/c.py", "empty", "x.dist-info/RECORD"]
    for folder, when in (("one", (1999, 1, 1, 0, 0, 0)), ("two", (2026, 5, 5, 5, 5, 5))):
        (tmp_path / folder).mkdir()
        path = wheel_of(tmp_path / folder, when, names if folder == "one" else names[::-1])
        subprocess.run([sys.executable, ROOT / "tools" / "pack_wheel.py", path], check=True)
        packed.append(path.read_bytes())
        with ZipFile(path) as file:
            assert file.testzip() is None
            assert file.namelist() == names
            assert file.read("b/c.py") == b"b/c.py,," * 100
    assert packed[0] == packed[1]


def test_two_builds_differ_in_the_files_that_are_named(tmp_path: Path) -> None:
    wheels = []
    for folder, names in (("one", ["a.py", "b.py", "c.py"]), ("two", ["c.py", "empty", "a.py"])):
        (tmp_path / folder).mkdir()
        wheels.append(wheel_of(tmp_path / folder, (2020, 1, 1, 0, 0, 0), names))
    assert compare_builds.differences(*wheels) == ["b.py", "empty"]
    with ZipFile(wheels[1], "w") as file:
        for name in ("a.py", "b.py", "c.py"):
            file.writestr(name, "changed" if name == "b.py" else f"{name},," * 100)
    assert compare_builds.differences(*wheels) == ["b.py"]


def test_counts_of_instructions_may_grow_by_some_percent() -> None:
    before = {"a": 1000.0, "b": 1000.0, "c": 1000.0}
    counts = {"a": 1010.0, "b": 1011.0, "c": 900.0, "new": 5.0}
    assert instructions.too_many(counts, before, 1) == ["b"]


def test_a_comparison_needs_a_wheel(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match=r"has no wheel for 9\.9: make wheels"):
        compare_builds.main([str(tmp_path), "9.9"])
