"""Code of ours that runs inside functions of torch's, with torch's globals."""

import contextlib
import types

import pytest

from depyf.explain.kernels import hooks
from depyf.explain.recording import patches
from depyf.explain.torch_facts.exchanged_code import listen

IN_PLACE = [
    (patches._formatter_in_place, patches._graphs),
    (patches._graph_runner_in_place, patches._graph_runners),
    (hooks._call_in_place, hooks._calls),
    (hooks._name_in_place, hooks._names),
]


def test_all_of_them_are_here():
    names = {name for module in (patches, hooks) for name in vars(module) if name.endswith("_in_place")}
    assert names == {function.__name__ for function, _ in IN_PLACE}


@pytest.mark.parametrize(("instead", "heard"), IN_PLACE, ids=[function.__name__ for function, _ in IN_PLACE])
def test_it_reaches_what_it_needs_from_any_module(instead, heard, monkeypatch):
    """A relative import would be looked up in torch's package, and its failure would be the program's."""
    module = {"__name__": "somewhere.else", "__package__": "somewhere", "__builtins__": __builtins__}
    exec("def original(*args, **kwargs):\n    return args, kwargs", module)
    function = module["original"]
    before = list(heard)
    try:
        with contextlib.ExitStack() as undo:
            listen(None, function, instead, heard, undo)
            assert function(1, 2, option=3) == ((1, 2), {"option": 3})
            assert isinstance(function, types.FunctionType) and function.__code__ is instead.__code__
        assert function(4) == ((4,), {})
    finally:
        heard[:] = before
