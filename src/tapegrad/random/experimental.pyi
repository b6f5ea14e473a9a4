# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.signatures.random.distributions import index_shuffle as index_shuffle
from tapegrad.signatures.random.draws import Algorithm as Algorithm
from tapegrad.signatures.random.draws import fold_in as _fold_in
from tapegrad.signatures.random.draws import stateless_shuffle as stateless_shuffle
from tapegrad.signatures.random.draws import split as _split
from tapegrad.signatures.random.generator import create_rng_state as create_rng_state
from tapegrad.signatures.random.generator import Generator as Generator
from tapegrad.signatures.random.generator import get_global_generator as get_global_generator
from tapegrad.signatures.random.generator import set_global_generator as set_global_generator

stateless_fold_in = _fold_in
stateless_split = _split
