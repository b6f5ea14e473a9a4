"""ONNX models: what `tf.experimental.to_onnx` writes.

``export`` finds out which function is meant, and writes the file. ``functions`` turns the functions that
``saving/writing`` makes of a recording into nodes, by tables from TensorFlow's ops to ONNX's: ``elements``,
``arrays``, ``layers`` and ``pictures``. ``graph`` emits nodes, moves transposes and drops what nobody reads;
``shapes`` has the shapes of results. ``messages`` are those of the file. Next door, ``saving/writing`` writes
models for TensorFlow.
"""
