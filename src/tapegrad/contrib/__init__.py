"""What TensorFlow 1.x had under ``contrib`` and programs still call: ``eager``."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:  # loaded when it is asked for
    from tapegrad.contrib import eager as eager
