"""`tf.distribute`: strategies, which say how replicas of a computation work together. There is one replica.

``contexts`` knows which strategy and replica the code that runs belongs to. ``strategy`` has the base classes
and the default strategy, ``local`` the strategies of one process. ``values`` holds what strategies give and
take: data sets, values per replica, options. ``reductions`` has `ReduceOp` and the classes that name ways of
reducing. ``refused`` has the strategies that cannot be here.

A strategy of several processes is a subclass of `StrategyExtended` with another number of replicas, and with
its own ``_all_reduce`` and ``_all_gather``. No other method talks to other replicas.
"""
