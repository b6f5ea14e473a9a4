# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.signatures.linalg.conjugate_gradient import conjugate_gradient as conjugate_gradient
