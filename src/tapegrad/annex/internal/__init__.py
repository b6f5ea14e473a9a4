"""`tf.__internal__`: names that Keras and other libraries use besides TensorFlow's public ones.

``composite``    the class of everything made of several tensors
``branches``     ``smart_cond``, and what says how a program runs
``decorators``   the function behind decorators
``fallbacks``    `tf.__internal__.dispatch`: functions of libraries that take types of their own
``operators``    `tf.__operators__`
``hooks``        functions and settings that Keras 2 registers
``legacy_keras`` classes that Keras 2 inherits from or makes
``autograph``    `tf.autograph`, which has nothing to convert
``xla``          `tf.xla.experimental`, which runs as it stands

Base classes for trackable objects and tensors are in `tapegrad.framework.bases`, because variables and
modules inherit from them. Modules below ``tensorflow.python`` are in `tapegrad.annex.tensorflow_shim`.
"""
