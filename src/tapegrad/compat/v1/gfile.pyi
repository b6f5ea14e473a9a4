# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.io.folders import copy_v1 as _copy_v1
from tapegrad.io.folders import delete_recursively as _delete_recursively
from tapegrad.io.folders import exists_v1 as _exists_v1
from tapegrad.io.folders import FastGFile as FastGFile
from tapegrad.io.folders import GFile as GFile
from tapegrad.io.folders import glob_v1 as _glob_v1
from tapegrad.io.folders import is_directory as _is_directory
from tapegrad.io.folders import list_directory as _list_directory
from tapegrad.io.folders import make_dirs as _make_dirs
from tapegrad.io.folders import make_dir as _make_dir
from tapegrad.io.folders import GFile as _GFile
from tapegrad.io.folders import remove_v1 as _remove_v1
from tapegrad.io.folders import rename_v1 as _rename_v1
from tapegrad.io.folders import stat_v1 as _stat_v1
from tapegrad.io.folders import walk_v1 as _walk_v1

Copy = _copy_v1
DeleteRecursively = _delete_recursively
Exists = _exists_v1
Glob = _glob_v1
IsDirectory = _is_directory
ListDirectory = _list_directory
MakeDirs = _make_dirs
MkDir = _make_dir
Open = _GFile
Remove = _remove_v1
Rename = _rename_v1
Stat = _stat_v1
Walk = _walk_v1
