"""Elements and slices picked by tensors: by their indices, by masks, by segments, by order.

``gather`` gathers and scatters, ``getitem`` what ``tensor[...]`` means, ``masks`` boolean masks,
partitions and what is unique, ``segment`` sums by segment, ``sort`` sorting and searching,
``indexed_slices`` sparse gradients.

Blocks given by plain numbers are in ``shape.strided_slices``.
"""
