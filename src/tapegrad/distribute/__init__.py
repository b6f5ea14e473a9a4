"""`tf.distribute`: what several processes do together, over MPI. Strategies: `tapegrad.annex.strategies`.

    gate          where ranks meet before each collective, and see whether they mean the same (compiled)
    groups        `Group`, the protocol of seven calls; one rank alone
    mpi           ranks that are processes
    threads       ranks that are threads of one process
    world         which ranks there are, and process sets
    collectives   the collectives as ops, with gradients
    buckets       gradients that leave while the walk goes on
    exchange      gradients of all ranks, added up in steps between which the thread computes
    trace         when gradients are on their way, for whoever measures it
    processes     what happens when the process of a rank ends, or forks
    watching      the process beside each rank that says how it has ended
    tape          `DistributedGradientTape`
    cluster       what `TF_CONFIG` says of a cluster
    resolvers     what Slurm says, and several resolvers as one
    starting      ``python -m tapegrad.distribute``: starts the processes

A rank is one of the processes, or threads, that compute together. Whatever carries arrays between them is a
subclass of `Group`; nothing else talks to other ranks.
"""
