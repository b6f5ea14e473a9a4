"""The mathematics: one module per family of ops."""
