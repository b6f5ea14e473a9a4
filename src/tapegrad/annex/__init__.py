"""What programs written for TensorFlow need, and nothing else imports. To understand derivatives, skip it.

The table of public names (`tapegrad.lazy`) is the one way in: a package of the annex is loaded when a program
uses one of its names. The annex imports the rest of the library; the rest does not import the annex.

- ``v1`` is `tf.compat.v1`, ``raw`` is `tf.raw_ops`, ``internal`` is `tf.__internal__`.
- ``spellings`` reads ``spellings.txt``: names and arguments of `tf.raw_ops` and `tf.compat.v1` that are
  others here.
- ``tensorflow_shim`` is tapegrad under the name ``tensorflow``: modules inside TensorFlow that libraries
  import, and `tf.keras`.
- ``numpy_like`` is `tf.experimental.numpy`. ``array_api``, which is made of it, is the namespace of the array
  API standard.
- ``linear_operators`` are the classes `tf.linalg.LinearOperator…`.
- ``extension`` has types that programs define, and dispatch of `tf`'s functions to them.
- ``strategies`` are the strategies of `tf.distribute`.
- ``summaries`` is `tf.summary`, ``queues`` is `tf.queue`.
- ``lite`` is `tf.lite`: LiteRT's interpreter.
- ``cases`` is `tf.test`, on ``assertions``, which know no tensors; ``timelines`` writes the profiles that
  TensorBoard shows.
"""
