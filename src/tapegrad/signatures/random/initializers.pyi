# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.ops.random.initializers import constant_initializer as constant_initializer
from tapegrad.ops.random.initializers import ones_initializer as ones_initializer
from tapegrad.ops.random.initializers import random_normal_initializer as random_normal_initializer
from tapegrad.ops.random.initializers import random_uniform_initializer as random_uniform_initializer
from tapegrad.ops.random.initializers import zeros_initializer as zeros_initializer
