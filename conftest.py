"""What every test and doctest starts from: the same names at hand, and the same random numbers.

It lies in the root folder because it serves the doctests of the package, the README and docs/ as well as
tests/. That warnings are errors is said in pyproject.toml.
"""

import re
from typing import Any

import hypothesis
import numpy as np
import pytest

# Looking for doctests imports what it looks at: the seeds are programs that a test runs, the recorder
# needs TensorFlow, and the table of samples holds no test itself.
collect_ignore = ["tests/seeds", "tests/golden", "tests/samples"]

# Fixed seeds and no clock: a test that passed passes again, on a slow machine too.
hypothesis.settings.register_profile(
    "deterministic",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("deterministic")


def pytest_itemcollected(item: pytest.Item) -> None:
    """Takes addresses out of test ids: they differ by process, and the processes must agree on ids."""
    item._nodeid = re.sub(r" at 0x[0-9a-f]+", "", item.nodeid)


@pytest.fixture(autouse=True)
def fixed_seeds() -> None:
    import tapegrad as tf

    np.random.seed(0)
    tf.random.set_seed(0)


@pytest.fixture(autouse=True)
def names_for_doctests(doctest_namespace: dict[str, Any]) -> None:
    """``tf`` and ``np``, so that no docstring has to spend its first lines on imports."""
    import tapegrad as tf

    doctest_namespace.update(tf=tf, np=np)
