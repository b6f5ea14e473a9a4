"""`tf.distribute`: strategies, which say how replicas of a computation work together.

``contexts`` knows which strategy and replica the code that runs belongs to. ``strategy`` has the base classes
and the default strategy, ``local`` the strategies of one process. ``values`` holds what strategies give and
take: values per replica, and options; ``datasets`` has the data sets. ``reductions`` has `ReduceOp` and the
classes that name ways of reducing. ``refused`` has the strategies that cannot be here,
and ``tpus`` is `tf.tpu`.
``partitioners`` says into how many parts a variable is divided.

Nearly all have one replica, and no cost. Three modules are for several in one process: ``mirrored`` says what
they do together, ``replicas`` runs them, ``copies`` has their variables.

``workers`` has the strategy of several processes, ``sharding`` the data sets from which each process reads
its part, ``options`` what programs say of the ways between processes. What goes from one process to another
goes through `tapegrad.distribute`.
"""

from tapegrad.annex.strategies import strategy as strategy
