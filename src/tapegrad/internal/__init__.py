"""`tf.__internal__`: what Keras and other libraries ask TensorFlow for beside its public names.

``composite`` has the class of everything made of several tensors, ``branches`` has ``smart_cond`` and what
says how a program runs, ``merging`` is the part about `tf.distribute`, ``dispatch`` lets functions take
values of other classes, and ``decorators`` finds the function behind decorators. Base classes for trackable
objects and tensors are in `tapegrad.framework.bases`, because variables and modules inherit from them.
"""
