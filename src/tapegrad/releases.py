"""``tf.version``: which release of TensorFlow this is."""

from __future__ import annotations

import platform

from tapegrad import __version__

PUBLIC = {
    "version compat.v1 compat.v1.version": (
        "COMPILER_VERSION GIT_VERSION GRAPH_DEF_VERSION GRAPH_DEF_VERSION_MIN_CONSUMER "
        "GRAPH_DEF_VERSION_MIN_PRODUCER VERSION"
    ),
}

VERSION, _, OURS = __version__.partition("+tapegrad.")
"""The release of TensorFlow whose names and behaviour these are."""

GIT_VERSION = f"tapegrad {OURS}"
GRAPH_DEF_VERSION = 2474
"""The version that messages of graphs carry."""

GRAPH_DEF_VERSION_MIN_CONSUMER = GRAPH_DEF_VERSION_MIN_PRODUCER = 0
COMPILER_VERSION = platform.python_compiler()
