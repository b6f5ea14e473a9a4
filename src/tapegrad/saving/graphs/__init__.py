"""SavedModels that TensorFlow has written: `saved_model.pb`, `variables/`, `assets/`. They are only read.

``messages`` has the protocol buffers, ``structures`` makes specs and Python values of the nests in them, and
``op_arguments`` knows how TensorFlow calls the inputs and outputs of ops. ``plans`` puts the nodes of a
function in order, and ``functions`` runs them: by ops of `tf.raw_ops`, or where there are none by ``calls``
(branches, loops, calls), ``lists`` (lists of tensors), ``resources`` (variables, tables) and ``substitutes``
(public functions that do the same). ``reach`` refuses what a model may not do outside of itself. ``bodies``
makes concrete functions of graphs, ``models`` the objects, ``older`` models of TensorFlow 1, whose ``loops``
are nodes in a circle.
"""
