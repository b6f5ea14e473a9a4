# Written by tools/write_names.py from the PUBLIC tables of the modules.
# ruff: noqa
# fmt: off

from tapegrad.distribute.cluster_resolver import ClusterResolver as _ClusterResolver
from tapegrad.distribute.cluster_resolver import GCEClusterResolver as _GCEClusterResolver
from tapegrad.distribute.cluster_resolver import KubernetesClusterResolver as _KubernetesClusterResolver
from tapegrad.distribute.cluster_resolver import SimpleClusterResolver as _SimpleClusterResolver
from tapegrad.distribute.cluster_resolver import SlurmClusterResolver as _SlurmClusterResolver
from tapegrad.distribute.cluster_resolver import TFConfigClusterResolver as _TFConfigClusterResolver
from tapegrad.distribute.cluster_resolver import TPUClusterResolver as _TPUClusterResolver
from tapegrad.distribute.cluster_resolver import UnionResolver as _UnionResolver

ClusterResolver = _ClusterResolver
GCEClusterResolver = _GCEClusterResolver
KubernetesClusterResolver = _KubernetesClusterResolver
SimpleClusterResolver = _SimpleClusterResolver
SlurmClusterResolver = _SlurmClusterResolver
TFConfigClusterResolver = _TFConfigClusterResolver
TPUClusterResolver = _TPUClusterResolver
UnionResolver = _UnionResolver
