"""Runs the examples in docstrings, each in a process and an empty folder: `python .../examples.py NAME ...`.

Prints JSON: what is wrong with the example of each name, "" if nothing is. `...` in an output stands for anything.
"""

from __future__ import annotations

import doctest
import importlib
import inspect
import json
import os
import sys
import tempfile


def value_of(name: str) -> object:
    """What a dotted name means."""
    module, _, last = name.rpartition(".")
    return getattr(importlib.import_module(module), last)


def wrong_with(name: str) -> str:
    """What the example of a name prints otherwise than its docstring says."""
    value = value_of(name)
    names = {**vars(sys.modules[value.__module__]), **{one: importlib.import_module(one) for one in ("depyf", "torch")}}
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(value) + "\n", names, name, None, 0)
    told = [] if test.examples else [name + " has no example"]
    doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=told.append)
    return "".join(told)


def in_process(name: str) -> str:
    """The same, in a forked process: what one example compiles is not there in the next."""
    with tempfile.TemporaryDirectory() as folder, open(os.path.join(folder, "told"), "w+") as told:
        child = os.fork()
        if child == 0:
            os.chdir(folder)
            sys.stdout = sys.stderr
            try:
                told.write(wrong_with(name))
                told.flush()
            finally:
                os._exit(0 if sys.exc_info()[0] is None else 1)
        ended = os.waitpid(child, 0)[1]
        told.seek(0)
        return told.read() or "its process ended with {}".format(ended) * bool(ended)


if __name__ == "__main__":
    import torch._dynamo  # noqa: F401  # once for all

    sys.breakpointhook = lambda: None
    print(json.dumps({name: in_process(name) for name in sys.argv[1:]}))
