"""`tf.function`: functions that are recorded in their first call and replayed from then on.

``function``         the decorator, and `Function`
``recordings``       flattens users' arguments and results for the core, which records and replays
``input_signatures`` the ``input_signature``, and how arguments are converted to it
``concrete``         `ConcreteFunction`: a function with the specs of its arguments
``arguments``        arguments of calls: tensors, specs and keys, and those that a function met
``traces``           concrete functions of methods, and how a function forgets all that it has recorded
``components``       the tensors of which arguments and results are made
``atomic``           the type and the name of a concrete function
``first_values``     the values that variables had before a call which is undone
``kept_losses``      losses that layers of Keras keep from one call to the next
``foresight``        guesses from a function's code whether it will call `tf.gradients`
``explanations``     `Function.explain`
``graph_of_recording`` `Function.graph`
``profiles``         `Function.profile`
``kinds``            base classes, for `isinstance`

Next door: `tapegrad.core` has the recorder and the replay; `tapegrad.symbolic` infers shapes.
"""
