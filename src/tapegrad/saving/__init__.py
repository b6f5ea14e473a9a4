"""Models and checkpoints in files: a JSON of objects, functions and instructions, and tensors beside it.

``listening`` writes down what a function does on stand-ins, ``sizes`` finds out how numbers follow from
sizes, ``tracing`` makes one recording of several runs and paths. ``encoding`` and ``programs`` turn
recordings into JSON and back, ``nests`` their arguments and results, ``objects`` walks over what a model
has, ``signatures`` names inputs and outputs. ``saved_model`` saves and ``loading`` loads; ``restored`` has
the functions of a loaded model. ``checkpoints`` saves values of variables alone,
``python_state`` what is no tensor, ``manager`` keeps the
latest ones, and ``checkpoint_files`` reads and writes them. ``files`` has what all files have in common.
"""
