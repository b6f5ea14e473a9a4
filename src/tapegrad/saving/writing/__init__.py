"""SavedModels that TensorFlow loads: what `tf.saved_model.save` writes.

``models`` makes the messages of a model, ``functions`` those of its functions, out of the steps that the
saver has recorded. ``nodes`` knows how a node is written, ``compositions``, ``arrangements`` and
``texts`` what ops of ours consist of, and ``structures`` the nests of arguments and results. ``folders`` puts
the files in place. Next door, ``saving/graphs`` reads such models.
"""
