# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.signatures.random.distributions import categorical as categorical
from tapegrad.signatures.random.distributions import gamma as gamma
from tapegrad.signatures.random.distributions import stateless_binomial as stateless_binomial
from tapegrad.signatures.random.distributions import stateless_categorical as stateless_categorical
from tapegrad.signatures.random.distributions import stateless_gamma as stateless_gamma
from tapegrad.signatures.random.distributions import stateless_parameterized_truncated_normal as stateless_parameterized_truncated_normal
from tapegrad.signatures.random.distributions import stateless_poisson as stateless_poisson
from tapegrad.signatures.random.draws import Algorithm as Algorithm
from tapegrad.signatures.random.draws import fold_in as fold_in
from tapegrad.signatures.random.draws import normal as normal
from tapegrad.signatures.random.draws import shuffle as shuffle
from tapegrad.signatures.random.draws import split as split
from tapegrad.signatures.random.draws import stateless_normal as stateless_normal
from tapegrad.signatures.random.draws import stateless_truncated_normal as stateless_truncated_normal
from tapegrad.signatures.random.draws import stateless_uniform as stateless_uniform
from tapegrad.signatures.random.draws import truncated_normal as truncated_normal
from tapegrad.signatures.random.draws import uniform as uniform
from tapegrad.signatures.random.generator import create_rng_state as create_rng_state
from tapegrad.signatures.random.generator import Generator as Generator
from tapegrad.signatures.random.generator import get_global_generator as get_global_generator
from tapegrad.signatures.random.generator import set_global_generator as set_global_generator
from tapegrad.signatures.random.samplers import all_candidate_sampler as all_candidate_sampler
from tapegrad.signatures.random.samplers import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from tapegrad.signatures.random.samplers import learned_unigram_candidate_sampler as learned_unigram_candidate_sampler
from tapegrad.signatures.random.samplers import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from tapegrad.signatures.random.samplers import uniform_candidate_sampler as uniform_candidate_sampler
from tapegrad.v1.functions import multinomial as multinomial
from tapegrad.v1.functions import random_poisson as _random_poisson
from tapegrad.v1.functions import stateless_multinomial as stateless_multinomial
from tapegrad.random import set_seed as _set_random_seed
from tapegrad.compat.v1.random import experimental as experimental

poisson = _random_poisson
set_random_seed = _set_random_seed
