# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.io.audio import decode_wav as decode_wav
from tapegrad.io.audio import encode_wav as encode_wav
