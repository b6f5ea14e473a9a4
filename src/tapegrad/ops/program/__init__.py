"""What programs need around the mathematics.

``control`` branches, loops and maps, ``tensor_array``, ``host`` printing and calls of Python
functions, ``debugging`` checks that raise, ``numerics`` every result looked at for NaN and
infinity, ``strings`` numbers as text.
"""
