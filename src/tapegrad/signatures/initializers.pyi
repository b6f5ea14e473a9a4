# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.ops.initializers import constant_initializer as constant_initializer
from tapegrad.ops.initializers import ones_initializer as ones_initializer
from tapegrad.ops.initializers import random_normal_initializer as random_normal_initializer
from tapegrad.ops.initializers import random_uniform_initializer as random_uniform_initializer
from tapegrad.ops.initializers import zeros_initializer as zeros_initializer
