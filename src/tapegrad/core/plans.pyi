"""Types of the compiled module `tapegrad.core.plans`."""

ASKS: dict[str, int]
