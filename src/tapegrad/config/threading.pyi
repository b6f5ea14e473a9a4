# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.framework.config import get_inter_op_parallelism_threads as get_inter_op_parallelism_threads
from tapegrad.framework.config import get_intra_op_parallelism_threads as get_intra_op_parallelism_threads
from tapegrad.framework.config import set_inter_op_parallelism_threads as set_inter_op_parallelism_threads
from tapegrad.framework.config import set_intra_op_parallelism_threads as set_intra_op_parallelism_threads
