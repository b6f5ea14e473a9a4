"""Models and checkpoints in files: a JSON of objects, functions and instructions, and tensors.

``stand_ins`` makes arguments for a function that is saved. ``op_trace`` records the ops it calls on them,
``open_sizes`` says how numbers follow from sizes, ``tracing`` compares two runs and joins all paths into
one recording of ``steps``; ``recordings`` chooses those that a function is saved as, and ``reach`` says which
files they may read. ``encoding`` and ``programs`` turn
recordings into JSON and back, ``nests`` their arguments and results, ``objects`` walks over the parts of a
model, ``signatures`` names inputs and outputs. ``saved_model`` saves and ``loading`` loads; ``restored``
has the functions of a loaded model and ``user_objects`` its objects, ``options`` what savers may say,
``fingerprints`` TensorFlow's hashes. ``graphs`` reads the models that TensorFlow writes, and ``writing``
writes such models.
``checkpoints`` saves values of variables alone, ``python_state`` values that are no tensors, ``manager``
keeps the latest ones, ``views`` shows the objects in them, ``checkpoint_files`` reads and writes them, in
TensorFlow's format, which ``bundles`` implements. ``files`` has what the files of saved models have in
common.
"""
