"""Matrices: products, factorisations, equations, functions of whole matrices.

``products``, ``einsum``, ``diagonals``, ``norms``, ``solvers`` inverses, determinants and
equations, ``decompositions``, ``matrix_functions``, ``tridiagonal`` matrices of few diagonals, and
``conjugate_gradient``.

Products with sparse matrices are in ``sparse``.
"""
