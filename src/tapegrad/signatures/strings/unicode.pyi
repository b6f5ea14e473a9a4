# Written by tools/write_types.py from the functions themselves.
# ruff: noqa
# fmt: off
# mypy: disable-error-code="overload-overlap"

from tapegrad.core import Tensor as Tensor
from tapegrad.framework.types import TensorLike as TensorLike

def unicode_transcode(
    input: TensorLike,
    input_encoding: TensorLike,
    output_encoding: TensorLike,
    errors: str = 'replace',
    replacement_char: TensorLike = 65533,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Tensor:
    r"""Each string in another encoding.

    >>> tf.strings.unicode_transcode("hé", "UTF-8", "UTF-16-BE").numpy()
    b'\x00h\x00\xe9'

    Args:
        input: strings.
        input_encoding: the encoding they are in.
        output_encoding: ``"UTF-8"``, ``"UTF-16-BE"`` or ``"UTF-32-BE"``.
        errors: what becomes of bytes that are no text: ``"replace"``, ``"ignore"`` or ``"strict"``, which
            raises.
        replacement_char: the code point that replaces them.
        replace_control_characters: whether it replaces the characters below 32 too.

    Returns:
        A tensor.
    """
