"""Random numbers.

``draws``           uniform and normal numbers, shuffles, and the seeds of stateless draws
``distributions``   gamma, Poisson, binomial, categorical and truncated normal numbers
``generator``       ``tf.random.Generator``
``initializers``    first values of variables
``samplers``        candidates among very many classes
``sobol``           points that fill a cube evenly

Next door: seeds and the state of the global stream are in ``framework.random_state``.
"""
