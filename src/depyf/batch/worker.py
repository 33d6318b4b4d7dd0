"""A script for a process that answers calls: pickled functions with their arguments, and what they return.

Only this package is imported before the parent has said where it looks for modules.
"""

from __future__ import annotations

import importlib.util
import os
import pickle
import sys


def _import_package() -> None:
    """Import depyf from around this file, wherever another one may be found."""
    init = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "__init__.py")
    spec = importlib.util.spec_from_file_location("depyf", init)
    assert spec is not None and spec.loader is not None
    sys.modules["depyf"] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    importlib.import_module("depyf.batch.work")


def main() -> None:
    """Answer until the other side closes the pipe."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what somebody prints is no answer
    _import_package()
    sys.path[:] = pickle.load(requests)
    while True:
        try:
            function, *arguments = pickle.load(requests)
        except EOFError:
            return
        try:
            answer = True, function(*arguments)
        except Exception as error:
            answer = False, error
        pickle.dump(answer, answers)
        answers.flush()


if __name__ == "__main__":
    main()
