# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.v1.collections import global_variables_initializer as _global_variables_initializer
from tapegrad.v1.collections import local_variables_initializer as _local_variables_initializer
from tapegrad.v1.collections import tables_initializer as tables_initializer
from tapegrad.v1.collections import variables_initializer as _variables_initializer
from tapegrad.v1.initializers import constant_initializer as _constant_initializer
from tapegrad.v1.initializers import glorot_normal_initializer as _glorot_normal_initializer
from tapegrad.v1.initializers import glorot_uniform_initializer as _glorot_uniform_initializer
from tapegrad.v1.initializers import he_normal as he_normal
from tapegrad.v1.initializers import he_uniform as he_uniform
from tapegrad.v1.initializers import identity as identity
from tapegrad.v1.initializers import lecun_normal as lecun_normal
from tapegrad.v1.initializers import lecun_uniform as lecun_uniform
from tapegrad.v1.initializers import ones_initializer as _ones_initializer
from tapegrad.v1.initializers import orthogonal_initializer as _orthogonal_initializer
from tapegrad.v1.initializers import random_normal_initializer as _random_normal_initializer
from tapegrad.v1.initializers import random_uniform_initializer as _random_uniform_initializer
from tapegrad.v1.initializers import truncated_normal_initializer as _truncated_normal_initializer
from tapegrad.v1.initializers import uniform_unit_scaling_initializer as _uniform_unit_scaling_initializer
from tapegrad.v1.initializers import variance_scaling_initializer as _variance_scaling_initializer
from tapegrad.v1.initializers import zeros_initializer as _zeros_initializer

global_variables = _global_variables_initializer
local_variables = _local_variables_initializer
variables = _variables_initializer
constant = _constant_initializer
glorot_normal = _glorot_normal_initializer
glorot_uniform = _glorot_uniform_initializer
ones = _ones_initializer
orthogonal = _orthogonal_initializer
random_normal = _random_normal_initializer
random_uniform = _random_uniform_initializer
truncated_normal = _truncated_normal_initializer
uniform_unit_scaling = _uniform_unit_scaling_initializer
variance_scaling = _variance_scaling_initializer
zeros = _zeros_initializer
