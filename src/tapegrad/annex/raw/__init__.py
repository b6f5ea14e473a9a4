"""``tf.raw_ops``, and the ops that TensorFlow keeps for old programs. Nothing else imports from here.

``raw_ops`` is the namespace. Ops are there under their own names for arguments; ``table`` has a row for
each name that is anything else, in the words of ``rows``, and ``outputs`` names what they give. ``orders``
has arguments in TensorFlow's order where ours is another. ``older``, ``cudnn``, ``slices``, ``sparse``,
``random``, ``recurrent`` and ``resource`` have functions for rows that do more than pass arguments on.
``legacy`` has ops and functions of ``tf.compat.v1``.
"""
