"""NumPy's floating-point warnings switched off around kernels: infinities and NaN are answers here.

`np.errstate` costs two microseconds a time, more than most small kernels. What it does underneath is to
set a context variable, which costs a tenth of that; where a NumPy release has no such variable under the
known name, `np.seterr` does the same more slowly.
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
