# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.releases import COMPILER_VERSION as COMPILER_VERSION
from tapegrad.releases import GIT_VERSION as GIT_VERSION
from tapegrad.releases import GRAPH_DEF_VERSION as GRAPH_DEF_VERSION
from tapegrad.releases import GRAPH_DEF_VERSION_MIN_CONSUMER as GRAPH_DEF_VERSION_MIN_CONSUMER
from tapegrad.releases import GRAPH_DEF_VERSION_MIN_PRODUCER as GRAPH_DEF_VERSION_MIN_PRODUCER
from tapegrad.releases import VERSION as VERSION
