# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.random import Algorithm as _Algorithm
from tapegrad.random import create_rng_state as _create_rng_state
from tapegrad.random import Generator as _Generator
from tapegrad.random import get_global_generator as _get_global_generator
from tapegrad.random.experimental import index_shuffle as _index_shuffle
from tapegrad.random import set_global_generator as _set_global_generator
from tapegrad.random import fold_in as _stateless_fold_in
from tapegrad.random.experimental import stateless_shuffle as _stateless_shuffle
from tapegrad.random import split as _stateless_split

Algorithm = _Algorithm
create_rng_state = _create_rng_state
Generator = _Generator
get_global_generator = _get_global_generator
index_shuffle = _index_shuffle
set_global_generator = _set_global_generator
stateless_fold_in = _stateless_fold_in
stateless_shuffle = _stateless_shuffle
stateless_split = _stateless_split
