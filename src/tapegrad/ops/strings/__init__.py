"""Ops on tensors of strings.

``text``      lengths, parts, case, joining, and numbers read from text
``patterns``  regular expressions: RE2's syntax on Python's ``re``
``pieces``    the pieces that texts are split into, n-grams and combinations of them, in rows
``unicode``   text in encodings, and the code points in it
``scripts``   the scripts that characters belong to
``hashes``    hashes of strings, the same as TensorFlow's

Next door: the functions of ``tf.strings`` that return ragged tensors, such as `split`, are in
``ragged/strings.py``; numbers and tensors are written as text in ``ops/program/strings.py``.
"""
