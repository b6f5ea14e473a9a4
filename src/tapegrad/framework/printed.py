"""`Printed`: a base class of objects that print what they are."""

from __future__ import annotations


class Printed:
    """Prints the name of the class and what `_printed_state` says of the object: no address."""

    __slots__ = ()

    def __repr__(self) -> str:
        inherited = super().__repr__
        if inherited.__qualname__ != "object.__repr__":
            return inherited()  # of a list, say
        try:
            state = self._printed_state()
        except AttributeError:
            state = "not initialized yet"  # somebody looks at it inside `__init__`
        return f"<{type(self).__qualname__}{': ' if state else ''}{state}>"

    def _printed_state(self) -> str:
        """What is worth knowing of the object; the empty text for nothing."""
        return ""
