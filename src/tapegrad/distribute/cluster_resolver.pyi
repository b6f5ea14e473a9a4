# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.distribute.cluster import ClusterResolver as ClusterResolver
from tapegrad.distribute.cluster import SimpleClusterResolver as SimpleClusterResolver
from tapegrad.distribute.cluster import TFConfigClusterResolver as TFConfigClusterResolver
from tapegrad.distribute.resolvers import GCEClusterResolver as GCEClusterResolver
from tapegrad.distribute.resolvers import KubernetesClusterResolver as KubernetesClusterResolver
from tapegrad.distribute.resolvers import KubernetesExecutableLocation as KubernetesExecutableLocation
from tapegrad.distribute.resolvers import SlurmClusterResolver as SlurmClusterResolver
from tapegrad.distribute.resolvers import TPUClusterResolver as TPUClusterResolver
from tapegrad.distribute.resolvers import UnionResolver as UnionResolver
