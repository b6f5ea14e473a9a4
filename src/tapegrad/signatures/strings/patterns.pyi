# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def regex_full_match(input: TensorLike, pattern: TensorLike, name: str | None = None) -> Tensor:
    """Whether each string as a whole matches ``pattern``, in RE2's syntax.

    >>> tf.strings.regex_full_match(["TF lib", "lib TF"], ".*lib$").numpy()
    array([ True, False])

    Args:
        input: a tensor of strings.
        pattern: required.
        name: accepted, and of no effect.

    Returns:
        A tensor.
    """

def regex_replace(
    input: TensorLike,
    pattern: TensorLike,
    rewrite: TensorLike,
    replace_global: bool = True,
    name: str | None = None,
) -> Tensor:
    r"""Each string with what matches ``pattern`` replaced by ``rewrite``.

    >>> tf.strings.regex_replace("Text with tags.<br /><b>contains html</b>", "<[^>]+>", " ").numpy()
    b'Text with tags.  contains html '

    Args:
        input: strings.
        pattern: a regular expression in RE2's syntax.
        rewrite: what replaces it; ``\\1`` to ``\\9`` stand for groups and ``\\0`` for the whole match.
        replace_global: whether to replace all matches, or the first alone.

    Returns:
        A tensor.
    """
