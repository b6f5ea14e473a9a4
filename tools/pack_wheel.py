"""Writes a wheel again: the same bits for the same contents, and as small as pip can read.

    python tools/pack_wheel.py WHEEL

The files stand in the order of their names, the list of them last, and have the time of SOURCE_DATE_EPOCH,
or else that of 1980, the first that a zip file knows. zopfli searches longer than zlib for a short form.
"""

import os
import struct
import sys
import time
import zlib
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

from zopfli.zopfli import compress

FIRST_MOMENT = 315_532_800  # of 1980, in seconds since 1970
LOCAL = struct.Struct("<4s5H3L2H")
CENTRAL = struct.Struct("<4s6H3L5H2L")
END = struct.Struct("<4s4H2LH")
VERSION = 20  # of the format: the first with folders and deflate
UNIX = 3
ORDINARY_FILE = 0o100644 << 16
# Names are in UTF-8.
FLAGS = 0x800


def deflated(data: bytes) -> bytes:
    # Without the two bytes before and the four after it that zlib's form adds.
    return compress(data, numiterations=5)[2:-4] if data else b"\x03\x00"


def moment() -> tuple[int, int]:
    """Time and day as zip files have them."""
    seconds = max(FIRST_MOMENT, int(os.environ.get("SOURCE_DATE_EPOCH", FIRST_MOMENT)))
    year, month, day, hour, minute, second = time.gmtime(seconds)[:6]
    return hour << 11 | minute << 5 | second // 2, (year - 1980) << 9 | month << 5 | day


def pack(wheel: Path) -> None:
    """Write ``wheel`` again in its place."""
    with ZipFile(wheel) as file:
        names = sorted(file.namelist(), key=lambda name: (name.endswith("RECORD"), name))
        contents = {name: file.read(name) for name in names if not name.endswith("/")}
    clock, day = moment()
    packed, directory = bytearray(), bytearray()
    for name, data in contents.items():
        encoded, body = name.encode(), deflated(data)
        common = (FLAGS, ZIP_DEFLATED, clock, day, zlib.crc32(data), len(body), len(data))
        place = len(packed)
        packed += LOCAL.pack(b"PK\3\4", VERSION, *common, len(encoded), 0) + encoded + body
        made = UNIX << 8 | VERSION
        directory += CENTRAL.pack(
            b"PK\1\2", made, VERSION, *common, len(encoded), 0, 0, 0, 0, ORDINARY_FILE, place
        )
        directory += encoded
    count = len(contents)
    end = END.pack(b"PK\5\6", 0, 0, count, count, len(directory), len(packed), 0)
    wheel.write_bytes(packed + directory + end)


if __name__ == "__main__":
    pack(Path(sys.argv[1]))
