"""``tf.data``: streams of elements, and transformations of streams.

A *data set* says how its elements are made; an *iterator* makes them, once through. An *element* is a nest
of tensors: tuples, named tuples, dicts and attrs classes hold *leaves*, which are tensors, sparse and ragged
tensors, data sets, optionals, or None. A list is no nest here: it is one tensor.

    dataset       ``DatasetV2``, the class of all data sets, with a method for each transformation
    makers        the static methods of ``DatasetV2``
    structure     elements: taking apart, putting together, converting to tensors, and their specs
    leaves        what each kind of leaf does: stack, slice, pad
    functions     the functions that users give to ``map`` and others, and the spec of their results
    element_spec  the base of the specs of data sets, iterators and optionals
    specs         the specs of data sets and iterators
    unknown       data sets and iterators of which only the spec is known
    iterators     ``iter(dataset)``, NumPy iterators, checkpoints
    sources       data sets of values in memory
    transforms    data sets made of one other: map, filter, take, scan and others
    combine       data sets made of several, or of data sets inside elements
    batching      batches: padded, ragged, sparse; and batches split into their rows
    windows       windows and groups of elements
    cache         elements kept in memory
    encoding      elements as bytes, and their specs as JSON, for files
    files         data sets of lines, TFRecords and records of one length; names of files
    csv_files     data sets of CSV files
    records       data sets of records with features, and of data bases
    stored        elements kept in files: ``cache(filename)``, ``save``, ``load``, ``snapshot``
    arguments     arguments of data sets
    shuffle       random order and random numbers, as TensorFlow has them
    sampling      elements drawn from several data sets, or drawn so that classes have given shares
    indexed       random access: data sets whose elements have numbers, and batches by one gather
    parallel      threads: prefetching and parallel calls
    options       ``tf.data.Options``
    optional      ``tf.experimental.Optional``
    extras        ``tf.data.experimental``
    fingerprints  ``dataset.fingerprint()``
    lookups       tables that are filled from data sets
    legacy        ``tf.compat.v1.data``

How to write a data set
-----------------------
Make a subclass of `DatasetV2`, or of `dataset.UnaryDataset` for one that has one input. It says:

- ``element_spec``: a property, the nest of specs. Needs no element to be made.
- ``_elements(self, context)``: an iterator over the elements of one pass, leaves converted already
  (`structure.to_element` converts). Each call makes a new pass. The elements of an input are
  ``self._input._elements(context)``; several inputs are read by `combine.passes_of`. A subclass of
  `iterators.Elements` with ``__next__`` and ``close`` can go on after an error, as TensorFlow's do
  (`ignore_errors` needs that); a generator cannot, which suits sources: it closes its files in ``finally``.
  Code that stops reading an iterator early calls `iterators.close` on it. ``context`` is the
  `iterators.IterationContext` of the pass: its ``options``, and whether data sets may work by index.
- ``_cardinality(self)``: the number of elements, `INFINITE` or `UNKNOWN` (the default).
- ``_inputs(self)``: the data sets that it reads (the default: the arguments of ``DatasetV2.__init__``).
- ``_indexed(self, context)``: only where elements have numbers, see `indexed`. The default is None.

These functions read and write files for the methods of `DatasetV2`: ``files.list_files(file_pattern, shuffle,
seed, name)``; ``stored.FileCacheDataset(input, filename, name)``, ``stored.snapshot(dataset, path,
compression, reader_func, shard_func, name)``, ``stored.save(dataset, path, compression, shard_func,
checkpoint_args)`` and ``stored.load(path, element_spec, compression, reader_func, wait)``.

Raise `errors.refuse(message, op="...Dataset")` for faults of the data, in ``_elements``; and
``ValueError`` or ``TypeError`` for wrong arguments, in ``__init__``, as TensorFlow does. A generator never
raises ``StopIteration``. Calls of users' functions go through `functions.DataFunction`. ``_elements`` may run
in any thread, one at a time.
"""
