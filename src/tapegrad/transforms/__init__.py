"""Functions of functions: `tf.autodiff.grad`, `jvp`, `vmap`, `hessian` and their kin. None is TensorFlow's.

``wrt`` reads what to differentiate by, which all of them are told in the same way. ``reverse`` has
gradients and vector-Jacobian products, ``forward`` Jacobian-vector products, ``solving`` derivatives of
what an equation defines, ``packing`` flat vectors for optimizers of other libraries, ``recompute`` a
choice of layers that fits memory. The room stands above `tapegrad.autodiff`, and its names are public
there.
"""
