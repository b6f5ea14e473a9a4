"""Switches NumPy's floating-point warnings off around kernels, because infinities and NaN are answers here.

`np.errstate` costs two microseconds a time, more than most small kernels. All it does is to set a context
variable, which costs a tenth of that. If a NumPy release has no variable of the known name, `np.seterr`
does the same, more slowly.
"""

from __future__ import annotations

from typing import Any

import numpy as np

variable: Any
"""``token = variable.set(ignored)`` switches the warnings off, ``variable.reset(token)`` on again."""
ignored: Any

try:
    from numpy._core.umath import _extobj_contextvar, _make_extobj

    variable, ignored = _extobj_contextvar, _make_extobj(all="ignore")
except ImportError:

    class Settings:
        """NumPy's public settings behind the same two methods."""

        def set(self, value: Any) -> Any:
            return np.seterr(**value)

        def reset(self, token: Any) -> None:
            np.seterr(**token)

    variable, ignored = Settings(), {"all": "ignore"}
