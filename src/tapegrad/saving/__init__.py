"""Models and checkpoints in files.

``stand_ins`` makes arguments for a function that is saved. ``op_trace`` records the ops it calls on them,
with ``ways`` through loops; ``conversion`` writes its Python loops anew, which call ``python_loops``.
``open_sizes`` says how numbers follow from sizes, ``tracing`` compares two runs and joins all paths into
one recording of ``steps``; ``recordings`` chooses those that a function is saved as, and ``nests`` has their
arguments and results. ``objects`` walks over the parts of a model, ``signatures`` names inputs and outputs.
``saved_model`` saves and ``loading`` loads; ``restored`` has the functions of a loaded model and
``user_objects`` its objects, ``options`` what savers may say, ``fingerprints`` TensorFlow's hashes.
``graphs`` reads SavedModels, ``writing`` writes them, and ``onnx`` models for ONNX. ``commands`` is
``python -m tapegrad.saved_model``.

An earlier format, a JSON of objects, functions and instructions beside tensors, is read alone: ``encoding``
and ``programs`` make values and recordings of it, and ``reach`` says which files these may read.
``checkpoints`` saves values of variables alone, ``slots`` those that an optimizer keeps for them,
``python_state`` values that are no tensors, ``manager`` keeps the latest ones, ``views`` shows the objects
in them, ``checkpoint_files`` reads and writes them, in TensorFlow's format, which ``bundles`` implements.
``files`` has what the files of saved models have in common.
"""
