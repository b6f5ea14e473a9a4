"""The record of functions that the core asks of higher layers. It is loaded when the core first needs one of them."""

watches = 0
cdef Callbacks known = None
cdef object loader = None


cdef class Callbacks:
    """Functions of higher layers that the core calls, each under its declared name."""

    def __init__(self, **functions):
        declared = set(names())
        if set(functions) != declared:
            raise TypeError(
                f"the core asks for {sorted(declared - set(functions))} too, and not for "
                f"{sorted(set(functions) - declared)}")
        for name, function in functions.items():
            if function is None:
                raise TypeError(f"the core asks for {name!r}, which is None")
            setattr(self, name, function)


def names():
    """The declared names."""
    return [name for name, member in vars(Callbacks).items() if type(member).__name__ == "getset_descriptor"]


def open_watch(int change):
    """Count an observer that is told of assignments before they happen (1), or one that ends (-1)."""
    global watches
    watches += change


def set_loader(function):
    """Say how to load the module that calls `set_callbacks`."""
    global loader
    loader = function


cpdef object set_callbacks(Callbacks filled):
    """Give the record to the core."""
    global known
    known = filled


cpdef Callbacks callbacks():
    """The record. The first call loads the higher layers."""
    if known is None:
        if loader is None:
            raise RuntimeError("the core cannot work alone: import tapegrad, not tapegrad.core")
        loader()
        if known is None:
            raise RuntimeError("a module above the core uses it before all that the core asks for is loaded")
    return known
