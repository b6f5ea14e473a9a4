"""Compiles tapegrad for 64-bit ARM on this machine, and runs tests there under qemu's emulation.

    python tools/run_on_arm64.py [pytest arguments ...]        (make test-arm64)

It needs Debian or Ubuntu and the package qemu-user-static. apt brings Python for arm64 from this system's
own archive into build/arm64, where no other program sees it; pip brings NumPy and what the
tests need, as wheels for arm64; `zig cc` compiles for it, with a C library as old as that of `make wheels`. A
process that a test starts runs under qemu as well.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

from make_wheels import GLIBC
from run_tests_on import METADATA, PROJECT, ROOT, STRICT, environment, pip, pythons

FOLDER = ROOT / "build" / "arm64"
SYSTEM = FOLDER / "system"
PACKAGES = FOLDER / "site-packages"  # by this name explanations know what is no user's program
OURS = FOLDER / "installed"
QEMU = "qemu-aarch64-static"
# What the tests of these rooms need. Others need Keras, MPI, or a compiler.
TESTS = (
    *("tests/core", "tests/engines", "tests/autodiff", "tests/functions"),
    "tests/ops/test_random.py",  # draws have the bits of the C library's logarithms and sines
)
FOR_TESTS = (
    *("attrs", "hypothesis", "pillow", "pytest", "pytest-timeout", "pytest-xdist"),
    *("safetensors", "scipy"),
)

APT = """
APT::Architecture "arm64";
APT::Architectures {{ "arm64"; }};
APT::Install-Recommends "false";
APT::Sandbox::User "";
Dir::State "{folder}/state";
Dir::State::status "{folder}/status";
Dir::Cache "{folder}/cache";
"""

MACHINE = """
[binaries]
c = ['{zig}', 'cc', '-target', 'aarch64-linux-gnu.{glibc}', '-fno-sanitize=all']
ar = ['{zig}', 'ar']

[host_machine]
system = 'linux'
cpu_family = 'aarch64'
cpu = 'aarch64'
endian = 'little'
"""

# The interpreter for tests and for processes that they start: `sys.executable` is this script.
INTERPRETER = """#!/bin/sh
export PYTHONPATH="{paths}${{PYTHONPATH:+:$PYTHONPATH}}"
exec {qemu} -L {system} {system}/usr/bin/python{version} "$@"
"""
# Python runs a module of this name when it starts.
STARTED = """import sys
sys.executable = sys._base_executable = {interpreter!r}
"""


def install_system(version: str) -> None:
    """Python for arm64 with its libraries, unpacked from Debian's packages."""
    if (SYSTEM / f"usr/bin/python{version}").exists():
        return
    apt = FOLDER / "apt"
    for folder in ("state/lists/partial", "cache/archives/partial"):
        (apt / folder).mkdir(parents=True, exist_ok=True)
    (apt / "status").touch()
    (apt / "conf").write_text(APT.format(folder=apt))
    variables = os.environ | {"APT_CONFIG": str(apt / "conf")}
    wanted = (f"python{version}", "libstdc++6", "libgomp1")
    for command in (["update", "-qq"], ["install", "-qq", "-y", "--download-only", *wanted]):
        subprocess.run(["apt-get", *command], env=variables, check=True)
    for package in sorted((apt / "cache" / "archives").glob("*.deb")):
        subprocess.run(["dpkg-deb", "-x", package, SYSTEM], check=True)


def install_packages(interpreter: Path, version: str) -> None:
    """NumPy and what the tests need, as wheels for arm64."""
    if (PACKAGES / "numpy").exists():
        return
    tags = ("manylinux2014_aarch64", f"manylinux_{GLIBC.replace('.', '_')}_aarch64")
    platforms = [f"--platform={tag}" for tag in (*tags, "manylinux_2_28_aarch64")]
    abis = [f"--abi={abi}" for abi in (f"cp{version.replace('.', '')}", "abi3", "none")]
    pip(
        interpreter,
        *("install", "--target", str(PACKAGES), "--only-binary=:all:", *platforms, *abis),
        *("--implementation=cp", f"--python-version={version}"),
        *PROJECT["dependencies"],
        *FOR_TESTS,
    )


def build(interpreter: Path, version: str) -> None:
    """The package, compiled for arm64."""
    (zig,) = (interpreter.parent.parent / "lib").glob("python*/site-packages/ziglang/zig")
    machine = FOLDER / "machine.ini"
    machine.write_text(MACHINE.format(zig=zig, glibc=GLIBC))
    built = FOLDER / "meson"
    path = f"{interpreter.parent}{os.pathsep}{os.environ['PATH']}"
    variables = os.environ | {"PATH": path} | dict.fromkeys(
        ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR"), str(FOLDER / "zig")
    )  # fmt: skip
    meson = [interpreter.parent / "meson"]
    setup = ["setup", built, ROOT, "--cross-file", machine, f"--prefix={OURS}"]
    # Products of complex numbers call functions of the compiler's library. zig's has logarithms and
    # sines in the same object, which would take the place of the C library's and round otherwise.
    (libgcc,) = SYSTEM.glob("lib/*/libgcc_s.so.1")
    options = (STRICT.removeprefix("-Csetup-args="), f"-Dc_link_args={libgcc}")
    again = ["--reconfigure"] if built.exists() else []
    shutil.rmtree(OURS, ignore_errors=True)
    for command in (
        [*setup, *options, f"-Dpython.purelibdir={OURS}", f"-Dpython.platlibdir={OURS}", *again],
        ["compile", "-C", built],
        ["install", "-C", built, "--quiet"],
    ):
        subprocess.run([*meson, *command], env=variables, check=True)
    # Meson names the library after the Python that runs it.
    (library,) = (OURS / "tapegrad").glob("compiled_modules.*.so")
    tag = f"cpython-{version.replace('.', '')}-aarch64-linux-gnu"
    library.rename(library.with_name(f"compiled_modules.{tag}.so"))


def main(arguments: list[str]) -> int:
    if shutil.which(QEMU) is None:
        raise SystemExit(f"{QEMU} is missing: apt install qemu-user-static")
    python = Path("/usr/bin/python3").resolve()
    versions = {f"{major}.{minor}": path for (major, minor), path in pythons().items()}
    version = python.name.removeprefix("python")
    if version not in versions:
        raise SystemExit(
            f"this system's archive has Python {version}, which is not here to compile for; here are "
            f"{', '.join(versions) or 'none'}"
        )
    FOLDER.mkdir(parents=True, exist_ok=True)
    interpreter = environment("arm64", versions[version])
    required = METADATA["build-system"]["requires"]
    cross = PROJECT["optional-dependencies"]["cross"]
    pip(interpreter, "install", *required, *cross, "ninja", "pip>=23.1")
    install_system(version)
    install_packages(interpreter, version)
    build(interpreter, version)
    started, program = FOLDER / "started", FOLDER / "python"
    started.mkdir(exist_ok=True)
    (started / "sitecustomize.py").write_text(STARTED.format(interpreter=str(program)))
    paths = os.pathsep.join(map(str, (started, OURS, PACKAGES)))
    program.write_text(INTERPRETER.format(paths=paths, qemu=QEMU, system=SYSTEM, version=version))
    program.chmod(0o755)
    # qemu is slow: a tenth of the rows of long tables has to do.
    chosen = arguments or [*TESTS, "--quick", "-m", "not slow", "--timeout=3000"]
    command = [program, "-m", "pytest", "-q", "-p", "no:cacheprovider", *chosen]
    return subprocess.run(command, cwd=ROOT).returncode


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
