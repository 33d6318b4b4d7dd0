"""What all tests of this room share."""

import sys

import pytest
from forks import leave_guards_untimed


@pytest.fixture(scope="session", autouse=True)
def guards_untimed():
    if "torch" in sys.modules:  # some files of this room need none
        leave_guards_untimed()


@pytest.fixture
def fresh_dynamo():
    """Nothing is compiled before a test, nor after it."""
    import torch._dynamo

    torch._dynamo.reset()
    yield
    torch._dynamo.reset()
