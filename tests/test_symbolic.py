"""Shapes and dtypes without values: of the sample table's ops, and of programs that TensorFlow has traced."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import tapegrad as tf
from samples import Run, Sample, all_samples, flatten, runs
from tapegrad.core import Tensor
from tapegrad.symbolic import NeedsValues, outputs_of

GOLDEN = Path(__file__).parent / "golden"
sys.path.insert(0, str(GOLDEN))
from symbolic_programs import described, functions  # noqa: E402

RECORDED = json.loads((GOLDEN / "symbolic.json").read_text())


@pytest.mark.parametrize("name", RECORDED)
def test_program(name: str) -> None:
    function, specs = functions(tf)[name]
    found = described(outputs_of(lambda *args: function(tf, *args), specs))
    print(found, RECORDED[name])
