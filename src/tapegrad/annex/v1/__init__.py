"""``tf.compat.v1``: what programs written for TensorFlow 1.x still call, run at once and without graphs.

``today``      names of functions that have another name or place today
``functions``  functions whose arguments have other names or another order today, in one table
``written``    functions that do something else than today's
``variables``  ``Variable``, ``get_variable`` and variable scopes
``templates``  ``make_template``: functions that share what `get_variable` gave them
``initializers``  the first values of variables
``stateless_initializers``  those of TensorFlow's ``init_ops_v2``
``losses``     ``tf.compat.v1.losses``
``optimizers`` ``tf.compat.v1.train``: gradient descent
``adaptive``   ``tf.compat.v1.train``: optimizers with slots
``decays``     ``tf.compat.v1.train``: learning rates that fall
``encoded``    summaries as bytes in a tensor of strings
``graph_summaries``  ``tf.compat.v1.summary``: summaries that sessions run
``summary_files``  ``tf.compat.v1.summary.FileWriter``
``savers``     ``tf.compat.v1.train.Saver``
``metrics``    ``tf.compat.v1.metrics``
``layers``     ``tf.compat.v1.layers``: the base class and dense layers
``window_layers``  those that slide over their input
``settings``   messages with settings of sessions
``pictures``   ``tf.compat.v1.image``
``hooks``      ``tf.compat.v1.train``: base classes for hooks of sessions
``session_hooks``  ``tf.compat.v1.train``: hooks that count, log and stop
``saving_hooks``  ``tf.compat.v1.train``: hooks that write checkpoints, summaries and profiles
``scaffolds``  ``tf.compat.v1.train``: how a session begins
``monitored``  ``tf.compat.v1.train``: sessions that call hooks
``collections``  what programs ask of graphs: the default graph and its collections
``logs``       ``tf.compat.v1.logging``
``contrib_eager``  ``tf.contrib.eager``: functions that give gradients, made of functions
``ragged_values``  ``RaggedTensorValue``, a ragged tensor as arrays

Next door: `tapegrad.annex.raw` has the ops of TensorFlow 1.x.
"""
