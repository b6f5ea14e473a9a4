"""Regular expressions: RE2's syntax, run by Python's ``re``.

RE2 matches UTF-8 text, with classes such as ``\\d`` of ASCII alone, and knows no look-around and no
references to groups. `translated` writes its syntax as Python's.
"""

from __future__ import annotations

import functools
import re
from typing import Any

import numpy as np

from tapegrad import dtypes
from tapegrad.errors import refuse
from tapegrad.ops.args import static_bool
from tapegrad.ops.op import STRING, op
from tapegrad.ops.shape_rules import like, same_shape
from tapegrad.ops.strings.text import each_text, static_text

PUBLIC = {
    "strings compat.v1.strings": "regex_full_match regex_replace",
    "compat.v1": "regex_replace",
}

POSIX = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "ascii": "\\x00-\\x7f",
    "blank": "\\t ",
    "cntrl": "\\x00-\\x1f\\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": "!-/:-@\\[-`{-~",
    "space": "\\t\\n\\v\\f\\r ",
    "upper": "A-Z",
    "word": "0-9A-Za-z_",
    "xdigit": "0-9A-Fa-f",
}


@functools.lru_cache(maxsize=64)
def compiled(pattern: bytes) -> Any:
    """The regular expression, for text decoded with ``surrogateescape``."""
    text = pattern.decode("utf-8", "surrogateescape")
    try:
        return re.compile(translated(text), re.ASCII)
    except (re.error, OverflowError, RecursionError) as error:
        refuse(f"Invalid pattern: {text}, error: {error}")


def translated(pattern: str) -> str:
    """A pattern of RE2 as one of Python's."""
    out: list[str] = []
    # For each group that is open: the flags that hold in it from some place on, as beginnings of groups, and
    # whether ^ and $ are of lines outside it.
    open_groups: list[tuple[list[str], bool]] = []
    flag_groups: list[str] = []
    lines = False
    place = 0
    while place < len(pattern):
        letter, rest = pattern[place], pattern[place:]
        used = 1
        if letter == "\\":
            text, used = escape(rest, False)
            out.append(text)
        elif letter == "[":
            text, used = bracket(rest)
            out.append(text)
        elif letter == "$":
            out.append("$" if lines else "\\Z")
        elif flags := re.match(r"\(\?([imsU]*)(?:-([imsU]+))?([:)])", rest):
            on, off, end = flags[1], flags[2] or "", flags[3]
            if "U" in on + off:
                raise re.error("the flag U is not supported")
            text = f"(?{on}{'-' + off if off else ''}:"
            if end == ":":
                open_groups.append((flag_groups, lines))
                flag_groups = []
                out.append(text)
            elif on or off:  # to the end of the group
                flag_groups.append(text)
                out.append(text)
            lines = (lines or "m" in on) and "m" not in off
            used = flags.end()
        elif letter == "(":
            if re.match(r"\(\?(?!P<[A-Za-z_])", rest):
                raise re.error("invalid perl operator: " + rest[:3])
            open_groups.append((flag_groups, lines))
            flag_groups = []
            out.append(letter)
        elif letter == ")":
            if not open_groups:
                raise re.error("unexpected ): " + pattern)
            out.append(")" * (len(flag_groups) + 1))
            flag_groups, lines = open_groups.pop()
        elif letter == "|":  # the flags hold behind it too
            out.append(")" * len(flag_groups) + "|" + "".join(flag_groups))
        elif repeated := re.match(r"([*+?]|\{\d+(?:,\d*)?\})(\??)([*+])", rest):
            raise re.error("bad repetition operator: " + repeated[0])
        else:
            out.append(letter)
        place += used
    return "".join(out) + ")" * len(flag_groups)


def escape(text: str, in_bracket: bool) -> tuple[str, int]:
    """What a backslash and what follows it mean, and how many characters that is."""
    if len(text) < 2:
        raise re.error("trailing \\")
    letter = text[1]
    if match := re.match(r"\\x\{([0-9a-fA-F]+)\}", text):
        return re.escape(chr(int(match[1], 16))), match.end()
    if match := re.match(r"\\([pP])(?:\{(\^?)(\w+)\}|(\w))", text):
        outside = (match[1] == "P") != (match[2] == "^")
        inside = category(match[3] or match[4])
        if in_bracket and outside:
            raise re.error(f"{match[0]} in brackets is not supported")
        return (inside if in_bracket else f"[{'^' if outside else ''}{inside}]"), match.end()
    if letter == "Q" and not in_bracket:
        end = text.find("\\E", 2)
        literal = text[2 : len(text) if end < 0 else end]
        return re.escape(literal), len(text) if end < 0 else end + 2
    if letter == "z" and not in_bracket:
        return "\\Z", 2
    if match := re.match(r"\\[0-7]{3}|\\0[0-7]?", text):
        return re.escape(chr(int(match[0][1:], 8))), match.end()
    if letter.isdigit() or letter in "ZCGKR" or (letter in "Eu" and letter.isalpha()):
        raise re.error(f"invalid escape sequence: \\{letter}")
    return text[:2], 2


