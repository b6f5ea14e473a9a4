"""Graphs of what a tape or a `tf.function` recorded, as text, DOT, SVG and a page for browsers.

``dataflow``  `DataflowGraph` and its nodes: what users hold
``folding``   the tree of groups in which a graph is folded
``layout``    ranks, order and coordinates of the boxes of a drawing
``svg``       a drawing as SVG
``dot``       a graph in the language of Graphviz
``page``      the page, with its script ``viewer.js`` and its style ``viewer.css``

What a tape knows becomes a graph in `tapegrad.autodiff.graph_of_tape`, and a recording in
`tapegrad.functions.graph_of_recording`.
"""
