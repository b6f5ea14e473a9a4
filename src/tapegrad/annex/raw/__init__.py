"""``tf.raw_ops``, and the ops that TensorFlow keeps for old programs. Nothing else imports from here.

``raw_ops`` is the namespace. Ops are there under their own names for arguments; ``rows`` has a row
for each name that is anything else, from ``annex/spellings.txt``. ``older``, ``cudnn``, ``slices``,
``sparse``, ``random``, ``quantized``, ``recurrent``, ``resource`` and ``training`` have functions for rows
that do more than pass arguments on. ``legacy`` has ops and functions of ``tf.compat.v1``.
"""
