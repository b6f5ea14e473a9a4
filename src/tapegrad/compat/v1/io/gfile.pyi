# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.io.gfile import copy as _copy
from tapegrad.io.gfile import exists as _exists
from tapegrad.io.gfile import get_registered_schemes as _get_registered_schemes
from tapegrad.io.gfile import GFile as _GFile
from tapegrad.io.gfile import glob as _glob
from tapegrad.io.gfile import isdir as _isdir
from tapegrad.io.gfile import join as _join
from tapegrad.io.gfile import listdir as _listdir
from tapegrad.io.gfile import makedirs as _makedirs
from tapegrad.io.gfile import mkdir as _mkdir
from tapegrad.io.gfile import remove as _remove
from tapegrad.io.gfile import rename as _rename
from tapegrad.io.gfile import rmtree as _rmtree
from tapegrad.io.gfile import stat as _stat
from tapegrad.io.gfile import walk as _walk

copy = _copy
exists = _exists
get_registered_schemes = _get_registered_schemes
GFile = _GFile
glob = _glob
isdir = _isdir
join = _join
listdir = _listdir
makedirs = _makedirs
mkdir = _mkdir
remove = _remove
rename = _rename
rmtree = _rmtree
stat = _stat
walk = _walk
