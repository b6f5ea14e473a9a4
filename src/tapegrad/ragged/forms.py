"""The table of what public functions do with ragged tensors."""
