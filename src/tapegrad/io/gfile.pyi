# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.io.folders import copy as copy
from tapegrad.io.folders import exists as exists
from tapegrad.io.folders import get_registered_schemes as get_registered_schemes
from tapegrad.io.folders import GFile as GFile
from tapegrad.io.folders import glob as glob
from tapegrad.io.folders import isdir as isdir
from tapegrad.io.folders import join as join
from tapegrad.io.folders import listdir as listdir
from tapegrad.io.folders import makedirs as makedirs
from tapegrad.io.folders import mkdir as mkdir
from tapegrad.io.folders import remove as remove
from tapegrad.io.folders import rename as rename
from tapegrad.io.folders import rmtree as rmtree
from tapegrad.io.folders import stat as stat
from tapegrad.io.folders import walk as walk
