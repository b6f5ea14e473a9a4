# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.numpy_like.random import poisson as poisson
from tapegrad.numpy_like.random import rand as rand
from tapegrad.numpy_like.random import randint as randint
from tapegrad.numpy_like.random import randn as randn
from tapegrad.numpy_like.random import random as random
from tapegrad.numpy_like.random import seed as seed
from tapegrad.numpy_like.random import standard_normal as standard_normal
from tapegrad.numpy_like.random import uniform as uniform
