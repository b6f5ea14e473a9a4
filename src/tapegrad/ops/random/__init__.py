"""Random numbers.

``draws`` uniform, normal and shuffled, ``distributions`` gamma, Poisson, binomial, categorical,
``generator`` for ``tf.random.Generator``, ``initializers`` first values of variables, ``samplers``
candidates among many classes.

Seeds and the state of the global generator are in ``framework.random_state``.
"""
