"""TensorFlow's eager automatic differentiation, without TensorFlow.

    import tapegrad as tf

The namespace is TensorFlow's; `tapegrad.names` lists it, and every name is loaded when it is first used.
"""

from tapegrad import compiled as _compiled
from tapegrad import core as _core
from tapegrad.lazy import import_callbacks as _import_above
from tapegrad.lazy import install as _install
from tapegrad.names import NAMES as _NAMES

# Programs ask whether this is at least TensorFlow 2; our own version stands behind it, and in the metadata.
__version__ = "2.21.0+tapegrad.0.1.0"
newaxis = None

_core.set_loader(_import_above)
_install(_NAMES)
