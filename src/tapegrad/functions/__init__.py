"""`tf.function`, and what can be said of a function for given specs.

``function`` has the decorator and `Function`, which runs Python at every call. ``concrete`` has
`ConcreteFunction`, which `Function.get_concrete_function` gives: the same Python function, with one set of
specs. ``kinds`` has the base classes of both. Next door, ``tapegrad.symbolic`` works out shapes.
"""
