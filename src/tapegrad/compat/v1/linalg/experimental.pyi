# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.linalg.experimental import conjugate_gradient as _conjugate_gradient

conjugate_gradient = _conjugate_gradient
