"""Elements and slices picked by tensors: by index, by mask, by segment, or by order.

``gather``           gathers and scatters
``repeats``          elements as often as their counts say, and flat indices as positions
``getitem``          the meaning of ``tensor[...]``, and ``tf.strided_slice``
``masks``            boolean masks, sequence masks, partitions, unique elements
``segment``          sums, means, products and extremes by segment
``gathered_segments``  sums and means by segment of slices that are gathered first
``sort``             sorting and searching
``approx_top_k``     the largest or smallest elements along any axis
``indexed_slices``   sparse gradients
``numbered``         indices into the items of a batch as indices into all of them

Next door: ``shape.strided_slices`` cuts blocks given by plain numbers.
"""
