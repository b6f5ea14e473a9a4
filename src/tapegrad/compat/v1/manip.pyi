# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.v1.functions import gather_nd as gather_nd
from tapegrad.v1.today import reshape as reshape
from tapegrad.v1.today import reverse as reverse
from tapegrad.v1.today import roll as roll
from tapegrad.v1.today import scatter_nd as scatter_nd
from tapegrad.v1.today import space_to_batch_nd as space_to_batch_nd
from tapegrad.v1.today import tile as tile
