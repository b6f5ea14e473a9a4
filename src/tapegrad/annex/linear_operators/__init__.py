"""Linear operators: matrices of a known structure, which makes products and solutions cheap.

`operator` has the base class and what holds for every operator. An operator declares its `parameters`, and
its `sizes` once for shapes and for tensors. `ops` are the functions that operators compute with; `helpers`
broadcasts batches and combines what is known; `spec` takes operators apart for `tf.nest`; `algebra` says
which products and solutions of two operators have a structure again; `overrides` is what the functions of
`tf.linalg` do with them. The other modules have the operators: `identity`, `matrices`, `bands`, `circulant`,
`low_rank`, `combined` and `blocks`.
"""
