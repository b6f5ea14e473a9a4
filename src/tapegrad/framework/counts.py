"""Numbers for people: counts with their nouns, sizes of memory, times, and tables of them."""

from collections.abc import Sequence


def counted(count: int, noun: str) -> str:
    """``2 records``, ``1 record``."""
    return f"{count:,} {noun}" + "s" * (count != 1)


def size_text(count: int) -> str:
    """A number of bytes: ``12 B``, ``1.5 KiB``."""
    size = float(count)
    for unit in ("B", "KiB", "MiB"):
        if size < 1024:
            return f"{count} B" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GiB"


def time_text(seconds: float) -> str:
    """A time: ``12.3 µs``, ``1.5 ms``, ``2 s``."""
    for factor, unit in ((1e6, "µs"), (1e3, "ms")):
        if seconds * factor < 999.5:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds:.4g} s"


def number_text(number: float) -> str:
    """A large number in three digits: ``950``, ``1.5 k``, ``2.1 G``."""
    for unit in ("", " k", " M", " G"):
        if number < 999.5:
            return f"{number:.3g}{unit}"
        number /= 1000
    return f"{number:.3g} T"


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table in which the cells of a column begin one below the other."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join([cell.ljust(width) for cell, width in zip(row, widths, strict=True)]).rstrip()
        for row in rows
    ]
