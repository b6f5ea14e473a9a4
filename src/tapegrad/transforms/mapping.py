"""Functions over batches: `vmap`, and `per_example_gradients`, which is `vmap` of a gradient."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tapegrad import core
from tapegrad.batching.groups import in_groups
from tapegrad.batching.mapping import map_each
from tapegrad.core import Batch, NeedsItems, in_batch
from tapegrad.framework import logging, nest
from tapegrad.ops.reduce.batches import enter_batch, leave_batch
from tapegrad.ops.shape.array import expand_dims, transpose
from tapegrad.transforms.reverse import grad, public
from tapegrad.transforms.wrt import Wrt, check_callable, is_module, name_of, variable_behind

PUBLIC = {"autodiff": "per_example_gradients vmap"}


def vmap(
    function: Callable[..., Any],
    in_axes: Any = 0,
    out_axes: Any = 0,
    *,
    axis_size: int | None = None,
) -> Callable[..., Any]:
    """``function``, which takes one item, as a function that takes and returns whole batches of them.

    >>> def product(x, y):
    ...     return tf.reduce_sum(x * y)
    >>> rows = tf.constant([[1.0, 2.0], [3.0, 4.0]])
    >>> tf.autodiff.vmap(product)(rows, rows).numpy().tolist()
    [5.0, 25.0]
    >>> tf.autodiff.vmap(product, in_axes=(None, 1))(tf.constant([1.0, 1.0]), rows).numpy().tolist()
    [4.0, 6.0]

    ``function`` is called once: its arguments have the shapes of single items and hold all of them, and
    every op runs on all at once. It composes with the other transforms and with itself. This is
    `tf.vectorized_map` with axes, and not TensorFlow's.

    Args:
        function: takes tensors, other values and nests of them, and returns tensors in any nest.
        in_axes: which axis of the arguments counts the items: an int for all tensors, None for an argument
            that is the same for all items, or a tuple or list with one of these, or a nest of these, for
            each argument. A nest may stop early: its leaf is for all tensors below.
        out_axes: where the axis goes in the results, in the same way. None is for results that do not
            depend on the item.
        axis_size: how many items there are. Only needed where no argument says so.

    Raises:
        TypeError: ``function`` cannot be called, or an axis is not an int or None.
        ValueError: when called: axes and arguments do not fit each other, or arguments have different
            numbers of items.
    """
    check_callable("vmap", function)
    for axes in (in_axes, out_axes):
        _check_axes(axes)

    def mapped(*args: Any, **kwargs: Any) -> Any:
        return _map(function, args, kwargs, in_axes, out_axes, axis_size)

    return public("vmap", mapped, function)


def per_example_gradients(
    function: Callable[..., Any],
    wrt: Any = 0,
    *,
    in_axes: Any = 0,
    keep_axis: bool = False,
    has_aux: bool = False,
) -> Callable[..., Any]:
    """A function that gives the gradient for every example of a batch, by one walk.

    >>> w = tf.Variable([1.0, 2.0])
    >>> def loss(x, y):                                     # of one example
    ...     return (tf.reduce_sum(w * x) - y) ** 2
    >>> x, y = tf.constant([[1.0, 0.0], [0.0, 1.0]]), tf.constant([0.0, 0.0])
    >>> tf.autodiff.per_example_gradients(loss, wrt=w)(x, y).numpy().tolist()
    [[2.0, 0.0], [0.0, 4.0]]

    It is ``vmap(grad(function, wrt), in_axes)``, where arguments that ``wrt`` names by position are the
    same for all examples. Not in TensorFlow.

    Args:
        function: takes one example, and returns a scalar: its loss.
        wrt: what to differentiate by, as for `grad`.
        in_axes: the axes that count the examples, as for `vmap`; the axes of arguments that ``wrt`` names do
            not count.
        keep_axis: whether ``function`` gets batches of one example, as Keras layers expect them.
        has_aux: whether ``function`` returns a pair: the loss, and anything else. The pair
            ``(gradients, anything else)`` is then returned.

    Returns:
        A function. What it returns is a nest as ``wrt`` describes it. Each tensor has a first axis for the
        examples.

    Raises:
        TypeError, ValueError: as `grad` and `vmap` do.
    """
    check_callable("per_example_gradients", function)
    chosen = Wrt("per_example_gradients", wrt)
    _check_axes(in_axes)

    def gradients(*args: Any, **kwargs: Any) -> Any:
        axes = list(in_axes) if isinstance(in_axes, (tuple, list)) else [in_axes] * len(args)
        for leaf in chosen.leaves:
            if not is_module(leaf) and variable_behind(leaf) is None:
                axes[chosen.position(leaf, args)] = None

        def of_one(*example: Any, **rest: Any) -> Any:
            if keep_axis:
                example = tuple(
                    value if axis is None else _with_axis(value, axis)
                    for value, axis in zip(example, axes, strict=True)
                )
            return function(*example, **rest)

        of_one.__name__ = name_of(function)
        return _map(grad(of_one, wrt, has_aux=has_aux), args, kwargs, tuple(axes), 0, None)

    return public("per_example_gradients", gradients, function)


def _with_axis(value: Any, axes: Any) -> Any:
    leaves = [
        leaf if axis is None else expand_dims(core.convert(leaf), axis)
        for leaf, axis in zip(nest.flatten(value), _spread(axes, value, "`in_axes`"), strict=True)
    ]
    return nest.pack_sequence_as(value, leaves)


def _map(
    function: Callable[..., Any],
    args: tuple[Any, ...],
    kwargs: dict[str, Any],
    in_axes: Any,
    out_axes: Any,
    axis_size: int | None,
) -> Any:
    if isinstance(in_axes, (tuple, list)) and len(in_axes) != len(args):
        raise ValueError(
            f"tf.autodiff.vmap(): `in_axes` has {len(in_axes)} entries, and {len(args)} arguments came."
        )
    leaves = nest.flatten(args)
    axes = _spread(tuple(in_axes) if isinstance(in_axes, list) else in_axes, args, "`in_axes`")
    places = [i for i, axis in enumerate(axes) if axis is not None]
    tensors = [core.convert(leaves[i]) for i in places]
    normal = [_normal(axes[i], t) for i, t in zip(places, tensors, strict=True)]
    size = _size(normal, tensors, axis_size)
    packed: list[Any] = []
    constants: list[Any] = []
    batch: Batch | None = None

    def of_items(items: list[Any]) -> list[Any]:
        here = list(leaves)
        for place, item in zip(places, items, strict=True):
            here[place] = item
        result = function(*nest.pack_sequence_as(args, here), **kwargs)
        results = [core.convert(leaf) for leaf in nest.flatten(result)]
        outward = _spread(out_axes, result, "`out_axes`")
        packed[:] = [result, outward]
        before = list(constants)
        constants[:] = [r for r, axis in zip(results, outward, strict=True) if axis is None]
        if (batch is not None and any(in_batch(constant, batch) for constant in constants)) or any(
            map(_differ, before, constants)
        ):
            raise ValueError(
                f"tf.autodiff.vmap(): `out_axes` says None for a result of {name_of(function)}() that "
                "depends on the item: say where its axis goes."
            )
        return [r for r, axis in zip(results, outward, strict=True) if axis is not None]

    def run(opened: Batch, tensors: list[Any]) -> list[Any]:
        nonlocal batch
        with opened as batch:
            items = of_items([enter_batch(t, opened) for t in tensors])
            return [leave_batch(item, opened) for item in items]

    first = [_with_axis_moved(t, axis, 0) for axis, t in zip(normal, tensors, strict=True)]
    try:
        stacked = in_groups(
            run, lambda size: Batch(size, effects=True, splits=True), first, size, set()
        )
    except NeedsItems as error:
        logging.warn("Using a loop over the items of the batch for a whole function: %s", error)
        batch = None
        stacked = map_each(of_items, first, first, size)
    outward = [axis for axis in packed[1] if axis is not None]
    stacked = [_with_axis_moved(s, 0, axis) for s, axis in zip(stacked, outward, strict=True)]
    result, outward = packed
    mapped, same = iter(stacked), iter(constants)
    return nest.pack_sequence_as(
        result, [next(same) if axis is None else next(mapped) for axis in outward]
    )


def _differ(one: Any, other: Any) -> bool:
    """Whether two groups of items have different results, where these are to be the same for all."""
    if one.shape != other.shape or one.dtype is not other.dtype:
        return True
    values = [core.static_value(result, "the same for all items") for result in (one, other)]
    return values[0].tobytes() != values[1].tobytes()


def _check_axes(axes: Any) -> None:
    for axis in nest.flatten(axes):
        if axis is not None and (isinstance(axis, bool) or not isinstance(axis, int)):
            raise TypeError(
                f"tf.autodiff.vmap(): an axis is an int or None; {axis!r} of type {type(axis).__name__} came."
            )


def _spread(axes: Any, structure: Any, name: str) -> list[Any]:
    """The axis of each leaf of ``structure``, where ``axes`` may stop above the leaves."""
    if not nest.is_nested(axes):
        return [axes] * len(nest.flatten(structure))
    matches = (
        isinstance(axes, dict) == isinstance(structure, dict) and nest.is_nested(structure)
    ) and len(axes) == len(structure)
    if matches and isinstance(axes, dict):
        matches = axes.keys() == structure.keys()
    if not matches:
        raise ValueError(
            f"tf.autodiff.vmap(): {name} does not fit: {axes!r} is said for a {type(structure).__name__}"
            + (f" of {len(structure)}." if nest.is_nested(structure) else ".")
        )
    if isinstance(axes, dict):
        return [axis for key in sorted(axes) for axis in _spread(axes[key], structure[key], name)]
    return [
        axis
        for part, below in zip(axes, structure, strict=True)
        for axis in _spread(part, below, name)
    ]


def _normal(axis: int, tensor: Any) -> int:
    """The axis counted from the left, if the tensor has it."""
    rank = len(tensor._shape_tuple())
    if not -rank <= axis < rank:
        raise ValueError(
            f"tf.autodiff.vmap(): `in_axes` says axis {axis} for a tensor of shape "
            f"{list(tensor._shape_tuple())}."
        )
    return axis % rank


def _size(axes: list[int], tensors: list[Any], axis_size: int | None) -> int:
    """How many items there are."""
    sizes = [t._shape_tuple()[axis] for axis, t in zip(axes, tensors, strict=True)]
    if axis_size is not None:
        sizes.append(axis_size)
    if not sizes:
        raise ValueError(
            "tf.autodiff.vmap(): no argument has an axis of items. Give one in `in_axes`, or say `axis_size`."
        )
    if any(size != sizes[0] for size in sizes):
        raise ValueError(
            f"tf.autodiff.vmap(): all arguments must have the same number of items; there are {sizes}"
            + (", the last by `axis_size`." if axis_size is not None else ".")
        )
    size: int = sizes[0]
    return size


def _with_axis_moved(tensor: Any, source: int, target: int) -> Any:
    rank = len(tensor._shape_tuple())
    axes = list(range(rank))
    axes.insert(target % rank, axes.pop(source % rank))
    return tensor if axes == sorted(axes) else transpose(tensor, axes)
