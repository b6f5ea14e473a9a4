"""`tf.function`: functions that are recorded in their first call and replayed from then on.

``function``         the decorator, and `Function`
``recordings``       users' arguments and results as lists for the core, which records and replays
``input_signatures`` the ``input_signature``, and how a call is made to fit it
``concrete``         `ConcreteFunction`: a function with the specs of its arguments
``atomic``           what a concrete function says of itself
``foresight``        whether a function will call `tf.gradients`, as its code says
``explanations``     `Function.explain`
``pictures``         the graph of a recording
``kinds``            base classes, for `isinstance`

Next door: the recorder and the replay are in `tapegrad.core`; ``tapegrad.symbolic`` works out shapes.
"""
