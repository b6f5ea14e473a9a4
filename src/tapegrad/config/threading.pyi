"""Written by tools/write_stubs.py: what `tapegrad.names` lists."""

from tapegrad.framework.config import get_inter_op_parallelism_threads as get_inter_op_parallelism_threads
from tapegrad.framework.config import get_intra_op_parallelism_threads as get_intra_op_parallelism_threads
from tapegrad.framework.config import set_inter_op_parallelism_threads as set_inter_op_parallelism_threads
from tapegrad.framework.config import set_intra_op_parallelism_threads as set_intra_op_parallelism_threads
