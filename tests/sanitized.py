"""Whether `make sanitize` runs the tests: it loads the address sanitizer before all programs."""

import os
from collections.abc import Mapping

IS_SANITIZED = "libasan" in os.environ.get("LD_PRELOAD", "")


def without_sanitizer(environment: Mapping[str, str]) -> dict[str, str]:
    """The environment for a program of others, which does not run beneath the sanitizer."""
    return {name: value for name, value in environment.items() if name != "LD_PRELOAD"}
