"""Files and their formats: `tf.io`, `tf.io.gfile`, `tf.audio`, the messages of `tf.train`.

``paths`` finds files; ``folders`` and ``files`` are what users see of that. ``atomic`` writes files that
are the old or the new at any moment: what the library writes goes through it, but for files that users
name and that are written in place. ``exchange`` does so with a whole folder.
``records`` is the TFRecord format, ``snappy`` an old compression.
``wire`` encodes protocol buffers, ``messages`` has their classes,
``descriptors`` what these say of their fields; ``examples``, ``tensors`` and ``graph_messages`` define
the messages of TensorFlow that programs hold, ``json_examples`` reads those that are JSON,
``sparse_strings`` serializes sparse tensors. ``features`` says what to parse, ``parsing`` and
``sequences`` do it, ``rows`` makes sparse and ragged tensors of it. ``decoding`` and ``csv`` read
numbers from text and bytes, ``images``, ``picture_files`` and ``audio`` read and write media.

Next door: data sets of files are in `tapegrad.data`, the strings of `tf.strings` in
`tapegrad.ops.strings`.
"""
