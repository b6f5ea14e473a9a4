"""What TensorFlow 1.x kept under ``contrib`` and programs still call."""
