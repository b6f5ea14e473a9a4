"""Functions of functions: `tf.autodiff.grad`, `jvp`, `vmap`, `hessian` and their kin. None is TensorFlow's.

``wrt``        the argument ``wrt`` that all of them take: what to differentiate by
``reverse``    gradients and vector-Jacobian products
``forward``    Jacobian-vector products
``matrices``   whole Jacobians and Hessians
``mapping``    functions over batches, and gradients for each example
``series``     Taylor series
``packing``    flat vectors, for optimizers of other libraries
``solving``    derivatives of what an equation defines
``recompute``  a choice of layers to compute again, so that a gradient fits into memory

The room stands above `tapegrad.autodiff`, and its names are public there. `tapegrad.checking`, which compares
derivatives with finite differences, is next door.
"""
