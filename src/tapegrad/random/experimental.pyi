# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.ops.distributions import index_shuffle as index_shuffle
from tapegrad.ops.generator import create_rng_state as create_rng_state
from tapegrad.ops.generator import Generator as Generator
from tapegrad.ops.generator import get_global_generator as get_global_generator
from tapegrad.ops.generator import set_global_generator as set_global_generator
from tapegrad.ops.random import Algorithm as Algorithm
from tapegrad.ops.random import fold_in as stateless_fold_in
from tapegrad.ops.random import stateless_shuffle as stateless_shuffle
from tapegrad.ops.random import split as stateless_split
