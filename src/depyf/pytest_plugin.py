"""The pytest plugin: ``@pytest.mark.compiled(breaks=0, recompiles=1, graphs=1)``.

pytest loads it wherever depyf is installed, so it imports nothing of depyf or torch until a test has the marker.
"""

from __future__ import annotations

from typing import Any, Generator

import pytest

_WHAT = ("breaks", "recompiles", "graphs", "uncompiled", "raised")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Defaults for the marker's numbers."""
    for what in _WHAT:
        parser.addini("compiled_" + what, f"default of `{what}` in @pytest.mark.compiled", default="")


def pytest_configure(config: pytest.Config) -> None:
    """Tells pytest about the marker."""
    config.addinivalue_line(
        "markers",
        "compiled(breaks, recompiles, graphs, uncompiled, raised, fresh, same_as_eager): how torch.compile compiles "
        "what the test calls; see depyf.testing.compiled",
    )


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, Any, None]:
    """Records a test that has the marker; a test that fails by itself is left as it is."""
    marker = item.get_closest_marker("compiled")
    if marker is None:
        yield
        return
    from .testing import NotAsCompiled, compiled

    if marker.args:
        raise pytest.UsageError("@pytest.mark.compiled takes numbers by name: breaks=0, recompiles=1, graphs=1")
    block = compiled(**{**_defaults(item.config), **marker.kwargs})
    block.__enter__()
    outcome = yield
    try:
        block.__exit__(None, None, None)
    except NotAsCompiled as error:
        if outcome.excinfo is None:
            outcome.force_exception(pytest.fail.Exception(str(error), pytrace=False))


def _defaults(config: pytest.Config) -> dict[str, int]:
    given = {what: config.getini("compiled_" + what) for what in _WHAT}
    return {what: int(number) for what, number in given.items() if number != ""}
