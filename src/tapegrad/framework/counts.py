"""Numbers for people: counts with their nouns, and sizes of memory."""


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
