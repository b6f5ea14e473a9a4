"""Einstein sums: products of tensors whose axes have names, summed over the names that the result lacks.

An equation is first made explicit: every axis gets a letter of its own, also the axes under an ellipsis. An
axis of size one that is broadcast gets a letter that nothing else has, so it is summed away. Then there is
only one kind of step, a product of two operands, which is arranged as a batch of matrix products for BLAS.
Its gradient is a step of the same kind.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from string import ascii_letters
from typing import Any

from tapegrad.core import EagerTensor, Tensor, VariableBase, convert, public
from tapegrad.core.sizes import cached_for_ints
from tapegrad.engines.numpy import products
from tapegrad.errors import refuse
from tapegrad.ops.op import FLOATING, INDEX, op
from tapegrad.ops.shape import array
from tapegrad.ops.shape_rules import Abstract

PUBLIC = {
    ". linalg compat.v1 compat.v1.linalg": "einsum",
}


# Letters that users cannot write, for axes under an ellipsis and for axes of size one.
ELLIPSIS_LETTERS = 0xE000
SINGLE_LETTERS = 0xE800


@cached_for_ints(256)
def known_equation(
    equation: str, shapes: tuple[tuple[int, ...], ...]
) -> tuple[list[str], str, dict[str, int]]:
    """`explicit_equation`, once for the equations and shapes that a program repeats. Do not change it."""
    return explicit_equation(equation, shapes)


def explicit_equation(
    equation: str, shapes: Sequence[tuple[int, ...]]
) -> tuple[list[str], str, dict[str, int]]:
    """The letters of the axes of each operand and of the result, and the size of each letter.

    >>> explicit_equation("i...,ij->j", [(2,), (2, 3)])
    (['i', 'ij'], 'j', {'i': 2, 'j': 3})
    """
    left, _, result = equation.partition("->")
    parts = left.split(",")
    broadcast_ranks = [
        len(shape) - len(part.replace("...", "")) if "..." in part else 0
        for part, shape in zip(parts, shapes, strict=True)
    ]
    broadcast_rank = max(broadcast_ranks, default=0)
    under_ellipsis = "".join(chr(ELLIPSIS_LETTERS + i) for i in range(broadcast_rank))
    operands: list[str] = []
    sizes: dict[str, int] = {}
    singles = 0
    for position, (part, shape, rank) in enumerate(
        zip(parts, shapes, broadcast_ranks, strict=True)
    ):
        named = len(part.replace("...", ""))
        if rank < 0 or ("..." not in part and named != len(shape)):
            refuse(
                f"Expected input {position} to have rank "
                f"{'at least ' if '...' in part else ''}{named} but got: "
                f"{len(shape)} (shape {list(shape)}, subscripts {part!r})."
            )
        letters = part.replace("...", under_ellipsis[broadcast_rank - rank :])
        kept = ""
        for axis, (letter, size) in enumerate(zip(letters, shape, strict=True)):
            known = sizes.get(letter)
            if known is None or known == size:
                sizes[letter] = size
            elif letter in under_ellipsis and (known == 1 or size == 1):
                sizes[letter] = max(known, size) if known and size else 0
            else:
                refuse(
                    f"Expected dimension {known} at axis {axis} of the input shaped {list(shape)} "
                    f"but got dimension {size}: the subscript {letter!r} has two sizes."
                )
            kept += letter
        operands.append(kept)
    for position, (letters, shape) in enumerate(zip(operands, shapes, strict=True)):
        kept = ""
        for letter, size in zip(letters, shape, strict=True):
            if letter in under_ellipsis and size == 1 and sizes[letter] != 1:
                letter = chr(SINGLE_LETTERS + singles)
                sizes[letter] = 1
                singles += 1
            kept += letter
        operands[position] = kept
    if broadcast_rank and "..." not in result:
        refuse(
            f"Output contains {broadcast_rank} broadcasting dimension(s) "
            "but no ellipsis (...) was found in the output subscripts."
        )
    return operands, result.replace("...", under_ellipsis), sizes


# The kernel


def _diagonal(xp: Any, operand: Any, letters: str) -> tuple[Any, str]:
    """``operand`` with each repeated letter taken along the diagonal, as a view."""
    for letter in letters:
        while letters.count(letter) > 1:
            first = letters.index(letter)
            second = letters.index(letter, first + 1)
            operand = xp.diagonal(operand, 0, first, second)
            letters = letters[:first] + letters[first + 1 : second] + letters[second + 1 :] + letter
    return operand, letters


def _sum_unused(xp: Any, operand: Any, letters: str, used: str) -> tuple[Any, str]:
    """``operand`` summed over its letters that nothing else needs."""
    axes = tuple([axis for axis, letter in enumerate(letters) if letter not in used])
    if not axes:
        return operand, letters
    kept = "".join([letter for letter in letters if letter in used])
    if all(operand.shape[axis] == 1 for axis in axes):
        return xp.squeeze(operand, axes), kept
    return xp.sum(operand, axis=axes, dtype=operand.dtype), kept


def _reorder(xp: Any, operand: Any, letters: str, order: str) -> Any:
    if letters == order:
        return operand
    return xp.transpose(operand, [letters.index(letter) for letter in order])


def _multiply(xp: Any, x: Any, first: str, y: Any, second: str, result: str) -> tuple[Any, str]:
    """The product of two operands whose letters are unique, summed over the letters not in ``result``."""
    x, first = _sum_unused(xp, x, first, second + result)
    y, second = _sum_unused(xp, y, second, first + result)
    shared = [letter for letter in first if letter in second]
    batch = "".join([letter for letter in shared if letter in result])
    inner = "".join([letter for letter in shared if letter not in result])
    rows = "".join([letter for letter in first if letter not in second])
    columns = "".join([letter for letter in second if letter not in first])
    sizes = dict(zip(first, x.shape, strict=True))
    sizes.update(zip(second, y.shape, strict=True))
    outer = tuple([sizes[letter] for letter in batch])
    contracted = math.prod([sizes[letter] for letter in inner])
    height = math.prod([sizes[letter] for letter in rows])
    width = math.prod([sizes[letter] for letter in columns])
    left = xp.reshape(_reorder(xp, x, first, batch + rows + inner), (*outer, height, contracted))
    right = xp.reshape(
        _reorder(xp, y, second, batch + inner + columns), (*outer, contracted, width)
    )
    product = xp.matmul(left, right) if inner else left * right
    shape = (
        *outer,
        *[sizes[letter] for letter in rows],
        *[sizes[letter] for letter in columns],
    )
    return xp.reshape(product, shape), batch + rows + columns


def _next_pair(operands: list[tuple[Any, str]], result: str) -> tuple[int, int]:
    """Which two operands to multiply next: the pair whose product adds the least to the size."""
    best, best_cost = (0, 1), None
    for i in range(len(operands)):
        for j in range(i + 1, len(operands)):
            used = result + "".join(
                [operands[k][1] for k in range(len(operands)) if k not in (i, j)]
            )
            sizes = dict(zip(operands[i][1], operands[i][0].shape, strict=True))
            sizes.update(zip(operands[j][1], operands[j][0].shape, strict=True))
            product_size = math.prod([size for letter, size in sizes.items() if letter in used])
            cost = product_size - operands[i][0].size - operands[j][0].size
            if best_cost is None or cost < best_cost:
                best, best_cost = (i, j), cost
    return best


def _sum_of_products(xp: Any, operands: Sequence[Any], letters: Sequence[str], result: str) -> Any:
    pairs = [
        _diagonal(xp, operand, names) for operand, names in zip(operands, letters, strict=True)
    ]
    if len(pairs) > 2:
        while len(pairs) > 1:
            i, j = _next_pair(pairs, result)
            (y, second), (x, first) = pairs.pop(j), pairs.pop(i)
            needed = result + "".join([names for _, names in pairs])
            pairs.append(_multiply(xp, x, first, y, second, needed))
    elif len(pairs) == 2:
        pairs = [_multiply(xp, *pairs[0], *pairs[1], result)]
    product, names = _sum_unused(xp, *pairs[0], result)
    once = "".join(dict.fromkeys(result))
    product = _reorder(xp, product, names, once)
    return product if once == result else _embed(xp, product, once, result)


def _embed(xp: Any, values: Any, letters: str, result: str) -> Any:
    """``values`` on the diagonals of a tensor with the letters ``result``, some of which are repeated."""
    sizes = dict(zip(letters, values.shape, strict=True))
    shape = tuple([sizes[letter] for letter in result])
    for letter in letters:
        places = [axis for axis, name in enumerate(result) if name == letter]
        for _ in places[1:]:
            # The letter gets another axis: the values where both indices agree, and zero elsewhere.
            values, letters = xp.expand_dims(values, -1), letters + letter
            here = letters.index(letter)
            size = sizes[letter]
            agree = xp.eye(size, dtype=bool)
            agree = xp.reshape(
                agree, [size if i in (here, len(letters) - 1) else 1 for i in range(len(letters))]
            )
            values = xp.where(agree, values, xp.zeros((), values.dtype))
    taken: list[int] = []
    for letter in result:
        taken.append(next(i for i, name in enumerate(letters) if name == letter and i not in taken))
    return xp.reshape(xp.transpose(values, taken), shape)


@op(
    "Einsum",
    dtypes=FLOATING | INDEX,
    raw=("inputs", "equation"),
    accumulate="float32",
    linear="*inputs",
    lane=products.sum_of_products,
)
def einsum_op(xp, *inputs, equation):
    """The sum of products that ``equation`` describes. See ``tf.einsum``."""
    letters, result, _ = known_equation(equation, tuple([operand.shape for operand in inputs]))
    return _sum_of_products(xp, inputs, letters, result)


@einsum_op.shape
def einsum_shape(inputs, equation):
    # Not known_equation: a key made of open sizes would decide them.
    _, result, sizes = explicit_equation(equation, [operand.shape for operand in inputs])
    return Abstract([sizes[letter] for letter in result], inputs[0].dtype)


def _einsum_gradient(dy, inputs, equation):
    letters, result, sizes = known_equation(equation, tuple([x._shape_tuple() for x in inputs]))
    gradients = []
    for position, target in enumerate(letters):
        other_positions = [i for i in range(len(inputs)) if i != position]
        present = result + "".join([letters[i] for i in other_positions])
        unique = "".join(dict.fromkeys(target))
        reached = "".join([letter for letter in unique if letter in present])
        left = ",".join([result, *[letters[i] for i in other_positions]])
        if left == reached:
            gradient = dy
        else:
            gradient = einsum_op([dy, *[inputs[i] for i in other_positions]], f"{left}->{reached}")
        if reached != unique:
            # These axes were summed: the gradient is the same along the whole of each.
            shape = [sizes[letter] if letter in reached else 1 for letter in unique]
            gradient = array.reshape(gradient, shape)
            gradient = array.broadcast_to(gradient, [sizes[letter] for letter in unique])
        if target != unique:
            gradient = einsum_op([gradient], f"{unique}->{target}")
        gradients.append(gradient)
    return gradients


einsum_op.gradient(inputs=_einsum_gradient)


@einsum_op.batching
def einsum_rule(items, inputs, equation):
    """The items get a letter of their own."""
    own = zip(inputs, items.batched, strict=True)
    letters, result, sizes = explicit_equation(equation, [x.shape[batched:] for x, batched in own])
    free = next(letter for letter in ascii_letters if letter not in sizes)
    terms = [free * own + term for term, own in zip(letters, items.batched, strict=True)]
    return items.run(*inputs, equation=f"{','.join(terms)}->{free}{result}")


# The public function


@functools.lru_cache(maxsize=256)
def _checked_equation(equation: str, count: int) -> str:
    """``equation`` without spaces and with its result named. Raises ValueError if it makes no sense."""
    equation = equation.replace(" ", "")
    left, arrow, result = equation.partition("->")
    for part in [*left.split(","), result]:
        letters = part.replace("...", "", 1)
        if letters and not (letters.isalpha() and letters.isascii()):
            raise ValueError(
                f"Subscripts have incorrect format: {equation}. "
                "Each is letters, with at most one ellipsis (...), as in 'bij,bjk->bik'."
            )
    parts = left.split(",")
    if len(parts) != count:
        raise ValueError(f'Got {count} inputs for equation "{equation}", expecting {len(parts)}')
    present = left.replace(",", "").replace("...", "")
    if not arrow:
        # As in NumPy, the result has the axes under an ellipsis, then the letters that appear once, in order.
        once = sorted([letter for letter in set(present) if present.count(letter) == 1])
        result = ("..." if "..." in left else "") + "".join(once)
    named = result.replace("...", "")
    for letter in named:
        if letter not in present:
            raise ValueError(
                f"Output subscripts contain the label {letter} not present in the input subscripts."
            )
        if named.count(letter) > 1:
            raise ValueError(
                f"Output subscripts contain a label appearing more than once: {equation}"
            )
    return f"{left}->{result}"


@public
def einsum(equation: str, *inputs: Any, **kwargs: Any) -> Tensor:
    """A sum of products of tensors, written with a letter for each axis.

    A letter that does not appear after ``->`` is summed over. Without ``->`` the result has every letter that
    appears once, in alphabetical order. ``...`` means the remaining axes, which are broadcast.

    >>> x, y = tf.ones([2, 3]), tf.ones([3, 4])
    >>> tf.einsum("ij,jk->ik", x, y).shape                 # the product of matrices
    TensorShape([2, 4])
    >>> tf.einsum("ii->i", tf.ones([3, 3])).numpy()        # the diagonal
    array([1., 1., 1.], dtype=float32)
    >>> tf.einsum("...ij->...ji", tf.ones([5, 2, 3])).shape
    TensorShape([5, 3, 2])

    Args:
        equation: the letters of each operand with commas between, ``->``, and those of the result.
        inputs: a tensor for each operand.
        optimize: accepted and ignored. With three or more operands, sizes decide the order of products.

    Raises:
        ValueError: for an equation that makes no sense, or a number of operands that differs from it.
        InvalidArgumentError: for shapes that do not fit the equation.
    """
    kwargs.pop("name", None)
    kwargs.pop("optimize", None)
    if kwargs:
        raise TypeError(
            f"Invalid keyword arguments for einsum: {', '.join(kwargs)}. Valid arguments: "
            "name, optimize."
        )
    if not isinstance(equation, str):
        raise TypeError(
            f"einsum's first argument is the equation, a string; {type(equation).__name__} came."
        )
    equation = _checked_equation(equation, len(inputs))
    for operand in inputs:
        if type(operand) is not EagerTensor:
            break
    else:
        return einsum_op(inputs, equation)
    like = next((convert(x).dtype for x in inputs if not _is_plain(x)), None)
    return einsum_op([convert(x, like) if _is_plain(x) else x for x in inputs], equation)


def _is_plain(value: Any) -> bool:
    return not isinstance(value, (Tensor, VariableBase))
