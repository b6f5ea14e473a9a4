"""Types of the compiled module `tapegrad.core.binding`."""

REQUIRED: object
