"""`tf.summary`: files of numbers, pictures and texts by step, which TensorBoard shows.

``messages`` defines the content of the files, ``writer`` writes them. ``state`` holds the writer, the step
and whether to record, and has ``write``, through which everything goes. ``kinds`` makes scalars, histograms,
images, texts and sounds, ``media`` the bytes of pictures and sounds. ``traces`` is for traces of functions.
`tapegrad.io` frames records and encodes messages.
"""
