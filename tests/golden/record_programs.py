"""Records what TensorFlow prints for each program of tests/programs: golden/programs.json.gz.

Run it where TensorFlow is installed: ``python tests/golden/record_programs.py [name ...]``; names (the
beginnings of file names) record only those programs anew. All run in one process, one after the other.
"""

import contextlib
import gzip
import io
import json
import pathlib
import sys
import time
import traceback

FOLDER = pathlib.Path(__file__).resolve().parent
PROGRAMS = FOLDER.parent / "programs"
GOLDEN = FOLDER / "programs.json.gz"


def run(path, module="tensorflow"):
    """What the program prints with this module in tapegrad's place, and the seconds it takes."""
    text = path.read_text(encoding="utf-8").replace("import tapegrad as", f"import {module} as")
    code = compile(text, str(path), "exec")
    names = {"__name__": "__main__", "__file__": str(path)}
    with contextlib.redirect_stdout(io.StringIO()) as printed:
        begin = time.perf_counter()
        exec(code, names)
        seconds = time.perf_counter() - begin
    return printed.getvalue(), seconds


def main(wanted):
    import tensorflow

    records = {}
    if wanted and GOLDEN.exists():
        records = json.loads(gzip.decompress(GOLDEN.read_bytes()))["programs"]
    failed = []
    for path in sorted(PROGRAMS.glob("*.py")):
        if wanted and not path.name.startswith(tuple(wanted)):
            continue
        try:
            printed, seconds = run(path)
        except Exception:
            failed.append(path.name)
            print(f"{path.name} fails on TensorFlow:", file=sys.stderr)
            traceback.print_exc()
        else:
            records[path.stem] = {"printed": printed, "seconds": round(seconds, 3)}
    known = {path.stem for path in PROGRAMS.glob("*.py")}
    programs = {name: records[name] for name in sorted(records) if name in known}
    content = {"tensorflow": tensorflow.__version__, "programs": programs}
    # Without a time in the header the same answers make the same file.
    GOLDEN.write_bytes(gzip.compress(json.dumps(content, indent=1).encode(), mtime=0))
    print(f"{len(programs)} programs recorded, {len(failed)} failed: {failed}")
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
