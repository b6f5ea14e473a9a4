"""`tf.distribute`: strategies, which say how replicas of a computation work together.

``contexts`` knows which strategy and replica the code that runs belongs to. ``strategy`` has the base classes
and the default strategy, ``local`` the strategies of one process. ``values`` holds what strategies give and
take: values per replica, and options; ``datasets`` has the data sets. ``reductions`` has `ReduceOp` and the
classes that name ways of reducing. ``refused`` has the strategies that cannot be here.

Nearly all have one replica, and no cost. Three modules are for several in one process: ``mirrored`` says what
they do together, ``replicas`` runs them, ``copies`` has their variables.

A strategy of several processes is a subclass of `StrategyExtended` with another number of replicas, and with
its own ``_all_reduce`` and ``_all_gather``. No other method talks to other processes.
"""
