"""``tf.raw_ops``, and the ops that TensorFlow keeps for old programs. Nothing else imports from
here.

``raw_ops`` the namespace, ``legacy`` ops of ``tf.compat.v1``; and the raw forms of ops whose public
function takes other arguments: ``older``, ``sparse``, ``random``, ``resource`` for variables,
``recurrent`` nets as one op.
"""
