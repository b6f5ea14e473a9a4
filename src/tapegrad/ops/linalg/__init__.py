"""Matrices: products, factorisations, equations, and functions of whole matrices.

``products``             products of matrices and vectors, transposes
``einsum``               Einstein sums
``diagonals``            diagonals, bands and traces
``norms``                norms of vectors and matrices
``solvers``              inverses, determinants and linear equations
``decompositions``       Cholesky, QR, SVD, eigenvalues, LU, and least squares
``tridiagonal``          matrices given by a few diagonals, and equations after an LU decomposition
``attributes``           attributes of tensors by the array API standard, as ``x.mT``
``conjugate_gradient``   linear equations solved by products alone
``matrix_functions``     exponential, logarithm and square root of matrices
``exponential``          how exponentials are computed
``logarithm``            how logarithms are computed

Next door: products with sparse matrices are in ``sparse``.
"""
