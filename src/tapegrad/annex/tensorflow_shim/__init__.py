"""tapegrad under the name ``tensorflow``: for programs and libraries that import TensorFlow themselves.

Three ways lead here: ``python -m tapegrad program.py``, `tapegrad.stand_in()` as the first line of a program,
and the distribution in the folder ``stand-in`` of the repository. All of them call ``stand_in`` in ``entry``,
and that puts the ``Finder`` of ``finder`` in charge of every import below ``tensorflow``. ``program`` runs
programs.

- Public namespaces are the modules of tapegrad themselves, never second copies.
- ``internals`` is the table of the modules below ``tensorflow.python`` and ``tensorflow.compiler``, of which
  ``internals.txt`` is what TensorFlow said and ``ours.txt`` what we add; ``columns`` reads these files, and
  ``generated`` has their functions of ops.
- ``absent`` has stand-ins for what those modules hold in TensorFlow and not here.
- ``batches``, ``bounded``, ``context``, ``conversion``, ``data_nest``, ``data_structures``, ``deprecation``,
  ``identity``, ``modes``, ``monitoring``, ``nested``, ``slices``, ``sparse_csr``, ``sparse_matrices``,
  ``specs``, ``tapes``, ``tools`` and ``type_numbers`` have names of those modules that are public nowhere.
- ``homes`` has classes say, where tapegrad stands in, that they live in a module of TensorFlow;
  ``class_homes.txt`` is the table.
- ``keras`` is ``tf.keras``: the package ``keras``, where that is installed.
- ``path`` is a folder for ``sys.path``, with a package ``tensorflow``: child processes find it there.

Public names themselves are next door, in `tapegrad.lazy`; what ``tf.__internal__`` holds is in
`tapegrad.annex.internal`.
"""
