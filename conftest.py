"""What every test and doctest starts from: the same names at hand, the same random numbers, and nothing in
the default graph.

It lies in the root folder because it serves the doctests of the package, the README and docs/ as well as
tests/. That warnings are errors is said in pyproject.toml.
"""

import contextlib
import gc
import os
import re
import tempfile
import zlib
from collections.abc import Iterable, Iterator
from typing import Any

import hypothesis
import numpy as np
import pytest

# Looking for doctests imports what it looks at, and in these folders lie programs that tests run, and
# recorders that need TensorFlow.
collect_ignore_glob = [
    "tests/drawn_calls.py",
    "tests/golden/*",
    "tests/keras_checks/*",
    "tests/keras_programs/*",
    "tests/messages/*",
    "tests/programs/*",
    "tests/ranks/*",
    "tests/samples/*",
    "tests/seeds/*",
    "tests/typed/*",
]

# Fixed seeds and no clock: a test that passed passes again, on a slow machine too.
hypothesis.settings.register_profile(
    "deterministic",
    derandomize=True,
    deadline=None,
    database=None,
    suppress_health_check=[hypothesis.HealthCheck.too_slow],
)
hypothesis.settings.load_profile("deterministic")


# In a quick run a test with at least so many rows is run on every tenth of them.
MANY_ROWS, STEP = 20, 10


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--quick",
        action="store_true",
        help="every tenth row of tests with many rows, and no test marked `long`",
    )


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.getoption("--quick"):
        long = [item for item in items if item.get_closest_marker("long")]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if not item.get_closest_marker("long")]


def pytest_configure() -> None:
    """Load all ops first, so that they have one order: test processes compare the tests that they found."""
    from tapegrad.core import load_ops

    load_ops()


def pytest_collection_finish() -> None:
    """Leave the tests themselves out of what the garbage collector visits: a `gc.collect()` took a second.

    Hypothesis makes a random generator when it first runs, and asks the collector who holds it. From
    Python 3.14 on nobody does if the holder is left out by then, and Hypothesis warns.
    """
    hypothesis.find(hypothesis.strategies.none(), lambda _: True)
    gc.collect()
    gc.freeze()


@pytest.hookimpl(tryfirst=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Lets ``ids=repr`` name objects by what they are: an address would differ between the processes."""
    for mark in metafunc.definition.iter_markers("parametrize"):
        if mark.kwargs.get("ids") is repr:
            mark.kwargs["ids"] = repr_without_address
    if metafunc.config.getoption("--quick"):
        take_some_rows(metafunc)


def take_some_rows(metafunc: pytest.Metafunc) -> None:
    """Lets ``metafunc.parametrize`` take a tenth of long tables, another tenth for each test.

    The rows are left out before there are tests of them: to make all tests takes as long as a quick run may.
    """
    parametrize = metafunc.parametrize

    def parametrize_some(
        argnames: Any, argvalues: Iterable[Any], *args: Any, ids: Any = None, **options: Any
    ) -> None:
        values = list(argvalues)
        if len(values) >= MANY_ROWS:
            chosen = slice(zlib.crc32(metafunc.function.__name__.encode()) % STEP, None, STEP)
            ids = ids if ids is None or callable(ids) else list(ids)[chosen]
            values = values[chosen]
        parametrize(argnames, values, *args, ids=ids, **options)

    metafunc.parametrize = parametrize_some  # type: ignore[method-assign]


def repr_without_address(value: object) -> str:
    return re.sub(r" at 0x[0-9a-f]+", "", repr(value))


@pytest.fixture(autouse=True, scope="module")
def ops_stay_as_they_are() -> Iterator[None]:
    """Tests that give ops other rules for a while give them back their own."""
    from tapegrad.core import registry

    before = {made: (dict(made.rules), dict(made.fast_forms)) for made in registry.values()}
    yield
    changed = [made.type for made, own in before.items() if own != (made.rules, made.fast_forms)]
    assert not changed, f"ops that are not as they were before these tests: {changed}"


@pytest.fixture(autouse=True)
def as_in_a_new_program() -> None:
    from by_row import begin_anew

    begin_anew()


@pytest.fixture
def engine_as_before() -> Iterator[None]:
    """For tests that choose a number of threads or a level of vectors."""
    from tapegrad.engines.numpy.levels import levels, set_level
    from tapegrad.engines.numpy.threads import set_thread_count, thread_count

    before = thread_count()
    yield
    set_thread_count(before)
    set_level(levels()[1])


@pytest.fixture
def no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """No test can see what `os.fsync` is for, and it takes time. That it is called is a test of its own."""
    monkeypatch.setattr(os, "fsync", lambda handle: None)


@pytest.fixture(autouse=True, scope="session")
def names_for_doctests(doctest_namespace: dict[str, Any]) -> None:
    """``tf`` and ``np``, so that no docstring has to spend its first lines on imports.

    doctest compiles an example with the ``from __future__`` imports of the module around it, which it knows
    by name. A reader types the example without them, so that the annotations of a class are objects.
    """
    import tapegrad as tf

    doctest_namespace.update(tf=tf, np=np, annotations=None)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """A doctest runs in a folder of its own, so that an example which writes files leaves none here."""
    if isinstance(item, pytest.DoctestItem):
        with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
            yield
    else:
        yield
