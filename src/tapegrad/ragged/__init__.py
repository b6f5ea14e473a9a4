"""Ragged tensors: tensors whose rows may have different lengths.

``row_partition``   ``RowPartition``: the rows into which the elements of a vector are divided
``ragged_tensor``   the class ``RaggedTensor``: values, and a partition of them into rows
``spec``            ``RaggedTensorSpec``, and ``RaggedTensorValue`` of NumPy arrays
``convert``         to and from dense tensors, sparse tensors, lists and arrays
``make``            ``tf.ragged.constant``, ``range`` and the like
``rows``            rows of tensors and ragged tensors: selected, repeated, concatenated
``getitem``         ``ragged[...]``
``broadcast``       ragged and dense operands brought to one shape, and functions of their flat values
``reduce``          sums and the like over ragged axes
``arrange``         ``concat``, ``stack``, ``gather``, ``tile`` and the like
``inquire``         sizes, places of elements, one-hot vectors, embeddings, partitions, counts
``products``        ``tf.matmul`` of batches of matrices whose sizes differ
``mapping``         ``tf.map_fn`` over ragged tensors, or to ragged results
``shapes``          ``DynamicRaggedShape``
``crosses``         ``tf.ragged.cross``: all combinations of the elements of rows
``overrides``       the table: which public function does what with ragged tensors
``strings``         the functions of ``tf.strings`` that return ragged tensors

Next door: how a public function gets to its override for ragged tensors is in ``core/function.pyx``; the
functions of strings that return plain tensors are in ``ops/strings``.
"""
