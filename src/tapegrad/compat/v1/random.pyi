"""Written by tools/write_stubs.py: what `tapegrad.names` lists."""

from tapegrad.ops.generator import create_rng_state as create_rng_state
from tapegrad.ops.generator import Generator as Generator
from tapegrad.ops.generator import get_global_generator as get_global_generator
from tapegrad.ops.generator import set_global_generator as set_global_generator
from tapegrad.ops.random import Algorithm as Algorithm
from tapegrad.ops.random import fold_in as fold_in
from tapegrad.ops.random import normal as normal
from tapegrad.ops.random import shuffle as shuffle
from tapegrad.ops.random import split as split
from tapegrad.ops.random import stateless_normal as stateless_normal
from tapegrad.ops.random import stateless_truncated_normal as stateless_truncated_normal
from tapegrad.ops.random import stateless_uniform as stateless_uniform
from tapegrad.ops.random import truncated_normal as truncated_normal
from tapegrad.ops.random import uniform as uniform
