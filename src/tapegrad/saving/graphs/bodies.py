"""`GraphBody`, by which a concrete function runs a graph; and the assets of a model."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from tapegrad import dtypes
from tapegrad.framework import nest
from tapegrad.framework.spec import TensorSpec, TypeSpec
from tapegrad.functions.components import components, composite, flat_specs
from tapegrad.io.atomic import leads_elsewhere
from tapegrad.saving.files import Damaged
from tapegrad.saving.graphs.functions import GraphFunction
from tapegrad.saving.graphs.plans import damage_of
from tapegrad.saving.graphs.reach import reads_files
from tapegrad.saving.options import Asset


class GraphBody:
    """The body of a concrete function: a function of the model, and what it captures."""

    def __init__(
        self,
        function: GraphFunction,
        specs: list[TensorSpec],
        results: Any,
        captured: Callable[[], list[Any]],
        assets: set[int],
    ) -> None:
        self.function = function
        self.specs = specs
        self.results = results
        self.captured = captured
        # Names of files come from the caller: as text among the arguments, or as assets that are captured.
        texts = {place for place, spec in enumerate(specs) if spec.dtype is dtypes.string}
        self.names = texts | {len(specs) + place for place in assets}

    @property
    def uses_files(self) -> bool:
        """Whether it reads files that its arguments name. All of its nodes are looked at."""
        return reads_files(self.function)

    def run(self, tensors: list[Any]) -> Any:
        """The results for these tensors."""
        with damage_of(self.function.name):
            self.function.check(self.names)
            flat = self.function.run([*tensors, *self.captured()])
            leaves = nest.flatten(self.results)
            if len(flat_specs(self.results)) != len(flat):
                raise Damaged(f"it has {len(flat)} results, and other specs of them")
        rest = iter(flat)
        values = [
            composite(leaf, [next(rest) for _ in components(leaf)])
            if isinstance(leaf, TypeSpec)
            else leaf
            for leaf in leaves
        ]
        return nest.pack_sequence_as(self.results, values)

    def result_specs(self) -> Any:
        """The results with a spec for each."""
        return self.results

    def sizes_met(self) -> list[list[TensorSpec]]:
        """None: it takes all sizes."""
        return []


def asset_in(folder: str, name: str) -> Asset:
    """The asset of a model that has a file of this name."""
    if not name or name in (".", "..") or set(name) & {"/", "\\", "\0"}:
        raise Damaged(f"an asset has no such name: {name!r}")
    if leads_elsewhere(folder, f"assets/{name}"):
        raise Damaged(f"the asset {name} is a link")
    return Asset(os.path.join(folder, "assets", name))