def bracket(text: str) -> tuple[str, int]:
    """A class of characters in brackets, and how many characters its text has."""
    place, out = 1, ["["]
    if text[1:2] == "^":
        out.append("^")
        place = 2
    first = True
    while place < len(text):
        letter = text[place]
        if letter == "]" and not first:
            return "".join(out) + "]", place + 1
        first = False
        if posix := re.match(r"\[:(\^?)(\w+):\]", text[place:]):
            if posix[2] not in POSIX:
                raise re.error(f"invalid character class range: {posix[0]}")
            out.append(others(POSIX[posix[2]]) if posix[1] else POSIX[posix[2]])
            place += posix.end()
        elif letter == "\\":
            inside, used = escape(text[place:], True)
            out.append(inside)
            place += used
        else:
            # Python warns of what may mean something else in brackets one day.
            out.append("\\" + letter if letter in "[]&|~" else letter)
            place += 1
    raise re.error(f"missing ]: {text}")


def others(inside: str) -> str:
    """The characters that are not in a class of ASCII, for brackets."""
    known = re.compile(f"[{inside}]")
    outside = [number for number in range(128) if not known.match(chr(number))]
    return "".join(f"\\x{number:02x}" for number in outside) + "\\x80-\\U0010ffff"


@functools.lru_cache(maxsize=16)
def category(name: str) -> str:
    """The characters of a general category of Unicode, such as ``L`` or ``Lu``, for brackets."""
    import sys
    import unicodedata

    ranges: list[list[int]] = []
    for number in range(sys.maxunicode + 1):
        if unicodedata.category(chr(number)).startswith(name):
            if ranges and ranges[-1][1] == number - 1:
                ranges[-1][1] = number
            else:
                ranges.append([number, number])
    if not ranges:
        raise re.error(f"invalid character class range: \\p{{{name}}}")
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


def rewritten(rewrite: bytes, groups: int) -> Any:
    """A function of a match: ``rewrite`` with the groups it names. None if it names more than there are."""
    parts: list[Any] = []
    text = rewrite.decode("utf-8", "surrogateescape")
    place = 0
    while place < len(text):
        if text[place] == "\\":
            following = text[place + 1 : place + 2]
            if following.isdigit():
                if int(following) > groups:
                    return None
                parts.append(int(following))
            elif following == "\\":
                parts.append("\\")
            else:
                refuse(
                    f"Invalid rewrite pattern {text!r}: after a backslash comes a digit or another one."
                )
            place += 2
        else:
            parts.append(text[place])
            place += 1

    def replacement(match: Any) -> str:
        return "".join(part if isinstance(part, str) else (match[part] or "") for part in parts)

    return replacement


@op(
    "RegexReplace",
    dtypes=STRING,
    convert={"pattern": static_text, "rewrite": static_text, "replace_global": static_bool},
    files={"pattern": None},
    dispatched="unary",
)
def regex_replace(xp, input, *, pattern, rewrite, replace_global=True):
    """Each string with what matches ``pattern`` replaced by ``rewrite``.

    >>> tf.strings.regex_replace("Text with tags.<br /><b>contains html</b>", "<[^>]+>", " ").numpy()
    b'Text with tags.  contains html '

    Args:
        input: strings.
        pattern: a regular expression in RE2's syntax.
        rewrite: what replaces it; ``\\\\1`` to ``\\\\9`` stand for groups and ``\\\\0`` for the whole match.
        replace_global: whether to replace all matches, or the first alone.
    """
    expression = compiled(pattern)
    replacement = rewritten(rewrite, expression.groups)
    if replacement is None:
        return input

    def replaced(text: bytes) -> bytes:
        whole = text.decode("utf-8", "surrogateescape")
        out: list[str] = []
        end = 0
        for match in expression.finditer(whole):
            if match.end() == match.start() == end and out:
                continue  # RE2 takes no empty match right behind another match
            out += [whole[end : match.start()], replacement(match)]
            end = match.end()
            if not replace_global:
                break
        return "".join([*out, whole[end:]]).encode("utf-8", "surrogateescape")

    return each_text(input, replaced)


regex_replace.shape(same_shape)
regex_replace.no_gradient()


@op(
    "RegexFullMatch",
    dtypes=STRING,
    convert={"pattern": static_text},
    files={"pattern": None},
    dispatched="unary",
)
def regex_full_match(xp, input, *, pattern):
    """Whether each string as a whole matches ``pattern``, in RE2's syntax.

    >>> tf.strings.regex_full_match(["TF lib", "lib TF"], ".*lib$").numpy()
    array([ True, False])
    """
    expression = compiled(pattern)
    matches = [
        expression.fullmatch(text.decode("utf-8", "surrogateescape")) is not None
        for text in input.ravel().tolist()
    ]
    return np.array(matches, bool).reshape(input.shape)


regex_full_match.shape(like("input", dtypes.bool))
regex_full_match.no_gradient()
