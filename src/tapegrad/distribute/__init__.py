"""`tf.distribute`: what several processes do together, over MPI. Strategies: `tapegrad.annex.strategies`.

    gate          where ranks meet before each collective, and check that they call the same one (compiled)
    groups        `Group`, the seven calls between ranks; one rank alone
    mpi           ranks that are processes
    threads       ranks that are threads of one process
    ranks         which ranks there are, and process sets
    collectives   the collectives as ops, with gradients
    buckets       reduces gradients over all ranks during the walk back
    exchange      collectives in steps between which the thread computes
    trace         events for measurements of the two
    processes     what happens when the process of a rank ends, or forks
    watching      a second process for each rank, which says how the rank has ended
    tape          `DistributedGradientTape`
    cluster       what `TF_CONFIG` says of a cluster
    resolvers     what Slurm says, and several resolvers as one
    starting      ``python -m tapegrad.distribute``: starts the processes

A rank is one of the processes, or threads, that compute together. Only subclasses of `Group` send
arrays to other ranks.
"""
